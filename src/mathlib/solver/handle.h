/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the functions of our libcusolver: the handle, public constants, launches. */
#ifndef MATHLIB_SOLVER_HANDLE_H
#define MATHLIB_SOLVER_HANDLE_H

#include "mathlib/common/kernels.h"
#include "mathlib/common/scalar.h"
#include "mathlib/solver/system.h"

#include <stdint.h>

/* Numbers of the public interface (cusolver_common.h, cublas_api.h). */
enum solver_status {
    SOLVER_SUCCESS = 0,
    SOLVER_NOT_INITIALIZED = 1,
    SOLVER_ALLOC_FAILED = 2,
    SOLVER_INVALID_VALUE = 3,
    SOLVER_EXECUTION_FAILED = 6,
    SOLVER_NOT_SUPPORTED = 9,
};
enum { SOLVER_N, SOLVER_T, SOLVER_C }; /* operations */

/* cusolverDnHandle_t points to it. */
struct cusolverDnContext {
    struct mathlib_kernels kernels;
    int deterministic, math;
};
typedef struct cusolverDnContext *cusolverDnHandle_t;

/* syevjInfo_t and gesvdjInfo_t point to it. */
struct solver_iteration {
    double tolerance; /* 0: precision of the type */
    int sweeps, sort;
};

enum { SOLVER_SWEEPS = 100 /* largest number of sweeps unless a program sets another */ };

/* Bytes of a number, and of its real part. */
size_t solver_size(enum mathlib_type type);
size_t solver_real_size(enum mathlib_type type);
/* The type for a cudaDataType; false, and the function is refused by name: there are no kernels for it. */
bool solver_type_of(const char *function, int data, int compute, enum mathlib_type *type);
/* Launches a kernel of `file` for `batch` matrices. Returns a status. */
int solver_launch(cusolverDnHandle_t h, const char *file, enum mathlib_type type, const char *what, int64_t batch,
                  const struct solver_system *s);
/* Sets every info code to 0 where there is no work to do. Returns a status. */
int solver_nothing(cusolverDnHandle_t h, int *info, int64_t batch);
/* Workspace of `each` bytes for each matrix of a batch, which goes into `s`. */
bool solver_workspace(cusolverDnHandle_t h, size_t each, int64_t batch, struct solver_system *s);

static inline bool solver_wrong_ld(int64_t ld, int64_t rows)
{
    return ld < (rows < 1 ? 1 : rows);
}
static inline bool solver_beyond(int64_t n)
{
    return n < 0 || n > INT32_MAX;
}

/* Functions that say how much workspace a program is to bring: ours have their own, so a number suffices. */
static inline int solver_workspace_size(cusolverDnHandle_t h, int *count)
{
    if (!h || !count)
        return h ? SOLVER_INVALID_VALUE : SOLVER_NOT_INITIALIZED;
    *count = 1;
    return SOLVER_SUCCESS;
}
static inline int solver_workspace_bytes(cusolverDnHandle_t h, size_t *device, size_t *host)
{
    if (!h || !device || !host)
        return h ? SOLVER_INVALID_VALUE : SOLVER_NOT_INITIALIZED;
    *device = sizeof(double), *host = 0;
    return SOLVER_SUCCESS;
}

#endif
