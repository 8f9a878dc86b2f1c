/* SPDX-License-Identifier: BSD-3-Clause */
/* `maniple run`: opens the input, builds the machine, simulates, writes the results. */
#include "cli/run.h"
#include "base/file.h"
#include "cli/input.h"
#include "cli/run_cuda.h"
#include "cli/run_program.h"
#include "machines.h"
#include "results/results.h"
#include "results/tell.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* The machine that a trace runs on by default. */
static const struct default_machine {
    uint32_t architecture;
    const char *name;
} default_machines[] = {{70, "v100"}, {75, "rtx2060"}, {80, "a100"}, {86, "rtx3070"}, {90, "h100-sxm"}};

static const char *choose_machine(const struct run_options *options, const struct mnp_source *source,
                                  struct mnp_error *error)
{
    if (options->machine)
        return options->machine;
    for (size_t i = 0; i < sizeof default_machines / sizeof *default_machines; i++)
        if (default_machines[i].architecture == source->architecture)
            return default_machines[i].name;
    mnp_fail(error,
             "%s: there is no default machine for sm_%u; choose one with --machine (`maniple machines` lists "
             "them)",
             options->input, source->architecture);
    return NULL;
}

static struct mnp_settings *load_machine(const struct run_options *options, const struct mnp_source *source,
                                         struct mnp_log *log, struct mnp_error *error)
{
    const char *name = choose_machine(options, source, error);
    if (!name)
        return NULL;
    struct mnp_settings_source from = {.machine = name,
                                       .built_in = mnp_built_in_machines,
                                       .overrides = options->overrides,
                                       .override_count = options->override_count};
    struct mnp_settings *settings = mnp_settings_load(&from, error);
    if (settings && strcmp(mnp_settings_kind(settings), "gpu") != 0) {
        mnp_fail(error,
                 "machine %s: its kind is \"%s\", and traces are of GPUs; choose one of kind \"gpu\" (`maniple "
                 "machines`)",
                 mnp_settings_name(settings), mnp_settings_kind(settings));
        mnp_settings_free(settings);
        return NULL;
    }
    uint32_t architecture = settings ? mnp_settings_architecture(settings) : 0;
    if (architecture && source->architecture && architecture != source->architecture)
        mnp_warn(log,
                 "the trace is of sm_%u, the machine %s is sm_%u: opcodes are the trace's, latencies and limits "
                 "the machine's",
                 source->architecture, mnp_settings_name(settings), architecture);
    return settings;
}

/* A launch that is asked for but is not there is a mistake in the list, not an empty result. */
static bool check_launches(const struct run_options *options, const struct mnp_source *source, struct mnp_error *error)
{
    for (uint32_t i = 0; source->kernel_count && i < options->range_count; i++)
        if (options->launches[i].first > source->kernel_count)
            return mnp_fail(error, "--kernels: there is no launch %u; %s has %u, counted from 1",
                            options->launches[i].first, options->input, source->kernel_count);
    return true;
}

static void on_progress(void *context, const struct mnp_progress *progress)
{
    struct run *run = context;
    watch_progress(&run->watch, progress);
}

void run_on_epoch(void *context, const struct mnp_epoch_hashes *hashes)
{
    struct run *run = context;
    if (!run_is_silent(run))
        epochs_write(&run->epochs, hashes);
    if (run->costs_file.stream)
        mnp_costs_leave_out(&run->costs);
}

void run_on_costs(void *context, struct mnp_engine *engine)
{
    struct run *run = context;
    mnp_costs_window(&run->costs, engine);
}

static uint64_t nanoseconds(const struct timeval *time)
{
    return (uint64_t)time->tv_sec * UINT64_C(1000000000) + (uint64_t)time->tv_usec * 1000;
}

static void describe_run(const struct run *run, struct mnp_run_info *info)
{
    const struct run_options *options = run->options;
    info->input = options->input;
    info->executor = options->executor_name;
    info->schedule = schedule_name(options->request.schedule);
    info->threads = options->request.threads;
    info->window_cycles = options->request.window_cycles;
    info->no_skip = options->request.no_skip;
    info->wall_ns = watch_now() - run->watch.start_ns;
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        info->cpu_ns = nanoseconds(&usage.ru_utime) + nanoseconds(&usage.ru_stime);
        info->peak_bytes = (uint64_t)usage.ru_maxrss * 1024;
    }
    if (gethostname(info->host, sizeof info->host - 1) != 0)
        strcpy(info->host, "unknown");
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    info->host_processors = processors > 0 ? (uint32_t)processors : 0;
}

static bool simulate(struct run *run, struct mnp_source *source, struct mnp_settings *settings,
                     struct mnp_results *results, struct mnp_error *error)
{
    const struct run_options *options = run->options;
    struct gpu_run_options gpu = {
        .request = options->request,
        .selects = options->range_count ? run_options_select : NULL,
        .selection = options,
        .interrupt = &run->watch.interrupted,
        .on_epoch = options->hash ? run_on_epoch : NULL,
        .on_costs = options->costs ? run_on_costs : NULL,
        .on_progress = on_progress,
        .context = run,
        .transport = run_transport(run),
    };
    watch_enter(&run->watch, WATCH_RUNNING);
    bool done = gpu_run(settings, source, &gpu, results, error);
    if (!done)
        return false;
    if (source->unknown_opcodes)
        mnp_warn(&results->log, "%" PRIu64 " instructions with unknown opcodes were treated as INT",
                 source->unknown_opcodes);
    results->machine = settings;
    describe_run(run, &results->run);
    return true;
}

/* The files that were written while the simulation ran. */
static bool keep_records(struct run *run, struct mnp_error *error)
{
    bool done = true;
    if (run->costs_file.stream) {
        mnp_costs_end(&run->costs);
        done = mnp_output_finish(&run->costs_file, error) && mnp_output_commit(&run->costs_file, error);
    }
    return epochs_close(&run->epochs, done, error) && done;
}

static void print_results(const struct run_options *options, const struct mnp_results *results)
{
    switch (options->format) {
    case FORMAT_TEXT:
        (options->long_text ? mnp_results_write_text : mnp_results_write_summary)(results, stdout);
        break;
    case FORMAT_JSON:
        mnp_results_write_json(results, stdout);
        break;
    case FORMAT_GPGPUSIM:
        mnp_results_write_gpgpusim(results, stdout);
        break;
    }
}

/* Writes all files before standard output, which may be a pipe that nobody reads, or a full disk: that must not cost
 * the results of hours. */
static bool write_results(struct run *run, const struct mnp_results *results, struct mnp_error *error)
{
    const struct run_options *options = run->options;
    if (run_is_silent(run))
        return true;
    watch_enter(&run->watch, WATCH_SAVING);
    bool saved =
        keep_records(run, error) && (!options->folder || mnp_results_save(results, options->folder, error));
    watch_end(&run->watch);
    errno = 0;
    print_results(options, results);
    run->unread = fflush(stdout) != 0 && errno == EPIPE;
    return saved && (run->unread || mnp_check_stream(stdout, "standard output", error));
}

/* A program on the simulated machine itself: it may end with a status of its own. */
static bool run_behind_dashes(struct run *run, struct mnp_results *results, struct mnp_error *error)
{
    struct mnp_settings *settings = NULL;
    bool done = run_program(run, &settings, results, error);
    if (done) {
        results->machine = settings;
        describe_run(run, &results->run);
        results->run.input = run->options->program[0];
        done = write_results(run, results, error);
    }
    results->machine = NULL;
    mnp_settings_free(settings);
    return done;
}

/* A trace. All processes that simulate it together must be able to before any of them begins. */
static bool run_trace(struct run *run, struct mnp_results *results, struct mnp_error *error)
{
    const struct run_options *options = run->options;
    struct input_options input = {.unknown_as_alu = options->unknown_as_alu, .memory = options->trace_memory};
    struct mnp_source *source = input_open(options->input, &input, error);
    struct mnp_settings *settings = source ? load_machine(options, source, &results->log, error) : NULL;
    bool done = processes_all_well(&run->processes, settings && check_launches(options, source, error), error) &&
                simulate(run, source, settings, results, error) && write_results(run, results, error);
    results->machine = NULL;
    mnp_settings_free(settings);
    if (source)
        source->close(source);
    return done;
}

/* Opens what is to be written while the simulation runs: before hours of work, not after. */
static bool prepare_output(struct run *run, struct mnp_error *error)
{
    const struct run_options *options = run->options;
    if (run_is_silent(run))
        return true;
    if (options->folder && !mnp_make_folder(options->folder, error))
        return false;
    if (options->costs) {
        char *path = mnp_join_path(options->folder, MNP_COSTS_FILE);
        bool open = mnp_output_open(&run->costs_file, path, error);
        free(path);
        if (!open)
            return false;
        mnp_costs_begin(&run->costs, run->costs_file.stream, options->request.window_cycles == 1);
    }
    /* Hashes belong to standard output, unless that is to be one JSON value. */
    return !options->hash ||
           epochs_open(&run->epochs, options->format == FORMAT_JSON ? stderr : stdout, options->folder, error);
}

/* Holds back signals before there are other threads, those of an MPI library among them: a signal that comes to a
 * thread which does not hold it back ends the process. Where neither files are written nor standard output only at the
 * end, a reader that goes ends the run. */
static void begin_watch(struct run *run)
{
    const struct run_options *options = run->options;
    bool silent = options->request.executor->processes && processes_expected() && processes_rank() != 0;
    watch_start(&run->watch, options->verbosity == MNP_QUIET || silent);
    watch_enter(&run->watch, WATCH_STARTING);
    watch_take_write_errors(options->folder || !(options->hash || options->program));
}

/* A trace, or a program on the simulated machine itself. */
static bool run_machine(struct run *run, struct run_options *options, struct mnp_results *results,
                        struct mnp_error *error)
{
    if (options->request.executor->processes) {
        if (!processes_join(&run->processes, NULL, error))
            return false;
        processes_divide_host(&run->processes);
        run_options_settle_threads(options, run->processes.transport.neighbours);
    }
    if (!processes_all_well(&run->processes, prepare_output(run, error), error))
        return false;
    return options->program ? run_behind_dashes(run, results, error) : run_trace(run, results, error);
}

static bool run_input(struct run *run, struct run_options *options, struct mnp_results *results,
                      struct mnp_error *error)
{
    if (options->program && options->program_argc && run_cuda_is_program(options->program[0])) {
        run_options_settle_threads(options, options->request.executor->processes ? processes_here() : 1);
        return run_cuda_follows(options) ? run_cuda_follow(options, &run->processes, error) : run_cuda(options, error);
    }
    if (options->functional)
        return mnp_fail(error, "--functional: is for CUDA programs; traces and many-core machines are always timed");
    begin_watch(run);
    bool done = run_machine(run, options, results, error);
    watch_end(&run->watch);
    mnp_output_discard(&run->costs_file);
    return epochs_close(&run->epochs, false, error) && done;
}

/* What is told of a run that was made, and its exit status. */
static int report_run(const struct mnp_results *results, bool silent)
{
    if (!silent) {
        tell_end(results);
        tell_how(results);
    }
    int status = mnp_end_status(results->end);
    return status == MNP_EXIT_DONE ? (int)results->program_status : status;
}

static int report_failure(const struct mnp_results *results, const struct mnp_error *error, bool silent)
{
    if (silent || !error->text[0])
        return MNP_EXIT_USER;
    mnp_log_summary(&results->log, stderr);
    return report_error(error);
}

int verb_run(const struct command_line *line)
{
    struct run_options options;
    struct mnp_results results;
    struct run run = {.options = &options};
    int status;
    bool read = run_options_read(&options, line);
    mnp_results_init(&results, options.verbosity);
    if (!read) {
        status = report_error(&options.error);
    } else {
        struct mnp_error error = {0};
        bool done = run_input(&run, &options, &results, &error);
        status =
            done ? report_run(&results, run_is_silent(&run)) : report_failure(&results, &error, run_is_silent(&run));
    }
    processes_leave(&run.processes);
    mnp_results_release(&results);
    run_options_release(&options);
    if (run.unread) { /* all is written and told: end as every program does whose reader has gone */
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
    }
    return status;
}
