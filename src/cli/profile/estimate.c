/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times between points: straight lines of the number of tokens, or of a batch's context and then of the batch; for
 * prompts, whose work grows with the square, lines of logarithms. Beyond the last point the last line goes on; below
 * the first one its time stands, as kernels do not become shorter than their launch.
 */
#include "cli/profile/points.h"

#include <math.h>

const char *const cli_profile_sources[] = {"simulated", "interpolated", "extrapolated"};

static const struct profile_time *time_of(const struct profile *profile, uint32_t point)
{
    return &((const struct profile_point *)profile->points.items)[point].time;
}

/* At x between or beyond x0 and x1; by logarithms, no time falls. */
static double line(double x0, double y0, double x1, double y1, double x, bool logarithms)
{
    if (x <= x0)
        return y0;
    if (logarithms && y0 > 0 && y1 > 0) {
        double slope = log(y1 / y0) / log(x1 / x0);
        return y0 * pow(x / x0, slope > 0 ? slope : 0);
    }
    double y = y0 + (y1 - y0) * (x - x0) / (x1 - x0);
    return y > 0 ? y : y1;
}

static struct profile_time between(double x0, const struct profile_time *a, double x1, const struct profile_time *b,
                                   double x, bool logarithms)
{
    struct profile_time time = {.source = x > x1 || x < x0 ? PROFILE_EXTRAPOLATED : PROFILE_INTERPOLATED,
                                .kernels = x - x0 < x1 - x ? a->kernels : b->kernels};
    for (int i = 0; i < PROFILE_FIGURES; i++)
        time.us[i] = line(x0, a->us[i], x1, b->us[i], x, logarithms && i != PROFILE_DEVIATION);
    if (time.us[PROFILE_LEAST] > time.us[PROFILE_MEDIAN])
        time.us[PROFILE_LEAST] = time.us[PROFILE_MEDIAN];
    if (time.us[PROFILE_MOST] < time.us[PROFILE_MEDIAN])
        time.us[PROFILE_MOST] = time.us[PROFILE_MEDIAN];
    if (a->source > time.source || b->source > time.source)
        time.source = a->source > b->source ? a->source : b->source;
    return time;
}

static struct profile_time along(const struct profile *profile, const struct profile_samples *at,
                                 const uint32_t *points, uint32_t x, bool logarithms)
{
    uint32_t i = 0;
    while (i + 2 < at->count && x > at->at[i + 1])
        i++;
    for (uint32_t j = i; j < at->count && j < i + 2; j++)
        if (at->at[j] == x)
            return *time_of(profile, points[j]);
    if (at->count == 1) {
        struct profile_time only = *time_of(profile, points[0]);
        only.source = PROFILE_EXTRAPOLATED;
        return only;
    }
    return between(at->at[i], time_of(profile, points[i]), at->at[i + 1], time_of(profile, points[i + 1]), x,
                   logarithms);
}

struct profile_time cli_profile_time(const struct profile *profile, enum profile_operation operation, uint32_t tokens)
{
    return along(profile, &profile->series[operation].at, profile->series[operation].point, tokens,
                 operation == PROFILE_PREFILL);
}

static struct profile_time decode_of(const struct profile *profile, uint32_t batch, uint32_t context)
{
    return along(profile, &profile->decode[batch].at, profile->decode[batch].point, context, false);
}

struct profile_time cli_profile_decode_time(const struct profile *profile, uint32_t sequences, uint32_t context)
{
    const struct profile_samples *at = &profile->batches;
    uint32_t i = 0;
    while (i + 2 < at->count && sequences > at->at[i + 1])
        i++;
    for (uint32_t j = i; j < at->count && j < i + 2; j++)
        if (at->at[j] == sequences)
            return decode_of(profile, j, context);
    struct profile_time a = decode_of(profile, i, context);
    if (at->count == 1) {
        a.source = PROFILE_EXTRAPOLATED;
        return a;
    }
    struct profile_time b = decode_of(profile, i + 1, context);
    return between(at->at[i], &a, at->at[i + 1], &b, sequences, false);
}
