/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies and fills, arrays of texels, boxes of memory that are copied, and textures. */
#ifndef CUDART_COPIES_H
#define CUDART_COPIES_H

#include "cudart/core/context.h"

enum { CUDART_MAX_SIDE = 131072 }; /* texels */

/* An array of texels, in rows of device memory. */
struct cudart_array {
    uint64_t address;     /* 0: freed */
    uint64_t pitch;       /* bytes */
    size_t width, height; /* texels; height 0: one dimension */
    size_t depth;         /* 0: two dimensions at most */
    unsigned flags;
    struct cuda_channel channel;
};

/* ===== copies.c ===== */

/* Whether rows are there, as long as the device is prepared: in one allocation, or in memory of the program's own. */
bool cudart_rows_are_there(const struct cudart *rt, uint64_t address, uint64_t pitch, const struct cudart_area *a,
                           bool writes);
/* `wait`: until the rows have been copied. */
enum cuda_error cudart_copy_area(struct cudart *rt, const struct cudart_area *area, int kind, uint64_t stream,
                                 bool wait);
/* One row. */
enum cuda_error cudart_copy(struct cudart *rt, const void *to, const void *from, size_t bytes, int kind,
                            uint64_t stream, bool wait);
/* Fills rows (to, to_pitch, width in bytes, height) with a value of 1, 2 or 4 bytes. */
enum cuda_error cudart_fill_area(struct cudart *rt, const struct cudart_area *area, uint32_t value, unsigned bytes_each,
                                 uint64_t stream);

struct cudart_symbol_copy {
    const void *symbol, *other; /* the variable, and the memory on the other side */
    uint64_t bytes, offset, stream;
    int kind;
    bool to_symbol, wait;
};
enum cuda_error cudart_copy_symbol(struct cudart *rt, const struct cudart_symbol_copy *c);

/* ===== arrays.c ===== */

unsigned cudart_channels_of(const struct cuda_channel *channel);
uint64_t cudart_texel_bytes(const struct cuda_channel *channel);
bool cudart_channel_is_well(const struct cuda_channel *channel);

/* NULL: there is no such array. */
const struct cudart_array *cudart_array_of(const struct cudart *rt, uint64_t handle);
/* Of 1, 2 or 3 dimensions: those behind are 0. */
enum cuda_error cudart_make_array(struct cudart *rt, uint64_t *out, const struct cuda_channel *channel,
                                  const size_t extent[3], unsigned flags);
enum cuda_error cudart_free_array(struct cudart *rt, uint64_t handle);
void cudart_forget_arrays(struct cudart *rt);

/* ===== boxes.c ===== */

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
enum cuda_error cudart_fill_box(struct cudart *rt, struct cuda_pitched memory, int value, struct cuda_extent size,
                                uint64_t stream);

/* ===== textures.c ===== */

/* `view` is to be NULL. */
enum cuda_error cudart_make_texture(struct cudart *rt, uint64_t *out, const struct cuda_resource *resource,
                                    const struct cuda_texture *how, const void *view);
enum cuda_error cudart_make_surface(struct cudart *rt, uint64_t *out, const struct cuda_resource *resource);
enum cuda_error cudart_remove_texture(struct cudart *rt, uint64_t handle); /* 0 is well */

#endif
