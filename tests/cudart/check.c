/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels that are right, and kernels with the errors that --check looks for, by words: `exchange` passes values
 * through shared memory with a barrier, `hasty` without one; `meet` adds in global memory by atomics, `collide` by
 * plain accesses;
 * `blank` reads an allocation that nobody has written, `empty` shared memory, `filled` both when they have been, and
 * `copied` what was copied from such an allocation. `parted` has a barrier for the lower lanes of each warp, `branches`
 * one for odd lanes and another for even ones, `turns` one barrier that lanes come to one after the other, and `free`
 * one that lanes may come to apart.
 * A second word names a file with machine code of the kernel, which is loaded in place of the text.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "maniple/driver.h"

#define HEAD                                                                                                           \
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry work(.param .u64 out)\n{\n"                        \
    "  .reg .u32 %r<6>; .reg .u64 %d<4>; .shared .align 4 .b8 s[256];\n"                                               \
    "  ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r4, s; add.u32 %r3, %r4, %r2;\n"    \
    "  xor.b32 %r5, %r2, 128; add.u32 %r4, %r4, %r5; cvt.u64.u32 %d2, %r2; add.u64 %d3, %d1, %d2;\n"
#define TAIL "  ret;\n}\n"

static const struct {
    const char *name, *text;
    unsigned grid;
    int fill;
} kernels[] = {
    {"exchange",
     HEAD "st.shared.u32 [%r3], %r1;\nbar.sync 0;\nld.shared.u32 %r2, [%r4];\nst.global.u32 [%d3], %r2;\n" TAIL, 1, 0},
    {"hasty", HEAD "st.shared.u32 [%r3], %r1;\nld.shared.u32 %r2, [%r4];\nst.global.u32 [%d3], %r2;\n" TAIL, 1, 0},
    {"meet", HEAD "atom.global.add.u32 %r2, [%d1], 1;\n" TAIL, 4, 1},
    {"collide", HEAD "ld.global.u32 %r2, [%d1];\nadd.u32 %r2, %r2, 1;\nst.global.u32 [%d1], %r2;\n" TAIL, 4, 1},
    {"blank", HEAD "ld.global.u32 %r2, [%d3];\nst.global.u32 [%d3], %r2;\n" TAIL, 1, 0},
    {"empty", HEAD "ld.shared.u32 %r2, [%r3];\nst.global.u32 [%d3], %r2;\n" TAIL, 1, 1},
    {"copied", HEAD "ld.global.u32 %r2, [%d3];\nst.global.u32 [%d3], %r2;\n" TAIL, 1, 2},
    {"parted",
     HEAD ".reg .pred %p;\nand.b32 %r2, %r1, 31;\nsetp.ge.u32 %p, %r2, 16;\n@%p bra over;\nbar.sync 0;\n"
          "over:\nst.global.u32 [%d3], %r1;\n" TAIL,
     1, 0},
    {"branches",
     HEAD ".reg .pred %p;\nand.b32 %r2, %r1, 1;\nsetp.eq.u32 %p, %r2, 0;\n@%p bra even;\n"
          "st.global.u32 [%d3], %r1;\nbar.sync 0;\nbra over;\neven:\nbar.sync 0;\nst.global.u32 [%d3], %r2;\n"
          "over:\n" TAIL,
     1, 0},
    {"turns",
     HEAD ".reg .pred %p;\nand.b32 %r2, %r1, 7;\nagain:\nsetp.eq.u32 %p, %r2, 0;\n@%p bra over;\n"
          "sub.u32 %r2, %r2, 1;\nbra again;\nover:\nbar.sync 0;\nst.global.u32 [%d3], %r1;\n" TAIL,
     1, 0},
    {"free",
     HEAD ".reg .pred %p;\nand.b32 %r2, %r1, 1;\nsetp.eq.u32 %p, %r2, 0;\n@%p bra even;\n"
          "barrier.sync 0;\nbra over;\neven:\nbarrier.sync 0;\nst.global.u32 [%d3], %r2;\nover:\n" TAIL,
     1, 0},
    {"filled", HEAD "st.shared.u32 [%r3], %r1;\nld.shared.u32 %r2, [%r3];\nld.global.u32 %r5, [%d3];\n" TAIL, 1, 1},
};

#define MUST(call)                                                                                                     \
    do {                                                                                                               \
        int got = (int)(call);                                                                                         \
        if (got)                                                                                                       \
            return printf("%s: %d\n", #call, got), 1;                                                                  \
    } while (0)

int main(int argc, char **argv)
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction work;
    CUdeviceptr out, from;
    void *arguments[] = {&out};
    size_t i = 0;
    while (argc > 1 && i < sizeof kernels / sizeof *kernels && strcmp(kernels[i].name, argv[1]) != 0)
        i++;
    MUST(i == sizeof kernels / sizeof *kernels);
    MUST(cuInit(0));
    MUST(cuDeviceGet(&device, 0));
    MUST(cuDevicePrimaryCtxRetain(&context, device));
    MUST(cuCtxSetCurrent(context));
    MUST(argc > 2 ? cuModuleLoad(&module, argv[2]) : cuModuleLoadData(&module, kernels[i].text));
    MUST(cuModuleGetFunction(&work, module, "work"));
    MUST(cuMemAlloc(&out, 256));
    if (kernels[i].fill)
        MUST(cuMemsetD8(out, 0, 256));
    if (kernels[i].fill == 2) { /* all but the last word of what is copied is written */
        MUST(cuMemAlloc(&from, 256));
        MUST(cuMemsetD8(from, 0, 252));
        MUST(cuMemcpyDtoD(out, from, 256));
    }
    MUST(cuLaunchKernel(work, kernels[i].grid, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL));
    MUST(cuCtxSynchronize());
    return 0;
}
