/* SPDX-License-Identifier: BSD-3-Clause */
/* `maniple run`: opens the input, builds the machine, simulates, writes the results. */
#include "base/file.h"
#include "base/threads.h"
#include "cli/input.h"
#include "cli/run/cuda.h"
#include "cli/run/folder.h"
#include "cli/run/shares.h"
#include "cli/run/state.h"
#include "cli/run/work.h"
#include "cli/verbs.h"
#include "plugin/plugin.h"
#include "results/write/results.h"
#include "results/write/tell.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static uint64_t nanoseconds(const struct timeval *time)
{
    return (uint64_t)time->tv_sec * UINT64_C(1000000000) + (uint64_t)time->tv_usec * 1000;
}

static void describe_run(const struct run *run, const char *input, struct mnp_run_info *info)
{
    const struct run_options *options = run->options;
    info->input = input;
    info->executor = options->executor_name;
    info->schedule = cli_schedule_name(options->request.schedule);
    info->threads = options->request.threads;
    info->window_cycles = options->request.window_cycles;
    info->no_skip = options->request.no_skip;
    info->wall_ns = results_watch_now() - run->watch.start_ns;
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        info->cpu_ns = nanoseconds(&usage.ru_utime) + nanoseconds(&usage.ru_stime);
        info->peak_bytes = (uint64_t)usage.ru_maxrss * 1024;
    }
    if (gethostname(info->host, sizeof info->host - 1) != 0)
        strcpy(info->host, "unknown");
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    info->plugins = options->plugins->files;
    info->plugin_count = options->plugins->count;
    info->host_processors = processors > 0 ? (uint32_t)processors : 0;
}

/* Each device has run like the whole, with an input of its own. */
static void describe_devices(const struct run *run, struct mnp_results *results)
{
    for (uint32_t i = 0; i < results->device_count; i++) {
        results->devices[i]->machine = results->machine;
        results->devices[i]->run = results->run;
        results->devices[i]->run.input = run->options->inputs[i];
    }
}

/* The files that were written while the simulation ran. */
static bool keep_records(struct run *run, struct mnp_error *error)
{
    bool done = true;
    if (run->costs_file.stream) {
        results_costs_end(&run->costs);
        done = mnp_output_finish(&run->costs_file, error);
    }
    return results_epochs_finish(&run->epochs, error) && done;
}

static void print_results(const struct run_options *options, const struct mnp_results *results)
{
    switch (options->output.format) {
    case FORMAT_TEXT:
        (options->output.long_text ? results_write_text : results_write_summary)(results, stdout);
        break;
    case FORMAT_JSON:
        results_write_json(results, stdout);
        break;
    case FORMAT_GPGPUSIM:
        results_write_gpgpusim(results, stdout);
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
    if (mnp_share_gives(&options->share))
        return mnp_share_give(&options->share, results, error);
    results_watch_enter(&run->watch, WATCH_SAVING);
    struct mnp_output *const records[] = {&run->costs_file, &run->epochs.table};
    bool saved = keep_records(run, error) &&
                 (!options->output.folder || results_save(results, options->output.folder, records, 2, error));
    if (!saved && options->output.folder)
        rmdir(options->output.folder); /* if nothing is in it */
    results_watch_clear(&run->watch);
    results_watch_enter(&run->watch, WATCH_PRINTING);
    errno = 0;
    print_results(options, results);
    run->unread = fflush(stdout) != 0 && errno == EPIPE;
    results_watch_end(&run->watch);
    return saved && (run->unread || mnp_check_stream(stdout, "standard output", error));
}

/* The last share adds the results of the others to its own. Returns false where that fails; what there is can be
 * written then, too. */
static bool join_shares(const struct mnp_share *share, struct mnp_results *results, struct mnp_error *error)
{
    return !mnp_share_gathers(share) || mnp_share_gather(share, results, error);
}

/* All processes that simulate the machine together must be able to before any of them begins. */
static bool run_work(struct run *run, struct mnp_results *results, struct mnp_error *error)
{
    struct run_work work;
    struct mnp_error missing = {{0}};
    bool joined = true;
    bool open = cli_run_work_open(&work, run->options, results, error);
    bool done =
        mnp_processes_all_well(&run->processes, open, error) && cli_run_work_simulate(&work, run, results, error);
    if (done) {
        results->machine = work.settings;
        describe_run(run, work.name, &results->run);
        joined = join_shares(&run->options->share, results, &missing);
        describe_devices(run, results);
        done = write_results(run, results, error) && joined;
        *error = joined ? *error : missing;
    }
    results->machine = NULL;
    cli_run_work_release(&work);
    return done;
}

/* Opens what is to be written while the simulation runs: before hours of work, not after. */
static bool prepare_output(struct run *run, struct mnp_error *error)
{
    const struct run_options *options = run->options;
    if (run_is_silent(run))
        return true;
    if (!cli_run_folder_make(options, error))
        return false;
    if (options->output.costs) {
        char *path = mnp_join_path(options->output.folder, MNP_COSTS_FILE);
        bool open = mnp_output_open(&run->costs_file, path, error);
        free(path);
        if (!open)
            return false;
        results_costs_begin(&run->costs, run->costs_file.stream, (uint32_t)options->request.window_cycles);
    }
    /* Hashes belong to standard output, unless that is to be one JSON value. */
    return !options->output.hash ||
           results_epochs_open(&run->epochs, options->output.format == FORMAT_JSON ? stderr : stdout,
                               options->output.folder, error);
}

/* Holds back signals before there are other threads, those of an MPI library among them: a signal that comes to a
 * thread which does not hold it back ends the process. Where neither files are written nor standard output only at the
 * end, a reader that goes ends the run. */
static bool begin_watch(struct run *run, struct mnp_error *error)
{
    const struct run_options *options = run->options;
    bool silent = options->request.executor->processes && mnp_processes_expected() && mnp_processes_rank() != 0;
    if (!results_watch_start(&run->watch, options->output.verbosity <= MNP_QUIET || silent, options->deadline_ns,
                             error))
        return false;
    results_watch_enter(&run->watch, WATCH_STARTING);
    results_watch_take_write_errors(options->output.folder || !(options->output.hash || options->program));
    return true;
}

/* Fewer threads than were asked for give the same bytes, so that it is no warning of the results. */
static void fit_threads(struct run_options *options)
{
    uint32_t wanted = options->request.threads, possible = mnp_threads_possible(wanted);
    if (possible == wanted)
        return;
    if (options->threads_given && options->output.verbosity != MNP_SILENT)
        fprintf(stderr,
                "maniple: warning: --threads %u: only %u can be started; allow more processes (ulimit -u) or memory "
                "(ulimit -v)\n",
                wanted, possible);
    options->request.threads = possible;
}

/* Everything but a program of the host's own. */
static bool run_machine(struct run *run, struct run_options *options, struct mnp_results *results,
                        struct mnp_error *error)
{
    if (options->request.executor->processes) {
        if (!mnp_processes_join(&run->processes, NULL, error))
            return false;
        mnp_processes_divide_host(&run->processes);
        cli_run_options_settle_threads(options, run->processes.transport.neighbours);
    }
    if (!mnp_processes_all_well(&run->processes, prepare_output(run, error), error))
        return false;
    fit_threads(options);
    return run_work(run, results, error);
}

static bool run_input(struct run *run, struct run_options *options, struct mnp_results *results,
                      struct mnp_error *error)
{
    if (options->shares && !cli_run_shares_divide(options, error))
        return false;
    if (options->program && options->program_argc && cli_run_cuda_runs(options->program[0])) {
        cli_run_options_settle_threads(options, options->request.executor->processes ? mnp_processes_here() : 1);
        return cli_run_cuda_follows(options) ? cli_run_cuda_follow(options, &run->processes, error)
                                             : cli_run_cuda(options, error);
    }
    if ((options->cuda.check || options->cuda.functional) && options->program && access(options->program[0], R_OK) != 0)
        return mnp_fail_at(error, options->program[0], 0, "cannot open: %s; check the path of the program",
                           strerror(errno));
    if (options->program && access(options->program[0], R_OK) == 0 && !cli_input_is_program(options->program[0]) &&
        !cli_input_refuse_source(options->program[0], error))
        return false;
    if (options->cuda.check)
        return mnp_fail(error, "--check: is for CUDA programs");
    if (options->cuda.functional)
        return mnp_fail(error, "--functional: is for CUDA programs; all else is always timed");
    bool done = begin_watch(run, error) && run_machine(run, options, results, error);
    results_watch_end(&run->watch);
    mnp_output_discard(&run->costs_file);
    mnp_output_discard(&run->epochs.table);
    return done;
}

/* Messages at the end of a run, and its exit status. */
static int report_run(const struct run *run, const struct mnp_results *results)
{
    bool silent = run_is_silent(run);
    if (!silent) {
        results_tell_end(results);
        results_tell_how(results);
    }
    int status = mnp_end_status(results->end);
    if (run->untaken.text[0])
        return silent ? MNP_EXIT_USER : cli_report_error(&run->untaken);
    return status == MNP_EXIT_DONE ? (int)results->program_status : status;
}

static int report_failure(const struct mnp_results *results, const struct mnp_error *error, bool silent)
{
    if (silent || !error->text[0])
        return MNP_EXIT_USER;
    mnp_log_summary(&results->log, stderr);
    return cli_report_error(error);
}

int cli_verb_run(const struct command_line *line)
{
    struct run_options options;
    struct mnp_results results;
    struct run run = {.options = &options};
    int status;
    bool read = cli_run_options_read(&options, line);
    mnp_results_init(&results, options.output.verbosity);
    if (!read) {
        status = cli_report_error(&options.error);
    } else {
        struct mnp_error error = {0};
        bool done = run_input(&run, &options, &results, &error);
        status = done ? report_run(&run, &results) : report_failure(&results, &error, run_is_silent(&run));
    }
    mnp_processes_leave(&run.processes);
    mnp_results_release(&results);
    cli_run_options_release(&options);
    if (run.unread) { /* all is written and told: end as every program does whose reader has gone */
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
    }
    return status;
}
