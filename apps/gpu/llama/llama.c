/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A layer of LLaMA over a prompt. Each stage is checked by itself, from what the device computed before it: all numbers
 * of small stages, some of large ones, each by the sum that defines it.
 */
#include "common/app.h"

enum { TOKENS, MODEL, HIDDEN, FEED };
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
    uint32_t tokens, hidden, heads, feed;
    /* Of the host: weights, and angles. */
    uint16_t *norm[2], *weights[7];
    float *x, *turns;
    CUdeviceptr dx, dnorm[2], dweights[7], dturns;
    /* What stages leave. */
    CUdeviceptr normed[2], qkv[3], turned[2], scores, shares, attended, middle, gate, up, active, last;
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

static void prepare(struct layer *l)
{
    struct app_run *run = l->run;
    size_t rows = l->tokens, hidden = l->hidden, feed = l->feed;
    const size_t counts[7] = {hidden * hidden, hidden * hidden, hidden * hidden, hidden * hidden,
                              hidden * feed,   hidden * feed,   hidden * feed};
    l->x = app_floats(run, rows * hidden, -1, 1);
    l->dx = app_copy(run, l->x, rows * hidden * 4);
    for (int i = 0; i < 2; i++) {
        l->norm[i] = app_host(run, hidden, 2);
        for (size_t n = 0; n < hidden; n++)
            l->norm[i][n] = half_of((float)(app_below(run, 32) + 32) / 32);
        l->dnorm[i] = app_copy(run, l->norm[i], hidden * 2);
        l->normed[i] = app_device(run, rows * hidden * 2);
        l->turned[i] = app_device(run, rows * hidden * 2);
    }
    for (int i = 0; i < 7; i++) {
        l->weights[i] = halves(run, counts[i], i == DOWN ? l->feed : l->hidden);
        l->dweights[i] = app_copy(run, l->weights[i], counts[i] * 2);
    }
    l->turns = app_host(run, rows * HEAD, 4);
    make_turns(l);
    l->dturns = app_copy(run, l->turns, rows * HEAD * 4);
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
    app_launch(l->run, "llama_norm", shape, &x, &l->dnorm[which], &l->normed[which], &l->hidden);
}

static void attend(struct layer *l)
{
    int32_t hidden = (int32_t)l->hidden, tokens = (int32_t)l->tokens, square = tokens * tokens;
    struct app_shape turning = {.grid = {l->tokens, 2, 1}, .block = {256, 1, 1}};
    app_launch(l->run, "llama_rotate", turning, &l->qkv[Q], &l->qkv[K], &l->dturns, &l->hidden);
    struct product scores = {.a = l->qkv[Q],
                             .b = l->qkv[K],
                             .c = l->scores,
                             .k = HEAD,
                             .lda = hidden,
                             .ldb = hidden,
                             .ldc = tokens,
                             .batch_a = HEAD,
                             .batch_b = HEAD,
                             .batch_c = square,
                             .scale = 0.08838834764831845f,
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
                             .batch_b = HEAD,
                             .batch_c = HEAD,
                             .scale = 1,
                             .causal = 2};
    launch_product(l, "llama_values", values, HEAD, l->heads);
}

static void forward(struct layer *l)
{
    normalise(l, l->dx, 0);
    for (int i = Q; i <= V; i++)
        project(l, l->normed[0], i, l->hidden, l->hidden, l->qkv[i], 0);
    attend(l);
    project(l, l->attended, O, l->hidden, l->hidden, l->middle, l->dx);
    normalise(l, l->middle, 1);
    project(l, l->normed[1], GATE, l->hidden, l->feed, l->gate, 0);
    project(l, l->normed[1], UP, l->hidden, l->feed, l->up, 0);
    uint32_t count = l->tokens * l->feed;
    app_launch(l->run, "llama_swiglu", app_shape(count, 256), &l->gate, &l->up, &l->active, &count);
    project(l, l->active, DOWN, l->feed, l->hidden, l->last, l->middle);
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
    const float *x = (which ? c->middle : c->x) + (size_t)row * c->l->hidden;
    double squares = 0;
    for (uint32_t i = 0; i < c->l->hidden; i++)
        squares += (double)x[i] * x[i];
    return x[column] / root(squares / c->l->hidden + 1e-5) * float_of(c->l->norm[which][column]);
}

static double projected(const struct check *c, const uint16_t *a, int weight, uint32_t k, uint32_t row, uint32_t column)
{
    return inner(a + (size_t)row * k, c->l->weights[weight] + (size_t)column * k, k);
}

/* Queries and keys after their turn. */
static double turned(const struct check *c, int which, uint32_t row, uint32_t column)
{
    uint32_t hidden = c->l->hidden, pair = column % 64, first = column / 128 * 128 + pair;
    double a = projected(c, c->normed[0], which, hidden, row, first),
           b = projected(c, c->normed[0], which, hidden, row, first + 64);
    const float *turn = c->l->turns + ((size_t)row * 64 + pair) * 2;
    return column % 128 < 64 ? a * turn[0] - b * turn[1] : b * turn[0] + a * turn[1];
}

/* Of row and column of all heads' squares, one below the other. */
static double score(const struct check *c, uint32_t row, uint32_t column)
{
    uint32_t tokens = c->l->tokens, head = row / tokens, hidden = c->l->hidden;
    return column > row % tokens ? 0
                                 : inner(c->qkv[Q] + (size_t)(row % tokens) * hidden + head * HEAD,
                                         c->qkv[K] + (size_t)column * hidden + head * HEAD, HEAD) *
                                       0.08838834764831845;
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
    const uint16_t *line = c->shares + ((size_t)(column / HEAD) * tokens + row) * tokens;
    double sum = 0;
    for (uint32_t i = 0; i <= row; i++)
        sum += (double)float_of(line[i]) * float_of(c->qkv[V][(size_t)i * c->l->hidden + column]);
    return sum;
}

enum stage { NORM_1, QUERY, KEY, VALUE, SCORE, SHARE, ATTENTION, MIDDLE, NORM_2, GATES, UPS, ACTIVE, LAST, STAGES };

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
    struct app_run *run = c->l->run;
    size_t all = (size_t)rows * columns, count = all < MOST_CHECKED ? all : MOST_CHECKED;
    bool floats = stage == MIDDLE || stage == LAST, square = stage == SCORE || stage == SHARE;
    float *got = app_host(run, count, 4), *should = app_host(run, count, 4);
    for (size_t i = 0; i < count; i++) {
        size_t at = all == count ? i : ((size_t)app_random(run) << 16 ^ app_random(run)) % all;
        uint32_t row = (uint32_t)(at / columns), column = (uint32_t)(at % columns);
        if (square && column > row % c->l->tokens) /* above the diagonal nothing is computed */
            column = row % c->l->tokens;
        at = (size_t)row * columns + column;
        got[i] = floats ? ((const float *)is)[at] : float_of(((const uint16_t *)is)[at]);
        should[i] = (float)expected(c, stage, row, column);
    }
    app_check_floats(run, name, got, should, count, 4e-3);
}

static void check(struct layer *l)
{
    struct app_run *run = l->run;
    size_t wide = (size_t)l->tokens * l->hidden, feed = (size_t)l->tokens * l->feed;
    size_t square = (size_t)l->tokens * l->tokens * l->heads;
    struct check c = {.l = l, .x = l->x, .middle = app_read(run, l->middle, wide * 4)};
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
                        [ACTIVE] = {"SwiGLU", c.active, l->tokens, l->feed},
                        [LAST] = {"output", last, l->tokens, l->hidden}};
    for (int i = 0; i < STAGES; i++)
        check_stage(&c, (enum stage)i, stages[i].name, stages[i].is, stages[i].rows, stages[i].columns);
}

static void llama_run(struct app_run *run)
{
    uint32_t model = run->sizes[MODEL];
    struct layer layer = {
        .run = run, .tokens = run->sizes[TOKENS], .hidden = run->sizes[HIDDEN], .feed = run->sizes[FEED]};
    if (model)
        layer.hidden = model == 1 ? 4096 : 5120, layer.feed = model == 1 ? 11008 : 13824;
    layer.heads = layer.hidden / HEAD;
    prepare(&layer);
    forward(&layer);
    check(&layer);
}

const struct app app_llama = {
    .name = "llama",
    .suite = "LLaMA",
    .summary = "a layer of a large language model over a prompt: norms, projections, attention, SwiGLU",
    .stresses =
        "Nine products of matrices of halves by tensor cores, fed by asynchronous copies in tiles of 128 x 128, and "
        "between them kernels that read and write all of the activations. For a prompt of 512 tokens the weights "
        "come from memory once, and tensor cores decide. Heads have 128 numbers; --model 7b and 13b are the shapes of "
        "LLaMA.",
    .tolerance = "4e-3",
    .sizes = {{"tokens", 128, 128, 2048, 128, "length of the prompt", NULL},
              {"model", 0, 0, 2, 0, "shape of a layer", "none 7b 13b"},
              {"hidden", 256, 128, 8192, 128, "numbers of a token, without --model", NULL},
              {"feed", 384, 128, 32768, 128, "numbers inside the feed-forward part, without --model", NULL}},
    .run = llama_run};
