/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * First come, first served: the next command of the oldest request, and no other.
 */
#ifndef MNP_PARTS_DRAM_SCHEDULERS_FCFS_H
#define MNP_PARTS_DRAM_SCHEDULERS_FCFS_H

#include "parts/dram/banks.h"

static inline void mnp_fcfs_step(struct mnp_dram *dram, uint64_t cycle, struct mnp_dram_event *event)
{
    const struct mnp_dram_channel *channel = dram->channel;
    uint32_t oldest = MNP_DRAM_NONE, direction = channel->draining ? MNP_DRAM_WRITE : MNP_DRAM_READ;
    for (uint64_t bits = channel->waiting[direction]; bits; bits &= bits - 1) {
        uint32_t head = dram->banks[__builtin_ctzll(bits)].first[direction];
        if (oldest == MNP_DRAM_NONE || dram->requests[head].order < dram->requests[oldest].order)
            oldest = head;
    }
    dram->row_from = MNP_DRAM_NEVER;
    dram->column_from = oldest == MNP_DRAM_NONE ? MNP_DRAM_NEVER : cycle + 1;
    if (oldest == MNP_DRAM_NONE)
        return;
    const struct mnp_dram_request *request = &dram->requests[oldest];
    const struct mnp_dram_bank *bank = &dram->banks[request->bank];
    bool hit = bank->open && bank->row == request->row;
    uint64_t ready;
    if (hit)
        ready = mnp_dram_column_ready(dram, bank, direction);
    else
        ready = bank->open ? bank->precharge_ready : mnp_dram_activate_ready(dram, bank);
    if (ready > cycle)
        dram->column_from = ready;
    else if (hit)
        mnp_dram_issue_column(dram, cycle, oldest, event);
    else if (bank->open)
        mnp_dram_precharge(dram, cycle, oldest, event);
    else
        mnp_dram_activate(dram, cycle, oldest, event);
}

#endif
