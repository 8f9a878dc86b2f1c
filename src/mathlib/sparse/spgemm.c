/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of two sparse matrices (SpGEMM): expanded, sorted by column and summed up, whatever algorithm is named. */
#include "mathlib/sparse/spgemm.h"
#include "mathlib/sparse/handle.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* State of a product between its calls. It owns nothing: memory is the program's. */
struct cusparseSpGEMMDescr {
    struct sparse_spgemm kernels;
    long long products; /* -1: not counted yet */
    bool computed;
};
typedef struct cusparseSpGEMMDescr *cusparseSpGEMMDescr_t;

/* Arguments that all of the functions share. */
struct call {
    const char *name;
    cusparseHandle_t h;
    int op_a, op_b;
    const void *alpha;
    cusparseSpMatDescr_t a, b;
    const void *beta;
    cusparseSpMatDescr_t c;
    int type;
    cusparseSpGEMMDescr_t descr;
};

/* Letter of the kernels and bytes of a number, by cudaDataType. */
static const struct {
    char letter;
    unsigned char bytes;
} types[] = {[0] = {'s', 4}, [1] = {'d', 8}, [4] = {'c', 8}, [5] = {'z', 16}};

static bool is_zero(const struct call *call)
{
    const float *f = call->beta;
    const double *d = call->beta;
    bool doubles = call->type == 1 || call->type == 5, complex = call->type >= 4;
    return doubles ? d[0] == 0 && (!complex || d[1] == 0) : f[0] == 0 && (!complex || f[1] == 0);
}

static bool has_places(cusparseSpMatDescr_t m)
{
    return m->offset_type == SPARSE_INT32 && m->place_type == SPARSE_INT32;
}

/* A status other than that of success says what is wrong, or not there. */
static int checked(const struct call *call)
{
    const char *missing = NULL;
    if (!call->h)
        return SPARSE_NOT_INITIALIZED;
    if (!call->descr || !call->a || !call->b || !call->c || !call->alpha || !call->beta)
        return SPARSE_INVALID_VALUE;
    if (call->a->columns != call->b->rows || call->c->rows != call->a->rows || call->c->columns != call->b->columns)
        return SPARSE_INVALID_VALUE;
    if (call->op_a != SPARSE_N || call->op_b != SPARSE_N)
        missing = "a transposed matrix";
    else if (call->a->format != SPARSE_CSR || call->b->format != SPARSE_CSR || call->c->format != SPARSE_CSR)
        missing = "a format other than CSR";
    else if (!has_places(call->a) || !has_places(call->b) || !has_places(call->c))
        missing = "places of 64 bits";
    else if (call->type < 0 || call->type > 5 || !types[call->type].bytes || call->a->type != call->type ||
             call->b->type != call->type || call->c->type != call->type)
        missing = "this combination of types";
    else if (call->h->pointer_mode || !is_zero(call))
        missing = call->h->pointer_mode ? "scalars on the device" : "beta other than 0";
    if (missing)
        mathlib_refuse(call->name, missing);
    return missing ? SPARSE_NOT_SUPPORTED : SPARSE_SUCCESS;
}

static struct sparse_rows rows_of(cusparseSpMatDescr_t m)
{
    return (struct sparse_rows){.offsets = m->offsets, .across = m->across, .values = m->values, .base = m->base};
}

/* Launches a kernel with so many CTAs, if it is any. */
static bool launch(const struct call *call, const char *what, long long blocks)
{
    char name[40];
    struct mathlib_grid grid = {.x = blocks, .threads = 256};
    snprintf(name, sizeof name, "maniple_spgemm_%s", what);
    return !blocks || mathlib_launch(&call->h->kernels, "spgemm", name, grid, &call->descr->kernels);
}

static bool launch_typed(const struct call *call, const char *what, long long blocks)
{
    char name[24];
    snprintf(name, sizeof name, "%c_%s", types[call->type].letter, what);
    return launch(call, name, blocks);
}

/* Makes offsets of the numbers in a list, and returns their sum; -1: it failed. */
static long long offsets(const struct call *call, long long *list)
{
    struct sparse_spgemm *kernels = &call->descr->kernels;
    long long sum = -1;
    kernels->scanned = list;
    bool good = launch(call, "scan", 1) &&
                mathlib_result(&call->h->kernels, &sum, (CUdeviceptr)(uintptr_t)(list + kernels->rows), sizeof sum);
    return good ? sum : -1;
}

MATHLIB_API int cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t *to)
{
    if (!to)
        return SPARSE_INVALID_VALUE;
    *to = calloc(1, sizeof **to);
    if (!*to)
        return SPARSE_ALLOC_FAILED;
    (*to)->products = -1;
    return SPARSE_SUCCESS;
}

MATHLIB_API int cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t descr)
{
    free(descr);
    return SPARSE_SUCCESS;
}

MATHLIB_API int cusparseSpGEMM_workEstimation(cusparseHandle_t h, int op_a, int op_b, const void *alpha,
                                              cusparseSpMatDescr_t a, cusparseSpMatDescr_t b, const void *beta,
                                              cusparseSpMatDescr_t c, int type, int algorithm,
                                              cusparseSpGEMMDescr_t descr, size_t *size, void *buffer)
{
    struct call call = {"cusparseSpGEMM_workEstimation", h, op_a, op_b, alpha, a, b, beta, c, type, descr};
    int status = checked(&call);
    (void)algorithm;
    if (status != SPARSE_SUCCESS || !size)
        return status != SPARSE_SUCCESS ? status : SPARSE_INVALID_VALUE;
    *size = (size_t)(a->rows + 1) * sizeof(long long);
    if (!buffer)
        return SPARSE_SUCCESS;
    descr->kernels = (struct sparse_spgemm){.a = rows_of(a), .b = rows_of(b), .rows = a->rows, .begins = buffer};
    descr->computed = false;
    descr->products = launch(&call, "count", mathlib_blocks(a->rows, 8)) ? offsets(&call, buffer) : -1;
    if (descr->products > UINT_MAX) { /* keys number them with 32 bits */
        descr->products = -1;
        mathlib_refuse(call.name, "more than 4,294,967,295 products");
        return SPARSE_NOT_SUPPORTED;
    }
    return descr->products < 0 ? SPARSE_EXECUTION_FAILED : SPARSE_SUCCESS;
}

MATHLIB_API int cusparseSpGEMM_getNumProducts(cusparseSpGEMMDescr_t descr, int64_t *products)
{
    if (!descr || !products || descr->products < 0)
        return SPARSE_INVALID_VALUE;
    *products = descr->products;
    return SPARSE_SUCCESS;
}

/* Bytes of the second buffer before the products, a multiple of 16: their keys, and the sizes of rows. */
static size_t before_products(const struct call *call)
{
    size_t words = (size_t)call->descr->products + (size_t)call->a->rows + 1;
    return (words + 1) / 2 * 2 * sizeof(unsigned long long);
}

static size_t second_buffer(const struct call *call)
{
    return before_products(call) + (size_t)call->descr->products * types[call->type].bytes;
}

MATHLIB_API int cusparseSpGEMM_estimateMemory(cusparseHandle_t h, int op_a, int op_b, const void *alpha,
                                              cusparseSpMatDescr_t a, cusparseSpMatDescr_t b, const void *beta,
                                              cusparseSpMatDescr_t c, int type, int algorithm,
                                              cusparseSpGEMMDescr_t descr, float fraction, size_t *size, void *buffer,
                                              size_t *next)
{
    struct call call = {"cusparseSpGEMM_estimateMemory", h, op_a, op_b, alpha, a, b, beta, c, type, descr};
    int status = checked(&call);
    (void)algorithm, (void)fraction;
    if (status != SPARSE_SUCCESS || descr->products < 0 || (!buffer && !size))
        return status != SPARSE_SUCCESS ? status : SPARSE_INVALID_VALUE;
    if (!buffer)
        *size = 16; /* unused, but programs expect a nonzero size */
    else if (next)
        *next = second_buffer(&call);
    return SPARSE_SUCCESS;
}

/* Expands and sorts the products, and counts the numbers of C. */
static int compute(const struct call *call)
{
    struct sparse_spgemm *kernels = &call->descr->kernels;
    long long warps = call->descr->products ? mathlib_blocks(call->a->rows, 8) : 0;
    bool good = launch_typed(call, "expand", warps) && launch(call, "sort", warps ? call->a->rows : 0) &&
                launch(call, "columns", mathlib_blocks(call->a->rows, 8));
    long long count = good ? offsets(call, kernels->sizes) : -1;
    if (count > INT_MAX) {
        mathlib_refuse(call->name, "a result of more than 2,147,483,647 numbers");
        return SPARSE_NOT_SUPPORTED;
    }
    call->c->count = count;
    call->descr->computed = count >= 0;
    return count < 0 ? SPARSE_EXECUTION_FAILED : SPARSE_SUCCESS;
}

MATHLIB_API int cusparseSpGEMM_compute(cusparseHandle_t h, int op_a, int op_b, const void *alpha,
                                       cusparseSpMatDescr_t a, cusparseSpMatDescr_t b, const void *beta,
                                       cusparseSpMatDescr_t c, int type, int algorithm, cusparseSpGEMMDescr_t descr,
                                       size_t *size, void *buffer)
{
    struct call call = {"cusparseSpGEMM_compute", h, op_a, op_b, alpha, a, b, beta, c, type, descr};
    int status = checked(&call);
    (void)algorithm;
    if (status != SPARSE_SUCCESS || !size || descr->products < 0)
        return status != SPARSE_SUCCESS ? status : SPARSE_INVALID_VALUE;
    *size = second_buffer(&call);
    if (!buffer)
        return SPARSE_SUCCESS;
    struct sparse_spgemm *kernels = &descr->kernels;
    kernels->keys = buffer;
    kernels->sizes = (long long *)(kernels->keys + descr->products);
    kernels->products = (char *)buffer + before_products(&call);
    return compute(&call);
}

MATHLIB_API int cusparseSpGEMM_copy(cusparseHandle_t h, int op_a, int op_b, const void *alpha, cusparseSpMatDescr_t a,
                                    cusparseSpMatDescr_t b, const void *beta, cusparseSpMatDescr_t c, int type,
                                    int algorithm, cusparseSpGEMMDescr_t descr)
{
    struct call call = {"cusparseSpGEMM_copy", h, op_a, op_b, alpha, a, b, beta, c, type, descr};
    int status = checked(&call);
    (void)algorithm;
    if (status != SPARSE_SUCCESS || !descr->computed || !c->offsets || (c->count && (!c->across || !c->values)))
        return status != SPARSE_SUCCESS ? status : SPARSE_INVALID_VALUE;
    const double *d = alpha;
    const float *f = alpha;
    bool doubles = type == 1 || type == 5;
    struct mathlib_scalar *scalar = &descr->kernels.alpha;
    *scalar = (struct mathlib_scalar){.re = doubles ? d[0] : f[0]};
    if (type >= 4)
        scalar->im = doubles ? d[1] : f[1];
    descr->kernels.c = rows_of(c);
    return launch_typed(&call, "write", mathlib_blocks(a->rows, 8)) ? SPARSE_SUCCESS : SPARSE_EXECUTION_FAILED;
}
