/* SPDX-License-Identifier: BSD-3-Clause */
#include "contract/session.h"
#include "base/range.h"

#include "base/array.h"
#include "engine/core/snapshot.h"
#include "engine/count/keep.h"
#include "engine/executors/executor.h"
#include "engine/executors/split.h"
#include "engine/spread/ranks.h"

#include <stdlib.h>
#include <string.h>

uint64_t mnp_session_cycle(const struct mnp_session *session, mnp_time time)
{
    return mnp_cycle_at(session->hertz, time);
}

mnp_time mnp_session_time(const struct mnp_session *session, uint64_t cycle)
{
    return mnp_edge(session->hertz, cycle);
}

struct mnp_part_results *mnp_session_add_part(struct mnp_session *session, uint32_t device, uint32_t id, uint32_t slot,
                                              mnp_time from, mnp_time to, bool partial)
{
    struct mnp_session_device *of = &session->devices[device];
    struct mnp_part_results *part = mnp_results_add_part(of->results, session->counting, session->counting_count);
    part->statistics.machine = session->settings;
    part->id = id;
    part->partial = partial;
    part->from = from;
    part->to = to;
    if (session->options.on_part_end && !partial)
        session->options.on_part_end(session->options.context, device, id, from, to);
    mnp_ledger_collect(&of->ledger, slot, from, to, &part->statistics);
    return part;
}

/* ===== between windows ===== */

enum { PROGRESS_WINDOWS = 256 /* between two looks at the progress */ };

static void report_progress(struct mnp_session *session, mnp_time now)
{
    struct mnp_progress progress = {.form = session->results->form, .cycles = mnp_session_cycle(session, now)};
    for (uint32_t i = 0; i < session->device_count; i++)
        progress.part_count += session->devices[i].source ? session->devices[i].source->kernel_count : 0;
    session->kind->progress(session, &progress);
    session->options.on_progress(session->options.context, &progress);
}

static void on_window(void *context, mnp_time end)
{
    struct mnp_session *session = context;
    for (uint32_t i = 0; i < session->device_count; i++) {
        struct mnp_source *source = session->devices[i].source;
        if (source && source->between)
            source->between(source);
    }
    if (session->kind->between)
        session->kind->between(session, end);
    if (session->options.on_progress && session->kind->progress && session->engine->windows % PROGRESS_WINDOWS == 0)
        report_progress(session, end);
}

/* Takes a sample. Devices whose work has not ended share the same intervals. */
static void take_row(struct mnp_session *session, mnp_time now)
{
    uint64_t cycle = mnp_session_cycle(session, now), interval = 0;
    if (session->kind->count)
        session->kind->count(session);
    for (uint32_t i = 0; i < session->device_count; i++)
        if (!session->devices[i].over)
            interval = mnp_samples_take(session->devices[i].results->samples, &session->devices[i].ledger, cycle, now);
    session->next_row = mnp_session_time(session, cycle + interval);
}

static mnp_time next_stop(const struct mnp_session *session)
{
    return mnp_min(session->next_row, session->next_tick ? session->next_tick : MNP_NEVER);
}

static mnp_time on_sample(void *context, mnp_time now)
{
    struct mnp_session *session = context;
    if (now == session->next_row)
        take_row(session, now);
    if (now == session->next_tick)
        session->next_tick = session->kind->tick(session, now);
    return next_stop(session);
}

static void on_epoch(void *context, const struct mnp_epoch_hashes *hashes)
{
    struct mnp_session *session = context;
    session->options.on_epoch(session->options.context, hashes);
}

static void on_costs(void *context, struct mnp_engine *engine)
{
    struct mnp_session *session = context;
    session->options.on_costs(session->options.context, engine);
}

static void on_news(void *context)
{
    struct mnp_session *session = context;
    session->kind->news(session);
}

static bool work_ahead(void *context)
{
    struct mnp_source *source = context;
    return source->work_ahead(source);
}

static bool is_idle(void *context)
{
    const struct mnp_session *session = context;
    return session->kind->is_idle(session);
}

/* ===== options of the engine ===== */

static bool check_device(const struct mnp_session *session, struct mnp_error *error)
{
    const struct mnp_executor *executor = session->options.request.executor;
    if (executor->free && !executor->device && !session->engine->free.next)
        return mnp_fail(error, "--executor %s is for many-core machines alone; use --executor window", executor->name);
    if (!executor->device)
        return true;
    if (session->engine->device.advance)
        return true;
    return mnp_fail(error, "--executor cuda: a GPU computes many-core machines alone; use --executor window");
}

/* Lengthens windows beyond the safe length, if requested. Safe lengths need no relaxation and do not change results. */
static void relax(struct mnp_session *session)
{
    uint64_t cycles = session->options.request.window_cycles;
    mnp_time window = mnp_session_time(session, cycles);
    if (!session->options.request.executor->relaxed || !session->kind->relax || window <= session->engine->lookahead)
        return;
    mnp_engine_relax(session->engine, window);
    session->kind->relax(session, cycles);
}

static bool check_window(const struct mnp_session *session, struct mnp_error *error)
{
    const struct mnp_engine *engine = session->engine;
    unsigned long cycles = (unsigned long)session->options.request.window_cycles;
    if (session->engine_options.window <= engine->epoch)
        return true;
    if (!engine->shortest || engine->lookahead != engine->epoch)
        return mnp_fail(error, "--window %lu is longer than an epoch (%lu cycles); use at most that, or auto", cycles,
                        (unsigned long)mnp_session_cycle(session, engine->epoch));
    return mnp_fail(error,
                    "--window %lu is longer than is safe: the link from %s to %s has a latency of %lu core "
                    "cycles; use at most that, or auto",
                    cycles, engine->shortest->from->name, engine->shortest->to->name,
                    (unsigned long)mnp_session_cycle(session, engine->lookahead));
}

/* Cores that the user has assigned to threads. */
static bool check_assignment(struct mnp_session *session, struct mnp_error *error)
{
    const struct mnp_run_request *request = &session->options.request;
    if (!request->assign)
        return true;
    uint32_t aside = request->executor->aside, threads = request->threads;
    return mnp_split_check(session->engine, request->assign, threads > aside ? threads - aside : 1, error);
}

/* Wraps a source's work_ahead as side work, for threads that are otherwise idle. */
static struct mnp_side_work side_work(struct mnp_source *source)
{
    if (!source || !source->work_ahead)
        return (struct mnp_side_work){0};
    return (struct mnp_side_work){.work = work_ahead, .wanted = &source->ahead_wanted, .context = source};
}

static void set_engine_options(struct mnp_session *session)
{
    const struct mnp_session_options *options = &session->options;
    const struct mnp_run_request *request = &options->request;
    session->next_row = request->sample_cycles ? mnp_session_time(session, request->sample_cycles) : MNP_NEVER;
    session->engine_options = (struct mnp_run_options){
        .executor = request->executor,
        .threads = request->threads,
        .schedule = request->schedule,
        .chunk = request->chunk,
        .assign = request->assign,
        .worth = options->worth,
        .window = session->engine->relaxed ? 0 : mnp_session_time(session, request->window_cycles),
        .limit = mnp_session_time(session, request->max_cycles),
        .livelock = mnp_session_time(session, session->livelock),
        .no_skip = request->no_skip,
        .hash_epochs = options->on_epoch != NULL,
        .pin = true,
        .interrupt = options->interrupt,
        .is_idle = options->open_ended && session->kind->is_idle ? is_idle : NULL,
        .side = side_work(session->source),
        .on_epoch = options->on_epoch ? on_epoch : NULL,
        .on_window = on_window,
        .on_costs = options->on_costs ? on_costs : NULL,
        .on_news = session->kind->news ? on_news : NULL,
        .on_sample = next_stop(session) != MNP_NEVER ? on_sample : NULL,
        .first_sample = next_stop(session),
        .context = session};
}

static bool prepare_samples(struct mnp_session *session, struct mnp_error *error)
{
    const struct mnp_run_request *request = &session->options.request;
    if (!request->sample_cycles)
        return true;
    if (!session->kind->samples)
        return mnp_fail(error, "--sample: a machine of kind \"%s\" has no statistics over time", session->kind->name);
    if (session->engine->relaxed && request->sample_cycles % request->window_cycles)
        return mnp_fail(error, "--sample %lu is no multiple of the relaxed windows, which have %lu cycles",
                        (unsigned long)request->sample_cycles, (unsigned long)request->window_cycles);
    bool done = true;
    for (uint32_t i = 0; done && i < session->device_count; i++) {
        struct mnp_samples *samples = mnp_allocate(1, sizeof *samples);
        session->devices[i].results->samples = samples;
        done = mnp_samples_init(samples, session->counting, session->counting_count,
                                request->sample_statistics ? request->sample_statistics : session->kind->samples,
                                request->sample_cycles, error);
        samples->machine = session->settings;
    }
    return done;
}

/* A timeline is recorded in the process that simulates the SM, so executor mpi must be refused. */
static bool check_timeline(const struct mnp_session *session, struct mnp_error *error)
{
    const struct mnp_run_request *request = &session->options.request;
    if (!request->timeline_work && !request->timeline_to)
        return true;
    if (!session->kind->timeline[0])
        return mnp_fail(error, "--timeline: a machine of kind \"%s\" writes down nothing of its work; leave it out",
                        session->kind->name);
    if (session->options.transport && request->timeline_to)
        return mnp_fail(error, "--timeline warps: is of one process; run without mpirun or srun, or give ctas");
    return true;
}

static bool check_tally(const struct mnp_session *session, struct mnp_error *error)
{
    if (!session->options.request.by_instruction)
        return true;
    if (!session->kind->tally)
        return mnp_fail(error, "--by-instruction: a machine of kind \"%s\" does not tally instructions; leave it out",
                        session->kind->name);
    if (session->options.transport)
        return mnp_fail(error, "--by-instruction: is of one process; run without mpirun or srun");
    return true;
}

/* Refuses options that only machines with one device support. */
static bool check_devices(const struct mnp_session *session, struct mnp_error *error)
{
    const struct mnp_session_options *options = &session->options;
    const char *name = options->on_pause || options->on_begin ? "snapshots (--snapshot, --resume)"
                       : options->selects                     ? "a selection (--kernels, --plan)"
                       : options->transport                   ? "several processes (--executor mpi)"
                                                              : NULL;
    if (session->device_count == 1)
        return true;
    if (!session->kind->several)
        return mnp_fail(error, "a machine of kind \"%s\" has one device, and there is work for %u; give it one input",
                        session->kind->name, session->device_count);
    return !name ||
           mnp_fail(error, "%s: a machine of %u devices does not have that yet; leave it out, or use one device", name,
                    session->device_count);
}

/* ===== collecting ===== */

/* Takes what was counted since the last sample. */
static void take_rest(struct mnp_session *session, struct mnp_session_device *device)
{
    struct mnp_samples *samples = device->results->samples;
    uint64_t cycle = mnp_session_cycle(session, session->engine->now);
    if (samples->row_count && samples->cycles[samples->row_count - 1] >= cycle)
        return;
    if (session->kind->count)
        session->kind->count(session);
    mnp_samples_take(samples, &device->ledger, cycle, session->engine->now);
}

/* Ends the last sampling interval at the end of the device's work. The engine has gone on to the end of an epoch. */
static void end_samples(struct mnp_session *session, struct mnp_session_device *device)
{
    mnp_time finish = atomic_load(&session->engine->finish);
    if (!device->results->samples)
        return;
    take_rest(session, device);
    if (finish < session->engine->now)
        mnp_samples_end(device->results->samples, mnp_session_cycle(session, finish));
}

/* Collects parts, samples, timeline and costs by instruction of a device. */
static void collect_parts(struct mnp_session *session, uint32_t number)
{
    struct mnp_session_device *device = &session->devices[number];
    struct mnp_results *results = device->results;
    end_samples(session, device);
    if (session->kind->collect)
        session->kind->collect(session, number);
    if (results->timeline.left_out)
        mnp_warn(&results->log,
                 "--timeline: %llu CTAs, warps, packets, copies and calls beyond the first %d of each are "
                 "left out",
                 (unsigned long long)results->timeline.left_out, MNP_TIMELINE_MOST);
    mnp_results_sort_parts(results);
}

/* Computes a device's total: all parts plus counters that belong to no part. */
static void total_up(struct mnp_session *session, uint32_t number, bool finished)
{
    const struct mnp_machine_kind *kind = session->kind;
    struct mnp_session_device *device = &session->devices[number];
    if (kind->count)
        kind->count(session);
    mnp_statistics_init(&device->results->total, session->counting, session->counting_count, true);
    device->results->total.machine = session->settings;
    mnp_ledger_total(&device->ledger, session->engine->now, &device->results->total);
    if (kind->total)
        kind->total(session, number, finished);
}

/* Completes the results of devices whose work has ended. Returns whether all have ended. */
static bool end_devices(struct mnp_session *session)
{
    bool all = true;
    for (uint32_t i = 0; i < session->device_count; i++) {
        struct mnp_session_device *device = &session->devices[i];
        if (!device->over && session->kind->is_over(session, i)) {
            collect_parts(session, i);
            total_up(session, i, true);
            device->over = true;
        }
        all &= device->over;
    }
    return all;
}

/* With several devices: completes the results of those still working, and adds up all. */
static void join_devices(struct mnp_session *session, bool finished)
{
    struct mnp_results *results = session->results;
    mnp_statistics_init(&results->total, session->counting, session->counting_count, false);
    results->total.machine = session->settings;
    for (uint32_t i = 0; i < session->device_count; i++) {
        struct mnp_session_device *device = &session->devices[i];
        if (!device->over) {
            total_up(session, i, finished);
            device->results->end = results->end;
        }
        mnp_statistics_merge(&results->total, &device->results->total);
    }
    if (session->kind->whole)
        session->kind->whole(session);
}

/* ===== opening, running, closing ===== */

void *mnp_session_allocate(struct mnp_session *session, size_t count, size_t size)
{
    void *memory = mnp_allocate(count, size);
    *(char **)mnp_array_add(&session->results->texts, 1, sizeof(char *)) = memory;
    return memory;
}

/* Copies the list of counted models, with one spare entry at the end; the session owns the copy. */
static const struct mnp_model **counting_of(struct mnp_session *session, size_t *count)
{
    const struct mnp_model *const *models = session->counting ? session->counting : session->kind->counting;
    for (*count = 0; models[*count];)
        ++*count;
    const struct mnp_model **copy = mnp_session_allocate(session, *count + 2, sizeof *copy);
    memcpy(copy, models, *count * sizeof *copy);
    session->counting = copy;
    return copy;
}

void mnp_session_count(struct mnp_session *session, const struct mnp_model *model)
{
    size_t count;
    const struct mnp_model **counting = counting_of(session, &count);
    counting[count] = model;
}

const struct mnp_model *mnp_session_extend(struct mnp_session *session, const struct mnp_model *model,
                                           const struct mnp_statistic *rows, size_t count)
{
    size_t models;
    const struct mnp_model **counting = counting_of(session, &models);
    struct mnp_model *extended = mnp_session_allocate(session, 1, sizeof *extended);
    struct mnp_statistic *all = mnp_session_allocate(session, model->statistic_count + count, sizeof *all);
    memcpy(all, model->statistics, model->statistic_count * sizeof *all);
    memcpy(all + model->statistic_count, rows, count * sizeof *all);
    *extended = *model;
    extended->extends = model->extends ? model->extends : model;
    extended->statistics = all;
    extended->statistic_count += count;
    for (size_t i = 0; i < models; i++)
        counting[i] = counting[i] == model ? extended : counting[i];
    return extended;
}

/* Steps that follow after the kind has built its machine. */
static bool prepare(struct mnp_session *session, struct mnp_error *error)
{
    if (!session->counting)
        session->counting = session->kind->counting;
    while (session->counting[session->counting_count])
        session->counting_count++;
    session->engine->ends_after = session->ends_after;
    if (session->options.transport)
        mnp_ranks_spread(session->engine, session->options.transport);
    for (uint32_t i = 0; i < session->device_count; i++)
        mnp_ledger_init(&session->devices[i].ledger, session->engine, i, session->counting, session->counting_count);
    session->devices[0].ledger.settling = session->settling;
    relax(session);
    set_engine_options(session);
    session->engine->options = session->engine_options; /* needed if the machine ends before its first run */
    return check_window(session, error) && check_assignment(session, error) && check_timeline(session, error) &&
           check_tally(session, error) && prepare_samples(session, error);
}

/* Creates a device for each source of the work. */
static void add_devices(struct mnp_session *session, const struct mnp_work *work)
{
    uint32_t count = session->device_count = 1 + work->other_count;
    session->devices = mnp_allocate(count, sizeof *session->devices);
    if (count > 1 && !session->results->device_count)
        mnp_results_add_devices(session->results, count);
    for (uint32_t i = 0; i < count; i++) {
        session->devices[i].source = i ? work->others[i - 1] : work->source;
        session->devices[i].results = count > 1 ? session->results->devices[i] : session->results;
        session->devices[i].results->form = session->results->form;
    }
}

struct mnp_session *mnp_session_open(const struct mnp_machine_kind *kind, struct mnp_settings *settings,
                                     const struct mnp_work *work, const struct mnp_session_options *options,
                                     struct mnp_results *results, struct mnp_error *error)
{
    struct mnp_session *session = mnp_allocate(1, sizeof *session);
    *session = (struct mnp_session){
        .kind = kind, .options = *options, .results = results, .source = work->source, .settings = settings};
    if (kind->form)
        results->form = kind->form;
    add_devices(session, work);
    if (!check_devices(session, error)) {
        free(session->devices);
        free(session);
        return NULL;
    }
    if (kind->open(session, settings, work, error) && check_device(session, error) && prepare(session, error))
        return session;
    mnp_session_release(session);
    return NULL;
}

/* Runs the engine until it stops. */
static void run_engine(struct mnp_session *session, struct mnp_run_options *options)
{
    if (session->stop != MNP_STOP_NOT_YET)
        options->first_sample = session->engine->next_sample;
    session->stop = mnp_engine_run(session->engine, options);
    if (session->kind->between)
        session->kind->between(session, session->engine->now);
}

/* Adds the number of the faulting device to an error, if there are several devices. */
static void take_fault(const struct mnp_session *session, struct mnp_error *error)
{
    const struct mnp_engine *engine = session->engine;
    *error = (struct mnp_error){{0}};
    if (session->device_count == 1 || !engine->fault_unit)
        *error = engine->error;
    else
        mnp_fail(error, "%s %u: %s", session->results->form->device, engine->fault_unit->group, engine->error.text);
    error->kind = engine->error.kind;
}

enum mnp_stop mnp_session_run(struct mnp_session *session, mnp_time until, struct mnp_error *error)
{
    struct mnp_run_options options = session->engine_options;
    bool earlier = until != MNP_NEVER && (!options.limit || until < options.limit);
    options.limit = earlier ? until : options.limit;
    do
        run_engine(session, &options);
    while (session->stop == MNP_STOP_FINISHED && session->device_count > 1 && !session->options.open_ended &&
           !end_devices(session));
    if (session->stop == MNP_STOP_FAULT)
        take_fault(session, error);
    session->reached = session->stop == MNP_STOP_LIMIT && earlier;
    return session->reached ? MNP_STOP_NOT_YET : session->stop;
}

void mnp_session_wake(struct mnp_session *session)
{
    mnp_engine_wake(session->engine, session->intake, session->engine->now);
    for (uint32_t i = 0; i < session->device_count; i++)
        if (session->devices[i].intake)
            mnp_engine_wake(session->engine, session->devices[i].intake, session->engine->now);
}

void mnp_session_expect(struct mnp_session *session, mnp_time time)
{
    mnp_raise(&session->intake->due, time);
}

mnp_time mnp_session_now(const struct mnp_session *session)
{
    return session->engine->now;
}

mnp_time mnp_session_epoch(const struct mnp_session *session)
{
    return session->engine->epoch;
}

/* Describes what a stopped machine waits for, where its cores know more than its units. */
static void describe_waiting(struct mnp_session *session, enum mnp_stop stop)
{
    if (!session->kind->waiting || (stop != MNP_STOP_LIVELOCK && stop != MNP_STOP_LIMIT))
        return;
    if (stop == MNP_STOP_LIMIT)
        mnp_ranks_gather_states(session->engine);
    free(session->results->report);
    session->results->report = session->kind->waiting(session);
}

bool mnp_session_present(const struct mnp_session *session, uint32_t device, const char *name,
                         struct mnp_statistic_value *value)
{
    struct mnp_statistic_set set;
    if (session->options.transport)
        return false;
    mnp_statistics_init(&set, session->counting, session->counting_count, false);
    set.machine = session->settings;
    mnp_ledger_present(&session->devices[device].ledger, session->engine->now, &set);
    bool found = mnp_statistics_find(&set, name, value);
    mnp_statistics_release(&set);
    return found;
}

void mnp_session_collect(struct mnp_session *session)
{
    struct mnp_results *results = session->results;
    bool well = session->reached || session->stop == MNP_STOP_FAULT || session->stop == MNP_STOP_NOT_YET;
    enum mnp_stop stop = well ? MNP_STOP_FINISHED : session->stop;
    bool finished = stop == MNP_STOP_FINISHED && session->stop != MNP_STOP_FAULT;
    for (uint32_t i = 0; i < session->device_count; i++)
        if (!session->devices[i].over)
            collect_parts(session, i);
    mnp_results_end(results, session->engine, stop, !session->options.without_hash);
    if (session->device_count == 1)
        total_up(session, 0, finished);
    else
        join_devices(session, finished);
    describe_waiting(session, stop);
    mnp_results_describe(results, session->engine, session->hertz);
    results->run.window_cycles = session->options.request.window_cycles;
}

void mnp_session_release(struct mnp_session *session)
{
    for (uint32_t i = 0; i < session->device_count; i++)
        mnp_ledger_release(&session->devices[i].ledger);
    session->kind->close(session);
    free(session->devices);
    free(session);
}

/* ===== snapshots ===== */

void mnp_session_keep(const struct mnp_session *session, struct mnp_snapshot *snapshot)
{
    mnp_keep_parts(snapshot, session->results);
    mnp_keep_ledger(snapshot, &session->devices[0].ledger);
    mnp_snapshot_save(snapshot, session->engine, NULL);
    session->kind->keep(session, snapshot);
}

bool mnp_session_take(struct mnp_session *session, struct mnp_snapshot_reader *reader)
{
    if (!mnp_take_parts(reader, session->results, session->counting, session->counting_count) ||
        !mnp_take_ledger(reader, &session->devices[0].ledger) || !mnp_snapshot_restore(reader, session->engine, NULL) ||
        !session->kind->take(session, reader) || reader->left > 0)
        return reader->error->text[0] != 0 ? false : mnp_fail(reader->error, "the snapshot is damaged: take it again");
    for (uint32_t i = 0; i < session->results->part_count; i++)
        session->results->parts[i]->statistics.machine = session->settings;
    atomic_store(&session->engine->finish, MNP_NEVER); /* end of the part after which the snapshot was taken */
    return true;
}

/* Runs to the end of all work, or to the point at which on_pause ends the run. */
static enum mnp_stop run_through(struct mnp_session *session, struct mnp_error *error)
{
    const struct mnp_session_options *options = &session->options;
    for (;;) {
        uint32_t part = 0;
        enum mnp_stop stop = mnp_session_run(session, MNP_NEVER, error);
        enum mnp_standing standing =
            options->on_pause && stop == MNP_STOP_FINISHED ? session->kind->standing(session, &part) : MNP_STANDS_OVER;
        if (standing == MNP_STANDS_OVER ||
            (standing == MNP_STANDS_BETWEEN && !options->on_pause(options->context, session, part)))
            return stop;
    }
}

bool mnp_session_run_all(const struct mnp_machine_kind *kind, struct mnp_settings *settings,
                         const struct mnp_work *work, const struct mnp_session_options *options,
                         struct mnp_results *results, struct mnp_error *error)
{
    struct mnp_session *session = mnp_session_open(kind, settings, work, options, results, error);
    if (!session)
        return false;
    bool begun = !options->on_begin || options->on_begin(options->context, session, error);
    bool done = begun && run_through(session, error) != MNP_STOP_FAULT;
    if (done)
        mnp_session_collect(session);
    mnp_session_release(session);
    return done;
}
