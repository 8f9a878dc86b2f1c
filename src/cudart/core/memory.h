/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of the device, and memory that host and device share. The first lies in the simulated device; the second
 * (managed and pinned) lies in the host's memory at the same addresses, and is brought up to date where either has
 * written to it.
 */
#ifndef CUDART_MEMORY_H
#define CUDART_MEMORY_H

#include "base/array.h"
#include "cudart/core/abi.h"

#include <stdbool.h>
#include <stddef.h>

struct cudart;

/* Owner: allocations.c; `executed` and what shared memory was agreed to hold: share.c. */
struct cudart_memory {
    struct mnp_array shared;               /* struct cudart_shared, by their addresses */
    uint64_t allocated;                    /* bytes of device memory */
    struct mnp_array pieces, reservations; /* memory that programs map themselves (virtual.c) */
    bool executed;                         /* a kernel has run since host and device last agreed about shared memory */
};

/* Memory that host and kernels see at one address. */
struct cudart_shared {
    uint64_t address, bytes;
    bool managed;  /* otherwise pinned */
    bool variable; /* of a module: the program cannot free it */
    unsigned flags;
    unsigned char *agreed; /* what both had when they were last compared; NULL: not yet, zeros */
};

/* ===== allocations.c: what an address is ===== */

struct cudart_shared *cudart_shared_at(const struct cudart *rt, uint64_t address);   /* NULL: it is no shared memory */
bool cudart_on_device(const struct cudart *rt, uint64_t address);                    /* and on it alone */
bool cudart_device_range(const struct cudart *rt, uint64_t address, uint64_t bytes); /* allocated as one */

/* ===== allocations.c: at once ===== */

uint64_t cudart_take(struct cudart *rt, uint64_t bytes);   /* 0: there is no room */
bool cudart_free_now(struct cudart *rt, uint64_t address); /* memory of the device. False: it is none */
uint64_t cudart_take_shared(struct cudart *rt, uint64_t bytes, bool managed, unsigned flags); /* 0: no room */
enum cuda_error cudart_free_shared(struct cudart *rt, uint64_t address);
/* Lets the host see a variable of a module. False: something else lies there. */
bool cudart_share_variable(struct cudart *rt, uint64_t address, uint64_t bytes);
void cudart_forget_memory(struct cudart *rt); /* the device is reset */

/* ===== share.c ===== */

/* Brings what host and kernels have written to shared memory to one another, in allocations of at most so many bytes.
 * False: no memory. */
enum { CUDART_SMALL = 64 * 1024 };
#define CUDART_ALL UINT64_MAX
bool cudart_agree(struct cudart *rt, uint64_t largest);
bool cudart_agree_about(struct cudart *rt, uint64_t address, uint64_t bytes); /* a range, if it is shared */
void cudart_disagree(struct cudart *rt);                                      /* a kernel begins to run */

/* ===== memory.c: as programs ask for it; may wait for what streams are to free ===== */

enum cuda_error cudart_allocate(struct cudart *rt, void **out, uint64_t bytes);
/* In the order of a stream; the next node of its capture, if there is one. */
enum cuda_error cudart_allocate_in(struct cudart *rt, void **out, uint64_t bytes, uint64_t pool, uint64_t stream);
/* In rows that begin 512 bytes apart or a multiple; height and depth: of rows, and of slices. */
enum cuda_error cudart_allocate_pitch(struct cudart *rt, void **out, size_t *pitch, size_t width, size_t height,
                                      size_t depth);
enum cuda_error cudart_release(struct cudart *rt, uint64_t address); /* waits for all work; 0 is well */
enum cuda_error cudart_release_later(struct cudart *rt, uint64_t address, uint64_t stream); /* in a stream's order */
enum cuda_error cudart_allocate_shared(struct cudart *rt, uint64_t bytes, bool managed, unsigned flags, void **out);
enum cuda_error cudart_release_host(struct cudart *rt, uint64_t address); /* pinned memory */
enum cuda_error cudart_memory_left(struct cudart *rt, size_t *available, size_t *total);

/* ===== virtual.c: addresses and memory apart; memory has handles ===== */

#define CUDART_GRANULE (UINT64_C(2) << 20) /* both come in multiples of it */

enum cuda_error cudart_reserve_addresses(struct cudart *rt, uint64_t *out, uint64_t bytes, uint64_t alignment);
/* A whole reservation, in which nothing is mapped. */
enum cuda_error cudart_free_addresses(struct cudart *rt, uint64_t address, uint64_t bytes);
enum cuda_error cudart_make_piece(struct cudart *rt, uint64_t *handle, uint64_t bytes);
/* Gives a handle back; the memory stays as long as it is mapped. */
enum cuda_error cudart_release_piece(struct cudart *rt, uint64_t handle);
/* The whole of it, and at one place at a time: else CUDA_NOT_SUPPORTED. */
enum cuda_error cudart_map_piece(struct cudart *rt, uint64_t address, uint64_t bytes, uint64_t handle);
/* All pieces in a range must lie in it whole. Waits for all work. */
enum cuda_error cudart_unmap(struct cudart *rt, uint64_t address, uint64_t bytes);
/* Not, where it is reserved and nothing is mapped there. */
bool cudart_may_be_mapped(const struct cudart *rt, uint64_t address, uint64_t bytes);
/* The range of one mapping; the reservation that an address lies in. False: it lies in none. */
bool cudart_mapping_at(const struct cudart *rt, uint64_t address, struct mnp_region *range);
bool cudart_reservation_at(const struct cudart *rt, uint64_t address, struct mnp_region *range);
bool cudart_is_mapped(const struct cudart *rt, uint64_t address, uint64_t bytes);
/* One more handle of the memory at an address. */
enum cuda_error cudart_piece_at(struct cudart *rt, uint64_t *handle, uint64_t address);
bool cudart_piece_known(const struct cudart *rt, uint64_t handle);
void cudart_forget_pieces(struct cudart *rt); /* the device is reset */

/* ===== registered.c: memory of the program's own ===== */

enum cuda_error cudart_register(struct cudart *rt, uint64_t address, uint64_t bytes, unsigned flags);
enum cuda_error cudart_unregister(struct cudart *rt, uint64_t address);
enum cuda_error cudart_host_flags(const struct cudart *rt, unsigned *flags, uint64_t address);
enum cuda_error cudart_device_pointer(struct cudart *rt, void **out, void *host, unsigned flags);
void cudart_forget_registered(struct cudart *rt);

/* ===== pools.c: handles of pools, the default one being the first ===== */

bool cudart_pool_known(struct cudart *rt, uint64_t pool);
uint64_t cudart_current_pool(const struct cudart *rt);
enum cuda_error cudart_set_pool(struct cudart *rt, uint64_t pool);
uint64_t cudart_create_pool(struct cudart *rt);
enum cuda_error cudart_destroy_pool(struct cudart *rt, uint64_t pool);
enum cuda_error cudart_pool_attribute(struct cudart *rt, uint64_t pool, int number, void *value, bool set);
enum cuda_error cudart_trim_pool(struct cudart *rt, uint64_t pool, uint64_t least);
void cudart_rest_pools(struct cudart *rt); /* the program has waited for a stream, an event or the device */
/* An allocation comes to a known pool, and goes; of memory that is no pool's nothing is done. */
void cudart_pool_takes(struct cudart *rt, uint64_t pool, uint64_t address, uint64_t bytes);
void cudart_pool_gives(struct cudart *rt, uint64_t address);
/* A stream is to free it. False: that is known already. */
bool cudart_pool_lets_go(struct cudart *rt, uint64_t address);
/* That stream needs as much again. False: it is another pool's, or of another size. */
bool cudart_pool_takes_again(struct cudart *rt, uint64_t pool, uint64_t address, uint64_t bytes);
void cudart_forget_pools(struct cudart *rt);

#endif
