/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Issue slots: each cycle of a sub-core is counted under what became of its slot. Cycles in which nothing can happen
 * are not visited; their slots are counted in bulk under the slot of the last visit, because nothing that decides it
 * has changed since.
 */
#ifndef GPU_SM_SLOTS_H
#define GPU_SM_SLOTS_H

#include "gpu/sm/statistics.h"

#include <stdint.h>

struct sm_slots {       /* issue slots of a sub-core */
    uint64_t accounted; /* issue slots before this cycle have been counted */
    uint16_t slot;      /* enum sm_slot of the cycles from `accounted` on */
};

/* Counts the slots up to `cycle`, in the counters of the kernel that owns them. */
static inline void sm_slots_account(struct sm_slots *slots, uint64_t *counters, uint64_t cycle)
{
    uint64_t count = cycle - slots->accounted;
    counters[SM_ISSUE_SLOT_FIRST + slots->slot] += count;
    counters[SM_ISSUE_SLOTS] += count;
    slots->accounted = cycle;
}

/* The slots up to `cycle` are nobody's: they were passed over. What the last visit left stands for no cycle then, and
 * may be of an older one: a slot that another follows at once is classified at the end of a window alone. */
static inline void sm_slots_pass(struct sm_slots *slots, uint64_t cycle)
{
    slots->accounted = cycle;
    slots->slot = SM_SLOT_IDLE;
}

/* Counts the slot of `cycle`, before which all have been counted: an instruction issues in it. */
static inline void sm_slots_issued(struct sm_slots *slots, uint64_t *counters, uint64_t cycle)
{
    counters[SM_ISSUE_SLOT_FIRST + SM_SLOT_ISSUED]++;
    counters[SM_ISSUE_SLOTS]++;
    slots->accounted = cycle + 1;
}

/* The cycles from `accounted` on belong to this slot. */
static inline void sm_slots_become(struct sm_slots *slots, enum sm_slot slot)
{
    slots->slot = (uint16_t)slot;
}

#endif
