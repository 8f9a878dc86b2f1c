/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/run/shares.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/file.h"
#include "base/temporary.h"
#include "cli/input.h"
#include "cli/run/cuda.h"
#include "cli/run/folder.h"
#include "cli/run/program.h"
#include "results/database/database.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* File descriptors of the pipes, in a row, out of the way of those that a program opens. */
enum { FIRST_PIPE = 200 };

/* Work of a launch by value for one with time, in per cent: docs/sampling.md says what was measured. */
enum { BY_VALUE = 10 };

/* Work of a launch that is not in its instructions, in warp instructions. */
enum { LAUNCH_WORK = 1000 };

/* Launches in front of a share that are simulated too: as many as make a part of its work, so that most functions have
 * run, but not fewer and not more than these. Those of a trace have to bring all that lies in the L2, as the launches
 * before them cannot be executed by value. */
enum { LEADS_OF_WORK = 10, LEAST_LEADS = 1, LEAST_LEADS_OF_TRACE = 4, MOST_LEADS = 64 };

/* ===== the work of each launch ===== */

/* Reads the warp instructions of each launch of a run by value. */
static bool read_work(const char *folder, struct mnp_array *work, struct mnp_error *error)
{
    static const char words[] = "SELECT value.value FROM kernel"
                                " JOIN value ON value.run = kernel.run AND value.kernel = kernel.id"
                                " JOIN statistic ON statistic.id = value.statistic"
                                " WHERE kernel.run = 1 AND statistic.name = 'gpgpu_n_tot_w_icount' ORDER BY kernel.id";
    struct mnp_error ignored = {{0}}; /* no kernels, no results */
    sqlite3 *database = results_database_open(folder, &ignored);
    sqlite3_stmt *query = database ? results_sqlite_prepare(database, words, error) : NULL;
    while (query && sqlite3_step(query) == SQLITE_ROW)
        *(double *)mnp_array_add(work, 1, sizeof(double)) = LAUNCH_WORK + sqlite3_column_double(query, 0);
    sqlite3_finalize(query);
    sqlite3_close(database);
    return !error->text[0] &&
           (work->count || mnp_fail(error, "--shares: the program launches no kernel; leave it out"));
}

/* Standard streams of a process whose output nobody waits for. */
static void redirect(const char *path)
{
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC),
        file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    dup2(nowhere, STDIN_FILENO);
    dup2(file >= 0 ? file : nowhere, STDOUT_FILENO);
    dup2(file >= 0 ? file : nowhere, STDERR_FILENO);
}

/* In the child: the program becomes this process, and is executed by value. */
_Noreturn static void execute(struct run_options options, const char *folder, const char *said)
{
    struct mnp_error error = {{0}};
    redirect(said);
    options.cuda.functional = true;
    options.sampling = (struct mnp_sampling){0};
    options.output = (struct run_output_options){.folder = folder, .verbosity = MNP_QUIET};
    options.request.max_cycles = 0;
    cli_run_cuda(&options, &error);
    _exit(cli_report_error(&error));
}

/* Copies what a process has said to standard error. */
static void show(const char *said)
{
    struct mnp_error ignored = {{0}};
    size_t length;
    char *text = mnp_read_file(said, INT32_MAX, &length, &ignored);
    if (text)
        fwrite(text, 1, length, stderr);
    free(text);
}

static bool execute_by_value(const struct run_options *options, const char *folder, struct mnp_error *error)
{
    char *said = mnp_join_path(folder, "said.txt");
    int status = 0;
    if (options->output.verbosity > MNP_QUIET)
        fputs("maniple: the program runs by value, to divide its launches\n", stderr);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        execute(*options, folder, said);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    bool well = child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!well)
        show(said);
    free(said);
    return well ||
           mnp_fail(error, "--shares: the program does not end well by value (--functional), which comes first; "
                           "what it said stands above");
}

static bool measure_program(const struct run_options *options, struct mnp_array *work, struct mnp_error *error)
{
    char *folder = mnp_temporary_folder("shares", error);
    bool done = folder && execute_by_value(options, folder, error) && read_work(folder, work, error);
    mnp_temporary_remove(folder);
    return done;
}

/* A trace's launches are as much work as their traces have bytes. */
static bool measure_trace(const struct run_options *options, struct mnp_array *work, struct mnp_error *error)
{
    struct input_options how = {.unknown_as_alu = options->unknown_as_alu, .waits = true};
    struct mnp_source *source = cli_input_open(options->input, &how, error);
    struct mnp_command command;
    struct mnp_upcoming upcoming;
    while (source && !error->text[0]) {
        if (source->upcoming && source->upcoming(source, &upcoming)) {
            *(double *)mnp_array_add(work, 1, sizeof(double)) = (double)(upcoming.bytes + 1);
            source->pass_over(source);
        } else if (!source->next(source, &command, error) || command.kind == MNP_COMMAND_END) {
            break;
        }
    }
    if (source)
        source->close(source);
    return source && !error->text[0];
}

/* ===== division ===== */

/* Divides launches so that all processes take as long: one that simulates launches with time has executed all before
 * them by value, at a part of their cost. `first`: [count] numbers of the first launches. */
static void divide(const struct mnp_array *work, uint32_t count, double by_value, uint32_t *first)
{
    const double *of = work->items;
    double all = 0, rest = 1, before = 0, own = 0;
    for (uint32_t i = 0; i < work->count; i++)
        all += of[i];
    for (uint32_t i = 0; i < count; i++)
        rest *= 1 - by_value;
    double each = by_value > 0 ? all * by_value / (1 - rest) : all / count;
    uint32_t share = 0;
    first[0] = 1;
    for (uint32_t i = 0; i < work->count; i++) {
        bool needed = work->count - i == count - 1 - share; /* one launch for each share that is left */
        if (share + 1 < count && i >= first[share] && (needed || own + of[i] / 2 > each - by_value * before)) {
            before += own;
            own = 0;
            first[++share] = i + 1;
        }
        own += of[i];
    }
}

/* ===== processes ===== */

static bool open_pipe(uint32_t number, int *out, struct mnp_error *error)
{
    int ends[2];
    if (pipe(ends) != 0)
        return mnp_fail(error, "--shares: no pipe can be opened: %s", strerror(errno));
    int in = dup2(ends[0], FIRST_PIPE + (int)number - 1);
    close(ends[0]);
    *out = ends[1];
    return in >= 0 ||
           mnp_fail(error, "--shares: no file descriptor is left: %s; allow more (ulimit -n)", strerror(errno));
}

/* The launch with which the simulation of a share begins: those in front of it warm its caches. */
static uint32_t begin_of(const struct mnp_share *share, const struct mnp_array *work, uint32_t least)
{
    const double *of = work->items;
    uint32_t begin = share->first;
    double own = 0, leads = 0;
    for (uint32_t i = share->first; i <= share->last; i++)
        own += of[i - 1];
    while (begin > 1 && share->first - begin < MOST_LEADS &&
           (share->first - begin < least || leads + of[begin - 2] <= own / LEADS_OF_WORK))
        leads += of[--begin - 1];
    return begin;
}

/* Chooses the launches that a share simulates. */
static bool choose(struct run_options *options, const struct mnp_array *work, struct mnp_error *error)
{
    uint32_t begin = begin_of(&options->share, work, options->program ? LEAST_LEADS : LEAST_LEADS_OF_TRACE);
    snprintf(options->share_launches, sizeof options->share_launches, "%u-%u", begin, options->share.last);
    options->sampling.kernels = options->share_launches;
    options->sampling.between = options->sampling.warm = options->program != NULL;
    return mnp_sampling_open(&options->sampling, error);
}

/* In the child. */
static void become_share(struct run_options *options, int out)
{
    char *path = NULL;
    if (options->output.folder && asprintf(&path, "%s/share-%u.txt", options->output.folder, options->share.number) > 0)
        unlink(path);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    redirect(path ? path : "/dev/null");
    free(path);
    for (uint32_t i = 1; i < options->share.number; i++)
        close(FIRST_PIPE + (int)i - 1);
    options->share.pipe = out;
    options->output = (struct run_output_options){.energy = options->output.energy};
}

/* Starts the process of a share. Sets `*here` in it. */
static bool start(struct run_options *options, bool *here, struct mnp_error *error)
{
    int out = -1;
    if (!open_pipe(options->share.number, &out, error))
        return false;
    fflush(NULL);
    pid_t child = fork();
    *here = child == 0;
    if (*here) {
        close(FIRST_PIPE + (int)options->share.number - 1);
        become_share(options, out);
    } else {
        close(out);
    }
    return child >= 0 || mnp_fail(error, "--shares: no process can be started: %s", strerror(errno));
}

static bool start_all(struct run_options *options, const struct mnp_array *work, struct mnp_error *error)
{
    uint32_t first[MNP_MOST_SHARES], count = options->shares;
    bool here = false, good = true;
    divide(work, count, options->program ? BY_VALUE / 100.0 : 0, first);
    if (!cli_run_folder_make(options, error))
        return false;
    options->request.threads = options->request.threads > count ? options->request.threads / count : 1;
    for (uint32_t i = 0; good && !here && i < count; i++) {
        uint32_t last = i + 1 < count ? first[i + 1] - 1 : work->count;
        options->share = (struct mnp_share){.number = i + 1,
                                            .count = count,
                                            .first = first[i],
                                            .last = last,
                                            .launches = work->count,
                                            .pipe = FIRST_PIPE};
        if (i + 1 < count)
            good = start(options, &here, error);
        if (here || i + 1 == count)
            good = good && choose(options, work, error);
    }
    return good;
}

bool cli_run_shares_divide(struct run_options *options, struct mnp_error *error)
{
    struct mnp_array work = {0};
    if (options->program && !(options->program_argc && cli_run_cuda_runs(options->program[0])))
        return mnp_fail(error,
                        "--shares: divides the launches of traces and of CUDA programs, and %.200s is neither; "
                        "leave it out",
                        options->program[0] ? options->program[0] : "the input");
    bool done = options->program ? measure_program(options, &work, error) : measure_trace(options, &work, error);
    if (options->shares > work.count)
        options->shares = work.count;
    if (done && options->shares > 1)
        done = start_all(options, &work, error);
    mnp_array_release(&work);
    return done;
}
