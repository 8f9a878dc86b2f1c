/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels that hold 120 values at once, in blocks of 1024 threads: 64 registers are there for each, and an assembler
 * would spill. Prints the registers that the driver tells of a kernel without bounds, with .maxntid 1024, with two
 * blocks of 512, and with .maxnreg 40, and how many of their sums are wrong.
 */
#include "maniple/driver.h"

#include <stdio.h>
#include <stdlib.h>

enum { VALUES = 120, THREADS = 1024 };

static CUresult worst;

static void keep(CUresult result)
{
    worst = result ? result : worst;
}

static void write_kernel(FILE *out, const char *name, const char *bounds)
{
    fprintf(out, ".visible .entry %s(.param .u64 in, .param .u64 out) %s\n{\n", name, bounds);
    fprintf(out, ".reg .b64 a, b, c; .reg .b32 t, s, v<%d>;\nld.param.u64 a,[in]; ld.param.u64 b,[out];\n", VALUES);
    for (int i = 0; i < VALUES; i++)
        fprintf(out, "ld.volatile.global.u32 v%d,[a+%d];\n", i, 4 * i);
    fputs("bar.sync 0;\nmov.u32 s,0;\n", out);
    for (int i = VALUES - 1; i >= 0; i--)
        fprintf(out, "mad.lo.u32 s,v%d,%d,s;\n", i, i + 3);
    fputs("mov.u32 t,%tid.x; mul.wide.u32 c,t,4; add.u64 b,b,c; add.u32 s,s,t; st.global.u32 [b],s; ret;\n}\n", out);
}

static unsigned wrong_of(CUfunction kernel, unsigned threads, CUdeviceptr in, CUdeviceptr out)
{
    unsigned expected = 0, wrong = 0, *sums = calloc(THREADS, sizeof *sums);
    void *arguments[] = {&in, &out};
    for (unsigned i = 0; i < VALUES; i++)
        expected += (i + 1) * (i + 3);
    keep(cuMemsetD32(out, 0, THREADS));
    keep(cuLaunchKernel(kernel, 1, 1, 1, threads, 1, 1, 0, NULL, arguments, NULL));
    keep(cuMemcpyDtoH(sums, out, THREADS * sizeof *sums));
    for (unsigned i = 0; i < threads; i++)
        wrong += sums[i] != expected + i;
    free(sums);
    return wrong;
}

int main(void)
{
    static const struct {
        const char *name, *bounds;
        unsigned threads;
    } kernels[] = {{"plain", "", 1024},
                   {"bounded", ".maxntid 1024", 1024},
                   {"paired", ".maxntid 512 .minnctapersm 2", 512},
                   {"limited", ".maxnreg 40", 1024}};
    enum { KERNELS = sizeof kernels / sizeof *kernels };
    unsigned values[VALUES], wrong = 0;
    char *ptx = NULL;
    size_t length;
    CUcontext context;
    CUmodule module;
    CUdeviceptr in, out;
    FILE *text = open_memstream(&ptx, &length);
    fputs(".version 7.0\n.target sm_70\n.address_size 64\n", text);
    for (unsigned i = 0; i < KERNELS; i++)
        write_kernel(text, kernels[i].name, kernels[i].bounds);
    fclose(text);
    for (unsigned i = 0; i < VALUES; i++)
        values[i] = i + 1;
    keep(cuInit(0));
    keep(cuDevicePrimaryCtxRetain(&context, 0));
    keep(cuCtxSetCurrent(context));
    keep(cuModuleLoadData(&module, ptx));
    keep(cuMemAlloc(&in, sizeof values));
    keep(cuMemAlloc(&out, THREADS * sizeof *values));
    keep(cuMemcpyHtoD(in, values, sizeof values));
    for (unsigned i = 0; i < KERNELS; i++) {
        CUfunction kernel;
        int registers = 0;
        keep(cuModuleGetFunction(&kernel, module, kernels[i].name));
        keep(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel));
        wrong += wrong_of(kernel, kernels[i].threads, in, out);
        printf("%s %s, ", kernels[i].name,
               registers > 64    ? "over 64"
               : registers == 64 ? "64"
               : registers == 40 ? "40"
                                 : "?");
    }
    printf("error %d, %u wrong\n", worst, wrong);
    free(ptx);
    return worst || wrong;
}
