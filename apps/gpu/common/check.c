/* SPDX-License-Identifier: BSD-3-Clause */
/* Random numbers, and the comparison of results with what the host has computed. */
#include "common/app.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t app_random(struct app_run *run)
{
    uint64_t x = run->random ? run->random : UINT64_C(0x9e3779b97f4a7c15);
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    run->random = x;
    return (uint32_t)(x * UINT64_C(2685821657736338717) >> 32);
}

uint32_t app_below(struct app_run *run, uint32_t limit)
{
    return (uint32_t)((uint64_t)app_random(run) * limit >> 32);
}

float app_uniform(struct app_run *run, float least, float most)
{
    return least + (most - least) * (float)(app_random(run) >> 8) / 16777216.0f;
}

float *app_floats(struct app_run *run, size_t count, float least, float most)
{
    float *values = app_host(run, count, sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = app_uniform(run, least, most);
    return values;
}

/* FNV-1a over the bytes of a result: what two runs can be compared by. */
static uint64_t sum_of(const void *bytes, size_t count)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count; i++)
        sum = (sum ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    return sum;
}

bool app_has_values(const struct app_run *run)
{
    const char *values = getenv("MANIPLE_VALUES");
    (void)run;
    return !values || strcmp(values, "some") != 0;
}

/* Values that the user does not want are not looked at. */
static bool is_checked(const struct app_run *run, const char *what)
{
    if (app_has_values(run))
        return true;
    printf("%s: %s: not checked\n", run->app->name, what);
    return false;
}

static void conclude(struct app_run *run, bool good)
{
    run->checks++;
    run->failed += !good;
    puts(good ? ": right" : ": WRONG");
}

void app_check_words(struct app_run *run, const char *what, uint32_t *got, const uint32_t *expected, size_t count)
{
    size_t wrong = 0, first = 0;
    if (!is_checked(run, what))
        return;
    if (run->sabotage && count)
        got[count / 2] ^= 1;
    for (size_t i = 0; i < count; i++) {
        if (got[i] != expected[i] && wrong++ == 0)
            first = i;
    }
    printf("%s: %s: %zu numbers, sum %016" PRIx64 ", %zu differ", run->app->name, what, count,
           sum_of(got, count * sizeof *got), wrong);
    if (wrong)
        printf(", the first at %zu: %" PRIu32 " instead of %" PRIu32, first, got[first], expected[first]);
    conclude(run, count && !wrong);
}

static double magnitude(double x)
{
    return x < 0 ? -x : x;
}

void app_check_floats(struct app_run *run, const char *what, float *got, const float *expected, size_t count,
                      double tolerance)
{
    double mean = 0, largest = 0;
    size_t wrong = 0, first = 0;
    if (!is_checked(run, what))
        return;
    for (size_t i = 0; i < count; i++)
        mean += magnitude(expected[i]) / (double)count;
    if (run->sabotage && count)
        got[count / 2] += (float)(mean + magnitude(expected[count / 2])) * (float)(3 * tolerance + 1e-6) + 1e-30f;
    for (size_t i = 0; i < count; i++) {
        double allowed = magnitude(expected[i]) + mean;
        double error = got[i] == expected[i] ? 0 : magnitude((double)got[i] - expected[i]) / allowed;
        if (!(error <= tolerance) && wrong++ == 0)
            first = i;
        if (error > largest)
            largest = error;
    }
    printf("%s: %s: %zu numbers, sum %016" PRIx64 ", largest error %.0e of %.0e", run->app->name, what, count,
           sum_of(got, count * sizeof *got), largest, tolerance);
    if (wrong)
        printf(", %zu beyond it, the first at %zu: %g instead of %g", wrong, first, (double)got[first],
               (double)expected[first]);
    conclude(run, count && !wrong);
}
