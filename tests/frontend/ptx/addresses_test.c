/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Addresses of local, shared and constant memory and of parameters in registers of 32 and of 64 bits, as LLVM's NVPTX
 * back end writes them with short pointers (Triton) and without: taken, computed with, converted to generic ones and
 * back. ptxas 13.0 takes all of these texts.
 */
#include "bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

/* Each kernel leaves its answer in %out: 20 + the lane's number, if nothing else is stated. */
static const char frame[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".global .align 16 .b8 before[100];\n.const .align 4 .b32 first = 19;\n"
    ".const .align 4 .b32 table[40] = {20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, "
    "39,\n"
    "40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59};\n"
    ".shared .align 16 .b8 other[64];\n.shared .align 4 .b32 space[40];\n"
    ".global .u64 generically = generic(table);\n.global .u64 plainly = table+8;\n.const .u64 inside = table+4;\n"
    ".global .align 8 .u8 bytes[8] = {0xff(table), 0xff00(table), 0xff0000(table), 0xff000000(table),\n"
    "0xff00000000(table), 0xff0000000000(table), 0xff000000000000(table), 0xff00000000000000(table)};\n"
    ".func (.param .b32 r) by_place(.param .b32 x, .param .align 8 .b8 pair[16])\n{\n"
    ".reg .b32 a<4>; .reg .b64 d<4>; .local .align 4 .b32 own[4];\n"
    "mov.b32 a0, pair; ld.param.b32 a1, [a0+8]; mov.b64 d0, pair; ld.param.b32 a2, [d0+12]; add.u32 a1, a1, a2;\n"
    "mov.b32 a0, own; st.local.b32 [a0+4], a1; mov.b32 a2, own+4; ld.local.b32 a1, [a2]; ld.param.b32 a3, [x];\n"
    "add.u32 a1, a1, a3; st.param.b32 [r], a1; ret;\n}\n"
    ".func (.param .b32 r) by_pointer(.param .b32 p)\n{\n.reg .b32 a<4>;\n"
    "ld.param.b32 a0, [p]; ld.local.b32 a1, [a0]; st.param.b32 [r], a1; ret;\n}\n"
    ".visible .entry k(.param .u64 result, .param .align 8 .b8 more[16])\n{\n"
    ".local .align 16 .b8 stack[16]; .local .align 4 .b32 frame[40];\n"
    ".reg .b64 %%to, %%d<8>; .reg .b32 %%lane, %%four, %%twenty, %%out, %%r<8>; .reg .pred %%p<4>;\n"
    "mov.u32 %%lane, %%laneid; shl.b32 %%four, %%lane, 2; ld.param.u64 %%to, [result]; cvt.u64.u32 %%d0, %%four;\n"
    "add.s64 %%to, %%to, %%d0; add.u32 %%twenty, %%lane, 20; mov.u32 %%out, 0;\n%s\n"
    "st.global.b32 [%%to], %%out;\nret;\n}\n";

static const char *const answers_lane[] = {
    /* local memory */
    "mov.b32 %r0, frame; add.s32 %r1, %r0, %four; st.local.b32 [%r1], %twenty; ld.local.b32 %out, [%r1];",
    "mov.u32 %r0, frame+16; add.s32 %r1, %r0, %four; st.local.b32 [%r1+-16], %twenty; mov.b64 %d1, frame;\n"
    "cvt.u64.u32 %d0, %four; add.s64 %d1, %d1, %d0; ld.local.b32 %out, [%d1];",
    "mov.b32 %r0, frame; mad.lo.s32 %r1, %lane, 4, %r0; st.local.b32 [%r1], %twenty; cvt.u64.u32 %d1, %r1;\n"
    "cvta.local.u64 %d2, %d1; ld.b32 %out, [%d2];",
    "mov.b64 %d1, frame; cvta.local.u64 %d1, %d1; cvt.u64.u32 %d0, %four; add.s64 %d1, %d1, %d0; st.b32 [%d1], "
    "%twenty;\n"
    "cvta.to.local.u64 %d2, %d1; cvt.u32.u64 %r1, %d2; ld.local.b32 %out, [%r1];",
    "cvta.local.u64 %d1, frame+8; st.b32 [%d1], %twenty; mov.b32 %r0, frame; ld.local.b32 %out, [%r0+8];",
    "mov.b32 %r0, stack; mov.b32 %r1, frame; setp.lt.u32 %p0, %lane, 16; selp.b32 %r2, %r0, %r1, %p0;\n"
    "st.local.v2.b32 [%r2], {%lane, %twenty}; ld.local.b32 %out, [%r2+4];",
    "mov.b32 %r0, frame; st.local.b32 [%r0+4], %twenty; { .param .b32 p; .param .b32 r; st.param.b32 [p], %r0;\n"
    "call (r), by_pointer, (p); ld.param.b32 %r1, [r]; } add.s32 %r0, %r0, 4; { .param .b32 p; .param .b32 r;\n"
    "st.param.b32 [p], %r0; call (r), by_pointer, (p); ld.param.b32 %out, [r]; }",
    /* shared memory */
    "mov.b32 %r0, space; add.s32 %r1, %r0, %four; st.shared.b32 [%r1], %twenty; ld.shared.b32 %out, [%r1];",
    "mov.b32 %r0, space; add.s32 %r1, %r0, %four; st.shared.b32 [%r1], %lane; atom.shared.add.u32 %r2, [%r1], 20;\n"
    "cvt.u64.u32 %d1, %r1; cvta.shared.u64 %d2, %d1; ld.b32 %out, [%d2];",
    "cvta.shared.u64 %d1, space; cvt.u64.u32 %d0, %four; add.s64 %d1, %d1, %d0; st.b32 [%d1], %twenty;\n"
    "cvta.to.shared.u64 %d2, %d1; cvt.u32.u64 %r1, %d2; ld.shared.b32 %out, [%r1];",
    "mov.b32 %r0, space; isspacep.shared %p0, %r0; selp.b32 %out, 1, %twenty, %p0;",
    /* constant memory */
    "mov.b32 %r0, table; add.s32 %r1, %r0, %four; ld.const.b32 %out, [%r1];",
    "mov.b32 %r0, table+8; add.s32 %r1, %r0, %four; ld.const.b32 %out, [%r1+-8];",
    "mov.b32 %r0, table; add.s32 %r0, %r0, -4096; add.s32 %r1, %r0, %four; ld.const.b32 %out, [%r1+4096];",
    "mov.b32 %r0, table; add.s32 %r1, %r0, %four; cvt.u64.u32 %d1, %r1; cvta.const.u64 %d2, %d1; ld.b32 %out, [%d2];",
    "mov.b64 %d1, table; cvt.u64.u32 %d0, %four; add.s64 %d1, %d1, %d0; ld.const.b32 %out, [%d1];",
    "mov.b64 %d1, table; cvta.const.u64 %d1, %d1; cvt.u64.u32 %d0, %four; add.s64 %d1, %d1, %d0; ld.b32 %out, [%d1];",
    "cvta.const.u64 %d1, table; cvt.u64.u32 %d0, %four; add.s64 %d1, %d1, %d0; cvta.to.const.u64 %d2, %d1;\n"
    "cvt.u32.u64 %r1, %d2; ld.const.b32 %out, [%r1];",
    "mov.b64 %d1, table; cvt.u32.u64 %r1, %d1; add.s32 %r1, %r1, %four; ld.const.b32 %out, [%r1];",
    "ld.const.b32 %r1, [table+4]; add.s32 %out, %r1, %lane; add.s32 %out, %out, -1;",
    "ld.global.u64 %d1, [generically]; cvt.u64.u32 %d0, %four; add.s64 %d1, %d1, %d0; ld.global.b32 %out, [%d1];",
    "ld.global.u64 %d1, [plainly]; cvt.u64.u32 %d0, %four; add.s64 %d1, %d1, %d0; ld.const.b32 %out, [%d1+-8];",
    "ld.const.u64 %d1, [inside]; cvt.u32.u64 %r0, %d1; add.s32 %r0, %r0, %four; ld.const.b32 %out, [%r0+-4];",
    "ld.global.u64 %d1, [bytes]; cvt.u64.u32 %d0, %four; add.s64 %d1, %d1, %d0; ld.const.b32 %out, [%d1];",
    /* parameters, of the kernel: 7, 13, 1000, 1013 */
    "mov.b32 %r0, more; ld.param.b32 %r1, [%r0]; ld.param.b32 %r2, [%r0+4]; add.s32 %out, %r1, %r2; add.s32 %out, "
    "%out, %lane;",
    "mov.b64 %d1, more; ld.param.b32 %r1, [%d1+8]; mov.b32 %r0, more+12; ld.param.b32 %r2, [%r0]; sub.s32 %r1, %r2, "
    "%r1;\n"
    "add.s32 %out, %r1, 7; add.s32 %out, %out, %lane;",
    "cvta.param.u64 %d1, more; ld.b32 %r1, [%d1]; ld.b32 %r2, [%d1+4]; add.s32 %out, %r1, %r2; add.s32 %out, %out, "
    "%lane;",
    /* … and of a function */
    "{ .param .b32 x; .param .align 8 .b8 pair[16]; .param .b32 r; st.param.b32 [x], %lane; st.param.b32 [pair+8], "
    "13;\n"
    "st.param.b32 [pair+12], 7; call (r), by_place, (x, pair); ld.param.b32 %out, [r]; }",
};

static void test_addresses(void **unused)
{
    (void)unused;
    static const uint32_t more[] = {7, 13, 1000, 1013};
    for (size_t i = 0; i < sizeof answers_lane / sizeof *answers_lane; i++) {
        struct bench bench;
        char text[8192];
        uint32_t out[32];
        snprintf(text, sizeof text, frame, answers_lane[i]);
        bench_open(&bench, NULL, text);
        uint64_t at = bench_buffer(&bench, NULL, sizeof out);
        if (!BENCH_RUN(&bench, "k", 1, 32, 0, &at, more))
            fail_msg("%s: %s", answers_lane[i], bench.error.text);
        bench_read(&bench, at, out, sizeof out);
        for (uint32_t lane = 0; lane < 32; lane++)
            if (out[lane] != 20 + lane)
                fail_msg("%s: lane %u: %u", answers_lane[i], lane, out[lane]);
        bench_close(&bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_addresses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
