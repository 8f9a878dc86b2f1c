// SPDX-License-Identifier: BSD-3-Clause
// nvcc sm_80
// Kernels of a transformer layer beside its products, in bfloat16 as serving systems divide them into launches: one
// block
// for each token, or 16 bytes for each thread. Attention of one query reads its cache in parts, which a second kernel
// joins; attention of a prompt holds 64 queries in a block and multiplies by `mma`.
#include "common/device.h"

struct vector { // eight numbers of bfloat16
    u32 x, y, z, w;
};

static __device__ vector load(const u16 *from)
{
    vector v;
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(from));
    return v;
}

static __device__ void store(u16 *to, vector v)
{
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w));
}

static __device__ float low(u32 pair)
{
    return __uint_as_float(pair << 16);
}

static __device__ float high(u32 pair)
{
    return __uint_as_float(pair & 0xffff0000);
}

static __device__ u32 pair_of(float lower, float upper)
{
    u32 pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(upper), "f"(lower));
    return pair;
}

static __device__ void widen(float (&to)[8], vector v)
{
    const u32 pairs[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (u32 i = 0; i < 4; i++) {
        to[2 * i] = low(pairs[i]);
        to[2 * i + 1] = high(pairs[i]);
    }
}

static __device__ vector narrow(const float (&from)[8])
{
    return {pair_of(from[0], from[1]), pair_of(from[2], from[3]), pair_of(from[4], from[5]), pair_of(from[6], from[7])};
}

static __device__ float sum_of_warp(float x)
{
#pragma unroll
    for (u32 i = 16; i; i /= 2)
        x += __shfl_xor_sync(0xffffffff, x, i);
    return x;
}

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

// Puts a token's keys and values where its slot in the cache says: a block for each token, `width` numbers of each.
extern "C" __global__ void layer_cache(u16 *keys, u16 *values, const u16 *k, const u16 *v, const u32 *slots, u32 width)
{
    u64 from = (u64)blockIdx.x * width, to = (u64)slots[blockIdx.x] * width;
    for (u32 i = threadIdx.x * 8; i < width; i += blockDim.x * 8) {
        store(keys + to + i, load(k + from + i));
        store(values + to + i, load(v + from + i));
    }
}

// ===== attention of one query of each sequence =====

enum { WARPS = 4, AT_ONCE = 4 /* keys that a half or a quarter of a warp has on their way */, MOST_QUERIES = 8 };

// What a group of lanes has of a query's softmax: the greatest score, the sum of exponentials, and 8 numbers of the
// result.
struct part {
    float most, sum, values[8];
};

static __device__ void join(part &to, const part &from)
{
    float most = max_f(to.most, from.most), a = ex2_approx(to.most - most), b = ex2_approx(from.most - most);
    to.most = most;
    to.sum = to.sum * a + from.sum * b;
#pragma unroll
    for (u32 i = 0; i < 8; i++)
        to.values[i] = to.values[i] * a + from.values[i] * b;
}

template <u32 D, u32 QUERIES>
static __device__ void add_keys(part (&parts)[QUERIES], const float (&q)[QUERIES][8], const vector (&k)[AT_ONCE],
                                const vector (&v)[AT_ONCE], const bool (&there)[AT_ONCE])
{
    float scores[AT_ONCE][QUERIES];
#pragma unroll
    for (u32 i = 0; i < AT_ONCE; i++) {
        float key[8];
        widen(key, k[i]);
#pragma unroll
        for (u32 j = 0; j < QUERIES; j++) {
            float score = 0;
#pragma unroll
            for (u32 l = 0; l < 8; l++)
                score += q[j][l] * key[l];
#pragma unroll
            for (u32 l = D / 16; l; l /= 2)
                score += __shfl_xor_sync(0xffffffff, score, l);
            scores[i][j] = there[i] ? score : -1e30f;
        }
    }
#pragma unroll
    for (u32 j = 0; j < QUERIES; j++) {
        float most = parts[j].most;
#pragma unroll
        for (u32 i = 0; i < AT_ONCE; i++)
            most = max_f(most, scores[i][j]);
        float scale = ex2_approx(parts[j].most - most);
        parts[j].most = most;
        parts[j].sum *= scale;
#pragma unroll
        for (u32 l = 0; l < 8; l++)
            parts[j].values[l] *= scale;
    }
#pragma unroll
    for (u32 i = 0; i < AT_ONCE; i++) {
        float value[8];
        widen(value, v[i]);
#pragma unroll
        for (u32 j = 0; j < QUERIES; j++) {
            float weight = there[i] ? ex2_approx(scores[i][j] - parts[j].most) : 0;
            parts[j].sum += weight;
#pragma unroll
            for (u32 l = 0; l < 8; l++)
                parts[j].values[l] += weight * value[l];
        }
    }
}

// The context of a sequence lies as [context][kv_heads][D] of keys, and of values; a block has one head of the
// cache, all
// QUERIES heads that look at it, and `keys` keys. Results: of one part q's place in `out`, else parts for layer_join.
template <u32 D, u32 QUERIES>
static __device__ void decode(u16 *out, float *parts_out, const u16 *q, const u16 *k, const u16 *v, u32 context,
                              u32 kv_heads, u32 keys, float scale)
{
    const u32 lanes = D / 8, groups = 32 / lanes * WARPS, group = threadIdx.x / lanes, lane = threadIdx.x % lanes;
    __shared__ part kept[WARPS * 32 / (D / 8)][D / 8];
    u32 head = blockIdx.x, split = blockIdx.y, sequence = blockIdx.z, heads = kv_heads * QUERIES;
    u32 first = split * keys, end = first + keys < context ? first + keys : context;
    u64 step = (u64)kv_heads * D, base = ((u64)sequence * context * kv_heads + head) * D + lane * 8;
    float queries[QUERIES][8];
    part parts[QUERIES];
#pragma unroll
    for (u32 j = 0; j < QUERIES; j++) {
        widen(queries[j], load(q + ((u64)sequence * heads + head * QUERIES + j) * D + lane * 8));
        parts[j].most = -1e30f;
        parts[j].sum = 0;
#pragma unroll
        for (u32 l = 0; l < 8; l++) {
            queries[j][l] *= scale;
            parts[j].values[l] = 0;
        }
    }
    for (u32 key = first + group; key - group < end; key += groups * AT_ONCE) {
        vector of_k[AT_ONCE], of_v[AT_ONCE];
        bool there[AT_ONCE];
#pragma unroll
        for (u32 i = 0; i < AT_ONCE; i++) {
            u32 at = key + i * groups;
            there[i] = at < end;
            of_k[i] = load(k + base + (there[i] ? at : first) * step);
            of_v[i] = load(v + base + (there[i] ? at : first) * step);
        }
        add_keys<D, QUERIES>(parts, queries, of_k, of_v, there);
    }
#pragma unroll
    for (u32 j = 0; j < QUERIES; j++) {
        __syncthreads();
        kept[group][lane] = parts[j];
        __syncthreads();
        if (group)
            continue;
        for (u32 i = 1; i < groups; i++)
            join(parts[j], kept[i][lane]);
        u64 row = (u64)sequence * heads + head * QUERIES + j;
        if (gridDim.y == 1) {
#pragma unroll
            for (u32 l = 0; l < 8; l++)
                parts[j].values[l] /= parts[j].sum;
            store(out + row * D + lane * 8, narrow(parts[j].values));
            continue;
        }
        float *to = parts_out + (row * gridDim.y + split) * (D + 2);
#pragma unroll
        for (u32 l = 0; l < 8; l++)
            to[2 + lane * 8 + l] = parts[j].values[l];
        if (lane == 0) {
            to[0] = parts[j].most;
            to[1] = parts[j].sum;
        }
    }
}

// A block of D threads for each query.
extern "C" __global__ void layer_join(u16 *out, const float *parts, u32 splits)
{
    u32 d = blockDim.x;
    const float *from = parts + (u64)blockIdx.x * splits * (d + 2);
    float most = -1e30f, sum = 0, value = 0;
    for (u32 i = 0; i < splits; i++)
        most = max_f(most, from[i * (d + 2)]);
    for (u32 i = 0; i < splits; i++) {
        float scale = ex2_approx(from[i * (d + 2)] - most);
        sum += from[i * (d + 2) + 1] * scale;
        value += from[i * (d + 2) + 2 + threadIdx.x] * scale;
    }
    out[(u64)blockIdx.x * d + threadIdx.x] = (u16)pair_of(value / sum, 0);
}

#define DECODE(D, QUERIES)                                                                                             \
    extern "C" __global__ void __launch_bounds__(WARPS * 32)                                                           \
        layer_decode_##D##_##QUERIES(u16 *out, float *parts, const u16 *q, const u16 *k, const u16 *v, u32 context,    \
                                     u32 kv_heads, u32 keys, float scale)                                              \
    {                                                                                                                  \
        decode<D, QUERIES>(out, parts, q, k, v, context, kv_heads, keys, scale);                                       \
    }
DECODE(64, 1)
DECODE(64, 2)
DECODE(64, 4)
DECODE(64, 8)
DECODE(128, 1)
DECODE(128, 2)
DECODE(128, 4)
DECODE(128, 8)

// ===== attention of prompts =====

enum { ROWS = 64, KEYS = 64 };

static __device__ u32 shared_place(const void *at)
{
    return (u32)__cvta_generic_to_shared(at);
}

// A tile of rows in shared memory: 16 bytes in column c of row r lie at column c ^ (r % 8), without conflicts.
template <u32 D> static __device__ u32 place(u32 tile, u32 row, u32 column)
{
    return tile + row * D * 2 + ((column ^ (row % 8)) * 16);
}

// Rows from `first` on, zeros behind `rows`.
template <u32 D> static __device__ void copy_tile(u32 tile, const u16 *from, u64 step, u32 first, u32 rows)
{
    for (u32 i = threadIdx.x; i < KEYS * D / 8; i += WARPS * 32) {
        u32 row = i / (D / 8), column = i % (D / 8), bytes = first + row < rows ? 16 : 0;
        const u16 *at = from + (bytes ? first + row : 0) * step + column * 8;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(place<D>(tile, row, column)), "l"(at),
                     "r"(bytes));
    }
    asm volatile("cp.async.commit_group;");
}

static __device__ void load_matrices(u32 (&to)[4], u32 from)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from));
}

static __device__ void load_turned(u32 (&to)[4], u32 from)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from));
}

static __device__ void multiply(float (&d)[4], const u32 (&a)[4], u32 b0, u32 b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

static __device__ float over_row(float x, bool greatest) // four lanes hold a row
{
#pragma unroll
    for (u32 i = 1; i < 4; i *= 2) {
        float other = __shfl_xor_sync(0xffffffff, x, i);
        x = greatest ? max_f(x, other) : x + other;
    }
    return x;
}

// Softmax of 16 rows of a warp, two in each lane: scores become exponentials, `out` is scaled.
template <u32 D>
static __device__ void exponentials(float (&s)[KEYS / 8][4], float (&out)[D / 8][4], float (&most)[2], float (&sum)[2])
{
#pragma unroll
    for (u32 row = 0; row < 2; row++) {
        float greatest = most[row], added = 0;
#pragma unroll
        for (u32 i = 0; i < KEYS / 8; i++)
            greatest = max_f(greatest, max_f(s[i][2 * row], s[i][2 * row + 1]));
        greatest = over_row(greatest, true);
        float scale = ex2_approx(most[row] - greatest);
        most[row] = greatest;
#pragma unroll
        for (u32 i = 0; i < KEYS / 8; i++) {
            s[i][2 * row] = ex2_approx(s[i][2 * row] - greatest);
            s[i][2 * row + 1] = ex2_approx(s[i][2 * row + 1] - greatest);
            added += s[i][2 * row] + s[i][2 * row + 1];
        }
        sum[row] = sum[row] * scale + added;
#pragma unroll
        for (u32 i = 0; i < D / 8; i++) {
            out[i][2 * row] *= scale;
            out[i][2 * row + 1] *= scale;
        }
    }
}

// A block of 64 queries of a head; those at the end of the sequence, with the most keys, come first. Queries follow
// `cached` keys of their sequence.
template <u32 D>
static __device__ void prefill(u16 *out, const u16 *q, const u16 *k, const u16 *v, u32 queries, u32 cached, u32 heads,
                               u32 kv_heads, float scale)
{
    extern __shared__ __align__(1024) u8 memory[];
    const u32 tile = KEYS * D * 2, at_q = shared_place(memory), at_k = at_q + tile, at_v = at_k + 2 * tile;
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, head = blockIdx.x, sequence = blockIdx.z;
    const u32 first = (gridDim.y - 1 - blockIdx.y) * ROWS, keys = cached + queries;
    u64 q_step = (u64)heads * D, k_step = (u64)kv_heads * D;
    const u16 *of_q = q + (u64)sequence * queries * q_step + head * D;
    u64 cache = (u64)sequence * keys * k_step + head / (heads / kv_heads) * D;
    u32 end = cached + first + ROWS < keys ? cached + first + ROWS : keys, tiles = (end + KEYS - 1) / KEYS;
    float o[D / 8][4] = {}, most[2] = {-1e30f, -1e30f}, sum[2] = {0, 0};
    u32 rows[D / 16][4];
    copy_tile<D>(at_q, of_q, q_step, first, queries);
    copy_tile<D>(at_k, k + cache, k_step, 0, keys);
    copy_tile<D>(at_v, v + cache, k_step, 0, keys);
    for (u32 t = 0; t < tiles; t++) {
        u32 now = t % 2 * tile, then = tile - now;
        if (t + 1 < tiles) {
            copy_tile<D>(at_k + then, k + cache, k_step, (t + 1) * KEYS, keys);
            copy_tile<D>(at_v + then, v + cache, k_step, (t + 1) * KEYS, keys);
            asm volatile("cp.async.wait_group 2;");
        } else {
            asm volatile("cp.async.wait_group 0;");
        }
        __syncthreads();
        if (t == 0) {
#pragma unroll
            for (u32 i = 0; i < D / 16; i++)
                load_matrices(rows[i], place<D>(at_q, warp * 16 + lane % 16, 2 * i + lane / 16));
        }
        float s[KEYS / 8][4] = {};
#pragma unroll
        for (u32 i = 0; i < D / 16; i++) {
#pragma unroll
            for (u32 j = 0; j < KEYS / 16; j++) {
                u32 b[4];
                load_matrices(b, place<D>(at_k + now, j * 16 + lane / 16 * 8 + lane % 8, 2 * i + lane / 8 % 2));
                multiply(s[2 * j], rows[i], b[0], b[1]);
                multiply(s[2 * j + 1], rows[i], b[2], b[3]);
            }
        }
        u32 row = cached + first + warp * 16 + lane / 4, column = t * KEYS + lane % 4 * 2;
        bool whole = (t + 1) * KEYS <= cached + first + warp * 16 + 1;
#pragma unroll
        for (u32 i = 0; i < KEYS / 8; i++) {
#pragma unroll
            for (u32 j = 0; j < 4; j++)
                s[i][j] = whole || column + i * 8 + j % 2 <= row + j / 2 * 8 ? s[i][j] * scale : -1e30f;
        }
        exponentials<D>(s, o, most, sum);
#pragma unroll
        for (u32 i = 0; i < KEYS / 16; i++) {
            u32 a[4] = {pair_of(s[2 * i][0], s[2 * i][1]), pair_of(s[2 * i][2], s[2 * i][3]),
                        pair_of(s[2 * i + 1][0], s[2 * i + 1][1]), pair_of(s[2 * i + 1][2], s[2 * i + 1][3])};
#pragma unroll
            for (u32 j = 0; j < D / 16; j++) {
                u32 b[4];
                load_turned(b, place<D>(at_v + now, i * 16 + lane % 16, 2 * j + lane / 16));
                multiply(o[2 * j], a, b[0], b[1]);
                multiply(o[2 * j + 1], a, b[2], b[3]);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (u32 half = 0; half < 2; half++) {
        u32 row = first + warp * 16 + lane / 4 + half * 8;
        float over = 1 / over_row(sum[half], false);
        if (row >= queries)
            continue;
        u16 *to = out + (u64)sequence * queries * q_step + row * q_step + head * D + lane % 4 * 2;
#pragma unroll
        for (u32 i = 0; i < D / 8; i++)
            *(u32 *)(to + i * 8) = pair_of(o[i][2 * half] * over, o[i][2 * half + 1] * over);
    }
}

#define PREFILL(D)                                                                                                     \
    extern "C" __global__ void __launch_bounds__(WARPS * 32)                                                           \
        layer_prefill_##D(u16 *out, const u16 *q, const u16 *k, const u16 *v, u32 queries, u32 cached, u32 heads,      \
                          u32 kv_heads, float scale)                                                                   \
    {                                                                                                                  \
        prefill<D>(out, q, k, v, queries, cached, heads, kv_heads, scale);                                             \
    }
PREFILL(64)
PREFILL(128)
