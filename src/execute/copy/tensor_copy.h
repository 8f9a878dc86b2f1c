/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a tensor copy (cp.async.bulk.tensor, PTX ISA 9.0) moves: the rows of its box, in the order of shared memory. The
 * TMA unit of a machine takes them one after another; tensor_copy.c performs them all at once.
 */
#ifndef EXECUTE_TENSOR_COPY_H
#define EXECUTE_TENSOR_COPY_H

#include "execute/code/op.h"
#include "execute/copy/tensor_map.h"

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
/* Channels of a slice of an interleaved tensor, whose boxes have whole ones; 0 of others. */
uint32_t execute_tensor_slice(const struct execute_tensor_map *map);

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
    uint32_t element;                         /* bytes that are aligned together in global memory */
    uint32_t words[EXECUTE_TENSOR_MAP_WORDS]; /* the map as it was read */
    unsigned char *memory;                    /* the shared memory that it goes to, or comes from */
    uint8_t signals;   /* of pairs: whose mbarriers learn of it, the even blocks' (1) or the odd ones' (2); 0: where the
                        * bytes go */
    uint16_t targets;  /* blocks of the cluster that it goes to, by rank, one bit each */
    uint8_t direction; /* enum execute_tensor_direction */
    uint8_t operation; /* of a reduction: enum execute_atomic_operation */
    uint8_t type;      /* … enum execute_type */
};

/* Reads the operands and the map of a lane's copy. False: a fault. */
bool execute_bulk_prepare(struct execute_warp *warp, const struct execute_op *op, uint32_t lane,
                          struct execute_bulk *bulk);
/* The same of a copy with a map, or without one, whose bytes, and place in shared memory, are known. False: no map. */
bool execute_bulk_of_map(struct execute_bulk *bulk, const uint32_t words[EXECUTE_TENSOR_MAP_WORDS]);
void execute_bulk_of_bytes(struct execute_bulk *bulk, uint64_t address);
/* A row of it. */
struct execute_tensor_piece execute_bulk_row(const struct execute_bulk *bulk, uint32_t row, uint32_t *row_bytes);
/* Moves bytes between `data` and shared memory (bulk->memory), where the swizzle has them. False: outside the block's
 * shared memory, which is a fault. */
bool execute_bulk_shared(struct execute_warp *warp, const struct execute_bulk *bulk, bool write, uint32_t address,
                         uint32_t bytes, unsigned char *data);
/* Fills what of a row lies outside the tensor, in shared memory. */
bool execute_bulk_fill(struct execute_warp *warp, const struct execute_bulk *bulk,
                       const struct execute_tensor_piece *piece, uint32_t row_bytes);
/* Whether the mbarrier that a parcel is counted at cannot do that, which is *object then. */
struct mnp_parcel;
struct execute_cta;
bool execute_parcel_is_refused(const struct execute_cta *cta, const struct mnp_parcel *parcel, uint64_t *object);

/* Moves all bytes of a copy across from the block's own shared memory to bulk->memory. False: outside either. */
bool execute_bulk_across(struct execute_warp *warp, const struct execute_bulk *bulk);
/* What `bytes` bytes become with those that are there: enum execute_atomic_operation, enum execute_type. */
void execute_bulk_combine(uint8_t operation, uint8_t type, unsigned char *there, const unsigned char *data,
                          uint32_t bytes);
/* Whether bytes lie inside the block's shared memory. False: a fault. */
bool execute_bulk_is_inside(struct execute_warp *warp, uint64_t address, uint32_t bytes);
/* Whose mbarrier learns of the bytes that go to the block of a rank; blocks whose mbarriers do, a bit each; how many
 * bytes that of a rank learns of, of one load. */
uint32_t execute_bulk_signalled(const struct execute_bulk *bulk, uint32_t rank);
uint32_t execute_bulk_signals(const struct execute_bulk *bulk);
uint32_t execute_bulk_counted(const struct execute_bulk *bulk, uint32_t rank);
/* Whether it goes to the shared memory of the warp's own block. */
bool execute_bulk_is_own(const struct execute_warp *warp, const struct execute_bulk *bulk);

/* ===== parcels: what of a copy goes to the shared memory of another block ===== */

struct mnp_parcel;
struct execute_cta;

/* The whole of a load, which the other block's machine reads out of global memory itself; its mbarrier learns of
 * `complete` bytes. */
void execute_parcel_of_load(const struct execute_bulk *bulk, uint32_t complete, struct mnp_parcel *parcel);
/* `bytes` bytes of a copy across, at most 128, from byte `at` on. False: a fault of the warp. */
bool execute_parcel_of_bytes(struct execute_warp *warp, const struct execute_bulk *bulk, uint32_t at, uint32_t bytes,
                             struct mnp_parcel *parcel);

/* An arrival at the mbarrier at that place of the block's shared memory. */
void execute_parcel_of_arrival(uint64_t barrier, struct mnp_parcel *parcel);
/* Bytes of a load that have come to the other block of a pair, for an mbarrier. */
void execute_parcel_of_bytes_done(uint64_t barrier, uint32_t bytes, struct mnp_parcel *parcel);

/* Puts a parcel into the shared memory of a block. `read`: reads global memory. *flipped: the mbarrier whose phase has
 * ended by that, as an address in shared memory, plus one; 0: none. False: a fault of the block's first warp. */
bool execute_parcel_put(struct execute_cta *cta, const struct mnp_parcel *parcel,
                        void (*read)(void *context, uint64_t address, uint32_t bytes, void *data), void *context,
                        uint64_t *flipped);

#endif
