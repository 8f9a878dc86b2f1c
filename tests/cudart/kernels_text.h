/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels of programs with several GPUs, as PTX. set: to[i] = value + i. add: to[i] += from[i]. meet: two kernels count
 * to `rounds`, each waiting for the other's word; the one that is first stores before it waits.
 */
#ifndef TESTS_CUDART_KERNELS_TEXT_H
#define TESTS_CUDART_KERNELS_TEXT_H

/* clang-format off */
#define KERNELS_SET_AND_ADD \
    ".version 7.0\n" \
    ".target sm_70\n" \
    ".address_size 64\n" \
    ".visible .entry set(.param .u64 to, .param .u32 n, .param .u32 value) {\n" \
    ".reg .pred %p; .reg .b32 %i, %n, %v, %b, %t; .reg .b64 %a, %o;\n" \
    "ld.param.u64 %a, [to]; ld.param.u32 %n, [n]; ld.param.u32 %v, [value];\n" \
    "mov.u32 %i, %ctaid.x; mov.u32 %b, %ntid.x; mov.u32 %t, %tid.x; mad.lo.u32 %i, %i, %b, %t;\n" \
    "setp.ge.u32 %p, %i, %n; @%p bra end; mul.wide.u32 %o, %i, 4; add.u64 %a, %a, %o;\n" \
    "add.u32 %v, %v, %i; st.global.u32 [%a], %v;\n" \
    "end: ret; }\n" \
    ".visible .entry add(.param .u64 to, .param .u64 from, .param .u32 n) {\n" \
    ".reg .pred %p; .reg .b32 %i, %n, %v, %w, %b, %t; .reg .b64 %a, %f, %o;\n" \
    "ld.param.u64 %a, [to]; ld.param.u64 %f, [from]; ld.param.u32 %n, [n];\n" \
    "mov.u32 %i, %ctaid.x; mov.u32 %b, %ntid.x; mov.u32 %t, %tid.x; mad.lo.u32 %i, %i, %b, %t;\n" \
    "setp.ge.u32 %p, %i, %n; @%p bra end; mul.wide.u32 %o, %i, 4; add.u64 %a, %a, %o; add.u64 %f, %f, %o;\n" \
    "ld.global.u32 %v, [%a]; ld.global.u32 %w, [%f]; add.u32 %v, %v, %w; st.global.u32 [%a], %v;\n" \
    "end: ret; }\n"
#define KERNEL_MEET \
    ".visible .entry meet(.param .u64 mine, .param .u64 other, .param .u32 rounds, .param .u32 first) {\n" \
    ".reg .pred %p, %f; .reg .b32 %r, %n, %v, %w; .reg .b64 %m, %o;\n" \
    "ld.param.u64 %m, [mine]; ld.param.u64 %o, [other]; ld.param.u32 %n, [rounds];\n" \
    "ld.param.u32 %v, [first]; setp.ne.u32 %f, %v, 0; mov.u32 %r, 0;\n" \
    "next: add.u32 %r, %r, 1; @%f st.volatile.global.u32 [%o], %r;\n" \
    "wait: ld.volatile.global.u32 %w, [%m]; setp.ne.u32 %p, %w, %r; @%p bra wait;\n" \
    "@!%f st.volatile.global.u32 [%o], %r; membar.sys; setp.lt.u32 %p, %r, %n; @%p bra next;\n" \
    "ret; }\n"
/* clang-format on */

#endif
