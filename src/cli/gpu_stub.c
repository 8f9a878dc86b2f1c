/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/gpu_stub.h"

struct mnp_source *mnp_sass_trace_open(const char *kernelslist, const struct mnp_sass_trace_options *options,
                                       struct mnp_error *error)
{
    (void)options;
    mnp_fail(error, "%s: reading traces is not built yet", kernelslist);
    return NULL;
}

bool gpu_run(struct mnp_settings *settings, struct mnp_source *source, const struct gpu_run_options *options,
             struct mnp_results *results, struct mnp_error *error)
{
    (void)settings, (void)source, (void)options, (void)results;
    return mnp_fail(error, "the GPU is not built yet");
}

bool gpu_check(struct mnp_settings *settings, struct mnp_error *error)
{
    (void)settings;
    return mnp_fail(error, "the GPU is not built yet");
}

const struct mnp_model *const gpu_models[] = {NULL};
