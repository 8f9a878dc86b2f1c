/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/jobs.h"

#include "base/allocate.h"
#include "base/file.h"
#include "base/print.h"
#include "base/temporary.h"
#include "cli/provenance.h"
#include "plugin/plugin.h"
#include "results/database/database.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_WORDS = 4096, LEAST_DISK = 1 << 20, LARGEST_LOG = 64 << 20, MOST_TOLD = 5 };

/* ===== folders ===== */

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

void cli_remove_folder(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

enum cli_job_state cli_job_look(const char *folder)
{
    struct stat status;
    return stat(folder, &status) == 0 && S_ISDIR(status.st_mode) ? CLI_JOB_DONE : CLI_JOB_WAITS;
}

/* "FOLDER.part-HOST-NUMBER-PROCESS": nobody else's, on whatever host. Free it. */
static char *working_folder(const struct cli_jobs *jobs, const struct cli_job *job)
{
    char host[64] = "host", *path = NULL;
    gethostname(host, sizeof host - 1);
    if (asprintf(&path, "%s.part-%s-%ld-%ld", job->folder, host, (long)(job - jobs->list), (long)getpid()) < 0)
        mnp_out_of_memory(strlen(job->folder));
    return path;
}

/* Removes what runs of this host have left that were killed: their processes are not there any more. */
static void remove_left(const struct cli_job *job)
{
    char host[64] = "host", *pattern = NULL;
    glob_t found = {0};
    gethostname(host, sizeof host - 1);
    if (asprintf(&pattern, "%s.part-%s-*", job->folder, host) < 0)
        mnp_out_of_memory(strlen(job->folder));
    bool some = glob(pattern, 0, NULL, &found) == 0;
    for (size_t i = 0; some && i < found.gl_pathc; i++) {
        long process = strtol(strrchr(found.gl_pathv[i], '-') + 1, NULL, 10);
        if (process > 0 && kill((pid_t)process, 0) != 0 && errno == ESRCH)
            cli_remove_folder(found.gl_pathv[i]);
    }
    globfree(&found);
    free(pattern);
}

static char *failed_folder(const struct cli_job *job)
{
    char *path = NULL;
    if (asprintf(&path, "%s.failed", job->folder) < 0)
        mnp_out_of_memory(strlen(job->folder));
    return path;
}

static bool write_note(const struct cli_job *job, struct mnp_error *error)
{
    char *path = mnp_join_path(job->working, "job.txt");
    FILE *out = fopen(path, "w");
    bool written = out && fputs(job->note ? job->note : "", out) >= 0;
    written = (!out || fclose(out) == 0) && written;
    if (!written)
        mnp_fail_at(error, path, 0, "cannot be written: %s; make room, and give the same command again",
                    strerror(errno));
    free(path);
    return written;
}

/* The folder gets its name. Where another process was faster, its results are the same. */
static void keep_results(struct cli_job *job)
{
    char *failed = failed_folder(job);
    if (rename(job->working, job->folder) != 0)
        cli_remove_folder(job->working);
    cli_remove_folder(failed);
    free(failed);
}

static void keep_failure(struct cli_job *job)
{
    char *failed = failed_folder(job);
    cli_remove_folder(failed);
    if (rename(job->working, failed) != 0)
        cli_remove_folder(job->working);
    free(failed);
}

/* ===== processes ===== */

/* Becomes the run, in the child: in a group of its own, with what it starts, so that all of it can be told to end; and
 * it ends with the parent, however that ends. */
static _Noreturn void become_run(const struct cli_job *job, char *const *words, pid_t parent)
{
    char *log = mnp_join_path(job->working, "log.txt");
    sigset_t none;
    mnp_temporary_end_with(parent);
    setpgid(0, 0);
    int from = open("/dev/null", O_RDONLY | O_CLOEXEC),
        to = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    if (from < 0 || to < 0 || dup2(from, STDIN_FILENO) < 0 || dup2(to, STDOUT_FILENO) < 0 ||
        dup2(to, STDERR_FILENO) < 0)
        _exit(127);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execv("/proc/self/exe", words);
    _exit(127);
}

static bool spawn(const struct cli_jobs *jobs, struct cli_job *job, struct mnp_error *error)
{
    char threads[16];
    char *words[MOST_WORDS] = {(char[]){"maniple"}, (char[]){"run"},       (char[]){"-q"}, (char[]){"-o"},
                               job->working,        (char[]){"--threads"}, threads};
    uint32_t count = 7;
    snprintf(threads, sizeof threads, "%u", jobs->threads);
    for (char **word = job->words; *word && count < MOST_WORDS - 1; word++)
        words[count++] = *word;
    pid_t self = getpid();
    setenv(CLI_FINAL_FOLDER, job->folder, 1);
    fflush(NULL); /* text that is not written yet would be written twice */
    job->process = fork();
    if (job->process == 0)
        become_run(job, words, self);
    unsetenv(CLI_FINAL_FOLDER);
    if (job->process < 0)
        return mnp_fail(error, "a process cannot be started: %s; ask for fewer at a time (--jobs)", strerror(errno));
    setpgid(job->process, job->process); /* the child does so, too: whoever comes first */
    return true;
}

static bool start(const struct cli_jobs *jobs, struct cli_job *job, struct mnp_error *error)
{
    remove_left(job);
    job->working = working_folder(jobs, job);
    cli_remove_folder(job->working);
    if (!mnp_make_folder(job->working, error) || !write_note(job, error) || !spawn(jobs, job, error)) {
        cli_remove_folder(job->working);
        return false;
    }
    job->state = CLI_JOB_RUNS;
    return true;
}

/* A disk that is full ends all of it: every other run would fail too. */
static bool disk_is_full(const char *folder)
{
    struct statvfs disk;
    return statvfs(folder, &disk) == 0 && (uint64_t)disk.f_bavail * disk.f_frsize < LEAST_DISK;
}

/* Whether a run has left results: a program that has launched no kernel ends well and leaves none. */
static bool has_results(const char *folder)
{
    static const char *const files[] = {RESULTS_DATABASE_FILE, "gpu0/" RESULTS_DATABASE_FILE};
    bool found = false;
    for (size_t i = 0; !found && i < sizeof files / sizeof *files; i++) {
        char *path = mnp_join_path(folder, files[i]);
        found = access(path, F_OK) == 0;
        free(path);
    }
    return found;
}

static void finish(struct cli_job *job, int status, struct cli_progress *progress, bool interrupted,
                   struct mnp_error *error)
{
    bool well = WIFEXITED(status) &&
                (WEXITSTATUS(status) == MNP_EXIT_DONE || (job->limited && WEXITSTATUS(status) == MNP_EXIT_STOPPED));
    progress->running--;
    if (well && has_results(job->working)) {
        keep_results(job);
        job->state = CLI_JOB_DONE;
        progress->done++;
    } else if (interrupted) {
        cli_remove_folder(job->working);
        job->state = CLI_JOB_WAITS;
    } else {
        job->status = status;
        if (disk_is_full(job->working))
            mnp_fail_at(error, job->folder, 0, "the disk is full; make room, and give the same command again");
        keep_failure(job);
        job->state = CLI_JOB_FAILED;
        progress->failed++;
    }
    free(job->working);
    job->working = NULL;
}

static struct cli_job *job_of(const struct cli_jobs *jobs, pid_t process)
{
    for (uint32_t i = 0; i < jobs->count; i++)
        if (jobs->list[i].state == CLI_JOB_RUNS && jobs->list[i].process == process)
            return &jobs->list[i];
    return NULL;
}

/* Takes the processes that have ended. */
static void take_ended(const struct cli_jobs *jobs, struct cli_progress *progress, bool interrupted,
                       struct mnp_error *error)
{
    int status;
    for (pid_t process; (process = waitpid(-1, &status, WNOHANG)) > 0;) {
        struct cli_job *job = job_of(jobs, process);
        if (job)
            finish(job, status, progress, interrupted, error);
    }
}

static void tell_all(const struct cli_jobs *jobs, int signal)
{
    for (uint32_t i = 0; i < jobs->count; i++)
        if (jobs->list[i].state == CLI_JOB_RUNS)
            kill(-jobs->list[i].process, signal);
}

/* ===== all of them ===== */

struct round {
    struct cli_jobs *jobs;
    struct cli_progress progress;
    sigset_t signals, before;
    uint32_t next;
    bool interrupted;
};

/* Starts as many as there may be. */
static void start_some(struct round *round, struct mnp_error *error)
{
    struct cli_jobs *jobs = round->jobs;
    for (; round->next < jobs->count && round->progress.running < jobs->parallel && !error->text[0]; round->next++) {
        struct cli_job *job = &jobs->list[round->next];
        if (job->state != CLI_JOB_WAITS)
            continue;
        if (cli_job_look(job->folder) == CLI_JOB_DONE) { /* another sweep has been here meanwhile */
            job->state = CLI_JOB_DONE;
            round->progress.found++;
        } else if (start(jobs, job, error)) {
            round->progress.running++;
        }
    }
}

static void work(struct round *round, struct mnp_error *error)
{
    struct timespec a_moment = {.tv_nsec = 200000000};
    for (;;) {
        if (!round->interrupted)
            start_some(round, error);
        if (!round->progress.running)
            return;
        int signal = sigtimedwait(&round->signals, NULL, &a_moment);
        if (signal > 0 && signal != SIGCHLD && !round->interrupted) {
            round->interrupted = true;
            tell_all(round->jobs, SIGTERM);
        }
        take_ended(round->jobs, &round->progress, round->interrupted, error);
        cli_progress_show(&round->progress);
    }
}

static void hold_signals(struct round *round)
{
    struct sigaction hangup;
    sigemptyset(&round->signals);
    sigaddset(&round->signals, SIGCHLD);
    sigaddset(&round->signals, SIGINT);
    sigaddset(&round->signals, SIGTERM);
    if (sigaction(SIGHUP, NULL, &hangup) != 0 || hangup.sa_handler != SIG_IGN) /* nohup wants the runs to go on */
        sigaddset(&round->signals, SIGHUP);
    sigprocmask(SIG_BLOCK, &round->signals, &round->before);
}

/* The line of a run's log that says why it failed, to be freed: the last error of Maniple's, or else the last line that
 * is not blank. NULL: there is none. */
static char *telling_line(const char *path)
{
    static const char mark[] = "maniple: error: ";
    struct mnp_error ignored = {0};
    size_t length, found = 0; /* bytes of the line that was found */
    char *text = mnp_read_file(path, LARGEST_LOG, &length, &ignored), *line = NULL;
    bool marked = false;
    for (char *at = text, *end = text ? text + length : NULL; at < end;) {
        char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t bytes = (size_t)((stop ? stop : end) - at);
        bool error = bytes > sizeof mark && memcmp(at, mark, sizeof mark - 1) == 0;
        if (error || (!marked && bytes > strspn(at, " \t\r") && *at)) {
            line = at;
            found = bytes;
            marked |= error;
        }
        at += bytes + 1;
    }
    char *copy = line ? strndup(line, found) : NULL;
    free(text);
    return copy;
}

/* Says which run failed, how it ended, and why. */
static void tell_failure(const struct cli_job *job)
{
    char *log = NULL;
    if (asprintf(&log, "%s.failed/log.txt", job->folder) < 0)
        mnp_out_of_memory(strlen(job->folder));
    char *line = telling_line(log);
    if (WIFSIGNALED(job->status))
        mnp_print_text(stderr, "maniple: failed, by signal %d (%s):", WTERMSIG(job->status),
                       strsignal(WTERMSIG(job->status)));
    else if (WEXITSTATUS(job->status) == MNP_EXIT_DONE)
        fputs("maniple: failed, as nothing was simulated (no kernel was launched):", stderr);
    else
        mnp_print_text(stderr, "maniple: failed, with exit status %d:", WEXITSTATUS(job->status));
    const char *plugins = getenv(PLUGIN_VARIABLE);
    if (plugins) {
        fputs(" " PLUGIN_VARIABLE "=", stderr);
        mnp_put_shell(plugins, stderr);
    }
    fputs(" maniple run", stderr);
    for (char **word = job->words; *word; word++) {
        putc(' ', stderr);
        mnp_put_shell(*word, stderr);
    }
    if (line)
        mnp_print_text(stderr, "\n  %s", line);
    mnp_print_text(stderr, "\n  %s\n", log);
    free(line);
    free(log);
}

/* Tells of the first few runs that failed. */
static void tell_failures(const struct cli_jobs *jobs)
{
    uint32_t told = 0, failed = 0;
    for (uint32_t i = 0; i < jobs->count; i++) {
        if (jobs->list[i].state != CLI_JOB_FAILED || !jobs->list[i].folder)
            continue;
        if (failed++ < MOST_TOLD) {
            tell_failure(&jobs->list[i]);
            told++;
        }
    }
    if (failed > told)
        mnp_print_text(stderr, "maniple: and %u others, each with its log.txt\n", failed - told);
}

int cli_jobs_run(struct cli_jobs *jobs, struct mnp_error *error)
{
    struct round round = {.jobs = jobs};
    uint64_t found = 0, lost = 0;
    for (uint32_t i = 0; i < jobs->count; i++) {
        struct cli_job *job = &jobs->list[i];
        job->state = job->folder ? cli_job_look(job->folder) : CLI_JOB_FAILED;
        found += job->state == CLI_JOB_DONE;
        lost += !job->folder;
    }
    hold_signals(&round);
    cli_progress_begin(&round.progress, jobs->pieces, jobs->count, found, jobs->quiet);
    round.progress.failed = lost;
    work(&round, error);
    cli_progress_end(&round.progress);
    sigprocmask(SIG_SETMASK, &round.before, NULL);
    if (round.progress.failed)
        tell_failures(jobs);
    if (round.interrupted) {
        fputs("maniple: interrupted; the same command goes on where it was\n", stderr);
        return MNP_EXIT_INTERRUPTED;
    }
    return round.progress.failed || error->text[0] ? MNP_EXIT_USER : MNP_EXIT_DONE;
}
