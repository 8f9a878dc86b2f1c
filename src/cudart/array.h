/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays of texels, and boxes of memory that are copied: what the runtime's and the driver's functions share. */
#ifndef CUDART_ARRAY_H
#define CUDART_ARRAY_H

#include "cudart/context.h"

enum { CUDART_MAX_SIDE = 131072 }; /* texels */

unsigned cudart_channels_of(const struct cuda_channel *channel);
uint64_t cudart_texel_bytes(const struct cuda_channel *channel);
bool cudart_channel_is_well(const struct cuda_channel *channel);

/* NULL: there is no such array. */
struct cudart_array *cudart_array_of(const struct cudart *rt, uint64_t handle);
/* Of 1, 2 or 3 dimensions: those behind are 0. */
enum cuda_error cudart_make_array(struct cudart *rt, uint64_t *out, const struct cuda_channel *channel,
                                  const size_t extent[3], unsigned flags);
enum cuda_error cudart_free_array(struct cudart *rt, uint64_t handle);

/* One side of a copy: a place in an array, or in memory. */
struct cudart_place {
    uint64_t array;   /* 0: memory */
    uint64_t address; /* of the memory */
    uint64_t pitch;   /* bytes from row to row of the memory; 0: the rows follow one another */
    uint64_t rows;    /* from slice to slice of the memory; 0: the slices follow one another */
    uint64_t x, y, z; /* where it begins: bytes, rows, slices */
};

/* Copies a box: width in bytes, height in rows, depth in slices. */
enum cuda_error cudart_copy_box(struct cudart *rt, const struct cudart_place *to, const struct cudart_place *from,
                                const uint64_t size[3], int kind, uint64_t stream, bool wait);

/* texture.c: `view` is to be NULL. */
enum cuda_error cudart_make_texture(struct cudart *rt, uint64_t *out, const struct cuda_resource *resource,
                                    const struct cuda_texture *how, const void *view);
enum cuda_error cudart_make_surface(struct cudart *rt, uint64_t *out, const struct cuda_resource *resource);

#endif
