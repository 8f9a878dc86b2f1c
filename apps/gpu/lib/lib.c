/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"

#include <math.h>

enum { PATHS };
enum { RATES = 40, MATURITIES = 20, SWAPTIONS = 15 };

struct market {
    float volatility[RATES], strike[SWAPTIONS], period, start;
    uint32_t length[SWAPTIONS];
};

static void walk(const struct market *m, const float *normal, uint32_t paths, double *rates)
{
    double period = m->period;
    for (int now = 0; now < MATURITIES; now++) {
        double shock = sqrt(period) * normal[(size_t)now * paths], drift = 0;
        for (int i = now + 1; i < RATES; i++) {
            double volatility = m->volatility[i - now - 1];
            drift += period * volatility * rates[i] / (1 + period * rates[i]);
            rates[i] *= exp(volatility * (drift + shock - period * volatility / 2));
        }
    }
}

static double worth(const struct market *m, const double *rates)
{
    double value = 0, discount = 1;
    for (int i = 0; i < SWAPTIONS; i++) {
        double bond = 1, sum = 0;
        for (uint32_t j = 0; j < m->length[i]; j++) {
            bond /= 1 + m->period * rates[MATURITIES + j];
            sum += m->period * bond;
        }
        double payoff = 1 - bond - m->strike[i] * sum;
        value += payoff > 0 ? 100 * payoff : 0;
    }
    for (int i = 0; i < MATURITIES; i++)
        discount /= 1 + m->period * rates[i];
    return value * discount;
}

static void lib_run(struct app_run *run)
{
    struct market m = {.period = 0.25f, .start = 0.05f};
    uint32_t paths = run->sizes[PATHS];
    size_t count = (size_t)paths * MATURITIES;
    float *normal = app_host(run, count, 4), *expected = app_host(run, paths, 4);
    for (int i = 0; i < RATES; i++)
        m.volatility[i] = 0.1f + 0.005f * (float)i;
    for (int i = 0; i < SWAPTIONS; i++) {
        m.length[i] = 4 + (uint32_t)(i / 3) * 4;
        m.strike[i] = 0.045f + 0.005f * (float)(i % 3);
    }
    for (size_t i = 0; i < count * 12; i++) /* twelve uniform numbers add up to nearly a normal one */
        normal[i / 12] += app_uniform(run, -0.5f, 0.5f);
    for (uint32_t path = 0; path < paths; path++) {
        double rates[RATES];
        for (int i = 0; i < RATES; i++)
            rates[i] = m.start;
        walk(&m, normal + path, paths, rates);
        expected[path] = (float)worth(&m, rates);
    }
    CUdeviceptr from = app_copy(run, normal, 4 * count), values = app_device(run, 4 * (size_t)paths);
    app_write(run, app_variable(run, "lib_volatility"), m.volatility, sizeof m.volatility);
    app_write(run, app_variable(run, "lib_strike"), m.strike, sizeof m.strike);
    app_write(run, app_variable(run, "lib_length"), m.length, sizeof m.length);
    app_launch(run, "lib", app_shape(paths, 64), &from, &values, &paths, &m.period, &m.start);
    app_check_floats(run, "values of the portfolio", app_read(run, values, 4 * (size_t)paths), expected, paths, 1e-4);
}

const struct app app_lib = {
    .name = "lib",
    .suite = "ISPASS-2009",
    .summary = "a portfolio of swaptions by the Monte Carlo method (LIBOR market model)",
    .stresses =
        "Arrays of 40 values that each thread has for itself: local memory, which for the threads of an SM is far "
        "more than L1, so that what looks like registers goes to L2 and back. Between those accesses a division "
        "and an exponential function that wait for one another.",
    .tolerance = "1e-4",
    .sizes = {{"paths", 1024, 1, 1 << 20, 0, "paths", NULL}},
    .run = lib_run};
