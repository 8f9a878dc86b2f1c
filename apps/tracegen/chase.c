/* SPDX-License-Identifier: BSD-3-Clause */
/* A pointer chase: each load gives the address of the next, so that its time is the latency of one access. */
#include "common.h"
#include "workloads.h"

enum { CHASE_UNROLL = 16 };

static const struct parameter chase_parameters[] = {
    {"space", "of memory", "global|shared", 0, 0, 0},
    {"stride", "bytes from one place to the next", NULL, 128, 8, 1 << 30},
    {"footprint", "bytes that the chain goes round", NULL, 16384, 8, UINT64_C(1) << 36},
    {"loads", "of each thread, in steps of 16", NULL, 1024, CHASE_UNROLL, 1 << 24},
    {"order", "of the places", "rising|random", 0, 0, 0},
    {"lanes", "that chase, side by side in one place", NULL, 1, 1, WARP},
    {"blocks", "in the grid", NULL, 1, 1, 1 << 20},
    {NULL, NULL, NULL, 0, 0, 0}};

struct chase_job {
    uint64_t stride, places, loads, seed, lanes;
    bool shared, random;
};

static void chase_warp(struct writer *w, const void *context, uint32_t block, uint32_t warp)
{
    (void)block;
    (void)warp;
    const struct chase_job *job = context;
    emit_thread_index(w);
    w->mask = job->lanes == WARP ? ALL_LANES : (UINT32_C(1) << job->lanes) - 1;
    uint32_t top = w->pc;
    for (uint64_t load = 0; load < job->loads; load++) {
        uint64_t place = (job->random ? random_at(job->seed, load % job->places) : load) % job->places;
        struct access from = access_line(job->shared ? 4 : 8, (job->shared ? 0 : DATA_A) + place * job->stride, 0);
        if (job->shared)
            emit_access(w, "R2", "LDS", "R2", &from);
        else
            emit_access(w, "R2", "LDG.E.64", "R2", &from);
        if (load % CHASE_UNROLL == CHASE_UNROLL - 1)
            emit_loop_end(w, top, load + 1 == job->loads);
    }
    emit(w, "", "EXIT", "");
}

static bool chase(struct writer *w, const struct parameters *p)
{
    struct chase_job job = {.stride = parameter(p, "stride"),
                            .loads = parameter(p, "loads") / CHASE_UNROLL * CHASE_UNROLL,
                            .seed = parameter(p, "seed"),
                            .lanes = parameter(p, "lanes"),
                            .shared = parameter(p, "space") == 1,
                            .random = parameter(p, "order") == 1};
    uint64_t footprint = parameter(p, "footprint");
    if (job.shared && footprint > 48 << 10)
        return mnp_fail(w->error,
                        "footprint=%lu is more shared memory than a block has without asking for more; "
                        "use 48KiB or less",
                        (unsigned long)footprint);
    job.places = footprint / job.stride ? footprint / job.stride : 1;
    struct kernel_shape shape = shape_line("chase", parameter(p, "blocks"), WARP);
    shape.shared_bytes = job.shared ? (uint32_t)footprint : 0;
    if (!job.shared)
        trace_copy(w, DATA_A, footprint);
    return write_kernel(w, &shape, chase_warp, &job);
}

const struct workload workload_chase = {"chase", "a pointer chase: dependent loads", chase_parameters, chase};
