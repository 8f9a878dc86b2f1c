/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of numbers to offsets of rows (COO to CSR), and back. */
#include "mathlib/sparse/conversion.h"
#include "mathlib/sparse/handle.h"

enum { THREADS = 256, WARPS = 8 };

static int convert(cusparseHandle_t h, const char *kernel, long long blocks, const struct sparse_conversion *p)
{
    if (!h)
        return SPARSE_NOT_INITIALIZED;
    if (!p->offsets || (!p->rows && p->count) || p->count < 0 || p->lines < 0 || p->base < 0 || p->base > 1)
        return SPARSE_INVALID_VALUE;
    struct mathlib_grid grid = {.x = blocks, .threads = THREADS};
    return blocks == 0 || mathlib_launch(&h->kernels, "conversion", kernel, grid, p) ? SPARSE_SUCCESS
                                                                                     : SPARSE_EXECUTION_FAILED;
}

MATHLIB_API int cusparseXcoo2csr(cusparseHandle_t h, int *rows, int count, int lines, int *offsets, int base)
{
    struct sparse_conversion p = {rows, offsets, count, lines, base};
    return convert(h, "maniple_sp_offsets", mathlib_blocks(lines + 1LL, THREADS), &p);
}

MATHLIB_API int cusparseXcsr2coo(cusparseHandle_t h, int *offsets, int count, int lines, int *rows, int base)
{
    struct sparse_conversion p = {rows, offsets, count, lines, base};
    return convert(h, "maniple_sp_rows", mathlib_blocks(lines, WARPS), &p);
}
