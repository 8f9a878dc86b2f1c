/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A layer of experts on one GPU of `ranks` that share the experts: a token goes to some of them, and the GPU computes
 * what its own say. The routing is not there: it is made here, evenly or by a power law.
 */
#include "layers/layers.h"

#include "layers/experts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TOKENS, HIDDEN, WIDTH, SHARE, EXPERTS, RANKS, SKEW, MATRICES };
enum { MOST_EXPERTS = 1024, CHECKED = 3 /* tokens */, THREADS = 1024, MOST_CALLS = 8, APART = 67, SUMMING = 128 };

static const struct tile {
    const char *name;
    uint32_t most_tokens, rows, columns, threads, shared;
} tiles[] = {{"experts_product_16x64", 32, 16, 64, 128, (16 + 64) * 128 * 2 * 4},
             {"experts_product_32x64", 96, 32, 64, 128, (32 + 64) * 128 * 2 * 3},
             {"experts_product_64x128", 512, 64, 128, 128, (64 + 128) * 64 * 2 * 3},
             {"experts_product_128x128", UINT32_MAX, 128, 128, 256, (128 + 128) * 64 * 2 * 3}};

struct experts {
    const uint32_t *n;
    const struct tile *tile;
    uint32_t choices, local /* experts */, first_columns /* of the first product */, room /* for sorted choices */;
    int32_t *chosen; /* experts of this GPU; -1: others' */
    struct tensor x, out, first, last;
    CUdeviceptr of_choices, weights, sums, middle, results, begins, tile_experts, sorted, sorted_count;
    CUfunction count, sort, product, activation, sum;
    float weight;
};

static void *memory_of(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (!memory)
        layers_stop("there is no memory for so many tokens");
    return memory;
}

/* ===== routing ===== */

static double random_part(struct layers *run) /* from 0 to 1 */
{
    run->seed = run->seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(run->seed >> 11) / 9007199254740992.0;
}

static int descending(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? 1 : *x > *y ? -1 : 0;
}

/* Choices of each expert by a power law, each at most once for a token; the GPU with the most is this one, the first.
 * */
static void power_law(struct layers *run, const struct experts *e, uint32_t *counts)
{
    uint32_t experts = e->n[EXPERTS], tokens = e->n[TOKENS], each = experts / e->n[RANKS], best = 0, left = e->choices;
    double exponent = 1 - e->n[SKEW] / 100.0, shares[MOST_EXPERTS], sum = 0;
    double low = e->choices > experts ? 1 : 0.01, high = e->choices > experts ? tokens * 0.8 : 2, most = -1;
    for (uint32_t i = 0; i < experts; i++) {
        double from = pow(low, exponent), to = pow(fmax(high, low * 1.01), exponent);
        sum += shares[i] = pow((to - from) * random_part(run) + from, 1 / exponent);
    }
    for (uint32_t i = 0; i < experts; i++) {
        uint32_t wanted = (uint32_t)lround(shares[i] / sum * e->choices);
        counts[i] = wanted < tokens ? wanted : tokens;
        counts[i] = counts[i] < left ? counts[i] : left;
        left -= counts[i];
    }
    for (uint64_t i = 0, first = (uint64_t)(random_part(run) * experts); left; i++) { /* what rounding has left */
        uint32_t expert = (uint32_t)((first + i * APART + i / experts) % experts), room = counts[expert] < tokens;
        counts[expert] += room;
        left -= room;
    }
    for (uint32_t i = 0; i < experts; i += each) {
        double of_rank = 0;
        for (uint32_t j = 0; j < each; j++)
            of_rank += counts[i + j];
        if (of_rank > most) {
            most = of_rank;
            best = i;
        }
    }
    for (uint32_t j = 0; best && j < each; j++) {
        uint32_t other = counts[j];
        counts[j] = counts[best + j];
        counts[best + j] = other;
    }
}

/* The experts with the most choices first: of a token, choices lie as many experts' lists apart as there are tokens. */
static void assign(const struct experts *e, const uint32_t *counts, int32_t *chosen)
{
    uint64_t order[MOST_EXPERTS];
    uint32_t at = 0, tokens = e->n[TOKENS], share = e->n[SHARE];
    for (uint32_t i = 0; i < e->n[EXPERTS]; i++)
        order[i] = (uint64_t)counts[i] << 32 | i;
    qsort(order, e->n[EXPERTS], sizeof *order, descending);
    for (uint32_t i = 0; i < e->n[EXPERTS]; i++)
        for (uint32_t j = 0; j < order[i] >> 32; j++, at++)
            chosen[at % tokens * share + at / tokens] = (int32_t)(order[i] & UINT32_MAX);
}

static void balance(const struct experts *e, int32_t *chosen)
{
    uint32_t tokens = e->n[TOKENS], share = e->n[SHARE], experts = e->n[EXPERTS];
    uint32_t stride = (experts + share - 1) / share;
    for (uint32_t t = 0; t < tokens; t++)
        for (uint32_t i = 0; i < share; i++) {
            uint64_t first = tokens >= stride ? t : (uint64_t)t * stride / tokens;
            chosen[t * share + i] = (int32_t)((first + i * stride) % experts);
        }
}

/* Each call has a routing of its own, if they are drawn. */
static void route(struct layers *run, struct experts *e)
{
    uint32_t counts[MOST_EXPERTS];
    e->chosen = memory_of((size_t)e->choices * run->calls, sizeof *e->chosen);
    for (uint32_t call = 0; call < run->calls; call++) {
        int32_t *chosen = e->chosen + (size_t)call * e->choices;
        if (e->n[SKEW] == 1) {
            balance(e, chosen);
        } else {
            power_law(run, e, counts);
            assign(e, counts, chosen);
        }
        for (uint32_t i = 0; i < e->choices; i++)
            chosen[i] = (uint32_t)chosen[i] < e->local ? chosen[i] : -1;
    }
    size_t bytes = (size_t)e->choices * run->calls * sizeof *e->chosen;
    e->of_choices = layers_memory(bytes);
    layers_need(cuMemcpyHtoD(e->of_choices, e->chosen, bytes), "cuMemcpyHtoD");
}

/* ===== checks ===== */

static double rounded(double x)
{
    return layers_float(layers_bfloat((float)x));
}

static double dot(const uint16_t *row, const double *x, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += layers_float(row[i]) * x[i];
    return sum;
}

/* Adds what an expert says about `x`. */
static void expect_expert(const struct experts *e, uint32_t expert, const double *x, double *middle, double *row)
{
    uint32_t hidden = e->n[HIDDEN], width = e->n[WIDTH];
    const uint16_t *first = e->first.host + (size_t)expert * e->first_columns * hidden;
    const uint16_t *last = e->last.host + (size_t)expert * hidden * width;
    for (uint32_t i = 0; i < width; i++) {
        double h = rounded(dot(first + (size_t)i * hidden, x, hidden));
        double up = e->n[MATRICES] == 3 ? rounded(dot(first + (size_t)(width + i) * hidden, x, hidden)) : 0;
        middle[i] = rounded(e->n[MATRICES] == 3 ? h / (1 + exp(-h)) * up : pow(fmax(h, 0), 2));
    }
    for (uint32_t i = 0; i < hidden; i++)
        row[i] += rounded(dot(last + (size_t)i * width, middle, width) * e->weight);
}

static void check_tokens(struct layers *run, const struct experts *e)
{
    uint32_t hidden = e->n[HIDDEN], share = e->n[SHARE];
    double *x = memory_of(hidden, sizeof *x), *row = memory_of(hidden, sizeof *row);
    double *middle = memory_of(e->n[WIDTH], sizeof *middle);
    const int32_t *chosen = e->chosen + (size_t)(run->calls - 1) * e->choices;
    for (uint32_t i = 0; i < CHECKED; i++) {
        uint32_t token = i * 29 % e->n[TOKENS];
        for (uint32_t j = 0; j < hidden; j++) {
            x[j] = layers_float(e->x.host[(size_t)token * hidden + j]);
            row[j] = 0;
        }
        for (uint32_t j = 0; j < share; j++)
            if (chosen[token * share + j] >= 0)
                expect_expert(e, (uint32_t)chosen[token * share + j], x, middle, row);
        layers_compare(run, &e->out, (size_t)token * hidden, row, hidden);
    }
    free(x);
    free(row);
    free(middle);
}

/* ===== the layer ===== */

static void prepare(struct layers *run, struct experts *e)
{
    const uint32_t *n = e->n;
    size_t filled = (size_t)e->choices + (size_t)n[EXPERTS] * (e->tile->rows - 1),
           few = (size_t)e->choices * e->tile->rows;
    e->room = (uint32_t)((few < filled ? few : filled) + e->tile->rows - 1) / e->tile->rows * e->tile->rows;
    e->x = layers_tensor(run, (size_t)n[TOKENS] * n[HIDDEN]);
    e->out = layers_tensor(run, e->x.count);
    e->first = layers_tensor(run, (size_t)e->local * e->first_columns * n[HIDDEN]);
    e->last = layers_tensor(run, (size_t)e->local * n[HIDDEN] * n[WIDTH]);
    e->sums = layers_memory((size_t)e->choices * e->first_columns * 2);
    e->middle = layers_memory((size_t)e->choices * n[WIDTH] * 2);
    e->results = layers_memory((size_t)e->choices * n[HIDDEN] * 2);
    e->begins = layers_memory(MOST_EXPERTS * 4);
    e->sorted = layers_memory((size_t)e->room * 4);
    e->tile_experts = layers_memory((size_t)e->room * 4);
    e->sorted_count = layers_memory(4);
    e->weights = layers_memory((size_t)e->choices * 4);
    float *weights = memory_of(e->choices, sizeof *weights);
    e->weight = (float)(10 / (n[HIDDEN] * sqrt(n[WIDTH])));
    for (uint32_t i = 0; i < e->choices; i++)
        weights[i] = e->weight;
    layers_need(cuMemcpyHtoD(e->weights, weights, (size_t)e->choices * 4), "cuMemcpyHtoD");
    free(weights);
    e->activation = n[MATRICES] == 3 ? layers_kernel(run, "layer_activation", 0) : NULL;
    layers_load(run, "experts");
    e->activation = e->activation ? e->activation : layers_kernel(run, "experts_square", 0);
    e->count = layers_kernel(run, "experts_count", 0);
    e->sort = layers_kernel(run, "experts_sort", 0);
    e->product = layers_kernel(run, e->tile->name, e->tile->shared);
    e->sum = layers_kernel(run, "experts_sum", 0);
}

static void multiply(struct layers *run, const struct experts *e, struct experts_product product)
{
    uint32_t across = (product.columns + e->tile->columns - 1) / e->tile->columns;
    product.sorted = e->sorted;
    product.experts = e->tile_experts;
    product.sorted_count = e->sorted_count;
    product.choices = e->choices;
    layers_launch(run, e->product, (const uint32_t[3]){e->room / e->tile->rows * across, 1, 1}, e->tile->threads,
                  e->tile->shared, (void *[]){&product});
}

static uint32_t threads_for(uint32_t count)
{
    return count < THREADS ? (count + 31) / 32 * 32 : THREADS;
}

static void call(struct layers *run, struct experts *e, CUdeviceptr chosen)
{
    const uint32_t *n = e->n;
    uint32_t rows = e->tile->rows, local = e->local, share = n[SHARE], hidden = n[HIDDEN], width = n[WIDTH];
    layers_launch(run, e->count, (const uint32_t[3]){2, 1, 1}, THREADS, 0,
                  (void *[]){&chosen, &e->begins, &e->tile_experts, &e->sorted, &e->sorted_count, &e->choices, &local,
                             &rows, &e->room});
    layers_launch(run, e->sort, (const uint32_t[3]){(e->choices + 255) / 256, 1, 1}, 256, 0,
                  (void *[]){&chosen, &e->begins, &e->sorted, &e->choices});
    multiply(run, e,
             (struct experts_product){.out = e->sums,
                                      .in = e->x.device,
                                      .matrices = e->first.device,
                                      .columns = e->first_columns,
                                      .depth = hidden,
                                      .share = share});
    layers_launch(run, e->activation, (const uint32_t[3]){e->choices, 1, 1},
                  threads_for(n[MATRICES] == 3 ? width / 8 : width), 0, (void *[]){&e->middle, &e->sums, &width});
    multiply(run, e,
             (struct experts_product){.out = e->results,
                                      .in = e->middle,
                                      .matrices = e->last.device,
                                      .weights = e->weights,
                                      .columns = hidden,
                                      .depth = width,
                                      .share = 1});
    layers_launch(run, e->sum, (const uint32_t[3]){n[TOKENS], (hidden / 8 + SUMMING - 1) / SUMMING, 1}, SUMMING, 0,
                  (void *[]){&e->out.device, &e->results, &chosen, &share, &hidden});
}

static void check_numbers(const struct layers *run, const uint32_t *n)
{
    if (n[EXPERTS] > MOST_EXPERTS || n[EXPERTS] % n[RANKS] || n[SHARE] > n[EXPERTS])
        layers_stop("there can be 1,024 experts, which the ranks share evenly and of which a token chooses some");
    if (n[HIDDEN] % 8 || n[WIDTH] % 8)
        layers_stop("rows of experts must be multiples of 8 numbers");
    if (n[MATRICES] != 2 && n[MATRICES] != 3)
        layers_stop("an expert has 2 matrices, or 3 with a gate");
    if (n[SKEW] != 1 && n[SKEW] <= 100)
        layers_stop("the skew is 1 for an even routing, or the exponent of a power law in hundredths, more than 100");
    if (run->calls > MOST_CALLS)
        layers_stop("a layer of experts is called 8 times at most");
}

void layers_experts(struct layers *run, const uint32_t *n)
{
    check_numbers(run, n);
    struct experts e = {.n = n, .tile = tiles, .choices = n[TOKENS] * n[SHARE], .local = n[EXPERTS] / n[RANKS]};
    e.first_columns = n[WIDTH] * (n[MATRICES] - 1);
    while (n[TOKENS] > e.tile->most_tokens)
        e.tile++;
    prepare(run, &e);
    route(run, &e);
    layers_begin(run);
    for (uint32_t i = 0; i < run->calls; i++)
        call(run, &e, e.of_choices + (size_t)i * e.choices * 4);
    layers_end(run, 1);
    if (run->checks)
        check_tokens(run, &e);
    free(e.chosen);
}
