/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of the device, and memory that host and device share. The first lies in the simulated device; the second
 * (managed and pinned) lies in the host's memory at the same addresses, and is brought up to date where either has
 * written to it.
 */
#ifndef CUDART_ALLOCATOR_H
#define CUDART_ALLOCATOR_H

#include "base/regions.h"
#include "cudart/base/abi.h"

#include <stdbool.h>

struct cudart;
struct cudart_device;

enum { CUDART_ALL_DEVICES = -1 }; /* for cudart_grant: bits of all */

/* Owner: allocator.c; `executed` and what shared memory was agreed to hold: managed_memory.c. */
struct cudart_memory {
    struct mnp_array shared;       /* struct cudart_shared, by their addresses */
    uint64_t allocated;            /* bytes of device memory */
    struct mnp_array reservations; /* addresses for memory that programs map (memory/virtual_memory.c) */
    bool executed;                 /* a kernel has run since host and device last agreed about shared memory */
};

/* Memory that host and kernels see at one address. */
struct cudart_shared {
    uint64_t address, bytes;
    bool managed;  /* otherwise pinned */
    bool variable; /* belongs to a module: the program cannot free it */
    unsigned flags;
    unsigned char *agreed; /* contents of both sides when they were last compared; NULL: zeros */
};

/* Memory of another process that this one has opened (memory/exported_memory.c). */
struct cudart_imported {
    uint64_t address, bytes;
    uint32_t times;   /* opened and not closed */
    uint32_t devices; /* bits, by place: that may access it */
};

/* ===== what an address is ===== */

/* Whether it lies in memory of another process, and in which. */
bool cudart_imported_at(const struct cudart *rt, uint64_t address, struct mnp_region *range);

/* NULL: it is no shared memory. */
struct cudart_shared *cudart_shared_at(const struct cudart_device *device, uint64_t address);
/* Whether it is on the device, and on it alone. */
bool cudart_on_device(const struct cudart_device *device, uint64_t address);
/* The allocation that an address lies in. False: it lies in none. */
bool cudart_allocation_at(const struct cudart_device *device, uint64_t address, struct mnp_region *range);
/* Whether a range has been allocated as one. */
bool cudart_device_range(const struct cudart_device *device, uint64_t address, uint64_t bytes);

/* ===== at once ===== */

uint64_t cudart_take(struct cudart_device *device, uint64_t bytes);   /* 0: there is no room */
bool cudart_free_now(struct cudart_device *device, uint64_t address); /* memory of the device. False: it is none */
/* 0: there is no room. */
uint64_t cudart_take_shared(struct cudart_device *device, uint64_t bytes, bool managed, unsigned flags);
enum cuda_error cudart_free_shared(struct cudart_device *device, uint64_t address);
/* Lets the host see a variable of a module. False: something else lies there. */
bool cudart_share_variable(struct cudart_device *device, uint64_t address, uint64_t bytes);
void cudart_forget_memory(struct cudart_device *device); /* the device is reset */

#endif
