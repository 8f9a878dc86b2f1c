/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of matrices as libcublasLt describes them: D = f(alpha * op(A) * op(B) + beta * C + bias). */
#include "mathlib/lt/descriptions.h"
#include "mathlib/lt/eight.h"

#include <stdio.h>

/* Result of a query for algorithms; layout of cublasLtMatmulHeuristicResult_t. */
struct lt_found {
    uint64_t algorithm[8];
    size_t workspace;
    int state;
    float waves;
    int reserved[4];
};

/* A layout as an operand; rows instead of columns are a transposition. */
static struct mathlib_operand operand_of(const struct lt_layout *l, const void *data, int op, enum mathlib_type type)
{
    int turned = (op == BLAS_T || op == BLAS_C) != (l->order == LT_BY_ROWS);
    struct mathlib_operand o = blas_operand(data, l->ld, turned ? BLAS_T : BLAS_N, type);
    o.conjugate = op == BLAS_C;
    o.batch = l->batches > 1 ? l->batch : 0;
    return o;
}

static bool layout_is_wrong(const struct lt_layout *l)
{
    uint64_t least = l->order == LT_BY_ROWS ? l->columns : l->rows;
    return l->ld < 0 || (uint64_t)l->ld < least || l->batches < 1;
}

/* Returns the name of a requested feature that is not supported, or NULL. */
static const char *lacking(const struct lt_operation *o, const struct lt_layout *const *layouts, bool eights)
{
    int plain = o->epilogue & ~(1 | 2 | 4 | 32);
    for (int i = 0; i < 4; i++)
        if (layouts[i]->order > LT_BY_ROWS || layouts[i]->order < 0 || layouts[i]->plane)
            return "a layout of that order";
    if (!o->epilogue || plain || (o->epilogue & 2 && o->epilogue & 32))
        return "an epilogue of that kind";
    if (o->pointer_mode > 1 || o->pointer_mode < 0)
        return "vectors of alpha";
    if (o->transposed[2])
        return "a transposed C";
    for (int i = eights ? 2 : 0; i < 5; i++)
        if (o->scales[i])
            return "scales of operands";
    for (int i = 0; i < 4; i++) {
        bool lines = i < 2 && eights && layouts[i]->batches == 1 && o->scale_modes[i] == LT_SCALE_OF_EACH_LINE;
        if (o->scale_modes[i] != LT_ONE_SCALE && !lines)
            return "scales of blocks";
    }
    return NULL;
}

/* Eight-bit floats, of which sums are floats. */
static bool eights_product(const struct lt_operation *o, const struct lt_layout *d, struct blas_product *product,
                           enum mathlib_type *scalar)
{
    bool halves = d->type == 2, shorts = d->type == 14;
    *product = (struct blas_product){.in = MATHLIB_I8,
                                     .out = halves   ? MATHLIB_F16
                                            : shorts ? MATHLIB_BF16
                                                     : MATHLIB_F32};
    *scalar = MATHLIB_F32;
    return o->compute == COMPUTE_32F && (halves || shorts || d->type == 0);
}

struct request {
    struct blas_product product;
    bool eights;
    enum mathlib_type scalar, bias;
    int64_t batch;
    struct mathlib_gemm g;
};

/* `layouts`: of A, B, C, D. */
static int understand(const struct cublasContext *h, const struct lt_operation *o,
                      const struct lt_layout *const *layouts, const void *const *data, struct request *r)
{
    const struct lt_layout *a = layouts[0], *b = layouts[1], *c = layouts[2], *d = layouts[3];
    bool a_turned = o->transposed[0] != BLAS_N, b_turned = o->transposed[1] != BLAS_N;
    r->eights = lt_is_eight(a) && lt_is_eight(b);
    const char *lack =
        r->eights && h->kernels.capability < 89 ? "FP8 before compute capability 8.9" : lacking(o, layouts, r->eights);
    if (!lack && (!(r->eights ? eights_product(o, d, &r->product, &r->scalar)
                              : blas_product_of((int)a->type, (int)b->type, (int)d->type, o->compute, &r->product,
                                                &r->scalar)) ||
                  c->type != d->type))
        lack = "this combination of types";
    bool bias = o->epilogue & 4, floats = r->product.out != MATHLIB_F64 && r->product.in < MATHLIB_I32 &&
                                          r->product.in != MATHLIB_C32 && r->product.in != MATHLIB_C64;
    if (!lack && o->epilogue != 1 && !floats && !r->eights)
        lack = "an epilogue of numbers of that type";
    if (lack) {
        mathlib_refuse("cublasLtMatmul", lack);
        return BLAS_NOT_SUPPORTED;
    }
    uint64_t m = a_turned ? a->columns : a->rows, k = a_turned ? a->rows : a->columns,
             n = b_turned ? b->rows : b->columns;
    if (k != (b_turned ? b->columns : b->rows) || d->rows != m || d->columns != n || c->rows != m || c->columns != n)
        return BLAS_INVALID_VALUE;
    for (int i = 0; i < 4; i++)
        if (layout_is_wrong(layouts[i]) || layouts[i]->batches != d->batches)
            return BLAS_INVALID_VALUE;
    r->batch = d->batches;
    r->g = (struct mathlib_gemm){.m = (int64_t)m, .n = (int64_t)n, .k = (int64_t)k};
    r->g.a = operand_of(a, data[0], o->transposed[0], r->product.in);
    r->g.b = operand_of(b, data[1], o->transposed[1], r->product.in);
    if (r->eights && (r->g.a.column != 1 || r->g.b.row != 1 || !r->g.a.aligned || !r->g.b.aligned ||
                      r->g.a.batch % 16 || r->g.b.batch % 16))
        return BLAS_NOT_SUPPORTED; /* cuBLASLt does not support it either: k must be contiguous, in whole vectors */
    r->g.c = operand_of(c, data[2], BLAS_N, r->product.out);
    r->g.d = operand_of(d, data[3], BLAS_N, r->product.out);
    r->g.epilogue = (o->epilogue & 2 ? MATHLIB_RELU : 0) | (o->epilogue & 32 ? MATHLIB_GELU : 0);
    if (bias) {
        r->g.bias = o->bias, r->g.bias_batch = o->bias_batch;
        r->g.bias_type = o->bias_type == 0    ? MATHLIB_F32
                         : o->bias_type == 2  ? MATHLIB_F16
                         : o->bias_type == 14 ? MATHLIB_BF16
                                              : (int)r->product.out;
    }
    return BLAS_SUCCESS;
}

static int multiply_eights(struct cublasContext *h, const struct lt_operation *o, const struct request *r,
                           const struct lt_layout *const *layouts)
{
    struct lt_eight e = {.g = r->g,
                         .a_scales = o->scales[0],
                         .b_scales = o->scales[1],
                         .a_by_row = o->scale_modes[0] == LT_SCALE_OF_EACH_LINE,
                         .b_by_column = o->scale_modes[1] == LT_SCALE_OF_EACH_LINE};
    char name[64];
    bool large = mathlib_blocks(e.g.m, 128) * mathlib_blocks(e.g.n, 128) * r->batch >= h->kernels.multiprocessors;
    int tile = large ? 128 : 64;
    struct mathlib_grid grid = {mathlib_blocks(e.g.m, tile), mathlib_blocks(e.g.n, tile), r->batch, large ? 256 : 128,
                                0};
    e.g.output = r->product.out;
    if (e.g.m == 0 || e.g.n == 0)
        return BLAS_SUCCESS;
    if (grid.y > 65535 || grid.z > 65535)
        return BLAS_NOT_SUPPORTED;
    snprintf(name, sizeof name, "maniple_gemm_%s_%s_%dx%d", layouts[0]->type == LT_E4M3 ? "e4m3" : "e5m2",
             layouts[1]->type == LT_E4M3 ? "e4m3" : "e5m2", tile, tile);
    return blas_done(mathlib_launch(&h->kernels, "eight", name, grid, &e));
}

MATHLIB_API int cublasLtMatmulAlgoGetHeuristic(struct cublasContext *h, const struct lt_operation *o,
                                               const struct lt_layout *a, const struct lt_layout *b,
                                               const struct lt_layout *c, const struct lt_layout *d,
                                               const void *preference, int wanted, struct lt_found *found, int *count)
{
    (void)preference;
    if (!h)
        return BLAS_NOT_INITIALIZED;
    if (!o || !a || !b || !c || !d || wanted < 1 || !found || !count)
        return BLAS_INVALID_VALUE;
    struct request request;
    const void *none[4] = {NULL, NULL, NULL, NULL};
    const struct lt_layout *layouts[] = {a, b, c, d};
    int status = understand(h, o, layouts, none, &request);
    *count = status == BLAS_SUCCESS;
    if (status == BLAS_SUCCESS)
        found[0] = (struct lt_found){.algorithm = {1}, .state = BLAS_SUCCESS, .waves = 1};
    return status;
}

/* Whether a kernel without tensor cores multiplies: those know no epilogue. */
static bool without_tensor_cores(const struct cublasContext *h, struct blas_product p)
{
    int needed = p.in == MATHLIB_F16 ? 70 : 80;
    return p.exact || (p.in == MATHLIB_F32 && !p.rounded) || h->kernels.capability < needed;
}

/* Computes a product of 16-bit or 8-bit types whose sums stay 32-bit floats until bias and activation have been
 * applied, so that D is rounded once. The sums are kept in a workspace, which the kernel that adds parts reads as a
 * single part. */
static int multiply_short(struct cublasContext *h, const struct request *r)
{
    enum { THREADS = 64 };
    struct mathlib_gemm product = r->g, last = r->g;
    struct blas_product floats = r->product;
    size_t numbers = (size_t)last.m * (size_t)last.n;
    float *sums = (float *)(uintptr_t)mathlib_workspace(&h->kernels, numbers * (size_t)r->batch * sizeof(float));
    if (!sums)
        return BLAS_ALLOC_FAILED;
    floats.out = MATHLIB_F32;
    product.bias = NULL, product.epilogue = 0, product.beta = blas_number(0);
    product.d = blas_operand(sums, last.m, BLAS_N, MATHLIB_F32);
    product.d.batch = (int64_t)numbers;
    product.c = product.d;
    int status = blas_multiply(h, floats, &product, r->batch);
    if (status != BLAS_SUCCESS)
        return status;
    last.alpha = blas_number(1), last.output = r->product.out;
    last.sums = sums, last.rows = (int)last.m, last.columns = (int)last.n;
    last.k = last.depth = 1; /* a single part */
    struct mathlib_grid grid = {mathlib_blocks(last.m, THREADS), last.n, r->batch, THREADS, 0};
    return blas_done(mathlib_launch(&h->kernels, "epilogue", "maniple_epilogue", grid, &last));
}

/* Computes the product and its epilogue; kernels on tensor cores apply bias and activation themselves. */
static int multiply(struct cublasContext *h, struct request *r)
{
    bool after = (r->g.epilogue || r->g.bias) && r->g.m > 0 && r->g.n > 0 && without_tensor_cores(h, r->product);
    if (after && r->product.out != MATHLIB_F32)
        return multiply_short(h, r);
    struct mathlib_gemm last = r->g;
    int status = blas_multiply(h, r->product, &r->g, r->batch);
    if (status != BLAS_SUCCESS || !after)
        return status;
    struct mathlib_grid grid = {mathlib_blocks(last.m, 32), mathlib_blocks(last.n, 8), r->batch, 256, 0};
    return blas_done(mathlib_launch(&h->kernels, "epilogue", "maniple_sepilogue", grid, &last));
}

MATHLIB_API int cublasLtMatmul(struct cublasContext *h, const struct lt_operation *o, const void *alpha, const void *a,
                               const struct lt_layout *a_layout, const void *b, const struct lt_layout *b_layout,
                               const void *beta, const void *c, const struct lt_layout *c_layout, void *d,
                               const struct lt_layout *d_layout, const void *algorithm, void *workspace, size_t size,
                               CUstream stream)
{
    (void)workspace, (void)size;
    if (!h)
        return BLAS_NOT_INITIALIZED;
    if (!o || !alpha || !a_layout || !b_layout || !beta || !c_layout || !d_layout || !d)
        return BLAS_INVALID_VALUE;
    struct request request;
    const void *data[] = {a, b, c, d};
    const struct lt_layout *layouts[] = {a_layout, b_layout, c_layout, d_layout};
    int status = understand(h, o, layouts, data, &request);
    if (status != BLAS_SUCCESS)
        return status;
    h->kernels.stream = stream;
    h->pointer_mode = o->pointer_mode;
    request.g.alpha = blas_scalar(h, alpha, request.scalar), request.g.beta = blas_scalar(h, beta, request.scalar);
    if (request.eights)
        return multiply_eights(h, o, &request, layouts);
    h->algorithm = algorithm ? (int)*(const uint64_t *)algorithm - 1 : 0;
    status = multiply(h, &request);
    h->algorithm = 0;
    return status;
}

/* Checks whether a previously returned algorithm is still valid. */
MATHLIB_API int cublasLtMatmulAlgoCheck(struct cublasContext *h, const struct lt_operation *o,
                                        const struct lt_layout *a, const struct lt_layout *b, const struct lt_layout *c,
                                        const struct lt_layout *d, const void *algorithm, struct lt_found *found)
{
    int count;
    (void)algorithm;
    return cublasLtMatmulAlgoGetHeuristic(h, o, a, b, c, d, NULL, 1, found, &count);
}
