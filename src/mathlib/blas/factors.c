/* SPDX-License-Identifier: BSD-3-Clause */
/* Factors L U of batches of matrices, and systems of equations and inverses by them. */
#include "mathlib/blas/factors.h"
#include "mathlib/blas/handle.h"

#include <stdio.h>

enum { THREADS = 128, MATINV_ROWS = 32 /* cublas<t>matinvBatched fails for more rows than MATINV_ROWS */ };

static int launch(struct cublasContext *h, enum mathlib_type type, const char *what, int batch,
                  const struct mathlib_batch *m)
{
    if (!batch || !m->n || !m->columns)
        return BLAS_SUCCESS;
    char name[40];
    snprintf(name, sizeof name, "maniple_%c%s", blas_letter(type), what);
    struct mathlib_grid grid = {.x = batch, .threads = THREADS};
    return blas_done(mathlib_launch(&h->kernels, "factors", name, grid, m));
}

static int getrf(struct cublasContext *h, enum mathlib_type type, int n, void *const *a, int lda, int *pivots,
                 int *info, int batch)
{
    if (!h)
        return BLAS_NOT_INITIALIZED;
    if (n < 0 || batch < 0 || lda < blas_at_least_one(n))
        return BLAS_INVALID_VALUE;
    struct mathlib_batch m = {.n = n, .columns = n, .a = a, .lda = lda, .pivots = pivots, .info = info};
    return launch(h, type, "getrf", batch, &m);
}

/* `info` lies on the host: which parameter is impossible, counted from the operation on. */
static int getrs(struct cublasContext *h, enum mathlib_type type, int operation, struct mathlib_batch *m, int *info,
                 int batch)
{
    if (!h)
        return BLAS_NOT_INITIALIZED;
    int wrong = operation < BLAS_N || operation > BLAS_C ? 1
                : m->n < 0                               ? 2
                : m->columns < 0                         ? 3
                : m->n && !m->a                          ? 4
                : m->lda < blas_at_least_one(m->n)       ? 5
                : m->n && m->columns && !m->b            ? 7
                : m->ldb < blas_at_least_one(m->n)       ? 8
                : batch < 0                              ? 10
                                                         : 0;
    if (info)
        *info = -wrong;
    if (wrong)
        return BLAS_INVALID_VALUE;
    m->operation = operation;
    return launch(h, type, "getrs", batch, m);
}

static int getri(struct cublasContext *h, enum mathlib_type type, int n, void *const *a, int lda, int *pivots,
                 void *const *c, int ldc, int *info, int batch)
{
    if (!h)
        return BLAS_NOT_INITIALIZED;
    if (n < 0 || batch < 0 || lda < blas_at_least_one(n) || ldc < blas_at_least_one(n))
        return BLAS_INVALID_VALUE;
    struct mathlib_batch m = {
        .n = n, .columns = n, .a = a, .b = c, .lda = lda, .ldb = ldc, .pivots = pivots, .info = info, .inverse = true};
    return launch(h, type, "getrs", batch, &m);
}

static int matinv(struct cublasContext *h, enum mathlib_type type, int n, void *const *a, int lda, void *const *c,
                  int ldc, int *info, int batch)
{
    if (!h)
        return BLAS_NOT_INITIALIZED;
    if (n < 0 || n > MATINV_ROWS || batch < 0 || lda < blas_at_least_one(n) || ldc < blas_at_least_one(n))
        return BLAS_INVALID_VALUE;
    size_t numbers = (size_t)batch * (size_t)n * (size_t)n * blas_size(type);
    CUdeviceptr work = mathlib_workspace(&h->kernels, numbers + (size_t)batch * (size_t)n * sizeof(int));
    if (!work)
        return BLAS_ALLOC_FAILED;
    struct mathlib_batch m = {.n = n,
                              .columns = n,
                              .a = a,
                              .b = c,
                              .lda = lda,
                              .ldb = ldc,
                              .info = info,
                              .work = (void *)(uintptr_t)work,
                              .pivots = (int *)(uintptr_t)(work + numbers)};
    return launch(h, type, "matinv", batch, &m);
}

/* ===== what programs call ===== */

#define FACTORS(letter, type)                                                                                          \
    MATHLIB_API int cublas##letter##getrfBatched(cublasHandle_t h, int n, void *const *a, int lda, int *pivots,        \
                                                 int *info, int batch)                                                 \
    {                                                                                                                  \
        return getrf(h, type, n, a, lda, pivots, info, batch);                                                         \
    }                                                                                                                  \
    MATHLIB_API int cublas##letter##getrsBatched(cublasHandle_t h, int operation, int n, int columns, void *const *a,  \
                                                 int lda, const int *pivots, void *const *b, int ldb, int *info,       \
                                                 int batch)                                                            \
    {                                                                                                                  \
        struct mathlib_batch m = {                                                                                     \
            .n = n, .columns = columns, .a = a, .b = b, .lda = lda, .ldb = ldb, .pivots = (int *)(uintptr_t)pivots};   \
        return getrs(h, type, operation, &m, info, batch);                                                             \
    }                                                                                                                  \
    MATHLIB_API int cublas##letter##getriBatched(cublasHandle_t h, int n, void *const *a, int lda, const int *pivots,  \
                                                 void *const *c, int ldc, int *info, int batch)                        \
    {                                                                                                                  \
        return getri(h, type, n, a, lda, (int *)(uintptr_t)pivots, c, ldc, info, batch);                               \
    }                                                                                                                  \
    MATHLIB_API int cublas##letter##matinvBatched(cublasHandle_t h, int n, void *const *a, int lda, void *const *c,    \
                                                  int ldc, int *info, int batch)                                       \
    {                                                                                                                  \
        return matinv(h, type, n, a, lda, c, ldc, info, batch);                                                        \
    }
FACTORS(S, MATHLIB_F32)
FACTORS(D, MATHLIB_F64)
FACTORS(C, MATHLIB_C32)
FACTORS(Z, MATHLIB_C64)
