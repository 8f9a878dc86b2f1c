/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The words of a run stand in its database (results/provenance). They are given to this program again, in the folder of
 * the run, with --set for each key and a temporary folder for its results. The user sees the command before it runs,
 * for a database may be somebody else's.
 */
#include "cli/what_if.h"

#include "base/array.h"
#include "base/file.h"
#include "base/print.h"
#include "base/sha256.h"
#include "base/temporary.h"
#include "base/text.h"
#include "cli/run/options.h"
#include "results/report/report.h"
#include "results/rules/pace.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The command of a run, of char *, and the folder that it was given in; to be freed. */
struct command {
    struct mnp_array words;
    char *folder;
};

static void release(struct command *command)
{
    for (uint32_t i = 0; i < command->words.count; i++)
        free(((char **)command->words.items)[i]);
    mnp_array_release(&command->words);
    free(command->folder);
}

static void add(struct command *command, const char *word)
{
    *(char **)mnp_array_add(&command->words, 1, sizeof(char *)) = strdup(word);
}

/* Words of an option that the second run is given anew: 0, 1 or 2. */
static int is_replaced(const char *word)
{
    bool ours = strncmp(word, "-o", 2) == 0 || strncmp(word, "--output", 8) == 0;
    bool sampled = strncmp(word, "--sample", 8) == 0;
    bool told = strcmp(word, "-q") == 0 || strcmp(word, "--quiet") == 0 || strcmp(word, "--by-instruction") == 0;
    return ours || told || sampled ? cli_run_options_takes(word) : 0;
}

/* Reads the command of a run up to its program, and gives it the settings and the folder of a second one. */
static bool read_command(const struct results_reading *reading, struct command *command, struct mnp_error *error)
{
    sqlite3_stmt *rows = results_sqlite_prepare(reading->database,
                                                "SELECT kind, value FROM provenance WHERE run = ? AND kind IN"
                                                " ('command', 'folder') ORDER BY kind, name",
                                                error);
    if (!rows)
        return false;
    sqlite3_bind_int64(rows, 1, reading->run);
    while (sqlite3_step(rows) == SQLITE_ROW) {
        const char *kind = (const char *)sqlite3_column_text(rows, 0),
                   *value = (const char *)sqlite3_column_text(rows, 1);
        if (value && strcmp(kind, "folder") == 0)
            command->folder = command->folder ? command->folder : strdup(value);
        else if (value)
            add(command, value);
    }
    sqlite3_finalize(rows);
    char *const *words = command->words.items;
    bool runs = command->words.count > 2 && (strcmp(words[1], "run") == 0 || strcmp(words[1], "app") == 0);
    return (runs && command->folder) ||
           mnp_fail(error,
                    "--what-if: %.200s was not made by `maniple run`, whose command it would repeat; make it by that",
                    reading->label);
}

/* Whether the words have --plugin with the file already. */
static bool has_plugin(const struct command *command, const char *file)
{
    char *const *words = command->words.items;
    for (uint32_t i = 1; i < command->words.count && strcmp(words[i - 1], "--") != 0; i++)
        if (strcmp(words[i - 1], "--plugin") == 0 && strcmp(words[i], file) == 0)
            return true;
    return false;
}

/* Whether the files that this command has loaded, which the second run finds in the environment, are it. */
static bool is_loaded(const struct plugin_set *plugins, const char *sha256)
{
    for (uint32_t i = 0; plugins && i < plugins->count; i++)
        if (strcmp(plugins->files[i].sha256, sha256) == 0)
            return true;
    return false;
}

static void drop_plugin(struct command *command, const char *file)
{
    char **words = command->words.items;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < command->words.count; i++) {
        if (i + 1 < command->words.count && strcmp(words[i], "--plugin") == 0 && strcmp(words[i + 1], file) == 0) {
            free(words[i++]);
            free(words[i]);
        } else {
            words[kept++] = words[i];
        }
    }
    command->words.count = kept;
}

/* A plug-in of the run, which the second run must have, too. */
static bool take_plugin(const struct results_reading *reading, struct command *command,
                        const struct plugin_set *plugins, const char *file, const char *sha256, struct mnp_error *error)
{
    enum { MOST = 1 << 30 };
    char now[MNP_SHA256_TEXT];
    size_t length;
    struct mnp_error ignored = {0};
    if (is_loaded(plugins, sha256)) {
        drop_plugin(command, file);
        return true;
    }
    char *bytes = mnp_read_file(file, MOST, &length, &ignored);
    if (!bytes)
        return mnp_fail(error,
                        "--what-if: %.200s was made with the plug-in %.300s, which cannot be read any more; put it "
                        "back, or load it from where it is now (--plugin FILE)",
                        reading->label, file);
    mnp_sha256(bytes, length, now);
    free(bytes);
    if (strcmp(now, sha256) != 0)
        return mnp_fail(error,
                        "--what-if: %.200s was made with the plug-in %.300s, which has changed since (SHA-256 %.12s… "
                        "then); runs with it would not differ in a key alone; make the run again, or load the plug-in "
                        "of then (--plugin FILE)",
                        reading->label, file, sha256);
    if (has_plugin(command, file))
        return true;
    char *copies[] = {strdup("--plugin"), strdup(file)};
    uint32_t place = 2; /* behind the verb */
    mnp_array_add(&command->words, 2, sizeof(char *));
    char **words = command->words.items;
    memmove(words + place + 2, words + place, (command->words.count - 2 - place) * sizeof *words);
    memcpy(words + place, copies, sizeof copies);
    return true;
}

static bool take_plugins(const struct results_reading *reading, struct command *command,
                         const struct plugin_set *plugins, struct mnp_error *error)
{
    static const char form[] = "sha256 ";
    sqlite3_stmt *rows = results_sqlite_prepare(
        reading->database, "SELECT name, value FROM provenance WHERE run = ? AND kind = 'plug-in' ORDER BY rowid",
        error);
    if (!rows)
        return false;
    sqlite3_bind_int64(rows, 1, reading->run);
    bool done = true;
    while (done && sqlite3_step(rows) == SQLITE_ROW) {
        const char *file = (const char *)sqlite3_column_text(rows, 0),
                   *value = (const char *)sqlite3_column_text(rows, 1);
        if (file && value && strncmp(value, form, sizeof form - 1) == 0)
            done = take_plugin(reading, command, plugins, file, value + sizeof form - 1, error);
    }
    sqlite3_finalize(rows);
    return done;
}

static void give(struct mnp_array *words, const char *word)
{
    *(const char **)mnp_array_add(words, 1, sizeof word) = word;
}

/* The words of a second run, with some added. Those before the program's `--` come first; words are the command's and
 * the caller's. */
static void make_words(const struct command *command, const char *const *added, const char *folder,
                       struct mnp_array *words)
{
    char *const *old = command->words.items;
    uint32_t count = command->words.count, i = 0;
    for (; i < count && strcmp(old[i], "--") != 0;) {
        int skipped = i > 1 ? is_replaced(old[i]) : 0;
        if (!skipped)
            give(words, old[i]);
        i += skipped ? (uint32_t)skipped : 1;
    }
    for (; *added; added++)
        give(words, *added);
    give(words, "-q");
    give(words, "-o");
    give(words, folder);
    for (; i < count; i++)
        give(words, old[i]);
    give(words, NULL);
}

static void tell(const struct mnp_array *words)
{
    const char *const *all = words->items;
    fputs("maniple: what if:", stderr);
    for (uint32_t i = 1; all[i]; i++) {
        char *word = mnp_shell_word(all[i]);
        mnp_print_text(stderr, " %s", word);
        free(word);
    }
    fputc('\n', stderr);
}

/* Copies the end of what a run has written to standard error. */
static void show_end(FILE *said)
{
    char text[2048];
    long length = fseek(said, 0, SEEK_END) == 0 ? ftell(said) : 0;
    long from = length > (long)sizeof text ? length - (long)sizeof text : 0;
    if (fseek(said, from, SEEK_SET) == 0)
        fwrite(text, 1, fread(text, 1, sizeof text, said), stderr);
}

/* Runs this program with other words in a folder. What it writes is of no interest, unless it fails: the program's own
 * messages were seen in the first run. Whether it ended well. */
static bool run(const struct mnp_array *words, const char *folder, const char *results)
{
    int status = -1;
    char *path = mnp_join_path(results, "said.txt");
    FILE *said = fopen(path, "w+e");
    pid_t self = getpid(), child = fork();
    free(path);
    if (child == 0) {
        mnp_temporary_end_with(self);
        int nothing = open("/dev/null", O_RDWR);
        if (nothing < 0 || chdir(folder) != 0)
            _exit(127);
        dup2(nothing, STDIN_FILENO);
        dup2(nothing, STDOUT_FILENO);
        if (said)
            dup2(fileno(said), STDERR_FILENO);
        execv("/proc/self/exe", words->items);
        _exit(127);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    bool done = child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (said && !done)
        show_end(said);
    if (said)
        fclose(said);
    return done;
}

/* Makes a run again with some words added, and its results in a folder. Whether it ended well. */
static bool run_again(const struct command *command, const char *const *added, const char *folder)
{
    struct mnp_array words = {0};
    make_words(command, added, folder, &words);
    tell(&words);
    bool done = run(&words, command->folder, folder);
    mnp_array_release(&words);
    return done;
}

/* The folder of the second run that corresponds to the first one's: of a run of several GPUs, the same GPU's. To be
 * freed. */
static char *folder_of(const struct results_reading *reading, const char *folder)
{
    const char *file = sqlite3_db_filename(reading->database, "main"), *place = file ? strrchr(file, '/') : NULL;
    uint32_t count, gpu = 0;
    char **folders = results_device_folders(folder, &count), *found = NULL;
    while (place && place > file && place[-1] != '/')
        place--;
    if (place && sscanf(place, "gpu%u/", &gpu) != 1)
        gpu = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i == gpu)
            found = folders[i];
        else
            free(folders[i]);
    }
    free(folders);
    return found ? found : strdup(folder);
}

/* Machine code states in its control bits how long an instruction waits for another's result, which no key changes. */
static bool is_void(const struct results_finding *finding, double before, double after)
{
    return strstr(finding->lift, "sm.fp32.latency=") && strcmp(finding->rule->name, "dependence") == 0 &&
           fabs(after - before) < 1e-6 * before;
}

/* SMs as wide as several are no worse than these, but their warps, which take no turns any more, may come to the same
 * misses of the L1 all at once, where one of them fetched for the others. */
static bool is_in_step(const struct results_finding *finding, double before, double after)
{
    return strcmp(finding->rule->name, "few-ctas") == 0 && after > before;
}

/* Reads the time that the second run took, or would have taken at its best pace. NULL: it is measured; otherwise why it
 * is not. */
static const char *measure(const char *results, struct results_finding *finding, const struct results_reading *reading)
{
    struct mnp_error error = {0};
    struct results_reading other = {0};
    char *folder = folder_of(reading, results);
    sqlite3 *database = results_database_open(folder, &error);
    bool done = database && results_reading_load(&other, database, 1, folder, &error);
    double before = results_rules_seconds(reading, finding), after = done ? results_rules_seconds(&other, finding) : 0;
    bool same = done && results_rules_same_work(reading, &other, finding);
    bool nothing = same && is_void(finding, before, after), in_step = same && is_in_step(finding, before, after);
    if (before > 0 && after > 0 && same && !nothing && !in_step)
        finding->measured =
            finding->lift[0] ? 1 - after * finding->scale / before : results_pace_saved(&other, finding->group->name);
    if (finding->scale != 1 && results_is_measured(finding) && finding->measured < 0)
        finding->measured = 0; /* a time that is scaled tells gains, no losses */
    if (finding->most > 0 && finding->measured > finding->most)
        finding->measured = finding->most;
    results_reading_release(&other);
    sqlite3_close(database);
    free(folder);
    finding->failed = !done;
    return !done     ? "has left no results"
           : !same   ? "launches other grids"
           : nothing ? "takes as many cycles: the waits stand in the control bits of the machine code"
           : in_step ? "is slower: its warps take no turns, and wait for the same data at the same time"
           : results_is_measured(finding) ? NULL
                                          : "tells no pace";
}

/* Options of the second run: the keys that lift a limit, words of `rest`, or samples. */
static void add_settings(const struct results_finding *finding, char **rest, char *interval, size_t room,
                         struct mnp_array *added)
{
    const char *key = NULL;
    while (finding->lift[0] && (key = strsep(rest, " ")))
        if (*key) {
            give(added, "--set");
            give(added, key);
        }
    if (!finding->lift[0]) {
        snprintf(interval, room, "%llu", (unsigned long long)finding->sample);
        give(added, "--sample");
        give(added, interval);
        give(added, "--sample-statistics");
        give(added, RESULTS_PACE_STATISTICS);
    }
    give(added, NULL);
}

static void try_finding(const struct results_reading *reading, const struct command *command,
                        struct results_finding *finding)
{
    struct mnp_error error = {0};
    struct mnp_array added = {0};
    char *copy = strdup(finding->lift), *rest = copy, *folder = mnp_temporary_folder("what-if", &error), interval[24];
    add_settings(finding, &rest, interval, sizeof interval, &added);
    if (folder) {
        bool ran = run_again(command, added.items, folder);
        const char *wrong = ran ? measure(folder, finding, reading) : "failed";
        finding->failed |= !ran;
        if (wrong) {
            mnp_print_text(stderr, "maniple: %s stays an estimate: the run with %s %s\n", finding->rule->name,
                           finding->lift[0] ? finding->lift : "samples", wrong);
            snprintf(finding->why, sizeof finding->why, "the run with %s %s",
                     finding->lift[0] ? "the limit lifted" : "samples", wrong);
        }
    } else {
        mnp_print_text(stderr, "maniple: %s stays an estimate: %s\n", finding->rule->name, error.text);
        finding->failed = true;
        snprintf(finding->why, sizeof finding->why, "there is no folder for a second run");
    }
    mnp_temporary_remove(folder);
    mnp_array_release(&added);
    free(copy);
}

/* The cycles of a second run of the coprocessor; 0: it failed. */
static double measure_cycles(const struct command *command, const char *key)
{
    struct mnp_error error = {0};
    const char *added[] = {"--set", key, NULL};
    char *folder = mnp_temporary_folder("what-if", &error);
    struct results_reading other = {0};
    sqlite3 *database = NULL;
    double cycles = 0;
    if (folder && run_again(command, added, folder)) {
        database = results_database_open(folder, &error);
        if (database && results_reading_load(&other, database, 1, folder, &error))
            cycles = results_sum(&other, &other.total, "global_cycles");
    }
    results_reading_release(&other);
    sqlite3_close(database);
    mnp_temporary_remove(folder);
    return cycles;
}

bool cli_what_if_tiles(struct results_reading *reading, const struct plugin_set *plugins, struct mnp_error *error)
{
    struct command command = {0};
    results_tiles_find_lifts(reading);
    if (!reading->lift_count)
        mnp_print_text(stderr, "maniple: what if: no key of the machine lifts what %s waits for\n", reading->label);
    bool done = !reading->lift_count ||
                (read_command(reading, &command, error) && take_plugins(reading, &command, plugins, error));
    for (uint32_t i = 0; done && i < reading->lift_count; i++) {
        double cycles = measure_cycles(&command, reading->lifts[i].keys);
        reading->lifts[i].gain = cycles > 0 ? results_sum(reading, &reading->total, "global_cycles") / cycles : 0;
    }
    release(&command);
    return done;
}

/* Measures what the first `count` faults gain together, whose limits are lifted in one run. */
static void try_joint(const struct results_reading *reading, const struct command *command, uint32_t count,
                      struct results_joint *joint, double *gain)
{
    struct results_finding together;
    if (!results_joint_lift(joint, count, &together))
        return;
    try_finding(reading, command, &together);
    *gain = together.measured;
    joint->failed |= together.failed;
    snprintf(joint->why, sizeof joint->why, "%s", together.why);
}

bool cli_what_if(const struct results_reading *reading, const struct plugin_set *plugins,
                 struct results_findings *findings, struct mnp_error *error)
{
    struct command command = {0};
    struct results_finding *found = findings->all;
    bool read = read_command(reading, &command, error) && take_plugins(reading, &command, plugins, error);
    for (uint32_t i = 0; read && i < findings->count && i < CLI_WHAT_IF; i++)
        if (found[i].lift[0] || found[i].sample)
            try_finding(reading, &command, &found[i]);
    results_rules_sort(found, findings->count);
    results_joint_leading(found, findings->count, &findings->joint);
    struct results_joint *joint = &findings->joint;
    if (read && joint->count)
        try_joint(reading, &command, 2, joint, &joint->both);
    if (read && joint->count > 2)
        try_joint(reading, &command, joint->count, joint, &joint->all);
    release(&command);
    return read;
}
