/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of a program that it marks itself, by the profiler's start and stop or by ranges of NVTX, for --kernels. */
#ifndef CUDART_PROFILER_RANGES_H
#define CUDART_PROFILER_RANGES_H

#include "cudart/base/abi.h"

#include <stdbool.h>
#include <stdint.h>

struct cudart;

/* Owner: profiler_ranges.c. */
struct cudart_profiler_ranges {
    bool profiling;
    uint32_t open;   /* ranges that --kernels names, and that have begun and not ended */
    uint64_t ranges; /* ranges that have begun by a start call, with a number */
};

/* cudaProfilerStart and Stop. */
enum cuda_error cudart_profile(struct cudart *rt, bool on);
/* A range of this thread's; its depth, from 0 on. `name` NULL: it has none. */
int cudart_push_range(struct cudart *rt, const char *name);
int cudart_pop_range(struct cudart *rt); /* the depth that it had; -1: there is none */
/* One that any thread may end: a number for it, never 0. */
uint64_t cudart_start_range(struct cudart *rt, const char *name);
void cudart_end_range(struct cudart *rt, uint64_t range);

bool cudart_is_in_region(const struct cudart *rt);

#endif
