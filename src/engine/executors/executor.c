/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/executors/executor.h"

#include <string.h>

const struct mnp_executor *const mnp_executors[] = {
    &mnp_executor_window,
    &mnp_executor_serial,
    &mnp_executor_lockstep,
    &mnp_executor_domains,
    &mnp_executor_pool,
#ifdef MANIPLE_HAVE_OPENMP
    &mnp_executor_openmp,
#endif
    &mnp_executor_mpi,
    &mnp_executor_relaxed,
    &mnp_executor_s_events,
    &mnp_executor_cuda,
    &mnp_executor_cuda_relaunch,
    &mnp_executor_cuda_s_events,
    0,
};

const struct mnp_executor *mnp_executor_find(const char *name)
{
    for (const struct mnp_executor *const *each = mnp_executors; *each; each++)
        if (strcmp((*each)->name, name) == 0)
            return *each;
    return 0;
}
