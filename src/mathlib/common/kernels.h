/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels of a library: PTX that is built in, loaded when it is needed first, and launched through the driver's
 * functions like any program's. Nothing here knows the simulator: on a real driver it would run as well.
 */
#ifndef MATHLIB_KERNELS_H
#define MATHLIB_KERNELS_H

#include "maniple/driver.h"

#include <stdbool.h>
#include <stddef.h>

#define MATHLIB_API __attribute__((visibility("default")))

enum { MATHLIB_MODULES = 40, MATHLIB_SPACES = 64 };

/* Owned by a handle of the library; one thread at a time uses it. */
struct mathlib_kernels {
    CUcontext context;
    CUstream stream;
    int capability;      /* 80: compute capability 8.0 */
    int multiprocessors; /* number of multiprocessors of the device */
    int shared;          /* bytes of shared memory that a CTA can have */
    struct mathlib_module {
        const char *file; /* name of the PTX file, without its suffix */
        CUmodule module;
    } modules[MATHLIB_MODULES];
    /* Workspace of a stream or graph. Work in different streams may overlap, and a captured graph re-uses the workspace
     * of its capture, so each has its own, which lives until the end. */
    struct mathlib_space {
        CUstream stream;
        CUdeviceptr address;
        size_t bytes; /* 0: none yet */
    } spaces[MATHLIB_SPACES];
};

struct mathlib_grid {
    long long x, y, z; /* number of CTAs; omitted members mean 1 */
    unsigned threads;  /* number of threads of a CTA */
    unsigned shared;   /* bytes of shared memory that the launch decides on */
    unsigned cluster;  /* CTAs of a cluster, along x; 0: there are none */
};

/* Finds the device and, where the program has not made a context yet, its primary one. */
bool mathlib_open(struct mathlib_kernels *kernels);
void mathlib_close(struct mathlib_kernels *kernels);

/* Launches a kernel whose only parameter is the structure at `arguments`. `file` must stay valid. */
bool mathlib_launch(struct mathlib_kernels *kernels, const char *file, const char *name, struct mathlib_grid grid,
                    const void *arguments);

/* Returns at least `bytes` bytes of device memory, usable by work in the current stream until the next call. Returns 0
 * if there is no memory. */
CUdeviceptr mathlib_workspace(struct mathlib_kernels *kernels, size_t bytes);
/* Copies a result to the host when all before it in the stream is done. */
bool mathlib_result(struct mathlib_kernels *kernels, void *to, CUdeviceptr from, size_t bytes);

/* Reports on standard error that a function, or a requested feature of it, is not supported; the run then ends with
 * status 2. */
void mathlib_refuse(const char *function, const char *what);

static inline long long mathlib_blocks(long long count, long long each)
{
    return (count + each - 1) / each;
}

#endif
