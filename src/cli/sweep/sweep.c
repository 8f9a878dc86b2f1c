/* SPDX-License-Identifier: BSD-3-Clause */
/* `maniple sweep`: makes the runs of a plan that are not there yet, hands them to others, or sums them up. */
#include "base/allocate.h"
#include "base/file.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/jobs.h"
#include "cli/runs_options.h"
#include "cli/sweep/commands.h"
#include "cli/sweep/plan.h"
#include "cli/sweep/summary.h"
#include "cli/verbs.h"
#include "cli/words.h"

#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPTION_JOB = CLI_RUNS_LAST,
    OPTION_LIST,
    OPTION_COMMANDS,
    OPTION_CHUNK,
    OPTION_SUMMARY,
    OPTION_FORCE,
};

struct sweep_options {
    struct cli_runs_options runs; /* that correlations have, too */
    const char *commands, *summary;
    uint64_t chunk, first, last; /* first 0: all runs */
    bool only_list, force;
};

/* "7" or "5-9". */
static void read_job(struct sweep_options *options, const char *text)
{
    char first[32];
    const char *dash = strchr(text, '-');
    snprintf(first, sizeof first, "%.*s", dash ? (int)(dash - text < 31 ? dash - text : 31) : 31, text);
    if (mnp_parse_number(first, &options->first) || mnp_parse_number(dash ? dash + 1 : first, &options->last) ||
        !options->first || options->last < options->first)
        mnp_fail(&options->runs.error,
                 "--job %.100s: is neither a run nor a range of runs; they count from 1, such as 5-9", text);
}

static error_t read_option(int key, char *text, struct argp_state *state)
{
    struct sweep_options *options = state->input;
    if (cli_runs_option(&options->runs, "maniple sweep takes one plan", key, text))
        return 0;
    switch (key) {
    case OPTION_JOB:
        read_job(options, text);
        break;
    case OPTION_LIST:
        options->only_list = true;
        break;
    case OPTION_COMMANDS:
        options->commands = text;
        break;
    case OPTION_CHUNK:
        cli_runs_number(&options->runs, "chunk", text, &options->chunk);
        break;
    case OPTION_SUMMARY:
        options->summary = text;
        break;
    case OPTION_FORCE:
        options->force = true;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static void read_options(struct sweep_options *options, const struct command_line *line)
{
    static const struct argp_option known[] = {
        {NULL, 'o', "DIR", 0, "the folder of all runs, each in a folder named by what decides its results", 0},
        CLI_RUNS_ROWS,
        {"list", OPTION_LIST, NULL, 0, "only list the runs, and, with -o, which are there", 0},
        {"job", OPTION_JOB, "N|N-M", 0, "only these runs of the list, counted from 1", 0},
        {"commands", OPTION_COMMANDS, "FORM", 0,
         "write what others run to standard output: parallel (a command per line, for GNU parallel or xargs), slurm (a "
         "script with an array), snakemake (a Snakefile)",
         0},
        {"chunk", OPTION_CHUNK, "N", 0, "with --commands slurm: runs of each task; default 1, at most 1000 tasks", 0},
        {"summary", OPTION_SUMMARY, "PREFIX", 0,
         "write a table of what is there to PREFIX.csv, PREFIX-columns.csv and PREFIX.sqlite, the front of two "
         "objectives to PREFIX.svg, a "
         "comparison by input to PREFIX-by-input.csv, .svg and .tex, interactions of a grid's keys to "
         "PREFIX-interactions.csv, "
         "and effects to standard output",
         0},
        {"force", OPTION_FORCE, NULL, 0, "also more than 10000 runs", 0},
        {0},
    };
    static const struct argp argp = {
        .options = known,
        .parser = read_option,
        .args_doc = "FILE",
        .doc = "Make the runs of a plan: machines by settings by inputs (docs/sweep.md). A run that is in DIR is never "
               "made again, whoever made it, on however many threads; what was interrupted goes on with the same "
               "command.\v"
               "Exit status: 0 all runs are there; 2 an error, or runs that failed; 130 interrupted.",
    };
    *options = (struct sweep_options){.runs.threads = 1};
    cli_parse(&argp, line->argc, line->argv, options);
    if (line->program)
        mnp_fail(&options->runs.error, "maniple sweep takes nothing after --; programs stand in the plan");
    static const char both[] = "%s and %s are two things to do with a plan; give one of them";
    const char *chosen[4] = {options->only_list ? "--list" : NULL, options->commands ? "--commands" : NULL,
                             options->summary ? "--summary" : NULL, options->first ? "--job" : NULL};
    for (int i = 0; i < 4; i++)
        for (int k = i + 1; k < 4; k++)
            if (chosen[i] && chosen[k])
                mnp_fail(&options->runs.error, both, chosen[i], chosen[k]);
    if (options->chunk && !options->commands)
        mnp_fail(&options->runs.error, "--chunk is about --commands slurm; leave it out");
    if (!options->runs.list || (!options->runs.folder && !options->only_list))
        mnp_fail(&options->runs.error, "maniple sweep takes a plan, and -o DIR (`maniple sweep --help`)");
}

/* ===== what is done with a plan ===== */

static char *folder_of(const struct sweep_options *options, const struct sweep_run *run)
{
    return mnp_join_path(options->runs.folder, run->name);
}

static bool is_done(const struct sweep_options *options, const struct sweep_run *run)
{
    if (!options->runs.folder)
        return false;
    char *folder = folder_of(options, run);
    bool done = cli_job_look(folder) == CLI_JOB_DONE;
    free(folder);
    return done;
}

static void list_runs(const struct sweep_options *options, const struct sweep_plan *plan)
{
    const struct sweep_run *runs = plan->runs.items;
    for (uint32_t i = 0; i < plan->runs.count; i++) {
        mnp_print_text(stdout, "%u %s %s", i + 1, runs[i].name, is_done(options, &runs[i]) ? "done" : "waits");
        for (char **word = runs[i].words; *word; word++)
            mnp_print_text(stdout, " %s", *word);
        putchar('\n');
    }
}

static int write_commands(struct sweep_options *options, const struct sweep_plan *plan)
{
    const struct sweep_run *runs = plan->runs.items;
    bool *done = mnp_allocate(plan->runs.count + 1, sizeof *done);
    for (uint32_t i = 0; i < plan->runs.count; i++)
        done[i] = is_done(options, &runs[i]);
    const struct sweep_commands commands = {.plan = plan,
                                            .folder = options->runs.folder,
                                            .done = done,
                                            .threads = (uint32_t)options->runs.threads,
                                            .chunk = (uint32_t)options->chunk,
                                            .force = options->force};
    bool written = cli_sweep_commands_write(&commands, options->commands, stdout, &options->runs.error);
    free(done);
    return written ? cli_finish_output(MNP_EXIT_DONE) : cli_report_error(&options->runs.error);
}

static int make_runs(struct sweep_options *options, const struct sweep_plan *plan)
{
    const struct sweep_run *runs = plan->runs.items;
    uint64_t first = options->first ? options->first - 1 : 0;
    uint64_t end = options->first && options->last < plan->runs.count ? options->last : plan->runs.count;
    if (first >= plan->runs.count)
        mnp_fail(&options->runs.error, "--job: there is no run %" PRIu64 "; %s has %u", first + 1, plan->file,
                 plan->runs.count);
    if (options->runs.error.text[0] || !mnp_make_folder(options->runs.folder, &options->runs.error))
        return cli_report_error(&options->runs.error);
    struct cli_jobs jobs = {.list = mnp_allocate(plan->runs.count, sizeof *jobs.list),
                            .count = (uint32_t)(end - first),
                            .parallel = cli_runs_parallel(&options->runs),
                            .threads = (uint32_t)options->runs.threads,
                            .pieces = "runs",
                            .quiet = options->runs.quiet};
    for (uint32_t i = 0; i < jobs.count; i++)
        jobs.list[i] = (struct cli_job){.folder = folder_of(options, &runs[first + i]),
                                        .words = runs[first + i].words,
                                        .note = runs[first + i].note,
                                        .limited = plan->limited};
    int status = cli_jobs_run(&jobs, &options->runs.error);
    for (uint32_t i = 0; i < jobs.count; i++)
        free(jobs.list[i].folder);
    free(jobs.list);
    return options->runs.error.text[0] ? cli_report_error(&options->runs.error) : status;
}

static int sum_up(struct sweep_options *options, const struct sweep_plan *plan)
{
    bool done = cli_sweep_summary_write(plan, options->runs.folder, options->summary, stdout, &options->runs.error);
    return done ? cli_finish_output(MNP_EXIT_DONE) : cli_report_error(&options->runs.error);
}

static int act(struct sweep_options *options, const struct sweep_plan *plan)
{
    if (options->only_list) {
        list_runs(options, plan);
        return cli_finish_output(MNP_EXIT_DONE);
    }
    if (options->commands)
        return write_commands(options, plan);
    return options->summary ? sum_up(options, plan) : make_runs(options, plan);
}

int cli_verb_sweep(const struct command_line *line)
{
    struct sweep_options options;
    struct sweep_plan plan = {0};
    read_options(&options, line);
    if (options.runs.error.text[0])
        return cli_report_error(&options.runs.error);
    uint64_t most = options.force ? SWEEP_MOST : SWEEP_SOME;
    int status = cli_sweep_plan_read(&plan, line->plugins, options.runs.list, most, &options.runs.error)
                     ? act(&options, &plan)
                     : cli_report_error(&options.runs.error);
    cli_sweep_plan_release(&plan);
    return status;
}
