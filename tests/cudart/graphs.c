/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CUDA graphs, in C, with device code as PTX text. The same work (a long kernel, two beside one another, a copy and a
 * fill on the way, a last kernel) by words: `streams`, `capture`, `build`, `nodes` (built by one function for all
 * types). `memory` has its words in memory that the graph allocates; `change` launches a graph that is changed in
 * between, `wrong` what must be refused; `early` and `late` launch one kernel behind another, with programmatic edges
 * and launches, and without. Each checks the values that come of it.
 * Status 0: right.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "maniple/driver.h"

typedef uint64_t handle;
struct kernel_node {
    const void *function;
    unsigned grid[3], block[3], shared;
    void **arguments, **extra;
};
struct edge {
    unsigned char from_port, to_port, type, reserved[5];
};
struct allocation_node {
    int kind, handles, place[2];
    void *security;
    size_t most;
    unsigned char reserved[56];
    const void *access;
    size_t count, bytes;
    void *address;
};
struct fill_node {
    uint64_t to;
    size_t pitch;
    unsigned value, each;
    size_t width, height;
};

extern int cudaMallocHost(void **out, size_t bytes), cudaMalloc(void **out, size_t bytes);
extern int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, handle stream);
extern int cudaMemsetAsync(void *address, int value, size_t bytes, handle stream);
extern int cudaLaunchHostFunc(handle stream, void (*function)(void *), void *data);
extern int cudaStreamCreate(handle *out), cudaDeviceSynchronize(void), cudaStreamSynchronize(handle stream);
extern int cudaEventCreate(handle *out), cudaEventRecord(handle event, handle stream);
extern int cudaStreamWaitEvent(handle stream, handle event, unsigned flags);
extern int cudaStreamBeginCapture(handle stream, int mode), cudaStreamEndCapture(handle stream, handle *graph);
extern int cudaStreamIsCapturing(handle stream, int *status);
extern int cudaGraphCreate(handle *graph, unsigned flags), cudaGraphDestroy(handle graph);
extern int cudaGraphAddKernelNode(handle *node, handle graph, const handle *before, size_t count,
                                  const struct kernel_node *kernel);
struct any_node;
extern int cudaGraphAddNode_v2(handle *node, handle graph, const handle *before, const struct edge *edges, size_t count,
                               const struct any_node *what);
extern int cudaGraphAddMemsetNode(handle *node, handle graph, const handle *before, size_t count,
                                  const struct fill_node *how);
extern int cudaGraphAddMemcpyNode1D(handle *node, handle graph, const handle *before, size_t count, void *to,
                                    const void *from, size_t bytes, int kind);
extern int cudaGraphAddChildGraphNode(handle *node, handle graph, const handle *before, size_t count, handle child);
extern int cudaGraphAddDependencies(handle graph, const handle *from, const handle *to, const void *data, size_t count);
extern int cudaGraphAddDependencies_v2(handle graph, const handle *from, const handle *to, const struct edge *edges,
                                       size_t count);
extern int cudaGraphNodeGetDependencies_v2(handle node, handle *out, struct edge *edges, size_t *count);
extern int cudaGraphAddMemAllocNode(handle *node, handle graph, const handle *before, size_t count,
                                    struct allocation_node *how);
extern int cudaGraphAddMemFreeNode(handle *node, handle graph, const handle *before, size_t count, void *address);
extern int cudaGraphMemAllocNodeGetParams(handle node, struct allocation_node *out);
extern int cudaGraphMemFreeNodeGetParams(handle node, void *out), cudaGraphNodeGetType(handle node, int *type);
extern int cudaDeviceGetGraphMemAttribute(int device, int what, void *value), cudaFree(void *address);
extern int cudaMallocAsync(void **out, size_t bytes, handle stream), cudaFreeAsync(void *address, handle stream);
extern int cudaGraphInstantiate(handle *executable, handle graph, unsigned long long flags);
extern int cudaGraphLaunch(handle executable, handle stream);
extern int cudaGraphExecKernelNodeSetParams(handle executable, handle node, const struct kernel_node *kernel);
extern int cudaGraphKernelNodeSetParams(handle node, const struct kernel_node *kernel);
extern int cudaGraphExecUpdate(handle executable, handle graph, void *result);
extern int cudaGraphGetNodes(handle graph, handle *nodes, size_t *count);

static const char text[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry spin(.param .u64 out, .param .u32 rounds)\n{\n"
    "  .reg .u32 %r<4>; .reg .u64 %d<2>; .reg .pred %p<2>;\n"
    "  ld.param.u64 %d1, [out]; ld.param.u32 %r1, [rounds]; mov.u32 %r2, 0;\n"
    "again:\n  add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra again;\n"
    "  ld.global.u32 %r3, [%d1]; add.u32 %r2, %r2, %r3; st.global.u32 [%d1], %r2; ret;\n}\n"
    /* sum[0] = a[0] + b[0] */
    ".visible .entry join(.param .u64 sum, .param .u64 a, .param .u64 b)\n{\n"
    "  .reg .u32 %r<4>; .reg .u64 %d<4>;\n"
    "  ld.param.u64 %d1, [sum]; ld.param.u64 %d2, [a]; ld.param.u64 %d3, [b];\n"
    "  ld.global.u32 %r1, [%d2]; ld.global.u32 %r2, [%d3]; add.u32 %r3, %r1, %r2; st.global.u32 [%d1], %r3; ret;\n}\n";

/* As spin; the next kernel may begin at once, and this one waits for the one before it at its end. */
static const char hopper[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry release(.param .u64 out, .param .u32 rounds)\n{\n"
    "  .reg .u32 %r<4>; .reg .u64 %d<2>; .reg .pred %p<2>;\n  griddepcontrol.launch_dependents;\n"
    "  ld.param.u64 %d1, [out]; ld.param.u32 %r1, [rounds]; mov.u32 %r2, 0;\n"
    "again:\n  add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra again;\n  griddepcontrol.wait;\n"
    "  ld.global.u32 %r3, [%d1]; add.u32 %r2, %r2, %r3; st.global.u32 [%d1], %r2; ret;\n}\n";

#define MUST(call)                                                                                                     \
    do {                                                                                                               \
        int got = (int)(call);                                                                                         \
        if (got)                                                                                                       \
            return printf("%s: %d\n", #call, got), 1;                                                                  \
    } while (0)
#define IS(error, call)                                                                                                \
    do {                                                                                                               \
        int got = (int)(call);                                                                                         \
        if (got != (error))                                                                                            \
            return printf("%s: %d, not %d\n", #call, got, error), 1;                                                   \
    } while (0)

enum { FIRST = 20000, LEFT = 3000, RIGHT = 2000, UP = 1, DOWN = 2 };

static CUfunction spin, join, release;
static uint32_t *words, *host; /* on the device: 0 first, 1 left, 2 right, 3 sum, 4 copied; and here */

static int launch_spin(handle stream, unsigned at, unsigned rounds)
{
    void *out = words + at, *arguments[] = {&out, &rounds};
    return (int)cuLaunchKernel(spin, 1, 1, 1, 32, 1, 1, 0, (CUstream)stream, arguments, NULL);
}

static int launch_join(handle stream)
{
    void *sum = words + 3, *a = words + 1, *b = words + 2, *arguments[] = {&sum, &a, &b};
    return (int)cuLaunchKernel(join, 1, 1, 1, 32, 1, 1, 0, (CUstream)stream, arguments, NULL);
}

/* The work, given to two streams. */
static int give(handle one, handle two, handle fork, handle meet)
{
    MUST(launch_spin(one, 0, FIRST));
    MUST(cudaMemsetAsync(words + 1, 0, 16, one));
    MUST(cudaEventRecord(fork, one));
    MUST(cudaStreamWaitEvent(two, fork, 0));
    MUST(launch_spin(one, 1, LEFT));
    MUST(launch_spin(two, 2, RIGHT));
    MUST(cudaMemcpyAsync(words + 4, host, 4, UP, two));
    MUST(cudaEventRecord(meet, two));
    MUST(cudaStreamWaitEvent(one, meet, 0));
    MUST(launch_join(one));
    return 0;
}

/* Nodes by the function of their type, or by the one for all types. */
struct any_node {
    int type, reserved[3];
    unsigned char room[232];
    uint64_t end;
};

static int add_any(handle *node, handle graph, const handle *before, size_t count, int type, const void *what,
                   size_t size)
{
    static const struct edge plain[4];
    struct any_node any = {.type = type};
    memcpy(any.room, what, size);
    return cudaGraphAddNode_v2(node, graph, before, count ? plain : NULL, count, &any);
}

static int add_kernel(handle *node, handle graph, const handle *before, size_t count, const struct kernel_node *kernel,
                      int any)
{
    return any ? add_any(node, graph, before, count, 0, kernel, sizeof *kernel)
               : cudaGraphAddKernelNode(node, graph, before, count, kernel);
}

static int build(handle *graph, int any)
{
    unsigned rounds[3] = {FIRST, LEFT, RIGHT};
    void *at[5] = {words, words + 1, words + 2, words + 3, words + 4};
    void *arguments[3][2] = {{&at[0], &rounds[0]}, {&at[1], &rounds[1]}, {&at[2], &rounds[2]}};
    void *sum[3] = {&at[3], &at[1], &at[2]};
    struct kernel_node kernels[4];
    for (int i = 0; i < 4; i++)
        kernels[i] = (struct kernel_node){i < 3 ? (void *)spin : (void *)join, {1, 1, 1}, {32, 1, 1}, 0,
                                          i < 3 ? arguments[i] : sum,          NULL};
    struct fill_node fill = {(uint64_t)(words + 1), 0, 0, 4, 4, 1};
    handle first, zero, left, right, copy, last;
    MUST(cudaGraphCreate(graph, 0));
    MUST(add_kernel(&first, *graph, NULL, 0, &kernels[0], any));
    MUST(any ? add_any(&zero, *graph, &first, 1, 2, &fill, sizeof fill)
             : cudaGraphAddMemsetNode(&zero, *graph, &first, 1, &fill));
    MUST(add_kernel(&left, *graph, &zero, 1, &kernels[1], any));
    MUST(add_kernel(&right, *graph, &zero, 1, &kernels[2], any));
    MUST(cudaGraphAddMemcpyNode1D(&copy, *graph, &right, 1, words + 4, host, 4, UP));
    MUST(add_kernel(&last, *graph, &left, 1, &kernels[3], any));
    MUST(cudaGraphAddDependencies(*graph, &copy, &last, NULL, 1));
    size_t count = 0;
    MUST(cudaGraphGetNodes(*graph, NULL, &count));
    IS(6, (int)count);
    return 0;
}

static int check(uint32_t first, uint32_t sum, uint32_t copied)
{
    uint32_t seen[5] = {0};
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemcpyAsync(seen, words, sizeof seen, DOWN, 0));
    if (seen[0] == first && seen[3] == sum && seen[4] == copied)
        return puts("right"), 0;
    return printf("first %u, sum %u, copied %u\n", seen[0], seen[3], seen[4]), 1;
}

static int work(const char *how)
{
    handle one, two, fork, meet, graph, executable;
    MUST(cudaStreamCreate(&one));
    MUST(cudaStreamCreate(&two));
    MUST(cudaEventCreate(&fork));
    MUST(cudaEventCreate(&meet));
    *host = 7;
    if (strcmp(how, "streams") == 0) {
        MUST(give(one, two, fork, meet));
        return check(FIRST, LEFT + RIGHT, 7);
    }
    if (strcmp(how, "build") == 0 || strcmp(how, "nodes") == 0) {
        MUST(build(&graph, strcmp(how, "nodes") == 0));
    } else {
        MUST(cudaStreamBeginCapture(one, 0));
        MUST(give(one, two, fork, meet));
        MUST(cudaStreamEndCapture(one, &graph));
    }
    MUST(cudaGraphInstantiate(&executable, graph, 0));
    MUST(cudaGraphDestroy(graph));
    MUST(cudaGraphLaunch(executable, one));
    MUST(check(FIRST, LEFT + RIGHT, 7));
    if (strcmp(how, "again") == 0) { /* with what memory holds then */
        *host = 9;
        MUST(cudaGraphLaunch(executable, one));
        return check(2 * FIRST, LEFT + RIGHT, 9);
    }
    return 0;
}

static int change(void)
{
    handle stream, graph, inner, outer, node, nodes[2], executable;
    unsigned rounds = 100;
    void *out = words, *arguments[] = {&out, &rounds};
    struct kernel_node kernel = {spin, {1, 1, 1}, {32, 1, 1}, 0, arguments, NULL};
    MUST(cudaStreamCreate(&stream));
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphAddKernelNode(&node, graph, NULL, 0, &kernel));
    MUST(cudaGraphInstantiate(&executable, graph, 0));
    MUST(cudaGraphLaunch(executable, stream)); /* 100 */
    rounds = 50;
    MUST(cudaGraphExecKernelNodeSetParams(executable, node, &kernel));
    MUST(cudaGraphLaunch(executable, stream)); /* 150; what has been launched is not changed */
    rounds = 7;
    MUST(cudaGraphKernelNodeSetParams(node, &kernel));
    MUST(cudaGraphLaunch(executable, stream)); /* 200 */
    MUST(cudaGraphExecUpdate(executable, graph, NULL));
    MUST(cudaGraphLaunch(executable, stream)); /* 207 */
    MUST(cudaGraphCreate(&outer, 0));
    MUST(cudaGraphCreate(&inner, 0));
    rounds = 1000;
    MUST(cudaGraphAddKernelNode(&node, inner, NULL, 0, &kernel));
    MUST(cudaGraphAddChildGraphNode(&nodes[0], outer, NULL, 0, inner));
    MUST(cudaGraphAddChildGraphNode(&nodes[1], outer, nodes, 1, inner));
    MUST(cudaGraphDestroy(inner));
    IS(910, cudaGraphExecUpdate(executable, outer, NULL));
    MUST(cudaGraphInstantiate(&executable, outer, 0));
    MUST(cudaGraphLaunch(executable, stream)); /* 2207 */
    return check(2207, 0, 0);
}

/* The second kernel takes as long as the first, and both let others begin at once: with time, how long both take says
 * whether they have overlapped. */
static int pair(int early)
{
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION};
    attribute.value.programmaticStreamSerializationAllowed = early;
    unsigned rounds = FIRST;
    void *outs[2] = {words, words + 1}, *arguments[2][2] = {{&outs[0], &rounds}, {&outs[1], &rounds}};
    struct kernel_node kernels[2] = {{release, {1, 1, 1}, {32, 1, 1}, 0, arguments[0], NULL},
                                     {release, {1, 1, 1}, {32, 1, 1}, 0, arguments[1], NULL}};
    const struct edge edge = {1, 0, 1, {0}}, none = {0}, *edges = early ? &edge : &none;
    handle stream, graph, nodes[2], executables[2], found[1];
    struct edge kinds[1];
    size_t count = 1;
    MUST(cudaStreamCreate(&stream));
    CUlaunchConfig config = {1, 1, 1, 32, 1, 1, 0, (CUstream)stream, &attribute, 1};
    MUST(cudaStreamBeginCapture(stream, 0));
    MUST(cuLaunchKernelEx(&config, release, arguments[0], NULL));
    MUST(cuLaunchKernelEx(&config, release, arguments[1], NULL));
    MUST(cudaStreamEndCapture(stream, &graph));
    MUST(cudaGraphInstantiate(&executables[0], graph, 0));
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphAddKernelNode(&nodes[0], graph, NULL, 0, &kernels[0]));
    MUST(cudaGraphAddKernelNode(&nodes[1], graph, NULL, 0, &kernels[1]));
    MUST(cudaGraphAddDependencies_v2(graph, &nodes[0], &nodes[1], edges, 1));
    MUST(cudaGraphNodeGetDependencies_v2(nodes[1], found, kinds, &count));
    IS(early, kinds[0].type);
    IS(early, kinds[0].from_port);
    MUST(cudaGraphInstantiate(&executables[1], graph, 0));
    for (int i = 0; i < 3; i++) {
        if (i < 2) {
            MUST(cudaGraphLaunch(executables[i], stream));
        } else {
            MUST(cuLaunchKernelEx(&config, release, arguments[0], NULL));
            MUST(cuLaunchKernelEx(&config, release, arguments[1], NULL));
        }
        MUST(cudaDeviceSynchronize());
    }
    return check(3 * FIRST, 0, 0);
}

static int wrong(void)
{
    handle one, two, event, other, graph, nodes[2], executable;
    int status;
    unsigned rounds = 1;
    void *out = words, *arguments[] = {&out, &rounds};
    struct kernel_node kernel = {spin, {1, 1, 1}, {32, 1, 1}, 0, arguments, NULL};
    MUST(cudaStreamCreate(&one));
    MUST(cudaStreamCreate(&two));
    MUST(cudaEventCreate(&event));
    MUST(cudaEventCreate(&other));
    IS(900, cudaStreamBeginCapture(0, 0));
    IS(401, cudaStreamEndCapture(one, &graph));
    MUST(cudaStreamBeginCapture(one, 0));
    IS(401, cudaStreamBeginCapture(one, 0));
    MUST(cudaStreamIsCapturing(one, &status));
    IS(1, status);
    IS(900, cudaStreamSynchronize(one));
    MUST(cudaStreamIsCapturing(one, &status));
    IS(2, status);
    IS(901, launch_spin(one, 0, 1));
    IS(901, cudaStreamEndCapture(one, &graph));
    MUST(cudaStreamBeginCapture(one, 0));
    IS(906, launch_spin(0, 0, 1)); /* the legacy stream waits for it */
    IS(901, cudaStreamEndCapture(one, &graph));
    MUST(cudaEventRecord(other, two));
    MUST(cudaStreamBeginCapture(one, 0));
    IS(905, cudaStreamWaitEvent(one, other, 0));
    IS(901, cudaStreamEndCapture(one, &graph));
    MUST(cudaStreamBeginCapture(one, 0));
    MUST(launch_spin(one, 0, 1));
    MUST(cudaEventRecord(event, one));
    MUST(cudaStreamWaitEvent(two, event, 0));
    MUST(launch_spin(two, 0, 1));
    IS(903, cudaStreamEndCapture(two, &graph));
    IS(904, cudaStreamEndCapture(one, &graph));
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphAddKernelNode(&nodes[0], graph, NULL, 0, &kernel));
    MUST(cudaGraphAddKernelNode(&nodes[1], graph, nodes, 1, &kernel));
    MUST(cudaGraphAddDependencies(graph, &nodes[1], &nodes[0], NULL, 1));
    IS(1, cudaGraphInstantiate(&executable, graph, 0)); /* a circle */
    IS(1, cudaGraphLaunch(77, one));
    kernel.block[0] = 5000;
    IS(9, cudaGraphAddKernelNode(&nodes[0], graph, NULL, 0, &kernel));
    MUST(launch_spin(two, 0, 5));
    return check(5, 0, 0);
}

/* A graph launched three times sets the memory that `at` is, adds one there, and copies it to the host. */
static int launch_on(handle graph, void *at, handle stream)
{
    handle executable;
    MUST(cudaGraphInstantiate(&executable, graph, 0));
    for (int i = 0; i < 3; i++) {
        *host = 0;
        MUST(cudaGraphLaunch(executable, stream));
        MUST(cudaStreamSynchronize(stream));
        IS(0x0101010b, *host);                                   /* ten rounds and what the fill has left */
        MUST(i == 1 ? cudaFree(at) : cudaFreeAsync(at, stream)); /* it stays the graph's */
    }
    return 0;
}

/* Memory of nodes, and of a captured stream. */
static int of_memory(void)
{
    handle graph, node[5], stream;
    void *at, *seen = NULL;
    size_t count = 0;
    uint64_t sum = 0;
    int type = 0;
    uint32_t rounds = 10;
    void *arguments[] = {&at, &rounds};
    struct allocation_node how = {.kind = 1, .place = {1, 0}, .bytes = 4096}, told;
    struct kernel_node kernel = {spin, {1, 1, 1}, {1, 1, 1}, 0, arguments, NULL};
    MUST(cudaStreamCreate(&stream));
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphAddMemAllocNode(&node[0], graph, NULL, 0, &how));
    at = how.address;
    struct fill_node fill = {(uint64_t)at, 0, 1, 1, 4096, 1};
    MUST(cudaGraphAddMemsetNode(&node[1], graph, &node[0], 1, &fill));
    MUST(cudaGraphAddKernelNode(&node[2], graph, &node[1], 1, &kernel));
    MUST(cudaGraphAddMemcpyNode1D(&node[3], graph, &node[2], 1, host, at, 4, DOWN));
    MUST(cudaGraphAddMemFreeNode(&node[4], graph, &node[3], 1, at));
    IS(1, cudaGraphAddMemFreeNode(&node[4], graph, &node[3], 1, words));
    MUST(cudaGraphMemAllocNodeGetParams(node[0], &told));
    if (told.address != at || told.bytes != 4096 || told.kind != 1 || told.place[0] != 1)
        return 1;
    MUST(cudaGraphMemFreeNodeGetParams(node[4], &seen));
    IS(1, seen == at);
    IS(1, cudaGraphMemFreeNodeGetParams(node[3], &seen));
    MUST(launch_on(graph, at, stream));
    MUST(cudaStreamBeginCapture(stream, 0));
    MUST(cudaMallocAsync(&at, 256, stream));
    MUST(cudaMemsetAsync(at, 1, 256, stream));
    MUST(cuLaunchKernel(spin, 1, 1, 1, 1, 1, 1, 0, (CUstream)stream, arguments, NULL));
    MUST(cudaMemcpyAsync(host, at, 4, DOWN, stream));
    MUST(cudaFreeAsync(at, stream));
    MUST(cudaStreamEndCapture(stream, &graph));
    MUST(cudaGraphGetNodes(graph, NULL, &count));
    IS(5, count);
    MUST(cudaGraphGetNodes(graph, node, &count));
    MUST(cudaGraphNodeGetType(node[0], &type));
    IS(10, type);
    MUST(cudaGraphMemFreeNodeGetParams(node[4], &seen));
    IS(1, seen == at);
    MUST(launch_on(graph, at, stream));
    MUST(cudaDeviceGetGraphMemAttribute(0, 2, &sum));
    IS(4096 + 256, sum);
    return puts("right"), 0;
}

int main(int argc, char **argv)
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    const char *how = argc > 1 ? argv[1] : "streams";
    MUST(cuInit(0));
    MUST(cuDeviceGet(&device, 0));
    MUST(cuDevicePrimaryCtxRetain(&context, device));
    MUST(cuCtxSetCurrent(context));
    if (strcmp(how, "early") == 0 || strcmp(how, "late") == 0) {
        MUST(cuModuleLoadData(&module, hopper));
        MUST(cuModuleGetFunction(&release, module, "release"));
    }
    MUST(cuModuleLoadData(&module, text));
    MUST(cuModuleGetFunction(&spin, module, "spin"));
    MUST(cuModuleGetFunction(&join, module, "join"));
    MUST(cudaMalloc((void **)&words, 64));
    MUST(cudaMallocHost((void **)&host, 64));
    MUST(cudaMemsetAsync(words, 0, 64, 0));
    MUST(cudaDeviceSynchronize());
    if (release)
        return pair(strcmp(how, "early") == 0);
    if (strcmp(how, "memory") == 0)
        return of_memory();
    return strcmp(how, "change") == 0 ? change() : strcmp(how, "wrong") == 0 ? wrong() : work(how);
}
