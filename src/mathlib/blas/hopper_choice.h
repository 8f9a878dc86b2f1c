/* SPDX-License-Identifier: BSD-3-Clause */
/* The forms of products by warpgroups, and which one is the fastest for a size. */
#ifndef MATHLIB_BLAS_HOPPER_CHOICE_H
#define MATHLIB_BLAS_HOPPER_CHOICE_H

#include "mathlib/blas/handle.h"

/* As HOPPER_FORMS (hopper.h) have them. */
struct hopper_form {
    const char *name;
    int rows, columns, groups, cluster, blocks;
    bool turns;
};

struct hopper_choice {
    const struct hopper_form *form;
    int parts; /* of k */
};

/* Sizes of a product, and whether its forms are the common ones alone. */
struct hopper_size {
    int64_t m, n, k, batch;
    bool common;
};

/* Rows of a block's tile. */
static inline int hopper_height(const struct hopper_form *form)
{
    return form->turns ? form->rows : form->rows * form->groups;
}

/* Clusters that a device with so many SMs runs at a time: four blocks of one do not fill every group of SMs. */
static inline int hopper_clusters(const struct hopper_form *form, int multiprocessors)
{
    int clusters = multiprocessors / form->cluster;
    return form->cluster > 2 && clusters > 16 ? clusters - 2 : clusters;
}

/* The best of all forms and numbers of parts for a device with so many SMs. */
struct hopper_choice blas_hopper_best(struct hopper_size size, int multiprocessors);
/* A choice by its number, which is 0 or more; `form` is NULL where there is none. */
struct hopper_choice blas_hopper_numbered(struct hopper_size size, int number);

#endif
