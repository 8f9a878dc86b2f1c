/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations on a matrix and vectors (level 2 of the BLAS). Matrices in bands and packed ones are not supported. */
#include "mathlib/blas/handle.h"
#include "mathlib/blas/matrices.h"

#include <stdio.h>

static bool launch(struct cublasContext *h, enum mathlib_type type, const char *what, struct mathlib_grid grid,
                   const void *arguments)
{
    char name[40];
    snprintf(name, sizeof name, "maniple_%c%s", blas_letter(type), what);
    return mathlib_launch(&h->kernels, "matrices", name, grid, arguments);
}

/* y = alpha * A * x + beta * y, for each of a batch. */
static int multiply(struct cublasContext *h, enum mathlib_type type, const struct mathlib_matrix_vector *v,
                    int64_t batch)
{
    if (v->m <= 0 || batch <= 0)
        return BLAS_SUCCESS;
    if (batch > 65535)
        return BLAS_INVALID_VALUE;
    bool rows = v->a.row == 1 || v->a.row == -1;
    struct mathlib_grid grid = {.x = mathlib_blocks(v->m, rows ? 32 : 8), .y = batch, .threads = 256};
    return blas_done(launch(h, type, rows ? "mv_rows" : "mv_columns", grid, v));
}

static int gemv(struct cublasContext *h, enum mathlib_type type, int op, int64_t m, int64_t n, const void *alpha,
                struct mathlib_operand a, struct mathlib_matrix_vector *v, const void *beta, int64_t batch)
{
    if (!h)
        return BLAS_NOT_INITIALIZED;
    int64_t ld = op == BLAS_N || op == BLAS_CONJUGATED ? a.column : a.row;
    if (blas_wrong_op(op) || m < 0 || n < 0 || ld < blas_at_least_one(m) || !alpha || !beta || !v->step_x ||
        !v->step_y || batch < 0)
        return BLAS_INVALID_VALUE;
    if (!m || !n)
        return BLAS_SUCCESS;
    bool turned = op == BLAS_T || op == BLAS_C;
    v->m = turned ? n : m, v->n = turned ? m : n;
    v->a = a;
    v->alpha = blas_scalar(h, alpha, type), v->beta = blas_scalar(h, beta, type);
    if (v->array && (v->step_x < 0 || v->step_y < 0)) {
        mathlib_refuse("cublasgemvBatched", "negative steps");
        return BLAS_NOT_SUPPORTED;
    }
    v->x = blas_first(v->x, v->n, v->step_x, type);
    v->y = (void *)(uintptr_t)blas_first(v->y, v->m, v->step_y, type);
    return multiply(h, type, v, batch);
}

static int symv(struct cublasContext *h, enum mathlib_type type, bool hermitian, int triangle, int64_t n,
                const void *alpha, const void *a, int64_t lda, const void *x, int64_t incx, const void *beta, void *y,
                int64_t incy)
{
    if (!h)
        return BLAS_NOT_INITIALIZED;
    if (triangle < BLAS_LOWER || triangle > BLAS_UPPER || n < 0 || lda < blas_at_least_one(n) || !incx || !incy ||
        !alpha || !beta)
        return BLAS_INVALID_VALUE;
    struct mathlib_matrix_vector v = {
        .m = n, .n = n, .a = blas_operand(a, lda, BLAS_N, type), .step_x = incx, .step_y = incy};
    v.a.shape = hermitian ? MATHLIB_HERMITIAN : MATHLIB_SYMMETRIC;
    v.a.part = triangle == BLAS_LOWER ? MATHLIB_LOWER : MATHLIB_UPPER;
    v.alpha = blas_scalar(h, alpha, type), v.beta = blas_scalar(h, beta, type);
    v.x = blas_first(x, n, incx, type), v.y = (void *)(uintptr_t)blas_first(y, n, incy, type);
    return multiply(h, type, &v, 1);
}

/* The triangle op(A); -1 where a parameter is impossible. */
static int triangle_of(struct mathlib_operand *to, enum mathlib_type type, int triangle, int op, int unit, int64_t n,
                       const void *a, int64_t lda)
{
    if (triangle < BLAS_LOWER || triangle > BLAS_UPPER || blas_wrong_op(op) || unit < 0 || unit > 1 || n < 0 ||
        lda < blas_at_least_one(n))
        return -1;
    bool turned = op == BLAS_T || op == BLAS_C;
    *to = blas_operand(a, lda, op, type);
    to->shape = MATHLIB_TRIANGLE;
    to->part = (triangle == BLAS_LOWER) != turned ? MATHLIB_LOWER : MATHLIB_UPPER;
    to->unit = unit;
    return 0;
}

static int trmv(struct cublasContext *h, enum mathlib_type type, int triangle, int op, int unit, int64_t n,
                const void *a, int64_t lda, void *x, int64_t incx)
{
    struct mathlib_matrix_vector v = {.m = n, .n = n, .step_x = 1, .step_y = incx, .alpha = {.re = 1}};
    if (!h)
        return BLAS_NOT_INITIALIZED;
    if (triangle_of(&v.a, type, triangle, op, unit, n, a, lda) || !incx)
        return BLAS_INVALID_VALUE;
    if (!n)
        return BLAS_SUCCESS;
    CUdeviceptr copy = mathlib_workspace(&h->kernels, (size_t)n * blas_size(type)); /* x is read and written */
    if (!copy)
        return BLAS_ALLOC_FAILED;
    v.y = (void *)(uintptr_t)blas_first(x, n, incx, type);
    struct mathlib_elementwise e = {.m = n, .n = 1, .a = {.data = v.y, .row = incx}, .alpha = {.re = 1}};
    e.b = e.a;
    e.d = (struct mathlib_operand){.data = (const void *)(uintptr_t)copy, .row = 1};
    if (!launch(h, type, "elementwise", (struct mathlib_grid){.x = mathlib_blocks(n, 32), .threads = 256}, &e))
        return BLAS_EXECUTION_FAILED;
    v.x = (const void *)(uintptr_t)copy;
    return multiply(h, type, &v, 1);
}

static int trsv(struct cublasContext *h, enum mathlib_type type, int triangle, int op, int unit, int64_t n,
                const void *a, int64_t lda, void *x, int64_t incx)
{
    struct mathlib_solve s = {.n = n, .columns = 1, .alpha = {.re = 1}};
    if (!h)
        return BLAS_NOT_INITIALIZED;
    if (triangle_of(&s.l, type, triangle, op, unit, n, a, lda) || !incx)
        return BLAS_INVALID_VALUE;
    if (!n)
        return BLAS_SUCCESS;
    s.b = (struct mathlib_operand){.data = blas_first(x, n, incx, type), .row = incx};
    if (s.l.part == MATHLIB_UPPER) { /* traversed from its end, an upper triangle becomes a lower one */
        int64_t size = (int64_t)blas_size(type);
        s.l.data = (const char *)s.l.data + (n - 1) * (s.l.row + s.l.column) * size;
        s.b.data = (const char *)s.b.data + (n - 1) * s.b.row * size;
        s.l.row = -s.l.row, s.l.column = -s.l.column, s.b.row = -s.b.row;
    }
    s.l.shape = MATHLIB_FULL;
    return blas_done(launch(h, type, "trsv", (struct mathlib_grid){.x = 1, .threads = 256}, &s));
}

static int rank(struct cublasContext *h, enum mathlib_type type, struct mathlib_rank *r, int64_t lda, const void *alpha,
                enum mathlib_type alpha_type)
{
    if (!h)
        return BLAS_NOT_INITIALIZED;
    if (r->m < 0 || r->n < 0 || lda < blas_at_least_one(r->m) || !alpha || !r->step_x || !r->step_y || r->part < 0)
        return BLAS_INVALID_VALUE;
    if (!r->m || !r->n)
        return BLAS_SUCCESS;
    r->alpha = blas_scalar(h, alpha, alpha_type);
    r->row = 1, r->column = lda;
    r->x = blas_first(r->x, r->m, r->step_x, type), r->y = blas_first(r->y, r->n, r->step_y, type);
    struct mathlib_grid grid = {.x = mathlib_blocks(r->m, 32), .y = mathlib_blocks(r->n, 8), .threads = 256};
    if (grid.y > 65535) {
        mathlib_refuse("cublasger", "more than 524,280 columns");
        return BLAS_NOT_SUPPORTED;
    }
    return blas_done(launch(h, type, "rank", grid, r));
}

static int part_of(int triangle)
{
    return triangle == BLAS_LOWER ? MATHLIB_LOWER : triangle == BLAS_UPPER ? MATHLIB_UPPER : -1;
}

/* ===== what programs call ===== */

#define GEMV(suffix, INT, letter, type)                                                                                \
    MATHLIB_API int cublas##letter##gemv##suffix(cublasHandle_t h, int op, INT m, INT n, const void *alpha,            \
                                                 const void *a, INT lda, const void *x, INT incx, const void *beta,    \
                                                 void *y, INT incy)                                                    \
    {                                                                                                                  \
        struct mathlib_matrix_vector v = {.x = x, .y = y, .step_x = incx, .step_y = incy};                             \
        return gemv(h, type, op, m, n, alpha, blas_operand(a, lda, op, type), &v, beta, 1);                            \
    }                                                                                                                  \
    MATHLIB_API int cublas##letter##trmv##suffix(cublasHandle_t h, int triangle, int op, int unit, INT n,              \
                                                 const void *a, INT lda, void *x, INT incx)                            \
    {                                                                                                                  \
        return trmv(h, type, triangle, op, unit, n, a, lda, x, incx);                                                  \
    }                                                                                                                  \
    MATHLIB_API int cublas##letter##trsv##suffix(cublasHandle_t h, int triangle, int op, int unit, INT n,              \
                                                 const void *a, INT lda, void *x, INT incx)                            \
    {                                                                                                                  \
        return trsv(h, type, triangle, op, unit, n, a, lda, x, incx);                                                  \
    }
BLAS_BOTH(GEMV, S, MATHLIB_F32)
BLAS_BOTH(GEMV, D, MATHLIB_F64)
BLAS_BOTH(GEMV, C, MATHLIB_C32)
BLAS_BOTH(GEMV, Z, MATHLIB_C64)

#define GEMV_BATCHED(suffix, INT, letter, type)                                                                        \
    MATHLIB_API int cublas##letter##gemvBatched##suffix(cublasHandle_t h, int op, INT m, INT n, const void *alpha,     \
                                                        const void *const *a, INT lda, const void *const *x, INT incx, \
                                                        const void *beta, void *const *y, INT incy, INT count)         \
    {                                                                                                                  \
        struct mathlib_matrix_vector v = {                                                                             \
            .x = x, .y = (void *)(uintptr_t)y, .step_x = incx, .step_y = incy, .array = true};                         \
        struct mathlib_operand o = blas_operand(a, lda, op, type);                                                     \
        o.array = true;                                                                                                \
        return gemv(h, type, op, m, n, alpha, o, &v, beta, count);                                                     \
    }                                                                                                                  \
    MATHLIB_API int cublas##letter##gemvStridedBatched##suffix(                                                        \
        cublasHandle_t h, int op, INT m, INT n, const void *alpha, const void *a, INT lda, long long batch_a,          \
        const void *x, INT incx, long long batch_x, const void *beta, void *y, INT incy, long long batch_y, INT count) \
    {                                                                                                                  \
        struct mathlib_matrix_vector v = {                                                                             \
            .x = x, .y = y, .step_x = incx, .step_y = incy, .batch_x = batch_x, .batch_y = batch_y};                   \
        struct mathlib_operand o = blas_operand(a, lda, op, type);                                                     \
        o.batch = batch_a;                                                                                             \
        return gemv(h, type, op, m, n, alpha, o, &v, beta, count);                                                     \
    }
BLAS_BOTH_EX(GEMV_BATCHED, S, MATHLIB_F32)
BLAS_BOTH_EX(GEMV_BATCHED, D, MATHLIB_F64)
BLAS_BOTH_EX(GEMV_BATCHED, C, MATHLIB_C32)
BLAS_BOTH_EX(GEMV_BATCHED, Z, MATHLIB_C64)

#define SYMV(suffix, INT, name, type, hermitian)                                                                       \
    MATHLIB_API int cublas##name##suffix(cublasHandle_t h, int triangle, INT n, const void *alpha, const void *a,      \
                                         INT lda, const void *x, INT incx, const void *beta, void *y, INT incy)        \
    {                                                                                                                  \
        return symv(h, type, hermitian, triangle, n, alpha, a, lda, x, incx, beta, y, incy);                           \
    }
BLAS_BOTH(SYMV, Ssymv, MATHLIB_F32, false)
BLAS_BOTH(SYMV, Dsymv, MATHLIB_F64, false)
BLAS_BOTH(SYMV, Csymv, MATHLIB_C32, false)
BLAS_BOTH(SYMV, Zsymv, MATHLIB_C64, false)
BLAS_BOTH(SYMV, Chemv, MATHLIB_C32, true)
BLAS_BOTH(SYMV, Zhemv, MATHLIB_C64, true)

#define GER(suffix, INT, name, type, conj)                                                                             \
    MATHLIB_API int cublas##name##suffix(cublasHandle_t h, INT m, INT n, const void *alpha, const void *x, INT incx,   \
                                         const void *y, INT incy, void *a, INT lda)                                    \
    {                                                                                                                  \
        struct mathlib_rank r = {                                                                                      \
            .m = m, .n = n, .a = a, .x = x, .y = y, .step_x = incx, .step_y = incy, .conjugate = conj};                \
        return rank(h, type, &r, lda, alpha, type);                                                                    \
    }
BLAS_BOTH(GER, Sger, MATHLIB_F32, false)
BLAS_BOTH(GER, Dger, MATHLIB_F64, false)
BLAS_BOTH(GER, Cgeru, MATHLIB_C32, false)
BLAS_BOTH(GER, Cgerc, MATHLIB_C32, true)
BLAS_BOTH(GER, Zgeru, MATHLIB_C64, false)
BLAS_BOTH(GER, Zgerc, MATHLIB_C64, true)

#define SYR(suffix, INT, letter, kind, type, alpha_type, conj)                                                         \
    MATHLIB_API int cublas##letter##kind##suffix(cublasHandle_t h, int triangle, INT n, const void *alpha,             \
                                                 const void *x, INT incx, void *a, INT lda)                            \
    {                                                                                                                  \
        struct mathlib_rank r = {.m = n,                                                                               \
                                 .n = n,                                                                               \
                                 .a = a,                                                                               \
                                 .x = x,                                                                               \
                                 .y = x,                                                                               \
                                 .step_x = incx,                                                                       \
                                 .step_y = incx,                                                                       \
                                 .part = part_of(triangle),                                                            \
                                 .conjugate = conj,                                                                    \
                                 .real_diagonal = conj};                                                               \
        return rank(h, type, &r, lda, alpha, alpha_type);                                                              \
    }                                                                                                                  \
    MATHLIB_API int cublas##letter##kind##2##suffix(cublasHandle_t h, int triangle, INT n, const void *alpha,          \
                                                    const void *x, INT incx, const void *y, INT incy, void *a,         \
                                                    INT lda)                                                           \
    {                                                                                                                  \
        struct mathlib_rank r = {.m = n,                                                                               \
                                 .n = n,                                                                               \
                                 .a = a,                                                                               \
                                 .x = x,                                                                               \
                                 .y = y,                                                                               \
                                 .step_x = incx,                                                                       \
                                 .step_y = incy,                                                                       \
                                 .part = part_of(triangle),                                                            \
                                 .conjugate = conj,                                                                    \
                                 .real_diagonal = conj,                                                                \
                                 .twice = true};                                                                       \
        return rank(h, type, &r, lda, alpha, type);                                                                    \
    }
BLAS_BOTH(SYR, S, syr, MATHLIB_F32, MATHLIB_F32, false)
BLAS_BOTH(SYR, D, syr, MATHLIB_F64, MATHLIB_F64, false)
BLAS_BOTH(SYR, C, syr, MATHLIB_C32, MATHLIB_C32, false)
BLAS_BOTH(SYR, Z, syr, MATHLIB_C64, MATHLIB_C64, false)
BLAS_BOTH(SYR, C, her, MATHLIB_C32, MATHLIB_F32, true)
BLAS_BOTH(SYR, Z, her, MATHLIB_C64, MATHLIB_F64, true)
