/* SPDX-License-Identifier: BSD-3-Clause */
/* Selection of the kernel for a matrix product: by types, layouts, size, and features of the device. */
#include "mathlib/ampere/product.h"
#include "mathlib/blas/single.h"

#include <stdio.h>

struct choice {
    const char *file;
    char name[64];
    int tile_m, tile_n;
    unsigned threads;
    char parts[40]; /* the kernel that adds the sums of parts of the inner dimension; "": it has none */
};

static long long ctas(const struct mathlib_gemm *g, int tile, int64_t batch)
{
    return mathlib_blocks(g->m, tile) * mathlib_blocks(g->n, tile) * batch;
}

/* Tiles as large as leave no SM without work. */
static bool large(const struct cublasContext *h, const struct mathlib_gemm *g, int tile, int64_t batch)
{
    return ctas(g, tile, batch) >= h->kernels.multiprocessors || (g->m > 4 * tile && g->n > 4 * tile);
}

/* Whether tensor cores take it; then their kernel. */
static bool choose_tensor(const struct cublasContext *h, struct blas_product p, const struct mathlib_gemm *g,
                          int64_t batch, struct choice *choice)
{
    bool floats = p.in == MATHLIB_F32 && p.out == MATHLIB_F32 && p.rounded;
    int needed = p.in == MATHLIB_F16 ? 70 : p.in == MATHLIB_BF16 || floats ? 80 : 1000;
    bool a_row = g->a.row == 1, b_row = g->b.row == 1;
    if (p.exact || h->kernels.capability < needed || g->part || g->a.shape || g->b.shape ||
        (!a_row && g->a.column != 1) || (!b_row && g->b.column != 1))
        return false;
    bool volta = p.in == MATHLIB_F16 && h->kernels.capability < 80, wide = large(h, g, 128, batch);
    choice->file = volta                 ? "tensor_f16_sm70"
                   : p.in == MATHLIB_F16 ? "tensor_f16"
                   : floats              ? "tensor_tf32"
                                         : "tensor_bf16";
    choice->tile_m = choice->tile_n = wide ? 128 : 64;
    choice->threads = wide ? 256 : 128;
    snprintf(choice->name, sizeof choice->name, "maniple_%cgemm_tensor%s_%dx%d_%c%c", blas_letter(p.in),
             volta ? "_volta" : "", choice->tile_m, choice->tile_n, a_row ? 'n' : 't', b_row ? 'n' : 't');
    snprintf(choice->parts, sizeof choice->parts, "maniple_%cgemm_tensor%s_parts", blas_letter(p.in),
             volta ? "_volta" : "");
    return true;
}

static void choose(const struct cublasContext *h, struct blas_product p, const struct mathlib_gemm *g, int64_t batch,
                   struct choice *choice)
{
    bool complex = p.in == MATHLIB_C32 || p.in == MATHLIB_C64, shaped = g->a.shape || g->b.shape;
    int tile = p.in == MATHLIB_F32 ? 128 : p.in == MATHLIB_C64 ? 32 : 64;
    if (p.in >= MATHLIB_F16) {
        choice->file = "gemm_mixed";
        snprintf(choice->name, sizeof choice->name, "maniple_%s%sgemm_64x64",
                 p.in == MATHLIB_F16    ? "h"
                 : p.in == MATHLIB_BF16 ? "b"
                 : p.out == MATHLIB_I32 ? "i"
                                        : "i8",
                 p.out == MATHLIB_F32 ? "s" : "");
    } else {
        if (shaped || !large(h, g, tile, batch))
            tile = 32;
        choice->file = complex ? "gemm_complex" : "gemm_real";
        snprintf(choice->name, sizeof choice->name, "maniple_%cgemm%s_%dx%d", blas_letter(p.in),
                 shaped ? "_shaped" : "", tile, tile);
    }
    choice->tile_m = choice->tile_n = tile;
    choice->threads = 256;
}

/* Into how many parts the inner dimension falls: as many as give each SM a CTA, none shorter than LEAST, all of whole
 * steps; one where tiles are enough, or where there is no room for the sums. */
static long long divide(struct cublasContext *h, const struct choice *choice, struct mathlib_gemm *g, int64_t batch)
{
    enum { LEAST = 256, STEP = 64, MOST = 32 };
    long long parts = h->kernels.multiprocessors / ctas(g, choice->tile_m, batch);
    parts = parts < g->k / LEAST ? parts : g->k / LEAST;
    parts = parts < MOST ? parts : MOST;
    g->depth = 0, g->sums = NULL;
    if (!choice->parts[0] || parts < 2)
        return 1;
    g->depth = mathlib_blocks(mathlib_blocks(g->k, parts), STEP) * STEP;
    parts = mathlib_blocks(g->k, g->depth);
    g->rows = (int)mathlib_blocks(g->m, choice->tile_m) * choice->tile_m;
    g->columns = (int)mathlib_blocks(g->n, choice->tile_n) * choice->tile_n;
    size_t sums = (size_t)g->rows * (size_t)g->columns * (size_t)(batch * parts);
    g->sums = (float *)(uintptr_t)mathlib_workspace(&h->kernels, sums * sizeof(float));
    if (!g->sums)
        g->depth = 0;
    return g->sums ? parts : 1;
}

/* D out of the sums of all parts. */
static bool add_parts(struct cublasContext *h, const struct choice *choice, const struct mathlib_gemm *g, int64_t batch)
{
    enum { THREADS = 64 };
    struct mathlib_grid grid = {mathlib_blocks(g->m, THREADS), g->n, batch, THREADS};
    return !g->sums || mathlib_launch(&h->kernels, choice->file, choice->parts, grid, g);
}

static void advance(struct mathlib_operand *o, int64_t count, enum mathlib_type type)
{
    o->data =
        (const char *)o->data + count * (o->array ? (int64_t)sizeof(void *) : o->batch * (int64_t)blas_size(type));
}

int blas_multiply(struct cublasContext *h, struct blas_product p, struct mathlib_gemm *g, int64_t batch)
{
    struct choice choice = {.parts = ""};
    g->output = p.out;
    if (g->m <= 0 || g->n <= 0 || batch <= 0)
        return BLAS_SUCCESS;
    struct mathlib_operand *operands[] = {&g->a, &g->b};
    for (int i = 0; i < 2; i++)
        if (batch > 1 && (operands[i]->array || (size_t)operands[i]->batch * blas_size(p.in) % 16))
            operands[i]->aligned = false;
    if (blas_is_zero(&g->alpha))
        g->k = 0; /* A and B are not read */
    bool launched;
    if (blas_by_warpgroups(h, p, g, batch, &launched))
        return blas_done(launched);
    int status;
    if (blas_by_mma(h, p, g, batch, &status))
        return status;
    if (!choose_tensor(h, p, g, batch, &choice)) {
        if (blas_by_fma(h, p, g, batch, &status))
            return status;
        choose(h, p, g, batch, &choice);
    }
    struct mathlib_grid grid = {divide(h, &choice, g, batch) * mathlib_blocks(g->m, choice.tile_m),
                                mathlib_blocks(g->n, choice.tile_n), 0, choice.threads};
    if (grid.y > 65535)
        return BLAS_INVALID_VALUE;
    while (batch > 0) {
        grid.z = batch < 65535 ? batch : 65535;
        if (!mathlib_launch(&h->kernels, choice.file, choice.name, grid, g) || !add_parts(h, &choice, g, grid.z))
            return BLAS_EXECUTION_FAILED;
        batch -= grid.z;
        advance(&g->a, grid.z, p.in), advance(&g->b, grid.z, p.in);
        advance(&g->c, grid.z, p.out), advance(&g->d, grid.z, p.out);
    }
    return BLAS_SUCCESS;
}
