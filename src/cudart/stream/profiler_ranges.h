/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parts of a program that it marks itself, by the profiler's start and stop or by ranges of NVTX: for --kernels, and
 * for the ranges that results name with each launch.
 *
 * All ranges that have begun and not ended stand in one list, in the order in which they began. Around a launch are
 * those that its own thread has pushed, those that were begun by a start call, and those that the main thread has
 * pushed, for which other threads work: PyTorch launches the kernels of backward() in a thread of its own.
 */
#ifndef CUDART_PROFILER_RANGES_H
#define CUDART_PROFILER_RANGES_H

#include "base/array.h"
#include "cudart/base/abi.h"
#include "engine/count/results.h"

#include <stdbool.h>
#include <stdint.h>

struct cudart;
struct cudart_device;

/* Owner: profiler_ranges.c. */
struct cudart_profiler_ranges {
    bool profiling;
    struct mnp_array open;    /* struct open_range: those that have begun and not ended, in that order */
    uint64_t started;         /* ranges that have begun by a start call */
    struct mnp_array records; /* struct mnp_range *: those with a launch inside, by number */
};

/* cudaProfilerStart and Stop. */
enum cuda_error cudart_profile(struct cudart *rt, bool on);
/* A range of this thread's; its depth, from 0 on. `name` NULL: it has none. The caller holds the lock; no call of
 * CUDA's need have come before. */
int cudart_push_range(struct cudart *rt, const char *name);
int cudart_pop_range(struct cudart *rt); /* the depth that it had; -1: there is none */
/* One that any thread may end: a number for it, never 0. */
uint64_t cudart_start_range(struct cudart *rt, const char *name);
void cudart_end_range(struct cudart *rt, uint64_t range);

bool cudart_is_in_region(const struct cudart *rt);

/* Notes the ranges around a launch of this thread's, by the launch's number on its device. */
void cudart_note_ranges(struct cudart_device *device, uint32_t launch);
/* The innermost range around a launch; NULL: there is none. */
const struct mnp_range *cudart_range_of(const struct cudart_device *device, uint32_t launch);

#endif
