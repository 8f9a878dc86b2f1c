/* SPDX-License-Identifier: BSD-3-Clause */
/* `maniple profile`: simulates the kernels of a model and writes their times for simulators of serving and clusters. */
#include "base/allocate.h"
#include "base/file.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/jobs.h"
#include "cli/load_machine.h"
#include "cli/profile/write.h"
#include "cli/run/cuda.h"
#include "cli/runs_options.h"
#include "cli/verbs.h"
#include "cli/words.h"
#include "contract/kind.h"
#include "engine/configure/configuration.h"

#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPTION_FOR = CLI_RUNS_LAST,
    OPTION_MACHINE,
    OPTION_PARALLEL,
    OPTION_TOKENS,
    OPTION_BATCHES,
    OPTION_CONTEXTS,
    OPTION_KEYS,
    OPTION_LIST
};

enum { LEAST_ARCHITECTURE = 80, MOST_SAMPLE = 131072 };

typedef bool writer(const struct profile *profile, const char *folder, struct mnp_error *error);

static const char *const tools[] = {"csv", "vidur", "aiconfigurator", "astra-sim"};
static writer *const writers[] = {NULL, cli_profile_write_vidur, cli_profile_write_aiconfigurator,
                                  cli_profile_write_astra_sim};
enum { TOOLS = sizeof tools / sizeof tools[0] };

struct profile_options {
    struct cli_runs_options runs; /* that sweeps have, too; its list is the model */
    const char *tool, *machine;
    uint64_t gpus, most_keys;
    struct profile_samples tokens, batches, contexts;
    bool only_list;
};

/* "1,16,256": whole numbers that rise. */
static void read_samples(struct profile_options *options, const char *name, const char *text,
                         struct profile_samples *samples)
{
    char copy[256], *rest = copy, *word;
    snprintf(copy, sizeof copy, "%s", text);
    samples->count = 0;
    while ((word = strsep(&rest, ","))) {
        uint64_t value = 0, last = samples->count ? samples->at[samples->count - 1] : 0;
        if (mnp_parse_number(word, &value) || value <= last || value > MOST_SAMPLE || samples->count == PROFILE_SAMPLES)
            mnp_fail(&options->runs.error,
                     "--%s %.100s: state up to %d whole numbers from 1 to %d that rise, such as 1,16,256", name, text,
                     PROFILE_SAMPLES, MOST_SAMPLE);
        if (options->runs.error.text[0])
            return;
        samples->at[samples->count++] = (uint32_t)value;
    }
    if (samples->count < 2)
        mnp_fail(&options->runs.error, "--%s %.100s: state at least two numbers, between which times are interpolated",
                 name, text);
}

static error_t read_option(int key, char *text, struct argp_state *state)
{
    struct profile_options *options = state->input;
    if (cli_runs_option(&options->runs, "maniple profile takes one model", key, text))
        return 0;
    switch (key) {
    case OPTION_FOR:
        options->tool = text;
        break;
    case OPTION_MACHINE:
        options->machine = text;
        break;
    case OPTION_PARALLEL:
        cli_runs_number(&options->runs, "tensor-parallel", text, &options->gpus);
        break;
    case OPTION_TOKENS:
        read_samples(options, "tokens", text, &options->tokens);
        break;
    case OPTION_BATCHES:
        read_samples(options, "batches", text, &options->batches);
        break;
    case OPTION_CONTEXTS:
        read_samples(options, "contexts", text, &options->contexts);
        break;
    case OPTION_KEYS:
        cli_runs_number(&options->runs, "most-keys", text, &options->most_keys);
        break;
    case OPTION_LIST:
        options->only_list = true;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_option known[] = {
    {NULL, 'o', "DIR", 0, "folder of the files, and of all runs in DIR/runs", 0},
    {"for", OPTION_FOR, "TOOL", 0, "csv (default), vidur, aiconfigurator or astra-sim; profile.csv is always written",
     0},
    {"machine", OPTION_MACHINE, "NAME", 0, "built-in machine or a file; default h100-sxm", 0},
    {"tensor-parallel", OPTION_PARALLEL, "N", 0, "GPUs that share each layer; default 1", 0},
    {"tokens", OPTION_TOKENS, "LIST", 0,
     "numbers of tokens that are simulated, two or more; default 1,16,64,256,1024,4096", 0},
    {"batches", OPTION_BATCHES, "LIST", 0, "numbers of sequences in decoding, two or more; default 1,8,64", 0},
    {"contexts", OPTION_CONTEXTS, "LIST", 0, "keys of each sequence in decoding, two or more; default 128,1024,4096",
     0},
    {"most-keys", OPTION_KEYS, "N", 0,
     "longest simulated decoding, sequences times keys; default 8192. Beyond it times are extrapolated from the two "
     "shortest contexts of the batch or more",
     0},
    CLI_RUNS_ROWS,
    {"list", OPTION_LIST, NULL, 0, "only list the kernels to simulate, and which are there", 0},
    {0},
};

static void read_options(struct profile_options *options, const struct command_line *line)
{
    static const struct argp argp = {
        .options = known,
        .parser = read_option,
        .args_doc = "MODEL",
        .doc =
            "Simulate the kernels of a model's layers and write their times for a simulator of serving or of clusters "
            "(docs/profiles.md). MODEL is a name, such as llama-3-8b, or a config.json of Hugging Face. Kernels that "
            "are in DIR are never simulated again; what was interrupted goes on with the same command.\v"
            "Exit status: 0 the files are written; 2 an error, or runs that failed; 130 interrupted."};
    *options = (struct profile_options){.runs.threads = 1,
                                        .tool = "csv",
                                        .machine = "h100-sxm",
                                        .gpus = 1,
                                        .most_keys = 8192,
                                        .tokens = {6, {1, 16, 64, 256, 1024, 4096}},
                                        .batches = {3, {1, 8, 64}},
                                        .contexts = {3, {128, 1024, 4096}}};
    cli_parse(&argp, line->argc, line->argv, options);
    if (line->program)
        mnp_fail(&options->runs.error, "maniple profile takes nothing after --");
    if (!options->runs.list || (!options->runs.folder && !options->only_list))
        mnp_fail(&options->runs.error, "maniple profile takes a model, and -o DIR (`maniple profile --help`)");
}

/* ===== checks ===== */

static int find_tool(const struct profile_options *options, struct mnp_error *error)
{
    for (int i = 0; i < TOOLS; i++)
        if (strcmp(options->tool, tools[i]) == 0)
            return i;
    mnp_fail(error, "--for %.100s: is not one of csv, vidur, aiconfigurator, astra-sim", options->tool);
    return -1;
}

/* Products and attention are of bfloat16 on tensor cores. */
static bool check_machine(const char *machine, const struct plugin_set *plugins, struct mnp_error *error)
{
    const struct mnp_machine_kind *kind;
    struct mnp_settings *settings = cli_load_machine(plugins, machine, NULL, 0, &kind, error);
    if (settings && !(kind->inputs & MNP_INPUT_CALLS))
        mnp_fail(error, "%.100s runs no CUDA programs, and profiles are of GPUs; choose another machine", machine);
    else if (settings && mnp_settings_architecture(settings) < LEAST_ARCHITECTURE)
        mnp_fail(error,
                 "%.100s has no tensor cores for bfloat16 (compute capability 8.0); choose another machine, such as "
                 "a100-sxm or h100-sxm",
                 machine);
    mnp_settings_free(settings);
    return !error->text[0];
}

static bool prepare(struct profile *profile, struct profile_options *options, const struct command_line *line)
{
    struct mnp_error *error = &options->runs.error;
    profile->machine = options->machine;
    profile->plugins = line->plugins;
    profile->gpus = (uint32_t)options->gpus;
    profile->tokens = options->tokens;
    profile->batches = options->batches;
    profile->contexts = options->contexts;
    profile->most_keys = options->most_keys;
    if (!cli_profile_model_read(&profile->model, options->runs.list, error) ||
        !cli_profile_model_cut(&profile->model, profile->gpus, error) ||
        !check_machine(options->machine, line->plugins, error))
        return false;
    profile->layers = cli_run_cuda_find("maniple-layers", error);
    profile->products = profile->layers ? cli_run_cuda_find("maniple-products", error) : NULL;
    return profile->products && cli_profile_points_make(profile, error);
}

/* ===== runs and files ===== */

static void list_points(const struct profile *profile, const char *runs)
{
    const struct profile_point *points = profile->points.items;
    for (uint32_t i = 0; i < profile->points.count; i++) {
        char *folder = runs ? mnp_join_path(runs, points[i].name) : NULL;
        bool done = folder && cli_job_look(folder) == CLI_JOB_DONE;
        mnp_print_text(stdout, "%u %s %s %s\n", i + 1, points[i].name, done ? "done" : "waits", points[i].shape);
        free(folder);
    }
}

static int make_runs(const struct profile *profile, struct profile_options *options, const char *runs)
{
    const struct profile_point *points = profile->points.items;
    struct cli_jobs jobs = {.list = mnp_allocate(profile->points.count + 1, sizeof *jobs.list),
                            .count = profile->points.count,
                            .parallel = cli_runs_parallel(&options->runs),
                            .threads = (uint32_t)options->runs.threads,
                            .pieces = "kernels",
                            .quiet = options->runs.quiet};
    for (uint32_t i = 0; i < jobs.count; i++)
        jobs.list[i] = (struct cli_job){
            .folder = mnp_join_path(runs, points[i].name), .words = points[i].words, .note = points[i].note};
    int status = cli_jobs_run(&jobs, &options->runs.error);
    for (uint32_t i = 0; i < jobs.count; i++)
        free(jobs.list[i].folder);
    free(jobs.list);
    return status;
}

static int make(struct profile *profile, struct profile_options *options, int tool)
{
    struct mnp_error *error = &options->runs.error;
    const char *folder = options->runs.folder;
    char *runs = folder ? mnp_join_path(folder, "runs") : NULL;
    int status = MNP_EXIT_DONE;
    if (options->only_list)
        list_points(profile, runs);
    else if (mnp_make_folder(runs, error) && (status = make_runs(profile, options, runs)) == MNP_EXIT_DONE &&
             cli_profile_points_read(profile, runs, error) && cli_profile_write_csv(profile, folder, error) &&
             (!writers[tool] || writers[tool](profile, folder, error)))
        mnp_print_text(stdout, "%u kernels were simulated on %s: %s/profile.csv%s%s%s%s\n", profile->points.count,
                       profile->machine, folder, tool ? ", and " : "", tool ? folder : "", tool ? "/" : "",
                       tool ? tools[tool] : "");
    free(runs);
    return error->text[0] ? cli_report_error(error) : status ? status : cli_finish_output(MNP_EXIT_DONE);
}

int cli_verb_profile(const struct command_line *line)
{
    struct profile_options options;
    struct profile profile = {0};
    read_options(&options, line);
    int tool = options.runs.error.text[0] ? -1 : find_tool(&options, &options.runs.error);
    int status = tool >= 0 && prepare(&profile, &options, line) ? make(&profile, &options, tool)
                                                                : cli_report_error(&options.runs.error);
    cli_profile_points_release(&profile);
    return status;
}
