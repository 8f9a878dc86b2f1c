/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The window executor in several processes, each with its own threads. Only the work between windows differs: the
 * processes agree on the next window, and packets cross (engine/spread/ranks.h).
 */
#include "engine/core/engine.h"
#include "engine/executors/executor.h"

const struct mnp_executor mnp_executor_mpi = {
    .name = "mpi",
    .summary = "the units spread over MPI processes, each with threads as in `window`",
    .run = mnp_executor_run_windows,
    .processes = true,
};
