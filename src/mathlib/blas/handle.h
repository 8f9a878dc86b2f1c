/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the functions of our libcublas: the handle, constants of the binary interface, and checks. */
#ifndef MATHLIB_BLAS_HANDLE_H
#define MATHLIB_BLAS_HANDLE_H

#include "mathlib/blas/gemm.h"
#include "mathlib/common/kernels.h"

#include <stdint.h>

/* Numbers of the public interface (cublas_api.h). */
enum blas_status {
    BLAS_SUCCESS = 0,
    BLAS_NOT_INITIALIZED = 1,
    BLAS_ALLOC_FAILED = 3,
    BLAS_INVALID_VALUE = 7,
    BLAS_EXECUTION_FAILED = 13,
    BLAS_NOT_SUPPORTED = 15,
};
enum { BLAS_LEFT, BLAS_RIGHT };                   /* sides */
enum { BLAS_LOWER, BLAS_UPPER };                  /* triangles */
enum { BLAS_N, BLAS_T, BLAS_C, BLAS_CONJUGATED }; /* operations */
enum { BLAS_HOST, BLAS_DEVICE };                  /* pointer modes */
enum { BLAS_TENSOR_OP_MATH = 1, BLAS_PEDANTIC_MATH = 2, BLAS_TF32_MATH = 3 };

/* Compute types, from cublasComputeType_t. */
enum {
    COMPUTE_16F = 64,
    COMPUTE_16F_PEDANTIC,
    COMPUTE_32F = 68,
    COMPUTE_32F_PEDANTIC,
    COMPUTE_64F,
    COMPUTE_64F_PEDANTIC,
    COMPUTE_32I = 72,
    COMPUTE_32I_PEDANTIC,
    COMPUTE_FAST_16F = 74,
    COMPUTE_FAST_16BF,
    COMPUTE_FAST_TF32 = 77,
    COMPUTE_BF16X9,
    COMPUTE_FIXEDPOINT
};

/* cublasHandle_t points to it. */
struct cublasContext {
    struct mathlib_kernels kernels;
    int pointer_mode, math_mode, atomics;
    int algorithm; /* algorithm of the next product; 0: the one estimated to be the fastest */
};
typedef struct cublasContext *cublasHandle_t;

/* Makes a handle, and ends one. */
int blas_open(struct cublasContext **handle);
int blas_close(struct cublasContext *h);

/* A number of a type, in bytes. */
size_t blas_size(enum mathlib_type type);
/* Type letter in kernel names: s, d, c, z. */
char blas_letter(enum mathlib_type type);
/* Reads alpha or beta according to the pointer mode. */
struct mathlib_scalar blas_scalar(const struct cublasContext *h, const void *value, enum mathlib_type type);
struct mathlib_scalar blas_number(double value);
/* Known to be zero; one on the device never is. */
bool blas_is_zero(const struct mathlib_scalar *s);
/* The first element of a vector of n, whose step may be negative. */
const void *blas_first(const void *x, int64_t n, int64_t step, enum mathlib_type type);
/* The matrix op(A). */
struct mathlib_operand blas_operand(const void *data, int64_t ld, int op, enum mathlib_type type);

/* BLAS_SUCCESS, or that it failed. */
static inline int blas_done(bool launched)
{
    return launched ? BLAS_SUCCESS : BLAS_EXECUTION_FAILED;
}
static inline bool blas_wrong_op(int op)
{
    return op < BLAS_N || op > BLAS_CONJUGATED;
}
static inline int64_t blas_at_least_one(int64_t n)
{
    return n < 1 ? 1 : n;
}

/* Types of a matrix product for A and B, and for C and D, and whether tensor cores may round floats to TF32. */
struct blas_product {
    enum mathlib_type in, out;
    bool rounded; /* floats may be rounded to TF32 */
    bool exact;   /* no tensor cores */
};
/* Launches the kernels of a product of `batch` matrices. `g` is changed. */
int blas_multiply(struct cublasContext *h, struct blas_product product, struct mathlib_gemm *g, int64_t batch);
/* The same by warpgroups of compute capability 9.0, if these can do it; then whether it was launched. */
bool blas_by_warpgroups(struct cublasContext *h, struct blas_product product, const struct mathlib_gemm *g,
                        int64_t batch, bool *launched);
/* Determines a product's types from those of the public interface (cudaDataType, cublasComputeType_t), and the type of
 * alpha. */
bool blas_product_of(int in, int in_b, int out, int compute, struct blas_product *product, enum mathlib_type *scalar);

/* Each function in two forms, with numbers of 32 and of 64 bits. */
#define BLAS_BOTH(M, ...)    M(_v2, int, __VA_ARGS__) M(_v2_64, int64_t, __VA_ARGS__)
#define BLAS_BOTH_EX(M, ...) M(, int, __VA_ARGS__) M(_64, int64_t, __VA_ARGS__)

#endif
