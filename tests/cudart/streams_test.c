/* SPDX-License-Identifier: BSD-3-Clause */
/* The runtime's events, captures and their modes, what nodes of graphs hold, memory pools, and batches of copies, as
 * CUDA's reference has them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h> /* behind what it needs */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct copy_3d { /* cudaMemcpy3DParms */
    uint64_t from_array;
    size_t from_at[3];
    void *from;
    size_t from_pitch, from_width, from_height;
    uint64_t to_array;
    size_t to_at[3];
    void *to;
    size_t to_pitch, to_width, to_height;
    size_t width, height, depth;
    int kind;
};

struct fill { /* cudaMemsetParams */
    void *to;
    size_t pitch;
    unsigned value, bytes_each;
    size_t width, height;
};

struct host { /* cudaHostNodeParams */
    void (*function)(void *);
    void *data;
};

struct attributes { /* cudaMemcpyAttributes */
    int order, from[2], to[2];
    unsigned flags;
};

extern int cudaDeviceGetDefaultMemPool(uint64_t *pool, int device);
extern int cudaDeviceSynchronize(void);
extern int cudaEventCreate(uint64_t *event);
extern int cudaEventCreateWithFlags(uint64_t *event, unsigned flags);
extern int cudaEventElapsedTime(float *milliseconds, uint64_t begin, uint64_t end);
extern int cudaEventQuery(uint64_t event);
extern int cudaEventRecord(uint64_t event, uint64_t stream);
extern int cudaEventRecordWithFlags(uint64_t event, uint64_t stream, unsigned flags);
extern int cudaEventSynchronize(uint64_t event);
extern int cudaFree(void *address);
extern int cudaFreeAsync(void *address, uint64_t stream);
extern int cudaGetLastError(void);
extern int cudaGraphCreate(uint64_t *graph, unsigned flags);
extern int cudaGraphDestroy(uint64_t graph);
extern int cudaGraphAddEmptyNode(uint64_t *node, uint64_t graph, const uint64_t *before, size_t count);
extern int cudaGraphAddHostNode(uint64_t *node, uint64_t graph, const uint64_t *before, size_t count,
                                const struct host *host);
extern int cudaGraphAddMemcpyNode(uint64_t *node, uint64_t graph, const uint64_t *before, size_t count,
                                  const struct copy_3d *copy);
extern int cudaGraphAddMemsetNode(uint64_t *node, uint64_t graph, const uint64_t *before, size_t count,
                                  const struct fill *fill);
extern int cudaGraphEventRecordNodeGetEvent(uint64_t node, uint64_t *event);
extern int cudaGraphEventWaitNodeGetEvent(uint64_t node, uint64_t *event);
extern int cudaGraphExecMemsetNodeSetParams(uint64_t executable, uint64_t node, const struct fill *fill);
extern int cudaGraphExecUpdate(uint64_t executable, uint64_t graph, void *result);
extern int cudaGraphGetNodes(uint64_t graph, uint64_t *nodes, size_t *count);
extern int cudaGraphHostNodeGetParams(uint64_t node, struct host *host);
extern int cudaGraphInstantiate(uint64_t *executable, uint64_t graph, unsigned long long flags);
extern int cudaGraphLaunch(uint64_t executable, uint64_t stream);
extern int cudaGraphMemcpyNodeGetParams(uint64_t node, struct copy_3d *copy);
extern int cudaGraphMemsetNodeGetParams(uint64_t node, struct fill *fill);
extern int cudaGraphNodeGetType(uint64_t node, int *type);
extern int cudaHostAlloc(void **address, size_t bytes, unsigned flags);
extern int cudaMalloc(void **address, size_t bytes);
extern int cudaMallocAsync(void **address, size_t bytes, uint64_t stream);
extern int cudaMallocFromPoolAsync(void **address, size_t bytes, uint64_t pool, uint64_t stream);
extern int cudaMallocHost(void **address, size_t bytes);
extern int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
extern int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, uint64_t stream);
extern int cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *bytes, size_t count,
                                const struct attributes *attributes, const size_t *first, size_t kinds,
                                uint64_t stream);
extern int cudaMemPoolCreate(uint64_t *pool, const void *properties);
extern int cudaMemPoolDestroy(uint64_t pool);
extern int cudaMemPoolGetAttribute(uint64_t pool, int attribute, void *value);
extern int cudaMemPoolSetAttribute(uint64_t pool, int attribute, void *value);
extern int cudaMemPoolTrimTo(uint64_t pool, size_t bytes);
extern int cudaMemset(void *to, int value, size_t bytes);
extern int cudaMemsetAsync(void *to, int value, size_t bytes, uint64_t stream);
extern int cudaStreamBeginCapture(uint64_t stream, int mode);
extern int cudaStreamBeginCaptureToGraph(uint64_t stream, uint64_t graph, const uint64_t *before, const void *data,
                                         size_t count, int mode);
extern int cudaStreamCreateWithFlags(uint64_t *stream, unsigned flags);
extern int cudaStreamDestroy(uint64_t stream);
extern int cudaStreamEndCapture(uint64_t stream, uint64_t *graph);
extern int cudaStreamIsCapturing(uint64_t stream, int *status);
extern int cudaStreamSynchronize(uint64_t stream);
extern int cudaStreamWaitEvent(uint64_t stream, uint64_t event, unsigned flags);
extern int cudaThreadExchangeStreamCaptureMode(int *mode);

#define MUST(call)         assert_int_equal(call, 0)
#define GIVES(error, call) assert_int_equal(call, error)

enum {
    INVALID_VALUE = 1,
    INVALID_HANDLE = 400,
    ILLEGAL_STATE = 401,
    UNSUPPORTED = 900,
    INVALIDATED = 901,
    CAPTURED_EVENT = 907
};
enum { WRONG_THREAD = 908, GLOBAL = 0, THREAD_LOCAL, RELAXED, BYTES = 4096, INSIDE = 3, DEFAULT = 4 };

static uint64_t stream, other;
static char *memory; /* of the device */

static int set_up(void **state)
{
    (void)state;
    MUST(cudaStreamCreateWithFlags(&stream, 1));
    MUST(cudaStreamCreateWithFlags(&other, 1));
    MUST(cudaMalloc((void **)&memory, BYTES));
    return 0;
}

static void events(void **state)
{
    static const unsigned good[] = {0, 1, 2, 3, 6, 7}, bad[] = {4, 5, 8, 16, ~0u}; /* 4, for processes, needs 2 */
    uint64_t event, captured, graph;
    float milliseconds;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        MUST(cudaEventCreateWithFlags(&event, good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        GIVES(INVALID_VALUE, cudaEventCreateWithFlags(&event, bad[i]));
    MUST(cudaEventCreate(&event));
    MUST(cudaEventCreate(&captured));
    GIVES(INVALID_VALUE, cudaEventRecordWithFlags(event, stream, 2));
    GIVES(INVALID_VALUE, cudaEventRecordWithFlags(event, stream, 1)); /* external: in a capture alone */
    GIVES(INVALID_VALUE, cudaStreamWaitEvent(stream, event, 1));
    GIVES(INVALID_VALUE, cudaStreamWaitEvent(stream, event, 2));
    MUST(cudaEventRecord(event, stream));
    MUST(cudaStreamBeginCapture(stream, THREAD_LOCAL));
    MUST(cudaEventRecord(captured, stream));
    GIVES(CAPTURED_EVENT, cudaEventElapsedTime(&milliseconds, event, captured));
    MUST(cudaStreamEndCapture(stream, &graph));
    GIVES(CAPTURED_EVENT, cudaEventQuery(captured));
    GIVES(CAPTURED_EVENT, cudaEventSynchronize(captured));
    MUST(cudaStreamWaitEvent(other, captured, 0)); /* of a capture that has ended: nothing to wait for */
    MUST(cudaEventRecord(captured, stream));
    MUST(cudaEventSynchronize(captured));
    MUST(cudaEventQuery(captured));
    MUST(cudaEventElapsedTime(&milliseconds, event, captured));
    MUST(cudaStreamBeginCapture(stream, RELAXED));
    MUST(cudaEventRecord(captured, stream));
    GIVES(CAPTURED_EVENT, cudaEventQuery(captured)); /* in every mode, and it ends the capture */
    GIVES(INVALIDATED, cudaStreamEndCapture(stream, &graph));
}

/* Events that stay outside of the capture are nodes of its graph. */
static void external_events(void **state)
{
    uint64_t event, awaited, graph, nodes[4], executable, got;
    size_t count = 4;
    int type;
    (void)state;
    MUST(cudaEventCreate(&event));
    MUST(cudaEventCreate(&awaited));
    MUST(cudaEventRecord(awaited, other));
    MUST(cudaStreamBeginCapture(stream, THREAD_LOCAL));
    MUST(cudaStreamWaitEvent(stream, awaited, 1));
    MUST(cudaMemsetAsync(memory, 7, BYTES, stream));
    MUST(cudaEventRecordWithFlags(event, stream, 1));
    MUST(cudaStreamEndCapture(stream, &graph));
    MUST(cudaGraphGetNodes(graph, nodes, &count));
    assert_int_equal(count, 3);
    MUST(cudaGraphNodeGetType(nodes[0], &type));
    assert_int_equal(type, 6);
    MUST(cudaGraphEventWaitNodeGetEvent(nodes[0], &got));
    assert_int_equal(got, awaited);
    GIVES(INVALID_VALUE, cudaGraphEventRecordNodeGetEvent(nodes[0], &got));
    MUST(cudaGraphEventRecordNodeGetEvent(nodes[2], &got));
    assert_int_equal(got, event);
    MUST(cudaGraphInstantiate(&executable, graph, 0));
    MUST(cudaGraphLaunch(executable, stream));
    MUST(cudaEventSynchronize(event));
}

/* ===== captures and their modes ===== */

static int allocate(void)
{
    void *address = NULL;
    int problem = cudaMalloc(&address, 16);
    return problem ? problem : cudaFree(address);
}

static void *allocate_elsewhere(void *mode)
{
    int before = *(int *)mode;
    if (cudaThreadExchangeStreamCaptureMode(&before) || before != GLOBAL)
        return (void *)-1;
    return (void *)(intptr_t)allocate();
}

static void *end_elsewhere(void *graph)
{
    return (void *)(intptr_t)cudaStreamEndCapture(stream, graph);
}

static int in_another_thread(void *(*work)(void *), void *what)
{
    pthread_t thread;
    void *result = NULL;
    assert_int_equal(pthread_create(&thread, NULL, work, what), 0);
    pthread_join(thread, &result);
    return (int)(intptr_t)result;
}

/* Whether an allocation is right while a stream is captured in a mode, which it makes invalid otherwise. */
static void tries(int capture_mode, int mode, bool elsewhere, int expected)
{
    uint64_t graph;
    int before = mode, status;
    if (!elsewhere)
        MUST(cudaThreadExchangeStreamCaptureMode(&before));
    MUST(cudaStreamBeginCapture(stream, capture_mode));
    GIVES(expected, elsewhere ? in_another_thread(allocate_elsewhere, &mode) : allocate());
    MUST(cudaStreamIsCapturing(stream, &status));
    assert_int_equal(status, expected ? 2 : 1);
    GIVES(expected ? INVALIDATED : 0, cudaStreamEndCapture(stream, &graph));
    if (!elsewhere)
        MUST(cudaThreadExchangeStreamCaptureMode(&before));
}

static void modes(void **state)
{
    int mode = RELAXED;
    uint64_t graph = 0;
    (void)state;
    MUST(cudaThreadExchangeStreamCaptureMode(&mode));
    assert_int_equal(mode, GLOBAL);
    mode = THREAD_LOCAL;
    MUST(cudaThreadExchangeStreamCaptureMode(&mode));
    assert_int_equal(mode, RELAXED);
    mode = GLOBAL;
    MUST(cudaThreadExchangeStreamCaptureMode(&mode));
    assert_int_equal(mode, THREAD_LOCAL);
    mode = 3;
    GIVES(INVALID_VALUE, cudaThreadExchangeStreamCaptureMode(&mode));
    GIVES(INVALID_VALUE, cudaThreadExchangeStreamCaptureMode(NULL));
    GIVES(INVALID_VALUE, cudaStreamBeginCapture(stream, 3));
    for (int capture = GLOBAL; capture <= RELAXED; capture++)
        for (mode = GLOBAL; mode <= RELAXED; mode++) {
            bool own = capture != RELAXED && mode != RELAXED, theirs = capture == GLOBAL && mode == GLOBAL;
            tries(capture, mode, false, own ? UNSUPPORTED : 0);
            tries(capture, mode, true, theirs ? UNSUPPORTED : 0);
        }
    GIVES(ILLEGAL_STATE, cudaStreamEndCapture(stream, &graph));
    MUST(cudaStreamBeginCapture(stream, THREAD_LOCAL));
    GIVES(ILLEGAL_STATE, cudaStreamBeginCapture(stream, THREAD_LOCAL));
    GIVES(WRONG_THREAD, in_another_thread(end_elsewhere, &graph));
    MUST(cudaStreamEndCapture(stream, &graph));
    MUST(cudaStreamBeginCapture(stream, RELAXED));
    MUST(in_another_thread(end_elsewhere, &graph));
}

static void unseen(void **state)
{
    uint64_t event, graph;
    void *address;
    (void)state;
    MUST(cudaEventCreate(&event));
    MUST(cudaEventRecord(event, other));
    MUST(cudaStreamBeginCapture(stream, THREAD_LOCAL));
    MUST(cudaMallocAsync(&address, 64, stream)); /* the stream sees these */
    MUST(cudaFreeAsync(address, stream));
    MUST(cudaFree(NULL));
    MUST(cudaStreamEndCapture(stream, &graph));
    MUST(cudaStreamBeginCapture(stream, THREAD_LOCAL));
    GIVES(UNSUPPORTED, cudaMallocHost(&address, 64));
    GIVES(INVALIDATED, cudaStreamEndCapture(stream, &graph));
    MUST(cudaStreamBeginCapture(stream, THREAD_LOCAL));
    GIVES(UNSUPPORTED, cudaEventQuery(event));
    GIVES(INVALIDATED, cudaMallocAsync(&address, 64, stream));
    GIVES(INVALIDATED, cudaStreamEndCapture(stream, &graph));
}

/* What a capture stands on goes meanwhile. */
static void undermined(void **state)
{
    uint64_t graph, node, wrong = 77, created, ended;
    (void)state;
    MUST(cudaGraphCreate(&graph, 0));
    GIVES(INVALID_VALUE, cudaStreamBeginCaptureToGraph(stream, graph, &wrong, NULL, 1, RELAXED));
    MUST(cudaGraphAddEmptyNode(&node, graph, NULL, 0));
    MUST(cudaStreamBeginCaptureToGraph(stream, graph, &node, NULL, 1, RELAXED));
    MUST(cudaGraphDestroy(graph));
    GIVES(INVALIDATED, cudaMemsetAsync(memory, 0, 16, stream));
    GIVES(INVALIDATED, cudaStreamEndCapture(stream, &ended));
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaStreamBeginCaptureToGraph(stream, graph, NULL, NULL, 0, GLOBAL));
    GIVES(UNSUPPORTED, cudaDeviceSynchronize());
    GIVES(INVALIDATED, cudaStreamEndCapture(stream, &ended));
    MUST(cudaGraphDestroy(graph)); /* the program's own stays */
    MUST(cudaStreamCreateWithFlags(&created, 1));
    MUST(cudaStreamBeginCapture(created, GLOBAL));
    MUST(cudaMemsetAsync(memory, 0, 16, created));
    MUST(cudaStreamDestroy(created));
    GIVES(INVALID_HANDLE, cudaStreamEndCapture(created, &ended));
    MUST(cudaDeviceSynchronize()); /* nothing is captured any more */
    MUST(allocate());
}

/* ===== what nodes hold ===== */

static void nothing(void *data)
{
    (void)data;
}

static void contents(void **state)
{
    uint64_t graph, node;
    size_t count = 1;
    struct copy_3d copy = {.from = memory, .from_pitch = 64, .from_width = 64, .from_height = 8, .to = memory + 2048};
    struct copy_3d got;
    struct fill fill = {memory, 128, 0x1234, 2, 16, 4}, got_fill;
    struct host host = {nothing, &graph}, got_host;
    (void)state;
    copy.to_pitch = 128;
    copy.to_height = 8;
    copy.width = 32;
    copy.height = 8;
    copy.depth = 2;
    copy.kind = INSIDE;
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphAddMemcpyNode(&node, graph, NULL, 0, &copy));
    MUST(cudaGraphMemcpyNodeGetParams(node, &got));
    assert_memory_equal(&got, &copy, sizeof copy);
    GIVES(INVALID_VALUE, cudaGraphMemcpyNodeGetParams(node, NULL));
    GIVES(INVALID_VALUE, cudaGraphMemsetNodeGetParams(node, &got_fill));
    MUST(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &fill));
    MUST(cudaGraphMemsetNodeGetParams(node, &got_fill));
    assert_memory_equal(&got_fill, &fill, sizeof fill);
    GIVES(INVALID_VALUE, cudaGraphMemcpyNodeGetParams(node, &got));
    MUST(cudaGraphAddHostNode(&node, graph, NULL, 0, &host));
    MUST(cudaGraphHostNodeGetParams(node, &got_host));
    assert_true(got_host.function == nothing && got_host.data == &graph);
    MUST(cudaStreamBeginCapture(stream, RELAXED));
    MUST(cudaMemcpyAsync(memory, memory + 1024, 256, DEFAULT, stream));
    MUST(cudaStreamEndCapture(stream, &graph));
    MUST(cudaGraphGetNodes(graph, &node, &count));
    MUST(cudaGraphMemcpyNodeGetParams(node, &got));
    assert_true(got.from == memory + 1024 && got.to == memory && got.width == 256 && got.height == 1 && got.depth == 1);
    assert_int_equal(got.kind, INSIDE);
}

/* ===== pools ===== */

enum { THRESHOLD = 4, RESERVED = 5, RESERVED_HIGH = 6, USED = 7, USED_HIGH = 8, MIB = 1 << 20 };

static uint64_t value(uint64_t pool, int attribute)
{
    uint64_t number = 0;
    MUST(cudaMemPoolGetAttribute(pool, attribute, &number));
    return number;
}

static void set(uint64_t pool, int attribute, uint64_t number)
{
    MUST(cudaMemPoolSetAttribute(pool, attribute, &number));
}

static void pools(void **state)
{
    static const int properties[22] = {1, 0, 1, 0};
    uint64_t all = ~UINT64_C(0), zero = 0, pool, first;
    void *a, *b, *c;
    (void)state;
    MUST(cudaDeviceGetDefaultMemPool(&first, 0));
    MUST(cudaMemPoolCreate(&pool, properties));
    for (int attribute = RESERVED; attribute <= USED_HIGH; attribute++)
        assert_int_equal(value(pool, attribute), 0);
    MUST(cudaMallocFromPoolAsync(&a, MIB, pool, stream));
    MUST(cudaMallocFromPoolAsync(&b, 3 * MIB, pool, stream));
    assert_int_equal(value(pool, USED), 4 * MIB);
    assert_int_equal(value(first, USED), 0); /* each has its own */
    assert_true(value(pool, RESERVED) >= 4 * MIB);
    MUST(cudaFreeAsync(b, stream));
    MUST(cudaStreamSynchronize(stream));
    assert_int_equal(value(pool, USED), MIB);
    assert_int_equal(value(pool, USED_HIGH), 4 * MIB);
    GIVES(INVALID_VALUE, cudaMemPoolSetAttribute(pool, USED_HIGH, &all));
    GIVES(INVALID_VALUE, cudaMemPoolSetAttribute(pool, USED, &zero));
    GIVES(INVALID_VALUE, cudaMemPoolSetAttribute(pool, RESERVED, &zero));
    GIVES(INVALID_VALUE, cudaMemPoolSetAttribute(pool, 9, &zero));
    GIVES(INVALID_VALUE, cudaMemPoolGetAttribute(pool, 0, &zero));
    set(pool, USED_HIGH, 0);
    assert_int_equal(value(pool, USED_HIGH), MIB);
    GIVES(INVALID_VALUE, cudaFreeAsync(b, stream));
    MUST(cudaFree(a)); /* also by the other function */
    assert_int_equal(value(pool, USED), 0);
    MUST(cudaStreamSynchronize(stream));
    assert_int_equal(value(pool, RESERVED), 0); /* the threshold is 0 */
    assert_true(value(pool, RESERVED_HIGH) >= 4 * MIB);
    set(pool, RESERVED_HIGH, 0);
    assert_int_equal(value(pool, RESERVED_HIGH), 0);
    set(pool, THRESHOLD, all);
    MUST(cudaMallocFromPoolAsync(&c, MIB, pool, stream));
    MUST(cudaFreeAsync(c, stream));
    MUST(cudaDeviceSynchronize());
    assert_true(value(pool, RESERVED) >= MIB);
    MUST(cudaMemPoolTrimTo(pool, MIB));
    assert_true(value(pool, RESERVED) >= MIB);
    MUST(cudaMemPoolTrimTo(pool, 0));
    assert_int_equal(value(pool, RESERVED), 0);
    MUST(cudaMallocAsync(&c, 2 * MIB, stream));
    assert_int_equal(value(first, USED), 2 * MIB);
    MUST(cudaMallocFromPoolAsync(&a, MIB, pool, stream));
    MUST(cudaMemPoolDestroy(pool)); /* what is of it stays until it is freed */
    GIVES(INVALID_VALUE, cudaMemPoolTrimTo(pool, 0));
    MUST(cudaMemset(a, 1, MIB));
    MUST(cudaFreeAsync(a, stream));
    MUST(cudaFreeAsync(c, stream));
    MUST(cudaStreamSynchronize(stream));
    assert_int_equal(value(first, USED), 0);
}

/* ===== updates ===== */

static int memory_byte(void)
{
    unsigned char byte;
    MUST(cudaMemcpy(&byte, memory, 1, DEFAULT));
    return byte;
}

static uint64_t captured_fill(int value)
{
    uint64_t graph;
    MUST(cudaStreamBeginCapture(stream, THREAD_LOCAL));
    MUST(cudaMemsetAsync(memory, value, 16, stream));
    MUST(cudaStreamEndCapture(stream, &graph));
    return graph;
}

/* An executable graph has the nodes of the graph that it was made from, also behind an update by another graph. */
static void updates(void **state)
{
    uint64_t first = captured_fill(1), second = captured_fill(2), executable, node;
    struct fill fill = {memory, 16, 3, 1, 16, 1};
    int result[8];
    size_t count = 1;
    (void)state;
    MUST(cudaGraphInstantiate(&executable, first, 0));
    MUST(cudaGraphGetNodes(first, &node, &count));
    for (int i = 0; i < 2; i++) {
        MUST(cudaGraphExecUpdate(executable, second, result));
        MUST(cudaGraphLaunch(executable, stream));
        MUST(cudaStreamSynchronize(stream));
        assert_int_equal(memory_byte(), 2);
        MUST(cudaGraphExecMemsetNodeSetParams(executable, node, &fill));
        MUST(cudaGraphLaunch(executable, stream));
        MUST(cudaStreamSynchronize(stream));
        assert_int_equal(memory_byte(), 3);
    }
}

/* ===== batches ===== */

static void batches(void **state)
{
    enum { IN_ORDER = 1, DURING_CALL, ANY };
    unsigned char host[64], back[64] = {0};
    void *to[3] = {memory, memory + 64, back};
    const void *from[3] = {host, memory + 128, memory + 128};
    size_t bytes[3] = {64, 64, 64}, first[2] = {0, 2}, late[2] = {1, 2}, twice[2] = {0, 0};
    struct attributes how[2] = {{.order = DURING_CALL}, {.order = IN_ORDER}}, wrong[2] = {{.order = 1}, {.order = 4}};
    uint64_t graph;
    (void)state;
    memset(host, 5, sizeof host);
    MUST(cudaMemset(memory + 128, 9, 64));
    MUST(cudaMemcpyBatchAsync(to, from, bytes, 3, how, first, 2, stream));
    memset(host, 0, sizeof host);
    MUST(cudaStreamSynchronize(stream));
    assert_int_equal(back[63], 9);
    MUST(cudaMemcpy(back, memory, 64, DEFAULT));
    assert_int_equal(back[63], 5);
    GIVES(INVALID_VALUE, cudaMemcpyBatchAsync(to, from, bytes, 3, how, first, 2, 0));
    GIVES(INVALID_VALUE, cudaMemcpyBatchAsync(to, from, bytes, 0, how, first, 2, stream));
    GIVES(INVALID_VALUE, cudaMemcpyBatchAsync(to, from, bytes, 3, how, late, 2, stream));
    GIVES(INVALID_VALUE, cudaMemcpyBatchAsync(to, from, bytes, 3, how, twice, 2, stream));
    GIVES(INVALID_VALUE, cudaMemcpyBatchAsync(to, from, bytes, 3, wrong, first, 2, stream));
    GIVES(INVALID_VALUE, cudaMemcpyBatchAsync(NULL, from, bytes, 3, how, first, 2, stream));
    GIVES(INVALID_HANDLE, cudaMemcpyBatchAsync(to, from, bytes, 3, how, first, 2, 12345));
    MUST(cudaStreamBeginCapture(stream, GLOBAL));
    GIVES(UNSUPPORTED, cudaMemcpyBatchAsync(to, from, bytes, 3, how, first, 2, stream));
    MUST(cudaStreamEndCapture(stream, &graph));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events), cmocka_unit_test(external_events), cmocka_unit_test(modes),
        cmocka_unit_test(unseen), cmocka_unit_test(undermined),      cmocka_unit_test(contents),
        cmocka_unit_test(pools),  cmocka_unit_test(batches),         cmocka_unit_test(updates),
    };
    setenv("MANIPLE_CUDA", "program streams_test\nfunctional\nmachine a100\n", 1);
    int failed = cmocka_run_group_tests(tests, set_up, NULL);
    fflush(NULL);
    _exit(failed != 0); /* not by exit: the results are of no interest */
}
