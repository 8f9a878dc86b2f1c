// SPDX-License-Identifier: BSD-3-Clause
// nvcc sm_80
// Kernels of a transformer layer beside its products and attention, in bfloat16 as serving systems divide them into
// launches: one block for each token, or 16 bytes for each thread. Those named `single` take one number at a time
// and round as the first kernels of serving systems do.
#include "layers/numbers.h"

// out[t] = x[t] / rms(x[t]) * weight: a block for each token.
extern "C" __global__ void layer_norm(u16 *out, const u16 *x, const u16 *weight, u32 width)
{
    __shared__ float sums[32];
    float sum = 0, v[8], w[8];
    const u16 *row = x + (u64)blockIdx.x * width;
    for (u32 i = threadIdx.x * 8; i < width; i += blockDim.x * 8) {
        widen(v, load(row + i));
#pragma unroll
        for (u32 j = 0; j < 8; j++)
            sum += v[j] * v[j];
    }
    sum = sum_of_warp(sum);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = threadIdx.x % 32 < blockDim.x / 32 ? sums[threadIdx.x % 32] : 0;
    float scale = rsqrt_approx(sum_of_warp(sum) / width + 1e-5f);
    for (u32 i = threadIdx.x * 8; i < width; i += blockDim.x * 8) {
        widen(v, load(row + i));
        widen(w, load(weight + i));
#pragma unroll
        for (u32 j = 0; j < 8; j++)
            v[j] *= scale * w[j];
        store(out + (u64)blockIdx.x * width + i, narrow(v));
    }
}

// out[t] = silu(x[t] left) * (x[t] right), where x has both halves of a row beside each other: a block for each token.
extern "C" __global__ void layer_activation(u16 *out, const u16 *x, u32 width)
{
    const u16 *row = x + (u64)blockIdx.x * 2 * width;
    float gate[8], up[8];
    for (u32 i = threadIdx.x * 8; i < width; i += blockDim.x * 8) {
        widen(gate, load(row + i));
        widen(up, load(row + width + i));
#pragma unroll
        for (u32 j = 0; j < 8; j++)
            gate[j] *= up[j] / (1 + exp_approx(-gate[j]));
        store(out + (u64)blockIdx.x * width + i, narrow(gate));
    }
}

// x += y: eight numbers for each thread.
extern "C" __global__ void layer_add(u16 *x, const u16 *y, u32 vectors)
{
    u32 i = GLOBAL_X;
    float a[8], b[8];
    if (i >= vectors)
        return;
    widen(a, load(x + (u64)i * 8));
    widen(b, load(y + (u64)i * 8));
#pragma unroll
    for (u32 j = 0; j < 8; j++)
        a[j] += b[j];
    store(x + (u64)i * 8, narrow(a));
}

// out[t] = table[ids[t]]: a block for each token.
extern "C" __global__ void layer_embedding(u16 *out, const u16 *table, const u32 *ids, u32 width)
{
    const u16 *row = table + (u64)ids[blockIdx.x] * width;
    for (u32 i = threadIdx.x * 8; i < width; i += blockDim.x * 8)
        store(out + (u64)blockIdx.x * width + i, load(row + i));
}

// Turns pairs of numbers half a head apart of the first `heads` heads of a row of `step` numbers: a block for each
// token; `turns` has for each position a half head of cosines and one of sines.
extern "C" __global__ void layer_rotary(u16 *x, const u16 *turns, const u32 *positions, u32 heads, u32 half, u32 step)
{
    const u16 *turn = turns + (u64)positions[blockIdx.x] * 2 * half;
    u16 *row = x + (u64)blockIdx.x * step;
    for (u32 i = threadIdx.x; i < heads * half; i += blockDim.x) {
        u32 at = i / half * 2 * half + i % half;
        float a = low(row[at]), b = low(row[at + half]), c = low(turn[i % half]), s = low(turn[half + i % half]);
        row[at] = (u16)pair_of(a * c - b * s, 0);
        row[at + half] = (u16)pair_of(b * c + a * s, 0);
    }
}

// Copies numbers, 16 bytes for each of `step` threads, where they lie so; otherwise those before and behind one by one.
static __device__ void copy_numbers(u16 *to, const u16 *from, u32 count, u32 thread, u32 step)
{
    u32 off = (u32)(u64)from % 16;
    if (off == 0 && count % 8 == 0) {
        for (u32 i = thread; i < count / 8; i += step)
            store(to + i * 8, load(from + i * 8));
        return;
    }
    u32 before = min((16 - off) % 16 / 2, count), vectors = (count - before) / 8;
    for (u32 i = thread; i < before; i += step)
        to[i] = from[i];
    to += before;
    from += before;
    for (u32 i = thread; i < vectors; i += step)
        store(to + i * 8, load(from + i * 8));
    for (u32 i = thread + vectors * 8; i < count - before; i += step)
        to[i] = from[i];
}

// Puts a token's keys and values where its slot in a cache of pages says: a block for each token, `heads` of `d`
// numbers of each, first the keys. As in serving systems, no slot is none, numbers may lie anywhere, and heads too: a
// warp has a head then. Strides are numbers from page to page, key to key and head to head.
extern "C" __global__ void layer_cache(u16 *keys, u16 *values, const u16 *k, const u16 *v, const long long *slots,
                                       long long of_page, long long of_key, long long of_head, u32 heads, u32 d, int page)
{
    long long slot = slots[blockIdx.x];
    if (slot < 0)
        return;
    long long to = slot / page * of_page + slot % page * of_key;
    const u64 from = (u64)blockIdx.x * heads * d;
    if (of_head == d) {
        copy_numbers(keys + to, k + from, heads * d, threadIdx.x, blockDim.x);
        copy_numbers(values + to, v + from, heads * d, threadIdx.x, blockDim.x);
        return;
    }
    for (u32 head = threadIdx.x / 32; head < heads; head += blockDim.x / 32) {
        copy_numbers(keys + to + head * of_head, k + from + head * d, d, threadIdx.x % 32, 32);
        copy_numbers(values + to + head * of_head, v + from + head * d, d, threadIdx.x % 32, 32);
    }
}

// ===== one number at a time =====

// x, rounded to a number of bfloat16.
static __device__ float rounded(float x)
{
    return low(pair_of(x, 0));
}

static __device__ u16 single(float x)
{
    return (u16)pair_of(x, 0);
}

extern "C" __global__ void layer_norm_single(u16 *out, const u16 *x, const u16 *weight, u32 width)
{
    __shared__ float sums[32], scale;
    float sum = 0;
    u64 row = (u64)blockIdx.x * width;
    for (u32 i = threadIdx.x; i < width; i += blockDim.x) {
        float v = low(x[row + i]);
        sum += v * v;
    }
    sum = sum_of_warp(sum);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = threadIdx.x % 32 < blockDim.x / 32 ? sums[threadIdx.x % 32] : 0;
    sum = sum_of_warp(sum);
    if (threadIdx.x == 0)
        scale = rsqrt_approx(sum / width + 1e-5f);
    __syncthreads();
    for (u32 i = threadIdx.x; i < width; i += blockDim.x)
        out[row + i] = single(rounded(low(x[row + i]) * scale) * low(weight[i]));
}

// The exponential and the quotient are those of single precision, and the left half is rounded before it is multiplied.
extern "C" __global__ void layer_activation_single(u16 *out, const u16 *x, u32 width)
{
    for (u32 i = threadIdx.x; i < width; i += blockDim.x) {
        float gate = low(x[blockIdx.x * 2 * width + i]), up = low(x[blockIdx.x * 2 * width + width + i]);
        out[blockIdx.x * width + i] = single(rounded(gate / (1 + expf(-gate))) * up);
    }
}

// Turns the pair of number i of the heads that begin at x. Every step is rounded.
static __device__ void turn_pair(u16 *x, const u16 *turn, u32 i, u32 half)
{
    u16 *head = x + i / half * 2 * half;
    u32 at = i % half;
    float a = low(head[at]), b = low(head[half + at]), c = low(turn[at]), s = low(turn[half + at]);
    head[at] = single(rounded(a * c) - rounded(b * s));
    head[half + at] = single(rounded(b * c) + rounded(a * s));
}

// As layer_rotary, first the queries' heads and then the keys', at positions of 64 bits.
extern "C" __global__ void layer_rotary_single(u16 *x, const u16 *turns, const u64 *positions, u32 heads, u32 kv_heads,
                                               u32 half, u32 step)
{
    const u16 *turn = turns + positions[blockIdx.x] * 2 * half;
    u16 *row = x + (u64)blockIdx.x * step;
    for (u32 i = threadIdx.x; i < heads * half; i += blockDim.x)
        turn_pair(row, turn, i, half);
    row += heads * 2 * half;
    for (u32 i = threadIdx.x; i < kv_heads * half; i += blockDim.x)
        turn_pair(row, turn, i, half);
}
