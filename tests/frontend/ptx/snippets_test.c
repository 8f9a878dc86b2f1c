/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Instructions with more than one result, with predicates, carries, memory or other lanes: each is a few lines of PTX
 * in a kernel of one warp, and lane i's answer is computed here.
 */
#include "bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* %lane, %x and %y (lane's two input words), %wide (64 bits of them) are given; the code leaves its answer in %out. */
static const char frame[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    ".global .align 8 .b8 data[4096];\n.shared .align 16 .b8 space[4096];\n.const .b32 list[4] = {11, 22, 33, 44};\n"
    ".visible .entry k(.param .u64 in, .param .u64 result, .param .align 4 .b8 more[12])\n{\n"
    ".reg .b64 %%at<4>, %%wide, %%w<8>; .reg .b32 %%lane, %%x, %%y, %%out, %%t<8>; .reg .b16 %%h<8>;\n"
    ".reg .pred %%p<8>; .reg .f32 %%f<4>; .reg .f64 %%g<4>; .local .align 8 .b8 stack[64];\n"
    "mov.u32 %%lane, %%laneid;\nld.param.u64 %%at0, [in];\nmul.wide.u32 %%at1, %%lane, 8;\nadd.s64 %%at0, %%at0, "
    "%%at1;\n"
    "ld.global.v2.b32 {%%x, %%y}, [%%at0];\nmov.b64 %%wide, {%%x, %%y};\nmov.u32 %%out, 0;\nld.param.u64 %%at2, "
    "[result];\n"
    "shr.u64 %%at1, %%at1, 1;\nadd.s64 %%at2, %%at2, %%at1;\n%s\nst.global.b32 [%%at2], %%out;\nret;\n}\n";

static uint32_t inputs[32][2], answers[32];

static void run(const char *code)
{
    struct bench bench;
    char text[4096];
    uint32_t more[3] = {5, 6, 7};
    uint64_t state = 42;
    snprintf(text, sizeof text, frame, code);
    bench_open(&bench, NULL, text);
    for (int i = 0; i < 32; i++)
        for (int j = 0; j < 2; j++)
            inputs[i][j] = (uint32_t)bench_random(&state);
    uint64_t in = bench_buffer(&bench, inputs, sizeof inputs), out = bench_buffer(&bench, NULL, sizeof answers);
    if (!BENCH_RUN(&bench, "k", 1, 32, 0, &in, &out, more))
        fail_msg("%s: %s", code, bench.error.text);
    bench_read(&bench, out, answers, sizeof answers);
    bench_close(&bench);
}

#define EXPECT(code, expression)                                                                                       \
    do {                                                                                                               \
        run(code);                                                                                                     \
        for (uint32_t lane = 0; lane < 32; lane++) {                                                                   \
            uint32_t x = inputs[lane][0], y = inputs[lane][1], wanted = (uint32_t)(expression);                        \
            (void)x, (void)y;                                                                                          \
            if (answers[lane] != wanted)                                                                               \
                fail_msg("%s: lane %u: %#x instead of %#x", code, lane, answers[lane], wanted);                        \
        }                                                                                                              \
    } while (0)

static uint64_t both(uint32_t x, uint32_t y)
{
    return (uint64_t)y << 32 | x;
}

static void test_carries(void **unused)
{
    (void)unused;
    EXPECT("add.cc.u32 %t0, %x, %y; addc.u32 %out, %x, 7;", x + 7 + ((uint64_t)x + y > UINT32_MAX));
    EXPECT("sub.cc.u32 %t0, %x, %y; subc.u32 %out, %x, 7;", x - 7 - (x < y));
    EXPECT("mad.lo.cc.u32 %t0, %x, %y, %x; madc.hi.u32 %out, %x, %y, 0;", ((uint64_t)x * y + x) >> 32);
    EXPECT("add.cc.u32 %t0, %x, %y; addc.cc.u32 %t1, %y, %y; addc.u32 %out, 0, 0;",
           ((uint64_t)y + y + ((uint64_t)x + y > UINT32_MAX)) >> 32);
    EXPECT("add.cc.u64 %w0, %wide, %wide; addc.u32 %out, 0, 0;", both(x, y) >> 63);
    EXPECT("mad.hi.cc.s32 %t0, %x, %y, -1; addc.u32 %out, 0, 0;",
           (uint32_t)((int64_t)(int32_t)x * (int32_t)y >> 32) != 0);
}

static void test_predicates(void **unused)
{
    (void)unused;
    EXPECT(
        "setp.lt.u32 %p0, %x, %y; setp.gt.and.s32 %p1|%p2, %x, 0, !%p0; selp.b32 %out, 2, 1, %p1; @%p2 add.u32 %out, "
        "%out, 8;",
        ((int32_t)x > 0 && x >= y ? 2 : 1) + ((int32_t)x <= 0 && x >= y ? 8 : 0));
    EXPECT(
        "setp.lt.u32 %p0, %x, %y; setp.gt.s32 %p1, %x, 0; xor.pred %p2, %p0, %p1; not.pred %p3, %p2; or.pred %p4, %p3, "
        "%p0; and.pred %p5, %p4, %p1; mov.pred %p6, %p5; @!%p6 mov.u32 %out, 5;",
        (((x < y) == ((int32_t)x > 0)) || x < y) && (int32_t)x > 0 ? 0 : 5);
    EXPECT("set.lt.u32.u32 %out, %x, %y;", x < y ? ~0u : 0);
    EXPECT("set.lt.f32.s32 %f0, %x, %y; mov.b32 %out, %f0;", (int32_t)x < (int32_t)y ? 0x3f800000 : 0);
    EXPECT("setp.lt.u32 %p0, %x, %y; set.ge.and.u32.u32 %out, %lane, 16, %p0;", x < y && lane >= 16 ? ~0u : 0);
    EXPECT("setp.lt.u32 %p0, %x, %y; lop3.or.b32 %t0|%p1, %x, %y, %lane, 0x80, !%p0; selp.b32 %out, %t0, 3, %p1;",
           (x & y & lane) || !(x < y) ? (x & y & lane) : 3);
    EXPECT("mov.b32 %f0, %x; testp.finite.f32 %p0, %f0; testp.subnormal.f32 %p1, 0f00000001; selp.b32 %out, 1, 0, %p0; "
           "@%p1 add.u32 %out, %out, 2;",
           ((x >> 23 & 255) != 255) + 2);
    EXPECT("mov.u32 %out, 9; { .reg .pred q; setp.eq.u32 q, %lane, 3; @q bra DONE; mov.u32 %out, 4; DONE: }",
           lane == 3 ? 9 : 4);
}

static void test_bits(void **unused)
{
    (void)unused;
    EXPECT("bfi.b32 %out, %x, %y, 5, 9;", (y & ~(0x1ffu << 5)) | (x & 0x1ff) << 5);
    EXPECT("bfi.b32 %out, %x, %y, %lane, 40;", lane ? (y & ((1u << lane) - 1)) | x << lane : x);
    EXPECT("bfi.b64 %w0, %wide, 0, 20, 30; mov.b64 {%t0, %out}, %w0;", (both(x, y) & 0x3fffffff) << 20 >> 32);
    EXPECT("mov.b32 {%h0, %h1}, %x; mov.b32 %out, {%h1, %h0};", x >> 16 | x << 16);
    EXPECT("mov.b64 {%h0, %h1, %h2, %h3}, %wide; mov.b64 %w0, {%h3, %h2, %h1, %h0}; mov.b64 {%out, %t0}, %w0;",
           y >> 16 | y << 16);
    EXPECT("mov.b64 {_, %out}, %wide;", y);
    EXPECT("mov.b32 %f0, 0f41000000; lg2.approx.f32.ftz %f1, %f0; cvt.rzi.u32.f32 %out, %f1;", 3);
    EXPECT(
        "cvt.u64.u32 %w0, %x; cvt.s8.s32 %h0, %y; cvt.s32.s8 %t0, %h0; cvt.u32.u64 %t1, %w0; sub.u32 %out, %t1, %t0;",
        x - (uint32_t)(int8_t)y);
    EXPECT("mov.u32 %out, (2+3)*4-1;", 19);
}

static uint32_t parts(uint32_t x, uint32_t y, uint32_t bits, int32_t (*apply)(int32_t a, int32_t b), bool is_signed)
{
    uint32_t result = 0;
    for (uint32_t at = 0; at < 32; at += bits) {
        int32_t a = (int32_t)(x >> at & ((1u << bits) - 1)), b = (int32_t)(y >> at & ((1u << bits) - 1));
        if (is_signed) {
            a -= a >> (bits - 1) << bits;
            b -= b >> (bits - 1) << bits;
        }
        result |= ((uint32_t)apply(a, b) & ((1u << bits) - 1)) << at;
    }
    return result;
}

static int32_t distance(int32_t a, int32_t b)
{
    return a < b ? b - a : a - b;
}

static int32_t bounded_sum(int32_t a, int32_t b)
{
    return a + b > 32767 ? 32767 : a + b < -32768 ? -32768 : a + b;
}

static int32_t lesser(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static uint32_t sum_of_bytes(uint32_t x)
{
    return (x & 0xff) + (x >> 8 & 0xff) + (x >> 16 & 0xff) + (x >> 24);
}

static void test_video(void **unused)
{
    (void)unused;
    EXPECT("vabsdiff4.u32.u32.u32 %out, %x, %y, 0;", parts(x, y, 8, distance, false));
    EXPECT("vshr.u32.u32.u32.clamp.add %out, %x, 5, 100;", (x >> 5) + 100);
    EXPECT("vshr.u32.u32.u32.clamp.add %out, %x, 40, 7;", 7);
    EXPECT("vshr.s32.s32.u32.clamp %out, %x, 40;", (int32_t)x >> 31);
    EXPECT("vshl.u32.u32.u32.wrap.add %out, %x, 33, %y;", (x << 1) + y);
    EXPECT("vabsdiff4.u32.u32.u32.add %out, %x, %y, 100;", 100 + sum_of_bytes(parts(x, y, 8, distance, false)));
    EXPECT("vadd2.s32.s32.s32.sat %out, %x, %y, 0;", parts(x, y, 16, bounded_sum, true));
    EXPECT("vmin4.s32.s32.s32 %out, %x, %y, 0;", parts(x, y, 8, lesser, true));
    EXPECT("mov.b32 %t0, 0x3c004000; mov.b32 %t1, 0x3c003c00; set.gt.u32.f16x2 %out, %t0, %t1;", 0xffff);
    EXPECT("mov.b32 %t0, 0x3c004000; mov.b32 %t1, 0x3c003c00; set.le.f16x2.f16x2 %out, %t0, %t1;", 0x3c000000);
}

static void test_memory(void **unused)
{
    (void)unused;
    EXPECT("ld.param.b32 %t0, [more+4]; ld.const.b32 %t1, [list+8]; add.u32 %out, %t0, %t1;", 6 + 33);
    EXPECT("mov.u64 %w0, list[3]; ld.const.b32 %t0, [%w0]; ld.const.b32 %t1, list[1]; add.u32 %out, %t0, %t1;",
           44 + 22);
    EXPECT("mov.u32 %t0, 5; st.shared.b32 space[8], %t0; mov.u32 %t1, space[1+3]; ld.shared.b32 %t2, [%t1+4]; "
           "ld.shared.v2.b32 {%t3, %t4}, space[8]; add.u32 %out, %t2, %t3;",
           10);
    /* of a generic address the lower half is one of shared memory, which DeepGEMM makes use of */
    EXPECT("mul.wide.u32 %w1, %lane, 4; mov.u64 %w0, space; cvta.shared.u64 %w0, %w0; add.s64 %w1, %w0, %w1; "
           "st.shared.b32 [%w1+256], %x; ld.shared.b32 %t0, [%w1+256]; atom.shared.add.u32 %t1, [%w1+256], %y; "
           "ld.b32 %t2, [%w1+256]; add.u32 %out, %t0, %t2;",
           2 * x + y);
    EXPECT("mul.lo.u32 %t0, %lane, 8; mov.u32 %t1, space; add.u32 %t1, %t1, %t0; st.shared.v2.b32 [%t1], {%x, %y}; "
           "ld.shared.s8 %t2, [%t1+3]; ld.shared.u16 %t3, [%t1+4]; add.u32 %out, %t2, %t3;",
           (uint32_t)((int32_t)x >> 24) + (y & 0xffff));
    EXPECT("st.local.b64 [stack+8], %wide; ld.local.b16 %h0, [stack+10]; cvt.u32.u16 %t0, %h0; mov.u64 %w0, stack; "
           "cvta.local.u64 %w1, %w0; ld.b32 %t1, [%w1+12]; add.u32 %out, %t0, %t1;",
           (x >> 16) + y);
    EXPECT("mov.u64 %w0, data; mul.wide.u32 %w1, %lane, 16; add.s64 %w0, %w0, %w1; st.global.v4.b32 [%w0], "
           "{%x, %y, %lane, 77}; ld.global.nc.v2.b64 {%w2, %w3}, [%w0]; add.s64 %w2, %w2, %w3; cvt.u32.u64 %out, %w2;",
           x + lane);
    EXPECT(
        "mov.u64 %w0, data; cvta.global.u64 %w1, %w0; isspacep.global %p0, %w1; isspacep.shared %p1, %w1; mov.u32 %t0, "
        "space; cvt.u64.u32 %w2, %t0; cvta.shared.u64 %w3, %w2; isspacep.shared %p2, %w3; selp.b32 %out, 1, 0, %p0; "
        "@%p1 add.u32 %out, %out, 2; @%p2 add.u32 %out, %out, 4; cvta.to.shared.u64 %w4, %w3; setp.eq.u64 %p3, %w4, "
        "%w2; "
        "@%p3 add.u32 %out, %out, 8;",
        13);
    EXPECT(
        "mov.b64 %w0, more; cvta.param.u64 %w1, %w0; ld.u32 %t0, [%w1+8]; ld.param.u32 %t1, [%w0]; add.u32 %out, %t0, "
        "%t1;",
        12);
    EXPECT("mov.u64 %w0, data; @%p0 st.global.b32 [%w0+-100000], %x; ld.volatile.global.b32 %out, [%w0];", 0);
    EXPECT(
        "mul.lo.u32 %t0, %lane, 16; mov.u32 %t1, space; add.u32 %t1, %t1, %t0; mov.u64 %w0, data; st.global.b64 [%w0], "
        "%wide; membar.cta; ld.param.u64 %w1, [in]; cp.async.ca.shared.global [%t1], [%w1], 8, 4; "
        "cp.async.commit_group; cp.async.wait_group 0; ld.shared.v2.b32 {%t2, %t3}, [%t1]; add.u32 %out, %t2, %t3;",
        inputs[0][0]);
}

static void test_atomics(void **unused)
{
    (void)unused;
    EXPECT("atom.global.add.u32 %out, [data], 3;", 3 * lane); /* lanes act in order */
    EXPECT("atom.shared.inc.u32 %out, [space], 4;", lane % 5);
    EXPECT("st.shared.b32 [space], 3; atom.shared.dec.u32 %out, [space], 6;", lane < 4 ? 3 - lane : 6 - (lane - 4) % 7);
    EXPECT("atom.global.exch.b32 %out, [data], %x;", lane ? inputs[lane - 1][0] : 0);
    EXPECT("atom.global.cas.b32 %out, [data], %lane, %x;", lane == 0 ? 0 : inputs[0][0]);
    EXPECT("red.global.max.s32 [data], %x; bar.warp.sync -1; ld.global.b32 %t0, [data]; setp.ge.s32 %p0, %t0, %x; "
           "selp.b32 %out, 1, 0, %p0;",
           1);
    EXPECT("red.global.xor.b32 [data], %x; atom.global.or.b32 %t1, [data+8], %x; atom.and.b32 %t2, [%at0], 255; "
           "mov.b32 %out, %t2;",
           x);
    EXPECT("mov.b32 %f0, 0f3f800000; atom.global.add.f32 %f1, [data], %f0; cvt.rzi.u32.f32 %out, %f1;", lane);
    EXPECT("mov.b64 %g0, 0d3fe0000000000000; atom.shared.add.f64 %g1, [space], %g0; cvt.rzi.u32.f64 %out, %g1;",
           lane / 2);
    EXPECT("atom.relaxed.gpu.global.add.u64 %w0, [data], %wide; atom.global.min.u64 %w1, [data+8], %wide; cvt.u32.u64 "
           "%out, %w1;",
           0);
    EXPECT("mov.b16 %h0, 0x3c00; atom.global.add.noftz.f16 %h1, [data], %h0; cvt.u32.u16 %out, %h1;",
           lane == 0 ? 0
                     : ((31 - __builtin_clz(lane) + 15) << 10 | (lane << (10 - (31 - __builtin_clz(lane))) & 0x3ff)));
}

static void test_lanes(void **unused)
{
    (void)unused;
    EXPECT("shfl.sync.up.b32 %out|%p0, %x, 3, 0, -1; @!%p0 mov.u32 %out, 1;", lane < 3 ? 1 : inputs[lane - 3][0]);
    EXPECT("shfl.sync.down.b32 %out, %x, 5, 31, -1;", inputs[lane < 27 ? lane + 5 : lane][0]);
    EXPECT("shfl.sync.bfly.b32 %out, %x, 9, 31, -1;", inputs[lane ^ 9][0]);
    EXPECT("shfl.sync.idx.b32 %out|%p0, %x, 6, 0x1807, -1;", inputs[(lane & 24) | 6][0]); /* segments of 8 */
    EXPECT("shfl.sync.down.b32 %out|%p0, %x, 2, 0x1c03, -1; @!%p0 mov.u32 %out, 7;",
           (lane & 3) < 2 ? inputs[lane + 2][0] : 7); /* segments of 4 */
    EXPECT("setp.lt.u32 %p0, %lane, 9; vote.sync.ballot.b32 %out, %p0, -1;", 0x1ff);
    EXPECT(
        "setp.lt.u32 %p0, %lane, 9; vote.sync.any.pred %p1, !%p0, -1; vote.sync.uni.pred %p2, %p0, -1; selp.b32 %out, "
        "1, 0, %p1; @%p2 add.u32 %out, %out, 2;",
        1);
    EXPECT("shr.u32 %t0, %lane, 3; match.any.sync.b32 %out, %t0, -1;", 0xffu << (lane & 24));
    EXPECT("match.all.sync.b32 %out|%p0, 5, -1; @!%p0 mov.u32 %out, 1;", ~0u);
    EXPECT(
        "redux.sync.min.s32 %t0, %x, -1; redux.sync.xor.b32 %t1, %lane, -1; setp.le.s32 %p0, %t0, %x; selp.b32 %out, "
        "%t1, 99, %p0;",
        0);
    EXPECT("elect.sync %t0|%p0, -1; selp.b32 %out, 1, 2, %p0;", lane == 0 ? 1 : 2);
    /* each eight lanes for themselves, in one instruction */
#define TILES "and.b32 %t0, %lane, 24; mov.u32 %t1, 255; shl.b32 %t1, %t1, %t0; setp.lt.u32 %p0, %lane, 20; "
    EXPECT(TILES "vote.sync.ballot.b32 %out, %p0, %t1;", 0xffu << (lane & 24) & 0xfffff);
    EXPECT(TILES "vote.sync.all.pred %p1, %p0, %t1; vote.sync.any.pred %p2, %p0, %t1; selp.b32 %out, 1, 0, %p1; "
                 "@%p2 add.u32 %out, %out, 2;",
           lane < 16   ? 3
           : lane < 24 ? 2
                       : 0);
    EXPECT(TILES "redux.sync.add.u32 %out, %lane, %t1;", 8 * (lane & 24) + 28);
    EXPECT(TILES "match.all.sync.b32 %out|%p1, %t0, %t1;", 0xffu << (lane & 24));
    EXPECT(TILES "elect.sync %out|%p1, %t1; @%p1 add.u32 %out, %out, 100;", (lane & 24) + (lane % 8 ? 0 : 100));
    EXPECT("mov.u32 %t0, %lanemask_lt; setp.gt.u32 %p0, %lane, 2; vote.sync.ballot.b32 %out, %p0, %t0;",
           ((1u << lane) - 1) & ~7u);
#undef TILES
    EXPECT("setp.ge.u32 %p0, %lane, 30; @%p0 activemask.b32 %out;", lane >= 30 ? 0xc0000000u : 0);
    EXPECT("mov.u32 %t0, %lanemask_lt; mov.u32 %t1, %lanemask_ge; xor.b32 %out, %t0, %t1;", ~0u);
    EXPECT("mov.u32 %t0, %clock; mov.u64 %w0, %clock64; mov.u32 %t1, %ntid.x; mov.u32 %t2, WARP_SZ; add.u32 %out, %t1, "
           "%t2;",
           64);
    EXPECT("movmatrix.sync.aligned.m8n8.trans.b16 %t0, %x; movmatrix.sync.aligned.m8n8.trans.b16 %out, %t0;", x);
}

static void test_branches(void **unused)
{
    (void)unused;
    EXPECT(
        "targets: .branchtargets A, B, C; rem.u32 %t0, %lane, 3; brx.idx %t0, targets; A: mov.u32 %out, 1; bra D; B: "
        "mov.u32 %out, 2; bra D; C: mov.u32 %out, 3; D: activemask.b32 %t1; setp.ne.u32 %p0, %t1, -1; @%p0 mov.u32 "
        "%out, 0;",
        lane % 3 + 1);
    EXPECT("setp.eq.u32 %p0, %lane, 4; @%p0 bra FAR; mov.u32 %out, 6; setp.eq.u32 %p1, %lane, 5; @%p1 exit; mov.u32 "
           "%out, 7; FAR:",
           lane == 4   ? 0
           : lane == 5 ? 0
                       : 7);
    EXPECT("mov.u32 %t0, 0; LOOP: add.u32 %t0, %t0, 1; setp.le.u32 %p0, %t0, %lane; @%p0 bra LOOP; activemask.b32 %t1; "
           "add.u32 %out, %t0, %t1;",
           lane);
    EXPECT("bar.sync 0; barrier.sync 1, 32; setp.eq.u32 %p0, %lane, 2; bar.red.popc.u32 %out, 0, %p0; bar.red.or.pred "
           "%p1, 0, %p0; barrier.cta.red.and.pred %p2, 1, 32, %p0; @%p1 add.u32 %out, %out, 10; @%p2 mov.u32 %out, 0;",
           11);
}

/* The upper halves of policies, as ptxas of CUDA 13.0 makes them, and an access with one. */
static void test_policies(void **state)
{
    (void)state;
#define UPPER " mov.b64 {%t0, %out}, %w0;"
    EXPECT("createpolicy.fractional.L2::evict_first.b64 %w0, 0.5;" UPPER, 0x12700000u);
    EXPECT("createpolicy.fractional.L2::evict_first.b64 %w0, 0f3E99999A;" UPPER, 0x12400000u); /* 0.3 */
    EXPECT("createpolicy.fractional.L2::evict_last.L2::evict_first.b64 %w0, 0.25;" UPPER, 0x15300000u);
    EXPECT("createpolicy.fractional.L2::evict_unchanged.b64 %w0, 1.0;" UPPER, 0x16f00000u);
    EXPECT("createpolicy.fractional.L2::evict_normal.b64 %w0;" UPPER, 0x10f00000u);
    EXPECT("createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %w0, [%at0], 64, 128;"
           "ld.global.L2::cache_hint.b32 %out, [%at0], %w0;",
           x);
    EXPECT("createpolicy.cvt.L2.b64 %w0, %wide; st.global.L2::cache_hint.b32 [%at2], %x, %w0; mov.b64 {%t0, "
           "%out}, %w0;",
           y);
#undef UPPER
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_carries), cmocka_unit_test(test_predicates), cmocka_unit_test(test_bits),
        cmocka_unit_test(test_video),   cmocka_unit_test(test_memory),     cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_lanes),   cmocka_unit_test(test_branches),   cmocka_unit_test(test_policies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
