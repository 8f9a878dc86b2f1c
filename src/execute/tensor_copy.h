/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a tensor copy (cp.async.bulk.tensor, PTX ISA 9.0) moves: the rows of its box, in the order of shared memory. An
 * engine with a time of its own takes them one after another; tensor_copy.c performs them all at once.
 */
#ifndef EXECUTE_TENSOR_COPY_H
#define EXECUTE_TENSOR_COPY_H

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

#endif
