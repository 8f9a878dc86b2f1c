/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Static shared memory of kernels: variables that a kernel and the functions that it can reach use, beside the bytes
 * that ptxas 13.0 prints (-v) for the same text; modules whose variables together would not fit; and values, as each
 * kernel places its own.
 */
#include "bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"

static const char variables[] = HEAD ".shared .align 4 .b8 m1[1000];\n"
                                     ".shared .align 16 .b8 m2[2000];\n"
                                     ".shared .align 1 .b8 m3[3001];\n"
                                     ".shared .align 128 .b8 m4[100];\n";

static const char functions[] = ".func f1() { .shared .align 4 .b8 own[400]; st.volatile.shared.u32 [own], 5; ret; }\n"
                                ".func f2() { st.volatile.shared.u32 [m2], 6; ret; }\n"
                                ".visible .entry none() { ret; }\n"
                                ".visible .entry one() { st.shared.u32 [m1], 6; ret; }\n"
                                ".visible .entry by_call() { call f2, (); ret; }\n"
                                ".visible .entry callees_own() { call f1, (); st.shared.u32 [m1], 6; ret; }\n"
                                ".visible .entry unused_own() { .shared .b8 own[48]; ret; }\n"
                                ".visible .entry address() { .reg .b32 r; mov.u32 r, m1; ret; }\n"
                                ".visible .entry padded() { st.shared.u8 [m3], 6; st.shared.u32 [m4], 6; ret; }\n"
                                ".visible .entry dead() { .reg .b32 r; bra DONE; ld.shared.u32 r, [m1]; DONE: ret; }\n";

static const char pointers[] =
    HEAD ".shared .align 4 .b8 m1[100];\n.shared .align 4 .b8 m2[1000];\n.shared .align 4 .b8 m3[10000];\n"
         ".func taken() { st.volatile.shared.u32 [m1], 6; ret; }\n"
         ".func called() { st.volatile.shared.u32 [m2], 6; ret; }\n"
         ".func listed() { st.volatile.shared.u32 [m3], 6; ret; }\n"
         ".global .u64 table[1] = {listed};\n"
         ".visible .entry indirect(.param .u64 p) { .reg .b64 d; ld.param.u64 d, [p];\n"
         "  way: .callprototype _ (); call d, (), way; ret; }\n"
         ".visible .entry takes(.param .u64 p) { .reg .b64 d, t; ld.param.u64 d, [p]; mov.u64 t, taken;\n"
         "  st.global.u64 [d], t; ret; }\n"
         ".visible .entry direct() { call called, (); ret; }\n";

struct row {
    const char *kernel;
    uint32_t bytes; /* of ptxas */
};

static void check(const char *text, const struct row *rows, size_t count)
{
    struct bench bench;
    bench_open(&bench, NULL, text);
    for (size_t i = 0; i < count; i++) {
        const struct execute_code *code = ptx_program_kernel(&bench.program, rows[i].kernel, &bench.error);
        if (!code)
            fail_msg("%s", bench.error.text);
        if (code->shared_bytes != rows[i].bytes)
            fail_msg("%s: %u bytes of shared memory, %u of ptxas", rows[i].kernel, code->shared_bytes, rows[i].bytes);
    }
    bench_close(&bench);
}

#define CHECK(text, rows) check(text, rows, sizeof rows / sizeof *rows)

static void test_static(void **unused)
{
    (void)unused;
    static const struct row rows[] = {{"none", 0},        {"one", 1000},     {"by_call", 2000}, {"callees_own", 1400},
                                      {"unused_own", 48}, {"address", 1000}, {"padded", 3172},  {"dead", 1000}};
    char text[4096];
    snprintf(text, sizeof text, "%s%s", variables, functions);
    CHECK(text, rows);
}

/* The static part ends at a multiple of the dynamic part's alignment, in kernels that do not use it, too. */
static void test_dynamic(void **unused)
{
    (void)unused;
    static const struct row rows[] = {{"none", 0},        {"one", 1024},    {"by_call", 2048}, {"callees_own", 1408},
                                      {"unused_own", 64}, {"padded", 3200}, {"alone", 0}};
    char text[4096];
    snprintf(text, sizeof text,
             "%s.extern .shared .align 64 .b8 more[];\n%s"
             ".visible .entry alone() { st.shared.u32 [more], 6; ret; }\n",
             variables, functions);
    CHECK(text, rows);
}

static void test_pointers(void **unused)
{
    (void)unused;
    static const struct row rows[] = {{"indirect", 10100}, {"takes", 10100}, {"direct", 1000}};
    CHECK(pointers, rows);
}

/* Two kernels with 40 KB each in one module, and a function that both call, whose variable lies behind that of each. */
#define STORES(kernel, array, value)                                                                                   \
    ".visible .entry " kernel "(.param .u64 p)\n{\n.reg .b64 d, e; .reg .b32 t, q, r;\n"                               \
    "ld.param.u64 d, [p]; mov.u32 t, %tid.x; shl.b32 q, t, 2; cvt.u64.u32 e, q; add.u64 d, d, e;\n"                    \
    "mov.u32 r, " array "; add.u32 r, r, q; st.shared.u32 [r], 1;\n"                                                   \
    "mov.u32 r, c; add.u32 r, r, q; add.u32 t, t, " value "; st.shared.u32 [r], t;\n"                                  \
    "{ .param .b32 z; call (z), own, (); ld.param.b32 r, [z]; }\nst.global.u32 [d], r;\nret;\n}\n"

static const char together[] =
    HEAD ".shared .align 4 .b8 a[40960];\n.shared .align 4 .b8 b[40000];\n.shared .align 4 .b8 c[64];\n"
         ".func (.param .b32 r) own() { .reg .b32 x, y, z; mov.u32 x, %tid.x; shl.b32 x, x, 2; mov.u32 y, c;\n"
         "add.u32 y, y, x; ld.shared.u32 z, [y]; st.param.b32 [r], z; ret; }\n" STORES("first", "a", "3")
             STORES("second", "b", "5");

static void test_values(void **unused)
{
    (void)unused;
    static const struct row rows[] = {{"first", 41024}, {"second", 40064}};
    enum { COUNT = 16 };
    struct bench bench;
    CHECK(together, rows);
    bench_open(&bench, NULL, together);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t out[COUNT] = {0};
        uint64_t at = bench_buffer(&bench, out, sizeof out);
        if (!BENCH_RUN(&bench, rows[i].kernel, 1, COUNT, 0, &at))
            fail_msg("%s", bench.error.text);
        bench_read(&bench, at, out, sizeof out);
        for (uint32_t j = 0; j < COUNT; j++)
            assert_int_equal(out[j], j + (i ? 5 : 3));
    }
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_static), cmocka_unit_test(test_dynamic),
                                       cmocka_unit_test(test_pointers), cmocka_unit_test(test_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
