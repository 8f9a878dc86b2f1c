/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/run/work.h"

#include "base/arena.h"
#include "base/print.h"
#include "cli/input.h"
#include "cli/load_machine.h"
#include "cli/run/snapshot.h"
#include "engine/configure/defaults.h"
#include "frontend/a32/elf.h"
#include "machines.h"
#include "plugin/plugin.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ===== the input ===== */

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

static bool open_program(struct run_work *work, const struct run_options *options, struct mnp_error *error)
{
    if (options->program_argc == 0)
        return mnp_fail(error, "there is no program behind --");
    if (mnp_sampling_option(&options->sampling))
        return mnp_fail(error, "%s selects launches of traces and of CUDA programs, not of %.200s",
                        mnp_sampling_option(&options->sampling), options->program[0]);
    const char *wrong = options->gpus[0]            ? "--gpus: takes GPUs of a node"
                        : options->unknown_as_alu   ? "--unknown: is about opcodes of traces"
                        : options->trace_memory_set ? "--trace-memory: is about instructions of kernels"
                                                    : NULL;
    if (wrong)
        return mnp_fail(error, "%s, and %.200s is a program for the cores of a many-core machine; leave it out", wrong,
                        options->program[0]);
    work->name = options->program[0];
    work->words = join_words(options);
    work->work = (struct mnp_work){.input = MNP_INPUT_PROGRAM, .program = &work->program, .words = work->words};
    return a32_elf_load(options->program[0], &work->program, error);
}

/* The names of all inputs with blanks between them. */
static void name_all(struct run_work *work, const struct run_options *options)
{
    size_t length = 0;
    for (uint32_t i = 0; i < options->input_count; i++)
        length += strlen(options->inputs[i]) + 1;
    char *at = work->names = mnp_allocate(length, 1);
    for (uint32_t i = 0; i < options->input_count; i++) {
        at = stpcpy(at, options->inputs[i]);
        *at++ = i + 1 < options->input_count ? ' ' : 0;
    }
    work->name = work->names;
}

/* A trace, or one for each device of a machine of several. */
static bool open_trace(struct run_work *work, const struct run_options *options, struct mnp_error *error)
{
    struct input_options input = {
        .unknown_as_alu = options->unknown_as_alu, .waits = true, .memory = options->trace_memory};
    work->name = options->input;
    work->work = (struct mnp_work){
        .input = MNP_INPUT_KERNELS, .source = cli_input_open(options->input, &input, error), .others = work->others};
    if (!work->work.source || options->input_count == 1)
        return work->work.source;
    name_all(work, options);
    for (uint32_t i = 1; i < options->input_count; i++) {
        struct mnp_source *other = work->others[i - 1] = cli_input_open(options->inputs[i], &input, error);
        if (!other)
            return false;
        work->work.other_count++;
    }
    return true;
}

/* ===== the machine ===== */

static const char *choose_machine(const struct run_work *work, const struct run_options *options,
                                  struct mnp_error *error)
{
    if (options->machine)
        return options->machine;
    if (!work->work.source)
        return cli_default_machine(work->work.input);
    uint32_t architecture = work->work.source->architecture;
    const char *name = mnp_default_for(mnp_built_in_machines, architecture);
    if (!name)
        mnp_fail(error,
                 "%s: there is no default machine for sm_%u; choose one with --machine (`maniple machines` lists "
                 "them)",
                 options->input, architecture);
    return name;
}

/* A machine that does nothing with an input is the user's mistake. */
static bool check_input(const struct run_work *work, const struct run_options *options, struct mnp_error *error)
{
    char what[300];
    switch (work->work.input) {
    case MNP_INPUT_KERNELS:
        snprintf(what, sizeof what, "traces of kernels");
        break;
    case MNP_INPUT_PROGRAM:
        snprintf(what, sizeof what, "program for its own cores such as %.200s", work->name);
        break;
    default:
        if (work->kind->inputs & MNP_INPUT_NONE)
            return true;
        return mnp_fail(
            error, "there is no input; give the kernelslist.g of a trace, or -- and a program (`maniple run --help`)");
    }
    return (work->kind->inputs & work->work.input) ||
           mnp_kind_refuse(options->plugins->kinds, work->settings, work->work.input, what, error);
}

static bool set_cores(const struct run_work *work, const struct run_options *options, struct mnp_error *error)
{
    char text[160], option[40];
    if (!options->cores)
        return true;
    if (!work->kind->cores)
        return mnp_fail(error, "--cores: a machine of kind \"%s\" has no number of cores; use --set KEY=N",
                        work->kind->name);
    size_t length = strlen(work->kind->cores);
    for (uint32_t i = 0; i < options->override_count; i++)
        if (strncmp(options->overrides[i], work->kind->cores, length) == 0 && options->overrides[i][length] == '=')
            return mnp_fail(error, "--cores %" PRIu64 " and --set %.100s state the same key; give one of them",
                            options->cores, options->overrides[i]);
    snprintf(text, sizeof text, "%s=%" PRIu64, work->kind->cores, options->cores);
    snprintf(option, sizeof option, "--cores %" PRIu64, options->cores);
    return mnp_settings_add_option(work->settings, option, text, error);
}

/* Warnings about the input of a device. */
static struct mnp_log *log_of(struct mnp_results *results, uint32_t device)
{
    return results->device_count ? &results->devices[device]->log : &results->log;
}

static bool check_energy(const struct run_work *work, const struct run_options *options, struct mnp_error *error)
{
    return !options->output.energy || work->kind->energy ||
           mnp_fail(error, "--energy: a machine of kind \"%s\" states no energies; leave it out", work->kind->name);
}

/* Kinds of machines have different things to record. */
static bool check_timeline(const struct run_work *work, const struct run_options *options, struct mnp_error *error)
{
    const char *const *words = work->kind->timeline;
    for (int i = 0; i < 2; i++)
        if (options->timeline[i] && words[i] && strcmp(options->timeline[i], words[i]) != 0)
            return mnp_fail(error, "--timeline %s: a machine of kind \"%s\" has --timeline %s and %s:T0-T1",
                            options->timeline[i], work->kind->name, words[0], words[1]);
    return true;
}

/* Keys that --steady sets are GPUs' alone. */
static bool check_steady(const struct run_work *work, const struct run_options *options, struct mnp_error *error)
{
    return !options->sampling.steady || (work->kind->inputs & MNP_INPUT_CALLS) ||
           mnp_fail(error, "--steady: passes over kernels of GPUs, and a machine of kind \"%s\" has none; leave it out",
                    work->kind->name);
}

static bool read_machine(struct run_work *work, const struct run_options *options, struct mnp_results *results,
                         struct mnp_error *error)
{
    const char *name = choose_machine(work, options, error);
    work->settings =
        name ? cli_load_machine(options->plugins, name, options->overrides, options->override_count, &work->kind, error)
             : NULL;
    if (!work->settings || !check_steady(work, options, error) ||
        !cli_run_options_check_gpus(options, work->settings, error) || !check_input(work, options, error) ||
        !set_cores(work, options, error) || !check_energy(work, options, error) ||
        !check_timeline(work, options, error))
        return false;
    if (work->work.other_count)
        mnp_results_add_devices(results, 1 + work->work.other_count);
    cli_input_warn_of_machine(work->work.source, work->settings, log_of(results, 0));
    for (uint32_t i = 0; i < work->work.other_count; i++)
        cli_input_warn_of_machine(work->others[i], work->settings, log_of(results, i + 1));
    return true;
}

/* A launch that is asked for but is not there is a mistake in the list, not an empty result. */
static bool check_launches(const struct run_work *work, const struct run_options *options, struct mnp_error *error)
{
    uint32_t count = work->work.source ? work->work.source->kernel_count : 0;
    uint32_t last = options->sampling.selection ? mnp_selection_last(options->sampling.selection) : 0;
    if (options->sampling.between)
        return mnp_fail(error, "--between: launches of a trace cannot be executed, and are left out; leave it out too");
    if (options->cuda.bare_values)
        return mnp_fail(error, "--values: is about what kernels of CUDA programs compute; leave it out");
    if (options->cuda.code)
        return mnp_fail(error, "--code: is about what CUDA programs execute; leave it out");
    if (options->sampling.selection && mnp_selection_needs_ranges(options->sampling.selection, false))
        return mnp_fail(error, "--kernels: profiler and nvtx are marks of programs, and %s is a trace", options->input);
    if (options->sampling.plan && count && options->sampling.plan->launches != count)
        return mnp_fail(error, "--plan %s: is for %u launches, and %s has %u; make a plan for it with `maniple plan`",
                        options->sampling.plan_file, options->sampling.plan->launches, options->input, count);
    return !count || last <= count ||
           mnp_fail(error, "--kernels: there is no launch %u; %s has %u, counted from 1", last, options->input, count);
}

bool cli_run_work_open(struct run_work *work, const struct run_options *options, struct mnp_results *results,
                       struct mnp_error *error)
{
    *work = (struct run_work){.work.input = MNP_INPUT_NONE, .name = ""};
    bool open =
        options->program ? open_program(work, options, error) : !options->input || open_trace(work, options, error);
    return open && read_machine(work, options, results, error) && check_launches(work, options, error);
}

void cli_run_work_release(struct run_work *work)
{
    mnp_settings_free(work->settings);
    if (work->work.source)
        work->work.source->close(work->work.source);
    for (uint32_t i = 0; i < work->work.other_count; i++)
        work->others[i]->close(work->others[i]);
    free(work->names);
    mnp_program_release(&work->program);
    free(work->words);
}

/* ===== the run ===== */

static void on_progress(void *context, const struct mnp_progress *progress)
{
    struct run *run = context;
    results_watch_progress(&run->watch, progress);
}

static void on_epoch(void *context, const struct mnp_epoch_hashes *hashes)
{
    struct run *run = context;
    if (!run_is_silent(run))
        results_epochs_write(&run->epochs, hashes);
    if (run->costs_file.stream)
        results_costs_leave_out(&run->costs);
}

static void on_costs(void *context, struct mnp_engine *engine)
{
    struct run *run = context;
    results_costs_window(&run->costs, engine);
}

/* Output of programs belongs to standard output, unless that is to be one JSON value. */
static void on_output(void *context, const unsigned char *text, uint32_t bytes)
{
    const struct run *run = context;
    FILE *out = run->options->output.format == FORMAT_JSON ? stderr : stdout;
    fwrite(text, 1, bytes, out);
    fflush(out);
}

static void on_remark(void *context, const char *text)
{
    const struct run *run = context;
    if (run->options->output.verbosity == MNP_VERBOSE && !run_is_silent(run))
        mnp_print_text(stderr, "maniple: %s\n", text);
}

static void on_notice(void *context, const char *text)
{
    const struct run *run = context;
    if (run->options->output.verbosity > MNP_QUIET && !run_is_silent(run))
        mnp_print_text(stderr, "maniple: %s\n", text);
}

static bool on_begin(void *context, struct mnp_session *session, struct mnp_error *error)
{
    const struct run *run = context;
    return cli_run_snapshot_begin(run->snapshots, session, error);
}

static bool on_pause(void *context, struct mnp_session *session, uint32_t part)
{
    const struct run *run = context;
    return cli_run_snapshot_pause(run->snapshots, session, part);
}

static bool selects(const void *sampling, uint32_t launch, const char *name)
{
    mnp_sampling_meet(sampling, launch, name);
    return mnp_sampling_has(sampling, launch, name);
}

bool cli_run_work_simulate(struct run_work *work, struct run *run, struct mnp_results *results, struct mnp_error *error)
{
    const struct run_options *options = run->options;
    struct mnp_session_options session = {
        .request = options->request,
        .core = options->core,
        .interrupt = &run->watch.interrupted,
        .selects = mnp_sampling_option(&options->sampling) ? selects : NULL,
        .selection = &options->sampling,
        .on_epoch = options->output.hash ? on_epoch : NULL,
        .on_costs = options->output.costs ? on_costs : NULL,
        .on_progress = on_progress,
        .on_output = run_is_silent(run) ? NULL : on_output,
        .on_remark = on_remark,
        .on_notice = on_notice,
        .on_begin = options->snapshot.resume ? on_begin : NULL,
        .on_pause = options->snapshot.folder ? on_pause : NULL,
        .context = run,
        .transport = run_transport(run),
    };
    struct run_snapshots snapshots = {.options = options, .work = work};
    run->snapshots = &snapshots;
    results_watch_enter(&run->watch, WATCH_RUNNING);
    if (!cli_run_snapshot_check(&snapshots, error) ||
        !mnp_session_run_all(work->kind, work->settings, &work->work, &session, results, error) ||
        !cli_run_snapshot_end(&snapshots, results, &run->untaken, error))
        return false;
    if (results->end == MNP_END_FINISHED)
        mnp_sampling_estimate(&options->sampling, results);
    if (results->end == MNP_END_FINISHED && options->sampling.selection && !results->part_count)
        return mnp_fail(error,
                        "--kernels: no launch of %s is among those that are named; `maniple trace info` lists them",
                        options->input);
    cli_input_warn_of_run(work->work.source, log_of(results, 0));
    for (uint32_t i = 0; i < work->work.other_count; i++)
        cli_input_warn_of_run(work->others[i], log_of(results, i + 1));
    return true;
}
