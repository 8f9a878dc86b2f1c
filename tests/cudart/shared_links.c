/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels and copies that share links between GPUs, whose times are compared with answers that are computed from the
 * bytes of their packets: while both want a link each has half of it, and neither is lost. Usage: shared_links RATE
 * STRAIGHT: bytes of a microsecond between two GPUs, with headers, and 1 for straight links, 0 for a switch. Packets
 * have 16 bytes besides their 128 of data, and so has an acknowledgement; a call of the host takes 1 ns (host.call).
 */
#include "maniple/driver.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags);

enum { GPUS = 3, CTAS = 8, WARPS = 8, LINES = 96, PACKET = 144, ACKNOWLEDGEMENT = 16, COPY = 80 /* us, if alone */ };

static CUcontext contexts[GPUS];
static CUdeviceptr memory[GPUS];
static CUfunction put[GPUS], spin[GPUS];
static CUstream streams[GPUS], copies;
static double rate;
static size_t bytes;
static bool failed;

static void ok(CUresult got, const char *what)
{
    if (got == CUDA_SUCCESS)
        return;
    printf("%s: %d\n", what, (int)got);
    exit(1);
}

#define OK(call) ok(call, #call)

/* Each warp stores lines of its own, and waits until all of them have come. */
static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                           ".visible .entry put(.param .u64 to, .param .u32 lines) {\n"
                           ".reg .pred %p; .reg .b32 %r<8>; .reg .b64 %d<2>;\n"
                           "ld.param.u64 %d0, [to]; ld.param.u32 %r0, [lines];\n"
                           "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
                           "mad.lo.u32 %r4, %r1, %r2, %r3; shr.u32 %r5, %r4, 5; and.b32 %r6, %r4, 31;\n"
                           "mul.lo.u32 %r5, %r5, %r0; mul.wide.u32 %d1, %r5, 128; add.u64 %d0, %d0, %d1;\n"
                           "mul.wide.u32 %d1, %r6, 4; add.u64 %d0, %d0, %d1; mov.u32 %r7, 0;\n"
                           "next: st.global.u32 [%d0], %r7; add.u64 %d0, %d0, 128; add.u32 %r7, %r7, 1;\n"
                           "setp.lt.u32 %p, %r7, %r0; @%p bra next;\n"
                           "membar.sys; ret; }\n"
                           ".visible .entry spin(.param .u32 rounds) {\n"
                           ".reg .pred %p; .reg .b32 %r<2>; ld.param.u32 %r0, [rounds]; mov.u32 %r1, 0;\n"
                           "next: add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, %r0; @%p bra next;\n"
                           "ret; }\n";

static void prepare(int gpu)
{
    CUmodule module;
    OK(cuDevicePrimaryCtxRetain(&contexts[gpu], gpu));
    OK(cuCtxSetCurrent(contexts[gpu]));
    OK(cuMemAlloc(&memory[gpu], bytes));
    OK(cuModuleLoadData(&module, text));
    OK(cuModuleGetFunction(&put[gpu], module, "put"));
    OK(cuModuleGetFunction(&spin[gpu], module, "spin"));
    OK(cuStreamCreate(&streams[gpu], CU_STREAM_NON_BLOCKING));
}

/* Microseconds of a kernel on a GPU that stores to the memory of another one, and of a copy from GPU 0 to GPU 1 beside
 * it, if there is one. The kernel begins when the copy's bytes flow. */
static void measure(int gpu, int to, bool beside, double *kernel, double *copy)
{
    CUevent begin, end, copy_begin, copy_end;
    unsigned lines = LINES, rounds = 600;
    void *arguments[] = {&memory[to], &lines}, *wait[] = {&rounds};
    float ms = 0;
    OK(cuCtxSetCurrent(contexts[0]));
    OK(cuEventCreate(&copy_begin, 0));
    OK(cuEventCreate(&copy_end, 0));
    OK(cuCtxSetCurrent(contexts[gpu]));
    OK(cuEventCreate(&begin, 0));
    OK(cuEventCreate(&end, 0));
    if (beside) {
        OK(cuCtxSetCurrent(contexts[0]));
        OK(cuEventRecord(copy_begin, copies));
        OK(cuMemcpyDtoDAsync(memory[1], memory[0], bytes, copies));
        OK(cuEventRecord(copy_end, copies));
        OK(cuCtxSetCurrent(contexts[gpu]));
    }
    OK(cuLaunchKernel(spin[gpu], 1, 1, 1, 32, 1, 1, 0, streams[gpu], wait, NULL));
    OK(cuEventRecord(begin, streams[gpu]));
    OK(cuLaunchKernel(put[gpu], CTAS, 1, 1, 32 * WARPS, 1, 1, 0, streams[gpu], arguments, NULL));
    OK(cuEventRecord(end, streams[gpu]));
    OK(cuStreamSynchronize(streams[gpu]));
    OK(cuEventElapsedTime(&ms, begin, end));
    *kernel = 1000 * ms;
    if (!beside)
        return;
    OK(cuCtxSetCurrent(contexts[0]));
    OK(cuStreamSynchronize(copies));
    OK(cuEventElapsedTime(&ms, copy_begin, copy_end));
    *copy = 1000 * ms;
}

static void expect(const char *name, const char *what, double got, double expected, double off)
{
    printf("%s: %s: %.3f us\n", name, what, got);
    if (fabs(got - expected) <= off)
        return;
    printf("%s: %s took %.3f us, not %.3f\n", name, what, got, expected);
    failed = true;
}

/* `on_copy`, `on_kernel`: bytes of a packet of the kernel on the copy's links, and of those that wait for the copy. The
 * links are a little idle between packets, so that the kernel's time is known within 2.5 %. */
static void together(const char *name, int gpu, int to, double on_copy, double on_kernel)
{
    const double latency = 2.75, packets = CTAS * WARPS * LINES;
    double alone, kernel, copy = 0;
    measure(gpu, to, false, &alone, &copy); /* its code comes into caches */
    measure(gpu, to, false, &alone, &copy);
    measure(gpu, to, true, &kernel, &copy);
    expect(name, "the copy", copy, latency + COPY + packets * on_copy / rate, 0.04);
    expect(name, "the kernel", kernel, alone + packets * on_kernel / rate, 0.025 * kernel);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    rate = atof(argv[1]);
    bool straight = atoi(argv[2]);
    bytes = (size_t)(rate * 128 / PACKET * COPY);
    OK(cuInit(0));
    for (int i = 0; i < GPUS; i++)
        prepare(i);
    for (int i = 0; i < GPUS; i++)
        for (int k = 0; k < GPUS; k++) {
            OK(cuCtxSetCurrent(contexts[i]));
            if (i != k)
                OK(cuCtxEnablePeerAccess(contexts[k], 0));
        }
    OK(cuCtxSetCurrent(contexts[0]));
    OK(cuStreamCreate(&copies, CU_STREAM_NON_BLOCKING));
    together("the same way", 0, 1, PACKET, PACKET);
    together("the other way", 1, 0, ACKNOWLEDGEMENT, 0);
    together("from another GPU", 2, 1, straight ? 0 : PACKET, straight ? 0 : PACKET);
    together("to another GPU", 0, 2, straight ? 0 : PACKET, straight ? 0 : PACKET);
    together("between others", 2, 0, straight ? 0 : ACKNOWLEDGEMENT, 0);
    puts(failed ? "wrong" : "right");
    return failed;
}
