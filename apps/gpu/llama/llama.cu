// SPDX-License-Identifier: BSD-3-Clause
// nvcc sm_80
// The kernels of a layer of LLaMA over a prompt (Touvron et al., 2023): RMSNorm, projections, rotary embedding, causal
// attention, SwiGLU. Products are of halves by tensor cores, in tiles of 128 x 128, four warps of 64 x 64 each; all
// sizes are multiples of 128. Numbers that go from layer to layer are floats. And what GPT-2 (Radford et al., 2019) has
// in their place: learned positions, LayerNorm, heads of 64 numbers, GELU.
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

enum { TILE = 128, DEPTH = 32, PITCH = DEPTH + 8, WIDE = TILE + 8, THREADS = 128 };

struct product {
    const __half *a, *b; // a: rows of k; b: as a, or, for values, rows of k by columns
    __half *c;           // or NULL: `sum` gets the product and `before`
    float *sum;
    const float *before;
    int k, lda, ldb, ldc;
    int batch_a, batch_b, batch_c; // from one head to the next
    float scale;
    int causal; // 1: of c only what is not above the diagonal; 2: a is zero above the diagonal
};

__device__ inline void bring(void *to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from));
}

// A tile of 128 lines along k: 4 vectors of 16 bytes a line, 4 of these for each thread.
__device__ inline void bring_lines(__half *tile, const __half *from, int pitch)
{
    int line = threadIdx.x / 4, at = threadIdx.x % 4 * 8;
#pragma unroll
    for (int n = 0; n < 4; n++)
        bring(tile + (line + n * 32) * PITCH + at, from + (size_t)(line + n * 32) * pitch + at);
}
// 32 lines of 128 columns, or of 64.
template <int WIDTH> __device__ inline void bring_columns(__half *tile, const __half *from, int pitch)
{
    enum { VECTORS = WIDTH / 8, LINES = THREADS / VECTORS };
    int line = threadIdx.x / VECTORS, at = threadIdx.x % VECTORS * 8;
#pragma unroll
    for (int n = 0; n < DEPTH / LINES; n++)
        bring(tile + (line + n * LINES) * WIDE + at, from + (size_t)(line + n * LINES) * pitch + at);
}

// Tiles of 128 rows and 128 columns, or 64: warps have 64 columns each, and 64 rows or 32.
template <bool COLUMNS, int WIDTH> __device__ inline void multiply(const product &p)
{
    enum { ROWS = WIDTH / 2 / 16 };
    __shared__ alignas(128) __half tile_a[2][TILE * PITCH], tile_b[2][COLUMNS ? DEPTH * WIDE : TILE * PITCH];
    int row = blockIdx.y * TILE, column = blockIdx.x * WIDTH, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (p.causal == 1 && column > row)
        return;
    const __half *a = p.a + (size_t)blockIdx.z * p.batch_a + (size_t)row * p.lda;
    const __half *b = p.b + (size_t)blockIdx.z * p.batch_b + (COLUMNS ? column : (size_t)column * p.ldb);
    int k = p.causal == 2 ? row + TILE : p.k, i = WIDTH == TILE ? warp % 2 * 64 : warp * 32,
        j = WIDTH == TILE ? warp / 2 * 64 : 0;
    size_t step = COLUMNS ? (size_t)DEPTH * p.ldb : DEPTH;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[ROWS][4];
#pragma unroll
    for (int m = 0; m < ROWS * 4; m++)
        wmma::fill_fragment(sum[m / 4][m % 4], 0.0f);
    bring_lines(tile_a[0], a, p.lda);
    if (COLUMNS)
        bring_columns<WIDTH>(tile_b[0], b, p.ldb);
    else
        bring_lines(tile_b[0], b, p.ldb);
    for (int at = DEPTH, turn = 0; at <= k; at += DEPTH, turn ^= 1) {
        asm volatile("cp.async.wait_all;" ::: "memory");
        __syncthreads();
        a += DEPTH, b += step;
        if (at < k) {
            bring_lines(tile_a[turn ^ 1], a, p.lda);
            if (COLUMNS)
                bring_columns<WIDTH>(tile_b[turn ^ 1], b, p.ldb);
            else
                bring_lines(tile_b[turn ^ 1], b, p.ldb);
        }
#pragma unroll
        for (int depth = 0; depth < DEPTH; depth += 16) {
            typedef typename std::conditional<COLUMNS, wmma::row_major, wmma::col_major>::type layout;
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa[ROWS];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, layout> fb[4];
#pragma unroll
            for (int m = 0; m < 4; m++) {
                if (m < ROWS)
                    wmma::load_matrix_sync(fa[m], tile_a[turn] + (i + m * 16) * PITCH + depth, PITCH);
                if (COLUMNS)
                    wmma::load_matrix_sync(fb[m], tile_b[turn] + depth * WIDE + j + m * 16, WIDE);
                else
                    wmma::load_matrix_sync(fb[m], tile_b[turn] + (j + m * 16) * PITCH + depth, PITCH);
            }
#pragma unroll
            for (int m = 0; m < ROWS * 4; m++)
                wmma::mma_sync(sum[m / 4][m % 4], fa[m / 4], fb[m % 4], sum[m / 4][m % 4]);
        }
    }
    __syncthreads();
    // Each warp by way of shared memory, so that what it writes is contiguous: two numbers a lane.
    float *staging = (float *)tile_a[0] + warp * 256;
#pragma unroll
    for (int m = 0; m < ROWS * 4; m++) {
        wmma::store_matrix_sync(staging, sum[m / 4][m % 4], 16, wmma::mem_row_major);
        __syncwarp();
        size_t base = (size_t)blockIdx.z * p.batch_c + (size_t)(row + i + m / 4 * 16) * p.ldc + column + j + m % 4 * 16;
#pragma unroll
        for (int n = 0; n < 4; n++) {
            int line = n * 4 + lane / 8, at = lane % 8 * 2;
            float2 v = *(const float2 *)&staging[line * 16 + at];
            size_t to = base + (size_t)line * p.ldc + at;
            if (p.c) {
                *(__half2 *)&p.c[to] = __floats2half2_rn(v.x * p.scale, v.y * p.scale);
            } else {
                float2 before = *(const float2 *)&p.before[to];
                *(float2 *)&p.sum[to] = make_float2(before.x + v.x, before.y + v.y);
            }
        }
        __syncwarp();
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) llama_product(product p) { multiply<false, 128>(p); }
extern "C" __global__ void __launch_bounds__(THREADS) llama_values(product p) { multiply<true, 128>(p); }
extern "C" __global__ void __launch_bounds__(THREADS) gpt2_values(product p) { multiply<true, 64>(p); }

__device__ inline float of_all(float value, bool largest)
{
    __shared__ float parts[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    for (int distance = 16; distance; distance /= 2) {
        float other = __shfl_xor_sync(~0u, value, distance);
        value = largest ? fmaxf(value, other) : value + other;
    }
    __syncthreads();
    if (lane == 0)
        parts[warp] = value;
    __syncthreads();
    value = parts[0];
    for (int w = 1; w < warps; w++)
        value = largest ? fmaxf(value, parts[w]) : value + parts[w];
    return value;
}

// A CTA for each row: its numbers by the root of their mean square, times a weight each.
extern "C" __global__ void __launch_bounds__(256) llama_norm(const float *x, const __half *weight, __half *to, int hidden)
{
    const float *row = x + (size_t)blockIdx.x * hidden;
    float squares = 0;
    for (int i = threadIdx.x; i < hidden; i += 256)
        squares += row[i] * row[i];
    float scale = rsqrtf(of_all(squares, false) / hidden + 1e-5f);
    for (int i = threadIdx.x; i < hidden; i += 256)
        to[(size_t)blockIdx.x * hidden + i] = __float2half_rn(row[i] * scale * __half2float(weight[i]));
}

// Turns pairs of numbers, of each head those that are half of it apart, by an angle for the place and the pair.
extern "C" __global__ void __launch_bounds__(256) llama_rotate(__half *q, __half *k, const float2 *turns, int hidden)
{
    __half *row = (blockIdx.y ? k : q) + (size_t)blockIdx.x * hidden;
    for (int i = threadIdx.x; i < hidden / 2; i += 256) {
        int at = i / 64 * 128 + i % 64;
        float2 turn = turns[blockIdx.x * 64 + i % 64];
        float a = __half2float(row[at]), b = __half2float(row[at + 64]);
        row[at] = __float2half_rn(a * turn.x - b * turn.y);
        row[at + 64] = __float2half_rn(b * turn.x + a * turn.y);
    }
}

// A CTA for each row of each head: exponentials of what is not above the diagonal, by their sum; zero up to the tile's end.
extern "C" __global__ void __launch_bounds__(128) llama_softmax(const __half *scores, __half *to, int tokens)
{
    size_t base = ((size_t)blockIdx.y * tokens + blockIdx.x) * tokens;
    int count = blockIdx.x + 1, end = (count + TILE - 1) / TILE * TILE;
    float largest = -1e30f, sum = 0;
    for (int i = threadIdx.x; i < count; i += 128)
        largest = fmaxf(largest, __half2float(scores[base + i]));
    largest = of_all(largest, true);
    for (int i = threadIdx.x; i < count; i += 128)
        sum += exp2f((__half2float(scores[base + i]) - largest) * 1.44269504f);
    sum = of_all(sum, false);
    for (int i = threadIdx.x; i < end; i += 128)
        to[base + i] = i < count ? __float2half_rn(exp2f((__half2float(scores[base + i]) - largest) * 1.44269504f) / sum)
                                 : __float2half_rn(0);
}

// gate * sigmoid(gate) * up
extern "C" __global__ void __launch_bounds__(256) llama_swiglu(const __half *gate, const __half *up, __half *to, int count)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= count)
        return;
    float g = __half2float(gate[i]);
    to[i] = __float2half_rn(g / (1 + exp2f(-1.44269504f * g)) * __half2float(up[i]));
}

// A CTA for each token: its word's numbers and its place's.
extern "C" __global__ void __launch_bounds__(256)
    gpt2_embed(const __half *words, const __half *places, const int *tokens, float *to, int hidden)
{
    const __half *word = words + (size_t)tokens[blockIdx.x] * hidden, *place = places + (size_t)blockIdx.x * hidden;
    for (int i = threadIdx.x; i < hidden; i += 256)
        to[(size_t)blockIdx.x * hidden + i] = __half2float(word[i]) + __half2float(place[i]);
}

// A CTA for each row: what its numbers are away from their mean, by their deviation, times a weight and with a shift each.
extern "C" __global__ void __launch_bounds__(256)
    gpt2_norm(const float *x, const __half *weight, const __half *shift, __half *to, int hidden)
{
    const float *row = x + (size_t)blockIdx.x * hidden;
    float sum = 0, squares = 0;
    for (int i = threadIdx.x; i < hidden; i += 256)
        sum += row[i];
    float mean = of_all(sum, false) / hidden;
    for (int i = threadIdx.x; i < hidden; i += 256)
        squares += (row[i] - mean) * (row[i] - mean);
    float scale = rsqrtf(of_all(squares, false) / hidden + 1e-5f);
    for (int i = threadIdx.x; i < hidden; i += 256)
        to[(size_t)blockIdx.x * hidden + i] =
            __float2half_rn((row[i] - mean) * scale * __half2float(weight[i]) + __half2float(shift[i]));
}

// x * sigmoid(2 * 0.79788456 * (x + 0.044715 x^3)), which is GELU by way of tanh
extern "C" __global__ void __launch_bounds__(256) gpt2_gelu(const __half *x, __half *to, int count)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= count)
        return;
    float v = __half2float(x[i]);
    to[i] = __float2half_rn(v / (1 + exp2f(-1.44269504f * 1.5957691216f * (v + 0.044715f * v * v * v))));
}
