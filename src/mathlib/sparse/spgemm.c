/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of two sparse matrices (SpGEMM): expanded, sorted by column and summed up, whatever algorithm is named. */
#include "mathlib/sparse/expansion.h"
#include "mathlib/sparse/handle.h"
#include "mathlib/sparse/scan.h"

#include <limits.h>
#include <stdlib.h>

/* State of a product between its calls. It owns nothing: memory is the program's. */
struct cusparseSpGEMMDescr {
    struct sparse_expansion expansion;
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

static bool is_zero(const struct call *call)
{
    struct mathlib_scalar beta = sparse_scalar(call->h, call->beta, sparse_expansion_type(call->type));
    return beta.re == 0 && beta.im == 0;
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
    else if (!sparse_expansion_bytes(call->type) || call->a->type != call->type || call->b->type != call->type ||
             call->c->type != call->type)
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

static bool launch(const struct call *call, bool typed, const char *what)
{
    return sparse_expansion_launch(&call->h->kernels, &call->descr->expansion, typed ? call->type : -1, what,
                                   mathlib_blocks(call->a->rows, 8));
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
    descr->expansion = (struct sparse_expansion){.a = rows_of(a),
                                                 .b = rows_of(b),
                                                 .rows = a->rows,
                                                 .begins = buffer,
                                                 .alpha = sparse_scalar(h, alpha, sparse_expansion_type(type))};
    descr->computed = false;
    descr->products = launch(&call, false, "count_products") ? sparse_scan(&h->kernels, buffer, a->rows) : -1;
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

static size_t second_buffer(const struct call *call, void *buffer)
{
    return sparse_expansion_buffer(&call->descr->expansion, call->descr->products, sparse_expansion_bytes(call->type),
                                   buffer);
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
        *next = second_buffer(&call, NULL);
    return SPARSE_SUCCESS;
}

/* Expands and sorts the products, and counts the numbers of C. */
static int compute(const struct call *call)
{
    long long count =
        launch(call, true, "products") ? sparse_expansion_sort(&call->h->kernels, &call->descr->expansion) : -1;
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
    *size = second_buffer(&call, buffer);
    return buffer ? compute(&call) : SPARSE_SUCCESS;
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
    descr->expansion.c = rows_of(c);
    return launch(&call, true, "write") && sparse_expansion_launch(&h->kernels, &descr->expansion, -1, "offsets",
                                                                   mathlib_blocks(a->rows + 1, 256))
               ? SPARSE_SUCCESS
               : SPARSE_EXECUTION_FAILED;
}
