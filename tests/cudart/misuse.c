/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of the driver API that does one thing wrong, by a word, after a kernel that was right. */
#include "maniple/driver.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int cuGetExportTable(const void **table, const void *id);

static const char ptx[] =
    ".version 7.8\n.target sm_70\n.address_size 64\n"
    ".global .align 1 .b8 text[6] = {110, 32, 62, 32, 51, 0};\n"                                 /* "n > 3" */
    ".global .align 1 .b8 file[5] = {97, 46, 99, 117, 0};\n"                                     /* "a.cu" */
    ".global .align 1 .b8 name[12] = {118, 111, 105, 100, 32, 102, 40, 105, 110, 116, 41, 0};\n" /* "void f(int)" */
    ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);\n"
    /* Writes a word at an address. */
    ".visible .entry _Z5storePi(.param .u64 out)\n{\n.reg .b64 d<2>;\n"
    "ld.param.u64 d1,[out]; st.global.u32 [d1],7; ret;\n}\n"
    ".visible .entry check(.param .u64 out)\n{\n.reg .b64 d<5>; .reg .b32 r<2>; .reg .pred p<2>;\n"
    "mov.u32 r1,%tid.x; setp.ne.u32 p1,r1,5; @p1 bra done;\n"
    "mov.u64 d1,text; cvta.global.u64 d1,d1; mov.u64 d2,file; cvta.global.u64 d2,d2; mov.u64 d3,name;\n"
    "cvta.global.u64 d3,d3; mov.u64 d4,1;\n"
    "{\n.param .b64 q0; .param .b64 q1; .param .b32 q2; .param .b64 q3; .param .b64 q4;\n"
    "st.param.b64 [q0],d1; st.param.b64 [q1],d2; st.param.b32 [q2],12; st.param.b64 [q3],d3; st.param.b64 [q4],d4;\n"
    "call.uni __assertfail,(q0,q1,q2,q3,q4);\n}\ndone: ret;\n}\n";

/* Two warps that wait at different barriers for ever. */
static const char waiting[] = ".version 7.8\n.target sm_70\n.address_size 64\n"
                              ".visible .entry wait_for_ever()\n{\n.reg .b32 r<2>; .reg .pred p<2>;\n"
                              "mov.u32 r1,%tid.x; setp.lt.u32 p1,r1,32;\n@p1 bra other;\n"
                              "barrier.sync 1,64; ret;\nother: barrier.sync 2,64; ret;\n}\n";

static const char polling[] = ".version 7.8\n.target sm_70\n.address_size 64\n"
                              ".visible .entry poll_for_ever(.param .u64 word)\n{\n"
                              ".reg .b64 d<2>; .reg .b32 r<2>; .reg .pred p<2>;\nld.param.u64 d1,[word];\n"
                              "again: ld.volatile.global.u32 r1,[d1]; setp.eq.u32 p1,r1,0; @p1 bra again; ret;\n}\n";

/* Modules that are refused: for launches from kernels, and for clusters. */
static const char launching[] =
    ".version 7.8\n.target sm_70\n.address_size 64\n"
    ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 a);\n"
    ".visible .entry parent()\n{\n.reg .b64 x;\n"
    "{\n.param .b64 q0; .param .b64 q1;\nst.param.b64 [q0],0;\n"
    "call.uni (q1),__cudaCDP2GetParameterBufferV2,(q0);\nld.param.b64 x,[q1];\n}\nret;\n}\n";
static const char clustered[] = ".version 7.8\n.target sm_70\n.address_size 64\n"
                                ".visible .entry parent()\n{\nbarrier.cluster.arrive.aligned;\n"
                                "barrier.cluster.wait.aligned;\nret;\n}\n";

static CUmodule module;

static CUresult run(const char *name, unsigned threads, CUdeviceptr out)
{
    CUfunction kernel;
    void *arguments[] = {&out};
    CUresult problem = cuModuleGetFunction(&kernel, module, name);
    problem = problem ? problem : cuLaunchKernel(kernel, 1, 1, 1, threads, 1, 1, 0, NULL, arguments, NULL);
    return problem ? problem : cuCtxSynchronize();
}

/* Allocations and frees that take a time which grows with their number squared, unless they are looked up well. */
static int allocate_many(void)
{
    enum { COUNT = 200000 };
    CUdeviceptr *all = malloc(COUNT * sizeof *all);
    CUresult problem = all ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    for (unsigned i = 0; !problem && i < COUNT; i++)
        problem = cuMemAlloc(&all[i], 256);
    for (unsigned i = 0; !problem && i < COUNT; i++)
        problem = all[i] - all[0] == 256 * (uint64_t)i ? cuMemFree(all[i]) : CUDA_ERROR_UNKNOWN;
    free(all);
    return (int)problem;
}

static int become_another(void)
{
    char word[] = "true", *const arguments[] = {word, NULL};
    execvp("true", arguments);
    return 1;
}

/* By a list of arguments; the shell says what it has got. */
static int become_listed(const char *how)
{
    const char *say = "echo \"got $1 $2 $3 $4 $5 $6 $7 $GREETING\"";
    char *environment[] = {(char *)"GREETING=hello", NULL};
    if (strcmp(how, "execl") == 0)
        execl("/bin/sh", "sh", "-c", say, "sh", "a", "b", "c", "d", "e", "f", "g", (char *)NULL);
    if (strcmp(how, "execlp") == 0)
        execlp("sh", "sh", "-c", say, "sh", "a", "b", "c", "d", "e", "f", "g", (char *)NULL);
    if (strcmp(how, "execle") == 0)
        execle("/bin/sh", "sh", "-c", say, "sh", "a", "b", "c", "d", "e", "f", "g", (char *)NULL, environment);
    return 1;
}

extern int cudaEventCreate(uint64_t *event);

static void call_at_exit(void)
{
    cuCtxSynchronize();
}

/* Memory is out inside a call, and a function that exit calls uses CUDA. */
static int end_inside(void)
{
    const struct rlimit little = {1 << 20, 1 << 20};
    uint64_t event;
    atexit(call_at_exit);
    if (setrlimit(RLIMIT_AS, &little) != 0)
        return 1;
    while (cudaEventCreate(&event) == 0)
        ;
    return 1;
}

static void *work_on(void *context)
{
    const struct timespec behind_main = {.tv_nsec = 100000000};
    nanosleep(&behind_main, NULL);
    cuCtxSetCurrent(context);
    puts(run("_Z5storePi", 1, 0) ? "the other thread has gone on" : "a null pointer is taken");
    return NULL;
}

/* The first thread ends; the program ends with its last one. */
static int leave_main(CUcontext context)
{
    pthread_t other;
    if (pthread_create(&other, NULL, work_on, context) != 0)
        return 1;
    pthread_exit(NULL);
}

/* The copy of this process cannot use the device; this one goes on. */
static int copy_process(CUdeviceptr out)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        _exit((int)run("_Z5storePi", 1, out));
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 1;
    printf("the copy got %d\n", WEXITSTATUS(status));
    return (int)run("_Z5storePi", 1, out);
}

/* One stream frees memory that another one is still to fill. */
static int free_too_early(CUdeviceptr out)
{
    CUstream first, second;
    CUdeviceptr memory;
    CUfunction kernel;
    void *arguments[] = {&out};
    if (cuStreamCreate(&first, CU_STREAM_NON_BLOCKING) || cuStreamCreate(&second, CU_STREAM_NON_BLOCKING) ||
        cuMemAllocAsync(&memory, 4096, first) || cuStreamSynchronize(first) ||
        cuModuleGetFunction(&kernel, module, "_Z5storePi") ||
        cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, first, arguments, NULL) ||
        cuMemsetD8Async(memory, 1, 4096, first) || cuMemFreeAsync(memory, second))
        return 1;
    return (int)cuCtxSynchronize();
}

/* A kernel hangs, what it is of goes, by a word; and where the device has been reset, it is used again. */
static int hang(const char *how, CUcontext context)
{
    CUdeviceptr out = 0;
    if (cuModuleLoadData(&module, waiting) || run("wait_for_ever", 64, 0) != CUDA_ERROR_LAUNCH_TIMEOUT)
        return puts("it does not hang"), 1;
    CUresult problem = strcmp(how, "unload") == 0    ? (cuModuleUnload(module), CUDA_SUCCESS)
                       : strcmp(how, "destroy") == 0 ? (cuCtxDestroy(context), CUDA_SUCCESS)
                                                     : cuDevicePrimaryCtxReset(0);
    if (problem || strcmp(how, "reset") != 0)
        return (int)problem;
    unsigned got = 0;
    problem = cuCtxSetCurrent(context);
    problem = problem ? problem : cuModuleLoadData(&module, ptx);
    problem = problem ? problem : cuMemAlloc(&out, 400);
    problem = problem ? problem : run("_Z5storePi", 1, out);
    problem = problem ? problem : cuMemcpyDtoH(&got, out, sizeof got);
    return problem ? (int)problem : got != 7;
}

/* A kernel that waits for a word which nobody writes, and an end as if all were well. */
static int poll(CUdeviceptr out)
{
    return cuModuleLoadData(&module, polling) || cuMemsetD8(out, 0, 4) ||
           run("poll_for_ever", 32, out) != CUDA_ERROR_LAUNCH_TIMEOUT;
}

int main(int argc, char **argv)
{
    CUcontext context;
    CUdeviceptr out;
    const void *table;
    const char *what = argc > 1 ? argv[1] : "";
    if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) ||
        cuModuleLoadData(&module, ptx) || cuMemAlloc(&out, 400) || run("_Z5storePi", 1, out))
        return puts("the beginning is wrong"), 1;
    if (strcmp(what, "many") == 0)
        return allocate_many();
    if (strcmp(what, "fork") == 0)
        return copy_process(out);
    if (strcmp(what, "null") == 0)
        return (int)run("_Z5storePi", 1, 0);
    if (strcmp(what, "wild") == 0)
        return (int)run("_Z5storePi", 1, UINT64_C(0x123450000));
    if (strcmp(what, "freed") == 0)
        return cuMemAlloc(&out, 800) || cuMemFree(out) ? 1 : (int)run("_Z5storePi", 1, out + 400);
    if (strcmp(what, "host") == 0)
        return (int)run("_Z5storePi", 1, (CUdeviceptr)(uintptr_t)malloc(64));
    if (strcmp(what, "ignored") == 0)
        return run("_Z5storePi", 1, 0) == CUDA_SUCCESS;
    if (strcmp(what, "poll") == 0)
        return poll(out);
    if (strcmp(what, "near") == 0)
        return (int)run("_Z5storePi", 1, out + 400);
    if (strcmp(what, "early") == 0)
        return free_too_early(out);
    if (strcmp(what, "assert") == 0)
        return (int)run("check", 32, 0);
    if (strcmp(what, "table") == 0)
        return cuGetExportTable(&table, "");
    if (strcmp(what, "launch") == 0 || strcmp(what, "cluster") == 0) {
        CUresult problem = cuModuleLoadData(&module, *what == 'l' ? launching : clustered);
        return (int)(problem ? problem : run("parent", 1, 0));
    }
    if (strcmp(what, "hang") == 0)
        return hang(argc > 2 ? argv[2] : "", context);
    if (strcmp(what, "exit") == 0)
        _exit(3);
    if (strcmp(what, "inside-memory") == 0)
        return end_inside();
    if (strcmp(what, "leave") == 0)
        return leave_main(context);
    if (strcmp(what, "quick") == 0)
        quick_exit(0);
    if (strncmp(what, "execl", 5) == 0)
        return become_listed(what);
    return strcmp(what, "become") == 0 ? become_another() : 0;
}
