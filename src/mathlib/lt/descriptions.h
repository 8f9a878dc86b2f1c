/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptors of our libcublasLt. They fit into the space that programs provide (cublasLtMatmulDescOpaque_t …). */
#ifndef MATHLIB_LT_H
#define MATHLIB_LT_H

#include "mathlib/blas/handle.h"

/* An operation; 256 bytes at most. */
struct lt_operation {
    int32_t compute, scale, pointer_mode, transposed[3], fill, epilogue, bias_type, bias_typed;
    const void *bias;
    int64_t bias_batch;
    int32_t processors;    /* hint: multiprocessors that the product is to use; has no effect */
    int8_t fast_sums;      /* hint that sums of FP8 may be less exact; has no effect */
    const void *scales[5]; /* scales of A, B, C, D, and address of the maximum of D: FP8 only */
    /* scale modes of A, B, C, D: LT_ONE_SCALE, LT_SCALE_OF_EACH_LINE or others that are not supported */
    int32_t scale_modes[4];
};

/* A matrix; 64 bytes at most. */
struct lt_layout {
    uint32_t type;
    int32_t order, batches, reserved;
    uint64_t rows, columns;
    int64_t ld, batch, plane;
};

_Static_assert(sizeof(struct lt_operation) <= 256 && sizeof(struct lt_layout) <= 64, "programs give that much space");

enum { LT_BY_COLUMNS, LT_BY_ROWS };
enum { LT_ONE_SCALE = 0, LT_SCALE_OF_EACH_LINE = 3 };
enum { LT_E4M3 = 28, LT_E5M2 = 29 }; /* cudaDataType */

static inline bool lt_is_eight(const struct lt_layout *l)
{
    return l->type == LT_E4M3 || l->type == LT_E5M2;
}

#endif
