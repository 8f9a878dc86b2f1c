/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/figures/energy.h"

#include <stdio.h>
#include <string.h>

const struct results_energy_part results_energy_parts[RESULTS_ENERGY_PARTS] = {
    {"static",
     "static power of SMs, L2, DRAM and board",
     "static power of tiles and chip",
     {"energy_static_sm", "energy_static_l2", "energy_static_dram", "energy_static_board", "energy_static"},
     "#9a9a9a",
     "finish sooner: it passes with the time, whatever is done"},
    {"SM clocks",
     "clocks and schedulers of SMs that have CTAs",
     "clocks of tiles",
     {"energy_sm_active", "energy_clock"},
     "#c4b48c",
     "keep SMs busy while they have CTAs, or use fewer SMs"},
    {"instructions",
     "instructions fetched, decoded and scheduled",
     "instructions and their fetches",
     {"energy_front", "energy_core", "energy_fetch"},
     "#5b8ff9",
     "issue fewer instructions: wider loads, fused operations, unrolled loops"},
    {"registers",
     "registers read and written",
     NULL,
     {"energy_registers"},
     "#61d9a8",
     "use instructions that do more with each operand, such as tensor cores"},
    {"arithmetic",
     "integer, floating point, special functions, shuffles",
     NULL,
     {"energy_int", "energy_fp32", "energy_half", "energy_fp64", "energy_sfu", "energy_special"},
     "#f6bd16",
     "use narrower types or tensor cores"},
    {"tensor cores", "matrix products", NULL, {"energy_tensor"}, "#e8684a", "use narrower types"},
    {"shared memory",
     "wavefronts of shared memory",
     "accesses to shared memory",
     {"energy_shared", "energy_banks"},
     "#6dc8ec",
     "avoid bank conflicts, and keep more in registers"},
    {"L1",
     "L1 data cache, constants, TMA",
     "loads and stores in caches of tiles",
     {"energy_l1", "energy_constant", "energy_tma", "energy_data"},
     "#9270ca",
     "reuse data"},
    {"network",
     "SMs, GPCs and partitions; links to other GPUs, switches",
     "packets over hops of the mesh",
     {"energy_sm_network", "energy_gpc", "energy_partition_network", "energy_mesh", "energy_links", "energy_switches"},
     "#ff9d4d",
     "keep data in the SM: larger tiles, clusters"},
    {"L2", "L2, and the link between its parts", NULL, {"energy_l2"}, "#269a99", "keep data in the SM: larger tiles"},
    {"DRAM",
     "DRAM commands and data",
     "lines between caches and private memory",
     {"energy_dram", "energy_lines"},
     "#ff99c3",
     "reuse data in caches, and move fewer bytes"},
};

bool results_energy_steady(const struct results_cooling *cooling, double degrees, double leaking, double watts,
                           double *steady_degrees, double *steady_watts)
{
    double warm = 1 + cooling->leakage * (degrees - 50), slope = warm > 0 ? leaking / warm * cooling->leakage : 0;
    double gain = cooling->resistance * slope; /* degrees for each degree: a geometric series */
    if (cooling->resistance <= 0 || gain >= 1)
        return false;
    *steady_degrees = (cooling->ambient + cooling->resistance * watts - gain * degrees) / (1 - gain);
    *steady_watts = watts + slope * (*steady_degrees - degrees);
    return true;
}

bool results_has_energy(const struct results_reading *reading)
{
    return results_counts(reading, "energy_time");
}

double results_energy_of(const struct results_reading *reading, const struct results_group *group,
                         const struct results_energy_part *part)
{
    double sum = 0;
    for (const char *const *name = part->statistics; *name; name++)
        sum += results_sum(reading, group, *name);
    return sum;
}

double results_energy_passing(const struct results_reading *reading, const struct results_group *group,
                              const struct results_energy_part *part)
{
    double all = results_energy_of(reading, group, part);
    if (part <= &results_energy_parts[RESULTS_ENERGY_CLOCKS])
        return all > 0 ? 1 : 0;
    if (part != &results_energy_parts[RESULTS_ENERGY_DRAM] || all <= 0)
        return 0;
    double refreshes = results_sum(reading, group, "dram_refreshes") * results_key(reading, "energy.dram.refresh");
    return refreshes < 1000 * all ? 1e-3 * refreshes / all : 1; /* the key is in femtojoules */
}

/* The part that a statistic is of; RESULTS_ENERGY_PARTS: none. */
static int part_of(const char *statistic)
{
    for (int part = 0; part < RESULTS_ENERGY_PARTS; part++)
        for (const char *const *name = results_energy_parts[part].statistics; *name; name++)
            if (strcmp(*name, statistic) == 0)
                return part;
    return RESULTS_ENERGY_PARTS;
}

void results_energy_in(const struct mnp_statistic_set *set, double parts[RESULTS_ENERGY_PARTS])
{
    static const char prefix[] = "energy_";
    memset(parts, 0, RESULTS_ENERGY_PARTS * sizeof *parts);
    for (uint32_t i = 0; i < set->block_count; i++) {
        const struct mnp_model *model = set->blocks[i].model;
        for (size_t row = 0; row < model->statistic_count; row++) {
            const char *name = model->statistics[row].name;
            int part = strncmp(name, prefix, strlen(prefix)) == 0 ? part_of(name) : RESULTS_ENERGY_PARTS;
            struct mnp_statistic_value value;
            if (part == RESULTS_ENERGY_PARTS)
                continue;
            mnp_statistics_read(set, &set->blocks[i], row, &value);
            parts[part] += (double)value.numerator * (double)value.scale / (double)value.denominator;
        }
    }
}

double results_energy_watts(double picojoules, double picoseconds)
{
    return picoseconds > 0 ? picojoules / picoseconds : 0;
}

const char *results_energy_text(char text[RESULTS_ENERGY_TEXT], double picojoules)
{
    static const char *const units[] = {"pJ", "nJ", "uJ", "mJ", "J", "kJ"};
    size_t unit = 0;
    for (; picojoules >= 1000 && unit + 1 < sizeof units / sizeof *units; unit++)
        picojoules /= 1000;
    snprintf(text, RESULTS_ENERGY_TEXT, "%.*f %s",
             picojoules >= 100  ? 1
             : picojoules >= 10 ? 2
                                : 3,
             picojoules, units[unit]);
    return text;
}
