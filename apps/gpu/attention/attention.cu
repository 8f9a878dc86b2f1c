// SPDX-License-Identifier: BSD-3-Clause
// nvcc sm_90a
// Attention, forward, as Shah et al. describe it for Hopper (FlashAttention-3, 2024): o = softmax(q · k') · v for each
// head, where one thread feeds rings of tiles of k and v through the tensor memory accelerator, and warpgroups of 64 rows
// each multiply out of them. While the tensor cores make the next tile's q · k' and the last one's p · v, a warpgroup
// computes the exponentials of a tile; warpgroups take turns at the tensor cores. Blocks stay, and take tile after tile:
// queries and keys of the next one come while results of the last one are stored, out of where the values were.
// Dimensions of the tensors are head dimension, heads of a sequence, sequence, and sequences; tiles have the sizes that
// FlashAttention-3 takes. Where a tile has 192 keys, what is multiplied with the values goes through shared memory, for
// registers do not hold it; blocks of a cluster have the same head, and each loads half of its keys and values for both.
#include "common/hopper.h"

enum { STAGES = 2, PIECE = 64 /* halves of a row of 128 bytes */ };
enum { TURN = 1 /* named barriers: of the turns, of the warpgroups' own, and of all of them */, OWN = 4, ALL = 7 };

// What a kernel is for: the head's dimension, warpgroups of 64 rows each, keys of a tile, blocks of a cluster, and
// whether queries see no keys behind them, and exponentials go through shared memory; and where all lies there, which
// attention.c knows, too.
template <u32 DIMENSION, u32 WARPGROUPS, u32 COLUMNS, u32 CLUSTER, bool CAUSAL, bool THROUGH_MEMORY> struct form {
    static const u32 d = DIMENSION, groups = WARPGROUPS, keys = COLUMNS, blocks = CLUSTER, rows = 64 * groups;
    static const bool causal = CAUSAL, through_memory = THROUGH_MEMORY;
    static const u32 q_bytes = rows * d * 2, tile = keys * d * 2;
    static const u32 q = 0, k = q_bytes, v = k + STAGES * tile, p = v + STAGES * tile, p_bytes = 64 * keys * 2;
};

// What is computed: `heads` of each sequence, `section` of all of which have keys and values that the L2 holds together.
struct work {
    u32 sequence, heads, all, section;
};

struct place { // of a tile of queries
    u32 first_row, head, sequence, blocks;
};

template <typename F> static __device__ u32 rank_of()
{
    return F::blocks > 1 ? cluster_rank() : 0;
}

// Tiles of a head, in clusters of blocks that lie below one another.
template <typename F> static __device__ u32 tiles_of(work w)
{
    return (w.sequence + F::rows * F::blocks - 1) / (F::rows * F::blocks);
}

// A section's tiles with more keys come first, so that what is left at the end is small.
template <typename F> static __device__ place place_of(u32 tile, work w)
{
    u32 tiles = tiles_of<F>(w), first = tile / (w.section * tiles) * w.section;
    u32 wide = w.all - first < w.section ? w.all - first : w.section;
    place at;
    tile -= first * tiles;
    at.head = first + tile % wide;
    at.sequence = at.head / w.heads;
    at.first_row = ((tiles - 1 - tile / wide) * F::blocks + rank_of<F>()) * F::rows;
    u32 keys = F::causal && at.first_row + F::rows < w.sequence ? at.first_row + F::rows : w.sequence;
    at.blocks = (keys + F::keys - 1) / F::keys;
    return at;
}

template <typename F> static __device__ u32 first_tile()
{
    return blockIdx.x / F::blocks;
}

template <typename F> static __device__ u32 next_tile(u32 tile)
{
    return tile + gridDim.x / F::blocks;
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

// ===== the loading warp =====

// A tile of keys or values, of which each block of the cluster loads its share for all.
template <typename F>
static __device__ void load_tile(u32 to, const tensor_map *map, u32 row, place at, u32 heads, u32 barrier)
{
    u32 from = rank_of<F>() * (F::keys / F::blocks);
    arrive_expect(barrier, F::tile);
    for (u32 i = 0; i < F::d / PIECE; i++) {
        u32 there = to + (i * F::keys + from) * 128, x = i * PIECE, head = at.head % heads;
        if (F::blocks > 1)
            load_box4_to(there, map, x, head, row + from, at.sequence, barrier, (1 << F::blocks) - 1);
        else
            load_box4(there, map, x, head, row, at.sequence, barrier);
    }
}

// Loads a tile to the next stage, when that is empty.
template <typename F>
static __device__ void load_next(ring &at, u32 stages, const tensor_map *map, u32 row, place tile, u32 heads,
                                 u32 barriers, u32 full, u32 empty)
{
    wait(barriers + 8 * (empty + at.stage), at.phase ^ 1);
    load_tile<F>(stages + at.stage * F::tile, map, row, tile, heads, barriers + 8 * (full + at.stage));
    at = next_of<STAGES>(at);
}

template <typename F>
static __device__ void load_queries(u32 to, const tensor_map *map, place at, u32 heads, u32 barrier)
{
    arrive_expect(barrier, F::q_bytes);
    for (u32 group = 0; group < F::groups; group++)
        for (u32 i = 0; i < F::d / PIECE; i++)
            load_box4(to + (group * F::d + i * PIECE) * 128, map, i * PIECE, at.head % heads, at.first_row + group * 64,
                      at.sequence, barrier);
}

template <typename F>
static __device__ void produce(const tensor_map *q, const tensor_map *k, const tensor_map *v, u32 shared, u32 barriers,
                               work w)
{
    u32 tiles = tiles_of<F>(w) * w.all, round = 0;
    ring keys = {0, 0}, values = {0, 0};
    for (u32 tile = first_tile<F>(); tile < tiles; tile = next_tile<F>(tile), round++) {
        place at = place_of<F>(tile, w);
        u32 block = at.blocks - 1;
        load_next<F>(keys, shared + F::k, k, block * F::keys, at, w.heads, barriers, FULL_K, EMPTY_K);
        wait(barriers + 8 * EMPTY_Q, (round & 1) ^ 1);
        load_queries<F>(shared + F::q, q, at, w.heads, barriers + 8 * FULL_Q);
        wait(barriers + 8 * EMPTY_O, round & 1);
        for (; block > 0; block--) { // values are needed a block later
            load_next<F>(keys, shared + F::k, k, (block - 1) * F::keys, at, w.heads, barriers, FULL_K, EMPTY_K);
            load_next<F>(values, shared + F::v, v, block * F::keys, at, w.heads, barriers, FULL_V, EMPTY_V);
        }
        load_next<F>(values, shared + F::v, v, 0, at, w.heads, barriers, FULL_V, EMPTY_V);
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

// The same with p in shared memory.
static __device__ void add_values(float (&d)[32], u64 a, u64 b)
{
    u32 adds = 1;
    APP_PRODUCT("m64n64k16.f32.f16.f16", WORDS_32, SUMS_32(d, 0), "%32", "%33", "%34", ", 0, 1");
}

// s = q · k'
template <typename F> static __device__ void scores(float (&s)[F::keys / 2], u32 q, u32 k)
{
    u64 a = descriptor(q), b = descriptor(k);
    product_begin();
#pragma unroll
    for (u32 i = 0; i < F::d / 16; i++)
        multiply_halves(s, behind(a, i / 4 * 64 * 128 + i % 4 * 32), behind(b, i / 4 * F::keys * 128 + i % 4 * 32), i);
    product_commit();
}

// The exponentials of a tile, as halves: in registers, or at `place`.
template <typename F> struct weights {
    u32 place, pairs[F::through_memory ? 1 : F::keys / 4];
};

// o += p · v
template <typename F> static __device__ void values(float (&o)[F::d / 2], const weights<F> &p, u32 v)
{
    u64 a = descriptor(p.place), b = descriptor(v, F::keys * 128);
    product_begin();
#pragma unroll
    for (u32 i = 0; i < F::keys / 16; i++) {
        if constexpr (F::through_memory)
            add_values(o, behind(a, i / 4 * 64 * 128 + i % 4 * 32), behind(b, i * 16 * 128));
        else
            add_values(o, p.pairs + 4 * i, behind(b, i * 16 * 128));
    }
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

// Scores become exponentials, relative to the greatest score so far; `scales` is what older sums are multiplied by. The
// rows take turns, so that neither waits for itself.
template <u32 count>
static __device__ void exponentials(float (&s)[count], softmax &soft, float scale, float (&scales)[2])
{
    float most[2] = {soft.most[0], soft.most[1]}, scaled[2], sum[2] = {0, 0};
#pragma unroll
    for (u32 i = 0; i < count; i++)
        most[i / 2 % 2] = fmaxf(most[i / 2 % 2], s[i]);
#pragma unroll
    for (u32 row = 0; row < 2; row++) {
        most[row] = over_row(most[row], true);
        scaled[row] = most[row] * scale;
        scales[row] = fast_exp2(soft.most[row] * scale - scaled[row]);
        soft.most[row] = most[row];
    }
#pragma unroll
    for (u32 i = 0; i < count; i++)
        s[i] = fast_exp2(s[i] * scale - scaled[i / 2 % 2]);
#pragma unroll
    for (u32 i = 0; i < count; i++)
        sum[i / 2 % 2] += s[i];
#pragma unroll
    for (u32 row = 0; row < 2; row++)
        soft.sum[row] = soft.sum[row] * scales[row] + sum[row];
}

// Keys from `ends` on are none of the two rows'.
template <u32 count> static __device__ void mask_scores(float (&s)[count], const u32 (&ends)[2], u32 column)
{
#pragma unroll
    for (u32 i = 0; i < count; i++)
        if (column + i / 4 * 8 + i % 2 >= ends[i / 2 % 2])
            s[i] = -1e30f;
}

template <typename F> static __device__ void narrow(weights<F> &p, const float (&s)[F::keys / 2])
{
    if constexpr (F::through_memory) {
        put_halves<F::keys / 2>(p.place, s);
        fence_async();
        __syncwarp(); // a warp's products read the rows that it has written
    } else {
#pragma unroll
        for (u32 i = 0; i < F::keys / 4; i++)
            p.pairs[i] = halves_of(s[2 * i], s[2 * i + 1]);
    }
}

template <u32 count> static __device__ void scale_sums(float (&o)[count], const float (&scales)[2])
{
#pragma unroll
    for (u32 i = 0; i < count; i++)
        o[i] *= scales[i / 2 % 2];
}

// ===== a warpgroup =====

// Warpgroups take turns: a warpgroup gives its products to the tensor cores when the one before it has done so, but for
// the first ones of a tile.
template <u32 GROUPS> static __device__ void take_turn(u32 group)
{
    named_sync(TURN + group, 256);
}

template <u32 GROUPS> static __device__ void give_turn(u32 group)
{
    named_arrive(TURN + (group + 1) % GROUPS, 256);
}

// What a stage holds has been read, for all blocks that load a part of it; and by this block's warpgroup alone.
template <typename F> static __device__ void let_go(u32 barrier)
{
    if (threadIdx.x % 128 < F::blocks) {
        if (F::blocks > 1)
            arrive_at(barrier, threadIdx.x % 128);
        else
            arrive(barrier);
    }
}

static __device__ void let_go_here(u32 barrier)
{
    if (threadIdx.x % 128 == 0)
        arrive(barrier);
}

// The rows' results go to where values were that nobody needs any more, and from there to memory.
template <typename F>
static __device__ void store_rows(float (&o)[F::d / 2], const softmax &soft, u32 place, const tensor_map *map,
                                  u32 row, u32 head, u32 sequence, u32 group)
{
    float over[2] = {1 / soft.sum[0], 1 / soft.sum[1]};
    scale_sums(o, over);
    put_halves<F::d / 2>(place, o);
    fence_async();
    named_sync(OWN + group, 128);
    if (threadIdx.x % 128 == 0) {
        for (u32 i = 0; i < F::d / PIECE; i++)
            store_box4(place + i * 64 * 128, map, i * PIECE, head, row, sequence);
        store_commit();
    }
}

// The logarithms of the sums of two rows, which lie in four threads.
static __device__ void put_logs(softmax &soft, float *logs, u32 row, u32 sequence, float scale)
{
#pragma unroll
    for (u32 half = 0; half < 2; half++) {
        soft.sum[half] = over_row(soft.sum[half], false);
        if (threadIdx.x % 4 == 0 && row + half * 8 < sequence)
            logs[row + half * 8] = soft.most[half] * scale * 0.693147181f + log_approx(soft.sum[half]);
    }
}

template <typename F>
static __device__ void consume(const tensor_map *out, float *logs, u32 shared, u32 barriers, work w, float scale)
{
    const u32 group = warpgroup() - 1, thread = threadIdx.x % 128, column = thread % 4 * 2;
    const u32 q = shared + F::q + group * 64 * F::d * 2, results = shared + F::v + group * 64 * F::d * 2;
    u32 tiles = tiles_of<F>(w) * w.all, round = 0;
    ring now = {0, 0};
    weights<F> p = {shared + F::p + group * F::p_bytes};
    if (group == F::groups - 1)
        give_turn<F::groups>(group);
    for (u32 tile = first_tile<F>(); tile < tiles; tile = next_tile<F>(tile), round++) {
        place at = place_of<F>(tile, w);
        u32 first = at.first_row + group * 64, row = first + thread / 32 * 16 + thread % 32 / 4;
        u32 ends[2] = {F::causal ? row + 1 : w.sequence, F::causal ? row + 9 : w.sequence};
        u32 whole = F::causal ? first + 1 : w.sequence; // keys that none of the warpgroup's rows is without
        float o[F::d / 2], s[F::keys / 2], scales[2];
        softmax soft = {{-1e30f, -1e30f}, {0, 0}};
#pragma unroll
        for (u32 i = 0; i < F::d / 2; i++)
            o[i] = 0;
        if (thread == 0)
            store_wait_read<0>();
        __syncwarp(); // another thread tells another block
        let_go<F>(barriers + 8 * EMPTY_O);
        wait(barriers + 8 * FULL_Q, round & 1);
        wait(barriers + 8 * (FULL_K + now.stage), now.phase);
        scores<F>(s, q, shared + F::k + now.stage * F::tile);
        product_wait<0>();
        keep(s);
        u32 block = at.blocks - 1;
        let_go<F>(barriers + 8 * (EMPTY_K + now.stage));
        if ((block + 1) * F::keys > whole)
            mask_scores(s, ends, block * F::keys + column);
        exponentials(s, soft, scale, scales);
        narrow<F>(p, s);
        while (block-- > 0) {
            ring next = next_of<STAGES>(now);
            wait(barriers + 8 * (FULL_K + next.stage), next.phase);
            take_turn<F::groups>(group);
            scores<F>(s, q, shared + F::k + next.stage * F::tile);
            wait(barriers + 8 * (FULL_V + now.stage), now.phase);
            values<F>(o, p, shared + F::v + now.stage * F::tile);
            give_turn<F::groups>(group);
            product_wait<1>();
            keep(s);
            let_go<F>(barriers + 8 * (EMPTY_K + next.stage));
            if ((block + 1) * F::keys > whole)
                mask_scores(s, ends, block * F::keys + column);
            exponentials(s, soft, scale, scales);
            product_wait<0>();
            keep(o);
            let_go<F>(barriers + 8 * (EMPTY_V + now.stage));
            scale_sums(o, scales);
            narrow<F>(p, s);
            now = next;
        }
        let_go_here(barriers + 8 * EMPTY_Q);
        wait(barriers + 8 * (FULL_V + now.stage), now.phase);
        values<F>(o, p, shared + F::v + now.stage * F::tile);
        product_wait<0>();
        keep(o);
        let_go<F>(barriers + 8 * (EMPTY_V + now.stage));
        now = next_of<STAGES>(now);
        put_logs(soft, logs + (u64)at.head * w.sequence, row, w.sequence, scale);
        named_sync(ALL, 128 * F::groups);
        store_rows<F>(o, soft, results, out, first, at.head % w.heads, at.sequence, group);
    }
    if (thread == 0)
        store_wait();
    if (group == 0) // takes the turn that nobody wants any more
        take_turn<F::groups>(group);
}

template <typename F>
static __device__ void attention(const tensor_map *q, const tensor_map *k, const tensor_map *v, const tensor_map *out,
                                 float *logs, work w, float scale)
{
    extern __shared__ __align__(1024) u8 tiles[];
    __shared__ u64 words[BARRIERS];
    u32 barriers = shared_address(words);
    if (threadIdx.x == 0) {
        for (u32 i = 0; i < BARRIERS; i++)
            barrier_init(barriers + 8 * i, i == EMPTY_Q                                   ? F::groups
                                           : (i >= EMPTY_K && i < FULL_Q) || i == EMPTY_O ? F::groups * F::blocks
                                                                                          : 1);
        barrier_init_done();
    }
    if (F::blocks > 1)
        cluster_sync();
    else
        __syncthreads();
    if (threadIdx.x < 128) {
        if (F::groups == 2)
            REGISTERS_DEC(24);
        else
            REGISTERS_DEC(32);
        if (threadIdx.x == 0)
            produce<F>(q, k, v, shared_address(tiles), barriers, w);
    } else {
        if (F::groups == 2)
            REGISTERS_INC(240);
        else
            REGISTERS_INC(160);
        consume<F>(out, logs, shared_address(tiles), barriers, w, scale);
    }
    if (F::blocks > 1) // nobody goes while another block arrives at its barriers
        cluster_sync_alone();
}

#define KERNEL(name, d, groups, keys, blocks, causal, through_memory)                                                  \
    extern "C" __global__ void __launch_bounds__(128 * (groups + 1), 1)                                                \
        name(const __grid_constant__ tensor_map q, const __grid_constant__ tensor_map k,                               \
             const __grid_constant__ tensor_map v, const __grid_constant__ tensor_map out, float *logs, u32 sequence,  \
             u32 heads, u32 all, u32 section, float scale)                                                             \
    {                                                                                                                  \
        work w = {sequence, heads, all, section};                                                                      \
        attention<form<d, groups, keys, blocks, causal, through_memory>>(&q, &k, &v, &out, logs, w, scale);            \
    }
KERNEL(attention_64, 64, 3, 192, 1, false, true)
KERNEL(attention_64_causal, 64, 3, 128, 1, true, false)
KERNEL(attention_128, 128, 2, 176, 2, false, false)
KERNEL(attention_128_causal, 128, 2, 128, 1, true, false)
