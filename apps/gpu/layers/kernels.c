/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of a layer that go token by token. */
#include "layers/layers.h"

#include <math.h>
#include <stdlib.h>

enum { THREADS = 1024, VECTOR = 8, CHECKED = 4 /* tokens */, CACHE_THREADS = 512, CACHE_PAGE = 64 };

/* Threads of a block that has a row of `width` numbers, 8 for each; whole warps. */
static uint32_t threads_of(uint32_t width)
{
    uint32_t threads = (width / VECTOR + 31) / 32 * 32;
    return threads < THREADS ? threads ? threads : 32 : THREADS;
}

static void need_vectors(uint32_t width)
{
    if (width % VECTOR)
        layers_stop("a row must be a multiple of 8 numbers");
}

static double *numbers_of(size_t count)
{
    double *numbers = calloc(count + 1, sizeof *numbers);
    if (!numbers)
        layers_stop("there is no memory for a check of this shape");
    return numbers;
}

/* An operand of which each call has one of its own if operands are cold: where it is, and its numbers. */
struct own {
    CUdeviceptr *at;
    size_t count;
};

static size_t copies_of(const struct layers *run)
{
    return run->cold ? run->calls : 1;
}

static void each_call(struct layers *run, const char *name, uint32_t blocks, uint32_t threads, void **arguments,
                      const struct own own[2])
{
    CUfunction function = layers_kernel(run, name, 0);
    layers_begin(run);
    for (uint32_t i = 0; i < run->calls; i++) {
        layers_launch(run, function, (const uint32_t[3]){blocks, 1, 1}, threads, 0, arguments);
        for (size_t j = 0; own && run->cold && i + 1 < run->calls && j < 2; j++)
            if (own[j].at)
                *own[j].at += own[j].count * sizeof(uint16_t);
    }
    layers_end(run, 1);
}

/* The first and the last tokens. */
static uint32_t checked_token(uint32_t i, uint32_t tokens)
{
    return i % 2 ? tokens - 1 - i / 2 % tokens : i / 2 % tokens;
}

static void check_norm(struct layers *run, const struct tensor *out, const struct tensor *x,
                       const struct tensor *weight, uint32_t tokens, uint32_t width)
{
    double *row = run->checks ? numbers_of(width) : NULL;
    for (uint32_t i = 0; row && i < CHECKED; i++) {
        size_t at = (size_t)checked_token(i, tokens) * width;
        double sum = 0;
        for (uint32_t j = 0; j < width; j++)
            sum += pow(layers_float(x->host[at + j]), 2);
        for (uint32_t j = 0; j < width; j++)
            row[j] = layers_float(x->host[at + j]) / sqrt(sum / width + 1e-5) * layers_float(weight->host[j]);
        layers_compare(run, out, at, row, width);
    }
    free(row);
}

static void norm_by(struct layers *run, const uint32_t *n, const char *kernel, uint32_t threads)
{
    uint32_t tokens = n[0], width = n[1];
    struct tensor x = layers_tensor(run, (size_t)tokens * width), weight = layers_tensor(run, width * copies_of(run));
    struct tensor out = layers_tensor(run, (size_t)tokens * width);
    each_call(run, kernel, tokens, threads, (void *[]){&out.device, &x.device, &weight.device, &width},
              (const struct own[2]){{&weight.device, width}});
    check_norm(run, &out, &x, &weight, tokens, width);
}

static void norm(struct layers *run, const uint32_t *n)
{
    need_vectors(n[1]);
    norm_by(run, n, "layer_norm", threads_of(n[1]));
}

static uint32_t threads_single(uint32_t width)
{
    return width < THREADS ? (width + 31) / 32 * 32 : THREADS;
}

static void norm_single(struct layers *run, const uint32_t *n)
{
    norm_by(run, n, "layer_norm_single", threads_single(n[1]));
}

static void activation_by(struct layers *run, const uint32_t *n, const char *kernel, uint32_t threads)
{
    uint32_t tokens = n[0], width = n[1];
    size_t count = (size_t)tokens * width;
    struct tensor x = layers_tensor(run, count * 2 * copies_of(run)), out = layers_tensor(run, count);
    each_call(run, kernel, tokens, threads, (void *[]){&out.device, &x.device, &width},
              (const struct own[2]){{&x.device, count * 2}});
    double *row = run->checks ? numbers_of(width) : NULL;
    for (uint32_t i = 0; row && i < CHECKED; i++) {
        size_t token = checked_token(i, tokens);
        for (uint32_t j = 0; j < width; j++) {
            double gate = layers_float(x.host[token * 2 * width + j]);
            row[j] = gate / (1 + exp(-gate)) * layers_float(x.host[(token * 2 + 1) * width + j]);
        }
        layers_compare(run, &out, token * width, row, width);
    }
    free(row);
}

static void activation(struct layers *run, const uint32_t *n)
{
    need_vectors(n[1]);
    activation_by(run, n, "layer_activation", threads_of(n[1]));
}

static void activation_single(struct layers *run, const uint32_t *n)
{
    activation_by(run, n, "layer_activation_single", threads_single(n[1]));
}

static void add(struct layers *run, const uint32_t *n)
{
    uint32_t tokens = n[0], width = n[1], vectors = tokens * (width / VECTOR), threads = 256;
    need_vectors(width);
    struct tensor x = layers_tensor(run, (size_t)tokens * width), y = layers_tensor(run, (size_t)tokens * width);
    if (run->checks)
        run->calls = 1; /* every call adds */
    each_call(run, "layer_add", (vectors + threads - 1) / threads, threads, (void *[]){&x.device, &y.device, &vectors},
              NULL);
    double *row = run->checks ? numbers_of(width) : NULL;
    for (uint32_t i = 0; row && i < CHECKED; i++) {
        size_t at = (size_t)checked_token(i, tokens) * width;
        for (uint32_t j = 0; j < width; j++)
            row[j] = (double)layers_float(x.host[at + j]) + layers_float(y.host[at + j]);
        layers_compare(run, &x, at, row, width);
    }
    free(row);
}

/* Every call looks up other words, whose rows come from DRAM. Those of the first call are checked. */
static void embedding(struct layers *run, const uint32_t *n)
{
    uint32_t tokens = n[0], width = n[1], words = n[2], calls = run->checks ? 1 : run->calls;
    uint32_t *ids = calloc((size_t)tokens * calls, sizeof *ids);
    need_vectors(width);
    if (!ids)
        layers_stop("there is no memory for so many tokens");
    struct tensor table = layers_tensor(run, (size_t)words * width), out = layers_tensor(run, (size_t)tokens * width);
    CUdeviceptr indices = layers_indices(tokens * calls, words, ids);
    CUfunction function = layers_kernel(run, "layer_embedding", 0);
    layers_begin(run);
    for (uint32_t i = 0; i < calls; i++, indices += (size_t)tokens * sizeof *ids)
        layers_launch(run, function, (const uint32_t[3]){tokens, 1, 1}, threads_of(width), 0,
                      (void *[]){&out.device, &table.device, &indices, &width});
    layers_end(run, 1);
    double *row = run->checks ? numbers_of(width) : NULL;
    for (uint32_t i = 0; row && i < CHECKED; i++) {
        uint32_t token = checked_token(i, tokens);
        for (uint32_t j = 0; j < width; j++)
            row[j] = layers_float(table.host[(size_t)ids[token] * width + j]);
        layers_compare(run, &out, (size_t)token * width, row, width);
    }
    free(row);
    free(ids);
}

static void check_rotary(struct layers *run, const struct tensor *x, const struct tensor *turns,
                         const uint32_t *positions, const uint32_t *n)
{
    uint32_t tokens = n[0], heads = n[1] + n[2], half = n[3] / 2, step = (n[1] + 2 * n[2]) * n[3];
    double *row = run->checks ? numbers_of(step) : NULL;
    for (uint32_t i = 0; row && i < CHECKED; i++) {
        uint32_t token = checked_token(i, tokens);
        const uint16_t *from = x->host + (size_t)token * step, *turn = turns->host + (size_t)positions[token] * n[3];
        for (uint32_t j = 0; j < step; j++) {
            uint32_t head = j / n[3], at = j % n[3];
            double c = layers_float(turn[at % half]), s = layers_float(turn[half + at % half]);
            double self = layers_float(from[j]);
            row[j] = head >= heads ? self
                     : at < half   ? self * c - layers_float(from[j + half]) * s
                                   : self * c + layers_float(from[j - half]) * s;
        }
        layers_compare(run, x, (size_t)token * step, row, step);
    }
    free(row);
}

/* `single`: one number at a time, first queries and then keys, at positions of 64 bits. */
static void rotary_by(struct layers *run, const uint32_t *n, bool single)
{
    enum { POSITIONS = 4096 };
    uint32_t tokens = n[0], heads = n[1], kv_heads = n[2], both = heads + kv_heads, half = n[3] / 2;
    uint32_t step = (heads + 2 * kv_heads) * n[3], count = (single ? heads : both) * half;
    uint32_t *positions = calloc(tokens, sizeof *positions), threads = count < 512 ? (count + 31) / 32 * 32 : 512;
    uint64_t *wide = calloc(tokens, sizeof *wide);
    if (!positions || !wide)
        layers_stop("there is no memory for so many tokens");
    const size_t count_x = (size_t)tokens * step, count_turns = (size_t)POSITIONS * n[3], copies = copies_of(run);
    struct tensor x = layers_tensor(run, count_x * copies), turns = layers_tensor(run, count_turns * copies);
    const struct own own[2] = {{&x.device, count_x}, {&turns.device, count_turns}};
    CUdeviceptr places = layers_indices(tokens, POSITIONS, positions), wide_places = layers_memory((size_t)tokens * 8);
    for (uint32_t i = 0; i < tokens; i++)
        wide[i] = positions[i];
    layers_need(cuMemcpyHtoD(wide_places, wide, (size_t)tokens * 8), "cuMemcpyHtoD");
    if (run->checks)
        run->calls = 1; /* every call turns */
    if (single)
        each_call(run, "layer_rotary_single", tokens, threads,
                  (void *[]){&x.device, &turns.device, &wide_places, &heads, &kv_heads, &half, &step}, own);
    else
        each_call(run, "layer_rotary", tokens, threads,
                  (void *[]){&x.device, &turns.device, &places, &both, &half, &step}, own);
    check_rotary(run, &x, &turns, positions, n);
    free(positions);
    free(wide);
}

static void rotary(struct layers *run, const uint32_t *n)
{
    rotary_by(run, n, false);
}

static void rotary_single(struct layers *run, const uint32_t *n)
{
    rotary_by(run, n, true);
}

static void cache(struct layers *run, const uint32_t *n)
{
    uint32_t tokens = n[0], width = n[1] * n[2], rows = tokens * 2 > 4096 ? tokens * 2 : 4096;
    uint32_t *slots = calloc(tokens, sizeof *slots);
    int64_t *wide = calloc(tokens, sizeof *wide), of_page = (int64_t)CACHE_PAGE * width;
    int64_t of_key = width, of_head = n[2];
    uint32_t heads = n[1], d = n[2];
    int page = CACHE_PAGE;
    need_vectors(width);
    if (!slots || !wide)
        layers_stop("there is no memory for so many tokens");
    struct tensor k = layers_tensor(run, (size_t)tokens * width), v = layers_tensor(run, (size_t)tokens * width);
    struct tensor keys = layers_tensor(run, (size_t)rows * width), values = layers_tensor(run, (size_t)rows * width);
    layers_indices(tokens, rows, slots);
    for (uint32_t i = 0; i < tokens; i++)
        wide[i] = slots[i];
    CUdeviceptr places = layers_memory((size_t)tokens * 8);
    layers_need(cuMemcpyHtoD(places, wide, (size_t)tokens * 8), "cuMemcpyHtoD");
    each_call(run, "layer_cache", tokens, width < CACHE_THREADS ? (width + 31) / 32 * 32 : CACHE_THREADS,
              (void *[]){&keys.device, &values.device, &k.device, &v.device, &places, &of_page, &of_key, &of_head,
                         &heads, &d, &page},
              NULL);
    double *row = run->checks ? numbers_of(width) : NULL;
    for (uint32_t i = 0; row && i < CHECKED; i++) {
        uint32_t token = checked_token(i, tokens);
        for (uint32_t j = 0; j < width; j++)
            row[j] = layers_float(v.host[(size_t)token * width + j]);
        layers_compare(run, &values, (size_t)slots[token] * width, row, width);
    }
    free(row);
    free(slots);
    free(wide);
}

const struct layer_kernel layer_kernels[] = {
    {"norm", "TOKENS WIDTH", 2, norm},
    {"norm-single", "TOKENS WIDTH", 2, norm_single},
    {"activation", "TOKENS WIDTH", 2, activation},
    {"activation-single", "TOKENS WIDTH", 2, activation_single},
    {"add", "TOKENS WIDTH", 2, add},
    {"embedding", "TOKENS WIDTH WORDS", 3, embedding},
    {"rotary", "TOKENS HEADS KV_HEADS DIMENSION", 4, rotary},
    {"rotary-single", "TOKENS HEADS KV_HEADS DIMENSION", 4, rotary_single},
    {"cache", "TOKENS KV_HEADS DIMENSION", 3, cache},
    {"prefill", "SEQUENCES TOKENS HEADS KV_HEADS DIMENSION", 5, layers_prefill},
    {"decode", "SEQUENCES CONTEXT HEADS KV_HEADS DIMENSION", 5, layers_decode},
    {"experts", "TOKENS HIDDEN INTERMEDIATE CHOICES EXPERTS RANKS SKEW MATRICES", 8, layers_experts},
    {0},
};
