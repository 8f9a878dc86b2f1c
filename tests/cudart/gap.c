/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two kernels in a stream, and what lies between them: nothing, the record of an event, or a wait for another stream
 * that has waited for the first kernel, as libraries do that keep a stream of their own. `apart`: the second is given
 * when the first has ended. Usage: gap plain|record|chain|apart
 */
#include "maniple/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const char text[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry spin(.param .u32 rounds)\n{\n"
    "  .reg .u32 %r<4>; .reg .pred %p<2>;\n"
    "  ld.param.u32 %r1, [rounds]; mov.u32 %r2, 0;\n"
    "again:\n  add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra again;\n"
    "  ret;\n}\n";
/* clang-format on */

static void ok(CUresult got, const char *what)
{
    if (got == CUDA_SUCCESS)
        return;
    printf("%s: %d\n", what, (int)got);
    exit(1);
}

#define OK(call) ok(call, #call)

int main(int argc, char **argv)
{
    CUcontext context;
    CUmodule module;
    CUfunction spin;
    CUstream stream, other;
    CUevent first, second;
    unsigned rounds = 4000; /* the host has given everything before the first kernel ends */
    const char *part = argc > 1 ? argv[1] : "";
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    OK(cuModuleLoadData(&module, text));
    OK(cuModuleGetFunction(&spin, module, "spin"));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&first, CU_EVENT_DISABLE_TIMING));
    OK(cuEventCreate(&second, CU_EVENT_DISABLE_TIMING));
    OK(cuLaunchKernel(spin, 1, 1, 1, 32, 1, 1, 0, stream, (void *[]){&rounds}, NULL));
    if (!strcmp(part, "record") || !strcmp(part, "chain"))
        OK(cuEventRecord(first, stream));
    if (!strcmp(part, "chain")) {
        OK(cuStreamWaitEvent(other, first, 0));
        OK(cuEventRecord(second, other));
        OK(cuStreamWaitEvent(stream, second, 0));
    }
    if (!strcmp(part, "apart"))
        OK(cuStreamSynchronize(stream));
    OK(cuLaunchKernel(spin, 1, 1, 1, 32, 1, 1, 0, stream, (void *[]){&rounds}, NULL));
    OK(cuStreamSynchronize(stream));
    return 0;
}
