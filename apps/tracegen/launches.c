/* SPDX-License-Identifier: BSD-3-Clause */
/* Workloads about launching: empty blocks, and several kernels in several streams. */
#include "common.h"
#include "workloads.h"

static void empty_warp(struct writer *w, const void *context, uint32_t block, uint32_t warp)
{
    (void)context;
    (void)block;
    (void)warp;
    emit(w, "", "EXIT", "");
}

static const struct parameter empty_parameters[] = {{"blocks", "in the grid", NULL, 256, 1, 1 << 24},
                                                    {"threads", "per block", NULL, 256, 1, 1024},
                                                    {"kernels", "launches, one after another", NULL, 1, 1, 4096},
                                                    {NULL, NULL, NULL, 0, 0, 0}};

static bool empty(struct writer *w, const struct parameters *p)
{
    struct kernel_shape shape = shape_line("empty", parameter(p, "blocks"), parameter(p, "threads"));
    for (uint64_t i = 0; i < parameter(p, "kernels"); i++)
        if (!write_kernel(w, &shape, empty_warp, NULL))
            return false;
    return true;
}

const struct workload workload_empty = {"empty", "blocks that end at once", empty_parameters, empty};

static const struct parameter multi_parameters[] = {
    {"kernels", "launches in all", NULL, 8, 1, 4096},
    {"streams", "that they go to in turn", NULL, 4, 1, 1024},
    {"blocks", "in each grid", NULL, 16, 1, 1 << 20},
    {"threads", "per block", NULL, 128, 1, 1024},
    {"rounds", "loads, additions and stores of each thread", NULL, 4, 1, 1 << 20},
    {NULL, NULL, NULL, 0, 0, 0}};

struct multi_job {
    uint64_t rounds, threads, base;
};

static void multi_warp(struct writer *w, const void *context, uint32_t block, uint32_t warp)
{
    const struct multi_job *job = context;
    uint64_t place = job->base + 4 * (block * job->threads + warp * WARP);
    emit_thread_index(w);
    uint32_t top = w->pc;
    for (uint64_t round = 0; round < job->rounds; round++) {
        struct access own = access_line(4, place, 4);
        emit_access(w, "R8", "LDG.E", "R2", &own);
        emit(w, "R9", "FFMA", "R8 R9 R10");
        emit_access(w, "", "STG.E", "R2 R9", &own);
        emit_loop_end(w, top, round + 1 == job->rounds);
    }
    emit(w, "", "EXIT", "");
}

static bool multi(struct writer *w, const struct parameters *p)
{
    uint64_t kernels = parameter(p, "kernels"), streams = parameter(p, "streams"), blocks = parameter(p, "blocks");
    struct multi_job job = {.rounds = parameter(p, "rounds"), .threads = parameter(p, "threads")};
    uint64_t bytes = 4 * blocks * job.threads;
    trace_copy(w, DATA_A, bytes * streams);
    for (uint64_t i = 0; i < kernels; i++) {
        struct kernel_shape shape = shape_line("multi", blocks, job.threads);
        shape.stream = (uint32_t)(i % streams);
        job.base = DATA_A + bytes * shape.stream;
        if (!write_kernel(w, &shape, multi_warp, &job))
            return false;
    }
    return true;
}

const struct workload workload_multi = {"multi", "several kernels in several streams", multi_parameters, multi};
