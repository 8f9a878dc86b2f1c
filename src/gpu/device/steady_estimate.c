/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Estimates for kernels of which stretches were passed over. Cycles are those of the simulation, which went on at the
 * paces that were measured. How well they are known is told by the paces that were measured behind the stretches: all
 * of them, those included that were unlike what was assumed. If paces are wrong by chance, with a deviation s, one that
 * follows differs by √2·s, and so a stretch of c cycles behind which the pace is another by a part d of it is wrong by
 * c·d/√2; if the pace has changed steadily, by c·d/2. Stretches add up as squares do (Cochran, Sampling Techniques,
 * chapter 8, on systematic samples by successive differences), and when each begins and ends is known to a turn
 * (SM_STEADY_TURN). SMs are measured at a time, so that what is wrong with all of them does not average out: a kernel
 * is known no better than one of its SMs. And it ends with its slowest SM: of m SMs that are alike, each known with a
 * deviation s, that one seems later by up to s·√(2 ln m), the greatest of m normal numbers. Both go into the margin;
 * the latter is of one sign, and kernels' add up. So does what no check shows: an SM's own caches hold what they held
 * before a stretch, when the pace behind it is measured.
 */
#include "gpu/device/steady_estimate.h"

#include "base/allocate.h"
#include "engine/count/results.h"
#include "gpu/dispatch/dispatch.h"
#include "gpu/sm/sm.h"
#include "gpu/sm/statistics.h"
#include "gpu/sm/steady.h"

struct stretches { /* that were passed over in a kernel, or in all: of all its SMs together */
    double sms, count, checks;
    double squares, checked, errors; /* as the counters: in squares of cycles */
};

static struct stretches stretches_of(const uint64_t *sm)
{
    return (struct stretches){.sms = (double)sm[SM_STEADY_SMS],
                              .count = (double)sm[SM_STEADY_STRETCHES],
                              .checks = (double)sm[SM_STEADY_CHECKS],
                              .squares = (double)sm[SM_STEADY_SQUARES],
                              .checked = (double)sm[SM_STEADY_CHECKED],
                              .errors = (double)sm[SM_STEADY_ERRORS]};
}

/* ===== counters ===== */

static bool is_in(size_t row, size_t first, size_t last)
{
    return row >= first && row <= last;
}

/* What is counted while an SM passes over, too. */
static bool is_whole(const struct mnp_model *model, size_t row)
{
    if (!model->statistics[row].kind->counted || model == &dispatch_model)
        return true;
    if (model != &sm_model && model->extends != &sm_model)
        return false;
    return row <= SM_GPU_OCCUPANCY || is_in(row, SM_CLASS_FIRST, SM_ZERO_MASK) ||
           is_in(row, SM_BARRIERS, SM_ACTIVITY) || is_in(row, SM_LANES_FIRST, SM_MATRIX_OPERATIONS) ||
           is_in(row, SM_STEADY_INSTRUCTIONS, SM_STEADY_ERRORS);
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

/* The deviation of an SM's time, in cycles, by the kernel's own checks, or, if it has none, by those of all kernels.
 * Paces at which something is passed over have been alike before, within an eighth: that is worth a few checks. */
static double deviation(struct stretches own, struct stretches common, double *freedom)
{
    const double half_root_pi = 0.886226925452758; /* deviation over the mean difference of two normal numbers */
    const double alike = 1.0 / 8, worth = 4;
    struct stretches from = own.checks > 0 ? own : common;
    double each = from.checks > 0 ? from.checked / from.checks : 1;
    double part = (from.errors + worth * each * alike) / (from.checked + worth * each);
    *freedom = (from.sms > 0 ? from.checks / from.sms : 0) + worth;
    double paces = part * half_root_pi, ends = SM_STEADY_TURN;
    double square = paces * paces * own.squares + 2 * ends * ends * own.count;
    return own.sms > 0 ? __builtin_sqrt(square / own.sms) : 0;
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

/* The share of what was passed over that caches have missed meanwhile. Of 66 runs on three machines (docs/sampling.md)
 * 62 keep their margins without it, and 63 with it. */
static const double unseen = 0.02;

static struct margin margin_of(const struct mnp_part_results *part, struct stretches common)
{
    const uint64_t *sm = mnp_statistics_block(&part->statistics, &sm_model)->values;
    double cycles = (double)mnp_statistics_block(&part->statistics, &dispatch_model)->values[DISPATCH_GPU_SIM_CYCLE];
    double passed = (double)sm[SM_STEADY_CYCLES] / (double)(sm[SM_ACTIVE_CYCLES] ? sm[SM_ACTIVE_CYCLES] : 1);
    struct stretches own = stretches_of(sm);
    double freedom, one = deviation(own, common, &freedom);
    return (struct margin){.chance = mnp_estimate_quantile(freedom) * one,
                           .slowest = greatest_of(own.sms) * one + unseen * passed * cycles};
}

static struct stretches common_stretches(const struct mnp_results *results)
{
    struct stretches all = {0};
    for (uint32_t i = 0; i < results->part_count; i++) {
        struct stretches of = stretches_of(mnp_statistics_block(&results->parts[i]->statistics, &sm_model)->values);
        all.sms += of.sms;
        all.checks += of.checks;
        all.checked += of.checked;
        all.errors += of.errors;
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
    struct stretches common = common_stretches(results);
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
        part->chance = (uint64_t)(margin.chance + 0.5);
        part->late = (uint64_t)(margin.slowest + 0.5);
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
