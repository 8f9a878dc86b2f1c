/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/charts/grouped_bars.h"

#include "base/print.h"
#include "results/charts/axis.h"

#include <math.h>
#include <string.h>

enum {
    LEFT = 64,
    TOP = 62,
    HEIGHT = 260,
    BAR = 7,
    SPACE = 10,
    GAP = 24,
    BELOW = 130,
    COLOURS = 7,
    LETTER = 7,
    TITLE_LETTER = 8
};

/* Colours of Okabe and Ito, which colour-blind people tell apart. */
static const char *const colours[COLOURS] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                             "#56B4E9", "#E69F00", "#6b6b6b"};

static double group_width(const struct results_grouped_bars *b)
{
    return (double)b->series * BAR + SPACE;
}

static double group_start(const struct results_grouped_bars *b, uint32_t group)
{
    return LEFT + SPACE / 2.0 + group * group_width(b) + (group >= b->apart ? GAP : 0);
}

static double right_end(const struct results_grouped_bars *b)
{
    return group_start(b, b->groups ? b->groups - 1 : 0) + group_width(b);
}

/* The range of all bars and error bars, 1 within it. */
static struct results_axis find_axis(const struct results_grouped_bars *b)
{
    struct results_axis axis = {.from = 1, .to = 1, .start = TOP, .length = HEIGHT, .upwards = true, .bounded = true};
    for (uint32_t i = 0; i < b->groups * b->series; i++) {
        const double values[] = {b->bars[i].value, b->bars[i].low, b->bars[i].high};
        for (int k = 0; k < 3; k++) {
            axis.from = values[k] < axis.from ? values[k] : axis.from;
            axis.to = values[k] > axis.to ? values[k] : axis.to;
        }
    }
    double room = (axis.to - axis.from) * 0.05;
    axis.from -= room > 0 ? room : 0.05;
    axis.to += room > 0 ? room : 0.05;
    return axis;
}

struct marks { /* context of the axis's marks */
    double right;
    FILE *out;
};

static void draw_mark(void *context, double value, double at)
{
    const struct marks *marks = context;
    mnp_print_html(marks->out,
                   "<path d=\"M%d %.1fH%.1f\" class=\"grid\"/><text x=\"%d\" y=\"%.1f\" "
                   "text-anchor=\"end\">%g</text>\n",
                   LEFT, at, marks->right, LEFT - 6, at + 4, value);
}

static void draw_bar(const struct results_grouped_bars *b, const struct results_axis *y, uint32_t group,
                     uint32_t series, FILE *out)
{
    const struct results_bar *bar = &b->bars[group * b->series + series];
    if (!isfinite(bar->value))
        return;
    double x = group_start(b, group) + series * (double)BAR;
    double top = results_axis_at(y, fmax(bar->value, 1)), bottom = results_axis_at(y, fmin(bar->value, 1));
    mnp_print_html(out,
                   "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"%s\"><title>%s, %s: "
                   "%.4f</title></rect>",
                   x, top, BAR - 1, bottom - top, colours[series % COLOURS], b->group_names[group],
                   b->series_names[series], bar->value);
    if (isfinite(bar->low) && isfinite(bar->high))
        mnp_print_html(out, "<path class=\"error\" d=\"M%.1f %.1fV%.1fm-2 0h4M%.1f %.1fh4\"/>", x + (BAR - 1) / 2.0,
                       results_axis_at(y, bar->high), results_axis_at(y, bar->low), x + (BAR - 1) / 2.0 - 2,
                       results_axis_at(y, bar->high));
    fputs("\n", out);
}

static void draw_names(const struct results_grouped_bars *b, FILE *out)
{
    for (uint32_t i = 0; i < b->groups; i++) {
        double x = group_start(b, i) + b->series * BAR / 2.0;
        mnp_print_html(out,
                       "<text transform=\"translate(%.1f %d) rotate(-45)\" text-anchor=\"end\" font-weight=\"%d\">"
                       "<title>%s</title>%.24s</text>\n",
                       x, TOP + HEIGHT + 14, i >= b->apart ? 600 : 400, b->group_names[i], b->group_names[i]);
    }
    double x = LEFT;
    for (uint32_t i = 0; i < b->series; i++) {
        mnp_print_html(
            out,
            "<rect x=\"%.1f\" y=\"34\" width=\"10\" height=\"10\" fill=\"%s\"/><text x=\"%.1f\" y=\"43\">%s</text>\n",
            x, colours[i % COLOURS], x + 14, b->series_names[i]);
        for (const char *c = b->series_names[i]; *c; c++)
            x += LETTER;
        x += 30;
    }
    mnp_print_html(out, "<text x=\"%d\" y=\"20\" font-size=\"14\">%s</text>\n", LEFT, b->title);
    mnp_print_html(out, "<text transform=\"translate(14 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
                   TOP + HEIGHT / 2, b->y);
}

void results_draw_grouped_bars(const struct results_grouped_bars *b, FILE *out)
{
    struct results_axis y = find_axis(b);
    double right = right_end(b), width = fmax(right + 20, LEFT + (double)strlen(b->title) * TITLE_LETTER);
    mnp_print_html(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %d\" width=\"%.0f\" height=\"%d\" "
        "style=\"max-width:100%%\" font-family=\"sans-serif\" font-size=\"11\">\n"
        "<style>.grid{stroke:#ddd;fill:none}.line,.error{stroke:#333;fill:none}.ground{fill:#fff}"
        "@media(prefers-color-scheme:dark){.grid{stroke:#343b44}.line,.error{stroke:#ccc}.ground{fill:#15191e}"
        "text{fill:#e4e8ec}}</style><rect width=\"100%%\" height=\"100%%\" class=\"ground\"/>\n",
        width, TOP + HEIGHT + BELOW, width, TOP + HEIGHT + BELOW);
    results_axis_marks(&y, draw_mark, &(struct marks){right, out});
    for (uint32_t i = 0; i < b->groups; i++)
        for (uint32_t k = 0; k < b->series; k++)
            draw_bar(b, &y, i, k, out);
    mnp_print_html(out, "<path class=\"line\" d=\"M%d %.1fH%.1f\"/>\n", LEFT, results_axis_at(&y, 1), right);
    draw_names(b, out);
    fputs("</svg>\n", out);
}
