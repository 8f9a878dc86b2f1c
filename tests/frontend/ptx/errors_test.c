/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrong PTX is an error that says where and what; nothing of it crashes, whatever is cut off or changed. */
#include "bench.h"

#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD "\n.version 8.0\n.target sm_80\n.address_size 64\n"
#define BODY(code)                                                                                                     \
    HEAD ".visible .entry k(.param .u64 a) {\n.reg .b32 %r<4>; .reg .b64 %d<4>; .reg .pred %p; .reg .f32 %f;\n" code   \
         "\nret;\n}\n"

#define TCGEN05(code)                                                                                                  \
    ".version 8.6\n.target sm_100a\n.entry k() { .reg .b32 %r; .reg .b64 %d; .reg .pred %p; " code " ret; }"

#define NEW(version, target, code)                                                                                     \
    ".version " version "\n.target " target                                                                            \
    "\n.entry k() { .reg .b32 %r<4>; .reg .b64 %d; .reg .f32 %f; .reg .b16 %h; .reg .pred %p; " code " ret; }"

static const struct {
    const char *text, *message;
} rows[] = {
    {"", "test.ptx: there is no PTX in it: .version is missing"},
    {".entry k() { ret; }", "test.ptx:1:1: a PTX module begins with .version"},
    {".version 99.1\n", "test.ptx:1:10: PTX version `99.1` is not supported: 3.0 to 9.9 are"},
    {HEAD ".address_size 32", "test.ptx:5:15: only `.address_size 64` is supported"},
    {BODY("mov.u64 %d0, a[0];"), "test.ptx:7:15: only an array's name can have an index"},
    {BODY("mov.b64 %d0, %d1[0];"), "only an array's name can have an index"},
    {BODY(".shared .b32 s[2]; mov.u64 %d0, s[%r1];"), "an index that is no constant is not supported"},
    {BODY(".shared .b32 s[2]; mov.u64 %d0, s[0.5];"), "an index is a whole number"},
    {HEAD "/* no end", "test.ptx:5:1: this comment has no end"},
    {HEAD ".global .u32 x = 0x;", "test.ptx:5:18: `0x;` is not a number"},
    {HEAD ".global .f32 x = 0f123;", "a 0f constant has 8 hexadecimal digits, not 3"},
    {HEAD ".global .u32 x[2] = {1, 2, 3};", "test.ptx:5:28: this initialiser has more elements than the array"},
    {HEAD ".global .u64 x = y;", "`y` is not a variable or function declared before"},
    {HEAD ".shared .u32 x = 1;", "only .global and .const variables can be initialised"},
    {HEAD ".global .align 3 .u32 x;", "an alignment is a power of two, not 3"},
    {HEAD ".global .u32 x[99999999999999];", "this variable is larger than 64 GiB"},
    {HEAD ".global x;", "this declaration has no type"},
    {HEAD ".global .align 4 .pred own = 100;", "a predicate is a register"},
    {HEAD ".func f(.param .pred x) { ret; }", "a predicate is a register"},
    {HEAD ".wrong", "test.ptx:5:1: `.wrong` is not supported here"},
    {HEAD "\x01", "byte 0x1 does not belong in PTX"},
    {HEAD ".entry k() { add.u32 a, b, c; }", "test.ptx:5:23: nothing here is named `a`"},
    {HEAD ".entry k() { bra L; }", "nothing here is named `L`; declare it, or correct its spelling"},
    {HEAD ".entry k() { .reg .b32 %r<2000000>; }", "a number of registers is at most 1048576"},
    {HEAD ".entry k() {", "the text ends inside a function; is it truncated?"},
    {HEAD ".entry k() { ret; } .entry k() { ret; }", "`k` is defined twice"},
    {BODY("@%r1 ret;"), "test.ptx:7:2: `%r1` is not a predicate"},
    {BODY("add.u32 %r1, %r2;"), "test.ptx:7:1: `add.u32`: it has 3 operands, not 2"},
    {BODY("add.u32 %r1, %r2, %d1;"), "`add.u32`: a register declared .b64 stands where .u32 is needed"},
    {BODY("add.f32 %f, %f, 1;"), "a whole number stands where a .f32 is needed"},
    {BODY("add.u32.sat %r1, %r2, %r3;"), "`add.u32.sat`"},
    {BODY("add.u32 %r1, %r2, %laneid;"), "a special register cannot be an operand here; move it into a register first"},
    {BODY("add.u32 %r1, a, %r2;"), "an address cannot be an operand here; move it into a register first (mov)"},
    {BODY("add.u32 _, %r1, %r2;"), "its result cannot be left out; give it a register"},
    {BODY("abs.s32 %r1, 0f3f800000;"), "a fraction stands where a .s32 is needed; write a whole number"},
    {BODY(".reg .b16 %h; add.u32 %r1, %h, %r2;"), "a register declared .b16 stands where .u32 is needed"},
    {BODY(".reg .b16 %h; mul.rz.f32 %f, %h, %f;"), "a register declared .b16 stands where .f32 is needed"},
    {BODY(".reg .b16 %h; min.u16 %h, %h, %r2;"), "a register declared .b32 stands where .u16 is needed"},
    {BODY("add.u32 %r1, %r2.b1, %r3;"), "a part of a register (.b0, .h1) stands in video instructions alone"},
    {BODY("add.u32 %r1.h0, %r2, %r3;"), "a part of a register (.b0, .h1) stands in video instructions alone"},
    {BODY("add.u32 %r1, -%r2, %r3;"), "`-` stands before a register in vmad alone; negate it first (neg)"},
    {BODY("vadd.s32.s32.s32 %r1, %r2.b4, %r3;"), "parts of a register are .b0 .b1 .b2 .b3 .h0 .h1"},
    {BODY("vadd4.s32.s32.s32 %r1.b12, %r2, %r3, %r1;"), "its mask names bytes from the highest one down, as .b310"},
    {BODY("vadd.s32.s32.s32.add %r1, %r2, %r3;"), "it has 4 operands, not 3"},
    {BODY("vavrg.s32.s32.s32 %r1, %r2, %r3;"), "this instruction is not supported"},
    {NEW("9.0", "sm_90", "min.f32 %f, %f, %f, %f;"), "with three sources it needs `.target sm_100` or higher"},
    {NEW("9.0", "sm_100", "min.s32 %r1, %r1, %r1, %r1;"), "it has two sources, not three; .f32 alone has a form"},
    {NEW("9.0", "sm_90", "add.rn.f32x2 %d, %d, %d;"), "it needs `.target sm_100` or higher"},
    {NEW("9.0", "sm_100", "redux.sync.min.f32 %f, %f, -1;"), "it needs a target for one architecture or its family"},
    {NEW("9.0", "sm_100", "cvt.rz.ue8m0x2.f32 %h, %f, %f;"), "it needs a target for one architecture or its family"},
    {NEW("9.0", "sm_100a", "cvt.rn.e2m3x2.f32 %h, %f, %f;"), "it needs .satfinite"},
    {NEW("9.0", "sm_100a", "cvt.rn.ue8m0x2.f32 %h, %f, %f;"), "it needs .rz or .rp"},
    {NEW("9.0", "sm_100a", "cvt.rs.f16x2.f32 %r1, %f, %f, %r1;"), "stochastic rounding (.rs) is not supported"},
    {NEW("9.0", "sm_100a", "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%r1], {%r2};"),
     "matrices of bytes and of fewer bits (.m16n16, .m8n16, .m16n8) are not supported"},
    {NEW("8.1", "sm_80", "ld.mmio.relaxed.sys.global.b32 %r1, [%d];"), "it needs `.version 8.2` or later"},
    {NEW("8.2", "sm_80", "ld.mmio.relaxed.gpu.global.b32 %r1, [%d];"), "it needs one of these: .sys"},
    {NEW("8.0", "sm_89", "cvt.rn.f16x2.e4m3x2 %r1, %h;"), "it needs `.version 8.1` or later"},
    {NEW("8.0", "sm_80", "set.lt.u32.bf16 %r1, %h, %h;"), "it needs `.target sm_90` or higher"},
    {NEW("8.0", "sm_75", "abs.bf16 %h, %h;"), "it needs `.target sm_80` or higher"},
    {NEW("7.4", "sm_80", "cp.async.cg.shared.global [%r1], [%d], 16, %p;"), "with a predicate it needs `.version 7.5`"},
    {BODY("frobnicate.u32 %r1, %r2;"), "test.ptx:7:1: `frobnicate.u32`: this instruction is not supported"},
    {BODY("ld.global.f32 %f, [%r1];"), "a generic address, or one of global memory, is in a register of 64 bits"},
    {BODY("ld.global.b64 %r1, [%d1];"), "a register declared .b32 is too small for .b64"},
    {BODY("ld.param.u64 %d1, [a+8];"), "this lies outside the kernel's parameters"},
    {BODY("ld.shared.u32 %r1, [a];"), "`a` lies in another state space"},
    {BODY("st.const.u32 [%d1], %r1;"), "this state space cannot be written"},
    {BODY("ld.global.v3.u32 {%r1,%r2,%r3}, [%d1];"), "`.v3` is not supported here"},
    {BODY("atom.global.inc.s32 %r1, [%d1], %r2;"), "this operation with this type is not supported"},
    {BODY("cvt.s32.f32 %r1, %f;"), "a conversion to an integer needs .rni, .rzi, .rmi or .rpi"},
    {BODY("setp.lt.u32 %p, %r1, 1, 2;"), "it has 3 operands, not 4"},
    {BODY("call nowhere, (%r1);"), "nothing here is named `nowhere`"},
    {".version 8.0\n.target sm_80\n.address_size 64\n.global .u32 c = 1;\n.entry k() { .reg .b32 %r; mov.u32 %r, c; "
     "ret; }",
     "test.ptx:5:28: `mov.u32`: this address needs a 64-bit register"},
    {BODY(".reg .b16 %h; .shared .b32 s; mov.b16 %h, s;"), "an address needs a register of 32 or 64 bits"},
    {HEAD ".shared .b8 large[49153];\n.visible .entry k() { st.shared.u32 [large], 5; ret; }",
     "it has 49153 bytes of static shared memory, but an assembler takes 49152 at most"},
    {BODY("ld.b32 %r1, [%r2];"), "a generic address, or one of global memory, is in a register of 64 bits"},
    {HEAD ".shared .u32 s;\n.global .u64 x = s;",
     "test.ptx:6:19: `s` does not lie in .global or .const memory, and has no address here"},
    {BODY("bra %r1;"), "a label is needed"},
    {BODY("bar.sync;"), "it has 1 to 2 operands, not 0"},
    {BODY("shfl.sync.idx.b32 %r1, %r2, 0, 31;"), "it has 5 operands, not 4"},
    {BODY("mma.sync.aligned.m16n8k4.row.col.f16.f16.f16.f16 {%r1}, {%r1}, {%r1}, {%r1};"),
     "this shape with these types is not supported"},
    {BODY("tcgen05.fence::before_thread_sync;"), "it needs `.target sm_100` or higher"},
    {".version 8.8\n.target sm_120a\n.entry k() { tcgen05.fence::before_thread_sync; ret; }",
     "it needs a target for one architecture that has it, as `.target sm_100a`"},
    {TCGEN05("tcgen05.relinquish_alloc_permit.cta_group::3.sync.aligned;"), "it needs .cta_group::1 or .cta_group::2"},
    {TCGEN05("tcgen05.shift.cta_group::1 [%r];"), "it needs .down"},
    {TCGEN05("tcgen05.mma.cta_group::1.kind::f16.ashift [%r], %d, %d, %r, %p;"), ".ashift needs A in tensor memory"},
    {TCGEN05("tcgen05.mma.cta_group::1.kind::f16.ashift.collector::a::fill [%r], [%r], %d, %r, %p;"),
     ".ashift is of products without .ws, .block_scale, .collector::a::use and fill"},
    {TCGEN05("tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.ashift [%r], [%r], %d, %r, [%r], [%r], %p;"),
     ".ashift is of products without .ws, .block_scale, .collector::a::use and fill"},
    {TCGEN05("tcgen05.ld.red.sync.aligned.32x32b.x2.min.b32 {%r, %r}, %r, [%r];"), ".red is of .u32, .s32 or .f32"},
    {TCGEN05("tcgen05.ld.red.sync.aligned.32x32b.x2.min.abs.s32 {%r, %r}, %r, [%r];"), ".abs and .NaN are of .f32"},
    {TCGEN05("tcgen05.ld.red.sync.aligned.32x32b.x2.u32 {%r, %r}, %r, [%r];"), ".red needs .min or .max"},
    {TCGEN05("tcgen05.ld.red.sync.aligned.32x32b.x1.max.u32 {%r}, %r, [%r];"), ".red is of .32x32b and .16x32bx2"},
    {TCGEN05("tcgen05.ld.red.sync.aligned.16x64b.x2.max.u32 {%r, %r}, %r, [%r];"), ".red is of .32x32b and .16x32bx2"},
    {TCGEN05("tcgen05.mma.ws.cta_group::2.kind::f16 [%r], %d, %d, %r, %p;"), ".ws is of .cta_group::1 and kind::f16"},
    {TCGEN05("tcgen05.mma.cta_group::1.kind::mxf4 [%r], %d, %d, %r, [%r], [%r], %p;"),
     ".block_scale is of kind::mxf8f6f4, mxf4 and mxf4nvf4, which need it"},
    {TCGEN05("tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale [%r], %d, %d, %r, [%r], [%r], %p;"),
     "kind::mxf4nvf4 needs .scale_vec::2X or .scale_vec::4X"},
    {TCGEN05("tcgen05.mma.cta_group::1.kind::mxf4.block_scale [%r], %d, %d, %r, [%r], %p;"),
     "an address in brackets is needed"},
    {TCGEN05("tcgen05.mma.sp.cta_group::1.kind::f16 [%r], %d, %d, [%r+-4], %r, %p;"),
     "what is added to the address of metadata or factors is 0 to 2097151"},
    {TCGEN05("tcgen05.mma.cta_group::2.kind::f16 [%r], %d, %d, %r, {%r, %r, %r, %r}, %p;"),
     "8 registers are needed here, as a list"},
    {TCGEN05("tcgen05.mma.cta_group::1.kind::f64 [%r], %d, %d, %r, %p;"),
     "its kinds are kind::f16, tf32, f8f6f4, i8, mxf8f6f4, mxf4 and mxf4nvf4"},
    {TCGEN05("tcgen05.mma.cta_group::1.kind::i8 [%r], %d, %d, %r, %p, 3;"),
     "scale-input-d is 0 to 15, of kind::f16 and kind::tf32"},
    {TCGEN05("tcgen05.mma.cta_group::1.kind::f16 [%d], %d, %d, %r, %p;"),
     "an address of tensor memory is in a register of 32 bits"},
    {TCGEN05("tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r}, [%r];"), "2 registers are needed here, as a list"},
    {TCGEN05("tcgen05.ld.sync.aligned.16x256b.x64.b32 {%r}, [%r];"), "for at most 128 registers"},
    {TCGEN05("tcgen05.ld.sync.aligned.16x32bx2.x1.b32 {%r}, [%r];"), "it has 3 operands, not 2"},
    {TCGEN05("tcgen05.cp.cta_group::1.64x128b [%r], %d;"), "its shapes are .128x256b, .4x256b, .128x128b"},
    {TCGEN05("tcgen05.commit.cta_group::1.b64 [%r];"), "it needs .mbarrier::arrive::one"},
    {TCGEN05("tcgen05.commit.mbarrier::arrive::one.b64 [%r];"), "it needs .cta_group::1 or .cta_group::2"},
    {TCGEN05("tcgen05.wait::ld;"), "it needs .sync.aligned"},
    {".version 8.0\n.target sm_90a\n.entry k() { .reg .b64 %d; .reg .b32 %r; wgmma.mma_async.sp.sync.aligned.m64n8k32."
     "f32.f16.f16 {%r}, %d, %d, %r, 0, 1, 1, 1, 0, 0; ret; }",
     "4 registers are needed here, as a list"},
    {".version 8.6\n.target sm_90a\n.entry k() { .reg .b64 %d; .reg .b32 %r; cp.async.bulk.tensor.2d.shared::cluster."
     "global.tile::gather4.mbarrier::complete_tx::bytes [%r], [%d, {%r, %r, %r, %r, %r}], [%r]; ret; }",
     "gathering copies, of Blackwell, are not supported"},
    {BODY("mov.u32 %r1, 1/0;"), "this constant expression divides by zero"},
    /* what ptxas refuses: names */
    {BODY("L: add.u32 %r1, %r2, 1; L: bra L;"), "test.ptx:7:28: `L` is defined twice"},
    {BODY("L: L: ret;"), "`L` is defined twice"},
    {BODY(".reg .b32 x; .reg .b64 x;"), "`x` is defined twice"},
    {BODY(".reg .b32 %r<9>;"), "`%r` is defined twice"},
    {BODY(".reg .b32 a;"), "`a` is defined twice"},
    {BODY(".shared .b32 z; .local .b32 z;"), "`z` is defined twice"},
    {HEAD ".entry k(.param .u32 a, .param .u32 a) { ret; }", "`a` is defined twice"},
    /* … text and directives */
    {HEAD ".entry k() { ret; }\n.file 1 \"abc\n", "this string has no end on its line"},
    {HEAD ".entry k() { .pragma \"nounroll;\nret; }", "this string has no end on its line"},
    {HEAD ".entry k() { .pragma nounroll; ret; }", "a pragma's name in quotes is expected here"},
    {HEAD ".entry k() { .loc 1 2\nret; }", "a column is expected here"},
    {HEAD ".entry k() { .loc 1 2 3, inlined 1 2 3\nret; }", "function_name or inlined_at is expected"},
    {HEAD ".file \"x\"", "a file's number is expected here"},
    {HEAD ".visible .visible .entry k() { ret; }", "`.visible` is not supported here"},
    {HEAD ".entry (.param .u32 r) k() { ret; }", "a kernel has no results"},
    {BODY("add.u32 %r1, %r2, %r3,;"), "an operand is expected behind the comma"},
    {BODY("add.u32 %r1, %r2, %r3;;"), "an instruction is expected here, not `;`"},
    {".version 8.0\n.version 8.0\n", "a PTX module has one .version"},
    {".version 8.0\n.entry k() { ret; }", "a PTX module names its .target before `.entry`"},
    {".version 8.0\n.target sm_81\n", "there is no target sm_81"},
    {".version 7.0\n.target sm_86\n", "test.ptx:2:9: sm_86 needs `.version 7.1` or later"},
    /* … targets and versions */
    {BODY("setmaxnreg.inc.sync.aligned.u32 128;"), "it needs `.target sm_90` or higher"},
    {BODY("ld.global.v4.b64 {%d1, %d2, %d3, %d3}, [%d1];"), "it needs `.target sm_100` or higher"},
    {BODY("ld.global.v8.b32 {%r1, %r2, %r3, %r1, %r2, %r3, %r1, %r2}, [%d1];"), "it needs `.target sm_100`"},
    {BODY("elect.sync %r1|%p, -1;"), "it needs `.target sm_90` or higher"},
    {BODY("shfl.idx.b32 %r1, %r2, 0, 31;"), "it needs .sync from sm_70 and PTX 6.4 on"},
    {BODY("lop3.or.b32 %r1|%p, %r2, %r3, %r1, 0x80, %p;"), "it needs `.version 8.2` or later"},
    {BODY("fence.acq_rel.cluster;"), "it needs `.target sm_90` or higher"},
    {".version 8.0\n.target sm_90\n.entry k() { setmaxnreg.inc.sync.aligned.u32 128; ret; }",
     "it needs a target for one architecture, as `.target sm_90a`"},
    {".version 8.0\n.target sm_90a\n.entry k() { setmaxnreg.inc.sync.aligned.u32 999; ret; }",
     "999 is not in the range from 24 to 256"},
    {".version 8.0\n.target sm_90a\n.entry k() { setmaxnreg.inc.sync.aligned.u32 129; ret; }",
     "129 is not a multiple of 8"},
    {".version 8.0\n.target sm_90a\n.entry k() .maxntid 256, 1, 1 .minnctapersm 1\n"
     "{ setmaxnreg.dec.sync.aligned.u32 56; setmaxnreg.inc.sync.aligned.u32 24; ret; }",
     "56 registers are left, where no setmaxnreg.inc asks for more than 24"},
    /* … modifiers and operands */
    {BODY("bar.sync 16;"), "16 is not in the range from 0 to 15"},
    {BODY("bar.sync 0, 33;"), "33 is not a multiple of 32"},
    {BODY("cp.async.cg.shared.global [%r1], [%d1], 8;"), "8 is not in the range from 16 to 16"},
    {BODY("fma.f32 %f, %f, %f, %f;"), "it needs one of these: .rn rz rm rp"},
    {BODY("mad.f32 %f, %f, %f, %f;"), "it needs one of these: .rn rz rm rp"},
    {BODY("membar;"), "it needs one of these: .cta gl sys proxy"},
    {BODY("ld.gpu.global.u32 %r1, [%d1];"), "it needs one of these: .relaxed acquire"},
    {BODY("ld.release.gpu.global.u32 %r1, [%d1];"), "one of .release wb wt does not go with this instruction"},
    {BODY("setp.lt.b32 %p, %r1, 1;"), "one of .lt le gt ge does not go with one of .b16 b32 b64"},
    {BODY("atom.global.exch.u32 %r1, [%d1], %r2;"), "does not go with one of .u32 s32 u64 s64"},
    {BODY("add.u32 %r1, %f, %r2;"), "a register declared .f32 stands where .u32 is needed"},
    {BODY(".reg .u32 u; add.f32 %f, %f, u;"), "a register declared .u32 stands where .f32 is needed"},
    {BODY("add.s32 %r1, %f, %r2;"), "a register declared .f32 stands where .s32 is needed"},
    {BODY(".reg .b16 h; add.s32 h, %r1, %r2;"), "a register declared .b16 stands where .s32 is needed"},
    {BODY(".reg .f64 g; mad.wide.u32 %d1, %r1, %r2, g;"), "a register declared .f64 stands where .u64 is needed"},
    {BODY(".reg .u32 u; neg.f32 %f, u;"), "a register declared .u32 stands where .f32 is needed"},
    {BODY(".reg .u32 u; fma.rn.f16x2 u, %r1, %r2, %r3;"), "a register declared .u32 stands where .f16x2 is needed"},
    {BODY(".reg .b16 h; and.b32 %r1, h, %r2;"), "a register declared .b16 stands where .b32 is needed"},
    {BODY(".reg .b16 h; shr.s64 %d1, %d2, h;"), "a register declared .b16 stands where .u32 is needed"},
    {BODY("ld.global.u32 %f, [%d1];"), "a register declared .f32 stands where .u32 is needed"},
    {BODY("st.global.u32 [%d1], %f;"), "a register declared .f32 stands where .u32 is needed"},
    {BODY("st.global.f32 [%d1], 5;"), "a whole number stands where a .f32 is needed"},
    {BODY("mov.f32 %f, 0;"), "a whole number stands where a .f32 is needed"},
    {BODY("and.b32 %r1, 1.5, %r2;"), "a constant of 8 bytes stands where a .b32 is needed"},
    {BODY(".reg .b16 h; add.f16 h, h, 1.5;"), "a constant stands where a .f16 is needed; move it into a register"},
    {BODY("addc.u32 %r1, 0f3f800000, %r2;"), "a fraction stands where a .u32 is needed"},
    {BODY("addc.u32 %r1, [%r2], %r3;"), "an address in brackets cannot stand here"},
    {BODY("setp.lt.s32 %p, %tid.x, %r1;"), "a special register cannot be an operand here"},
    {BODY("st.global.u32 [%d1], %tid.x;"), "a special register cannot be an operand here"},
    {BODY("mov.u32 %r1, %clock64;"), "this special register has 64 bits"},
    {BODY("mov.u64 %d1, %tid.x;"), "this special register has 32 bits"},
    {BODY("mov.u64 %d1, {%r1, %r2};"), "a vector is moved as .b16, .b32, .b64 or .b128"},
    {BODY("ld.global.u32 _, [%d1];"), "its result cannot be left out"},
    {BODY("ld.u64 %d1, [a];"), "`a` lies in another state space"},
    {BODY("mbarrier.inval.shared.b64 %r1;"), "an address in brackets is needed"},
    {BODY("mbarrier.arrive.shared.b64 [%r1];"), "a register for the state stands in front of the address, or _"},
    {BODY("prefetch.global.L1 %r1;"), "an address in brackets is needed here"},
    {BODY("prefetch.global.L1.rni [%d1];"), "`.rni` is not supported here"},
    {BODY("nanosleep.u32 {%r1, %r2};"), "this operand cannot be a source here"},
    {BODY("discard.global.L2 [%d1], 64;"), "64 is not in the range from 128 to 128"},
    {BODY("cp.async.wait_group %r1;"), "a constant whole number is needed here"},
    {BODY("bfe.u32 %r1, %r2, -1, %r3;"), "-1 is not in the range from 0 to 255"},
    {BODY("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r1, %r2}, %r3, {%r1, %r2};"),
     "registers in braces are needed for a matrix: 1 of them"},
    {BODY("L: bra L, %p;"), "it has 1 operands, not 2"},
    {HEAD ".entry g() { ret; } .entry k() { call g; ret; }", "`g` is a kernel, which cannot be called"},
    {HEAD ".target sm_90\n.entry k() { ret; }", "a PTX module has one .target"},
    {HEAD ".global .u32 x[0];", "`x` has no length; state one, or declare it .extern"},
    {HEAD ".shared .b8 x[];", "`x` has no length; state one, or declare it .extern"},
    {HEAD ".entry k() .maxntid 0, 1, 1 { ret; }", "0 is not positive"},
    {HEAD ".entry k() .maxnreg 0 { ret; }", "0 is not positive"},
    /* … words in another order, or that do not go together */
    {BODY("mul.u32.lo %r1, %r2, %r3;"), "`.lo` belongs directly behind `mul`"},
    {BODY("cp.commit_group.async;"), "`.async` belongs directly behind `cp`"},
    {BODY("mbarrier.shared.init.b64 [%r1], 1;"), "`.init` belongs directly behind `mbarrier`"},
    {BODY("mov.f16x2 %r1, %r2;"), "it has no form with .f16x2; there are .pred b128 b16"},
    {BODY("bar.sync.u32 0;"), "it has no type, and so no .u32"},
    {BODY("activemask %r1;"), "it needs its type, .b32"},
    {BODY("red.relaxed.cta.gpu.global.add.u32 [%d1], %r1;"), "it has one scope, not both .cta and .gpu"},
    {BODY("atom.volatile.global.add.u32 %r1, [%d1], %r2;"), "one of .volatile does not go with this instruction"},
    {BODY("atom.global.add.f16x2 %r1, [%d1], %r2;"), "it needs one of these: .noftz"},
    {BODY("fence.proxy;"), "it needs one of these: .alias async"},
    {BODY("cvt.bf16x2.f32 %r1, %f, %f;"), "it needs one of these: .rn .rz .rm .rp"},
};

/* What ptxas takes although it looks like something above. */
static const char *const accepted[] = {
    BODY("L: add.u32 %r1, %r2, 1; { L: bra L; }"),
    BODY("add.s32 %r1, %r2, -WARP_SZ; add.s32 %r1, %r2, -4;"),
    BODY("vadd.s32.s32.s32 %r1, %r2.b1, 7; vmad.s32.s32.s32 %r1, -%r2.h0, %r3.b2, %r1;"),
    BODY("{ .reg .b32 x; mov.u32 x, 1; } { .reg .b64 x; mov.u64 x, 1; }"),
    BODY(".reg .b32 y; .reg .b32 y<4>; mov.u32 y, y1;"),
    BODY(".reg .b64 d<5>; { .param .b64 d; st.param.b64 [d], d1; ld.param.b64 d2, [d]; }"),
    BODY(".reg .b64 d<5>; { .reg .b32 d<2>; mov.u64 d3, 1; mov.u32 d1, 1; }"),
    BODY("bar.warp.sync -1; barrier.sync 15, 64; membar.gl; fence.sc.gpu;"),
    BODY(".pragma \"nounroll\";\n.loc 1 2 3, function_name k+8, inlined_at 1 5 1"),
    BODY("mov.b32 %f, %r1; add.f32 %f, %f, %r1; and.b32 %r1, %f, %r2;"),
    BODY(".reg .s32 s; .reg .u32 u; add.u32 s, u, %r1; popc.b32 s, %f; selp.b32 %f, %r1, s, %p; shl.b32 %r1, %f, u;"),
    BODY(".reg .f16 x; .reg .b16 h; add.f16 x, x, h; ld.global.b16 x, [%d1]; mov.b32 %r1, {x, h}; mov.b64 {%r1, %f}, "
         "%d1;"),
    BODY(".reg .b8 c; ld.global.u8 c, [%d1]; cvt.u32.u8 %r1, c; ld.global.u8 %d2, [%d1]; st.global.u32 [%d1], %d2;"),
    BODY("mov.b64 %d1, 1.5; mov.b32 %r1, 0f3f800000; mov.f32 %f, 1.5; selp.b32 %r1, 0f3f800000, %r2, %p;"),
    BODY("cvt.u64.u32 %d1, %tid.x; mov.b32 %f, %laneid; mov.u64 %d2, a; mov.u32 %r1, %gridid;"),
    BODY("atom.global.exch.b32 _, [%d1], %f; setp.eq.and.u64 _|%p, %d1, %d2, %p; ld.global.v2.u32 {_, %r1}, [%d1];"),
    BODY("lg2.approx.f32.ftz %f, %f; mad.lo.cc.u32 %r1, %r2, %r3, %r1; bar.red.popc.u32 %r1, 0, %p; barrier.sync 1;"),
    ".version 8.0\n.target sm_90a\n.entry k() { setmaxnreg.inc.sync.aligned.u32 128; ret; }",
    ".version 6.3\n.target sm_70\n.entry k() { .reg .b32 r; shfl.idx.b32 r, r, 0, 31; ret; }",
    (".version 8.8\n.target sm_100\n.entry k(.param .u64 p) { .reg .b64 a<5>; ld.param.u64 a4, [p];\n"
     "ld.global.v4.b64 {a0, a1, a2, a3}, [a4]; ret; }"),
};

static bool load(const char *text, size_t length, struct mnp_error *error)
{
    struct execute_device device;
    struct ptx_program program;
    execute_device_init(&device, 64, NULL);
    bool good = ptx_program_load(&program, &device, "test.ptx", text, length, error);
    if (good) {
        good = ptx_program_check(&program, error);
        ptx_program_unload(&program, &device);
    }
    execute_device_release(&device);
    return good;
}

static void test_messages(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mnp_error error = {{0}};
        if (load(rows[i].text, strlen(rows[i].text), &error))
            fail_msg("no error, but should be: %s", rows[i].message);
        if (!strstr(error.text, rows[i].message))
            fail_msg("`%s` does not say `%s`", error.text, rows[i].message);
        assert_true(strncmp(error.text, "test.ptx:", 9) == 0);
    }
}

static void test_accepted(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
        struct mnp_error error = {{0}};
        if (!load(accepted[i], strlen(accepted[i]), &error))
            fail_msg("%s", error.text);
    }
}

/* Cut at many places, and with bytes changed: an error or not, but no crash, and never a success without a module. */
static void test_damage(void **unused)
{
    (void)unused;
    struct mnp_error error = {{0}};
    size_t length;
    char *text = mnp_read_file(KERNELS, 1 << 26, &length, &error);
    assert_non_null(text);
    uint64_t state = 8;
    for (int i = 0; i < 60; i++) {
        error.text[0] = 0;
        size_t cut = bench_random(&state) % length;
        if (!load(text, cut, &error))
            assert_true(error.text[0] != 0);
    }
    for (int i = 0; i < 60; i++) {
        size_t at = bench_random(&state) % length;
        char kept = text[at];
        text[at] = "{}();,.%@0x-[]\"$"[bench_random(&state) % 16];
        error.text[0] = 0;
        if (!load(text, length, &error))
            assert_true(error.text[0] != 0);
        text[at] = kept;
    }
    error.text[0] = 0;
    assert_true(load(text, length, &error));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_messages), cmocka_unit_test(test_accepted),
                                       cmocka_unit_test(test_damage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
