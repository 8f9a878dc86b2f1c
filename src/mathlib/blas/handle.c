/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles of our libcublas and their settings, words for its states, and copies of vectors and matrices. */
#include "mathlib/blas/handle.h"

/* ===== handles ===== */

MATHLIB_API int cublasCreate_v2(cublasHandle_t *handle)
{
    return blas_open(handle);
}

MATHLIB_API int cublasDestroy_v2(cublasHandle_t h)
{
    return blas_close(h);
}

MATHLIB_API int cublasGetVersion_v2(cublasHandle_t h, int *version)
{
    if (!version)
        return BLAS_INVALID_VALUE;
    (void)h; /* may be NULL */
    *version = MATHLIB_MAJOR * 10000;
    return BLAS_SUCCESS;
}

MATHLIB_API int cublasGetProperty(int property, int *value)
{
    if (!value || property < 0 || property > 2)
        return BLAS_INVALID_VALUE;
    *value = property == 0 ? MATHLIB_MAJOR : 0;
    return BLAS_SUCCESS;
}

MATHLIB_API size_t cublasGetCudartVersion(void)
{
    return MATHLIB_MAJOR * 1000;
}

MATHLIB_API int cublasSetStream_v2(cublasHandle_t h, CUstream stream)
{
    if (!h)
        return BLAS_NOT_INITIALIZED;
    h->kernels.stream = stream;
    return BLAS_SUCCESS;
}

MATHLIB_API int cublasGetStream_v2(cublasHandle_t h, CUstream *stream)
{
    if (!h)
        return BLAS_NOT_INITIALIZED;
    if (!stream)
        return BLAS_INVALID_VALUE;
    *stream = h->kernels.stream;
    return BLAS_SUCCESS;
}

/* The program's own workspace is not needed. */
MATHLIB_API int cublasSetWorkspace_v2(cublasHandle_t h, void *workspace, size_t size)
{
    (void)workspace, (void)size;
    return h ? BLAS_SUCCESS : BLAS_NOT_INITIALIZED;
}

#define SETTING(Set, Get, field, highest)                                                                              \
    MATHLIB_API int Set(cublasHandle_t h, int value)                                                                   \
    {                                                                                                                  \
        if (!h)                                                                                                        \
            return BLAS_NOT_INITIALIZED;                                                                               \
        if (value < 0 || value > (highest))                                                                            \
            return BLAS_INVALID_VALUE;                                                                                 \
        h->field = value;                                                                                              \
        return BLAS_SUCCESS;                                                                                           \
    }                                                                                                                  \
    MATHLIB_API int Get(cublasHandle_t h, int *value)                                                                  \
    {                                                                                                                  \
        if (!h)                                                                                                        \
            return BLAS_NOT_INITIALIZED;                                                                               \
        if (!value)                                                                                                    \
            return BLAS_INVALID_VALUE;                                                                                 \
        *value = h->field;                                                                                             \
        return BLAS_SUCCESS;                                                                                           \
    }
SETTING(cublasSetPointerMode_v2, cublasGetPointerMode_v2, pointer_mode, 1)
SETTING(cublasSetMathMode, cublasGetMathMode, math_mode, 31)
SETTING(cublasSetAtomicsMode, cublasGetAtomicsMode, atomics, 1)

MATHLIB_API int cublasLoggerConfigure(int on, int to_out, int to_err, const char *file)
{
    (void)on, (void)to_out, (void)to_err, (void)file;
    return BLAS_SUCCESS;
}

static const struct {
    int status;
    const char *name, *text;
} words[] = {
    {0, "CUBLAS_STATUS_SUCCESS", "success"},
    {1, "CUBLAS_STATUS_NOT_INITIALIZED", "there is no handle"},
    {3, "CUBLAS_STATUS_ALLOC_FAILED", "no memory is left"},
    {7, "CUBLAS_STATUS_INVALID_VALUE", "a parameter is impossible"},
    {8, "CUBLAS_STATUS_ARCH_MISMATCH", "the device lacks a feature"},
    {11, "CUBLAS_STATUS_MAPPING_ERROR", "memory cannot be reached"},
    {13, "CUBLAS_STATUS_EXECUTION_FAILED", "a kernel has failed"},
    {14, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation has failed"},
    {15, "CUBLAS_STATUS_NOT_SUPPORTED", "not supported"},
    {16, "CUBLAS_STATUS_LICENSE_ERROR", "a licence is missing"},
};

MATHLIB_API const char *cublasGetStatusName(int status)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].status == status)
            return words[i].name;
    return "unknown";
}

MATHLIB_API const char *cublasGetStatusString(int status)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].status == status)
            return words[i].text;
    return "unknown status";
}

/* ===== copies ===== */

/* Columns of `rows` numbers of `size` bytes, from one leading dimension to another. */
static int copy_columns(int64_t rows, int64_t columns, int64_t size, const void *from, int64_t from_ld, void *to,
                        int64_t to_ld, CUstream stream, bool wait)
{
    if (rows < 0 || columns < 0 || size <= 0 || from_ld < blas_at_least_one(rows) || to_ld < blas_at_least_one(rows))
        return BLAS_INVALID_VALUE;
    if (!rows || !columns)
        return BLAS_SUCCESS;
    CUDA_MEMCPY2D box = {.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                         .srcDevice = (CUdeviceptr)(uintptr_t)from,
                         .srcPitch = (size_t)(from_ld * size),
                         .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                         .dstDevice = (CUdeviceptr)(uintptr_t)to,
                         .dstPitch = (size_t)(to_ld * size),
                         .WidthInBytes = (size_t)(rows * size),
                         .Height = (size_t)columns};
    CUresult result = wait ? cuMemcpy2D(&box) : cuMemcpy2DAsync(&box, stream);
    return result == CUDA_SUCCESS ? BLAS_SUCCESS : 11;
}

#define MATRIX(name, suffix, INT)                                                                                      \
    MATHLIB_API int name##suffix(INT rows, INT columns, INT size, const void *a, INT lda, void *b, INT ldb)            \
    {                                                                                                                  \
        return copy_columns(rows, columns, size, a, lda, b, ldb, NULL, true);                                          \
    }                                                                                                                  \
    MATHLIB_API int name##Async##suffix(INT rows, INT columns, INT size, const void *a, INT lda, void *b, INT ldb,     \
                                        CUstream stream)                                                               \
    {                                                                                                                  \
        return copy_columns(rows, columns, size, a, lda, b, ldb, stream, false);                                       \
    }
/* A vector with steps is a matrix of one row. */
#define VECTOR(name, suffix, INT)                                                                                      \
    MATHLIB_API int name##suffix(INT n, INT size, const void *x, INT incx, void *y, INT incy)                          \
    {                                                                                                                  \
        return copy_columns(1, n, size, x, incx, y, incy, NULL, true);                                                 \
    }                                                                                                                  \
    MATHLIB_API int name##Async##suffix(INT n, INT size, const void *x, INT incx, void *y, INT incy, CUstream stream)  \
    {                                                                                                                  \
        return copy_columns(1, n, size, x, incx, y, incy, stream, false);                                              \
    }
MATRIX(cublasSetMatrix, , int)
MATRIX(cublasSetMatrix, _64, int64_t)
MATRIX(cublasGetMatrix, , int)
MATRIX(cublasGetMatrix, _64, int64_t)
VECTOR(cublasSetVector, , int)
VECTOR(cublasSetVector, _64, int64_t)
VECTOR(cublasGetVector, , int)
VECTOR(cublasGetVector, _64, int64_t)
