/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Selection of the fastest form of a product by warpgroups or in tensor memory: an estimate of its cycles from the time
 * of a stage on tensor cores and the L2, the number of tiles per SM, and the overhead between tiles. docs/lab/models.md
 * compares the estimates.
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
static const struct hopper_form tensor_forms[] = {
#define FORM(name, rows, columns, groups, turns, cluster, blocks)                                                      \
    {#name, rows, columns, groups, cluster, blocks, turns},
    BLACKWELL_FORMS(FORM)
#undef FORM
};
enum { FORMS = sizeof forms / sizeof *forms, TENSOR_FORMS = sizeof tensor_forms / sizeof *tensor_forms };
enum { MOST_PARTS = 32 };
#define FORM(...) +1
enum { COMMON = HOPPER_COMMON_FORMS(FORM) };
#undef FORM

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/*
 * Bytes per cycle of the DRAM, and of the L2 for one block and how many more for each block that reads beside it: many
 * blocks read the same lines at a time. `line`: cycles that an SM takes for a line of 128 bytes. `alone`: cycles from
 * the launch to the first product plus those from the last product to the end; `adds`: cycles of the kernel that adds
 * the parts. Of h100-sxm and b200.
 */
struct device {
    double dram, l2, l2_more, line, alone, adds;
    bool tensor_memory; /* sums of a tile leave while those of the next one are made */
};

static const struct device hopper = {1450, 2800, 8, 1, 4400, 2600, false};
static const struct device blackwell = {3400, 4200, 8, 2, 5000, 6500, true};

/* Cycles of a stage, of which `busy` blocks have one at a time. */
static double stage_cycles(const struct device *d, const struct hopper_form *f, double busy, double l2)
{
    int height = hopper_height(f);
    double columns = f->columns;
    double product = d->tensor_memory ? larger(2 * columns, 44)
                                      : 4.0 * (height / 64) * larger(columns / 2, 16 + columns / 4);
    double loads = 128.0 * (height + columns / f->cluster) * busy / l2;
    double lines = (height + columns) * d->line; /* lines of 128 bytes into an SM */
    return larger(f->blocks * larger(larger(product, loads), lines), 60);
}

/* Estimated cycles of a product in a form with `parts` parts of k. */
static double estimate(const struct device *d, const struct hopper_size *size, const struct hopper_form *f, int parts,
                       int multiprocessors)
{
    int height = hopper_height(f), clusters = hopper_clusters(f, multiprocessors);
    int64_t down = mathlib_blocks(size->m, (int64_t)height * f->cluster), across = mathlib_blocks(size->n, f->columns);
    int64_t tiles = down * across * size->batch, steps = mathlib_blocks(size->k, 64LL * f->blocks);
    int64_t depth = mathlib_blocks(steps, parts), units = tiles * mathlib_blocks(steps, depth);
    int64_t waves = mathlib_blocks(units, clusters);
    double busy = (double)(units < clusters ? units : clusters) * f->cluster, l2 = d->l2 + d->l2_more * busy;
    double stage = stage_cycles(d, f, busy, l2);
    double store = 500 + f->columns / 64.0 * (f->rows / 64) * 300;
    /* Warpgroups that take tiles in turn store one while they multiply the other. */
    double each = (double)depth * stage + ((f->turns || d->tensor_memory) && waves > 1 ? 100 : store);
    double moved =
        2.0 * (double)size->batch *
        ((double)size->n * (double)size->k + (double)size->m * (double)size->k + (double)size->m * (double)size->n);
    double inside = (double)waves * each, outside = moved / d->dram;
    double together = f->cluster > 1 ? 400 * f->cluster : 0; /* blocks of a cluster wait for one another */
    double cycles = d->alone + together + larger(inside, outside) + (inside < outside ? inside : outside) / 20;
    if (parts > 1)
        cycles += d->adds + 8.0 * (double)(units * height * f->cluster * f->columns) / (l2 / 2);
    return cycles;
}

/* Forms that there are for a size. */
static int forms_of(const struct hopper_size *size, const struct hopper_form **first)
{
    *first = size->tensor_memory ? tensor_forms : forms;
    return size->tensor_memory ? TENSOR_FORMS : size->common ? COMMON : FORMS;
}

struct hopper_choice blas_hopper_best(struct hopper_size size, int multiprocessors)
{
    struct hopper_choice best = {0};
    double least = INFINITY;
    const struct hopper_form *first;
    int count = forms_of(&size, &first);
    for (int i = 0; i < count; i++)
        for (int parts = 1; parts <= MOST_PARTS && (parts == 1 || (size.k >= 256LL * parts && size.n <= 65535));
             parts++) {
            double cycles =
                estimate(size.tensor_memory ? &blackwell : &hopper, &size, &first[i], parts, multiprocessors);
            if (cycles < least)
                least = cycles, best = (struct hopper_choice){&first[i], parts};
        }
    return best;
}

struct hopper_choice blas_hopper_numbered(struct hopper_size size, int number)
{
    int form = number / MOST_PARTS, parts = number % MOST_PARTS + 1;
    const struct hopper_form *first;
    bool there = number >= 0 && form < forms_of(&size, &first) &&
                 (parts == 1 || (mathlib_blocks(size.k, 128) >= parts && size.n <= 65535));
    return (struct hopper_choice){there ? &first[form] : NULL, parts};
}
