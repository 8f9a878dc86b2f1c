/* SPDX-License-Identifier: BSD-3-Clause */
/* How many threads the system allows: limits of processes (ulimit -u, cgroups) and of memory (ulimit -v, for stacks)
 * show when one is started, and not before. */
#ifndef MNP_BASE_THREADS_H
#define MNP_BASE_THREADS_H

#include <stdint.h>

/* Of `wanted` threads, the present one among them, those that can run at the same time: at least 1. Starts them, which
 * takes some ten microseconds each, and ends them again. */
uint32_t mnp_threads_possible(uint32_t wanted);

#endif
