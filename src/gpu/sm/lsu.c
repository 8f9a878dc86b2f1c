/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory pipeline that the sub-cores of an SM share. Each sub-core generates addresses, a few lanes per cycle, and
 * has a queue of memory instructions; issue stalls when it is full. The pipeline takes one instruction at a time, round
 * robin over the sub-cores (Huerta et al., arXiv 2503.20481, memory), and looks its lines up in the L1, one or some per
 * cycle (wavefronts.c). Shared memory takes one cycle per bank conflict more. Data goes back to a sub-core at a given
 * width. An instruction under way has an entry of the pending request table (loads.c).
 */
#include "base/bits.h"
#include "gpu/sm/conflicts.h"
#include "gpu/sm/depend.h"
#include "gpu/sm/events.h"
#include "gpu/sm/live.h"
#include "gpu/sm/remote.h"

void sm_lsu_lay_out(struct sm *sm, struct mnp_arena *arena)
{
    const struct sm_parameters *p = sm->parameters;
    sm->queue = mnp_arena_take(arena, p->subcores * p->memory_queue, sizeof *sm->queue);
}

void sm_lsu_init(struct sm *sm)
{
    const struct sm_parameters *p = sm->parameters;
    sm->address_cycles = (MNP_WARP_SIZE + p->memory_lanes - 1) / p->memory_lanes;
    sm->shared_address_cycles = (sm->address_cycles + 1) / 2;
    sm->look_up_cycles = sm_later(p->lsu_interval, p->l1d_interval);
}

void sm_lsu_remember(struct sm *sm)
{
    sm->queued = sm->reading = 0;
    for (uint32_t i = 0; i < sm->parameters->subcores; i++) {
        const struct sm_lsu_subcore *s = &sm->state->subcore[i].lsu;
        sm->queued |= (uint32_t)(s->count != 0) << i;
        sm->reading |= (uint32_t)(s->reading_count != 0) << i;
    }
}

static uint32_t queue_place(const struct sm *sm, uint32_t subcore, uint32_t place)
{
    uint32_t depth = (uint32_t)sm->parameters->memory_queue;
    return subcore * depth + place % depth;
}

void sm_lsu_accept(struct sm *sm, uint32_t subcore, uint32_t warp, const struct mnp_static_instruction *instruction,
                   uint64_t cycle)
{
    bool shared = instruction->space == MNP_SPACE_SHARED;
    struct sm_lsu_subcore *s = &sm->state->subcore[subcore].lsu;
    struct sm_warp *w = &sm->warps[warp];
    const struct sm_warp_view *view = &sm->views[warp];
    uint64_t start = cycle > s->address_free ? cycle : s->address_free;
    s->address_free = start + (shared ? sm->shared_address_cycles : sm->address_cycles);
    uint32_t place = queue_place(sm, subcore, s->head + s->count++);
    sm->queued |= 1u << subcore;
    struct sm_memory_op *op = &sm->queue[place];
    *op = (struct sm_memory_op){.ready = start + sm->parameters->memory_front,
                                .record = (uint32_t)w->issue.next,
                                .address_at = (uint32_t)w->issue.address_at,
                                .warp = (uint16_t)warp};
    if (__builtin_expect(instruction->copies, 0))
        op->group = sm_copies_begin(sm, warp);
    sm_cta_access(&w->cta);
    sm_wake_stage(sm, SM_TURN_LSU, 0);
    if (view->addresses)
        __builtin_prefetch(view->addresses + w->issue.address_at); /* the addresses are read some cycles later */
    else if (view->live) {
        op->ticket = sm_live_accept(sm, warp, place, &op->ready);
        op->remote = sm_live_access(sm, op->ticket)->remote;
    }
}

/* ===== register reads ===== */

static void end_reading(struct sm *sm, const struct sm_reading *reading, uint64_t cycle)
{
    if (reading->warp == SM_NONE)
        return;
    sm_depend_read(sm, reading->warp, sm_instruction_executed(&sm->views[reading->warp], reading->record), cycle);
}

/* The registers of an instruction that the pipeline has taken may be written again: at once, but for stores to memory,
 * whose data goes to the pipeline at the width of the way back, a cycle later than that takes. */
static void read_registers(struct sm *sm, const struct sm_memory_op *op,
                           const struct mnp_static_instruction *instruction, enum mnp_memory_space space,
                           uint64_t cycle)
{
    struct sm_reading reading = {.until = cycle, .record = op->record, .warp = op->warp};
    struct sm_lsu_subcore *s = &sm_subcore_of(sm, op->warp)->lsu;
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
    sm->state->lsu.readings++;
    sm->reading |= 1u << sm->subcore_of[op->warp];
}

static void end_readings(struct sm *sm, uint64_t cycle)
{
    for (uint32_t rest = sm->reading; rest; rest &= rest - 1) {
        struct sm_lsu_subcore *s = &sm->state->subcore[__builtin_ctz(rest)].lsu;
        while (s->reading_count && s->reading[s->reading_head].until <= cycle) {
            struct sm_reading reading = s->reading[s->reading_head];
            s->reading_head = (s->reading_head + 1) % SM_READINGS;
            s->reading_count--;
            sm->state->lsu.readings--;
            end_reading(sm, &reading, cycle);
        }
        if (!s->reading_count)
            sm->reading &= ~(rest & (0 - rest));
    }
}

/* ===== the pipeline ===== */

static enum gpu_request_kind kind_of(const struct mnp_static_instruction *instruction)
{
    static const uint8_t kinds[] = {
        [MNP_LOAD] = GPU_READ, [MNP_STORE] = GPU_WRITE, [MNP_ATOMIC] = GPU_ATOMIC, [MNP_REDUCTION] = GPU_REDUCTION};
    return kinds[instruction->operation];
}

enum mnp_memory_space sm_lsu_space(const struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction,
                                   const uint64_t *words)
{
    if (instruction->space != MNP_SPACE_GLOBAL)
        return instruction->space;
    const struct mnp_kernel *kernel = sm->codes[sm->warps[warp].cta.slot].kernel;
    if (kernel->shared_base && words[0] - kernel->shared_base < 1 << 24)
        return MNP_SPACE_SHARED;
    return kernel->local_base && words[0] - kernel->local_base < 1 << 24 ? MNP_SPACE_LOCAL : MNP_SPACE_GLOBAL;
}

/* Address of the local memory of a warp's threads, above all addresses of the program. A trace does not state how much
 * local memory a kernel uses, so there is room for the most. Warps begin one line apart in it: otherwise the same words
 * of all warps would share a set of the caches, which they do not if a driver places one warp behind another. */
static uint64_t local_base(const struct sm *sm, uint32_t warp)
{
    uint64_t place = (uint64_t)sm->index * sm->parameters->warps + warp;
    return (UINT64_C(1) << 56) + place * (SM_LOCAL_WORDS + 1) * 4 * MNP_WARP_SIZE;
}

/* Shared memory: the pipeline is kept for the conflicts; there is nothing else to wait for. */
static void access_shared(struct sm *sm, const struct sm_memory_op *op, const struct mnp_record *record,
                          const struct mnp_static_instruction *instruction, const uint64_t *words, uint64_t cycle)
{
    bool atomic = instruction->operation == MNP_ATOMIC || instruction->operation == MNP_REDUCTION;
    uint32_t banks = (uint32_t)sm->parameters->shared_banks;
    uint32_t least = instruction->width > 4 ? (uint32_t)instruction->width / 4 : 1;
    uint32_t cycles = least;
    if (!sm->parameters->ideal_banks)
        cycles = sm_conflicts_cycles(sm->conflicts, record, words, instruction->width, banks, atomic);
    uint32_t conflicts = cycles > least ? cycles - least : 0; /* few lanes need fewer cycles than a whole warp */
    uint64_t *counters = sm_counters_of(sm, op->warp);
    counters[SM_SHARED_ACCESSES]++;
    counters[SM_SHARED_CONFLICTS] += conflicts > 0;
    counters[SM_SHARED_CONFLICT_CYCLES] += conflicts;
    counters[SM_ACCESS_FIRST + SM_ACCESSED_SHARED + instruction->operation]++;
    if (GPU_HEARS(sm, sm.shared_accessed))
        gpu_tell_shared_accessed(&sm->listeners, sm, op->warp, record->index, conflicts, cycle);
    uint64_t interval = sm->parameters->lsu_interval;
    sm->state->lsu.next = cycle + (cycles > interval ? cycles : interval);
    uint16_t load = sm_load_take(sm,
                                 &(struct sm_load_request){.record = op->record,
                                                           .parts = 1,
                                                           .mask = record->mask,
                                                           .width = instruction->width,
                                                           .rate = 2 * sm->parameters->memory_return,
                                                           .wavefronts = cycles,
                                                           .warp = op->warp,
                                                           .kind = GPU_READ},
                                 cycle);
    /* The halves and quarters of a wide access come back while the others are read, and so do wavefronts where they
     * take the way back for longer than that. */
    uint64_t ready = cycle + sm->parameters->latency_shared - sm->parameters->memory_front +
                     (sm->parameters->memory_wavefront > 1 ? 0 : conflicts);
    bool many = least > 1 && sm->loads[load].transfer > sm->loads[load].least;
    sm_load_part_done(sm, load, 1, many ? ready - 1 : ready, cycle);
}

/* A texture instruction: traces hold no addresses for it, so it takes a given time. */
static void access_texture(struct sm *sm, const struct sm_memory_op *op, uint64_t cycle)
{
    sm_counters_of(sm, op->warp)[SM_ACCESS_FIRST + SM_ACCESSED_TEXTURE]++;
    sm->state->lsu.next = cycle + sm->parameters->texture_interval;
    struct sm_load_request request = {.record = op->record,
                                      .parts = 1,
                                      .width = 4,
                                      .rate = sm->parameters->memory_return,
                                      .warp = op->warp,
                                      .kind = GPU_READ};
    uint16_t load = sm_load_take(sm, &request, cycle);
    sm_load_part_done(sm, load, 1, cycle + sm->parameters->texture_latency - sm->parameters->memory_front, cycle);
}

/* With ideal.coalescing: whether the lines of an access are a matter of time alone. What the L2 performs stays where
 * its values are. */
static bool may_gather(const struct sm *sm, const struct sm_memory_op *op,
                       const struct mnp_static_instruction *instruction)
{
    if (instruction->operation != MNP_LOAD && instruction->operation != MNP_STORE)
        return false;
    return !sm->views[op->warp].live || sm_live_access(sm, op->ticket)->at_l2 == MNP_LIVE_NOT_AT_L2;
}

static void start(struct sm *sm, const struct sm_memory_op *op, const struct mnp_record *record, const uint64_t *words,
                  uint64_t cycle)
{
    struct sm_access *access = &sm->state->lsu.access;
    const struct mnp_static_instruction *instruction = &sm->views[op->warp].instructions[record->index];
    enum mnp_memory_space space = sm_lsu_space(sm, op->warp, instruction, words);
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
        access->part_count =
            sm_coalesce_local(record, words, width, line_size, local_base(sm, op->warp), access->parts);
    else
        access->part_count = sm_coalesce(record, words, width, line_size, access->parts);
    if (sm->parameters->ideal_coalescing && space == MNP_SPACE_GLOBAL && may_gather(sm, op, instruction))
        access->part_count = sm_coalesce_gather(access->parts, access->part_count, width, line_size);
    uint64_t *counters = sm_counters_of(sm, op->warp);
    uint32_t place = space == MNP_SPACE_LOCAL ? SM_ACCESSED_LOCAL + (instruction->operation != MNP_LOAD)
                                              : SM_ACCESSED_GLOBAL + instruction->operation;
    uint32_t sectors = sm_wavefronts(sm, access, counters);
    counters[SM_ACCESS_FIRST + place]++;
    counters[SM_SECTORS_FIRST + place] += sectors;
    if (place <= SM_ACCESSED_GLOBAL + MNP_STORE) {
        uint32_t least = (mnp_ones(record->mask) * width + 31) / 32;
        counters[SM_LEAST_LOAD + instruction->operation - MNP_LOAD] += sectors < least ? sectors : least;
    }
    if (GPU_HEARS(sm, sm.memory_accessed))
        gpu_tell_memory_accessed(&sm->listeners, sm, op->warp, record->index, sectors, cycle);
    access->part = 0;
    access->started = cycle;
    access->load = sm_load_take(sm,
                                &(struct sm_load_request){.record = op->record,
                                                          .parts = access->part_count,
                                                          .mask = record->mask,
                                                          .width = width,
                                                          .rate = sm->parameters->memory_return,
                                                          .wavefronts = access->data_cycles,
                                                          .warp = op->warp,
                                                          .group = op->group,
                                                          .kind = (uint8_t)kind_of(instruction)},
                                cycle);
}

/* An instruction of a live warp. */
static void start_live(struct sm *sm, struct sm_memory_op *op, uint64_t cycle)
{
    const struct mnp_live_access *access = sm_live_access(sm, op->ticket);
    uint16_t load;
    op->record = access->record.index;
    if (op->remote) {
        end_reading(sm, &(struct sm_reading){.record = op->record, .warp = op->warp}, cycle);
        sm->state->lsu.next = cycle + sm->parameters->lsu_interval;
        load = sm_remote_start(sm, op, cycle);
    } else {
        start(sm, op, &access->record, access->words, cycle);
        load = sm->state->lsu.access.load;
    }
    const struct sm_live_turn *turn = sm_live_started(sm, op->ticket, load);
    if (turn)
        sm->queue[turn->place].ready = turn->ready;
}

/* First cycle in which the pipeline may take the next instruction of a sub-core: its addresses are there, and its data
 * would not wait long for the way back. */
static uint64_t ready_at(const struct sm *sm, uint32_t subcore)
{
    const struct sm_subcore *s = &sm->state->subcore[subcore];
    const struct sm_memory_op *op = &sm->queue[subcore * sm->parameters->memory_queue + s->lsu.head];
    uint64_t ready = op->remote ? sm_remote_ready_at(sm, op->ticket, op->ready) : op->ready;
    return s->way_back.drain > ready + SM_RETURN_AHEAD ? s->way_back.drain - SM_RETURN_AHEAD : ready;
}

/* Takes the first instruction of a sub-core's queue. */
static void take(struct sm *sm, uint32_t subcore, uint64_t cycle)
{
    struct sm_subcore *s = &sm->state->subcore[subcore];
    struct sm_memory_op op = sm->queue[queue_place(sm, subcore, s->lsu.head)];
    if (!sm_lsu_has_room(sm, s)) /* the sub-core may wait for room */
        sm_wake_subcore(sm, s, cycle);
    s->lsu.head = (s->lsu.head + 1) % (uint32_t)sm->parameters->memory_queue;
    s->lsu.count--;
    sm->queued &= ~((uint32_t)(s->lsu.count == 0) << subcore);
    const struct sm_warp_view *view = &sm->views[op.warp];
    if (view->live)
        start_live(sm, &op, cycle);
    else
        start(sm, &op, sm_record(view, op.record), sm_addresses(view, op.record, op.address_at), cycle);
}

/* Takes the next instruction, round robin over the sub-cores. False: none can be taken. */
static bool take_next(struct sm *sm, uint64_t cycle)
{
    struct sm_lsu_state *state = &sm->state->lsu;
    uint32_t subcores = (uint32_t)sm->parameters->subcores;
    uint32_t before = sm->queued & ((1u << state->turn) - 1); /* sub-cores that come last */
    uint64_t order = (uint64_t)before << 32 | (sm->queued ^ before);
    for (; order; order &= order - 1) {
        uint32_t subcore = (uint32_t)__builtin_ctzll(order) % 32;
        if (ready_at(sm, subcore) > cycle)
            continue;
        if (!sm_load_has_room(sm)) {
            state->blocked = 1;
            sm->deaf = ~(uint32_t)SM_FREED_LOAD;
            return false;
        }
        state->turn = (subcore + 1) % subcores;
        take(sm, subcore, cycle);
        return true;
    }
    return false;
}

static enum sm_l1d_outcome look_up(struct sm *sm, const struct sm_part *part, uint16_t id, uint64_t cycle)
{
    const struct sm_load *load = &sm->loads[id];
    if (load->kind != GPU_READ)
        return sm_l1d_send(sm, part, id, cycle);
    const struct mnp_static_instruction *instruction = sm_instruction_executed(&sm->views[load->warp], load->record);
    bool asked = (instruction->flags & MNP_FLAG_BYPASS_L1) && !sm->parameters->ideal_bypass;
    bool past = asked || (sm->live && sm_live_at_l2(sm, id));
    enum sm_l1d_way way = instruction->copies ? SM_L1D_PAST : SM_L1D_PAST_STRONG;
    return sm_l1d_read(sm, part, id, past ? way : SM_L1D_THROUGH, cycle);
}

/* A part has hit: its data is read in this cycle; that of the last part, when that of all has been. */
static void hit(struct sm *sm, const struct sm_access *access, uint64_t cycle)
{
    uint64_t read = access->started + access->data_cycles - 1;
    if (access->part < access->part_count || read < cycle)
        read = cycle;
    uint64_t ready = read + sm->parameters->latency_l1 - sm->parameters->memory_front;
    sm_load_part_done(sm, access->load, 1, ready, cycle);
}

/* When the look-up may begin with another instruction than the one that it began with at `started`. Where some share an
 * interval, it begins at that share of the cycles: of 8 cycles for 5 instructions, at 0, 2, 4, 5 and 7. */
static uint64_t look_up_free(const struct sm *sm, uint64_t started)
{
    uint64_t cycles = sm->parameters->l1d_interval, together = sm->parameters->l1d_together;
    if (together == 1)
        return started + sm->look_up_cycles;
    uint64_t next = ((started * together / cycles + 1) * cycles + together - 1) / together;
    return sm_later(next, started + sm->parameters->lsu_interval);
}

/* The parts of one wave, up to one that has to wait. */
static void look_up_wave(struct sm *sm, uint64_t cycle)
{
    struct sm_lsu_state *state = &sm->state->lsu;
    struct sm_access *access = &state->access;
    const struct sm_part *part = &access->parts[access->order[access->part]];
    uint8_t wave = part->wave;
    while (part->wave == wave) {
        enum sm_l1d_outcome outcome = look_up(sm, part, access->load, cycle);
        if (outcome == SM_L1D_BLOCKED) {
            state->blocked = 1;
            return;
        }
        access->part++;
        sm_l1d_next_part(&sm->state->l1d);
        if (outcome == SM_L1D_HIT)
            hit(sm, access, cycle);
        if (access->part == access->part_count)
            break;
        part = &access->parts[access->order[access->part]];
    }
    if (access->part == access->part_count && sm->loads[access->load].kind == GPU_WRITE)
        sm_load_post(sm, access->load, cycle);
    uint64_t earliest = sm_later(access->started + access->data_cycles, look_up_free(sm, access->started));
    state->next = access->part == access->part_count && earliest > cycle + 1 ? earliest : cycle + 1;
}

void sm_lsu_cycle(struct sm *sm, uint64_t cycle)
{
    struct sm_lsu_state *state = &sm->state->lsu;
    const struct sm_access *access = &state->access;
    if (state->readings)
        end_readings(sm, cycle);
    if (state->blocked || state->next > cycle)
        return;
    if (access->part == access->part_count && !take_next(sm, cycle))
        return;
    if (access->part < access->part_count)
        look_up_wave(sm, cycle);
}

void sm_lsu_keep(struct sm *sm, uint64_t cycle, uint64_t cycles)
{
    struct sm_lsu_state *state = &sm->state->lsu;
    state->next = sm_later(state->next, cycle) + cycles;
}

/* The next cycle in which the pipeline takes or looks up something. */
static uint64_t next_access(const struct sm *sm, uint64_t cycle)
{
    const struct sm_lsu_state *state = &sm->state->lsu;
    if (state->blocked)
        return MNP_NEVER;
    if (state->access.part < state->access.part_count)
        return sm_later(cycle + 1, state->next);
    uint64_t next = MNP_NEVER, least = sm_later(cycle + 1, state->next);
    for (uint32_t rest = sm->queued; rest && next > least; rest &= rest - 1) {
        uint64_t at = ready_at(sm, (uint32_t)__builtin_ctz(rest));
        next = at < next ? at : next;
    }
    return next > least ? next : least;
}

uint64_t sm_lsu_next(const struct sm *sm, uint64_t cycle)
{
    uint64_t next = next_access(sm, cycle);
    for (uint32_t rest = sm->reading; rest; rest &= rest - 1) {
        const struct sm_lsu_subcore *s = &sm->state->subcore[__builtin_ctz(rest)].lsu;
        if (s->reading[s->reading_head].until < next)
            next = s->reading[s->reading_head].until;
    }
    return next > cycle ? next : cycle + 1;
}

void sm_lsu_report(const struct sm *sm, FILE *out)
{
    if (sm->state->lsu.blocked)
        fprintf(out, "%s: the memory pipeline waits for a free line, miss entry, table entry or the port\n",
                sm->unit->name);
}
