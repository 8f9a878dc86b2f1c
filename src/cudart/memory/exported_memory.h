/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that processes of a run have in common (cudaIpcGetMemHandle): the same bytes at the same addresses, as each
 * process has a part of every device's addresses for itself.
 */
#ifndef CUDART_EXPORTED_MEMORY_H
#define CUDART_EXPORTED_MEMORY_H

#include "cudart/base/abi.h"

struct cudart;
struct cudart_device;

/* Handle that a program passes to another process. */
struct cudart_memory_handle {
    uint64_t address, bytes, process;
    char reserved[40];
};

_Static_assert(sizeof(struct cudart_memory_handle) == 64, "cudaIpcMemHandle_t");

/* Pages of memory that other processes write to exist here from now on: one that does not reads as zeros. */
void cudart_make_pages(const struct cudart_device *device, uint64_t address, uint64_t bytes);
/* The allocation that an address lies in. */
enum cuda_error cudart_export(struct cudart_device *device, struct cudart_memory_handle *out, uint64_t address);
/* Lets a device access it. `flags`: 1, as CUDA wants it. */
enum cuda_error cudart_import(struct cudart_device *device, void **out, const struct cudart_memory_handle *handle,
                              unsigned flags);
enum cuda_error cudart_close_import(struct cudart *rt, uint64_t address);
/* The device is reset. */
void cudart_forget_imports(struct cudart_device *device);

#endif
