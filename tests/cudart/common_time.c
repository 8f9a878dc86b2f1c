/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two ranks with a GPU each, in simulated time: memory of each in the other's kernels, streams that wait for the
 * other's events, kernels that wait for one another, and ends. Ranks are processes, which pass one another handles, or
 * threads of one process: the same kernels then take the same time.
 * Usage: common_time processes|threads [PART]
 */
#include "kernels_text.h"
#include "maniple/driver.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 1000, ROUNDS = 20, TIMES = 4, NO_TIMING = 2, INTERPROCESS = 4, LARGE = 1 << 21 };

struct handle {
    char bytes[64];
};

CUresult cuIpcGetMemHandle(struct handle *handle, CUdeviceptr address);
CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *address, struct handle handle, unsigned flags);
CUresult cuIpcGetEventHandle(struct handle *handle, CUevent event);
CUresult cuIpcOpenEventHandle(CUevent *event, struct handle handle);
CUresult cuDeviceCanAccessPeer(int *can, int device, int peer);
CUresult cuCtxEnablePeerAccess(CUcontext context, unsigned flags);

static const char text[] = KERNELS_SET_AND_ADD KERNEL_MEET;

struct rank {
    unsigned number;
    int line; /* to the other rank */
    CUmodule module;
    CUdeviceptr mine, other; /* memory of this rank, and of the other one */
    CUevent event, others;
    CUstream stream;
    CUcontext context;
};

static bool threads;
static const char *part = "";

static void expect(const struct rank *r, CUresult got, CUresult wanted, const char *what)
{
    if (got == wanted)
        return;
    printf("rank %u: %s: %d, not %d\n", r->number, what, (int)got, (int)wanted);
    exit(1);
}

#define OK(call) expect(r, call, CUDA_SUCCESS, #call)

/* What both have, changes hands. */
static void swap(const struct rank *r, const void *give, void *take, size_t bytes)
{
    if (write(r->line, give, bytes) != (ssize_t)bytes || read(r->line, take, bytes) != (ssize_t)bytes) {
        printf("rank %u: the other rank has gone\n", r->number);
        exit(1);
    }
}

static void barrier(const struct rank *r)
{
    char word = 1;
    swap(r, &word, &word, 1);
}

static void launch(const struct rank *r, const char *name, void **arguments, unsigned blocks, unsigned size)
{
    CUfunction function;
    OK(cuModuleGetFunction(&function, r->module, name));
    OK(cuLaunchKernel(function, blocks, 1, 1, size, 1, 1, 0, r->stream, arguments, NULL));
}

static void set(const struct rank *r, unsigned value)
{
    unsigned n = N;
    CUdeviceptr to = r->mine;
    launch(r, "set", (void *[]){&to, &n, &value}, 4, 256);
}

static void add(const struct rank *r)
{
    unsigned n = N;
    CUdeviceptr to = r->mine, from = r->other;
    launch(r, "add", (void *[]){&to, &from, &n}, 4, 256);
}

static void meet(const struct rank *r, unsigned first)
{
    unsigned rounds = ROUNDS;
    CUdeviceptr to = r->mine, from = r->other;
    launch(r, "meet", (void *[]){&to, &from, &rounds, &first}, 1, 1);
}

/* Whether the words are `first`, `first` + `step` and so on. */
static void check(const struct rank *r, CUdeviceptr from, unsigned first, unsigned step, const char *what)
{
    unsigned words[N];
    OK(cuMemcpyDtoH(words, from, sizeof words));
    for (unsigned i = 0; i < N; i++)
        if (words[i] != first + i * step) {
            printf("rank %u: %s: word %u is %u\n", r->number, what, i, words[i]);
            exit(1);
        }
}

/* Threads make a call for each of those that processes make, and that take time. */
static void exchange_in_process(struct rank *r)
{
    struct rank theirs;
    unsigned flags;
    swap(r, r, &theirs, sizeof theirs);
    OK(cuCtxEnablePeerAccess(theirs.context, 0));
    OK(cuStreamGetFlags(r->stream, &flags));
    OK(cuStreamGetFlags(r->stream, &flags));
    r->other = theirs.mine;
    r->others = theirs.event;
}

static void exchange(struct rank *r)
{
    struct handle handles[2];
    OK(cuIpcGetMemHandle(&handles[0], r->mine));
    if (threads) {
        OK(cuCtxGetCurrent(&r->context));
        exchange_in_process(r);
        return;
    }
    OK(cuIpcGetEventHandle(&handles[1], r->event));
    swap(r, handles, handles, sizeof handles);
    OK(cuIpcOpenMemHandle_v2(&r->other, handles[0], 1));
    OK(cuIpcOpenEventHandle(&r->others, handles[1]));
}

static void begin(struct rank *r)
{
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&r->context, (int)r->number));
    OK(cuCtxSetCurrent(r->context));
    OK(cuModuleLoadData(&r->module, text));
    OK(cuMemAlloc(&r->mine, N * 4));
    OK(cuMemsetD32(r->mine, 0, N));
    OK(cuStreamCreate(&r->stream, 1));
    OK(cuEventCreate(&r->event, threads ? NO_TIMING : NO_TIMING | INTERPROCESS));
    exchange(r);
    barrier(r);
}

/* Rank 0 comes to a GPU first, so that it simulates for both. */
static void let_lead(const struct rank *r)
{
    CUcontext context;
    CUdeviceptr word;
    char byte = 1;
    if (r->number == 0) {
        OK(cuInit(0));
        OK(cuDevicePrimaryCtxRetain(&context, 0));
        OK(cuCtxSetCurrent(context));
        OK(cuMemAlloc(&word, 4));
        expect(r, (CUresult)write(r->line, &byte, 1), (CUresult)1, "a word to rank 1");
    } else {
        expect(r, (CUresult)read(r->line, &byte, 1), (CUresult)1, "a word of rank 0");
    }
}

/* A stream waits for a kernel of the other rank, and a kernel adds what that one has written. */
static void add_behind_event(const struct rank *r, unsigned value)
{
    set(r, value + 100 * r->number);
    OK(cuEventRecord(r->event, r->stream));
    barrier(r); /* both have recorded */
    OK(cuStreamWaitEvent(r->stream, r->others, 0));
    if (r->number)
        add(r);
    OK(cuStreamSynchronize(r->stream));
    barrier(r);
    check(r, r->mine, r->number ? 2 * value + 100 : value, 1 + r->number, "a sum behind an event");
    check(r, r->other, r->number ? value : 2 * value + 100, 2 - r->number, "memory of the other rank");
    barrier(r);
}

/* Kernels of both wait for one another; with `outside`, rank 1 is in no call meanwhile. */
static void kernels(const struct rank *r, bool outside)
{
    OK(cuMemsetD32(r->mine, 0, N));
    OK(cuStreamSynchronize(NULL));
    barrier(r);
    meet(r, r->number);
    if (outside && r->number)
        barrier(r);
    OK(cuStreamSynchronize(r->stream));
    if (outside && !r->number)
        barrier(r);
    barrier(r);
}

/* ===== copies over links ===== */

/* Microseconds of a copy between the ranks' memories. */
static double copy(const struct rank *r, CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    CUevent begin, end;
    float ms;
    OK(cuEventCreate(&begin, 0));
    OK(cuEventCreate(&end, 0));
    OK(cuEventRecord(begin, r->stream));
    OK(cuMemcpyDtoDAsync(to, from, bytes, r->stream));
    OK(cuEventRecord(end, r->stream));
    OK(cuStreamSynchronize(r->stream));
    OK(cuEventElapsedTime(&ms, begin, end));
    OK(cuEventDestroy(begin));
    OK(cuEventDestroy(end));
    return 1000 * (double)ms;
}

/* `slack`: us by which the ranks may have begun one after the other. */
static void expect_time(const struct rank *r, double got, double wanted, double slack, const char *what)
{
    if (got > wanted - slack && got < wanted + slack)
        return;
    printf("rank %u: %s: %.4f us, not %.4f\n", r->number, what, got, wanted);
    exit(1);
}

/* Memory of each rank for copies, by the other's address. */
static CUdeviceptr exchange_large(const struct rank *r, CUdeviceptr own)
{
    struct handle handle;
    CUdeviceptr other;
    if (threads) {
        swap(r, &own, &other, sizeof own);
        return other;
    }
    OK(cuIpcGetMemHandle(&handle, own));
    swap(r, &handle, &handle, sizeof handle);
    OK(cuIpcOpenMemHandle_v2(&other, handle, 1));
    return other;
}

/* Both streams go on at one time. */
static void begin_together(const struct rank *r)
{
    OK(cuEventRecord(r->event, r->stream));
    barrier(r);
    OK(cuStreamWaitEvent(r->stream, r->others, 0));
    barrier(r);
}

static void check_large(const struct rank *r, CUdeviceptr from, unsigned wanted)
{
    static unsigned both[2][LARGE / 4];
    unsigned *words = both[r->number];
    OK(cuMemcpyDtoH(words, from, LARGE));
    for (unsigned i = 0; i < LARGE / 4; i++)
        if (words[i] != wanted) {
            printf("rank %u: word %u of a copy is %u, not %u\n", r->number, i, words[i], wanted);
            exit(1);
        }
}

/* Five copies at once: three engines carry the first three, which share the links, and then two. */
static void use_engines(const struct rank *r, CUdeviceptr to, CUdeviceptr from, double wanted)
{
    enum { COPIES = 5 };
    CUstream streams[COPIES];
    CUevent begin, ends[COPIES];
    float ms = 0, most = 0;
    for (unsigned i = 0; i < COPIES; i++) {
        OK(cuStreamCreate(&streams[i], 1));
        OK(cuEventCreate(&ends[i], 0));
    }
    OK(cuEventCreate(&begin, 0));
    OK(cuEventRecord(begin, r->stream));
    for (unsigned i = 0; i < COPIES; i++) {
        OK(cuMemcpyDtoDAsync(to, from, LARGE, streams[i]));
        OK(cuEventRecord(ends[i], streams[i]));
    }
    for (unsigned i = 0; i < COPIES; i++) {
        OK(cuStreamSynchronize(streams[i]));
        OK(cuEventElapsedTime(&ms, begin, ends[i]));
        most = ms > most ? ms : most;
    }
    expect_time(r, 1000 * (double)most, wanted, 0.02, "five copies at once");
}

/* One copy alone; one in each direction, which have links of their own; and two in the same direction, of which one
 * rank gives and the other takes: each has half of the links. Four links carry 88,888 bytes of data a microsecond,
 * behind 2,750 ns. */
static void copies(const struct rank *r)
{
    const double latency = 2.75, alone = LARGE / 88888.0;
    CUdeviceptr own, other;
    OK(cuMemAlloc(&own, 2 * LARGE));
    OK(cuMemsetD32(own, 5 + r->number, LARGE / 4));
    OK(cuStreamSynchronize(NULL));
    set(r, 1); /* without kernels there are no results */
    OK(cuStreamSynchronize(r->stream));
    other = exchange_large(r, own);
    barrier(r);
    if (r->number == 0)
        expect_time(r, copy(r, other + LARGE, own, LARGE), latency + alone, 0.002, "a copy alone");
    barrier(r);
    if (r->number == 1)
        check_large(r, own + LARGE, 5);
    barrier(r);
    begin_together(r);
    expect_time(r, copy(r, other + LARGE, own, LARGE), latency + alone, 0.01, "a copy in each direction");
    barrier(r);
    check_large(r, own + LARGE, 6 - r->number);
    OK(cuMemsetD32(own, 7, LARGE / 4));
    OK(cuStreamSynchronize(NULL));
    begin_together(r);
    if (r->number == 0)
        expect_time(r, copy(r, other + LARGE, own, LARGE), latency + 2 * alone, 0.01, "the copy that gives");
    else
        expect_time(r, copy(r, own + LARGE, other, LARGE), latency + 2 * alone, 0.01, "the copy that takes");
    check_large(r, r->number ? own + LARGE : other + LARGE, 7);
    barrier(r);
    if (r->number == 0)
        use_engines(r, other, own, 2 * latency + 5 * alone);
    barrier(r);
}

/* A rank is killed while a kernel of the other one waits for its word. */
static void die(const struct rank *r, unsigned dead)
{
    if (r->number == dead) {
        usleep(200000);
        raise(SIGKILL);
    }
    meet(r, r->number);
    cuStreamSynchronize(r->stream);
    exit(0);
}

/* Ranks are copies of a process that has called CUDA and used no GPU. The second one ends by itself well before the
 * first. */
static void end_early(struct rank *r)
{
    begin(r);
    set(r, r->number);
    OK(cuStreamSynchronize(r->stream));
    barrier(r);
    if (r->number == 1)
        exit(0);
    usleep(600000);
    set(r, 7);
    check(r, r->mine, 7, 1, "behind the other's end");
    puts("right");
}

static void run(struct rank *r)
{
    if (strcmp(part, "copied") == 0) {
        end_early(r);
        return;
    }
    if (strcmp(part, "leader") == 0)
        let_lead(r);
    begin(r);
    if (strcmp(part, "die") == 0)
        die(r, 1);
    if (strcmp(part, "leader") == 0) {
        add_behind_event(r, 0);
        die(r, 0);
    }
    if (strcmp(part, "hang") == 0) {
        meet(r, 0);
        CUresult got = cuStreamSynchronize(r->stream);
        expect(r, got, (CUresult)702, "kernels that wait in vain");
        return;
    }
    if (strcmp(part, "copy") == 0) {
        copies(r);
        printf("rank %u: right\n", r->number);
        return;
    }
    for (unsigned i = 0; i < TIMES; i++) {
        add_behind_event(r, 1000 * i);
        kernels(r, false);
        kernels(r, true);
    }
    printf("rank %u: right\n", r->number);
}

static void *run_thread(void *rank)
{
    run(rank);
    return NULL;
}

static int run_processes(struct rank ranks[2])
{
    int status = 0, failed = 0;
    pid_t children[2];
    int version;
    if (strcmp(part, "copied") == 0 && cuDriverGetVersion(&version) != CUDA_SUCCESS)
        return 1;
    for (unsigned i = 0; i < 2; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            close(ranks[1 - i].line);
            setenv("RANK", i ? "1" : "0", 1);
            run(&ranks[i]);
            exit(0);
        }
    }
    close(ranks[0].line);
    close(ranks[1].line);
    for (int i = 0; i < 2; i++) {
        waitpid(children[i], &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) > failed)
            failed = WEXITSTATUS(status);
        if (WIFSIGNALED(status))
            printf("rank %d: ended by signal %d\n", i, WTERMSIG(status));
    }
    return failed;
}

int main(int argc, char **argv)
{
    struct rank ranks[2] = {{.number = 0}, {.number = 1}};
    pthread_t others[2];
    int lines[2];
    if (argc < 2 || socketpair(AF_UNIX, SOCK_STREAM, 0, lines) != 0)
        return 1;
    threads = strcmp(argv[1], "threads") == 0;
    part = argc > 2 ? argv[2] : "";
    ranks[0].line = lines[0];
    ranks[1].line = lines[1];
    if (!threads)
        return run_processes(ranks);
    for (unsigned i = 0; i < 2; i++)
        pthread_create(&others[i], NULL, run_thread, &ranks[i]);
    for (unsigned i = 0; i < 2; i++)
        pthread_join(others[i], NULL);
    return 0;
}
