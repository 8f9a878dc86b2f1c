/* SPDX-License-Identifier: BSD-3-Clause */
/* Greedy then youngest, which the hardware does: the warp that issued last, else the one that started last. */
#ifndef GPU_SM_SCHEDULERS_CGGTY_H
#define GPU_SM_SCHEDULERS_CGGTY_H

#include "gpu/sm/limits.h"

struct sm_cggty {
    uint64_t younger[SM_SUBCORE_WARPS]; /* younger[w]: warps that started behind w */
};

static inline void sm_cggty_start(struct sm_cggty *cggty, uint32_t place, uint64_t resident)
{
    cggty->younger[place] = 0;
    for (uint64_t others = resident; others; others &= others - 1)
        cggty->younger[__builtin_ctzll(others)] |= UINT64_C(1) << place;
}

/* Warps mostly start in the order of their places: the last is tried first. */
static inline uint32_t sm_cggty_choose(const struct sm_cggty *cggty, uint64_t ready, uint32_t last)
{
    if (ready >> last & 1)
        return last;
    uint32_t place = 63 - (uint32_t)__builtin_clzll(ready);
    while (ready & cggty->younger[place]) {
        ready &= cggty->younger[place];
        place = 63 - (uint32_t)__builtin_clzll(ready);
    }
    return place;
}

#endif
