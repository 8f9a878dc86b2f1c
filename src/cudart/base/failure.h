/* SPDX-License-Identifier: BSD-3-Clause */
/* Failures: sticky errors of the context, errors of kernels that no call has returned yet, and refusals. */
#ifndef CUDART_FAILURE_H
#define CUDART_FAILURE_H

#include "base/array.h"
#include "base/error.h"
#include "cudart/base/abi.h"

#include <stdbool.h>

struct cudart;

/* Owner: failure.c. */
struct cudart_faults {
    enum cuda_error failure; /* error of the whole context: sticky until the device is reset */
    enum cuda_error pending; /* error of a kernel that has run, until the program waits for the kernel */
    bool faulted;            /* a kernel has failed by what it did */
    bool refused;            /* an unsupported or wrong use was reported: the run ends with status 2 */
    bool misused;            /* … and it is of the command: it ends so, whatever the program ends with */
    struct cudart_failed_launches {
        uint32_t count;
        enum cuda_error error;      /* error of the last one, whose shape is: */
        uint32_t grid[3], block[3]; /* (without a kernel, where the shape alone is wrong) */
        char kernel[200];
    } launches;              /* that the device cannot have */
    struct mnp_error silent; /* first problem that only an error of CUDA's has told of, as answer to a question */
    struct mnp_array warned; /* const char *: names of functions that have been called in vain */
};

/* A message of ours to the user, on standard error. */
void cudart_say(const struct mnp_error *error);
/* The same for what we refuse to do. Returns `code`. */
enum cuda_error cudart_refuse(struct cudart *rt, const struct mnp_error *error, enum cuda_error code);
/* Results could not be written: the run ends with status 2. */
void cudart_spoil(struct cudart *rt);

/* The context fails for good. Returns `code`. */
enum cuda_error cudart_fail(struct cudart *rt, enum cuda_error code);
/* A kernel, or what a stream was to do, has failed. */
void cudart_break(struct cudart *rt, enum cuda_error code);
/* Makes a pending error of kernels the context's failure. For calls that wait for kernels. */
enum cuda_error cudart_surface(struct cudart *rt);
/* Clears the failure and the pending error: the device is reset. */
void cudart_forgive(struct cudart *rt);

/* Names a function that is not supported, once. `name` is kept. */
enum cuda_error cudart_refuse_function(struct cudart *rt, const char *name);
/* The same for a function whose form depends on the version, where the program uses runtimes of two. */
enum cuda_error cudart_refuse_versions(struct cudart *rt, const char *name);
/* The same for a function of our mathematics libraries, or for what it was asked for; NULL: for all of it. */
enum cuda_error cudart_refuse_mathematics(struct cudart *rt, const char *name, const char *what);
/* Says what is missing and not needed, once for each name. `name` is kept. */
void cudart_warn_once(struct cudart *rt, const char *name, const char *what);
/* Names a library that runs with NVIDIA's driver alone, once. */
enum cuda_error cudart_refuse_library(struct cudart *rt, const char *library);

#endif
