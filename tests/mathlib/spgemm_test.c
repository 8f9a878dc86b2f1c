/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of two sparse matrices by our libcusparse beside dense ones: all four types, both bases, empty rows, rows of
 * thousands of products, rows whose columns are in no order; and what is refused. */
#include "reference.h"

typedef double complex number;
typedef void *any;
int cusparseCreate(any *), cusparseDestroy(any), cusparseDestroySpMat(any);
int cusparseCreateCsr(any *, int64_t, int64_t, int64_t, any, any, any, int, int, int, int);
int cusparseSpMatGetSize(any, int64_t *, int64_t *, int64_t *), cusparseCsrSetPointers(any, any, any, any);
int cusparseSpGEMM_createDescr(any *), cusparseSpGEMM_destroyDescr(any), cusparseSpGEMM_getNumProducts(any, int64_t *);
int cusparseSpGEMM_workEstimation(any, int, int, const void *, any, any, const void *, any, int, int, any, size_t *,
                                  any);
int cusparseSpGEMM_compute(any, int, int, const void *, any, any, const void *, any, int, int, any, size_t *, any);
int cusparseSpGEMM_copy(any, int, int, const void *, any, any, const void *, any, int, int, any);

enum { MOST = 64 };
static any handle;
static const int types[] = {0, 1, 4, 5};

struct matrix {
    int rows, columns, count, base;
    bool there[MOST][MOST];
    number dense[MOST][MOST];
    any description;
};

/* A matrix with about `percent` of its numbers; row 3 is full, row 9 empty. Columns of odd rows go down. */
static void make(struct matrix *m, int type, int rows, int columns, int base, int percent)
{
    int offsets[MOST + 1], across[MOST * MOST], count = 0;
    static number values[MOST * MOST];
    *m = (struct matrix){.rows = rows, .columns = columns, .base = base};
    for (int i = 0; i < rows; i++) {
        offsets[i] = base + count;
        for (int n = 0; n < columns; n++) {
            int j = i % 2 ? columns - 1 - n : n;
            double re = random_number(), im = random_number(), chance = 50 * (random_number() + 1);
            if (!percent || (i != 3 && chance >= percent) || i == 9)
                continue;
            m->there[i][j] = true;
            m->dense[i][j] = type < 2 ? creal(rounded(type, re, 0)) : rounded(type, re, im);
            across[count] = base + j, values[count++] = m->dense[i][j];
        }
    }
    offsets[rows] = base + (m->count = count);
    void *o = device_memory(sizeof offsets), *a = device_memory(sizeof across), *v = device_memory(sizeof values);
    copy_to_device(o, offsets, sizeof(int) * (size_t)(rows + 1));
    copy_to_device(a, across, sizeof(int) * (size_t)count);
    to_device(type, v, values, count);
    good(cusparseCreateCsr(&m->description, rows, columns, count, o, a, v, 2, 2, base, types[type]));
}

/* The numbers of a row of C that should be there, in the order of columns. False: they are not those that are. */
static bool same_row(const struct matrix *a, const struct matrix *b, int i, int type, int base, const int *across,
                     const number *values, int count)
{
    int next = 0;
    for (int j = 0; j < b->columns; j++) {
        number sum = 0;
        bool there = false;
        for (int k = 0; k < a->columns; k++) {
            there = there || (a->there[i][k] && b->there[k][j]);
            sum += a->dense[i][k] * b->dense[k][j];
        }
        if (there && (next == count || across[next] != base + j ||
                      !(cabs(values[next] - 0.5 * sum) <= (type % 2 ? 1e-13 : 4e-5))))
            return false;
        next += there;
    }
    return next == count;
}

static void compare(const struct matrix *a, const struct matrix *b, int type, int base, void *o, void *c, void *v)
{
    int offsets[MOST + 1], across[MOST * MOST];
    static number values[MOST * MOST];
    copy_to_host(offsets, o, sizeof(int) * (size_t)(a->rows + 1));
    int count = offsets[a->rows] - base;
    copy_to_host(across, c, sizeof(int) * (size_t)count);
    from_device(type, values, v, count);
    for (int i = 0; i < a->rows; i++) {
        int first = offsets[i] - base, end = offsets[i + 1] - base;
        checked();
        if (!same_row(a, b, i, type, base, across + first, values + first, end - first))
            fail("type %d, %d x %d x %d, base %d: row %d", type, a->rows, a->columns, b->columns, base, i);
    }
}

static void product(int type, int rows, int inner, int columns, int percent, int base)
{
    static struct matrix a, b;
    char alpha[16], beta[16];
    any c, product;
    size_t first = 0, second = 0;
    int64_t c_rows, c_columns, count, products, should = 0;
    put_number(type, alpha, 0.5), put_number(type, beta, 0);
    make(&a, type, rows, inner, base, percent), make(&b, type, inner, columns, 1 - base, 30);
    good(cusparseCreateCsr(&c, rows, columns, 0, NULL, NULL, NULL, 2, 2, base, types[type]));
    good(cusparseSpGEMM_createDescr(&product));
#define ARGUMENTS handle, 0, 0, alpha, a.description, b.description, beta, c, types[type], 0, product
    good(cusparseSpGEMM_workEstimation(ARGUMENTS, &first, NULL));
    good(cusparseSpGEMM_workEstimation(ARGUMENTS, &first, device_memory(first)));
    good(cusparseSpGEMM_compute(ARGUMENTS, &second, NULL));
    good(cusparseSpGEMM_compute(ARGUMENTS, &second, device_memory(second)));
    good(cusparseSpMatGetSize(c, &c_rows, &c_columns, &count));
    good(cusparseSpGEMM_getNumProducts(product, &products));
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < inner; k++)
            for (int j = 0; j < columns; j++)
                should += a.there[i][k] && b.there[k][j];
    checked();
    if (products != should)
        fail("%lld products, should be %lld", (long long)products, (long long)should);
    void *o = device_memory(sizeof(int) * (size_t)(rows + 1)), *across = device_memory((size_t)count * 4 + 1),
         *values = device_memory((size_t)count * 16 + 1);
    good(cusparseCsrSetPointers(c, o, across, values));
    good(cusparseSpGEMM_copy(ARGUMENTS));
    compare(&a, &b, type, base, o, across, values);
    good(cusparseSpGEMM_destroyDescr(product));
    cusparseDestroySpMat(a.description), cusparseDestroySpMat(b.description), cusparseDestroySpMat(c);
}

/* Calls out of turn, and sizes that do not fit. */
static void refused(void)
{
    static struct matrix a, b;
    float one = 1, zero = 0;
    any product;
    size_t size;
    make(&a, 0, 12, 10, 0, 20), make(&b, 0, 11, 12, 0, 20);
    good(cusparseSpGEMM_createDescr(&product));
    checked();
    if (cusparseSpGEMM_workEstimation(handle, 0, 0, &one, a.description, b.description, &zero, a.description, 0, 0,
                                      product, &size, NULL) != 3)
        fail("sizes that do not fit are accepted");
    make(&b, 0, 10, 10, 0, 20);
    if (cusparseSpGEMM_compute(handle, 0, 0, &one, a.description, b.description, &zero, a.description, 0, 0, product,
                               &size, NULL) != 3 ||
        cusparseSpGEMM_copy(handle, 0, 0, &one, a.description, b.description, &zero, a.description, 0, 0, product) != 3)
        fail("a product that has not been counted is accepted");
    good(cusparseSpGEMM_destroyDescr(product));
}

int main(void)
{
    reference_begin();
    good(cusparseCreate(&handle));
    for (int type = 0; type < 4; type++) {
        product(type, 61, 53, 47, 20, type % 2);
        product(type, 5, 64, 64, 90, 1 - type % 2); /* a full row: thousands of products */
    }
    product(0, 1, 1, 1, 100, 0), product(1, 12, 30, 7, 0, 1); /* one number; an empty A */
    refused();
    good(cusparseDestroy(handle));
    return reference_end();
}
