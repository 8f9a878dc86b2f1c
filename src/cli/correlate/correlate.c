/* SPDX-License-Identifier: BSD-3-Clause */
/* `maniple correlate`: runs of a list beside measurements of silicon. */
#include "base/allocate.h"
#include "base/file.h"
#include "base/print.h"
#include "base/temporary.h"
#include "base/text.h"
#include "cli/correlate/kernels.h"
#include "cli/correlate/page.h"
#include "cli/correlate/rows.h"
#include "cli/input.h"
#include "cli/jobs.h"
#include "cli/run/cuda.h"
#include "cli/run/program.h"
#include "cli/runs_options.h"
#include "cli/sweep/name.h"
#include "cli/verbs.h"
#include "cli/words.h"
#include "results/figures/busy.h"
#include "results/figures/energy.h"
#include "results/figures/peaks.h"
#include "results/report/queries.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OPTION_COLUMNS = CLI_RUNS_LAST, MOST_WORDS = 256 };

struct correlate_options {
    struct cli_runs_options runs; /* that sweeps have, too */
    const char *measurements;
    char *columns;
};

/* Columns of a list. */
enum column { NAME, MACHINE, INPUT, ARGUMENTS, SETTINGS, OPTIONS, GROUP, KERNEL, COLUMNS };
static const char *const column_names[COLUMNS] = {"name",     "machine", "input", "arguments",
                                                  "settings", "options", "group", "kernel"};

struct correlate {
    const struct plugin_set *plugins;
    struct correlate_options *options;
    struct results_csv list;
    int columns[COLUMNS]; /* their places; -1: not in this list */
    struct correlate_measurements measurements;
    struct correlate_row *rows; /* [list.rows.count] */
    struct cli_job *jobs;       /* [list.rows.count] */
    bool spoiled;               /* a run that has ended well says nothing about its row */
    struct mnp_error *error;
};

/* ===== options ===== */

static error_t read_option(int key, char *text, struct argp_state *state)
{
    struct correlate_options *options = state->input;
    if (cli_runs_option(&options->runs, "maniple correlate takes one list", key, text))
        return 0;
    switch (key) {
    case 'm':
        options->measurements = text;
        return 0;
    case OPTION_COLUMNS:
        options->columns = text;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void read_options(struct correlate_options *options, const struct command_line *line)
{
    static const struct argp_option known[] = {
        {"measurements", 'm', "FILE", 0,
         "a table with the columns name, value and unit (cycle, s, ms, us, ns, W); what `ncu --csv` prints; or what "
         "`nsys "
         "export --type sqlite` writes",
         0},
        {NULL, 'o', "DIR", 0, "the folder of runs and pages: correlation.md, .html and .csv", 0},
        {"columns", OPTION_COLUMNS, "NAME,VALUE[,UNIT]", 0,
         "how these columns of a table are called; UNIT is a unit itself: --columns app,hw_gpc_cycles,cycle", 0},
        CLI_RUNS_ROWS,
        {0},
    };
    static const struct argp argp = {
        .options = known,
        .parser = read_option,
        .args_doc = "LIST",
        .doc = "Run a list of programs and traces, and compare their times with measurements. LIST is a table of "
               "comma-separated values with the columns name, machine and input, and possibly arguments, settings, "
               "options, group and kernel (docs/correlate.md).\v"
               "Runs that are there are not made again. Exit status: 0 done; 2 an error, or runs that failed; 130 "
               "interrupted.",
    };
    *options = (struct correlate_options){.runs.threads = 1};
    cli_parse(&argp, line->argc, line->argv, options);
    if (line->program)
        mnp_fail(&options->runs.error, "maniple correlate takes nothing after --; programs stand in the list");
    if (!options->runs.list || !options->measurements || !options->runs.folder)
        mnp_fail(&options->runs.error,
                 "maniple correlate takes a list, -m FILE and -o DIR (`maniple correlate --help`)");
}

/* ===== the list ===== */

static const char *field(const struct correlate *c, const struct results_csv_row *row, enum column column)
{
    return c->columns[column] < 0 ? "" : row->fields[c->columns[column]];
}

static bool find_columns(struct correlate *c)
{
    for (uint32_t i = 0; i < c->list.columns; i++) {
        bool known = false;
        for (int k = 0; k < COLUMNS; k++)
            known |= strcmp(c->list.names[i], column_names[k]) == 0;
        const char *nearest = known ? NULL : mnp_nearest_word(c->list.names[i], column_names, COLUMNS);
        if (!known)
            return mnp_fail_at(c->error, c->list.path, 1,
                               "a list has no column \"%.60s\"%s%s%s; it has name, machine, "
                               "input, arguments, settings, options, group, kernel",
                               c->list.names[i], nearest ? "; did you mean \"" : "", nearest ? nearest : "",
                               nearest ? "\"?" : "");
    }
    for (int k = 0; k < COLUMNS; k++)
        c->columns[k] = results_csv_column(&c->list, column_names[k]);
    for (int k = NAME; k <= INPUT; k++)
        if (c->columns[k] < 0)
            return mnp_fail_at(c->error, c->list.path, 1, "has no column \"%s\"; a list needs name, machine and input",
                               column_names[k]);
    return c->list.rows.count || mnp_fail_at(c->error, c->list.path, 0, "has no row below its names");
}

/* Adds the words of a text, between blanks, and returns how many there are then. */
static uint32_t add_words(char **words, uint32_t count, const char *text, const char *before)
{
    char *copy = strdup(text), *rest = copy;
    for (char *word; (word = strsep(&rest, " ")) && count < MOST_WORDS - 3;) {
        if (*word && before)
            words[count++] = strdup(before);
        if (*word)
            words[count++] = strdup(word);
    }
    free(copy);
    return count;
}

/* Inputs that `maniple run` would start: programs of any machine, scripts, and what a shell finds by its name, such as
 * python3. All else is a trace. */
static bool is_program(const char *name)
{
    return cli_input_is_program(name) || cli_run_cuda_runs(name);
}

/* Makes the trace of "tracegen WORDS" unless it is there; its kernelslist.g. NULL: an error. Free it. */
static char *generate(const struct correlate *c, const struct results_csv_row *row, const char *words)
{
    char *folder = NULL, *part = NULL, *list = NULL, *command[MOST_WORDS] = {0};
    char *tool = cli_run_cuda_find("maniple-tracegen", c->error), *dashed = strdup(words);
    for (char *at = dashed; *at; at++)
        *at = strchr(" /'\"", *at) ? '-' : *at;
    if (asprintf(&folder, "%s/traces/%s", c->options->runs.folder, dashed) < 0 ||
        asprintf(&part, "%s.part-%ld", folder, (long)getpid()) < 0 || asprintf(&list, "%s/kernelslist.g", folder) < 0)
        mnp_out_of_memory(strlen(words));
    uint32_t count = add_words(command, 1, words, NULL);
    command[0] = tool;
    if (tool && count > 1 && access(list, R_OK) != 0) {
        if (!c->options->runs.quiet)
            mnp_print_text(stderr, "maniple: generating the trace of row %u: %s\n", row->line, words);
        memmove(command + 3, command + 2, (count - 2) * sizeof *command); /* PROGRAM FOLDER KEY=VALUE… */
        command[2] = part;
        pid_t self = getpid(), child = fork();
        if (child == 0) {
            mnp_temporary_end_with(self);
            if (freopen("/dev/null", "w", stdout))
                execv(tool, command);
            _exit(127);
        }
        int status = 1;
        if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0 || rename(part, folder) != 0) {
            mnp_fail_at(c->error, c->list.path, row->line,
                        "the trace \"tracegen %.200s\" cannot be made; see what "
                        "maniple-tracegen says to it",
                        words);
            cli_remove_folder(part);
        }
        memmove(command + 2, command + 3, (count - 2) * sizeof *command);
        command[count] = NULL;
    }
    for (uint32_t i = 1; i < count; i++)
        free(command[i]);
    free(tool);
    free(dashed);
    free(folder);
    free(part);
    if (!c->error->text[0])
        return list;
    free(list);
    return NULL;
}

/* A row that cannot be run, or says nothing, is shown and counts for nothing; the others stand. */
static void lose_row(const struct correlate *c, const struct results_csv_row *row, const char *why)
{
    struct mnp_error error = {{0}};
    mnp_fail_at(&error, c->list.path, row->line, "%.900s", why);
    cli_report_error(&error);
}

/* Name of a run, and its folder; none where its input cannot be read. */
static bool name_job(struct correlate *c, const struct results_csv_row *row, struct cli_job *job, uint32_t behind,
                     uint32_t input, bool program)
{
    char contents[SWEEP_NAME], name[SWEEP_NAME];
    const char *overrides[MOST_WORDS];
    struct mnp_error problem = {0};
    size_t count = 0;
    uint32_t at = 2;
    for (; at + 1 < behind && strcmp(job->words[at], "--set") == 0; at += 2)
        overrides[count++] = job->words[at + 1];
    char *machine = cli_sweep_name_machine(c->plugins, job->words[1], overrides, count, &problem);
    if (!machine)
        return mnp_fail_at(c->error, c->list.path, row->line, "%.900s", problem.text);
    if (!cli_sweep_hash_input(job->words + input, program, contents, &problem)) {
        lose_row(c, row, problem.text);
        free(machine);
        return true;
    }
    const struct sweep_named named = {.machine = machine,
                                      .options = (const char *const *)job->words + at,
                                      .option_count = behind - at,
                                      .input = job->words + input,
                                      .program = program,
                                      .contents = contents,
                                      .words = job->words,
                                      .plugins = c->plugins};
    job->note = cli_sweep_name_run(&named, name);
    char *runs = mnp_join_path(c->options->runs.folder, "runs");
    job->folder = mnp_join_path(runs, name);
    free(runs);
    free(machine);
    return true;
}

/* The run of a row: its words, in the order machine, settings, options, input. */
static bool read_job(struct correlate *c, const struct results_csv_row *row, struct cli_job *job)
{
    const char *path = field(c, row, INPUT);
    bool generated = strncmp(path, "tracegen ", 9) == 0;
    char *input = generated ? generate(c, row, path + 9) : strdup(path);
    job->words = mnp_allocate(MOST_WORDS, sizeof *job->words);
    if (!input)
        return false;
    bool program = is_program(input);
    uint32_t count = 0;
    job->words[count++] = strdup("--machine");
    job->words[count++] = strdup(field(c, row, MACHINE));
    count = add_words(job->words, count, field(c, row, SETTINGS), "--set");
    count = add_words(job->words, count, field(c, row, OPTIONS), NULL);
    uint32_t behind = count;
    job->limited = strstr(field(c, row, OPTIONS), "--max-cycles") != NULL;
    if (program)
        job->words[count++] = strdup("--");
    uint32_t first = count;
    job->words[count++] = input;
    if (program)
        add_words(job->words, count, field(c, row, ARGUMENTS), NULL);
    else if (*field(c, row, ARGUMENTS) && access(input, F_OK) == 0)
        return mnp_fail_at(c->error, c->list.path, row->line,
                           "%.200s is no program, and a trace takes no arguments; make it executable (chmod +x), or "
                           "leave them empty",
                           input);
    return name_job(c, row, job, behind, first, program);
}

static char *command_of(const struct cli_job *job)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fputs("maniple run", out);
    for (char **word = job->words; *word; word++) {
        putc(' ', out);
        mnp_put_shell(*word, out);
    }
    fclose(out);
    return text;
}

/* The name by which a row's measurement is found. */
static const char *measured_as(const struct correlate *c, const struct results_csv_row *row)
{
    const char *kernel = field(c, row, KERNEL);
    return c->measurements.by_kernel && *kernel ? kernel : field(c, row, NAME);
}

static bool read_rows(struct correlate *c)
{
    const struct results_csv_row *rows = c->list.rows.items;
    bool done = find_columns(c);
    c->rows = mnp_allocate(c->list.rows.count + 1, sizeof *c->rows);
    c->jobs = mnp_allocate(c->list.rows.count + 1, sizeof *c->jobs);
    uint32_t known = 0;
    for (uint32_t i = 0; done && i < c->list.rows.count; i++) {
        struct correlate_row *row = &c->rows[i];
        *row = (struct correlate_row){.name = field(c, &rows[i], NAME),
                                      .group = field(c, &rows[i], GROUP),
                                      .machine = field(c, &rows[i], MACHINE)};
        struct mnp_error problem = {{0}};
        row->measured = cli_correlate_find(&c->measurements, measured_as(c, &rows[i]), &problem);
        known += row->measured > 0;
        done = problem.text[0] ? mnp_fail_at(c->error, c->list.path, rows[i].line, "%.900s", problem.text)
                               : read_job(c, &rows[i], &c->jobs[i]);
        if (done)
            row->command = command_of(&c->jobs[i]);
    }
    const struct correlate_measured *some = c->measurements.table.items;
    return done &&
           (known || mnp_fail_at(c->error, c->options->measurements, 0,
                                 "has no row of the list; it has %s\"%.60s\", and the list \"%.60s\": names must be "
                                 "equal",
                                 c->measurements.by_kernel ? "the kernel " : "", some[0].name, measured_as(c, rows)));
}

/* Measurements of no row in a table of one's own are misspelt, or of a row that the list lacks. */
static void tell_unused(const struct correlate *c)
{
    const struct correlate_measured *all = c->measurements.table.items;
    uint32_t unused = 0, first = 0;
    if (c->measurements.by_kernel)
        return;
    for (uint32_t i = 0; i < c->measurements.table.count; i++) {
        bool used = false;
        for (uint32_t k = 0; !used && k < c->list.rows.count; k++)
            used = strcmp(c->rows[k].name, all[i].name) == 0;
        if (!used && !unused++)
            first = i;
    }
    if (unused)
        mnp_print_text(stderr, "maniple: warning: %s: %u of %u measurements %s of no row of the list: \"%s\"%s\n",
                       c->options->measurements, unused, c->measurements.table.count, unused == 1 ? "is" : "are",
                       all[first].name, unused == 1 ? "" : " and others");
}

/* ===== what came of it ===== */

/* The kernels of a row's run that count. */
struct counted {
    const struct results_reading *reading;
    bool *groups; /* [reading->group_count] */
    uint32_t count;
};

/* Chooses the kernels of a name; "": all. */
static void choose(struct counted *counted, const struct results_reading *reading, const char *kernel,
                   struct mnp_error *error)
{
    const char **names = mnp_allocate(reading->group_count + 1, sizeof *names);
    *counted =
        (struct counted){.reading = reading, .groups = mnp_allocate(reading->group_count + 1, sizeof *counted->groups)};
    for (uint32_t i = 0; i < reading->group_count; i++) {
        names[i] = reading->groups[i].name;
        counted->groups[i] = !*kernel;
    }
    if (*kernel && cli_correlate_choose(names, reading->group_count, kernel, counted->groups) == CORRELATE_UNCLEAR)
        mnp_fail(error,
                 "several kernels of the run are called like %.100s; write one of their names as a report has it",
                 kernel);
    for (uint32_t i = 0; i < reading->group_count; i++)
        counted->count += counted->groups[i];
    free(names);
}

static double sum_of(const struct counted *counted, const char *statistic)
{
    double sum = 0;
    for (uint32_t i = 0; i < counted->reading->group_count; i++)
        if (counted->groups[i])
            sum += results_sum(counted->reading, &counted->reading->groups[i], statistic);
    return sum;
}

/* Quantity that a row measures, in the unit of the measurements. 0: there is none, such as energies that were not
 * counted. */
static double simulated(const struct correlate *c, const struct counted *counted)
{
    double hertz = results_key(counted->reading, "clock.core"), cycles = sum_of(counted, "gpu_sim_cycle");
    if (c->measurements.unit == CORRELATE_WATTS)
        return results_energy_watts(sum_of(counted, "energy"), sum_of(counted, "energy_time"));
    return c->measurements.unit == CORRELATE_CYCLES ? cycles : hertz > 0 ? cycles / hertz : 0;
}

/* A row of a run with estimates: of all launches, where some stood for others, which those of one kernel cannot be. */
static void read_estimate(const struct correlate *c, const struct results_reading *reading, const char *kernel,
                          struct correlate_row *row, struct mnp_error *problem)
{
    struct results_estimate e;
    double hertz = results_key(reading, "clock.core");
    double unit = c->measurements.unit == CORRELATE_CYCLES ? 1 : hertz > 0 ? 1 / hertz : 0;
    if (c->measurements.unit == CORRELATE_WATTS || !results_report_find_estimate(reading, &e))
        return;
    if (e.of_all && *kernel) {
        row->simulated = 0;
        mnp_fail(problem,
                 "launches of kernel %.100s stood for others (--plan); leave out the column `kernel`, or --plan",
                 kernel);
        return;
    }
    if (e.of_all)
        row->simulated = unit * e.value;
    row->margin = row->simulated * e.margin / e.value;
}

/* Subject of a row's bound: the kernel that it is about, or all of them. */
static const struct results_group *judged(const struct counted *counted)
{
    for (uint32_t i = 0; counted->count < counted->reading->group_count && i < counted->reading->group_count; i++)
        if (counted->groups[i])
            return &counted->reading->groups[i];
    return &counted->reading->busy;
}

/* The time of a run that has been read, or its power, and what bounds it. */
static void judge_run(struct correlate *c, struct correlate_row *row, const struct results_csv_row *listed,
                      const struct results_reading *reading, struct mnp_error *problem)
{
    struct results_verdict verdict;
    struct counted counted;
    bool by_kernel = c->measurements.by_kernel && row->measured > 0,
         energies = c->measurements.unit != CORRELATE_WATTS || results_has_energy(reading);
    const char *kernel = by_kernel ? measured_as(c, listed) : field(c, listed, KERNEL);
    choose(&counted, reading, kernel, problem);
    row->simulated = problem->text[0] ? 0 : simulated(c, &counted);
    if (!problem->text[0])
        read_estimate(c, reading, kernel, row, problem);
    results_judge(reading, judged(&counted), &verdict);
    memcpy(row->bound, verdict.limit, sizeof row->bound);
    memcpy(row->evidence, verdict.evidence, sizeof row->evidence);
    if (row->simulated <= 0 && !problem->text[0])
        mnp_fail(problem,
                 energies ? "the run has no kernel %s%.100s"
                          : "the run has no energies (%s%.100s); give --energy in the column `options`",
                 *kernel ? "of the name " : "with cycles", kernel);
    free(counted.groups);
}

static void read_result(struct correlate *c, uint32_t place)
{
    struct correlate_row *row = &c->rows[place];
    const struct results_csv_row *listed = (const struct results_csv_row *)c->list.rows.items + place;
    struct mnp_error problem = {{0}};
    struct results_reading reading = {0};
    if (!c->jobs[place].folder || cli_job_look(c->jobs[place].folder) != CLI_JOB_DONE)
        return;
    sqlite3 *database = results_database_open(c->jobs[place].folder, &problem);
    if (database && results_busy_load(&reading, database, 1, row->name, &problem))
        judge_run(c, row, listed, &reading, &problem);
    if (problem.text[0])
        lose_row(c, listed, problem.text);
    c->spoiled |= problem.text[0] != 0;
    results_reading_release(&reading);
    sqlite3_close(database);
}

static bool write_page(const struct correlate *c, const struct correlate_pages *pages, const char *name,
                       void (*write)(const struct correlate_pages *pages, FILE *out))
{
    struct mnp_output output = {0};
    char *path = mnp_join_path(c->options->runs.folder, name);
    bool open = mnp_output_open(&output, path, c->error);
    if (open)
        write(pages, output.stream);
    bool done = open && mnp_output_finish(&output, c->error) && mnp_output_commit(&output, c->error);
    mnp_output_discard(&output);
    free(path);
    return done;
}

static bool write_pages(struct correlate *c)
{
    const struct correlate_pages pages = {.rows = c->rows,
                                          .count = c->list.rows.count,
                                          .unit = c->measurements.unit,
                                          .list = c->options->runs.list,
                                          .measurements = c->options->measurements};
    for (uint32_t i = 0; i < pages.count; i++)
        read_result(c, i);
    bool done = write_page(c, &pages, "correlation.csv", cli_correlate_csv) &&
                write_page(c, &pages, "correlation.md", cli_correlate_markdown) &&
                write_page(c, &pages, "correlation.html", cli_correlate_html);
    if (done)
        cli_correlate_text(&pages, stdout);
    return done;
}

/* ===== all of it ===== */

static bool read_measurements(struct correlate *c)
{
    struct correlate_columns columns = {0};
    char *rest = c->options->columns;
    columns.name = rest ? strsep(&rest, ",") : NULL;
    columns.value = rest ? strsep(&rest, ",") : NULL;
    columns.unit = rest;
    if (columns.name && !columns.value)
        return mnp_fail(c->error, "--columns takes NAME,VALUE or NAME,VALUE,UNIT");
    return cli_correlate_read(&c->measurements, c->options->measurements, &columns, c->error);
}

static int run(struct correlate *c)
{
    char *runs = mnp_join_path(c->options->runs.folder, "runs"),
         *traces = mnp_join_path(c->options->runs.folder, "traces");
    bool ready = mnp_make_folder(runs, c->error) && mnp_make_folder(traces, c->error) && read_measurements(c) &&
                 results_csv_read(&c->list, c->options->runs.list, c->error) && read_rows(c);
    free(runs);
    free(traces);
    if (!ready)
        return cli_report_error(c->error);
    tell_unused(c);
    struct cli_jobs jobs = {.list = c->jobs,
                            .count = c->list.rows.count,
                            .parallel = cli_runs_parallel(&c->options->runs),
                            .threads = (uint32_t)c->options->runs.threads,
                            .pieces = "rows",
                            .quiet = c->options->runs.quiet};
    int status = cli_jobs_run(&jobs, c->error);
    if (c->error->text[0] || (status != MNP_EXIT_INTERRUPTED && !write_pages(c)))
        return cli_report_error(c->error);
    return status ? status : cli_finish_output(c->spoiled ? MNP_EXIT_USER : MNP_EXIT_DONE);
}

static void release(struct correlate *c)
{
    for (uint32_t i = 0; c->jobs && i < c->list.rows.count; i++) {
        for (char **word = c->jobs[i].words; word && *word; word++)
            free(*word);
        free(c->jobs[i].words);
        free((void *)(uintptr_t)c->jobs[i].note);
        free(c->jobs[i].folder);
        free(c->rows[i].command);
    }
    free(c->jobs);
    free(c->rows);
    results_csv_release(&c->list);
    cli_correlate_release(&c->measurements);
}

int cli_verb_correlate(const struct command_line *line)
{
    struct correlate_options options;
    struct correlate correlate = {.options = &options, .error = &options.runs.error, .plugins = line->plugins};
    read_options(&options, line);
    int status = options.runs.error.text[0] ? cli_report_error(&options.runs.error) : run(&correlate);
    release(&correlate);
    return status;
}
