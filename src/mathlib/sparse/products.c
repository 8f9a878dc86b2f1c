/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of sparse matrices with vectors (SpMV) and matrices (SpMM). */
#include "mathlib/sparse/handle.h"
#include "mathlib/sparse/product.h"

#include <stdio.h>

/* Kernels' letters for the types of A and X, and of Y; the type of alpha and beta. */
struct types {
    const char *letters;
    enum mathlib_type scalar;
    bool scatters; /* kernels that add to Y are there */
};

static bool types_of(int in, int out, struct types *types)
{
    static const struct {
        int in, out;
        struct types types;
    } rows[] = {
        {0, 0, {"s", MATHLIB_F32, true}},    {1, 1, {"d", MATHLIB_F64, true}},    {4, 4, {"c", MATHLIB_C32, true}},
        {5, 5, {"z", MATHLIB_C64, true}},    {2, 2, {"h", MATHLIB_F32, false}},   {2, 0, {"hs", MATHLIB_F32, false}},
        {14, 14, {"b", MATHLIB_F32, false}}, {14, 0, {"bs", MATHLIB_F32, false}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].in == in && rows[i].out == out) {
            *types = rows[i].types;
            return true;
        }
    return false;
}

static bool launch(struct cusparseContext *h, const char *letters, const char *what, struct mathlib_grid grid,
                   const struct sparse_product *p)
{
    char name[40];
    snprintf(name, sizeof name, "maniple_sp_%s_%s", letters, what);
    grid.threads = 256;
    return grid.x == 0 || mathlib_launch(&h->kernels, "sparse", name, grid, p);
}

/* Computes a product, with op(A) compressed by rows, compressed by columns, or uncompressed. */
static int multiply(struct cusparseContext *h, int op, const struct cusparseSpMatDescr *a, const struct types *types,
                    struct sparse_product *p)
{
    bool turned = op != SPARSE_N, by_rows = (a->format == SPARSE_CSR) != turned, places = a->format == SPARSE_COO;
    p->lines = a->format == SPARSE_CSC ? a->columns : a->rows;
    p->count = a->count;
    p->offsets = a->offsets, p->line = a->line, p->across = a->across, p->values = a->values;
    if (places && turned)
        p->line = a->across, p->across = a->line;
    p->wide_offsets = a->offset_type == SPARSE_INT64, p->wide = a->place_type == SPARSE_INT64, p->base = a->base;
    p->conjugate = op == SPARSE_C;
    if (!p->columns || !p->y_rows)
        return SPARSE_SUCCESS;
    if (p->columns > 65535) {
        mathlib_refuse("cusparseSpMM", "more than 65,535 columns");
        return SPARSE_NOT_SUPPORTED;
    }
    bool good;
    if (by_rows && !places) {
        struct mathlib_grid grid = {.x = mathlib_blocks(p->lines, 8), .y = mathlib_blocks(p->columns, 32)};
        good = launch(h, types->letters, p->columns == 1 ? "vector" : "matrix", grid, p);
    } else if (!types->scatters) {
        mathlib_refuse("cusparseSpMM", "a transposed matrix of halves");
        return SPARSE_NOT_SUPPORTED;
    } else {
        struct mathlib_grid whole = {.x = mathlib_blocks(p->y_rows * p->columns, 256)};
        struct mathlib_grid grid = {.x = places ? mathlib_blocks(p->count, 256) : mathlib_blocks(p->lines, 8),
                                    .y = p->columns};
        good = launch(h, types->letters, "scale", whole, p) &&
               launch(h, types->letters, places ? "places" : "lines", grid, p);
    }
    return good ? SPARSE_SUCCESS : SPARSE_EXECUTION_FAILED;
}

MATHLIB_API int cusparseSpMV_bufferSize(cusparseHandle_t h, int op, const void *alpha, cusparseSpMatDescr_t a,
                                        cusparseDnVecDescr_t x, const void *beta, cusparseDnVecDescr_t y, int compute,
                                        int algorithm, size_t *size)
{
    (void)op, (void)alpha, (void)a, (void)x, (void)beta, (void)y, (void)compute, (void)algorithm;
    if (!h || !size)
        return h ? SPARSE_INVALID_VALUE : SPARSE_NOT_INITIALIZED;
    *size = 16; /* unused, but programs expect a nonzero size */
    return SPARSE_SUCCESS;
}

MATHLIB_API int cusparseSpMV_preprocess(cusparseHandle_t h)
{
    return h ? SPARSE_SUCCESS : SPARSE_NOT_INITIALIZED;
}

MATHLIB_API int cusparseSpMV(cusparseHandle_t h, int op, const void *alpha, cusparseSpMatDescr_t a,
                             cusparseDnVecDescr_t x, const void *beta, cusparseDnVecDescr_t y, int compute,
                             int algorithm, void *buffer)
{
    struct types types;
    (void)compute, (void)algorithm, (void)buffer;
    if (!h)
        return SPARSE_NOT_INITIALIZED;
    if (!a || !x || !y || !alpha || !beta || op < SPARSE_N || op > SPARSE_C)
        return SPARSE_INVALID_VALUE;
    int64_t rows = op == SPARSE_N ? a->rows : a->columns, columns = op == SPARSE_N ? a->columns : a->rows;
    if (x->size != columns || y->size != rows)
        return SPARSE_INVALID_VALUE;
    if (a->type != x->type || !types_of(a->type, y->type, &types)) {
        mathlib_refuse("cusparseSpMV", "this combination of types");
        return SPARSE_NOT_SUPPORTED;
    }
    struct sparse_product p = {.x = x->values,
                               .y = y->values,
                               .y_rows = rows,
                               .columns = 1,
                               .x_row = 1,
                               .y_row = 1,
                               .alpha = sparse_scalar(h, alpha, types.scalar),
                               .beta = sparse_scalar(h, beta, types.scalar)};
    return multiply(h, op, a, &types, &p);
}

MATHLIB_API int cusparseSpMM_bufferSize(cusparseHandle_t h, int op_a, int op_b, const void *alpha,
                                        cusparseSpMatDescr_t a, cusparseDnMatDescr_t b, const void *beta,
                                        cusparseDnMatDescr_t c, int compute, int algorithm, size_t *size)
{
    (void)op_a, (void)op_b, (void)alpha, (void)a, (void)b, (void)beta, (void)c, (void)compute, (void)algorithm;
    if (!h || !size)
        return h ? SPARSE_INVALID_VALUE : SPARSE_NOT_INITIALIZED;
    *size = 16;
    return SPARSE_SUCCESS;
}

MATHLIB_API int cusparseSpMM_preprocess(cusparseHandle_t h)
{
    return h ? SPARSE_SUCCESS : SPARSE_NOT_INITIALIZED;
}

static void steps(const struct cusparseDnMatDescr *m, bool turned, long long *row, long long *column)
{
    bool by_rows = (m->order == SPARSE_BY_ROWS) != turned;
    *row = by_rows ? m->ld : 1;
    *column = by_rows ? 1 : m->ld;
}

MATHLIB_API int cusparseSpMM(cusparseHandle_t h, int op_a, int op_b, const void *alpha, cusparseSpMatDescr_t a,
                             cusparseDnMatDescr_t b, const void *beta, cusparseDnMatDescr_t c, int compute,
                             int algorithm, void *buffer)
{
    struct types types;
    (void)compute, (void)algorithm, (void)buffer;
    if (!h)
        return SPARSE_NOT_INITIALIZED;
    if (!a || !b || !c || !alpha || !beta || op_a < SPARSE_N || op_a > SPARSE_C || op_b < SPARSE_N || op_b > SPARSE_C)
        return SPARSE_INVALID_VALUE;
    int64_t rows = op_a == SPARSE_N ? a->rows : a->columns, inner = op_a == SPARSE_N ? a->columns : a->rows;
    int64_t b_rows = op_b == SPARSE_N ? b->rows : b->columns, b_columns = op_b == SPARSE_N ? b->columns : b->rows;
    if (b_rows != inner || c->rows != rows || c->columns != b_columns)
        return SPARSE_INVALID_VALUE;
    if (a->type != b->type || !types_of(a->type, c->type, &types) ||
        (op_b == SPARSE_C && a->type >= 4 && a->type <= 5)) {
        mathlib_refuse("cusparseSpMM", "this combination of types and operations");
        return SPARSE_NOT_SUPPORTED;
    }
    struct sparse_product p = {.x = b->values,
                               .y = c->values,
                               .y_rows = rows,
                               .columns = b_columns,
                               .alpha = sparse_scalar(h, alpha, types.scalar),
                               .beta = sparse_scalar(h, beta, types.scalar)};
    steps(b, op_b != SPARSE_N, &p.x_row, &p.x_column);
    steps(c, false, &p.y_row, &p.y_column);
    return multiply(h, op_a, a, &types, &p);
}
