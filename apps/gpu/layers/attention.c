/* SPDX-License-Identifier: BSD-3-Clause */
/* Attention: of one query of each sequence, and of prompts. */
#include "layers/layers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WARPS = 4, ROWS = 64, KEYS = 64, CHECKED = 6 /* rows */, MOST_COPIES = 3 };

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void check_heads(uint32_t heads, uint32_t kv_heads, uint32_t d)
{
    if (d != 64 && d != 128)
        layers_stop("attention has kernels for heads of 64 and 128 numbers");
    if (heads % kv_heads)
        layers_stop("the heads of keys and values must divide those of queries");
}

/* One row on the host, in double precision. */
static void expect_row(const uint16_t *q, const uint16_t *k, const uint16_t *v, uint32_t keys, size_t step, uint32_t d,
                       double *out)
{
    double *weights = calloc(keys + 1, sizeof *weights), sum = 0;
    if (!weights)
        layers_stop("there is no memory for a check of this shape");
    for (uint32_t i = 0; i < keys; i++) {
        double score = 0;
        for (uint32_t j = 0; j < d; j++)
            score += (double)layers_float(q[j]) * layers_float(k[i * step + j]);
        sum += weights[i] = exp(score / sqrt(d));
    }
    for (uint32_t j = 0; j < d; j++) {
        out[j] = 0;
        for (uint32_t i = 0; i < keys; i++)
            out[j] += weights[i] / sum * layers_float(v[i * step + j]);
    }
    free(weights);
}

/* Rows of `queries` of each sequence, the last of which sees all `keys`. */
static void check_rows(struct layers *run, const struct tensor *out, const struct tensor *q, const struct tensor *k,
                       const struct tensor *v, uint32_t sequences, uint32_t queries, uint32_t keys, const uint32_t *n)
{
    uint32_t heads = n[2], kv_heads = n[3], d = n[4];
    double expected[128];
    for (uint32_t i = 0; i < CHECKED; i++) {
        uint32_t sequence = i * 7 % sequences, query = i % 2 ? queries - 1 - i * 13 % queries : i * 29 % queries;
        uint32_t head = i * 5 % heads, kv_head = head / (heads / kv_heads);
        size_t row = (((size_t)sequence * queries + query) * heads + head) * d;
        size_t cache = ((size_t)sequence * keys * kv_heads + kv_head) * d;
        expect_row(q->host + row, k->host + cache, v->host + cache, keys - queries + query + 1, (size_t)kv_heads * d, d,
                   expected);
        layers_compare(run, out, row, expected, d);
    }
}

/* ===== one query of each sequence ===== */

/* Keys of a block: blocks for about four of each SM, but at least 128 keys. */
static uint32_t keys_of_part(const struct layers *run, uint32_t groups, uint32_t context)
{
    uint32_t wanted = ((uint32_t)run->sms * 4 + groups - 1) / groups, keys = (context + wanted - 1) / wanted;
    keys = (keys + KEYS - 1) / KEYS * KEYS;
    return keys < 2 * KEYS ? 2 * KEYS : keys;
}

void layers_decode(struct layers *run, const uint32_t *n)
{
    uint32_t sequences = n[0], context = n[1], heads = n[2], kv_heads = n[3], d = n[4];
    check_heads(heads, kv_heads, d);
    uint32_t queries = heads / kv_heads, keys = keys_of_part(run, sequences * kv_heads, context);
    uint32_t parts = (context + keys - 1) / keys;
    if (queries != 1 && queries != 2 && queries != 4 && queries != 8)
        layers_stop("attention has kernels for 1, 2, 4 or 8 heads of queries that share keys and values");
    float scale = (float)(1.4426950408889634 / sqrt(d));
    size_t count = (size_t)sequences * context * kv_heads * d, rows = (size_t)sequences * heads;
    struct tensor q = layers_tensor(run, rows * d), out = layers_tensor(run, rows * d);
    struct tensor k[MOST_COPIES], v[MOST_COPIES];
    uint32_t copies = smaller(run->calls, MOST_COPIES);
    for (uint32_t i = 0; i < copies; i++) {
        k[i] = layers_tensor(run, count);
        v[i] = layers_tensor(run, count);
    }
    CUdeviceptr partial = layers_memory(rows * parts * (d + 2) * 4);
    char name[64];
    snprintf(name, sizeof name, "layer_decode_%u_%u", d, queries);
    CUfunction decode = layers_kernel(run, name, 0), join = layers_kernel(run, "layer_join", 0);
    layers_begin(run);
    for (uint32_t i = 0; i < run->calls; i++) {
        layers_launch(run, decode, (const uint32_t[3]){kv_heads, parts, sequences}, WARPS * 32, 0,
                      (void *[]){&out.device, &partial, &q.device, &k[i % copies].device, &v[i % copies].device,
                                 &context, &kv_heads, &keys, &scale});
        if (parts > 1)
            layers_launch(run, join, (const uint32_t[3]){sequences * heads, 1, 1}, d, 0,
                          (void *[]){&out.device, &partial, &parts});
    }
    layers_end(run);
    uint32_t last = (run->calls - 1) % copies;
    if (run->checks)
        check_rows(run, &out, &q, &k[last], &v[last], sequences, 1, context, n);
}

/* ===== prompts ===== */

/* Of compute capability 9.0: the kernel of our workload `attention` (apps/gpu/attention), in half precision. Its heads
 * are those that share keys and values, and its sequences stand for the groups of them. */
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

static void prefill_hopper(struct layers *run, const uint32_t *n)
{
    enum { STAGES = 2, TILE = 128, HELD = 32 << 20 };
    uint32_t tokens = n[1], heads = n[2], kv_heads = n[3], d = n[4], shared = heads / kv_heads;
    uint32_t groups = d == 64 ? 3 : 2, rows = 64 * groups, section = HELD / (tokens * d * 4) + 1;
    uint32_t tiles = (tokens + rows - 1) / rows * heads, memory = (rows + 2 * STAGES * TILE) * d * 2;
    float scale = (float)(1.4426950408889634 / sqrt(d));
    struct tensor q = layers_tensor(run, (size_t)tokens * heads * d), out = layers_tensor(run, q.count);
    struct tensor k = layers_tensor(run, (size_t)tokens * kv_heads * d), v = layers_tensor(run, k.count);
    CUdeviceptr logs = layers_memory((size_t)heads * tokens * 4);
    halve(&q);
    halve(&k);
    halve(&v);
    layers_load(run, "attention");
    CUfunction function = layers_kernel(run, d == 64 ? "attention_64_causal" : "attention_128_causal", memory);
    CUtensorMap of_q = map_of(q.device, d, shared, tokens, kv_heads, false, 64);
    CUtensorMap of_k = map_of(k.device, d, shared, tokens, kv_heads, true, TILE);
    CUtensorMap of_v = map_of(v.device, d, shared, tokens, kv_heads, true, TILE);
    CUtensorMap of_o = map_of(out.device, d, shared, tokens, kv_heads, false, 64);
    layers_begin(run);
    for (uint32_t i = 0; i < run->calls; i++)
        launch_cluster(run, function, smaller(tiles, (uint32_t)run->sms), 128 * (groups + 1), memory,
                       (void *[]){&of_q, &of_k, &of_v, &of_o, &logs, &tokens, &shared, &heads, &section, &scale});
    layers_end(run);
    widen(run, &out);
    if (run->checks)
        check_rows(run, &out, &q, &k, &v, 1, tokens, tokens, n);
}

static void prefill_mma(struct layers *run, const uint32_t *n)
{
    uint32_t sequences = n[0], tokens = n[1], heads = n[2], kv_heads = n[3], d = n[4], cached = 0;
    uint32_t memory = 5 * KEYS * d * 2;
    float scale = (float)(1.4426950408889634 / sqrt(d));
    struct tensor q = layers_tensor(run, (size_t)sequences * tokens * heads * d), out = layers_tensor(run, q.count);
    struct tensor k = layers_tensor(run, (size_t)sequences * tokens * kv_heads * d), v = layers_tensor(run, k.count);
    CUfunction function = layers_kernel(run, d == 64 ? "layer_prefill_64" : "layer_prefill_128", memory);
    layers_begin(run);
    for (uint32_t i = 0; i < run->calls; i++)
        layers_launch(
            run, function, (const uint32_t[3]){heads, (tokens + ROWS - 1) / ROWS, sequences}, WARPS * 32, memory,
            (void *[]){&out.device, &q.device, &k.device, &v.device, &tokens, &cached, &heads, &kv_heads, &scale});
    layers_end(run);
    if (run->checks)
        check_rows(run, &out, &q, &k, &v, sequences, tokens, tokens, n);
}

void layers_prefill(struct layers *run, const uint32_t *n)
{
    check_heads(n[2], n[3], n[4]);
    if (run->major == 9 && n[0] == 1)
        prefill_hopper(run, n);
    else
        prefill_mma(run, n);
}
