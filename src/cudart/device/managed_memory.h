/* SPDX-License-Identifier: BSD-3-Clause */
/* Managed and pinned memory: host and device each have the bytes, and exchange what either has written. */
#ifndef CUDART_MANAGED_MEMORY_H
#define CUDART_MANAGED_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

struct cudart;
struct cudart_device;

enum { CUDART_SMALL = 64 * 1024 };
#define CUDART_ALL UINT64_MAX
/* Exchanges what host and kernels have written to managed and pinned memory, in allocations of at most so many bytes.
 * False: no memory. */
bool cudart_sync_managed(struct cudart_device *device, uint64_t largest);
/* The same of all devices; and of those on which a kernel has run since then, of all allocations. */
bool cudart_sync_managed_of_all(struct cudart *rt, uint64_t largest);
bool cudart_sync_executed(struct cudart *rt);
/* The same of one range, if it is shared. */
bool cudart_sync_managed_range(struct cudart_device *device, uint64_t address, uint64_t bytes);
void cudart_expect_writes(struct cudart_device *device); /* a kernel begins to run */

#endif
