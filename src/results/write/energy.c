/* SPDX-License-Identifier: BSD-3-Clause */
/* Energy in the summary of a run. */
#include "results/figures/energy.h"
#include "base/print.h"
#include "results/write/text_parts.h"

#include <string.h>

enum { MOST_PARTS = 5 };

/* Writes the parts by their share, the greatest first. */
static void write_parts(const double parts[RESULTS_ENERGY_PARTS], double all, bool of_cores, FILE *out)
{
    bool written[RESULTS_ENERGY_PARTS] = {false};
    for (int row = 0; row < MOST_PARTS; row++) {
        int most = -1;
        for (int i = 0; i < RESULTS_ENERGY_PARTS; i++)
            if (!written[i] && (most < 0 || parts[i] > parts[most]))
                most = i;
        if (parts[most] <= 0)
            return;
        written[most] = true;
        const struct results_energy_part *part = &results_energy_parts[most];
        mnp_print_text(out, "%*s %14.2f %%  %s: %s\n", 16, "", 100 * parts[most] / all, part->name,
                       of_cores && part->of_cores ? part->of_cores : part->what);
    }
}

/* The clock under a governor. */
static void write_clock(const struct mnp_results *results, FILE *out)
{
    struct mnp_statistic_value clock, changes;
    char text[MNP_NUMBER_TEXT];
    if (!mnp_statistics_find(&results->total, "core_clock", &clock) ||
        !mnp_statistics_find(&results->total, "clock_changes", &changes))
        return;
    mnp_print_text(out, "%-16s %16s  %s MHz in the mean, %llu changes, under a limit of %lu W\n", "",
                   "clock:", mnp_format_ratio_decimals(text, clock.numerator, clock.scale, clock.denominator, 1),
                   (unsigned long long)changes.numerator,
                   (unsigned long)mnp_settings_number(results->machine, "power.limit"));
}

/* The temperature that held, and the one that work which goes on for long leads to: most runs are far shorter than the
 * time constants. */
static void write_temperature(const struct mnp_results *results, double watts, double picoseconds, FILE *out)
{
    struct mnp_statistic_value sm, l2, mean;
    if (!mnp_statistics_find(&results->total, "energy_static_sm", &sm) ||
        !mnp_statistics_find(&results->total, "energy_static_l2", &l2))
        return;
    bool warms = mnp_statistics_find(&results->total, "temperature", &mean) && mean.denominator;
    double chip = (double)mnp_settings_number(results->machine, "thermal.chip.resistance");
    double cooler = (double)mnp_settings_number(results->machine, "thermal.cooler.resistance");
    const struct results_cooling cooling = {(double)mnp_settings_number(results->machine, "thermal.ambient"),
                                            (chip + cooler) / 1000,
                                            (double)mnp_settings_number(results->machine, "energy.leakage") / 1000};
    double degrees = warms ? (double)mean.numerator / (double)mean.denominator
                           : (double)mnp_settings_number(results->machine, "energy.temperature");
    double leaking = results_energy_watts((double)(sm.numerator + l2.numerator), picoseconds), steady[2];
    if (!results_energy_steady(&cooling, degrees, leaking, watts, &steady[0], &steady[1])) {
        mnp_print_text(out, "%-16s %16s  %.1f degrees%s\n", "", "temperature:", degrees,
                       warms                     ? " in the mean"
                       : cooling.resistance <= 0 ? ", constant: the machine states no thermal.*.resistance"
                                                 : ", constant");
        return;
    }
    mnp_print_text(out, "%-16s %16s  %.1f degrees%s; steady at %.1f degrees and %.1f W, if it went on for long\n", "",
                   "temperature:", degrees, warms ? " in the mean" : "", steady[0], steady[1]);
}

/* Whether a kernel cannot draw more than the limit in the mean: all energy of the run would not, in its time, whose
 * ends are rounded to nanoseconds. */
static bool draws_less(const struct mnp_part_results *part, double all, uint64_t limit)
{
    double picoseconds = (double)(part->to - part->from) / 1000 - 1000;
    return picoseconds > 0 && results_energy_watts(all, picoseconds) < (double)limit;
}

/* A kernel that draws more than the board may would not go on for long at these clocks. */
static void write_limit(const struct mnp_results *results, double all, FILE *out)
{
    uint64_t limit = mnp_settings_number(results->machine, "power.limit"), most = 0;
    for (uint32_t i = 0; limit && i < results->part_count; i++) {
        struct mnp_statistic_value power;
        bool found = !draws_less(results->parts[i], all, limit) &&
                     mnp_statistics_find(&results->parts[i]->statistics, "power", &power) && power.denominator;
        uint64_t milliwatts = found ? power.numerator / power.denominator : 0;
        most = milliwatts > most ? milliwatts : most;
    }
    bool governed = mnp_settings_number(results->machine, "power.governor");
    if (most > 1000 * limit)
        mnp_print_text(out, "%-16s %16s  a kernel draws %.1f W, above power.limit (%lu W); %s\n", "",
                       "limit:", (double)most / 1000, (unsigned long)limit,
                       governed ? "the governor had no time to keep it, or no clock that does: `maniple power` tells"
                                : "`maniple power` finds the clock that is left, and with power.governor it falls");
}

/* Bits that no statistic counts have the energy of random ones (docs/energy-values.md). */
static void write_values(const struct mnp_results *results, FILE *out)
{
    if (mnp_settings_number(results->machine, "energy.values"))
        mnp_print_text(out,
                       "%-16s %16s  counted; as random: asynchronous copies, atomics of several words, "
                       "traffic between SMs, code of PTX and beyond the L0, matrices of tensor memory\n",
                       "", "toggled bits:");
}

void results_text_energy(const struct mnp_results *results, FILE *out)
{
    const struct mnp_statistic_set *total = &results->total;
    struct mnp_statistic_value time;
    double parts[RESULTS_ENERGY_PARTS], all = 0;
    char text[RESULTS_ENERGY_TEXT], basis[4 * MNP_TEXT_MAX];
    if (!mnp_statistics_find(total, "energy_time", &time) || !results->machine)
        return;
    results_energy_in(total, parts);
    for (int i = 0; i < RESULTS_ENERGY_PARTS; i++)
        all += parts[i];
    mnp_print_text(out, "%-16s %16s  %.1f W in the mean of the run\n", "Energy", results_energy_text(text, all),
                   results_energy_watts(all, (double)time.numerator / (double)time.denominator));
    struct mnp_statistic_value core;
    write_parts(parts, all, mnp_statistics_find(total, "energy_core", &core), out);
    mnp_escape(basis, sizeof basis, mnp_settings_text(results->machine, "energy.basis"));
    mnp_print_text(out, "%-16s %16s  %s\n", "", "basis:", basis);
    write_values(results, out);
    write_clock(results, out);
    write_temperature(results, results_energy_watts(all, (double)time.numerator / (double)time.denominator),
                      (double)time.numerator / (double)time.denominator, out);
    write_limit(results, all, out);
    fputc('\n', out);
}
