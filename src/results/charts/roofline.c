/* SPDX-License-Identifier: BSD-3-Clause */
/* The roofline of the page of a report: each name of kernel at its operations per byte of DRAM and its operations a
 * second, under what the machine can do. Both axes are logarithmic, in steps of ten. */
#include "base/demangle.h"
#include "base/print.h"
#include "results/charts/axis.h"
#include "results/charts/charts.h"
#include "results/figures/roofs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT = 64, TOP = 12, WIDE = 560, HIGH = 300, MOST_POINTS = 30, NAMED = 5 };

enum { MOST_LABELS = 24, LETTER = 6, HALF_LINE = 13 };

struct frame {
    struct results_axis x, y; /* operations per byte, and a second */
    double memory;            /* bytes a second */
    struct {
        double left, right, y;
    } labels[MOST_LABELS]; /* places where there is text */
    uint32_t label_count;
};

static double x_of(const struct frame *frame, double intensity)
{
    return results_axis_at(&frame->x, intensity);
}

static double y_of(const struct frame *frame, double rate)
{
    return results_axis_at(&frame->y, rate);
}

/* Takes the room of a text that begins at `x`, or ends there. */
static void take_room(struct frame *frame, double x, double y, double width)
{
    if (frame->label_count == MOST_LABELS)
        return;
    frame->labels[frame->label_count].left = width < 0 ? x + width : x;
    frame->labels[frame->label_count].right = width < 0 ? x : x + width;
    frame->labels[frame->label_count++].y = y;
}

/* Whether no other text is in the way of one. */
static bool has_room(const struct frame *frame, double x, double y, double width)
{
    double left = width < 0 ? x + width : x, right = width < 0 ? x : x + width;
    bool free = left > LEFT && right < LEFT + WIDE + 8 && y > TOP && y < TOP + HIGH && frame->label_count < MOST_LABELS;
    for (uint32_t i = 0; free && i < frame->label_count; i++)
        free =
            left > frame->labels[i].right || right < frame->labels[i].left || fabs(y - frame->labels[i].y) >= HALF_LINE;
    return free;
}

static void write_rate(double rate, FILE *out)
{
    static const struct {
        double from;
        const char *unit;
    } units[] = {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {0, ""}};
    int unit = 0;
    while (rate < units[unit].from)
        unit++;
    mnp_print_html(out, "%.3g %sFLOP/s", units[unit].from > 0 ? rate / units[unit].from : rate, units[unit].unit);
}

static void mark_x(void *out, double value, double at)
{
    mnp_print_html(out,
                   "<path class=\"axis\" d=\"M%.1f %dv%d\"/><text class=\"s\" x=\"%.1f\" y=\"%d\" "
                   "text-anchor=\"middle\">%g</text>\n",
                   at, TOP, HIGH, at, TOP + HIGH + 16, value);
}

static void mark_y(void *out, double value, double at)
{
    mnp_print_html(out,
                   "<path class=\"axis\" d=\"M%d %.1fh%d\"/><text class=\"s\" x=\"%d\" y=\"%.1f\" "
                   "text-anchor=\"end\">%g</text>\n",
                   LEFT, at, WIDE, LEFT - 6, at + 4, value / 1e9);
}

static void draw_axes(const struct frame *frame, FILE *out)
{
    results_axis_marks(&frame->x, mark_x, out);
    results_axis_marks(&frame->y, mark_y, out);
    mnp_print_html(
        out,
        "<text class=\"s\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">operations per byte of DRAM</text>"
        "<text class=\"s\" x=\"14\" y=\"%d\" text-anchor=\"middle\" transform=\"rotate(-90 14 %d)\">GFLOP/s</text>\n",
        LEFT + WIDE / 2, TOP + HIGH + 34, TOP + HIGH / 2, TOP + HIGH / 2);
}

/* The page's colour around a text, so that lines behind it do not run through its letters. */
#define HALO "style=\"paint-order:stroke;stroke:var(--page);stroke-width:3px\""

static void draw_roofs(struct frame *frame, const struct results_roof *roofs, uint32_t count, FILE *out)
{
    double highest = 0, label = TOP + HIGH + 14; /* height of the roof below, above which the next label stands */
    for (uint32_t i = 0; i < count; i++) {
        highest = fmax(highest, roofs[i].rate);
        mnp_print_html(out, "<path class=\"roof\" d=\"M%.1f %.1fH%d\"><title>%s</title></path>",
                       x_of(frame, roofs[i].rate / frame->memory), y_of(frame, roofs[i].rate), LEFT + WIDE,
                       roofs[i].what);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t first = i;
        label = fmin(y_of(frame, roofs[i].rate) - 4, label - 13);
        mnp_print_html(out, "<text class=\"s\" " HALO " x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s", LEFT + WIDE - 2,
                       label, roofs[i].name);
        while (i + 1 < count && roofs[i + 1].rate == roofs[first].rate) /* one line has one label */
            mnp_print_html(out, ", %s", roofs[++i].name);
        fputs(": ", out);
        write_rate(roofs[first].rate, out);
        fputs("</text>\n", out);
        take_room(frame, LEFT + WIDE - 2, label, -30 * LETTER);
    }
    double first = pow(10, frame->x.from), start = fmax(first, pow(10, frame->y.from) / frame->memory);
    double x = x_of(frame, 2 * start) + 8, y = y_of(frame, 2 * start * frame->memory) + 12;
    mnp_print_html(out,
                   "<path class=\"roof\" d=\"M%.1f %.1fL%.1f %.1f\"/><text class=\"s\" x=\"%.1f\" y=\"%.1f\">DRAM: "
                   "%.0f GB/s</text>\n",
                   x_of(frame, start), y_of(frame, start * frame->memory), x_of(frame, highest / frame->memory),
                   y_of(frame, highest), x, y, frame->memory / 1e9);
    take_room(frame, x, y, 16 * LETTER);
}

/* Writes a name beside a point, where there is room: below it on the side that is wider, or elsewhere. */
static bool write_name(struct frame *frame, double x, double y, const char *name, FILE *out)
{
    static const int places[] = {16, -8, 30, -22};
    bool left = x > LEFT + WIDE - 120;
    double width = LETTER * (double)strlen(name);
    for (int i = 0; i < 8; i++) {
        bool end = left != (i >= 4);
        double at = end ? x - 8 : x + 8, line = y + places[i % 4];
        if (!has_room(frame, at, line, end ? -width : width))
            continue;
        take_room(frame, at, line, end ? -width : width);
        mnp_print_html(out, "<text class=\"s\" " HALO " x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>", at, line,
                       end ? "end" : "start", name);
        return true;
    }
    return false;
}

/* Operations per byte of DRAM (infinite without any), and a second; false: the group has done nothing. */
static bool find_point(const struct results_reading *reading, const struct results_group *group, double *intensity,
                       double *rate)
{
    double operations = results_operations(reading, group), bytes = results_dram_bytes(reading, group);
    double seconds = results_report_seconds(reading, results_sum(reading, group, "gpu_sim_cycle"));
    if (operations <= 0 || seconds <= 0)
        return false;
    *intensity = bytes > 0 ? operations / bytes : INFINITY;
    *rate = operations / seconds;
    return true;
}

/* A group that has done something; without traffic to DRAM it stands at the right edge. Returns whether it is named. */
static bool draw_point(const struct results_reading *reading, const struct results_group *group, struct frame *frame,
                       const char *class, bool named, FILE *out)
{
    double intensity, rate;
    if (!find_point(reading, group, &intensity, &rate))
        return false;
    double x = isfinite(intensity) ? x_of(frame, intensity) : LEFT + WIDE, y = y_of(frame, rate);
    char *plain = mnp_demangle(group->name), brief[28];
    bool total = group == &reading->busy;
    const char *name = total ? "all kernels" : plain;
    mnp_print_html(out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"><title>", class, x, y, total ? 7 : 4);
    mnp_put_html(name, out);
    fputs(": ", out);
    write_rate(rate, out);
    if (isfinite(intensity))
        mnp_print_html(out, ", %.3g operations per byte of DRAM", intensity);
    else
        fputs(", without traffic to DRAM", out);
    fputs("</title></circle>", out);
    char *column = mnp_demangle_column(group->name, sizeof brief - 1);
    snprintf(brief, sizeof brief, "%s", total ? name : column);
    free(column);
    named = named && write_name(frame, x, y, brief, out);
    putc('\n', out);
    free(plain);
    return named;
}

static void draw_points(const struct results_reading *reading, struct frame *frame, const char *class, FILE *out)
{
    uint32_t named = reading->group_count > 1 ? 0 : NAMED; /* one name of kernels is all of them */
    draw_point(reading, &reading->busy, frame, class, true, out);
    for (uint32_t i = 0; reading->group_count > 1 && i < reading->group_count && i < MOST_POINTS; i++)
        named += draw_point(reading, &reading->groups[i], frame, class, named < NAMED, out);
}

/* An axis that has room for a value, in whole decades, of those that a machine can reach: a database may be damaged. */
static void widen(struct results_axis *axis, double value, double least, double most)
{
    double decades = log10(value);
    axis->from = fmin(axis->from, fmax(floor(decades), least));
    axis->to = fmax(axis->to, fmin(ceil(decades), most));
}

static void contain(struct frame *frame, double intensity, double rate)
{
    widen(&frame->y, rate, 0, 20);
    if (isfinite(intensity))
        widen(&frame->x, intensity, -10, 10);
}

static void contain_points(const struct results_reading *reading, struct frame *frame)
{
    double intensity, rate;
    if (find_point(reading, &reading->busy, &intensity, &rate))
        contain(frame, intensity, rate);
    for (uint32_t i = 0; reading->group_count > 1 && i < reading->group_count && i < MOST_POINTS; i++)
        if (find_point(reading, &reading->groups[i], &intensity, &rate))
            contain(frame, intensity, rate);
}

void results_page_roofline(const struct results_reading *a, const struct results_reading *b, FILE *out)
{
    struct results_roof roofs[RESULTS_ROOFS];
    uint32_t count = results_roofs(a, roofs);
    struct frame frame = {
        .x = {RESULTS_DECADES, .from = -2, .to = 3, .start = LEFT, .length = WIDE, .bounded = true},
        .y = {RESULTS_DECADES, .to = 10, .start = TOP, .length = HIGH, .upwards = true, .bounded = true},
        .memory = results_roof_of_memory(a)};
    double operations = results_operations(a, &a->total) + (b ? results_operations(b, &b->total) : 0);
    if (!count || frame.memory <= 0)
        return;
    if (operations <= 0) {
        fputs("<p class=\"soft\">No arithmetic on floating-point numbers was done.</p>\n", out);
        return;
    }
    frame.y.from = frame.y.to;
    for (uint32_t i = 0; i < count; i++)
        contain(&frame, roofs[i].rate / frame.memory, roofs[i].rate);
    frame.y.from = fmin(frame.y.from, frame.y.to - 5);
    contain_points(a, &frame);
    if (b)
        contain_points(b, &frame);
    mnp_print_html(out, "<svg class=\"big-drawing\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Roofline\">\n",
                   LEFT + WIDE + 26, TOP + HIGH + 42);
    draw_axes(&frame, out);
    draw_roofs(&frame, roofs, count, out);
    draw_points(a, &frame, "point", out);
    if (b)
        draw_points(b, &frame, "point b", out);
    mnp_print_html(
        out,
        "</svg>\n<p class=\"soft\">A fused multiplication and addition is two operations; integers do not count. "
        "The roofs are those of %s at its clock.%s</p>\n",
        b ? "A" : "the machine", b ? " Filled: A; hollow: B." : "");
}
