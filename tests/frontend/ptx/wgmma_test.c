/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wgmma with every type, several shapes, operands in registers and in shared memory, all swizzles and both directions,
 * against sums in double precision. Where elements lie is written here by rows and chunks of 16 bytes, as the figures
 * of the ISA state (PTX ISA 9.0, asynchronous warpgroup-level matrix instructions).
 */
#include "bench.h"

#include <math.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { M = 64, MOST_N = 256, THREADS = 128, B_AT = 16384, IMAGE = 65536, TEXT = 1 << 16 };

struct type {
    const char *name;
    unsigned bits, exponent, fraction; /* exponent 0: integers, signed where `fraction` is 1 */
    const char *d[2];
};

static const struct type types[] = {
    {"f16", 16, 5, 10, {"f32", "f16"}}, {"bf16", 16, 8, 7, {"f32", NULL}}, {"tf32", 32, 8, 10, {"f32", NULL}},
    {"e4m3", 8, 4, 3, {"f32", "f16"}},  {"e5m2", 8, 5, 2, {"f32", "f16"}}, {"s8", 8, 0, 1, {"s32", NULL}},
    {"u8", 8, 0, 0, {"s32", NULL}},     {"b1", 1, 0, 0, {"s32", NULL}},
};

struct wgmma_case {
    const struct type *type;
    const char *d;
    unsigned n, k, span; /* bytes of the swizzle; 16: none */
    bool registers, across_a, across_b, minus_a, adds, sparse;
    unsigned selector; /* of the threads that have a sparse A's metadata */
    bool infinite;     /* numbers of B that meet nothing but gaps of A */
};

static uint64_t seed;

/* A random number in a type's bits: floats of moderate size. */
static uint32_t random_bits(const struct type *type)
{
    uint32_t bits = (uint32_t)bench_random(&seed);
    if (!type->exponent)
        return type->bits == 1 ? bits & 1 : bits & 0xff;
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
    double fraction = (double)(bits & ((1u << type->fraction) - 1)) / (1u << type->fraction);
    double value = ldexp(1 + fraction, exponent - (1 << (type->exponent - 1)) + 1);
    return bits >> (type->fraction + type->exponent) ? -value : value;
}

static double half_value(uint32_t bits)
{
    double fraction = (double)(bits & 1023) / 1024;
    int exponent = (int)(bits >> 10 & 31);
    double value = exponent ? ldexp(1 + fraction, exponent - 15) : ldexp(fraction, -14);
    return bits >> 15 & 1 ? -value : value;
}

/* ===== where elements lie ===== */

/* A row's elements lie side by side: eight rows, then the next eight. `k`: elements of a row. */
static unsigned along_k(const struct wgmma_case *c, unsigned k, unsigned row, unsigned byte)
{
    unsigned chunk = byte / 16;
    if (c->span == 16)
        return row / 8 * k * c->type->bits + chunk * 128 + row % 8 * 16 + byte % 16;
    chunk ^= row * c->span / 128 % (c->span / 16);
    return row * c->span + chunk * 16 + byte % 16;
}

/* Elements of one k lie side by side, of 16 bits. */
static unsigned along_rows(const struct wgmma_case *c, unsigned all, unsigned row, unsigned k)
{
    unsigned each = c->span / 2, chunk = row % each / 8;
    if (c->span == 16)
        return row / 8 * all * 16 + k / 8 * 128 + k % 8 * 16 + row % 8 * 2;
    chunk ^= k % 8 * c->span / 128 % (c->span / 16);
    return row / each * all * c->span + k * c->span + chunk * 16 + row % 8 * 2;
}

static uint64_t descriptor_of(const struct wgmma_case *c, unsigned k, unsigned address, bool across)
{
    uint64_t mode = c->span == 128 ? 1 : c->span == 64 ? 2 : c->span == 32 ? 3 : 0, leading = 1, stride = 8 * c->span;
    if (c->span == 16) {
        leading = 128;
        stride = k * c->type->bits;
    } else if (across) {
        leading = k * c->span;
    }
    return mode << 62 | stride / 16 << 32 | (leading / 16 & 0x3fff) << 16 | address / 16;
}

/* `all`: elements along k */
static void put(unsigned char *image, const struct wgmma_case *c, unsigned all, bool across, unsigned row, unsigned k,
                uint32_t bits)
{
    unsigned size = c->type->bits;
    if (size == 1) {
        image[along_k(c, all, row, k / 8)] |= (unsigned char)(bits << k % 8);
        return;
    }
    memcpy(image + (across ? along_rows(c, all, row, k) : along_k(c, all, row, k * size / 8)), &bits, size / 8);
}

/* ===== the kernel ===== */

static const char head[] =
    ".version 8.0\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 s[];\n"
    ".visible .entry k(.param .u64 pimage, .param .u64 pareg, .param .u64 pd, .param .u64 pda, "
    ".param .u64 pdb, .param .u32 padds)\n{\n.reg .b32 a<5>, t, i, v, w;\n.reg .b64 x, y, m, da, "
    "db;\n.reg .pred p, q;\n";
static const char copy_image[] =
    "mov.u32 t, %tid.x;\nld.param.u64 m, [pimage];\nshl.b32 i, t, 2;\nmov.u32 w, s;\n"
    "again:\ncvt.u64.u32 x, i;\nadd.u64 x, x, m;\nld.global.b32 v, [x];\n{ .reg .b32 z; add.u32 z, w, i; "
    "st.shared.b32 [z], v; }\nadd.u32 i, i, 512;\nsetp.lt.u32 p, i, 65536;\n@p bra again;\n"
    "fence.proxy.async.shared::cta;\nbar.sync 0;\nmul.wide.u32 y, t, 4;\nld.param.u64 da, [pda];\n"
    "ld.param.u64 db, [pdb];\nld.param.u32 v, [padds];\nsetp.ne.u32 q, v, 0;\n";

static unsigned registers_of(const struct wgmma_case *c)
{
    return strcmp(c->d, "f16") ? c->n / 2 : c->n / 4;
}

static void add_product(char *text, const struct wgmma_case *c)
{
    const struct type *type = c->type;
    bool integers = !type->exponent, bits = type->bits == 1;
    bench_add(text, TEXT, "wgmma.mma_async%s.sync.aligned.m64n%uk%u.%s.%s.%s%s {", c->sparse ? ".sp" : "", c->n, c->k,
              c->d, type->name, type->name, bits ? ".and.popc" : "");
    for (unsigned i = 0; i < registers_of(c); i++)
        bench_add(text, TEXT, "%sd%u", i ? ", " : "", i);
    bench_add(text, TEXT, "}, %s, db", c->registers ? "{a0, a1, a2, a3}" : "da");
    if (c->sparse)
        bench_add(text, TEXT, ", a4, %u", c->selector);
    bench_add(text, TEXT, ", q");
    if (!integers)
        bench_add(text, TEXT, ", %d, 1", c->minus_a ? -1 : 1);
    if (type->bits == 16 && !c->registers)
        bench_add(text, TEXT, ", %d", c->across_a);
    if (type->bits == 16)
        bench_add(text, TEXT, ", %d", c->across_b);
    bench_add(text, TEXT, ";\n");
}

static char *kernel_of(const struct wgmma_case *c)
{
    char *text = calloc(1, TEXT);
    unsigned count = registers_of(c);
    bench_add(text, TEXT, "%s.reg .%s d<%u>;\n%s", head, strcmp(c->d, "f32") ? "b32" : "f32", count, copy_image);
    bench_add(text, TEXT, "ld.param.u64 m, [pareg];\nadd.u64 x, m, y;\n");
    for (unsigned i = 0; i < 5; i++)
        bench_add(text, TEXT, "ld.global.b32 a%u, [x+%u];\n", i, i * 4 * THREADS);
    bench_add(text, TEXT, "ld.param.u64 m, [pd];\nadd.u64 x, m, y;\n");
    for (unsigned i = 0; i < count; i++)
        bench_add(text, TEXT, "ld.global.b32 d%u, [x+%u];\n", i, i * 4 * THREADS);
    bench_add(text, TEXT, "wgmma.fence.sync.aligned;\n");
    add_product(text, c);
    bench_add(text, TEXT, "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n");
    for (unsigned i = 0; i < count; i++)
        bench_add(text, TEXT, "st.global.b32 [x+%u], d%u;\n", i * 4 * THREADS, i);
    bench_add(text, TEXT, "ret;\n}\n");
    return text;
}

/* ===== one case ===== */

struct data {
    uint32_t a[M][256], b[MOST_N][256], areg[5][THREADS], d[128][THREADS]; /* areg[4]: metadata */
    uint32_t stored[M][256];                                               /* of a: all, or what is not left out */
    bool gap[M][256];
    double old[M][MOST_N];
    unsigned char image[IMAGE];
};

/* Two of four elements of A are stored, or one of two of 32 bits. Returns the four bits that say which. */
static uint32_t store_some(const struct wgmma_case *c, struct data *data, unsigned row, unsigned k)
{
    unsigned wide = c->type->bits == 32, count = wide ? 2 : 4, first = bench_random(&seed) % (count - 1);
    unsigned second = first + 1 + bench_random(&seed) % (count - 1 - first), which[2] = {first, second};
    if (wide)
        which[0] = which[1] = bench_random(&seed) % 2;
    else if (c->infinite)
        which[0] = 0, which[1] = 2;
    for (unsigned i = 0; i < count; i++)
        data->gap[row][k + i] = i != which[0] && i != which[1];
    for (unsigned i = 0; i < count / 2; i++)
        data->stored[row][k / 2 + i] = data->a[row][k + which[i]];
    return wide ? (which[0] ? 14 : 4) : which[1] << 2 | which[0];
}

/* Metadata by thread, as the figures of the ISA have it: `columns` of k and one row for each 16 bits, or 32. */
static void fill_metadata(const struct wgmma_case *c, struct data *data)
{
    unsigned bytes = c->type->bits / 8, group = bytes == 4 ? 2 : 4;
    for (unsigned t = 0; t < THREADS; t++) {
        unsigned lane = t % 32, row = t / 32 * 16 + lane / 4, groups = c->k / 2 / group;
        data->areg[4][t] = (uint32_t)bench_random(&seed);
        if (bytes > 1 && lane % 4 / 2 != c->selector)
            continue;
        data->areg[4][t] = 0;
        for (unsigned part = 0; part < (bytes > 1 ? 2 : 1); part++)
            for (unsigned g = 0; g < groups; g++) {
                unsigned half = bytes > 1 ? lane % 2 : lane % 4 / 2, below = bytes > 1 ? part : lane % 2;
                uint32_t bits = store_some(c, data, row + 8 * below, (half * groups + g) * group);
                data->areg[4][t] |= bits << (part * 16 + g * 4);
            }
    }
}

static void fill_operands(const struct wgmma_case *c, struct data *data)
{
    unsigned each = 32 / c->type->bits, stored = c->sparse ? c->k / 2 : c->k;
    for (unsigned k = 0; k < c->k; k++)
        for (unsigned row = 0; row < M; row++)
            data->stored[row][k] = data->a[row][k] = random_bits(c->type);
    if (c->sparse)
        fill_metadata(c, data);
    for (unsigned k = 0; k < stored; k++)
        for (unsigned row = 0; row < M; row++)
            put(data->image, c, stored, c->across_a, row, k, data->stored[row][k]);
    for (unsigned k = 0; k < c->k; k++) {
        for (unsigned column = 0; column < c->n; column++) {
            data->b[column][k] = c->infinite && k % 4 == 1 ? 0x7c00 : random_bits(c->type);
            put(data->image + B_AT, c, c->k, c->across_b, column, k, data->b[column][k]);
        }
    }
    for (unsigned i = 0; i < 4; i++)
        for (unsigned t = 0; t < THREADS; t++)
            for (unsigned e = 0; e < each; e++) {
                unsigned row = t / 32 * 16 + t % 32 / 4 + 8 * (i % 2), k = t % 4 * each + e + i / 2 * 4 * each;
                data->areg[i][t] |= data->stored[row][k] << (e * c->type->bits);
            }
}

/* The accumulator of a row and column: its register, thread, and half. */
static void find(unsigned row, unsigned column, unsigned *i, unsigned *thread)
{
    *thread = row / 16 * 32 + row % 8 * 4 + column % 8 / 2;
    *i = column / 8 * 4 + row % 16 / 8 * 2 + column % 2;
}

static double read_sum(const struct wgmma_case *c, const struct data *data, unsigned row, unsigned column)
{
    unsigned i, thread;
    float single;
    find(row, column, &i, &thread);
    if (!strcmp(c->d, "f16"))
        return half_value(data->d[i / 2][thread] >> i % 2 * 16 & 0xffff);
    memcpy(&single, &data->d[i][thread], 4);
    return strcmp(c->d, "s32") ? (double)single : (double)(int32_t)data->d[i][thread];
}

static void fill_sums(const struct wgmma_case *c, struct data *data)
{
    for (unsigned i = 0; i < registers_of(c); i++)
        for (unsigned t = 0; t < THREADS; t++) {
            float single = (float)((int)(bench_random(&seed) % 2001) - 1000) / 64;
            memcpy(&data->d[i][t], &single, 4);
            if (!strcmp(c->d, "f16"))
                data->d[i][t] = 0x40003c00 + (uint32_t)(bench_random(&seed) % 512) * 0x10001;
            else if (!strcmp(c->d, "s32"))
                data->d[i][t] = (uint32_t)bench_random(&seed) % 100000 - 50000;
        }
    for (unsigned row = 0; row < M; row++)
        for (unsigned column = 0; column < c->n; column++)
            data->old[row][column] = c->adds ? read_sum(c, data, row, column) : 0;
}

static void compare(const struct wgmma_case *c, const struct data *data)
{
    for (unsigned row = 0; row < M; row++)
        for (unsigned column = 0; column < c->n; column++) {
            double sum = data->old[row][column], size = fabs(sum);
            for (unsigned k = 0; k < c->k; k++) {
                if (data->gap[row][k])
                    continue;
                double x = value_of(c->type, data->a[row][k]) * value_of(c->type, data->b[column][k]);
                sum += c->minus_a ? -x : x;
                size += fabs(x);
            }
            double bound = c->type->exponent ? size * c->k * 0x1p-24 : 0, found = read_sum(c, data, row, column);
            bound += strcmp(c->d, "f16") ? 0 : fabs(sum) * 0x1p-11;
            if (!(fabs(found - sum) <= bound))
                fail_msg("m64n%uk%u%s %s %s span %u registers %d across %d %d: (%u, %u) is %.9g, not %.9g", c->n, c->k,
                         c->sparse ? " sparse" : "", c->d, c->type->name, c->span, c->registers, c->across_a,
                         c->across_b, row, column, found, sum);
        }
}

static void run_case(const struct wgmma_case *c)
{
    struct bench bench;
    struct data *data = calloc(1, sizeof *data);
    char *text = kernel_of(c);
    fill_operands(c, data);
    fill_sums(c, data);
    bench_open(&bench, NULL, text);
    uint64_t image = bench_buffer(&bench, data->image, IMAGE),
             areg = bench_buffer(&bench, data->areg, sizeof data->areg);
    uint64_t d = bench_buffer(&bench, data->d, sizeof data->d);
    uint64_t of_a = descriptor_of(c, c->k >> c->sparse, 0, c->across_a);
    uint64_t of_b = descriptor_of(c, c->k, B_AT, c->across_b);
    uint32_t adds = c->adds;
    if (!BENCH_RUN(&bench, "k", 1, THREADS, IMAGE, &image, &areg, &d, &of_a, &of_b, &adds))
        fail_msg("%s\n%s", bench.error.text, text);
    bench_read(&bench, d, data->d, sizeof data->d);
    compare(c, data);
    bench_close(&bench);
    free(text);
    free(data);
}

static unsigned k_of(const struct type *type)
{
    return 256 / type->bits;
}

static void test_types(void **unused)
{
    (void)unused;
    static const unsigned columns[] = {8, 24, 64, 176, 256};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (unsigned d = 0; d < 2 && types[t].d[d]; d++)
            for (size_t n = 0; n < sizeof columns / sizeof *columns; n++)
                for (unsigned from = 0; from < 2; from++) {
                    struct wgmma_case c = {&types[t], types[t].d[d], columns[n], k_of(&types[t]), 128, from};
                    c.adds = (n + from) % 2;
                    c.minus_a = types[t].exponent && n == 1;
                    run_case(&c);
                }
}

static void test_layouts(void **unused)
{
    (void)unused;
    static const unsigned spans[] = {16, 32, 64, 128};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t s = 0; s < 4; s++)
            for (unsigned across = 0; across < (types[t].bits == 16 ? 4 : 1); across++) {
                struct wgmma_case c = {&types[t], types[t].d[0], 128, k_of(&types[t]), spans[s]};
                c.across_a = across & 1;
                c.across_b = across >> 1;
                c.adds = true;
                run_case(&c);
            }
}

/* Two of four elements of A, or one of two: all types, both operands, both pairs of threads; columns of B are twice as
 * long, more than a swizzle of 32 bytes spans. */
static void test_sparse(void **unused)
{
    (void)unused;
    static const unsigned columns[] = {8, 128}, spans[] = {16, 64, 128};
    for (size_t t = 0; t < sizeof types / sizeof *types - 1; t++)
        for (unsigned d = 0; d < 2 && types[t].d[d]; d++)
            for (unsigned i = 0; i < 6; i++) {
                struct wgmma_case c = {&types[t], types[t].d[d], columns[i / 3], 2 * k_of(&types[t]), spans[i % 3]};
                c.registers = i % 2;
                c.sparse = true;
                c.adds = i > 2;
                c.selector = types[t].bits > 8 && i > 1;
                c.across_b = types[t].bits == 16 && i > 3;
                run_case(&c);
            }
    struct wgmma_case c = {&types[0], "f32", 16, 32, 128, .sparse = true, .infinite = true};
    run_case(&c);
}

/* A warpgroup is four warps, and its matrices lie in the block's shared memory. */
static void test_faults(void **unused)
{
    (void)unused;
    struct wgmma_case c = {&types[0], "f32", 64, 16, 128, .adds = true};
    struct bench bench;
    char *text = kernel_of(&c);
    bench_open(&bench, NULL, text);
    uint64_t image = bench_buffer(&bench, NULL, IMAGE), d = bench_buffer(&bench, NULL, IMAGE), far = 0x3fff, good = 1;
    uint32_t adds = 1;
    assert_false(BENCH_RUN(&bench, "k", 1, 96, IMAGE, &image, &image, &d, &good, &good, &adds));
    assert_non_null(strstr(bench.error.text, "its warpgroup has fewer than four warps"));
    bench.error.text[0] = 0;
    assert_false(BENCH_RUN(&bench, "k", 1, 128, IMAGE, &image, &image, &d, &good, &far, &adds));
    assert_non_null(strstr(bench.error.text, "outside the block's shared memory"));
    bench_close(&bench);
    free(text);
}

int main(int count, char **arguments)
{
    if (count > 1) { /* the kernel's text, for an assembler */
        struct wgmma_case c = {&types[atoi(arguments[1])], types[atoi(arguments[1])].d[0], 64, 16, 128};
        c.k = k_of(c.type);
        c.registers = count > 2 && strchr(arguments[2], 'r');
        c.sparse = count > 2 && strchr(arguments[2], 's');
        c.k <<= c.sparse;
        char *text = kernel_of(&c);
        fputs(text, stdout);
        free(text);
        return 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_types), cmocka_unit_test(test_layouts),
                                       cmocka_unit_test(test_sparse), cmocka_unit_test(test_faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
