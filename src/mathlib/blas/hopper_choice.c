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
    {#name, rows, columns, groups, cluster, blocks, turns, false, 1},
    HOPPER_FORMS(FORM)
#undef FORM
#define FORM(name, columns) {#name, 64, columns, 1, 1, 2, false, true, 1},
        HOPPER_ACROSS_FORMS(FORM)
#undef FORM
};
static const struct hopper_form tensor_forms[] = {
#define FORM(name, rows, columns, groups, shares, blocks)                                                              \
    {#name, rows, columns, groups, 1, blocks, false, false, shares},
    BLACKWELL_FORMS(FORM)
#undef FORM
};
enum { FORMS = sizeof forms / sizeof *forms, TENSOR_FORMS = sizeof tensor_forms / sizeof *tensor_forms };
/* Bytes of D that leave an SM in a cycle; bytes that the L2 keeps. */
enum { MOST_PARTS = 32, STORE_BYTES = 32, L2_KEEPS = 24 << 20 };
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
 * the launch to the first product plus those from the last product to the end; `adds`, `adds_more`: cycles of the
 * kernel that adds the parts, and more for each of them. Of h100-sxm and b200.
 */
struct device {
    double dram, l2, l2_more, line, alone, adds, adds_more;
    bool tensor_memory; /* sums of a tile leave while those of the next one are made */
};

static const struct device hopper = {1450, 2800, 8, 1, 4400, 2600, 0, false};
static const struct device blackwell = {3400, 8000, 40, 2, 4400, 3000, 200, true};

/* Cycles of a stage, of which `busy` blocks have one at a time. */
static double stage_cycles(const struct device *d, const struct hopper_form *f, double busy, double l2)
{
    int height = hopper_height(f);
    double columns = f->columns;
    double product =
        d->tensor_memory ? larger(2 * columns, 44) : 4.0 * (height / 64) * larger(columns / 2, 16 + columns / 4);
    double loads = 128.0 * (height + columns / f->cluster) * busy / l2;
    double lines = (height + columns / f->cluster) * d->line; /* lines of 128 bytes that an SM asks for */
    return larger(f->blocks * larger(larger(product, loads), lines), 60);
}

/* Cycles of the kernel that adds the sums of a tile's parts. */
static double adding_cycles(const struct device *d, const struct hopper_form *f, int parts, int64_t units, double l2)
{
    double sums = (double)(hopper_height(f) * f->columns);
    return parts > 1 ? d->adds + d->adds_more * parts + 8 * (double)(units * f->cluster) * sums / (l2 / 2) : 0;
}

/* Estimated cycles of a product in a form with `parts` parts of k. */
static double estimate(const struct device *d, const struct hopper_size *size, const struct hopper_form *f, int parts,
                       int multiprocessors)
{
    int height = hopper_height(f), clusters = hopper_clusters(f, multiprocessors);
    int64_t rows = f->across ? size->n : size->m, columns = f->across ? size->m : size->n;
    int64_t tiles =
        mathlib_blocks(rows, (int64_t)height * f->cluster) * mathlib_blocks(columns, f->columns) * size->batch;
    int64_t steps = mathlib_blocks(size->k, 64LL * f->blocks), depth = mathlib_blocks(steps, parts);
    int64_t units = tiles * mathlib_blocks(steps, depth), waves = mathlib_blocks(units, clusters);
    double busy = (double)(units < clusters ? units : clusters) * f->cluster, l2 = d->l2 + d->l2_more * busy;
    double stage = stage_cycles(d, f, busy, l2);
    double store = 500 + 2.0 * height * f->columns / STORE_BYTES;
    /* Warpgroups that take tiles in turn store one while they multiply the other. */
    double each = (double)depth * stage + ((f->turns || d->tensor_memory) && waves > 1 ? 100 : store);
    /* The operand with the columns and D are what kernels before have left in the L2, as much as it keeps. */
    double weights = 2.0 * (double)size->batch * (double)size->m * (double)size->k;
    double others = 2.0 * (double)size->batch * (double)size->n * (double)(size->k + size->m);
    double moved = weights + larger(others - L2_KEEPS, 0);
    double inside = (double)waves * each, outside = moved / d->dram;
    double together = f->cluster > 1 ? 400 * f->cluster : 0; /* blocks of a cluster wait for one another */
    return d->alone + together + larger(inside, outside) + (inside < outside ? inside : outside) / 20 +
           adding_cycles(d, f, parts, units, l2);
}

/* Forms that there are for a size. */
static int forms_of(const struct hopper_size *size, const struct hopper_form **first)
{
    *first = size->tensor_memory ? tensor_forms : forms;
    return size->tensor_memory ? TENSOR_FORMS : size->common ? COMMON : FORMS;
}

/* Whether a form takes so many parts of k. Tiles across are for at most as many numbers of m as a tile has rows. */
static bool takes(const struct hopper_form *f, const struct hopper_size *size, int parts)
{
    return (parts == 1 || (f->shares == 1 && size->n <= 65535)) && (!f->across || size->m <= f->rows);
}

struct hopper_choice blas_hopper_best(struct hopper_size size, int multiprocessors)
{
    struct hopper_choice best = {0};
    double least = INFINITY;
    const struct hopper_form *first;
    int count = forms_of(&size, &first);
    for (int i = 0; i < count; i++)
        /* Clusters that share a tile's k are faster than the second kernel that silicon has: by number alone. */
        for (int parts = 1; parts <= MOST_PARTS && first[i].shares == 1 && takes(&first[i], &size, parts); parts++) {
            if (parts > 1 && size.k < 256LL * parts)
                break;
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
    bool there = number >= 0 && form < forms_of(&size, &first) && takes(&first[form], &size, parts) &&
                 (parts == 1 || mathlib_blocks(size.k, 128) >= parts);
    return (struct hopper_choice){there ? &first[form] : NULL, parts};
}
