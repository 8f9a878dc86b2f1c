/* SPDX-License-Identifier: BSD-3-Clause */
/* A drawing of bars in groups, as SVG: ratios to a base of 1, up or down from it, with error bars. */
#ifndef MNP_RESULTS_GROUPED_BARS_H
#define MNP_RESULTS_GROUPED_BARS_H

#include <stdint.h>
#include <stdio.h>

struct results_bar {
    double value;     /* NAN: the bar is missing */
    double low, high; /* ends of the error bar; NAN: none */
};

struct results_grouped_bars {
    const struct results_bar *bars;  /* [groups * series], a group's bars side by side */
    const char *const *group_names;  /* [groups] below the axis */
    const char *const *series_names; /* [series] in the legend */
    uint32_t groups, series;
    uint32_t apart; /* groups from this one on are means, and stand behind a gap; `groups`: none */
    const char *title, *y;
};

void results_draw_grouped_bars(const struct results_grouped_bars *bars, FILE *out);

#endif
