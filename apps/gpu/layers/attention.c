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

enum { THREADS = 128, COMBINERS = 256, MOST_SPLITS = 128, CHECKED = 6 /* rows */, MOST_COPIES = 3 };
enum { GRAPH_SPLITS = 32, GRAPH_TOKENS = 512, MOST_DIVIDED = 992 /* sequences */ };

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

/* Numbers of keys or values, whose order is [page][key][kv_head][number]. */
struct view {
    const uint16_t *numbers;
    const uint32_t *pages;
};

static const uint16_t *key_of(const struct shape *s, struct view view, uint32_t sequence, uint32_t key, uint32_t head)
{
    uint32_t page = view.pages[(size_t)sequence * parts_of(s->context, FLASH_PAGE) + key / FLASH_PAGE];
    size_t row = (size_t)page * FLASH_PAGE + key % FLASH_PAGE;
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
        size_t row = (((size_t)sequence * s->queries + query) * s->heads + head) * s->d;
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

/* What is done with a sequence's keys on Hopper. */
struct hopper_splits {
    uint32_t most, each; /* which there may be, and which there are */
};

/*
 * FlashAttention-3 decides how many splits may be, as if there were one sequence; a sequence has then as many as give
 * each SM its share of all tiles of keys, and a tenth more. Where the framework's graph may hold all queries, it states
 * the most itself (vllm-project/vllm, vllm/v1/attention/backends/flash_attn.py: 32 splits; graphs of up to two tokens
 * for each sequence, and 512).
 */
static struct hopper_splits splits_of_hopper(const struct layers *run, const struct shape *s, uint32_t row_tiles,
                                             uint32_t rows, uint32_t keys)
{
    uint32_t sms = (uint32_t)run->sms, tiles = parts_of(s->context, keys);
    uint32_t seen = s->window ? smaller(s->context, s->window + rows) : s->context, most;
    double all = (double)s->sequences * row_tiles * tiles * s->kv_heads * 1.1;
    if (s->sequences > MOST_DIVIDED)
        most = 1;
    else if (s->sequences * s->queries <= smaller(2 * s->sequences, GRAPH_TOKENS))
        most = GRAPH_SPLITS;
    else
        most = parts_of(seen, keys) <= 4 ? 1 : filling_splits(s->kv_heads * row_tiles, sms, parts_of(seen, keys));
    return (struct hopper_splits){most, larger(1, smaller(most, parts_of(tiles, (uint32_t)ceil(all / sms))))};
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
    uint32_t grid[3], threads, shared, splits /* of each sequence */;
    bool turned_results, turned_others; /* copies of the framework */
};

/* A number that divides by `packed` in a multiplication. */
static void set_divisor(struct flash_work *work)
{
    uint32_t shift = 0;
    while (1u << shift < work->packed)
        shift++;
    work->factor = (uint32_t)(((1ull << (31 + shift)) + work->packed - 1) / work->packed);
    work->shift = shift ? shift - 1 : 0;
}

static void choose_elsewhere(struct layers *run, struct paged *p)
{
    const struct shape *s = &p->shape;
    uint32_t keys = s->d == 192 ? 64 : 128, packed = s->queries == 1 && !s->window ? s->heads / s->kv_heads : 1;
    uint32_t row_tiles = parts_of(s->queries * packed, FLASH_ROWS);
    char name[64];
    snprintf(name, sizeof name, "flash_%u", s->d);
    p->threads = THREADS;
    p->shared = (FLASH_ROWS + 2 * keys) * s->d * 2;
    layers_load(run, "flash");
    p->attend = layers_kernel(run, name, p->shared);
    p->join = layers_kernel(run, "flash_join", 0);
    p->turn = layers_kernel(run, "flash_turn", 0);
    p->work.packed = packed;
    p->work.splits = p->splits = splits_elsewhere(run, s, row_tiles, parts_of(s->context, keys));
    p->turned_results = s->queries == 1 && packed > 1;
    p->turned_others = p->turned_results && s->kv_heads > 1 && s->sequences > 1;
    p->grid[0] = row_tiles * (s->heads / packed);
    p->grid[1] = p->splits;
    p->grid[2] = s->sequences;
}

/* Heads of 128 numbers whose rows fill half a tile have a kernel of one warpgroup that multiplies, but for windows. */
static void choose_hopper(struct layers *run, struct paged *p)
{
    const struct shape *s = &p->shape;
    uint32_t packed = s->heads / s->kv_heads, keys = s->d == 192 ? 96 : 128, stages = 2;
    bool few = s->d == 128 && !s->window && s->queries * packed <= 64;
    uint32_t rows = few ? 64 : 128, row_tiles = parts_of(s->queries * packed, rows);
    struct hopper_splits splits = splits_of_hopper(run, s, row_tiles, rows, keys);
    char name[64];
    snprintf(name, sizeof name, "flash_%u_%s", s->d, few ? "few" : "stay");
    p->threads = rows * 2 + 128;
    p->shared = larger((rows + 2 * stages * keys) * s->d * 2, 120 << 10); /* a block has an SM to itself */
    layers_load(run, "flash_hopper");
    p->attend = layers_kernel(run, name, p->shared);
    layers_load(run, "flash_combine");
    snprintf(name, sizeof name, "flash_combine_%s", s->d == 64 ? "narrow" : splits.most > 32 ? "128" : "32");
    p->join = layers_kernel(run, name, 0);
    layers_load(run, "flash");
    p->clear = layers_kernel(run, "flash_clear", 0);
    p->work.packed = packed;
    p->work.splits = splits.most;
    p->splits = splits.each;
    p->grid[0] = (uint32_t)run->sms;
    p->grid[1] = p->grid[2] = 1;
}

static void choose_kernels(struct layers *run, struct paged *p)
{
    const struct shape *s = &p->shape;
    p->work = (struct flash_work){.sequences = s->sequences,
                                  .queries = s->queries,
                                  .context = s->context,
                                  .heads = s->heads,
                                  .kv_heads = s->kv_heads,
                                  .window = s->window,
                                  .pages_each = parts_of(s->context, FLASH_PAGE),
                                  .scale = (float)(1.4426950408889634 / sqrt(s->d))};
    if (run->major == 9)
        choose_hopper(run, p);
    else
        choose_elsewhere(run, p);
    set_divisor(&p->work);
}

/* Heads of keys that FlashAttention-3 takes to be in the L2 together: up to 16, whose keys have 32 MiB, divided by the
 * heads of queries that share them. */
static uint32_t heads_together(const struct shape *s)
{
    uint32_t keys = s->d == 192 ? 96 : 128, shared = s->heads / s->kv_heads, parts = 1, heads = 16;
    while (parts < shared && parts < 16)
        parts *= 2;
    uint32_t most = (32u << 20) / parts / (keys * s->d * 4);
    while (heads > 1 && parts_of(s->context, keys) * heads > most)
        heads /= 2;
    return smaller(heads, s->kv_heads);
}

/* What blocks that stay find their tiles by. */
static void schedule(struct paged *p)
{
    enum { LISTS = 5 };
    uint32_t sequences = p->shape.sequences, *lists = calloc(sequences * LISTS + 2, sizeof *lists);
    size_t bytes = (sequences * LISTS + 2) * sizeof *lists, each = sequences * sizeof *lists;
    if (!lists)
        layers_stop("there is no memory for so many sequences");
    for (uint32_t i = 0; i < sequences; i++) {
        lists[i] = p->shape.queries * p->work.packed;
        lists[sequences + i] = p->splits;
        lists[2 * sequences + i] = p->shape.context;
        lists[3 * sequences + i] = heads_together(&p->shape);
    }
    for (uint32_t i = 0; i <= sequences; i++)
        lists[4 * sequences + i] = i * p->shape.queries;
    p->work.rows_of = layers_memory(bytes);
    p->work.splits_of = p->work.rows_of + each;
    p->work.keys_of = p->work.splits_of + each;
    p->work.together = p->work.keys_of + each;
    p->work.starts = p->work.together + each;
    p->work.counter = p->work.starts + each + sizeof *lists;
    layers_need(cuMemcpyHtoD(p->work.rows_of, lists, bytes), "cuMemcpyHtoD");
    free(lists);
}

static void allocate(struct layers *run, struct paged *p)
{
    const struct shape *s = &p->shape;
    uint32_t pages = s->sequences * p->work.pages_each, splits = p->splits;
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
    p->turned = layers_memory(p->turned_results ? rows * s->d * 2 : 0);
    p->parts = layers_memory(splits > 1 ? rows * splits * s->d * 4 : 0);
    p->logs = layers_memory(splits > 1 || run->major == 9 ? rows * splits * 4 : 0);
    p->work.out = p->out.device;
    p->work.q = p->q.device;
    p->work.parts = p->parts;
    p->work.logs = p->logs;
    p->work.pages = p->pages;
    if (run->major == 9)
        schedule(p);
}

/*
 * FlashAttention-2 takes the heads of a query that share keys for queries of its own, and the framework copies results
 * to where they belong. With several groups of heads and several sequences it also copies queries before, and the
 * logarithms of the sums behind that (vllm-project/flash-attention, csrc/flash_attn/flash_api.cpp, mha_varlen_fwd:
 * `q`, `out_` and `softmax_lse` transposed; with one group or one sequence the transposed tensor is a view). `words`:
 * pairs of bytes for each head of a query.
 */
static void turn_heads(struct layers *run, const struct paged *p, uint32_t words)
{
    const struct shape *s = &p->shape;
    uint32_t count = s->sequences * s->heads * words, shared = s->heads / s->kv_heads, groups = s->kv_heads;
    CUdeviceptr to = p->turned, from = p->q.device;
    layers_launch(run, p->turn, (const uint32_t[3]){parts_of(count, THREADS * 4), 1, 1}, THREADS, 0,
                  (void *[]){&to, &from, &count, &groups, &shared, &words});
}

/* A counter of tiles of FlashAttention-3, which the framework clears where no kernel that joins splits does. */
static void clear_counter(struct layers *run, CUfunction clear, CUdeviceptr counter)
{
    layers_launch(run, clear, (const uint32_t[3]){1, 1, 1}, THREADS, 0, (void *[]){&counter});
}

/* The kernel that joins splits on Hopper. Where rows of a sequence fill few of its blocks, blocks are numbered over all
 * sequences. */
static void combine(struct layers *run, struct paged *p)
{
    const struct shape *s = &p->shape;
    uint32_t rows = s->d == 64 ? 16 : 8, columns = s->d == 64 ? 64 : 128, queries = s->sequences * s->queries, d = s->d;
    uint32_t grid[3] = {parts_of(s->queries * s->heads, rows), parts_of(d, columns), s->sequences};
    p->work.in_line = 2 * parts_of(queries, rows) < s->sequences * parts_of(s->queries, rows);
    if (p->work.in_line) {
        grid[0] = parts_of(queries * s->heads, rows) + s->sequences;
        grid[2] = 1;
    }
    layers_launch_early(run, p->join, grid, COMBINERS, (void *[]){&p->work, &d});
}

/* What follows attention, but for the framework's copies. */
static void join_splits(struct layers *run, struct paged *p)
{
    uint32_t rows = p->shape.sequences * p->shape.queries * p->shape.heads;
    if (run->major == 9 && p->work.splits > 1)
        combine(run, p);
    else if (run->major == 9)
        clear_counter(run, p->clear, p->work.counter);
    else if (p->work.splits > 1)
        layers_launch(
            run, p->join, (const uint32_t[3]){parts_of(rows, THREADS / 32), 1, 1}, THREADS, 0,
            (void *[]){&p->out.device, &p->parts, &p->logs, &rows, &p->work.splits, &p->shape.d, &p->work.counter});
}

static void launch_paged(struct layers *run, struct paged *p)
{
    enum { LOGARITHM = 2 /* pairs of bytes */ };
    layers_begin(run);
    for (uint32_t i = 0; i < (run->warm ? 1 : run->calls); i++) {
        p->work.k = p->k[i % p->copies].device;
        p->work.v = p->v[i % p->copies].device;
        if (p->turned_others)
            turn_heads(run, p, p->shape.d);
        layers_launch(run, p->attend, p->grid, p->threads, p->shared, (void *[]){&p->work});
        join_splits(run, p);
        if (p->turned_results)
            turn_heads(run, p, p->shape.d);
        if (p->turned_others)
            turn_heads(run, p, LOGARITHM);
    }
    layers_end(run, run->warm ? run->calls : 1);
}

static void attend_pages(struct layers *run, const struct shape *shape)
{
    struct paged p = {.shape = *shape};
    choose_kernels(run, &p);
    allocate(run, &p);
    launch_paged(run, &p);
    uint32_t last = (run->calls - 1) % p.copies; /* the only one, if warm */
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

void layers_prefill(struct layers *run, const uint32_t *n)
{
    const struct shape shape = {n[0], n[1], n[1], n[2], n[3], n[4], run->window};
    check_shape(&shape);
    attend_pages(run, &shape);
}
