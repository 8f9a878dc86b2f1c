/* SPDX-License-Identifier: BSD-3-Clause */
/* Costs of each instruction and each line of the source, of runs with --by-instruction. For the page, the
 * kernels that cost most, in the order of their PCs; for a terminal, the instructions that cost most. */
#include "base/print.h"
#include "base/text.h"
#include "results/report/layout.h"
#include "results/report/page.h"
#include "results/report/queries.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Rows of the kernel that costs most, and of each other: a page of two runs stays below 300 KB. */
enum {
    MOST_LINES = 120,
    OTHER_LINES = 25,
    MOST_SOURCES = 40,
    OTHER_SOURCES = 10,
    MOST_TOLD = 8,
    MOST_TOLD_LINES = 5,
    MOST_AWAITED = 3
};

#define WAITS "ready + result + memory + barrier + fence + fetch + ended"

static const char *const reasons[] = {"ready", "result", "memory", "barrier", "fence", "fetch", "ended"};
enum { REASONS = sizeof reasons / sizeof *reasons };

static sqlite3_stmt *ask(const struct results_reading *reading, const char *sql, const char *kernel)
{
    sqlite3_stmt *rows = results_report_ask(reading, sql);
    if (rows && kernel)
        sqlite3_bind_text(rows, 2, kernel, -1, SQLITE_STATIC);
    return rows;
}

double results_tally_cycles(const struct results_reading *reading)
{
    sqlite3_stmt *row = ask(reading, "SELECT sum(issues + " WAITS ") FROM instruction WHERE run = ?", NULL);
    double sum = row && sqlite3_step(row) == SQLITE_ROW ? sqlite3_column_double(row, 0) : 0;
    sqlite3_finalize(row);
    return sum;
}

/* The reason for most of the waiting of a row whose columns of reasons begin at `first`; its cycles. */
static const char *worst_reason(sqlite3_stmt *row, int first, double *cycles)
{
    int worst = 0;
    for (int i = 1; i < REASONS; i++)
        if (sqlite3_column_double(row, first + i) > sqlite3_column_double(row, first + worst))
            worst = i;
    *cycles = sqlite3_column_double(row, first + worst);
    return *cycles > 0 ? reasons[worst] : "";
}

/* ===== the page ===== */

enum {
    PC,
    TEXT,
    SOURCE,
    ISSUES,
    LANES,
    SECTORS,
    CONFLICTS,
    CYCLES,
    FIRST_REASON,
    AWAITED = FIRST_REASON + REASONS,
    KERNEL
};
#define COLUMNS                                                                                                        \
    "sum(issues), sum(lanes), sum(sectors), sum(conflicts), sum(issues + " WAITS "), sum(ready), sum(result),"         \
    " sum(memory), sum(barrier), sum(fence), sum(fetch), sum(ended), sum(awaited)"

/* Plural name of the units that issue instructions on the run's machine. */
static const char *threads_of(const struct results_reading *reading)
{
    return results_has_tiles(reading) ? "cores" : "warps";
}

static void write_head(const struct results_reading *reading, FILE *out)
{
    bool tiles = results_has_tiles(reading);
    fputs(tiles ? "<th>issues" : "<th>issues<th>lanes", out);
    mnp_print_html(out, "<th class=\"left\">cycles of %s<th>%% of the %s<th class=\"left\">most waiting",
                   threads_of(reading), tiles ? "function" : "kernel");
    fputs(tiles ? "</tr></thead><tbody>\n"
                : "<th title=\"cycles in which others waited for its data, of the kernel's\">awaited %<th>sectors each"
                  "<th>conflicts</tr></thead><tbody>\n",
          out);
}

/* The figures of an instruction or a line. */
static void write_figures(sqlite3_stmt *row, double most, double all, bool tiles, FILE *out)
{
    double issues = sqlite3_column_double(row, ISSUES), cycles = sqlite3_column_double(row, CYCLES), waiting;
    double lanes = sqlite3_column_double(row, LANES);
    const char *reason = worst_reason(row, FIRST_REASON, &waiting);
    mnp_print_html(out, "<td>%.0f", issues);
    if (!tiles)
        mnp_print_html(out, "<td>%.1f", issues > 0 ? lanes / issues : 0);
    mnp_print_html(out,
                   "<td data-v=\"%.0f\"><div class=\"bar cost\"><i style=\"width:%.1f%%\"></i></div><td>%.2f"
                   "<td class=\"left\">",
                   cycles, most > 0 ? 100 * cycles / most : 0, all > 0 ? 100 * cycles / all : 0);
    if (*reason && waiting >= 0.005 * cycles) /* less would read as 0 % */
        mnp_print_html(out, "%s %.0f %%", reason, 100 * waiting / cycles);
    if (!tiles)
        mnp_print_html(out, "<td>%.2f<td>%.1f<td>%.0f", all > 0 ? 100 * sqlite3_column_double(row, AWAITED) / all : 0,
                       issues > 0 ? sqlite3_column_double(row, SECTORS) / issues : 0,
                       sqlite3_column_double(row, CONFLICTS));
    fputs("</tr>\n", out);
}

static double greatest(const struct results_reading *reading, const char *sql, const char *kernel)
{
    sqlite3_stmt *row = ask(reading, sql, kernel);
    double most = row && sqlite3_step(row) == SQLITE_ROW ? sqlite3_column_double(row, 0) : 0;
    sqlite3_finalize(row);
    return most;
}

static void write_cell(const char *text, FILE *out)
{
    fputs("<td class=\"left code\">", out);
    mnp_put_html(text ? text : "", out);
}

/* A place in the source, which is not broken within: "file.h:90" would read as line 9. */
static void write_place(const char *source, FILE *out)
{
    fputs("<td class=\"left code place\">", out);
    mnp_put_html(source ? results_report_place(source) : "", out);
}

/* The text of a line, as its file was when the run ended; empty where it was not at hand. */
static void write_line_text(const struct results_reading *reading, const char *source, FILE *out)
{
    sqlite3_stmt *row = ask(reading, "SELECT text FROM source_line WHERE run = ? AND source = ?", source);
    write_cell(row && sqlite3_step(row) == SQLITE_ROW ? results_report_text_of(row, 0) : "", out);
    sqlite3_finalize(row);
}

/* Lines of the source, those that cost most first. */
static void write_sources(const struct results_reading *reading, const char *kernel, uint32_t limit, double all,
                          FILE *out)
{
    sqlite3_stmt *rows = ask(reading,
                             "SELECT 0, NULL, source, " COLUMNS " FROM instruction WHERE run = ? AND kernel = ?"
                             " AND source IS NOT NULL GROUP BY source ORDER BY 8 DESC, source",
                             kernel);
    double most = 0;
    uint32_t count = 0;
    for (; rows && count < limit && sqlite3_step(rows) == SQLITE_ROW; count++) {
        if (!count) {
            fputs(
                "<div class=\"wide\"><table class=\"sorts\"><thead><tr><th class=\"left\">line<th class=\"left\">text",
                out);
            write_head(reading, out);
            most = sqlite3_column_double(rows, CYCLES);
        }
        fputs("<tr>", out);
        write_place((const char *)sqlite3_column_text(rows, SOURCE), out);
        write_line_text(reading, (const char *)sqlite3_column_text(rows, SOURCE), out);
        write_figures(rows, most, all, results_has_tiles(reading), out);
    }
    if (count)
        fputs("</tbody></table></div>\n", out);
    sqlite3_finalize(rows);
}

/* Instructions in the order of their PCs: those that cost most. */
static void write_instructions(const struct results_reading *reading, const char *kernel, int limit, double all,
                               FILE *out)
{
    double most =
        greatest(reading, "SELECT max(issues + " WAITS ") FROM instruction WHERE run = ? AND kernel = ?", kernel);
    double count = greatest(reading, "SELECT count(*) FROM instruction WHERE run = ? AND kernel = ?", kernel);
    char sql[700];
    snprintf(sql, sizeof sql,
             "SELECT * FROM (SELECT pc, text, source, " COLUMNS " FROM instruction WHERE run = ? AND kernel = ?"
             " GROUP BY pc, opcode ORDER BY 8 DESC, pc LIMIT %d) ORDER BY pc",
             limit);
    sqlite3_stmt *rows = ask(reading, sql, kernel);
    fputs("<div class=\"wide\"><table class=\"sorts\"><thead><tr><th>PC<th class=\"left\">instruction"
          "<th class=\"left\">line",
          out);
    write_head(reading, out);
    while (rows && sqlite3_step(rows) == SQLITE_ROW) {
        mnp_print_html(out, "<tr><td data-v=\"%" PRId64 "\">%04" PRIx64, (int64_t)sqlite3_column_int64(rows, PC),
                       (uint64_t)sqlite3_column_int64(rows, PC));
        write_cell((const char *)sqlite3_column_text(rows, TEXT), out);
        write_place((const char *)sqlite3_column_text(rows, SOURCE), out);
        write_figures(rows, most, all, results_has_tiles(reading), out);
    }
    fputs("</tbody></table></div>\n", out);
    if (count > limit)
        mnp_print_html(out, "<p class=\"soft\">and %.0f other instructions, which cost less</p>\n", count - limit);
    sqlite3_finalize(rows);
}

/* The kernels whose instructions a page shows, those that cost most first: rows of their names and cycles. */
static sqlite3_stmt *ask_kernels(const struct results_reading *reading)
{
    char sql[300];
    snprintf(sql, sizeof sql,
             "SELECT kernel, sum(issues + " WAITS ") FROM instruction WHERE run = ? GROUP BY kernel"
             " ORDER BY 2 DESC, kernel LIMIT %d",
             RESULTS_LINE_KERNELS);
    return ask(reading, sql, NULL);
}

uint32_t results_page_line_kernels(const struct results_reading *reading, char *names[RESULTS_LINE_KERNELS])
{
    sqlite3_stmt *kernels = ask_kernels(reading);
    uint32_t count = 0;
    for (; kernels && count < RESULTS_LINE_KERNELS && sqlite3_step(kernels) == SQLITE_ROW; count++) {
        const char *name = (const char *)sqlite3_column_text(kernels, 0);
        names[count] = strdup(name ? name : "");
    }
    sqlite3_finalize(kernels);
    return count;
}

void results_page_lines(const struct results_reading *reading, FILE *out)
{
    double all = results_tally_cycles(reading);
    uint32_t shown = 0;
    sqlite3_stmt *kernels = ask_kernels(reading);
    for (; kernels && sqlite3_step(kernels) == SQLITE_ROW; shown++) {
        const char *name = (const char *)sqlite3_column_text(kernels, 0);
        mnp_print_html(out, "<details%s><summary>", shown ? "" : " open");
        results_page_kernel_name(name ? name : "", out);
        mnp_print_html(out, ": %.2f %% of the cycles of %s</summary><div id=\"lines-%u-%u\">\n",
                       all > 0 ? 100 * sqlite3_column_double(kernels, 1) / all : 0, threads_of(reading), reading->place,
                       shown);
        double own = sqlite3_column_double(kernels, 1); /* shares below are of the kernel */
        write_sources(reading, name ? name : "", shown ? OTHER_SOURCES : MOST_SOURCES, own, out);
        write_instructions(reading, name ? name : "", shown ? OTHER_LINES : MOST_LINES, own, out);
        fputs("</div></details>\n", out);
    }
    sqlite3_finalize(kernels);
    if (!shown)
        fputs("<p class=\"soft\">Not tallied: run with --by-instruction.</p>\n", out);
}

/* ===== a terminal ===== */

#define INSTRUCTIONS "SELECT pc, text, source, " COLUMNS ", kernel FROM instruction WHERE run = ?"

/* Kernels of instructions that were told, and what tells these apart: their lines, or else PCs. */
struct told {
    char *kernel[MOST_TOLD + RESULTS_FINDINGS_TOLD], *place[MOST_TOLD + RESULTS_FINDINGS_TOLD];
    uint32_t count;
};

/* Whether neither the instruction of a row nor another one of its line was told before. */
static bool is_new(struct told *told, sqlite3_stmt *row)
{
    const char *kernel = results_report_text_of(row, KERNEL);
    int column = sqlite3_column_type(row, SOURCE) == SQLITE_NULL ? PC : SOURCE;
    const char *place = results_report_text_of(row, column);
    for (uint32_t i = 0; i < told->count; i++)
        if (strcmp(told->place[i], place) == 0 && strcmp(told->kernel[i], kernel) == 0)
            return false;
    told->kernel[told->count] = strdup(kernel);
    told->place[told->count++] = strdup(place);
    return true;
}

/* An instruction's line; `cycles` is what stands first, as a share of all. */
static void write_told(const struct results_reading *reading, sqlite3_stmt *row, double cycles, double all, FILE *out)
{
    bool tiles = results_has_tiles(reading); /* their caches have no sectors */
    double waiting, issues = sqlite3_column_double(row, ISSUES);
    char text[21], place[19];
    const char *reason = worst_reason(row, FIRST_REASON, &waiting);
    results_report_begin(results_report_text_of(row, TEXT), text, sizeof text - 1);
    results_report_fit_where((const char *)sqlite3_column_text(row, SOURCE), results_report_text_of(row, KERNEL), place,
                             sizeof place - 1);
    mnp_print_text(out, "  %6.2f %9.0f", 100 * cycles / all, issues);
    if (!tiles)
        mnp_print_text(out, " %7.1f", issues > 0 ? sqlite3_column_double(row, SECTORS) / issues : 0);
    mnp_print_text(out, " %-7s %-5" PRIx64 " %-20s %s\n", reason, (uint64_t)sqlite3_column_int64(row, PC), text, place);
}

/* The instruction that causes a finding, where it is none of those that cost most: stores and atomics cost their warps
 * little. */
static void write_guilty(const struct results_reading *reading, const struct results_finding *finding,
                         struct told *told, double all, FILE *out)
{
    char sql[900];
    if (!finding->group || !finding->rule->blame)
        return;
    snprintf(sql, sizeof sql,
             INSTRUCTIONS " AND kernel = ? GROUP BY kernel, pc, opcode ORDER BY sum(%s) DESC, pc LIMIT 1",
             finding->rule->blame);
    sqlite3_stmt *row = ask(reading, sql, finding->group->name);
    if (row && sqlite3_step(row) == SQLITE_ROW && is_new(told, row)) {
        mnp_print_text(out, "  of %s:\n", finding->rule->name);
        write_told(reading, row, sqlite3_column_double(row, CYCLES), all, out);
    }
    sqlite3_finalize(row);
}

/* Loads that others waited for most: what waits stands above, and what is to be mended may stand here. */
static void write_awaited(const struct results_reading *reading, double all, FILE *out)
{
    char sql[700];
    snprintf(sql, sizeof sql,
             INSTRUCTIONS " GROUP BY kernel, pc, opcode ORDER BY sum(awaited) DESC, kernel, pc LIMIT %d", MOST_AWAITED);
    sqlite3_stmt *rows = ask(reading, sql, NULL);
    for (bool first = true; rows && sqlite3_step(rows) == SQLITE_ROW; first = false) {
        double awaited = sqlite3_column_double(rows, AWAITED);
        if (awaited < RESULTS_WORTH * all)
            break;
        fputs(first ? "  loads, by cycles in which others waited for their data:\n" : "", out);
        write_told(reading, rows, awaited, all, out);
    }
    sqlite3_finalize(rows);
}

/* Lines of the source that cost most, all their instructions together. */
static void write_told_lines(const struct results_reading *reading, double all, FILE *out)
{
    char sql[700];
    snprintf(sql, sizeof sql,
             INSTRUCTIONS " AND source IS NOT NULL AND source NOT LIKE 'PTX of %%' AND source NOT LIKE 'module of %%'"
                          " GROUP BY source ORDER BY 8 DESC, source LIMIT %d",
             MOST_TOLD_LINES);
    sqlite3_stmt *rows = ask(reading, sql, NULL);
    for (bool first = true; rows && sqlite3_step(rows) == SQLITE_ROW; first = false) {
        double waiting;
        char place[60];
        const char *reason = worst_reason(rows, FIRST_REASON, &waiting);
        if (first)
            mnp_print_text(out, "\nLines by cycles of %s\n  %6s %9s %-7s %s\n", threads_of(reading), "%", "issues",
                           "mostly", "where");
        mnp_print_text(out, "  %6.2f %9.0f %-7s %s\n", 100 * sqlite3_column_double(rows, CYCLES) / all,
                       sqlite3_column_double(rows, ISSUES), reason,
                       results_report_fit_where(results_report_text_of(rows, SOURCE), "", place, 51));
    }
    sqlite3_finalize(rows);
}

void results_report_lines(const struct results_reading *reading, const struct results_finding *found, uint32_t count,
                          FILE *out)
{
    double all = results_tally_cycles(reading);
    char sql[700];
    struct told told = {0};
    snprintf(sql, sizeof sql, INSTRUCTIONS " GROUP BY kernel, pc, opcode ORDER BY 8 DESC, kernel, pc LIMIT %d",
             MOST_TOLD);
    sqlite3_stmt *rows = all > 0 ? ask(reading, sql, NULL) : NULL;
    if (!rows)
        return;
    mnp_print_text(out, "\nInstructions by cycles of %s\n  %6s %9s%s %-7s %-5s %-20s %s\n", threads_of(reading), "%",
                   "issues", results_has_tiles(reading) ? "" : " sectors", "mostly", "PC", "instruction", "where");
    while (sqlite3_step(rows) == SQLITE_ROW) {
        is_new(&told, rows);
        write_told(reading, rows, sqlite3_column_double(rows, CYCLES), all, out);
    }
    sqlite3_finalize(rows);
    for (uint32_t i = 0; i < count && i < RESULTS_FINDINGS_TOLD; i++)
        write_guilty(reading, &found[i], &told, all, out);
    write_awaited(reading, all, out);
    for (uint32_t i = 0; i < told.count; i++) {
        free(told.kernel[i]);
        free(told.place[i]);
    }
    write_told_lines(reading, all, out);
}
