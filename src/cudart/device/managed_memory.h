/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that host and device share, brought up to date on either side. */
#ifndef CUDART_MANAGED_MEMORY_H
#define CUDART_MANAGED_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

struct cudart;

/* Brings what host and kernels have written to shared memory to one another, in allocations of at most so many bytes.
 * False: no memory. */
enum { CUDART_SMALL = 64 * 1024 };
#define CUDART_ALL UINT64_MAX
bool cudart_agree(struct cudart *rt, uint64_t largest);
bool cudart_agree_about(struct cudart *rt, uint64_t address, uint64_t bytes); /* a range, if it is shared */
void cudart_disagree(struct cudart *rt);                                      /* a kernel begins to run */

#endif
