/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/allocate.h"
#include "base/file.h"
#include "base/range.h"
#include "base/threads.h"
#include "cli/input.h"
#include "engine/executors/executor.h"
#include "engine/executors/team.h"
#include "frontend/a32/elf.h"
#include "library/library.h"
#include "results/write/results.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A run while it is made. */
struct making {
    struct maniple_work work; /* the caller's, with zeros where its header was older */
    struct mnp_work given;
    struct mnp_program program;
    char *words;
};

/* ===== input ===== */

/* The command line as the program may ask for it: its own name, without folders, and its arguments. */
static char *join_words(const struct maniple_work *work)
{
    const char *slash = strrchr(work->input, '/'), *name = slash ? slash + 1 : work->input;
    const char *arguments = work->arguments ? work->arguments : "";
    char *words = mnp_allocate(strlen(name) + strlen(arguments) + 2, 1);
    strcpy(words, name);
    if (arguments[0])
        strcat(strcat(words, " "), arguments);
    return words;
}

/* A CUDA program is no input of a machine: it runs in a process of its own. */
static bool open_program(struct making *making, const struct mnp_machine_kind *kind, struct mnp_error *error)
{
    if (!(kind->inputs & MNP_INPUT_PROGRAM))
        return mnp_fail_at(error, making->work.input, 0,
                           "is a program, and a machine of kind \"%s\" takes traces here; start a CUDA program by "
                           "`maniple run`, and open a machine such as manycore-2 for a program of its own cores",
                           kind->name);
    if (!a32_elf_load(making->work.input, &making->program, error))
        return false;
    making->words = join_words(&making->work);
    making->given = (struct mnp_work){.input = MNP_INPUT_PROGRAM, .program = &making->program, .words = making->words};
    return true;
}

static bool open_input(struct making *making, const struct mnp_machine_kind *kind, struct mnp_error *error)
{
    const struct input_options options = {.waits = true};
    if (!making->work.input)
        return mnp_fail(error, "there is no input; set maniple_work.input");
    if (cli_input_is_program(making->work.input))
        return open_program(making, kind, error);
    making->given =
        (struct mnp_work){.input = MNP_INPUT_KERNELS, .source = cli_input_open(making->work.input, &options, error)};
    return making->given.source;
}

static bool check_input(const struct making *making, const struct mnp_settings *settings,
                        const struct mnp_machine_kind *kind, struct mnp_error *error)
{
    return (kind->inputs & making->given.input) ||
           mnp_kind_refuse(cli_kinds, settings, making->given.input, "traces of kernels", error);
}

/* ===== the run ===== */

static void on_output(void *context, const unsigned char *text, uint32_t bytes)
{
    const struct making *making = context;
    making->work.output(making->work.context, text, bytes);
}

static void describe(struct maniple_run *run, const struct making *making, uint32_t threads)
{
    struct mnp_run_info *info = &run->results.run;
    run->input = strdup(making->work.input);
    info->input = run->input;
    info->executor = "window";
    info->schedule = "cost";
    info->threads = threads;
    if (gethostname(info->host, sizeof info->host - 1) != 0)
        strcpy(info->host, "unknown");
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    info->host_processors = processors > 0 ? (uint32_t)processors : 0;
}

static bool simulate(struct maniple_run *run, struct making *making, const struct mnp_machine_kind *kind,
                     struct mnp_error *error)
{
    uint32_t wanted = making->work.threads;
    if (wanted > MNP_MAX_THREADS)
        return mnp_fail(error, "maniple_work.threads is %u; give 1 to %d, or 0: as many as there are processors",
                        wanted, MNP_MAX_THREADS);
    uint32_t threads = wanted ? wanted : mnp_min32(mnp_team_processors(1), MNP_MAX_THREADS);
    struct mnp_session_options options = {.request = {.executor = &mnp_executor_window,
                                                      .threads = mnp_threads_possible(threads),
                                                      .max_cycles = making->work.max_cycles},
                                          .interrupt = (const _Atomic int *)making->work.end,
                                          .on_output = making->work.output ? on_output : NULL,
                                          .context = making};
    cli_input_warn_of_machine(making->given.source, run->settings, &run->results.log);
    if (!mnp_session_run_all(kind, run->settings, &making->given, &options, &run->results, error))
        return false;
    cli_input_warn_of_run(making->given.source, &run->results.log);
    run->results.machine = run->settings;
    describe(run, making, options.request.threads);
    return true;
}

static bool make(const struct maniple_machine *machine, struct maniple_run *run, struct making *making,
                 struct mnp_error *error)
{
    const struct mnp_machine_kind *kind = NULL;
    run->settings = library_settings(machine, &kind, error);
    return run->settings && open_input(making, kind, error) && check_input(making, run->settings, kind, error) &&
           simulate(run, making, kind, error);
}

static void release(struct making *making)
{
    if (making->given.source)
        making->given.source->close(making->given.source);
    mnp_program_release(&making->program);
    free(making->words);
}

struct maniple_run *maniple_run(const struct maniple_machine *machine, const struct maniple_work *work,
                                struct maniple_error *error)
{
    struct maniple_run *run = mnp_allocate(1, sizeof *run);
    struct making making = {.words = NULL};
    struct mnp_error problem = {""};
    bool done = false;
    mnp_results_init(&run->results, MNP_SILENT);
    if (work->size < offsetof(struct maniple_work, arguments) || work->size > sizeof *work) {
        mnp_fail(&problem,
                 "maniple_work.size is %zu, and this library knows up to %zu; begin it with MANIPLE_WORK, and "
                 "use the library that belongs to the header",
                 work->size, sizeof *work);
    } else {
        memcpy(&making.work, work, work->size);
        done = make(machine, run, &making, &problem);
    }
    release(&making);
    if (done)
        return run;
    library_tell(error, &problem);
    maniple_run_close(run);
    return NULL;
}

void maniple_run_close(struct maniple_run *run)
{
    if (!run)
        return;
    mnp_results_release(&run->results);
    mnp_settings_free(run->settings);
    free(run->input);
    free(run);
}

enum maniple_end maniple_run_end(const struct maniple_run *run)
{
    static const uint8_t ends[] = {
        [MNP_END_FINISHED] = MANIPLE_FINISHED, [MNP_END_LIMIT] = MANIPLE_LIMIT,       [MNP_END_HANG] = MANIPLE_HANG,
        [MNP_END_LIVELOCK] = MANIPLE_LIVELOCK, [MNP_END_INTERRUPTED] = MANIPLE_ENDED, [MNP_END_TIME] = MANIPLE_ENDED,
        [MNP_END_SNAPSHOT] = MANIPLE_ENDED,
    };
    return ends[run->results.end];
}

uint32_t maniple_run_status(const struct maniple_run *run)
{
    return run->results.program_status;
}

const char *maniple_run_hash(const struct maniple_run *run)
{
    return run->results.hash;
}

const char *maniple_run_report(const struct maniple_run *run)
{
    return run->results.report;
}

const char *maniple_run_warning(const struct maniple_run *run, size_t number)
{
    return number < run->results.log.warning_count ? run->results.log.warnings[number].text : NULL;
}

int maniple_run_save(const struct maniple_run *run, const char *folder, struct maniple_error *error)
{
    struct mnp_error problem = {""};
    if (mnp_make_folder(folder, &problem) && results_save(&run->results, folder, NULL, 0, &problem))
        return 1;
    library_tell(error, &problem);
    return 0;
}
