/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of functions that are not supported: the program gets an error, and the user the function's name. */
#include "cudart/api/missing.h"

#include "cudart/base/failure.h"
#include "cudart/base/state.h"
#include "cudart/process/api_call.h"

int cudart_missing(const char *name)
{
    struct cudart *rt = cudart_enter(); /* named even where the context has failed */
    return cudart_leave(rt, cudart_refuse_function(rt, name));
}

int cudart_missing_driver(const char *name)
{
    struct cudart_thread *thread = cudart_thread();
    thread->in_driver++;
    struct cudart *rt = cudart_enter();
    enum cuda_error error = cudart_refuse_function(rt, name);
    thread->in_driver--;
    return cudart_leave_quietly(rt, error);
}
