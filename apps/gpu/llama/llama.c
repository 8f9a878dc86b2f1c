/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A layer of LLaMA over a prompt, or a forward pass in the shapes of GPT-2 124M (twelve layers, 768 numbers a token,
 * twelve heads, and the words' likelihoods; without biases of projections). Each stage is checked by itself, from what
 * the device computed before it: all numbers of small stages, some of large ones, each by the sum that defines it. Of
 * GPT-2 the first layer and the last one are checked.
 */
#include "common/app.h"

#include <stdio.h>

enum { TOKENS, MODEL, HIDDEN, FEED, LAYERS, WORDS };
enum { NONE, LLAMA_7B, LLAMA_13B, GPT2 };
enum { HEAD = 128, MOST_CHECKED = 4096 };

/* As the kernels have it. */
struct product {
    CUdeviceptr a, b, c, sum, before;
    int32_t k, lda, ldb, ldc, batch_a, batch_b, batch_c;
    float scale;
    int32_t causal;
};

struct layer {
    struct app_run *run;
    uint32_t tokens, hidden, head, heads, feed, number;
    bool gpt;
    /* Of the host: weights, and angles. */
    uint16_t *norm[2], *shift[2], *weights[7];
    float *turns;
    CUdeviceptr dx, dnorm[2], dshift[2], dweights[7], dturns;
    /* What stages leave. */
    CUdeviceptr normed[2], qkv[3], scores, shares, attended, middle, gate, up, active, last;
};
enum { Q, K, V, O, GATE, UP, DOWN };

/* ===== halves ===== */

static uint32_t bits_of(float value)
{
    union {
        float value;
        uint32_t bits;
    } u = {.value = value};
    return u.bits;
}

/* A float of few bits as a half: exact. */
static uint16_t half_of(float value)
{
    uint32_t bits = bits_of(value);
    return value == 0 ? 0 : (uint16_t)((bits >> 16 & 0x8000) | ((bits >> 23 & 255) - 112) << 10 | (bits >> 13 & 0x3ff));
}

/* Exact, of all that are finite: the exponent of a float is 112 greater. */
static float float_of(uint16_t half)
{
    union {
        uint32_t bits;
        float value;
    } u = {.bits = (half & 0x7fffu) << 13};
    float value = u.value * 0x1p112f;
    return half & 0x8000 ? -value : value;
}

/* ===== functions that are the same on every host ===== */

/* exp(x), by halving and its series. */
static double exponential(double x)
{
    int halvings = 0;
    double sum = 1, term = 1;
    for (; x > 0.5 || x < -0.5; x /= 2)
        halvings++;
    for (int i = 1; i < 20; i++)
        sum += term *= x / i;
    while (halvings--)
        sum *= sum;
    return sum;
}

static double root(double x)
{
    double guess = x > 1 ? x : 1;
    for (int i = 0; i < 60; i++)
        guess = (guess + x / guess) / 2;
    return guess;
}

/* Cosines and sines of position times 10000^(-i/64), by turning once for each position. */
static void make_turns(struct layer *l)
{
    double angle = 1; /* of the first pair; the next one's is 10000^(-1/64) of it */
    for (int i = 0; i < HEAD / 2; i++, angle *= 0.86596432336006535) {
        double c = 1, s = 0, cosine = 0, sine = 0, term = 1;
        for (int n = 0; n < 24; n += 2) {
            cosine += term;
            sine += term * angle / (n + 1);
            term *= -angle * angle / ((n + 1) * (n + 2));
        }
        for (uint32_t t = 0; t < l->tokens; t++) {
            l->turns[(t * (HEAD / 2) + (uint32_t)i) * 2] = (float)c,
                                                      l->turns[(t * (HEAD / 2) + (uint32_t)i) * 2 + 1] = (float)s;
            double next = c * cosine - s * sine;
            s = s * cosine + c * sine, c = next;
        }
    }
}

/* ===== inputs ===== */

/* Multiples of a power of two that leave products of about the size of what is multiplied. */
static uint16_t *halves(struct app_run *run, size_t count, uint32_t inner)
{
    uint16_t *values = app_host(run, count, 2);
    uint32_t scale = 1;
    while ((double)scale * scale < 18.0 * 18.0 * inner)
        scale *= 2;
    for (size_t i = 0; i < count; i++)
        values[i] = half_of(((float)app_below(run, 63) - 31) / (float)scale);
    return values;
}

/* Of norms: positive weights, and shifts where there are any. */
static void draw_norm(struct layer *l, int which)
{
    struct app_run *run = l->run;
    size_t hidden = l->hidden;
    l->norm[which] = app_host(run, hidden, 2);
    for (size_t n = 0; n < hidden; n++)
        l->norm[which][n] = half_of((float)(app_below(run, 32) + 32) / 32);
    l->dnorm[which] = app_copy(run, l->norm[which], hidden * 2);
    if (!l->gpt)
        return;
    l->shift[which] = app_host(run, hidden, 2);
    for (size_t n = 0; n < hidden; n++)
        l->shift[which][n] = half_of(((float)app_below(run, 63) - 31) / 64);
    l->dshift[which] = app_copy(run, l->shift[which], hidden * 2);
}

static void draw_weights(struct layer *l)
{
    size_t hidden = l->hidden, feed = l->feed;
    const size_t counts[7] = {hidden * hidden, hidden * hidden, hidden * hidden, hidden * hidden,
                              hidden * feed,   hidden * feed,   hidden * feed};
    for (int i = 0; i < 2; i++)
        draw_norm(l, i);
    for (int i = 0; i < 7; i++) {
        if (i == GATE && l->gpt)
            continue;
        l->weights[i] = halves(l->run, counts[i], i == DOWN ? l->feed : l->hidden);
        l->dweights[i] = app_copy(l->run, l->weights[i], counts[i] * 2);
    }
}

static void make_room(struct layer *l)
{
    struct app_run *run = l->run;
    size_t rows = l->tokens, hidden = l->hidden, feed = l->feed;
    for (int i = 0; i < 2; i++)
        l->normed[i] = app_device(run, rows * hidden * 2);
    for (int i = 0; i < 3; i++)
        l->qkv[i] = app_device(run, rows * hidden * 2);
    l->scores = app_device(run, rows * rows * l->heads * 2), l->shares = app_device(run, rows * rows * l->heads * 2);
    l->attended = app_device(run, rows * hidden * 2);
    l->middle = app_device(run, rows * hidden * 4), l->last = app_device(run, rows * hidden * 4);
    l->gate = app_device(run, rows * feed * 2), l->up = app_device(run, rows * feed * 2);
    l->active = app_device(run, rows * feed * 2);
}

/* ===== the layer ===== */

static void launch_product(struct layer *l, const char *kernel, struct product p, uint32_t columns, uint32_t heads)
{
    struct app_shape shape = {.grid = {columns / 128, l->tokens / 128, heads}, .block = {128, 1, 1}};
    app_launch(l->run, kernel, shape, &p);
}

/* c = a w'; or, with `before`, sum = before + a w'. */
static void project(struct layer *l, CUdeviceptr a, int weight, uint32_t k, uint32_t n, CUdeviceptr c,
                    CUdeviceptr before)
{
    struct product p = {.a = a,
                        .b = l->dweights[weight],
                        .c = before ? 0 : c,
                        .sum = before ? c : 0,
                        .before = before,
                        .k = (int32_t)k,
                        .lda = (int32_t)k,
                        .ldb = (int32_t)k,
                        .ldc = (int32_t)n,
                        .scale = 1};
    launch_product(l, "llama_product", p, n, 1);
}

static void normalise(struct layer *l, CUdeviceptr x, int which)
{
    struct app_shape shape = {.grid = {l->tokens, 1, 1}, .block = {256, 1, 1}};
    if (l->gpt)
        app_launch(l->run, "gpt2_norm", shape, &x, &l->dnorm[which], &l->dshift[which], &l->normed[which], &l->hidden);
    else
        app_launch(l->run, "llama_norm", shape, &x, &l->dnorm[which], &l->normed[which], &l->hidden);
}

static void attend(struct layer *l)
{
    int32_t hidden = (int32_t)l->hidden, tokens = (int32_t)l->tokens, square = tokens * tokens;
    int32_t head = (int32_t)l->head;
    struct app_shape turning = {.grid = {l->tokens, 2, 1}, .block = {256, 1, 1}};
    if (!l->gpt)
        app_launch(l->run, "llama_rotate", turning, &l->qkv[Q], &l->qkv[K], &l->dturns, &l->hidden);
    struct product scores = {.a = l->qkv[Q],
                             .b = l->qkv[K],
                             .c = l->scores,
                             .k = head,
                             .lda = hidden,
                             .ldb = hidden,
                             .ldc = tokens,
                             .batch_a = head,
                             .batch_b = head,
                             .batch_c = square,
                             .scale = l->gpt ? 0.125f : 0.08838834764831845f,
                             .causal = 1};
    launch_product(l, "llama_product", scores, l->tokens, l->heads);
    struct app_shape rows = {.grid = {l->tokens, l->heads, 1}, .block = {128, 1, 1}};
    app_launch(l->run, "llama_softmax", rows, &l->scores, &l->shares, &l->tokens);
    struct product values = {.a = l->shares,
                             .b = l->qkv[V],
                             .c = l->attended,
                             .k = tokens,
                             .lda = tokens,
                             .ldb = hidden,
                             .ldc = hidden,
                             .batch_a = square,
                             .batch_b = head,
                             .batch_c = head,
                             .scale = 1,
                             .causal = 2};
    launch_product(l, l->gpt ? "gpt2_values" : "llama_values", values, HEAD, l->heads); /* a tile has a head */
}

static void feed_forward(struct layer *l)
{
    uint32_t count = l->tokens * l->feed;
    if (!l->gpt)
        project(l, l->normed[1], GATE, l->hidden, l->feed, l->gate, 0);
    project(l, l->normed[1], UP, l->hidden, l->feed, l->up, 0);
    if (l->gpt)
        app_launch(l->run, "gpt2_gelu", app_shape(count, 256), &l->up, &l->active, &count);
    else
        app_launch(l->run, "llama_swiglu", app_shape(count, 256), &l->gate, &l->up, &l->active, &count);
    project(l, l->active, DOWN, l->feed, l->hidden, l->last, l->middle);
}

static void forward(struct layer *l)
{
    normalise(l, l->dx, 0);
    for (int i = Q; i <= V; i++)
        project(l, l->normed[0], i, l->hidden, l->hidden, l->qkv[i], 0);
    attend(l);
    project(l, l->attended, O, l->hidden, l->hidden, l->middle, l->dx);
    normalise(l, l->middle, 1);
    feed_forward(l);
}

/* ===== checks ===== */

struct check {
    const struct layer *l;
    const float *x, *middle; /* what stages left, on the host */
    const uint16_t *normed[2], *qkv[3], *scores, *shares, *attended, *gate, *up, *active;
};

static double inner(const uint16_t *a, const uint16_t *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)float_of(a[i]) * float_of(b[i]);
    return sum;
}

static double norm_of(const struct check *c, int which, uint32_t row, uint32_t column)
{
    uint32_t hidden = c->l->hidden;
    const float *x = (which ? c->middle : c->x) + (size_t)row * hidden;
    double sum = 0, squares = 0, weight = float_of(c->l->norm[which][column]);
    for (uint32_t i = 0; i < hidden && c->l->gpt; i++)
        sum += x[i];
    double mean = sum / hidden;
    for (uint32_t i = 0; i < hidden; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    double shift = c->l->gpt ? float_of(c->l->shift[which][column]) : 0;
    return (x[column] - mean) / root(squares / hidden + 1e-5) * weight + shift;
}

static double projected(const struct check *c, const uint16_t *a, int weight, uint32_t k, uint32_t row, uint32_t column)
{
    return inner(a + (size_t)row * k, c->l->weights[weight] + (size_t)column * k, k);
}

/* Queries and keys after their turn. */
static double turned(const struct check *c, int which, uint32_t row, uint32_t column)
{
    if (c->l->gpt)
        return projected(c, c->normed[0], which, c->l->hidden, row, column);
    uint32_t hidden = c->l->hidden, pair = column % 64, first = column / 128 * 128 + pair;
    double a = projected(c, c->normed[0], which, hidden, row, first),
           b = projected(c, c->normed[0], which, hidden, row, first + 64);
    const float *turn = c->l->turns + ((size_t)row * 64 + pair) * 2;
    return column % 128 < 64 ? a * turn[0] - b * turn[1] : b * turn[0] + a * turn[1];
}

/* Of row and column of all heads' squares, one below the other. */
static double score(const struct check *c, uint32_t row, uint32_t column)
{
    uint32_t tokens = c->l->tokens, hidden = c->l->hidden, size = c->l->head, first = row / tokens * size;
    const uint16_t *query = c->qkv[Q] + (size_t)(row % tokens) * hidden + first;
    const uint16_t *key = c->qkv[K] + (size_t)column * hidden + first;
    return column > row % tokens ? 0 : inner(query, key, size) * (c->l->gpt ? 0.125 : 0.08838834764831845);
}

static double share(const struct check *c, uint32_t row, uint32_t column)
{
    uint32_t tokens = c->l->tokens, last = row % tokens;
    const uint16_t *line = c->scores + (size_t)row * tokens;
    double sum = 0;
    if (column > last)
        return 0;
    for (uint32_t i = 0; i <= last; i++)
        sum += exponential(float_of(line[i]) - float_of(line[column]));
    return 1 / sum;
}

static double attention(const struct check *c, uint32_t row, uint32_t column)
{
    uint32_t tokens = c->l->tokens;
    const uint16_t *line = c->shares + ((size_t)(column / c->l->head) * tokens + row) * tokens;
    double sum = 0;
    for (uint32_t i = 0; i <= row; i++)
        sum += (double)float_of(line[i]) * float_of(c->qkv[V][(size_t)i * c->l->hidden + column]);
    return sum;
}

enum stage { NORM_1, QUERY, KEY, VALUE, SCORE, SHARE, ATTENTION, MIDDLE, NORM_2, GATES, UPS, ACTIVE, LAST, STAGES };

/* By way of tanh, as GPT-2 has it. */
static double gelu(double x)
{
    return x / (1 + exponential(-2 * 0.7978845608028654 * (x + 0.044715 * x * x * x)));
}

static double expected(const struct check *c, enum stage stage, uint32_t row, uint32_t column)
{
    const struct layer *l = c->l;
    size_t at = (size_t)row * l->hidden + column;
    double gate;
    switch (stage) {
    case NORM_1:
    case NORM_2:
        return norm_of(c, stage == NORM_2, row, column);
    case QUERY:
    case KEY:
        return turned(c, stage == QUERY ? Q : K, row, column);
    case VALUE:
        return projected(c, c->normed[0], V, l->hidden, row, column);
    case SCORE:
        return score(c, row, column);
    case SHARE:
        return share(c, row, column);
    case ATTENTION:
        return attention(c, row, column);
    case MIDDLE:
        return c->x[at] + projected(c, c->attended, O, l->hidden, row, column);
    case GATES:
        return projected(c, c->normed[1], GATE, l->hidden, row, column);
    case UPS:
        return projected(c, c->normed[1], UP, l->hidden, row, column);
    case ACTIVE:
        if (l->gpt)
            return gelu(float_of(c->up[(size_t)row * l->feed + column]));
        gate = float_of(c->gate[(size_t)row * l->feed + column]);
        return gate / (1 + exponential(-gate)) * float_of(c->up[(size_t)row * l->feed + column]);
    default:
        return c->middle[at] + projected(c, c->active, DOWN, l->feed, row, column);
    }
}

/* Compares all numbers of a stage, or some, with what they should be. */
static void check_stage(const struct check *c, enum stage stage, const char *name, const void *is, uint32_t rows,
                        uint32_t columns)
{
    const struct layer *l = c->l;
    struct app_run *run = l->run;
    size_t all = (size_t)rows * columns, count = all < MOST_CHECKED ? all : MOST_CHECKED;
    bool floats = stage == MIDDLE || stage == LAST, square = stage == SCORE || stage == SHARE;
    float *got = app_host(run, count, 4), *should = app_host(run, count, 4);
    char text[48];
    snprintf(text, sizeof text, l->gpt ? "layer %u, %s" : "%.0u%s", l->gpt ? l->number + 1 : 0, name);
    for (size_t i = 0; i < count && app_has_values(run); i++) {
        size_t at = all == count ? i : ((size_t)app_random(run) << 16 ^ app_random(run)) % all;
        uint32_t row = (uint32_t)(at / columns), column = (uint32_t)(at % columns);
        if (square && column > row % c->l->tokens) /* above the diagonal nothing is computed */
            column = row % c->l->tokens;
        at = (size_t)row * columns + column;
        got[i] = floats ? ((const float *)is)[at] : float_of(((const uint16_t *)is)[at]);
        should[i] = (float)expected(c, stage, row, column);
    }
    app_check_floats(run, text, got, should, count, 4e-3);
}

static void check(struct layer *l)
{
    struct app_run *run = l->run;
    size_t wide = (size_t)l->tokens * l->hidden, feed = (size_t)l->tokens * l->feed;
    size_t square = (size_t)l->tokens * l->tokens * l->heads;
    struct check c = {.l = l, .x = app_read(run, l->dx, wide * 4), .middle = app_read(run, l->middle, wide * 4)};
    for (int i = 0; i < 2; i++)
        c.normed[i] = app_read(run, l->normed[i], wide * 2);
    for (int i = 0; i < 3; i++)
        c.qkv[i] = app_read(run, l->qkv[i], wide * 2);
    c.scores = app_read(run, l->scores, square * 2), c.shares = app_read(run, l->shares, square * 2);
    c.attended = app_read(run, l->attended, wide * 2);
    c.gate = app_read(run, l->gate, feed * 2), c.up = app_read(run, l->up, feed * 2),
    c.active = app_read(run, l->active, feed * 2);
    const float *last = app_read(run, l->last, wide * 4);
    const struct {
        const char *name;
        const void *is;
        uint32_t rows, columns;
    } stages[STAGES] = {[NORM_1] = {"first norm", c.normed[0], l->tokens, l->hidden},
                        [QUERY] = {"queries", c.qkv[Q], l->tokens, l->hidden},
                        [KEY] = {"keys", c.qkv[K], l->tokens, l->hidden},
                        [VALUE] = {"values", c.qkv[V], l->tokens, l->hidden},
                        [SCORE] = {"scores", c.scores, l->tokens * l->heads, l->tokens},
                        [SHARE] = {"shares", c.shares, l->tokens * l->heads, l->tokens},
                        [ATTENTION] = {"attention", c.attended, l->tokens, l->hidden},
                        [MIDDLE] = {"attention's output", c.middle, l->tokens, l->hidden},
                        [NORM_2] = {"second norm", c.normed[1], l->tokens, l->hidden},
                        [GATES] = {"gates", c.gate, l->tokens, l->feed},
                        [UPS] = {"ups", c.up, l->tokens, l->feed},
                        [ACTIVE] = {l->gpt ? "GELU" : "SwiGLU", c.active, l->tokens, l->feed},
                        [LAST] = {"output", last, l->tokens, l->hidden}};
    for (int i = 0; i < STAGES; i++)
        if (i != GATES || !l->gpt)
            check_stage(&c, (enum stage)i, stages[i].name, stages[i].is, stages[i].rows, stages[i].columns);
}

/* ===== GPT-2 ===== */

struct text {
    uint16_t *words, *places; /* a row of numbers for each */
    uint32_t *tokens;
    CUdeviceptr dwords;
    uint32_t word_count;
};

static void embed(struct layer *l, struct text *text)
{
    struct app_run *run = l->run;
    size_t hidden = l->hidden, rows = l->tokens;
    text->words = halves(run, text->word_count * hidden, l->hidden);
    text->places = halves(run, rows * hidden, l->hidden);
    text->tokens = app_host(run, rows, 4);
    for (size_t t = 0; t < rows; t++)
        text->tokens[t] = app_below(run, text->word_count);
    text->dwords = app_copy(run, text->words, text->word_count * hidden * 2);
    CUdeviceptr places = app_copy(run, text->places, rows * hidden * 2);
    CUdeviceptr tokens = app_copy(run, text->tokens, rows * 4);
    l->dx = app_device(run, rows * hidden * 4);
    struct app_shape shape = {.grid = {l->tokens, 1, 1}, .block = {256, 1, 1}};
    app_launch(run, "gpt2_embed", shape, &text->dwords, &places, &tokens, &l->dx, &l->hidden);
    float *got = app_read(run, l->dx, rows * hidden * 4), *should = app_host(run, rows * hidden, 4);
    for (size_t i = 0; i < rows * hidden; i++)
        should[i] = float_of(text->words[text->tokens[i / hidden] * hidden + i % hidden]) + float_of(text->places[i]);
    app_check_floats(run, "embedding", got, should, rows * hidden, 0);
}

/* The last norm, and how likely each word is next: products with the words' own numbers. */
static void find_likely(struct layer *l, const struct text *text)
{
    struct app_run *run = l->run;
    size_t all = (size_t)l->tokens * text->word_count;
    CUdeviceptr likely = app_device(run, all * 2);
    draw_norm(l, 0);
    l->dweights[Q] = text->dwords;
    normalise(l, l->dx, 0);
    project(l, l->normed[0], Q, l->hidden, text->word_count, likely, 0);
    const uint16_t *normed = app_read(run, l->normed[0], (size_t)l->tokens * l->hidden * 2);
    const uint16_t *is = app_read(run, likely, all * 2);
    float *got = app_host(run, MOST_CHECKED, 4), *should = app_host(run, MOST_CHECKED, 4);
    for (size_t i = 0; i < MOST_CHECKED; i++) {
        size_t at = ((size_t)app_random(run) << 16 ^ app_random(run)) % all;
        got[i] = float_of(is[at]);
        should[i] = (float)inner(normed + at / text->word_count * l->hidden,
                                 text->words + at % text->word_count * l->hidden, l->hidden);
    }
    app_check_floats(run, "words", got, should, MOST_CHECKED, 4e-3);
}

static void run_gpt2(struct layer *l, uint32_t layers, uint32_t words)
{
    struct text text = {.word_count = words ? words : 50304}; /* 50,257, as it is filled up for tensor cores */
    layers = layers ? layers : 12;
    make_room(l);
    embed(l, &text);
    for (l->number = 0; l->number < layers; l->number++) {
        draw_weights(l);
        forward(l);
        if (l->number == 0 || l->number == layers - 1)
            check(l);
        CUdeviceptr x = l->dx;
        l->dx = l->last, l->last = x;
    }
    find_likely(l, &text);
}

static void run_llama(struct layer *l)
{
    struct app_run *run = l->run;
    size_t rows = l->tokens;
    l->dx = app_copy(run, app_floats(run, rows * l->hidden, -1, 1), rows * l->hidden * 4);
    draw_weights(l);
    l->turns = app_host(run, rows * HEAD, 4);
    make_turns(l);
    l->dturns = app_copy(run, l->turns, rows * HEAD * 4);
    make_room(l);
    forward(l);
    check(l);
}

static void llama_run(struct app_run *run)
{
    static const struct {
        uint32_t hidden, head, feed;
    } shapes[] = {[LLAMA_7B] = {4096, HEAD, 11008}, [LLAMA_13B] = {5120, HEAD, 13824}, [GPT2] = {768, HEAD / 2, 3072}};
    uint32_t model = run->sizes[MODEL];
    struct layer layer = {.run = run,
                          .tokens = run->sizes[TOKENS],
                          .hidden = run->sizes[HIDDEN],
                          .head = HEAD,
                          .feed = run->sizes[FEED],
                          .gpt = model == GPT2};
    if (model != NONE)
        layer.hidden = shapes[model].hidden, layer.head = shapes[model].head, layer.feed = shapes[model].feed;
    layer.heads = layer.hidden / layer.head;
    if (layer.gpt)
        run_gpt2(&layer, run->sizes[LAYERS], run->sizes[WORDS]);
    else
        run_llama(&layer);
}

const struct app app_llama = {
    .name = "llama",
    .suite = "LLaMA",
    .summary = "a layer of a large language model over a prompt: norms, projections, attention, SwiGLU",
    .stresses =
        "Nine products of matrices of halves by tensor cores, fed by asynchronous copies in tiles of 128 x 128, and "
        "between them kernels that read and write all of the activations. For a prompt of 512 tokens the weights "
        "come from memory once, and tensor cores decide. Heads have 128 numbers; --model 7b and 13b are the shapes of "
        "LLaMA. --model gpt2 is a forward pass in the shapes of GPT-2 124M: twelve layers, heads of 64 numbers, 50,304 "
        "words.",
    .tolerance = "4e-3",
    .sizes = {{"tokens", 128, 128, 2048, 128, "length of the prompt", NULL},
              {"model", 0, 0, 3, 0, "shape of a layer", "none 7b 13b gpt2"},
              {"hidden", 256, 128, 8192, 128, "numbers of a token, without --model", NULL},
              {"feed", 384, 128, 32768, 128, "numbers inside the feed-forward part, without --model", NULL},
              {"layers", 0, 0, 12, 1, "of gpt2; 0: all twelve", NULL},
              {"words", 0, 0, 50304, 128, "that gpt2 knows; 0: 50304", NULL}},
    .run = llama_run};
