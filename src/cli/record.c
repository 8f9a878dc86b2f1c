/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `maniple trace record`: the trace of a CUDA program, from its execution without timing. The program runs in a child
 * of this process, as `maniple run --functional` runs it, and our runtime inside it writes the trace.
 */
#include "cli/record.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/print.h"
#include "cli/input.h"
#include "cli/run/cuda.h"
#include "cli/words.h"
#include "frontend/mtrace/mtrace.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct record {
    const struct plugin_set *plugins;
    const char *folder, *machine, *app;
    const char **overrides;
    size_t override_count;
    struct mnp_sampling sampling; /* launches to be recorded */
    bool packed, warps, quiet;
    bool cut; /* a signal has ended the program */
    struct mnp_error error;
};

static error_t read_option(int key, char *text, struct argp_state *state)
{
    struct record *record = state->input;
    switch (key) {
    case 'o':
        record->folder = text;
        return 0;
    case 'f':
        record->packed = strcmp(text, "mtrace") == 0;
        record->warps = strcmp(text, "tracez") == 0;
        if (!record->packed && !record->warps && strcmp(text, "text") != 0)
            mnp_fail(&record->error, "--format %.100s: is not one of text, tracez, mtrace", text);
        return 0;
    case 'm':
        record->machine = text;
        return 0;
    case 's':
        record->overrides = mnp_reallocate(record->overrides, record->override_count + 1, sizeof *record->overrides);
        record->overrides[record->override_count++] = text;
        return 0;
    case 'a':
        record->app = text;
        return 0;
    case 'k':
        mnp_sampling_release(&record->sampling);
        record->sampling.kernels = text;
        mnp_sampling_open(&record->sampling, &record->error);
        return 0;
    case 'q':
        record->quiet = true;
        return 0;
    case ARGP_KEY_ARG:
        mnp_fail(&record->error, "%.200s: the program stands behind --: maniple trace record -o DIR -- %.200s", text,
                 text);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void read_options(struct record *record, const struct command_line *line)
{
    static const struct argp_option table[] = {
        {NULL, 'o', "DIR", 0, "the folder to write into", 0},
        {"format", 'f', "F", 0,
         "text: kernelslist.g and a file for each launch (default); tracez: the same, with files as Accel-Sim 2.0 has "
         "them; mtrace: packed, trace.mtrace",
         0},
        {"machine", 'm', "NAME|FILE", 0, "the machine that the program sees; default: as `maniple run`", 0},
        {"set", 's', "KEY=VALUE", 0, "override a key of the machine; may be repeated", 0},
        {"app", 'a', "NAME", 0, "record one of our own workloads (`maniple app list`); its arguments stand behind --",
         0},
        {"kernels", 'k', "LIST", 0, "launches to record, as for `maniple run`; the others are executed alone", 0},
        {NULL, 'q', NULL, 0, "say nothing but warnings and errors on standard error", 0},
        {0},
    };
    static const struct argp argp = {
        .options = table,
        .parser = read_option,
        .args_doc = "-o DIR -- PROGRAM [ARGUMENTS]\n-o DIR --app NAME [-- ARGUMENTS]",
        .doc = "Executes a CUDA program without timing and records its trace: for every warp the instructions that it "
               "executed, with their lanes and addresses, and the copies to the device. `maniple run` simulates it, on "
               "any machine; so do other simulators that read Accel-Sim's traces.",
    };
    char name[] = "maniple trace record";
    record->plugins = line->plugins;
    bool named = line->argc > 1 && strcmp(line->argv[1], "record") == 0; /* the word may be left out */
    char **words = mnp_allocate((size_t)line->argc + 1, sizeof *words);
    int count = 0;
    words[count++] = name;
    for (int i = named ? 2 : 1; i < line->argc; i++)
        words[count++] = line->argv[i];
    cli_parse(&argp, count, words, record);
    free(words);
    if (!record->folder)
        mnp_fail(&record->error, "state the folder to write into: maniple trace record -o DIR -- PROGRAM");
    if (!line->program && !record->app)
        mnp_fail(&record->error, "there is no program; give one behind --, or --app NAME");
}

/* The program's words: what stands behind --, or our own program with the name of a workload before that. */
static char **words_of(struct record *record, const struct command_line *line, int *count)
{
    char **words = mnp_allocate((size_t)line->program_argc + 4, sizeof *words);
    *count = 0;
    if (record->app) {
        words[0] = cli_run_cuda_find("maniple-apps", &record->error);
        words[1] = strdup("run");
        words[2] = strdup(record->app);
        *count = 3;
    }
    for (int i = 0; i < line->program_argc; i++)
        words[(*count)++] = line->program[i];
    return words;
}

/* Runs the program to its end; the status is its own, or that of a shell for a signal, which is told. */
static int run_program(struct record *record, char **words, int count)
{
    char *folder = realpath(record->folder, NULL);
    struct run_options options = {.plugins = record->plugins,
                                  .program = words,
                                  .program_argc = count,
                                  .machine = record->machine,
                                  .overrides = record->overrides,
                                  .override_count = record->override_count,
                                  .request = {.executor = &mnp_executor_window, .threads = 1},
                                  .executor_name = "functional",
                                  .cuda = {.functional = true, .trace = folder, .trace_warps = record->warps},
                                  .sampling = record->sampling,
                                  .output.verbosity = record->quiet ? MNP_QUIET : MNP_NORMAL};
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        cli_run_cuda(&options, &record->error);
        _exit(cli_report_error(&record->error));
    }
    free(folder);
    int status = 0;
    if (child < 0)
        mnp_fail(&record->error, "no process can be started: %s", strerror(errno));
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    record->cut = true;
    mnp_print_text(stderr, "maniple: error: %s was ended by a signal (%s): its trace is not whole\n", words[0],
                   strsignal(WTERMSIG(status)));
    return 128 + WTERMSIG(status);
}

/* Removes the text of a trace: its list, and what that names. */
static void remove_text(const char *folder, const char *list)
{
    size_t length;
    struct mnp_error ignored = {0};
    char *text = mnp_read_file(list, SIZE_MAX / 4, &length, &ignored), *rest = text;
    for (char *line; rest && (line = strsep(&rest, "\n"));) {
        if (strncmp(line, "kernel-", 7) != 0)
            continue;
        char *path = mnp_join_path(folder, line);
        unlink(path);
        free(path);
    }
    free(text);
    unlink(list);
}

/* Packs what has been written. */
static bool pack(struct record *record, const char *list)
{
    char *path = mnp_join_path(record->folder, "trace.mtrace");
    struct input_options input = {.keep_addresses = true};
    struct mnp_mtrace_written written;
    struct mnp_source *source = cli_input_open(list, &input, &record->error);
    bool done = source && mtrace_write(source, path, NULL, NULL, &written, &record->error);
    if (source)
        source->close(source);
    if (done)
        remove_text(record->folder, list);
    free(path);
    return done;
}

static void report(const struct record *record)
{
    if (!record->quiet)
        mnp_print_text(stderr, "maniple: %s/%s: recorded; `maniple run` simulates it\n", record->folder,
                       record->packed ? "trace.mtrace" : "kernelslist.g");
}

/* Whether the list is there, and is not the one of an earlier recording. */
static bool is_new(const char *list, const struct stat *earlier)
{
    struct stat now;
    return stat(list, &now) == 0 && (now.st_ino != earlier->st_ino || now.st_mtim.tv_sec != earlier->st_mtim.tv_sec ||
                                     now.st_mtim.tv_nsec != earlier->st_mtim.tv_nsec);
}

/* Runs the program, and says what has come of it. */
static int record_program(struct record *record, char **words, int count)
{
    struct stat earlier = {0};
    char *list = mnp_join_path(record->folder, "kernelslist.g");
    int status = MNP_EXIT_USER;
    if (mnp_make_folder(record->folder, &record->error)) {
        stat(list, &earlier);
        status = run_program(record, words, count);
    }
    if (record->error.text[0] || record->cut) {
        /* there is no trace, or not the whole of it */
    } else if (is_new(list, &earlier)) {
        if (!record->packed || pack(record, list))
            report(record);
    } else if (status == MNP_EXIT_DONE) {
        mnp_fail(&record->error, "%s has not used the CUDA runtime: there is nothing to record", words[0]);
    }
    free(list);
    return status;
}

int cli_record_trace(const struct command_line *line)
{
    struct record record = {.folder = NULL};
    int count = 0, status = MNP_EXIT_USER;
    read_options(&record, line);
    char **words = record.error.text[0] ? NULL : words_of(&record, line, &count);
    if (!record.error.text[0] && cli_run_cuda_runs(words[0]))
        status = record_program(&record, words, count);
    else if (!record.error.text[0])
        mnp_fail_at(&record.error, words[0], 0, "is no program for this host; traces are of CUDA programs");
    if (record.app && words) {
        for (int i = 0; i < 3; i++)
            free(words[i]);
    }
    free(words);
    free(record.overrides);
    mnp_sampling_release(&record.sampling);
    return record.error.text[0] ? cli_report_error(&record.error) : status;
}
