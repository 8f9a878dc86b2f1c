/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two processes with a GPU each, which check their own answers: memory of each in the other's kernels and copies,
 * kernels of both that wait for one another, and ends. Usage: sharing [PART]
 */
#include "kernels_text.h"
#include "maniple/driver.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 1000, ROUNDS = 10, TIMES = 500, OWN_HANDLE = 201, FAULT = 700, HANG = 702 };

struct handle {
    char bytes[64];
};

CUresult cuIpcGetMemHandle(struct handle *handle, CUdeviceptr address);
CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *address, struct handle handle, unsigned flags);
CUresult cuIpcCloseMemHandle(CUdeviceptr address);

/* The text's own kernel, count: to[0] += 1 by each thread, `times` times. */
/* clang-format off */
static const char text[] =
    KERNELS_SET_AND_ADD
    ".visible .entry count(.param .u64 to, .param .u32 times) {\n"
    ".reg .pred %p; .reg .b32 %i, %n, %v; .reg .b64 %a;\n"
    "ld.param.u64 %a, [to]; ld.param.u32 %n, [times]; mov.u32 %i, 0;\n"
    "next: atom.sys.global.add.u32 %v, [%a], 1; add.u32 %i, %i, 1; setp.lt.u32 %p, %i, %n; @%p bra next;\n"
    "ret; }\n"
    KERNEL_MEET;
/* clang-format on */

static unsigned rank;
static int line; /* to the other process */
static CUmodule module;
static CUdeviceptr mine, other; /* memory of this process, and of the other one */

static void expect(CUresult got, CUresult wanted, const char *what)
{
    if (got == wanted)
        return;
    printf("rank %u: %s: %d, not %d\n", rank, what, (int)got, (int)wanted);
    exit(1);
}

#define OK(call)          expect(call, CUDA_SUCCESS, #call)
#define FAILS(call, code) expect(call, (CUresult)(code), #call)

/* What both have, changes hands. */
static void swap(const void *give, void *take, size_t bytes)
{
    if (write(line, give, bytes) != (ssize_t)bytes || read(line, take, bytes) != (ssize_t)bytes) {
        printf("rank %u: the other process has gone\n", rank);
        exit(1);
    }
}

static void barrier(void)
{
    char word = 1;
    swap(&word, &word, 1);
}

static void launch(const char *name, void **arguments, unsigned blocks, unsigned threads)
{
    CUfunction function;
    OK(cuModuleGetFunction(&function, module, name));
    OK(cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, NULL, arguments, NULL));
}

static void set(CUdeviceptr to, unsigned value)
{
    unsigned n = N;
    launch("set", (void *[]){&to, &n, &value}, 4, 256);
}

static void add(CUdeviceptr to, CUdeviceptr from)
{
    unsigned n = N;
    launch("add", (void *[]){&to, &from, &n}, 4, 256);
}

static void count(CUdeviceptr to)
{
    unsigned times = TIMES;
    launch("count", (void *[]){&to, &times}, 4, 64);
}

static void meet(unsigned first)
{
    unsigned rounds = ROUNDS;
    launch("meet", (void *[]){&mine, &other, &rounds, &first}, 1, 1);
}

/* Whether the words are `first`, `first` + `step` and so on. */
static void check(CUdeviceptr from, unsigned first, unsigned step, const char *what)
{
    unsigned words[N];
    OK(cuMemcpy((CUdeviceptr)words, from, sizeof words));
    for (unsigned i = 0; i < N; i++)
        if (words[i] != first + i * step) {
            printf("rank %u: %s: word %u is %u\n", rank, what, i, words[i]);
            exit(1);
        }
}

static void begin(int device)
{
    CUcontext context;
    struct handle handle;
    CUdeviceptr ignored;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    OK(cuModuleLoadData(&module, text));
    OK(cuMemAlloc(&mine, N * 4));
    OK(cuMemsetD32(mine, 0, N));
    OK(cuIpcGetMemHandle(&handle, mine + 8));
    FAILS(cuIpcOpenMemHandle_v2(&ignored, handle, 1), OWN_HANDLE);
    swap(&handle, &handle, sizeof handle);
    FAILS(cuIpcOpenMemHandle_v2(&other, handle, 0), 1);
    OK(cuIpcOpenMemHandle_v2(&other, handle, 1));
    OK(cuIpcOpenMemHandle_v2(&ignored, handle, 1));
    expect((CUresult)(ignored == other), (CUresult)1, "a handle that is opened twice");
    OK(cuIpcCloseMemHandle(ignored));
    memset(&handle, 0xff, sizeof handle);
    FAILS(cuIpcOpenMemHandle_v2(&ignored, handle, 1), 1);
    FAILS(cuIpcGetMemHandle(&handle, other), 1);
    FAILS(cuIpcCloseMemHandle(mine), 1);
}

/* Kernels and copies of each process reach the other's memory. */
static void values(void)
{
    set(mine, 100 * rank);
    OK(cuCtxSynchronize());
    barrier();
    check(other, 100 * (1 - rank), 1, "memory of the other process, copied to the host");
    barrier();
    if (!rank)
        add(mine, other);
    OK(cuCtxSynchronize());
    barrier();
    if (rank)
        check(other, 100, 2, "a sum with the other process's memory");
    else
        OK(cuMemcpy(other, mine, N * 4));
    barrier();
    if (rank)
        OK(cuMemcpy(other, mine, N * 4));
    barrier();
    OK(cuMemsetD32(mine, 0, N));
    barrier();
    count(rank ? other : mine);
    OK(cuCtxSynchronize());
    barrier();
    unsigned word;
    OK(cuMemcpy((CUdeviceptr)&word, rank ? other : mine, 4));
    expect((CUresult)word, (CUresult)(2 * TIMES * 4 * 64), "what both have counted");
    barrier();
    OK(cuMemsetD32(mine, 0, N));
    OK(cuCtxSynchronize());
    barrier();
}

/* Kernels of both wait for one another. */
static void kernels(bool outside)
{
    meet(rank);
    if (outside && rank) {
        barrier(); /* the other process needs this one's kernel meanwhile */
        OK(cuCtxSynchronize());
    } else {
        OK(cuCtxSynchronize());
        if (outside)
            barrier();
    }
    barrier();
    OK(cuMemsetD32(mine, 0, N));
    OK(cuCtxSynchronize());
    barrier();
}

static int run(const char *part)
{
    if (strcmp(part, "alone") == 0 && rank)
        return 0;
    begin(strcmp(part, "same") == 0 ? 0 : (int)rank);
    if (strcmp(part, "closed") == 0) {
        barrier();
        OK(cuIpcCloseMemHandle(other));
        if (!rank)
            set(other, 1);
        FAILS(cuCtxSynchronize(), rank ? 0 : FAULT);
        return 0;
    }
    values();
    if (strcmp(part, "hang") == 0) {
        meet(0);
        FAILS(cuCtxSynchronize(), HANG);
        return 0;
    }
    if (strcmp(part, "leave") == 0) {
        if (!rank)
            meet(0);
        FAILS(cuCtxSynchronize(), rank ? 0 : HANG);
        return 0;
    }
    if (strcmp(part, "die") == 0) {
        if (rank)
            raise(SIGKILL);
        meet(0);
        cuCtxSynchronize();
        return 0;
    }
    for (int i = 0; i < 5; i++) {
        kernels(false);
        kernels(true);
    }
    OK(cuIpcCloseMemHandle(other));
    puts("right");
    return 0;
}

int main(int argc, char **argv)
{
    int lines[2], status = 0, failed = 0;
    pid_t children[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, lines) != 0)
        return 1;
    for (rank = 0; rank < 2; rank++) {
        children[rank] = fork();
        if (children[rank] == 0) {
            line = lines[rank];
            close(lines[1 - rank]);
            setenv("RANK", rank ? "1" : "0", 1);
            exit(run(argc == 2 ? argv[1] : ""));
        }
    }
    close(lines[0]);
    close(lines[1]);
    for (int i = 0; i < 2; i++) {
        waitpid(children[i], &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) > failed)
            failed = WEXITSTATUS(status);
    }
    return failed;
}
