/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tcgen05.mma with every type, several shapes, A in tensor and in shared memory, all swizzles and both directions,
 * against sums in double precision; copies, and loads and stores of every shape, against where CuTe's layouts put each
 * bit; and what goes wrong with tensor memory (PTX ISA 9.0, TensorCore of the 5th generation; CUTLASS,
 * copy_traits_sm100.hpp).
 */
#include "bench.h"

#include <math.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    MOST_M = 128,
    MOST_N = 256,
    MOST_K = 32,
    THREADS = 128,
    B_AT = 16384,
    IMAGE = 49152,
    TEXT = 1 << 17,
    LANES = 128
};

struct type {
    const char *name, *kind;
    unsigned number;                   /* in the instruction descriptor */
    unsigned bits, exponent, fraction; /* of an element; exponent 0: integers, signed where `fraction` is 1 */
    unsigned container;                /* bits that it takes in shared memory, in chunks of sixteen */
};

static const struct type types[] = {
    {"f16", "f16", 0, 16, 5, 10, 16},  {"bf16", "f16", 1, 16, 8, 7, 16},  {"tf32", "tf32", 2, 32, 8, 10, 32},
    {"e4m3", "f8f6f4", 0, 8, 4, 3, 8}, {"e5m2", "f8f6f4", 1, 8, 5, 2, 8}, {"e2m3", "f8f6f4", 3, 6, 2, 3, 8},
    {"e3m2", "f8f6f4", 4, 6, 3, 2, 8}, {"e2m1", "f8f6f4", 5, 4, 2, 1, 8}, {"u8", "i8", 0, 8, 0, 0, 8},
    {"s8", "i8", 1, 8, 0, 1, 8},
};
enum { F16, BF16, TF32, E4M3, E5M2, E2M3, E3M2, E2M1, U8, S8, TYPES };

struct product_case {
    unsigned a, b;       /* of `types` */
    bool halves;         /* D of f16 */
    unsigned m, n, span; /* bytes of the swizzle; 16: none; 256: 128 with atoms of 32 */
    bool a_tmem, across_a, across_b, minus_a, minus_b, adds, saturate, upper; /* upper: lanes 16 to 31 of M = 64 */
    unsigned scale;
    uint32_t left_out[4];
};

static uint64_t seed;

/* ===== numbers ===== */

static uint32_t random_bits(const struct type *type)
{
    uint32_t bits = (uint32_t)bench_random(&seed);
    if (!type->exponent)
        return bits & 0xff;
    if (type->bits < 8) /* all of them are moderate, subnormal ones too */
        return bits & ((1u << type->bits) - 1);
    uint32_t middle = (1u << (type->exponent - 1)) - 1, fraction = bits & ((1u << type->fraction) - 1);
    uint32_t exponent = middle - 3 + (bits >> 16) % 6, sign = bits >> 31;
    uint32_t made = (sign << type->exponent | exponent) << type->fraction | fraction;
    return type->bits == 32 ? made << 13 | (bits & 0x1fff) : made; /* tf32: what is below its bits is ignored */
}

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

static double half_value(uint32_t bits)
{
    static const struct type half = {"f16", "", 0, 16, 5, 10, 16};
    return value_of(&half, bits & 0xffff);
}

/* ===== where elements lie ===== */

static unsigned span_bytes(const struct product_case *c)
{
    return c->span == 256 ? 128 : c->span;
}

/* A row's elements lie side by side, 32 bytes of them: eight rows, then the next eight. */
static unsigned along_k(const struct product_case *c, unsigned row, unsigned byte)
{
    unsigned chunk = byte / 16;
    if (c->span == 16)
        return row / 8 * 256 + chunk * 128 + row % 8 * 16 + byte % 16;
    chunk ^= row * c->span / 128 % (c->span / 16);
    return row * c->span + chunk * 16 + byte % 16;
}

/* Elements of one k lie side by side: as many as the swizzle spans, for all k; `all` k there are. */
static unsigned along_rows(const struct product_case *c, unsigned size, unsigned all, unsigned row, unsigned k)
{
    unsigned span = span_bytes(c), each = span / size, chunk = row % each * size / 16, byte = row * size % 16;
    if (c->span == 16)
        return row * size / 16 * all * 16 + k / 8 * 128 + k % 8 * 16 + byte;
    if (c->span == 256)
        chunk = ((chunk / 2) ^ k % 4) * 2 + chunk % 2;
    else
        chunk ^= k % 8 * span / 128 % (span / 16);
    return row / each * all * span + k * span + chunk * 16 + byte;
}

static uint64_t descriptor_of(const struct product_case *c, unsigned k, unsigned address, bool across)
{
    uint64_t mode = c->span == 256 ? 1 : c->span == 128 ? 2 : c->span == 64 ? 4 : c->span == 32 ? 6 : 0;
    uint64_t span = span_bytes(c), leading = 1, stride = (c->span == 256 ? 4 : 8) * span;
    if (c->span == 16) {
        leading = 128;
        stride = across ? 16 * k : 256;
    } else if (across) {
        leading = k * span;
    }
    return mode << 61 | UINT64_C(1) << 46 | stride / 16 << 32 | (leading / 16 & 0x3fff) << 16 | address / 16;
}

static void put(unsigned char *image, const struct product_case *c, const struct type *type, unsigned all, bool across,
                unsigned row, unsigned k, uint32_t bits)
{
    unsigned size = type->container / 8;
    if (across) {
        memcpy(image + along_rows(c, size, all, row, k), &bits, size);
        return;
    }
    if (type->bits == type->container) {
        memcpy(image + along_k(c, row, k * size), &bits, size);
        return;
    }
    for (unsigned bit = 0; bit < type->bits; bit++) { /* packed in chunks of sixteen */
        unsigned at = k % 16 * type->bits + bit;
        image[along_k(c, row, k / 16 * 16 + at / 8)] |= (unsigned char)((bits >> bit & 1) << at % 8);
    }
}

/* ===== the kernel ===== */

/* The image goes to shared memory, and `ta` has the address of 512 columns; thread t is at lane t by `tl`. */
static const char head[] =
    ".version 8.6\n.target sm_100a\n.address_size 64\n.extern .shared .align 1024 .b8 s[];\n"
    ".visible .entry k(.param .u64 pimage, .param .u64 pin, .param .u64 pout, .param .u64 pda, .param .u64 pdb, "
    ".param .u32 pi, .param .u32 padds, .param .u64 pmask)\n{\n"
    ".reg .b32 i, t, v, w, b, ta, tl, td, id, h<4>, r<128>;\n.reg .b64 x, y, m, da, db;\n.reg .pred p, q, z;\n"
    "mov.u32 t, %tid.x;\nld.param.u64 m, [pimage];\nshl.b32 i, t, 2;\nmov.u32 w, s;\nadd.u32 b, w, 49152;\n"
    "again:\ncvt.u64.u32 x, i;\nadd.u64 x, x, m;\nld.global.b32 v, [x];\n{ .reg .b32 z; add.u32 z, w, i; "
    "st.shared.b32 [z], v; }\nadd.u32 i, i, 512;\nsetp.lt.u32 p, i, 49152;\n@p bra again;\n"
    "fence.proxy.async.shared::cta;\nsetp.lt.u32 p, t, 32;\nsetp.eq.u32 z, t, 0;\n"
    "@z mbarrier.init.shared::cta.b64 [b], 1;\n"
    "@p tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [b+8], 512;\n"
    "@p tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\nbar.sync 0;\nld.shared.b32 ta, [b+8];\n"
    "shr.u32 tl, t, 5;\nshl.b32 tl, tl, 21;\nadd.u32 tl, tl, ta;\n"
    "ld.param.u64 da, [pda];\nld.param.u64 db, [pdb];\nld.param.u32 id, [pi];\nld.param.u32 v, [padds];\n"
    "setp.ne.u32 q, v, 0;\nld.param.u64 m, [pmask];\n";
static const char wait_text[] =
    "wait:\nmbarrier.try_wait.parity.shared::cta.b64 p, [b], 0;\n@!p bra wait;\ntcgen05.fence::after_thread_sync;\n";
static const char tail[] = "tcgen05.fence::before_thread_sync;\nbar.sync 0;\nsetp.lt.u32 p, t, 32;\n"
                           "@p tcgen05.dealloc.cta_group::1.sync.aligned.b32 ta, 512;\nret;\n}\n";

/* Columns from `first` on, `count` of them, from or to global memory, [column][thread], behind x. */
static void add_moves(char *text, bool load, unsigned first, unsigned count, unsigned from)
{
    for (unsigned column = 0; column < count; column += 8) {
        char list[64] = "r0, r1, r2, r3, r4, r5, r6, r7";
        for (unsigned i = 0; i < 8 && !load; i++)
            bench_add(text, TEXT, "ld.global.b32 r%u, [x+%u];\n", i, (from + column + i) * 4 * THREADS);
        if (load)
            bench_add(text, TEXT,
                      "tcgen05.ld.sync.aligned.32x32b.x8.b32 {%s}, [tl+%u];\ntcgen05.wait::ld.sync.aligned;\n", list,
                      first + column);
        else
            bench_add(text, TEXT, "tcgen05.st.sync.aligned.32x32b.x8.b32 [tl+%u], {%s};\n", first + column, list);
        for (unsigned i = 0; i < 8 && load; i++)
            bench_add(text, TEXT, "st.global.b32 [x+%u], r%u;\n", (from + column + i) * 4 * THREADS, i);
    }
}

/* D is in columns 0 … 255, A, where it is in tensor memory, in 264 … 271. */
static char *kernel_of(const struct product_case *c)
{
    char *text = calloc(1, TEXT);
    const struct type *type = &types[c->a];
    bench_add(text, TEXT, "%s", head);
    for (unsigned i = 0; i < 4; i++)
        bench_add(text, TEXT, "ld.global.b32 h%u, [m+%u];\n", i, 4 * i);
    bench_add(text, TEXT, "ld.param.u64 m, [pin];\nmul.wide.u32 y, t, 4;\nadd.u64 x, m, y;\n");
    add_moves(text, false, 0, MOST_N, 0);
    add_moves(text, false, 264, 8, MOST_N);
    bench_add(text, TEXT,
              "tcgen05.wait::st.sync.aligned;\ntcgen05.fence::before_thread_sync;\nbar.sync 0;\n@!z bra wait;\n"
              "tcgen05.fence::after_thread_sync;\nadd.u32 td, ta, %u;\n",
              c->upper ? 16u << 16 : 0);
    bench_add(text, TEXT, "tcgen05.mma.cta_group::1.kind::%s%s [td], ", type->kind,
              c->a_tmem ? ".collector::a::fill" : "");
    bench_add(text, TEXT, c->a_tmem ? "[td+264]" : "da");
    bench_add(text, TEXT, ", db, id, ");
    if (c->left_out[0] | c->left_out[1] | c->left_out[2] | c->left_out[3])
        bench_add(text, TEXT, "{h0, h1, h2, h3}, ");
    bench_add(text, TEXT, "q");
    if (c->scale)
        bench_add(text, TEXT, ", %u", c->scale);
    bench_add(text, TEXT, ";\ntcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [b];\n%s",
              wait_text);
    bench_add(text, TEXT, "ld.param.u64 m, [pout];\nadd.u64 x, m, y;\n");
    add_moves(text, true, 0, MOST_N, 0);
    bench_add(text, TEXT, "%s", tail);
    return text;
}

/* ===== one product ===== */

struct data {
    uint32_t a[MOST_M][MOST_K], b[MOST_N][MOST_K], in[MOST_N + 8][THREADS], out[MOST_N][THREADS];
    double old[MOST_M][MOST_N];
    unsigned char image[IMAGE];
};

static unsigned k_of(const struct product_case *c)
{
    return 256 / types[c->a].container;
}

static unsigned lane_of(const struct product_case *c, unsigned row)
{
    return c->m == 128 ? row : row / 16 * 32 + row % 16 + (c->upper ? 16 : 0);
}

static double sum_in(const struct product_case *c, uint32_t word)
{
    float single;
    memcpy(&single, &word, 4);
    return c->halves ? half_value(word) : types[c->a].exponent ? (double)single : (double)(int32_t)word;
}

static void fill(const struct product_case *c, struct data *data)
{
    const struct type *of_a = &types[c->a], *of_b = &types[c->b];
    unsigned count = k_of(c), each = 32 / of_a->container;
    for (unsigned column = 0; column < MOST_N + 8; column++)
        for (unsigned lane = 0; lane < LANES; lane++) {
            float single = (float)((int)(bench_random(&seed) % 2001) - 1000) / 64;
            memcpy(&data->in[column][lane], &single, 4);
            if (c->halves)
                data->in[column][lane] = 0x3c00 + (uint32_t)bench_random(&seed) % 512;
            else if (!of_a->exponent)
                data->in[column][lane] = c->saturate ? 0x7fffff00 : (uint32_t)bench_random(&seed) % 100000 - 50000;
        }
    for (unsigned k = 0; k < count; k++)
        for (unsigned row = 0; row < c->m; row++) {
            uint32_t bits = data->a[row][k] = random_bits(of_a);
            put(data->image, c, of_a, count, c->across_a, row, k, bits);
            uint32_t *word = &data->in[MOST_N + k / each][lane_of(c, row)];
            uint32_t placed = of_a->bits == 4 ? bits << 2 : bits; /* four bits are in the middle of their byte */
            *word = (k % each ? *word : 0) | placed << k % each * of_a->container;
        }
    for (unsigned k = 0; k < count; k++)
        for (unsigned column = 0; column < c->n; column++)
            put(data->image + B_AT, c, of_b, count, c->across_b, column, k, data->b[column][k] = random_bits(of_b));
    for (unsigned row = 0; row < c->m; row++)
        for (unsigned column = 0; column < c->n; column++)
            data->old[row][column] = c->adds ? ldexp(sum_in(c, data->in[column][lane_of(c, row)]), -(int)c->scale) : 0;
}

static void describe(const struct product_case *c, unsigned row, unsigned column, double found, double wanted)
{
    fail_msg("m%un%u %s x %s%s span %u A in %s memory, across %d %d: (%u, %u) is %.9g, not %.9g", c->m, c->n,
             types[c->a].name, types[c->b].name, c->halves ? " f16" : "", c->span, c->a_tmem ? "tensor" : "shared",
             c->across_a, c->across_b, row, column, found, wanted);
}

static void compare_sums(const struct product_case *c, const struct data *data)
{
    const struct type *of_a = &types[c->a], *of_b = &types[c->b];
    for (unsigned row = 0; row < c->m; row++)
        for (unsigned column = 0; column < c->n; column++) {
            double sum = data->old[row][column], size = fabs(sum);
            unsigned lane = lane_of(c, row);
            if (c->left_out[lane / 32] >> lane % 32 & 1)
                continue;
            for (unsigned k = 0; k < k_of(c); k++) {
                double x = value_of(of_a, data->a[row][k]) * value_of(of_b, data->b[column][k]);
                sum += c->minus_a != c->minus_b ? -x : x;
                size += fabs(x);
            }
            if (c->saturate)
                sum = fmin(fmax(sum, -2147483648.0), 2147483647.0);
            double bound = of_a->exponent ? size * k_of(c) * 0x1p-24 : 0, found = sum_in(c, data->out[column][lane]);
            bound += c->halves ? fabs(sum) * 0x1p-11 : 0;
            if (!(fabs(found - sum) <= bound))
                describe(c, row, column, found, sum);
        }
}

/* What is no part of D is as before. */
static void compare_rest(const struct product_case *c, const struct data *data)
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        bool left = c->left_out[lane / 32] >> lane % 32 & 1, part = c->m == 128 || (lane / 16 % 2) == c->upper;
        for (unsigned column = part && !left ? c->n : 0; column < MOST_N; column++)
            if (data->out[column][lane] != data->in[column][lane])
                fail_msg("lane %u, column %u has changed", lane, column);
    }
}

static uint32_t instruction_of(const struct product_case *c)
{
    uint32_t d = !types[c->a].exponent ? 2 : c->halves ? 0 : 1;
    return (uint32_t)c->saturate << 3 | d << 4 | types[c->a].number << 7 | types[c->b].number << 10 |
           (uint32_t)c->minus_a << 13 | (uint32_t)c->minus_b << 14 | (uint32_t)c->across_a << 15 |
           (uint32_t)c->across_b << 16 | c->n / 8 << 17 | c->m / 16 << 24;
}

static void run_case(const struct product_case *c)
{
    struct bench bench;
    struct data *data = calloc(1, sizeof *data);
    char *text = kernel_of(c);
    fill(c, data);
    bench_open(&bench, NULL, text);
    uint64_t image = bench_buffer(&bench, data->image, IMAGE), in = bench_buffer(&bench, data->in, sizeof data->in);
    uint64_t out = bench_buffer(&bench, NULL, sizeof data->out), mask = bench_buffer(&bench, c->left_out, 16);
    uint64_t of_a = descriptor_of(c, k_of(c), 0, c->across_a), of_b = descriptor_of(c, k_of(c), B_AT, c->across_b);
    uint32_t instruction = instruction_of(c), adds = c->adds;
    if (!BENCH_RUN(&bench, "k", 1, THREADS, IMAGE + 64, &image, &in, &out, &of_a, &of_b, &instruction, &adds, &mask))
        fail_msg("%s\n%s", bench.error.text, text);
    bench_read(&bench, out, data->out, sizeof data->out);
    compare_sums(c, data);
    compare_rest(c, data);
    bench_close(&bench);
    free(text);
    free(data);
}

/* Every type of A with one of B, both shapes of M, both places of A, both types of D. */
static void test_types(void **unused)
{
    (void)unused;
    static const unsigned columns[] = {8, 24, 64, 176, 256};
    static const uint8_t others[] = {F16, BF16, TF32, E5M2, E2M3, E3M2, E2M1, E4M3, S8, U8};
    for (unsigned t = 0; t < TYPES; t++)
        for (unsigned i = 0; i < 10; i++) {
            unsigned n = t >= U8 && columns[i % 5] == 24 ? 48 : columns[i % 5];
            struct product_case c = {t, i % 3 ? others[t] : t, .m = i % 2 ? 64 : 128, .n = n, .span = 128};
            c.halves = i > 4 && (t == F16 || (t >= E4M3 && t < U8));
            c.a_tmem = i / 2 % 2;
            c.upper = i % 4 == 3;
            c.adds = i % 3 == 1;
            c.minus_a = types[t].exponent && i == 1;
            c.minus_b = types[t].exponent && i > 5;
            run_case(&c);
        }
}

static bool has_layout(const struct type *type, unsigned span, bool across)
{
    if (span == 256)
        return across && type->container == 32;
    return !across || (type->container < 32 && type->bits == type->container);
}

static void test_layouts(void **unused)
{
    (void)unused;
    static const unsigned spans[] = {16, 32, 64, 128, 256};
    for (unsigned t = 0; t < TYPES; t++)
        for (unsigned s = 0; s < 5; s++)
            for (unsigned across = 0; across < 4; across++) {
                struct product_case c = {t, t, .m = 128, .n = 128, .span = spans[s], .adds = true};
                c.across_a = across & 1;
                c.across_b = across >> 1;
                if (has_layout(&types[t], spans[s], c.across_a) && has_layout(&types[t], spans[s], c.across_b))
                    run_case(&c);
            }
}

/* Lanes that are left out, D made smaller first, sums of integers that no longer fit. */
static void test_extras(void **unused)
{
    (void)unused;
    struct product_case c = {F16, F16, .m = 128, .n = 64, .span = 64, .adds = true};
    c.scale = 5;
    run_case(&c);
    c.left_out[0] = 0xf0f0f0f0;
    c.left_out[3] = 0x80000001;
    run_case(&c);
    c.m = 64;
    c.scale = 15;
    run_case(&c);
    c = (struct product_case){S8, U8, .m = 128, .n = 32, .span = 32, .adds = true, .saturate = true};
    run_case(&c);
}

/* ===== loads, stores, copies ===== */

struct mode {
    unsigned size, stride;
};

/* Where a bit of a thread's register is, of the smallest form: threads first, then registers; strides in words of a row
 * of `width` columns, row by row (CuTe's layouts of the copies, in bits there). */
static const struct shape {
    const char *name;
    unsigned registers, width, lanes;
    struct mode threads[3], words[3];
} shapes[] = {
    {"32x32b", 1, 1, 32, {{32, 1}}, {{1, 0}}},           {"16x64b", 1, 2, 16, {{2, 16}, {2, 1}, {8, 2}}, {{1, 0}}},
    {"16x128b", 2, 4, 16, {{4, 1}, {8, 4}}, {{2, 32}}},  {"16x256b", 4, 8, 16, {{4, 2}, {8, 8}}, {{2, 1}, {2, 64}}},
    {"16x32bx2", 1, 1, 16, {{16, 1}, {2, 0}}, {{1, 0}}},
};

static unsigned offset_of(const struct mode modes[3], unsigned number)
{
    unsigned offset = 0;
    for (unsigned i = 0; i < 3 && modes[i].size; i++) {
        offset += number % modes[i].size * modes[i].stride;
        number /= modes[i].size;
    }
    return offset;
}

/* The cell, from the address on; `split`: columns between the halves of .16x32bx2. */
static void cell_of(const struct shape *shape, unsigned thread, unsigned reg, unsigned split, unsigned *lane,
                    unsigned *column)
{
    unsigned words = offset_of(shape->threads, thread) + offset_of(shape->words, reg % shape->registers);
    *lane = words / shape->width;
    *column = words % shape->width + reg / shape->registers * shape->width;
    if (!strcmp(shape->name, "16x32bx2"))
        *column += thread / 16 * split;
}

struct move_case {
    const struct shape *shape;
    unsigned times, first, lane; /* .xN; column; 0, or 16 of the warp's lanes */
    bool halves, store;
};

/* Of a load: a cell has its lane and column in its bytes. Of a store: a register its number and thread. */
static char *move_kernel(const struct move_case *c, unsigned split)
{
    char *text = calloc(1, TEXT);
    unsigned count = c->shape->registers * c->times;
    bool two = !strcmp(c->shape->name, "16x32bx2");
    bench_add(text, TEXT, "%sld.param.u64 m, [pin];\nmul.wide.u32 y, t, 4;\nadd.u64 x, m, y;\n", head);
    add_moves(text, false, 0, MOST_N, 0);
    add_moves(text, false, MOST_N, MOST_N, MOST_N);
    bench_add(text, TEXT,
              "tcgen05.wait::st.sync.aligned;\nadd.u32 td, tl, %u;\nld.param.u64 m, [pimage];\nadd.u64 x, m, y;\n",
              c->lane << 16);
    for (unsigned i = 0; i < count; i++)
        bench_add(text, TEXT, c->store ? "ld.global.b32 r%u, [x+%u];\n" : "mov.b32 r%u, %u;\n", i, i * 4 * THREADS);
    bench_add(text, TEXT, "tcgen05.%s.sync.aligned.%s.x%u%s.b32 ", c->store ? "st" : "ld", c->shape->name, c->times,
              c->halves ? c->store ? ".unpack::16b" : ".pack::16b" : "");
    bench_add(text, TEXT, c->store ? "[td+%u]" : "{", c->first);
    for (unsigned part = 0; part < 2; part++) {
        if (part == !c->store) {
            if (!c->store)
                bench_add(text, TEXT, "}, [td+%u]", c->first);
            if (two)
                bench_add(text, TEXT, ", %u", split);
            bench_add(text, TEXT, c->store ? ", {" : "");
        }
        for (unsigned i = 0; i < count && part == c->store; i++)
            bench_add(text, TEXT, "%sr%u", i ? ", " : "", i);
    }
    bench_add(text, TEXT, "%s;\ntcgen05.wait::%s.sync.aligned;\nld.param.u64 m, [pout];\nadd.u64 x, m, y;\n",
              c->store ? "}" : "", c->store ? "st" : "ld");
    if (c->store) {
        add_moves(text, true, 0, MOST_N, 0);
        add_moves(text, true, MOST_N, MOST_N, MOST_N);
    }
    for (unsigned i = 0; i < count && !c->store; i++)
        bench_add(text, TEXT, "st.global.b32 [x+%u], r%u;\n", i * 4 * THREADS, i);
    bench_add(text, TEXT, "%s", tail);
    return text;
}

static uint32_t cell_word(unsigned lane, unsigned column)
{
    return column << 23 | column << 7 | lane; /* the lower half says both, for what packs it */
}

static void check_move(const struct move_case *c, unsigned split, uint32_t (*out)[THREADS], uint32_t (*given)[THREADS])
{
    for (unsigned reg = 0; reg < c->shape->registers * c->times; reg++)
        for (unsigned t = 0; t < THREADS; t++) {
            unsigned lane, column;
            cell_of(c->shape, t % 32, reg, c->halves ? split / 2 : split, &lane, &column);
            lane += t / 32 * 32 + c->lane;
            column = c->first + (column << c->halves);
            uint32_t wanted = c->store ? given[reg][t] : cell_word(lane, column);
            uint32_t found = c->store ? out[column][lane] : out[reg][t];
            if (c->halves && !c->store)
                wanted = (cell_word(lane, column) & 0xffff) | cell_word(lane, column + 1) << 16;
            if (c->halves && c->store)
                found = out[column + 1][lane] << 16 | out[column][lane];
            if (found != wanted)
                fail_msg("%s %s.x%u%s: register %u of thread %u, lane %u column %u: %#x, not %#x",
                         c->store ? "st" : "ld", c->shape->name, c->times, c->halves ? " of halves" : "", reg, t, lane,
                         column, found, wanted);
        }
}

static void run_move(const struct move_case *c)
{
    static uint32_t in[2 * MOST_N][THREADS], out[2 * MOST_N][THREADS], given[128][THREADS];
    struct bench bench;
    unsigned split = (c->times << c->halves) + (c->times < 100 ? 2 : 0);
    char *text = move_kernel(c, split);
    for (unsigned i = 0; i < 2 * MOST_N * THREADS; i++)
        in[i / THREADS][i % THREADS] = cell_word(i % THREADS, i / THREADS);
    for (unsigned i = 0; i < 128 * THREADS; i++)
        given[i / THREADS][i % THREADS] = (uint32_t)bench_random(&seed);
    bench_open(&bench, NULL, text);
    unsigned char *image = calloc(1, IMAGE + sizeof given);
    memcpy(image, given, sizeof given);
    uint64_t to = bench_buffer(&bench, NULL, sizeof out), from = bench_buffer(&bench, in, sizeof in);
    uint64_t extra = bench_buffer(&bench, image, IMAGE + sizeof given), none = 0;
    uint32_t zero = 0;
    if (!BENCH_RUN(&bench, "k", 1, THREADS, IMAGE + 64, &extra, &from, &to, &none, &none, &zero, &zero, &extra))
        fail_msg("%s\n%s", bench.error.text, text);
    bench_read(&bench, to, out, sizeof out);
    check_move(c, split, out, given);
    bench_close(&bench);
    free(image);
    free(text);
}

static void test_moves(void **unused)
{
    (void)unused;
    for (unsigned s = 0; s < 5; s++)
        for (unsigned times = 1; times * shapes[s].registers <= 128; times *= 2)
            for (unsigned how = 0; how < 4; how++) {
                struct move_case c = {&shapes[s], times, .halves = how & 1, .store = how >> 1};
                c.first = (shapes[s].width * times << c.halves) > 200 ? 0 : times % 3; /* 512 columns there are */
                c.lane = s && (times + how) % 2 ? 16 : 0;
                run_move(&c);
            }
}

/* ===== loads with a reduction ===== */

/* As .kind of a name: f32, u32, s32; greatest or least; absolute values; NaN stays. */
struct reduction {
    const char *type;
    bool most, absolute, nan;
};

static bool is_nan(uint32_t word)
{
    return (word & 0x7fffffff) > 0x7f800000;
}

/* Numbers in their order as integers: of floats by sign and magnitude, so that -0 is less than 0. */
static int64_t order_of(const struct reduction *r, uint32_t word)
{
    if (r->type[0] == 'u')
        return word;
    if (r->type[0] == 's')
        return (int32_t)word;
    return word >> 31 ? -(int64_t)(word & 0x7fffffff) - 1 : (int64_t)word;
}

static uint32_t reduced(const struct reduction *r, const uint32_t *words, unsigned count)
{
    bool floats = r->type[0] == 'f', none = true, lost = false;
    uint32_t best = 0x7fffffff; /* the canonical NaN: of nothing else */
    for (unsigned i = 0; i < count; i++) {
        uint32_t word = r->absolute ? words[i] & 0x7fffffff : words[i];
        if (floats && is_nan(word)) {
            lost = true;
            continue;
        }
        bool better = none || (r->most ? order_of(r, word) > order_of(r, best) : order_of(r, word) < order_of(r, best));
        best = better ? word : best;
        none = false;
    }
    return lost && r->nan ? 0x7fffffff : best;
}

static char *reduction_kernel(const struct reduction *r, const struct shape *shape, unsigned times, unsigned split)
{
    char *text = calloc(1, TEXT);
    bench_add(text, TEXT, "%sld.param.u64 m, [pin];\nmul.wide.u32 y, t, 4;\nadd.u64 x, m, y;\n", head);
    add_moves(text, false, 0, MOST_N, 0);
    bench_add(text, TEXT, "tcgen05.wait::st.sync.aligned;\ntcgen05.ld.red.sync.aligned.%s.x%u.%s%s%s.%s {", shape->name,
              times, r->most ? "max" : "min", r->absolute ? ".abs" : "", r->nan ? ".NaN" : "", r->type);
    for (unsigned i = 0; i < times; i++)
        bench_add(text, TEXT, "%sr%u", i ? ", " : "", i);
    bench_add(text, TEXT, "}, v, [tl+3]");
    if (split)
        bench_add(text, TEXT, ", %u", split);
    bench_add(text, TEXT,
              ";\ntcgen05.wait::ld.sync.aligned;\nld.param.u64 m, [pout];\nadd.u64 x, m, y;\n"
              "st.global.b32 [x], v;\nst.global.b32 [x+512], r0;\nst.global.b32 [x+1024], r%u;\n%s",
              times - 1, tail);
    return text;
}

/* Any bits, and for floats now and then what is special. */
static uint32_t any_word(bool floats)
{
    static const uint32_t special[] = {0, 1u << 31, 0x7f800000, 0xff800000, 0x7fc00000, 0xffffffff, 1, 0x80000001};
    uint32_t word = (uint32_t)bench_random(&seed);
    return floats && word % 4 == 0 ? special[word / 4 % 8] : word;
}

static void run_reduction(const struct reduction *r, const struct shape *shape, unsigned times)
{
    static uint32_t in[MOST_N][THREADS], out[3][THREADS];
    unsigned split = shape->lanes == 16 ? times + 5 : 0;
    struct bench bench;
    char *text = reduction_kernel(r, shape, times, split);
    for (unsigned i = 0; i < MOST_N * THREADS; i++)
        in[i / THREADS][i % THREADS] = any_word(r->type[0] == 'f');
    bench_open(&bench, NULL, text);
    uint64_t to = bench_buffer(&bench, NULL, sizeof out), from = bench_buffer(&bench, in, sizeof in), none = 0;
    uint64_t image = bench_buffer(&bench, NULL, IMAGE);
    uint32_t zero = 0;
    if (!BENCH_RUN(&bench, "k", 1, THREADS, IMAGE + 64, &image, &from, &to, &none, &none, &zero, &zero, &image))
        fail_msg("%s\n%s", bench.error.text, text);
    bench_read(&bench, to, out, sizeof out);
    for (unsigned t = 0; t < THREADS; t++) {
        uint32_t words[128];
        unsigned lane = split ? t / 32 * 32 + t % 16 : t, first = 3 + (split && t % 32 / 16 ? split : 0);
        for (unsigned i = 0; i < times; i++)
            words[i] = in[first + i][lane];
        uint32_t wanted = reduced(r, words, times);
        if (out[0][t] != wanted || out[1][t] != words[0] || out[2][t] != words[times - 1])
            fail_msg("%s.x%u %s %s%s%s: thread %u has %#x, not %#x", shape->name, times, r->most ? "max" : "min",
                     r->type, r->absolute ? " abs" : "", r->nan ? " NaN" : "", t, out[0][t], wanted);
    }
    bench_close(&bench);
    free(text);
}

static void test_reductions(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < 24; i++) {
        static const char *const names[] = {"f32", "u32", "f32", "s32"};
        struct reduction r = {names[i % 4], .most = i / 4 % 2};
        r.absolute = r.type[0] == 'f' && i / 8 % 2;
        r.nan = r.type[0] == 'f' && i % 4 / 2;
        run_reduction(&r, &shapes[i % 5 == 1 ? 4 : 0], 2u << i % 6);
        run_reduction(&r, &shapes[4], 2u << i % 3);
    }
}

/* Copies of shared memory: which row of it is in a lane, -1: none is. */
static int row_of(unsigned shape, unsigned lane)
{
    switch (shape) {
    case 0:
    case 2:
        return (int)lane;
    case 1:
        return lane % 32 ? -1 : (int)lane / 32;
    case 3:
        return (int)lane % 64;
    case 4:
        return (int)(lane / 64 * 32 + lane % 32);
    default:
        return (int)lane % 32;
    }
}

static void run_copy(unsigned shape, unsigned span, unsigned bits)
{
    static const char *const names[] = {
        "128x256b", "4x256b", "128x128b", "64x128b.warpx2::02_13", "64x128b.warpx2::01_23", "32x128b.warpx4"};
    static uint32_t out[MOST_N][THREADS];
    struct product_case place = {E4M3, E4M3, .span = span};
    struct bench bench;
    char *text = calloc(1, TEXT);
    unsigned char *image = calloc(1, IMAGE);
    bench_add(text, TEXT,
              "%s@!z bra wait;\ntcgen05.cp.cta_group::1.%s%s [ta+6], da;\n"
              "cvt.u64.u32 db, b;\ncvta.shared.u64 db, db;\n"
              "tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%s];\n%s",
              head, names[shape],
              bits == 6   ? ".b8x16.b6x16_p32"
              : bits == 4 ? ".b8x16.b4x16_p64"
                          : "",
              bits == 6 ? "b" : "db", wait_text);
    bench_add(text, TEXT, "mul.wide.u32 y, t, 4;\nld.param.u64 m, [pout];\nadd.u64 x, m, y;\n");
    add_moves(text, true, 0, MOST_N, 0);
    bench_add(text, TEXT, "%s", tail);
    for (unsigned i = 0; i < IMAGE; i++)
        image[i] = (unsigned char)bench_random(&seed);
    bench_open(&bench, NULL, text);
    uint64_t from = bench_buffer(&bench, image, IMAGE), to = bench_buffer(&bench, NULL, sizeof out);
    uint64_t descriptor = descriptor_of(&place, 32, 0, false), none = 0;
    uint32_t zero = 0;
    if (!BENCH_RUN(&bench, "k", 1, THREADS, IMAGE + 64, &from, &from, &to, &descriptor, &none, &zero, &zero, &from))
        fail_msg("%s\n%s", bench.error.text, text);
    bench_read(&bench, to, out, sizeof out);
    unsigned columns = shape < 2 ? 8 : 4;
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned byte = 0; byte < 4 * columns && row_of(shape, lane) >= 0; byte++) {
            unsigned bit = byte % 16 * bits, row = (unsigned)row_of(shape, lane), chunk = byte / 16 * 16;
            unsigned wanted = 0, found = out[6 + byte / 4][lane] >> byte % 4 * 8 & 0xff;
            for (unsigned i = 0; i < (bits ? bits : 8); i++) {
                unsigned of = bits ? bit + i : byte % 16 * 8 + i;
                wanted |= (unsigned)(image[along_k(&place, row, chunk + of / 8)] >> of % 8 & 1) << i;
            }
            wanted <<= bits == 4 ? 2 : 0;
            if (found != wanted)
                fail_msg("cp.%s span %u bits %u: lane %u byte %u is %#x, not %#x", names[shape], span, bits, lane, byte,
                         found, wanted);
        }
    bench_close(&bench);
    free(image);
    free(text);
}

static void test_copies(void **unused)
{
    (void)unused;
    static const unsigned spans[] = {16, 32, 64, 128};
    for (unsigned shape = 0; shape < 6; shape++)
        for (unsigned s = 0; s < 4; s++)
            run_copy(shape, spans[s], s == 1 ? 6 : s == 2 ? 4 : 0);
}

/* ===== commits to other blocks ===== */

/* Of a cluster of four, the block of rank 2 commits to ranks 0, 2 and 3, and to rank 1 by its address; each waits. */
static const char commits[] =
    ".version 8.6\n.target sm_100a\n.address_size 64\n.shared .align 8 .b64 b;\n"
    ".visible .entry k(.param .u64 out) .explicitcluster .reqnctapercluster 4, 1, 1\n{\n"
    ".reg .b64 o, x; .reg .b32 a, r, t; .reg .b16 m; .reg .pred p, q;\n"
    "ld.param.u64 o, [out];\nmov.u32 a, b;\nmov.u32 r, %cluster_ctarank;\nmov.u32 t, %ctaid.x;\n"
    "mul.wide.u32 x, t, 4;\nadd.u64 o, o, x;\nmbarrier.init.shared::cta.b64 [a], 1;\n"
    "fence.mbarrier_init.release.cluster;\nbarrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
    "setp.eq.u32 p, r, 2;\nmov.b16 m, 13;\n"
    "@p tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [a], m;\n"
    "mapa.shared::cluster.u32 t, a, 1;\n"
    "@p tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [t];\n"
    "wait:\nmbarrier.try_wait.parity.shared::cta.b64 q, [a], 0;\n@!q bra wait;\n"
    "ld.shared.b64 x, [b];\nadd.u32 r, r, 1;\nst.global.b32 [o], r;\nbarrier.cluster.arrive.aligned;\n"
    "barrier.cluster.wait.aligned;\nret;\n}\n";

static void test_commits(void **unused)
{
    (void)unused;
    struct bench bench;
    uint32_t seen[8];
    bench_open(&bench, NULL, commits);
    uint64_t out = bench_buffer(&bench, NULL, sizeof seen);
    if (!BENCH_RUN(&bench, "k", 8, 1, 0, &out))
        fail_msg("%s", bench.error.text);
    bench_read(&bench, out, seen, sizeof seen);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(seen[i], i % 4 + 1);
    bench_close(&bench);
}

int main(int count, char **arguments)
{
    if (count > 1) { /* a kernel's text, for an assembler */
        struct product_case c = {(unsigned)atoi(arguments[1]), (unsigned)atoi(arguments[1]), .m = 128, .n = 64,
                                 .span = 128};
        c.a_tmem = count > 2;
        c.left_out[0] = count > 2;
        struct move_case move = {&shapes[atoi(arguments[1]) % 5], 4, .halves = count > 2, .store = count > 2};
        char *text = count > 3 ? move_kernel(&move, 8) : kernel_of(&c);
        fputs(text, stdout);
        free(text);
        return 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_types),  cmocka_unit_test(test_layouts),
                                       cmocka_unit_test(test_extras), cmocka_unit_test(test_moves),
                                       cmocka_unit_test(test_copies), cmocka_unit_test(test_reductions),
                                       cmocka_unit_test(test_commits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
