/* SPDX-License-Identifier: BSD-3-Clause */
/* A cheap host clock for measuring the cost of units. It affects how work is distributed, never a result. */
#ifndef MNP_BASE_TICKS_H
#define MNP_BASE_TICKS_H

#include <stdint.h>
#include <time.h>

static inline uint64_t mnp_ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

/* CPU time of this thread in nanoseconds. This is a system call, so do not use it in every window. */
static inline uint64_t mnp_thread_nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Monotonic clock in nanoseconds. */
static inline uint64_t mnp_nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

#endif
