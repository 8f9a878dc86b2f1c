/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/charts/axis.h"

#include <math.h>

static double doublings_of(double value)
{
    double doublings = 0;
    for (; value >= 2; value /= 2)
        doublings++;
    for (; value < 1; value *= 2)
        doublings--;
    return doublings + value - 1;
}

double results_axis_scaled(enum results_scale scale, double value)
{
    return scale == RESULTS_DECADES ? log10(value) : scale == RESULTS_DOUBLINGS ? doublings_of(value) : value;
}

double results_axis_at(const struct results_axis *axis, double value)
{
    double place = (results_axis_scaled(axis->scale, value) - axis->from) / (axis->to - axis->from);
    if (axis->bounded)
        place = place < 0 ? 0 : place > 1 ? 1 : place;
    return axis->start + axis->length * (axis->upwards ? 1 - place : place);
}

/* The distance of round numbers of which there are four to ten. */
static double step_of(const struct results_axis *axis)
{
    double step = pow(10, floor(log10((axis->to - axis->from) / 4)));
    while ((axis->to - axis->from) / step > 10)
        step *= 2;
    return step;
}

void results_axis_marks(const struct results_axis *axis, void (*mark)(void *context, double value, double at),
                        void *context)
{
    static const double parts[] = {1, 2, 5};
    double base = axis->scale == RESULTS_DECADES ? 10 : 2, step = axis->scale == RESULTS_LINEAR ? step_of(axis) : 1;
    int most = axis->scale == RESULTS_DECADES && axis->to - axis->from <= 3 ? 3 : 1;
    if (axis->scale == RESULTS_LINEAR) {
        for (double value = ceil(axis->from / step) * step; value <= axis->to; value += step)
            mark(context, fabs(value) < step / 1e6 ? 0 : value, results_axis_at(axis, value));
        return;
    }
    for (double power = floor(axis->from); power <= axis->to; power++)
        for (int i = 0; i < most; i++) {
            double value = parts[i] * pow(base, power), scaled = results_axis_scaled(axis->scale, value);
            if (scaled >= axis->from && scaled <= axis->to)
                mark(context, value, results_axis_at(axis, value));
        }
}
