/* SPDX-License-Identifier: BSD-3-Clause */
/* `maniple merge`: databases of results joined to one. */
#include "results/database/merge.h"

#include "base/file.h"
#include "cli/texts.h"

enum { OUTPUT, CSV }; /* rows of the options */

static void read_options(struct cli_texts *options, const struct command_line *line)
{
    static const struct argp_option known[] = {
        [OUTPUT] = {"output", 'o', "FILE", 0, "the database to write", 0},
        [CSV] = {"csv", 'c', "DIR", 0, "write each table there, as comma-separated values: DIR/value.csv and others",
                 0},
        {0},
    };
    static const struct argp argp = {
        .options = known,
        .args_doc = "RUN...",
        .doc = "Join databases of results: each RUN is a folder that `maniple run -o` wrote, a results.sqlite, or what "
               "this verb wrote. The column `source` of the table `run` says which run came from where.\v"
               "Runs may be of different machines, inputs and kinds. Exit status: 0 all are joined; 2 an error, and "
               "nothing is written.",
    };
    cli_texts_read(options, &argp, line);
    if (!options->words.count || !(options->text[OUTPUT] || options->text[CSV]))
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

static bool merge(const struct cli_texts *options, sqlite3 *all, struct mnp_error *error)
{
    const char *const *inputs = options->words.items;
    bool done = results_database_create(all, error);
    for (uint32_t i = 0; done && i < options->words.count; i++)
        done = results_merge_add(all, inputs[i], error);
    done = done && (!options->text[CSV] || results_merge_write_csv(all, options->text[CSV], error));
    return done && (!options->text[OUTPUT] || write_database(all, options->text[OUTPUT], error));
}

int cli_verb_merge(const struct command_line *line)
{
    struct cli_texts options;
    read_options(&options, line);
    bool done = false;
    if (!options.error.text[0]) {
        sqlite3 *all = results_sqlite_memory(&options.error);
        done = all && merge(&options, all, &options.error);
        sqlite3_close(all);
    }
    mnp_array_release(&options.words);
    return done ? MNP_EXIT_DONE : cli_report_error(&options.error);
}
