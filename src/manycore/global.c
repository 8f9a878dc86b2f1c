/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The global space of architecture I: all shared memory in one unit, reached over links whose latencies add up to
 * shared.global_latency. Accesses are performed in the order of their arrival; those of one cycle in the order of their
 * tiles, so that the result does not depend on how tiles are grouped into blocks.
 */
#include "manycore/machine.h"

#include <stdlib.h>

static int by_tile(const void *a, const void *b)
{
    const struct manycore_packet *left = a, *right = b;
    return left->from < right->from ? -1 : left->from > right->from;
}

mnp_time manycore_global_advance(struct mnp_unit *unit, mnp_time until)
{
    struct manycore_global *global = unit->self;
    struct mnp_inbox *inbox = &unit->inbox;
    uint64_t end = mnp_cursor_cycle_at(&unit->clock, until);
    while (inbox->next != MNP_NEVER) {
        uint64_t cycle = mnp_cursor_cycle_at(&unit->clock, inbox->next);
        if (cycle >= end)
            break;
        mnp_cursor_move(&unit->clock, cycle);
        mnp_time now = unit->clock.time;
        uint32_t count = 0, link;
        for (const void *payload; (payload = mnp_inbox_peek(inbox, now, &link)) != NULL; mnp_inbox_take(inbox))
            global->arrived[count++] = *(const struct manycore_packet *)payload;
        qsort(global->arrived, count, sizeof *global->arrived, by_tile);
        for (uint32_t i = 0; i < count; i++) {
            struct manycore_packet *packet = &global->arrived[i];
            if (manycore_bank_serve(&global->bank, global->machine->shared.base, packet))
                unit->progress = now;
            struct manycore_packet *reply = mnp_link_send(global->out[global->block_of[packet->to]], now);
            *reply = *packet;
        }
    }
    return MNP_NEVER;
}
