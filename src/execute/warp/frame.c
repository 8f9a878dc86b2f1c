/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/warp/frame.h"

typedef uint32_t __attribute__((may_alias)) word;

uint64_t execute_long_at(const struct execute_warp *warp, uint32_t ref, uint32_t lane)
{
    const word *words = execute_at(warp, ref);
    return warp->launch->code->paths ? (uint64_t)words[lane + 32] << 32 | words[lane]
                                     : ((const uint64_t *)execute_at(warp, ref))[lane];
}

void execute_blend_pairs(const struct execute_warp *warp, void *to, const void *from, uint32_t lanes)
{
    word split[64];
    for (uint32_t i = 0; i < 32; i++) {
        split[i] = ((const word *)from)[2 * i];
        split[i + 32] = ((const word *)from)[2 * i + 1];
    }
    execute_blend(warp, to, split, 4, lanes);
    execute_blend(warp, (word *)to + 32, split + 32, 4, lanes);
}

/* Lanes that sleep together wake up together, and no lane may sleep more than twice the time that it requested.
 * Therefore the shortest request applies to all. */
bool execute_sleeps(struct execute_warp *warp, uint32_t duration, uint32_t lanes)
{
    const struct execute_port *port = warp->cta->port;
    const execute_word *nanoseconds = execute_at(warp, duration);
    uint32_t shortest = UINT32_MAX;
    for (uint32_t i = 0; i < 32; i++)
        if (lanes >> i & 1 && nanoseconds[i] < shortest)
            shortest = nanoseconds[i];
    return port->sleep && lanes && shortest && port->sleep(port->context, shortest);
}
