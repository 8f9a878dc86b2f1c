/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The definition of the model, its cycle loop, and how an SM is built. The loop calls the stages in the order of their
 * dependence within a cycle: what comes by links, CTAs and barriers, the port, instruction caches, the memory pipeline,
 * warps that events concern, then each sub-core.
 */
#include "engine/declare/declare.h"
#include "gpu/sm/carve.h"
#include "gpu/sm/events.h"
#include "gpu/sm/live.h"
#include "gpu/sm/look.h"

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
    COUNTER(SM_CONSTANT_MISSES, "constant_misses", "instruction",
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

/* A CTA comes, or the news that a kernel has ended. */
static void take_launch(struct sm *sm, const struct gpu_launch *launch, uint64_t cycle)
{
    if (launch->kind == GPU_KERNEL_ENDED) {
        sm_l1d_invalidate(sm);
        sm_l1i_invalidate(sm);
        sm_fetch_invalidate(sm);
        sm_constant_invalidate(sm);
        return;
    }
    const struct sm_code *code = sm_cta_launch(sm, launch, cycle);
    if (!code)
        return;
    if (sm->state->cta.resident_ctas == 1)
        sm_l1d_carve(sm, code->kernel);
    sm_constant_preload(sm, code->code_base);
}

static void take_reply(struct sm *sm, const struct gpu_reply *reply, uint64_t cycle)
{
    if (reply->kind == GPU_FETCH)
        sm_l1i_reply(sm, reply, cycle);
    else
        sm_l1d_reply(sm, reply, cycle);
}

static void take_packets(struct sm *sm, uint64_t cycle)
{
    struct mnp_inbox *inbox = &sm->unit->inbox;
    mnp_time now = mnp_cursor_edge(&sm->unit->clock, cycle);
    const void *packet;
    uint32_t link;
    while ((packet = mnp_inbox_peek(inbox, now, &link)) != NULL) {
        if (!sm->live || is_progress(sm, link, packet))
            sm_progress(sm);
        if (link == sm->from_gpc)
            take_reply(sm, packet, cycle);
        else if (link == sm->credit_from_gpc)
            sm_port_credit(sm, ((const struct gpu_credit *)packet)->packets);
        else if (link == sm->results_from_gpc)
            sm_live_result(sm, packet);
        else
            take_launch(sm, packet, cycle);
        mnp_inbox_take(inbox);
    }
}

/* Lines of code come back from the L1 instruction cache, which then looks up the next. */
static void move_lines(struct sm *sm, uint64_t cycle)
{
    struct sm_line_request reply;
    while (sm_l1i_take(sm, &reply, cycle)) {
        sm_progress(sm);
        if (reply.asker < sm->parameters->subcores)
            sm_fetch_arrived(sm, reply.asker, reply.line, cycle);
        else
            sm_constant_arrived(sm, reply.line, cycle);
    }
    sm_l1i_cycle(sm, cycle);
}

/* Returns the next cycle in which a sub-core has something to do. */
static uint64_t visit(struct sm *sm, uint64_t cycle)
{
    if (sm->state->cta.news_at <= cycle) {
        sm_barrier_cycle(sm, cycle);
        sm_cta_cycle(sm, cycle);
    }
    if (sm->state->port.queue.count)
        sm_port_cycle(sm, cycle);
    if (sm->state->l1i.requests.count | sm->state->l1i.replies.count)
        move_lines(sm, cycle);
    if (sm->lsu_at <= cycle || sm->unit->no_skip)
        sm_lsu_cycle(sm, cycle);
    if (sm->recheck[0] | sm->recheck[1])
        sm_look_at_events(sm, cycle);
    return sm_issue_cycle(sm, cycle);
}

/* The next cycle after `cycle` in which anything can happen, packets aside; in a sub-core, at `next`. */
static inline uint64_t next_cycle(struct sm *sm, uint64_t next, uint64_t cycle)
{
    next = sm->state->cta.news_at < next ? sm->state->cta.news_at : next;
    if (sm->lsu_at <= cycle)
        sm->lsu_at = sm_lsu_next(sm, cycle);
    next = sm->lsu_at < next ? sm->lsu_at : next;
    if (sm->state->l1i.requests.count | sm->state->l1i.replies.count) {
        uint64_t lines = sm_l1i_next(sm, cycle);
        next = lines < next ? lines : next;
    }
    if (!sm->state->port.queue.count)
        return next;
    uint64_t port = sm_port_next(sm, cycle);
    return port < next ? port : next;
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

static void report_place(const struct mnp_live_warp *live, FILE *out)
{
    char place[MNP_LIVE_PLACE] = "";
    if (live)
        live->where(live, place, sizeof place);
    fprintf(out, "%s%s\n", place[0] ? ", " : "", place);
}

static void report_warps(const struct sm *sm, FILE *out)
{
    for (uint32_t warp = 0; warp < sm->parameters->warps; warp++) {
        const struct sm_warp *w = &sm->warps[warp];
        if (w->cta.slot == SM_NONE)
            continue;
        fprintf(out, "%s: CTA %lu warp %u %s, instruction %lu", sm->unit->name,
                (unsigned long)sm->ctas[w->cta.slot].number, w->cta.number, describe(w->hold.why),
                (unsigned long)w->issue.next);
        if (!sm->views[warp].live)
            fprintf(out, " of %lu", (unsigned long)sm->views[warp].count);
        fprintf(out, ", %u accesses outstanding", w->cta.outstanding);
        report_place(sm->views[warp].live, out);
    }
}

static void report(const struct mnp_unit *unit, FILE *out)
{
    const struct sm *sm = unit->self;
    const struct sm_state *state = sm->state;
    report_warps(sm, out);
    for (uint32_t i = 0; i < sm->parameters->subcores; i++)
        if (state->subcore[i].buffers.missing)
            fprintf(out, "%s: %u warps of sub-core %u wait for lines of code, %u of which are on their way\n",
                    unit->name, (unsigned)__builtin_popcountll(state->subcore[i].buffers.missing), i,
                    state->subcore[i].l1i.lines_asked);
    if (state->l1i.requests.count)
        fprintf(out, "%s: %u requests for lines of code wait at the L1 instruction cache%s\n", unit->name,
                state->l1i.requests.count, state->l1i.blocked ? ", the first for a miss entry or the port" : "");
    if (state->lsu.blocked)
        fprintf(out, "%s: the memory pipeline waits for a free line, miss entry, table entry or the port\n",
                unit->name);
    if (state->port.queue.count)
        fprintf(out, "%s: %u requests wait for the port to the GPC, which has %u places left\n", unit->name,
                state->port.queue.count, state->port.credits);
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

bool sm_check(const struct sm_parameters *p, struct mnp_error *error)
{
    return sm_l1d_check(p, error) && sm_l1i_check(p, error) && sm_constant_check(p, error) && sm_carve_check(p, error);
}

static size_t state_bytes(const struct sm_parameters *p, bool executes)
{
    return sizeof(struct sm_state) + p->warps * sizeof(struct sm_warp) + p->ctas * sizeof(struct sm_cta) +
           sm_depend_bytes(p) + p->subcores * p->memory_queue * sizeof(struct sm_memory_op) +
           p->loads * sizeof(struct sm_load) + p->egress * sizeof(struct gpu_request) + sm_l1d_bytes(p) +
           sm_l1i_bytes(p) + sm_constant_bytes(p) + (executes ? sm_live_bytes(p) : 0) + 128 * MNP_CACHE_LINE;
}

/* Each stage takes its state from the arena and finds what is fixed by the machine. */
static void build_stages(struct sm *sm, bool executes)
{
    const struct sm_parameters *p = sm->parameters;
    struct mnp_arena *arena = &sm->unit->state;
    sm->state = mnp_arena_take(arena, 1, sizeof *sm->state);
    sm->warps = mnp_arena_take(arena, p->warps, sizeof *sm->warps);
    sm_cta_init(sm);
    sm_depend_init(sm);
    sm_lsu_init(sm);
    sm_load_init(sm);
    sm_port_init(sm);
    sm_l1d_init(sm);
    sm_l1i_init(sm);
    sm_constant_init(sm);
    if (executes)
        sm_live_init(sm);
    sm_issue_init(sm);
}

struct sm *sm_create(struct mnp_engine *engine, const struct sm_config *config)
{
    const struct sm_parameters *p = config->parameters;
    bool executes = config->device->source->memory != NULL;
    struct sm *sm = mnp_reallocate(NULL, 1, sizeof *sm);
    memset(sm, 0, offsetof(struct sm, l0i)); /* caches, whose tables are large, set themselves up where they are used */
    sm->parameters = p;
    sm->device = config->device;
    sm->index = config->index;
    char name[32];
    snprintf(name, sizeof name, "sm %u", config->index);
    sm->unit = mnp_engine_add_unit(engine, &sm_model, name, sm, config->hertz, state_bytes(p, executes), config->slots);
    sm->views = mnp_allocate(p->warps, sizeof *sm->views);
    for (uint32_t warp = 0; warp < SM_MAX_WARPS; warp++) {
        sm->subcore_of[warp] = (uint8_t)(warp % p->subcores);
        sm->place_of[warp] = (uint8_t)(warp / p->subcores);
    }
    build_stages(sm, executes);
    return sm;
}

void sm_attach(struct sm *sm, const struct sm_attachment *attachment)
{
    sm->request = attachment->request;
    sm->finish = attachment->finish;
    sm->from_gpc = attachment->reply->in_index;
    sm->credit_from_gpc = attachment->credit->in_index;
    sm->values = attachment->values;
    sm->results_from_gpc = attachment->results ? attachment->results->in_index : SM_NONE;
    sm_port_credit(sm, attachment->credits);
    sm->network = attachment->network;
}

void sm_release(struct sm *sm)
{
    if (!sm)
        return;
    for (uint32_t i = 0; i < sm->parameters->ctas; i++)
        if (sm->codes[i].cta.owner)
            sm->device->source->release_cta(sm->device->source, &sm->codes[i].cta);
    free(sm->live);
    free(sm->views);
    free(sm->codes);
    free(sm);
}

struct mnp_unit *sm_unit(const struct sm *sm)
{
    return sm->unit;
}

struct mnp_live_core *sm_core(const struct sm *sm)
{
    return sm->live ? &sm->live->core : NULL;
}
