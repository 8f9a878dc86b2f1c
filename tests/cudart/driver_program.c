/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of the driver API as others write them: libcuda.so.1 is opened by its name, functions are asked for. */
#include "maniple/driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry squares(.param .u64 out)\n{\n.reg .b64 d<3>; .reg .b32 r<3>;\n"
                          "ld.param.u64 d1,[out]; mov.u32 r1,%tid.x; mul.lo.u32 r2,r1,r1; mul.wide.u32 d2,r1,4;\n"
                          "add.u64 d1,d1,d2; st.global.u32 [d1],r2; ret;\n}\n";

static void *library;
static CUresult worst;

static void *function(const char *name)
{
    void *found = dlsym(library, name);
    if (!found)
        fprintf(stderr, "%s is not there\n", name);
    return found;
}

/* Calls a function by its type, and keeps an error. */
#define CALL(name, ...)                                                                                                \
    do {                                                                                                               \
        __typeof__(&name) called = (__typeof__(&name))function(NAME(name));                                            \
        CUresult result = called ? called(__VA_ARGS__) : CUDA_ERROR_NOT_FOUND;                                         \
        worst = result ? result : worst;                                                                               \
    } while (0)
#define NAME(name) TEXT(name)
#define TEXT(name) #name

/* Words: idle, to leave the device alone; children, to do so beside one that does too; abort, to end by a signal. */
int main(int argc, char **argv)
{
    CUcontext context;
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr out;
    unsigned squares[64] = {0}, wrong = 0;
    char name[60] = "";
    void *arguments[] = {&out};
    if (argc > 1 && strcmp(argv[1], "idle") == 0)
        return 0;
    if (argc > 1 && strcmp(argv[1], "children") == 0)
        return system("ls >/dev/null");
    library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library)
        return puts(dlerror()), 1;
    CALL(cuInit, 0);
    CALL(cuDeviceGetName, name, sizeof name, 0);
    CALL(cuDevicePrimaryCtxRetain, &context, 0);
    CALL(cuCtxSetCurrent, context);
    CALL(cuModuleLoadData, &module, ptx);
    CALL(cuModuleGetFunction, &kernel, module, "squares");
    CALL(cuMemAlloc, &out, sizeof squares);
    CALL(cuLaunchKernel, kernel, 1, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL);
    CALL(cuMemcpyDtoH, squares, out, sizeof squares);
    for (unsigned i = 0; i < 64; i++)
        wrong += squares[i] != i * i;
    printf("%s: error %d, %u wrong\n", name, worst, wrong);
    if (argc > 1 && strcmp(argv[1], "abort") == 0)
        abort();
    return worst || wrong;
}
