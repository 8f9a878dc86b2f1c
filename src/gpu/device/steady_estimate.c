/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Estimates for kernels with stretches that were passed over. The cycles of a kernel are those of the simulation, which
 * assumed the measured paces during these stretches. The paces measured after the stretches show how accurate the
 * assumptions were; all of them are used, including those that differed from the assumed pace.
 *
 * If paces vary by chance with a deviation s, two successive ones differ by √2·s. So if the pace after a stretch of c
 * cycles differs by a fraction d, the error of the stretch is c·d/√2; if the pace has changed steadily, c·d/2. Errors
 * of stretches add up as squares (Cochran, Sampling Techniques, chapter 8, on systematic samples by successive
 * differences). The begin and the end of each stretch are known to one turn (sm.steady.turn). SMs are measured at the
 * same time, so that errors which all of them share do not average out: a kernel is known no better than one of its
 * SMs.
 *
 * A kernel ends with its slowest SM. Among m similar SMs, each known with a deviation s, the slowest seems later by up
 * to s·√(2 ln m), the greatest of m normal numbers. Both errors go into the margin; the latter has one sign, so that
 * those of several kernels add up. The margin also covers an error that no check shows: when the pace after a stretch
 * is measured, the SM's own caches still hold their contents from before the stretch.
 *
 * Issue slots that were passed over are as many as cycles of sub-cores that were not counted, so that slots are cycles
 * times sub-cores; those of them that issued are the instructions passed over, and the others are divided as those that
 * were simulated. All other counters are stretched to all instructions: what was simulated has a kernel's beginning in
 * it, in which caches fill, so that they are known between none and twice as many.
 */
#include "gpu/device/steady_estimate.h"

#include "base/allocate.h"
#include "engine/count/results.h"
#include "gpu/dispatch/dispatch.h"
#include "gpu/sm/sm.h"
#include "gpu/sm/statistics.h"
#include "gpu/sm/steady.h"

struct stretches { /* stretches passed over in a kernel, or in all kernels: sums over all SMs */
    double sms, count, checks;
    double squares, checked, errors; /* same as the counters: cycles squared, cycles, cycles */
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

/* Whether a counter also counts while an SM passes over, so that it is not extrapolated. */
static bool is_whole(const struct mnp_model *model, size_t row)
{
    if (!model->statistics[row].kind->counted || model == &dispatch_model)
        return true;
    if (model != &sm_model && model->extends != &sm_model)
        return false;
    return row <= SM_ISSUE_SLOT_LAST || is_in(row, SM_CLASS_FIRST, SM_ZERO_MASK) ||
           is_in(row, SM_BARRIERS, SM_ACTIVITY) || is_in(row, SM_LANES_FIRST, SM_MATRIX_OPERATIONS) ||
           is_in(row, SM_STEADY_INSTRUCTIONS, SM_STEADY_ERRORS);
}

/* Extrapolates a count from the simulated instructions to all instructions. */
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

static uint64_t *total_of(struct mnp_results *results, size_t row)
{
    return &mnp_statistics_block(&results->total, &sm_model)->values[mnp_statistic_place(&sm_model, row)];
}

static void add_slots(struct mnp_results *results, uint64_t *sm, size_t row, uint64_t slots)
{
    sm[row] += slots;
    *total_of(results, row) += slots;
}

/* Gives a kernel issue slots that were passed over in it, in which no instruction issued. */
static void divide_slots(struct mnp_results *results, uint64_t *sm, uint64_t passed)
{
    uint64_t others = sm[SM_ISSUE_SLOTS] - sm[SM_ISSUE_SLOT_FIRST + SM_SLOT_ISSUED], rest = passed;
    size_t most = SM_ISSUE_SLOT_FIRST + SM_SLOT_IDLE;
    add_slots(results, sm, SM_ISSUE_SLOTS, passed);
    for (size_t row = most; row <= SM_ISSUE_SLOT_LAST; row++) {
        uint64_t more = others ? stretched(sm[row], passed, others) : 0;
        add_slots(results, sm, row, more);
        rest -= more;
        most = sm[row] > sm[most] ? row : most;
    }
    add_slots(results, sm, most, rest); /* left by rounding */
}

/* Cycles of sub-cores that no slot was counted for are those passed over. In some of them the instructions of kernels
 * issued; kernels have the others by the cycles of their SMs. */
static void fill_slots(struct mnp_results *results, uint64_t subcores)
{
    uint64_t all = *total_of(results, SM_CYCLES) * subcores, counted = *total_of(results, SM_ISSUE_SLOTS);
    uint64_t left = all > counted ? all - counted : 0, cycles = *total_of(results, SM_STEADY_CYCLES);
    for (uint32_t i = 0; i < results->part_count; i++) {
        uint64_t *sm = mnp_statistics_block(&results->parts[i]->statistics, &sm_model)->values;
        uint64_t issued = sm[SM_STEADY_INSTRUCTIONS] < left ? sm[SM_STEADY_INSTRUCTIONS] : left;
        add_slots(results, sm, SM_ISSUE_SLOTS, issued);
        add_slots(results, sm, SM_ISSUE_SLOT_FIRST + SM_SLOT_ISSUED, issued);
        left -= issued;
    }
    for (uint32_t i = 0; i < results->part_count; i++) {
        uint64_t *sm = mnp_statistics_block(&results->parts[i]->statistics, &sm_model)->values;
        uint64_t own = sm[SM_STEADY_CYCLES] < cycles ? sm[SM_STEADY_CYCLES] : cycles;
        uint64_t share = own ? stretched(left, own, cycles) : 0;
        if (share)
            divide_slots(results, sm, share);
        left -= share;
        cycles -= own;
    }
}

/* ===== margins ===== */

/* The deviation of an SM's time, in cycles, by the kernel's own checks, or, if it has none, by those of all kernels.
 * Paces at which something is passed over have been alike before, within an eighth: that is worth a few checks. */
static double deviation(struct stretches own, struct stretches common, double turn, double *freedom)
{
    const double half_root_pi = 0.886226925452758; /* deviation over the mean difference of two normal numbers */
    const double alike = 1.0 / 8, worth = 4;
    struct stretches from = own.checks > 0 ? own : common;
    double each = from.checks > 0 ? from.checked / from.checks : 1;
    double part = (from.errors + worth * each * alike) / (from.checked + worth * each);
    *freedom = (from.sms > 0 ? from.checks / from.sms : 0) + worth;
    double paces = part * half_root_pi, square = paces * paces * own.squares + 2 * turn * turn * own.count;
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

static struct margin margin_of(const struct mnp_part_results *part, struct stretches common, double turn)
{
    const uint64_t *sm = mnp_statistics_block(&part->statistics, &sm_model)->values;
    double cycles = (double)mnp_statistics_block(&part->statistics, &dispatch_model)->values[DISPATCH_GPU_SIM_CYCLE];
    double passed = (double)sm[SM_STEADY_CYCLES] / (double)(sm[SM_ACTIVE_CYCLES] ? sm[SM_ACTIVE_CYCLES] : 1);
    struct stretches own = stretches_of(sm);
    double freedom, one = deviation(own, common, turn, &freedom);
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

/* Whether a counter is of time: of that of kernels, of SMs with work, or of all. */
static bool is_of_time(const struct mnp_model *model, size_t row)
{
    if (model != &sm_model)
        return !model->statistics[row].kind->counted && model != &dispatch_model;
    return !model->statistics[row].kind->counted || row == SM_ISSUE_SLOTS || row == SM_ACTIVE_CYCLES ||
           is_in(row, SM_RESIDENT_WARP_CYCLES, SM_POSSIBLE_WARP_CYCLES);
}

/* Adds what else is estimated: `part`, that of the cycles which is their margin, of counters of time, of stretched ones
 * all. SMs without a warp are so for a part of all slots. */
static void add_counters(struct mnp_estimate *estimate, const struct mnp_statistic_set *total, double part)
{
    double slots =
        (double)mnp_statistics_block(total, &sm_model)->values[mnp_statistic_place(&sm_model, SM_ISSUE_SLOTS)];
    for (uint32_t b = 0; b < total->block_count; b++) {
        const struct mnp_model *model = total->blocks[b].model;
        for (size_t row = 0; row < model->statistic_count; row++) {
            const struct mnp_statistic *statistic = &model->statistics[row];
            double value = (double)total->blocks[b].values[mnp_statistic_place(model, row)];
            bool empty = model == &sm_model && is_in(row, SM_ISSUE_SLOT_FIRST + 1, SM_ISSUE_SLOT_LAST);
            if (!statistic->kind->adds_up)
                continue;
            if (is_of_time(model, row))
                add_row(estimate, statistic, value, part * value);
            else if (empty || !is_whole(model, row))
                add_row(estimate, statistic, value, value + (empty ? part * slots : 0));
        }
    }
}

void gpu_steady_estimate(struct mnp_results *results, const struct sm_parameters *parameters)
{
    double turn = (double)parameters->steady_turn;
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
        struct margin margin = margin_of(part, common, turn);
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
    fill_slots(results, parameters->subcores);
    add_counters(&estimate, &results->total, (__builtin_sqrt(squares) + slowest) / cycles);
    results->estimate = mnp_allocate(1, sizeof *results->estimate);
    *results->estimate = estimate;
}
