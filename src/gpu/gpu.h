/* SPDX-License-Identifier: BSD-3-Clause */
/* A GPU as a whole: it is built from its settings, runs the kernels of a source, and yields results. */
#ifndef GPU_GPU_H
#define GPU_GPU_H

#include "contract/instruction.h"
#include "engine/core/engine.h"
#include "engine/core/request.h"
#include "engine/count/results.h"
#include "engine/spread/transport.h"

struct gpu_run_options {
    struct mnp_run_request request;
    uint64_t worth;  /* schedule cost: expected work, in ticks, that is worth one more thread; 0: the usual */
    bool open_ended; /* of a session: the source waits for commands, and the run stops when a kernel has ended */
    const _Atomic int *interrupt;                      /* may be NULL */
    bool (*selects)(const void *context, uint32_t launch); /* NULL: all launches */
    const void *selection;
    void (*on_epoch)(void *context, const struct mnp_epoch_hashes *hashes); /* not NULL: epochs are hashed */
    void (*on_costs)(void *context, struct mnp_engine *engine); /* after each window (engine.h); may be NULL */
    void (*on_progress)(void *context, const struct mnp_progress *progress); /* between windows; may be NULL */
    /* Of a session: a kernel has ended, at times exact to the cycle. Between windows; may be NULL. */
    void (*on_kernel_end)(void *context, const struct mnp_kernel *kernel, mnp_time requested, mnp_time ended);
    void *context;
    const struct mnp_transport *transport; /* of executor mpi: the processes to spread the machine over; else NULL */
};

/* Builds the machine of `settings` (filling and finishing them), runs all kernels of `source`, and fills in `results`,
 * which the caller has initialised. False: an error of the user's. */
bool gpu_run(struct mnp_settings *settings, struct mnp_source *source, const struct gpu_run_options *options,
             struct mnp_results *results, struct mnp_error *error);

/* Fills and finishes the settings of a GPU machine without building it, for `machine show`. */
bool gpu_check(struct mnp_settings *settings, struct mnp_error *error);

#endif
