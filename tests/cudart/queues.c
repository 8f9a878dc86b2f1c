/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A random program, in C, with device code as PTX text: `queues SEED STEPS`. Streams of several kinds get kernels, long
 * and short, also behind events, copies, fills, graphs, functions of the host, memory to free. The host waits for one
 * of them, or for all, now and then. Each stream has words of its own, so that values do not depend on time, and it
 * never asks for the time. It prints their sum.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "maniple/driver.h"

typedef uint64_t handle;
extern int cudaStreamBeginCapture(handle stream, int mode), cudaStreamEndCapture(handle stream, handle *graph);
extern int cudaGraphInstantiate(handle *executable, handle graph, unsigned long long flags);
extern int cudaGraphLaunch(handle executable, handle stream);

static const char text[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry add(.param .u64 words, .param .u32 rounds)\n{\n"
    "  .reg .u32 %r<7>; .reg .u64 %d<4>; .reg .pred %p<2>;\n"
    "  ld.param.u64 %d1, [words]; ld.param.u32 %r6, [rounds];\n"
    "  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "  mad.lo.u32 %r4, %r1, %r2, %r3; mul.wide.u32 %d2, %r4, 4; add.u64 %d3, %d1, %d2; ld.global.u32 %r5, [%d3];\n"
    "again:\n  add.u32 %r5, %r5, 1; sub.u32 %r6, %r6, 1; setp.ne.u32 %p1, %r6, 0; @%p1 bra again;\n"
    "  st.global.u32 [%d3], %r5; ret;\n}\n"
    ".visible .entry mix(.param .u64 words, .param .u32 rounds)\n{\n"
    "  .reg .u32 %r<7>; .reg .u64 %d<4>;\n"
    "  ld.param.u64 %d1, [words]; ld.param.u32 %r6, [rounds];\n"
    "  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "  mad.lo.u32 %r4, %r1, %r2, %r3; mul.wide.u32 %d2, %r4, 4; add.u64 %d3, %d1, %d2; ld.global.u32 %r5, [%d3];\n"
    "  mad.lo.u32 %r5, %r5, 3, %r6; st.global.u32 [%d3], %r5; ret;\n}\n";

enum { STREAMS = 4, BLOCKS = 32, THREADS = 64, WORDS = BLOCKS * THREADS };

static struct queue {
    CUstream stream;
    CUevent event;
    CUdeviceptr words;
    uint32_t *host;
    handle graph; /* executable */
} queues[STREAMS];

static CUfunction kernels[2];
static uint32_t state, calls;

static uint32_t below(uint32_t limit)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state % limit;
}

static int launch(const struct queue *queue)
{
    uint32_t rounds = 1 + below(60);
    void *arguments[] = {(void *)&queue->words, &rounds};
    return (int)cuLaunchKernel(kernels[below(2)], 1 + below(BLOCKS), 1, 1, THREADS, 1, 1, 0, queue->stream, arguments,
                               NULL);
}

static void count(void *data)
{
    (void)data;
    calls++;
}

static int borrow(const struct queue *queue)
{
    CUdeviceptr memory;
    return cuMemAllocAsync(&memory, 4096, queue->stream) || cuMemsetD32Async(memory, 1, 1024, queue->stream) ||
           launch(queue) || cuMemFreeAsync(memory, queue->stream);
}

static int step(const struct queue *queue)
{
    const struct queue *other = &queues[below(STREAMS)];
    switch (below(16)) {
    case 0:
        return (int)cuMemcpyHtoDAsync(queue->words, queue->host, 4 * (1 + below(WORDS)), queue->stream);
    case 1:
        return (int)cuMemsetD32Async(queue->words, below(9), 1 + below(WORDS), queue->stream);
    case 2:
        return (int)cuEventRecord(queue->event, queue->stream);
    case 3:
        return (int)cuStreamWaitEvent(queue->stream, other->event, 0);
    case 4:
        return cudaGraphLaunch(queue->graph, (handle)queue->stream);
    case 5:
        return (int)cuLaunchHostFunc(queue->stream, count, NULL);
    case 6:
        return borrow(queue);
    case 7:
        return (int)cuStreamSynchronize(queue->stream);
    case 8:
        return (int)cuEventSynchronize(queue->event);
    case 9:
        return below(2) ? (int)cuCtxSynchronize() : (int)cuMemcpyDtoH(queue->host, queue->words, 4 * WORDS);
    default:
        return launch(queue);
    }
}

static int open_queue(struct queue *queue, uint32_t place)
{
    handle graph;
    int wrong = cuMemAlloc(&queue->words, 4 * WORDS) || cuMemAllocHost((void **)&queue->host, 4 * WORDS) ||
                cuMemsetD32(queue->words, place, WORDS) || cuEventCreate(&queue->event, 0) ||
                cuStreamCreate(&queue->stream, place % 2);
    for (uint32_t i = 0; !wrong && i < WORDS; i++)
        queue->host[i] = i ^ place;
    wrong = wrong || cudaStreamBeginCapture((handle)queue->stream, 0) || launch(queue) || launch(queue) ||
            cudaStreamEndCapture((handle)queue->stream, &graph) || cudaGraphInstantiate(&queue->graph, graph, 0);
    if (place == 0)
        queue->stream = NULL; /* the legacy default stream, which waits for others */
    return wrong;
}

int main(int argc, char **argv)
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    uint32_t steps = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 40, sum = 0;
    state = 2463534242U + 977 * (argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1);
    int wrong = cuInit(0) || cuDeviceGet(&device, 0) || cuCtxCreate(&context, NULL, 0, device) ||
                cuModuleLoadData(&module, text) || cuModuleGetFunction(&kernels[0], module, "add") ||
                cuModuleGetFunction(&kernels[1], module, "mix");
    for (uint32_t i = 0; !wrong && i < STREAMS; i++)
        wrong = open_queue(&queues[i], i);
    for (uint32_t i = 0; !wrong && i < steps; i++)
        wrong = step(&queues[below(STREAMS)]);
    wrong = wrong || cuCtxSynchronize();
    for (uint32_t i = 0; !wrong && i < STREAMS; i++) {
        wrong = (int)cuMemcpyDtoH(queues[i].host, queues[i].words, 4 * WORDS);
        for (uint32_t k = 0; k < WORDS; k++)
            sum = sum * 31 + queues[i].host[k];
    }
    printf(wrong ? "wrong\n" : "%08x, %u functions\n", sum, calls);
    return wrong;
}
