/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/range.h"
#include "engine/core/port.h"
#include "gpu/sm/depend.h"
#include "gpu/sm/events.h"
#include "gpu/sm/live.h"

void sm_load_lay_out(struct sm *sm, struct mnp_arena *arena)
{
    sm->loads = mnp_arena_take(arena, sm->parameters->loads, sizeof *sm->loads);
}

void sm_load_init(struct sm *sm)
{
    uint32_t count = (uint32_t)sm->parameters->loads;
    for (uint32_t i = 0; i < count; i++)
        sm->loads[i].next_free = i + 1 < count ? (uint16_t)(i + 1) : SM_NONE;
}

bool sm_load_has_room(const struct sm *sm)
{
    return sm->state->load.free != SM_NONE;
}

static const struct mnp_static_instruction *instruction_of(const struct sm *sm, const struct sm_load *load)
{
    return sm_instruction_executed(&sm->views[load->warp], load->record);
}

const struct mnp_static_instruction *sm_load_instruction(const struct sm *sm, uint16_t load)
{
    return instruction_of(sm, &sm->loads[load]);
}

/* Bytes on the way back: data of 8 and 16 bytes a lane comes back by half and quarter warps, but for those in which
 * no lane takes part. A chase of 8 bytes takes 2 cycles more with whole warps than with a few lanes: 36.0 on an A100,
 * 34.2 on an H100 and 29.9 on a V100 with 64 threads (te42kyfo/gpu-benches, gpu-latency); 32.7 on an A100 and 32.0 on
 * an H800 with four (HPMLL/NVIDIA-Hopper-Benchmark), 28 on a V100 with one (Jia et al., arXiv 1804.06826). */
static uint64_t bytes_back(uint32_t mask, uint32_t width)
{
    uint32_t lanes = width < 4 * MNP_WARP_SIZE ? 4 * MNP_WARP_SIZE / width : 1, groups = 0;
    for (uint64_t left = mask; left; left >>= lanes)
        groups += (left & ((UINT64_C(1) << lanes) - 1)) != 0;
    return (uint64_t)(groups ? groups : 1) * lanes * width;
}

uint16_t sm_load_take(struct sm *sm, const struct sm_load_request *request, uint64_t cycle)
{
    uint16_t id = sm->state->load.free;
    struct sm_load *load = &sm->loads[id];
    uint64_t rate = request->rate, width = request->width;
    sm->state->load.free = load->next_free;
    *load = (struct sm_load){.first = MNP_NEVER,
                             .record = request->record,
                             .parts = request->parts,
                             .warp = request->warp,
                             .next_free = request->group,
                             .kind = request->kind};
    load->least = (uint8_t)((4 * MNP_WARP_SIZE + rate - 1) / rate);
    load->transfer = load->least;
    if (width > 4)
        load->transfer = (uint8_t)((bytes_back(request->mask, request->width) + rate - 1) / rate);
    uint64_t each = sm->parameters->memory_wavefront;
    if (each > 1 && request->wavefronts) {
        load->transfer = (uint8_t)sm_later(load->transfer, request->wavefronts * each);
        load->least = (uint8_t)sm_later(load->least, each);
    }
    if (instruction_of(sm, load)->destination.count) {
        struct sm_return *way = &sm_subcore_of(sm, request->warp)->way_back;
        way->drain = sm_later(way->drain, cycle) + load->transfer;
    }
    return id;
}

void sm_load_pass(struct sm *sm, uint16_t load, uint32_t parts, uint64_t cycle)
{
    sm->loads[load].parts += parts - 1;
    sm->loads[load].since = cycle;
}

/* Cycle in which the data of a load is with its sub-core: the way back is free for as long as it takes, and what comes
 * later may go first when it has found a gap. Reservations reach 64 cycles ahead. */
static uint64_t bring_back(struct sm *sm, const struct sm_load *load, uint64_t cycle)
{
    uint64_t done = sm_later(load->first + load->transfer - load->least, load->ready);
    struct sm_return *way = &sm_subcore_of(sm, load->warp)->way_back;
    uint64_t gone = cycle - way->from;
    way->taken = gone < 64 ? way->taken >> gone : 0;
    way->from = cycle;
    if (done < cycle + load->transfer || done > cycle + 64 || load->transfer >= 64)
        return done;
    uint64_t place = done - cycle - load->transfer, ones = (UINT64_C(1) << load->transfer) - 1;
    while (place + load->transfer <= 64 && (way->taken >> place & ones))
        place++;
    if (place + load->transfer <= 64)
        way->taken |= ones << place;
    return cycle + place + load->transfer;
}

static void give_back(struct sm *sm, uint16_t id)
{
    sm->loads[id] = (struct sm_load){.next_free = sm->state->load.free};
    sm->state->load.free = id;
    sm_wake_pipeline_by(sm, SM_FREED_LOAD);
}

/* ===== stores that their CTAs need not wait for ===== */

void sm_load_post(struct sm *sm, uint16_t load, uint64_t cycle)
{
    if (!sm->parameters->memory_posted || (sm->live && sm_live_at_l2(sm, load)))
        return;
    sm->loads[load].way = SM_LOAD_POSTED;
    sm_cta_access_posted(sm, sm->loads[load].warp, cycle);
}

/* A store that an ended CTA has left is answered. */
static void answer_left(struct sm *sm, uint16_t id, uint64_t cycle)
{
    uint16_t kernel = sm->loads[id].warp;
    give_back(sm, id);
    if (--sm->state->load.left[kernel])
        return;
    struct gpu_finish *news = mnp_link_send(sm->finish, mnp_cursor_edge(&sm->unit->clock, cycle));
    news->kernel = kernel;
    news->kind = GPU_STORES_ANSWERED;
}

/* ===== the end of an instruction ===== */

void sm_load_part_done(struct sm *sm, uint16_t id, uint32_t parts, uint64_t ready, uint64_t cycle)
{
    struct sm_load *load = &sm->loads[id];
    mnp_raise(&load->ready, ready);
    mnp_lower(&load->first, ready);
    load->parts -= parts;
    if (load->parts)
        return;
    if (load->way == SM_LOAD_LEFT) {
        answer_left(sm, id, cycle);
        return;
    }
    const struct mnp_static_instruction *instruction = instruction_of(sm, load);
    uint64_t done = instruction->destination.count ? bring_back(sm, load, cycle) : load->ready;
    sm_depend_written(sm, load->warp, instruction, done, cycle);
    if (sm->live)
        sm_live_done(sm, id, cycle);
    uint16_t warp = load->warp;
    if (__builtin_expect(instruction->copies, 0))
        sm_copies_done(sm, warp, load->next_free, done, cycle);
    bool posted = load->way == SM_LOAD_POSTED;
    give_back(sm, id);
    if (posted)
        sm_cta_posted_done(sm, warp, cycle);
    else
        sm_cta_access_done(sm, warp, cycle);
}
