/* SPDX-License-Identifier: BSD-3-Clause */
/* The plot of `maniple scaling`: speed-up over threads, both on logarithmic axes whose steps are doublings. */
#include "results/scaling/scaling.h"
#include "base/print.h"
#include "results/charts/axis.h"

#include <math.h>

enum { LEFT = 60, TOP = 30, STEP = 60, MARGIN = 20, LEGEND = 150 };

struct plot {
    FILE *out;
    uint32_t doublings; /* on both axes */
    struct results_axis x, y;
    double one;
};

static double across(const struct plot *plot, double threads)
{
    return results_axis_at(&plot->x, threads);
}

/* Speeds below three quarters of one thread are drawn there. */
static double down(const struct plot *plot, double speed_up)
{
    return results_axis_at(&plot->y, fmax(speed_up, 0.75));
}

static void draw_axes(const struct plot *plot)
{
    double bottom = down(plot, 1), right = across(plot, (double)(1u << plot->doublings));
    for (uint32_t i = 0; i <= plot->doublings; i++) {
        double x = across(plot, 1u << i), y = down(plot, 1u << i);
        mnp_print_html(plot->out,
                       "<path d=\"M%.0f %d V%.0f M%d %.0f H%.0f\" stroke=\"#ddd\" fill=\"none\"/>\n"
                       "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">%u</text>\n"
                       "<text x=\"%d\" y=\"%.0f\" text-anchor=\"end\">%u</text>\n",
                       x, TOP, bottom, LEFT, y, right, x, bottom + 16, 1u << i, LEFT - 8, y + 4, 1u << i);
    }
    mnp_print_html(plot->out,
                   "<path d=\"M%d %.0f L%.0f %d\" stroke=\"#bbb\" stroke-dasharray=\"4 4\" fill=\"none\"/>\n", LEFT,
                   bottom, right, TOP);
    mnp_print_html(plot->out, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">threads</text>\n", (LEFT + right) / 2,
                   bottom + 34);
    mnp_print_html(plot->out, "<text x=\"%d\" y=\"%d\">speed-up over one thread</text>\n", LEFT - 40, TOP - 12);
}

static void draw_curve(const struct plot *plot, const struct mnp_scaling *scalings, uint32_t count,
                       enum mnp_hand_out hand_out, uint32_t row)
{
    static const char *const colours[MNP_HAND_OUT_COUNT] = {"#1b6ca8", "#c0504d", "#7a9b3a", "#8064a2",
                                                            "#d98032", "#3b8f8a", "#9c5a8a", "#6b6b3a"};
    double x = across(plot, (double)(1u << plot->doublings)) + 16;
    mnp_print_html(plot->out, "<path fill=\"none\" stroke-width=\"2\" stroke=\"%s\" d=\"", colours[hand_out]);
    uint32_t points = 0;
    for (uint32_t i = 0; i < count; i++)
        if (scalings[i].hand_out == hand_out && scalings[i].processes == 1)
            mnp_print_html(plot->out, "%s%.1f %.1f ", points++ ? "L" : "M", across(plot, scalings[i].threads),
                           down(plot, plot->one / scalings[i].seconds));
    mnp_print_html(plot->out, "\"/>\n<text x=\"%.0f\" y=\"%u\" fill=\"%s\">%s, predicted</text>\n", x,
                   TOP + 4 + row * 18, colours[hand_out], results_hand_out_names[hand_out]);
}

static bool present(const struct mnp_scaling *scalings, uint32_t count, enum mnp_hand_out hand_out)
{
    for (uint32_t i = 0; i < count; i++)
        if (scalings[i].hand_out == hand_out && scalings[i].processes == 1)
            return true;
    return false;
}

void results_scaling_draw(const struct mnp_scaling *scalings, uint32_t count, const struct mnp_measured *measured,
                          uint32_t measured_count, double one, FILE *out)
{
    struct plot plot = {.out = out, .doublings = 1, .one = one};
    for (uint32_t i = 0; i < count; i++)
        while (1u << plot.doublings < scalings[i].threads)
            plot.doublings++;
    double length = plot.doublings * STEP;
    plot.x = (struct results_axis){RESULTS_DOUBLINGS, .to = plot.doublings, .start = LEFT, .length = length};
    plot.y =
        (struct results_axis){RESULTS_DOUBLINGS, .to = plot.doublings, .start = TOP, .length = length, .upwards = true};
    double right = across(&plot, (double)(1u << plot.doublings));
    mnp_print_html(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" font-family=\"sans-serif\" "
        "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
        right + LEGEND, down(&plot, 1) + 2 * MARGIN + 4);
    draw_axes(&plot);
    uint32_t rows = 0;
    for (uint32_t i = 0; i < MNP_HAND_OUT_COUNT; i++)
        if (present(scalings, count, i))
            draw_curve(&plot, scalings, count, i, rows++);
    for (uint32_t i = 0; i < measured_count; i++)
        mnp_print_html(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>\n", across(&plot, measured[i].threads),
                       down(&plot, one / measured[i].seconds));
    if (measured_count)
        mnp_print_html(out, "<circle cx=\"%.0f\" cy=\"%u\" r=\"4\"/><text x=\"%.0f\" y=\"%u\">measured</text>\n",
                       right + 20, TOP + rows * 18, right + 30, TOP + 4 + rows * 18);
    fputs("</svg>\n", out);
}
