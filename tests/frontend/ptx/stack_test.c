/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Local memory of functions: chains of calls whose frames are larger than what is set aside for functions that call
 * themselves, each of which finds its own memory again when the ones that it calls are back.
 */
#include "bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { FUNCTIONS = 4, FRAME = 20000 /* bytes, a word more for each function */ };

/* f0 … f3: f(i) notes i + the lane in the first and the last word of its memory, adds up what the next one returns and
 * both words. */
static void write_functions(char *text, size_t room)
{
    for (int i = FUNCTIONS - 1; i >= 0; i--) {
        uint32_t bytes = FRAME + 4 * (uint32_t)i;
        bench_add(text, room,
                  ".func (.param .b32 out) f%d(.param .b32 lane)\n{\n"
                  ".local .align 4 .b8 here[%u]; .reg .b32 t, n, s, r; .reg .b64 a;\n"
                  "ld.param.u32 t, [lane]; mov.u32 s, 0; add.u32 n, t, %d; mov.u64 a, here;\n"
                  "st.local.u32 [a], n; st.local.u32 [a+%u], n;\n",
                  i, bytes, i, bytes - 4);
        if (i + 1 < FUNCTIONS)
            bench_add(text, room,
                      "{ .param .b32 given; .param .b32 back; st.param.b32 [given], t; call.uni (back), f%d, (given);\n"
                      "ld.param.b32 s, [back]; }\n",
                      i + 1);
        bench_add(text, room,
                  "ld.local.u32 r, [a]; add.u32 s, s, r; ld.local.u32 r, [a+%u]; add.u32 s, s, r;\n"
                  "st.param.b32 [out], s; ret;\n}\n",
                  bytes - 4);
    }
}

static void check_chain(const char *call)
{
    char text[8192] = ".version 8.0\n.target sm_80\n.address_size 64\n";
    uint32_t found[32];
    struct bench bench;
    write_functions(text, sizeof text);
    bench_add(text, sizeof text,
              ".visible .entry k(.param .u64 in)\n{\n.reg .b64 base, b, f; .reg .b32 t, r;\n"
              "ld.param.u64 base, [in]; mov.u32 t, %%tid.x; mul.wide.u32 b, t, 4; add.u64 b, b, base; mov.u64 f, f0;\n"
              "{ .param .b32 given; .param .b32 back; st.param.b32 [given], t; %s\nld.param.b32 r, [back]; }\n"
              "st.global.u32 [b], r; ret;\n}\n",
              call);
    bench_open(&bench, NULL, text);
    uint64_t words = bench_buffer(&bench, NULL, sizeof found);
    if (!BENCH_RUN(&bench, "k", 1, 32, 0, &words))
        fail_msg("%s", bench.error.text);
    bench_read(&bench, words, found, sizeof found);
    for (uint32_t lane = 0; lane < 32; lane++)
        assert_int_equal(found[lane], 2 * (FUNCTIONS * lane + FUNCTIONS * (FUNCTIONS - 1) / 2));
    bench_close(&bench);
}

static void test_a_chain_of_large_frames(void **unused)
{
    (void)unused;
    check_chain("call.uni (back), f0, (given);");
}

static void test_a_chain_behind_a_pointer(void **unused)
{
    (void)unused;
    check_chain("P: .callprototype (.param .b32 _) _ (.param .b32 _); call (back), f, (given), P;");
}

/* More functions than a function that calls itself has frames: g0 … g59 each add the lane. */
static void test_a_long_chain(void **unused)
{
    (void)unused;
    enum { CHAIN = 60 };
    static char text[32768] = ".version 8.0\n.target sm_80\n.address_size 64\n";
    uint32_t found[32];
    struct bench bench;
    for (int i = CHAIN - 1; i >= 0; i--) {
        bench_add(text, sizeof text,
                  ".func (.param .b32 out) g%d(.param .b32 lane)\n{\n.reg .b32 t, s;\n"
                  "ld.param.u32 t, [lane]; mov.u32 s, 0;\n",
                  i);
        if (i + 1 < CHAIN)
            bench_add(text, sizeof text,
                      "{ .param .b32 given; .param .b32 back; st.param.b32 [given], t; call.uni (back), g%d, (given);\n"
                      "ld.param.b32 s, [back]; }\n",
                      i + 1);
        bench_add(text, sizeof text, "add.u32 s, s, t; st.param.b32 [out], s; ret;\n}\n");
    }
    bench_add(text, sizeof text,
              ".visible .entry k(.param .u64 in)\n{\n.reg .b64 base, b; .reg .b32 t, r;\n"
              "ld.param.u64 base, [in]; mov.u32 t, %%tid.x; mul.wide.u32 b, t, 4; add.u64 b, b, base;\n"
              "{ .param .b32 given; .param .b32 back; st.param.b32 [given], t; call.uni (back), g0, (given);\n"
              "ld.param.b32 r, [back]; }\nst.global.u32 [b], r; ret;\n}\n");
    bench_open(&bench, NULL, text);
    uint64_t words = bench_buffer(&bench, NULL, sizeof found);
    if (!BENCH_RUN(&bench, "k", 1, 32, 0, &words))
        fail_msg("%s", bench.error.text);
    bench_read(&bench, words, found, sizeof found);
    for (uint32_t lane = 0; lane < 32; lane++)
        assert_int_equal(found[lane], CHAIN * lane);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_chain_of_large_frames),
        cmocka_unit_test(test_a_chain_behind_a_pointer),
        cmocka_unit_test(test_a_long_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
