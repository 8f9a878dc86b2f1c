/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Estimates for kernels of which stretches were passed over. Cycles are those of the simulation, which went on at the
 * paces that were measured. How well they are known follows from how far the paces of one SM are apart from one sample
 * to the next (von Neumann's estimate of the deviation, which a slow change does not widen). SMs, of which there are
 * many, tell well what the deviation is; but their samples are taken at a time, so that what is wrong with all of them
 * does not average out. And a kernel ends with its slowest SM: of m SMs that are alike, each known with a deviation s,
 * that one seems later by up to s·√(2 ln m), the greatest of m normal numbers. Both go into the margin; the latter is
 * of one sign, and kernels' add up.
 */
#include "gpu/steady.h"

#include "base/allocate.h"
#include "engine/count/results.h"
#include "gpu/dispatch/dispatch.h"
#include "gpu/sm/sm.h"
#include "gpu/sm/statistics.h"

struct spread { /* of samples of a kernel, or of all */
    double samples, pairs, steps;
};

static struct spread spread_of(const uint64_t *sm)
{
    return (struct spread){.samples = (double)sm[SM_STEADY_SAMPLES],
                           .pairs = (double)sm[SM_STEADY_PAIRS],
                           .steps = (double)sm[SM_STEADY_STEPS] / 1e6};
}

/* ===== counters ===== */

static bool is_in(size_t row, size_t first, size_t last)
{
    return row >= first && row <= last;
}

/* What is counted while an SM passes over, too. */
static bool is_whole(const struct mnp_model *model, size_t row)
{
    if (model->statistics[row].kind != MNP_COUNTER || model == &dispatch_model)
        return true;
    if (model != &sm_model)
        return false;
    return row <= SM_GPU_OCCUPANCY || is_in(row, SM_CLASS_FIRST, SM_ZERO_MASK) ||
           is_in(row, SM_BARRIERS, SM_ACTIVITY) || is_in(row, SM_LANES_FIRST, SM_MATRIX_OPERATIONS) ||
           is_in(row, SM_STEADY_INSTRUCTIONS, SM_STEADY_STEPS);
}

/* As many times as there are instructions for each that was simulated. */
static uint64_t stretched(uint64_t value, uint64_t all, uint64_t simulated)
{
    return (uint64_t)((unsigned __int128)value * all / simulated);
}

static void stretch(struct mnp_statistic_set *part, struct mnp_statistic_set *total, uint64_t all, uint64_t simulated)
{
    for (uint32_t b = 0; b < part->block_count; b++) {
        const struct mnp_model *model = part->blocks[b].model;
        for (size_t row = 0; row < model->statistic_count; row++) {
            if (is_whole(model, row))
                continue;
            uint64_t *value = &part->blocks[b].values[mnp_statistic_place(model, row)];
            uint64_t added = stretched(*value, all, simulated) - *value;
            *value += added;
            mnp_statistics_block(total, model)->values[mnp_statistic_place(model, row)] += added;
        }
    }
}

/* ===== margins ===== */

/* The deviation of a kernel's mean pace, of that pace: by its own samples, or, if it has but one of each SM, by those
 * of all kernels; 1 where nothing is known. */
static double deviation(struct spread own, struct spread common, double *freedom)
{
    const double half_root_pi = 0.886226925452758; /* deviation over the mean difference of two normal numbers */
    double each = own.samples / (own.samples - own.pairs);
    struct spread from = own.pairs > 0 ? own : common;
    *freedom = from.pairs > 0 ? from.pairs : 1;
    double one = from.pairs > 0 ? from.steps / from.pairs * half_root_pi : 1;
    return one / __builtin_sqrt(each);
}

/* √(2 ln m), rounded up: of whole powers of two. */
static double greatest_of(double m)
{
    double doublings = 0;
    for (double power = 1; power < m; power *= 2)
        doublings++;
    return __builtin_sqrt(2 * 0.693147180559945 * doublings);
}

struct margin { /* in cycles */
    double chance, slowest;
};

static struct margin margin_of(const struct mnp_part_results *part, struct spread common)
{
    const uint64_t *sm = mnp_statistics_block(&part->statistics, &sm_model)->values;
    double cycles = (double)mnp_statistics_block(&part->statistics, &dispatch_model)->values[DISPATCH_GPU_SIM_CYCLE];
    double passed = (double)sm[SM_STEADY_CYCLES] / (double)(sm[SM_ACTIVE_CYCLES] ? sm[SM_ACTIVE_CYCLES] : 1), freedom;
    struct spread own = spread_of(sm);
    double one = deviation(own, common, &freedom) * passed * cycles;
    return (struct margin){.chance = mnp_estimate_quantile(freedom) * one,
                           .slowest = greatest_of(own.samples - own.pairs) * one};
}

static struct spread common_spread(const struct mnp_results *results)
{
    struct spread all = {0};
    for (uint32_t i = 0; i < results->part_count; i++) {
        struct spread of = spread_of(mnp_statistics_block(&results->parts[i]->statistics, &sm_model)->values);
        if (of.pairs > 0) {
            all.samples += of.samples;
            all.pairs += of.pairs;
            all.steps += of.steps;
        }
    }
    return all;
}

static void add_row(struct mnp_estimate *estimate, const struct mnp_statistic *statistic, double value, double margin)
{
    estimate->rows = mnp_reallocate(estimate->rows, estimate->count + 1, sizeof *estimate->rows);
    estimate->rows[estimate->count++] = (struct mnp_estimated){
        .statistic = statistic, .value = (uint64_t)(value + 0.5), .margin = (uint64_t)(margin + 0.5)};
}

void gpu_steady_estimate(struct mnp_results *results)
{
    struct spread common = common_spread(results);
    struct mnp_estimate estimate = {.parts = results->part_count, .chosen = results->part_count};
    double cycles = 0, squares = 0, slowest = 0, instructions = 0, passed = 0;
    for (uint32_t i = 0; i < results->part_count; i++) {
        struct mnp_part_results *part = results->parts[i];
        const uint64_t *sm = mnp_statistics_block(&part->statistics, &sm_model)->values;
        uint64_t all = sm[SM_WARP_INSTRUCTIONS], over = sm[SM_STEADY_INSTRUCTIONS];
        cycles += (double)mnp_statistics_block(&part->statistics, &dispatch_model)->values[DISPATCH_GPU_SIM_CYCLE];
        instructions += (double)all;
        passed += (double)over;
        if (!over || over >= all)
            continue;
        struct margin margin = margin_of(part, common);
        squares += margin.chance * margin.chance;
        slowest += margin.slowest;
        estimate.groups++;
        stretch(&part->statistics, &results->total, all, all - over);
    }
    if (!estimate.groups)
        return;
    estimate.passed_over = (uint32_t)(passed / instructions * 1e4 + 0.5);
    add_row(&estimate, &dispatch_model.statistics[DISPATCH_GPU_SIM_CYCLE], cycles, __builtin_sqrt(squares) + slowest);
    add_row(&estimate, &sm_model.statistics[SM_WARP_INSTRUCTIONS], instructions, 0);
    results->estimate = mnp_allocate(1, sizeof *results->estimate);
    *results->estimate = estimate;
}
