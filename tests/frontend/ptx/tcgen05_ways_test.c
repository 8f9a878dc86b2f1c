/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tcgen05.mma by pairs of CTAs, with block scaling, with a sparse A, and weight-stationary, against sums in double
 * precision; where D, factors and metadata are in tensor memory is what CuTe's layouts say (CUTLASS,
 * mma_traits_sm100_frag.hpp). Copies and shifts of pairs, who allocates for both, and what goes wrong.
 */
#include "bench.h"

#include "execute/copy/tensor_map.h"

#include <math.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    THREADS = 128,
    LANES = 128,
    MOST_M = 256,
    MOST_N = 256,
    MOST_K = 128,
    B_AT = 16384,
    IMAGE = 49152,
    COLUMNS = 312, /* of tensor memory that are given: D, A, metadata, factors */
    A_COLUMN = 264,
    METADATA = 280,
    FACTORS_A = 288,
    FACTORS_B = 296,
    TENANTS = 40, /* blocks, more than have a place at a time */
    TEXT = 1 << 18
};

struct type {
    const char *name;
    unsigned number, bits, exponent, fraction, container; /* as in tcgen05_test.c; container 4: pairs in a byte */
};

enum { F16, BF16, TF32, E4M3, E5M2, E2M3, E3M2, E2M1, S8, U8, PAIRS };
static const struct type types[] = {
    [F16] = {"f16", 0, 16, 5, 10, 16}, [BF16] = {"bf16", 1, 16, 8, 7, 16},      [TF32] = {"tf32", 2, 32, 8, 10, 32},
    [E4M3] = {"e4m3", 0, 8, 4, 3, 8},  [E5M2] = {"e5m2", 1, 8, 5, 2, 8},        [E2M3] = {"e2m3", 3, 6, 2, 3, 8},
    [E3M2] = {"e3m2", 4, 6, 3, 2, 8},  [E2M1] = {"e2m1", 5, 4, 2, 1, 8},        [S8] = {"s8", 1, 8, 0, 1, 8},
    [U8] = {"u8", 0, 8, 0, 0, 8},      [PAIRS] = {"e2m1 pairs", 1, 4, 2, 1, 4},
};

struct way {
    const char *kind; /* and .block_scale with its vector */
    unsigned a, b, m, n;
    bool pair, sparse, ws, a_tmem, adds, upper, odd; /* odd: the pair's odd CTA issues */
    unsigned factors, factor_a, factor_b;            /* of a row; bytes in front of them */
    bool fractions;                                  /* ue4m3 */
    unsigned selector;
    uint64_t zeroes;
    bool masked, extreme; /* lanes are left out; factors are far from one */
    bool down;            /* .ashift */
};

static uint64_t seed;

/* ===== numbers ===== */

static double value_of(const struct type *type, uint32_t bits)
{
    if (!type->exponent)
        return type->fraction ? (double)(int8_t)bits : (double)bits;
    bits >>= type->bits == 32 ? 13 : 0;
    int exponent = (int)(bits >> type->fraction & ((1u << type->exponent) - 1));
    int bias = (1 << (type->exponent - 1)) - 1;
    double fraction = (double)(bits & ((1u << type->fraction) - 1)) / (1u << type->fraction);
    double value = exponent ? ldexp(1 + fraction, exponent - bias) : ldexp(fraction, 1 - bias);
    return bits >> (type->fraction + type->exponent) ? -value : value;
}

static uint32_t random_bits(const struct type *type)
{
    uint32_t bits = (uint32_t)bench_random(&seed);
    if (!type->exponent)
        return bits & 0xff;
    if (type->bits < 8)
        return bits & ((1u << type->bits) - 1);
    uint32_t exponent = (1u << (type->exponent - 1)) - 4 + (bits >> 16) % 6, sign = bits >> 31;
    uint32_t made = (sign << type->exponent | exponent) << type->fraction | (bits & ((1u << type->fraction) - 1));
    return type->bits == 32 ? made << 13 : made;
}

/* A factor's byte: ue4m3, or ue8m0, some of them far from one whose products are near it. */
static uint32_t random_factor(const struct way *w, bool of_a)
{
    uint32_t bits = (uint32_t)bench_random(&seed);
    if (w->fractions)
        return bits % 0x7f;
    return w->extreme ? (of_a ? 250 : 1) + bits % 4 : 124 + bits % 7;
}

static double factor_value(const struct way *w, uint32_t bits)
{
    static const struct type fraction = {"ue4m3", 0, 8, 4, 3, 8};
    return w->fractions ? value_of(&fraction, bits) : ldexp(1, (int)bits - 127);
}

/* ===== where elements lie ===== */

/* Rows of 128 bytes, swizzled; k along them. */
static void put(unsigned char *image, const struct type *type, unsigned row, unsigned k, uint32_t bits)
{
    unsigned first = k * type->container;
    if (type->bits < type->container) /* packed in chunks of sixteen */
        first = k / 16 * 128 + k % 16 * type->bits;
    for (unsigned bit = 0; bit < type->bits; bit++) {
        unsigned at = first + bit, byte = at / 8, place = row * 128 + ((byte / 16) ^ row % 8) * 16 + byte % 16;
        image[place] = (unsigned char)(image[place] | (bits >> bit & 1) << at % 8);
    }
}

struct place {
    unsigned lane, column;
};

static unsigned rows_of(const struct way *w)
{
    return w->pair ? w->m / 2 : w->m;
}

/* Rows in 16 of each 32 lanes. */
static bool is_half(const struct way *w)
{
    return !w->ws && rows_of(w) == 64 && (!w->pair || w->sparse);
}

static unsigned spread(const struct way *w, unsigned row)
{
    return is_half(w) ? row / 16 * 32 + row % 16 + (w->upper ? 16 : 0) : row;
}

/* (M, (N / parts, parts)) : (1, (128, M)) */
static struct place place_of_d(const struct way *w, unsigned row, unsigned column)
{
    unsigned rows = rows_of(w), parts = is_half(w) ? 1 : 128 / rows, part = w->n / parts;
    unsigned offset = row + column % part * 128 + column / part * rows;
    return (struct place){is_half(w) ? spread(w, row) : offset % 128, offset / 128};
}

static void set(uint32_t (*tmem)[LANES], struct place place, unsigned bit, unsigned bits, uint32_t value)
{
    uint32_t mask = bits == 32 ? ~0u : ((1u << bits) - 1) << bit;
    tmem[place.column][place.lane] = (tmem[place.column][place.lane] & ~mask) | (value << bit & mask);
}

/* The metadata's four bits for the elements from k on. */
static void put_nibble(const struct way *w, uint32_t (*tmem)[LANES], unsigned row, unsigned k, uint32_t nibble)
{
    unsigned container = types[w->a].container, bit, lane;
    if (container == 16) { /* ((8, 2, 8), (16, 2)) : ((1, 2048, 16), (128, 8)), a bit for each k */
        unsigned offset = row % 8 + row / 8 % 2 * 2048 + row / 16 * 16 + k % 16 * 128 + k / 16 * 8;
        lane = offset % 128;
        bit = offset / 128;
    } else if (container == 32) { /* ((8, 2, 8), (8, 2)) : ((1, 1024, 16), (128, 8)), two bits */
        unsigned offset = row % 8 + row / 8 % 2 * 1024 + row / 16 * 16 + k % 8 * 128 + k / 8 * 8;
        lane = offset % 128;
        bit = offset / 128 * 2;
    } else { /* (128, 64) : (1, 128), a bit; of four bits half a bit */
        lane = row;
        bit = container == 8 ? k : k / 2;
    }
    struct place place = {spread(w, lane), METADATA + w->selector + bit / 32};
    set(tmem, place, bit % 32, 4, nibble);
}

/* Factors of A: (((32, M / 32), 4), sf) : (((1, 512), 32), 128), in bytes. */
static void put_factor_a(const struct way *w, uint32_t (*tmem)[LANES], unsigned row, unsigned f, uint32_t bits)
{
    for (unsigned copy = 0; copy < 4; copy++) {
        unsigned offset = row % 32 + row / 32 * 512 + copy * 32 + (f + w->factor_a) * 128;
        set(tmem, (struct place){offset % 128, FACTORS_A + offset / 512}, offset / 128 % 4 * 8, 8, bits);
    }
}

/* Of B the same, or, where N has two parts, (((32, N / 64), 2, 2), sf) : (((1, 512), 64, 32), 128). */
static void put_factor_b(const struct way *w, uint32_t (*tmem)[LANES], unsigned column, unsigned f, uint32_t bits)
{
    bool two = w->pair && w->m == 128;
    unsigned within = two ? column % (w->n / 2) : column, part = two ? column / (w->n / 2) : 0;
    for (unsigned copy = 0; copy < (two ? 2 : 4); copy++) {
        unsigned offset = within % 32 + within / 32 * 512 + part * 64 + copy * 32 + (f + w->factor_b) * 128;
        set(tmem, (struct place){offset % 128, FACTORS_B + offset / 512}, offset / 128 % 4 * 8, 8, bits);
    }
}

/* ===== data ===== */

struct data {
    double a[MOST_M][MOST_K], b[MOST_N][MOST_K], factor_a[MOST_M][4], factor_b[MOST_N][4], old[MOST_M][MOST_N];
    uint32_t in[2][COLUMNS][LANES], out[2][MOST_N][LANES], left_out[8];
    unsigned char image[2][IMAGE];
};

static unsigned k_of(const struct way *w)
{
    return 256 / types[w->a].container << w->sparse;
}

/* Where the x-th stored element of a sparse row stands, and its nibble. */
static unsigned choose_place(const struct way *w, struct data *data, unsigned row, unsigned x)
{
    static const uint8_t pairs[] = {4, 8, 12, 9, 13, 6, 14}, singles[] = {14, 4};
    unsigned rows = rows_of(w), container = types[w->a].container;
    unsigned size = container == 32 ? 2 : container == 4 ? 8 : 4, stored = size / 2, group = x / stored;
    uint64_t state = seed + row * 1009 + group * 31; /* the same for all of a group */
    uint32_t random = (uint32_t)bench_random(&state);
    uint32_t nibble = container == 32 ? singles[random % 2] : pairs[random % 7];
    put_nibble(w, data->in[row / rows], row % rows, group * size, nibble);
    if (container == 32)
        return group * size + (nibble == 14);
    unsigned which = container == 4 ? x % 4 / 2 : x % 2, place = nibble >> 2 * which & 3;
    return group * size + (container == 4 ? place * 2 + x % 2 : place);
}

static void fill_a(const struct way *w, struct data *data)
{
    const struct type *type = &types[w->a];
    unsigned stored = k_of(w) >> w->sparse, each = 32 / type->container, rows = rows_of(w);
    uint64_t places = bench_random(&seed);
    for (unsigned row = 0; row < w->m; row++)
        for (unsigned x = 0; x < stored; x++) {
            uint32_t bits = random_bits(type);
            uint64_t now = seed;
            seed = places;
            unsigned k = w->sparse ? choose_place(w, data, row, x) : x;
            seed = now;
            data->a[row][k] = value_of(type, bits);
            put(data->image[row / rows], type, row % rows, x, bits);
            uint32_t placed = type->bits == 4 && type->container == 8 ? bits << 2 : bits;
            for (unsigned part = 0; part < (is_half(w) ? 1 : 128 / rows); part++) {
                struct place place = {spread(w, row % rows) + part * rows, A_COLUMN + x / each};
                set(data->in[row / rows], place, x % each * type->container, type->container, placed);
            }
        }
}

static void fill(const struct way *w, struct data *data)
{
    unsigned halves = w->pair ? w->n / 2 : w->n, rows = rows_of(w);
    for (unsigned i = 0; i < 2 * COLUMNS * LANES; i++) {
        float single = (float)((int)(bench_random(&seed) % 2001) - 1000) / 64;
        uint32_t *word = &data->in[0][0][0] + i;
        memcpy(word, &single, 4);
        if (!types[w->a].exponent)
            *word = (uint32_t)bench_random(&seed) % 100000;
    }
    fill_a(w, data);
    for (unsigned column = 0; column < w->n + (w->zeroes >> 56 & 63); column++)
        for (unsigned k = 0; k < k_of(w); k++) {
            uint32_t bits = random_bits(&types[w->b]);
            data->b[column][k] = value_of(&types[w->b], bits);
            put(data->image[w->pair ? column / halves : 0] + B_AT, &types[w->b], w->pair ? column % halves : column, k,
                bits);
        }
    for (unsigned f = 0; f < w->factors; f++) {
        for (unsigned row = 0; row < w->m; row++) {
            uint32_t bits = random_factor(w, true);
            data->factor_a[row][f] = factor_value(w, bits);
            put_factor_a(w, data->in[row / rows], row % rows, f, bits);
        }
        for (unsigned column = 0; column < w->n; column++) {
            uint32_t bits = random_factor(w, false);
            data->factor_b[column][f] = factor_value(w, bits);
            put_factor_b(w, data->in[0], column, f, bits);
            put_factor_b(w, data->in[1], column, f, bits);
        }
    }
    for (unsigned i = 0; i < 8; i++)
        data->left_out[i] = w->masked ? (uint32_t)bench_random(&seed) : 0;
}

/* ===== the kernel ===== */

static const char head[] =
    ".version 8.7\n.target sm_100a\n.address_size 64\n.extern .shared .align 1024 .b8 s[];\n"
    ".visible .entry k(.param .u64 pimage, .param .u64 pin, .param .u64 pout, .param .u64 pda, .param .u64 pdb, "
    ".param .u32 pi, .param .u32 padds, .param .u64 pmask, .param .u64 pzero) %s\n{\n"
    ".reg .b32 i, t, v, w, b, ta, tl, td, id, rank, h<8>, r<8>;\n.reg .b64 x, y, m, da, db, zm;\n.reg .b16 both;\n"
    ".reg .pred p, q, z, e;\n"
    "mov.u32 t, %%tid.x;\nmov.u32 rank, %%cluster_ctarank;\nld.param.u64 m, [pimage];\n"
    "mul.wide.u32 x, rank, 49152;\nadd.u64 m, m, x;\nshl.b32 i, t, 2;\nmov.u32 w, s;\nadd.u32 b, w, 49152;\n"
    "again:\ncvt.u64.u32 x, i;\nadd.u64 x, x, m;\nld.global.b32 v, [x];\n{ .reg .b32 z; add.u32 z, w, i; "
    "st.shared.b32 [z], v; }\nadd.u32 i, i, 512;\nsetp.lt.u32 p, i, 49152;\n@p bra again;\n"
    "fence.proxy.async.shared::cta;\nsetp.lt.u32 p, t, 32;\nsetp.eq.u32 z, t, 0;\nmov.b16 both, 3;\n"
    "@z mbarrier.init.shared::cta.b64 [b], 1;\nfence.mbarrier_init.release.cluster;\n"
    "@p tcgen05.alloc.cta_group::%u.sync.aligned.shared::cta.b32 [b+8], 512;\n"
    "@p tcgen05.relinquish_alloc_permit.cta_group::%u.sync.aligned;\nbar.sync 0;\nld.shared.b32 ta, [b+8];\n"
    "shr.u32 tl, t, 5;\nshl.b32 tl, tl, 21;\nadd.u32 tl, tl, ta;\n"
    "ld.param.u64 da, [pda];\nld.param.u64 db, [pdb];\nld.param.u64 zm, [pzero];\nld.param.u32 id, [pi];\n"
    "ld.param.u32 v, [padds];\nsetp.ne.u32 q, v, 0;\nld.param.u64 m, [pmask];\n";

/* Columns, `count` of them from `first` on, to or from global memory at m, [rank][column][thread] of `all` columns. */
static void add_moves(char *text, bool load, unsigned first, unsigned count, unsigned all)
{
    bench_add(text, TEXT, "mul.wide.u32 y, rank, %u;\nadd.u64 x, m, y;\nmul.wide.u32 y, t, 4;\nadd.u64 x, x, y;\n",
              all * 4 * THREADS);
    for (unsigned column = first; column < first + count; column += 8) {
        for (unsigned i = 0; i < 8 && !load; i++)
            bench_add(text, TEXT, "ld.global.b32 r%u, [x+%u];\n", i, (column + i) * 4 * THREADS);
        if (load)
            bench_add(text, TEXT,
                      "tcgen05.ld.sync.aligned.32x32b.x8.b32 {r0, r1, r2, r3, r4, r5, r6, r7}, [tl+%u];\n"
                      "tcgen05.wait::ld.sync.aligned;\n",
                      column);
        else
            bench_add(text, TEXT, "tcgen05.st.sync.aligned.32x32b.x8.b32 [tl+%u], {r0, r1, r2, r3, r4, r5, r6, r7};\n",
                      column);
        for (unsigned i = 0; i < 8 && load; i++)
            bench_add(text, TEXT, "st.global.b32 [x+%u], r%u;\n", (column + i) * 4 * THREADS, i);
    }
}

#define CLUSTER_BARRIER "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"

static void add_product(char *text, const struct way *w)
{
    unsigned group = w->pair ? 2 : 1;
    bench_add(text, TEXT, "tcgen05.mma%s%s.cta_group::%u.kind::%s%s%s [td], ", w->ws ? ".ws" : "",
              w->sparse ? ".sp" : "", group, w->kind, w->ws && w->a_tmem ? ".collector::b2::fill" : "",
              w->down ? ".ashift.collector::a::lastuse" : "");
    bench_add(text, TEXT, w->a_tmem ? "[td+%u]" : "da", A_COLUMN);
    bench_add(text, TEXT, ", db, ");
    if (w->sparse)
        bench_add(text, TEXT, "[td+%u], ", METADATA);
    bench_add(text, TEXT, "id, ");
    if (w->masked)
        bench_add(text, TEXT, w->pair ? "{h0, h1, h2, h3, h4, h5, h6, h7}, " : "{h0, h1, h2, h3}, ");
    if (w->factors)
        bench_add(text, TEXT, "[ta+%u], [ta+%u], ", FACTORS_A, FACTORS_B);
    bench_add(text, TEXT, "q%s;\n", w->zeroes ? ", zm" : "");
}

static void add_head(char *text, bool pair)
{
    bench_add(text, TEXT, head, pair ? ".explicitcluster .reqnctapercluster 2, 1, 1" : "", pair ? 2 : 1, pair ? 2 : 1);
}

/* Whoever issues is thread 0 of the CTA; `commands` come between what is given and what is read. */
static void add_commands(char *text, bool pair, bool odd, const char *commands)
{
    bench_add(text, TEXT, "ld.param.u64 m, [pin];\n");
    add_moves(text, false, 0, COLUMNS, COLUMNS);
    bench_add(text, TEXT, "tcgen05.wait::st.sync.aligned;\ntcgen05.fence::before_thread_sync;\nbar.sync 0;\n");
    if (pair)
        bench_add(text, TEXT, CLUSTER_BARRIER "setp.eq.and.u32 z, rank, %u, z;\n", odd);
    bench_add(text, TEXT, "@!z bra wait;\ntcgen05.fence::after_thread_sync;\n%s", commands);
    bench_add(
        text, TEXT,
        pair ? "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [b], both;\n"
             : "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [b];\n");
    bench_add(text, TEXT,
              "wait:\nmbarrier.try_wait.parity.shared::cta.b64 p, [b], 0;\n@!p bra wait;\n"
              "tcgen05.fence::after_thread_sync;\nld.param.u64 m, [pout];\n");
    add_moves(text, true, 0, MOST_N, MOST_N);
    bench_add(text, TEXT,
              "tcgen05.fence::before_thread_sync;\nbar.sync 0;\n%ssetp.lt.u32 p, t, 32;\n"
              "@p tcgen05.dealloc.cta_group::%u.sync.aligned.b32 ta, 512;\nret;\n}\n",
              pair ? CLUSTER_BARRIER : "", pair ? 2 : 1);
}

static char *kernel_of(const struct way *w)
{
    char *text = calloc(1, TEXT), *product = calloc(1, TEXT);
    add_head(text, w->pair);
    for (unsigned i = 0; i < 8; i++)
        bench_add(text, TEXT, "ld.global.b32 h%u, [m+%u];\n", i, 4 * i);
    bench_add(text, TEXT, "add.u32 td, ta, %u;\n", w->upper ? 16u << 16 : 0);
    add_product(product, w);
    add_commands(text, w->pair, w->odd, product);
    free(product);
    return text;
}

/* ===== one product ===== */

static uint32_t instruction_of(const struct way *w)
{
    uint32_t d = w->factors ? w->factor_b : !types[w->a].exponent ? 2 : 1;
    return w->selector | (uint32_t)w->sparse << 2 | d << 4 | types[w->a].number << 7 | types[w->b].number << 10 |
           w->n / 8 << 17 | (uint32_t)(w->factors && !w->fractions) << 23 | w->m / 16 << 24 |
           (w->factors ? w->factor_a << 29 : 0);
}

/* Whether a mask of columns of zeros has this one, by laying its spans out one after another. */
static bool is_zero(const struct way *w, unsigned column)
{
    unsigned parts = w->m < 128 ? 128 / w->m : 1, part = column / (w->n / parts), left = column % (w->n / parts);
    unsigned skip = (w->zeroes >> 40 & 255) + 1, use = (w->zeroes >> 48 & 255) + 1;
    bool zero = w->zeroes >> (32 + part) & 1;
    unsigned span = (zero ? skip : use) - (unsigned)(w->zeroes >> 8 * part & 255);
    if (!(w->zeroes >> 39 & 1))
        return false;
    for (; left >= span; zero = !zero, span = zero ? skip : use)
        left -= span;
    return zero;
}

static double sum_in(const struct way *w, uint32_t word)
{
    float single;
    memcpy(&single, &word, 4);
    return types[w->a].exponent ? (double)single : (double)(int32_t)word;
}

static void compare(const struct way *w, struct data *data)
{
    static bool part[2][MOST_N][LANES];
    unsigned rows = rows_of(w), length = w->factors ? k_of(w) / w->factors : 1, shift = w->zeroes >> 56 & 63;
    memset(part, 0, sizeof part);
    for (unsigned row = 0; row < w->m; row++)
        for (unsigned column = 0; column < w->n; column++) {
            struct place place = place_of_d(w, row % rows, column);
            unsigned cta = row / rows;
            if (data->left_out[4 * cta + place.lane / 32] >> place.lane % 32 & 1)
                continue;
            part[cta][place.column][place.lane] = true;
            double sum = w->adds ? sum_in(w, data->in[cta][place.column][place.lane]) : 0, size = fabs(sum);
            unsigned from = w->down && row % rows ? row - 1 : row;
            for (unsigned k = 0; k < k_of(w) && !is_zero(w, column); k++) {
                double x = data->a[from][k] * data->b[column + shift][k];
                if (w->factors)
                    x *= data->factor_a[row][k / length] * data->factor_b[column][k / length];
                sum += x;
                size += fabs(x);
            }
            double found = sum_in(w, data->out[cta][place.column][place.lane]);
            double bound = types[w->a].exponent ? size * k_of(w) * 0x1p-24 : 0;
            if (!(fabs(found - sum) <= bound))
                fail_msg("%s %s x %s m%un%u pair %d sparse %d ws %d A in %s memory: (%u, %u) is %.9g, not %.9g",
                         w->kind, types[w->a].name, types[w->b].name, w->m, w->n, w->pair, w->sparse, w->ws,
                         w->a_tmem ? "tensor" : "shared", row, column, found, sum);
        }
    for (unsigned cta = 0; cta < 1u + w->pair; cta++)
        for (unsigned column = 0; column < MOST_N; column++)
            for (unsigned lane = 0; lane < LANES; lane++)
                if (!part[cta][column][lane] && data->out[cta][column][lane] != data->in[cta][column][lane])
                    fail_msg("%s m%un%u: block %u, lane %u, column %u has changed", w->kind, w->m, w->n, cta, lane,
                             column);
}

static bool launch(struct bench *bench, const struct data *data, const struct way *w, uint64_t *out)
{
    uint64_t image = bench_buffer(bench, data->image, sizeof data->image);
    uint64_t in = bench_buffer(bench, data->in, sizeof data->in), mask = bench_buffer(bench, data->left_out, 32);
    uint64_t a = UINT64_C(0x4000404000010000), b = a | B_AT / 16, zeroes = w->zeroes;
    uint32_t instruction = instruction_of(w), adds = w->adds;
    *out = bench_buffer(bench, NULL, sizeof data->out);
    return BENCH_RUN(bench, "k", 1 + w->pair, THREADS, IMAGE + 64, &image, &in, out, &a, &b, &instruction, &adds, &mask,
                     &zeroes);
}

static void run(const struct way *w)
{
    struct bench bench;
    struct data *data = calloc(1, sizeof *data);
    char *text = kernel_of(w);
    uint64_t out;
    fill(w, data);
    bench_open(&bench, NULL, text);
    if (!launch(&bench, data, w, &out))
        fail_msg("%s\n%s", bench.error.text, text);
    bench_read(&bench, out, data->out, sizeof data->out);
    compare(w, data);
    bench_close(&bench);
    free(text);
    free(data);
}

/* ===== ways ===== */

static const struct {
    const char *kind;
    unsigned a, b;
} plain[] = {{"f16", F16, F16},      {"f16", BF16, F16},     {"tf32", TF32, TF32}, {"f8f6f4", E4M3, E5M2},
             {"f8f6f4", E2M3, E2M1}, {"f8f6f4", E2M1, E3M2}, {"i8", S8, U8}};
enum { PLAIN = sizeof plain / sizeof *plain };

static void test_pairs(void **unused)
{
    (void)unused;
    static const unsigned columns[] = {32, 64, 160, 256};
    for (unsigned i = 0; i < 4 * PLAIN; i++) {
        struct way w = {plain[i % PLAIN].kind, plain[i % PLAIN].a, plain[i % PLAIN].b, .pair = true};
        w.m = i / PLAIN % 2 ? 128 : 256;
        w.n = columns[i % 4];
        w.a_tmem = i / PLAIN > 1;
        w.adds = i % 3;
        w.odd = i % 5 == 2;
        w.masked = i % 4 == 3;
        run(&w);
    }
}

static void test_factors(void **unused)
{
    (void)unused;
    static const struct way ways[] = {
        {"mxf8f6f4.block_scale", E4M3, E4M3, .factors = 1, .factor_a = 2, .factor_b = 3},
        {"mxf8f6f4.block_scale.block32", E5M2, E2M1, .factors = 1, .factor_a = 1},
        {"mxf8f6f4.block_scale.scale_vec::1X", E2M3, E3M2, .factors = 1, .factor_b = 1},
        {"mxf4.block_scale", PAIRS, PAIRS, .factors = 2, .factor_a = 2},
        {"mxf4.block_scale.scale_vec::2X", PAIRS, PAIRS, .factors = 2, .factor_b = 2},
        {"mxf4nvf4.block_scale.scale_vec::2X", PAIRS, PAIRS, .factors = 2},
        {"mxf4nvf4.block_scale.scale_vec::4X", PAIRS, PAIRS, .factors = 4},
        {"mxf4nvf4.block_scale.block16", PAIRS, PAIRS, .factors = 4, .fractions = true},
    };
    static const unsigned columns[] = {64, 256, 16, 128};
    for (unsigned i = 0; i < 8 * sizeof ways / sizeof *ways; i++) {
        struct way w = ways[i / 8];
        w.pair = i % 4 > 1;
        w.m = i % 4 == 2 ? 256 : 128;
        w.n = columns[(i + i / 8) % 4];
        w.a_tmem = i % 8 > 3;
        w.adds = i % 3;
        w.extreme = !w.fractions && i % 8 == 5;
        run(&w);
    }
}

static void test_sparse(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < 6 * PLAIN; i++) {
        struct way w = {plain[i % PLAIN].kind, plain[i % PLAIN].a, plain[i % PLAIN].b, .sparse = true, .n = 96};
        w.pair = i / PLAIN > 3;
        w.m = (i / PLAIN % 2 ? 128 : 64) << w.pair;
        w.upper = w.m == 64u << w.pair && i % 2;
        w.a_tmem = i % 3 == 1;
        w.adds = i % 3 == 2;
        w.selector = types[w.a].container > 8 ? i % 3 : 0;
        run(&w);
    }
    static const struct way ways[] = {
        {"mxf8f6f4.block_scale", E4M3, E2M1, .factors = 1, .factor_a = 2},
        {"mxf4.block_scale", PAIRS, PAIRS, .factors = 2, .factor_b = 2},
        {"mxf4nvf4.block_scale.scale_vec::4X", PAIRS, PAIRS, .factors = 4, .fractions = true},
    };
    for (unsigned i = 0; i < 6; i++) {
        struct way w = ways[i % 3];
        w.sparse = true;
        w.pair = i > 2;
        w.m = w.pair ? 256 : 128;
        w.n = 64;
        w.a_tmem = i % 2;
        run(&w);
    }
}

static void test_weights(void **unused)
{
    (void)unused;
    static const unsigned columns[] = {64, 128, 256};
    for (unsigned i = 0; i < 6 * PLAIN; i++) {
        struct way w = {plain[i % PLAIN].kind, plain[i % PLAIN].a, plain[i % PLAIN].b, .ws = true};
        w.m = 32u << i % 3;
        w.sparse = i % 4 == 3;
        w.n = columns[i / 3 % (w.sparse ? 2 : 3)];
        w.a_tmem = i % 2;
        w.adds = i % 3 == 2;
        run(&w);
    }
}

/* Rows of A go down by one in each block; its first row stays as it is. */
static void test_down(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < 4 * PLAIN; i++) {
        struct way w = {plain[i % PLAIN].kind, plain[i % PLAIN].a, plain[i % PLAIN].b, .m = 128, .n = 64};
        w.pair = i / PLAIN % 2;
        w.m = w.pair && i % 2 ? 256 : 128;
        w.a_tmem = w.down = true;
        w.sparse = i / PLAIN > 1;
        w.adds = i % 3;
        w.odd = i % 5 == 2;
        run(&w);
    }
}

/* The examples of PTX ISA 9.0, zero-column mask descriptor, and one with a start in each part. */
static void test_zeroes(void **unused)
{
    (void)unused;
    static const uint64_t spans = UINT64_C(1) << 39 | UINT64_C(2) << 40 | UINT64_C(3) << 48;
    struct way w = {"f16", F16, F16, .m = 128, .n = 64, .ws = true, .zeroes = spans};
    run(&w);
    w.zeroes &= ~(UINT64_C(1) << 39);
    run(&w);
    w = (struct way){"f8f6f4", E4M3, E4M3, .m = 64, .n = 128, .ws = true, .zeroes = spans | UINT64_C(1) << 32};
    run(&w);
    w = (struct way){"tf32", TF32, TF32, .m = 32, .n = 64, .ws = true, .adds = true};
    w.zeroes = spans | UINT64_C(3) << 32 | 0x01020100 | UINT64_C(2) << 56;
    run(&w);
}

/* ===== copies, shifts ===== */

/* What a CTA's columns are after commands that move what `in` and the image have. */
static void move(bool pair, const char *commands, struct data *data)
{
    struct way w = {"f16", F16, F16, .m = pair ? 256 : 128, .n = 64, .pair = pair};
    struct bench bench;
    char *text = calloc(1, TEXT);
    uint64_t out;
    fill(&w, data);
    for (unsigned i = 0; i < sizeof data->image; i++)
        data->image[i / IMAGE][i % IMAGE] = (unsigned char)bench_random(&seed);
    add_head(text, pair);
    add_commands(text, pair, false, commands);
    bench_open(&bench, NULL, text);
    if (!launch(&bench, data, &w, &out))
        fail_msg("%s\n%s", bench.error.text, text);
    bench_read(&bench, out, data->out, sizeof data->out);
    bench_close(&bench);
    free(text);
}

/* Each CTA of a pair copies what it has. */
static void test_copies(void **unused)
{
    (void)unused;
    struct data *data = calloc(1, sizeof *data);
    move(true, "tcgen05.cp.cta_group::2.128x256b [ta+6], da;\n", data);
    for (unsigned cta = 0; cta < 2; cta++)
        for (unsigned lane = 0; lane < LANES; lane++)
            for (unsigned column = 0; column < 16; column++) {
                uint32_t wanted = data->in[cta][column][lane];
                unsigned byte = column * 4 - 24;
                if (column >= 6 && column < 14)
                    memcpy(&wanted, data->image[cta] + lane * 128 + ((byte / 16) ^ lane % 8) * 16 + byte % 16, 4);
                assert_int_equal(data->out[cta][column][lane], wanted);
            }
    free(data);
}

/* Eight columns of a warp's lanes move to the next lane, but the first keeps its own. */
static void test_shifts(void **unused)
{
    (void)unused;
    struct data *data = calloc(1, sizeof *data);
    for (unsigned pair = 0; pair < 2; pair++) {
        move(pair,
             pair ? "add.u32 td, ta, 4194304;\ntcgen05.shift.cta_group::2.down [td+9];\n"
                  : "add.u32 td, ta, 4194304;\ntcgen05.shift.cta_group::1.down [td+9];\n",
             data);
        for (unsigned cta = 0; cta < 1 + pair; cta++)
            for (unsigned lane = 0; lane < LANES; lane++)
                for (unsigned column = 0; column < MOST_N; column++) {
                    bool moved = lane / 32 == 2 && lane % 32 && column >= 9 && column < 17;
                    assert_int_equal(data->out[cta][column][lane], data->in[cta][column][lane - moved]);
                }
    }
    free(data);
}

/* ===== boxes of a pair ===== */

/* Both blocks fetch eight rows of 64 bytes; the even one's mbarrier, at `%s`, counts the bytes of both. */
static const char boxes[] =
    ".version 8.7\n.target sm_100a\n.address_size 64\n.extern .shared .align 1024 .b8 s[];\n"
    ".visible .entry k(.param .u64 pmap, .param .u64 pout) .explicitcluster .reqnctapercluster 2, 1, 1\n{\n"
    ".shared .align 8 .b64 full;\n.reg .b64 m, o, x;\n.reg .b32 t, r, w, b, there, v, c;\n.reg .pred p, q;\n"
    "ld.param.u64 m, [pmap];\nld.param.u64 o, [pout];\nmov.u32 t, %%tid.x;\nmov.u32 r, %%cluster_ctarank;\n"
    "mov.u32 w, s;\nmov.u32 b, full;\nmapa.shared::cluster.u32 there, b, %s;\nshl.b32 c, r, 3;\n"
    "setp.eq.u32 p, t, 0;\n@p mbarrier.init.shared::cta.b64 [b], 1;\nfence.mbarrier_init.release.cluster;\n"
    "barrier.cluster.arrive;\nbarrier.cluster.wait;\nsetp.eq.and.u32 q, r, 0, p;\n"
    "@q mbarrier.arrive.expect_tx.shared::cta.b64 _, [b], 1024;\n"
    "@p cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.cta_group::2 [w], [m, {0, c}], "
    "[%s];\n"
    "setp.ne.u32 p, r, 0;\n@p bra over;\nwait:\nmbarrier.try_wait.parity.shared::cta.b64 q, [b], 0;\n@!q bra wait;\n"
    "over:\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\nshl.b32 t, t, 2;\nmad.lo.u32 v, r, 512, t;\n"
    "cvt.u64.u32 x, v;\nadd.u64 o, o, x;\nadd.u32 w, w, t;\nld.shared.b32 v, [w];\nst.global.b32 [o], v;\nret;\n}\n";

static bool fetch(struct bench *bench, const char *rank, const char *barrier, const uint32_t *tensor, uint32_t *got)
{
    char *text = calloc(1, TEXT);
    uint32_t words[EXECUTE_TENSOR_MAP_WORDS];
    snprintf(text, TEXT, boxes, rank, barrier);
    bench_open(bench, NULL, text);
    const struct execute_tensor_map map = {.address = bench_buffer(bench, tensor, 1024),
                                           .dimensions = {16, 16},
                                           .strides = {4, 64},
                                           .box = {16, 8},
                                           .element_strides = {1, 1},
                                           .rank = 2,
                                           .type = EXECUTE_TENSOR_U32};
    execute_tensor_map_encode(&map, words);
    uint64_t at = bench_buffer(bench, words, sizeof words), out = bench_buffer(bench, NULL, 1024);
    bool good = BENCH_RUN(bench, "k", 2, 128, 1024, &at, &out);
    bench_read(bench, out, got, 1024);
    free(text);
    return good;
}

static void test_boxes(void **unused)
{
    (void)unused;
    /* … by its address in the cluster, or by one without a rank, which kernels make by clearing a bit of it */
    static const char *const barriers[] = {"there", "b"};
    struct bench bench;
    uint32_t tensor[256], got[256];
    for (unsigned i = 0; i < 256; i++)
        tensor[i] = (uint32_t)bench_random(&seed);
    for (unsigned i = 0; i < 2; i++) {
        if (!fetch(&bench, "0", barriers[i], tensor, got))
            fail_msg("%s", bench.error.text);
        assert_memory_equal(got, tensor, sizeof tensor);
        bench_close(&bench);
    }
    assert_false(fetch(&bench, "2", "there", tensor, got));
    assert_non_null(strstr(bench.error.text, "outside the shared memory of the cluster's blocks"));
    bench_close(&bench);
}

/* Block `issuer` of four sends a box to the blocks of a mask; in each block that learns of bytes, of one box or of two,
 * the mbarrier ends its phase with them, which says so in the first word of the block's 128 of the output. */
static const char shared_boxes[] =
    ".version 8.7\n.target sm_100a\n.address_size 64\n.extern .shared .align 1024 .b8 s[];\n"
    ".visible .entry k(.param .u64 pmap, .param .u64 pout, .param .u32 pissuer, .param .u32 pteller, .param .u32 "
    "pmask, "
    ".param .u64 pbytes) .explicitcluster .reqnctapercluster 4, 1, 1\n{\n"
    ".shared .align 8 .b64 full;\n.reg .b64 m, o, x;\n.reg .b32 t, r, w, b, there, v, n, k;\n.reg .b16 mask;\n"
    ".reg .pred p, q;\n"
    "ld.param.u64 m, [pmap];\nld.param.u64 o, [pout];\nmov.u32 t, %tid.x;\nmov.u32 r, %cluster_ctarank;\n"
    "ld.param.u64 x, [pbytes];\nmul.wide.u32 m, r, 4;\nadd.u64 x, x, m;\nld.global.u32 n, [x];\n"
    "ld.param.u64 m, [pmap];\nld.param.u32 v, [pmask];\ncvt.u16.u32 mask, v;\n"
    "ld.param.u32 v, [pissuer];\nld.param.u32 k, [pteller];\n"
    "mov.u32 w, s;\nmov.u32 b, full;\nmapa.shared::cluster.u32 there, b, k;\nsetp.eq.u32 p, t, 0;\n"
    "@p mbarrier.init.shared::cta.b64 [b], 1;\nfence.mbarrier_init.release.cluster;\n"
    "@p mbarrier.arrive.expect_tx.shared::cta.b64 _, [b], n;\n"
    "barrier.cluster.arrive;\nbarrier.cluster.wait;\nsetp.eq.and.u32 q, r, v, p;\n"
    "@q cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.cta_group::2 "
    "[w], [m, {0, 0}], [there], mask;\n"
    "wait:\nmbarrier.try_wait.parity.shared::cta.b64 q, [b], 0;\n@!q bra wait;\n"
    "barrier.cluster.arrive;\nbarrier.cluster.wait;\nshl.b32 t, t, 2;\nmad.lo.u32 v, r, 512, t;\n"
    "cvt.u64.u32 x, v;\nadd.u64 o, o, x;\nadd.u32 w, w, t;\nld.shared.b32 v, [w];\nst.global.b32 [o], v;\nret;\n}\n";

/* Whose mbarriers learn of how much is the table's: each is told of 512 bytes for each block of its pair that the mask
 * names, if it has the parity of `teller`. A block that got other numbers would wait for ever, or fault. */
static void test_shared_boxes(void **unused)
{
    (void)unused;
    static const struct {
        uint32_t issuer, teller, mask, bytes[4];
    } rows[] = {{0, 0, 15, {1024, 0, 1024, 0}}, {1, 0, 15, {1024, 0, 1024, 0}}, {2, 3, 15, {0, 1024, 0, 1024}},
                {3, 3, 6, {0, 512, 0, 512}},    {0, 0, 8, {0, 0, 512, 0}},      {1, 1, 5, {0, 512, 0, 512}},
                {2, 2, 3, {1024, 0, 0, 0}}};
    static uint32_t tensor[256], got[512];
    for (unsigned i = 0; i < 256; i++)
        tensor[i] = (uint32_t)bench_random(&seed) | 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench bench;
        uint32_t words[EXECUTE_TENSOR_MAP_WORDS];
        bench_open(&bench, NULL, shared_boxes);
        const struct execute_tensor_map map = {.address = bench_buffer(&bench, tensor, sizeof tensor),
                                               .dimensions = {16, 16},
                                               .strides = {4, 64},
                                               .box = {16, 8},
                                               .element_strides = {1, 1},
                                               .rank = 2,
                                               .type = EXECUTE_TENSOR_U32};
        execute_tensor_map_encode(&map, words);
        uint64_t at = bench_buffer(&bench, words, sizeof words), out = bench_buffer(&bench, NULL, sizeof got);
        uint64_t bytes = bench_buffer(&bench, rows[i].bytes, sizeof rows[i].bytes);
        if (!BENCH_RUN(&bench, "k", 4, 128, 1024, &at, &out, &rows[i].issuer, &rows[i].teller, &rows[i].mask, &bytes))
            fail_msg("row %zu: %s", i, bench.error.text);
        bench_read(&bench, out, got, sizeof got);
        for (unsigned rank = 0; rank < 4; rank++)
            for (unsigned word = 0; word < 128; word++)
                assert_int_equal(got[rank * 128 + word], rows[i].mask >> rank & 1 ? tensor[word] : 0);
        bench_close(&bench);
    }
}

/* ===== who allocates ===== */

/* Each block of two says where its columns are: twice as many as `first` says, then those. */
static const char tenants[] =
    ".version 8.7\n.target sm_100a\n.address_size 64\n.shared .b32 at[2];\n"
    ".visible .entry k(.param .u64 pout) %s\n{\n.reg .b64 o, x;\n.reg .b32 a, r, n, v, u;\n"
    "ld.param.u64 o, [pout];\nmov.u32 r, %%ctaid.x;\nmov.u32 a, at;\nmul.wide.u32 x, r, 8;\nadd.u64 o, o, x;\n%s"
    "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [at], n;\n"
    "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [a+4], 32;\n"
    "tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;\n"
    "ld.shared.b32 v, [at];\nld.shared.b32 u, [at+4];\nst.global.b32 [o], v;\nst.global.b32 [o+4], u;\n"
    "tcgen05.dealloc.cta_group::2.sync.aligned.b32 u, 32;\n"
    "tcgen05.dealloc.cta_group::2.sync.aligned.b32 v, n;\nret;\n}\n";
static const char of_two[] = ".explicitcluster .reqnctapercluster 2, 1, 1";

static bool let(struct bench *bench, const char *cluster, const char *columns, uint32_t blocks, uint32_t *places)
{
    char *text = calloc(1, TEXT);
    snprintf(text, TEXT, tenants, cluster, columns);
    bench_open(bench, NULL, text);
    uint64_t out = bench_buffer(bench, NULL, (size_t)8 * blocks);
    bool good = BENCH_RUN(bench, "k", blocks, 32, 0, &out);
    bench_read(bench, out, places, (size_t)8 * blocks);
    free(text);
    return good;
}

static void test_allocations(void **unused)
{
    (void)unused;
    struct bench bench;
    uint32_t places[2 * TENANTS];
    if (!let(&bench, of_two, "mov.u32 n, 128;\n", 2, places))
        fail_msg("%s", bench.error.text);
    bench_close(&bench);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(places[i], i % 2 * 128);
    /* pairs share the two SMs of a TPC, and its tensor memory, wave after wave */
    if (!let(&bench, of_two, "mov.u32 n, 32;\n", TENANTS, places))
        fail_msg("%s", bench.error.text);
    bench_close(&bench);
    for (unsigned i = 0; i < TENANTS; i += 2) {
        assert_int_equal(places[2 * i], places[2 * i + 2]);
        assert_int_equal(places[2 * i + 1], places[2 * i + 3]);
    }
    assert_false(let(&bench, of_two, "shl.b32 n, r, 6;\nadd.u32 n, n, 64;\n", 2, places));
    assert_non_null(strstr(bench.error.text, "the two blocks of a pair allocate different numbers of columns"));
    bench_close(&bench);
    assert_false(let(&bench, "", "mov.u32 n, 32;\n", 2, places));
    assert_non_null(strstr(bench.error.text, "in a block without another of its pair"));
    bench_close(&bench);
}

/* ===== what there is not ===== */

static void test_shapes(void **unused)
{
    (void)unused;
    static const struct way ways[] = {
        {"f16", F16, F16, .m = 64, .n = 64, .pair = true},
        {"f16", F16, F16, .m = 256, .n = 24, .pair = true},
        {"i8", S8, S8, .m = 256, .n = 48, .pair = true},
        {"f16", F16, F16, .m = 256, .n = 64},
        {"f16", F16, F16, .m = 64, .n = 96, .ws = true},
        {"f16", F16, F16, .m = 32, .n = 256, .ws = true, .sparse = true},
        {"f8f6f4", E4M3, E4M3, .m = 128, .n = 64, .sparse = true, .selector = 1},
        {"mxf8f6f4.block_scale", E4M3, E4M3, .m = 64, .n = 64, .factors = 1},
        {"mxf8f6f4.block_scale", E4M3, E4M3, .m = 128, .n = 64, .factors = 1, .pair = true, .sparse = true},
        {"mxf4.block_scale", PAIRS, PAIRS, .m = 128, .n = 64, .factors = 2, .factor_a = 1},
        {"mxf4.block_scale", PAIRS, PAIRS, .m = 128, .n = 64, .factors = 2, .fractions = true},
        {"mxf4nvf4.block_scale.scale_vec::4X", PAIRS, PAIRS, .m = 128, .n = 64, .factors = 4, .factor_b = 2},
        {"f16", F16, F16, .m = 64, .n = 64, .a_tmem = true, .down = true},
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct bench bench;
        struct data *data = calloc(1, sizeof *data);
        char *text = kernel_of(&ways[i]);
        uint64_t out;
        bench_open(&bench, NULL, text);
        if (launch(&bench, data, &ways[i], &out))
            fail_msg("case %zu has run", i);
        if (!strstr(bench.error.text, "an instruction descriptor with types or a shape that this kind does not have"))
            fail_msg("case %zu: %s", i, bench.error.text);
        bench_close(&bench);
        free(text);
        free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),   cmocka_unit_test(test_factors), cmocka_unit_test(test_sparse),
        cmocka_unit_test(test_weights), cmocka_unit_test(test_zeroes),  cmocka_unit_test(test_copies),
        cmocka_unit_test(test_down),    cmocka_unit_test(test_shifts),  cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_shapes),  cmocka_unit_test(test_boxes),   cmocka_unit_test(test_shared_boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
