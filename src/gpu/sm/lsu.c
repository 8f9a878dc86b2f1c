/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory pipeline that the sub-cores of an SM share. Each sub-core generates addresses, a few lanes per cycle, and
 * has a queue of memory instructions; issue stalls when it is full. The pipeline takes one instruction at a time, round
 * robin over the sub-cores (Huerta et al., arXiv 2503.20481, memory), and looks its lines up in the L1, one or some per
 * cycle (wavefronts.c). Shared memory takes one cycle per bank conflict more. Data goes back to a sub-core at a given
 * width.
 *
 * An instruction under way has an entry of the pending request table; it is done when the last of its parts is.
 */
#include "gpu/sm/live.h"

static struct sm_memory_op *queue_entry(struct sm *sm, uint32_t subcore, uint32_t place)
{
    uint32_t depth = (uint32_t)sm->parameters->memory_queue;
    return &sm->queue[subcore * depth + place % depth];
}

void sm_lsu_accept(struct sm *sm, struct sm_subcore *s, uint32_t subcore, uint32_t warp, bool shared, uint64_t cycle)
{
    struct sm_warp *w = &sm->warps[warp];
    uint64_t start = cycle > s->address_free ? cycle : s->address_free;
    s->address_free = start + (shared ? sm->shared_address_cycles : sm->address_cycles);
    *queue_entry(sm, subcore, s->queue_head + s->queue_count) =
        (struct sm_memory_op){.ready = start + sm->parameters->memory_front,
                              .record = (uint32_t)w->next,
                              .address_at = (uint32_t)w->address_at,
                              .warp = (uint16_t)warp};
    s->queue_count++;
    w->outstanding++;
    sm->lsu_at = 0;
    if (sm->views[warp].addresses)
        __builtin_prefetch(sm->views[warp].addresses + w->address_at); /* they are looked at in some cycles */
    else if (sm->views[warp].live)
        sm_live_accept(sm, queue_entry(sm, subcore, s->queue_head + s->queue_count - 1));
}

/* ===== pending request table ===== */

/* What `record` names: a place in the warp's stream, or, as a live warp forgets what it has executed, the instruction
 * itself. */
static const struct mnp_static_instruction *executed(const struct sm *sm, uint32_t warp, uint32_t record)
{
    const struct sm_warp_view *view = &sm->views[warp];
    return &view->instructions[view->live ? record : sm_record(view, record)->index];
}

static const struct mnp_static_instruction *instruction_of(const struct sm *sm, const struct sm_load *load)
{
    return executed(sm, load->warp, load->record);
}

/* `width`: bytes that a lane gets back; 0: none. `rate`: bytes per cycle of the way back. */
static uint16_t take_load(struct sm *sm, const struct sm_memory_op *op, uint32_t parts, uint32_t width, uint64_t rate,
                          uint64_t cycle)
{
    uint16_t id = sm->state->free_load;
    struct sm_load *load = &sm->loads[id];
    sm->state->free_load = load->next_free;
    *load = (struct sm_load){.first = MNP_NEVER, .record = op->record, .parts = parts, .warp = op->warp};
    load->least = (uint8_t)((4 * MNP_WARP_SIZE + rate - 1) / rate);
    load->transfer = width > 4 ? (uint8_t)((width * MNP_WARP_SIZE + rate - 1) / rate) : load->least;
    if (instruction_of(sm, load)->destination.count) {
        struct sm_subcore *s = sm_subcore_of(sm, op->warp);
        s->return_debt = (s->return_debt > cycle ? s->return_debt : cycle) + load->transfer;
    }
    return id;
}

/* Cycle in which the data of a load is with its sub-core: the way back is free for as long as it takes, and what comes
 * later may go first when it has found a gap. Reservations reach 64 cycles ahead. */
static uint64_t bring_back(struct sm *sm, const struct sm_load *load, uint64_t cycle)
{
    uint64_t done = load->first + load->transfer - load->least;
    done = done > load->ready ? done : load->ready;
    struct sm_subcore *s = sm_subcore_of(sm, load->warp);
    uint64_t gone = cycle - s->returns_from;
    s->returns = gone < 64 ? s->returns >> gone : 0;
    s->returns_from = cycle;
    if (done < cycle + load->transfer || done > cycle + 64)
        return done;
    uint64_t place = done - cycle - load->transfer, ones = (UINT64_C(1) << load->transfer) - 1;
    while (place + load->transfer <= 64 && (s->returns >> place & ones))
        place++;
    if (place + load->transfer <= 64)
        s->returns |= ones << place;
    return cycle + place + load->transfer;
}

/* `ready`: cycle from which a dependent instruction may issue, as far as this part is concerned. */
void sm_load_part_done(struct sm *sm, uint16_t id, uint64_t ready, uint64_t cycle)
{
    struct sm_load *load = &sm->loads[id];
    load->ready = ready > load->ready ? ready : load->ready;
    load->first = ready < load->first ? ready : load->first;
    if (--load->parts)
        return;
    const struct mnp_static_instruction *instruction = instruction_of(sm, load);
    uint64_t done = instruction->destination.count ? bring_back(sm, load, cycle) : load->ready;
    sm_depend_written(sm, load->warp, instruction, done, cycle);
    if (sm->live)
        sm_live_done(sm, id, cycle);
    uint16_t warp = load->warp;
    *load = (struct sm_load){.next_free = sm->state->free_load};
    sm->state->free_load = id;
    sm_lsu_unblock(sm);
    sm_cta_access_done(sm, warp, cycle);
}

/* ===== register reads ===== */

static void end_reading(struct sm *sm, const struct sm_reading *reading, uint64_t cycle)
{
    sm_depend_read(sm, reading->warp, executed(sm, reading->warp, reading->record), cycle);
}

/* The registers of an instruction that the pipeline has taken may be written again: at once, but for stores to memory,
 * whose data goes to the pipeline at the width of the way back, a cycle later than that takes. */
static void read_registers(struct sm *sm, const struct sm_memory_op *op,
                           const struct mnp_static_instruction *instruction, enum mnp_memory_space space,
                           uint64_t cycle)
{
    struct sm_reading reading = {.until = cycle, .record = op->record, .warp = op->warp};
    struct sm_subcore *s = sm_subcore_of(sm, op->warp);
    if (instruction->operation != MNP_STORE || space == MNP_SPACE_SHARED || s->reading_count == SM_READINGS) {
        end_reading(sm, &reading, cycle);
        return;
    }
    uint64_t bytes = (instruction->width > 4 ? instruction->width : 4) * MNP_WARP_SIZE;
    reading.until += (bytes + sm->parameters->memory_return - 1) / sm->parameters->memory_return + 1;
    uint32_t last = (s->reading_head + s->reading_count + SM_READINGS - 1) % SM_READINGS;
    if (s->reading_count && s->reading[last].until > reading.until)
        reading.until = s->reading[last].until;
    s->reading[(s->reading_head + s->reading_count++) % SM_READINGS] = reading;
    sm->state->readings++;
}

static void end_readings(struct sm *sm, uint64_t cycle)
{
    for (uint32_t i = 0; i < sm->parameters->subcores; i++) {
        struct sm_subcore *s = &sm->state->subcore[i];
        while (s->reading_count && s->reading[s->reading_head].until <= cycle) {
            struct sm_reading reading = s->reading[s->reading_head];
            s->reading_head = (s->reading_head + 1) % SM_READINGS;
            s->reading_count--;
            sm->state->readings--;
            end_reading(sm, &reading, cycle);
        }
    }
}

/* ===== the pipeline ===== */

static enum gpu_request_kind kind_of(const struct mnp_static_instruction *instruction)
{
    static const uint8_t kinds[] = {
        [MNP_LOAD] = GPU_READ, [MNP_STORE] = GPU_WRITE, [MNP_ATOMIC] = GPU_ATOMIC, [MNP_REDUCTION] = GPU_REDUCTION};
    return kinds[instruction->operation];
}

/* Where an access goes: an address in the generic space belongs to shared or local memory when it lies in the window
 * of that (16 MiB each). */
static enum mnp_memory_space space_of(const struct sm *sm, const struct sm_memory_op *op,
                                      const struct mnp_static_instruction *instruction, const uint64_t *words)
{
    if (instruction->space != MNP_SPACE_GLOBAL)
        return instruction->space;
    const struct mnp_kernel *kernel = sm->codes[sm->warps[op->warp].cta].kernel;
    if (kernel->shared_base && words[0] - kernel->shared_base < 1 << 24)
        return MNP_SPACE_SHARED;
    return kernel->local_base && words[0] - kernel->local_base < 1 << 24 ? MNP_SPACE_LOCAL : MNP_SPACE_GLOBAL;
}

/* Where the local memory of a warp's threads lies: above all addresses of the program. */
static uint64_t local_base(const struct sm *sm, uint32_t warp)
{
    uint64_t place = (uint64_t)sm->index * sm->parameters->warps + warp;
    return (UINT64_C(1) << 56) + place * SM_LOCAL_WORDS * 4 * MNP_WARP_SIZE;
}

/* Shared memory: the pipeline is kept for the conflicts; there is nothing else to wait for. */
static void access_shared(struct sm *sm, const struct sm_memory_op *op, const struct mnp_record *record,
                          const struct mnp_static_instruction *instruction, const uint64_t *words, uint64_t cycle)
{
    bool atomic = instruction->operation == MNP_ATOMIC || instruction->operation == MNP_REDUCTION;
    uint32_t banks = (uint32_t)sm->parameters->shared_banks;
    uint32_t cycles = sm_shared_cycles(record, words, instruction->width, banks, atomic);
    uint32_t least = instruction->width > 4 ? (uint32_t)instruction->width / 4 : 1;
    uint32_t conflicts = cycles > least ? cycles - least : 0; /* few lanes need fewer cycles than a whole warp */
    uint64_t *counters = sm_counters_of(sm, op->warp);
    counters[SM_SHARED_ACCESSES]++;
    counters[SM_SHARED_CONFLICTS] += conflicts > 0;
    counters[SM_SHARED_CONFLICT_CYCLES] += conflicts;
    uint64_t interval = sm->parameters->lsu_interval;
    sm->state->lsu_next = cycle + (cycles > interval ? cycles : interval);
    uint16_t load = take_load(sm, op, 1, instruction->width, 2 * sm->parameters->memory_return, cycle);
    /* The halves and quarters of a wide access come back while the others are read. */
    uint64_t ready = cycle + sm->parameters->latency_shared - sm->parameters->memory_front + conflicts;
    sm_load_part_done(sm, load, least > 1 ? ready - 1 : ready, cycle);
}

/* A texture instruction: traces hold no addresses for it, so it takes a given time. */
static void access_texture(struct sm *sm, const struct sm_memory_op *op, uint64_t cycle)
{
    sm->state->lsu_next = cycle + sm->parameters->texture_interval;
    uint16_t load = take_load(sm, op, 1, 4, sm->parameters->memory_return, cycle);
    sm_load_part_done(sm, load, cycle + sm->parameters->texture_latency - sm->parameters->memory_front, cycle);
}

static void start(struct sm *sm, const struct sm_memory_op *op, const struct mnp_record *record, const uint64_t *words,
                  uint64_t cycle)
{
    struct sm_state *state = sm->state;
    const struct mnp_static_instruction *instruction = &sm->views[op->warp].instructions[record->index];
    enum mnp_memory_space space = space_of(sm, op, instruction, words);
    read_registers(sm, op, instruction, space, cycle);
    if (space == MNP_SPACE_TEXTURE) {
        access_texture(sm, op, cycle);
        return;
    }
    if (space == MNP_SPACE_SHARED) {
        access_shared(sm, op, record, instruction, words, cycle);
        return;
    }
    uint32_t width = instruction->width ? instruction->width : 4, line_size = (uint32_t)sm->parameters->l1d_line;
    if (space == MNP_SPACE_LOCAL)
        state->part_count = sm_coalesce_local(record, words, width, line_size, local_base(sm, op->warp), state->parts);
    else
        state->part_count = sm_coalesce(record, words, width, line_size, state->parts);
    sm_wavefronts(sm, sm_counters_of(sm, op->warp));
    state->part = 0;
    state->lsu_started = cycle;
    state->current_load = take_load(sm, op, state->part_count, width, sm->parameters->memory_return, cycle);
    sm->loads[state->current_load].kind = (uint8_t)kind_of(instruction);
}

/* An instruction of a live warp. */
static void start_live(struct sm *sm, struct sm_memory_op *op, uint64_t cycle)
{
    const struct mnp_live_access *access = sm_live_access(sm, op->ticket);
    op->record = access->record.index;
    start(sm, op, &access->record, access->words, cycle);
    sm_live_started(sm, op->ticket, sm->state->current_load);
}

/* First cycle in which the pipeline may take the next instruction of a sub-core: its addresses are there, and its data
 * would not wait long for the way back. */
static uint64_t ready_at(const struct sm *sm, uint32_t subcore)
{
    const struct sm_subcore *s = &sm->state->subcore[subcore];
    const struct sm_memory_op *op = &sm->queue[subcore * sm->parameters->memory_queue + s->queue_head];
    uint64_t ready = op->ready;
    return s->return_debt > ready + SM_RETURN_AHEAD ? s->return_debt - SM_RETURN_AHEAD : ready;
}

/* The next instruction, round robin over the sub-cores. */
static bool take_next(struct sm *sm, uint64_t cycle)
{
    struct sm_state *state = sm->state;
    uint32_t subcores = (uint32_t)sm->parameters->subcores;
    for (uint32_t i = 0; i < subcores; i++) {
        uint32_t subcore = (state->turn + i) % subcores;
        struct sm_subcore *s = &state->subcore[subcore];
        if (!s->queue_count || ready_at(sm, subcore) > cycle)
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
        const struct sm_warp_view *view = &sm->views[op.warp];
        if (view->live)
            start_live(sm, &op, cycle);
        else
            start(sm, &op, sm_record(view, op.record), sm_addresses(view, op.record, op.address_at), cycle);
        return true;
    }
    return false;
}

static enum sm_l1d_outcome look_up(struct sm *sm, const struct sm_part *part, uint16_t id, uint64_t cycle)
{
    const struct sm_load *load = &sm->loads[id];
    if (load->kind != GPU_READ)
        return sm_l1d_send(sm, part, id, cycle);
    bool past = (instruction_of(sm, load)->flags & MNP_FLAG_BYPASS_L1) || sm_live_at_l2(sm, id);
    return sm_l1d_read(sm, part, id, past, cycle);
}

/* A part has hit: its data is read in this cycle; that of the last part, when that of all has been. */
static void hit(struct sm *sm, uint16_t id, uint64_t cycle)
{
    const struct sm_state *state = sm->state;
    uint64_t read = state->lsu_started + state->data_cycles - 1;
    if (state->part < state->part_count || read < cycle)
        read = cycle;
    sm_load_part_done(sm, id, read + sm->parameters->latency_l1 - sm->parameters->memory_front, cycle);
}

/* The parts of one wave, up to one that has to wait. */
static void look_up_wave(struct sm *sm, uint64_t cycle)
{
    struct sm_state *state = sm->state;
    uint16_t id = state->current_load;
    const struct sm_part *part = &state->parts[state->order[state->part]];
    uint8_t wave = part->wave;
    while (part->wave == wave) {
        enum sm_l1d_outcome outcome = look_up(sm, part, id, cycle);
        if (outcome == SM_L1D_BLOCKED) {
            state->blocked = 1;
            return;
        }
        state->part++;
        state->failed = 0;
        if (outcome == SM_L1D_HIT)
            hit(sm, id, cycle);
        if (state->part == state->part_count)
            break;
        part = &state->parts[state->order[state->part]];
    }
    uint64_t keeps = state->data_cycles > sm->look_up_cycles ? state->data_cycles : sm->look_up_cycles;
    uint64_t earliest = state->lsu_started + keeps;
    state->lsu_next = state->part == state->part_count && earliest > cycle + 1 ? earliest : cycle + 1;
}

void sm_lsu_cycle(struct sm *sm, uint64_t cycle)
{
    struct sm_state *state = sm->state;
    if (state->readings)
        end_readings(sm, cycle);
    if (state->blocked || state->lsu_next > cycle)
        return;
    if (state->part == state->part_count && !take_next(sm, cycle))
        return;
    if (state->part < state->part_count)
        look_up_wave(sm, cycle);
}

/* The next cycle in which the pipeline takes or looks up something. */
static uint64_t next_access(const struct sm *sm, uint64_t cycle)
{
    const struct sm_state *state = sm->state;
    if (state->blocked)
        return MNP_NEVER;
    uint64_t next = state->part < state->part_count ? cycle + 1 : MNP_NEVER;
    for (uint32_t i = 0; i < sm->parameters->subcores; i++) {
        if (!state->subcore[i].queue_count)
            continue;
        uint64_t at = ready_at(sm, i);
        next = at < next ? at : next;
    }
    return next == MNP_NEVER || next > state->lsu_next ? next : state->lsu_next;
}

uint64_t sm_lsu_ask(const struct sm *sm, uint64_t cycle)
{
    uint64_t next = next_access(sm, cycle);
    for (uint32_t i = 0; sm->state->readings && i < sm->parameters->subcores; i++) {
        const struct sm_subcore *s = &sm->state->subcore[i];
        if (s->reading_count && s->reading[s->reading_head].until < next)
            next = s->reading[s->reading_head].until;
    }
    return next > cycle ? next : cycle + 1;
}
