/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies between GPUs over their links, whose times are compared with answers that are computed from the rate of the
 * links, the latency and the number of engines. Usage: link_copies RATE LATENCY ENGINES STRAIGHT: bytes of a
 * microsecond between two GPUs, ns, and 1 for straight links, 0 for a switch. A call of the host takes 1 ns
 * (host.call).
 */
#include "maniple/driver.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { GPUS = 3, COPIES = 8, UNITS = 10 /* microseconds of a copy that has the links for itself */ };

/* One copy of a round. */
struct copy {
    int from, to;
    double microseconds; /* expected, from its own beginning */
    unsigned behind;     /* calls of the host before it */
};

static CUcontext contexts[GPUS];
static CUdeviceptr memory[GPUS];
static double rate, latency;
static size_t bytes;
static int failed;

static void ok(CUresult got, const char *what)
{
    if (got == CUDA_SUCCESS)
        return;
    printf("%s: %d\n", what, (int)got);
    exit(1);
}

#define OK(call) ok(call, #call)

/* Copies given at once, each in a stream of its sender. */
static void round_of(const char *name, const struct copy *copies, int count)
{
    CUstream streams[COPIES];
    CUevent begin[COPIES], end[COPIES];
    for (int i = 0; i < count; i++) {
        OK(cuCtxSetCurrent(contexts[copies[i].from]));
        OK(cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
        OK(cuEventCreate(&begin[i], 0));
        OK(cuEventCreate(&end[i], 0));
    }
    for (int i = 0; i < count; i++) {
        OK(cuCtxSetCurrent(contexts[copies[i].from]));
        for (unsigned call = 0; call < copies[i].behind; call++)
            cuStreamQuery(streams[i]);
        OK(cuEventRecord(begin[i], streams[i]));
        OK(cuMemcpyDtoDAsync(memory[copies[i].to] + (size_t)i * bytes, memory[copies[i].from], bytes, streams[i]));
        OK(cuEventRecord(end[i], streams[i]));
    }
    for (int i = 0; i < count; i++) {
        float ms;
        OK(cuCtxSetCurrent(contexts[copies[i].from]));
        OK(cuEventSynchronize(end[i]));
        OK(cuEventElapsedTime(&ms, begin[i], end[i]));
        double off = 1000 * ms - copies[i].microseconds;
        printf("%s: %d: %.3f us\n", name, i, 1000 * ms);
        if (fabs(off) > 0.04) { /* calls between the records and the copies, of 1 ns each */
            printf("%s: copy %d from %d to %d took %.3f us, not %.3f\n", name, i, copies[i].from, copies[i].to,
                   1000 * ms, copies[i].microseconds);
            failed = 1;
        }
    }
}

/* Queries of an event, which let 1 ns pass each, say when a copy has ended: not at t - 1, and at t. */
static void blocked_and_ready(void)
{
    CUstream stream;
    CUevent begin, end;
    float ms;
    long before = 0;
    size_t few = (size_t)rate / 10;
    OK(cuCtxSetCurrent(contexts[0]));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&begin, 0));
    OK(cuEventCreate(&end, 0));
    OK(cuEventRecord(begin, stream));
    OK(cuMemcpyDtoDAsync(memory[1], memory[0], few, stream));
    OK(cuEventRecord(end, stream));
    while (cuEventQuery(end) == CUDA_ERROR_NOT_READY)
        before++;
    OK(cuEventElapsedTime(&ms, begin, end));
    double expected = latency + 1000.0 * (double)few / rate;
    if (fabs(1e6 * ms - expected) > 2 || fabs((double)before - expected) > 4) {
        printf("a copy of %zu bytes: %.0f ns, ready after %ld queries, not %.1f\n", few, 1e6 * ms, before, expected);
        failed = 1;
    }
}

/* Two copies side by side, of which the second begins `late` microseconds behind the first: both take twice as long
 * while they share. */
static void staggered(double unit, double late)
{
    double both = latency / 1000 + 2 * unit - late;
    struct copy copies[] = {{0, 1, both, 0}, {0, 1, both, (unsigned)(1000 * late)}};
    round_of("one behind the other", copies, 2);
}

/* A third copy begins behind the end of the first, while the second is under way: that one has its share of both, and
 * all that was left to it between them. Units are 10 microseconds; the second begins 5 behind the first. */
static void relayed(void)
{
    const double l = latency / 1000;
    struct copy copies[] = {{0, 1, l + 15, 0}, {0, 1, 18, 5000}, {0, 1, 13, (unsigned)(12000 + latency)}};
    round_of("one behind the end of another", copies, 3);
}

/* A kernel that is at work beside the copies. */
static void spin(void)
{
    static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                               ".visible .entry spin() {\n"
                               ".reg .pred %p; .reg .b32 %i; mov.u32 %i, 0;\n"
                               "next: add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 9000; @%p bra next;\n"
                               "ret; }\n";
    CUmodule module;
    CUfunction function;
    OK(cuCtxSetCurrent(contexts[0]));
    OK(cuModuleLoadData(&module, text));
    OK(cuModuleGetFunction(&function, module, "spin"));
    OK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
}

static void all(int engines, bool straight)
{
    const double unit = UNITS, l = latency / 1000, shared = straight ? 1 : 2;
    struct copy alone = {0, 1, l + unit, 0};
    struct copy pair[] = {{0, 1, l + 2 * unit, 0}, {0, 1, l + 2 * unit, 0}};
    struct copy apart[] = {{0, 1, l + shared * unit, 0}, {0, 2, l + shared * unit, 0}};
    struct copy opposite[] = {{0, 1, l + unit, 0}, {1, 0, l + unit, 0}};
    struct copy into[] = {{0, 2, l + shared * unit, 0}, {1, 2, l + shared * unit, 0}};
    struct copy ring[] = {{0, 1, l + unit, 0}, {1, 2, l + unit, 0}, {2, 0, l + unit, 0}};
    struct copy many[COPIES];
    round_of("alone", &alone, 1);
    round_of("one way", pair, 2);
    round_of("to two GPUs", apart, 2);
    round_of("both ways", opposite, 2);
    round_of("from two GPUs", into, 2);
    round_of("round", ring, 3);
    staggered(unit, 5);
    relayed();
    for (int i = 0; i <= engines; i++) /* the last one waits for an engine */
        many[i] = (struct copy){0, 1, l + engines * unit + (i < engines ? 0 : l + unit), 0};
    round_of("one more than engines", many, engines + 1);
    blocked_and_ready();
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    rate = atof(argv[1]);
    latency = atof(argv[2]);
    bytes = (size_t)(rate * UNITS);
    OK(cuInit(0));
    for (int i = 0; i < GPUS; i++) {
        OK(cuDevicePrimaryCtxRetain(&contexts[i], i));
        OK(cuCtxSetCurrent(contexts[i]));
        OK(cuMemAlloc(&memory[i], COPIES * bytes));
    }
    spin();
    all(atoi(argv[3]), atoi(argv[4]));
    puts(failed ? "wrong" : "right");
    return failed;
}
