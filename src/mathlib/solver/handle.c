/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles and settings of our libcusolver, and launches of its kernels. */
#include "mathlib/solver/handle.h"

#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 128 };

MATHLIB_API int cusolverDnCreate(cusolverDnHandle_t *handle)
{
    if (!handle)
        return SOLVER_INVALID_VALUE;
    struct cusolverDnContext *h = calloc(1, sizeof *h);
    if (!h)
        return SOLVER_ALLOC_FAILED;
    if (!mathlib_open(&h->kernels)) {
        free(h);
        return SOLVER_NOT_INITIALIZED;
    }
    h->deterministic = h->math = 1;
    *handle = h;
    return SOLVER_SUCCESS;
}

MATHLIB_API int cusolverDnDestroy(cusolverDnHandle_t h)
{
    if (!h)
        return SOLVER_NOT_INITIALIZED;
    cuCtxSynchronize();
    mathlib_close(&h->kernels);
    free(h);
    return SOLVER_SUCCESS;
}

MATHLIB_API int cusolverDnSetStream(cusolverDnHandle_t h, CUstream stream)
{
    if (!h)
        return SOLVER_NOT_INITIALIZED;
    h->kernels.stream = stream;
    return SOLVER_SUCCESS;
}

MATHLIB_API int cusolverDnGetStream(cusolverDnHandle_t h, CUstream *stream)
{
    if (!h || !stream)
        return h ? SOLVER_INVALID_VALUE : SOLVER_NOT_INITIALIZED;
    *stream = h->kernels.stream;
    return SOLVER_SUCCESS;
}

/* Sets one of two modes; results are deterministic in both, and floats are never emulated. */
static int set_mode(cusolverDnHandle_t h, int *to, int mode)
{
    if (!h || mode < 1 || mode > 2)
        return h ? SOLVER_INVALID_VALUE : SOLVER_NOT_INITIALIZED;
    *to = mode;
    return SOLVER_SUCCESS;
}
static int get_mode(cusolverDnHandle_t h, int mode, int *to)
{
    if (!h || !to)
        return h ? SOLVER_INVALID_VALUE : SOLVER_NOT_INITIALIZED;
    *to = mode;
    return SOLVER_SUCCESS;
}
MATHLIB_API int cusolverDnSetDeterministicMode(cusolverDnHandle_t h, int mode)
{
    return set_mode(h, h ? &h->deterministic : NULL, mode);
}
MATHLIB_API int cusolverDnGetDeterministicMode(cusolverDnHandle_t h, int *mode)
{
    return get_mode(h, h ? h->deterministic : 0, mode);
}
MATHLIB_API int cusolverDnSetMathMode(cusolverDnHandle_t h, int mode)
{
    return set_mode(h, h ? &h->math : NULL, mode);
}
MATHLIB_API int cusolverDnGetMathMode(cusolverDnHandle_t h, int *mode)
{
    return get_mode(h, h ? h->math : 0, mode);
}

MATHLIB_API int cusolverGetVersion(int *version)
{
    if (!version)
        return SOLVER_INVALID_VALUE;
    *version = MATHLIB_MAJOR * 1000;
    return SOLVER_SUCCESS;
}

MATHLIB_API int cusolverGetProperty(int property, int *value)
{
    if (!value || property < 0 || property > 2)
        return SOLVER_INVALID_VALUE;
    *value = property == 0 ? MATHLIB_MAJOR : 0;
    return SOLVER_SUCCESS;
}

/* Parameters of the functions with numbers of 64 bits: all algorithms are the same one. */
MATHLIB_API int cusolverDnCreateParams(void **params)
{
    if (!params)
        return SOLVER_INVALID_VALUE;
    *params = calloc(1, 1);
    return *params ? SOLVER_SUCCESS : SOLVER_ALLOC_FAILED;
}
MATHLIB_API int cusolverDnDestroyParams(void *params)
{
    free(params);
    return SOLVER_SUCCESS;
}
MATHLIB_API int cusolverDnSetAdvOptions(void *params, int function, int algorithm)
{
    return params && function >= 0 && algorithm >= 0 && algorithm <= 2 ? SOLVER_SUCCESS : SOLVER_INVALID_VALUE;
}

/* ===== settings of Jacobi's method ===== */

static int create_iteration(struct solver_iteration **to)
{
    struct solver_iteration *made = to ? malloc(sizeof *made) : NULL;
    if (!made)
        return to ? SOLVER_ALLOC_FAILED : SOLVER_INVALID_VALUE;
    *made = (struct solver_iteration){.sweeps = SOLVER_SWEEPS, .sort = 1};
    *to = made;
    return SOLVER_SUCCESS;
}

#define ITERATION(Create, Destroy, Set)                                                                                \
    MATHLIB_API int cusolverDn##Create(struct solver_iteration **to)                                                   \
    {                                                                                                                  \
        return create_iteration(to);                                                                                   \
    }                                                                                                                  \
    MATHLIB_API int cusolverDn##Destroy(struct solver_iteration *i)                                                    \
    {                                                                                                                  \
        free(i);                                                                                                       \
        return SOLVER_SUCCESS;                                                                                         \
    }                                                                                                                  \
    MATHLIB_API int cusolverDn##Set##SetTolerance(struct solver_iteration *i, double tolerance)                        \
    {                                                                                                                  \
        if (!i)                                                                                                        \
            return SOLVER_INVALID_VALUE;                                                                               \
        i->tolerance = tolerance > 0 ? tolerance : 0;                                                                  \
        return SOLVER_SUCCESS;                                                                                         \
    }                                                                                                                  \
    MATHLIB_API int cusolverDn##Set##SetMaxSweeps(struct solver_iteration *i, int sweeps)                              \
    {                                                                                                                  \
        if (!i || sweeps < 0)                                                                                          \
            return SOLVER_INVALID_VALUE;                                                                               \
        i->sweeps = sweeps;                                                                                            \
        return SOLVER_SUCCESS;                                                                                         \
    }                                                                                                                  \
    MATHLIB_API int cusolverDn##Set##SetSortEig(struct solver_iteration *i, int sort)                                  \
    {                                                                                                                  \
        if (!i)                                                                                                        \
            return SOLVER_INVALID_VALUE;                                                                               \
        i->sort = sort != 0;                                                                                           \
        return SOLVER_SUCCESS;                                                                                         \
    }
ITERATION(CreateSyevjInfo, DestroySyevjInfo, Xsyevj)
ITERATION(CreateGesvdjInfo, DestroyGesvdjInfo, Xgesvdj)

/* ===== launches ===== */

size_t solver_real_size(enum mathlib_type type)
{
    return type == MATHLIB_F64 || type == MATHLIB_C64 ? sizeof(double) : sizeof(float);
}

size_t solver_size(enum mathlib_type type)
{
    return solver_real_size(type) * (type == MATHLIB_C32 || type == MATHLIB_C64 ? 2 : 1);
}

bool solver_type_of(const char *function, int data, int compute, enum mathlib_type *type)
{
    static const enum mathlib_type types[] = {[0] = MATHLIB_F32, MATHLIB_F64, [4] = MATHLIB_C32, MATHLIB_C64};
    bool known = data == 0 || data == 1 || data == 4 || data == 5;
    if (!known || compute != data) {
        mathlib_refuse(function, "types other than float, double and complex ones, all matrices of the same");
        return false;
    }
    *type = types[data];
    return true;
}

int solver_launch(cusolverDnHandle_t h, const char *file, enum mathlib_type type, const char *what, int64_t batch,
                  const struct solver_system *s)
{
    static const char letters[] = {[MATHLIB_F32] = 's', [MATHLIB_F64] = 'd', [MATHLIB_C32] = 'c', [MATHLIB_C64] = 'z'};
    char name[40];
    snprintf(name, sizeof name, "maniple_%c%s", letters[type], what);
    struct mathlib_grid grid = {.x = batch, .threads = THREADS};
    return !batch || mathlib_launch(&h->kernels, file, name, grid, s) ? SOLVER_SUCCESS : SOLVER_EXECUTION_FAILED;
}

int solver_nothing(cusolverDnHandle_t h, int *info, int64_t batch)
{
    if (!info || !batch)
        return SOLVER_SUCCESS;
    return cuMemsetD32Async((CUdeviceptr)(uintptr_t)info, 0, (size_t)batch, h->kernels.stream) == CUDA_SUCCESS
               ? SOLVER_SUCCESS
               : SOLVER_EXECUTION_FAILED;
}

bool solver_workspace(cusolverDnHandle_t h, size_t each, int64_t batch, struct solver_system *s)
{
    each = (each + 15) / 16 * 16;
    CUdeviceptr memory = mathlib_workspace(&h->kernels, each * (size_t)batch);
    s->work = (void *)(uintptr_t)memory, s->work_stride = (long long)each;
    return memory != 0;
}
