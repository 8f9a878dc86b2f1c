/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the functions of our libcusparse: handles, descriptors of vectors and matrices, public
 * constants. */
#ifndef MATHLIB_SPARSE_HANDLE_H
#define MATHLIB_SPARSE_HANDLE_H

#include "mathlib/common/kernels.h"
#include "mathlib/common/scalar.h"

#include <stdint.h>

/* Numbers of the public interface (cusparse.h). */
enum sparse_status {
    SPARSE_SUCCESS = 0,
    SPARSE_NOT_INITIALIZED = 1,
    SPARSE_ALLOC_FAILED = 2,
    SPARSE_INVALID_VALUE = 3,
    SPARSE_EXECUTION_FAILED = 6,
    SPARSE_NOT_SUPPORTED = 10,
};
enum sparse_format { SPARSE_CSR = 1, SPARSE_CSC = 2, SPARSE_COO = 3 };
enum { SPARSE_INT32 = 2, SPARSE_INT64 = 3 };
enum { SPARSE_BY_COLUMNS = 1, SPARSE_BY_ROWS = 2 };
enum { SPARSE_N, SPARSE_T, SPARSE_C };

struct cusparseContext {
    struct mathlib_kernels kernels;
    int pointer_mode;
};
typedef struct cusparseContext *cusparseHandle_t;

/* The argument of kernels for a scalar at an address of the host's or the device's, as the pointer mode says. */
struct mathlib_scalar sparse_scalar(const struct cusparseContext *h, const void *value, enum mathlib_type type);

struct cusparseSpMatDescr {
    enum sparse_format format;
    int64_t rows, columns, count;
    void *offsets, *line, *across, *values; /* `line`: COO only */
    int offset_type, place_type, base, type;
    int fill, diagonal; /* attributes */
};
typedef struct cusparseSpMatDescr *cusparseSpMatDescr_t;

struct cusparseDnVecDescr {
    int64_t size;
    void *values;
    int type;
};
typedef struct cusparseDnVecDescr *cusparseDnVecDescr_t;

struct cusparseDnMatDescr {
    int64_t rows, columns, ld, batch;
    void *values;
    int type, order, batches;
};
typedef struct cusparseDnMatDescr *cusparseDnMatDescr_t;

#endif
