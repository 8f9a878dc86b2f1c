/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies and fills of boxes, in arrays and in memory. */
#ifndef CUDART_COPIES_3D_H
#define CUDART_COPIES_3D_H

#include "cudart/base/abi.h"

#include <stdbool.h>

struct cudart_device;

/* One side of a copy: a place in an array, or in memory. */
struct cudart_place {
    uint64_t array;   /* 0: memory */
    uint64_t address; /* address of the memory */
    uint64_t pitch;   /* bytes from row to row of the memory; 0: the rows follow one another */
    uint64_t rows;    /* from slice to slice of the memory; 0: the slices follow one another */
    uint64_t x, y, z; /* begin of the box: bytes, rows, slices */
};

/* Copies a box: width in bytes, height in rows, depth in slices. */
enum cuda_error cudart_copy_box(struct cudart_device *device, const struct cudart_place *to,
                                const struct cudart_place *from, const uint64_t size[3], int kind, uint64_t stream,
                                bool wait);
enum cuda_error cudart_fill_box(struct cudart_device *device, struct cuda_pitched memory, int value,
                                struct cuda_extent size, uint64_t stream);

#endif
