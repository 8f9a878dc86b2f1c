/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The estimate of a kernel's registers: kernels whose least number of registers is counted by hand; what takes none,
 * and what takes more than its values; bounds that the program states; and the kernels of apps/gpu beside what ptxas
 * 13.0 allocates for compute capability 9.0 (registers.txt: numbers alone).
 */
#include "bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Nobody's: the stack pointer, and two that are counted and never seen. */
enum { OTHERS = 3, TEXT = 1 << 16 };

#define HEAD ".version 7.0\n.target sm_80\n.address_size 64\n"

static uint32_t registers_of(const char *text)
{
    struct bench bench;
    bench_open(&bench, NULL, text);
    const struct execute_code *code = ptx_program_kernel(&bench.program, "k", &bench.error);
    if (!code)
        fail_msg("%s", bench.error.text);
    uint32_t registers = code->registers;
    bench_close(&bench);
    return registers;
}

/* `count` values of a type that are loaded before a barrier and stored behind it, with `between` in the middle. */
static uint32_t registers_across(uint32_t count, const char *type, uint32_t bytes, const char *between,
                                 const char *bounds)
{
    char *text = malloc(TEXT), *to = text, *end = text + TEXT;
    to += snprintf(to, TEXT,
                   HEAD ".visible .entry k(.param .u64 p) %s\n{\n.reg .b64 a; .reg .%s v<%u>; .reg .f32 f<3>;\n"
                        "ld.param.u64 a, [p];\n",
                   bounds, type, count + 1);
    for (uint32_t i = 0; i < count; i++)
        to += snprintf(to, (size_t)(end - to), "ld.global.%s v%u, [a+%u];\n", type, i, bytes * i);
    to += snprintf(to, (size_t)(end - to), "bar.sync 0;\n%s\nbar.sync 0;\n", between);
    for (uint32_t i = 0; i < count; i++)
        to += snprintf(to, (size_t)(end - to), "st.global.%s [a+%u], v%u;\n", type, 4096 + bytes * i, i);
    snprintf(to, (size_t)(end - to), "ret;\n}\n");
    uint32_t registers = registers_of(text);
    free(text);
    return registers;
}

/* Parameters that are read before a barrier and needed behind it, by their names or through an address that the
 * assembler knows: ptxas 13.0 has 8 registers either way. */
static uint32_t registers_of_parameters(const char *through, int32_t offset)
{
    char *text = malloc(TEXT), *to = text, *end = text + TEXT;
    to += snprintf(
        to, TEXT,
        HEAD ".visible .entry k(.param .u64 o, .param .align 8 .b8 p[384])\n{\n.reg .b64 a<3>; .reg .f32 v<21>, s;\n"
             "mov.b64 a0, p; add.s64 a1, a0, 128; ld.param.u64 a2, [o]; ld.global.f32 s, [a2];\n");
    for (uint32_t i = 0; i < 20; i++)
        to += snprintf(to, (size_t)(end - to), "ld.param.f32 v%u, [%s+%d];\n", i, through, offset + 4 * (int32_t)i);
    to += snprintf(to, (size_t)(end - to), "bar.sync 0;\n");
    for (uint32_t i = 0; i < 20; i++)
        to += snprintf(to, (size_t)(end - to), "fma.rn.f32 s, s, s, v%u;\n", i);
    snprintf(to, (size_t)(end - to), "st.global.f32 [a2], s; ret;\n}\n");
    uint32_t registers = registers_of(text);
    free(text);
    return registers;
}

static void test_known_addresses(void **unused)
{
    (void)unused;
    uint32_t named = registers_of_parameters("p", 64);
    assert_int_equal(registers_of_parameters("a1", -64), named);
    assert_int_equal(named, 8);
}

/* 40 values of a CTA's coordinate and a parameter, which a loop needs: ptxas 13.0 has 8 registers, for they are uniform
 * ones. With a thread's coordinate in its place it has 46. */
static void test_uniform(void **unused)
{
    (void)unused;
    static const char *const places[] = {"ctaid.x", "tid.x"};
    uint32_t registers[2];
    for (uint32_t n = 0; n < 2; n++) {
        char *text = malloc(TEXT), *to = text, *end = text + TEXT;
        to += snprintf(to, TEXT,
                       HEAD ".visible .entry k(.param .u64 o, .param .u32 n)\n{\n"
                            ".reg .pred q; .reg .b64 a; .reg .b32 v<41>, c, m, t, s;\n"
                            "ld.param.u64 a, [o]; ld.param.u32 m, [n]; mov.u32 c, %%%s; mov.u32 t, %%tid.x;\n"
                            "mov.u32 s, t;\n",
                       places[n]);
        for (uint32_t i = 0; i < 40; i++)
            to += snprintf(to, (size_t)(end - to), "mad.lo.u32 v%u, c, %u, m;\n", i, 2 * i + 3);
        to += snprintf(to, (size_t)(end - to), "l:\n");
        for (uint32_t i = 0; i < 40; i++)
            to += snprintf(to, (size_t)(end - to), "xor.b32 s, s, v%u; mul.lo.u32 s, s, t;\n", i);
        snprintf(to, (size_t)(end - to),
                 "add.u32 t, t, 1; setp.lt.u32 q, t, 7777; @q bra l; st.global.u32 [a], s; ret;\n}\n");
        registers[n] = registers_of(text);
        free(text);
    }
    assert_in_range(registers[0], 5, 9);
    assert_in_range(registers[1], 43, 48);
}

/* All values and the pair of their address live across the barrier. ptxas: 8, 14, 22, 32, 32 for the first five. */
static void test_lives(void **unused)
{
    (void)unused;
    static const uint32_t counts[] = {1, 4, 8, 16, 24, 32, 60, 100};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        uint32_t least = counts[i] + 2 + OTHERS, narrow = registers_across(counts[i], "b32", 4, "", "");
        assert_in_range(narrow, least, least <= 32 ? 32 : least + 2);
        uint32_t wide = registers_across(counts[i], "b64", 8, "", "");
        assert_in_range(wide, least + counts[i], least + counts[i] + 2);
    }
    assert_int_equal(registers_across(8, "b32", 4, "", ""), 22);  /* in one bank: the other one's are left out */
    assert_int_equal(registers_across(24, "b32", 4, "", ""), 32); /* banks are given up before occupancy is */
    assert_int_equal(registers_of(HEAD ".visible .entry k() { ret; }\n"), 4); /* as ptxas says */
}

/* Parameters are operands: forty of them are added up in the registers of one sum. */
static void test_parameters(void **unused)
{
    (void)unused;
    char *text = malloc(TEXT), *to = text, *end = text + TEXT;
    to += snprintf(to, TEXT, HEAD ".visible .entry k(.param .u64 p");
    for (int i = 0; i < 40; i++)
        to += snprintf(to, (size_t)(end - to), ", .param .u32 q%d", i);
    to += snprintf(to, (size_t)(end - to), ")\n{\n.reg .b64 a; .reg .b32 s, v<40>;\nld.param.u64 a, [p];\n");
    for (int i = 0; i < 40; i++)
        to += snprintf(to, (size_t)(end - to), "ld.param.u32 v%d, [q%d];\n", i, i);
    to += snprintf(to, (size_t)(end - to), "mov.u32 s, %%tid.x;\n");
    for (int i = 0; i < 40; i++)
        to += snprintf(to, (size_t)(end - to), "mad.lo.u32 s, s, s, v%d;\n", i);
    snprintf(to, (size_t)(end - to), "st.global.u32 [a], s;\nret;\n}\n");
    assert_in_range(registers_of(text), 1 + 2 + OTHERS, 10);
    free(text);
}

/* A division has a slow way whose registers are not those of the values that live across it; a product has none. */
static void test_slow_ways(void **unused)
{
    (void)unused;
    const char *product = "ld.global.f32 f0, [a+2048]; mul.f32 f1, f0, f0; st.global.f32 [a+2052], f1;";
    const char *division = "ld.global.f32 f0, [a+2048]; div.rn.f32 f1, f0, f0; st.global.f32 [a+2052], f1;";
    for (uint32_t count = 32; count <= 64; count += 16) {
        uint32_t less = registers_across(count, "b32", 4, product, "");
        assert_in_range(registers_across(count, "b32", 4, division, ""), less + 6, less + 12);
    }
}

/* What calls the system has 24 at least; vectors lie at multiples of their size. */
static void test_calls_vectors(void **unused)
{
    (void)unused;
    assert_int_equal(registers_of(HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
                                       ".global .align 1 .b8 text[3] = {104, 105, 0};\n"
                                       ".visible .entry k()\n{\n.reg .b64 a; .reg .b32 d;\n"
                                       "mov.u64 a, text; cvta.global.u64 a, a;\n"
                                       "{ .param .b64 x; .param .b64 y; .param .b32 z; st.param.b64 [x], a;\n"
                                       "st.param.b64 [y], 0; call.uni (z), vprintf, (x, y); ld.param.b32 d, [z]; }\n"
                                       "ret;\n}\n"),
                     24);
    /* four at R4, as R0 and R1 are not a pair of the vector's: the pair of the address is R2, the thread's number R0 */
    assert_in_range(registers_of(HEAD ".visible .entry k(.param .u64 p)\n{\n.reg .b64 a; .reg .b32 v<4>;\n"
                                      "ld.param.u64 a, [p]; ld.global.v4.u32 {v0, v1, v2, v3}, [a];\n"
                                      "st.global.v4.u32 [a+16], {v3, v2, v1, v0};\nret;\n}\n"),
                    4 + 4 + 2, 12);
}

/* .maxnreg, and .maxntid with .minnctapersm, are kept to, whatever is needed. */
static void test_bounds(void **unused)
{
    (void)unused;
    assert_in_range(registers_across(100, "b32", 4, "", ""), 105, 110);
    assert_int_equal(registers_across(100, "b32", 4, "", ".maxnreg 40"), 40);
    assert_int_equal(registers_across(100, "b32", 4, "", ".maxntid 1024, 1, 1"), 64);
    assert_int_equal(registers_across(100, "b32", 4, "", ".maxntid 256, 1, 1 .minnctapersm 4"), 64);
    assert_int_equal(registers_across(4, "b32", 4, "", ".maxnreg 40"), registers_across(4, "b32", 4, "", ""));
    assert_int_equal(registers_across(400, "b32", 4, "", ""), 255);
}

/* What an assembler has allocated is told by a pragma behind the text, and is no more than the text allows. */
static void test_allocated(void **unused)
{
    (void)unused;
    static const struct {
        const char *pragma;
        uint32_t registers;
    } rows[] = {
        {".pragma \"maniple.registers k 57\";", 57},
        {".pragma \"maniple.registers k 255\";", 64},
        {".pragma \"maniple.registers k 256\";", 4},
        {".pragma \"maniple.registers other 57\";", 4},
        {".pragma \"maniple.registers k\";", 4},
        {".pragma \"maniple.registers k \";", 4},
        {".pragma \"nounroll\", \"maniple.registers k 9\";", 9},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        snprintf(text, sizeof text, HEAD ".visible .entry k() .maxntid 1024, 1, 1 { ret; }\n%s\n", rows[i].pragma);
        assert_int_equal(registers_of(text), rows[i].registers);
    }
}

/* Blocks of 256 threads that an SM of H100 holds, of so many registers and bytes of shared memory. */
static uint32_t blocks(uint32_t registers, uint32_t shared)
{
    uint32_t warps = 65536 / 4 / ((registers + 7) / 8 * 256) * 4, most = (warps < 64 ? warps : 64) / 8;
    uint32_t room = 228 * 1024 / ((shared + 1024 + 127) / 128 * 128);
    return room < most ? room : most;
}

/* Nearness to ptxas, over all kernels of the project's own workloads; their static shared memory is the same. */
static void test_recorded(void **unused)
{
    (void)unused;
    FILE *file = fopen(RECORDED, "r");
    char line[256], folder[64], program[64], kernel[128], path[512];
    uint32_t count = 0, close = 0, theirs, shared, as_many = 0;
    double error = 0, bias = 0;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%63[^/#]/%63s %127s %u %u", folder, program, kernel, &theirs, &shared) != 5)
            continue;
        struct bench bench;
        snprintf(path, sizeof path, "%s/%s.ptx.xz", APPLICATIONS, program);
        bench_open(&bench, path, NULL);
        const struct execute_code *code = ptx_program_kernel(&bench.program, kernel, &bench.error);
        if (!code)
            fail_msg("%s", bench.error.text);
        double off = ((double)code->registers - theirs) / theirs;
        if (off < -0.6 || off > 0.6)
            fail_msg("%s: %u registers, %u of ptxas", kernel, code->registers, theirs);
        assert_int_equal(code->shared_bytes, shared);
        as_many += blocks(code->registers, code->shared_bytes) == blocks(theirs, shared);
        error += off < 0 ? -off : off;
        bias += off;
        close += off >= -0.1 && off <= 0.1;
        count++;
        bench_close(&bench);
    }
    fclose(file);
    assert_in_range(count, 60, 200);
    print_message("%u kernels, %u within 10 %%, mean error %.1f %%, bias %.1f %%, %u with as many blocks an SM\n",
                  count, close, 100 * error / count, 100 * bias / count, as_many);
    assert_true(10 * as_many >= 7 * count);
    assert_true(close >= 25);
    assert_true(error / count < 0.17);
    assert_true(bias / count > -0.06 && bias / count < 0.06);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_addresses), cmocka_unit_test(test_uniform),   cmocka_unit_test(test_lives),
        cmocka_unit_test(test_parameters),      cmocka_unit_test(test_slow_ways), cmocka_unit_test(test_calls_vectors),
        cmocka_unit_test(test_bounds),          cmocka_unit_test(test_allocated), cmocka_unit_test(test_recorded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
