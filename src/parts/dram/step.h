/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A DRAM channel in one cycle: refreshes that are due, then the scheduler's commands. It is compiled into its caller,
 * which looks at few fields of the event.
 */
#ifndef MNP_PARTS_DRAM_STEP_H
#define MNP_PARTS_DRAM_STEP_H

#include "parts/dram/refresh.h"
#include "parts/dram/schedulers/fcfs.h"
#include "parts/dram/schedulers/frfcfs.h"

/* Issues what the scheduler of the channel issues in this cycle. */
static inline void mnp_dram_schedule(struct mnp_dram *dram, uint64_t cycle, struct mnp_dram_event *event)
{
#define MNP_DRAM_SCHEDULER(KIND, NAME, STEP, HELP)                                                                     \
    if (dram->shape.scheduler == KIND)                                                                                 \
        STEP(dram, cycle, event);
#include "parts/dram/schedulers/list.h"
#undef MNP_DRAM_SCHEDULER
}

/* Visits one cycle. */
static inline void mnp_dram_step(struct mnp_dram *dram, uint64_t cycle, struct mnp_dram_event *event)
{
    *event = (struct mnp_dram_event){0};
    while (dram->channel->refresh_due <= cycle) {
        mnp_dram_do_refresh(dram, event);
        dram->column_from = dram->row_from = cycle;
    }
    if (__builtin_expect(cycle - dram->view.base >= MNP_DRAM_VIEW_CYCLES, 0))
        mnp_dram_look(dram, cycle);
    mnp_dram_schedule(dram, cycle, event);
    if (dram->channel->count[MNP_DRAM_READ] + dram->channel->count[MNP_DRAM_WRITE] == 0)
        dram->column_from = dram->row_from = MNP_DRAM_NEVER;
    /* Timing of zero cycles makes a command possible in this one, in which each bus has had its own. */
    dram->column_from = mnp_max(dram->column_from, cycle + 1);
    dram->row_from = mnp_max(dram->row_from, cycle + 1);
    dram->next = mnp_min(dram->column_from, dram->row_from);
}

#endif
