/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations on vectors (level 1 of the BLAS). */
#include "mathlib/blas/handle.h"
#include "mathlib/blas/vectors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CTAS = 256, SLOT = 32 /* bytes that a CTA may leave, and a result may have */ };

static bool launch(struct cublasContext *h, char letter, const char *what, long long ctas,
                   const struct mathlib_vectors *v)
{
    char name[40];
    snprintf(name, sizeof name, "maniple_%.*s%s", letter != 0, &letter, what);
    return mathlib_launch(&h->kernels, "vectors", name, (struct mathlib_grid){.x = ctas, .threads = 256}, v);
}

static long long ctas_for(int64_t n)
{
    long long all = mathlib_blocks(n, 256);
    return all < CTAS ? all : CTAS;
}

static int each(struct cublasContext *h, enum mathlib_type type, const char *what, struct mathlib_vectors *v)
{
    if (v->n <= 0)
        return BLAS_SUCCESS;
    return blas_done(
        launch(h, blas_letter(type), what, mathlib_blocks(v->n, 256) < 65536 ? mathlib_blocks(v->n, 256) : 65536, v));
}

static int two(struct cublasContext *h, enum mathlib_type type, const char *what, int64_t n, const void *alpha,
               const void *x, int64_t incx, void *y, int64_t incy)
{
    if (!h)
        return BLAS_NOT_INITIALIZED;
    if (n <= 0)
        return BLAS_SUCCESS;
    if (!x || !y)
        return BLAS_INVALID_VALUE;
    struct mathlib_vectors v = {.n = n,
                                .x = blas_first(x, n, incx, type),
                                .y = (void *)(uintptr_t)blas_first(y, n, incy, type),
                                .step_x = incx,
                                .step_y = incy};
    if (alpha)
        v.alpha = blas_scalar(h, alpha, type);
    return each(h, type, what, &v);
}

static int axpy(struct cublasContext *h, enum mathlib_type type, int64_t n, const void *alpha, const void *x,
                int64_t incx, void *y, int64_t incy)
{
    if (h && !alpha)
        return BLAS_INVALID_VALUE;
    return two(h, type, "axpy", n, alpha, x, incx, y, incy);
}

static int scal(struct cublasContext *h, enum mathlib_type type, enum mathlib_type scalar, int64_t n, const void *alpha,
                void *x, int64_t incx)
{
    if (!h)
        return BLAS_NOT_INITIALIZED;
    if (n <= 0 || incx <= 0)
        return BLAS_SUCCESS;
    if (!alpha || !x)
        return BLAS_INVALID_VALUE;
    struct mathlib_vectors v = {.n = n, .y = x, .step_y = incx, .alpha = blas_scalar(h, alpha, scalar)};
    return each(h, type, "scal", &v);
}

static int rot(struct cublasContext *h, enum mathlib_type type, enum mathlib_type c_type, enum mathlib_type s_type,
               int64_t n, void *x, int64_t incx, void *y, int64_t incy, const void *c, const void *s)
{
    if (!h)
        return BLAS_NOT_INITIALIZED;
    if (!c || !s)
        return BLAS_INVALID_VALUE;
    struct mathlib_vectors v = {.n = n,
                                .x = blas_first(x, n, incx, type),
                                .y = (void *)(uintptr_t)blas_first(y, n, incy, type),
                                .step_x = incx,
                                .step_y = incy,
                                .alpha = blas_scalar(h, c, c_type),
                                .beta = blas_scalar(h, s, s_type)};
    return each(h, type, "rot", &v);
}

static int rotm(struct cublasContext *h, enum mathlib_type type, int64_t n, void *x, int64_t incx, void *y,
                int64_t incy, const void *p)
{
    if (!h)
        return BLAS_NOT_INITIALIZED;
    if (!p)
        return BLAS_INVALID_VALUE;
    struct mathlib_vectors v = {.n = n,
                                .x = blas_first(x, n, incx, type),
                                .y = (void *)(uintptr_t)blas_first(y, n, incy, type),
                                .step_x = incx,
                                .step_y = incy};
    if (h->pointer_mode == BLAS_DEVICE)
        v.alpha.device = p;
    for (int i = 0; i < 5 && h->pointer_mode == BLAS_HOST; i++)
        v.matrix[i] = type == MATHLIB_F32 ? ((const float *)p)[i] : ((const double *)p)[i];
    return each(h, type, "rotm", &v);
}

/* Computes the Givens rotation that makes the second of two numbers zero, as in the BLAS of 1979, storing r and z in
 * place of a and b. */
static void rotation(double *a, double *b, double *c, double *s)
{
    double x = *a, y = *b, larger = fabs(x) > fabs(y) ? x : y, scale = fabs(x) + fabs(y), z = 0;
    *c = 1, *s = 0;
    if (scale == 0) {
        *a = *b = 0;
        return;
    }
    double p = x / scale, q = y / scale, r = scale * sqrt(p * p + q * q) * (larger < 0 ? -1 : 1);
    *c = x / r, *s = y / r;
    z = fabs(x) > fabs(y) ? *s : *c != 0 ? 1 / *c : 1;
    *a = r, *b = z;
}

MATHLIB_API int cublasDrotg_v2(cublasHandle_t h, double *a, double *b, double *c, double *s)
{
    if (!h)
        return BLAS_NOT_INITIALIZED;
    if (h->pointer_mode == BLAS_DEVICE) {
        mathlib_refuse("cublasDrotg", "numbers on the device");
        return BLAS_NOT_SUPPORTED;
    }
    rotation(a, b, c, s);
    return BLAS_SUCCESS;
}

MATHLIB_API int cublasSrotg_v2(cublasHandle_t h, float *a, float *b, float *c, float *s)
{
    if (!h)
        return BLAS_NOT_INITIALIZED;
    if (h->pointer_mode == BLAS_DEVICE) {
        mathlib_refuse("cublasSrotg", "numbers on the device");
        return BLAS_NOT_SUPPORTED;
    }
    double p = *a, q = *b, r, t;
    rotation(&p, &q, &r, &t);
    *a = (float)p, *b = (float)q, *c = (float)r, *s = (float)t;
    return BLAS_SUCCESS;
}

/* ===== sums and extremes: CTAs leave their parts, a last one brings them together ===== */

struct reduction {
    const char *what, *end; /* kernels */
    char end_letter;        /* type letter of the second operand; 0: none */
    size_t size;            /* size of the result */
    bool steps_positive;    /* other steps give a zero result */
};

static int reduce(struct cublasContext *h, enum mathlib_type type, struct reduction r, struct mathlib_vectors *v,
                  void *result)
{
    if (!h)
        return BLAS_NOT_INITIALIZED;
    if (!result)
        return BLAS_INVALID_VALUE;
    bool device = h->pointer_mode == BLAS_DEVICE;
    if (v->n <= 0 || (r.steps_positive && v->step_x <= 0)) {
        if (!device)
            memset(result, 0, r.size);
        else
            return blas_done(cuMemsetD8Async((CUdeviceptr)(uintptr_t)result, 0, r.size, h->kernels.stream) ==
                             CUDA_SUCCESS);
        return BLAS_SUCCESS;
    }
    if (!v->x)
        return BLAS_INVALID_VALUE;
    CUdeviceptr space = mathlib_workspace(&h->kernels, (size_t)(CTAS + 1) * SLOT);
    if (!space)
        return BLAS_ALLOC_FAILED;
    v->partial = (void *)(uintptr_t)(space + SLOT);
    v->partials = (int)ctas_for(v->n);
    if (!launch(h, blas_letter(type), r.what, v->partials, v))
        return BLAS_EXECUTION_FAILED;
    v->y = device ? result : (void *)(uintptr_t)space;
    if (!launch(h, r.end_letter, r.end, 1, v))
        return BLAS_EXECUTION_FAILED;
    return blas_done(device || mathlib_result(&h->kernels, result, space, r.size));
}

static int dot(struct cublasContext *h, enum mathlib_type type, bool conjugate, int64_t n, const void *x, int64_t incx,
               const void *y, int64_t incy, void *result)
{
    struct mathlib_vectors v = {.n = n, .step_x = incx, .step_y = incy, .conjugate = conjugate};
    v.x = blas_first(x, n, incx, type);
    v.y = (void *)(uintptr_t)blas_first(y, n, incy, type);
    return reduce(h, type, (struct reduction){"dot", "dot_end", blas_letter(type), blas_size(type), false}, &v, result);
}

static enum mathlib_type real_of(enum mathlib_type type)
{
    return type == MATHLIB_C32 ? MATHLIB_F32 : type == MATHLIB_C64 ? MATHLIB_F64 : type;
}

static int magnitude(struct cublasContext *h, enum mathlib_type type, bool root, int64_t n, const void *x, int64_t incx,
                     void *result)
{
    struct mathlib_vectors v = {.n = n, .x = x, .step_x = incx};
    struct reduction r = {root ? "nrm2" : "asum", root ? "nrm2_end" : "asum_end", blas_letter(type),
                          blas_size(real_of(type)), true};
    return reduce(h, type, r, &v, result);
}

static int extreme(struct cublasContext *h, enum mathlib_type type, bool largest, bool wide, int64_t n, const void *x,
                   int64_t incx, void *result)
{
    struct mathlib_vectors v = {.n = n, .x = x, .step_x = incx, .wide = wide};
    struct reduction r = {largest ? "amax" : "amin", largest ? "amax_end" : "amin_end", 0, wide ? 8 : 4, true};
    return reduce(h, type, r, &v, result);
}

/* ===== what programs call ===== */

#define VECTORS(suffix, INT, letter, small, type)                                                                      \
    MATHLIB_API int cublas##letter##axpy##suffix(cublasHandle_t h, INT n, const void *alpha, const void *x, INT incx,  \
                                                 void *y, INT incy)                                                    \
    {                                                                                                                  \
        return axpy(h, type, n, alpha, x, incx, y, incy);                                                              \
    }                                                                                                                  \
    MATHLIB_API int cublas##letter##copy##suffix(cublasHandle_t h, INT n, const void *x, INT incx, void *y, INT incy)  \
    {                                                                                                                  \
        return two(h, type, "copy", n, NULL, x, incx, y, incy);                                                        \
    }                                                                                                                  \
    MATHLIB_API int cublas##letter##swap##suffix(cublasHandle_t h, INT n, void *x, INT incx, void *y, INT incy)        \
    {                                                                                                                  \
        return two(h, type, "swap", n, NULL, x, incx, y, incy);                                                        \
    }                                                                                                                  \
    MATHLIB_API int cublasI##small##amax##suffix(cublasHandle_t h, INT n, const void *x, INT incx, INT *result)        \
    {                                                                                                                  \
        return extreme(h, type, true, sizeof(INT) == 8, n, x, incx, result);                                           \
    }                                                                                                                  \
    MATHLIB_API int cublasI##small##amin##suffix(cublasHandle_t h, INT n, const void *x, INT incx, INT *result)        \
    {                                                                                                                  \
        return extreme(h, type, false, sizeof(INT) == 8, n, x, incx, result);                                          \
    }
BLAS_BOTH(VECTORS, S, s, MATHLIB_F32)
BLAS_BOTH(VECTORS, D, d, MATHLIB_F64)
BLAS_BOTH(VECTORS, C, c, MATHLIB_C32)
BLAS_BOTH(VECTORS, Z, z, MATHLIB_C64)

#define SCAL(suffix, INT, letters, type, scalar)                                                                       \
    MATHLIB_API int cublas##letters##scal##suffix(cublasHandle_t h, INT n, const void *alpha, void *x, INT incx)       \
    {                                                                                                                  \
        return scal(h, type, scalar, n, alpha, x, incx);                                                               \
    }
BLAS_BOTH(SCAL, S, MATHLIB_F32, MATHLIB_F32)
BLAS_BOTH(SCAL, D, MATHLIB_F64, MATHLIB_F64)
BLAS_BOTH(SCAL, C, MATHLIB_C32, MATHLIB_C32)
BLAS_BOTH(SCAL, Z, MATHLIB_C64, MATHLIB_C64)
BLAS_BOTH(SCAL, Cs, MATHLIB_C32, MATHLIB_F32)
BLAS_BOTH(SCAL, Zd, MATHLIB_C64, MATHLIB_F64)

#define DOT(suffix, INT, name, type, conjugate)                                                                        \
    MATHLIB_API int cublas##name##suffix(cublasHandle_t h, INT n, const void *x, INT incx, const void *y, INT incy,    \
                                         void *result)                                                                 \
    {                                                                                                                  \
        return dot(h, type, conjugate, n, x, incx, y, incy, result);                                                   \
    }
BLAS_BOTH(DOT, Sdot, MATHLIB_F32, false)
BLAS_BOTH(DOT, Ddot, MATHLIB_F64, false)
BLAS_BOTH(DOT, Cdotu, MATHLIB_C32, false)
BLAS_BOTH(DOT, Cdotc, MATHLIB_C32, true)
BLAS_BOTH(DOT, Zdotu, MATHLIB_C64, false)
BLAS_BOTH(DOT, Zdotc, MATHLIB_C64, true)

#define MAGNITUDE(suffix, INT, letters, type)                                                                          \
    MATHLIB_API int cublas##letters##nrm2##suffix(cublasHandle_t h, INT n, const void *x, INT incx, void *result)      \
    {                                                                                                                  \
        return magnitude(h, type, true, n, x, incx, result);                                                           \
    }                                                                                                                  \
    MATHLIB_API int cublas##letters##asum##suffix(cublasHandle_t h, INT n, const void *x, INT incx, void *result)      \
    {                                                                                                                  \
        return magnitude(h, type, false, n, x, incx, result);                                                          \
    }
BLAS_BOTH(MAGNITUDE, S, MATHLIB_F32)
BLAS_BOTH(MAGNITUDE, D, MATHLIB_F64)
BLAS_BOTH(MAGNITUDE, Sc, MATHLIB_C32)
BLAS_BOTH(MAGNITUDE, Dz, MATHLIB_C64)

#define ROT(suffix, INT, letters, type, c_type, s_type)                                                                \
    MATHLIB_API int cublas##letters##rot##suffix(cublasHandle_t h, INT n, void *x, INT incx, void *y, INT incy,        \
                                                 const void *c, const void *s)                                         \
    {                                                                                                                  \
        return rot(h, type, c_type, s_type, n, x, incx, y, incy, c, s);                                                \
    }
BLAS_BOTH(ROT, S, MATHLIB_F32, MATHLIB_F32, MATHLIB_F32)
BLAS_BOTH(ROT, D, MATHLIB_F64, MATHLIB_F64, MATHLIB_F64)
BLAS_BOTH(ROT, C, MATHLIB_C32, MATHLIB_F32, MATHLIB_C32)
BLAS_BOTH(ROT, Cs, MATHLIB_C32, MATHLIB_F32, MATHLIB_F32)
BLAS_BOTH(ROT, Z, MATHLIB_C64, MATHLIB_F64, MATHLIB_C64)
BLAS_BOTH(ROT, Zd, MATHLIB_C64, MATHLIB_F64, MATHLIB_F64)

#define ROTM(suffix, INT, letter, type)                                                                                \
    MATHLIB_API int cublas##letter##rotm##suffix(cublasHandle_t h, INT n, void *x, INT incx, void *y, INT incy,        \
                                                 const void *p)                                                        \
    {                                                                                                                  \
        return rotm(h, type, n, x, incx, y, incy, p);                                                                  \
    }
BLAS_BOTH(ROTM, S, MATHLIB_F32)
BLAS_BOTH(ROTM, D, MATHLIB_F64)

/* ===== types as arguments: those that have functions of their own ===== */

/* Converts a cudaDataType to our type; -1, after a message, if it is not supported. */
static int type_of(const char *function, int type, int others)
{
    static const signed char types[] = {MATHLIB_F32, MATHLIB_F64, -1, -1, MATHLIB_C32, MATHLIB_C64};
    int found = type >= 0 && type < 6 && type == others ? types[type] : -1;
    if (found < 0)
        mathlib_refuse(function, "this combination of types");
    return found;
}

#define EX(suffix, INT, unused)                                                                                        \
    MATHLIB_API int cublasAxpyEx##suffix(cublasHandle_t h, INT n, const void *alpha, int alpha_type, const void *x,    \
                                         int x_type, INT incx, void *y, int y_type, INT incy, int execution)           \
    {                                                                                                                  \
        int type = type_of("cublasAxpyEx", x_type, x_type == y_type && alpha_type == x_type ? execution : -1);         \
        return type < 0 ? BLAS_NOT_SUPPORTED : axpy(h, (enum mathlib_type)type, n, alpha, x, incx, y, incy);           \
    }                                                                                                                  \
    MATHLIB_API int cublasScalEx##suffix(cublasHandle_t h, INT n, const void *alpha, int alpha_type, void *x,          \
                                         int x_type, INT incx, int execution)                                          \
    {                                                                                                                  \
        int type = type_of("cublasScalEx", x_type, alpha_type == x_type ? execution : -1);                             \
        return type < 0 ? BLAS_NOT_SUPPORTED                                                                           \
                        : scal(h, (enum mathlib_type)type, (enum mathlib_type)type, n, alpha, x, incx);                \
    }                                                                                                                  \
    MATHLIB_API int cublasNrm2Ex##suffix(cublasHandle_t h, INT n, const void *x, int x_type, INT incx, void *result,   \
                                         int result_type, int execution)                                               \
    {                                                                                                                  \
        int type = type_of("cublasNrm2Ex", x_type, result_type == execution ? x_type : -1);                            \
        return type < 0 ? BLAS_NOT_SUPPORTED : magnitude(h, (enum mathlib_type)type, true, n, x, incx, result);        \
    }                                                                                                                  \
    MATHLIB_API int cublasDotEx##suffix(cublasHandle_t h, INT n, const void *x, int x_type, INT incx, const void *y,   \
                                        int y_type, INT incy, void *result, int result_type, int execution)            \
    {                                                                                                                  \
        int type = type_of("cublasDotEx", x_type, x_type == y_type && result_type == x_type ? execution : -1);         \
        return type < 0 ? BLAS_NOT_SUPPORTED : dot(h, (enum mathlib_type)type, false, n, x, incx, y, incy, result);    \
    }                                                                                                                  \
    MATHLIB_API int cublasDotcEx##suffix(cublasHandle_t h, INT n, const void *x, int x_type, INT incx, const void *y,  \
                                         int y_type, INT incy, void *result, int result_type, int execution)           \
    {                                                                                                                  \
        int type = type_of("cublasDotcEx", x_type, x_type == y_type && result_type == x_type ? execution : -1);        \
        return type < 0 ? BLAS_NOT_SUPPORTED : dot(h, (enum mathlib_type)type, true, n, x, incx, y, incy, result);     \
    }
BLAS_BOTH_EX(EX, )
