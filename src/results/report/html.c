/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of a report: one file, which needs no network. */
#include "base/print.h"
#include "base/text.h"
#include "base/version.h"
#include "results/figures/energy.h"
#include "results/report/counts.h"
#include "results/report/page.h"
#include "results/report/queries.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 200 };

/* A machine whose peaks are not known: what it counts, but what is zero. */
struct counts {
    const struct results_reading *other; /* NULL: one run alone */
    uint32_t rows, row;                  /* … of which there are as many, in two tables side by side */
    FILE *out;
};

static void write_counts_head(const struct counts *counts)
{
    fputs("<div class=\"wide\"><table class=\"sorts\"><thead><tr><th>Statistic<th class=\"left\">unit", counts->out);
    fputs(counts->other ? "<th>A<th>B<th>B against A</tr></thead><tbody>\n" : "<th>value</tr></thead><tbody>\n",
          counts->out);
}

static void write_count(const struct results_count *count, void *context)
{
    struct counts *counts = context;
    FILE *out = counts->out;
    if (!counts->other && counts->row++ == (counts->rows + 1) / 2) {
        fputs("</tbody></table></div>", out);
        write_counts_head(counts);
    }
    mnp_print_html(out, "<tr><td>%s</td><td class=\"left\">%s</td><td data-v=\"%.9g\">%s</td>", count->name,
                   count->unit, count->value, count->text);
    if (counts->other) {
        char text[MNP_NUMBER_TEXT];
        double value, apart;
        results_count_text(counts->other, count->name, text, &value);
        apart = 100 * (value / count->value - 1);
        mnp_print_html(out, "<td data-v=\"%.9g\">%s</td><td data-v=\"%.6f\">%+.2f %%</td>", value, text, apart, apart);
    }
    fputs("</tr>\n", out);
}

/* Counts of one run, or of two beside each other. */
static void write_counts(const struct results_reading *a, const struct results_reading *b, FILE *out)
{
    struct counts counts = {.other = b, .rows = results_counts_each(a, NULL, NULL), .out = out};
    fputs(b ? "<h2>What was counted</h2><div>" : "<h2>What was counted</h2><div class=\"two\">", out);
    write_counts_head(&counts);
    results_counts_each(a, write_count, &counts);
    fputs("</tbody></table></div></div>\n", out);
    if (results_has_tiles(a))
        fputs("<p class=\"soft\">core_, bank_, router_, link_ and stall_: of the tile that has most</p>\n", out);
}

static void write_verdict(const char *what, const struct results_verdict *verdict, FILE *out)
{
    mnp_print_html(out, "<p>%s <b>%s</b></p><p>%s</p><p><b>Try</b> %s</p>", what, verdict->limit, verdict->evidence,
                   verdict->remedy);
}

/* How long it took: of a program, whose copies and calls take time as well, with kernels and in all. */
static void write_time(const struct results_reading *reading, FILE *out)
{
    char time[RESULTS_REPORT_TIME], cycles[MNP_NUMBER_TEXT];
    const char *plural = reading->kernel_count == 1 ? "" : "s";
    double end = results_sum(reading, &reading->total, "gpu_sim_cycle");
    double run = results_report_seconds(reading, results_report_cycles(reading, &reading->total));
    bool part = reading->busy_share < 1;
    double seconds = results_report_seconds(reading, results_sum(reading, &reading->busy, "gpu_sim_cycle"));
    mnp_format_grouped(cycles, (uint64_t)end);
    double margin = results_report_margin(reading);
    char *estimate = results_report_estimate(reading);
    if (margin > 0)
        mnp_print_html(out, "<p class=\"big\">%s \302\261 %.1f %%</p>", results_report_time(time, seconds),
                       100 * margin);
    else
        mnp_print_html(out, "<p class=\"big\">%s</p>", results_report_time(time, seconds));
    if (*estimate)
        mnp_print_html(out, "<p><b>Estimate</b> of %s</p>", estimate);
    free(estimate);
    if (part)
        mnp_print_html(
            out,
            "<p>with %" PRIu64
            " kernel%s, of %s in all, copies and calls included (%.1f %%); the last ended in core cycle %s</p>",
            reading->kernel_count, plural, results_report_time(time, run), 100 * reading->busy_share, cycles);
    else
        mnp_print_html(out, "<p>%s core cycles of %" PRIu64 " kernel%s</p>", cycles, reading->kernel_count, plural);
}

static void write_warnings(const struct results_reading *reading, FILE *out)
{
    sqlite3_stmt *rows = results_report_ask_warnings(reading);
    while (rows && sqlite3_step(rows) == SQLITE_ROW)
        mnp_print_html(out, "<p><b>Warning:</b> %s</p>", results_report_text_of(rows, 0));
    sqlite3_finalize(rows);
}

static void write_card(const struct results_reading *reading, const char *letter, FILE *out)
{
    struct results_verdict verdict, kernels;
    results_judge(reading, &reading->total, &verdict);
    results_judge(reading, &reading->busy, &kernels);
    mnp_print_html(out, "<div class=\"card\"><p class=\"soft\">%s", letter);
    results_page_subject(reading, out);
    fputs("</p>", out);
    write_time(reading, out);
    write_verdict("Limited by", &verdict, out);
    if (strcmp(verdict.kind, kernels.kind) != 0)
        write_verdict("Its kernels by", &kernels, out);
    if (strcmp(reading->ended, "finished") != 0)
        mnp_print_html(out, "<p><b>The run ended early (%s): figures are of what was done until then.</b></p>",
                       reading->ended);
    write_warnings(reading, out);
    fputs("</div>\n", out);
}

/* ===== kernels ===== */

/* A name of kernels, which leads to its instructions where the page has them. */
static void write_name(const struct results_reading *reading, const char *name, char *const *lines, uint32_t count,
                       FILE *out)
{
    uint32_t place = 0;
    while (place < count && strcmp(lines[place], name) != 0)
        place++;
    fputs("<tr><td class=\"name\">", out);
    if (place < count)
        mnp_print_html(out, "<a href=\"#lines-%u-%u\">", reading->place, place);
    results_page_kernel_name(name, out);
    fputs(place < count ? "</a></td>" : "</td>", out);
}

static void write_kernel(const struct results_reading *reading, const struct results_group *group, double all,
                         FILE *out)
{
    struct results_peak peaks[RESULTS_PEAKS];
    struct results_verdict verdict;
    char time[RESULTS_REPORT_TIME];
    uint32_t count = results_peaks(reading, group, peaks);
    double cycles = results_sum(reading, group, "gpu_sim_cycle");
    double each = results_report_seconds(reading, cycles) / (double)(group->kernels ? group->kernels : 1);
    double possible = results_sum(reading, group, "possible_warp_cycles");
    results_judge(reading, group, &verdict);
    mnp_print_html(out,
                   "<td>%s</td><td data-v=\"%" PRIu64 "\">%" PRIu64 "</td><td data-v=\"%.9g\">%.2f</td>"
                   "<td data-v=\"%.9g\">%s</td><td class=\"left\">%s</td><td data-v=\"%.6f\">%.2f</td>",
                   group->shape, group->kernels, group->kernels, cycles, all > 0 ? 100 * cycles / all : 0, each,
                   results_report_time(time, each), verdict.limit,
                   possible > 0 ? results_sum(reading, group, "resident_warp_cycles") / possible : 0,
                   possible > 0 ? 100 * results_sum(reading, group, "resident_warp_cycles") / possible : 0);
    for (uint32_t i = 0; i < count; i++)
        if (results_page_shows(reading, &peaks[i]))
            mnp_print_html(out, "<td data-v=\"%.6f\">%.2f</td>", results_peak_share(&peaks[i]),
                           100 * results_peak_share(&peaks[i]));
    fputs("</tr>\n", out);
}

static void write_kernels(const struct results_reading *reading, FILE *out)
{
    struct results_peak peaks[RESULTS_PEAKS];
    uint32_t count = results_peaks(reading, &reading->busy, peaks);
    double all = 0;
    fputs("<div class=\"wide\"><table class=\"sorts tight\"><thead><tr><th>Kernel<th>grid of threads<th>launches"
          "<th>% of time<th>time each<th class=\"left\">limited by<th>occupancy %",
          out);
    for (uint32_t i = 0; i < count; i++)
        if (results_page_shows(reading, &peaks[i]))
            mnp_print_html(out, "<th title=\"%s: %s\">%s %%", peaks[i].name, peaks[i].what, peaks[i].short_name);
    fputs("</tr></thead><tbody>\n", out);
    for (uint32_t i = 0; i < reading->group_count; i++)
        all += results_sum(reading, &reading->groups[i], "gpu_sim_cycle");
    char *lines[RESULTS_LINE_KERNELS];
    uint32_t line_count = results_page_line_kernels(reading, lines);
    for (uint32_t i = 0; i < reading->group_count && i < MOST_ROWS; i++) {
        write_name(reading, reading->groups[i].name, lines, line_count, out);
        write_kernel(reading, &reading->groups[i], all, out);
    }
    for (uint32_t i = 0; i < line_count; i++)
        free(lines[i]);
    fputs("</tbody></table></div>\n", out);
    if (reading->unowned_bytes > 0 && reading->written > 0)
        fputs("<p class=\"soft\">DRAM: with a share of write-backs, which have no owner, by sectors written to the "
              "L2.</p>"
              "\n",
              out);
    if (reading->group_count > MOST_ROWS)
        mnp_print_html(out, "<p class=\"soft\">and %u other names of kernels, which took less time</p>\n",
                       reading->group_count - MOST_ROWS);
}

/* ===== differences ===== */

static void write_difference(const char *name, double a, double b, bool relative, FILE *out)
{
    double apart = relative ? (a > 0 ? 100 * (b - a) / a : 0) : b - a;
    int whole = strncmp(name, "core cycle", strlen("core cycle")) == 0 ? 0 : 2;
    mnp_print_html(out, "<tr><td>%s</td><td>%.*f</td><td>%.*f</td><td data-v=\"%.6f\">%+.2f%s</td></tr>\n", name, whole,
                   a, whole, b, apart, apart, relative ? " %" : "");
}

static double microseconds(const struct results_reading *reading, double cycles)
{
    return 1e6 * results_report_seconds(reading, cycles);
}

/* The same times as in a terminal. */
static void write_times(const struct results_reading *a, const struct results_reading *b, FILE *out)
{
    double ends[] = {results_report_end(a), results_report_end(b)};
    if (a->busy_share < 1 || b->busy_share < 1) {
        write_difference("time with kernels, us", microseconds(a, results_sum(a, &a->busy, "gpu_sim_cycle")),
                         microseconds(b, results_sum(b, &b->busy, "gpu_sim_cycle")), true, out);
        write_difference("time in all, us", microseconds(a, results_report_cycles(a, &a->total)),
                         microseconds(b, results_report_cycles(b, &b->total)), true, out);
        write_difference("core cycle of the last kernel's end", ends[0], ends[1], true, out);
        return;
    }
    write_difference("time, us", microseconds(a, ends[0]), microseconds(b, ends[1]), true, out);
    write_difference("core cycles", ends[0], ends[1], true, out);
}

static void write_differences(const struct results_reading *a, const struct results_reading *b, FILE *out)
{
    struct results_peak left[RESULTS_PEAKS], right[RESULTS_PEAKS];
    uint32_t count = results_peaks(a, &a->busy, left), others = results_peaks(b, &b->busy, right);
    fputs("<h2>B against A</h2><div class=\"wide\"><table class=\"sorts\"><thead><tr><th>Figure<th>A<th>B<th>difference"
          "</tr></thead><tbody>\n",
          out);
    write_times(a, b, out);
    for (uint32_t i = 0; i < count; i++) {
        char name[64];
        const struct results_peak *other = results_peak_find(right, others, left[i].short_name);
        snprintf(name, sizeof name, "%s, %%", left[i].name);
        if (other && (!left[i].seldom || left[i].done > 0 || other->done > 0))
            write_difference(name, 100 * results_peak_share(&left[i]), 100 * results_peak_share(other), false, out);
    }
    for (int i = 0; i < RESULTS_CLASSES; i++) {
        char name[64];
        snprintf(name, sizeof name, "slots: %s, %%", results_classes[i].name);
        write_difference(name, 100 * results_report_slots(a, &a->busy, i), 100 * results_report_slots(b, &b->busy, i),
                         false, out);
    }
    fputs("</tbody></table></div>\n", out);
}

static void write_each(const char *title, void (*write)(const struct results_reading *reading, FILE *out),
                       const char *class, const struct results_reading *a, const struct results_reading *b, FILE *out)
{
    mnp_print_html(out, "<h2>%s</h2>", title);
    if (b)
        fputs("<h3>A</h3>", out);
    mnp_print_html(out, "<div class=\"%s\">", class);
    write(a, out);
    fputs("</div>\n", out);
    if (!b)
        return;
    mnp_print_html(out, "<h3>B</h3><div class=\"%s\">", class);
    write(b, out);
    fputs("</div>\n", out);
}

/* Cycles of cores of two runs beside one another. */
static void write_tile_differences(const struct results_reading *a, const struct results_reading *b, FILE *out)
{
    static const char *const names[] = {"ipc", "s_event_latency", "noc_mean_hops"};
    struct results_share left[RESULTS_TILE_PARTS], right[RESULTS_TILE_PARTS];
    uint32_t count = results_tiles_shares(a, left);
    double cycles[] = {results_report_end(a), results_report_end(b)};
    results_tiles_shares(b, right);
    fputs("<h2>B against A</h2><div class=\"wide\"><table class=\"sorts\"><thead><tr><th>Figure<th>A<th>B<th>difference"
          "</tr></thead><tbody>\n",
          out);
    write_difference("time, us", 1e6 * results_report_seconds(a, cycles[0]), 1e6 * results_report_seconds(b, cycles[1]),
                     true, out);
    write_difference("core cycles", cycles[0], cycles[1], true, out);
    for (uint32_t i = 0; i < count; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s, %%", left[i].name);
        if (left[i].share > 0 || right[i].share > 0)
            write_difference(name, 100 * left[i].share, 100 * right[i].share, false, out);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[MNP_NUMBER_TEXT];
        double values[2];
        results_count_text(a, names[i], text, &values[0]);
        results_count_text(b, names[i], text, &values[1]);
        if (values[0] > 0 || values[1] > 0)
            write_difference(names[i], values[0], values[1], true, out);
    }
    fputs("</tbody></table></div>\n", out);
}

/* The limit of a coprocessor; of two runs side by side, with their differences below. */
static void write_tiles(const struct results_reading *a, const struct results_reading *b, FILE *out)
{
    if (!b) {
        write_each("What limits it", results_page_tiles, "", a, NULL, out);
        return;
    }
    fputs("<h2>What limits it</h2><div class=\"two\"><div><h3>A</h3>", out);
    results_page_tiles(a, out);
    fputs("</div><div><h3>B</h3>", out);
    results_page_tiles(b, out);
    fputs("</div></div>\n", out);
    write_tile_differences(a, b, out);
}

/* ===== the machine ===== */

/* Keys of which `where` is true; returns how many there were. */
static uint32_t write_keys(const struct results_reading *reading, const char *where, FILE *out)
{
    struct mnp_error ignored = {0};
    char sql[128];
    uint32_t rows = 0;
    snprintf(sql, sizeof sql, "SELECT key, value, origin FROM machine WHERE run = ? AND %s ORDER BY key", where);
    sqlite3_stmt *keys = results_sqlite_prepare(reading->database, sql, &ignored);
    if (!keys)
        return 0;
    sqlite3_bind_int64(keys, 1, reading->run);
    fputs("<div class=\"wide\"><table>", out);
    for (; sqlite3_step(keys) == SQLITE_ROW; rows++) {
        fputs("<tr>", out);
        for (int i = 0; i < 3; i++) {
            const char *text = (const char *)sqlite3_column_text(keys, i);
            fputs(i ? "<td class=\"left\">" : "<td>", out);
            mnp_put_html(text ? text : "", out);
        }
        fputs("</tr>\n", out);
    }
    fputs("</table></div>", out);
    sqlite3_finalize(keys);
    return rows;
}

static void write_machine(const struct results_reading *reading, FILE *out)
{
    fputs("<div class=\"card\"><h3>", out);
    mnp_put_html(reading->machine, out);
    fputs("</h3><p>", out);
    mnp_put_html(reading->description, out);
    fputs("</p><p>Set on the command line:</p>", out);
    if (!write_keys(reading, "origin = '--set'", out))
        fputs("<p class=\"soft\">nothing</p>", out);
    fputs("<details><summary>All keys</summary>", out);
    write_keys(reading, "1", out);
    fputs("</details><p class=\"soft\">Input ", out);
    mnp_put_html(reading->input, out);
    mnp_print_html(out, "; state hash %s; simulated in %.2f s (", reading->hash, reading->wall_seconds);
    mnp_put_html(reading->host, out);
    fputs(")</p></div>\n", out);
}

/* ===== the page ===== */

static void write_memory(const struct results_reading *a, const struct results_reading *b, FILE *out)
{
    fputs("<h2>Memory</h2><div class=\"two\"><div class=\"card\">", out);
    results_page_memory(a, out);
    if (b) {
        fputs("</div><div class=\"card\">", out);
        results_page_memory(b, out);
    }
    fputs("</div></div>\n", out);
}

/* Whether a run has counted in histograms: machines of some kinds have none. */
static bool has_histograms(const struct results_reading *reading)
{
    struct mnp_error ignored = {0};
    sqlite3_stmt *row = results_sqlite_prepare(
        reading->database, "SELECT 1 FROM histogram WHERE run = ? AND kernel = 0 LIMIT 1", &ignored);
    bool some = row && sqlite3_bind_int64(row, 1, reading->run) == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW;
    sqlite3_finalize(row);
    return some;
}

static void write_findings(const struct results_reading *a, const struct results_reading *b,
                           const struct results_findings *findings, FILE *out)
{
    fputs(b ? "<h2>What is worth mending</h2><h3>A</h3>" : "<h2>What is worth mending</h2>", out);
    results_page_findings(a, &findings[0], out);
    if (!b)
        return;
    fputs("<h3>B</h3>", out);
    results_page_findings(b, &findings[1], out);
}

void results_report_html(const struct results_reading *a, const struct results_reading *b,
                         const struct results_findings *findings, FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
          "content=\"width=device-width,initial-scale=1\"><meta name=\"color-scheme\" content=\"light dark\">"
          "<title>Maniple: ",
          out);
    results_page_title(a, out);
    fputs("</title><style>", out);
    fputs(results_page_style, out);
    fputs("</style></head><body>\n<h1>", out);
    results_page_title(a, out);
    fputs("</h1>", out);
    if (!results_counts(a, "issue_slots")) {
        if (results_has_tiles(a))
            write_tiles(a, b && results_has_tiles(b) ? b : NULL, out);
        if (results_has_energy(a) && (!b || results_has_energy(b)))
            write_each("Energy", results_page_energy, "", a, b, out);
        if (results_has_tiles(a))
            write_each("Instructions", results_page_lines, "", a, b, out);
        write_each("Over time", results_page_time, "", a, b, out);
    } else {
        fputs("<div class=\"two\">", out);
        write_card(a, b ? "A: " : "", out);
        if (b)
            write_card(b, "B: ", out);
        fputs("</div>\n", out);
        write_findings(a, b, findings, out);
        mnp_print_html(out, "<h2>Speed of light%s</h2>",
                       a->busy_share < 1 || (b && b->busy_share < 1) ? ", of the time with kernels" : "");
        results_page_peaks(a, b, out);
        if (b)
            write_differences(a, b, out);
        fputs("<h2>Roofline</h2>", out);
        results_page_roofline(a, b, out);
        write_each("Issue slots", results_page_slots, "", a, b, out);
        write_memory(a, b, out);
        write_each("Kernels", write_kernels, "", a, b, out);
        if (results_page_has_ranges(a) || (b && results_page_has_ranges(b)))
            write_each("Ranges", results_page_ranges, "", a, b, out);
        if (results_has_energy(a) && (!b || results_has_energy(b)))
            write_each("Energy", results_page_energy, "", a, b, out);
        write_each("Instructions", results_page_lines, "", a, b, out);
        write_each("Occupancy", results_page_occupancy, "", a, b, out);
        write_each("Over time", results_page_time, "", a, b, out);
    }
    write_each("What ran", results_page_ran, "", a, b, out);
    write_each("Units", results_page_units, "two", a, b, out);
    if (has_histograms(a) || (b && has_histograms(b)))
        write_each("Latencies", results_page_histograms, "two", a, b, out);
    if (!results_counts(a, "issue_slots"))
        write_counts(a, b, out);
    fputs("<h2>Machine</h2><div class=\"two\">", out);
    write_machine(a, out);
    if (b)
        write_machine(b, out);
    fputs("</div><p class=\"soft\">Written by maniple " MANIPLE_VERSION "</p><script>", out);
    fputs(results_page_script, out);
    fputs("</script></body></html>\n", out);
}
