/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/run_program.h"

#include "base/arena.h"
#include "frontend/a32/elf.h"
#include "machines.h"
#include "manycore/manycore.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What programs write belongs to standard output, unless that is to be one JSON value. */
static FILE *stream_of(const struct run_options *options)
{
    return options->format == FORMAT_JSON ? stderr : stdout;
}

static void on_output(void *context, const unsigned char *text, uint32_t bytes)
{
    const struct run *run = context;
    FILE *out = stream_of(run->options);
    fwrite(text, 1, bytes, out);
    fflush(out);
}

/* The words of the command line with blanks between them; free it. Of the program's path the last part alone, so that a
 * run does not depend on where the file lies. */
static char *join_words(const struct run_options *options)
{
    size_t length = 1;
    for (int i = 0; i < options->program_argc; i++)
        length += strlen(options->program[i]) + 1;
    char *text = mnp_allocate(length, 1), *at = text;
    for (int i = 0; i < options->program_argc; i++) {
        if (i)
            *at++ = ' ';
        const char *slash = i ? NULL : strrchr(options->program[i], '/');
        at = stpcpy(at, slash ? slash + 1 : options->program[i]);
    }
    return text;
}

/* The machine: many-core, with the number of cores that the command line asks for. */
static struct mnp_settings *load_machine(const struct run_options *options, struct mnp_error *error)
{
    char cores[48];
    size_t count = options->override_count;
    const char **overrides = mnp_allocate(count + 1, sizeof *overrides);
    for (size_t i = 0; i < count; i++)
        overrides[i] = options->overrides[i];
    if (options->cores) {
        snprintf(cores, sizeof cores, "tile.count=%" PRIu64, options->cores);
        overrides[count++] = cores;
    }
    struct mnp_settings_source from = {.machine = options->machine ? options->machine : "manycore-2",
                                       .built_in = mnp_built_in_machines,
                                       .overrides = overrides,
                                       .override_count = count};
    struct mnp_settings *settings = mnp_settings_load(&from, error);
    free((void *)overrides);
    if (settings && strcmp(mnp_settings_kind(settings), "manycore") != 0) {
        mnp_fail(error,
                 "machine %s is a \"%s\", and %s is a program for a many-core machine; choose one (--machine "
                 "manycore-2)",
                 mnp_settings_name(settings), mnp_settings_kind(settings), options->program[0]);
        mnp_settings_free(settings);
        return NULL;
    }
    return settings;
}

static void on_remark(void *context, const char *text)
{
    const struct run *run = context;
    if (run->options->verbosity == MNP_VERBOSE && !run_is_silent(run))
        fprintf(stderr, "maniple: cores are interpreted: %s\n", text);
}

static bool simulate(struct run *run, const struct mnp_program *program, struct mnp_settings *settings,
                     struct mnp_results *results, struct mnp_error *error)
{
    const struct run_options *options = run->options;
    char *words = join_words(options);
    struct manycore_run_options manycore = {.core = options->core,
                                            .on_remark = on_remark,
                                            .request = options->request,
                                            .interrupt = &run->watch.interrupted,
                                            .command_line = words,
                                            .on_output = run_is_silent(run) ? NULL : on_output,
                                            .on_epoch = options->hash ? run_on_epoch : NULL,
                                            .on_costs = options->costs ? run_on_costs : NULL,
                                            .context = run,
                                            .transport = run_transport(run)};
    watch_enter(&run->watch, WATCH_RUNNING);
    bool done = manycore_run(settings, program, &manycore, results, error);
    free(words);
    return done;
}

bool run_program(struct run *run, struct mnp_settings **settings, struct mnp_results *results, struct mnp_error *error)
{
    const struct run_options *options = run->options;
    struct mnp_program program = {0};
    if (options->program_argc == 0)
        return mnp_fail(error, "there is no program behind --");
    bool well = mnp_a32_elf_load(options->program[0], &program, error);
    if (well)
        *settings = load_machine(options, error);
    well = well && *settings;
    bool done = processes_all_well(&run->processes, well, error) && simulate(run, &program, *settings, results, error);
    mnp_program_release(&program);
    return done;
}
