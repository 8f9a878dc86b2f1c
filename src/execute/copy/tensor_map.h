/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tensor maps: 128 bytes that describe, for the tensor memory accelerator of Hopper, a tensor in global memory, the box
 * that a copy transfers, and the layout of the box in shared memory. The format is the driver's
 * (reference/hopper-blackwell.md, section 3: output of the driver, encoded again byte for byte); the rules are those of
 * cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col (CUDA driver API 13.0, tensor map objects).
 */
#ifndef EXECUTE_TENSOR_MAP_H
#define EXECUTE_TENSOR_MAP_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum { EXECUTE_TENSOR_RANK = 5, EXECUTE_TENSOR_MAP_BYTES = 128, EXECUTE_TENSOR_MAP_WORDS = 32 };

/* Element types; 0 … 10 are also the encodings of .elemtype (PTX ISA 9.0, tensormap.replace). */
enum execute_tensor_type {
    EXECUTE_TENSOR_U8,
    EXECUTE_TENSOR_U16,
    EXECUTE_TENSOR_U32,
    EXECUTE_TENSOR_S32,
    EXECUTE_TENSOR_U64,
    EXECUTE_TENSOR_S64,
    EXECUTE_TENSOR_F16,
    EXECUTE_TENSOR_F32,
    EXECUTE_TENSOR_F32_FTZ,
    EXECUTE_TENSOR_F64,
    EXECUTE_TENSOR_BF16,
    EXECUTE_TENSOR_TYPE_COUNT
};

enum execute_tensor_interleave {
    EXECUTE_TENSOR_INTERLEAVE_NONE,
    EXECUTE_TENSOR_INTERLEAVE_16B,
    EXECUTE_TENSOR_INTERLEAVE_32B,
    EXECUTE_TENSOR_INTERLEAVE_COUNT
};

enum execute_tensor_swizzle {
    EXECUTE_TENSOR_SWIZZLE_NONE,
    EXECUTE_TENSOR_SWIZZLE_32B,
    EXECUTE_TENSOR_SWIZZLE_64B,
    EXECUTE_TENSOR_SWIZZLE_128B,
    EXECUTE_TENSOR_SWIZZLE_128B_ATOM_32B,
    EXECUTE_TENSOR_SWIZZLE_128B_ATOM_32B_FLIP_8B,
    EXECUTE_TENSOR_SWIZZLE_128B_ATOM_64B,
    EXECUTE_TENSOR_SWIZZLE_COUNT
};

/* A tensor map in plain numbers. Dimension 0 is the innermost. */
struct execute_tensor_map {
    uint64_t address;
    uint64_t dimensions[EXECUTE_TENSOR_RANK];      /* elements, 1 … 2^32 */
    uint64_t strides[EXECUTE_TENSOR_RANK];         /* bytes from one element to the next; [0]: of an element */
    uint32_t box[EXECUTE_TENSOR_RANK];             /* elements, 1 … 256 */
    uint32_t element_strides[EXECUTE_TENSOR_RANK]; /* 1 … 8 */
    uint32_t channels, pixels;  /* im2col: channels per pixel, 1 … 256; pixels per copy, 1 … 1024 */
    int32_t lower[3], upper[3]; /* im2col: corners of the box of pixels, from dimension 1 on */
    uint8_t rank;
    uint8_t type;       /* enum execute_tensor_type */
    uint8_t interleave; /* enum execute_tensor_interleave */
    uint8_t swizzle;    /* enum execute_tensor_swizzle */
    uint8_t promotion;  /* bytes of a filling of the L2: 0: none, 1, 2, 3: 64, 128, 256 */
    bool im2col, fill_nan, tf32;
};

/* Bytes of an element. */
uint32_t execute_tensor_element_bytes(uint8_t type);
/* Whether an element is a floating-point number. */
bool execute_tensor_is_float(uint8_t type);

/* Whether the driver would create such a map. Returns false with an error that names the first violated rule. */
bool execute_tensor_map_check(const struct execute_tensor_map *map, struct mnp_error *error);

/* Encodes a checked map exactly as the driver does. */
void execute_tensor_map_encode(const struct execute_tensor_map *map, uint32_t words[EXECUTE_TENSOR_MAP_WORDS]);
/* Reads a map. False: the words are no tensor map. */
bool execute_tensor_map_decode(const uint32_t words[EXECUTE_TENSOR_MAP_WORDS], struct execute_tensor_map *map);

/* Fields that tensormap.replace.tile changes (PTX ISA 9.0). */
enum execute_tensor_field {
    EXECUTE_TENSOR_FIELD_ADDRESS,
    EXECUTE_TENSOR_FIELD_RANK,
    EXECUTE_TENSOR_FIELD_BOX,
    EXECUTE_TENSOR_FIELD_DIMENSION,
    EXECUTE_TENSOR_FIELD_STRIDE,
    EXECUTE_TENSOR_FIELD_ELEMENT_STRIDE,
    EXECUTE_TENSOR_FIELD_TYPE,
    EXECUTE_TENSOR_FIELD_INTERLEAVE,
    EXECUTE_TENSOR_FIELD_SWIZZLE,
    EXECUTE_TENSOR_FIELD_FILL,
    EXECUTE_TENSOR_FIELD_COUNT
};

/* Changes one field of a map in its 128 bytes. `ordinal`: the dimension, for fields that exist per dimension; strides
 * are counted from that of dimension 1. Returns false if the field cannot have the value. */
bool execute_tensor_map_replace(uint32_t words[EXECUTE_TENSOR_MAP_WORDS], enum execute_tensor_field field,
                                uint32_t ordinal, uint64_t value);

/* Maps a byte of a box to its address in shared memory: exchanges bits of `address` according to the swizzle. */
uint32_t execute_tensor_swizzle(uint8_t swizzle, uint32_t address);

#endif
