/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/api/static_runtime.h"

#include "cudart/api/missing.h"
#include "cudart/base/failure.h"
#include "cudart/base/options.h"
#include "cudart/base/state.h"
#include "cudart/process/api_call.h"

#include <stdlib.h>
#include <unistd.h>

CUDART_API void maniple_program_begins(void)
{
    const char *text = getenv(CUDART_OPTIONS_VARIABLE);
    if ((pid_t)cudart_options_glance(text, "process", NULL) == getpid())
        cudart_expect_end();
    cudart_expect_results();
}

CUDART_API int maniple_missing(const char *name)
{
    return cudart_missing(name);
}

CUDART_API void maniple_refuse_object(const char *path, const char *problem)
{
    struct mnp_error error = {{0}};
    mnp_fail_at(&error, path, 0, "%s", problem);
    cudart_refuse(cudart_state(), &error, CUDA_INITIALIZATION_ERROR);
}
