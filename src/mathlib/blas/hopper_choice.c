/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Selection of the fastest form of a product by warpgroups: an estimate of its cycles from the time of a stage on
 * tensor cores and the L2, the number of tiles per SM, and the overhead between tiles. docs/lab/models.md compares the
 * estimates.
 */
#include "mathlib/blas/hopper_choice.h"

#include "mathlib/blas/hopper.h"

#include <math.h>

static const struct hopper_form forms[] = {
#define FORM(name, rows, columns, groups, turns, cluster, blocks)                                                      \
    {#name, rows, columns, groups, cluster, blocks, turns},
    HOPPER_FORMS(FORM)
#undef FORM
};
enum { FORMS = sizeof forms / sizeof *forms, MOST_PARTS = 32 };
#define FORM(...) +1
enum { COMMON = HOPPER_COMMON_FORMS(FORM) };
#undef FORM

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/*
 * Estimated cycles of a product in a form with `parts` parts of k. Constants in bytes per cycle and in cycles are those
 * of h100-sxm. `alone`: cycles from the launch to the first product plus those from the last product to the end;
 * `adds`: cycles of the kernel that adds the parts.
 */
static double estimate(const struct hopper_size *size, const struct hopper_form *f, int parts, int multiprocessors)
{
    const double dram = 1450, alone = 4400, adds = 2600;
    int height = hopper_height(f), clusters = hopper_clusters(f, multiprocessors);
    int64_t down = mathlib_blocks(size->m, (int64_t)height * f->cluster), across = mathlib_blocks(size->n, f->columns);
    int64_t tiles = down * across * size->batch, steps = mathlib_blocks(size->k, 64LL * f->blocks);
    int64_t depth = mathlib_blocks(steps, parts), units = tiles * mathlib_blocks(steps, depth);
    int64_t waves = mathlib_blocks(units, clusters);
    double busy = (double)(units < clusters ? units : clusters) * f->cluster;
    double l2 = 2800 + 8 * busy; /* many blocks read the same lines at a time */
    double product = f->blocks * 4.0 * (height / 64) * larger(f->columns / 2.0, 16 + f->columns / 4.0);
    double loads = f->blocks * 128.0 * (height + (double)f->columns / f->cluster) * busy / l2;
    double lines = f->blocks * (height + f->columns); /* lines of 128 bytes, one per cycle into an SM */
    double stage = larger(larger(product, loads), larger(lines, 60));
    /* Warpgroups that take tiles in turn store one while they multiply the other. */
    double store = 500 + f->columns / 64.0 * (f->rows / 64) * 300;
    double each = (double)depth * stage + (f->turns && waves > 1 ? 100 : store);
    double moved =
        2.0 * (double)size->batch *
        ((double)size->n * (double)size->k + (double)size->m * (double)size->k + (double)size->m * (double)size->n);
    double inside = (double)waves * each, outside = moved / dram;
    double together = f->cluster > 1 ? 400 * f->cluster : 0; /* blocks of a cluster wait for one another */
    double cycles = alone + together + larger(inside, outside) + (inside < outside ? inside : outside) / 20;
    if (parts > 1)
        cycles += adds + 8.0 * (double)(units * height * f->cluster * f->columns) / (l2 / 2);
    return cycles;
}

struct hopper_choice blas_hopper_best(struct hopper_size size, int multiprocessors)
{
    struct hopper_choice best = {0};
    double least = INFINITY;
    for (int i = 0; i < (size.common ? COMMON : FORMS); i++)
        for (int parts = 1; parts <= MOST_PARTS && (parts == 1 || (size.k >= 256LL * parts && size.n <= 65535));
             parts++) {
            double cycles = estimate(&size, &forms[i], parts, multiprocessors);
            if (cycles < least)
                least = cycles, best = (struct hopper_choice){&forms[i], parts};
        }
    return best;
}

struct hopper_choice blas_hopper_numbered(struct hopper_size size, int number)
{
    int form = number / MOST_PARTS, parts = number % MOST_PARTS + 1;
    bool there = number >= 0 && form < (size.common ? COMMON : FORMS) &&
                 (parts == 1 || (mathlib_blocks(size.k, 128) >= parts && size.n <= 65535));
    return (struct hopper_choice){there ? &forms[form] : NULL, parts};
}
