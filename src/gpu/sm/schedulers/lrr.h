/* SPDX-License-Identifier: BSD-3-Clause */
/* Loose round robin: the next ready warp behind the one that issued last. */
#ifndef GPU_SM_SCHEDULERS_LRR_H
#define GPU_SM_SCHEDULERS_LRR_H

#include "gpu/sm/limits.h"

struct sm_lrr {
    uint8_t none; /* unused: there is no state */
};

static inline void sm_lrr_start(struct sm_lrr *lrr, uint32_t place, uint64_t resident)
{
    (void)lrr, (void)place, (void)resident;
}

static inline uint32_t sm_lrr_choose(const struct sm_lrr *lrr, uint64_t ready, uint32_t last)
{
    (void)lrr;
    return sm_round_robin(ready, last);
}

#endif
