/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread for each of two GPUs: in turn they run a kernel, wait for its end, and let the other go on. Usage:
 * waiting_threads WAY, where WAY says how a thread waits for its turn: by a semaphore; in recv or read of a socket or a
 * pipe; by asking again and again with recv, poll, select or epoll_wait without a time; by giving up its processor, or
 * sleeping for a moment (`nap`), until a word has changed; `late`: as with recv, and computing for some time before
 * each kernel; or `first0`, `first1`, `nobody`: by a semaphore, and that thread does beforehand what one does for all.
 * With `watched` a thread that does nothing else asks without a rest whether the first GPU's kernel has ended. With
 * `alone` a kernel named like NCCL's waits on the first GPU for what none on the second does.
 */
#include "maniple/driver.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ROUNDS = 6, GPUS = 2 };

/* clang-format off */
static const char text[] =
    ".version 7.0\n"
    ".target sm_70\n"
    ".address_size 64\n"
    ".visible .entry count(.param .u64 to, .param .u32 rounds) {\n"
    ".reg .pred %p; .reg .b32 %i, %n, %v; .reg .b64 %a;\n"
    "ld.param.u64 %a, [to]; ld.param.u32 %n, [rounds]; mov.u32 %i, 0;\n"
    "next: ld.volatile.global.u32 %v, [%a]; add.u32 %v, %v, 1; st.volatile.global.u32 [%a], %v;\n"
    "add.u32 %i, %i, 1; setp.lt.u32 %p, %i, %n; @%p bra next; ret; }\n"
    /* branches back twice for each question, as loops with a count of questions do */
    ".visible .entry ncclDevKernel_AllReduce(.param .u64 of) {\n"
    ".reg .pred %p, %q; .reg .b32 %i, %v; .reg .b64 %a;\n"
    "ld.param.u64 %a, [of]; mov.u32 %i, 0;\n"
    "again: add.u32 %i, %i, 1; and.b32 %v, %i, 1; setp.ne.u32 %q, %v, 0; @%q bra again;\n"
    "ld.volatile.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 0; @%p bra again; ret; }\n";
/* clang-format on */

struct gpu {
    CUcontext context;
    CUfunction kernel;
    CUstream stream;
    CUdeviceptr memory;
    sem_t turn;
    int socket, pipe[2], events;
    _Atomic int word;
};

static struct gpu gpus[GPUS];
static const char *way;

static void expect(bool right, const char *what)
{
    if (right)
        return;
    printf("%s: wrong (%s)\n", what, strerror(errno));
    exit(1);
}

#define OK(call) expect((call) == CUDA_SUCCESS, #call)
#define IS(call) expect(call, #call)

static bool is(const char *name)
{
    return strcmp(way, name) == 0;
}

/* ===== turns ===== */

static bool by_semaphore(void)
{
    return is("semaphore") || is("first0") || is("first1") || is("nobody");
}

static void receive(struct gpu *gpu)
{
    char byte;
    ssize_t got;
    do
        got = recv(gpu->socket, &byte, 1, is("recv") ? 0 : MSG_DONTWAIT);
    while (got < 0 && errno == EAGAIN);
    IS(got == 1);
}

static void ask(struct gpu *gpu)
{
    struct pollfd file = {gpu->socket, POLLIN, 0};
    struct epoll_event event;
    int ready = 0;
    while (ready == 0) {
        fd_set files;
        FD_ZERO(&files);
        FD_SET(gpu->socket, &files);
        ready = is("poll")     ? poll(&file, 1, 0)
                : is("select") ? select(gpu->socket + 1, &files, NULL, NULL, &(struct timeval){0, 0})
                : is("epoll")  ? epoll_wait(gpu->events, &event, 1, 0)
                               : 1;
    }
    IS(ready == 1);
    receive(gpu);
}

static void await_turn(struct gpu *gpu)
{
    char byte;
    if (by_semaphore())
        while (sem_wait(&gpu->turn) != 0)
            ;
    else if (is("pipe"))
        IS(read(gpu->pipe[0], &byte, 1) == 1);
    else if (is("yield") || is("nap"))
        while (atomic_exchange(&gpu->word, 0) == 0)
            is("nap") ? usleep(1) : sched_yield();
    else
        ask(gpu);
}

static void give_turn(struct gpu *from, struct gpu *to)
{
    if (by_semaphore())
        sem_post(&to->turn);
    else if (is("pipe"))
        IS(write(to->pipe[1], "x", 1) == 1);
    else if (is("yield") || is("nap"))
        atomic_store(&to->word, 1);
    else
        IS(send(from->socket, "x", 1, 0) == 1);
}

/* Two sockets that are connected by TCP. */
static void connect_gpus(void)
{
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof place;
    int listening = socket(AF_INET, SOCK_STREAM, 0);
    gpus[0].socket = socket(AF_INET, SOCK_STREAM, 0);
    IS(bind(listening, (struct sockaddr *)&place, size) == 0 && listen(listening, 1) == 0);
    IS(getsockname(listening, (struct sockaddr *)&place, &size) == 0);
    IS(connect(gpus[0].socket, (struct sockaddr *)&place, size) == 0);
    gpus[1].socket = accept(listening, NULL, NULL);
    IS(gpus[1].socket >= 0);
    for (int g = 0; g < GPUS; g++) {
        gpus[g].events = epoll_create1(0);
        IS(epoll_ctl(gpus[g].events, EPOLL_CTL_ADD, gpus[g].socket, &(struct epoll_event){.events = EPOLLIN}) == 0);
    }
}

/* ===== kernels ===== */

/* Some hundredths of a second, in which the other thread waits in a call. */
static void compute(void)
{
    for (volatile unsigned i = 0; i < 30 * 1000 * 1000; i++)
        ;
}

static void run(struct gpu *gpu, unsigned round)
{
    unsigned count = 100 + 10 * round;
    void *arguments[] = {&gpu->memory, &count};
    if (is("late"))
        compute();
    OK(cuLaunchKernel(gpu->kernel, 1, 1, 1, 1, 1, 1, 0, gpu->stream, arguments, NULL));
    OK(cuStreamSynchronize(gpu->stream));
}

/* Asks about devices and tries memory, as libraries do once: memory that nothing has used goes back without a wait for
 * the kernel that is under way. */
static void ask_for_all(const struct gpu *gpu)
{
    unsigned count = 2000;
    void *arguments[] = {(void *)&gpu->memory, &count};
    int value;
    OK(cuLaunchKernel(gpu->kernel, 1, 1, 1, 1, 1, 1, 0, gpu->stream, arguments, NULL));
    for (int i = 0; i < 40 && gpu - gpus == way[5] - '0'; i++) {
        CUdeviceptr memory;
        OK(cuDeviceGetCount(&value));
        OK(cuDeviceGetAttribute(&value, 75, i % GPUS));
        OK(cuMemAlloc(&memory, 2 << 20));
        OK(cuMemFree(memory));
    }
}

/* In each round a thread gives the turn away between two kernels: the other's first runs beside its second. */
static void *work(void *context)
{
    struct gpu *gpu = context, *other = gpu == gpus ? &gpus[1] : &gpus[0];
    OK(cuCtxSetCurrent(gpu->context));
    if (by_semaphore() && !is("semaphore"))
        ask_for_all(gpu);
    for (unsigned round = 0; round < ROUNDS; round++) {
        if (gpu != gpus || round)
            await_turn(gpu);
        run(gpu, round);
        give_turn(gpu, other);
        run(gpu, 2 * round);
    }
    if (gpu == gpus)
        await_turn(gpu);
    return NULL;
}

static void begin(int number, struct gpu *gpu)
{
    CUmodule module;
    OK(cuDevicePrimaryCtxRetain(&gpu->context, number));
    OK(cuCtxSetCurrent(gpu->context));
    OK(cuModuleLoadData(&module, text));
    OK(cuModuleGetFunction(&gpu->kernel, module, "count"));
    OK(cuStreamCreate(&gpu->stream, 1));
    OK(cuMemAlloc(&gpu->memory, 4));
    OK(cuMemsetD32(gpu->memory, 0, 1));
    IS(sem_init(&gpu->turn, 0, 0) == 0 && pipe(gpu->pipe) == 0);
}

/* Asks for the event that stands behind a kernel, until that has passed. */
static void *watch(void *event)
{
    CUresult answer;
    OK(cuCtxSetCurrent(gpus[0].context));
    do
        answer = cuEventQuery(event);
    while (answer == CUDA_ERROR_NOT_READY);
    OK(answer);
    return NULL;
}

static int be_watched(void)
{
    unsigned count = 1000;
    void *arguments[] = {&gpus[0].memory, &count};
    pthread_t watcher;
    CUevent event;
    OK(cuCtxSetCurrent(gpus[0].context));
    OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    OK(cuLaunchKernel(gpus[0].kernel, 1, 1, 1, 1, 1, 1, 0, gpus[0].stream, arguments, NULL));
    OK(cuEventRecord(event, gpus[0].stream));
    IS(pthread_create(&watcher, NULL, watch, event) == 0);
    pthread_join(watcher, NULL);
    puts("right");
    return 0;
}

static int be_alone(void)
{
    void *arguments[] = {&gpus[0].memory};
    CUmodule module;
    CUfunction kernel;
    OK(cuCtxSetCurrent(gpus[0].context));
    OK(cuModuleLoadData(&module, text));
    OK(cuModuleGetFunction(&kernel, module, "ncclDevKernel_AllReduce"));
    OK(cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, gpus[0].stream, arguments, NULL));
    IS(cuStreamSynchronize(gpus[0].stream) == CUDA_ERROR_LAUNCH_TIMEOUT);
    puts("right");
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t threads[GPUS];
    unsigned sum = 0, wanted = 0;
    way = argc == 2 ? argv[1] : "semaphore";
    OK(cuInit(0));
    for (int g = 0; g < GPUS; g++)
        begin(g, &gpus[g]);
    if (is("watched"))
        return be_watched();
    if (is("alone"))
        return be_alone();
    connect_gpus();
    for (int g = 0; g < GPUS; g++)
        IS(pthread_create(&threads[g], NULL, work, &gpus[g]) == 0);
    for (int g = 0; g < GPUS; g++)
        pthread_join(threads[g], NULL);
    for (unsigned round = 0; round < ROUNDS; round++)
        wanted += 200 + 30 * round;
    wanted += by_semaphore() && !is("semaphore") ? 2000 : 0;
    for (int g = 0; g < GPUS; g++) {
        OK(cuCtxSetCurrent(gpus[g].context));
        OK(cuMemcpy((CUdeviceptr)&sum, gpus[g].memory, 4));
        IS(sum == wanted);
    }
    puts("right");
    return 0;
}
