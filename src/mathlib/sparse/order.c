/* SPDX-License-Identifier: BSD-3-Clause */
/* Sparse matrices whose numbers are brought into order (coosort, csrsort, cscsort). */
#include "mathlib/sparse/order.h"
#include "mathlib/sparse/description.h"
#include "mathlib/sparse/handle.h"

static bool launch(struct cusparseContext *h, const struct sparse_order *p, const char *kernel, long long blocks)
{
    struct mathlib_grid grid = {.x = blocks, .threads = 256};
    return mathlib_launch(&h->kernels, "order", kernel, grid, p);
}

/* Bytes of the buffer: keys and permutations, twice. */
static int size_of(const struct cusparseContext *h, int count, size_t *bytes)
{
    if (!h || count < 0 || !bytes)
        return h ? SPARSE_INVALID_VALUE : SPARSE_NOT_INITIALIZED;
    *bytes = 16 + (size_t)count * 2 * (sizeof(unsigned long long) + sizeof(int));
    return SPARSE_SUCCESS;
}

/* Sorts by merging runs of 1, 2, 4 … numbers from one half of the buffer into the other. */
static int sort(struct cusparseContext *h, struct sparse_order p, void *buffer)
{
    if (!h || p.count < 0 || p.lines < 0 || !buffer || (p.count && (!p.second || (!p.first && !p.offsets))))
        return h ? SPARSE_INVALID_VALUE : SPARSE_NOT_INITIALIZED;
    if (!p.count)
        return SPARSE_SUCCESS;
    long long blocks = mathlib_blocks(p.count, 256);
    p.from_keys = buffer;
    p.to_keys = p.from_keys + p.count;
    p.from = (int *)(p.to_keys + p.count);
    p.to = p.from + p.count;
    bool good = p.offsets ? launch(h, &p, "maniple_sp_order_pack_lines", mathlib_blocks(p.lines, 8))
                          : launch(h, &p, "maniple_sp_order_pack", blocks);
    for (p.run = 1;; p.run *= 2) {
        unsigned long long *keys = p.from_keys;
        int *numbers = p.from;
        p.from_keys = p.to_keys, p.to_keys = keys;
        p.from = p.to, p.to = numbers;
        if (!good || p.run >= p.count)
            break;
        good = launch(h, &p, "maniple_sp_order_merge", blocks);
    }
    return good && launch(h, &p, "maniple_sp_order_unpack", blocks) ? SPARSE_SUCCESS : SPARSE_EXECUTION_FAILED;
}

MATHLIB_API int cusparseCreateIdentityPermutation(cusparseHandle_t h, int count, int *permutation)
{
    struct sparse_order p = {.permutation = permutation, .count = count};
    if (!h || count < 0 || (count && !permutation))
        return h ? SPARSE_INVALID_VALUE : SPARSE_NOT_INITIALIZED;
    return !count || launch(h, &p, "maniple_sp_order_identity", mathlib_blocks(count, 256)) ? SPARSE_SUCCESS
                                                                                            : SPARSE_EXECUTION_FAILED;
}

MATHLIB_API int cusparseXcoosort_bufferSizeExt(cusparseHandle_t h, int rows, int columns, int count, const int *row,
                                               const int *column, size_t *bytes)
{
    (void)rows, (void)columns, (void)row, (void)column;
    return size_of(h, count, bytes);
}

MATHLIB_API int cusparseXcoosortByRow(cusparseHandle_t h, int rows, int columns, int count, int *row, int *column,
                                      int *permutation, void *buffer)
{
    (void)rows, (void)columns;
    return sort(h, (struct sparse_order){.first = row, .second = column, .permutation = permutation, .count = count},
                buffer);
}

MATHLIB_API int cusparseXcoosortByColumn(cusparseHandle_t h, int rows, int columns, int count, int *row, int *column,
                                         int *permutation, void *buffer)
{
    (void)rows, (void)columns;
    return sort(h, (struct sparse_order){.first = column, .second = row, .permutation = permutation, .count = count},
                buffer);
}

#define COMPRESSED(name, lines_of)                                                                                     \
    MATHLIB_API int name##_bufferSizeExt(cusparseHandle_t h, int rows, int columns, int count, const int *offsets,     \
                                         const int *across, size_t *bytes)                                             \
    {                                                                                                                  \
        (void)rows, (void)columns, (void)offsets, (void)across;                                                        \
        return size_of(h, count, bytes);                                                                               \
    }                                                                                                                  \
    MATHLIB_API int name(cusparseHandle_t h, int rows, int columns, int count,                                         \
                         const struct cusparseMatDescr *description, const int *offsets, int *across,                  \
                         int *permutation, void *buffer)                                                               \
    {                                                                                                                  \
        (void)rows, (void)columns;                                                                                     \
        return sort(h,                                                                                                 \
                    (struct sparse_order){.second = across,                                                            \
                                          .permutation = permutation,                                                  \
                                          .offsets = offsets,                                                          \
                                          .count = count,                                                              \
                                          .lines = lines_of,                                                           \
                                          .base = cusparseGetMatIndexBase(description)},                               \
                    buffer);                                                                                           \
    }
COMPRESSED(cusparseXcsrsort, rows)
COMPRESSED(cusparseXcscsort, columns)
