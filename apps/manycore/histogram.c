/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A histogram of pseudo-random numbers, half of which fall into the first bin. Arguments: numbers (65536), bins (64, at
 * most 256), how (0). 0: each number is an atomic addition to its bin, bins lie in turn in the banks; 1: each core
 * counts in private memory and adds its bins to the common ones at the end, beginning with a bin of its own; 2: it
 * writes its bins into its own bank, and after a barrier each core adds up some bins of all cores, without atomics.
 * The check: bins hold all numbers, and their sum weighted by the bins is that of the numbers.
 */
#include "manycore.h"

enum { MOST = 256, AT = MC_BANK_RESERVED / 4 };
MC_BANK_NEEDS(3584); /* AT: common bins, 256 of them if there is one core; behind them the core's own */

static uint32_t counts[MOST];

static volatile uint32_t *common(uint32_t bin)
{
    return mc_bank(mc_modulo(bin)) + AT + mc_quotient(bin);
}

static volatile uint32_t *own(uint32_t core)
{
    return mc_bank(core) + AT + MOST;
}

static uint32_t next(uint32_t *state, uint32_t bins)
{
    uint32_t number = mc_random(state);
    return number & 1 ? 0 : (number >> 8 & 0xFFFF) * bins >> 16;
}

static void add_up(uint32_t bins)
{
    uint32_t from, to;
    mc_share(bins, &from, &to);
    for (uint32_t bin = from; bin < to; bin++) {
        uint32_t sum = 0;
        for (uint32_t i = 0, core = mc_core(); i < mc_cores(); i++, core = core + 1 < mc_cores() ? core + 1 : 0)
            sum += own(core)[bin];
        *common(bin) = sum;
    }
}

static bool is_right(uint32_t bins, uint32_t numbers, uint64_t want)
{
    uint64_t count = 0, sum = 0;
    for (uint32_t bin = 0; bin < bins; bin++) {
        uint32_t some = *common(bin);
        count += some;
        sum += (uint64_t)some * bin;
    }
    return count == numbers && sum == want;
}

int mc_main(void)
{
    uint32_t numbers = mc_argument(1, 65536), bins = mc_argument(2, 64), how = mc_argument(3, 0), from, to;
    uint32_t state = mc_core() * 2654435761u + 12345;
    uint64_t sum = 0;
    bins = bins < 1 ? 1 : bins < MOST ? bins : MOST;
    mc_share(numbers, &from, &to);
    for (uint32_t i = from; i < to; i++) {
        uint32_t bin = next(&state, bins);
        sum += bin;
        if (how == 0)
            mc_add(common(bin), 1);
        else
            counts[bin]++;
    }
    for (uint32_t i = 0, bin = mc_core() % bins; i < bins && how == 1; i++, bin = bin + 1 < bins ? bin + 1 : 0)
        if (counts[bin])
            mc_add(common(bin), counts[bin]);
    for (uint32_t bin = 0; bin < bins && how == 2; bin++)
        own(mc_core())[bin] = counts[bin];
    if (how == 2) {
        mc_barrier_tree();
        add_up(bins);
        mc_barrier_tree();
    }
    mc_sum(&sum, 1);
    return mc_conclude("histogram", mc_core() != 0 || is_right(bins, numbers, sum));
}
