/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/compare/power.h"

#include "base/error.h"
#include "results/figures/energy.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

static double value_of(const json_t *part, const char *name)
{
    return json_number_value(json_object_get(json_object_get(json_object_get(part, "statistics"), name), "value"));
}

static uint64_t clock_of(const json_t *machine, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(json_object_get(machine, "clock"), name));
}

enum { ALL, STATIC, TIME, LEAKING, DEGREES, SUMS };

/* Sums over a part: picojoules in all, static, and of those what the chip leaks; picoseconds, and degrees times
 * these. */
static void add(const json_t *part, double sums[SUMS])
{
    static const char *const passes[] = {"energy_static_sm", "energy_static_l2", "energy_static_dram",
                                         "energy_static_board"};
    sums[ALL] += value_of(part, "energy");
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++)
        sums[STATIC] += value_of(part, passes[i]);
    sums[LEAKING] += value_of(part, passes[0]) + value_of(part, passes[1]);
    sums[TIME] += value_of(part, "energy_time");
    sums[DEGREES] += value_of(part, "temperature_time");
}

static double number_of(const json_t *group, const char *name)
{
    return (double)json_integer_value(json_object_get(group, name));
}

/* Raises the power to that of the steady state, if the machine states how it is cooled. */
static void settle(const json_t *machine, const double sums[SUMS], struct results_power *power)
{
    const json_t *thermal = json_object_get(machine, "thermal"), *energy = json_object_get(machine, "energy");
    double resistance = number_of(json_object_get(thermal, "chip"), "resistance") +
                        number_of(json_object_get(thermal, "cooler"), "resistance");
    const struct results_cooling cooling = {number_of(thermal, "ambient"), resistance / 1000,
                                            number_of(energy, "leakage") / 1000};
    double held = sums[DEGREES] > 0 ? sums[DEGREES] / sums[TIME] : number_of(energy, "temperature"), degrees, watts;
    if (!results_energy_steady(&cooling, held, sums[LEAKING] / sums[TIME], sums[ALL] / sums[TIME], &degrees, &watts))
        return;
    power->millidegrees = (uint64_t)llround(1000 * (degrees > 0 ? degrees : 0));
    uint64_t steady = (uint64_t)llround(1000 * watts);
    power->static_mw =
        power->static_mw + steady > power->milliwatts ? power->static_mw + steady - power->milliwatts : 0;
    power->milliwatts = steady;
}

bool results_read_power(const struct mnp_read_results *results, struct results_power *power, struct mnp_error *error)
{
    const json_t *machine = json_object_get(results->root, "machine"), *kernel;
    const json_t *kernels = json_object_get(results->root, "kernels");
    const char *basis = json_string_value(json_object_get(json_object_get(machine, "energy"), "basis"));
    double sums[SUMS] = {0};
    size_t i;
    json_array_foreach(kernels, i, kernel) add(kernel, sums);
    if (sums[TIME] <= 0)
        add(json_object_get(results->root, "total"), sums);
    if (!basis || sums[TIME] <= 0)
        return mnp_fail_at(error, results->path, 0, "has no energies; run with --energy");
    if (!clock_of(machine, "l2"))
        return mnp_fail(error, "the clock that a limit leaves is of a GPU, and this machine is none; choose a GPU");
    *power = (struct results_power){.core = clock_of(machine, "core"),
                                    .noc = clock_of(machine, "noc"),
                                    .l2 = clock_of(machine, "l2"),
                                    .milliwatts = (uint64_t)llround(1000 * sums[ALL] / sums[TIME]),
                                    .static_mw = (uint64_t)llround(1000 * sums[STATIC] / sums[TIME]),
                                    .picoseconds = (uint64_t)llround(sums[TIME])};
    power->limit = 1000 * (uint64_t)json_integer_value(json_object_get(json_object_get(machine, "power"), "limit"));
    settle(machine, sums, power);
    snprintf(power->basis, sizeof power->basis, "%s", basis);
    return true;
}
