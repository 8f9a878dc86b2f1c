/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/figures/roofs.h"

#include "results/figures/figures.h"

#define MOST_RATE 1e21 /* a higher rate is no machine's, but a damaged database's */

/* Operations of a lane. Half-precision instructions work on two numbers. */
static const struct {
    const char *statistic;
    double operations;
} weights[] = {{"lanes_fadd", 1}, {"lanes_fmul", 1}, {"lanes_ffma", 2}, {"lanes_hadd", 2}, {"lanes_hmul", 2},
               {"lanes_hfma", 4}, {"lanes_dadd", 1}, {"lanes_dmul", 1}, {"lanes_dfma", 2}, {"matrix_operations", 1}};

double results_operations(const struct results_reading *reading, const struct results_group *group)
{
    double sum = 0;
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++)
        sum += weights[i].operations * results_sum(reading, group, weights[i].statistic);
    return sum;
}

/* A matrix instruction m16n8k16 of halves is 4096 operations and keeps its pipe for 32 / lanes cycles; products of
 * warpgroups, which Hopper alone has, are 4096 a cycle and SM. Volta has no such instruction: 1024 a cycle and SM, as
 * its whitepaper says. */
static double of_matrices(const struct results_reading *reading, double subcores)
{
    double rate = subcores * 4096 * results_key(reading, "sm.tensor.lanes") / 32;
    bool hopper = reading->architecture / 10 == 9;
    if (reading->architecture / 5 == 14)
        return 1024;
    return hopper && rate < 4096 ? 4096 : rate;
}

uint32_t results_roofs(const struct results_reading *reading, struct results_roof roofs[RESULTS_ROOFS])
{
    double sms = results_key(reading, "sm.count"), subcores = results_key(reading, "sm.subcores");
    double all = sms * results_key(reading, "clock.core");
    const struct results_roof known[RESULTS_ROOFS] = {
        {"FP64", "2 sm.fp64.lanes of each sub-core, or of the unit that they share",
         2 * all * results_fp64_units(reading) * results_key(reading, "sm.fp64.lanes")},
        {"FP32", "2 sm.fp32.lanes (1 + sm.fp32.on_int) of each sub-core",
         2 * all * subcores * results_key(reading, "sm.fp32.lanes") * (1 + results_key(reading, "sm.fp32.on_int"))},
        {"FP16", "4 sm.half.lanes (1 + sm.half.on_fp32) of each sub-core",
         4 * all * subcores * results_key(reading, "sm.half.lanes") * (1 + results_key(reading, "sm.half.on_fp32"))},
        {"FP16 matrices", "128 sm.tensor.lanes of each sub-core; 4096 of an SM with products of warpgroups",
         all * of_matrices(reading, subcores)},
    };
    uint32_t count = 0;
    for (int i = 0; i < RESULTS_ROOFS; i++)
        if (known[i].rate > 1 && known[i].rate < MOST_RATE)
            roofs[count++] = known[i];
    return count;
}

double results_roof_of_memory(const struct results_reading *reading)
{
    double seconds = results_report_seconds(reading, results_report_cycles(reading, &reading->total));
    double rate = seconds > 0 ? results_sum(reading, &reading->total, "dram_peak_bytes") / seconds : 0;
    return rate > 1 && rate < MOST_RATE ? rate : 0;
}
