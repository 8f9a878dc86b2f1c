/* SPDX-License-Identifier: BSD-3-Clause */
/* A call gives the same answer whether the device has been used before or not. Each call is the first of a process, and
 * the same call follows a use of the device in another process. */
#include "maniple/driver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h> /* behind what it needs */

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct pitched {
    void *address;
    size_t pitch, width, height;
};

struct extent {
    size_t width, height, depth;
};

extern int cudaFree(void *address);
extern int cudaMalloc(void **out, size_t bytes);
extern int cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height);
extern int cudaMalloc3D(struct pitched *out, struct extent size);
extern int cudaMallocAsync(void **out, size_t bytes, void *stream);
extern int cudaMallocManaged(void **out, size_t bytes, unsigned flags);
extern int cudaHostAlloc(void **out, size_t bytes, unsigned flags);
extern int cudaMallocArray(uint64_t *out, const int *format, size_t width, size_t height, unsigned flags);
extern int cudaHostRegister(void *address, size_t bytes, unsigned flags);
extern int cudaMemGetInfo(size_t *available, size_t *total);
extern int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
extern int cudaMemset(void *address, int value, size_t bytes);
extern int cudaPointerGetAttributes(void *out, const void *address);
extern int cudaDeviceGetAttribute(int *value, int attribute, int device);
extern int cudaDeviceGetLimit(size_t *value, int limit);
extern int cudaDeviceSetLimit(int limit, size_t value);
extern int cudaGetDeviceProperties(void *out, int device);
extern int cudaDeviceGetDefaultMemPool(uint64_t *pool, int device);
extern int cudaMemPoolCreate(uint64_t *pool, const void *properties);
extern int cudaMemPoolGetAttribute(uint64_t pool, int attribute, void *value);
extern int cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
extern int cudaStreamCreateWithPriority(uint64_t *stream, unsigned flags, int priority);
extern int cudaStreamQuery(void *stream);
extern int cudaStreamBeginCapture(void *stream, int mode);
extern int cudaEventCreate(uint64_t *event);
extern int cudaGraphCreate(uint64_t *graph, unsigned flags);
extern int cudaDeviceSynchronize(void);
extern int cudaDeviceReset(void);
extern int cudaSetDevice(int device);
extern int cudaGetLastError(void);
extern int cuMemCreate(uint64_t *handle, size_t bytes, const void *properties, unsigned long long flags);

/* What a call says: its error, and a number out of what it writes. */
struct answer {
    int error;
    uint64_t value;
};

static char room[4096];
static uint64_t word;
static void *memory;
static int number, other;
static size_t size, total;

#define ANSWER(NAME, CALL, VALUE)                                                                                      \
    static struct answer NAME(void) {                                                                                  \
        int error = (int)(CALL);                                                                                       \
        return (struct answer){error, (uint64_t)(VALUE)};                                                              \
    }

ANSWER(allocate, cudaMalloc(&memory, 100), memory != NULL)
ANSWER(allocate_pitch, cudaMallocPitch(&memory, &size, 100, 64), size)
ANSWER(allocate_wide, cudaMallocPitch(&memory, &size, 1, SIZE_MAX), 0)

static struct answer allocate_box(void)
{
    struct pitched made = {0};
    int error = cudaMalloc3D(&made, (struct extent){100, 10, 10});
    return (struct answer){error, made.pitch};
}

static struct answer allocate_array(void)
{
    const int format[] = {32, 0, 0, 0, 2};
    int error = cudaMallocArray(&word, format, 64, 64, 0);
    return (struct answer){error, word != 0};
}

/* A pool's properties: pinned, on device 0. */
static struct answer create_pool(void)
{
    int properties[22] = {1, 0, 1, 0};
    int error = cudaMemPoolCreate(&word, properties);
    return (struct answer){error, word != 0};
}

static struct answer ask_pool(void)
{
    uint64_t pool = 0;
    int error = cudaDeviceGetDefaultMemPool(&pool, 0);
    error = error ? error : cudaMemPoolGetAttribute(pool, 4, &word);
    return (struct answer){error, word};
}

static struct answer create_context(void)
{
    CUcontext context = NULL;
    int error = cuInit(0) ? -1 : (int)cuCtxCreate(&context, NULL, 0, 0);
    return (struct answer){error, context != NULL};
}

/* Memory to be mapped: pinned, on device 0. */
static struct answer make_piece(void)
{
    int properties[16] = {1, 0, 1, 0};
    int error = cuInit(0) ? -1 : cuMemCreate(&word, 2 << 20, properties, 0);
    return (struct answer){error, word != 0};
}

ANSWER(allocate_async, cudaMallocAsync(&memory, 100, NULL), memory != NULL)
ANSWER(allocate_managed, cudaMallocManaged(&memory, 100, 1), memory != NULL)
ANSWER(allocate_host, cudaHostAlloc(&memory, 100, 0), memory != NULL)
ANSWER(add_host, cudaHostRegister(room, sizeof room, 0), 0)
ANSWER(ask_memory, cudaMemGetInfo(&size, &total), total)
ANSWER(ask_free, cudaMemGetInfo(&size, &total), size)
ANSWER(ask_total, cuInit(0) ? -1 : (int)cuDeviceTotalMem(&size, 0), size)
ANSWER(free_wild, cudaFree((void *)8), 0)
ANSWER(copy_wild, cudaMemcpy((void *)8, room, 16, 1), 0)
ANSWER(copy_host, cudaMemcpy(room, room + 64, 16, 0), 0)
ANSWER(fill_wild, cudaMemset((void *)8, 0, 16), 0)
ANSWER(ask_pointer, cudaPointerGetAttributes(room, &word), room[0])
ANSWER(ask_sms, cudaDeviceGetAttribute(&number, 16, 0), number)
ANSWER(ask_major, cudaDeviceGetAttribute(&number, 75, 0), number)
ANSWER(ask_stack, cudaDeviceGetLimit(&size, 0), size)
ANSWER(ask_heap, cudaDeviceGetLimit(&size, 2), size)
ANSWER(set_heap, cudaDeviceSetLimit(2, 64 << 20), 0)
ANSWER(ask_properties, cudaGetDeviceProperties(room, 0), *(uint64_t *)(room + 288))
ANSWER(ask_priorities, cudaDeviceGetStreamPriorityRange(&number, &other), number - other)
ANSWER(create_stream, cudaStreamCreateWithPriority(&word, 0, -1), word != 0)
ANSWER(ask_stream, cudaStreamQuery(NULL), 0)
ANSWER(begin_capture, cudaStreamBeginCapture(NULL, 0), 0)
ANSWER(create_event, cudaEventCreate(&word), word != 0)
ANSWER(create_graph, cudaGraphCreate(&word, 0), word != 0)
ANSWER(wait_all, cudaDeviceSynchronize(), 0)
ANSWER(reset, cudaDeviceReset(), 0)
ANSWER(choose, cudaSetDevice(0), 0)
ANSWER(choose_wrong, cudaSetDevice(99), 0)
ANSWER(last, cudaGetLastError(), 0)

static struct answer ask(struct answer (*call)(void), bool used)
{
    struct answer answer = {-1, 0};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        if (used)
            cudaFree(NULL);
        answer = call();
        _exit(write(ends[1], &answer, sizeof answer) != (ssize_t)sizeof answer);
    }
    close(ends[1]);
    if (read(ends[0], &answer, sizeof answer) != (ssize_t)sizeof answer)
        answer.error = -1;
    close(ends[0]);
    waitpid(child, NULL, 0);
    return answer;
}

static void test_first_call(void **state)
{
    static const struct {
        const char *name;
        struct answer (*call)(void);
    } calls[] = {
#define CALL(NAME) {#NAME, NAME}
        CALL(allocate),         CALL(allocate_pitch), CALL(allocate_wide),  CALL(allocate_box),  CALL(allocate_array),
        CALL(create_pool),      CALL(ask_pool),       CALL(create_context), CALL(make_piece),    CALL(allocate_async),
        CALL(allocate_managed), CALL(allocate_host),  CALL(add_host),       CALL(ask_memory),    CALL(ask_free),
        CALL(ask_total),        CALL(free_wild),      CALL(copy_wild),      CALL(copy_host),     CALL(fill_wild),
        CALL(ask_pointer),      CALL(ask_sms),        CALL(ask_major),      CALL(ask_stack),     CALL(ask_heap),
        CALL(set_heap),         CALL(ask_properties), CALL(ask_priorities), CALL(create_stream), CALL(ask_stream),
        CALL(begin_capture),    CALL(create_event),   CALL(create_graph),   CALL(wait_all),      CALL(reset),
        CALL(choose),           CALL(choose_wrong),   CALL(last),
#undef CALL
    };
    int different = 0;
    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        struct answer first = ask(calls[i].call, false), later = ask(calls[i].call, true);
        if (first.error == later.error && first.value == later.value && first.error >= 0)
            continue;
        print_error("%s: %d, %lu as the first call; %d, %lu later\n", calls[i].name, first.error,
                    (unsigned long)first.value, later.error, (unsigned long)later.value);
        different++;
    }
    assert_int_equal(different, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_first_call)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
