/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * FR-FCFS (S. Rixner et al., "Memory access scheduling", ISCA 2000): the oldest request whose row is open and which may
 * issue now; failing that, the oldest whose bank can be prepared. A bank is precharged only when no waiting request of
 * the direction being served hits its row. Banks that nothing waits for in that direction are prepared for the other
 * one when its turn is near.
 */
#ifndef MNP_PARTS_DRAM_SCHEDULERS_FRFCFS_H
#define MNP_PARTS_DRAM_SCHEDULERS_FRFCFS_H

#include "parts/dram/banks.h"

/* A cycle before which no pseudo channel takes a column command. */
static inline uint64_t mnp_dram_any_column_ready(const struct mnp_dram *dram, uint32_t direction)
{
    uint64_t ready = MNP_DRAM_NEVER;
    for (uint64_t i = 0; i < dram->shape.pseudo_channels; i++)
        mnp_lower(&ready, dram->channel->pseudo[i].column_ready[direction]);
    return ready;
}

/* The oldest request that hits an open row and may issue now; column_from becomes the first cycle at which another one
 * may. So a bank group that must wait for CCDL gives way to the others. */
static inline uint32_t mnp_frfcfs_choose_column(struct mnp_dram *dram, uint32_t direction, uint64_t cycle)
{
    const struct mnp_dram_channel *channel = dram->channel;
    bool several = dram->shape.pseudo_channels > 1;
    uint64_t any = channel->hits[direction] ? mnp_dram_any_column_ready(dram, direction) : MNP_DRAM_NEVER;
    if (any > cycle) {
        dram->column_from = any;
        return MNP_DRAM_NONE;
    }
    uint64_t oldest = UINT64_MAX, next = MNP_DRAM_NEVER;
    uint32_t chosen = MNP_DRAM_NONE;
    for (uint64_t bits = channel->hits[direction]; bits; bits &= bits - 1) {
        uint32_t bank = (uint32_t)__builtin_ctzll(bits);
        uint64_t ready = mnp_max(dram->view.column[bank], channel->group_ready[dram->view.group[bank]]);
        if (several)
            ready = mnp_max(ready, channel->pseudo[dram->view.pseudo[bank]].column_ready[direction]);
        uint64_t order = dram->view.hit[direction][bank];
        if (ready > cycle) {
            mnp_lower(&next, ready);
            continue;
        }
        next = chosen == MNP_DRAM_NONE ? next : cycle; /* two are ready */
        chosen = order < oldest ? bank : chosen;
        oldest = mnp_min(order, oldest);
    }
    dram->column_from = next;
    return chosen == MNP_DRAM_NONE ? chosen : dram->banks[chosen].hit[direction];
}

/* Closed banks whose pseudo channels take no activate in a cycle. */
static inline uint64_t mnp_frfcfs_gated(const struct mnp_dram *dram, uint64_t cycle)
{
    uint64_t channels = dram->shape.pseudo_channels, gated = 0;
    for (uint64_t i = 0; i < channels; i++)
        gated |= dram->channel->pseudo[i].activate_ready > cycle ? dram->every << i : 0;
    return gated & ~dram->view.open;
}

/* The one of some banks whose first request in a direction is the oldest. */
static inline uint32_t mnp_frfcfs_oldest(const struct mnp_dram *dram, uint64_t banks, uint32_t direction)
{
    uint32_t chosen = (uint32_t)__builtin_ctzll(banks);
    for (uint64_t bits = banks & (banks - 1); bits; bits &= bits - 1) {
        uint32_t bank = (uint32_t)__builtin_ctzll(bits);
        chosen = dram->view.order[direction][bank] < dram->view.order[direction][chosen] ? bank : chosen;
    }
    return chosen;
}

/* The oldest request, among the heads in a direction of banks that are ready. */
static inline uint32_t mnp_frfcfs_choose_row(const struct mnp_dram *dram, uint64_t ready, uint32_t direction)
{
    return ready ? dram->banks[mnp_frfcfs_oldest(dram, ready, direction)].first[direction] : MNP_DRAM_NONE;
}

/* The earliest row command of some banks, their pseudo channels apart. `reached`: those whose cycle has come. */
static inline uint64_t mnp_frfcfs_next_of(const struct mnp_dram *dram, uint64_t banks, uint64_t reached)
{
    if (banks & reached)
        return 0;
    uint32_t next = UINT32_MAX;
    for (uint64_t bits = banks; bits; bits &= bits - 1) {
        uint32_t ready = (uint32_t)dram->view.ready[__builtin_ctzll(bits)];
        next = ready < next ? ready : next;
    }
    return banks ? dram->view.base + next : MNP_DRAM_NEVER;
}

/* The earliest cycle behind `cycle` at which one of some banks can be prepared. */
static inline uint64_t mnp_frfcfs_next_row(const struct mnp_dram *dram, uint64_t banks, uint64_t reached,
                                           uint64_t cycle)
{
    uint64_t closed = banks & ~dram->view.open, next = mnp_frfcfs_next_of(dram, banks ^ closed, reached);
    for (uint64_t i = 0; i < dram->shape.pseudo_channels && closed; i++) {
        uint64_t ready = mnp_frfcfs_next_of(dram, closed & dram->every << i, reached);
        mnp_lower(&next, mnp_max(ready, dram->channel->pseudo[i].activate_ready));
    }
    return mnp_max(next, cycle + 1);
}

/* Issues a column command and updates the earliest cycles of later commands. */
static inline void mnp_frfcfs_column(struct mnp_dram *dram, uint64_t cycle, uint32_t request,
                                     struct mnp_dram_event *event)
{
    struct mnp_dram_channel *channel = dram->channel;
    const struct mnp_dram_bank *bank = &dram->banks[dram->requests[request].bank];
    uint32_t direction = dram->requests[request].write;
    mnp_dram_issue_column(dram, cycle, request, event);
    if (bank->hit[direction] != MNP_DRAM_NONE)
        mnp_lower(&dram->column_from, channel->group_ready[bank->group]);
    if (channel->hits[direction])
        dram->column_from = mnp_max(dram->column_from, mnp_dram_any_column_ready(dram, direction));
    if (bank->hit[direction] == MNP_DRAM_NONE && bank->first[direction] != MNP_DRAM_NONE)
        mnp_lower(&dram->row_from, bank->precharge_ready);
    dram->row_from = mnp_max(dram->row_from, dram->shape.dual_command ? cycle : cycle + 1);
    if (channel->draining != direction)
        dram->column_from = dram->row_from = cycle + 1;
    if (bank->first[direction] == MNP_DRAM_NONE) /* the bank may be prepared for the other direction now */
        mnp_lower(&dram->row_from, cycle + 1);
}

/* Issues a row command for a request whose bank is ready. */
static inline void mnp_frfcfs_row(struct mnp_dram *dram, uint64_t cycle, uint32_t request, struct mnp_dram_event *event)
{
    const struct mnp_dram_bank *bank = &dram->banks[dram->requests[request].bank];
    if (bank->open) {
        mnp_dram_precharge(dram, cycle, request, event);
        return;
    }
    mnp_dram_activate(dram, cycle, request, event);
    mnp_lower(&dram->column_from, mnp_max(bank->column_ready, cycle + 1));
}

/* Issues the next row command, if one can be issued, and computes the cycle at which another one may be. */
static __attribute__((noinline)) void mnp_frfcfs_rows(struct mnp_dram *dram, uint32_t direction, uint64_t cycle,
                                                      struct mnp_dram_event *event)
{
    uint64_t reached = mnp_dram_reached(dram, cycle), ready = reached & ~mnp_frfcfs_gated(dram, cycle);
    uint64_t early = mnp_dram_banks_to_open_early(dram, direction);
    uint32_t request = mnp_frfcfs_choose_row(dram, ready & mnp_dram_banks_to_open(dram, direction), direction);
    if (request == MNP_DRAM_NONE && early)
        request = mnp_frfcfs_choose_row(dram, ready & early, 1 - direction);
    if (request != MNP_DRAM_NONE) {
        reached &= ~(UINT64_C(1) << dram->requests[request].bank);
        mnp_frfcfs_row(dram, cycle, request, event);
        early = mnp_dram_banks_to_open_early(dram, direction);
    }
    uint64_t rest = mnp_dram_banks_to_open(dram, direction) | early;
    dram->row_from = mnp_frfcfs_next_row(dram, rest, reached, cycle);
}

/* FR-FCFS in one cycle: a column command, and a row command if the column command leaves it a bus. */
static inline void mnp_frfcfs_step(struct mnp_dram *dram, uint64_t cycle, struct mnp_dram_event *event)
{
    uint32_t direction = dram->channel->draining ? MNP_DRAM_WRITE : MNP_DRAM_READ;
    uint32_t column = cycle >= dram->column_from ? mnp_frfcfs_choose_column(dram, direction, cycle) : MNP_DRAM_NONE;
    /* Rows before the column command, which may turn the direction and so all bounds. */
    if (cycle >= dram->row_from && (column == MNP_DRAM_NONE || dram->shape.dual_command))
        mnp_frfcfs_rows(dram, direction, cycle, event);
    if (column != MNP_DRAM_NONE)
        mnp_frfcfs_column(dram, cycle, column, event);
}

#endif
