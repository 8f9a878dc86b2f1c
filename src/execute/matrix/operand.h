/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matrices in shared memory, as the descriptors of wgmma and tcgen05 name them (reference/hopper-blackwell.md, sections
 * 4 and 5; PTX ISA 9.0, matrix descriptor and canonical layouts of both), and their elements as numbers (products.h).
 */
#ifndef EXECUTE_OPERAND_H
#define EXECUTE_OPERAND_H

#include "execute/lanes/products.h"
#include "execute/warp/warp.h"

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

/* Chunks in the order in which a matrix is read: it is written while one is read, or it is read instead of one. */
struct execute_operand_tape {
    unsigned char *bytes;
    uint32_t at;
    bool plays;
};

struct execute_operand_reader {
    struct execute_warp *warp; /* the warp that faults */
    const struct execute_cta *cta;
    struct execute_operand operand;
    uint32_t chunks;                   /* number of chunks of k */
    struct execute_operand_tape *tape; /* NULL: none */
};

/* Returns the 16 bytes with the elements of a row (of A's m, or B's n) in a chunk of k. NULL: outside the block's
 * shared memory, which is a fault. */
const unsigned char *execute_operand_chunk(const struct execute_operand_reader *reader, uint32_t row, uint32_t chunk);

/* The same, without a tape; NULL outside the block's shared memory, which is no fault. */
const unsigned char *execute_operand_peek(const struct execute_operand_reader *reader, uint32_t row, uint32_t chunk);

struct execute_operand_part { /* a range of rows or columns of a matrix */
    uint32_t first, count;    /* rows of A, or columns of B; `count` is a multiple of eight */
    uint32_t stride;          /* numbers from one k to the next, where they go to */
    uint8_t type;             /* enum execute_wgmma_type; types of six and four bits are packed in chunks of sixteen */
    bool across;              /* the matrix lies along m or n */
    bool interleaved;         /* columns in the interleaved order of warpgroup products */
};

/* False: a fault. */
bool execute_operand_read(const struct execute_operand_reader *reader, const struct execute_product_table *table,
                          const struct execute_operand_part *part, float *to);

/* Sixteen packed elements of six or four bits (enum execute_wgmma_type) become bytes of their own: six bits in the
 * lower ones, four in the middle. */
void execute_operand_unpack(uint8_t type, const unsigned char *chunk, unsigned char bytes[EXECUTE_PRODUCT_CHUNK]);

/* Elements of a type in a chunk. */
uint32_t execute_operand_elements(uint8_t type);

/* Eight chunks, of as many rows or columns, become numbers as execute_product_table.widen has them, of any type. */
void execute_operand_widen(const struct execute_product_table *table, uint8_t type,
                           const unsigned char *const chunks[8], bool interleaved, float *to, uint32_t stride);

#endif
