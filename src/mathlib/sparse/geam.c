/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of two sparse matrices compressed by rows (csrgeam2). */
#include "mathlib/sparse/description.h"
#include "mathlib/sparse/expansion.h"
#include "mathlib/sparse/handle.h"
#include "mathlib/sparse/scan.h"

#include <limits.h>

/* A matrix as the older interface has it. */
struct matrix {
    const struct cusparseMatDescr *description;
    int count;
    const void *values;
    const int *offsets, *across;
};

static struct sparse_rows rows_of(const struct matrix *m)
{
    return (struct sparse_rows){.offsets = (int *)(uintptr_t)m->offsets,
                                .across = (int *)(uintptr_t)m->across,
                                .values = (void *)(uintptr_t)m->values,
                                .base = cusparseGetMatIndexBase(m->description)};
}

static int checked(const struct cusparseContext *h, int rows, int columns, const struct matrix *a,
                   const struct matrix *b, const void *description, const char *name)
{
    if (!h)
        return SPARSE_NOT_INITIALIZED;
    if (rows < 0 || columns < 0 || a->count < 0 || b->count < 0 || !a->description || !b->description || !description ||
        !a->offsets || !b->offsets || (a->count && !a->across) || (b->count && !b->across))
        return SPARSE_INVALID_VALUE;
    if ((long long)a->count + b->count > INT_MAX) {
        mathlib_refuse(name, "a sum of more than 2,147,483,647 numbers");
        return SPARSE_NOT_SUPPORTED;
    }
    return SPARSE_SUCCESS;
}

/* Begins of rows, and what an expansion needs, in the program's buffer, of which it returns the bytes. */
static size_t lay_out(struct sparse_expansion *e, long long count, unsigned bytes, void *buffer)
{
    size_t begins = ((size_t)e->rows + 2) / 2 * 2;
    e->begins = buffer;
    return begins * sizeof *e->begins + sparse_expansion_buffer(e, count, bytes, buffer ? e->begins + begins : NULL);
}

/* Expands both matrices' rows, the places alone where the type is -1, and returns the number of C's numbers; -1: it
 * failed. */
static long long add(struct cusparseContext *h, struct sparse_expansion *e, int type)
{
    bool good = sparse_expansion_launch(&h->kernels, e, -1, "count_terms", mathlib_blocks(e->rows, 256)) &&
                sparse_scan(&h->kernels, e->begins, e->rows) >= 0 &&
                sparse_expansion_launch(&h->kernels, e, type < 0 ? 0 : type, "terms", mathlib_blocks(e->rows, 8));
    long long count = good ? sparse_expansion_sort(&h->kernels, e) : -1;
    good = count >= 0 && sparse_expansion_launch(&h->kernels, e, -1, "offsets", mathlib_blocks(e->rows + 1, 256));
    return good ? count : -1;
}

MATHLIB_API int cusparseXcsrgeam2Nnz(cusparseHandle_t h, int rows, int columns,
                                     const struct cusparseMatDescr *a_description, int a_count, const int *a_offsets,
                                     const int *a_across, const struct cusparseMatDescr *b_description, int b_count,
                                     const int *b_offsets, const int *b_across,
                                     const struct cusparseMatDescr *c_description, int *c_offsets, int *total,
                                     void *buffer)
{
    struct matrix a = {a_description, a_count, NULL, a_offsets, a_across},
                  b = {b_description, b_count, NULL, b_offsets, b_across},
                  c = {c_description, 0, NULL, c_offsets, NULL};
    int status = checked(h, rows, columns, &a, &b, c_description, "cusparseXcsrgeam2Nnz");
    if (status != SPARSE_SUCCESS || !buffer || !c_offsets || !total)
        return status != SPARSE_SUCCESS ? status : SPARSE_INVALID_VALUE;
    if (h->pointer_mode) {
        mathlib_refuse("cusparseXcsrgeam2Nnz", "a number on the device");
        return SPARSE_NOT_SUPPORTED;
    }
    struct sparse_expansion e = {.a = rows_of(&a), .b = rows_of(&b), .c = rows_of(&c), .rows = rows};
    lay_out(&e, (long long)a_count + b_count, 0, buffer);
    long long count = add(h, &e, -1);
    *total = (int)count;
    return count < 0 ? SPARSE_EXECUTION_FAILED : SPARSE_SUCCESS;
}

/* Adds what the public functions of a type are given; without `bytes`, which otherwise receives those of the buffer. */
static int add_typed(struct cusparseContext *h, int type, const char *name, int rows, int columns, const void *alpha,
                     struct matrix a, const void *beta, struct matrix b, struct matrix c, size_t *bytes, void *buffer)
{
    int status = checked(h, rows, columns, &a, &b, c.description, name);
    if (status != SPARSE_SUCCESS || !alpha || !beta)
        return status != SPARSE_SUCCESS ? status : SPARSE_INVALID_VALUE;
    struct sparse_expansion e = {.a = rows_of(&a), .b = rows_of(&b), .c = rows_of(&c), .rows = rows};
    size_t need = lay_out(&e, (long long)a.count + b.count, sparse_expansion_bytes(type), buffer);
    if (bytes) {
        *bytes = need;
        return SPARSE_SUCCESS;
    }
    if (!buffer || !c.offsets || (a.count && !a.values) || (b.count && !b.values))
        return SPARSE_INVALID_VALUE;
    e.alpha = sparse_scalar(h, alpha, sparse_expansion_type(type));
    e.beta = sparse_scalar(h, beta, sparse_expansion_type(type));
    if (add(h, &e, type) < 0)
        return SPARSE_EXECUTION_FAILED;
    bool good = sparse_expansion_launch(&h->kernels, &e, type, "write", mathlib_blocks(rows, 8));
    return good ? SPARSE_SUCCESS : SPARSE_EXECUTION_FAILED;
}

#define SUM(letter, kind, T)                                                                                           \
    MATHLIB_API int cusparse##letter##csrgeam2_bufferSizeExt(                                                          \
        cusparseHandle_t h, int rows, int columns, const T *alpha, const struct cusparseMatDescr *a_description,       \
        int a_count, const T *a_values, const int *a_offsets, const int *a_across, const T *beta,                      \
        const struct cusparseMatDescr *b_description, int b_count, const T *b_values, const int *b_offsets,            \
        const int *b_across, const struct cusparseMatDescr *c_description, const T *c_values, const int *c_offsets,    \
        const int *c_across, size_t *bytes)                                                                            \
    {                                                                                                                  \
        struct matrix a = {a_description, a_count, a_values, a_offsets, a_across},                                     \
                      b = {b_description, b_count, b_values, b_offsets, b_across},                                     \
                      c = {c_description, 0, c_values, c_offsets, c_across};                                           \
        return bytes ? add_typed(h, kind, "cusparse" #letter "csrgeam2_bufferSizeExt", rows, columns, alpha, a, beta,  \
                                 b, c, bytes, NULL)                                                                    \
                     : SPARSE_INVALID_VALUE;                                                                           \
    }                                                                                                                  \
    MATHLIB_API int cusparse##letter##csrgeam2(                                                                        \
        cusparseHandle_t h, int rows, int columns, const T *alpha, const struct cusparseMatDescr *a_description,       \
        int a_count, const T *a_values, const int *a_offsets, const int *a_across, const T *beta,                      \
        const struct cusparseMatDescr *b_description, int b_count, const T *b_values, const int *b_offsets,            \
        const int *b_across, const struct cusparseMatDescr *c_description, T *c_values, int *c_offsets, int *c_across, \
        void *buffer)                                                                                                  \
    {                                                                                                                  \
        struct matrix a = {a_description, a_count, a_values, a_offsets, a_across},                                     \
                      b = {b_description, b_count, b_values, b_offsets, b_across},                                     \
                      c = {c_description, 0, c_values, c_offsets, c_across};                                           \
        return add_typed(h, kind, "cusparse" #letter "csrgeam2", rows, columns, alpha, a, beta, b, c, NULL, buffer);   \
    }
SUM(S, 0, float)
SUM(D, 1, double)
SUM(C, 4, void)
SUM(Z, 5, void)
