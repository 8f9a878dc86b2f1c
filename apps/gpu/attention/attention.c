/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/tensor.h"

#include <math.h>

enum { BATCH, SEQUENCE, HEADS, DIMENSION, CAUSAL, BLOCKS };
enum { HELD = 32 << 20 /* bytes of keys and values: what the L2s of Hopper hold beside what else passes */ };
enum { UNIT = 128 /* of sequences */, PIECE = 64, STAGES = 2, CHECKED = 64 /* rows, at most */ };

/* A kernel of attention.cu: warpgroups of 64 queries each, keys of a tile, blocks of a cluster, which share keys and
 * values, and whether exponentials go through shared memory; by the head's dimension and whether queries see no keys
 * behind them, as FlashAttention-3 has them. */
struct form {
    const char *kernel;
    uint32_t d, groups, keys, cluster;
    bool through_memory;
};

static const struct form forms[2][2] = {
    {{"attention_64", 64, 3, 192, 1, true}, {"attention_64_causal", 64, 3, 128, 1, false}},
    {{"attention_128", 128, 2, 176, 2, false}, {"attention_128_causal", 128, 2, 128, 1, false}}};

static const struct form *form_of(const struct app_run *run)
{
    return &forms[run->sizes[DIMENSION]][run->sizes[CAUSAL]];
}

static uint32_t heads_of(const struct app_run *run)
{
    return run->sizes[BATCH] * run->sizes[HEADS];
}

/* A tensor of normal-ish halves on the device: numbers of a head, heads of a row, rows of a sequence, sequences. */
static CUdeviceptr halves(struct app_run *run, size_t count, uint16_t **kept)
{
    uint16_t *bits = *kept = app_host(run, count, sizeof *bits);
    for (size_t i = 0; i < count; i++)
        bits[i] = app_half_of(app_uniform(run, -1, 1) + app_uniform(run, -1, 1));
    return app_copy(run, bits, count * sizeof *bits);
}

static CUtensorMap map_of(struct app_run *run, CUdeviceptr address, uint32_t rows)
{
    return app_tensor_map(run, &(struct app_tensor){.address = address,
                                                    .type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
                                                    .bytes = 2,
                                                    .rank = 4,
                                                    .dimensions = {form_of(run)->d, run->sizes[HEADS],
                                                                   run->sizes[SEQUENCE], run->sizes[BATCH]},
                                                    .box = {PIECE, 1, rows, 1},
                                                    .swizzle = CU_TENSOR_MAP_SWIZZLE_128B});
}

struct tensors {
    uint16_t *q, *k, *v, *o;
    float *logs;
};

/* Where a row of a head begins, and how far apart its rows are; heads are counted over all sequences. */
static size_t place_of(const struct app_run *run, size_t head, uint32_t row)
{
    uint32_t heads = run->sizes[HEADS], sequence = run->sizes[SEQUENCE];
    return ((head / heads * sequence + row) * heads + head % heads) * form_of(run)->d;
}

static size_t row_step(const struct app_run *run)
{
    return (size_t)run->sizes[HEADS] * form_of(run)->d;
}

/* One row as the host has it, from all exponentials at once, in double precision; the logarithm of their sum. */
static double row_of(struct app_run *run, const struct tensors *t, size_t head, uint32_t row, double scale,
                     double *weights, float *out)
{
    uint32_t d = form_of(run)->d, keys = run->sizes[CAUSAL] ? row + 1 : run->sizes[SEQUENCE];
    const uint16_t *k = t->k + place_of(run, head, 0), *v = t->v + place_of(run, head, 0);
    const uint16_t *q = t->q + place_of(run, head, row);
    size_t step = row_step(run);
    double sum = 0;
    for (uint32_t j = 0; j < keys; j++) {
        double score = 0;
        for (uint32_t i = 0; i < d; i++)
            score += (double)app_of_half(q[i]) * app_of_half(k[j * step + i]);
        sum += weights[j] = exp(score * scale);
    }
    for (uint32_t i = 0; i < d; i++) {
        double value = 0;
        for (uint32_t j = 0; j < keys; j++)
            value += weights[j] * app_of_half(v[j * step + i]);
        out[i] = (float)(value / sum);
    }
    return log(sum);
}

/* Checks rows that lie evenly over all heads. */
static void check(struct app_run *run, const struct tensors *t, double scale)
{
    uint32_t d = form_of(run)->d, sequence = run->sizes[SEQUENCE];
    size_t rows = (size_t)heads_of(run) * sequence, some = rows < CHECKED ? rows : CHECKED;
    float *expected = app_host(run, some * d, sizeof *expected), *got = app_host(run, some * d, sizeof *got);
    float *expected_logs = app_host(run, some, sizeof *expected_logs);
    float *got_logs = app_host(run, some, sizeof *got_logs);
    double *weights = app_host(run, sequence, sizeof *weights);
    for (size_t i = 0; i < some; i++) {
        size_t of_all = i * (rows / some) + i * 37 % (rows / some), head = of_all / sequence;
        uint32_t row = (uint32_t)(of_all % sequence);
        expected_logs[i] = (float)row_of(run, t, head, row, scale, weights, expected + i * d);
        got_logs[i] = t->logs[of_all];
        for (uint32_t j = 0; j < d; j++)
            got[i * d + j] = app_of_half(t->o[place_of(run, head, row) + j]);
    }
    app_check_floats(run, "rows", got, expected, some * d, 2e-3);
    app_check_floats(run, "logarithms", got_logs, expected_logs, some, 1e-4);
}

static void attention_run(struct app_run *run)
{
    const struct form *form = form_of(run);
    uint32_t d = form->d, sequence = run->sizes[SEQUENCE], all = heads_of(run);
    uint32_t rows = 64 * form->groups, cluster = form->cluster, blocks = (run->sizes[BLOCKS] + cluster - 1) / cluster;
    size_t count = (size_t)all * sequence * d;
    double log2e = 1.4426950408889634, scale = 1 / sqrt((double)d);
    float scale_of_powers = (float)(scale * log2e);
    struct tensors t;
    CUdeviceptr q = halves(run, count, &t.q), k = halves(run, count, &t.k), v = halves(run, count, &t.v);
    CUdeviceptr o = app_device(run, count * 2), logs = app_device(run, (size_t)all * sequence * 4);
    CUtensorMap of_q = map_of(run, q, 64), of_k = map_of(run, k, form->keys / cluster);
    CUtensorMap of_v = map_of(run, v, form->keys / cluster), of_o = map_of(run, o, 64);
    uint32_t tiles = (sequence + rows * cluster - 1) / (rows * cluster) * all;
    uint32_t memory = (rows + 2 * STAGES * form->keys) * d * 2 + (form->through_memory ? rows * form->keys * 2 : 0);
    struct app_shape shape = {.grid = {(tiles < blocks ? tiles : blocks) * cluster, 1, 1},
                              .block = {128 * (form->groups + 1), 1, 1},
                              .shared_bytes = memory,
                              .cluster = {cluster, 1, 1}};
    uint32_t section = HELD / (sequence * d * 4) + 1; /* heads: two bytes of keys, and as many of values */
    app_shared(run, form->kernel, shape.shared_bytes);
    app_launch(run, form->kernel, shape, &of_q, &of_k, &of_v, &of_o, &logs, &sequence, &run->sizes[HEADS], &all,
               &section, &scale_of_powers);
    t.o = app_read(run, o, count * 2);
    t.logs = app_read(run, logs, (size_t)all * sequence * 4);
    check(run, &t, scale);
}

const struct app app_attention = {
    .name = "attention",
    .suite = "FlashAttention-3",
    .summary = "attention, forward, by warpgroups that do different work",
    .stresses =
        ("The asynchronous units of Hopper at once: a thread feeds rings of tiles of keys and values through the "
         "tensor memory accelerator, two or three warpgroups take turns at the tensor cores (wgmma), with one operand "
         "out of registers, and compute exponentials meanwhile; registers go from the loading warps to them "
         "(setmaxnreg); blocks stay, and take tile after tile, those of heads that the L2 holds together. It needs a "
         "machine of compute capability 9.0."),
    .tolerance = "2e-3; logarithms 1e-4",
    .sizes = {{"batch", 1, 1, 1 << 10, 0, "sequences", NULL},
              {"sequence", 256, UNIT, 1 << 16, UNIT, "queries, and keys, of a sequence", NULL},
              {"heads", 2, 1, 1 << 10, 0, "heads of a sequence", NULL},
              {"dimension", 1, 0, 1, 0, "of a head", "64 128"},
              {"causal", 0, 0, 1, 0, "whether queries see no keys behind their own", "no yes"},
              {"blocks", 132, 1, 1 << 16, 0, "that stay, at most: the machine's SMs", NULL}},
    .run = attention_run};
