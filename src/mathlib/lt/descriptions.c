/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles, operations, layouts and preferences of our libcublasLt. */
#include "mathlib/lt/descriptions.h"

#include <stdlib.h>
#include <string.h>

MATHLIB_API int cublasLtCreate(struct cublasContext **handle)
{
    return blas_open(handle);
}

MATHLIB_API int cublasLtDestroy(struct cublasContext *h)
{
    return blas_close(h);
}

MATHLIB_API size_t cublasLtGetVersion(void)
{
    return MATHLIB_MAJOR * 10000;
}
MATHLIB_API size_t cublasLtGetCudartVersion(void)
{
    return MATHLIB_MAJOR * 1000;
}
MATHLIB_API int cublasLtGetProperty(int property, int *value)
{
    if (!value || property < 0 || property > 2)
        return BLAS_INVALID_VALUE;
    *value = property == 0 ? MATHLIB_MAJOR : 0;
    return BLAS_SUCCESS;
}

/* ===== attributes: a number, its size, and where it lies ===== */

struct attribute {
    int name;
    size_t size, offset;
};
#define AT(name, type, field)                                                                                          \
    {                                                                                                                  \
        name, sizeof(((struct type *)0)->field), offsetof(struct type, field)                                          \
    }

static const struct attribute operation_rows[] = {
    AT(0, lt_operation, compute),
    AT(1, lt_operation, scale),
    AT(2, lt_operation, pointer_mode),
    AT(3, lt_operation, transposed[0]),
    AT(4, lt_operation, transposed[1]),
    AT(5, lt_operation, transposed[2]),
    AT(6, lt_operation, fill),
    AT(7, lt_operation, epilogue),
    AT(8, lt_operation, bias),
    AT(10, lt_operation, bias_batch),
    AT(17, lt_operation, scales[0]),
    AT(18, lt_operation, scales[1]),
    AT(19, lt_operation, scales[2]),
    AT(20, lt_operation, scales[3]),
    AT(21, lt_operation, scales[4]),
    AT(15, lt_operation, processors),
    AT(25, lt_operation, fast_sums),
    AT(26, lt_operation, bias_type),
    AT(31, lt_operation, scale_modes[0]),
    AT(32, lt_operation, scale_modes[1]),
    AT(33, lt_operation, scale_modes[2]),
    AT(34, lt_operation, scale_modes[3]),
};
static const struct attribute layout_rows[] = {
    AT(0, lt_layout, type), AT(1, lt_layout, order),   AT(2, lt_layout, rows),  AT(3, lt_layout, columns),
    AT(4, lt_layout, ld),   AT(5, lt_layout, batches), AT(6, lt_layout, batch), AT(7, lt_layout, plane),
};

static const struct attribute *find(const struct attribute *rows, size_t count, int name, const char *function)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].name == name)
            return &rows[i];
    mathlib_refuse(function, "an attribute of that number");
    return NULL;
}

static int set(void *to, const struct attribute *row, const void *data, size_t size)
{
    if (!row)
        return BLAS_NOT_SUPPORTED;
    if (!to || !data || size != row->size)
        return BLAS_INVALID_VALUE;
    memcpy((char *)to + row->offset, data, size);
    return BLAS_SUCCESS;
}

static int get(const void *from, const struct attribute *row, void *data, size_t size, size_t *written)
{
    if (!row)
        return BLAS_NOT_SUPPORTED;
    if (written)
        *written = row->size;
    if (!from || (size && (!data || size < row->size)) || (!size && !written))
        return BLAS_INVALID_VALUE;
    if (size)
        memcpy(data, (const char *)from + row->offset, row->size);
    return BLAS_SUCCESS;
}
#define ROW(rows, name, function) find(rows, sizeof rows / sizeof *(rows), name, function)

/* ===== operations ===== */

MATHLIB_API int cublasLtMatmulDescInit_internal(struct lt_operation *to, size_t size, int compute, int scale)
{
    if (!to || size < sizeof *to)
        return BLAS_INVALID_VALUE;
    *to = (struct lt_operation){.compute = compute, .scale = scale, .epilogue = 1, .fill = 2, .bias_type = -1};
    return BLAS_SUCCESS;
}

MATHLIB_API int cublasLtMatmulDescCreate(struct lt_operation **to, int compute, int scale)
{
    if (!to)
        return BLAS_INVALID_VALUE;
    *to = malloc(sizeof **to);
    return *to ? cublasLtMatmulDescInit_internal(*to, sizeof **to, compute, scale) : BLAS_ALLOC_FAILED;
}

MATHLIB_API int cublasLtMatmulDescDestroy(struct lt_operation *operation)
{
    free(operation);
    return BLAS_SUCCESS;
}

MATHLIB_API int cublasLtMatmulDescSetAttribute(struct lt_operation *to, int name, const void *data, size_t size)
{
    return set(to, ROW(operation_rows, name, "cublasLtMatmulDescSetAttribute"), data, size);
}

MATHLIB_API int cublasLtMatmulDescGetAttribute(struct lt_operation *from, int name, void *data, size_t size,
                                               size_t *written)
{
    return get(from, ROW(operation_rows, name, "cublasLtMatmulDescGetAttribute"), data, size, written);
}

/* ===== layouts ===== */

MATHLIB_API int cublasLtMatrixLayoutInit_internal(struct lt_layout *to, size_t size, int type, uint64_t rows,
                                                  uint64_t columns, int64_t ld)
{
    if (!to || size < sizeof *to)
        return BLAS_INVALID_VALUE;
    *to = (struct lt_layout){.type = (uint32_t)type, .rows = rows, .columns = columns, .ld = ld, .batches = 1};
    return BLAS_SUCCESS;
}

MATHLIB_API int cublasLtMatrixLayoutCreate(struct lt_layout **to, int type, uint64_t rows, uint64_t columns, int64_t ld)
{
    if (!to)
        return BLAS_INVALID_VALUE;
    *to = malloc(sizeof **to);
    return *to ? cublasLtMatrixLayoutInit_internal(*to, sizeof **to, type, rows, columns, ld) : BLAS_ALLOC_FAILED;
}

MATHLIB_API int cublasLtMatrixLayoutDestroy(struct lt_layout *layout)
{
    free(layout);
    return BLAS_SUCCESS;
}

MATHLIB_API int cublasLtMatrixLayoutSetAttribute(struct lt_layout *to, int name, const void *data, size_t size)
{
    return set(to, ROW(layout_rows, name, "cublasLtMatrixLayoutSetAttribute"), data, size);
}

MATHLIB_API int cublasLtMatrixLayoutGetAttribute(struct lt_layout *from, int name, void *data, size_t size,
                                                 size_t *written)
{
    return get(from, ROW(layout_rows, name, "cublasLtMatrixLayoutGetAttribute"), data, size, written);
}

/* ===== preferences: there is one way to do it, so that they change nothing ===== */

struct lt_preference {
    uint64_t words[8];
};

MATHLIB_API int cublasLtMatmulPreferenceInit_internal(struct lt_preference *to, size_t size)
{
    if (!to || size < sizeof *to)
        return BLAS_INVALID_VALUE;
    *to = (struct lt_preference){{0}};
    return BLAS_SUCCESS;
}

MATHLIB_API int cublasLtMatmulPreferenceCreate(struct lt_preference **to)
{
    if (!to)
        return BLAS_INVALID_VALUE;
    *to = calloc(1, sizeof **to);
    return *to ? BLAS_SUCCESS : BLAS_ALLOC_FAILED;
}

MATHLIB_API int cublasLtMatmulPreferenceDestroy(struct lt_preference *preference)
{
    free(preference);
    return BLAS_SUCCESS;
}

MATHLIB_API int cublasLtMatmulPreferenceSetAttribute(struct lt_preference *to, int name, const void *data, size_t size)
{
    return !to || !data || !size || name < 0 ? BLAS_INVALID_VALUE : BLAS_SUCCESS;
}
