/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that handles SIGINT itself, with a second thread to which the system may give the signal.
 * Usage: interrupted ROUNDS LAUNCHES: launches, and waits for, a kernel of so many rounds, until so many have ended or
 * the signal has come; says which. At its beginning it says that it is ready.
 */
#include "maniple/driver.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char module[] = ".version 7.0\n.target sm_50\n.address_size 64\n"
                             ".visible .entry spin(.param .u32 rounds)\n{\n.reg .u32 %r<3>;\n.reg .pred %p;\n"
                             "ld.param.u32 %r1, [rounds];\nmov.u32 %r2, 0;\n"
                             "again:\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p, %r2, %r1;\n@%p bra again;\nret;\n}\n";

static volatile sig_atomic_t interrupted;

static void note(int signal)
{
    (void)signal;
    interrupted = 1;
}

static void *sleep_long(void *unused)
{
    (void)unused;
    while (!interrupted)
        pause();
    return NULL;
}

static void check(CUresult result)
{
    if (result == CUDA_SUCCESS)
        return;
    printf("error %d\n", (int)result);
    exit(9);
}

int main(int argc, char **argv)
{
    unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 1, done = 0;
    unsigned launches = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
    CUcontext context;
    CUmodule loaded;
    CUfunction kernel;
    pthread_t thread;
    void *arguments[] = {&rounds};
    signal(SIGINT, note);
    if (pthread_create(&thread, NULL, sleep_long, NULL) != 0)
        return 8;
    check(cuInit(0));
    check(cuCtxCreate(&context, NULL, 0, 0));
    check(cuModuleLoadData(&loaded, module));
    check(cuModuleGetFunction(&kernel, loaded, "spin"));
    puts("ready");
    fflush(stdout);
    while (done < launches && !interrupted) {
        check(cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
        check(cuCtxSynchronize());
        done++;
    }
    puts(interrupted ? "the program has handled it" : "no signal has come");
    return interrupted ? 5 : 0;
}
