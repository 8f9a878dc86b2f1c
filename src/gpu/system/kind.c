/* SPDX-License-Identifier: BSD-3-Clause */
/* What a session knows of a GPU: how it is built, which kernels have ended, and what its counters are called. Counters
 * are collected per kernel when the kernel has ended. */
#include "gpu/system/kind.h"
#include "contract/kernel_results.h"
#include "engine/core/snapshot.h"
#include "gpu/device/device.h"
#include "gpu/device/steady_estimate.h"
#include "gpu/sm/occupancy.h"

#include <stdlib.h>

static const struct mnp_model *const counting[] = {&dispatch_model, &sm_model, &gpu_gpc_model, &gpu_partition_model,
                                                   NULL};

struct gpu_run {
    struct gpu_parameters parameters;
    struct gpu_machine machine;
    struct dispatch_log log; /* of CTAs, where they are written down */
    bool built;
};

static struct gpu_run *run_of(const struct mnp_session *session)
{
    return session->machine;
}

static struct dispatch *dispatch_of(const struct mnp_session *session)
{
    return run_of(session)->machine.dispatch;
}

/* ===== collecting ===== */

/* What a CTA asks of an SM, and how many of them each kind of room would hold. */
static void describe_occupancy(struct mnp_part_results *part, const struct sm_parameters *sm,
                               const struct mnp_kernel *kernel)
{
    struct sm_demand demand = sm_demand_of(sm, kernel);
    uint64_t registers = kernel->registers, shared = kernel->shared_bytes;
    mnp_part_describe(part, "registers", &registers, 1);
    mnp_part_describe(part, "shared_bytes", &shared, 1);
    mnp_part_describe(
        part, "ctas_by_room",
        (const uint64_t[]){demand.warps ? sm->warps / demand.warps : sm->ctas,
                           demand.registers ? (sm->registers - demand.unusable) / demand.registers : sm->ctas,
                           demand.shared ? sm->shared_max / demand.shared : sm->ctas},
        3);
}

/* `end`: core cycle of the kernel's end. */
static void collect_kernel(struct mnp_session *session, uint32_t slot, uint64_t end, bool partial)
{
    struct dispatch *dispatch = dispatch_of(session);
    const struct mnp_kernel *kernel = dispatch_descriptions(dispatch)[slot];
    mnp_time requested = mnp_session_time(session, dispatch_kernel_in(dispatch, slot)->requested);
    struct mnp_part_results *part =
        mnp_session_add_part(session, kernel->id, slot, requested, mnp_session_time(session, end), partial);
    mnp_kernel_describe(part, kernel->id, kernel->name, kernel->grid, kernel->block, kernel->stream);
    describe_occupancy(part, &run_of(session)->parameters.sm, kernel);
    if (kernel->code)
        mnp_part_describe_text(part, "code", kernel->code);
    dispatch_collected(dispatch, slot);
}

static void collect_ended(struct mnp_session *session, mnp_time end)
{
    const struct dispatch *dispatch = dispatch_of(session);
    (void)end;
    for (uint32_t slot; (slot = dispatch_ended_slot(dispatch)) != 0;)
        collect_kernel(session, slot, dispatch_kernel_in(dispatch, slot)->ended, false);
}

/* What was written down of CTAs, warps and packets. */
static void collect_timeline(struct mnp_session *session)
{
    struct gpu_run *run = run_of(session);
    struct mnp_timeline *timeline = &session->results->timeline;
    mnp_time now = session->engine->now;
    if (session->options.request.timeline_work) {
        dispatch_log_close(&run->log, now);
        mnp_timeline_join(timeline, &run->log.timeline);
    }
    for (uint64_t i = 0; session->options.request.timeline_to && i < run->parameters.sm.count; i++)
        mnp_timeline_join(timeline, sm_timeline_close(run->machine.sms[i], now));
}

static void collect_tally(struct mnp_session *session)
{
    const struct gpu_run *run = run_of(session);
    struct mnp_tally *tally = &session->results->tally;
    for (uint64_t i = 0; session->options.request.by_instruction && i < run->parameters.sm.count; i++)
        mnp_tally_join(tally, sm_profile_close(run->machine.sms[i]));
    mnp_tally_sort(tally);
}

/* Also of kernels under way when the run was stopped, with their cycles so far: not where it ends between two. */
static void collect(struct mnp_session *session)
{
    const struct dispatch *dispatch = dispatch_of(session);
    collect_ended(session, session->engine->now);
    collect_timeline(session);
    collect_tally(session);
    for (uint32_t slot = 1; slot < DISPATCH_SLOTS; slot++) {
        const struct dispatch_kernel *k = dispatch_kernel_in(dispatch, slot);
        if (k->phase == DISPATCH_RUNNING || (k->phase == DISPATCH_LAUNCHING && session->stop != MNP_STOP_FINISHED))
            collect_kernel(session, slot, mnp_session_cycle(session, session->engine->now), true);
    }
}

/* The cycles of the total are those of the whole run. */
static void total_up(struct mnp_session *session, bool finished)
{
    mnp_statistics_block(&session->results->total, &dispatch_model)->values[DISPATCH_GPU_SIM_CYCLE] =
        finished ? dispatch_last_end(dispatch_of(session)) : mnp_session_cycle(session, session->engine->now);
    gpu_steady_estimate(session->results);
}

static void report_progress(struct mnp_session *session, struct mnp_progress *progress)
{
    const struct gpu_machine *machine = &run_of(session)->machine;
    const struct mnp_results *results = session->results;
    progress->parts_ended = dispatch_kernels_ended(machine->dispatch);
    for (uint32_t slot = 1; slot < DISPATCH_SLOTS; slot++) {
        const struct dispatch_kernel *k = dispatch_kernel_in(machine->dispatch, slot);
        if (k->phase == DISPATCH_RUNNING) {
            progress->pieces_done += k->finished;
            progress->pieces_known += k->cta_count;
        }
    }
    for (uint32_t i = 0; i < results->part_count; i++)
        progress->work += mnp_statistics_block(&results->parts[i]->statistics, &sm_model)->values[SM_WARP_INSTRUCTIONS];
    for (uint64_t i = 0; i < machine->parameters->sm.count; i++)
        for (uint32_t slot = 1; slot < DISPATCH_SLOTS; slot++)
            progress->work += mnp_counters(sm_unit(machine->sms[i]), slot)[SM_WARP_INSTRUCTIONS];
}

/* ===== building ===== */

static bool is_idle(const struct mnp_session *session)
{
    return dispatch_is_idle(dispatch_of(session));
}

static void relax(struct mnp_session *session, uint64_t cycles)
{
    dispatch_relax(dispatch_of(session), cycles);
}

/* Prepares to write down what is asked for. */
static void open_timeline(const struct mnp_session *session, struct gpu_run *run)
{
    const struct mnp_run_request *request = &session->options.request;
    const struct sm_parameters *sm = &run->parameters.sm;
    uint64_t hertz = run->parameters.machine.clock_core;
    if (request->timeline_work)
        dispatch_log_init(&run->log, (uint32_t)sm->count, (uint32_t)sm->ctas);
    for (uint64_t i = 0; request->timeline_to && i < sm->count; i++)
        sm_timeline_open(run->machine.sms[i], mnp_edge(hertz, request->timeline_from),
                         mnp_edge(hertz, request->timeline_to), (uint32_t)(MNP_TIMELINE_MOST / sm->count));
    for (uint64_t i = 0; request->by_instruction && i < sm->count; i++)
        sm_profile_open(run->machine.sms[i]);
}

static bool open_gpu(struct mnp_session *session, struct mnp_settings *settings, const struct mnp_work *work,
                     struct mnp_error *error)
{
    struct gpu_run *run = session->machine = mnp_allocate(1, sizeof *run);
    struct gpu_machine *machine = &run->machine;
    if (!gpu_parameters_read(&run->parameters, settings, error))
        return false;
    gpu_machine_init(machine, &run->parameters, work->source);
    run->built = true;
    open_timeline(session, run);
    dispatch_choose(machine->dispatch,
                    &(struct dispatch_choice){.selects = session->options.selects,
                                              .selection = session->options.selection,
                                              .stops_at_ends = session->options.open_ended || session->options.on_pause,
                                              .log = session->options.request.timeline_work ? &run->log : NULL});
    session->engine = &machine->engine;
    session->hertz = run->parameters.machine.clock_core;
    session->livelock = run->parameters.machine.livelock;
    session->intake = dispatch_unit(machine->dispatch);
    return true;
}

static void close_gpu(struct mnp_session *session)
{
    struct gpu_run *run = run_of(session);
    if (run->built)
        gpu_machine_release(&run->machine);
    dispatch_log_release(&run->log);
    free(run);
}

static bool check(struct mnp_settings *settings, struct mnp_error *error)
{
    struct gpu_parameters parameters;
    return gpu_parameters_read(&parameters, settings, error);
}

static void warm(struct mnp_session *session, const struct mnp_extent *extents, uint32_t count)
{
    const struct gpu_run *run = run_of(session);
    for (uint64_t i = 0; i < run->parameters.partition.count; i++)
        for (uint32_t k = 0; k < count; k++)
            gpu_partition_warm(run->machine.partitions[i], extents[k].address, extents[k].bytes);
}

/* Lines of code, or of constants, come into the caches below the SMs: those of an SM forget them with every kernel. */
static void warm_lines(const struct gpu_run *run, uint64_t address, uint64_t bytes)
{
    const struct gpu_parameters *p = &run->parameters;
    uint64_t line = p->sm.l1i_line, end = address + bytes;
    for (address -= address % line; address < end; address += line) {
        for (uint64_t i = 0; i < p->partition.count; i++)
            gpu_partition_warm(run->machine.partitions[i], address, line);
        for (uint64_t i = 0; i < p->gpc.count; i++)
            gpu_gpc_warm_code(run->machine.gpcs[i], address, line);
    }
}

static void warm_code(struct mnp_session *session, const char *kernel, uint64_t bytes)
{
    uint64_t base = sm_code_base(kernel);
    const struct sm_parameters *sm = &run_of(session)->parameters.sm;
    warm_lines(run_of(session), base, bytes + sm->l0i_prefetch * sm->l1i_line); /* which goes on behind the end */
    warm_lines(run_of(session), base + SM_CONSTANTS, 1);
}

/* ===== snapshots ===== */

static enum mnp_standing standing(const struct mnp_session *session, uint32_t *part)
{
    const struct dispatch *dispatch = dispatch_of(session);
    *part = dispatch_all_ended(dispatch);
    if (dispatch_is_over(dispatch))
        return MNP_STANDS_OVER;
    return dispatch_has_placed(dispatch) ? MNP_STANDS_INSIDE : MNP_STANDS_BETWEEN;
}

static void keep(const struct mnp_session *session, struct mnp_snapshot *snapshot)
{
    mnp_snapshot_put_number(snapshot, session->source->unknown_opcodes);
    dispatch_keep(dispatch_of(session), snapshot);
}

static bool take(struct mnp_session *session, struct mnp_snapshot_reader *reader)
{
    return mnp_snapshot_take_number(reader, &session->source->unknown_opcodes) &&
           dispatch_take(dispatch_of(session), reader);
}

const struct mnp_machine_kind gpu_kind = {
    .name = "gpu",
    .summary = "A GPU: SMs behind GPCs and a crossbar, L2 slices, DRAM, and a dispatcher of kernels.",
    .models = gpu_models,
    .counting = counting,
    .form = &mnp_kernel_form,
    .inputs = MNP_INPUT_KERNELS | MNP_INPUT_CALLS,
    .samples = "issue_slots*,gpu_warp_ipc,gpu_occupancy,sm_activity,L1D_total_cache_miss_rate,L2_total_cache_miss_rate,"
               "noc_*_utilisation,dram_row_hit_rate,dram_bandwidth_utilisation",
    .tally = true,
    .timeline = true,
    .check = check,
    .open = open_gpu,
    .close = close_gpu,
    .relax = relax,
    .between = collect_ended,
    .progress = report_progress,
    .is_idle = is_idle,
    .warm = warm,
    .warm_code = warm_code,
    .standing = standing,
    .keep = keep,
    .take = take,
    .collect = collect,
    .total = total_up,
};
