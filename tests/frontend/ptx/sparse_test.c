/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mma.sp of every shape, type and selector, against products of the whole A that is written out here, in small whole
 * numbers. Which lane's metadata are whose is stated here lane by lane, as the figures of the ISA have it; lanes that
 * the selector does not name have metadata that mean nothing.
 */
#include "bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { M = 16, N = 8, MOST_K = 128 };

struct shape {
    int k;
    const char *a, *b, *c; /* types */
    int bits, c_bits, selectors;
};

static const struct shape shapes[] = {
    {16, "f16", "f16", "f32", 16, 32, 4},   {32, "f16", "f16", "f32", 16, 32, 2},
    {16, "f16", "f16", "f16", 16, 16, 4},   {32, "f16", "f16", "f16", 16, 16, 2},
    {16, "bf16", "bf16", "f32", 16, 32, 4}, {32, "bf16", "bf16", "f32", 16, 32, 2},
    {8, "tf32", "tf32", "f32", 32, 32, 4},  {16, "tf32", "tf32", "f32", 32, 32, 2},
    {32, "u8", "s8", "s32", 8, 32, 2},      {64, "s8", "u8", "s32", 8, 32, 1},
    {32, "s8", "s8", "s32", 8, 32, 2},      {64, "u8", "u8", "s32", 8, 32, 1},
    {64, "u4", "s4", "s32", 4, 32, 2},      {128, "s4", "u4", "s32", 4, 32, 1},
    {64, "s4", "s4", "s32", 4, 32, 2},      {128, "u4", "u4", "s32", 4, 32, 1},
    {64, "e4m3", "e5m2", "f32", 8, 32, 1},  {64, "e5m2", "e4m3", "f16", 8, 16, 1},
};

/* A small whole number in a type's bits. */
static uint32_t encode(const char *type, int value)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, 4);
    if (type[0] == 'u' || type[0] == 's')
        return (uint32_t)value;
    if (!strcmp(type, "f32") || !strcmp(type, "tf32"))
        return bits;
    if (!strcmp(type, "bf16"))
        return bits >> 16;
    int fraction = !strcmp(type, "f16") ? 10 : !strcmp(type, "e5m2") ? 2 : 3;
    int least = !strcmp(type, "e4m3") ? 120 : 112; /* how much smaller the exponent is */
    uint32_t sign = bits >> 31 << (!strcmp(type, "f16") ? 15 : 7);
    return value ? sign | (((bits & 0x7fffffff) >> (23 - fraction)) - (uint32_t)(least << fraction)) : 0;
}

static int small(const char *type, uint64_t random)
{
    return type[0] == 'u' ? (int)(random % 4) : (int)(random % 7) - 3;
}

struct numbers {
    int a[M][MOST_K], stored[M][MOST_K / 2], b[MOST_K][N], c[M][N];
    uint32_t metadata[M][16]; /* four bits for each group of a row */
};

/* Numbers that come together and how many of them a group has: two of four, two pairs of eight, one of two. */
static void store_row(const struct shape *s, struct numbers *n, int row, uint64_t *state)
{
    int together = s->bits == 4 ? 2 : 1, of = s->bits == 32 ? 2 : 4, kept = of / 2, stored = 0;
    for (int group = 0; group < s->k / (of * together); group++) {
        int first = (int)(bench_random(state) % (uint64_t)(of - kept + 1)), second = first + 1;
        if (kept == 2)
            second += (int)(bench_random(state) % (uint64_t)(of - second));
        for (int i = 0; i < kept; i++)
            for (int j = 0; j < together; j++) {
                int at = (group * of + (i ? second : first)) * together + j;
                n->a[row][at] = n->stored[row][stored++] = small(s->a, bench_random(state));
            }
        n->metadata[row][group] = kept == 2 ? (uint32_t)(first | second << 2) : first ? 0xe : 0x4;
    }
}

/* The metadata of a lane, four bits at a time. */
static uint32_t metadata_of(const struct shape *s, const struct numbers *n, int selector, int lane, uint32_t none)
{
    int lanes = 4 / s->selectors, group = lane / 4, member = lane % 4 - selector * lanes;
    uint32_t word = 0;
    if (member < 0 || member >= lanes)
        return none;
    for (int i = 0; i < 8; i++) {
        int row = s->bits >= 16 ? group + i / 4 * 8 : group + member % 2 * 8;
        int place = s->bits >= 16 ? member * 4 + i % 4 : member / 2 * 8 + i;
        word |= n->metadata[row][place] << 4 * i;
    }
    return word;
}

static void put(uint32_t *words, int index, int bits, uint32_t value)
{
    int each = 32 / bits;
    words[index / each] |= (bits == 32 ? value : value & ((1u << bits) - 1)) << index % each * bits;
}

enum { B_AT = 4, C_AT = 8, E_AT = 12, WORDS = 16 };

/* Registers of a lane, A's, B's, C's and the metadata, and what D's have to be. */
static void lay_out(const struct shape *s, const struct numbers *n, int lane, uint32_t *in, uint32_t *wanted)
{
    int e = 32 / s->bits, group = lane / 4, member = lane % 4;
    for (int i = 0; i < M * s->k / 64; i++) {
        int row = group + i / e % 2 * 8, column = member * e + i % e + i / (2 * e) * 4 * e;
        put(in, i, s->bits, encode(s->a, n->stored[row][column]));
    }
    for (int i = 0; i < s->k * N / 32; i++)
        put(in + B_AT, i, s->bits, encode(s->b, n->b[member * e + i % e + i / e * 4 * e][group]));
    for (int i = 0; i < 4; i++) {
        int row = group + i / 2 * 8, column = member * 2 + i % 2, sum = n->c[row][column];
        for (int k = 0; k < s->k; k++)
            sum += n->a[row][k] * n->b[k][column];
        put(in + C_AT, i, s->c_bits, encode(s->c, n->c[row][column]));
        put(wanted, i, s->c_bits, encode(s->c, sum));
    }
}

static void list(FILE *out, int first, int count)
{
    for (int i = 0; i < count; i++)
        fprintf(out, "%s%%r%d%s", i ? ", " : "{", first + i, i == count - 1 ? "}, " : "");
}

static char *text_of(const struct shape *s, const char *kind, int selector)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fprintf(out,
            ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
            ".reg .b64 %%p<3>; .reg .b32 %%r<24>, %%t;\nmov.u32 %%t, %%tid.x;\nmul.wide.u32 %%p0, %%t, 64;\n"
            "ld.param.u64 %%p1, [in];\nadd.s64 %%p1, %%p1, %%p0;\nld.param.u64 %%p2, [out];\n"
            "add.s64 %%p2, %%p2, %%p0;\n");
    for (int i = 0; i < WORDS; i++)
        fprintf(out, "ld.global.b32 %%r%d, [%%p1+%d];\n", i, 4 * i);
    fprintf(out, "mma.%s.sync.aligned.m16n8k%d.row.col.%s.%s.%s.%s ", kind, s->k, s->c, s->a, s->b, s->c);
    list(out, WORDS, s->c_bits / 8);
    list(out, 0, M * s->k * s->bits / 2048);
    list(out, B_AT, s->k * N * s->bits / 1024);
    list(out, C_AT, s->c_bits / 8);
    fprintf(out, "%%r%d, %d;\n", E_AT, selector);
    for (int i = 0; i < s->c_bits / 8; i++)
        fprintf(out, "st.global.b32 [%%p2+%d], %%r%d;\n", 4 * i, WORDS + i);
    fprintf(out, "ret;\n}\n");
    fclose(out);
    return text;
}

static void check(const struct shape *s, const char *kind, int selector, uint64_t seed)
{
    struct numbers *n = calloc(1, sizeof *n);
    uint32_t in[32][WORDS] = {{0}}, out[32][WORDS], wanted[32][WORDS] = {{0}};
    struct bench bench;
    for (int row = 0; row < M; row++)
        store_row(s, n, row, &seed);
    for (int i = 0; i < s->k * N; i++)
        n->b[i / N][i % N] = small(s->b, bench_random(&seed));
    for (int i = 0; i < M * N; i++)
        n->c[i / N][i % N] = (int)(bench_random(&seed) % 9) - 4;
    for (int lane = 0; lane < 32; lane++) {
        lay_out(s, n, lane, in[lane], wanted[lane]);
        in[lane][E_AT] = metadata_of(s, n, selector, lane, (uint32_t)bench_random(&seed));
    }
    char *text = text_of(s, kind, selector);
    bench_open(&bench, NULL, text);
    uint64_t from = bench_buffer(&bench, in, sizeof in), to = bench_buffer(&bench, NULL, sizeof out);
    if (!BENCH_RUN(&bench, "k", 1, 32, 0, &from, &to))
        fail_msg("%s", bench.error.text);
    bench_read(&bench, to, out, sizeof out);
    if (memcmp(out, wanted, sizeof out) != 0)
        fail_msg("mma.%s m16n8k%d %s %s, selector %d", kind, s->k, s->a, s->b, selector);
    bench_close(&bench);
    free(text);
    free(n);
}

static void test_all(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int selector = 0; selector < shapes[i].selectors; selector++)
            for (uint64_t seed = 1; seed < 4; seed++)
                check(&shapes[i], seed == 1 ? "sp" : "sp::ordered_metadata", selector, seed);
}

/* A selector that the shape does not have, and shapes that there are no sparse products of. */
static void test_refused(void **unused)
{
    static const struct {
        struct shape shape;
        int selector;
    } cases[] = {{{16, "f16", "f16", "f32", 16, 32, 4}, 4},
                 {{32, "f16", "f16", "f32", 16, 32, 2}, 2},
                 {{64, "s8", "s8", "s32", 8, 32, 1}, 1},
                 {{8, "f16", "f16", "f32", 16, 32, 4}, 0},
                 {{32, "e4m3", "e4m3", "f32", 8, 32, 2}, 0}};
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct execute_device device;
        struct ptx_program program;
        struct mnp_error error = {{0}};
        char *text = text_of(&cases[i].shape, "sp", cases[i].selector);
        execute_device_init(&device, 1 << 12, NULL);
        bool good = ptx_program_load(&program, &device, "test.ptx", text, strlen(text), &error);
        if (good) {
            good = ptx_program_check(&program, &error);
            ptx_program_unload(&program, &device);
        }
        assert_false(good);
        assert_non_null(strstr(error.text, "shape"));
        execute_device_release(&device);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
