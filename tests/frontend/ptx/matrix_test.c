/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every shape and type of mma and wmma, on small whole numbers, so that every order of summation gives the same. The
 * fragments of mma are laid out here by element number, as the figures of the ISA state them (9.7.14).
 */
#include "bench.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 32 * 256 };

struct shape {
    int m, n, k;
    const char *a, *c; /* types */
    int a_bits, c_bits;
};

static const struct shape shapes[] = {
    {16, 8, 8, "f16", "f32", 16, 32},  {16, 8, 16, "f16", "f32", 16, 32},  {16, 8, 16, "f16", "f16", 16, 16},
    {16, 8, 8, "bf16", "f32", 16, 32}, {16, 8, 16, "bf16", "f32", 16, 32}, {16, 8, 4, "tf32", "f32", 32, 32},
    {16, 8, 8, "tf32", "f32", 32, 32}, {8, 8, 4, "f64", "f64", 64, 64},    {16, 8, 4, "f64", "f64", 64, 64},
    {16, 8, 8, "f64", "f64", 64, 64},  {16, 8, 16, "f64", "f64", 64, 64},  {8, 8, 16, "s8", "s32", 8, 32},
    {16, 8, 16, "u8", "s32", 8, 32},   {16, 8, 32, "s8", "s32", 8, 32},    {8, 8, 32, "s4", "s32", 4, 32},
    {16, 8, 32, "u4", "s32", 4, 32},   {16, 8, 64, "s4", "s32", 4, 32},    {8, 8, 128, "b1", "s32", 1, 32},
    {16, 8, 128, "b1", "s32", 1, 32},  {16, 8, 256, "b1", "s32", 1, 32},   {16, 8, 32, "e4m3", "f32", 8, 32},
    {16, 8, 16, "e4m3", "f16", 8, 16}, {16, 8, 16, "e5m2", "f32", 8, 32},  {16, 8, 32, "e5m2", "f16", 8, 16},
};

static const struct shape warp_shapes[] = {
    {16, 16, 16, "f16", "f32", 16, 32},  {32, 8, 16, "f16", "f16", 16, 16},  {8, 32, 16, "f16", "f32", 16, 32},
    {16, 16, 16, "bf16", "f32", 16, 32}, {16, 16, 8, "tf32", "f32", 32, 32}, {8, 8, 4, "f64", "f64", 64, 64},
    {16, 16, 16, "s8", "s32", 8, 32},    {32, 8, 16, "u8", "s32", 8, 32},    {8, 32, 16, "s8", "s32", 8, 32},
};

/* A small whole number in a type's bits. */
static uint64_t encode(const char *type, int value)
{
    float single = (float)value;
    double wide = value;
    uint32_t bits;
    uint64_t all;
    memcpy(&bits, &single, 4);
    memcpy(&all, &wide, 8);
    if (!strcmp(type, "f64"))
        return all;
    if (!strcmp(type, "f32") || !strcmp(type, "tf32"))
        return bits;
    if (!strcmp(type, "bf16"))
        return bits >> 16;
    if (!strcmp(type, "f16")) /* exact: rebias the exponent */
        return value ? (bits >> 16 & 0x8000) | ((bits >> 13) - (112u << 10)) % 0x8000 : 0;
    if (!strcmp(type, "e4m3"))
        return value ? (bits >> 24 & 0x80) | ((bits >> 20 & 0x7ff) - (120u << 3)) : 0;
    if (!strcmp(type, "e5m2"))
        return encode("f16", value) >> 8;
    return (uint64_t)(int64_t)value;
}

static int value_for(const struct shape *s, uint64_t random)
{
    if (s->a_bits == 1)
        return (int)(random % 2);
    return s->a[0] == 'u' ? (int)(random % 5) : (int)(random % 7) - 3;
}

static void put(unsigned char *to, int index, int bits, uint64_t value)
{
    if (bits >= 8) {
        memcpy(to + (size_t)index * (size_t)bits / 8, &value, (size_t)bits / 8);
        return;
    }
    int at = index * bits;
    to[at / 8] = (unsigned char)(to[at / 8] | (value & ((1u << bits) - 1)) << at % 8);
}

struct operands {
    int a[MOST], b[MOST], c[MOST];
};

static void fill(const struct shape *s, struct operands *o, uint64_t *state)
{
    for (int i = 0; i < s->m * s->k; i++)
        o->a[i] = value_for(s, bench_random(state));
    for (int i = 0; i < s->k * s->n; i++)
        o->b[i] = value_for(s, bench_random(state));
    for (int i = 0; i < s->m * s->n; i++)
        o->c[i] = (int)(bench_random(state) % 9) - 4;
}

static int product(const struct shape *s, const struct operands *o, int row, int column)
{
    int sum = o->c[row * s->n + column];
    for (int k = 0; k < s->k; k++) {
        int a = o->a[row * s->k + k], b = o->b[k * s->n + column];
        sum += s->a_bits == 1 ? a ^ b : a * b;
    }
    return sum;
}

/* Registers of a lane for a matrix of that many elements. */
static int registers(int elements, int bits)
{
    return elements * bits / 32 / (bits == 64 ? 64 : 32);
}

static void registers_text(FILE *out, const char *name, int count, bool ends)
{
    fprintf(out, "{");
    for (int i = 0; i < count; i++)
        fprintf(out, "%s%%%s%d", i ? ", " : "", name, i);
    fprintf(out, "}%s", ends ? ";\n" : ", ");
}

/* Each lane's registers lie together in memory, a's, b's, c's, and d's go to `out`. */
static char *mma_text(const struct shape *s)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    const char *names[] = {"a", "b", "c"};
    int width = s->a_bits == 64 ? 8 : 4,
        counts[] = {registers(s->m * s->k, s->a_bits), registers(s->k * s->n, s->a_bits),
                    registers(s->m * s->n, s->c_bits)};
    fprintf(out,
            ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
            ".reg .b64 %%p<4>; .reg .b32 %%t; .reg .b%d %%a<16>, %%b<16>, %%c<16>, %%d<16>;\nmov.u32 %%t, %%tid.x;\n"
            "mul.wide.u32 %%p0, %%t, 256;\nld.param.u64 %%p1, [in];\nadd.s64 %%p1, %%p1, %%p0;\n"
            "ld.param.u64 %%p2, [out];\nadd.s64 %%p2, %%p2, %%p0;\n",
            8 * width);
    for (int j = 0, at = 0; j < 3; j++)
        for (int i = 0; i < counts[j]; i++, at += width)
            fprintf(out, "ld.global.b%d %%%s%d, [%%p1+%d];\n", 8 * width, names[j], i, at);
    fprintf(out, "mma.sync.aligned.m%dn%dk%d.row.col.%s.%s.%s.%s%s ", s->m, s->n, s->k, s->c, s->a, s->a, s->c,
            s->a_bits == 1 ? ".xor.popc" : "");
    registers_text(out, "d", counts[2], false);
    registers_text(out, "a", counts[0], false);
    registers_text(out, "b", counts[1], false);
    registers_text(out, "c", counts[2], true);
    for (int i = 0; i < counts[2]; i++)
        fprintf(out, "st.global.b%d [%%p2+%d], %%d%d;\n", 8 * width, i * width, i);
    fprintf(out, "ret;\n}\n");
    fclose(out);
    return text;
}

static void check_mma(const struct shape *s)
{
    struct operands *o = calloc(1, sizeof *o);
    unsigned char(*in)[256] = calloc(32, 256), (*out)[256] = calloc(32, 256), (*wanted)[256] = calloc(32, 256);
    uint64_t state = 3;
    int e = s->a_bits >= 32 ? 1 : 32 / s->a_bits, width = s->a_bits == 64 ? 8 : 4, per_lane_c = s->m * s->n / 32;
    int a_bytes = registers(s->m * s->k, s->a_bits) * width, b_bytes = registers(s->k * s->n, s->a_bits) * width;
    struct bench bench;
    fill(s, o, &state);
    for (int lane = 0; lane < 32; lane++) {
        int group = lane / 4, member = lane % 4, rows = s->m / 8;
        for (int i = 0; i < s->m * s->k / 32; i++) {
            int row = group + (rows == 2 && i / e % 2 ? 8 : 0);
            int column = member * e + i % e + i / (rows * e) * 4 * e;
            put(in[lane], i, s->a_bits, encode(s->a, o->a[row * s->k + column]));
        }
        for (int i = 0; i < s->k * s->n / 32; i++)
            put(in[lane] + a_bytes, i, s->a_bits,
                encode(s->a, o->b[(member * e + i % e + i / e * 4 * e) * s->n + group]));
        for (int i = 0; i < per_lane_c; i++) {
            int row = group + (i >= 2 ? 8 : 0), column = member * 2 + i % 2;
            put(in[lane] + a_bytes + b_bytes, i, s->c_bits, encode(s->c, o->c[row * s->n + column]));
            put(wanted[lane], i, s->c_bits, encode(s->c, product(s, o, row, column)));
        }
    }
    char *text = mma_text(s);
    bench_open(&bench, NULL, text);
    uint64_t din = bench_buffer(&bench, in, 32 * 256), dout = bench_buffer(&bench, NULL, 32 * 256);
    if (!BENCH_RUN(&bench, "k", 1, 32, 0, &din, &dout))
        fail_msg("%s", bench.error.text);
    bench_read(&bench, dout, out, 32 * 256);
    if (memcmp(out, wanted, 32 * 256) != 0)
        fail_msg("mma m%dn%dk%d %s", s->m, s->n, s->k, s->a);
    bench_close(&bench);
    free(text);
    free(o);
    free(in);
    free(out);
    free(wanted);
}

static void test_mma(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        check_mma(&shapes[i]);
}

/* Registers of wmma's fragments, by the ISA's tables (9.7.15). */
static int fragment(const struct shape *s, char name)
{
    if (s->a_bits == 64)
        return name == 'a' || name == 'b' ? 1 : 2;
    if (name == 'c')
        return s->m * s->n * s->c_bits / 1024;
    return !strcmp(s->a, "f16") ? 8 : (name == 'a' ? s->m : s->n) * s->k * s->a_bits / 1024;
}

static char *wmma_text(const struct shape *s, const char *a_layout, const char *b_layout)
{
    char *text, shape[24];
    size_t size;
    FILE *out = open_memstream(&text, &size);
    bool halves = !strcmp(s->a, "f16");
    int width = s->a_bits == 64 ? 64 : 32, a_stride = a_layout[0] == 'r' ? s->k : s->m,
        b_stride = b_layout[0] == 'r' ? s->n : s->k;
    /* registers of .f32, .s32 and .f16x2 have 32 bits alike */
    snprintf(shape, sizeof shape, "m%dn%dk%d", s->m, s->n, s->k);
    fprintf(out,
            ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 b, .param "
            ".u64 c, .param .u64 d)\n{\n.reg .b64 %%p<4>; .reg .b%d %%a<16>, %%b<16>, %%c<16>, %%d<16>;\n"
            "ld.param.u64 %%p0, [a]; ld.param.u64 %%p1, [b]; ld.param.u64 %%p2, [c]; ld.param.u64 %%p3, [d];\n",
            width);
    fprintf(out, "wmma.load.a.sync.aligned.%s.%s.global.%s ", a_layout, shape, s->a);
    registers_text(out, "a", fragment(s, 'a'), false);
    fprintf(out, "[%%p0], %d;\nwmma.load.b.sync.aligned.%s.%s.global.%s ", a_stride, b_layout, shape, s->a);
    registers_text(out, "b", fragment(s, 'b'), false);
    fprintf(out, "[%%p1], %d;\nwmma.load.c.sync.aligned.row.%s.global.%s ", b_stride, shape, s->c);
    registers_text(out, "c", fragment(s, 'c'), false);
    fprintf(out, "[%%p2];\nwmma.mma.sync.aligned.%s.%s.%s.%s", a_layout, b_layout, shape, s->c);
    fprintf(out, halves ? ".%s " : ".%s.%s.%s ", halves ? s->c : s->a, s->a, s->c);
    registers_text(out, "d", fragment(s, 'c'), false);
    registers_text(out, "a", fragment(s, 'a'), false);
    registers_text(out, "b", fragment(s, 'b'), false);
    registers_text(out, "c", fragment(s, 'c'), true);
    fprintf(out, "wmma.store.d.sync.aligned.col.%s.global.%s [%%p3], ", shape, s->c);
    registers_text(out, "d", fragment(s, 'c'), false);
    fprintf(out, "%d;\nret;\n}\n", s->m);
    fclose(out);
    return text;
}

static void check_wmma(const struct shape *s, bool a_column, bool b_column)
{
    struct operands *o = calloc(1, sizeof *o);
    unsigned char *memory = calloc(4, MOST);
    uint64_t state = 4, buffers[4];
    struct bench bench;
    fill(s, o, &state);
    for (int row = 0; row < s->m; row++)
        for (int k = 0; k < s->k; k++)
            put(memory, a_column ? k * s->m + row : row * s->k + k, s->a_bits, encode(s->a, o->a[row * s->k + k]));
    for (int k = 0; k < s->k; k++)
        for (int column = 0; column < s->n; column++)
            put(memory + MOST, b_column ? column * s->k + k : k * s->n + column, s->a_bits,
                encode(s->a, o->b[k * s->n + column]));
    for (int i = 0; i < s->m * s->n; i++) {
        put(memory + 2 * MOST, i, s->c_bits, encode(s->c, o->c[i]));
        put(memory + 3 * MOST, i % s->n * s->m + i / s->n, s->c_bits, encode(s->c, product(s, o, i / s->n, i % s->n)));
    }
    char *text = wmma_text(s, a_column ? "col" : "row", b_column ? "col" : "row");
    bench_open(&bench, NULL, text);
    for (int i = 0; i < 4; i++)
        buffers[i] = bench_buffer(&bench, i < 3 ? memory + i * MOST : NULL, MOST);
    if (!BENCH_RUN(&bench, "k", 1, 32, 0, &buffers[0], &buffers[1], &buffers[2], &buffers[3]))
        fail_msg("%s", bench.error.text);
    bench_read(&bench, buffers[3], memory, MOST);
    if (memcmp(memory, memory + 3 * MOST, MOST) != 0)
        fail_msg("wmma m%dn%dk%d %s %d %d", s->m, s->n, s->k, s->a, a_column, b_column);
    bench_close(&bench);
    free(text);
    free(memory);
    free(o);
}

static void test_wmma(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof warp_shapes / sizeof *warp_shapes; i++)
        for (int layouts = 0; layouts < 4; layouts++)
            check_wmma(&warp_shapes[i], layouts & 1, layouts >> 1);
}

static float half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    float size = exponent == 31 ? (mantissa ? NAN : INFINITY)
                 : exponent     ? ldexpf((float)(1024 + mantissa), exponent - 25)
                                : ldexpf((float)mantissa, -24);
    return bits & 0x8000 ? -size : size;
}

/* Random halves, of all magnitudes, with infinities and NaNs among them: in ascending k, rounded once for each. */
static void test_rounding(void **unused)
{
    (void)unused;
    uint16_t a[256], b[256];
    uint32_t c[256], d[256];
    uint64_t state = 5;
    struct bench bench;
    char *text = wmma_text(&warp_shapes[0], "row", "row");
    bench_open(&bench, NULL, text);
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 256; i++) {
            uint64_t bits = bench_random(&state);
            a[i] = (uint16_t)bits, b[i] = (uint16_t)(bits >> 16);
            if (round < 19) /* no infinities and NaNs, but all else */
                a[i] &= 0xbfff, b[i] &= 0xbfff;
            float size = ldexpf((float)(int32_t)(bits >> 32), (int)(bits >> 20 & 31) - 48);
            memcpy(&c[i], &size, 4);
        }
        uint64_t da = bench_buffer(&bench, a, sizeof a), db = bench_buffer(&bench, b, sizeof b);
        uint64_t dc = bench_buffer(&bench, c, sizeof c), dd = bench_buffer(&bench, NULL, sizeof d);
        if (!BENCH_RUN(&bench, "k", 1, 32, 0, &da, &db, &dc, &dd))
            fail_msg("%s", bench.error.text);
        bench_read(&bench, dd, d, sizeof d);
        for (int i = 0; i < 256; i++) {
            int row = i / 16, column = i % 16;
            float sum;
            uint32_t wanted;
            memcpy(&sum, &c[i], 4);
            for (int k = 0; k < 16; k++)
                sum = fmaf(half_value(a[row * 16 + k]), half_value(b[k * 16 + column]), sum);
            memcpy(&wanted, &sum, 4);
            assert_int_equal(d[column * 16 + row], isnan(sum) ? 0x7fffffff : wanted);
        }
    }
    bench_close(&bench);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mma), cmocka_unit_test(test_wmma),
                                       cmocka_unit_test(test_rounding)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
