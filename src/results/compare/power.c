/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/compare/power.h"

#include "base/error.h"

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

/* Sums over a part: picojoules in all and static, and picoseconds. */
static void add(const json_t *part, double sums[3])
{
    static const char *const passes[] = {"energy_static_sm", "energy_static_l2", "energy_static_dram",
                                         "energy_static_board"};
    sums[0] += value_of(part, "energy");
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++)
        sums[1] += value_of(part, passes[i]);
    sums[2] += value_of(part, "energy_time");
}

bool results_read_power(const struct mnp_read_results *results, struct results_power *power, struct mnp_error *error)
{
    const json_t *machine = json_object_get(results->root, "machine"), *kernel;
    const json_t *kernels = json_object_get(results->root, "kernels");
    const char *basis = json_string_value(json_object_get(json_object_get(machine, "energy"), "basis"));
    double sums[3] = {0};
    size_t i;
    json_array_foreach(kernels, i, kernel) add(kernel, sums);
    if (sums[2] <= 0)
        add(json_object_get(results->root, "total"), sums);
    if (!basis || sums[2] <= 0)
        return mnp_fail_at(error, results->path, 0, "has no energies; run with --energy");
    if (!clock_of(machine, "l2"))
        return mnp_fail_at(error, results->path, 0,
                           "the clock that a limit leaves is of a GPU, and this machine is none");
    *power = (struct results_power){.core = clock_of(machine, "core"),
                                    .noc = clock_of(machine, "noc"),
                                    .l2 = clock_of(machine, "l2"),
                                    .milliwatts = (uint64_t)llround(1000 * sums[0] / sums[2]),
                                    .static_mw = (uint64_t)llround(1000 * sums[1] / sums[2]),
                                    .picoseconds = (uint64_t)llround(sums[2])};
    power->limit = 1000 * (uint64_t)json_integer_value(json_object_get(json_object_get(machine, "power"), "limit"));
    snprintf(power->basis, sizeof power->basis, "%s", basis);
    return true;
}
