/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The simulation of kernels. With time, they are given to a machine, which is built for the first of them and runs as
 * far as the clocks need (clock.c). With `--functional` a kernel's values are computed when it begins, one CTA after
 * the other, and its duration is what one warp instruction per cycle on every SM in use would take: that keeps the
 * program's clocks going, and predicts nothing.
 */
#include "cudart/stream/simulation.h"

#include "base/arena.h"
#include "base/range.h"
#include "contract/kernel_results.h"
#include "cudart/base/failure.h"
#include "cudart/base/interrupt.h"
#include "cudart/base/options.h"
#include "cudart/base/rank_commands.h"
#include "cudart/base/signals.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/device/managed_memory.h"
#include "cudart/device/ranks.h"
#include "cudart/stream/clock.h"
#include "cudart/stream/collectives.h"
#include "cudart/stream/kernel_mail.h"
#include "cudart/stream/other_processes.h"
#include "cudart/stream/profiler_ranges.h"
#include "cudart/stream/run_output.h"
#include "cudart/stream/snapshot.h"
#include "cudart/stream/streams.h"
#include "execute/device/journal.h"
#include "execute/live/source.h"
#include "gpu/device/latency.h"
#include "gpu/dispatch/dispatch.h"
#include "gpu/system/kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    INSTRUCTION_BYTES = 16,
    PARAMETERS_BEGIN = 0x380, /* in the bank of constants, at the most (frontend/sass/cubin.c) */
    ROUNDS = 2,               /* in which a kernel by value only polls, after which others go on */
};

enum { FUNCTIONAL_WARP_INSTRUCTIONS, FUNCTIONAL_STATISTICS };

static const struct mnp_statistic statistics[FUNCTIONAL_STATISTICS] = {
    [FUNCTIONAL_WARP_INSTRUCTIONS] =
        MNP_COUNTER_ROW("gpgpu_n_tot_w_icount", "instruction", "PTX instructions that warps have executed"),
};

static const struct mnp_model functional_model = {
    .name = "functional",
    .summary = "Execution without timing.",
    .statistics = statistics,
    .statistic_count = FUNCTIONAL_STATISTICS,
};

void cudart_simulation_init(struct cudart *rt)
{
    rt->simulation->timed = !rt->calls.options.functional;
    mnp_results_init(&rt->simulation->results, rt->calls.options.verbosity);
    struct mnp_error error = {{0}};
    rt->simulation->sampling = rt->calls.options.sampling;
    if (!mnp_sampling_open(&rt->simulation->sampling, &error)) /* the command has read it too */
        cudart_fail(rt, cudart_refuse(rt, &error, CUDA_INITIALIZATION_ERROR));
}

/* ===== which kernels ===== */

void cudart_meet_kernel(struct cudart *rt, const struct cudart_operation *operation)
{
    if (operation->number) /* 0: the operation belongs to a graph that is built */
        mnp_sampling_meet(&rt->simulation->sampling, operation->number, operation->kernel->name);
}

static bool is_wanted(const struct cudart *rt, const struct cudart_operation *operation)
{
    return operation->in_region ||
           mnp_sampling_has(&rt->simulation->sampling, operation->number, operation->kernel->name);
}

static bool is_chosen(const struct cudart *rt, struct cudart_operation *operation)
{
    if (operation->way == CUDART_UNDECIDED)
        operation->way = !rt->snapshots->resuming && is_wanted(rt, operation) ? CUDART_TIMED : CUDART_BY_VALUE;
    return operation->way == CUDART_TIMED;
}

/* Whether the plan means this program: said once, for no launch is simulated in vain. */
static void check_plan(struct cudart *rt, const struct cudart_operation *operation)
{
    const struct execute_launch *launch = &operation->launch;
    struct mnp_error error = {{0}};
    if (!rt->simulation->sampling.plan || rt->simulation->misplanned ||
        mnp_plan_agrees(rt->simulation->sampling.plan, operation->number, operation->kernel->name, launch->grid,
                        launch->block, &error))
        return;
    rt->simulation->misplanned = true;
    cudart_refuse(rt, &error, CUDA_SUCCESS);
}

bool cudart_is_by_value(const struct cudart *rt, struct cudart_operation *operation)
{
    return !rt->simulation->timed || !is_chosen(rt, operation);
}

/* The program's error for that of a kernel, which says what kind of fault it was. `other`: for one that is none. */
static enum cuda_error error_of(const struct mnp_error *error, enum cuda_error other)
{
    static const enum cuda_error errors[] = {
        [EXECUTE_FAULT_ADDRESS] = CUDA_ILLEGAL_ADDRESS,
        [EXECUTE_FAULT_MULTIMEM] = CUDA_ILLEGAL_ADDRESS,
        [EXECUTE_FAULT_MISALIGNED] = CUDA_MISALIGNED_ADDRESS,
        [EXECUTE_FAULT_SHARED] = CUDA_LAUNCH_FAILURE,
        [EXECUTE_FAULT_LOCAL] = CUDA_LAUNCH_FAILURE,
        [EXECUTE_FAULT_LOCAL_FULL] = CUDA_HARDWARE_STACK_ERROR,
        [EXECUTE_FAULT_PARAMETER] = CUDA_LAUNCH_FAILURE,
        [EXECUTE_FAULT_TRAP] = CUDA_LAUNCH_FAILURE,
        [EXECUTE_FAULT_ASSERT] = CUDA_ASSERT,
        [EXECUTE_FAULT_STACK] = CUDA_HARDWARE_STACK_ERROR,
        [EXECUTE_FAULT_TARGET] = CUDA_INVALID_PC,
        [EXECUTE_FAULT_BARRIER] = CUDA_ILLEGAL_INSTRUCTION,
        [EXECUTE_FAULT_BARRIER_THREADS] = CUDA_ILLEGAL_INSTRUCTION,
        [EXECUTE_FAULT_TEXTURE] = CUDA_LAUNCH_FAILURE,
        [EXECUTE_FAULT_MEMORY] = CUDA_LAUNCH_FAILURE,
        [EXECUTE_FAULT_TMEM_SIZE] = CUDA_ILLEGAL_INSTRUCTION,
        [EXECUTE_FAULT_TMEM_LEAK] = CUDA_TENSOR_MEMORY_LEAK,
        [EXECUTE_FAULT_TCGEN05_SHAPE] = CUDA_ILLEGAL_INSTRUCTION,
    };
    bool known = error->kind > EXECUTE_FAULT_NONE && error->kind < sizeof errors / sizeof *errors;
    return known && errors[error->kind] ? errors[error->kind] : other;
}

/* ===== without time ===== */

/* The results of a device. */
static struct mnp_results *results_of(const struct cudart_device *device)
{
    const struct cudart *rt = device->rt;
    struct mnp_results *all = &rt->simulation->results;
    if (rt->machine_devices == 1)
        return all;
    if (!all->device_count)
        mnp_results_add_devices(all, rt->machine_devices);
    return all->devices[device->place];
}

static void count(struct cudart *rt, const struct cudart_operation *operation, uint64_t steps)
{
    static const struct mnp_model *const models[] = {&functional_model};
    if (rt->simulation->session) /* its results are those of the machine */
        return;
    struct mnp_results *all = &rt->simulation->results, *own = results_of(operation->device);
    all->form = own->form = &mnp_kernel_form;
    if (!all->total.block_count)
        mnp_statistics_init(&all->total, models, 1, false);
    for (uint32_t i = 0; i < all->device_count; i++)
        if (!all->devices[i]->total.block_count)
            mnp_statistics_init(&all->devices[i]->total, models, 1, false);
    struct mnp_part_results *result = mnp_results_add_part(own, models, 1);
    mnp_kernel_describe(result, own == all ? own->part_count : operation->number, operation->kernel->name,
                        operation->launch.grid, operation->launch.block, operation->stream_name);
    mnp_part_describe_text(result, "code", operation->launch.code->module->language->name);
    result->range = cudart_range_of(operation->device, operation->number);
    result->partial = rt->faults.pending != CUDA_SUCCESS;
    mnp_statistics_add(&result->statistics, &functional_model, &steps);
    mnp_statistics_add(&all->total, &functional_model, &steps);
    if (own != all)
        mnp_statistics_add(&own->total, &functional_model, &steps);
}

/* The user wants the run to end, not the program to go on. */
static void leave(struct cudart *rt, enum mnp_end end)
{
    rt->simulation->end = end;
    cudart_fail(rt, CUDA_LAUNCH_TIMEOUT);
    cudart_unlock();
    exit(rt->sharing.bereaved ? MNP_EXIT_USER : mnp_end_status(end));
}

struct execute_warming *cudart_warming(struct cudart *rt, const struct cudart_device *device)
{
    if (!rt->calls.options.sampling.warm || !rt->simulation->timed)
        return NULL;
    const struct gpu_partition_parameters *l2 = &device->parameters.partition;
    if (!rt->simulation->warming)
        rt->simulation->warming = execute_warming_open(l2->count * l2->slices * l2->cache.size);
    return rt->simulation->warming;
}

/* The observer of kernels that are executed by value: a check, or the warming of caches, which a snapshot has where one
 * is gone on from. NULL: none. */
static const struct execute_observer *observer_of(struct cudart_device *device)
{
    struct execute_warming *warming = device->rt->snapshots->resuming ? NULL : cudart_warming(device->rt, device);
    if (device->check)
        return execute_check_launch(device->check);
    return warming ? execute_warming_observer(warming) : NULL;
}

/* Behind those that were executed before, once each. */
static void keep_code(struct cudart *rt, const struct execute_code *code)
{
    struct cudart_warm_code *codes = rt->simulation->codes.items,
                            kept = {.bytes = code->ops.count * INSTRUCTION_BYTES,
                                    .constants = PARAMETERS_BEGIN + code->parameter_bytes};
    uint32_t count = rt->simulation->codes.count, i = 0;
    snprintf(kept.kernel, sizeof kept.kernel, "%s", code->name);
    while (i < count && strcmp(codes[i].kernel, kept.kernel) != 0)
        i++;
    if (i == count) {
        *(struct cudart_warm_code *)mnp_array_add(&rt->simulation->codes, 1, sizeof kept) = kept;
        return;
    }
    memmove(&codes[i], &codes[i + 1], (count - i - 1) * sizeof kept);
    codes[count - 1] = kept;
}

/* Warms the L2 with the memory that kernels by value have touched since kernels with time ran last. */
static void warm(struct cudart *rt)
{
    uint32_t count;
    if (!rt->simulation->warming || !rt->simulation->session || !rt->simulation->session->kind->warm)
        return;
    const struct mnp_extent *extents = execute_warming_take(rt->simulation->warming, &count);
    rt->simulation->session->kind->warm(rt->simulation->session, extents, count);
    const struct cudart_warm_code *codes = rt->simulation->codes.items;
    for (uint32_t i = 0; i < rt->simulation->codes.count; i++)
        rt->simulation->session->kind->warm_code(rt->simulation->session, codes[i].kernel, codes[i].bytes,
                                                 codes[i].constants);
    rt->simulation->codes.count = 0;
}

static void fail(struct cudart *rt, const struct mnp_error *error)
{
    if (!cudart_is_ending(rt)) {
        cudart_say(error);
        if (error->kind == EXECUTE_ENDLESS_WAIT)
            rt->simulation->end = MNP_END_HANG;
        else if (error->kind == EXECUTE_ENDLESS_POLL)
            rt->simulation->end = MNP_END_LIVELOCK;
        else if (error->kind == EXECUTE_FAULT_NONE)
            cudart_spoil(rt); /* a file of a recording */
        else
            rt->faults.faulted = true;
    }
    cudart_break(rt, error_of(error, CUDA_LAUNCH_TIMEOUT)); /* without a fault, it waits at a barrier for ever */
}

/* A kernel by value has ended, having executed so many steps: what it has taken. */
static void account(struct cudart *rt, struct cudart_operation *operation, uint64_t steps)
{
    const struct cudart_device *device = operation->device;
    const struct execute_launch *launch = &operation->launch;
    uint64_t ctas = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    uint64_t sms = ctas < device->parameters.sm.count ? ctas : device->parameters.sm.count;
    fflush(stdout);
    if (rt->simulation->timed && !cudart_is_ending(rt))
        return; /* between kernels with time: it takes none */
    uint64_t cycles = gpu_launch_cycles(&device->parameters) + (steps + sms - 1) / sms;
    operation->ends += cycles * (UINT64_C(1000000000000000) / device->parameters.machine.clock_core);
    count(rt, operation, steps);
    if (cudart_is_ending(rt))
        leave(rt, cudart_wished_end(rt));
}

/* ===== kernels that wait for others ===== */

bool cudart_is_aside(const struct cudart *rt)
{
    return rt->simulation->aside.count != 0;
}

const char *cudart_first_aside(const struct cudart *rt)
{
    return cudart_is_aside(rt) ? ((const struct cudart_aside *)rt->simulation->aside.items)->operation->kernel->name
                               : NULL;
}

/* Takes a kernel off the list, which has ended or failed. */
static void take_back(struct cudart *rt, uint32_t place)
{
    struct cudart_aside *all = rt->simulation->aside.items, one = all[place];
    memmove(&all[place], &all[place + 1], (--rt->simulation->aside.count - place) * sizeof *all);
    execute_grid_close(one.grid);
    one.operation->device->aside--;
    one.operation->ends = rt->clock->device;
    account(rt, one.operation, one.steps);
    mnp_raise(&one.operation->device->compute_free, one.operation->ends);
}

/* A grid goes on; of all processes that share the devices, this one alone. */
static enum execute_grid_state run_grid(struct cudart *rt, struct execute_open_grid *grid, uint32_t rounds, bool *moved,
                                        struct mnp_error *error)
{
    bool one = false;
    cudart_hold_signals(rt);
    if (!cudart_sharing_meets(&rt->sharing))
        return execute_grid_run(grid, rounds, moved, error);
    if (!cudart_sharing_take(&rt->sharing, &rt->interrupt.wish))
        return EXECUTE_GRID_FAILED;
    enum execute_grid_state state = execute_grid_run(grid, rounds, &one, error);
    cudart_sharing_give(&rt->sharing);
    *moved |= one;
    if (one || state == EXECUTE_GRID_ENDED)
        cudart_sharing_move(&rt->sharing);
    return state;
}

/* One turn. False: it has failed. */
static bool take_turn(struct cudart *rt, struct cudart_aside *one, bool *ended, bool *moved)
{
    struct mnp_error error = {{0}};
    struct execute_device *device = &one->operation->device->functional;
    uint64_t before = device->steps;
    enum execute_grid_state state = run_grid(rt, one->grid, 1, moved, &error);
    one->steps += device->steps - before;
    *ended = state == EXECUTE_GRID_ENDED;
    if (state == EXECUTE_GRID_FAILED)
        fail(rt, &error);
    return state != EXECUTE_GRID_FAILED;
}

bool cudart_take_turns(struct cudart *rt)
{
    bool moved = false, good = true;
    for (uint32_t i = 0; good && i < rt->simulation->aside.count;) {
        bool ended = false;
        good = take_turn(rt, (struct cudart_aside *)rt->simulation->aside.items + i, &ended, &moved);
        if (ended || !good)
            take_back(rt, i);
        else
            i++;
        moved |= ended;
    }
    rt->simulation->idle = moved || !good ? 0 : rt->simulation->idle + 1;
    return moved;
}

bool cudart_turns_are_vain(const struct cudart *rt, bool for_good)
{
    return !cudart_is_aside(rt) || rt->simulation->idle >= (for_good ? EXECUTE_GRID_PATIENCE : ROUNDS);
}

void cudart_renew_turns(struct cudart *rt)
{
    rt->simulation->idle = 0;
}

/* Behind a kernel that has failed, the others of the same kind are no more. */
static void drop_aside(struct cudart *rt)
{
    struct cudart_aside *all = rt->simulation->aside.items;
    for (uint32_t i = 0; i < rt->simulation->aside.count; i++) {
        execute_grid_close(all[i].grid);
        all[i].operation->device->aside--;
    }
    rt->simulation->aside.count = rt->simulation->idle = 0;
}

/* Reports streams that wait for events of other processes, if no kernel waits. */
static void tell_of_events(const struct cudart *rt)
{
    char name[CUDART_SHARING_NAME + 2];
    struct mnp_error told = {{0}};
    mnp_fail(&told, "%swaits for an event that no process records (cudaIpcOpenEventHandle)", cudart_own_name(rt, name));
    if (!rt->simulation->aside.count && !cudart_is_ending(rt))
        cudart_say(&told);
}

void cudart_give_up(struct cudart *rt)
{
    char name[CUDART_SHARING_NAME + 2];
    struct cudart_aside *all = rt->simulation->aside.items;
    bool collective = false;
    tell_of_events(rt);
    cudart_break(rt, CUDA_LAUNCH_TIMEOUT);
    if (!cudart_is_ending(rt))
        rt->simulation->end = MNP_END_LIVELOCK;
    for (uint32_t i = 0; i < rt->simulation->aside.count; i++) {
        struct mnp_error error = {{0}}, told = {{0}};
        execute_grid_report(all[i].grid, &error);
        if (rt->machine_devices == 1)
            told = error;
        else
            mnp_fail(&told, "%sGPU %u: %s", cudart_own_name(rt, name), all[i].operation->device->place, error.text);
        if (!cudart_is_ending(rt))
            cudart_say(&told);
        collective |= cudart_is_collective(all[i].operation->launch.code->name);
        count(rt, all[i].operation, all[i].steps);
    }
    if (collective && !cudart_is_ending(rt))
        cudart_blame_calls(rt);
}

/* Puts a kernel aside that only polls. Others continue until its turn comes. */
static void put_aside(struct cudart *rt, struct cudart_operation *operation, struct execute_open_grid *grid,
                      uint64_t steps)
{
    *(struct cudart_aside *)mnp_array_add(&rt->simulation->aside, 1, sizeof(struct cudart_aside)) =
        (struct cudart_aside){operation, grid, steps};
    operation->device->aside++;
    operation->ends = MNP_NEVER;
    rt->simulation->idle = 0;
}

/* Whether a kernel that only polls may be put aside: what it waits for may come, but in runs with time, where nothing
 * else is under way, and where each access is shown. */
static bool can_wait(const struct cudart *rt, const struct cudart_device *device)
{
    return !rt->simulation->timed && !device->functional.observer;
}

/* Executes it, or a part: false. */
static bool execute_grid_of(struct cudart *rt, struct cudart_operation *operation, struct mnp_error *error, bool *good)
{
    struct execute_device *device = &operation->device->functional;
    uint64_t before = device->steps;
    bool waits = can_wait(rt, operation->device);
    struct execute_open_grid *grid = execute_grid_open(device, &operation->launch);
    bool moved = false;
    enum execute_grid_state state = run_grid(rt, grid, waits ? ROUNDS : EXECUTE_GRID_PATIENCE, &moved, error);
    if (state == EXECUTE_GRID_POLLS && waits) {
        put_aside(rt, operation, grid, device->steps - before);
        return false;
    }
    *good = state == EXECUTE_GRID_ENDED || (state == EXECUTE_GRID_POLLS && execute_grid_report(grid, error));
    execute_grid_close(grid);
    rt->simulation->idle = 0; /* others may have waited for it */
    return true;
}

/* ===== without time ===== */

static void execute(struct cudart *rt, struct cudart_operation *operation)
{
    struct mnp_error error = {{0}};
    struct cudart_device *device = operation->device;
    struct execute_launch *launch = &operation->launch;
    uint64_t before = device->functional.steps;
    bool good;
    launch->number = device->functional.launches + 1;
    rt->simulation->by_value += !is_chosen(rt, operation);
    if (rt->calls.options.sampling.skip && rt->simulation->timed && !is_wanted(rt, operation))
        return;
    device->functional.observer = observer_of(device);
    if (rt->simulation->warming && !rt->snapshots->resuming)
        keep_code(rt, launch->code);
    if (device->recorder && is_chosen(rt, operation))
        good = execute_recorder_run(device->recorder, &device->functional, launch, operation->stream, &error);
    else if (!execute_grid_of(rt, operation, &error, &good))
        return; /* the grid waits for others */
    if (device->check)
        execute_check_settle(device->check);
    if (!good)
        fail(rt, &error);
    device->functional.observer = NULL;
    account(rt, operation, device->functional.steps - before);
}

/* ===== with time ===== */

static void on_kernel_end(void *context, uint32_t device, uint32_t kernel, mnp_time requested, mnp_time ended)
{
    struct cudart_device *of = cudart_by_place(context, device);
    struct cudart_operation **operation = (struct cudart_operation **)of->started.items + (kernel - 1);
    (void)requested;
    if (!*operation) { /* another process has it */
        of->running--;
        cudart_send_end(context, of, kernel, ended);
        return;
    }
    (*operation)->done = true;
    (*operation)->ends = ended;
    (*operation)->device->running--;
    *operation = NULL;
}

bool cudart_is_running(const struct cudart *rt)
{
    for (uint32_t i = 0; i < rt->machine_devices; i++)
        if (rt->devices[i].running)
            return true;
    return false;
}

/* The session has stopped: nothing runs any more. */
static void forget_running(struct cudart *rt)
{
    for (uint32_t i = 0; i < rt->machine_devices; i++)
        rt->devices[i].running = 0;
}

static struct mnp_source *open_source(struct cudart_device *device)
{
    cudart_keep_prints(device);
    device->source = execute_source_open(&device->functional, mnp_settings_architecture(device->settings));
    execute_source_set_stream(device->source, 0);
    return device->source;
}

bool cudart_build_machine(struct cudart *rt, struct mnp_error *error)
{
    const struct cudart_device *first = cudart_by_place(rt, 0);
    struct mnp_source *others[MNP_SPACE_DEVICES];
    struct mnp_session_options options = cudart_session_options(&rt->calls.options, &rt->processes);
    options.on_part_end = on_kernel_end;
    options.context = rt;
    options.without_hash |= rt->sharing.timed; /* memory that other processes have written has no part in it */
    rt->simulation->timed = false;             /* in case the machine cannot be built */
    if (rt->sharing.timed && rt->calls.options.hash)
        return mnp_fail(error, "--hash: processes that share GPUs with time have no state hashes, as memory that the "
                               "others write has no part in them; leave it out, or use threads of one process");
    if (!cudart_output_open(rt, &options, error))
        return false;
    cudart_command_ranks(rt, CUDART_RANK_MACHINE, 0);
    for (uint32_t i = 0; i < rt->machine_devices; i++)
        others[i] = open_source(cudart_by_place(rt, i));
    struct mnp_work work = {
        .input = MNP_INPUT_CALLS, .source = others[0], .others = others + 1, .other_count = rt->machine_devices - 1};
    rt->simulation->session =
        mnp_session_open(&gpu_kind, first->settings, &work, &options, &rt->simulation->results, error);
    return rt->simulation->timed = rt->simulation->session != NULL;
}

void cudart_wake_machine(struct cudart *rt)
{
    if (rt->simulation->session)
        mnp_session_wake(rt->simulation->session);
}

static void hand_over(struct cudart *rt, struct cudart_operation *operation)
{
    struct cudart_device *device = operation->device;
    *(uint32_t *)mnp_array_add(&device->numbers, 1, sizeof(uint32_t)) = operation->number;
    if (cudart_follows(rt)) {
        execute_note_launch(&device->functional, &operation->launch, operation->stream_name);
    } else {
        execute_source_set_stream(device->source, operation->stream_name);
        execute_source_queue(device->source, &operation->launch);
    }
    *(struct cudart_operation **)mnp_array_add(&device->started, 1, sizeof operation) = operation;
    operation->device->running++;
    cudart_wake_machine(rt);
}

void cudart_start_kernel(struct cudart *rt, struct cudart_operation *operation)
{
    cudart_expect_writes(operation->device);
    if (cudart_is_by_value(rt, operation)) {
        if (mnp_share_gives(&rt->calls.options.share) && operation->number > rt->calls.options.share.last)
            leave(rt, MNP_END_FINISHED); /* the others' launches */
        execute(rt, operation);
        return;
    }
    check_plan(rt, operation);
    if (!cudart_is_running(rt))
        warm(rt);
    hand_over(rt, operation);
}

void cudart_give_gone(struct cudart_device *device, uint32_t number)
{
    *(uint32_t *)mnp_array_add(&device->numbers, 1, sizeof number) = number;
    mnp_array_add(&device->started, 1, sizeof(struct cudart_operation *));
    execute_source_queue_gone(device->source);
}

bool cudart_give_again(struct cudart *rt, struct cudart_operation *operation)
{
    if (!operation || operation->started)
        return false;
    operation->way = CUDART_TIMED;
    operation->started = true;
    hand_over(rt, operation);
    return true;
}

/* Fills in the results, once. The report of a machine that has stopped names code and lines of kernels, which a program
 * may unload, or lose by a reset, before it ends. */
static void collect(struct cudart *rt)
{
    if (rt->simulation->collected || !rt->simulation->session)
        return;
    rt->simulation->collected = true;
    cudart_command_ranks(rt, CUDART_RANK_COLLECT, 0);
    mnp_session_collect(rt->simulation->session);
}

/* The machine cannot go on without what its kernels are of. */
void cudart_drop_kernels(struct cudart *rt)
{
    drop_aside(rt);
    if (cudart_is_running(rt)) {
        collect(rt);
        rt->simulation->timed = false;
    }
    forget_running(rt);
}

/* The machine has stopped for good: what the program hears of it. */
static void stop(struct cudart *rt, enum mnp_stop why, const struct mnp_error *error)
{
    fflush(stdout);
    collect(rt);
    rt->simulation->timed = false;
    forget_running(rt);
    cudart_stop_others(rt, why == MNP_STOP_FAULT ? error_of(error, CUDA_LAUNCH_FAILURE) : CUDA_LAUNCH_TIMEOUT);
    if (why == MNP_STOP_FAULT) {
        cudart_say(error);
        rt->faults.faulted = true;
        cudart_break(rt, error_of(error, CUDA_LAUNCH_FAILURE));
        return;
    }
    cudart_break(rt, CUDA_LAUNCH_TIMEOUT);
    if (why == MNP_STOP_HANG || why == MNP_STOP_LIVELOCK) {
        cudart_blame_ranks(rt, &rt->simulation->results);
        return;
    }
    enum mnp_end end = why == MNP_STOP_LIMIT ? MNP_END_LIMIT : cudart_wished_end(rt);
    if (rt->sharing.timed && (cudart_is_ending(rt) || cudart_ask_end()))
        rt->simulation->end = end; /* the thread that waits for ends from outside ends the program, with its results */
    else
        leave(rt, end);
}

/* The first multiple of an epoch at or after a time. */
static uint64_t grid_after(const struct cudart *rt, uint64_t time)
{
    uint64_t epoch = mnp_session_epoch(rt->simulation->session), rest = time % epoch;
    return rest == 0 || time == MNP_NEVER ? time : time + (epoch - rest);
}

uint64_t cudart_run_machine(struct cudart *rt, uint64_t until)
{
    struct mnp_error error = {{0}};
    MNP_REQUIRE(until != MNP_NEVER || (cudart_is_running(rt) && !cudart_is_aside(rt)), "a stream waits for nothing");
    if (!rt->simulation->timed || !rt->simulation->session)
        return until;
    if (until <= mnp_session_now(rt->simulation->session))
        return mnp_session_now(rt->simulation->session);
    until = grid_after(rt, until);
    cudart_command_ranks(rt, CUDART_RANK_RUN, until);
    cudart_output_resume(rt);
    enum mnp_stop why = mnp_session_run(rt->simulation->session, until, &error);
    cudart_print_of_ranks(rt, rt->devices[0].source);
    if (cudart_output_pause(rt) && (why == MNP_STOP_NOT_YET || why == MNP_STOP_FINISHED)) {
        cudart_command_ranks(rt, CUDART_RANK_RUN, MNP_NEVER);
        why = mnp_session_run(rt->simulation->session, MNP_NEVER, &error); /* the run ends immediately */
        cudart_print_of_ranks(rt, rt->devices[0].source);
    }
    if (why != MNP_STOP_NOT_YET && why != MNP_STOP_FINISHED)
        stop(rt, why, &error);
    return mnp_session_now(rt->simulation->session);
}

uint64_t cudart_run_machine_beside(struct cudart *rt, uint64_t until)
{
    if (until != MNP_NEVER && rt->simulation->session && rt->simulation->timed)
        mnp_session_expect(rt->simulation->session, until);
    return cudart_run_machine(rt, until);
}

void cudart_await_end_of(struct cudart *rt, const struct cudart_operation *operation)
{
    if (rt->simulation->session && rt->simulation->timed)
        mnp_session_expect(rt->simulation->session, operation->ends);
}

/* Kernels are numbered as the program has launched them. */
static void number_parts(const struct cudart_device *device)
{
    const struct mnp_results *results = results_of(device);
    for (uint32_t i = 0; i < results->part_count; i++) {
        results->parts[i]->id = i < device->numbers.count ? ((const uint32_t *)device->numbers.items)[i] : i + 1;
        results->parts[i]->range = cudart_range_of(device, results->parts[i]->id);
    }
}

void cudart_complete_results(struct cudart *rt)
{
    collect(rt);
    for (uint32_t i = 0; i < rt->machine_devices; i++)
        number_parts(cudart_by_place(rt, i));
}

void cudart_end_machine(struct cudart *rt)
{
    if (!rt->simulation->session || rt->snapshots->broken) {
        rt->simulation->results.end = rt->simulation->end;
        return;
    }
    cudart_complete_results(rt);
    if (rt->simulation->end != MNP_END_FINISHED)
        rt->simulation->results.end = rt->simulation->end;
    if (rt->simulation->sampling.plan && rt->simulation->sampling.plan->launches == rt->streams->kernels &&
        !rt->simulation->misplanned)
        mnp_plan_estimate(rt->simulation->sampling.plan, &rt->simulation->results);
}
