/* SPDX-License-Identifier: BSD-3-Clause */
/* A DRAM channel between its cycles: the names of schedulers, refreshes that are due, and the view of all banks. */
#include "parts/dram/refresh.h"

#include <string.h>

const char *const mnp_dram_schedulers[] = {
#define MNP_DRAM_SCHEDULER(KIND, NAME, ...) NAME,
#include "parts/dram/schedulers/list.h"
#undef MNP_DRAM_SCHEDULER
    NULL};

const char mnp_dram_scheduler_help[] = "command scheduler"
#define MNP_DRAM_SCHEDULER(KIND, NAME, STEP, HELP) "; " NAME ": " HELP
#include "parts/dram/schedulers/list.h"
#undef MNP_DRAM_SCHEDULER
    ;

void mnp_dram_look(struct mnp_dram *dram, uint64_t cycle)
{
    dram->view.base = cycle;
    for (uint32_t i = 0; i < dram->shape.banks; i++) {
        const struct mnp_dram_bank *bank = &dram->banks[i];
        mnp_dram_see_row(dram, i);
        dram->view.column[i] = bank->column_ready;
        for (uint32_t direction = MNP_DRAM_READ; direction <= MNP_DRAM_WRITE; direction++) {
            if (bank->first[direction] != MNP_DRAM_NONE)
                dram->view.order[direction][i] = dram->requests[bank->first[direction]].order;
            if (bank->hit[direction] != MNP_DRAM_NONE)
                dram->view.hit[direction][i] = dram->requests[bank->hit[direction]].order;
        }
    }
}

void mnp_dram_ask(struct mnp_dram *dram, uint64_t cycle)
{
    mnp_dram_look(dram, cycle);
    bool waiting = dram->channel->count[MNP_DRAM_READ] + dram->channel->count[MNP_DRAM_WRITE] > 0;
    dram->column_from = dram->row_from = dram->next = waiting ? cycle : MNP_DRAM_NEVER;
}

void mnp_dram_settle(struct mnp_dram *dram, uint64_t cycle, struct mnp_dram_event *event)
{
    memset(event, 0, sizeof *event);
    while (dram->channel->refresh_due < cycle)
        mnp_dram_do_refresh(dram, event);
    if (event->refreshes) /* open rows that requests waited for are closed now */
        mnp_dram_ask(dram, cycle);
}
