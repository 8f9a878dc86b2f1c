/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A kernel of more than 65,535 instructions, without time and with it: each adds its own number to what the thread has,
 * so that one which is left out, or taken for another, is seen.
 */
#include "bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ADDITIONS = 70000 };

static void test_sum(void **unused)
{
    (void)unused;
    char *text;
    size_t size;
    uint32_t in[32], out[32];
    struct bench bench;
    FILE *file = open_memstream(&text, &size);
    fprintf(file,
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
            ".reg .b64 %%p<3>; .reg .b32 %%r<2>;\nmov.u32 %%r0, %%tid.x;\nmul.wide.u32 %%p0, %%r0, 4;\n"
            "ld.param.u64 %%p1, [in];\nadd.s64 %%p1, %%p1, %%p0;\nld.param.u64 %%p2, [out];\n"
            "add.s64 %%p2, %%p2, %%p0;\nld.global.u32 %%r1, [%%p1];\n");
    uint32_t sum = 0;
    for (uint32_t i = 1; i <= ADDITIONS; i++) {
        fprintf(file, "add.u32 %%r1, %%r1, %u;\nxor.b32 %%r1, %%r1, %%r0;\n", i);
        sum += i;
    }
    fprintf(file, "st.global.u32 [%%p2], %%r1;\nret;\n}\n");
    fclose(file);
    for (uint32_t lane = 0; lane < 32; lane++)
        in[lane] = 7 * lane;
    bench_open(&bench, NULL, text);
    uint64_t from = bench_buffer(&bench, in, sizeof in), to = bench_buffer(&bench, NULL, sizeof out);
    if (!BENCH_RUN(&bench, "k", 1, 32, 0, &from, &to))
        fail_msg("%s", bench.error.text);
    bench_read(&bench, to, out, sizeof out);
    assert_int_equal(out[0], sum); /* thread 0, whose xor changes nothing */
    for (uint32_t lane = 1; lane < 32; lane++) {
        uint32_t value = in[lane];
        for (uint32_t i = 1; i <= ADDITIONS; i++)
            value = (value + i) ^ lane;
        assert_int_equal(out[lane], value);
    }
    bench_close(&bench);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sum)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
