/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles and descriptions of our libcusparse. */
#include "mathlib/sparse/handle.h"

#include <stdlib.h>

MATHLIB_API int cusparseCreate(cusparseHandle_t *handle)
{
    if (!handle)
        return SPARSE_INVALID_VALUE;
    struct cusparseContext *h = calloc(1, sizeof *h);
    if (!h)
        return SPARSE_ALLOC_FAILED;
    if (!mathlib_open(&h->kernels)) {
        free(h);
        return SPARSE_NOT_INITIALIZED;
    }
    *handle = h;
    return SPARSE_SUCCESS;
}

MATHLIB_API int cusparseDestroy(cusparseHandle_t h)
{
    if (!h)
        return SPARSE_NOT_INITIALIZED;
    cuCtxSynchronize();
    mathlib_close(&h->kernels);
    free(h);
    return SPARSE_SUCCESS;
}

MATHLIB_API int cusparseSetStream(cusparseHandle_t h, CUstream stream)
{
    if (!h)
        return SPARSE_NOT_INITIALIZED;
    h->kernels.stream = stream;
    return SPARSE_SUCCESS;
}

MATHLIB_API int cusparseGetStream(cusparseHandle_t h, CUstream *stream)
{
    if (!h || !stream)
        return h ? SPARSE_INVALID_VALUE : SPARSE_NOT_INITIALIZED;
    *stream = h->kernels.stream;
    return SPARSE_SUCCESS;
}

MATHLIB_API int cusparseSetPointerMode(cusparseHandle_t h, int mode)
{
    if (!h || mode < 0 || mode > 1)
        return h ? SPARSE_INVALID_VALUE : SPARSE_NOT_INITIALIZED;
    h->pointer_mode = mode;
    return SPARSE_SUCCESS;
}

MATHLIB_API int cusparseGetPointerMode(cusparseHandle_t h, int *mode)
{
    if (!h || !mode)
        return h ? SPARSE_INVALID_VALUE : SPARSE_NOT_INITIALIZED;
    *mode = h->pointer_mode;
    return SPARSE_SUCCESS;
}

MATHLIB_API int cusparseGetVersion(cusparseHandle_t h, int *version)
{
    if (!h || !version)
        return h ? SPARSE_INVALID_VALUE : SPARSE_NOT_INITIALIZED;
    *version = MATHLIB_MAJOR * 1000;
    return SPARSE_SUCCESS;
}

MATHLIB_API int cusparseGetProperty(int property, int *value)
{
    if (!value || property < 0 || property > 2)
        return SPARSE_INVALID_VALUE;
    *value = property == 0 ? MATHLIB_MAJOR : 0;
    return SPARSE_SUCCESS;
}

static const char *const words[][2] = {
    {"CUSPARSE_STATUS_SUCCESS", "success"},
    {"CUSPARSE_STATUS_NOT_INITIALIZED", "there is no handle"},
    {"CUSPARSE_STATUS_ALLOC_FAILED", "no memory is left"},
    {"CUSPARSE_STATUS_INVALID_VALUE", "a parameter is impossible"},
    {"CUSPARSE_STATUS_ARCH_MISMATCH", "the device lacks a feature"},
    {"CUSPARSE_STATUS_MAPPING_ERROR", "memory cannot be reached"},
    {"CUSPARSE_STATUS_EXECUTION_FAILED", "a kernel has failed"},
    {"CUSPARSE_STATUS_INTERNAL_ERROR", "an internal operation has failed"},
    {"CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED", "a matrix of that type is not supported"},
    {"CUSPARSE_STATUS_ZERO_PIVOT", "a pivot is zero"},
    {"CUSPARSE_STATUS_NOT_SUPPORTED", "not supported"},
    {"CUSPARSE_STATUS_INSUFFICIENT_RESOURCES", "resources do not suffice"},
};
MATHLIB_API const char *cusparseGetErrorName(int status)
{
    return status >= 0 && status < (int)(sizeof words / sizeof *words) ? words[status][0] : "unknown";
}
MATHLIB_API const char *cusparseGetErrorString(int status)
{
    return status >= 0 && status < (int)(sizeof words / sizeof *words) ? words[status][1] : "unknown status";
}

struct mathlib_scalar sparse_scalar(const struct cusparseContext *h, const void *value, enum mathlib_type type)
{
    struct mathlib_scalar s = {.type = (int)type};
    const float *f = value;
    const double *d = value;
    bool doubles = type == MATHLIB_F64 || type == MATHLIB_C64, complex = type == MATHLIB_C32 || type == MATHLIB_C64;
    if (h->pointer_mode == 1) {
        s.device = value;
        return s;
    }
    s.re = doubles ? d[0] : f[0];
    if (complex)
        s.im = doubles ? d[1] : f[1];
    return s;
}

/* ===== sparse matrices ===== */

static int make(cusparseSpMatDescr_t *to, struct cusparseSpMatDescr m)
{
    if (!to || m.rows < 0 || m.columns < 0 || m.count < 0 || m.base < 0 || m.base > 1)
        return SPARSE_INVALID_VALUE;
    if (m.place_type == 1 || m.offset_type == 1) {
        mathlib_refuse("cusparseCreateCsr", "places of 16 bits");
        return SPARSE_NOT_SUPPORTED;
    }
    struct cusparseSpMatDescr *made = malloc(sizeof *made);
    if (!made)
        return SPARSE_ALLOC_FAILED;
    *made = m;
    *to = made;
    return SPARSE_SUCCESS;
}

#define COMPRESSED(name, kind, POINTER)                                                                                \
    MATHLIB_API int name(cusparseSpMatDescr_t *to, int64_t rows, int64_t columns, int64_t count, POINTER offsets,      \
                         POINTER places, POINTER values, int offset_type, int place_type, int base, int type)          \
    {                                                                                                                  \
        return make(to, (struct cusparseSpMatDescr){.format = kind,                                                    \
                                                    .rows = rows,                                                      \
                                                    .columns = columns,                                                \
                                                    .count = count,                                                    \
                                                    .offsets = (void *)(uintptr_t)offsets,                             \
                                                    .across = (void *)(uintptr_t)places,                               \
                                                    .values = (void *)(uintptr_t)values,                               \
                                                    .offset_type = offset_type,                                        \
                                                    .place_type = place_type,                                          \
                                                    .base = base,                                                      \
                                                    .type = type});                                                    \
    }
COMPRESSED(cusparseCreateCsr, SPARSE_CSR, void *)
COMPRESSED(cusparseCreateConstCsr, SPARSE_CSR, const void *)
COMPRESSED(cusparseCreateCsc, SPARSE_CSC, void *)
COMPRESSED(cusparseCreateConstCsc, SPARSE_CSC, const void *)

#define PLACES(name, POINTER)                                                                                          \
    MATHLIB_API int name(cusparseSpMatDescr_t *to, int64_t rows, int64_t columns, int64_t count, POINTER line,         \
                         POINTER across, POINTER values, int place_type, int base, int type)                           \
    {                                                                                                                  \
        return make(to, (struct cusparseSpMatDescr){.format = SPARSE_COO,                                              \
                                                    .rows = rows,                                                      \
                                                    .columns = columns,                                                \
                                                    .count = count,                                                    \
                                                    .line = (void *)(uintptr_t)line,                                   \
                                                    .across = (void *)(uintptr_t)across,                               \
                                                    .values = (void *)(uintptr_t)values,                               \
                                                    .offset_type = place_type,                                         \
                                                    .place_type = place_type,                                          \
                                                    .base = base,                                                      \
                                                    .type = type});                                                    \
    }
PLACES(cusparseCreateCoo, void *)
PLACES(cusparseCreateConstCoo, const void *)

MATHLIB_API int cusparseDestroySpMat(cusparseSpMatDescr_t m)
{
    free(m);
    return SPARSE_SUCCESS;
}

MATHLIB_API int cusparseSpMatGetSize(cusparseSpMatDescr_t m, int64_t *rows, int64_t *columns, int64_t *count)
{
    if (!m || !rows || !columns || !count)
        return SPARSE_INVALID_VALUE;
    *rows = m->rows, *columns = m->columns, *count = m->count;
    return SPARSE_SUCCESS;
}

MATHLIB_API int cusparseSpMatGetFormat(cusparseSpMatDescr_t m, int *format)
{
    if (!m || !format)
        return SPARSE_INVALID_VALUE;
    *format = m->format;
    return SPARSE_SUCCESS;
}

MATHLIB_API int cusparseSpMatGetIndexBase(cusparseSpMatDescr_t m, int *base)
{
    if (!m || !base)
        return SPARSE_INVALID_VALUE;
    *base = m->base;
    return SPARSE_SUCCESS;
}

MATHLIB_API int cusparseSpMatGetValues(cusparseSpMatDescr_t m, void **values)
{
    if (!m || !values)
        return SPARSE_INVALID_VALUE;
    *values = m->values;
    return SPARSE_SUCCESS;
}

MATHLIB_API int cusparseSpMatSetValues(cusparseSpMatDescr_t m, void *values)
{
    if (!m)
        return SPARSE_INVALID_VALUE;
    m->values = values;
    return SPARSE_SUCCESS;
}

static int set_pointers(cusparseSpMatDescr_t m, enum sparse_format format, void *lines, void *places, void *values)
{
    if (!m || m->format != format)
        return SPARSE_INVALID_VALUE;
    *(format == SPARSE_COO ? &m->line : &m->offsets) = lines;
    m->across = places, m->values = values;
    return SPARSE_SUCCESS;
}

MATHLIB_API int cusparseCsrSetPointers(cusparseSpMatDescr_t m, void *offsets, void *places, void *values)
{
    return set_pointers(m, SPARSE_CSR, offsets, places, values);
}

MATHLIB_API int cusparseCscSetPointers(cusparseSpMatDescr_t m, void *offsets, void *places, void *values)
{
    return set_pointers(m, SPARSE_CSC, offsets, places, values);
}

MATHLIB_API int cusparseCooSetPointers(cusparseSpMatDescr_t m, void *line, void *across, void *values)
{
    return set_pointers(m, SPARSE_COO, line, across, values);
}

/* The triangle and the diagonal: kept, for products do not look at them. */
MATHLIB_API int cusparseSpMatSetAttribute(cusparseSpMatDescr_t m, int attribute, const void *data, size_t size)
{
    if (!m || !data || size != sizeof(int) || attribute < 0 || attribute > 1)
        return SPARSE_INVALID_VALUE;
    *(attribute == 0 ? &m->fill : &m->diagonal) = *(const int *)data;
    return SPARSE_SUCCESS;
}

/* ===== dense vectors and matrices ===== */

MATHLIB_API int cusparseCreateDnVec(cusparseDnVecDescr_t *to, int64_t size, void *values, int type)
{
    if (!to || size < 0)
        return SPARSE_INVALID_VALUE;
    struct cusparseDnVecDescr *made = malloc(sizeof *made);
    if (!made)
        return SPARSE_ALLOC_FAILED;
    *made = (struct cusparseDnVecDescr){.size = size, .values = values, .type = type};
    *to = made;
    return SPARSE_SUCCESS;
}
MATHLIB_API int cusparseCreateConstDnVec(cusparseDnVecDescr_t *to, int64_t size, const void *values, int type)
{
    return cusparseCreateDnVec(to, size, (void *)(uintptr_t)values, type);
}
MATHLIB_API int cusparseDestroyDnVec(cusparseDnVecDescr_t v)
{
    free(v);
    return SPARSE_SUCCESS;
}
MATHLIB_API int cusparseDnVecGetValues(cusparseDnVecDescr_t v, void **values)
{
    if (!v || !values)
        return SPARSE_INVALID_VALUE;
    *values = v->values;
    return SPARSE_SUCCESS;
}
MATHLIB_API int cusparseDnVecSetValues(cusparseDnVecDescr_t v, void *values)
{
    if (!v)
        return SPARSE_INVALID_VALUE;
    v->values = values;
    return SPARSE_SUCCESS;
}

MATHLIB_API int cusparseCreateDnMat(cusparseDnMatDescr_t *to, int64_t rows, int64_t columns, int64_t ld, void *values,
                                    int type, int order)
{
    if (!to || rows < 0 || columns < 0 || (order != SPARSE_BY_COLUMNS && order != SPARSE_BY_ROWS) ||
        ld < (order == SPARSE_BY_COLUMNS ? rows : columns))
        return SPARSE_INVALID_VALUE;
    struct cusparseDnMatDescr *made = malloc(sizeof *made);
    if (!made)
        return SPARSE_ALLOC_FAILED;
    *made = (struct cusparseDnMatDescr){
        .rows = rows, .columns = columns, .ld = ld, .values = values, .type = type, .order = order, .batches = 1};
    *to = made;
    return SPARSE_SUCCESS;
}
MATHLIB_API int cusparseCreateConstDnMat(cusparseDnMatDescr_t *to, int64_t rows, int64_t columns, int64_t ld,
                                         const void *values, int type, int order)
{
    return cusparseCreateDnMat(to, rows, columns, ld, (void *)(uintptr_t)values, type, order);
}
MATHLIB_API int cusparseDestroyDnMat(cusparseDnMatDescr_t m)
{
    free(m);
    return SPARSE_SUCCESS;
}
MATHLIB_API int cusparseDnMatGetValues(cusparseDnMatDescr_t m, void **values)
{
    if (!m || !values)
        return SPARSE_INVALID_VALUE;
    *values = m->values;
    return SPARSE_SUCCESS;
}
MATHLIB_API int cusparseDnMatSetValues(cusparseDnMatDescr_t m, void *values)
{
    if (!m)
        return SPARSE_INVALID_VALUE;
    m->values = values;
    return SPARSE_SUCCESS;
}
