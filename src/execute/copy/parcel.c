/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parcels that carry the effects of bulk copies to the shared memory of other blocks of a cluster (PTX ISA 9.0,
 * cp.async.bulk and cp.reduce.async.bulk to .shared::cluster, .multicast::cluster), from one block's machine to
 * another's.
 */
#include "execute/copy/tensor_copy.h"

#include "execute/warp/frame.h"

#include "contract/async.h"

#include <string.h>

struct parcel {                               /* wire format; every byte is written */
    uint32_t words[EXECUTE_TENSOR_MAP_WORDS]; /* words of the tensor map, or data of a piece */
    uint64_t global;                          /* global address of a load without a map */
    int32_t coordinates[EXECUTE_TENSOR_RANK];
    uint32_t shared, barrier, bytes; /* a piece: of its data */
    uint32_t complete; /* piece: number of bytes to signal to the mbarrier; 0: not the last piece; arrivals */
    uint16_t offsets[3];
    uint8_t direction, rank, operation, type;
    uint8_t reserved[10];
};

_Static_assert(sizeof(struct parcel) == sizeof(struct mnp_parcel), "a parcel's form");
_Static_assert(sizeof((struct parcel *)NULL)->words >= MNP_PARCEL_BYTES, "room for the data of a piece");

/* ===== parcels go ===== */

void execute_parcel_of_load(const struct execute_bulk *bulk, uint32_t complete, struct mnp_parcel *out)
{
    struct parcel parcel = {.global = bulk->request.map.address,
                            .shared = bulk->request.shared,
                            .barrier = (uint32_t)(bulk->barrier % EXECUTE_WINDOW_BYTES),
                            .bytes = bulk->bytes,
                            .complete = complete,
                            .direction = EXECUTE_TENSOR_LOAD,
                            .rank = bulk->request.map.rank};
    memcpy(parcel.words, bulk->words, sizeof parcel.words);
    memcpy(parcel.coordinates, bulk->request.coordinates, sizeof parcel.coordinates);
    memcpy(parcel.offsets, bulk->request.offsets, sizeof parcel.offsets);
    memcpy(out, &parcel, sizeof parcel);
}

bool execute_parcel_of_bytes(struct execute_warp *warp, const struct execute_bulk *bulk, uint32_t at, uint32_t bytes,
                             struct mnp_parcel *out)
{
    struct parcel parcel = {.shared = (uint32_t)bulk->request.map.address + at,
                            .barrier = (uint32_t)(bulk->barrier % EXECUTE_WINDOW_BYTES),
                            .bytes = bytes,
                            .complete = at + bytes == bulk->bytes ? bulk->bytes : 0,
                            .direction = bulk->direction,
                            .operation = bulk->operation,
                            .type = bulk->type};
    if (!execute_bulk_is_inside(warp, bulk->request.shared, bulk->bytes) ||
        !execute_bulk_is_inside(warp, bulk->request.map.address, bulk->bytes))
        return false;
    memcpy(parcel.words, warp->cta->shared + bulk->request.shared + at, bytes);
    memcpy(out, &parcel, sizeof parcel);
    return true;
}

void execute_parcel_of_arrival(uint64_t barrier, struct mnp_parcel *out)
{
    struct parcel parcel = {
        .barrier = (uint32_t)(barrier % EXECUTE_WINDOW_BYTES), .complete = 1, .direction = EXECUTE_TENSOR_ARRIVE};
    memcpy(out, &parcel, sizeof parcel);
}

void execute_parcel_of_bytes_done(uint64_t barrier, uint32_t bytes, struct mnp_parcel *out)
{
    struct parcel parcel = {
        .barrier = (uint32_t)(barrier % EXECUTE_WINDOW_BYTES), .complete = bytes, .direction = EXECUTE_TENSOR_COMPLETE};
    memcpy(out, &parcel, sizeof parcel);
}

/* ===== parcels come ===== */

typedef void reader(void *context, uint64_t address, uint32_t bytes, void *data);

static bool put_load(struct execute_cta *cta, const struct parcel *parcel, reader *read, void *context)
{
    struct execute_bulk bulk = {.bytes = parcel->bytes, .memory = cta->shared};
    struct execute_warp *warp = &cta->warps[0];
    bulk.request.shared = parcel->shared;
    if (parcel->rank && !execute_bulk_of_map(&bulk, parcel->words))
        return false;
    if (!parcel->rank)
        execute_bulk_of_bytes(&bulk, parcel->global);
    memcpy(bulk.request.coordinates, parcel->coordinates, sizeof parcel->coordinates);
    memcpy(bulk.request.offsets, parcel->offsets, sizeof parcel->offsets);
    for (uint32_t row = 0; row < bulk.rows; row++) {
        unsigned char data[EXECUTE_TENSOR_ROW_BYTES];
        uint32_t row_bytes;
        struct execute_tensor_piece piece = execute_bulk_row(&bulk, row, &row_bytes);
        if (piece.bytes)
            read(context, piece.global, piece.bytes, data);
        if (!execute_bulk_fill(warp, &bulk, &piece, row_bytes) ||
            (piece.bytes && !execute_bulk_shared(warp, &bulk, true, piece.shared + piece.before, piece.bytes, data)))
            return false;
    }
    return true;
}

/* The operation of a parcel on the mbarrier. */
static uint8_t change_of(const struct parcel *parcel)
{
    return parcel->direction == EXECUTE_TENSOR_ARRIVE ? EXECUTE_MBARRIER_ARRIVE : EXECUTE_MBARRIER_COMPLETE;
}

bool execute_parcel_is_refused(const struct execute_cta *cta, const struct mnp_parcel *given, uint64_t *object)
{
    struct parcel parcel;
    memcpy(&parcel, given, sizeof parcel);
    if (!parcel.complete || parcel.barrier + sizeof *object > cta->launch->shared_bytes)
        return false;
    memcpy(object, cta->shared + parcel.barrier, sizeof *object);
    return execute_mbarrier_fault(change_of(&parcel), *object, parcel.complete) != EXECUTE_FAULT_NONE;
}

bool execute_parcel_put(struct execute_cta *cta, const struct mnp_parcel *given, reader *read, void *context,
                        uint64_t *flipped)
{
    struct parcel parcel;
    uint64_t object;
    memcpy(&parcel, given, sizeof parcel);
    *flipped = 0;
    if (parcel.direction == EXECUTE_TENSOR_LOAD) {
        if (!put_load(cta, &parcel, read, context))
            return false;
    } else if (parcel.direction == EXECUTE_TENSOR_ACROSS) {
        memcpy(cta->shared + parcel.shared, parcel.words, parcel.bytes);
    } else if (parcel.direction < EXECUTE_TENSOR_ARRIVE) {
        execute_bulk_combine(parcel.operation, parcel.type, cta->shared + parcel.shared,
                             (const unsigned char *)parcel.words, parcel.bytes);
    }
    if (!parcel.complete)
        return true;
    if (!execute_bulk_is_inside(&cta->warps[0], parcel.barrier, sizeof object))
        return false;
    memcpy(&object, cta->shared + parcel.barrier, sizeof object);
    uint64_t after = execute_mbarrier_result(change_of(&parcel), object, parcel.complete);
    memcpy(cta->shared + parcel.barrier, &after, sizeof after);
    *flipped = (object ^ after) >> 63 ? parcel.barrier + UINT64_C(1) : 0;
    return true;
}
