/* SPDX-License-Identifier: BSD-3-Clause */
/* Products and sums of matrices of which a part is stored or written, and triangular systems (level 3 of the BLAS). */
#include "mathlib/blas/handle.h"
#include "mathlib/blas/matrices.h"

#include <stdio.h>

enum { BLOCK = 32 /* rows of a triangular system that a kernel solves */ };

static int part_of(int triangle)
{
    return triangle == BLAS_LOWER ? MATHLIB_LOWER : MATHLIB_UPPER;
}

static bool wrong_triangle(int triangle)
{
    return triangle < BLAS_LOWER || triangle > BLAS_UPPER;
}

static bool launch(struct cublasContext *h, enum mathlib_type type, const char *what, struct mathlib_grid grid,
                   const void *arguments)
{
    char name[40];
    snprintf(name, sizeof name, "maniple_%c%s", blas_letter(type), what);
    return mathlib_launch(&h->kernels, "matrices", name, grid, arguments);
}

static struct blas_product of_type(enum mathlib_type type)
{
    return (struct blas_product){.in = type, .out = type, .exact = true};
}

/* ===== symm, hemm ===== */

static int symm(struct cublasContext *h, enum mathlib_type type, enum mathlib_shape shape, int side, int triangle,
                int64_t m, int64_t n, const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                const void *beta, void *c, int64_t ldc)
{
    if (!h)
        return BLAS_NOT_INITIALIZED;
    if (side < BLAS_LEFT || side > BLAS_RIGHT || wrong_triangle(triangle) || m < 0 || n < 0 ||
        lda < blas_at_least_one(side == BLAS_LEFT ? m : n) || ldb < blas_at_least_one(m) ||
        ldc < blas_at_least_one(m) || !alpha || !beta)
        return BLAS_INVALID_VALUE;
    struct mathlib_gemm g = {.m = m, .n = n, .k = side == BLAS_LEFT ? m : n};
    struct mathlib_operand symmetric = blas_operand(a, lda, BLAS_N, type), general = blas_operand(b, ldb, BLAS_N, type);
    symmetric.shape = (int)shape, symmetric.part = part_of(triangle);
    g.a = side == BLAS_LEFT ? symmetric : general, g.b = side == BLAS_LEFT ? general : symmetric;
    g.c = g.d = blas_operand(c, ldc, BLAS_N, type);
    g.alpha = blas_scalar(h, alpha, type), g.beta = blas_scalar(h, beta, type);
    return blas_multiply(h, of_type(type), &g, 1);
}

/* ===== syrk, herk, syr2k, her2k, syrkx, herkx ===== */

enum update { ONE, TWO, MIXED };

static int syrk(struct cublasContext *h, enum mathlib_type type, enum mathlib_type alpha_type,
                enum mathlib_type beta_type, bool hermitian, enum update update, int triangle, int op, int64_t n,
                int64_t k, const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb, const void *beta,
                void *c, int64_t ldc)
{
    if (!h)
        return BLAS_NOT_INITIALIZED;
    bool turned = op == BLAS_T || op == BLAS_C;
    if (wrong_triangle(triangle) || op < BLAS_N || op > BLAS_C || n < 0 || k < 0 ||
        lda < blas_at_least_one(turned ? k : n) || ldb < blas_at_least_one(turned ? k : n) ||
        ldc < blas_at_least_one(n) || !alpha || !beta)
        return BLAS_INVALID_VALUE;
    /* op(A) has n rows; the second factor is the other one turned, and conjugated where the result is Hermitian. */
    struct mathlib_gemm g = {.m = n, .n = n, .k = k};
    int first = turned ? (hermitian ? BLAS_C : BLAS_T) : BLAS_N, second = turned ? BLAS_N : hermitian ? BLAS_C : BLAS_T;
    g.a = blas_operand(a, lda, first, type), g.b = blas_operand(b, ldb, second, type);
    g.c = g.d = blas_operand(c, ldc, BLAS_N, type);
    g.part = part_of(triangle);
    g.real_diagonal = hermitian;
    g.alpha = blas_scalar(h, alpha, alpha_type), g.beta = blas_scalar(h, beta, beta_type);
    struct mathlib_gemm again = g;
    if (update == TWO)
        g.real_diagonal = false;
    int status = blas_multiply(h, of_type(type), &g, 1);
    if (status != BLAS_SUCCESS || update != TWO)
        return status;
    again.a = blas_operand(b, ldb, first, type), again.b = blas_operand(a, lda, second, type);
    again.beta = blas_number(1);
    if (hermitian)
        again.alpha.im = -again.alpha.im, again.alpha.conjugate = true;
    return blas_multiply(h, of_type(type), &again, 1);
}

/* ===== trmm, trsm ===== */

/* The triangle op(A), A of `order` rows; false where a parameter is impossible. */
static bool triangle_of(struct mathlib_operand *to, enum mathlib_type type, int side, int triangle, int op, int unit,
                        int64_t m, int64_t n, const void *a, int64_t lda, int64_t ldb)
{
    bool turned = op == BLAS_T || op == BLAS_C;
    *to = blas_operand(a, lda, op, type);
    to->shape = MATHLIB_TRIANGLE;
    to->part = (triangle == BLAS_LOWER) != turned ? MATHLIB_LOWER : MATHLIB_UPPER;
    to->unit = unit;
    return side >= BLAS_LEFT && side <= BLAS_RIGHT && !wrong_triangle(triangle) && !blas_wrong_op(op) && unit >= 0 &&
           unit <= 1 && m >= 0 && n >= 0 && lda >= blas_at_least_one(side == BLAS_LEFT ? m : n) &&
           ldb >= blas_at_least_one(m);
}

static int trmm(struct cublasContext *h, enum mathlib_type type, int side, int triangle, int op, int unit, int64_t m,
                int64_t n, const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb, void *c,
                int64_t ldc)
{
    struct mathlib_operand triangular, general = blas_operand(b, ldb, BLAS_N, type);
    if (!h)
        return BLAS_NOT_INITIALIZED;
    if (!triangle_of(&triangular, type, side, triangle, op, unit, m, n, a, lda, ldb) || ldc < blas_at_least_one(m) ||
        !alpha)
        return BLAS_INVALID_VALUE;
    if (!m || !n)
        return BLAS_SUCCESS;
    if (b == c) { /* in place: read B from a copy */
        CUdeviceptr copy = mathlib_workspace(&h->kernels, (size_t)m * (size_t)n * blas_size(type));
        if (!copy)
            return BLAS_ALLOC_FAILED;
        struct mathlib_elementwise e = {.m = m, .n = n, .a = general, .b = general, .alpha = {.re = 1}};
        e.d = general = blas_operand((const void *)(uintptr_t)copy, m, BLAS_N, type);
        struct mathlib_grid grid = {.x = mathlib_blocks(m, 32), .y = mathlib_blocks(n, 8), .threads = 256};
        if (!launch(h, type, "elementwise", grid, &e))
            return BLAS_EXECUTION_FAILED;
    }
    struct mathlib_gemm g = {.m = m, .n = n, .k = side == BLAS_LEFT ? m : n};
    g.a = side == BLAS_LEFT ? triangular : general, g.b = side == BLAS_LEFT ? general : triangular;
    g.c = g.d = blas_operand(c, ldc, BLAS_N, type);
    g.alpha = blas_scalar(h, alpha, type);
    return blas_multiply(h, of_type(type), &g, 1);
}

static void move(struct mathlib_operand *o, int64_t rows, int64_t columns, enum mathlib_type type)
{
    int64_t by = rows * o->row + columns * o->column;
    if (o->array)
        o->offset += by;
    else
        o->data = (const char *)o->data + by * (int64_t)blas_size(type);
}

/* Solves L X = alpha B for a lower triangle L of `order` rows: block by block of rows, each minus the product with the
 * rows solved before. */
static int solve(struct cublasContext *h, enum mathlib_type type, struct mathlib_operand l, struct mathlib_operand b,
                 int64_t order, int64_t columns, struct mathlib_scalar alpha, int64_t batch)
{
    l.shape = MATHLIB_FULL;
    for (int64_t first = 0; first < order; first += BLOCK) {
        int64_t rows = order - first < BLOCK ? order - first : BLOCK;
        struct mathlib_solve s = {
            .n = rows, .columns = columns, .l = l, .b = b, .alpha = first ? blas_number(1) : alpha};
        move(&s.l, first, first, type), move(&s.b, first, 0, type);
        if (first) {
            struct mathlib_gemm g = {
                .m = rows, .n = columns, .k = first, .a = l, .b = b, .c = s.b, .d = s.b, .beta = alpha};
            move(&g.a, first, 0, type);
            g.a.unit = 0;
            g.alpha = blas_number(-1);
            int status = blas_multiply(h, of_type(type), &g, batch);
            if (status != BLAS_SUCCESS)
                return status;
        }
        struct mathlib_grid grid = {.x = mathlib_blocks(columns, BLOCK), .y = batch, .threads = BLOCK};
        if (!launch(h, type, "trsm", grid, &s))
            return BLAS_EXECUTION_FAILED;
    }
    return BLAS_SUCCESS;
}

static int trsm(struct cublasContext *h, enum mathlib_type type, int side, int triangle, int op, int unit, int64_t m,
                int64_t n, const void *alpha, const void *a, int64_t lda, void *b, int64_t ldb, bool array,
                int64_t batch)
{
    struct mathlib_operand l, x = blas_operand(b, ldb, BLAS_N, type);
    if (!h)
        return BLAS_NOT_INITIALIZED;
    if (!triangle_of(&l, type, side, triangle, op, unit, m, n, a, lda, ldb) || !alpha || batch < 0 || batch > 65535)
        return BLAS_INVALID_VALUE;
    if (!m || !n || !batch)
        return BLAS_SUCCESS;
    l.array = x.array = array;
    int64_t order = side == BLAS_LEFT ? m : n, columns = side == BLAS_LEFT ? n : m;
    if (side == BLAS_RIGHT) { /* X op(A) = B is op(A)' X' = B' */
        long long row = l.row;
        l.row = l.column, l.column = row;
        row = x.row;
        x.row = x.column, x.column = row;
        l.part = l.part == MATHLIB_LOWER ? MATHLIB_UPPER : MATHLIB_LOWER;
    }
    if (l.part == MATHLIB_UPPER) { /* traversed from its end, an upper triangle becomes a lower one */
        move(&l, order - 1, order - 1, type), move(&x, order - 1, 0, type);
        l.row = -l.row, l.column = -l.column, x.row = -x.row;
    }
    return solve(h, type, l, x, order, columns, blas_scalar(h, alpha, type), batch);
}

/* ===== geam, dgmm ===== */

static int geam(struct cublasContext *h, enum mathlib_type type, int op_a, int op_b, int64_t m, int64_t n,
                const void *alpha, const void *a, int64_t lda, const void *beta, const void *b, int64_t ldb, void *c,
                int64_t ldc)
{
    bool a_turned = op_a == BLAS_T || op_a == BLAS_C, b_turned = op_b == BLAS_T || op_b == BLAS_C;
    if (!h)
        return BLAS_NOT_INITIALIZED;
    if (blas_wrong_op(op_a) || blas_wrong_op(op_b) || m < 0 || n < 0 || lda < blas_at_least_one(a_turned ? n : m) ||
        ldb < blas_at_least_one(b_turned ? n : m) || ldc < blas_at_least_one(m) || !alpha || !beta ||
        (c == a && a_turned) || (c == b && b_turned))
        return BLAS_INVALID_VALUE;
    if (!m || !n)
        return BLAS_SUCCESS;
    struct mathlib_elementwise e = {.m = m,
                                    .n = n,
                                    .a = blas_operand(a, lda, op_a, type),
                                    .b = blas_operand(b, ldb, op_b, type),
                                    .d = blas_operand(c, ldc, BLAS_N, type),
                                    .alpha = blas_scalar(h, alpha, type),
                                    .beta = blas_scalar(h, beta, type)};
    struct mathlib_grid grid = {.x = mathlib_blocks(m, 32), .y = mathlib_blocks(n, 8), .threads = 256};
    return grid.y > 65535 ? BLAS_INVALID_VALUE : blas_done(launch(h, type, "elementwise", grid, &e));
}

static int dgmm(struct cublasContext *h, enum mathlib_type type, int side, int64_t m, int64_t n, const void *a,
                int64_t lda, const void *x, int64_t incx, void *c, int64_t ldc)
{
    if (!h)
        return BLAS_NOT_INITIALIZED;
    if (side < BLAS_LEFT || side > BLAS_RIGHT || m < 0 || n < 0 || lda < blas_at_least_one(m) ||
        ldc < blas_at_least_one(m))
        return BLAS_INVALID_VALUE;
    if (!m || !n)
        return BLAS_SUCCESS;
    struct mathlib_elementwise e = {
        .m = m, .n = n, .a = blas_operand(a, lda, BLAS_N, type), .d = blas_operand(c, ldc, BLAS_N, type)};
    e.x = blas_first(x, side == BLAS_LEFT ? m : n, incx, type);
    e.step_x_row = side == BLAS_LEFT ? incx : 0, e.step_x_column = side == BLAS_LEFT ? 0 : incx;
    struct mathlib_grid grid = {.x = mathlib_blocks(m, 32), .y = mathlib_blocks(n, 8), .threads = 256};
    return grid.y > 65535 ? BLAS_INVALID_VALUE : blas_done(launch(h, type, "elementwise", grid, &e));
}

/* ===== what programs call ===== */

#define SYMM(suffix, INT, name, type, shape)                                                                           \
    MATHLIB_API int cublas##name##suffix(cublasHandle_t h, int side, int triangle, INT m, INT n, const void *alpha,    \
                                         const void *a, INT lda, const void *b, INT ldb, const void *beta, void *c,    \
                                         INT ldc)                                                                      \
    {                                                                                                                  \
        return symm(h, type, shape, side, triangle, m, n, alpha, a, lda, b, ldb, beta, c, ldc);                        \
    }
BLAS_BOTH(SYMM, Ssymm, MATHLIB_F32, MATHLIB_SYMMETRIC)
BLAS_BOTH(SYMM, Dsymm, MATHLIB_F64, MATHLIB_SYMMETRIC)
BLAS_BOTH(SYMM, Csymm, MATHLIB_C32, MATHLIB_SYMMETRIC)
BLAS_BOTH(SYMM, Zsymm, MATHLIB_C64, MATHLIB_SYMMETRIC)
BLAS_BOTH(SYMM, Chemm, MATHLIB_C32, MATHLIB_HERMITIAN)
BLAS_BOTH(SYMM, Zhemm, MATHLIB_C64, MATHLIB_HERMITIAN)

#define SYRK(suffix, INT, name, type, real, hermitian)                                                                 \
    MATHLIB_API int cublas##name##suffix(cublasHandle_t h, int triangle, int op, INT n, INT k, const void *alpha,      \
                                         const void *a, INT lda, const void *beta, void *c, INT ldc)                   \
    {                                                                                                                  \
        return syrk(h, type, real, real, hermitian, ONE, triangle, op, n, k, alpha, a, lda, a, lda, beta, c, ldc);     \
    }
BLAS_BOTH(SYRK, Ssyrk, MATHLIB_F32, MATHLIB_F32, false)
BLAS_BOTH(SYRK, Dsyrk, MATHLIB_F64, MATHLIB_F64, false)
BLAS_BOTH(SYRK, Csyrk, MATHLIB_C32, MATHLIB_C32, false)
BLAS_BOTH(SYRK, Zsyrk, MATHLIB_C64, MATHLIB_C64, false)
BLAS_BOTH(SYRK, Cherk, MATHLIB_C32, MATHLIB_F32, true)
BLAS_BOTH(SYRK, Zherk, MATHLIB_C64, MATHLIB_F64, true)

#define SYR2K(suffix, INT, name, type, real, hermitian, update)                                                        \
    MATHLIB_API int cublas##name##suffix(cublasHandle_t h, int triangle, int op, INT n, INT k, const void *alpha,      \
                                         const void *a, INT lda, const void *b, INT ldb, const void *beta, void *c,    \
                                         INT ldc)                                                                      \
    {                                                                                                                  \
        return syrk(h, type, type, real, hermitian, update, triangle, op, n, k, alpha, a, lda, b, ldb, beta, c, ldc);  \
    }
BLAS_BOTH(SYR2K, Ssyr2k, MATHLIB_F32, MATHLIB_F32, false, TWO)
BLAS_BOTH(SYR2K, Dsyr2k, MATHLIB_F64, MATHLIB_F64, false, TWO)
BLAS_BOTH(SYR2K, Csyr2k, MATHLIB_C32, MATHLIB_C32, false, TWO)
BLAS_BOTH(SYR2K, Zsyr2k, MATHLIB_C64, MATHLIB_C64, false, TWO)
BLAS_BOTH(SYR2K, Cher2k, MATHLIB_C32, MATHLIB_F32, true, TWO)
BLAS_BOTH(SYR2K, Zher2k, MATHLIB_C64, MATHLIB_F64, true, TWO)
BLAS_BOTH_EX(SYR2K, Ssyrkx, MATHLIB_F32, MATHLIB_F32, false, MIXED)
BLAS_BOTH_EX(SYR2K, Dsyrkx, MATHLIB_F64, MATHLIB_F64, false, MIXED)
BLAS_BOTH_EX(SYR2K, Csyrkx, MATHLIB_C32, MATHLIB_C32, false, MIXED)
BLAS_BOTH_EX(SYR2K, Zsyrkx, MATHLIB_C64, MATHLIB_C64, false, MIXED)
BLAS_BOTH_EX(SYR2K, Cherkx, MATHLIB_C32, MATHLIB_F32, true, MIXED)
BLAS_BOTH_EX(SYR2K, Zherkx, MATHLIB_C64, MATHLIB_F64, true, MIXED)

#define TRIANGULAR(suffix, INT, letter, type)                                                                          \
    MATHLIB_API int cublas##letter##trmm##suffix(cublasHandle_t h, int side, int triangle, int op, int unit, INT m,    \
                                                 INT n, const void *alpha, const void *a, INT lda, const void *b,      \
                                                 INT ldb, void *c, INT ldc)                                            \
    {                                                                                                                  \
        return trmm(h, type, side, triangle, op, unit, m, n, alpha, a, lda, b, ldb, c, ldc);                           \
    }                                                                                                                  \
    MATHLIB_API int cublas##letter##trsm##suffix(cublasHandle_t h, int side, int triangle, int op, int unit, INT m,    \
                                                 INT n, const void *alpha, const void *a, INT lda, void *b, INT ldb)   \
    {                                                                                                                  \
        return trsm(h, type, side, triangle, op, unit, m, n, alpha, a, lda, b, ldb, false, 1);                         \
    }
BLAS_BOTH(TRIANGULAR, S, MATHLIB_F32)
BLAS_BOTH(TRIANGULAR, D, MATHLIB_F64)
BLAS_BOTH(TRIANGULAR, C, MATHLIB_C32)
BLAS_BOTH(TRIANGULAR, Z, MATHLIB_C64)

#define MORE(suffix, INT, letter, type)                                                                                \
    MATHLIB_API int cublas##letter##trsmBatched##suffix(cublasHandle_t h, int side, int triangle, int op, int unit,    \
                                                        INT m, INT n, const void *alpha, const void *const *a,         \
                                                        INT lda, void *const *b, INT ldb, INT batch)                   \
    {                                                                                                                  \
        return trsm(h, type, side, triangle, op, unit, m, n, alpha, a, lda, (void *)(uintptr_t)b, ldb, true, batch);   \
    }                                                                                                                  \
    MATHLIB_API int cublas##letter##geam##suffix(cublasHandle_t h, int op_a, int op_b, INT m, INT n,                   \
                                                 const void *alpha, const void *a, INT lda, const void *beta,          \
                                                 const void *b, INT ldb, void *c, INT ldc)                             \
    {                                                                                                                  \
        return geam(h, type, op_a, op_b, m, n, alpha, a, lda, beta, b, ldb, c, ldc);                                   \
    }                                                                                                                  \
    MATHLIB_API int cublas##letter##dgmm##suffix(cublasHandle_t h, int side, INT m, INT n, const void *a, INT lda,     \
                                                 const void *x, INT incx, void *c, INT ldc)                            \
    {                                                                                                                  \
        return dgmm(h, type, side, m, n, a, lda, x, incx, c, ldc);                                                     \
    }
BLAS_BOTH_EX(MORE, S, MATHLIB_F32)
BLAS_BOTH_EX(MORE, D, MATHLIB_F64)
BLAS_BOTH_EX(MORE, C, MATHLIB_C32)
BLAS_BOTH_EX(MORE, Z, MATHLIB_C64)
