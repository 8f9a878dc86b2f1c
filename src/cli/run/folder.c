/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/run/folder.h"

#include "base/file.h"
#include "base/print.h"
#include "results/database/database.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The input of this run: a workload of ours, a program or a trace, without its folder; of a trace its list with the
 * folder. */
static const char *input_of(const struct run_options *options)
{
    if (!options->program)
        return options->input;
    bool workload = options->program_argc > 2 && strcmp(last_part(options->program[0]), "maniple-apps") == 0;
    return options->program_argc ? last_part(options->program[workload ? 2 : 0]) : NULL;
}

static bool is_trace(const char *input)
{
    const char *ending = strrchr(input, '.');
    return ending && (strcmp(ending, ".g") == 0 || strcmp(ending, ".mtrace") == 0);
}

/* The input of the run with results in the folder, by the same rule; NULL: none that is known. Free it. */
static char *input_in(const char *folder)
{
    static const char sql[] =
        "SELECT iif((SELECT value FROM provenance WHERE kind = 'command' AND name = '001') = 'app',"
        " (SELECT value FROM provenance WHERE kind = 'command' AND name = '003'), input) FROM run ORDER BY id LIMIT 1";
    struct mnp_error ignored = {0};
    struct stat status;
    char *path = mnp_join_path(folder, RESULTS_DATABASE_FILE), *input = NULL;
    sqlite3 *database = stat(path, &status) == 0 ? results_database_open(path, &ignored) : NULL;
    sqlite3_stmt *row = database ? results_sqlite_prepare(database, sql, &ignored) : NULL;
    if (row && sqlite3_step(row) == SQLITE_ROW && sqlite3_column_text(row, 0)) {
        const char *text = (const char *)sqlite3_column_text(row, 0);
        input = strdup(is_trace(text) ? text : last_part(text));
    }
    sqlite3_finalize(row);
    sqlite3_close(database);
    free(path);
    return input;
}

bool cli_run_folder_make(const struct run_options *options, struct mnp_error *error)
{
    const char *folder = options->output.folder, *ours = input_of(options);
    if (!folder)
        return true;
    if (!mnp_make_folder(folder, error))
        return false;
    char *other = input_in(folder);
    /* A workload that was run by its program's own path is known by that alone. */
    if (options->output.verbosity > MNP_QUIET && other && ours && strcmp(other, ours) != 0 &&
        strcmp(other, "maniple-apps") != 0)
        mnp_print_text(stderr, "maniple: %s has results of %s, which those of %s replace\n", folder, other, ours);
    free(other);
    return true;
}
