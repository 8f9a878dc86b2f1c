/* SPDX-License-Identifier: BSD-3-Clause */
#include "parts/dram/queues.h"

void mnp_dram_push(struct mnp_dram *dram, uint64_t cycle, bool write, uint64_t address, const uint64_t tag[2])
{
    uint32_t bank;
    uint64_t row;
    mnp_dram_locate(dram, address, &bank, &row);
    mnp_dram_push_at(dram, cycle, write, bank, row, tag);
}

void mnp_dram_push_at(struct mnp_dram *dram, uint64_t cycle, bool write, uint32_t bank_index, uint64_t row,
                      const uint64_t tag[2])
{
    struct mnp_dram_channel *channel = dram->channel;
    MNP_REQUIRE(mnp_dram_room(dram, write) > 0, "a DRAM queue overflows");
    uint32_t index = channel->free, direction = write;
    struct mnp_dram_request *request = &dram->requests[index];
    channel->free = request->next;
    *request = (struct mnp_dram_request){.row = row,
                                         .order = channel->order++,
                                         .arrived = cycle,
                                         .tag = {tag[0], tag[1]},
                                         .next = MNP_DRAM_NONE,
                                         .bank = (uint16_t)bank_index,
                                         .write = write};
    struct mnp_dram_bank *bank = &dram->banks[bank_index];
    bool alone = bank->first[direction] == MNP_DRAM_NONE, serving = channel->draining == direction;
    if (alone) {
        bank->first[direction] = index;
        dram->view.order[direction][bank_index] = request->order;
    } else {
        dram->requests[bank->last[direction]].next = index;
    }
    bank->last[direction] = index;
    channel->waiting[direction] |= UINT64_C(1) << bank_index;
    channel->count[direction]++;
    bool hit = bank->open && bank->row == row && bank->hit[direction] == MNP_DRAM_NONE;
    if (hit)
        mnp_dram_set_hit(dram, bank_index, direction, index);
    mnp_dram_choose_direction(dram);
    /* A command becomes possible earlier only by a new hit or a bank's first request, unless the direction has
     * changed. */
    bool serves = channel->draining == direction;
    if (serves && (hit || !serving))
        mnp_lower(&dram->column_from, cycle);
    if (serves && (alone || !serving))
        mnp_lower(&dram->row_from, cycle);
    if (!serves && serving)
        dram->column_from = dram->row_from = cycle;
    if (!serves && mnp_dram_banks_to_open_early(dram, 1 - direction))
        mnp_lower(&dram->row_from, cycle);
    dram->next = mnp_min(dram->column_from, dram->row_from);
}
