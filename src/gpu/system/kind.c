/* SPDX-License-Identifier: BSD-3-Clause */
/* A system of GPUs as sessions see it: its construction, the kernels that have ended, the names of its counters.
 * Counters of a kernel are collected when it has ended. */
#include "gpu/system/kind.h"
#include "base/range.h"
#include "contract/kernel_results.h"
#include "engine/core/snapshot.h"
#include "gpu/device/steady_estimate.h"
#include "gpu/fabric/switch.h"
#include "gpu/sm/occupancy.h"
#include "gpu/sm/parts/parts.h"
#include "gpu/system/governing.h"
#include "gpu/system/system.h"
#include "gpu/system/warming.h"

#include <stdlib.h>
#include <string.h>

static const struct mnp_model *const counting[] = {&dispatch_model, &sm_model, &gpu_gpc_model, &gpu_partition_model,
                                                   NULL};

/* Statistics that are sampled by default. */
#define SAMPLES                                                                                                        \
    "issue_slots*,gpu_warp_ipc,gpu_occupancy,sm_activity,L1D_total_cache_miss_rate,L2_total_cache_miss_rate,"          \
    "noc_*_utilisation,dram_row_hit_rate,dram_bandwidth_utilisation"

struct gpu_run {
    struct gpu_system_parameters parameters;
    struct gpu_system system;
    struct gpu_static_power power;  /* with power.governor or thermal.model */
    struct gpu_governing governing; /* with power.governor; else due is 0 */
    struct gpu_warming warming;     /* with thermal.model; else due is 0 */
    bool built;
};

static struct gpu_run *run_of(const struct mnp_session *session)
{
    return session->machine;
}

struct gpu_system *gpu_system_of(const struct mnp_session *session)
{
    return &run_of(session)->system;
}

static struct gpu_device *device_of(const struct mnp_session *session, uint32_t device)
{
    return run_of(session)->system.devices[device];
}

/* ===== collecting ===== */

/* Describes the resources that a CTA needs of an SM, and how many CTAs each kind of resource would hold. */
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
static void collect_kernel(struct mnp_session *session, struct gpu_device *device, uint32_t slot, mnp_time end,
                           bool partial)
{
    struct dispatch *dispatch = device->dispatch;
    const struct mnp_kernel *kernel = dispatch_descriptions(dispatch)[slot];
    mnp_time requested = dispatch_time(dispatch, dispatch_kernel_in(dispatch, slot)->requested);
    struct mnp_part_results *part =
        mnp_session_add_part(session, device->number, kernel->id, slot, requested, end, partial);
    mnp_kernel_describe(part, kernel->id, kernel->name, kernel->grid, kernel->block, kernel->stream);
    describe_occupancy(part, &device->parameters->sm, kernel);
    if (kernel->code)
        mnp_part_describe_text(part, "code", kernel->code);
    dispatch_collected(dispatch, slot);
}

static void collect_ended(struct mnp_session *session, struct gpu_device *device)
{
    for (uint32_t slot; (slot = dispatch_ended_slot(device->dispatch)) != 0;)
        collect_kernel(session, device, slot,
                       dispatch_time(device->dispatch, dispatch_kernel_in(device->dispatch, slot)->ended), false);
}

static void between(struct mnp_session *session, mnp_time end)
{
    (void)end;
    for (uint32_t i = 0; i < session->device_count; i++)
        collect_ended(session, device_of(session, i));
}

/* Collects the recorded CTAs, warps and packets. */
static void collect_timeline(struct mnp_session *session, const struct gpu_device *device)
{
    struct mnp_timeline *timeline = &session->devices[device->number].results->timeline;
    mnp_time now = session->engine->now;
    if (session->options.request.timeline_work)
        mnp_timeline_join(timeline, dispatch_timeline_close(device->dispatch, now));
    for (uint64_t i = 0; session->options.request.timeline_to && i < device->parameters->sm.count; i++)
        mnp_timeline_join(timeline, sm_timeline_close(device->sms[i], now));
}

static void collect_tally(struct mnp_session *session, const struct gpu_device *device)
{
    struct mnp_tally *tally = &session->devices[device->number].results->tally;
    for (uint64_t i = 0; session->options.request.by_instruction && i < device->parameters->sm.count; i++)
        mnp_tally_join(tally, sm_profile_close(device->sms[i]));
    mnp_tally_sort(tally);
}

/* Also of kernels under way when the run was stopped, with their cycles so far: not where it ends between two. */
static void collect(struct mnp_session *session, uint32_t number)
{
    struct gpu_device *device = device_of(session, number);
    mnp_time now = mnp_session_time(session, mnp_session_cycle(session, session->engine->now));
    collect_ended(session, device);
    collect_timeline(session, device);
    collect_tally(session, device);
    for (uint32_t slot = 1; slot < DISPATCH_SLOTS; slot++) {
        const struct dispatch_kernel *k = dispatch_kernel_in(device->dispatch, slot);
        if (k->phase == DISPATCH_RUNNING || (k->phase == DISPATCH_LAUNCHING && session->stop != MNP_STOP_FINISHED)) {
            dispatch_cut(device->dispatch, slot, mnp_session_cycle(session, session->engine->now));
            collect_kernel(session, device, slot, now, true);
        }
    }
}

static uint64_t *elapsed(struct mnp_results *results)
{
    return &mnp_statistics_block(&results->total, &dispatch_model)->values[DISPATCH_GPU_SIM_CYCLE];
}

/* Adds the counters of a switch for packets to a device, and those that grow with time, over the whole run. */
static void add_switch(struct mnp_session *session, const struct mnp_unit *unit, uint32_t device)
{
    uint64_t counters[GPU_SWITCH_STATISTICS];
    struct mnp_pace pace;
    memcpy(counters, mnp_counters(unit, device), sizeof counters);
    unit->model->pace(unit, GPU_SWITCH_PEAK, &pace);
    counters[GPU_SWITCH_PEAK] = mnp_cycle_at(pace.hertz, session->engine->now) * pace.amount;
    mnp_statistics_add(&session->devices[device].results->total, unit->model, counters);
}

static void add_switches(struct mnp_session *session, uint32_t device)
{
    const struct gpu_fabric *fabric = &run_of(session)->system.fabric;
    if (fabric->switch_count)
        mnp_ledger_gather(&session->devices[device].ledger);
    for (uint32_t i = 0; i < fabric->switch_count; i++)
        add_switch(session, gpu_switch_unit(fabric->switches[i]), device);
}

/* The cycles of the total are those of the whole run: time, in cycles of the machine's clock. */
static void total_up(struct mnp_session *session, uint32_t device, bool finished)
{
    struct mnp_results *results = session->devices[device].results;
    const struct dispatch *dispatch = device_of(session, device)->dispatch;
    mnp_time end = finished ? dispatch_time(dispatch, dispatch_last_end(dispatch)) : session->engine->now;
    add_switches(session, device);
    *elapsed(results) = mnp_session_cycle(session, end);
    gpu_steady_estimate(results, &device_of(session, device)->parameters->sm);
}

/* Totals over several devices, which run concurrently. */
static void total_up_whole(struct mnp_session *session)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < session->device_count; i++)
        mnp_raise(&most, *elapsed(session->devices[i].results));
    *elapsed(session->results) = most;
}

static void add_progress(const struct mnp_session *session, uint32_t number, struct mnp_progress *progress)
{
    const struct gpu_device *device = device_of(session, number);
    const struct mnp_results *results = session->devices[number].results;
    progress->parts_ended += dispatch_kernels_ended(device->dispatch);
    for (uint32_t slot = 1; slot < DISPATCH_SLOTS; slot++) {
        const struct dispatch_kernel *k = dispatch_kernel_in(device->dispatch, slot);
        if (k->phase == DISPATCH_RUNNING) {
            progress->pieces_done += k->finished;
            progress->pieces_known += k->cta_count;
        }
    }
    for (uint32_t i = 0; i < results->part_count; i++)
        progress->work += mnp_statistics_block(&results->parts[i]->statistics, &sm_model)->values[SM_WARP_INSTRUCTIONS];
    for (uint64_t i = 0; i < device->parameters->sm.count; i++)
        for (uint32_t slot = 1; slot < DISPATCH_SLOTS; slot++)
            progress->work += mnp_counters(sm_unit(device->sms[i]), slot)[SM_WARP_INSTRUCTIONS];
}

static void report_progress(struct mnp_session *session, struct mnp_progress *progress)
{
    for (uint32_t i = 0; i < session->device_count; i++)
        add_progress(session, i, progress);
}

/* ===== building ===== */

static bool is_idle(const struct mnp_session *session)
{
    bool idle = true;
    for (uint32_t i = 0; i < session->device_count; i++)
        idle &= dispatch_is_idle(device_of(session, i)->dispatch);
    return idle;
}

/* A device that a fabric joins with others serves them until all are over. */
static bool is_over(const struct mnp_session *session, uint32_t device)
{
    const struct gpu_system_parameters *p = &run_of(session)->parameters;
    bool joined = gpu_fabric_joins(&p->fabric, p->devices), over = true;
    for (uint32_t i = joined ? 0 : device; i < (joined ? session->device_count : device + 1); i++)
        over &= dispatch_is_over(device_of(session, i)->dispatch);
    return over;
}

static void relax(struct mnp_session *session, uint64_t cycles)
{
    for (uint32_t i = 0; i < session->device_count; i++)
        dispatch_relax(device_of(session, i)->dispatch, cycles);
}

/* Prepares to write down what is asked for. */
static void open_timeline(const struct mnp_session *session, struct gpu_device *device)
{
    const struct mnp_run_request *request = &session->options.request;
    const struct sm_parameters *sm = &device->parameters->sm;
    uint64_t hertz = device->parameters->machine.clock_core;
    if (request->timeline_work)
        dispatch_timeline_open(device->dispatch);
    for (uint64_t i = 0; request->timeline_to && i < sm->count; i++)
        sm_timeline_open(device->sms[i], mnp_edge(hertz, request->timeline_from), mnp_edge(hertz, request->timeline_to),
                         (uint32_t)(MNP_TIMELINE_MOST / sm->count));
    for (uint64_t i = 0; request->by_instruction && i < sm->count; i++)
        sm_profile_open(device->sms[i]);
}

static void open_device(const struct mnp_session *session, struct gpu_device *device)
{
    const struct mnp_session_options *options = &session->options;
    open_timeline(session, device);
    dispatch_choose(device->dispatch,
                    &(struct dispatch_choice){.selects = options->selects,
                                              .selection = options->selection,
                                              .stops_at_ends = options->open_ended || options->on_pause});
}

/* Each device has a source. */
static bool check_devices(const struct gpu_system_parameters *p, const struct mnp_work *work, struct mnp_error *error)
{
    unsigned long devices = (unsigned long)p->devices;
    uint32_t inputs = 1 + work->other_count;
    if (devices == inputs)
        return true;
    return mnp_fail(error,
                    "gpu.devices is %lu, and there %s %u input%s; give one for each GPU, or --set gpu.devices=%u",
                    devices, inputs == 1 ? "is" : "are", inputs, inputs == 1 ? "" : "s", inputs);
}

static void build(struct mnp_session *session, struct gpu_run *run)
{
    struct mnp_source *sources[MNP_SPACE_DEVICES];
    for (uint32_t i = 0; i < session->device_count; i++)
        sources[i] = session->devices[i].source;
    gpu_system_init(&run->system, &run->parameters, sources);
    run->built = true;
    for (uint32_t i = 0; i < session->device_count; i++)
        open_device(session, run->system.devices[i]);
}

/* Statistics of parts stand behind those of the SM. */
static void extend_sm(struct mnp_session *session, struct sm_parameters *sm)
{
    struct sm_part_table tables[SM_PART_TABLES];
    uint32_t count = sm_parts_statistics(sm, tables);
    size_t rows = 0;
    for (uint32_t i = 0; i < count; i++)
        rows += tables[i].count;
    struct mnp_statistic *all = mnp_allocate(rows + 1, sizeof *all), *next = all;
    for (uint32_t i = 0; i < count; next += tables[i++].count) {
        if (tables[i].count)
            memcpy(next, tables[i].rows, tables[i].count * sizeof *next);
        for (size_t row = 0; tables[i].counters && row < tables[i].count; row++)
            next[row].bins = tables[i].counters;
    }
    if (rows)
        sm->model = mnp_session_extend(session, &sm_model, all, rows);
    free(all);
}

/* A model with the energies of its place, whose weights are the machine's, behind its statistics. */
static const struct mnp_model *with_energies(struct mnp_session *session, const struct gpu_parameters *p,
                                             const struct mnp_model *model, enum gpu_energy_place place)
{
    size_t count;
    struct mnp_statistic *rows = gpu_energy_settle(session, &p->energy, place, &count);
    if (place != GPU_ENERGY_OF_DEVICE)
        return mnp_session_extend(session, model, rows, count);
    struct mnp_model *own = mnp_session_allocate(session, 1, sizeof *own);
    *own = *model;
    own->extends = model;
    own->statistics = rows;
    own->statistic_count = count;
    mnp_session_count(session, own);
    return own;
}

/* Values are looked at in programs that execute. */
static bool open_values(const struct mnp_session *session, struct gpu_parameters *p, const struct mnp_work *work,
                        struct mnp_error *error)
{
    const struct gpu_energy_shares *random = &p->energy.random;
    if (p->energy.values && work->input != MNP_INPUT_CALLS)
        return mnp_settings_fail(session->settings, "energy.values", error,
                                 "a trace has no values; run the program itself (maniple run --energy=values -- "
                                 "PROGRAM), or leave values out");
    if (p->energy.values && session->options.request.by_instruction)
        return mnp_settings_fail(session->settings, "energy.values", error,
                                 "energies of instructions do not follow values; leave --by-instruction or values out");
    p->sm.values = p->partition.values = (uint32_t)p->energy.values;
    p->partition.random = (uint32_t)random->l2;
    p->gpc.values = p->energy.values;
    for (uint32_t group = 0; group < SM_VALUES_GROUPS; group++)
        p->sm.random[group] = (uint32_t)(group <= SM_VALUES_IMAD     ? random->alu
                                         : group < SM_VALUES_TENSOR  ? random->fma
                                         : group == SM_VALUES_TENSOR ? random->tensor
                                         : group <= SM_VALUES_WRITES ? random->registers
                                         : group == SM_VALUES_SHARED ? random->shared
                                         : group == SM_VALUES_CODE   ? random->fetch
                                                                     : random->l1);
    p->sm.sent_random = (uint32_t)random->l2;
    return true;
}

/* Energies are counted if the machine has a model of them. */
static bool open_energy(struct mnp_session *session, struct gpu_parameters *p, const struct mnp_work *work,
                        struct mnp_error *error)
{
    static const char *const sampled[2][2] = {
        {SAMPLES ",energy*,power", SAMPLES ",energy*,power,temperature"},
        {SAMPLES ",energy*,power,core_clock", SAMPLES ",energy*,power,core_clock,temperature"}};
    if (!p->energy.model)
        return gpu_energy_refuse_idle(session->settings, error);
    if (!open_values(session, p, work, error))
        return false;
    if (p->sm.steady_period)
        return mnp_settings_fail(session->settings, "energy.model", error,
                                 "the energy of what --steady passes over is not counted; leave one of them out");
    p->sm.energy_counters = mnp_statistic_width(p->sm.model);
    p->sm.places = (struct sm_values_places){.toggled = p->sm.energy_counters + GPU_ENERGY_TOGGLED,
                                             .fetch = p->sm.energy_counters + GPU_ENERGY_ACTIVITY_FETCH,
                                             .sent = p->sm.energy_counters + GPU_ENERGY_SENT};
    p->sm.model = with_energies(session, p, p->sm.model, GPU_ENERGY_OF_SM);
    p->gpc.model = with_energies(session, p, &gpu_gpc_model, GPU_ENERGY_OF_GPC);
    p->partition.energy_counters = mnp_statistic_width(&gpu_partition_model);
    p->partition.model = with_energies(session, p, &gpu_partition_model, GPU_ENERGY_OF_PARTITION);
    p->energy_model = with_energies(session, p, &gpu_energy_model, GPU_ENERGY_OF_DEVICE);
    if (!session->options.request.sample_statistics)
        session->options.request.sample_statistics = sampled[p->energy.governor != 0][p->energy.thermal.model != 0];
    p->energy_pace = gpu_energy_pace_of(&p->energy, p->machine.clock_core, p->sm.count);
    if (p->energy.governor)
        p->energy_pace.core = &run_of(session)->governing.clocks.core;
    if (gpu_energy_changes(&p->energy) || p->energy.thermal.model) {
        p->energy_pace.sm_levels = &run_of(session)->power.sm;
        p->energy_pace.l2_levels = &run_of(session)->power.l2;
        p->energy_pace.temperature_levels = &run_of(session)->power.temperature;
    }
    return true;
}

/* ===== clocks and temperatures that follow the power ===== */

static bool check_changes(const struct mnp_session *session, const struct gpu_parameters *p, struct mnp_error *error)
{
    return (!p->energy.governor || gpu_governing_check(session, p, error)) &&
           (!p->energy.thermal.model || gpu_warming_check(session, p, error));
}

static mnp_time next_change(const struct gpu_run *run)
{
    mnp_time governs = run->governing.due, warms = run->warming.due;
    return governs && warms ? mnp_min(governs, warms) : governs + warms;
}

static void begin_changes(struct mnp_session *session, struct gpu_run *run)
{
    const struct gpu_parameters *p = &run->parameters.device;
    if (!p->energy.governor && !p->energy.thermal.model)
        return;
    gpu_static_power_init(&run->power, p);
    if (p->energy.governor)
        gpu_governing_init(&run->governing, session, run->system.devices[0], &run->power);
    if (p->energy.thermal.model)
        gpu_warming_init(&run->warming, p, &run->power);
    session->next_tick = next_change(run);
}

static mnp_time tick(struct mnp_session *session, mnp_time now)
{
    struct gpu_run *run = run_of(session);
    if (run->warming.due == now)
        gpu_warming_tick(&run->warming, session, now);
    if (run->governing.due == now)
        gpu_governing_tick(&run->governing, session, now);
    return next_change(run);
}

uint64_t gpu_temperature_of(const struct mnp_session *session)
{
    const struct gpu_run *run = run_of(session);
    return run->warming.due ? gpu_thermal_now(&run->warming.thermal) : 1000 * run->parameters.device.energy.temperature;
}

/* Hubs are counted with their devices, as are packets that switches pass on to these. */
static void count_fabric(struct mnp_session *session, const struct gpu_fabric_parameters *fabric)
{
    mnp_session_count(session, &gpu_hub_model);
    if (fabric->switches.count)
        mnp_session_count(session, &gpu_switch_model);
}

static bool open_gpu(struct mnp_session *session, struct mnp_settings *settings, const struct mnp_work *work,
                     struct mnp_error *error)
{
    struct gpu_run *run = session->machine = mnp_allocate(1, sizeof *run);
    const struct gpu_machine_parameters *p = &run->parameters.device.machine;
    if (!gpu_system_parameters_read(&run->parameters, settings, error) || !check_devices(&run->parameters, work, error))
        return false;
    extend_sm(session, &run->parameters.device.sm);
    if (gpu_fabric_joins(&run->parameters.fabric, run->parameters.devices))
        count_fabric(session, &run->parameters.fabric);
    run->parameters.device.energy.linked = gpu_fabric_joins(&run->parameters.fabric, run->parameters.devices);
    run->parameters.device.energy.switched =
        run->parameters.device.energy.linked && run->parameters.fabric.switches.count;
    if (!open_energy(session, &run->parameters.device, work, error))
        return false;
    if (!check_changes(session, &run->parameters.device, error))
        return false;
    build(session, run);
    session->engine = &run->system.engine;
    session->hertz = p->clock_core;
    begin_changes(session, run);
    session->livelock = p->livelock;
    session->intake = dispatch_unit(run->system.devices[0]->dispatch);
    for (uint32_t i = 1; i < session->device_count; i++)
        session->devices[i].intake = dispatch_unit(run->system.devices[i]->dispatch);
    return true;
}

static void close_gpu(struct mnp_session *session)
{
    struct gpu_run *run = run_of(session);
    if (run->built)
        gpu_system_release(&run->system);
    gpu_governing_release(&run->governing);
    gpu_static_power_release(&run->power);
    free(run);
}

static bool check(struct mnp_settings *settings, struct mnp_error *error)
{
    struct gpu_system_parameters parameters;
    return gpu_system_parameters_read(&parameters, settings, error);
}

/* An address leads to a device, and there to a partition. */
static void warm(struct mnp_session *session, const struct mnp_extent *extents, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        const struct gpu_device *device = gpu_system_home(&run_of(session)->system, 0, extents[k].address);
        for (uint64_t i = 0; i < device->parameters->partition.count; i++)
            gpu_partition_warm(device->partitions[i], extents[k].address, extents[k].bytes);
    }
}

/* Lines of code, or of constants, come into the caches below the SMs: those of an SM forget them with every kernel. */
static void warm_lines(const struct gpu_device *device, uint64_t address, uint64_t bytes)
{
    const struct gpu_parameters *p = device->parameters;
    uint64_t line = p->sm.l1i_line, end = address + bytes;
    for (address -= address % line; address < end; address += line) {
        for (uint64_t i = 0; i < p->partition.count; i++)
            gpu_partition_warm(device->partitions[i], address, line);
        for (uint64_t i = 0; i < p->gpc.count; i++)
            gpu_gpc_warm_code(device->gpcs[i], address, line);
    }
}

static void warm_code(struct mnp_session *session, const char *kernel, uint64_t bytes, uint64_t constants)
{
    uint64_t base = sm_code_base(kernel);
    const struct gpu_device *device = device_of(session, 0);
    const struct sm_parameters *sm = &device->parameters->sm;
    warm_lines(device, base, bytes + sm->l0i_prefetch * sm->l1i_line); /* prefetching goes on behind the end */
    warm_lines(device, base + SM_CONSTANTS, constants);
    dispatch_has_run(device->dispatch, kernel, bytes);
}

/* ===== snapshots, of one device ===== */

static enum mnp_standing standing(const struct mnp_session *session, uint32_t *part)
{
    const struct dispatch *dispatch = device_of(session, 0)->dispatch;
    *part = dispatch_all_ended(dispatch);
    if (dispatch_is_over(dispatch))
        return MNP_STANDS_OVER;
    return dispatch_has_placed(dispatch) ? MNP_STANDS_INSIDE : MNP_STANDS_BETWEEN;
}

static void keep(const struct mnp_session *session, struct mnp_snapshot *snapshot)
{
    mnp_snapshot_put_number(snapshot, session->source->unknown_opcodes);
    dispatch_keep(device_of(session, 0)->dispatch, snapshot);
}

static bool take(struct mnp_session *session, struct mnp_snapshot_reader *reader)
{
    return mnp_snapshot_take_number(reader, &session->source->unknown_opcodes) &&
           dispatch_take(device_of(session, 0)->dispatch, reader);
}

const struct mnp_machine_kind gpu_kind = {
    .name = "gpu",
    .summary = "A GPU: SMs behind GPCs and a crossbar, L2 slices, DRAM, and a dispatcher of kernels.",
    .models = gpu_models,
    .counting = counting,
    .form = &mnp_kernel_form,
    .inputs = MNP_INPUT_KERNELS | MNP_INPUT_CALLS,
    .samples = SAMPLES,
    .several = true,
    .tally = true,
    .energy = true,
    .timeline = {"ctas", "warps"},
    .check = check,
    .open = open_gpu,
    .close = close_gpu,
    .relax = relax,
    .between = between,
    .progress = report_progress,
    .is_idle = is_idle,
    .warm = warm,
    .warm_code = warm_code,
    .standing = standing,
    .keep = keep,
    .take = take,
    .collect = collect,
    .total = total_up,
    .whole = total_up_whole,
    .tick = tick,
    .is_over = is_over,
};
