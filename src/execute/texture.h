/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Texture objects (CUDA C++ Programming Guide, texture memory and texture fetching). A texture lies in global memory in
 * rows; a handle, which the program holds, names it.
 */
#ifndef EXECUTE_TEXTURE_H
#define EXECUTE_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

enum ptx_texel { PTX_TEXEL_UNSIGNED, PTX_TEXEL_SIGNED, PTX_TEXEL_FLOAT };
enum ptx_addressing { PTX_ADDRESS_WRAP, PTX_ADDRESS_CLAMP, PTX_ADDRESS_MIRROR, PTX_ADDRESS_BORDER };

struct ptx_texture {
    uint64_t address;
    uint32_t size[3];      /* texels; 0 above the texture's dimensions; layers of a layered one in size[2] */
    uint64_t pitch;        /* bytes from row to row */
    uint8_t channels;      /* 1, 2 or 4 */
    uint8_t channel_bytes; /* 1, 2 or 4; floats have 2 or 4 */
    uint8_t kind;          /* enum ptx_texel */
    uint8_t addressing[3]; /* enum ptx_addressing */
    bool linear;           /* filtered; otherwise the nearest texel */
    bool normalized;       /* coordinates from 0 to 1 */
    bool read_normalized;  /* integers of 1 or 2 bytes are read as floats from 0 (or -1) to 1 */
    bool buffer;           /* linear memory: what lies outside is zero */
};

#endif
