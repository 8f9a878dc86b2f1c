/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Texture objects (CUDA C++ Programming Guide, texture memory and texture fetching). A texture lies in global memory in
 * rows; a handle, which the program holds, names it.
 */
#ifndef EXECUTE_TEXTURE_H
#define EXECUTE_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

enum execute_texel { EXECUTE_TEXEL_UNSIGNED, EXECUTE_TEXEL_SIGNED, EXECUTE_TEXEL_FLOAT };
enum execute_addressing { EXECUTE_ADDRESS_WRAP, EXECUTE_ADDRESS_CLAMP, EXECUTE_ADDRESS_MIRROR, EXECUTE_ADDRESS_BORDER };

/* op.variant of EXECUTE_KIND_TEXTURE. A cube map is an array of layers, six for each cube. */
enum execute_sampling {
    EXECUTE_SAMPLE,
    EXECUTE_GATHER,                                /* the first channel; the other three follow */
    EXECUTE_SAMPLE_DIRECTION = EXECUTE_GATHER + 4, /* a cube map; coordinates are a direction */
    EXECUTE_SAMPLE_CUBE,                           /* the same; the greatest magnitude of the direction is 1 */
};

struct execute_texture {
    uint64_t address;
    uint32_t size[3];      /* texels; 0 above the texture's dimensions; layers of a layered one in size[2] */
    uint64_t pitch;        /* bytes from row to row */
    uint8_t channels;      /* 1, 2 or 4 */
    uint8_t channel_bytes; /* 1, 2 or 4; floats have 2 or 4 */
    uint8_t kind;          /* enum execute_texel */
    uint8_t addressing[3]; /* enum execute_addressing */
    bool linear;           /* filtered; otherwise the nearest texel */
    bool normalized;       /* coordinates from 0 to 1 */
    bool read_normalized;  /* integers of 1 or 2 bytes are read as floats from 0 (or -1) to 1 */
    bool buffer;           /* linear memory: reads outside return zero */
};

#endif
