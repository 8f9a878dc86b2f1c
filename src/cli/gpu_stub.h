/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands in for gpu/gpu.h and frontend/sass_trace/sass_trace.h until these are there; then this file goes. */
#ifndef MNP_CLI_GPU_STUB_H
#define MNP_CLI_GPU_STUB_H

#include "common/instruction.h"
#include "engine/engine.h"
#include "engine/executors/executor.h"
#include "engine/results.h"

struct mnp_sass_trace_options {
    bool unknown_as_alu;
};

struct mnp_source *mnp_sass_trace_open(const char *kernelslist, const struct mnp_sass_trace_options *options,
                                       struct mnp_error *error);

struct gpu_kernel_range {
    uint32_t first, last; /* launches, from 1, inclusive */
};

struct gpu_progress {
    uint32_t kernel, kernel_count; /* the launch in progress, from 1, of how many (0: unknown) */
    uint64_t ctas_done, cta_count;
    uint64_t cycle, warp_instructions;
};

struct gpu_run_options {
    const struct mnp_executor *executor;
    uint32_t threads;
    enum mnp_schedule schedule;
    uint64_t window_cycles; /* 0: as long as is safe */
    bool no_skip;
    uint64_t max_cycles; /* 0: no limit */
    const struct gpu_kernel_range *kernels;
    uint32_t kernel_range_count; /* 0: all */
    bool hash_epochs;
    volatile sig_atomic_t *interrupt;
    void (*on_epoch)(void *context, mnp_time end, uint64_t hash);
    void (*on_progress)(void *context, const struct gpu_progress *progress);
    void *context;
};

bool gpu_run(struct mnp_settings *settings, struct mnp_source *source, const struct gpu_run_options *options,
             struct mnp_results *results, struct mnp_error *error);

#endif
