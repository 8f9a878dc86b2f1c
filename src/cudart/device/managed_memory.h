/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that host and device share, brought up to date on either side. */
#ifndef CUDART_MANAGED_MEMORY_H
#define CUDART_MANAGED_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

struct cudart;
struct cudart_device;

/* Brings what host and kernels have written to shared memory to one another, in allocations of at most so many bytes.
 * False: no memory. */
enum { CUDART_SMALL = 64 * 1024 };
#define CUDART_ALL UINT64_MAX
bool cudart_agree(struct cudart_device *device, uint64_t largest);
/* The same of all devices; and of those on which a kernel has run since then, of all allocations. */
bool cudart_agree_all(struct cudart *rt, uint64_t largest);
bool cudart_agree_executed(struct cudart *rt);
bool cudart_agree_about(struct cudart_device *device, uint64_t address, uint64_t bytes); /* a range, if it is shared */
void cudart_disagree(struct cudart_device *device);                                      /* a kernel begins to run */

#endif
