/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/tensor.h"

#include <math.h>

enum { BATCH, SEQUENCE, HEADS, DIMENSION, CAUSAL, BLOCKS };
enum { HELD = 32 << 20 /* bytes of keys and values: what the L2s of Hopper hold beside what else passes */ };
enum { TILE = 128 /* keys */, PIECE = 64, STAGES = 2, CHECKED = 64 /* rows, at most */ };

/* A tensor of normal-ish halves on the device: rows of a head, heads of a sequence, sequences. */
static CUdeviceptr halves(struct app_run *run, size_t count, uint16_t **kept)
{
    uint16_t *bits = *kept = app_host(run, count, sizeof *bits);
    for (size_t i = 0; i < count; i++)
        bits[i] = app_half_of(app_uniform(run, -1, 1) + app_uniform(run, -1, 1));
    return app_copy(run, bits, count * sizeof *bits);
}

static CUtensorMap map_of(struct app_run *run, CUdeviceptr address, uint32_t rows)
{
    uint32_t heads = run->sizes[BATCH] * run->sizes[HEADS];
    return app_tensor_map(
        run, &(struct app_tensor){.address = address,
                                  .type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
                                  .bytes = 2,
                                  .rank = 3,
                                  .dimensions = {run->sizes[DIMENSION] ? 128 : 64, run->sizes[SEQUENCE], heads},
                                  .box = {PIECE, rows, 1},
                                  .swizzle = CU_TENSOR_MAP_SWIZZLE_128B});
}

struct tensors {
    uint16_t *q, *k, *v, *o;
    float *logs;
};

/* One row as the host has it, from all exponentials at once, in double precision; the logarithm of their sum. */
static double row_of(struct app_run *run, const struct tensors *t, size_t head, uint32_t row, double scale,
                     double *weights, float *out)
{
    uint32_t d = run->sizes[DIMENSION] ? 128 : 64, sequence = run->sizes[SEQUENCE];
    uint32_t keys = run->sizes[CAUSAL] ? row + 1 : sequence;
    const uint16_t *k = t->k + head * sequence * d, *v = t->v + head * sequence * d;
    const uint16_t *q = t->q + (head * sequence + row) * d;
    double sum = 0;
    for (uint32_t j = 0; j < keys; j++) {
        double score = 0;
        for (uint32_t i = 0; i < d; i++)
            score += (double)app_of_half(q[i]) * app_of_half(k[(size_t)j * d + i]);
        sum += weights[j] = exp(score * scale);
    }
    for (uint32_t i = 0; i < d; i++) {
        double value = 0;
        for (uint32_t j = 0; j < keys; j++)
            value += weights[j] * app_of_half(v[(size_t)j * d + i]);
        out[i] = (float)(value / sum);
    }
    return log(sum);
}

/* Checks rows that lie evenly over all heads. */
static void check(struct app_run *run, const struct tensors *t, double scale)
{
    uint32_t d = run->sizes[DIMENSION] ? 128 : 64, sequence = run->sizes[SEQUENCE];
    size_t rows = (size_t)run->sizes[BATCH] * run->sizes[HEADS] * sequence, some = rows < CHECKED ? rows : CHECKED;
    float *expected = app_host(run, some * d, sizeof *expected), *got = app_host(run, some * d, sizeof *got);
    float *expected_logs = app_host(run, some, sizeof *expected_logs);
    float *got_logs = app_host(run, some, sizeof *got_logs);
    double *weights = app_host(run, sequence, sizeof *weights);
    for (size_t i = 0; i < some; i++) {
        size_t row = i * (rows / some) + i * 37 % (rows / some);
        expected_logs[i] =
            (float)row_of(run, t, row / sequence, (uint32_t)(row % sequence), scale, weights, expected + i * d);
        got_logs[i] = t->logs[row];
        for (uint32_t j = 0; j < d; j++)
            got[i * d + j] = app_of_half(t->o[row * d + j]);
    }
    app_check_floats(run, "rows", got, expected, some * d, 2e-3);
    app_check_floats(run, "logarithms", got_logs, expected_logs, some, 1e-4);
}

static void attention_run(struct app_run *run)
{
    uint32_t d = run->sizes[DIMENSION] ? 128 : 64, sequence = run->sizes[SEQUENCE], causal = run->sizes[CAUSAL];
    uint32_t heads = run->sizes[BATCH] * run->sizes[HEADS], groups = d == 64 ? 3 : 2, blocks = run->sizes[BLOCKS];
    const char *kernel = d == 64 ? "attention_64" : "attention_128";
    size_t count = (size_t)heads * sequence * d;
    double log2e = 1.4426950408889634, scale = 1 / sqrt((double)d);
    float scale_of_powers = (float)(scale * log2e);
    struct tensors t;
    CUdeviceptr q = halves(run, count, &t.q), k = halves(run, count, &t.k), v = halves(run, count, &t.v);
    CUdeviceptr o = app_device(run, count * 2), logs = app_device(run, (size_t)heads * sequence * 4);
    CUtensorMap of_q = map_of(run, q, 64), of_k = map_of(run, k, TILE), of_v = map_of(run, v, TILE);
    CUtensorMap of_o = map_of(run, o, 64);
    uint32_t rows = 64 * groups, tiles = (sequence + rows - 1) / rows * heads;
    struct app_shape shape = {.grid = {tiles < blocks ? tiles : blocks, 1, 1},
                              .block = {128 * (groups + 1), 1, 1},
                              .shared_bytes = (rows + 2 * STAGES * TILE) * d * 2};
    uint32_t section = HELD / (sequence * d * 4) + 1; /* heads: two bytes of keys, and as many of values */
    app_shared(run, kernel, shape.shared_bytes);
    app_launch(run, kernel, shape, &of_q, &of_k, &of_v, &of_o, &logs, &sequence, &heads, &section, &causal,
               &scale_of_powers);
    t.o = app_read(run, o, count * 2);
    t.logs = app_read(run, logs, (size_t)heads * sequence * 4);
    check(run, &t, scale);
}

const struct app app_attention = {
    .name = "attention",
    .suite = "FlashAttention-3",
    .summary = "attention, forward, by warpgroups that do different work",
    .stresses =
        ("The asynchronous engines of Hopper at once: a thread feeds rings of tiles of keys and values through the "
         "tensor memory accelerator, two or three warpgroups take turns at the tensor cores (wgmma), with one operand "
         "out of registers, and compute exponentials meanwhile; registers go from the loading warps to them "
         "(setmaxnreg); blocks stay, and take tile after tile, those of heads that the L2 holds together. It needs a "
         "machine of compute capability 9.0."),
    .tolerance = "2e-3; logarithms 1e-4",
    .sizes = {{"batch", 1, 1, 1 << 10, 0, "sequences", NULL},
              {"sequence", 256, TILE, 1 << 16, TILE, "queries, and keys, of a sequence", NULL},
              {"heads", 2, 1, 1 << 10, 0, "heads of a sequence", NULL},
              {"dimension", 1, 0, 1, 0, "of a head", "64 128"},
              {"causal", 0, 0, 1, 0, "whether queries see no keys behind their own", "no yes"},
              {"blocks", 132, 1, 1 << 16, 0, "that stay, at most: the machine's SMs", NULL}},
    .run = attention_run};
