/* SPDX-License-Identifier: BSD-3-Clause */
/* An axis of a chart: where values are drawn, and which round numbers are marked. */
#ifndef MNP_RESULTS_AXIS_H
#define MNP_RESULTS_AXIS_H

#include <stdbool.h>

enum results_scale {
    RESULTS_LINEAR,
    RESULTS_DECADES,   /* logarithmic, in powers of ten */
    RESULTS_DOUBLINGS, /* logarithmic at powers of two, linear between them, and the same on every host */
};

struct results_axis {
    enum results_scale scale;
    double from, to;      /* values at the ends; on a logarithmic scale their logarithms */
    double start, length; /* place in the drawing: the left end, or the upper one */
    bool upwards;         /* values grow upwards, not to the right */
    bool bounded;         /* values beyond an end are drawn at that end */
};

/* A value on a scale: its logarithm, if the scale is logarithmic. */
double results_axis_scaled(enum results_scale scale, double value);

/* The place of a value in the drawing. */
double results_axis_at(const struct results_axis *axis, double value);

/* Calls `mark` for four to ten round numbers of a linear axis, the powers of ten of a long one, also 2 and 5 times them
 * on one of at most three decades, and the powers of two of doublings. */
void results_axis_marks(const struct results_axis *axis, void (*mark)(void *context, double value, double at),
                        void *context);

#endif
