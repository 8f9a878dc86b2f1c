/* SPDX-License-Identifier: BSD-3-Clause */
/* Selection of the tile and of the number of parts of the inner dimension for a product by mma, and its launch. */
#include "mathlib/ampere/product.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tiles of product.cuh, with cycles on an A100 from bench/mma_tiles.py: per step of DEPTH bytes of the inner
 * dimension, for a CTA alone on an SM, and per CTA if the SM holds as many as it can; and the overhead before and
 * after the steps. */
struct tile {
    int m, n, depth, stages; /* numbers of D, bytes of the inner dimension, places in shared memory */
    int warp_m, warp_n;      /* tile of a warp */
    int resident;            /* CTAs of an SM */
    int alone, shared, ends;
};

static const struct tile tiles[] = {
    {256, 128, 128, 3, 64, 64, 1, 2277, 2277, 9405}, {128, 256, 128, 3, 64, 64, 1, 2272, 2272, 9419},
    {128, 128, 128, 2, 64, 64, 2, 1504, 1160, 6031}, {128, 64, 128, 3, 64, 32, 2, 842, 619, 4761},
    {64, 128, 128, 3, 32, 64, 2, 773, 619, 4692},    {64, 64, 128, 3, 32, 32, 3, 533, 401, 3592},
    {64, 32, 128, 4, 16, 32, 3, 372, 286, 3246},     {64, 16, 128, 4, 16, 16, 4, 296, 208, 2764},
};
/* Narrower tiles are for products with so many rows or columns of D at most, as in the closed library, whose kernels in
 * more than two stages are named for tiles of 64 x 64 to 256 x 128. */
enum { NARROW = 64 };
enum { TILES = sizeof tiles / sizeof *tiles, MOST_PARTS = 32, MOST_DOWN = 65535 /* CTAs in a grid's y and z */ };

/* Bytes that an A100's SMs get in a cycle, together: of the near halves of its L2, 4,650 GB/s (gpu-benches, gpu-cache
 * on an A100 80 GB); and of its memory. */
enum { L2_BYTES = 3298, MEMORY_BYTES = 1250 };
/* Cycles of the kernel that adds parts, from the end of the first kernel to its own, and for each part; and bytes of
 * sums that are written in a cycle, half of which belong to the other half of the L2 and cross the link to it. */
enum { ADDITION = 4200, ADDED = 160, LINK_BYTES = 2 * 598 };

struct choice {
    const struct tile *tile;
    long long parts;
};

static long long greatest(long long a, long long b)
{
    return a > b ? a : b;
}

static long long smallest(long long a, long long b)
{
    return a < b ? a : b;
}

static long long tiles_of(const struct tile *t, const struct mathlib_gemm *g, int64_t batch)
{
    return mathlib_blocks(g->m, t->m) * mathlib_blocks(g->n, t->n) * batch;
}

/* Cycles of one round, in which each SM has `load` CTAs. */
static long long round_cycles(const struct tile *t, long long load, long long steps)
{
    long long most = t->resident > 1 ? t->resident - 1 : 1, shared = load - 1;
    long long each = t->alone * (most - shared) / most + t->shared * load * shared / most;
    return t->ends + steps * (t->resident > 1 ? each : t->alone);
}

static long long cycles_of(const struct cublasContext *h, const struct tile *t, const struct mathlib_gemm *g,
                           int64_t batch, int size, long long parts)
{
    long long ctas = tiles_of(t, g, batch) * parts, sms = h->kernels.multiprocessors, at_once = sms * t->resident;
    long long steps = mathlib_blocks(mathlib_blocks(g->k, parts) * size, t->depth), rest = ctas % at_once;
    long long cycles = ctas / at_once * round_cycles(t, t->resident, steps);
    if (rest)
        cycles += round_cycles(t, mathlib_blocks(rest, sms), steps);
    long long moved = ctas * steps * t->depth * (smallest(t->m, g->m) + smallest(t->n, g->n));
    long long stored = (g->m + g->n) * g->k * size * batch;
    long long sums = mathlib_blocks(g->m, t->m) * t->m * mathlib_blocks(g->n, t->n) * t->n * 4 * parts;
    cycles = greatest(cycles, t->ends + greatest(moved / L2_BYTES, stored / MEMORY_BYTES));
    return cycles + (parts > 1 ? ADDITION + ADDED * parts + sums / LINK_BYTES : 0);
}

static bool takes(const struct cublasContext *h, struct blas_product p, const struct mathlib_gemm *g)
{
    bool shorts = p.in == MATHLIB_F16 || p.in == MATHLIB_BF16;
    bool contiguous = (g->a.row == 1 || g->a.column == 1) && (g->b.row == 1 || g->b.column == 1);
    return shorts && !p.exact && h->kernels.capability >= 80 && !g->part && !g->a.shape && !g->b.shape && contiguous &&
           g->a.aligned && g->b.aligned && g->k > 0 && g->k % 8 == 0 && g->k < INT32_MAX && g->m < INT32_MAX &&
           g->n < INT32_MAX && smallest(g->m, g->n) <= MOST_DOWN * 16LL;
}

static unsigned shared_bytes(const struct tile *t)
{
    int stages = t->stages * (t->m + t->n) * t->depth, finish = t->m * t->n * 4;
    return (unsigned)(stages > finish ? stages : finish);
}

static bool fits(const struct cublasContext *h, const struct tile *t)
{
    return shared_bytes(t) <= (unsigned)h->kernels.shared;
}

/* MANIPLE_PRODUCT=128x64,3 chooses a tile and parts for all products. */
static bool told(const struct cublasContext *h, struct choice *choice)
{
    const char *text = getenv("MANIPLE_PRODUCT");
    int m, n;
    long long parts;
    if (!text || sscanf(text, "%dx%d,%lld", &m, &n, &parts) != 3)
        return false;
    for (int i = 0; i < TILES; i++)
        if (tiles[i].m == m && tiles[i].n == n && fits(h, &tiles[i]))
            *choice = (struct choice){&tiles[i], parts};
    return choice->tile;
}

/* The fastest by those times, of the tiles that an SM has shared memory for. */
static struct choice choose(const struct cublasContext *h, const struct mathlib_gemm *g, int64_t batch, int size)
{
    struct choice choice = {NULL, 1};
    long long least = 0;
    if (told(h, &choice))
        return choice;
    for (int i = 0; i < TILES; i++) {
        if (!fits(h, &tiles[i]) || (tiles[i].n < NARROW && smallest(g->m, g->n) > NARROW))
            continue;
        long long most = batch > 1 ? 1 : smallest(MOST_PARTS, mathlib_blocks(g->k * size, 2 * tiles[i].depth));
        for (long long parts = 1; parts <= most; parts++) {
            long long cycles = cycles_of(h, &tiles[i], g, batch, size, parts);
            if (!choice.tile || cycles < least)
                choice = (struct choice){&tiles[i], parts}, least = cycles;
        }
    }
    return choice;
}

/* Divides the inner dimension into whole steps, where there is room for the sums. */
static long long divide(struct cublasContext *h, const struct choice *choice, struct mathlib_gemm *g, int64_t batch,
                        int size)
{
    int step = choice->tile->depth / size;
    long long parts = choice->parts;
    g->depth = 0, g->sums = NULL;
    if (parts < 2 || batch > 1 || g->n > MOST_DOWN)
        return 1;
    g->depth = mathlib_blocks(mathlib_blocks(g->k, parts), step) * step;
    parts = mathlib_blocks(g->k, g->depth);
    g->rows = (int)mathlib_blocks(g->m, choice->tile->m) * choice->tile->m;
    g->columns = (int)mathlib_blocks(g->n, choice->tile->n) * choice->tile->n;
    size_t sums = (size_t)g->rows * (size_t)g->columns * (size_t)parts;
    if (parts > 1)
        g->sums = (float *)(uintptr_t)mathlib_workspace(&h->kernels, sums * sizeof(float));
    if (!g->sums)
        g->depth = 0;
    return g->sums ? parts : 1;
}

static void advance(struct mathlib_operand *o, int64_t count, int size)
{
    o->data = (const char *)o->data + count * (o->array ? (int64_t)sizeof(void *) : o->batch * size);
}

bool blas_by_mma(struct cublasContext *h, struct blas_product p, struct mathlib_gemm *g, int64_t batch, int *status)
{
    if (!takes(h, p, g))
        return false;
    int in = (int)blas_size(p.in), out = (int)blas_size(p.out);
    struct choice choice = choose(h, g, batch, in);
    const struct tile *t = choice.tile;
    char name[64], parts_name[48];
    /* Whether whole vectors of D can be written. */
    g->d.aligned = blas_is_zero(&g->beta) && g->d.row == 1 && g->d.aligned && !g->d.array && g->d.batch * out % 16 == 0;
    static const char *const files[2][4] = {{"mma_bf16_nn", "mma_bf16_nt", "mma_bf16_tn", "mma_bf16_tt"},
                                            {"mma_f16_nn", "mma_f16_nt", "mma_f16_tn", "mma_f16_tt"}};
    const char *file = files[p.in == MATHLIB_F16][2 * (g->a.row != 1) + (g->b.row != 1)];
    snprintf(name, sizeof name, "maniple_%cgemm_mma_%dx%d_%dx%d_%s", blas_letter(p.in), t->m, t->n, t->depth, t->stages,
             file + strlen(file) - 2);
    snprintf(parts_name, sizeof parts_name, "maniple_%cgemm_mma_parts", blas_letter(p.in));
    long long parts = divide(h, &choice, g, batch, in);
    struct mathlib_grid grid = {mathlib_blocks(g->m, t->m), mathlib_blocks(g->n, t->n), 0,
                                (unsigned)(t->m / t->warp_m * (t->n / t->warp_n) * 32), shared_bytes(t)};
    if (grid.x <= MOST_DOWN && (grid.y < grid.x || grid.y > MOST_DOWN)) {
        long long across = grid.x;
        grid.x = grid.y, grid.y = across;
    }
    struct mathlib_grid add = {mathlib_blocks(g->m, 256), g->n, 0, 64, 0};
    *status = BLAS_SUCCESS;
    while (batch > 0 && *status == BLAS_SUCCESS) {
        grid.z = g->sums ? parts : smallest(batch, MOST_DOWN);
        add.z = 1;
        if (!mathlib_launch(&h->kernels, file, name, grid, g) ||
            (g->sums && !mathlib_launch(&h->kernels, file, parts_name, add, g)))
            *status = BLAS_EXECUTION_FAILED;
        long long done = g->sums ? 1 : grid.z;
        batch -= done;
        advance(&g->a, done, in), advance(&g->b, done, in);
        advance(&g->c, done, out), advance(&g->d, done, out);
    }
    return true;
}
