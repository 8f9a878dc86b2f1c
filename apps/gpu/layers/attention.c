/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Attention: of one query of each sequence, and of prompts, over a cache in pages that lie anywhere. Which kernels
 * there are, and how many splits of the keys, follows what serving systems launch: FlashAttention-3 on compute
 * capability 9.0, FlashAttention-2 elsewhere.
 */
#include "layers/layers.h"

#include "layers/flash.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 128, MOST_SPLITS = 128, CHECKED = 6 /* rows */, MOST_COPIES = 3 };

struct shape {
    uint32_t sequences, queries, context, heads, kv_heads, d, window;
};

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t parts_of(uint32_t count, uint32_t each)
{
    return (count + each - 1) / each;
}

static void check_shape(const struct shape *s)
{
    if (s->d != 64 && s->d != 128 && s->d != 192)
        layers_stop("attention has kernels for heads of 64, 128 and 192 numbers");
    if (s->heads % s->kv_heads)
        layers_stop("the heads of keys and values must divide those of queries");
}

/* ===== checks ===== */

/* Numbers of keys or values, whose order is [page][key][kv_head][number], or [key][sequence][kv_head][number] without
 * pages. */
struct view {
    const uint16_t *numbers;
    const uint32_t *pages;
};

static const uint16_t *key_of(const struct shape *s, struct view view, uint32_t sequence, uint32_t key, uint32_t head)
{
    size_t row =
        view.pages
            ? (size_t)view.pages[(size_t)sequence * parts_of(s->context, FLASH_PAGE) + key / FLASH_PAGE] * FLASH_PAGE +
                  key % FLASH_PAGE
            : (size_t)key * s->sequences + sequence;
    return view.numbers + (row * s->kv_heads + head) * s->d;
}

/* One row on the host, in double precision. */
static void expect_row(const struct shape *s, const uint16_t *q, struct view k, struct view v, uint32_t sequence,
                       uint32_t head, uint32_t end, double *out)
{
    double *weights = calloc(end + 1, sizeof *weights), sum = 0;
    uint32_t begin = s->window && end > s->window ? end - s->window : 0;
    if (!weights)
        layers_stop("there is no memory for a check of this shape");
    for (uint32_t i = begin; i < end; i++) {
        double score = 0;
        for (uint32_t j = 0; j < s->d; j++)
            score += (double)layers_float(q[j]) * layers_float(key_of(s, k, sequence, i, head)[j]);
        sum += weights[i] = exp(score / sqrt(s->d));
    }
    for (uint32_t j = 0; j < s->d; j++) {
        out[j] = 0;
        for (uint32_t i = begin; i < end; i++)
            out[j] += weights[i] / sum * layers_float(key_of(s, v, sequence, i, head)[j]);
    }
    free(weights);
}

static void check_rows(struct layers *run, const struct shape *s, const struct tensor *out, const struct tensor *q,
                       struct view k, struct view v)
{
    double expected[192];
    for (uint32_t i = 0; i < CHECKED; i++) {
        uint32_t sequence = i * 7 % s->sequences, head = i * 5 % s->heads;
        uint32_t query = i % 2 ? s->queries - 1 - i * 13 % s->queries : i * 29 % s->queries;
        size_t place = k.pages ? (size_t)sequence * s->queries + query : (size_t)query * s->sequences + sequence;
        size_t row = (place * s->heads + head) * s->d;
        expect_row(s, q->host + row, k, v, sequence, head / (s->heads / s->kv_heads),
                   s->context - s->queries + query + 1, expected);
        layers_compare(run, out, row, expected, s->d);
    }
}

/* ===== splits of keys ===== */

/* The fewest splits whose blocks fill `places` nearly as well as any number of splits does, if they divide the tiles
 * otherwise than one split less. */
static uint32_t filling_splits(uint32_t blocks, uint32_t places, uint32_t tiles)
{
    double best = 0, filled[MOST_SPLITS + 1] = {0};
    uint32_t most = smaller(smaller(MOST_SPLITS, places), tiles);
    if (blocks >= 0.8 * places)
        return 1;
    for (uint32_t i = 1; i <= most; i++) {
        double rounds = (double)blocks * i / places;
        bool other = i == 1 || parts_of(tiles, i) != parts_of(tiles, i - 1);
        filled[i] = other ? rounds / ceil(rounds) : 0;
        best = fmax(best, filled[i]);
    }
    for (uint32_t i = 1; i <= most; i++)
        if (filled[i] >= 0.85 * best)
            return i;
    return 1;
}

/* FlashAttention-3 decides how many splits may be, as if there were one sequence; a sequence has then as many as give
 * each SM its share of all tiles of keys, and a tenth more. */
static uint32_t splits_of_hopper(const struct layers *run, const struct shape *s, uint32_t row_tiles, uint32_t tiles)
{
    uint32_t sms = (uint32_t)run->sms, most = tiles <= 4 ? 1 : filling_splits(s->kv_heads * row_tiles, sms, tiles);
    double all = (double)s->sequences * row_tiles * tiles * s->kv_heads * 1.1;
    return larger(1, smaller(most, parts_of(tiles, (uint32_t)ceil(all / sms))));
}

/* FlashAttention-2 splits keys in decoding, where heads share keys; it counts two blocks for each SM. */
static uint32_t splits_elsewhere(const struct layers *run, const struct shape *s, uint32_t row_tiles, uint32_t tiles)
{
    if (s->queries > 1 || s->heads == s->kv_heads)
        return 1;
    return filling_splits(s->sequences * s->kv_heads * row_tiles, 2 * (uint32_t)run->sms, tiles);
}

/* ===== over pages ===== */

struct paged {
    struct shape shape;
    struct tensor q, out, k[MOST_COPIES], v[MOST_COPIES];
    CUdeviceptr pages, turned, parts, logs;
    uint32_t *page_numbers, copies;
    struct flash_work work;
    CUfunction attend, join, turn, clear;
    uint32_t grid[3], shared, turns;
};

static void choose_kernels(struct layers *run, struct paged *p)
{
    const struct shape *s = &p->shape;
    bool hopper = run->major == 9;
    uint32_t stages = hopper ? 2 : 1, keys = s->d == 192 ? 64 : 128, tiles = parts_of(s->context, keys);
    uint32_t packed = hopper || (s->queries == 1 && !s->window) ? s->heads / s->kv_heads : 1;
    uint32_t row_tiles = parts_of(s->queries * packed, FLASH_ROWS);
    uint32_t splits = hopper ? splits_of_hopper(run, s, row_tiles, tiles) : splits_elsewhere(run, s, row_tiles, tiles);
    char name[64];
    snprintf(name, sizeof name, "flash_%u%s", s->d, hopper ? "_stay" : "");
    p->shared = (FLASH_ROWS + 2 * stages * keys) * s->d * 2;
    if (hopper) /* a block has an SM to itself */
        p->shared = larger(p->shared, 120 << 10);
    p->attend = layers_kernel(run, name, p->shared);
    p->join = layers_kernel(run, "flash_join", 0);
    p->turn = layers_kernel(run, "flash_turn", 0);
    p->clear = layers_kernel(run, "flash_clear", 0);
    p->turns = hopper || s->queries > 1 || packed == 1 ? 0 : s->kv_heads > 1 && s->sequences > 1 ? 3 : 1;
    p->grid[0] = hopper ? (uint32_t)run->sms : row_tiles * (s->heads / packed);
    p->grid[1] = hopper ? 1 : splits;
    p->grid[2] = hopper ? 1 : s->sequences;
    uint32_t shift = 0;
    while (1u << shift < packed)
        shift++;
    p->work = (struct flash_work){.factor = (uint32_t)(((1ull << (31 + shift)) + packed - 1) / packed),
                                  .shift = shift ? shift - 1 : 0,
                                  .sequences = s->sequences,
                                  .queries = s->queries,
                                  .context = s->context,
                                  .heads = s->heads,
                                  .kv_heads = s->kv_heads,
                                  .packed = packed,
                                  .splits = splits,
                                  .window = s->window,
                                  .pages_each = parts_of(s->context, FLASH_PAGE),
                                  .scale = (float)(1.4426950408889634 / sqrt(s->d))};
}

/* What blocks that stay find their tiles by. */
static void schedule(struct paged *p)
{
    uint32_t sequences = p->shape.sequences, *lists = calloc(sequences * 3 + 1, sizeof *lists);
    size_t bytes = (sequences * 3 + 1) * sizeof *lists;
    if (!lists)
        layers_stop("there is no memory for so many sequences");
    for (uint32_t i = 0; i < sequences; i++) {
        lists[i] = p->shape.queries * p->work.packed;
        lists[sequences + i] = p->work.splits;
        lists[2 * sequences + i] = p->shape.context;
    }
    p->work.rows_of = layers_memory(bytes);
    p->work.splits_of = p->work.rows_of + sequences * sizeof *lists;
    p->work.keys_of = p->work.splits_of + sequences * sizeof *lists;
    p->work.counter = p->work.keys_of + sequences * sizeof *lists;
    layers_need(cuMemcpyHtoD(p->work.rows_of, lists, bytes), "cuMemcpyHtoD");
    free(lists);
}

static void allocate(struct layers *run, struct paged *p)
{
    const struct shape *s = &p->shape;
    uint32_t pages = s->sequences * p->work.pages_each, splits = p->work.splits;
    size_t rows = (size_t)s->sequences * s->queries * s->heads, cache = (size_t)pages * FLASH_PAGE * s->kv_heads * s->d;
    p->copies = run->warm ? 1 : smaller(run->calls, MOST_COPIES);
    p->q = layers_tensor(run, rows * s->d);
    p->out = layers_tensor(run, rows * s->d);
    for (uint32_t i = 0; i < p->copies; i++) {
        p->k[i] = layers_tensor(run, cache);
        p->v[i] = layers_tensor(run, cache);
    }
    p->page_numbers = calloc(pages, sizeof *p->page_numbers);
    if (!p->page_numbers)
        layers_stop("there is no memory for so many pages");
    p->pages = layers_indices(pages, pages, p->page_numbers);
    p->turned = layers_memory(p->turns ? rows * s->d * 2 : 0);
    p->parts = layers_memory(splits > 1 ? rows * splits * s->d * 4 : 0);
    p->logs = layers_memory(splits > 1 ? rows * splits * 4 : 0);
    p->work.out = p->out.device;
    p->work.q = p->q.device;
    p->work.parts = p->parts;
    p->work.logs = p->logs;
    p->work.pages = p->pages;
    if (run->major == 9)
        schedule(p);
}

/* FlashAttention-2 takes the heads of a query that share keys for queries of its own: the framework copies results to
 * where they belong; with several groups of heads and several sequences, queries and logarithms of sums, too. */
static void turn_heads(struct layers *run, const struct paged *p)
{
    const struct shape *s = &p->shape;
    uint32_t count = s->sequences * s->heads * s->d, shared = s->heads / s->kv_heads, groups = s->kv_heads, d = s->d;
    CUdeviceptr to = p->turned, from = p->q.device;
    layers_launch(run, p->turn, (const uint32_t[3]){parts_of(count, THREADS * 4), 1, 1}, THREADS, 0,
                  (void *[]){&to, &from, &count, &groups, &shared, &d});
}

/* A counter of tiles of FlashAttention-3, which the framework clears where no kernel that joins splits does. */
static void clear_counter(struct layers *run, CUfunction clear, CUdeviceptr counter)
{
    layers_launch(run, clear, (const uint32_t[3]){1, 1, 1}, THREADS, 0, (void *[]){&counter});
}

static void launch_paged(struct layers *run, struct paged *p)
{
    uint32_t rows = p->shape.sequences * p->shape.queries * p->shape.heads;
    layers_begin(run);
    for (uint32_t i = 0; i < run->calls; i++) {
        p->work.k = p->k[i % p->copies].device;
        p->work.v = p->v[i % p->copies].device;
        if (p->turns > 1)
            turn_heads(run, p);
        layers_launch(run, p->attend, p->grid, THREADS, p->shared, (void *[]){&p->work});
        if (p->work.splits > 1)
            layers_launch(
                run, p->join, (const uint32_t[3]){parts_of(rows, THREADS / 32), 1, 1}, THREADS, 0,
                (void *[]){&p->out.device, &p->parts, &p->logs, &rows, &p->work.splits, &p->shape.d, &p->work.counter});
        else if (run->major == 9)
            clear_counter(run, p->clear, p->work.counter);
        for (uint32_t j = p->turns > 1; j < p->turns; j++)
            turn_heads(run, p);
    }
    layers_end(run);
}

static void attend_pages(struct layers *run, const struct shape *shape)
{
    struct paged p = {.shape = *shape};
    layers_load(run, "flash");
    choose_kernels(run, &p);
    allocate(run, &p);
    launch_paged(run, &p);
    uint32_t last = (run->calls - 1) % p.copies;
    if (run->checks)
        check_rows(run, shape, &p.out, &p.q, (struct view){p.k[last].host, p.page_numbers},
                   (struct view){p.v[last].host, p.page_numbers});
    free(p.page_numbers);
}

void layers_decode(struct layers *run, const uint32_t *n)
{
    const struct shape shape = {n[0], 1, n[1], n[2], n[3], n[4], run->window};
    check_shape(&shape);
    attend_pages(run, &shape);
}

/* ===== long prompts on Hopper ===== */

/* Of compute capability 9.0: the kernel of our workload `attention` (apps/gpu/attention), in half precision. Its heads
 * are those that share keys and values, and its sequences stand for the groups of them. Tokens are in the order
 * [token][sequence][head]. */
static CUtensorMap map_of(CUdeviceptr address, uint32_t d, uint32_t shared, uint32_t tokens, uint32_t groups,
                          bool of_keys, uint32_t rows)
{
    CUtensorMap map;
    unsigned long head = d * 2, all = groups * (of_keys ? head : head * shared);
    const unsigned long dimensions[4] = {d, shared, tokens, groups};
    const unsigned long strides[3] = {of_keys ? 0 : head, all, of_keys ? head : head * shared};
    const unsigned int box[4] = {64, 1, rows, 1}, ones[4] = {1, 1, 1, 1};
    layers_need(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 4, (void *)(uintptr_t)address, dimensions,
                                       strides, box, ones, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                       CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
                "cuTensorMapEncodeTiled");
    return map;
}
/* Bits of bfloat16 become those of half precision, where a check is to compare. */
static void halve(struct tensor *tensor)
{
    for (size_t i = 0; tensor->host && i < tensor->count; i++) {
        uint16_t bits = tensor->host[i];
        int exponent = (bits >> 7 & 255) - 127;
        tensor->host[i] = exponent < -14 ? 0 : (uint16_t)((bits & 0x8000) | (exponent + 15) << 10 | (bits & 127) << 3);
    }
    if (tensor->host)
        layers_need(cuMemcpyHtoD(tensor->device, tensor->host, tensor->count * 2), "cuMemcpyHtoD");
    for (size_t i = 0; tensor->host && i < tensor->count; i++) {
        uint16_t bits = tensor->host[i];
        int exponent = (bits >> 10 & 31) - 15;
        tensor->host[i] = bits & 0x7fff ? (uint16_t)((bits & 0x8000) | (exponent + 127) << 7 | (bits >> 3 & 127)) : 0;
    }
}

/* The result, which is of half precision, becomes bfloat16. */
static void widen(const struct layers *run, struct tensor *out)
{
    if (!run->checks)
        return;
    layers_need(cuMemcpyDtoH(out->host, out->device, out->count * 2), "cuMemcpyDtoH");
    for (size_t i = 0; i < out->count; i++) {
        uint16_t bits = out->host[i];
        float value = (float)ldexp(bits >> 10 & 31 ? (bits & 1023) + 1024 : bits & 1023,
                                   (bits >> 10 & 31 ? bits >> 10 & 31 : 1) - 25);
        out->host[i] = layers_bfloat(bits & 0x8000 ? -value : value);
    }
    layers_need(cuMemcpyHtoD(out->device, out->host, out->count * 2), "cuMemcpyHtoD");
}

static void launch_cluster(struct layers *run, CUfunction function, uint32_t blocks, uint32_t threads, uint32_t shared,
                           void **arguments)
{
    CUlaunchAttribute cluster = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value.clusterDim = {1, 1, 1}};
    const CUlaunchConfig launch = {blocks, 1, 1, threads, 1, 1, shared, run->stream, &cluster, 1};
    layers_need(cuLaunchKernelEx(&launch, function, arguments, NULL), "cuLaunchKernelEx");
}

static void prefill_hopper(struct layers *run, const struct shape *s)
{
    enum { STAGES = 2, TILE = 128, HELD = 32 << 20 };
    uint32_t tokens = s->queries, d = s->d, shared = s->heads / s->kv_heads, pairs = s->kv_heads * s->sequences;
    uint32_t all = s->heads * s->sequences, groups = d == 64 ? 3 : 2, rows = 64 * groups;
    uint32_t section = HELD / (tokens * d * 4) + 1, tiles = parts_of(tokens, rows) * all;
    uint32_t memory = (rows + 2 * STAGES * TILE) * d * 2;
    float scale = (float)(1.4426950408889634 / sqrt(d));
    struct tensor q = layers_tensor(run, (size_t)tokens * all * d), out = layers_tensor(run, q.count);
    struct tensor k = layers_tensor(run, (size_t)tokens * pairs * d), v = layers_tensor(run, k.count);
    CUdeviceptr logs = layers_memory((size_t)all * tokens * 4), counter = layers_memory(4);
    halve(&q);
    halve(&k);
    halve(&v);
    layers_load(run, "flash");
    CUfunction clear = layers_kernel(run, "flash_clear", 0);
    layers_load(run, "attention");
    CUfunction function = layers_kernel(run, d == 64 ? "attention_64_causal" : "attention_128_causal", memory);
    CUtensorMap of_q = map_of(q.device, d, shared, tokens, pairs, false, 64);
    CUtensorMap of_k = map_of(k.device, d, shared, tokens, pairs, true, TILE);
    CUtensorMap of_v = map_of(v.device, d, shared, tokens, pairs, true, TILE);
    CUtensorMap of_o = map_of(out.device, d, shared, tokens, pairs, false, 64);
    layers_begin(run);
    for (uint32_t i = 0; i < run->calls; i++) {
        launch_cluster(run, function, smaller(tiles, (uint32_t)run->sms), 128 * (groups + 1), memory,
                       (void *[]){&of_q, &of_k, &of_v, &of_o, &logs, &tokens, &shared, &all, &section, &scale});
        clear_counter(run, clear, counter);
    }
    layers_end(run);
    widen(run, &out);
    if (run->checks)
        check_rows(run, s, &out, &q, (struct view){k.host, NULL}, (struct view){v.host, NULL});
}

void layers_prefill(struct layers *run, const uint32_t *n)
{
    enum { LONG = 256 /* tokens; shorter prompts waste rows of tiles that hold one head */ };
    const struct shape shape = {n[0], n[1], n[1], n[2], n[3], n[4], run->window};
    check_shape(&shape);
    if (run->major == 9 && shape.queries >= LONG && shape.d <= 128 && !shape.window)
        prefill_hopper(run, &shape);
    else
        attend_pages(run, &shape);
}
