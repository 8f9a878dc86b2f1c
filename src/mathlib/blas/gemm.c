/* SPDX-License-Identifier: BSD-3-Clause */
/* General products of matrices: plain, of a batch, and of types that the caller names. */
#include "mathlib/blas/handle.h"

/* A call as it came, before its checks. */
struct call {
    struct blas_product product;
    enum mathlib_type scalar; /* type of alpha and beta */
    int op_a, op_b;
    int64_t m, n, k, batch;
    const void *alpha, *a, *b, *beta;
    void *c;
    int64_t lda, ldb, ldc;
    long long batch_a, batch_b, batch_c;
    bool array;
};

static int gemm(struct cublasContext *h, const struct call *c)
{
    bool a_turned = c->op_a == BLAS_T || c->op_a == BLAS_C, b_turned = c->op_b == BLAS_T || c->op_b == BLAS_C;
    if (!h)
        return BLAS_NOT_INITIALIZED;
    if (blas_wrong_op(c->op_a) || blas_wrong_op(c->op_b) || c->m < 0 || c->n < 0 || c->k < 0 || c->batch < 0 ||
        c->lda < blas_at_least_one(a_turned ? c->k : c->m) || c->ldb < blas_at_least_one(b_turned ? c->n : c->k) ||
        c->ldc < blas_at_least_one(c->m))
        return BLAS_INVALID_VALUE;
    if (!c->m || !c->n || !c->batch)
        return BLAS_SUCCESS;
    if (!c->alpha || !c->beta || !c->c)
        return BLAS_INVALID_VALUE;
    struct mathlib_gemm g = {.m = c->m, .n = c->n, .k = c->k};
    g.a = blas_operand(c->a, c->lda, c->op_a, c->product.in), g.a.batch = c->batch_a, g.a.array = c->array;
    g.b = blas_operand(c->b, c->ldb, c->op_b, c->product.in), g.b.batch = c->batch_b, g.b.array = c->array;
    g.c = blas_operand(c->c, c->ldc, BLAS_N, c->product.out), g.c.batch = c->batch_c, g.c.array = c->array;
    g.d = g.c;
    g.alpha = blas_scalar(h, c->alpha, c->scalar), g.beta = blas_scalar(h, c->beta, c->scalar);
    struct blas_product product = c->product;
    product.rounded |= h->math_mode == BLAS_TF32_MATH;
    product.exact |= h->math_mode == BLAS_PEDANTIC_MATH;
    return blas_multiply(h, product, &g, c->batch);
}

#define CALL(type)                                                                                                     \
    struct call call = {.product = {.in = type, .out = type},                                                          \
                        .scalar = type,                                                                                \
                        .op_a = op_a,                                                                                  \
                        .op_b = op_b,                                                                                  \
                        .m = m,                                                                                        \
                        .n = n,                                                                                        \
                        .k = k,                                                                                        \
                        .batch = 1,                                                                                    \
                        .alpha = alpha,                                                                                \
                        .a = a,                                                                                        \
                        .b = b,                                                                                        \
                        .beta = beta,                                                                                  \
                        .c = c,                                                                                        \
                        .lda = lda,                                                                                    \
                        .ldb = ldb,                                                                                    \
                        .ldc = ldc}
#define GEMM(suffix, INT, name, type)                                                                                  \
    MATHLIB_API int cublas##name##suffix(cublasHandle_t h, int op_a, int op_b, INT m, INT n, INT k, const void *alpha, \
                                         const void *a, INT lda, const void *b, INT ldb, const void *beta, void *c,    \
                                         INT ldc)                                                                      \
    {                                                                                                                  \
        CALL(type);                                                                                                    \
        return gemm(h, &call);                                                                                         \
    }
BLAS_BOTH(GEMM, Sgemm, MATHLIB_F32)
BLAS_BOTH(GEMM, Dgemm, MATHLIB_F64)
BLAS_BOTH(GEMM, Cgemm, MATHLIB_C32)
BLAS_BOTH(GEMM, Zgemm, MATHLIB_C64)
BLAS_BOTH_EX(GEMM, Hgemm, MATHLIB_F16)
BLAS_BOTH_EX(GEMM, Cgemm3m, MATHLIB_C32)
BLAS_BOTH_EX(GEMM, Zgemm3m, MATHLIB_C64)

#define GEMM_BATCHED(suffix, INT, letter, type)                                                                        \
    MATHLIB_API int cublas##letter##gemmBatched##suffix(                                                               \
        cublasHandle_t h, int op_a, int op_b, INT m, INT n, INT k, const void *alpha, const void *const *a, INT lda,   \
        const void *const *b, INT ldb, const void *beta, void *const *c_array, INT ldc, INT batch)                     \
    {                                                                                                                  \
        void *c = (void *)(uintptr_t)c_array;                                                                          \
        CALL(type);                                                                                                    \
        call.batch = batch, call.array = true;                                                                         \
        return gemm(h, &call);                                                                                         \
    }                                                                                                                  \
    MATHLIB_API int cublas##letter##gemmStridedBatched##suffix(                                                        \
        cublasHandle_t h, int op_a, int op_b, INT m, INT n, INT k, const void *alpha, const void *a, INT lda,          \
        long long batch_a, const void *b, INT ldb, long long batch_b, const void *beta, void *c, INT ldc,              \
        long long batch_c, INT batch)                                                                                  \
    {                                                                                                                  \
        CALL(type);                                                                                                    \
        call.batch = batch, call.batch_a = batch_a, call.batch_b = batch_b, call.batch_c = batch_c;                    \
        return gemm(h, &call);                                                                                         \
    }
BLAS_BOTH_EX(GEMM_BATCHED, S, MATHLIB_F32)
BLAS_BOTH_EX(GEMM_BATCHED, D, MATHLIB_F64)
BLAS_BOTH_EX(GEMM_BATCHED, C, MATHLIB_C32)
BLAS_BOTH_EX(GEMM_BATCHED, Z, MATHLIB_C64)
BLAS_BOTH_EX(GEMM_BATCHED, H, MATHLIB_F16)

/* ===== types as arguments ===== */

/* In C++, the older form of the function is a wrapper; in C, callers pass a data type where newer versions have the
 * compute type. */
static int compute_of(int compute)
{
    return compute == 0 || compute == 4   ? COMPUTE_32F
           : compute == 1 || compute == 5 ? COMPUTE_64F
           : compute == 2                 ? COMPUTE_16F
           : compute == 10                ? COMPUTE_32I
                                          : compute;
}

static int gemm_ex(struct cublasContext *h, struct call *call, int a_type, int b_type, int c_type, int compute)
{
    if (!h)
        return BLAS_NOT_INITIALIZED;
    if (!blas_product_of(a_type, b_type, c_type, compute_of(compute), &call->product, &call->scalar)) {
        mathlib_refuse("cublasGemmEx", "this combination of types");
        return BLAS_NOT_SUPPORTED;
    }
    return gemm(h, call);
}

#define GEMM_EX(suffix, INT, unused)                                                                                   \
    MATHLIB_API int cublasGemmEx##suffix(cublasHandle_t h, int op_a, int op_b, INT m, INT n, INT k, const void *alpha, \
                                         const void *a, int a_type, INT lda, const void *b, int b_type, INT ldb,       \
                                         const void *beta, void *c, int c_type, INT ldc, int compute, int algorithm)   \
    {                                                                                                                  \
        CALL(MATHLIB_F32);                                                                                             \
        (void)algorithm;                                                                                               \
        return gemm_ex(h, &call, a_type, b_type, c_type, compute);                                                     \
    }                                                                                                                  \
    MATHLIB_API int cublasGemmBatchedEx##suffix(                                                                       \
        cublasHandle_t h, int op_a, int op_b, INT m, INT n, INT k, const void *alpha, const void *const *a,            \
        int a_type, INT lda, const void *const *b, int b_type, INT ldb, const void *beta, void *const *c_array,        \
        int c_type, INT ldc, INT batch, int compute, int algorithm)                                                    \
    {                                                                                                                  \
        void *c = (void *)(uintptr_t)c_array;                                                                          \
        CALL(MATHLIB_F32);                                                                                             \
        call.batch = batch, call.array = true;                                                                         \
        (void)algorithm;                                                                                               \
        return gemm_ex(h, &call, a_type, b_type, c_type, compute);                                                     \
    }                                                                                                                  \
    MATHLIB_API int cublasGemmStridedBatchedEx##suffix(                                                                \
        cublasHandle_t h, int op_a, int op_b, INT m, INT n, INT k, const void *alpha, const void *a, int a_type,       \
        INT lda, long long batch_a, const void *b, int b_type, INT ldb, long long batch_b, const void *beta, void *c,  \
        int c_type, INT ldc, long long batch_c, INT batch, int compute, int algorithm)                                 \
    {                                                                                                                  \
        CALL(MATHLIB_F32);                                                                                             \
        call.batch = batch, call.batch_a = batch_a, call.batch_b = batch_b, call.batch_c = batch_c;                    \
        (void)algorithm;                                                                                               \
        return gemm_ex(h, &call, a_type, b_type, c_type, compute);                                                     \
    }                                                                                                                  \
    MATHLIB_API int cublasSgemmEx##suffix(cublasHandle_t h, int op_a, int op_b, INT m, INT n, INT k,                   \
                                          const void *alpha, const void *a, int a_type, INT lda, const void *b,        \
                                          int b_type, INT ldb, const void *beta, void *c, int c_type, INT ldc)         \
    {                                                                                                                  \
        CALL(MATHLIB_F32);                                                                                             \
        return gemm_ex(h, &call, a_type, b_type, c_type, COMPUTE_32F);                                                 \
    }
BLAS_BOTH_EX(GEMM_EX, )
