/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rows that a tensor copy (cp.async.bulk.tensor, PTX ISA 9.0) moves, in the order of shared memory. The TMA unit of
 * a machine processes them one by one; tensor_copy.c performs all at once.
 */
#ifndef EXECUTE_TENSOR_COPY_H
#define EXECUTE_TENSOR_COPY_H

#include "execute/code/op.h"
#include "execute/copy/tensor_map.h"

enum { EXECUTE_TENSOR_ROW_BYTES = 256 * 8 /* bytes of the largest row of a box */ };

struct execute_tensor_request {
    struct execute_tensor_map map;
    int32_t coordinates[EXECUTE_TENSOR_RANK]; /* coordinates of the box's first element; im2col: of the first pixel */
    uint16_t offsets[3];                      /* im2col: of the pixels that are read, from dimension 1 on */
    uint32_t shared;                          /* address of the box in shared memory, before the swizzle */
};

/* A row of a box, and its part inside the tensor. */
struct execute_tensor_piece {
    uint32_t shared; /* offset in shared memory at which the row begins, before swizzling */
    uint32_t before; /* bytes of the row in front of the first one that the tensor has */
    uint32_t bytes;  /* that the tensor has; 0: the whole row lies outside */
    uint64_t global; /* global address of that part */
};

/* Bytes of a row, and rows, of a copy with this map. */
uint32_t execute_tensor_row_bytes(const struct execute_tensor_map *map);
uint32_t execute_tensor_rows(const struct execute_tensor_map *map);
/* Number of channels in a slice of an interleaved tensor, whose boxes consist of whole slices; 0 for others. */
uint32_t execute_tensor_slice(const struct execute_tensor_map *map);

/* Row `row` of the request, below execute_tensor_rows. */
struct execute_tensor_piece execute_tensor_piece_of(const struct execute_tensor_request *request, uint32_t row);

struct execute_warp;

/* A copy of one lane, whose operands have been read. Without a tensor map (map.rank 0) its bytes are consecutive rows
 * of EXECUTE_TENSOR_ROW_BYTES. */
struct execute_bulk {
    struct execute_tensor_request request;
    uint64_t map;     /* address of the tensor map */
    uint64_t barrier; /* address of the mbarrier of a load */
    uint64_t fill;    /* an element outside the tensor */
    uint32_t bytes, rows, row_bytes;
    uint32_t element;                         /* bytes that are aligned together in global memory */
    uint32_t words[EXECUTE_TENSOR_MAP_WORDS]; /* the map as it was read */
    unsigned char *memory;                    /* the shared memory that it goes to, or comes from */
    /* CTA pair: the blocks whose mbarriers are signalled, even (1) or odd (2); 0: the blocks that receive the bytes */
    uint8_t signals;
    uint16_t targets;  /* blocks of the cluster that it goes to, by rank, one bit each */
    uint8_t direction; /* enum execute_tensor_direction */
    uint8_t operation; /* reduction: enum execute_atomic_operation */
    uint8_t type;      /* reduction: enum execute_type */
};

/* Reads the operands and the map of a lane's copy. False: a fault. */
bool execute_bulk_prepare(struct execute_warp *warp, const struct execute_op *op, uint32_t lane,
                          struct execute_bulk *bulk);
/* Prepares a copy with a given tensor map, or without one, whose size and place in shared memory are known. Returns
 * false if the map is invalid. */
bool execute_bulk_of_map(struct execute_bulk *bulk, const uint32_t words[EXECUTE_TENSOR_MAP_WORDS]);
void execute_bulk_of_bytes(struct execute_bulk *bulk, uint64_t address);
/* Returns a row of the copy. */
struct execute_tensor_piece execute_bulk_row(const struct execute_bulk *bulk, uint32_t row, uint32_t *row_bytes);
/* Moves bytes between `data` and shared memory (bulk->memory), applying the swizzle. Returns false if they are outside
 * the block's shared memory, which is a fault. */
bool execute_bulk_shared(struct execute_warp *warp, const struct execute_bulk *bulk, bool write, uint32_t address,
                         uint32_t bytes, unsigned char *data);
/* Fills the part of a row in shared memory that corresponds to the outside of the tensor. */
bool execute_bulk_fill(struct execute_warp *warp, const struct execute_bulk *bulk,
                       const struct execute_tensor_piece *piece, uint32_t row_bytes);
/* Whether the mbarrier of a parcel cannot count it; *object is then the mbarrier's value. */
struct mnp_parcel;
struct execute_cta;
bool execute_parcel_is_refused(const struct execute_cta *cta, const struct mnp_parcel *parcel, uint64_t *object);

/* Moves all bytes of a copy across from the block's own shared memory to bulk->memory. False: outside either. */
bool execute_bulk_across(struct execute_warp *warp, const struct execute_bulk *bulk);
/* Combines `bytes` bytes with the existing ones: enum execute_atomic_operation, enum execute_type. */
void execute_bulk_combine(uint8_t operation, uint8_t type, unsigned char *there, const unsigned char *data,
                          uint32_t bytes);
/* Whether bytes lie inside the block's shared memory. False: a fault. */
bool execute_bulk_is_inside(struct execute_warp *warp, uint64_t address, uint32_t bytes);
/* The block whose mbarrier is signalled for bytes that go to the block of `rank`; a mask of all signalled blocks; and
 * the number of bytes that a load signals to the mbarrier of a rank. */
uint32_t execute_bulk_signalled(const struct execute_bulk *bulk, uint32_t rank);
uint32_t execute_bulk_signals(const struct execute_bulk *bulk);
uint32_t execute_bulk_counted(const struct execute_bulk *bulk, uint32_t rank);
/* Whether it goes to the shared memory of the warp's own block. */
bool execute_bulk_is_own(const struct execute_warp *warp, const struct execute_bulk *bulk);

/* ===== parcels: what of a copy goes to the shared memory of another block ===== */

struct mnp_parcel;
struct execute_cta;

/* Makes the parcel of a whole load, which the other block's machine reads from global memory itself; its mbarrier is
 * signalled `complete` bytes. */
void execute_parcel_of_load(const struct execute_bulk *bulk, uint32_t complete, struct mnp_parcel *parcel);
/* `bytes` bytes of a copy across, at most 128, from byte `at` on. False: a fault of the warp. */
bool execute_parcel_of_bytes(struct execute_warp *warp, const struct execute_bulk *bulk, uint32_t at, uint32_t bytes,
                             struct mnp_parcel *parcel);

/* An arrival at the mbarrier at that place of the block's shared memory. */
void execute_parcel_of_arrival(uint64_t barrier, struct mnp_parcel *parcel);
/* Makes the parcel that signals to an mbarrier the bytes of a load that have arrived at the other block of a pair. */
void execute_parcel_of_bytes_done(uint64_t barrier, uint32_t bytes, struct mnp_parcel *parcel);

/* Applies a parcel to the shared memory of a block. `read`: reads global memory. *flipped: the mbarrier whose phase was
 * completed, as an address in shared memory, plus one; 0: none. Returns false on a fault of the block's first warp. */
bool execute_parcel_put(struct execute_cta *cta, const struct mnp_parcel *parcel,
                        void (*read)(void *context, uint64_t address, uint32_t bytes, void *data), void *context,
                        uint64_t *flipped);

#endif
