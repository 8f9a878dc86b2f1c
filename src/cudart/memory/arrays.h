/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays of texels, of one, two and three dimensions. */
#ifndef CUDART_ARRAYS_H
#define CUDART_ARRAYS_H

#include "cudart/base/abi.h"

#include <stdbool.h>

struct cudart;
struct cudart_device;

enum { CUDART_MAX_SIDE = 131072 }; /* texels */

/* An array of texels, in rows of device memory. */
enum { CUDART_ARRAY_LAYERED = 1, CUDART_ARRAY_SURFACE = 2, CUDART_ARRAY_CUBE = 4, CUDART_ARRAY_GATHER = 8 }; /* flags */

struct cudart_array {
    struct cudart_device *device;
    uint64_t address;     /* 0: freed */
    uint64_t pitch;       /* bytes */
    size_t width, height; /* texels; height 0: one dimension */
    size_t depth;         /* 0: two dimensions at most */
    unsigned flags;
    struct cuda_channel channel;
};

unsigned cudart_channels_of(const struct cuda_channel *channel);
uint64_t cudart_texel_bytes(const struct cuda_channel *channel);
bool cudart_channel_is_well(const struct cuda_channel *channel);

/* NULL: there is no such array. */
const struct cudart_array *cudart_array_of(const struct cudart *rt, uint64_t handle);
/* Creates an array of 1, 2 or 3 dimensions; further extents are 0. */
enum cuda_error cudart_make_array(struct cudart_device *device, uint64_t *out, const struct cuda_channel *channel,
                                  const size_t extent[3], unsigned flags);
enum cuda_error cudart_free_array(struct cudart *rt, uint64_t handle);
void cudart_forget_arrays(struct cudart_device *device); /* the device is reset */

#endif
