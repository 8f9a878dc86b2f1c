/* SPDX-License-Identifier: BSD-3-Clause */
/* The number of threads that the system allows. Limits on processes (ulimit -u, cgroups) and on memory (ulimit -v, for
 * stacks) only show when a thread is started. */
#ifndef MNP_BASE_THREADS_H
#define MNP_BASE_THREADS_H

#include <stdint.h>

/* Returns how many of `wanted` threads, including the calling one, can exist at the same time: at least 1. It starts
 * and ends the threads, which takes some ten microseconds each. */
uint32_t mnp_threads_possible(uint32_t wanted);

#endif
