/* SPDX-License-Identifier: BSD-3-Clause */
/* Drawings of the page of a report. Bars are boxes of HTML, which fit any width; the rest is SVG. */
#include "base/demangle.h"
#include "base/print.h"
#include "results/charts/charts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STACKS = 15, MOST_BINS = 32 };

/* ===== peaks ===== */

static void write_peak_bar(const struct results_peak *peak, const char *class, FILE *out)
{
    double share = 100 * results_peak_share(peak);
    mnp_print_html(out, "<div class=\"bar\"><i class=\"%s\" style=\"width:%.2f%%\"></i></div>", class,
                   share < 100 ? share : 100);
}

static void write_rate(const struct results_reading *reading, const struct results_peak *peak, FILE *out)
{
    mnp_print_html(out, "%.2f %% <span class=\"soft\">%.1f of %.1f %s</span>", 100 * results_peak_share(peak),
                   results_report_rate(reading, &reading->busy, peak, peak->done),
                   results_report_rate(reading, &reading->busy, peak, peak->possible),
                   peak->scale == 1 ? "a cycle" : peak->rate);
}

bool results_page_shows(const struct results_reading *reading, const struct results_peak *peak)
{
    struct results_peak peaks[RESULTS_PEAKS];
    uint32_t count = peak->seldom ? results_peaks(reading, &reading->busy, peaks) : 0;
    const struct results_peak *whole = results_peak_find(peaks, count, peak->short_name);
    return !peak->seldom || (whole && whole->done > 0);
}

void results_page_peaks(const struct results_reading *a, const struct results_reading *b, FILE *out)
{
    struct results_peak left[RESULTS_PEAKS], right[RESULTS_PEAKS];
    uint32_t count = results_peaks(a, &a->busy, left), others = b ? results_peaks(b, &b->busy, right) : 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct results_peak *other = results_peak_find(right, others, left[i].short_name);
        if (left[i].seldom && left[i].done <= 0 && (!other || other->done <= 0))
            continue;
        fputs("<div class=\"row\" title=\"", out);
        mnp_put_html(left[i].what, out);
        mnp_print_html(out, "\"><div>%s</div><div class=\"bars\">", left[i].name);
        write_peak_bar(&left[i], "a", out);
        if (other)
            write_peak_bar(other, "b", out);
        fputs("</div><div class=\"num\">", out);
        write_rate(a, &left[i], out);
        if (other) {
            fputs("<br>", out);
            write_rate(b, other, out);
        }
        fputs("</div></div>\n", out);
    }
}

/* ===== memory ===== */

enum { CENTRE = 110, BOX = 150, BOX_HIGH = 44, STEP = 112 };

struct level {
    const char *name;
    char hits[96], above[2][64]; /* in the box; at the arrow from the level above, downwards and upwards */
};

static double gigabytes(const struct results_reading *reading, double sectors)
{
    double seconds = results_report_seconds(reading, results_report_cycles(reading, &reading->busy));
    return seconds > 0 ? sectors * 32e-9 / seconds : 0;
}

static double percent(double part, double all)
{
    return all > 0 ? 100 * part / all : 0;
}

static void describe_levels(const struct results_reading *reading, struct level levels[4])
{
    double cycles = results_report_cycles(reading, &reading->busy);
#define SUM(name) results_sum(reading, &reading->total, name)
    levels[0] = (struct level){.name = "SMs"};
    snprintf(levels[0].hits, sizeof levels[0].hits, "%.2f accesses a cycle",
             cycles > 0 ? results_lsu_instructions(reading, &reading->total) / cycles : 0);
    levels[1] = (struct level){.name = "L1"};
    snprintf(levels[1].hits, sizeof levels[1].hits, "hits of reads %.1f %%",
             percent(SUM("L1D_read_hits") + SUM("L1D_total_cache_pending_hits"), SUM("L1D_read_accesses")));
    levels[2] = (struct level){.name = "L2"};
    snprintf(levels[2].hits, sizeof levels[2].hits, "hits %.1f %%",
             percent(SUM("L2_total_cache_accesses") - SUM("L2_total_cache_misses"), SUM("L2_total_cache_accesses")));
    levels[3] = (struct level){.name = "DRAM"};
    snprintf(levels[3].hits, sizeof levels[3].hits, "row hits %.1f %%",
             percent(SUM("dram_row_hits"), SUM("dram_accesses")));
    const double down[] = {SUM("L1D_write_accesses"), SUM("L2_writes") + SUM("L2_atomics"), SUM("total_dram_writes")};
    const double up[] = {SUM("L1D_read_accesses"), SUM("L2_reads"), SUM("total_dram_reads")};
#undef SUM
    for (int i = 0; i < 3; i++) {
        snprintf(levels[i + 1].above[0], sizeof levels[0].above[0], "%.1f GB/s written", gigabytes(reading, down[i]));
        snprintf(levels[i + 1].above[1], sizeof levels[0].above[1], "%.1f GB/s read", gigabytes(reading, up[i]));
    }
}

static void draw_box(int x, int y, const char *name, const char *text, FILE *out)
{
    mnp_print_html(out,
                   "<rect class=\"box\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"5\"/>\n"
                   "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" font-weight=\"600\">%s</text>\n"
                   "<text class=\"s\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
                   x - BOX / 2 - 20, y, BOX + 40, BOX_HIGH, x, y + 18, name, x, y + 35, text);
}

static void draw_arrows(int y, const struct level *level, FILE *out)
{
    int top = y - (STEP - BOX_HIGH) + 4, bottom = y - 4;
    mnp_print_html(out,
                   "<path class=\"arrow\" stroke-width=\"2\" d=\"M%d %dV%dM%d %dV%d\"/>"
                   "<path class=\"tip\" d=\"M%d %dl-5 -8h10zM%d %dl-5 8h10z\"/>\n"
                   "<text class=\"s\" x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text><text class=\"s\" x=\"%d\" "
                   "y=\"%d\">%s</text>\n",
                   CENTRE - 12, top, bottom - 6, CENTRE + 12, bottom, top + 6, CENTRE - 12, bottom, CENTRE + 12, top,
                   CENTRE - 20, (top + bottom) / 2 + 4, level->above[0], CENTRE + 20, (top + bottom) / 2 + 4,
                   level->above[1]);
}

/* Bytes that go past the L1: loads that say so, atomics and reductions, copies of the tensor memory accelerator, and
 * what SMs send to the shared memory of others. */
static void draw_bypasses(const struct results_reading *reading, FILE *out)
{
    static const struct {
        const char *name, *statistic;
        double bytes;
    } ways[] = {{"loads", "L1D_bypasses", 32},
                {"atomics", "sectors_global_atomic", 32},
                {"reductions", "sectors_global_reduction", 32},
                {"bulk copies", "tma_bytes", 1},
                {"SM to SM", "sm_to_sm_bytes", 1}};
    int y = BOX_HIGH + 38, to = 2 * STEP + 2 + BOX_HIGH / 2;
    bool any = false;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        double sectors = results_sum(reading, &reading->total, ways[i].statistic) * ways[i].bytes / 32;
        if (sectors <= 0)
            continue;
        if (!any)
            mnp_print_html(
                out,
                "<path class=\"arrow\" stroke-width=\"2\" stroke-dasharray=\"4 3\" d=\"M228 26V%dH214\"/>"
                "<path class=\"tip\" d=\"M206 %dl8 -5v10z\"/>\n<text class=\"s\" x=\"238\" y=\"%d\">past the "
                "L1:</text>\n",
                to, to, y);
        any = true;
        y += 15;
        mnp_print_html(out, "<text class=\"s\" x=\"238\" y=\"%d\">%s %.1f GB/s</text>\n", y, ways[i].name,
                       gigabytes(reading, sectors));
    }
}

void results_page_memory(const struct results_reading *reading, FILE *out)
{
    struct level levels[4];
    char shared[2][96];
    const struct results_group *total = &reading->busy;
    double cycles = results_report_cycles(reading, total);
    describe_levels(reading, levels);
    snprintf(shared[0], sizeof shared[0], "%.2f a cycle",
             cycles > 0 ? results_sum(reading, total, "shared_accesses") / cycles : 0);
    snprintf(
        shared[1], sizeof shared[1], "conflicts +%.1f %%",
        percent(results_sum(reading, total, "shared_conflict_cycles"), results_sum(reading, total, "shared_accesses")));
    mnp_print_html(out, "<svg viewBox=\"-24 0 428 %d\" role=\"img\" aria-label=\"Memory\">\n", 3 * STEP + BOX_HIGH + 4);
    for (int i = 0; i < 4; i++) {
        draw_box(CENTRE, i * STEP + 2, levels[i].name, levels[i].hits, out);
        if (i)
            draw_arrows(i * STEP + 2, &levels[i], out);
    }
    mnp_print_html(
        out,
        "<path class=\"arrow\" stroke-width=\"2\" d=\"M206 24H242\"/><path class=\"tip\" d=\"M250 24l-8 -5v10z\"/>\n"
        "<rect class=\"box\" x=\"252\" y=\"2\" width=\"126\" height=\"56\" rx=\"5\"/>"
        "<text x=\"315\" y=\"19\" text-anchor=\"middle\" font-weight=\"600\">Shared</text>"
        "<text class=\"s\" x=\"315\" y=\"35\" text-anchor=\"middle\">%s</text>"
        "<text class=\"s\" x=\"315\" y=\"50\" text-anchor=\"middle\">%s</text>\n",
        shared[0], shared[1]);
    draw_bypasses(reading, out);
    fputs("</svg>\n", out);
}

/* ===== issue slots ===== */

const char *const results_page_colours[RESULTS_CLASSES] = {"#009e73", "#d55e00", "#0072b2", "#e69f00", "#cc79a7",
                                                           "#f0e442", "#56b4e9", "#6b6b6b", "#b8bec4"};

static void write_stack(const struct results_reading *reading, const struct results_group *group, FILE *out)
{
    char *name = mnp_demangle(group->name);
    fputs("<div class=\"row\"><div title=\"", out);
    mnp_put_html(name, out);
    fputs("\" style=\"overflow:hidden;text-overflow:ellipsis;white-space:nowrap\">", out);
    char *brief = mnp_demangle_column(group->name, 30);
    mnp_put_html(group == &reading->busy ? "all kernels" : brief, out);
    free(brief);
    fputs("</div><div class=\"bars\"><div class=\"stack\">", out);
    for (int i = 0; i < RESULTS_CLASSES; i++) {
        double share = 100 * results_report_slots(reading, group, i);
        if (share > 0)
            mnp_print_html(out, "<i style=\"width:%.2f%%;background:%s\" title=\"%s %.2f %%\"></i>", share,
                           results_page_colours[i], results_classes[i].name, share);
    }
    mnp_print_html(out, "</div></div><div class=\"num\">%.2f %% issued</div></div>\n",
                   100 * results_report_slots(reading, group, 0));
    free(name);
}

void results_page_slots(const struct results_reading *reading, FILE *out)
{
    fputs("<div class=\"legend\">", out);
    for (int i = 0; i < RESULTS_CLASSES; i++)
        mnp_print_html(out, "<span><i style=\"background:%s\"></i>%s: %s, %.2f %%</span>", results_page_colours[i],
                       results_classes[i].name, results_classes[i].brief,
                       100 * results_report_slots(reading, &reading->busy, i));
    fputs("</div>\n", out);
    write_stack(reading, &reading->busy, out);
    for (uint32_t i = 0; i < reading->group_count && i < MOST_STACKS; i++)
        write_stack(reading, &reading->groups[i], out);
}

/* ===== histograms ===== */

struct histogram {
    char title[96];
    double counts[MOST_BINS], bounds[MOST_BINS]; /* bound 0: open */
    int least, most;                             /* bins that are not empty */
    double all, highest;
};

enum { LEFT = 46, RIGHT = 350, FLOOR = 120, TALL = 100 }; /* sides of the drawing, and height of the longest bar */

/* The scale at the left: 0, the longest bar, and half of it, in per cent of all. */
static void draw_scale(const struct histogram *histogram, FILE *out)
{
    double most = 100 * histogram->highest / histogram->all;
    for (int i = 0; i <= 2; i++)
        mnp_print_html(out,
                       "<path class=\"axis\" d=\"M%d %dH%d\"/><text class=\"s\" x=\"%d\" y=\"%d\" "
                       "text-anchor=\"end\">%.3g %%</text>\n",
                       LEFT, FLOOR - i * TALL / 2, RIGHT, LEFT - 4, FLOOR - i * TALL / 2 + 4, most * i / 2);
}

static void draw_histogram(const struct histogram *histogram, FILE *out)
{
    int bins = histogram->most - histogram->least + 1;
    double width = (double)(RIGHT - LEFT) / bins;
    fputs("<div class=\"card\"><h3>", out);
    mnp_put_html(histogram->title, out);
    mnp_print_html(out, "</h3><svg viewBox=\"0 0 360 150\" role=\"img\">\n");
    draw_scale(histogram, out);
    for (int i = 0; i < bins; i++) {
        int bin = histogram->least + i;
        double high = TALL * histogram->counts[bin] / histogram->highest;
        mnp_print_html(
            out,
            "<rect class=\"fill\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%.0f (%.2f %%)</title>"
            "</rect>",
            LEFT + i * width + 1, FLOOR - high, width - 2, high, histogram->counts[bin],
            100 * histogram->counts[bin] / histogram->all);
        if (bins <= 7 || (bins - 1 - i) % 2 == 0) { /* the last one has a label, as much may lie beyond */
            mnp_print_html(out, "<text class=\"s\" x=\"%.1f\" y=\"136\" text-anchor=\"middle\">",
                           LEFT + (i + 0.5) * width);
            if (histogram->bounds[bin] > 0 || bin == 0)
                mnp_print_html(out, "≤%.0f</text>\n", histogram->bounds[bin]);
            else
                fputs("more</text>\n", out);
        }
    }
    fputs("</svg></div>\n", out);
}

/* Takes a row (name, unit, bin, upper, count), which belongs to the histogram or begins the next one. */
static void take_bin(struct histogram *histogram, sqlite3_stmt *row, FILE *out)
{
    char title[96];
    int bin = sqlite3_column_int(row, 2);
    double count = sqlite3_column_double(row, 4);
    snprintf(title, sizeof title, "%s, %ss", (const char *)sqlite3_column_text(row, 0),
             (const char *)sqlite3_column_text(row, 1));
    if (bin < 0 || bin >= MOST_BINS)
        return;
    if (strcmp(title, histogram->title) != 0) {
        if (histogram->all > 0)
            draw_histogram(histogram, out);
        *histogram = (struct histogram){.least = bin};
        memcpy(histogram->title, title, sizeof title);
    }
    for (int i = histogram->most + 1; histogram->all > 0 && i < bin; i++) /* empty bins between have bounds, too */
        histogram->bounds[i] = i < 63 ? (double)((UINT64_C(1) << i) - 1) : 0;
    histogram->most = bin;
    histogram->counts[bin] = count;
    histogram->bounds[bin] = sqlite3_column_double(row, 3);
    histogram->all += count;
    histogram->highest = count > histogram->highest ? count : histogram->highest;
}

void results_page_histograms(const struct results_reading *reading, FILE *out)
{
    struct histogram histogram = {0};
    struct mnp_error ignored = {0};
    sqlite3_stmt *rows = results_sqlite_prepare(
        reading->database,
        "SELECT name, statistic.unit, bin, upper, count FROM histogram JOIN statistic ON id = statistic"
        " WHERE run = ? AND kernel = 0 ORDER BY statistic, bin",
        &ignored);
    if (!rows)
        return;
    sqlite3_bind_int64(rows, 1, reading->run);
    while (sqlite3_step(rows) == SQLITE_ROW)
        take_bin(&histogram, rows, out);
    if (histogram.all > 0)
        draw_histogram(&histogram, out);
    sqlite3_finalize(rows);
}
