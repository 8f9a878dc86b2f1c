/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a tensor copy (cp.async.bulk.tensor, PTX ISA 9.0) moves: the rows of its box, in the order of shared memory. An
 * engine with a time of its own takes them one after another; tensor_copy.c performs them all at once.
 */
#ifndef EXECUTE_TENSOR_COPY_H
#define EXECUTE_TENSOR_COPY_H

#include "execute/op.h"
#include "execute/tensor_map.h"

enum { EXECUTE_TENSOR_ROW_BYTES = 256 * 8 /* of the largest row of a box */ };

struct execute_tensor_request {
    struct execute_tensor_map map;
    int32_t coordinates[EXECUTE_TENSOR_RANK]; /* of the box's first element; of im2col, of the first pixel */
    uint16_t offsets[3];                      /* im2col: of the pixels that are read, from dimension 1 on */
    uint32_t shared;                          /* address of the box in shared memory, before the swizzle */
};

/* A row of a box, and what of it lies in the tensor. */
struct execute_tensor_piece {
    uint32_t shared; /* where the row begins in shared memory, before the swizzle */
    uint32_t before; /* bytes of the row in front of the first one that the tensor has */
    uint32_t bytes;  /* that the tensor has; 0: the whole row lies outside */
    uint64_t global; /* where they are in global memory */
};

/* Bytes of a row, and rows, of a copy with this map. */
uint32_t execute_tensor_row_bytes(const struct execute_tensor_map *map);
uint32_t execute_tensor_rows(const struct execute_tensor_map *map);

/* Row `row` of the request, below execute_tensor_rows. */
struct execute_tensor_piece execute_tensor_piece_of(const struct execute_tensor_request *request, uint32_t row);

struct execute_warp;

/* A copy of one lane, whose operands have been read. Without a tensor map (map.rank 0) its bytes are rows of
 * EXECUTE_TENSOR_ROW_BYTES that follow one another. */
struct execute_bulk {
    struct execute_tensor_request request;
    uint64_t map;     /* address of the tensor map */
    uint64_t barrier; /* … of the mbarrier, of a load */
    uint64_t fill;    /* an element outside the tensor */
    uint32_t bytes, rows, row_bytes;
    uint32_t element;  /* bytes that are aligned together in global memory */
    uint8_t direction; /* enum execute_tensor_direction */
    uint8_t operation; /* of a reduction: enum execute_atomic_operation */
    uint8_t type;      /* … enum execute_type */
};

/* Reads the operands and the map of a lane's copy. False: a fault, or a multicast that does not come here. */
bool execute_bulk_prepare(struct execute_warp *warp, const struct execute_op *op, uint32_t lane,
                          struct execute_bulk *bulk);
/* A row of it. */
struct execute_tensor_piece execute_bulk_row(const struct execute_bulk *bulk, uint32_t row, uint32_t *row_bytes);
/* Moves bytes between `data` and shared memory, from byte `at` of a row on, where the swizzle has them. False: outside
 * the block's shared memory, which is a fault. */
bool execute_bulk_shared(struct execute_warp *warp, const struct execute_bulk *bulk, bool write, uint32_t address,
                         uint32_t bytes, unsigned char *data);
/* Fills what of a row lies outside the tensor, in shared memory. */
bool execute_bulk_fill(struct execute_warp *warp, const struct execute_bulk *bulk,
                       const struct execute_tensor_piece *piece, uint32_t row_bytes);

#endif
