/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory pipeline that the sub-cores of an SM share. Each sub-core has a queue of memory instructions, and issue
 * stalls when it is full; the pipeline takes one instruction at a time, round robin over the sub-cores, and looks up
 * one line per cycle (Huerta et al., arXiv 2503.20481, memory). Shared memory takes one cycle per bank conflict more.
 *
 * An instruction under way has an entry of the pending request table; it is done when the last of its parts is.
 */
#include "gpu/sm/sm.h"

bool sm_lsu_has_room(const struct sm *sm, uint32_t subcore)
{
    return sm->state->subcore[subcore].queue_count < sm->parameters->memory_queue;
}

static struct sm_memory_op *queue_entry(struct sm *sm, uint32_t subcore, uint32_t place)
{
    uint32_t depth = (uint32_t)sm->parameters->memory_queue;
    return &sm->queue[subcore * depth + place % depth];
}

void sm_lsu_accept(struct sm *sm, uint32_t subcore, uint32_t warp, uint64_t cycle)
{
    struct sm_subcore *s = &sm->state->subcore[subcore];
    struct sm_warp *w = &sm->warps[warp];
    *queue_entry(sm, subcore, s->queue_head + s->queue_count) = (struct sm_memory_op){
        .issued = cycle, .record = (uint32_t)w->next, .address_at = (uint32_t)w->address_at, .warp = (uint16_t)warp};
    s->queue_count++;
    w->outstanding++;
}

/* ===== pending request table ===== */

static uint16_t take_load(struct sm *sm, const struct sm_memory_op *op, uint32_t parts)
{
    uint16_t id = sm->state->free_load;
    struct sm_load *load = &sm->loads[id];
    sm->state->free_load = load->next_free;
    *load = (struct sm_load){.record = op->record, .parts = parts, .warp = op->warp};
    return id;
}

static const struct mnp_static_instruction *instruction_of(const struct sm *sm, const struct sm_load *load)
{
    const struct sm_warp_view *view = &sm->views[load->warp];
    return &view->instructions[sm_record(view, load->record)->index];
}

/* `ready`: cycle from which a dependent instruction may issue, as far as this part is concerned. */
void sm_load_part_done(struct sm *sm, uint16_t id, uint64_t ready, uint64_t cycle)
{
    struct sm_load *load = &sm->loads[id];
    if (ready > load->ready)
        load->ready = ready;
    if (--load->parts)
        return;
    sm_depend_written(sm, load->warp, instruction_of(sm, load), load->ready, cycle);
    uint16_t warp = load->warp;
    *load = (struct sm_load){.next_free = sm->state->free_load};
    sm->state->free_load = id;
    sm->state->blocked = 0;
    sm_cta_access_done(sm, warp, cycle);
}

/* ===== the pipeline ===== */

static enum gpu_request_kind kind_of(const struct mnp_static_instruction *instruction)
{
    static const uint8_t kinds[] = {
        [MNP_LOAD] = GPU_READ, [MNP_STORE] = GPU_WRITE, [MNP_ATOMIC] = GPU_ATOMIC, [MNP_REDUCTION] = GPU_REDUCTION};
    return kinds[instruction->operation];
}

/* An address in the generic space belongs to shared memory when it lies in the shared window (16 MiB). */
static bool is_shared(const struct sm *sm, const struct sm_memory_op *op,
                      const struct mnp_static_instruction *instruction, const uint64_t *words)
{
    if (instruction->space == MNP_SPACE_SHARED)
        return true;
    uint64_t base = sm->codes[sm->warps[op->warp].cta].kernel->shared_base;
    return base && instruction->space == MNP_SPACE_GLOBAL && words[0] >= base && words[0] - base < 1 << 24;
}

/* Shared memory: the pipeline is kept for the conflicts; there is nothing else to wait for. */
static void access_shared(struct sm *sm, const struct sm_memory_op *op, const struct mnp_record *record,
                          const struct mnp_static_instruction *instruction, const uint64_t *words, uint64_t cycle)
{
    bool atomic = instruction->operation == MNP_ATOMIC || instruction->operation == MNP_REDUCTION;
    uint32_t banks = (uint32_t)sm->parameters->shared_banks;
    uint32_t cycles = sm_shared_cycles(record, words, instruction->width, banks, atomic);
    uint32_t least = instruction->width > 4 ? (uint32_t)instruction->width / 4 : 1;
    uint64_t *counters = sm_counters_of(sm, op->warp);
    counters[SM_SHARED_ACCESSES]++;
    counters[SM_SHARED_CONFLICTS] += cycles > least;
    counters[SM_SHARED_CONFLICT_CYCLES] += cycles > least ? cycles - least : 0;
    uint64_t interval = sm->parameters->lsu_interval;
    sm->state->lsu_next = cycle + (cycles > interval ? cycles : interval);
    uint16_t load = take_load(sm, op, 1);
    uint64_t ready = cycle + sm->parameters->latency_shared - sm->parameters->memory_front + cycles - 1;
    sm_load_part_done(sm, load, ready, cycle);
}

static void start(struct sm *sm, const struct sm_memory_op *op, uint64_t cycle)
{
    struct sm_state *state = sm->state;
    const struct sm_warp_view *view = &sm->views[op->warp];
    const struct mnp_record *record = sm_record(view, op->record);
    const struct mnp_static_instruction *instruction = &view->instructions[record->index];
    const uint64_t *words = sm_addresses(view, op->record, op->address_at);
    sm_depend_read(sm, op->warp, instruction, cycle);
    if (is_shared(sm, op, instruction, words)) {
        access_shared(sm, op, record, instruction, words, cycle);
        return;
    }
    uint32_t width = instruction->width ? instruction->width : 4;
    state->part_count = sm_coalesce(record, words, width, (uint32_t)sm->parameters->l1d_line, state->parts);
    state->part = 0;
    state->lsu_started = cycle;
    state->current_load = take_load(sm, op, state->part_count);
    sm->loads[state->current_load].kind = (uint8_t)kind_of(instruction);
}

/* The next instruction, round robin over the sub-cores whose first one has got through address generation. */
static bool take_next(struct sm *sm, uint64_t cycle)
{
    struct sm_state *state = sm->state;
    uint32_t subcores = (uint32_t)sm->parameters->subcores;
    for (uint32_t i = 0; i < subcores; i++) {
        uint32_t subcore = (state->turn + i) % subcores;
        struct sm_subcore *s = &state->subcore[subcore];
        if (!s->queue_count || queue_entry(sm, subcore, s->queue_head)->issued + sm->parameters->memory_front > cycle)
            continue;
        if (state->free_load == SM_NONE) {
            state->blocked = 1;
            return false;
        }
        struct sm_memory_op op = *queue_entry(sm, subcore, s->queue_head);
        s->queue_head = (s->queue_head + 1) % (uint32_t)sm->parameters->memory_queue;
        s->queue_count--;
        state->turn = (uint16_t)((subcore + 1) % subcores);
        sm_issue_wake(sm, subcore, cycle);
        start(sm, &op, cycle);
        return true;
    }
    return false;
}

static void look_up(struct sm *sm, uint64_t cycle)
{
    struct sm_state *state = sm->state;
    uint16_t id = state->current_load;
    const struct sm_load *load = &sm->loads[id];
    const struct sm_part *part = &state->parts[state->part];
    enum sm_l1d_outcome outcome;
    if (load->kind == GPU_READ)
        outcome = sm_l1d_read(sm, part, id, instruction_of(sm, load)->flags & MNP_FLAG_BYPASS_L1, cycle);
    else
        outcome = sm_l1d_send(sm, part, id, cycle);
    if (outcome == SM_L1D_BLOCKED) {
        state->blocked = 1;
        return;
    }
    state->part++;
    state->failed = 0;
    uint64_t earliest = state->lsu_started + sm->parameters->lsu_interval;
    state->lsu_next = state->part == state->part_count && earliest > cycle + 1 ? earliest : cycle + 1;
    if (outcome == SM_L1D_HIT)
        sm_load_part_done(sm, id, cycle + sm->parameters->latency_l1 - sm->parameters->memory_front, cycle);
}

void sm_lsu_cycle(struct sm *sm, uint64_t cycle)
{
    struct sm_state *state = sm->state;
    if (state->blocked || state->lsu_next > cycle)
        return;
    if (state->part == state->part_count && !take_next(sm, cycle))
        return;
    if (state->part < state->part_count)
        look_up(sm, cycle);
}

uint64_t sm_lsu_next(const struct sm *sm, uint64_t cycle)
{
    const struct sm_state *state = sm->state;
    if (state->blocked)
        return MNP_NEVER;
    uint64_t next = MNP_NEVER;
    if (state->part < state->part_count)
        next = cycle + 1;
    for (uint32_t i = 0; i < sm->parameters->subcores; i++) {
        const struct sm_subcore *s = &state->subcore[i];
        if (!s->queue_count)
            continue;
        uint64_t depth = sm->parameters->memory_queue;
        uint64_t at = sm->queue[i * depth + s->queue_head].issued + sm->parameters->memory_front;
        next = at < next ? at : next;
    }
    if (next == MNP_NEVER)
        return next;
    next = next > state->lsu_next ? next : state->lsu_next;
    return next > cycle ? next : cycle + 1;
}
