/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/charts/scatter.h"

#include "base/print.h"
#include "results/charts/axis.h"

#include <math.h>

enum { LEFT = 76, TOP = 40, WIDTH = 420, HEIGHT = 360, LEGEND = 170, NOTE = 15, COLOURS = 7 };

/* Okabe and Ito's colours, which colour-blind people tell apart. */
static const char *const colours[COLOURS] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                             "#56B4E9", "#E69F00", "#000000"};

static bool drawable(const struct results_axis *axis, double value)
{
    return isfinite(value) && (axis->scale == RESULTS_LINEAR || value > 0);
}

/* The range of values, a little wider; logarithmic where all are positive and span a decade. */
static struct results_axis find_axis(const struct results_scatter *s, bool of_x, bool of_y, struct results_axis axis)
{
    axis.from = INFINITY;
    axis.to = -INFINITY;
    for (uint32_t i = 0; i < s->count; i++) {
        double values[2] = {of_x ? s->points[i].x : s->points[i].y, of_y ? s->points[i].y : s->points[i].x};
        for (int k = 0; k < 2; k++) {
            axis.from = values[k] < axis.from ? values[k] : axis.from;
            axis.to = values[k] > axis.to ? values[k] : axis.to;
        }
    }
    if (!isfinite(axis.from) || !isfinite(axis.to)) {
        axis.from = 0;
        axis.to = 1;
        return axis;
    }
    axis.scale = axis.from > 0 && axis.to >= 10 * axis.from ? RESULTS_DECADES : RESULTS_LINEAR;
    double from = results_axis_scaled(axis.scale, axis.from), to = results_axis_scaled(axis.scale, axis.to);
    double room = (to - from) * 0.06;
    room = room > 0 ? room : (from != 0 ? fabs(from) * 0.1 : 1);
    axis.from = from - room;
    axis.to = to + room;
    return axis;
}

struct marks { /* context of marks of one axis */
    bool is_x;
    FILE *out;
};

static void draw_mark(void *context, double value, double at)
{
    const struct marks *marks = context;
    if (marks->is_x)
        mnp_print_html(
            marks->out,
            "<path d=\"M%.1f %dV%d\" class=\"grid\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n", at,
            TOP, TOP + HEIGHT, at, TOP + HEIGHT + 16, value);
    else
        mnp_print_html(
            marks->out,
            "<path d=\"M%d %.1fH%d\" class=\"grid\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", LEFT,
            at, LEFT + WIDTH, LEFT - 6, at + 4, value);
}

static void draw_text(const char *text, FILE *out)
{
    mnp_put_html(text ? text : "", out);
}

static void draw_titles(const struct results_scatter *s, FILE *out)
{
    mnp_print_html(out, "<text x=\"%d\" y=\"20\" font-size=\"14\">", LEFT);
    draw_text(s->title, out);
    mnp_print_html(out, "</text><text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", LEFT + WIDTH / 2, TOP + HEIGHT + 36);
    draw_text(s->x, out);
    mnp_print_html(out, "</text><text transform=\"translate(14 %d) rotate(-90)\" text-anchor=\"middle\">",
                   TOP + HEIGHT / 2);
    draw_text(s->y, out);
    fputs("</text>\n", out);
    for (uint32_t i = 0; s->series && i < s->series_count && i < 18; i++) {
        mnp_print_html(out, "<circle cx=\"%d\" cy=\"%u\" r=\"4\" fill=\"%s\"/><text x=\"%d\" y=\"%u\">",
                       LEFT + WIDTH + 18, TOP + 8 + i * 18, colours[i % COLOURS], LEFT + WIDTH + 28, TOP + 12 + i * 18);
        draw_text(s->series[i], out);
        fputs("</text>\n", out);
    }
}

static void draw_points(const struct results_scatter *s, const struct results_axis *x, const struct results_axis *y,
                        FILE *out)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const struct results_point *p = &s->points[i];
        const char *colour = colours[p->series % COLOURS];
        if (!drawable(x, p->x) || !drawable(y, p->y))
            continue;
        mnp_print_html(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" stroke=\"%s\" fill=\"%s\">",
                       results_axis_at(x, p->x), results_axis_at(y, p->y), colour, p->marked ? colour : "none");
        if (p->label) {
            fputs("<title>", out);
            draw_text(p->label, out);
            mnp_print_html(out, ": %g, %g</title>", p->x, p->y);
        }
        fputs("</circle>\n", out);
    }
}

static void draw_lines(const struct results_scatter *s, const struct results_axis *x, const struct results_axis *y,
                       FILE *out)
{
    if (s->diagonal)
        mnp_print_html(out, "<path d=\"M%d %dL%d %d\" class=\"line\" stroke-dasharray=\"4 4\"/>\n", LEFT, TOP + HEIGHT,
                       LEFT + WIDTH, TOP);
    if (s->path_count < 2)
        return;
    fputs("<path class=\"line\" d=\"", out);
    for (uint32_t i = 0; i < s->path_count; i++) {
        const struct results_point *p = &s->points[s->path[i]];
        if (drawable(x, p->x) && drawable(y, p->y))
            mnp_print_html(out, "%s%.1f %.1f", i ? "L" : "M", results_axis_at(x, p->x), results_axis_at(y, p->y));
    }
    fputs("\"/>\n", out);
}

/* Numbers beside the points of the path, and what each number means. */
static void draw_numbers(const struct results_scatter *s, const struct results_axis *x, const struct results_axis *y,
                         FILE *out)
{
    for (uint32_t i = 0; i < s->path_count; i++) {
        const struct results_point *p = &s->points[s->path[i]];
        if (!drawable(x, p->x) || !drawable(y, p->y))
            continue;
        mnp_print_html(out, "<text x=\"%.1f\" y=\"%.1f\" font-weight=\"bold\">%u</text>\n",
                       results_axis_at(x, p->x) + 6, results_axis_at(y, p->y) - 5, i + 1);
        mnp_print_html(out, "<text x=\"%d\" y=\"%u\"><tspan font-weight=\"bold\">%u</tspan>&#160; ", LEFT,
                       TOP + HEIGHT + 58 + i * NOTE, i + 1);
        draw_text(p->label, out);
        fputs("</text>\n", out);
    }
}

void results_draw_scatter(const struct results_scatter *s, FILE *out)
{
    struct results_axis x = find_axis(s, true, s->diagonal, (struct results_axis){.start = LEFT, .length = WIDTH});
    struct results_axis y =
        find_axis(s, s->diagonal, true, (struct results_axis){.start = TOP, .length = HEIGHT, .upwards = true});
    int width = LEFT + WIDTH + (s->series ? LEGEND : 20), height = TOP + HEIGHT + 50;
    height += s->numbered ? 10 + (int)s->path_count * NOTE : 0;
    mnp_print_html(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
        "style=\"width:%dpx;max-width:100%%\" "
        "font-family=\"sans-serif\" font-size=\"11\">\n<style>.grid{stroke:#ddd;fill:none}.line{stroke:#888;fill:none;"
        "stroke-width:1.5}.ground{fill:#fff}@media(prefers-color-scheme:dark){.grid{stroke:#343b44}.ground{fill:#"
        "15191e}"
        "text{fill:#e4e8ec}}</style><rect width=\"100%%\" height=\"100%%\" class=\"ground\"/>\n",
        width, height, width, height, width);
    results_axis_marks(&x, draw_mark, &(struct marks){true, out});
    results_axis_marks(&y, draw_mark, &(struct marks){false, out});
    draw_lines(s, &x, &y, out);
    draw_points(s, &x, &y, out);
    draw_titles(s, out);
    if (s->numbered)
        draw_numbers(s, &x, &y, out);
    fputs("</svg>\n", out);
}
