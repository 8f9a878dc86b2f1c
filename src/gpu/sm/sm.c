/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/declare/declare.h"
#include "gpu/sm/live.h"

#include <stdlib.h>
#include <string.h>

/* ===== the definition ===== */

#define COUNTER(INDEX, NAME, UNIT, HELP) [INDEX] = {.name = NAME, .kind = MNP_COUNTER, .unit = UNIT, .help = HELP}
#define RATIO(INDEX, NAME, UNIT, SCALE, NUMERATOR, DENOMINATOR, HELP)                                                  \
    [INDEX] = {.name = NAME,                                                                                           \
               .kind = MNP_RATIO,                                                                                      \
               .unit = UNIT,                                                                                           \
               .help = HELP,                                                                                           \
               .numerator = NUMERATOR,                                                                                 \
               .denominator = DENOMINATOR,                                                                             \
               .scale = SCALE}
#define ELAPSED(INDEX, NAME, UNIT, HELP) [INDEX] = {.name = NAME, .kind = MNP_ELAPSED, .unit = UNIT, .help = HELP}
#define FAIL(WANT, NAME, HELP)           COUNTER(SM_L1D_FAIL_FIRST + WANT, "L1D_fails_" NAME, "sector", HELP)
#define SLOT(CLASS, NAME, HELP)          COUNTER(SM_ISSUE_SLOT_FIRST + CLASS, "issue_slots_" NAME, "slot", HELP)
#define CLASS(ID, NAME, HELP)            COUNTER(SM_CLASS_FIRST + ID, "instructions_" NAME, "instruction", HELP)

static const struct mnp_statistic statistics[SM_STATISTIC_COUNT] = {
    COUNTER(SM_WARP_INSTRUCTIONS, "gpgpu_n_tot_w_icount", "instruction",
            "warp instructions issued, those with no active lane included"),
    COUNTER(SM_THREAD_INSTRUCTIONS, "gpu_sim_insn", "instruction", "active lanes of the warp instructions issued"),
    RATIO(SM_GPU_IPC, "gpu_ipc", "instruction/cycle", 1, "gpu_sim_insn", "gpu_sim_cycle",
          "thread instructions per core cycle"),
    RATIO(SM_GPU_WARP_IPC, "gpu_warp_ipc", "instruction/cycle", 1, "gpgpu_n_tot_w_icount", "gpu_sim_cycle",
          "warp instructions per core cycle"),
    COUNTER(SM_RESIDENT_WARP_CYCLES, "resident_warp_cycles", "warp cycle",
            "warps resident, summed over the cycles of SMs that have a CTA"),
    COUNTER(SM_POSSIBLE_WARP_CYCLES, "possible_warp_cycles", "warp cycle",
            "warps that could be resident, summed over the same cycles"),
    RATIO(SM_GPU_OCCUPANCY, "gpu_occupancy", "%", 100, "resident_warp_cycles", "possible_warp_cycles",
          "resident warps of the possible ones, on SMs that have a CTA"),
    COUNTER(SM_ISSUE_SLOTS, "issue_slots", "slot", "sub-core cycles; the issue_slots_… add up to it"),
    SLOT(SM_SLOT_ISSUED, "issued", "an instruction issued"),
    SLOT(SM_SLOT_IDLE, "idle", "no warp was resident on the sub-core"),
    SLOT(SM_SLOT_PIPE, "pipe", "a warp was ready, but its execution pipe or the memory queue was not"),
    SLOT(SM_SLOT_DEPENDENCE, "dependence", "a warp waited for a result of fixed latency, and none was ready"),
    SLOT(SM_SLOT_MEMORY, "memory", "a warp waited for memory, and none for less"),
    SLOT(SM_SLOT_BARRIER, "barrier", "warps waited for barriers or fences only"),
    SLOT(SM_SLOT_FETCH, "fetch", "a warp waited for its next instruction, and none for memory"),
    SLOT(SM_SLOT_OPERANDS, "operands", "a warp was ready, but register reads held its sub-core back"),
    SLOT(SM_SLOT_DRAINED, "drained", "all warps had issued their last instruction"),
    CLASS(MNP_CLASS_INT, "int", "warp instructions of the integer class"),
    CLASS(MNP_CLASS_FP32, "fp32", "warp instructions of the single-precision class"),
    CLASS(MNP_CLASS_HALF, "half", "warp instructions of the half-precision class"),
    CLASS(MNP_CLASS_FP64, "fp64", "warp instructions of the double-precision class"),
    CLASS(MNP_CLASS_SFU, "sfu", "warp instructions of the special-function class"),
    CLASS(MNP_CLASS_CONVERT, "convert", "warp instructions of the conversion class"),
    CLASS(MNP_CLASS_TENSOR, "tensor", "warp instructions of the matrix class"),
    CLASS(MNP_CLASS_UNIFORM, "uniform", "warp instructions of the uniform class"),
    CLASS(MNP_CLASS_BRANCH, "branch", "warp instructions of the branch class"),
    CLASS(MNP_CLASS_SYNC, "sync", "warp instructions of the synchronisation class"),
    CLASS(MNP_CLASS_MEMORY, "memory", "warp instructions of the memory class"),
    CLASS(MNP_CLASS_SPECIAL, "special", "shuffles, votes and reads of special registers"),
    CLASS(MNP_CLASS_IMAD, "imad", "warp instructions of the integer multiplication class"),
    COUNTER(SM_ZERO_MASK, "instructions_zero_mask", "instruction", "warp instructions with no active lane"),
    COUNTER(SM_OPERAND_STALLS, "operand_stall_cycles", "cycle",
            "cycles by which register-bank conflicts delayed instructions"),
    COUNTER(SM_L0I_ACCESSES, "L0I_total_cache_accesses", "access", "times that a warp went on in another line of code"),
    COUNTER(SM_L0I_MISSES, "L0I_total_cache_misses", "access",
            "times that a warp had to wait for a line of code, neither in its L0 nor in the stream buffer"),
    COUNTER(SM_L1I_ACCESSES, "L1I_total_cache_accesses", "access",
            "lines of code looked up in the L1 instruction cache while a warp waited"),
    COUNTER(SM_L1I_MISSES, "L1I_total_cache_misses", "access", "those that were not there, nor on their way"),
    COUNTER(SM_L1I_PENDING_HITS, "L1I_total_cache_pending_hits", "access", "those that were on their way"),
    COUNTER(SM_L1I_PREFETCHES, "L1I_prefetches", "access", "lines that stream buffers asked for; the machine's"),
    COUNTER(SM_CONSTANT_ACCESSES, "constant_accesses", "instruction", "loads of constants"),
    COUNTER(SM_CONSTANT_MISSES_COUNTED, "constant_misses", "instruction",
            "those that had to wait for a line of the constant cache"),
    COUNTER(SM_L1D_ACCESSES, "L1D_total_cache_accesses", "sector", "sectors looked up in the L1 data cache"),
    COUNTER(SM_L1D_MISSES, "L1D_total_cache_misses", "sector", "sectors read that were not there, nor on their way"),
    COUNTER(SM_L1D_PENDING_HITS, "L1D_total_cache_pending_hits", "sector", "sectors read that were on their way"),
    COUNTER(SM_L1D_RESERVATION_FAILS, "L1D_total_cache_reservation_fails", "sector",
            "sectors of line accesses that had to wait for a line, a miss entry or the port, each access once"),
    COUNTER(SM_L1D_READS, "L1D_read_accesses", "sector", "sectors read"),
    COUNTER(SM_L1D_WRITES, "L1D_write_accesses", "sector", "sectors written, atomics and reductions included"),
    RATIO(SM_L1D_MISS_RATE, "L1D_total_cache_miss_rate", "%", 100, "L1D_total_cache_misses", "L1D_total_cache_accesses",
          "misses of the sectors looked up"),
    COUNTER(SM_SHARED_ACCESSES, "shared_accesses", "instruction", "shared-memory instructions"),
    COUNTER(SM_SHARED_CONFLICT_CYCLES, "shared_conflict_cycles", "cycle",
            "cycles by which bank conflicts lengthened them"),
    COUNTER(SM_ATOMICS, "global_atomics", "packet", "atomics and reductions sent to the L2, one per line"),
    COUNTER(SM_BARRIERS, "barriers", "instruction", "CTA barriers reached by warps"),
    COUNTER(SM_CTAS, "sm_ctas", "CTA", "CTAs that arrived at an SM"),
    COUNTER(SM_ACTIVE_CYCLES, "sm_active_cycles", "cycle", "cycles of SMs that have a CTA"),
    ELAPSED(SM_CYCLES, "sm_cycles", "cycle", "cycles of all SMs"),
    RATIO(SM_ACTIVITY, "sm_activity", "%", 100, "sm_active_cycles", "sm_cycles",
          "cycles of SMs that have a CTA, of all"),
    COUNTER(SM_SHARED_CONFLICTS, "shared_conflicts", "instruction", "shared-memory instructions with a bank conflict"),
    RATIO(SM_SHARED_CONFLICT_RATE, "shared_conflict_rate", "cycle/instruction", 1, "shared_conflict_cycles",
          "shared_accesses", "cycles lost to bank conflicts per shared-memory instruction"),
    COUNTER(SM_L1D_READ_HITS, "L1D_read_hits", "sector", "sectors read that were in the L1 data cache"),
    COUNTER(SM_L1D_WRITE_HITS, "L1D_write_hits", "sector", "sectors written whose line was in the L1 data cache"),
    COUNTER(SM_L1D_BYPASSES, "L1D_bypasses", "sector", "sectors read past the L1 data cache"),
    COUNTER(SM_L1D_TAG_WAVEFRONTS, "L1D_tag_wavefronts", "cycle",
            "cycles in which lines were looked up in the L1 data cache, of global and local memory"),
    COUNTER(SM_L1D_DATA_WAVEFRONTS, "L1D_data_wavefronts", "cycle", "cycles that its banks take for their data"),
    FAIL(SM_L1D_WANT_LINE, "line", "reservation fails because every way of the set was being filled"),
    FAIL(SM_L1D_WANT_MSHR, "mshr", "reservation fails for want of a miss entry"),
    FAIL(SM_L1D_WANT_MERGE, "merge", "reservation fails because no more accesses could wait for the line"),
    FAIL(SM_L1D_WANT_PORT, "port", "reservation fails because the queue of the port to the GPC was full"),
    COUNTER(SM_TO_GPC_BYTES, "noc_sm_to_gpc_bytes", "byte", "requests from SMs to GPCs, headers included"),
    ELAPSED(SM_TO_GPC_PEAK, "noc_sm_to_gpc_peak_bytes", "byte", "what the width of the SMs' ports allows"),
    RATIO(SM_TO_GPC_UTILISATION, "noc_sm_to_gpc_utilisation", "%", 100, "noc_sm_to_gpc_bytes",
          "noc_sm_to_gpc_peak_bytes", "bytes moved from SMs to GPCs, of the peak"),
    [SM_L1D_MISS_LATENCY] = {.name = "L1D_miss_latency",
                             .kind = MNP_HISTOGRAM,
                             .unit = "cycle",
                             .help = "core cycles from a look-up that missed, or found its sectors on their "
                                     "way, to the arrival of its last sector",
                             .bins = GPU_LATENCY_BINS},
};

static const struct mnp_port ports[] = {
    [SM_LAUNCH] = MNP_IN_ROW("launch", "dispatch", gpu_launch, "CTAs, and the news that a kernel has ended"),
    [SM_FINISH] = MNP_OUT_ROW("finish", "dispatch", gpu_finish, "CTAs that have ended"),
    [SM_REQUEST] = MNP_OUT_ROW("request", "gpc", gpu_request, "misses, writes, atomics"),
    [SM_REPLY] = MNP_IN_ROW("reply", "gpc", gpu_reply, "sectors read, acknowledgements"),
    [SM_CREDIT] = MNP_IN_ROW("credit", "gpc", gpu_credit, "places given back in the GPC's queue"),
    [SM_VALUES] = MNP_OPTIONAL_OUT_ROW("values", "gpc", gpu_values,
                         "operands of accesses that the L2 performs, when programs are executed"),
    [SM_RESULTS] = MNP_OPTIONAL_IN_ROW("results", "gpc", gpu_values, "what such accesses have read"),
};

static const struct mnp_state_field state_fields[] = {
    {"subcore", "", "per sub-core: what holds back each warp, timers, pipes, issue slots counted"},
    {"warps", "", "instruction buffers, place in the stream, accesses outstanding"},
    {"ctas", "", "CTAs resident: live warps, barrier arrivals"},
    {"register_ready", "", "per warp and register: the cycle in which it can be read, and the pipe that writes it"},
    {"readers", "", "per warp and register: instructions that have still to read it"},
    {"control", "", "per warp: dependence counters, and when they fall"},
    {"queue", "", "memory instructions between issue and the memory pipeline"},
    {"loads", "", "pending request table"},
    {"mshrs", "", "lines with misses outstanding, and the accesses that wait for them"},
    {"live", "", "of executed programs: accesses under way to the L2 with their values, what fences wait for"},
    {"egress", "packet", "requests that wait for the port to the GPC"},
    {"line_requests", "", "lines of code asked of the L1 instruction cache, coming from it, or missed by it"},
    {"l0i", "", "tags and replacement state of the L0 instruction caches"},
    {"l1i", "", "tags and replacement state of the L1 instruction cache"},
    {"constants", "", "tags and replacement state of the constant cache"},
    {"l1d", "", "tags, sectors and replacement state of the L1 data cache"},
};

/* ===== the cycle loop ===== */

/* Whether a packet that has come to a machine that executes is progress: what warps that only poll hear is not. */
static bool is_progress(const struct sm *sm, uint32_t link, const void *packet)
{
    if (link == sm->from_gpc)
        return sm_l1d_is_progress(sm, packet);
    return link != sm->credit_from_gpc && link != sm->results_from_gpc;
}

static void take_packets(struct sm *sm, uint64_t cycle)
{
    struct mnp_inbox *inbox = &sm->unit->inbox;
    mnp_time now = mnp_cursor_edge(&sm->unit->clock, cycle);
    const void *packet;
    uint32_t link;
    while ((packet = mnp_inbox_peek(inbox, now, &link)) != NULL) {
        sm->progressed |= !sm->live || is_progress(sm, link, packet);
        if (link == sm->from_gpc) {
            const struct gpu_reply *reply = packet;
            if (reply->kind == GPU_FETCH)
                sm_l1i_reply(sm, reply, cycle);
            else
                sm_l1d_reply(sm, reply, cycle);
        } else if (link == sm->credit_from_gpc) {
            sm->state->credits += ((const struct gpu_credit *)packet)->packets;
        } else if (link == sm->results_from_gpc) {
            sm_live_result(sm, packet);
        } else {
            const struct gpu_launch *launch = packet;
            if (launch->kind == GPU_KERNEL_ENDED) {
                sm_l1d_invalidate(sm);
                sm_l1i_invalidate(sm);
                sm_constant_invalidate(sm);
            } else {
                sm_cta_launch(sm, launch, cycle);
            }
        }
        mnp_inbox_take(inbox);
    }
}

/* Returns the next cycle in which a sub-core has something to do. */
static uint64_t visit(struct sm *sm, uint64_t cycle)
{
    if (sm->state->news_at <= cycle)
        sm_cta_cycle(sm, cycle);
    if (sm->state->egress.count)
        sm_l1d_egress(sm, cycle);
    if (sm->state->line_requests.count | sm->state->line_replies.count)
        sm_l1i_cycle(sm, cycle);
    if (sm->lsu_at <= cycle || sm->unit->no_skip)
        sm_lsu_cycle(sm, cycle);
    return sm_issue_cycle(sm, cycle);
}

/* The next cycle after `cycle` in which anything can happen, packets aside; in a sub-core, at `next`. */
static inline uint64_t next_cycle(struct sm *sm, uint64_t next, uint64_t cycle)
{
    next = sm->state->news_at < next ? sm->state->news_at : next;
    uint64_t lsu = sm_lsu_next(sm, cycle);
    next = lsu < next ? lsu : next;
    if (sm->state->line_requests.count | sm->state->line_replies.count) {
        uint64_t lines = sm_l1i_next(sm, cycle);
        next = lines < next ? lines : next;
    }
    if (!sm->state->egress.count)
        return next;
    uint64_t egress = sm_l1d_egress_next(sm, cycle);
    return egress < next ? egress : next;
}

static uint64_t next_of_subcores(const struct sm *sm)
{
    uint64_t next = MNP_NEVER;
    for (uint32_t i = 0; i < sm->parameters->subcores; i++)
        next = sm->subcore_next[i] < next ? sm->subcore_next[i] : next;
    return next;
}

static mnp_time advance(struct mnp_unit *unit, mnp_time until)
{
    struct sm *sm = unit->self;
    uint64_t end = mnp_cursor_cycle_at(&unit->clock, until);
    if (end <= unit->clock.cycle)
        return until;
    uint64_t cycle = unit->clock.cycle, progress = MNP_NEVER, arrival = MNP_NEVER;
    mnp_time first = MNP_NEVER; /* packet in the inbox, whose cycle is `arrival` */
    sm->lsu_at = 0;
    if (unit->inbox.next < until)
        sm_l1d_expect(sm);
    uint64_t next = next_cycle(sm, next_of_subcores(sm), cycle - 1);
    for (;;) {
        if (unit->inbox.next != first) {
            first = unit->inbox.next;
            arrival = first < until ? mnp_cursor_cycle_at(&unit->clock, first) : MNP_NEVER;
        }
        next = arrival < next ? arrival : next;
        cycle = unit->no_skip ? cycle : next > cycle ? next : cycle;
        if (cycle >= end)
            break;
        if (arrival <= cycle)
            take_packets(sm, cycle);
        next = next_cycle(sm, visit(sm, cycle), cycle);
        progress = sm->progressed ? cycle : progress;
        sm->progressed = false;
        cycle++;
    }
    if (progress != MNP_NEVER)
        unit->progress = mnp_cursor_edge(&unit->clock, progress);
    sm_cta_account(sm, end);
    mnp_cursor_move(&unit->clock, end);
    return next == MNP_NEVER ? MNP_NEVER : mnp_cursor_edge(&unit->clock, next > end ? next : end);
}

/* ===== reports ===== */

static const char *describe(enum sm_hold hold)
{
    static const char *const texts[] = {[SM_HOLD_NONE] = "is ready to issue",
                                        [SM_HOLD_TIMER] = "waits for a result",
                                        [SM_HOLD_MEMORY] = "waits for a register from memory",
                                        [SM_HOLD_BARRIER] = "waits at the CTA's barrier",
                                        [SM_HOLD_FENCE] = "waits at a fence",
                                        [SM_HOLD_FETCH] = "waits for its next instruction",
                                        [SM_HOLD_ENDED] = "has ended and waits for its accesses"};
    return texts[hold];
}

static void report(const struct mnp_unit *unit, FILE *out)
{
    const struct sm *sm = unit->self;
    for (uint32_t warp = 0; warp < sm->parameters->warps; warp++) {
        const struct sm_warp *w = &sm->warps[warp];
        if (w->cta == SM_NONE)
            continue;
        fprintf(out, "%s: CTA %lu warp %u %s, instruction %lu", unit->name, (unsigned long)sm->ctas[w->cta].number,
                w->number, describe(w->hold), (unsigned long)w->next);
        if (!sm->views[warp].live)
            fprintf(out, " of %lu", (unsigned long)sm->views[warp].count);
        fprintf(out, ", %u accesses outstanding\n", w->outstanding);
    }
    for (uint32_t i = 0; i < sm->parameters->subcores; i++)
        if (sm->state->subcore[i].missing)
            fprintf(out, "%s: %u warps of sub-core %u wait for lines of code, %u of which are on their way\n",
                    unit->name, (unsigned)__builtin_popcountll(sm->state->subcore[i].missing), i,
                    sm->state->subcore[i].lines_asked);
    if (sm->state->line_requests.count)
        fprintf(out, "%s: %u requests for lines of code wait at the L1 instruction cache%s\n", unit->name,
                sm->state->line_requests.count,
                sm->state->line_blocked ? ", the first for a miss entry or the port" : "");
    if (sm->state->blocked)
        fprintf(out, "%s: the memory pipeline waits for a free line, miss entry, table entry or the port\n",
                unit->name);
    if (sm->state->egress.count)
        fprintf(out, "%s: %u requests wait for the port to the GPC, which has %u places left\n", unit->name,
                sm->state->egress.count, sm->state->credits);
}

static void find_pace(const struct mnp_unit *unit, size_t row, struct mnp_pace *pace)
{
    const struct sm *sm = unit->self;
    *pace =
        (struct mnp_pace){.hertz = unit->clock.hertz, .amount = row == SM_TO_GPC_PEAK ? sm->network->request_width : 1};
}

const struct mnp_model sm_model = {
    .name = "sm",
    .summary = "Streaming multiprocessor: sub-cores, scoreboard, execution classes, memory pipeline, L1 data cache",
    .parameters = sm_parameter_table,
    .parameter_count = SM_PARAMETER_COUNT,
    .ports = ports,
    .port_count = sizeof ports / sizeof *ports,
    .statistics = statistics,
    .statistic_count = SM_STATISTIC_COUNT,
    .state = state_fields,
    .state_count = sizeof state_fields / sizeof *state_fields,
    .advance = advance,
    .report = report,
    .pace = find_pace,
};

/* ===== building ===== */

static void take_state(struct sm *sm)
{
    const struct sm_parameters *p = sm->parameters;
    struct mnp_arena *arena = &sm->unit->state;
    sm->state = mnp_arena_take(arena, 1, sizeof *sm->state);
    sm->warps = mnp_arena_take(arena, p->warps, sizeof *sm->warps);
    sm->ctas = mnp_arena_take(arena, p->ctas, sizeof *sm->ctas);
    sm->register_ready = mnp_arena_take(arena, p->warps * SM_REGISTERS, sizeof *sm->register_ready);
    if (p->war_consumers)
        sm->readers = mnp_arena_take(arena, p->warps * SM_REGISTERS, sizeof *sm->readers);
    if (p->dependence == SM_CONTROL_BITS)
        sm->control = mnp_arena_take(arena, p->warps, sizeof *sm->control);
    sm->queue = mnp_arena_take(arena, p->subcores * p->memory_queue, sizeof *sm->queue);
    sm->loads = mnp_arena_take(arena, p->loads, sizeof *sm->loads);
    sm->egress = mnp_arena_take(arena, p->egress, sizeof *sm->egress);
    sm->state->news_at = MNP_NEVER;
    for (uint32_t i = 0; i < p->warps; i++)
        sm->warps[i].cta = SM_NONE;
    for (uint32_t i = 0; i < p->subcores; i++)
        sm->state->subcore[i].slot_class = SM_SLOT_IDLE;
    for (uint32_t i = 0; i < p->loads; i++)
        sm->loads[i].next_free = i + 1 < p->loads ? (uint16_t)(i + 1) : SM_NONE;
    sm_l1d_init(sm);
    sm_l1i_init(sm);
    sm_constant_init(sm);
}

/* Which of the two pipes with bypasses an execution class belongs to. */
static enum sm_result_pipe pipe_of(const struct sm_parameters *p, uint32_t class)
{
    if (class == MNP_CLASS_INT || (class == MNP_CLASS_IMAD && p->imad_pipe == SM_IMAD_ON_INT))
        return SM_FROM_INT;
    bool multiplies = class == MNP_CLASS_FP32 || class == MNP_CLASS_HALF || class == MNP_CLASS_IMAD;
    return multiplies ? SM_FROM_MULTIPLY : SM_FROM_ELSEWHERE;
}

/* Words of results, and how they are read. Adding one to the pipe's bits goes over where they are 3: a result of the
 * multiply pipe for an integer instruction, and, flipped, one of the integer pipe for a multiplication. */
static void find_results(struct sm *sm)
{
    const struct sm_parameters *p = sm->parameters;
    for (uint32_t class = 0; class < MNP_CLASS_COUNT; class ++) {
        enum sm_result_pipe pipe = pipe_of(p, class);
        sm->result[class] = p->class[class].latency << SM_PIPE_BITS | pipe;
        if (pipe == SM_FROM_ELSEWHERE || !p->cross_latency)
            continue;
        sm->reader[class].flip = pipe == SM_FROM_MULTIPLY ? SM_FROM_INT ^ SM_FROM_MULTIPLY : 0;
        sm->reader[class].add = 1;
    }
    sm->operand_latency = p->operand_latency << SM_PIPE_BITS;
}

/* Cycles that an instruction of a class keeps its pipe; 0 where the machine has no such unit. */
static void find_intervals(struct sm *sm)
{
    const struct sm_parameters *p = sm->parameters;
    for (uint32_t class = 0; class < MNP_CLASS_COUNT; class ++) {
        uint64_t lanes = p->class[class].lanes;
        sm->interval[class] = lanes ? (MNP_WARP_SIZE + lanes - 1) / lanes : 0;
        sm->odd_classes |= (uint32_t)(lanes == 0) << class;
    }
    sm->odd_classes |= UINT32_C(1) << MNP_CLASS_TENSOR | (uint32_t)(p->fp64_shared != 0) << MNP_CLASS_FP64;
    sm->operand_reads = p->operands == SM_OPERANDS_READ_PORTS ? (int32_t)p->operand_blind_ports : INT32_MAX;
    for (uint32_t class = 0; class < MNP_CLASS_COUNT; class ++)
        sm->pipe[0][class] = class;
    sm->pipe[0][MNP_CLASS_IMAD] = p->imad_pipe == SM_IMAD_ON_FP32 ? MNP_CLASS_FP32 : MNP_CLASS_INT;
    if (p->convert_on_sfu)
        sm->pipe[0][MNP_CLASS_CONVERT] = MNP_CLASS_SFU;
    memcpy(sm->pipe[1], sm->pipe[0], sizeof sm->pipe[1]);
    memcpy(sm->second_interval, sm->interval, sizeof sm->second_interval);
    if (p->fp32_on_int) {
        sm->pipe[1][MNP_CLASS_FP32] = MNP_CLASS_INT;
        sm->second_interval[MNP_CLASS_FP32] = sm->interval[MNP_CLASS_INT];
    }
    find_results(sm);
    sm->address_cycles = (MNP_WARP_SIZE + p->memory_lanes - 1) / p->memory_lanes;
    sm->shared_address_cycles = (sm->address_cycles + 1) / 2;
    sm->look_up_cycles = p->lsu_interval > p->l1d_interval ? p->lsu_interval : p->l1d_interval;
}

void sm_init(struct sm *sm, struct mnp_engine *engine, const struct sm_parameters *parameters,
             const struct sm_device *device, uint16_t index, uint64_t hertz, uint32_t slots)
{
    bool executes = device->source->memory != NULL;
    sm->parameters = parameters;
    sm->device = device;
    sm->index = index;
    char name[32];
    snprintf(name, sizeof name, "sm %u", index);
    size_t bytes = sizeof(struct sm_state) +
                   parameters->warps * (sizeof(struct sm_warp) + sizeof(struct sm_control) + SM_REGISTERS * 9) +
                   parameters->ctas * sizeof(struct sm_cta) +
                   parameters->subcores * parameters->memory_queue * sizeof(struct sm_memory_op) +
                   parameters->loads * sizeof(struct sm_load) + parameters->egress * sizeof(struct gpu_request) +
                   sm_l1d_bytes(parameters) + sm_l1i_bytes(parameters) + sm_constant_bytes(parameters) +
                   (executes ? sm_live_bytes(parameters) : 0) + 128 * MNP_CACHE_LINE;
    sm->unit = mnp_engine_add_unit(engine, &sm_model, name, sm, hertz, bytes, slots);
    sm->views = mnp_allocate(parameters->warps, sizeof *sm->views);
    sm->codes = mnp_allocate(parameters->ctas, sizeof *sm->codes);
    for (uint32_t warp = 0; warp < SM_MAX_WARPS; warp++) {
        sm->subcore_of[warp] = (uint8_t)(warp % parameters->subcores);
        sm->place_of[warp] = (uint8_t)(warp / parameters->subcores);
    }
    take_state(sm);
    if (executes)
        sm_live_init(sm);
    find_intervals(sm);
    for (uint32_t i = 0; i < parameters->subcores; i++)
        sm->subcore_next[i] = MNP_NEVER;
}

void sm_attach(struct sm *sm, const struct sm_attachment *attachment)
{
    sm->request = attachment->request;
    sm->finish = attachment->finish;
    sm->from_gpc = attachment->reply->in_index;
    sm->credit_from_gpc = attachment->credit->in_index;
    sm->values = attachment->values;
    sm->results_from_gpc = attachment->results ? attachment->results->in_index : SM_NONE;
    sm->state->credits = attachment->credits;
    sm->network = attachment->network;
}

void sm_release(struct sm *sm)
{
    for (uint32_t i = 0; i < sm->parameters->ctas; i++)
        if (sm->codes[i].cta.owner)
            sm->device->source->release_cta(sm->device->source, &sm->codes[i].cta);
    free(sm->live);
    free(sm->views);
    free(sm->codes);
}
