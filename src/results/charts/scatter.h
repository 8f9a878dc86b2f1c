/* SPDX-License-Identifier: BSD-3-Clause */
/* A drawing of points in a plane, as SVG: logarithmic axes where values span more than a decade. */
#ifndef MNP_RESULTS_SCATTER_H
#define MNP_RESULTS_SCATTER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct results_point {
    double x, y;
    const char *label; /* is shown where the pointer rests; NULL: none */
    uint32_t series;   /* its colour */
    bool marked;       /* drawn filled, the others as rings */
};

struct results_scatter {
    const struct results_point *points;
    uint32_t count;
    const char *title, *x, *y; /* texts of the drawing and its axes */
    const char *const *series; /* [series_count] names for a legend; NULL: none */
    uint32_t series_count;
    bool diagonal;        /* both axes have one scale, and a line where x = y */
    const uint32_t *path; /* [path_count] points that a line joins, in order */
    uint32_t path_count;
    bool numbered; /* points of the path bear their numbers, and their labels stand below the drawing */
};

/* Points that are not positive are left out of logarithmic axes. */
void results_draw_scatter(const struct results_scatter *scatter, FILE *out);

#endif
