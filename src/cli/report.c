/* SPDX-License-Identifier: BSD-3-Clause */
/* `maniple report`: what limits a run, from its database, in the terminal and as a page. */
#include "results/report/report.h"
#include "results/figures/busy.h"

#include "base/file.h"
#include "cli/texts.h"
#include "cli/what_if.h"

#include <stdlib.h>

enum { HTML, NCU, WHAT_IF }; /* rows of the options */
enum { OPTION_HTML = 256 };  /* without a letter */

/* Subject of a report. */
struct report {
    struct mnp_array databases; /* items: sqlite3 * */
    struct mnp_array readings;  /* items: struct results_reading */
    bool node;                  /* the readings are the GPUs of one run */
    const struct plugin_set *plugins;
    bool apart; /* more than two runs, or two of different inputs: each has a line of its own */
};

static void read_options(struct cli_texts *options, const struct command_line *line)
{
    static const struct argp_option known[] = {
        [HTML] = {"html", OPTION_HTML, "FILE", 0,
                  "also write one page that needs no network: of one run, of two beside one another, or of more with a "
                  "line each",
                  0},
        [NCU] =
            {"ncu", 'n', "FILE", 0,
             "also write a run's metrics as Nsight Compute does (ncu --csv), under its names; what is not counted is "
             "absent",
             0},
        [WHAT_IF] =
            {"what-if", 'w', NULL, 0,
             "make the run once more for each fault that is worth mending, with its limit lifted by keys of the "
             "machine, and state the gain that was measured beside the estimate",
             0},
        {0},
    };
    static const struct argp argp = {
        .options = known,
        .args_doc = "RUN...",
        .doc =
            "Say what is worth mending in a run and what limits it, and by which evidence: each RUN is a folder that "
            "`maniple run -o` wrote, its "
            "results.sqlite, or a database of `maniple merge`. Of a run of several GPUs, the times of computation and "
            "communication, and the traffic from each GPU to each, are shown. Two runs of the same launches are "
            "compared; more, or two of different launches, have a line each.\v"
            "Exit status: 0 done; 2 an error in the input or the options.",
    };
    cli_texts_read(options, &argp, line);
    if (!options->words.count)
        mnp_fail(&options->error,
                 "maniple report takes a folder that `maniple run -o` wrote (`maniple report --help`)");
}

/* Reads all runs of a database. */
static bool read_database(struct report *report, const char *path, struct mnp_error *error)
{
    sqlite3 *database = results_database_open(path, error);
    if (!database)
        return false;
    *(sqlite3 **)mnp_array_add(&report->databases, 1, sizeof(sqlite3 *)) = database;
    sqlite3_stmt *runs = results_sqlite_prepare(database, "SELECT id, source FROM run ORDER BY id", error);
    while (runs && !error->text[0] && sqlite3_step(runs) == SQLITE_ROW) {
        const char *source = (const char *)sqlite3_column_text(runs, 1);
        struct results_reading *reading = mnp_array_add(&report->readings, 1, sizeof *reading);
        results_busy_load(reading, database, sqlite3_column_int64(runs, 0), source ? source : path, error);
        reading->place = report->readings.count - 1;
    }
    sqlite3_finalize(runs);
    return !error->text[0];
}

/* Reads the runs of a word of the command line: a run of a node has a folder for each GPU. */
static bool read_input(struct report *report, const char *path, struct mnp_error *error)
{
    uint32_t count;
    char **folders = results_device_folders(path, &count);
    bool done = folders || read_database(report, path, error);
    for (uint32_t i = 0; i < count; i++) {
        done = done && read_database(report, folders[i], error);
        free(folders[i]);
    }
    free(folders);
    report->node |= count != 0;
    return done;
}

static bool write_html(const struct report *report, const struct results_findings *findings, const char *path,
                       struct mnp_error *error)
{
    const struct results_reading *readings = report->readings.items;
    struct mnp_output output = {0};
    bool open = mnp_output_open(&output, path, error);
    if (open && report->node)
        results_page_node(readings, report->readings.count, output.stream);
    else if (open && report->apart)
        results_page_many(readings, report->readings.count, output.stream);
    else if (open)
        results_report_html(&readings[0], report->readings.count == 2 ? &readings[1] : NULL, findings, output.stream);
    bool done = open && mnp_output_finish(&output, error) && mnp_output_commit(&output, error);
    mnp_output_discard(&output);
    return done;
}

static bool write_ncu(const struct report *report, const char *path, struct mnp_error *error)
{
    if (report->readings.count > 1)
        return mnp_fail(error, "--ncu: is of one run, not %u; give fewer", report->readings.count);
    if (results_counts(report->readings.items, "core_clock_cycles"))
        return mnp_fail(error, "--ncu: its cycles and clocks are of a constant clock; run without power.governor");
    struct mnp_output output = {0};
    bool open = mnp_output_open(&output, path, error);
    bool done = open && results_write_ncu(report->readings.items, output.stream, error) &&
                mnp_output_finish(&output, error) && mnp_output_commit(&output, error);
    mnp_output_discard(&output);
    return done;
}

/* Faults of one run, or of each of two, with what second runs have measured where they are asked for. */
static bool find_faults(const struct report *report, bool what_if, struct results_findings findings[2],
                        struct mnp_error *error)
{
    struct results_reading *readings = report->readings.items;
    for (uint32_t i = 0; i < report->readings.count; i++) {
        if (what_if && results_has_tiles(&readings[i]) && !cli_what_if_tiles(&readings[i], report->plugins, error))
            return false;
        findings[i].count = results_rules_find(&readings[i], findings[i].all);
        results_joint_find(&readings[i], &findings[i].joint);
        if (what_if && (findings[i].count || findings[i].joint.count) &&
            !cli_what_if(&readings[i], report->plugins, &findings[i], error))
            return false;
    }
    return true;
}

/* Report of one run; comparison of two, then the answer of each; a line for each of more, or of different inputs. */
static void write_text(const struct report *report, const struct results_findings *findings)
{
    const struct results_reading *readings = report->readings.items;
    uint32_t count = report->readings.count;
    if (count == 1)
        results_report_text(&readings[0], &findings[0], stdout);
    if (report->apart)
        results_report_many(readings, count, stdout);
    if (count != 2 || report->apart)
        return;
    results_report_two(&readings[0], &readings[1], stdout);
    for (int i = 0; i < 2; i++) {
        fputc('\n', stdout);
        results_report_answer(&readings[i], i ? "B" : "A", &findings[i], stdout);
    }
    fputs("\nPeaks, instructions and kernels of one run: a report on it alone.\n", stdout);
}

/* Options about kernels of GPUs alone are refused for others, which have none of its numbers. */
static bool check_kind(const struct results_reading *readings, uint32_t count, const char *option,
                       struct mnp_error *error)
{
    for (uint32_t i = 0; i < count; i++)
        if (!results_counts(&readings[i], "issue_slots"))
            return mnp_fail(error, "%s is about kernels of GPUs, and %.200s is no run of a GPU; leave it out", option,
                            readings[i].label);
    return true;
}

/* Fails where a second run could not be made: the report has been written, without what it would have measured. */
static bool check_measured(const struct results_findings *findings, uint32_t count, struct mnp_error *error)
{
    uint32_t failed = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < findings[i].count; k++)
            failed += findings[i].all[k].failed;
        failed += findings[i].joint.count && findings[i].joint.failed;
    }
    if (!failed)
        return true;
    return mnp_fail(error,
                    "--what-if: %u of its runs could not be made, and what they would have measured stays an estimate; "
                    "see above what they said, and make the run's program, its files and a temporary folder available",
                    failed);
}

static bool write_reports(struct report *report, const char *html, const char *ncu, bool what_if,
                          struct mnp_error *error)
{
    const struct results_reading *readings = report->readings.items;
    uint32_t count = report->readings.count;
    if (report->node && (ncu || what_if))
        return mnp_fail(error, "--ncu and --what-if are of one GPU; give its folder, such as %s", readings[0].label);
    if (report->node)
        return results_report_node(readings, count, stdout, error) && (!html || write_html(report, NULL, html, error));
    struct mnp_error other = {0};
    report->apart = count > 2 || (count == 2 && !results_same_work(&readings[0], &readings[1], &other));
    if (ncu && !check_kind(readings, count, "--ncu", error))
        return false;
    if (what_if && count == 2 && report->apart)
        return mnp_fail(error, "--what-if: %.800s", other.text);
    if (what_if && report->apart)
        return mnp_fail(error, "--what-if: repeats one run or two, not %u; give fewer", count);
    if (ncu && !write_ncu(report, ncu, error))
        return false;
    struct results_findings findings[2];
    if ((!report->apart && !find_faults(report, what_if, findings, error)) ||
        (html && !write_html(report, findings, html, error)))
        return false;
    write_text(report, findings);
    return !what_if || check_measured(findings, count == 2 ? 2 : 1, error);
}

static void release(struct report *report)
{
    for (uint32_t i = 0; i < report->readings.count; i++)
        results_reading_release((struct results_reading *)report->readings.items + i);
    for (uint32_t i = 0; i < report->databases.count; i++)
        sqlite3_close(((sqlite3 **)report->databases.items)[i]);
    mnp_array_release(&report->readings);
    mnp_array_release(&report->databases);
}

int cli_verb_report(const struct command_line *line)
{
    struct cli_texts options;
    struct report report = {.plugins = line->plugins};
    read_options(&options, line);
    const char *const *inputs = options.words.items;
    bool done = !options.error.text[0];
    for (uint32_t i = 0; done && i < options.words.count; i++)
        done = read_input(&report, inputs[i], &options.error);
    if (done && report.node && options.words.count > 1)
        done = mnp_fail(&options.error,
                        "a run of several GPUs is reported on alone; give only %.200s, or folders of its "
                        "GPUs",
                        inputs[0]);
    done = done &&
           write_reports(&report, options.text[HTML], options.text[NCU], options.text[WHAT_IF] != NULL, &options.error);
    release(&report);
    mnp_array_release(&options.words);
    return done ? cli_finish_output(MNP_EXIT_DONE) : cli_report_error(&options.error);
}
