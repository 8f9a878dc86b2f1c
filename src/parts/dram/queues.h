/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The waiting requests of a DRAM channel: a chain for each bank and direction, the oldest that hits an open row, and
 * the direction that is being served.
 *
 * Reads go first; writes wait and are drained when their queue reaches a high mark, down to a low mark, or while there
 * are no reads.
 */
#ifndef MNP_PARTS_DRAM_QUEUES_H
#define MNP_PARTS_DRAM_QUEUES_H

#include "parts/dram/shape.h"

enum { MNP_DRAM_READ, MNP_DRAM_WRITE };

/* The first request from `request` on in its chain that hits the bank's open row. */
static inline uint32_t mnp_dram_next_hit(const struct mnp_dram *dram, const struct mnp_dram_bank *bank,
                                         uint32_t request)
{
    while (request != MNP_DRAM_NONE && dram->requests[request].row != bank->row)
        request = dram->requests[request].next;
    return request;
}

static inline void mnp_dram_set_hit(struct mnp_dram *dram, uint32_t index, uint32_t direction, uint32_t request)
{
    uint64_t bit = UINT64_C(1) << index;
    dram->banks[index].hit[direction] = request;
    if (request == MNP_DRAM_NONE) {
        dram->channel->hits[direction] &= ~bit;
    } else {
        dram->channel->hits[direction] |= bit;
        dram->view.hit[direction][index] = dram->requests[request].order;
    }
}

/* Notes the earliest row command of a bank. */
static inline void mnp_dram_see_ready(struct mnp_dram *dram, uint32_t index, uint64_t ready)
{
    uint64_t base = dram->view.base;
    dram->view.ready[index] = ready > base ? (int32_t)mnp_min(ready - base, INT32_MAX) : 0;
}

/* A bank's row has been opened or closed, or the earliest command that opens or closes it has changed. */
static inline void mnp_dram_see_row(struct mnp_dram *dram, uint32_t index)
{
    const struct mnp_dram_bank *bank = &dram->banks[index];
    uint64_t bit = UINT64_C(1) << index;
    dram->view.open = bank->open ? dram->view.open | bit : dram->view.open & ~bit;
    mnp_dram_see_ready(dram, index, bank->open ? bank->precharge_ready : bank->activate_ready);
}

/* Switches to writes if there are many or only writes, and back to reads if few or no writes are left. Called after
 * every change of a queue, so that the direction does not depend on which cycles are visited. */
static inline void mnp_dram_choose_direction(struct mnp_dram *dram)
{
    struct mnp_dram_channel *channel = dram->channel;
    uint32_t reads = channel->count[MNP_DRAM_READ], writes = channel->count[MNP_DRAM_WRITE];
    if (channel->draining)
        channel->draining = writes > 0 && !(reads > 0 && writes <= dram->shape.write_low);
    else
        channel->draining = writes >= dram->shape.write_high || (reads == 0 && writes > 0);
}

/* Banks to be prepared for the current direction: those with requests that do not hit the open row. */
static inline uint64_t mnp_dram_banks_to_open(const struct mnp_dram *dram, uint32_t direction)
{
    return dram->channel->waiting[direction] & ~dram->channel->hits[direction];
}

/* Banks that may be prepared for the other direction, because its turn is near and this one does not want them. Reads
 * follow every drain; a drain is near when three quarters of the way from the low to the high mark are done. */
static inline uint64_t mnp_dram_banks_to_open_early(const struct mnp_dram *dram, uint32_t direction)
{
    const struct mnp_dram_channel *channel = dram->channel;
    uint32_t other = 1 - direction;
    if (other == MNP_DRAM_WRITE && channel->count[MNP_DRAM_WRITE] < dram->early)
        return 0;
    return channel->waiting[other] & ~channel->hits[other] & ~channel->waiting[direction];
}

/* Takes a request, a hit of its bank, out of the bank's chain and gives its entry back. */
static inline void mnp_dram_remove_hit(struct mnp_dram *dram, uint32_t index)
{
    struct mnp_dram_request *request = &dram->requests[index];
    struct mnp_dram_channel *channel = dram->channel;
    uint32_t direction = request->write, bank_index = request->bank;
    struct mnp_dram_bank *bank = &dram->banks[bank_index];
    uint32_t before = MNP_DRAM_NONE;
    for (uint32_t i = bank->first[direction]; i != index; i = dram->requests[i].next)
        before = i;
    if (before == MNP_DRAM_NONE)
        bank->first[direction] = request->next;
    else
        dram->requests[before].next = request->next;
    if (bank->last[direction] == index)
        bank->last[direction] = before;
    if (bank->first[direction] == MNP_DRAM_NONE)
        channel->waiting[direction] &= ~(UINT64_C(1) << bank_index);
    else
        dram->view.order[direction][bank_index] = dram->requests[bank->first[direction]].order;
    mnp_dram_set_hit(dram, bank_index, direction, mnp_dram_next_hit(dram, bank, request->next));
    channel->count[direction]--;
    *request = (struct mnp_dram_request){.next = channel->free};
    channel->free = index;
    mnp_dram_choose_direction(dram);
}

#endif
