/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles, number types, scalars and operands, shared by the functions of libcublas and libcublasLt. */
#include "mathlib/blas/handle.h"

#include <stdlib.h>
#include <string.h>

int blas_open(struct cublasContext **handle)
{
    if (!handle)
        return BLAS_INVALID_VALUE;
    struct cublasContext *h = calloc(1, sizeof *h);
    if (!h)
        return BLAS_ALLOC_FAILED;
    if (!mathlib_open(&h->kernels)) {
        free(h);
        return BLAS_NOT_INITIALIZED;
    }
    *handle = h;
    return BLAS_SUCCESS;
}

int blas_close(struct cublasContext *h)
{
    if (!h)
        return BLAS_NOT_INITIALIZED;
    cuCtxSynchronize();
    mathlib_close(&h->kernels);
    free(h);
    return BLAS_SUCCESS;
}

size_t blas_size(enum mathlib_type type)
{
    static const unsigned char sizes[] = {[MATHLIB_F32] = 4, [MATHLIB_F64] = 8,  [MATHLIB_C32] = 8, [MATHLIB_C64] = 16,
                                          [MATHLIB_F16] = 2, [MATHLIB_BF16] = 2, [MATHLIB_I32] = 4, [MATHLIB_I8] = 1};
    return sizes[type];
}

char blas_letter(enum mathlib_type type)
{
    return "sdczhbii"[type];
}

struct mathlib_scalar blas_number(double value)
{
    return (struct mathlib_scalar){.re = value};
}

/* A half, as a float would be it: signs, exponents from 2^-24 on, infinities. */
static double half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double value = exponent == 31
                       ? (fraction ? __builtin_nan("") : __builtin_inf())
                       : __builtin_ldexp(exponent ? 1024 + fraction : fraction, (exponent ? exponent : 1) - 25);
    return bits & 0x8000 ? -value : value;
}

struct mathlib_scalar blas_scalar(const struct cublasContext *h, const void *value, enum mathlib_type type)
{
    struct mathlib_scalar s = {.type = type};
    const float *f = value;
    const double *d = value;
    if (h->pointer_mode == BLAS_DEVICE) {
        s.device = value;
        return s;
    }
    switch (type) {
    case MATHLIB_F32:
        s.re = f[0];
        break;
    case MATHLIB_F64:
        s.re = d[0];
        break;
    case MATHLIB_C32:
        s.re = f[0], s.im = f[1];
        break;
    case MATHLIB_C64:
        s.re = d[0], s.im = d[1];
        break;
    case MATHLIB_F16:
        s.re = half_value(*(const uint16_t *)value);
        break;
    case MATHLIB_BF16: {
        uint32_t bits = (uint32_t) * (const uint16_t *)value << 16;
        float number;
        memcpy(&number, &bits, sizeof number);
        s.re = number;
        break;
    }
    case MATHLIB_I32:
    case MATHLIB_I8:
        s.re = *(const int *)value;
        break;
    }
    return s;
}

bool blas_is_zero(const struct mathlib_scalar *s)
{
    return !s->device && s->re == 0 && s->im == 0;
}

const void *blas_first(const void *x, int64_t n, int64_t step, enum mathlib_type type)
{
    return step >= 0 ? x : (const char *)x + (1 - n) * step * (int64_t)blas_size(type);
}

struct mathlib_operand blas_operand(const void *data, int64_t ld, int op, enum mathlib_type type)
{
    bool turned = op == BLAS_T || op == BLAS_C;
    return (struct mathlib_operand){.data = data,
                                    .row = turned ? ld : 1,
                                    .column = turned ? 1 : ld,
                                    .conjugate = op == BLAS_C || op == BLAS_CONJUGATED,
                                    .aligned = (uintptr_t)data % 16 == 0 && (size_t)ld * blas_size(type) % 16 == 0};
}

/* ===== types as arguments ===== */

/* cudaDataType as ours; -1: it is none that products are made of. */
static int type_of(int type)
{
    static const signed char types[] = {
        [0] = MATHLIB_F32,  [1] = MATHLIB_F64, [2] = MATHLIB_F16, [3] = MATHLIB_I8, [4] = MATHLIB_C32,
        [5] = MATHLIB_C64,  [6] = -1,          [7] = -1,          [8] = -1,         [9] = -1,
        [10] = MATHLIB_I32, [11] = -1,         [12] = -1,         [13] = -1,        [14] = MATHLIB_BF16};
    return type >= 0 && type < (int)sizeof types ? types[type] : -1;
}

bool blas_product_of(int in, int in_b, int out, int compute, struct blas_product *product, enum mathlib_type *scalar)
{
    int a = type_of(in), d = type_of(out);
    if (a < 0 || d < 0 || in != in_b || compute < COMPUTE_16F || compute > COMPUTE_FIXEDPOINT)
        return false;
    bool floats = compute == COMPUTE_32F || compute == COMPUTE_32F_PEDANTIC || compute >= COMPUTE_FAST_16F;
    bool halves = compute == COMPUTE_16F || compute == COMPUTE_16F_PEDANTIC,
         doubles = !floats && !halves && compute < 72;
    bool integers = compute == COMPUTE_32I || compute == COMPUTE_32I_PEDANTIC;
    *product = (struct blas_product){.in = (enum mathlib_type)a,
                                     .out = (enum mathlib_type)d,
                                     .rounded = compute >= COMPUTE_FAST_16F && compute <= COMPUTE_FAST_TF32,
                                     .exact = compute == COMPUTE_16F_PEDANTIC || compute == COMPUTE_32F_PEDANTIC};
    if (compute == COMPUTE_FIXEDPOINT)
        floats = false, doubles = true;
    *scalar = integers                               ? MATHLIB_I32
              : halves                               ? MATHLIB_F16
              : a == MATHLIB_C32 || a == MATHLIB_C64 ? (enum mathlib_type)a
              : doubles                              ? MATHLIB_F64
                                                     : MATHLIB_F32;
    switch (a) {
    case MATHLIB_F32:
    case MATHLIB_C32:
        return floats && a == d;
    case MATHLIB_F64:
    case MATHLIB_C64:
        return doubles && a == d;
    case MATHLIB_F16:
        return (halves && d == MATHLIB_F16) || (floats && (d == MATHLIB_F16 || d == MATHLIB_F32));
    case MATHLIB_BF16:
        return floats && (d == MATHLIB_BF16 || d == MATHLIB_F32);
    case MATHLIB_I8:
        return (integers && d == MATHLIB_I32) || (floats && d == MATHLIB_F32);
    default:
        return false;
    }
}
