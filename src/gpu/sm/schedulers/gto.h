/* SPDX-License-Identifier: BSD-3-Clause */
/* Greedy then oldest: the warp that issued last, else the one that started first. */
#ifndef GPU_SM_SCHEDULERS_GTO_H
#define GPU_SM_SCHEDULERS_GTO_H

#include "gpu/sm/limits.h"

struct sm_gto {
    uint64_t older[SM_SUBCORE_WARPS]; /* older[w]: warps that started before w */
};

static inline void sm_gto_start(struct sm_gto *gto, uint32_t place, uint64_t resident)
{
    gto->older[place] = resident;
    for (uint64_t others = resident; others; others &= others - 1)
        gto->older[__builtin_ctzll(others)] &= ~(UINT64_C(1) << place);
}

static inline uint32_t sm_gto_choose(const struct sm_gto *gto, uint64_t ready, uint32_t last)
{
    if (ready >> last & 1)
        return last;
    uint32_t place = (uint32_t)__builtin_ctzll(ready);
    while (ready & gto->older[place]) {
        ready &= gto->older[place];
        place = (uint32_t)__builtin_ctzll(ready);
    }
    return place;
}

#endif
