/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense matrices to sparse ones, and back. */
#include "mathlib/sparse/dense.h"
#include "mathlib/sparse/handle.h"
#include "mathlib/sparse/scan.h"

/* Bytes of numbers and of their real parts, by cudaDataType. */
static const struct {
    unsigned char bytes, part;
} types[] = {
    [0] = {4, 4}, [1] = {8, 8}, [2] = {2, 2}, [4] = {8, 4}, [5] = {16, 8}, [6] = {4, 2}, [14] = {2, 2}, [15] = {4, 2}};

static int checked(const struct cusparseContext *h, const struct cusparseDnMatDescr *d,
                   const struct cusparseSpMatDescr *s, const char *name)
{
    if (!h)
        return SPARSE_NOT_INITIALIZED;
    if (!d || !s || d->rows != s->rows || d->columns != s->columns || d->type != s->type)
        return SPARSE_INVALID_VALUE;
    if (d->type < 0 || d->type >= (int)(sizeof types / sizeof *types) || !types[d->type].bytes) {
        mathlib_refuse(name, "this type of numbers");
        return SPARSE_NOT_SUPPORTED;
    }
    return SPARSE_SUCCESS;
}

static struct sparse_dense arguments(const struct cusparseDnMatDescr *d, const struct cusparseSpMatDescr *s)
{
    bool columns = s->format == SPARSE_CSC, across = (d->order == SPARSE_BY_ROWS) != columns;
    return (struct sparse_dense){.dense = d->values,
                                 .line_step = across ? d->ld : 1,
                                 .across_step = across ? 1 : d->ld,
                                 .lines = columns ? d->columns : d->rows,
                                 .length = columns ? d->rows : d->columns,
                                 .count = s->count,
                                 .offsets = s->format == SPARSE_COO ? NULL : s->offsets,
                                 .line = s->line,
                                 .across = s->across,
                                 .values = s->values,
                                 .wide_offsets = s->offset_type == SPARSE_INT64,
                                 .wide = s->place_type == SPARSE_INT64,
                                 .base = s->base,
                                 .bytes = types[d->type].bytes,
                                 .part = types[d->type].part};
}

static bool launch(struct cusparseContext *h, const struct sparse_dense *p, const char *kernel, long long blocks)
{
    struct mathlib_grid grid = {.x = blocks, .threads = 256};
    return !blocks || mathlib_launch(&h->kernels, "dense", kernel, grid, p);
}

MATHLIB_API int cusparseSparseToDense_bufferSize(cusparseHandle_t h, const struct cusparseSpMatDescr *a,
                                                 const struct cusparseDnMatDescr *b, int algorithm, size_t *bytes)
{
    int status = checked(h, b, a, "cusparseSparseToDense_bufferSize");
    (void)algorithm;
    if (status != SPARSE_SUCCESS || !bytes)
        return status != SPARSE_SUCCESS ? status : SPARSE_INVALID_VALUE;
    *bytes = 16; /* unused, but programs expect a nonzero size */
    return SPARSE_SUCCESS;
}

MATHLIB_API int cusparseSparseToDense(cusparseHandle_t h, const struct cusparseSpMatDescr *a,
                                      const struct cusparseDnMatDescr *b, int algorithm, void *buffer)
{
    int status = checked(h, b, a, "cusparseSparseToDense");
    (void)algorithm, (void)buffer;
    if (status != SPARSE_SUCCESS)
        return status;
    struct sparse_dense p = arguments(b, a);
    bool good = launch(h, &p, "maniple_sp_dense_clear", mathlib_blocks(p.lines * p.length, 256)) &&
                (p.offsets ? launch(h, &p, "maniple_sp_dense_lines", mathlib_blocks(p.lines, 8))
                           : launch(h, &p, "maniple_sp_dense_places", mathlib_blocks(p.count, 256)));
    return good ? SPARSE_SUCCESS : SPARSE_EXECUTION_FAILED;
}

MATHLIB_API int cusparseDenseToSparse_bufferSize(cusparseHandle_t h, const struct cusparseDnMatDescr *a,
                                                 const struct cusparseSpMatDescr *b, int algorithm, size_t *bytes)
{
    int status = checked(h, a, b, "cusparseDenseToSparse_bufferSize");
    (void)algorithm;
    if (status != SPARSE_SUCCESS || !bytes)
        return status != SPARSE_SUCCESS ? status : SPARSE_INVALID_VALUE;
    *bytes = (size_t)(arguments(a, b).lines + 1) * sizeof(long long);
    return SPARSE_SUCCESS;
}

/* Counts the numbers; the program makes room for as many as `b` has then. */
MATHLIB_API int cusparseDenseToSparse_analysis(cusparseHandle_t h, const struct cusparseDnMatDescr *a,
                                               struct cusparseSpMatDescr *b, int algorithm, void *buffer)
{
    int status = checked(h, a, b, "cusparseDenseToSparse_analysis");
    (void)algorithm;
    if (status != SPARSE_SUCCESS || !buffer)
        return status != SPARSE_SUCCESS ? status : SPARSE_INVALID_VALUE;
    struct sparse_dense p = arguments(a, b);
    p.sizes = buffer;
    bool good = launch(h, &p, "maniple_sp_dense_count", mathlib_blocks(p.lines, 8));
    long long count = good ? sparse_scan(&h->kernels, p.sizes, p.lines) : -1;
    b->count = count;
    return count < 0 ? SPARSE_EXECUTION_FAILED : SPARSE_SUCCESS;
}

MATHLIB_API int cusparseDenseToSparse_convert(cusparseHandle_t h, const struct cusparseDnMatDescr *a,
                                              const struct cusparseSpMatDescr *b, int algorithm, void *buffer)
{
    int status = checked(h, a, b, "cusparseDenseToSparse_convert");
    (void)algorithm;
    if (status == SPARSE_SUCCESS && (!buffer || (b->format != SPARSE_COO && !b->offsets)))
        status = SPARSE_INVALID_VALUE;
    if (status != SPARSE_SUCCESS)
        return status;
    struct sparse_dense p = arguments(a, b);
    p.sizes = buffer;
    return launch(h, &p, "maniple_sp_dense_gather", mathlib_blocks(p.lines, 8)) ? SPARSE_SUCCESS
                                                                                : SPARSE_EXECUTION_FAILED;
}
