/* SPDX-License-Identifier: BSD-3-Clause */
/* Time by range that the program has named (NVTX). Ranges of one name inside the same others are one row, however often
 * the program has entered them; rows of a range stand below it, the longest first. */
#include "base/array.h"
#include "base/print.h"
#include "results/figures/figures.h"
#include "results/report/layout.h"
#include "results/report/page.h"
#include "results/report/queries.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TOLD = 24, MOST_SHOWN = 400, MOST_DEPTH = MNP_RANGE_DEPTH };

struct share {
    char *kernel;
    double time;
};

struct row {
    char *name;
    uint32_t outer, depth; /* row of the range around it, counted from 1; 0: none */
    double time;           /* fs: the sum of its launches' times */
    uint64_t launches;
    struct mnp_array shares; /* struct share: the same by kernel */
};

struct table {
    struct mnp_array rows; /* struct row */
    double time;           /* fs: of all launches of the run, inside ranges or not */
    uint64_t launches;
    uint32_t told, most; /* rows written; the most of them */
    FILE *out;
    void (*write)(struct table *table, const struct row *row);
};

/* ===== reading ===== */

/* The length of a name without the numbers that PyTorch's emit_nvtx gives to each call: "aten::mm, seq = 7". */
static size_t length_of(const char *name)
{
    const char *sequence = strstr(name, ", seq = "), *number = strstr(name, ", op_id = ");
    const char *end = sequence && (!number || sequence < number) ? sequence : number;
    return end ? (size_t)(end - name) : strlen(name);
}

/* The row of a range, counted from 1. Launches that follow one another lie in the same ranges: the last rows. */
static uint32_t find_row(struct table *table, uint32_t outer, uint32_t depth, const char *name)
{
    size_t length = length_of(name);
    struct row *rows = table->rows.items;
    for (uint32_t i = table->rows.count; i > outer; i--)
        if (rows[i - 1].outer == outer && strncmp(rows[i - 1].name, name, length) == 0 && !rows[i - 1].name[length])
            return i;
    struct row *row = mnp_array_add(&table->rows, 1, sizeof *row);
    *row = (struct row){.name = strndup(name, length), .outer = outer, .depth = depth};
    return table->rows.count;
}

static void add(struct row *row, const char *kernel, double time)
{
    struct share *shares = row->shares.items;
    uint32_t i = 0;
    row->time += time;
    row->launches++;
    while (i < row->shares.count && strcmp(shares[i].kernel, kernel) != 0)
        i++;
    if (i == row->shares.count)
        *(struct share *)mnp_array_add(&row->shares, 1, sizeof *shares) = (struct share){.kernel = strdup(kernel)};
    ((struct share *)row->shares.items)[i].time += time;
}

/* Reads all ranges of a run. Returns whether there is a launch with time in one. */
static bool read_table(struct table *table, const struct results_reading *reading)
{
    uint32_t path[MOST_DEPTH + 1] = {0}; /* rows of the ranges around a launch, the outermost at 1 */
    sqlite3_stmt *rows = results_report_ask(
        reading, "SELECT place, span.name, \"end\" - start, kernel.name FROM span LEFT JOIN kernel ON kernel.run ="
                 " span.run AND kernel.id = kernel WHERE span.run = ? AND kind = 'range' ORDER BY kernel, place");
    while (rows && sqlite3_step(rows) == SQLITE_ROW) {
        uint32_t depth = (uint32_t)sqlite3_column_int(rows, 0);
        if (depth >= MOST_DEPTH)
            continue;
        path[depth + 1] = find_row(table, path[depth], depth, results_report_text_of(rows, 1));
        add(&((struct row *)table->rows.items)[path[depth + 1] - 1], results_report_text_of(rows, 3),
            sqlite3_column_double(rows, 2));
    }
    sqlite3_finalize(rows);
    rows = results_report_ask(reading,
                              "SELECT sum(\"end\" - start), count(*) FROM span WHERE run = ? AND kind = 'kernel'");
    if (rows && sqlite3_step(rows) == SQLITE_ROW) {
        table->time = sqlite3_column_double(rows, 0);
        table->launches = (uint64_t)sqlite3_column_int64(rows, 1);
    }
    sqlite3_finalize(rows);
    return table->rows.count && table->time > 0;
}

static void release(struct table *table)
{
    struct row *rows = table->rows.items;
    for (uint32_t i = 0; i < table->rows.count; i++) {
        for (uint32_t k = 0; k < rows[i].shares.count; k++)
            free(((struct share *)rows[i].shares.items)[k].kernel);
        mnp_array_release(&rows[i].shares);
        free(rows[i].name);
    }
    mnp_array_release(&table->rows);
}

/* ===== writing ===== */

/* The kernel that takes most of a row's time. */
static const char *kernel_of(const struct row *row)
{
    const struct share *shares = row->shares.items;
    uint32_t most = 0;
    for (uint32_t i = 1; i < row->shares.count; i++)
        if (shares[i].time > shares[most].time)
            most = i;
    return row->shares.count ? shares[most].kernel : "";
}

/* The next row inside a range behind `last` by time, longest first; NULL: none. */
static const struct row *next_inside(const struct table *table, uint32_t outer, const struct row *last)
{
    const struct row *rows = table->rows.items, *best = NULL;
    for (uint32_t i = outer; i < table->rows.count; i++) {
        bool behind = !last || rows[i].time < last->time || (rows[i].time == last->time && &rows[i] > last);
        if (rows[i].outer == outer && behind && (!best || rows[i].time > best->time))
            best = &rows[i];
    }
    return best;
}

static void write_inside(struct table *table, uint32_t outer)
{
    const struct row *row = NULL;
    while (table->told < table->most && (row = next_inside(table, outer, row))) {
        table->told++;
        table->write(table, row);
        write_inside(table, (uint32_t)(row - (const struct row *)table->rows.items) + 1);
    }
}

/* Launches outside of all ranges, as a row without a name. */
static struct row rest_of(const struct table *table)
{
    const struct row *rows = table->rows.items;
    struct row rest = {.time = table->time, .launches = table->launches};
    for (uint32_t i = 0; i < table->rows.count; i++)
        if (!rows[i].outer) {
            rest.time -= rows[i].time;
            rest.launches -= rows[i].launches;
        }
    return rest;
}

static void write_all(struct table *table)
{
    struct row rest = rest_of(table);
    write_inside(table, 0);
    if (rest.launches)
        table->write(table, &rest);
}

static const char *name_of(const struct row *row)
{
    return !row->name ? "outside of ranges" : row->name[0] ? row->name : "(no name)";
}

static void write_line(struct table *table, const struct row *row)
{
    char time[RESULTS_REPORT_TIME], name[25], kernel[26];
    int indent = row->depth < 8 ? (int)row->depth : 8;
    mnp_print_text(table->out, "  %6.2f %8" PRIu64 " %10s  %*s%-*s %s\n", 100 * row->time / table->time, row->launches,
                   results_report_time(time, row->time / 1e15), indent, "", 24 - indent,
                   results_report_fit(name_of(row), name, 24 - (size_t)indent),
                   results_report_fit_name(kernel_of(row), kernel, sizeof kernel - 1));
}

void results_report_ranges(const struct results_reading *reading, FILE *out)
{
    struct table table = {.most = MOST_TOLD, .out = out, .write = write_line};
    if (read_table(&table, reading)) {
        mnp_print_text(out, "\nTime by range (NVTX), of all launches inside\n  %6s %8s %10s  %-24s %s\n", "%",
                       "launches", "time", "range", "kernel with most of it");
        write_all(&table);
        if (table.told < table.rows.count)
            mnp_print_text(out, "  and %u other ranges; the page of --html has them\n", table.rows.count - table.told);
    }
    release(&table);
}

static void write_cells(struct table *table, const struct row *row)
{
    char time[RESULTS_REPORT_TIME], kernel[80];
    mnp_print_html(table->out,
                   "<tr><td class=\"left name\" style=\"padding-left:%.1fem\">%s<td data-v=\"%.9g\">%.2f"
                   "<td data-v=\"%" PRIu64 "\">%" PRIu64 "<td data-v=\"%.9g\">%s<td class=\"left name\">%s</tr>\n",
                   0.5 + row->depth, name_of(row), row->time, 100 * row->time / table->time, row->launches,
                   row->launches, row->time, results_report_time(time, row->time / 1e15),
                   results_report_fit_name(kernel_of(row), kernel, sizeof kernel - 1));
}

bool results_page_has_ranges(const struct results_reading *reading)
{
    struct table table = {0};
    bool has = read_table(&table, reading);
    release(&table);
    return has;
}

void results_page_ranges(const struct results_reading *reading, FILE *out)
{
    struct table table = {.most = MOST_SHOWN, .out = out, .write = write_cells};
    if (!read_table(&table, reading)) {
        fputs("<p class=\"soft\">No launch lies in a range.</p>\n", out);
    } else {
        fputs("<div class=\"wide\"><table class=\"sorts tight\"><thead><tr><th class=\"left\">Range<th>% of time"
              "<th>launches<th>time<th class=\"left\">kernel with most of it</tr></thead><tbody>\n",
              out);
        write_all(&table);
        fputs("</tbody></table></div><p class=\"soft\">Times are those of all launches inside, added up.</p>\n", out);
        if (table.told < table.rows.count)
            mnp_print_html(out, "<p class=\"soft\">and %u other ranges</p>\n", table.rows.count - table.told);
    }
    release(&table);
}
