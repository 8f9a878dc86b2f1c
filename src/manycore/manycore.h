/* SPDX-License-Identifier: BSD-3-Clause */
/* A many-core coprocessor as a whole: it is built from its settings, runs a program on every core, and yields
 * results. */
#ifndef MANYCORE_MANYCORE_H
#define MANYCORE_MANYCORE_H

#include "contract/program.h"
#include "engine/core/engine.h"
#include "engine/core/request.h"
#include "engine/count/results.h"
#include "engine/spread/transport.h"

enum manycore_core_kind {                     /* how cores are computed; the results are the same */
                          MANYCORE_CORE_AUTO, /* translated if that was done before or pays for so many cores */
                          MANYCORE_CORE_INTERPRETER,
                          MANYCORE_CORE_TRANSLATION,
};

struct manycore_run_options {
    enum manycore_core_kind core;
    struct mnp_run_request request;
    const _Atomic int *interrupt;                       /* may be NULL */
    void (*on_remark)(void *context, const char *text); /* why the interpreter runs; may be NULL */
    const char *command_line;                           /* of the program, as it may ask for it */
    void (*on_output)(void *context, const unsigned char *text, uint32_t bytes); /* in the order of time and tile */
    void (*on_epoch)(void *context, const struct mnp_epoch_hashes *hashes); /* not NULL: epochs are hashed */
    void (*on_costs)(void *context, struct mnp_engine *engine); /* after each window (engine.h); may be NULL */
    void *context;
    const struct mnp_transport *transport; /* of executor mpi: the processes to spread the machine over; else NULL */
};

/* Builds the machine of `settings` (filling and finishing them), runs `program` on all its cores until each has ended,
 * and fills in `results`, which the caller has initialised. False: an error of the user's, or a fault of the
 * program. */
bool manycore_run(struct mnp_settings *settings, const struct mnp_program *program,
                  const struct manycore_run_options *options, struct mnp_results *results, struct mnp_error *error);

/* Fills and finishes the settings of a many-core machine without building it, for `machine show`. */
bool manycore_check(struct mnp_settings *settings, struct mnp_error *error);

#endif
