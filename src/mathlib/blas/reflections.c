/* SPDX-License-Identifier: BSD-3-Clause */
/* Factors Q R of batches of matrices, and least squares by them: kernels of our libcusolver, a CTA for each matrix. */
#include "mathlib/blas/handle.h"
#include "mathlib/solver/system.h"

#include <stdio.h>

enum { THREADS = 128 };

static int launch(struct cublasContext *h, enum mathlib_type type, const char *what, int batch,
                  const struct solver_system *s)
{
    char name[40];
    snprintf(name, sizeof name, "maniple_%c%s", blas_letter(type), what);
    struct mathlib_grid grid = {.x = batch, .threads = THREADS};
    return blas_done(!batch || mathlib_launch(&h->kernels, "reflections", name, grid, s));
}

/* `info` lies on the host: which parameter is impossible. */
static int geqrf(struct cublasContext *h, enum mathlib_type type, int *info, int batch, const struct solver_system *s)
{
    if (!h)
        return BLAS_NOT_INITIALIZED;
    int wrong = s->m < 0 ? 1 : s->n < 0 ? 2 : s->a.ld < blas_at_least_one(s->m) ? 4 : batch < 0 ? 7 : 0;
    if (info)
        *info = -wrong;
    if (wrong || !info)
        return BLAS_INVALID_VALUE;
    return s->m && s->n ? launch(h, type, "geqrf", batch, s) : BLAS_SUCCESS;
}

static int gels(struct cublasContext *h, enum mathlib_type type, int operation, int *info, int batch,
                const struct solver_system *s)
{
    if (!h)
        return BLAS_NOT_INITIALIZED;
    int wrong = operation < BLAS_N || operation > BLAS_C ? 1
                : s->m < 0                               ? 2
                : s->n < 0                               ? 3
                : s->k < 0                               ? 4
                : s->a.ld < blas_at_least_one(s->m)      ? 6
                : s->b.ld < blas_at_least_one(s->m)      ? 8
                : batch < 0                              ? 11
                                                         : 0;
    if (info)
        *info = -wrong;
    if (wrong || !info)
        return BLAS_INVALID_VALUE;
    if (operation != BLAS_N || s->m < s->n) { /* NVIDIA's library has overdetermined systems alone */
        mathlib_refuse("cublas<t>gelsBatched", "transposed matrices, and fewer rows than columns");
        return BLAS_NOT_SUPPORTED;
    }
    return s->n && s->k ? launch(h, type, "gels", batch, s) : BLAS_SUCCESS;
}

#define REFLECTIONS(letter, type)                                                                                      \
    MATHLIB_API int cublas##letter##geqrfBatched(cublasHandle_t h, int m, int n, void *const *a, int lda,              \
                                                 void *const *taus, int *info, int batch)                              \
    {                                                                                                                  \
        struct solver_system s = {.m = m, .n = n, .a = {.list = a, .ld = lda}, .values_list = taus};                   \
        return geqrf(h, type, info, batch, &s);                                                                        \
    }                                                                                                                  \
    MATHLIB_API int cublas##letter##gelsBatched(cublasHandle_t h, int operation, int m, int n, int columns,            \
                                                void *const *a, int lda, void *const *c, int ldc, int *info,           \
                                                int *codes, int batch)                                                 \
    {                                                                                                                  \
        struct solver_system s = {                                                                                     \
            .m = m, .n = n, .k = columns, .a = {.list = a, .ld = lda}, .b = {.list = c, .ld = ldc}, .info = codes};    \
        return gels(h, type, operation, info, batch, &s);                                                              \
    }
REFLECTIONS(S, MATHLIB_F32)
REFLECTIONS(D, MATHLIB_F64)
REFLECTIONS(C, MATHLIB_C32)
REFLECTIONS(Z, MATHLIB_C64)
