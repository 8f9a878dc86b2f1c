/* SPDX-License-Identifier: BSD-3-Clause */
/* The forms of products by warpgroups, and which one is the fastest for a size. */
#ifndef MATHLIB_BLAS_HOPPER_CHOICE_H
#define MATHLIB_BLAS_HOPPER_CHOICE_H

#include "mathlib/blas/handle.h"

/*
 * A form of HOPPER_FORMS, HOPPER_ACROSS_FORMS or BLACKWELL_FORMS (hopper.h). `across`: rows of its tiles lie along n.
 * `shares`: blocks of a cluster that share the k of a tile.
 */
struct hopper_form {
    const char *name;
    int rows, columns, groups, cluster, blocks;
    bool turns, across;
    int shares;
};

struct hopper_choice {
    const struct hopper_form *form;
    int parts; /* number of parts of k */
};

/* Sizes of a product, whether only the common forms can be used, and whether sums are in tensor memory. */
struct hopper_size {
    int64_t m, n, k, batch;
    bool common, tensor_memory;
};

/* Rows of a block's tile. */
static inline int hopper_height(const struct hopper_form *form)
{
    return form->turns ? form->rows : form->rows * form->groups;
}

/* Number of clusters that a device with so many SMs runs at a time: clusters of four blocks do not fill every GPC. */
static inline int hopper_clusters(const struct hopper_form *form, int multiprocessors)
{
    int blocks = form->cluster * form->shares, clusters = multiprocessors / blocks;
    return blocks > 2 && clusters > 16 ? clusters - 2 : clusters;
}

/* The best form and number of parts for a device with so many SMs. */
struct hopper_choice blas_hopper_best(struct hopper_size size, int multiprocessors);
/* A choice by its number, from 0 on; `form` is NULL if there is no such choice. */
struct hopper_choice blas_hopper_numbered(struct hopper_size size, int number);

#endif
