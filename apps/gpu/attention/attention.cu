// SPDX-License-Identifier: BSD-3-Clause
// nvcc sm_90a
// Attention, forward, as Shah et al. describe it for Hopper (FlashAttention-3, 2024): o = softmax(q · k') · v for each
// head, where one thread feeds rings of tiles of k and v through the tensor memory accelerator, and warpgroups of 64 rows
// each multiply out of them. While the tensor cores make the next tile's q · k' and the last one's p · v, a warpgroup
// computes the exponentials of a tile; warpgroups take turns at the tensor cores. Blocks stay, and take tile after tile:
// queries and keys of the next one come while results of the last one are stored, out of where the values were.
// The tensors' dimensions are head dimension, sequence, and heads of all sequences.
#include "common/hopper.h"

enum { COLUMNS = 128 /* keys of a tile */, STAGES = 2, PIECE = 64 /* halves of a row of 128 bytes */ };
enum { TURN = 1 /* named barriers: of the turns, of the warpgroups' own, and of all of them */, OWN = 4, ALL = 7 };

struct place { // of a tile of queries
    u32 first_row, head, blocks;
};

// What is computed: heads of all sequences, `section` of which have keys and values that the L2 holds together.
struct work {
    u32 sequence, heads, section;
    bool causal;
};

// A section's tiles with more keys come first, so that what is left at the end is small.
template <u32 ROWS> static __device__ place place_of(u32 tile, work w)
{
    u32 tiles = (w.sequence + ROWS - 1) / ROWS, first = tile / (w.section * tiles) * w.section;
    u32 wide = w.heads - first < w.section ? w.heads - first : w.section;
    place at;
    tile -= first * tiles;
    at.head = first + tile % wide;
    at.first_row = (tiles - 1 - tile / wide) * ROWS;
    u32 keys = w.causal && at.first_row + ROWS < w.sequence ? at.first_row + ROWS : w.sequence;
    at.blocks = (keys + COLUMNS - 1) / COLUMNS;
    return at;
}

// The barriers: full ones of k, of v; empty ones of k, of v; full and empty of q; results have been read.
enum {
    FULL_K,
    FULL_V = STAGES,
    EMPTY_K = 2 * STAGES,
    EMPTY_V = 3 * STAGES,
    FULL_Q = 4 * STAGES,
    EMPTY_Q,
    EMPTY_O,
    BARRIERS
};

template <u32 D, u32 GROUPS> struct layout {
    static const u32 rows = 64 * GROUPS, q_bytes = rows * D * 2, tile = COLUMNS * D * 2;
    static const u32 q = 0, k = q_bytes, v = k + STAGES * tile;
};

// ===== the loading warp =====

template <u32 D>
static __device__ void load_tile(u32 to, u32 rows, const tensor_map *map, u32 row, u32 head, u32 barrier)
{
    for (u32 i = 0; i < D / PIECE; i++)
        load_box3(to + i * rows * 128, map, i * PIECE, row, head, barrier);
}

template <u32 D, u32 GROUPS>
static __device__ void produce(const tensor_map *q, const tensor_map *k, const tensor_map *v, u32 shared, u32 barriers,
                               work w)
{
    typedef layout<D, GROUPS> at;
    u32 tiles = (w.sequence + at::rows - 1) / at::rows * w.heads, stage = 0, phase = 0, round = 0;
    for (u32 tile = blockIdx.x; tile < tiles; tile += gridDim.x, round++) {
        place p = place_of<at::rows>(tile, w);
        wait(barriers + 8 * EMPTY_Q, (round & 1) ^ 1);
        arrive_expect(barriers + 8 * FULL_Q, at::q_bytes);
        for (u32 group = 0; group < GROUPS; group++)
            load_tile<D>(shared + at::q + group * 64 * D * 2, 64, q, p.first_row + group * 64, p.head,
                         barriers + 8 * FULL_Q);
        for (u32 block = p.blocks; block-- > 0;) {
            wait(barriers + 8 * (EMPTY_K + stage), phase ^ 1);
            arrive_expect(barriers + 8 * (FULL_K + stage), at::tile);
            load_tile<D>(shared + at::k + stage * at::tile, COLUMNS, k, block * COLUMNS, p.head,
                         barriers + 8 * (FULL_K + stage));
            wait(barriers + 8 * EMPTY_O, round & 1);
            wait(barriers + 8 * (EMPTY_V + stage), phase ^ 1);
            arrive_expect(barriers + 8 * (FULL_V + stage), at::tile);
            load_tile<D>(shared + at::v + stage * at::tile, COLUMNS, v, block * COLUMNS, p.head,
                         barriers + 8 * (FULL_V + stage));
            stage = stage + 1 == STAGES ? 0 : stage + 1;
            phase ^= stage == 0;
        }
    }
}

// ===== products =====

// o += p · v for 16 keys: p in registers, v as it lies, keys across its rows.
static __device__ void add_values(float (&d)[64], const u32 *p, u64 b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" WORDS_64
                 "}, {%64, %65, %66, %67}, %68, 1, 1, 1, 1;"
                 : SUMS_64(d, 0)
                 : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "l"(b));
}

static __device__ void add_values(float (&d)[32], const u32 *p, u64 b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" WORDS_32
                 "}, {%32, %33, %34, %35}, %36, 1, 1, 1, 1;"
                 : SUMS_32(d, 0)
                 : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "l"(b));
}

// s = q · k'
template <u32 D> static __device__ void scores(float (&s)[64], u32 q, u32 k)
{
    product_begin();
#pragma unroll
    for (u32 i = 0; i < D / 16; i++) {
        u32 along = i % 4 * 32;
        multiply_halves(s, descriptor(q + i / 4 * 64 * 128 + along), descriptor(k + i / 4 * COLUMNS * 128 + along), i);
    }
    product_commit();
}

template <u32 D> static __device__ void values(float (&o)[D / 2], const u32 (&p)[32], u32 v)
{
    product_begin();
#pragma unroll
    for (u32 i = 0; i < COLUMNS / 16; i++)
        add_values(o, p + 4 * i, descriptor(v + i * 16 * 128, COLUMNS * 128));
    product_commit();
}

// ===== softmax: of two rows in each thread =====

struct softmax {
    float most[2], sum[2];
};

static __device__ float fast_exp2(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

static __device__ float over_row(float x, bool greatest) // the four threads that hold a row
{
#pragma unroll
    for (u32 i = 1; i < 4; i *= 2) {
        float other = __shfl_xor_sync(0xffffffff, x, i);
        x = greatest ? fmaxf(x, other) : x + other;
    }
    return x;
}

// Scores become exponentials, relative to the greatest score so far; `scales` is what older sums are multiplied by.
static __device__ void exponentials(float (&s)[64], softmax &soft, float scale, float (&scales)[2])
{
#pragma unroll
    for (u32 half = 0; half < 2; half++) {
        float most = soft.most[half], sum = 0;
#pragma unroll
        for (u32 i = 0; i < 64; i++)
            if (i / 2 % 2 == half)
                most = fmaxf(most, s[i]);
        most = over_row(most, true);
        scales[half] = fast_exp2((soft.most[half] - most) * scale);
        soft.most[half] = most;
#pragma unroll
        for (u32 i = 0; i < 64; i++)
            if (i / 2 % 2 == half) {
                s[i] = fast_exp2(s[i] * scale - most * scale);
                sum += s[i];
            }
        soft.sum[half] = soft.sum[half] * scales[half] + sum;
    }
}

static __device__ void mask_scores(float (&s)[64], u32 row, u32 column)
{
#pragma unroll
    for (u32 i = 0; i < 64; i++)
        if (column + i / 4 * 8 + i % 2 > row + i / 2 % 2 * 8)
            s[i] = -1e30f;
}

static __device__ u32 pair_of(float low, float high)
{
    u32 pair;
    asm("cvt.rn.f16x2.f32 %0, %2, %1;" : "=r"(pair) : "f"(low), "f"(high));
    return pair;
}

static __device__ void narrow(u32 (&p)[32], const float (&s)[64])
{
#pragma unroll
    for (u32 i = 0; i < 32; i++)
        p[i] = pair_of(s[2 * i], s[2 * i + 1]);
}

template <u32 count> static __device__ void scale_sums(float (&o)[count], const float (&scales)[2])
{
#pragma unroll
    for (u32 i = 0; i < count; i++)
        o[i] *= scales[i / 2 % 2];
}

// ===== a warpgroup =====

// Warpgroups take turns: a warpgroup gives its products to the tensor cores when the one before it has done so.
template <u32 GROUPS> static __device__ void take_turn(u32 group)
{
    named_sync(TURN + group, 256);
}

template <u32 GROUPS> static __device__ void give_turn(u32 group)
{
    named_arrive(TURN + (group + 1) % GROUPS, 256);
}

// Keys of a stage have been multiplied; behind the tile's last ones, its queries, too.
static __device__ void let_go(u32 barriers, u32 stage, bool last)
{
    arrive(barriers + 8 * (EMPTY_K + stage));
    if (last)
        arrive(barriers + 8 * EMPTY_Q);
}

// The rows' results go to where values were that nobody needs any more, and from there to memory.
template <u32 D>
static __device__ void store_rows(const float (&o)[D / 2], const softmax &soft, u32 place, const tensor_map *map,
                                  u32 row, u32 head, u32 group)
{
    u32 thread = threadIdx.x % 128, matrix = thread % 32 / 8, inner = thread / 32 * 16 + thread % 8 + matrix % 2 * 8;
    float over[2] = {1 / soft.sum[0], 1 / soft.sum[1]};
#pragma unroll
    for (u32 i = 0; i < D / 2; i += 8) { // two matrices of 8 by 8 above each other, and the next two columns of them
        u32 chunk = i / 4 % 8 + matrix / 2;
        u32 to = place + i / 32 * 64 * 128 + inner * 128 + ((chunk ^ inner % 8) * 16);
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to),
                     "r"(pair_of(o[i] * over[0], o[i + 1] * over[0])),
                     "r"(pair_of(o[i + 2] * over[1], o[i + 3] * over[1])),
                     "r"(pair_of(o[i + 4] * over[0], o[i + 5] * over[0])),
                     "r"(pair_of(o[i + 6] * over[1], o[i + 7] * over[1]))
                     : "memory");
    }
    fence_async();
    named_sync(OWN + group, 128);
    if (thread == 0) {
        for (u32 i = 0; i < D / PIECE; i++)
            store_box3(place + i * 64 * 128, map, i * PIECE, row, head);
        store_commit();
    }
}

template <u32 D, u32 GROUPS>
static __device__ void consume(const tensor_map *out, float *logs, u32 shared, u32 barriers, work w, float scale)
{
    typedef layout<D, GROUPS> at;
    u32 group = threadIdx.x / 128 - 1, thread = threadIdx.x % 128;
    u32 tiles = (w.sequence + at::rows - 1) / at::rows * w.heads, stage = 0, phase = 0, round = 0;
    u32 q = shared + at::q + group * 64 * D * 2, results = shared + at::v + group * 64 * D * 2;
    if (group == GROUPS - 1)
        give_turn<GROUPS>(group);
    for (u32 tile = blockIdx.x; tile < tiles; tile += gridDim.x, round++) {
        place p = place_of<at::rows>(tile, w);
        u32 row = p.first_row + group * 64 + thread / 32 * 16 + thread % 32 / 4, column = thread % 4 * 2;
        u32 first = p.first_row + group * 64; // keys behind it are masked
        float o[D / 2], s[64], scales[2];
        u32 pairs[32];
        softmax soft = {{-1e30f, -1e30f}, {0, 0}};
#pragma unroll
        for (u32 i = 0; i < D / 2; i++)
            o[i] = 0;
        if (thread == 0) {
            store_wait_read<0>();
            arrive(barriers + 8 * EMPTY_O);
        }
        wait(barriers + 8 * FULL_Q, round & 1);
        wait(barriers + 8 * (FULL_K + stage), phase);
        take_turn<GROUPS>(group);
        scores<D>(s, q, shared + at::k + stage * at::tile);
        give_turn<GROUPS>(group);
        product_wait<0>();
        keep(s);
        u32 block = p.blocks - 1;
        if (thread == 0)
            let_go(barriers, stage, block == 0);
        if (w.causal && (block + 1) * COLUMNS - 1 > first)
            mask_scores(s, row, block * COLUMNS + column);
        exponentials(s, soft, scale, scales);
        narrow(pairs, s);
        while (block-- > 0) {
            u32 next = stage + 1 == STAGES ? 0 : stage + 1, next_phase = phase ^ (next == 0);
            wait(barriers + 8 * (FULL_K + next), next_phase);
            take_turn<GROUPS>(group);
            scores<D>(s, q, shared + at::k + next * at::tile);
            wait(barriers + 8 * (FULL_V + stage), phase);
            values<D>(o, pairs, shared + at::v + stage * at::tile);
            give_turn<GROUPS>(group);
            product_wait<1>();
            keep(s);
            if (thread == 0)
                let_go(barriers, next, block == 0);
            if (w.causal && (block + 1) * COLUMNS - 1 > first)
                mask_scores(s, row, block * COLUMNS + column);
            exponentials(s, soft, scale, scales);
            product_wait<0>();
            keep(o);
            if (thread == 0)
                arrive(barriers + 8 * (EMPTY_V + stage));
            scale_sums(o, scales);
            narrow(pairs, s);
            stage = next;
            phase = next_phase;
        }
        wait(barriers + 8 * (FULL_V + stage), phase);
        values<D>(o, pairs, shared + at::v + stage * at::tile);
        product_wait<0>();
        keep(o);
        if (thread == 0)
            arrive(barriers + 8 * (EMPTY_V + stage));
        stage = stage + 1 == STAGES ? 0 : stage + 1;
        phase ^= stage == 0;
        for (u32 half = 0; half < 2; half++) {
            soft.sum[half] = over_row(soft.sum[half], false);
            if (thread % 4 == 0 && row + half * 8 < w.sequence)
                logs[(u64)p.head * w.sequence + row + half * 8] =
                    soft.most[half] * scale * 0.693147181f + log_approx(soft.sum[half]);
        }
        named_sync(ALL, 128 * GROUPS);
        store_rows<D>(o, soft, results, out, first, p.head, group);
    }
    if (thread == 0)
        store_wait();
    if (group == 0) // takes the turn that nobody wants any more
        take_turn<GROUPS>(group);
}

template <u32 D, u32 GROUPS>
static __device__ void attention(const tensor_map *q, const tensor_map *k, const tensor_map *v, const tensor_map *out,
                                 float *logs, work w, float scale)
{
    extern __shared__ __align__(1024) u8 tiles[];
    __shared__ u64 words[BARRIERS];
    u32 barriers = shared_address(words);
    if (threadIdx.x == 0) {
        for (u32 i = 0; i < BARRIERS; i++)
            barrier_init(barriers + 8 * i, (i >= EMPTY_K && i < FULL_Q) || i >= EMPTY_Q ? GROUPS : 1);
        barrier_init_done();
    }
    __syncthreads();
    if (threadIdx.x < 128) {
        if (GROUPS == 2)
            REGISTERS_DEC(24);
        else
            REGISTERS_DEC(32);
        if (threadIdx.x == 0)
            produce<D, GROUPS>(q, k, v, shared_address(tiles), barriers, w);
    } else {
        if (GROUPS == 2)
            REGISTERS_INC(240);
        else
            REGISTERS_INC(160);
        consume<D, GROUPS>(out, logs, shared_address(tiles), barriers, w, scale);
    }
}

#define KERNEL(name, d, groups)                                                                                        \
    extern "C" __global__ void __launch_bounds__(128 * (groups + 1), 1)                                                \
        name(const __grid_constant__ tensor_map q, const __grid_constant__ tensor_map k,                               \
             const __grid_constant__ tensor_map v, const __grid_constant__ tensor_map out, float *logs, u32 sequence,  \
             u32 heads, u32 section, u32 causal, float scale)                                                          \
    {                                                                                                                  \
        work w = {sequence, heads, section, causal != 0};                                                              \
        attention<d, groups>(&q, &k, &v, &out, logs, w, scale);                                                        \
    }
KERNEL(attention_64, 64, 3)
KERNEL(attention_128, 128, 2)
