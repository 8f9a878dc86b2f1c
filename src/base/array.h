/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A growing array of plain structs. An all-zero structure is an empty array. The owner knows the type and casts
 * `items`:
 *
 *     struct point *point = mnp_array_add(&points, 1, sizeof *point);
 *     const struct point *all = points.items;             [points.count], until the next mnp_array_add
 *     mnp_array_release(&points);
 */
#ifndef MNP_BASE_ARRAY_H
#define MNP_BASE_ARRAY_H

#include <stddef.h>
#include <stdint.h>

struct mnp_array {
    void *items;              /* NULL until an element is added */
    uint32_t count, capacity; /* elements */
};

/* Appends `count` zeroed elements of `size` bytes and returns the first one; if `count` is 0, returns the end of the
 * array. Elements may move. An array with 2^32 - 1 elements or more is a bug. */
void *mnp_array_add(struct mnp_array *array, uint32_t count, size_t size);

/* The number of elements whose keys are below `key`. Elements of `size` bytes begin with their key, a uint64_t, and are
 * sorted by it. */
uint32_t mnp_array_before(const struct mnp_array *array, size_t size, uint64_t key);

/* Frees the elements; the array is then empty. */
void mnp_array_release(struct mnp_array *array);

#endif
