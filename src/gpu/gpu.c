/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/gpu.h"

#include "gpu/parameters.h"
#include "gpu/session.h"

#include <stdlib.h>

static bool run(const struct gpu_parameters *parameters, struct mnp_source *source,
                const struct gpu_run_options *options, struct mnp_results *results, struct mnp_error *error)
{
    struct gpu_session *session = gpu_session_open(parameters, source, options, results, error);
    if (!session)
        return false;
    bool done = gpu_session_run(session, MNP_NEVER, error) != MNP_STOP_FAULT;
    if (done)
        gpu_session_collect(session);
    gpu_session_release(session);
    return done;
}

bool gpu_run(struct mnp_settings *settings, struct mnp_source *source, const struct gpu_run_options *options,
             struct mnp_results *results, struct mnp_error *error)
{
    struct gpu_parameters *parameters = mnp_allocate(1, sizeof *parameters);
    bool done = gpu_parameters_read(parameters, settings, error) && run(parameters, source, options, results, error);
    free(parameters);
    return done;
}

bool gpu_check(struct mnp_settings *settings, struct mnp_error *error)
{
    struct gpu_parameters parameters;
    return gpu_parameters_read(&parameters, settings, error);
}
