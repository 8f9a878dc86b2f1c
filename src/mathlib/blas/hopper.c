/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Products of matrices by warpgroups, for compute capability 9.0, and with sums in tensor memory, for 10.0: whether the
 * accelerator can move their operands, and their launch.
 */
#include "mathlib/blas/hopper.h"

#include "mathlib/blas/hopper_choice.h"

#include <stdio.h>
#include <string.h>

/* ===== whether ===== */

/* How the accelerator sees an operand. */
struct view {
    const void *data;
    bool lines;          /* the contiguous dimension is m or n; otherwise it is k */
    long long ld, batch; /* in elements */
};

static bool view_of(const struct mathlib_operand *o, long long k_stride, long long line_stride, int64_t batch,
                    struct view *v)
{
    *v = (struct view){.data = o->data, .lines = k_stride != 1, .batch = batch > 1 ? o->batch : 8};
    v->ld = v->lines ? k_stride : line_stride;
    return (k_stride == 1 || line_stride == 1) && !o->array && !o->shape && (uintptr_t)o->data % 16 == 0 && v->ld > 0 &&
           v->ld % 8 == 0 && v->batch > 0 && v->batch % 8 == 0;
}

static bool possible(const struct cublasContext *h, struct blas_product p, const struct mathlib_gemm *g, int64_t batch,
                     struct view *x, struct view *y)
{
    const int most = 1 << 30;
    bool tensor_memory = h->kernels.capability == 100;
    return (tensor_memory || h->kernels.capability == 90) && (p.in == MATHLIB_F16 || p.in == MATHLIB_BF16) &&
           !p.exact && !g->part && g->k > 0 && g->k < most && g->m < most && g->n < most && batch < 65536 &&
           view_of(&g->a, g->a.column, g->a.row, batch, x) && view_of(&g->b, g->b.row, g->b.column, batch, y) &&
           !(tensor_memory && (x->lines || y->lines));
}

/* ===== tensor maps ===== */

static bool encode(struct hopper_map *map, enum mathlib_type type, const struct view *v,
                   const unsigned long *dimensions, const unsigned *box)
{
    static const unsigned ones[] = {1, 1, 1};
    unsigned long strides[] = {(unsigned long)v->ld * 2, (unsigned long)v->batch * 2};
    return cuTensorMapEncodeTiled(
               &map->map, type == MATHLIB_F16 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 3,
               (void *)(uintptr_t)v->data, dimensions, strides, box, ones, CU_TENSOR_MAP_INTERLEAVE_NONE,
               CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

/* Creates a tensor map for an operand, in boxes of 64 elements of k and `lines` lines. */
static bool encode_operand(struct hopper_map *map, enum mathlib_type type, const struct view *v, int64_t lines,
                           int64_t k, int64_t batch, int box_lines)
{
    unsigned long by_k[] = {(unsigned long)k, (unsigned long)lines, (unsigned long)batch},
                  by_line[] = {(unsigned long)lines, (unsigned long)k, (unsigned long)batch};
    unsigned box[] = {64, v->lines ? 64 : (unsigned)box_lines, 1};
    return encode(map, type, v, v->lines ? by_line : by_k, box);
}

/* ===== launch ===== */

static long long lowest(long long a, long long b)
{
    return a < b ? a : b;
}

/* Selects the destination of the sums: by tensor map, if TMA can store D. */
static bool place_sums(struct cublasContext *h, struct blas_product p, const struct hopper_form *form, int64_t batch,
                       struct hopper_product *w)
{
    struct mathlib_gemm *g = &w->g;
    struct view d = {.data = g->d.data, .ld = g->d.column, .batch = batch > 1 ? g->d.batch : 8};
    unsigned long dimensions[] = {(unsigned long)g->m, (unsigned long)g->n, (unsigned long)batch};
    unsigned box[] = {64, form->columns < 64 ? (unsigned)form->columns : 64, 1};
    int down = w->tiles_m * hopper_height(form) * form->cluster, across = w->tiles_n * form->columns;
    bool boxes = p.out == p.in && g->d.row == 1 && !g->d.array && (uintptr_t)d.data % 16 == 0 && d.ld > 0 &&
                 d.ld % 8 == 0 && d.batch > 0 && d.batch % 8 == 0;
    w->store = w->parts > 1 ? HOPPER_SUMS : boxes ? HOPPER_BOXES : HOPPER_NUMBERS;
    if (w->store == HOPPER_BOXES && !form->across)
        return encode(&w->d, p.in, &d, dimensions, box);
    if (w->store == HOPPER_SUMS) {
        g->rows = form->across ? across : down, g->columns = form->across ? down : across;
        size_t sums = (size_t)g->rows * (size_t)g->columns * (size_t)(batch * w->parts) * sizeof(float);
        g->sums = (float *)(uintptr_t)mathlib_workspace(&h->kernels, sums);
        return g->sums != NULL;
    }
    return true;
}

/* The module with the kernels; its last two letters say which operands have lines along m or n. */
static const char *file_of(const struct cublasContext *h, struct blas_product p, bool x_lines, bool y_lines)
{
    static const char *const files[2][4] = {{"hopper_bf16_tn", "hopper_bf16_tt", "hopper_bf16_nn", "hopper_bf16_nt"},
                                            {"hopper_f16_tn", "hopper_f16_tt", "hopper_f16_nn", "hopper_f16_nt"}};
    if (h->kernels.capability == 100)
        return p.in == MATHLIB_F16 ? "blackwell_f16_tn" : "blackwell_bf16_tn";
    return files[p.in == MATHLIB_F16][2 * x_lines + y_lines];
}

static bool launch(struct cublasContext *h, struct blas_product p, const struct mathlib_gemm *g, int64_t batch,
                   const struct view *x, const struct view *y, struct hopper_choice choice)
{
    const struct hopper_form *form = choice.form;
    struct hopper_product w = {.g = *g, .parts = choice.parts, .group = 8 / form->cluster};
    int width = y->lines && form->columns < 64 ? 64 : form->columns;
    int64_t down = form->across ? g->n : g->m, across = form->across ? g->m : g->n;
    w.tiles_m = (int)mathlib_blocks(down, hopper_height(form) * form->cluster);
    w.tiles_n = (int)mathlib_blocks(across, form->columns);
    w.steps = (int)mathlib_blocks(g->k, 64 * form->blocks);
    w.depth = (int)mathlib_blocks(w.steps, w.parts * form->shares);
    w.parts = form->shares > 1 ? 1 : (int)mathlib_blocks(w.steps, w.depth);
    long long units = (long long)w.tiles_m * w.tiles_n * batch * w.parts;
    if (units > 1 << 30)
        return false;
    w.units = (int)units;
    w.g.output = p.out;
    if (!place_sums(h, p, form, batch, &w) ||
        !encode_operand(&w.x, p.in, form->across ? y : x, down, g->k, batch, hopper_height(form)) ||
        !encode_operand(&w.y, p.in, form->across ? x : y, across, g->k, batch, width / form->cluster))
        return false;
    const char *file = file_of(h, p, x->lines, y->lines), *called = file + strlen(file) - 2;
    bool tensor_memory = h->kernels.capability == 100;
    char prefix[40], name[64];
    snprintf(prefix, sizeof prefix, "maniple_%cgemm_%s_%s", blas_letter(p.in), tensor_memory ? "tcgen05" : "wgmma",
             called);
    snprintf(name, sizeof name, "%s_%s", prefix, form->name);
    int stage = form->blocks * 128 * (hopper_height(form) + width);
    int buffers = form->groups * HOPPER_BUFFERS * HOPPER_BUFFER;
    int stages = (int)lowest((HOPPER_SHARED - buffers) / stage, HOPPER_STAGES);
    /* Blocks that share the k of a tile have one tile; others stay and take one after another. */
    long long most = form->shares > 1 ? units : hopper_clusters(form, h->kernels.multiprocessors);
    int cluster = form->cluster * form->shares;
    struct mathlib_grid grid = {.x = lowest(units, most) * cluster,
                                .threads = tensor_memory ? BLACKWELL_THREADS : 128 + 128 * (unsigned)form->groups,
                                .shared = (unsigned)(stages * stage + buffers),
                                .cluster = (unsigned)cluster};
    if (!mathlib_launch(&h->kernels, file, name, grid, &w))
        return false;
    if (w.parts == 1)
        return true;
    snprintf(name, sizeof name, "%s_parts", prefix);
    return mathlib_launch(&h->kernels, file, name,
                          (struct mathlib_grid){mathlib_blocks(g->m, 256), mathlib_blocks(g->n, 4), batch, 256, 0, 0},
                          &w);
}

bool blas_by_warpgroups(struct cublasContext *h, struct blas_product p, const struct mathlib_gemm *g, int64_t batch,
                        bool *launched)
{
    struct view x, y;
    if (!possible(h, p, g, batch, &x, &y))
        return false;
    struct hopper_size size = {g->m, g->n, g->k, batch, x.lines || y.lines, h->kernels.capability == 100};
    struct hopper_choice choice = blas_hopper_numbered(size, h->algorithm - 1);
    if (!choice.form)
        choice = blas_hopper_best(size, h->kernels.multiprocessors);
    *launched = launch(h, p, g, batch, &x, &y, choice);
    return true;
}
