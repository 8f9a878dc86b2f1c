/* SPDX-License-Identifier: BSD-3-Clause */
/* Sparse vectors: numbers at places of a dense one, from there and to there. */
#include "mathlib/sparse/handle.h"
#include "mathlib/sparse/order.h"

#include <stdlib.h>

struct cusparseSpVecDescr {
    int64_t size, count;
    const void *places;
    void *values;
    int place_type, base, type;
};
typedef struct cusparseSpVecDescr *cusparseSpVecDescr_t;

static int make(cusparseSpVecDescr_t *to, struct cusparseSpVecDescr v)
{
    if (!to || v.size < 0 || v.count < 0 || v.count > v.size || v.base < 0 || v.base > 1)
        return SPARSE_INVALID_VALUE;
    if (v.place_type != SPARSE_INT32 && v.place_type != SPARSE_INT64) {
        mathlib_refuse("cusparseCreateSpVec", "places of 16 bits");
        return SPARSE_NOT_SUPPORTED;
    }
    *to = malloc(sizeof **to);
    if (!*to)
        return SPARSE_ALLOC_FAILED;
    **to = v;
    return SPARSE_SUCCESS;
}

MATHLIB_API int cusparseCreateSpVec(cusparseSpVecDescr_t *to, int64_t size, int64_t count, void *places, void *values,
                                    int place_type, int base, int type)
{
    return make(to, (struct cusparseSpVecDescr){size, count, places, values, place_type, base, type});
}

MATHLIB_API int cusparseCreateConstSpVec(cusparseSpVecDescr_t *to, int64_t size, int64_t count, const void *places,
                                         const void *values, int place_type, int base, int type)
{
    return cusparseCreateSpVec(to, size, count, (void *)(uintptr_t)places, (void *)(uintptr_t)values, place_type, base,
                               type);
}

MATHLIB_API int cusparseDestroySpVec(cusparseSpVecDescr_t v)
{
    free(v);
    return SPARSE_SUCCESS;
}

static int move(struct cusparseContext *h, const struct cusparseDnVecDescr *dense, const struct cusparseSpVecDescr *v,
                const char *kernel)
{
    static const unsigned char bytes[] = {4, 8, 2, 1, 8, 16, 4, 2, 1, 2, 4, 8, 4, 8, 2, 4}; /* by cudaDataType */
    if (!h || !dense || !v || dense->size != v->size || dense->type != v->type || v->type < 0 ||
        v->type >= (int)sizeof bytes)
        return h ? SPARSE_INVALID_VALUE : SPARSE_NOT_INITIALIZED;
    struct sparse_places p = {.vector = dense->values,
                              .values = v->values,
                              .places = v->places,
                              .count = v->count,
                              .wide = v->place_type == SPARSE_INT64,
                              .base = v->base,
                              .bytes = bytes[v->type]};
    struct mathlib_grid grid = {.x = mathlib_blocks(p.count, 256), .threads = 256};
    return !p.count || mathlib_launch(&h->kernels, "order", kernel, grid, &p) ? SPARSE_SUCCESS
                                                                              : SPARSE_EXECUTION_FAILED;
}

MATHLIB_API int cusparseGather(cusparseHandle_t h, const struct cusparseDnVecDescr *from,
                               const struct cusparseSpVecDescr *to)
{
    return move(h, from, to, "maniple_sp_gather");
}

MATHLIB_API int cusparseScatter(cusparseHandle_t h, const struct cusparseSpVecDescr *from,
                                const struct cusparseDnVecDescr *to)
{
    return move(h, to, from, "maniple_sp_scatter");
}
