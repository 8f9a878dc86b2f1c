/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands and the timing between them: the effect of each command on its bank, bank group and pseudo channel, and the
 * earliest cycles of subsequent commands of each type.
 */
#ifndef MNP_PARTS_DRAM_BANKS_H
#define MNP_PARTS_DRAM_BANKS_H

#include "parts/dram/queues.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* ===== what may be issued when ===== */

enum { MNP_DRAM_VECTOR = 16 };

/* Compares 16 times with `now`; the result has one bit for each that is later. */
static inline uint32_t mnp_dram_later(const int32_t *times, int32_t now)
{
#if defined(__SSE2__)
    const __m128i *from = (const __m128i *)(const void *)times;
    __m128i limit = _mm_set1_epi32(now), later[4];
    for (uint32_t i = 0; i < 4; i++)
        later[i] = _mm_cmpgt_epi32(_mm_loadu_si128(from + i), limit);
    __m128i low = _mm_packs_epi32(later[0], later[1]), high = _mm_packs_epi32(later[2], later[3]);
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high));
#else
    uint32_t later = 0;
    for (uint32_t i = 0; i < MNP_DRAM_VECTOR; i++)
        later |= (uint32_t)(times[i] > now) << i;
    return later;
#endif
}

/* The earliest column command of a bank in a direction. */
static inline uint64_t mnp_dram_column_ready(const struct mnp_dram *dram, const struct mnp_dram_bank *bank,
                                             uint32_t direction)
{
    const struct mnp_dram_channel *channel = dram->channel;
    return mnp_max(mnp_max(bank->column_ready, channel->group_ready[bank->group]),
                   channel->pseudo[bank->pseudo].column_ready[direction]);
}

static inline uint64_t mnp_dram_activate_ready(const struct mnp_dram *dram, const struct mnp_dram_bank *bank)
{
    return mnp_max(bank->activate_ready, dram->channel->pseudo[bank->pseudo].activate_ready);
}

/* Banks whose earliest row commands have been reached in a cycle, which the view can represent. */
static inline uint64_t mnp_dram_reached(const struct mnp_dram *dram, uint64_t cycle)
{
    int32_t now = (int32_t)(cycle - dram->view.base);
    uint64_t later = 0;
    for (uint32_t first = 0; first < dram->shape.banks; first += MNP_DRAM_VECTOR)
        later |= (uint64_t)mnp_dram_later(dram->view.ready + first, now) << first;
    return ~later;
}

/* ===== commands ===== */

static inline void mnp_dram_issue_column(struct mnp_dram *dram, uint64_t cycle, uint32_t index,
                                         struct mnp_dram_event *event)
{
    const struct mnp_dram_timing *timing = &dram->shape.timing;
    struct mnp_dram_channel *channel = dram->channel;
    const struct mnp_dram_request *request = &dram->requests[index];
    struct mnp_dram_bank *bank = &dram->banks[request->bank];
    uint64_t data = cycle + (request->write ? timing->wl : timing->cl) + timing->burst;
    event->column = true;
    event->write = request->write;
    event->outcome = request->outcome;
    event->tag[0] = request->tag[0];
    event->tag[1] = request->tag[1];
    event->arrived = request->arrived;
    event->done = data;
    struct mnp_dram_pseudo *pseudo = &channel->pseudo[bank->pseudo];
    if (request->write) {
        pseudo->column_ready[MNP_DRAM_WRITE] = cycle + dram->same_direction;
        pseudo->column_ready[MNP_DRAM_READ] = mnp_max(pseudo->column_ready[MNP_DRAM_READ], cycle + dram->write_to_read);
        bank->precharge_ready = mnp_max(bank->precharge_ready, data + timing->wr);
    } else {
        pseudo->column_ready[MNP_DRAM_READ] = cycle + dram->same_direction;
        pseudo->column_ready[MNP_DRAM_WRITE] =
            mnp_max(pseudo->column_ready[MNP_DRAM_WRITE], cycle + dram->read_to_write);
        bank->precharge_ready = mnp_max(bank->precharge_ready, cycle + timing->rtpl);
    }
    channel->group_ready[bank->group] = cycle + timing->ccdl;
    mnp_dram_see_ready(dram, request->bank, bank->precharge_ready);
    mnp_dram_remove_hit(dram, index);
}

/* RRD and FAW after an activate. */
static inline void mnp_dram_delay_activates(struct mnp_dram_pseudo *pseudo, const struct mnp_dram_timing *timing,
                                            uint64_t cycle)
{
    pseudo->window[pseudo->activates] = cycle + timing->faw;
    pseudo->activates = (pseudo->activates + 1) % MNP_DRAM_FAW;
    pseudo->activate_ready = cycle + timing->rrd;
    if (timing->faw)
        pseudo->activate_ready = mnp_max(pseudo->activate_ready, pseudo->window[pseudo->activates]);
}

static inline void mnp_dram_activate(struct mnp_dram *dram, uint64_t cycle, uint32_t index,
                                     struct mnp_dram_event *event)
{
    const struct mnp_dram_timing *timing = &dram->shape.timing;
    struct mnp_dram_request *request = &dram->requests[index];
    struct mnp_dram_bank *bank = &dram->banks[request->bank];
    if (request->outcome == MNP_DRAM_ROW_HIT)
        request->outcome = MNP_DRAM_ROW_MISS;
    event->activate = true;
    event->row_tag = request->tag[0];
    bank->open = true;
    bank->row = request->row;
    bank->column_ready = cycle + timing->rcd;
    bank->precharge_ready = mnp_max(bank->precharge_ready, cycle + timing->ras);
    bank->activate_ready = cycle + timing->rc;
    dram->view.column[request->bank] = bank->column_ready;
    mnp_dram_see_row(dram, request->bank);
    mnp_dram_delay_activates(&dram->channel->pseudo[bank->pseudo], timing, cycle);
    for (uint32_t direction = MNP_DRAM_READ; direction <= MNP_DRAM_WRITE; direction++)
        mnp_dram_set_hit(dram, request->bank, direction, mnp_dram_next_hit(dram, bank, bank->first[direction]));
}

static inline void mnp_dram_close_row(struct mnp_dram *dram, uint32_t index, uint64_t cycle)
{
    struct mnp_dram_bank *bank = &dram->banks[index];
    bank->open = false;
    bank->activate_ready = mnp_max(bank->activate_ready, cycle + dram->shape.timing.rp);
    mnp_dram_see_row(dram, index);
    mnp_dram_set_hit(dram, index, MNP_DRAM_READ, MNP_DRAM_NONE);
    mnp_dram_set_hit(dram, index, MNP_DRAM_WRITE, MNP_DRAM_NONE);
}

static inline void mnp_dram_precharge(struct mnp_dram *dram, uint64_t cycle, uint32_t index,
                                      struct mnp_dram_event *event)
{
    struct mnp_dram_request *request = &dram->requests[index];
    request->outcome = MNP_DRAM_ROW_CONFLICT;
    event->precharge = true;
    event->row_tag = request->tag[0];
    mnp_dram_close_row(dram, request->bank, cycle);
}

#endif
