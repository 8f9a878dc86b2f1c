/* SPDX-License-Identifier: BSD-3-Clause */
/* Selection of the tile for a product of floats by FMA, and its launch. */
#include "mathlib/blas/single.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tiles of single.cuh and, of 32 x 32 numbers, of gemm.cuh, with cycles on an A100 from bench/mma_tiles.py --single:
 * per step of eight numbers of the inner dimension, for a CTA alone on an SM, and per CTA if the SM holds as many as it
 * can; and the overhead before and after the steps. */
struct tile {
    int m, n, threads, resident; /* numbers of D, threads of a CTA, CTAs of an SM */
    int alone, shared, ends;
};

static const struct tile tiles[] = {
    {128, 128, 256, 2, 2337, 2216, 4163}, {128, 64, 128, 4, 1472, 1071, 3593}, {64, 64, 64, 8, 1385, 532, 3503},
    {128, 32, 256, 4, 779, 710, 2730},    {32, 128, 256, 4, 827, 738, 2793},   {32, 32, 256, 8, 542, 305, 2630},
};
enum { TILES = sizeof tiles / sizeof *tiles, DEPTH = 8, MOST_DOWN = 65535 /* CTAs in a grid's y and z */ };
enum { SUB_CORES = 4 /* number of them in an SM */ };

static bool takes(struct blas_product p, const struct mathlib_gemm *g)
{
    bool floats = p.in == MATHLIB_F32 && p.out == MATHLIB_F32;
    bool contiguous = (g->a.row == 1 || g->a.column == 1) && (g->b.row == 1 || g->b.column == 1);
    return floats && !g->part && !g->a.shape && !g->b.shape && contiguous && g->k < INT32_MAX && g->m < INT32_MAX &&
           mathlib_blocks(g->n, 32) <= MOST_DOWN;
}

static long long tiles_of(const struct tile *t, const struct mathlib_gemm *g, int64_t batch)
{
    return mathlib_blocks(g->m, t->m) * mathlib_blocks(g->n, t->n) * batch;
}

/* Cycles of a step's arithmetic where an SM has `load` CTAs: those of the sub-core that has most of their warps. */
static long long arithmetic(const struct cublasContext *h, const struct tile *t, long long load)
{
    long long warps = t->threads / 32, lanes = h->kernels.capability > 80 ? 32 : 16;
    return mathlib_blocks(load * warps, SUB_CORES) * (t->m * t->n * DEPTH / warps / lanes);
}

/* Cycles of one round, in which each SM has `load` CTAs. */
static long long round_cycles(const struct cublasContext *h, const struct tile *t, long long load, long long steps)
{
    long long most = t->resident - 1, shared = load - 1, least = arithmetic(h, t, load);
    long long each = t->alone * (most - shared) / most + t->shared * load * shared / most;
    return t->ends + steps * (each > least ? each : least);
}

static long long cycles_of(const struct cublasContext *h, const struct tile *t, const struct mathlib_gemm *g,
                           int64_t batch)
{
    long long ctas = tiles_of(t, g, batch), sms = h->kernels.multiprocessors, at_once = sms * t->resident;
    long long steps = mathlib_blocks(g->k, DEPTH), rest = ctas % at_once;
    long long cycles = ctas / at_once * round_cycles(h, t, t->resident, steps);
    return cycles + (rest ? round_cycles(h, t, mathlib_blocks(rest, sms), steps) : 0);
}

/* MANIPLE_PRODUCT=128x64,1 chooses a tile for all products. */
static const struct tile *told(void)
{
    const char *text = getenv("MANIPLE_PRODUCT");
    int m, n;
    if (!text || sscanf(text, "%dx%d", &m, &n) != 2)
        return NULL;
    for (int i = 0; i < TILES; i++)
        if (tiles[i].m == m && tiles[i].n == n)
            return &tiles[i];
    return NULL;
}

/* The fastest by those times; of tiles within 2 % of one another the larger one, which reads less. Batches on an A100
 * have one tile in the closed library, whatever their shape (sitar-lab/NeuSight, 988 of 988 shapes of 64 rows and
 * more). */
static const struct tile *choose(const struct cublasContext *h, const struct mathlib_gemm *g, int64_t batch)
{
    const struct tile *best = told();
    if (best)
        return best;
    if (h->kernels.capability == 80 && batch > 1 && g->m >= 64 && g->n >= 64)
        return &tiles[0];
    long long least = 0;
    for (int i = 0; i < TILES; i++) {
        long long cycles = cycles_of(h, &tiles[i], g, batch);
        if (!best || cycles < least - least / 50)
            best = &tiles[i], least = cycles;
    }
    return best;
}

static void advance(struct mathlib_operand *o, int64_t count)
{
    o->data = (const char *)o->data + count * (int64_t)(o->array ? sizeof(void *) : (size_t)o->batch * sizeof(float));
}

/* Whether memory has the address of an operand, or a factor. */
static bool is_fetched(const struct mathlib_gemm *g)
{
    return g->a.array || g->b.array || g->c.array || g->d.array || g->alpha.device || g->beta.device;
}

bool blas_by_fma(struct cublasContext *h, struct blas_product p, struct mathlib_gemm *g, int64_t batch, int *status)
{
    if (!takes(p, g))
        return false;
    const struct tile *t = choose(h, g, batch);
    bool small = t->m == 32 && t->n == 32;
    char name[48];
    snprintf(name, sizeof name, "maniple_sgemm_%dx%d%s", t->m, t->n,
             small           ? ""
             : g->a.row == 1 ? g->b.row == 1 ? "_nn" : "_nt"
             : g->b.row == 1 ? "_tn"
                             : "_tt");
    const char *module = small ? "gemm_real" : is_fetched(g) ? "gemm_single_fetched" : "gemm_single";
    struct mathlib_grid grid = {mathlib_blocks(g->m, t->m), mathlib_blocks(g->n, t->n), 0, (unsigned)t->threads, 0, 0};
    *status = BLAS_SUCCESS;
    for (; batch > 0 && *status == BLAS_SUCCESS; batch -= grid.z) {
        grid.z = batch < MOST_DOWN ? batch : MOST_DOWN;
        if (!mathlib_launch(&h->kernels, module, name, grid, g))
            *status = BLAS_EXECUTION_FAILED;
        advance(&g->a, grid.z), advance(&g->b, grid.z), advance(&g->c, grid.z), advance(&g->d, grid.z);
    }
    return true;
}
