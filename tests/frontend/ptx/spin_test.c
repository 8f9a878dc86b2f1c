/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops that repeat themselves end as livelocks, and loops that count anything, anywhere, do not. */
#include "bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* %flag is the address of a word in memory, which %x has as well. */
static const char frame[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.shared .align 4 .b32 room;\n"
    ".visible .entry k(.param .u64 in)\n{\n"
    ".reg .b64 %%flag; .reg .b32 %%x, %%n, %%lane, %%block; .reg .pred %%p, %%q; .local .align 4 .b32 own;\n"
    "ld.param.u64 %%flag, [in]; mov.u32 %%lane, %%tid.x; mov.u32 %%block, %%ctaid.x; mov.u32 %%n, 0;\n"
    "%s\nst.global.u32 [%%flag], 7;\nret;\n}\n";

/* Runs the code on so many blocks of 32 threads: whether it ends, with a word of 7. */
static bool ends(const char *code, uint32_t blocks)
{
    struct bench bench;
    char text[2048];
    uint32_t word;
    snprintf(text, sizeof text, frame, code);
    bench_open(&bench, NULL, text);
    uint64_t flag = bench_buffer(&bench, NULL, sizeof word);
    bool good = BENCH_RUN(&bench, "k", blocks, 32, 0, &flag);
    const char *livelock = bench_timed() ? "the run ends as livelock" : "its warps only poll memory";
    if (!good && !strstr(bench.error.text, livelock))
        fail_msg("%s", bench.error.text);
    bench_read(&bench, flag, &word, sizeof word);
    assert_int_equal(word, good ? 7 : 0);
    bench_close(&bench);
    return good;
}

static void test_without_end(void **unused)
{
    (void)unused;
    assert_false(ends("L: bra L;", 1));
    assert_false(ends("L: ld.global.u32 %x, [%flag]; setp.eq.u32 %p, %x, 0; @%p bra L;", 1));
    assert_false(ends("L: ld.global.u32 %x, [%flag]; setp.eq.u32 %p, %x, 0; @%p bra L;", 6));
    assert_false(ends("st.shared.u32 [room], 0; L: ld.shared.u32 %x, [room]; setp.eq.u32 %p, %x, 0; @%p bra L;", 1));
    /* a round of four branches back, by which a register has its value again */
    assert_false(ends("L: add.u32 %n, %n, 1; and.b32 %n, %n, 3; setp.lt.u32 %p, %n, 9; @%p bra L;", 1));
    /* lanes in different loops */
    assert_false(ends("and.b32 %x, %lane, 1; setp.eq.u32 %p, %x, 0; @%p bra M;\n"
                      "L: ld.global.u32 %x, [%flag]; setp.eq.u32 %q, %x, 0; @%q bra L; bra N;\n"
                      "M: ld.global.u32 %x, [%flag+0]; setp.lt.u32 %q, %x, 7; @%q bra M; N:",
                      1));
}

static void test_that_count(void **unused)
{
    (void)unused;
    assert_true(ends("L: add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 20000; @%p bra L;", 1));
    assert_true(ends("st.local.u32 [own], 0; L: ld.local.u32 %n, [own]; add.u32 %n, %n, 1; st.local.u32 [own], %n;\n"
                     "mov.u32 %n, 0; ld.local.u32 %x, [own]; setp.lt.u32 %p, %x, 20000; mov.u32 %x, 0; @%p bra L;",
                     1));
    assert_true(
        ends("st.shared.u32 [room], 0; L: ld.shared.u32 %n, [room]; add.u32 %n, %n, 1; st.shared.u32 [room], %n;\n"
             "mov.u32 %n, 0; ld.shared.u32 %x, [room]; setp.lt.u32 %p, %x, 20000; mov.u32 %x, 0; @%p bra L;",
             1));
}

/* What one block waits for, another does after many rounds of its own; the first notices at once. */
static void test_that_wait(void **unused)
{
    (void)unused;
    assert_true(ends("setp.ne.u32 %p, %block, 0; @%p bra O;\n"
                     "L: ld.global.u32 %x, [%flag]; setp.eq.u32 %p, %x, 0; @%p bra L; bra E;\n"
                     "O: add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 30000; @%p bra O; E:",
                     2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_without_end), cmocka_unit_test(test_that_count),
                                       cmocka_unit_test(test_that_wait)};
    return cmocka_run_group_tests_name("ptx spin", tests, NULL, NULL);
}
