/* SPDX-License-Identifier: BSD-3-Clause */
/* Choice and launch of the kernels of a convolution. */
#include "mathlib/dnn/handle.h"

#include <limits.h>
#include <stdio.h>

enum {
    TILE = 64,       /* rows and columns of a CTA's tile */
    SHORTEST = 256,  /* least numbers of the inner dimension that are worth a part of their own */
    MOST_PARTS = 64, /* largest number of parts of the inner dimension */
    MOST_Z = 65535,  /* CTAs of a grid along z */
    UNIT = 32,       /* a part of the inner dimension is a multiple of it */
    EIGHT = 8,       /* halves in 16 bytes */
    FEW_ROWS = 4     /* rows of which tiles would hardly have any */
};

struct form {
    bool single, mma, wide;
};

static bool is_wide(const struct dnn_view *view, int channel)
{
    bool all = view->step[channel] == 1 && (uintptr_t)view->data % 16 == 0;
    for (int i = 0; i < 2 + DNN_SPACE; i++)
        all = all && (i == channel || view->step[i] % EIGHT == 0);
    return all;
}

/* Numbers that are neighbours in memory are read by threads that are neighbours. */
static void order(struct dnn_convolution *c, struct form *form)
{
    bool last = (c->kind == DNN_DATA ? c->y : c->x).step[1] == 1;
    c->channels_last = last;
    c->tall_b = c->kind == DNN_FILTER ? last : !last;
    c->tall_a = c->kind == DNN_FILTER ? c->y.step[1] == 1 : c->kind == DNN_DATA && c->w.step[1] == 1;
    if (c->kind == DNN_FORWARD)
        form->wide = form->mma && c->inputs % EIGHT == 0 && is_wide(&c->x, 1) && is_wide(&c->w, 1);
    else
        form->wide = form->mma && c->kind == DNN_DATA && c->outputs % EIGHT == 0 && is_wide(&c->y, 1);
}

static struct form form_of(const struct mathlib_kernels *kernels, struct dnn_convolution *c)
{
    int type = c->kind == DNN_DATA ? c->y.type : c->x.type;
    struct form form = {.single = c->rows <= FEW_ROWS && c->groups > 1};
    form.mma = !form.single && kernels->capability >= 80 && (type == MATHLIB_F16 || type == MATHLIB_BF16);
    order(c, &form);
    return form;
}

/* Shares the inner dimension where there are too few CTAs for the multiprocessors. */
static void divide(const struct mathlib_kernels *kernels, struct dnn_convolution *c, long long tiles)
{
    long long parts = tiles < kernels->multiprocessors ? 2LL * kernels->multiprocessors / tiles : 1;
    parts = parts > c->depth / SHORTEST ? c->depth / SHORTEST : parts;
    parts = parts > MOST_PARTS ? MOST_PARTS : parts;
    parts = parts > MOST_Z / c->groups ? MOST_Z / c->groups : parts;
    parts = parts < 1 ? 1 : parts;
    c->part = (int)(mathlib_blocks(mathlib_blocks(c->depth, parts), UNIT) * UNIT);
    c->parts = (int)mathlib_blocks(c->depth, c->part);
}

static char letter_of(int type)
{
    return type == MATHLIB_F64 ? 'd' : type == MATHLIB_F16 ? 'h' : type == MATHLIB_BF16 ? 'b' : 's';
}

int dnn_convolve(cudnnHandle_t h, struct dnn_convolution *c)
{
    static const char *const kinds[] = {"forward", "data", "filter"};
    const char *kind = kinds[c->kind];
    struct mathlib_kernels *kernels = &h->kernels;
    struct form form = form_of(kernels, c);
    int type = c->kind == DNN_DATA ? c->y.type : c->x.type;
    size_t size = type == MATHLIB_F64 ? sizeof(double) : sizeof(float);
    long long results = (long long)c->rows * c->columns;
    struct mathlib_grid grid = {.x = form.single ? mathlib_blocks(results, 256) : mathlib_blocks(c->columns, TILE),
                                .y = form.single ? 1 : mathlib_blocks(c->rows, TILE),
                                .threads = form.mma ? 128 : 256};
    char name[80];
    if (c->groups > MOST_Z || grid.y > MOST_Z) {
        mathlib_refuse("cudnnConvolutionForward", "more groups or channels than a grid has blocks");
        return DNN_NOT_SUPPORTED_SHAPE;
    }
    divide(kernels, c, grid.x * grid.y * c->groups);
    grid.z = (long long)c->groups * c->parts;
    if (c->parts > 1) {
        c->sums = (void *)(uintptr_t)mathlib_workspace(kernels, (size_t)results * (size_t)grid.z * size);
        if (!c->sums)
            return DNN_ALLOC_FAILED;
    }
    snprintf(name, sizeof name, "maniple_%cconv_%s%s%s", letter_of(type), kind,
             form.wide  ? "_wide"
             : form.mma ? "_mma"
                        : "",
             form.single ? "_single" : "_64x64");
    bool done = mathlib_launch(kernels, form.mma ? "convolution_mma" : "convolution_plain", name, grid, c);
    if (done && c->parts > 1) {
        snprintf(name, sizeof name, "maniple_%cconv_%s_parts", type == MATHLIB_F64 ? 'd' : 's', kind);
        grid = (struct mathlib_grid){.x = mathlib_blocks(results, 256), .z = c->groups, .threads = 256};
        done = mathlib_launch(kernels, "convolution_plain", name, grid, c);
    }
    return done ? DNN_SUCCESS : DNN_EXECUTION_FAILED;
}

int dnn_sum_bias(cudnnHandle_t h, const struct dnn_shape *y, struct dnn_convolution *c)
{
    char name[80];
    int64_t columns = y->size[0];
    c->batch = (int)y->size[0], c->outputs = (int)y->size[1];
    for (int i = 0; i < DNN_SPACE; i++) {
        int from = i + y->count - DNN_SPACE;
        c->out[i] = from >= 2 ? (int)y->size[from] : 1;
        columns *= c->out[i];
    }
    if (columns > INT_MAX / 2)
        return DNN_NOT_SUPPORTED_SHAPE;
    c->columns = (int)columns;
    snprintf(name, sizeof name, "maniple_%cconv_bias", letter_of(c->y.type));
    return mathlib_launch(&h->kernels, "convolution_plain", name,
                          (struct mathlib_grid){.x = c->outputs, .threads = 256}, c)
               ? DNN_SUCCESS
               : DNN_EXECUTION_FAILED;
}
