/* SPDX-License-Identifier: BSD-3-Clause */
/* `maniple merge`: databases of results joined to one. */
#include "results/database/merge.h"

#include "base/array.h"
#include "base/file.h"
#include "cli/verbs.h"
#include "cli/words.h"

#include <argp.h>

struct merge_options {
    struct mnp_array inputs; /* of const char * */
    const char *output, *csv;
    struct mnp_error error;
};

static error_t read_option(int key, char *text, struct argp_state *state)
{
    struct merge_options *options = state->input;
    switch (key) {
    case 'o':
        options->output = text;
        break;
    case 'c':
        options->csv = text;
        break;
    case ARGP_KEY_ARG:
        *(const char **)mnp_array_add(&options->inputs, 1, sizeof(const char *)) = text;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static void read_options(struct merge_options *options, const struct command_line *line)
{
    static const struct argp_option known[] = {
        {"output", 'o', "FILE", 0, "the database to write", 0},
        {"csv", 'c', "DIR", 0, "write each table there, as comma-separated values: DIR/value.csv and others", 0},
        {0},
    };
    static const struct argp argp = {
        .options = known,
        .parser = read_option,
        .args_doc = "RUN...",
        .doc = "Join databases of results: each RUN is a folder that `maniple run -o` wrote, a results.sqlite, or what "
               "this verb wrote. The column `source` of the table `run` says which run came from where.\v"
               "Runs may be of different machines, inputs and kinds. Exit status: 0 all are joined; 2 an error, and "
               "nothing is written.",
    };
    *options = (struct merge_options){0};
    cli_parse(&argp, line->argc, line->argv, options);
    if (line->program)
        mnp_fail(&options->error, "maniple merge takes nothing after --");
    if (!options->inputs.count || !(options->output || options->csv))
        mnp_fail(&options->error, "maniple merge takes runs, and -o FILE or --csv DIR (`maniple merge --help`)");
}

static bool write_database(sqlite3 *all, const char *path, struct mnp_error *error)
{
    struct mnp_output output = {0};
    bool done = mnp_output_open(&output, path, error) && results_sqlite_write(all, output.stream, error) &&
                mnp_output_finish(&output, error) && mnp_output_commit(&output, error);
    mnp_output_discard(&output);
    return done;
}

static bool merge(const struct merge_options *options, sqlite3 *all, struct mnp_error *error)
{
    const char *const *inputs = options->inputs.items;
    bool done = results_database_create(all, error);
    for (uint32_t i = 0; done && i < options->inputs.count; i++)
        done = results_merge_add(all, inputs[i], error);
    done = done && (!options->csv || results_merge_write_csv(all, options->csv, error));
    return done && (!options->output || write_database(all, options->output, error));
}

int cli_verb_merge(const struct command_line *line)
{
    struct merge_options options;
    read_options(&options, line);
    bool done = false;
    if (!options.error.text[0]) {
        sqlite3 *all = results_sqlite_memory(&options.error);
        done = all && merge(&options, all, &options.error);
        sqlite3_close(all);
    }
    mnp_array_release(&options.inputs);
    return done ? MNP_EXIT_DONE : cli_report_error(&options.error);
}
