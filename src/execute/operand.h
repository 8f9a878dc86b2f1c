/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matrices in shared memory, as the descriptors of wgmma and tcgen05 name them (reference/hopper-blackwell.md, sections
 * 4 and 5; PTX ISA 9.0, matrix descriptor and canonical layouts of both), and their elements as numbers (products.h).
 */
#ifndef EXECUTE_OPERAND_H
#define EXECUTE_OPERAND_H

#include "execute/products.h"
#include "execute/warp.h"

struct execute_operand {             /* a descriptor, read */
    uint32_t start, leading, stride; /* bytes */
    uint32_t phase;                  /* rows of the swizzle's pattern that come before its start */
    uint32_t width;                  /* chunks of 16 bytes that the swizzle spans; 1: none */
    uint32_t across;                 /* elements of k that follow one another, of a matrix that lies along m or n */
    uint8_t swizzle;                 /* enum execute_tensor_swizzle */
};

struct execute_operand execute_operand_of_wgmma(uint64_t descriptor);
/* False: a swizzle or a mode that there is not. */
bool execute_operand_of_tcgen05(uint64_t descriptor, struct execute_operand *out);

struct execute_operand_reader {
    struct execute_warp *warp;
    struct execute_operand operand;
    uint32_t chunks; /* of k */
};

/* The 16 bytes that have the elements of a row (of A's m, or B's n) in a part of k. NULL: outside the block's shared
 * memory, which is a fault. */
const unsigned char *execute_operand_chunk(const struct execute_operand_reader *reader, uint32_t row, uint32_t chunk);

/* Reads rows of A from `first` on, or columns of B: `count` of them, a multiple of eight. `type`: enum
 * execute_wgmma_type, those of six and four bits packed in chunks of sixteen; `across`: the matrix lies along m or n;
 * `interleaved`: in the order that products of warpgroups
 * have their columns in. False: a fault. */
bool execute_operand_read(const struct execute_operand_reader *reader, const struct execute_product_table *table,
                          uint8_t type, bool across, bool interleaved, uint32_t first, uint32_t count, float *to);

/* Sixteen packed elements of six or four bits (enum execute_wgmma_type) become bytes of their own: six bits in the
 * lower ones, four in the middle. */
void execute_operand_unpack(uint8_t type, const unsigned char *chunk, unsigned char bytes[EXECUTE_PRODUCT_CHUNK]);

#endif
