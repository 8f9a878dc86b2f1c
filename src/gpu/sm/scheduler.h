/* SPDX-License-Identifier: BSD-3-Clause */
/* The warp scheduler of a sub-core, one of schedulers/list.h: which of the ready warps issues. Numbers from
 * SM_SCHEDULERS on are those that are called (schedulers/called.h). */
#ifndef GPU_SM_SCHEDULER_H
#define GPU_SM_SCHEDULER_H

#include "gpu/sm/schedulers/cggty.h"
#include "gpu/sm/schedulers/gto.h"
#include "gpu/sm/schedulers/lrr.h"

#define SM_SCHEDULER(NUMBER, ...) NUMBER,
enum sm_scheduler_id {
#include "gpu/sm/schedulers/list.h"
    SM_SCHEDULERS
};
#undef SM_SCHEDULER

#define SM_SCHEDULER(NUMBER, MEMBER, TYPE, ...) TYPE MEMBER;
union sm_scheduler { /* the machine's has the place */
#include "gpu/sm/schedulers/list.h"
};
#undef SM_SCHEDULER

/* A warp starts at a place of its sub-core, where `resident` other warps are. */
static inline void sm_scheduler_start(union sm_scheduler *scheduler, uint64_t id, uint32_t place, uint64_t resident)
{
#define SM_SCHEDULER(NUMBER, MEMBER, TYPE, START, CHOOSE, ...)                                                         \
    case NUMBER:                                                                                                       \
        START(&scheduler->MEMBER, place, resident);                                                                    \
        break;
    switch (id) {
#include "gpu/sm/schedulers/list.h"
    }
#undef SM_SCHEDULER
}

/* The place of the warp that issues: one of `ready`, which is not empty. `last`: the one that issued last. */
static inline uint32_t sm_scheduler_choose(const union sm_scheduler *scheduler, uint64_t id, uint64_t ready,
                                           uint32_t last)
{
#define SM_SCHEDULER(NUMBER, MEMBER, TYPE, START, CHOOSE, ...)                                                         \
    case NUMBER:                                                                                                       \
        return CHOOSE(&scheduler->MEMBER, ready, last);
    switch (id) {
#include "gpu/sm/schedulers/list.h"
    }
#undef SM_SCHEDULER
    __builtin_unreachable(); /* all kinds are handled above */
}

#endif
