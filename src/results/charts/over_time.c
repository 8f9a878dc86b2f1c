/* SPDX-License-Identifier: BSD-3-Clause */
/* Charts over time on the page of a report, from samples: issue slots as a stack, other statistics as curves. */
#include "base/print.h"
#include "results/charts/charts.h"
#include "results/figures/energy.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 120, HIGH = 390, LOW = 60, MOST_CURVES = 24 };

/* The values of a statistic, joined to at most COLUMNS of equal numbers of intervals. */
struct curve {
    char name[64], unit[24];
    double value[COLUMNS];
    uint32_t count;
    double most;
};

struct span {
    double first, last; /* cycles at which intervals end */
    double intervals;
};

static bool read_span(const struct results_reading *reading, struct span *span)
{
    struct mnp_error ignored = {0};
    sqlite3_stmt *row = results_sqlite_prepare(
        reading->database, "SELECT min(cycle), max(cycle), count(DISTINCT cycle) FROM sample WHERE run = ?", &ignored);
    if (!row)
        return false;
    sqlite3_bind_int64(row, 1, reading->run);
    if (sqlite3_step(row) == SQLITE_ROW)
        *span =
            (struct span){sqlite3_column_double(row, 0), sqlite3_column_double(row, 1), sqlite3_column_double(row, 2)};
    sqlite3_finalize(row);
    return span->intervals > 1;
}

/* Reads one statistic. Ratios are averaged over the intervals of a column, counts are added up. */
static bool read_curve(const struct results_reading *reading, const struct span *span, const char *name,
                       struct curve *curve)
{
    struct mnp_error ignored = {0};
    sqlite3_stmt *rows = results_sqlite_prepare(
        reading->database,
        "SELECT sample.value, statistic.kind, statistic.unit FROM sample JOIN statistic ON id = statistic"
        " WHERE run = ? AND name = ? ORDER BY cycle",
        &ignored);
    uint32_t interval = 0, per[COLUMNS] = {0};
    uint32_t joined = (uint32_t)((span->intervals + COLUMNS - 1) / COLUMNS);
    bool ratio = false;
    *curve = (struct curve){0};
    snprintf(curve->name, sizeof curve->name, "%s", name);
    if (!rows)
        return false;
    sqlite3_bind_int64(rows, 1, reading->run);
    sqlite3_bind_text(rows, 2, name, -1, SQLITE_STATIC);
    for (; sqlite3_step(rows) == SQLITE_ROW && interval / joined < COLUMNS; interval++) {
        const struct mnp_statistic_kind *kind = results_kind_of(rows, 1);
        const char *unit = (const char *)sqlite3_column_text(rows, 2);
        ratio = kind && kind->quotient;
        snprintf(curve->unit, sizeof curve->unit, "%s", unit ? unit : "");
        curve->value[interval / joined] += sqlite3_column_double(rows, 0);
        per[interval / joined]++;
    }
    sqlite3_finalize(rows);
    curve->count = (interval + joined - 1) / joined;
    for (uint32_t i = 0; i < curve->count; i++) {
        curve->value[i] /= ratio ? per[i] : 1;
        curve->most = curve->value[i] > curve->most ? curve->value[i] : curve->most;
    }
    return interval > 0;
}

/* ===== issue slots ===== */

/* The band of a class: above what lies below it, in per cent of the slots of each column. */
static void draw_band(const struct curve *all, const double *below, const double *above, int class, FILE *out)
{
    mnp_print_html(out, "<path fill=\"%s\" d=\"M0 %.0f", results_page_colours[class], HIGH * (1 - above[0]));
    for (uint32_t i = 0; i < all->count; i++)
        mnp_print_html(out, "V%.0fh1", HIGH * (1 - above[i]));
    for (uint32_t i = all->count; i-- > 0;)
        mnp_print_html(out, "V%.0fh-1", HIGH * (1 - below[i]));
    mnp_print_html(out, "z\"><title>%s</title></path>\n", results_classes[class].name);
}

static bool draw_slots(const struct results_reading *reading, const struct span *span, FILE *out)
{
    struct curve all, one;
    double below[COLUMNS] = {0}, above[COLUMNS] = {0};
    if (!read_curve(reading, span, "issue_slots", &all))
        return false;
    for (int class = 0; class < RESULTS_CLASSES; class ++) /* all of them, or none */
        if (!read_curve(reading, span, results_classes[class].statistic, &one))
            return false;
    mnp_print_html(out,
                   "<h3>Issue slots</h3><svg class=\"wide-drawing\" viewBox=\"0 0 %u %d\" preserveAspectRatio=\"none\" "
                   "role=\"img\" aria-label=\"Issue slots over time\">\n",
                   all.count, HIGH);
    for (int class = 0; class < RESULTS_CLASSES; class ++) {
        read_curve(reading, span, results_classes[class].statistic, &one);
        for (uint32_t i = 0; i < all.count && i < one.count; i++)
            above[i] = below[i] + (all.value[i] > 0 ? one.value[i] / all.value[i] : 0);
        draw_band(&all, below, above, class, out);
        memcpy(below, above, sizeof below);
    }
    mnp_print_html(
        out,
        "</svg>\n<p class=\"soft ends\"><span>cycle 0</span><span>per cent of the slots, in the colours above"
        "</span><span>cycle %.0f</span></p>\n",
        span->last);
    return true;
}

/* ===== power ===== */

/* Watts of a part in each column. False: a statistic of it was not sampled. */
static bool read_part(const struct results_reading *reading, const struct span *span, const struct curve *time,
                      const struct results_energy_part *part, double watts[COLUMNS])
{
    struct curve one;
    memset(watts, 0, COLUMNS * sizeof *watts);
    for (const char *const *name = part->statistics; *name; name++) {
        if (!results_counts(reading, *name)) /* a statistic of another kind of machine */
            continue;
        if (!read_curve(reading, span, *name, &one))
            return false;
        for (uint32_t i = 0; i < time->count && i < one.count; i++)
            watts[i] += results_energy_watts(one.value[i], time->value[i]);
    }
    return true;
}

/* The band of a part between two heights, in watts. */
static void draw_watts(const struct curve *time, const double *below, const double *above, double most,
                       const struct results_energy_part *part, FILE *out)
{
    double unit = most > 0 ? HIGH / most : 0;
    mnp_print_html(out, "<path fill=\"%s\" d=\"M0 %.1f", part->colour, HIGH - unit * above[0]);
    for (uint32_t i = 0; i < time->count; i++)
        mnp_print_html(out, "V%.1fh1", HIGH - unit * above[i]);
    for (uint32_t i = time->count; i-- > 0;)
        mnp_print_html(out, "V%.1fh-1", HIGH - unit * below[i]);
    mnp_print_html(out, "z\"><title>%s</title></path>\n", part->name);
}

void results_page_power(const struct results_reading *reading, FILE *out)
{
    struct span span = {0};
    struct curve time;
    double watts[COLUMNS], below[COLUMNS] = {0}, above[COLUMNS] = {0}, most = 0;
    if (!read_span(reading, &span) || !read_curve(reading, &span, "energy_time", &time))
        return;
    for (int i = 0; i < RESULTS_ENERGY_PARTS; i++) { /* all of them, or none */
        if (!read_part(reading, &span, &time, &results_energy_parts[i], watts))
            return;
        for (uint32_t k = 0; k < time.count; k++)
            above[k] += watts[k];
    }
    for (uint32_t k = 0; k < time.count; k++)
        most = above[k] > most ? above[k] : most;
    mnp_print_html(out,
                   "<h3>Power over time</h3><svg class=\"wide-drawing\" viewBox=\"0 0 %u %d\" "
                   "preserveAspectRatio=\"none\" role=\"img\" aria-label=\"Power over time\">\n",
                   time.count, HIGH);
    memset(above, 0, sizeof above);
    for (int i = 0; i < RESULTS_ENERGY_PARTS; i++) {
        read_part(reading, &span, &time, &results_energy_parts[i], watts);
        for (uint32_t k = 0; k < time.count; k++)
            above[k] = below[k] + watts[k];
        draw_watts(&time, below, above, most, &results_energy_parts[i], out);
        memcpy(below, above, sizeof below);
    }
    mnp_print_html(out,
                   "</svg>\n<p class=\"soft ends\"><span>cycle 0</span><span>from 0 to %.1f W, in the colours above"
                   "</span><span>cycle %.0f</span></p>\n",
                   most, span.last);
}

/* ===== curves ===== */

/* A number in few characters: 8881000 is 8.881M. */
static const char *shortened(double number, char text[16])
{
    static const char *const letters[] = {"", "k", "M", "G", "T", "P"};
    uint32_t thousands = 0;
    for (; (thousands || number >= 10000) && number >= 1000 && thousands < 5; number /= 1000)
        thousands++;
    snprintf(text, 16, "%.4g%s", number, letters[thousands]);
    return text;
}

static void draw_curve(const struct curve *curve, FILE *out)
{
    double most = strcmp(curve->unit, "%") == 0 ? 100 : curve->most;
    char numbers[3][16];
    fputs("<div class=\"card\"><h3>", out);
    mnp_put_html(curve->name, out);
    mnp_print_html(out,
                   " <span class=\"soft\">at most %s %s</span></h3><div class=\"plot\"><div class=\"scale\">"
                   "<span>%s</span><span>%s</span><span>0</span></div><svg class=\"wide-drawing\" "
                   "viewBox=\"0 0 %u %d\" preserveAspectRatio=\"none\" role=\"img\"><path class=\"fill\" d=\"M0 %d",
                   shortened(curve->most, numbers[0]), curve->unit, shortened(most, numbers[1]),
                   shortened(most / 2, numbers[2]), curve->count, LOW, LOW);
    for (uint32_t i = 0; i < curve->count; i++)
        mnp_print_html(out, "V%.1fh1", LOW * (1 - (most > 0 ? curve->value[i] / most : 0)));
    mnp_print_html(out, "V%dz\"/></svg></div></div>\n", LOW);
}

void results_page_time(const struct results_reading *reading, FILE *out)
{
    struct mnp_error ignored = {0};
    struct span span = {0};
    if (!read_span(reading, &span)) {
        fputs("<p class=\"soft\">Not sampled: run with --sample N.</p>\n", out);
        return;
    }
    mnp_print_html(out,
                   "<p class=\"soft\">%.0f intervals, to cycle %.0f; curves of rates reach from 0 to 100 %%.</p>\n",
                   span.intervals, span.last);
    bool slots = draw_slots(reading, &span, out);
    sqlite3_stmt *names = results_sqlite_prepare(
        reading->database,
        "SELECT name FROM statistic WHERE id IN (SELECT DISTINCT statistic FROM sample WHERE run = ?) ORDER BY id",
        &ignored);
    if (!names)
        return;
    sqlite3_bind_int64(names, 1, reading->run);
    fputs("<div class=\"two\">", out);
    for (uint32_t drawn = 0; drawn < MOST_CURVES && sqlite3_step(names) == SQLITE_ROW;) {
        struct curve curve;
        const char *name = (const char *)sqlite3_column_text(names, 0);
        if (!name || strncmp(name, "energy", 6) == 0 || (slots && strncmp(name, "issue_slots", 11) == 0) ||
            !read_curve(reading, &span, name, &curve))
            continue;
        draw_curve(&curve, out);
        drawn++;
    }
    fputs("</div>\n", out);
    sqlite3_finalize(names);
}
