/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that launches kernels inside ranges of NVTX; ranges.py has what results say of each launch. It reaches NVTX
 * as its header does: by the library that NVTX_INJECTION64_PATH names. Arguments: "idle" marks a
 * range and uses no CUDA, "nothing" does neither.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "maniple/driver.h"

static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                           ".visible .entry nothing()\n{\n  ret;\n}\n"
                           ".visible .entry other()\n{\n  bar.sync 0;\n  ret;\n}\n";

enum { CALLBACKS = 1, CORE = 1, CORE2 = 5, PLACES = 16, DEEP = 40 };

struct attributes {
    uint16_t version, size;
    uint32_t category;
    int32_t colour_kind;
    uint32_t colour;
    int32_t payload_kind, reserved;
    uint64_t payload;
    int32_t message_kind;
    const void *message;
};

typedef void (*function)(void);

static struct {
    uint64_t (*start)(const char *);
    void (*end)(uint64_t);
    int (*push)(const char *), (*push_wide)(const wchar_t *), (*pop)(void);
    int (*push_in)(void *, const struct attributes *), (*pop_in)(void *);
    const void *(*intern_wide)(void *, const wchar_t *);
} nvtx;

static function *core[PLACES] = {[5] = (function *)&nvtx.start,
                                 [7] = (function *)&nvtx.end,
                                 [9] = (function *)&nvtx.push,
                                 [10] = (function *)&nvtx.push_wide,
                                 [11] = (function *)&nvtx.pop};
static function *core2[PLACES] = {
    [4] = (function *)&nvtx.push_in, [5] = (function *)&nvtx.pop_in, [11] = (function *)&nvtx.intern_wide};

static int functions_of(int module, function ***table, unsigned *count)
{
    *table = module == CORE ? core : module == CORE2 ? core2 : NULL;
    *count = PLACES;
    return *table != NULL;
}

static const struct {
    size_t size;
    int (*functions_of)(int, function ***, unsigned *);
} callbacks = {sizeof callbacks, functions_of};

static const void *table_of(uint32_t number)
{
    return number == CALLBACKS ? &callbacks : NULL;
}

static int open_nvtx(void)
{
    const char *path = getenv("NVTX_INJECTION64_PATH");
    void *library = path ? dlopen(path, RTLD_LAZY) : NULL;
    int (*initialise)(const void *(*)(uint32_t)) = NULL;
    if (library)
        *(void **)&initialise = dlsym(library, "InitializeInjectionNvtx2");
    return initialise && initialise(table_of) && nvtx.push && nvtx.push_wide && nvtx.intern_wide;
}

static CUcontext context;
static CUfunction nothing, other;

static int launch(CUfunction kernel)
{
    return (int)cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL);
}

/* A thread that works for the main one, as PyTorch's for backward passes. */
static void *work(void *unused)
{
    int wrong = cuCtxSetCurrent(context) || launch(nothing);
    (void)unused;
    wrong |= nvtx.push("of the thread") != 0;
    wrong |= launch(nothing);
    nvtx.push("left open");
    return (void *)(intptr_t)wrong;
}

static int in_thread(void)
{
    pthread_t thread;
    void *wrong = NULL;
    return pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, &wrong) || wrong;
}

static int nested(void)
{
    char name[] = "forward";
    int wrong = nvtx.push(name) != 0;
    memset(name, '?', sizeof name - 1); /* the name is the program's, and may change */
    wrong |= nvtx.push("empty") != 1 || nvtx.pop() != 1;
    for (int i = 0; i < 2; i++)
        wrong |= nvtx.push("layer") != 1 || launch(nothing) || launch(other) || nvtx.pop() != 1;
    wrong |= launch(nothing);
    wrong |= nvtx.pop() != 0 || nvtx.pop() != -1;
    return wrong;
}

static int odd_names(void)
{
    struct attributes registered = {.message_kind = 3, .message = nvtx.intern_wide(NULL, L"\u6f22 <b>&")};
    struct attributes unnamed = {.message_kind = 0};
    int wrong = nvtx.push("a\"b\\c\n\033[31m\xff/") != 0 || launch(nothing) || nvtx.pop() != 0;
    wrong |= nvtx.push_wide(L"gr\u00fc\u00df \U0001f600") != 0 || nvtx.push_in(NULL, &registered) != 1;
    wrong |= nvtx.push_in(NULL, &unnamed) != 2 || launch(nothing);
    wrong |= nvtx.pop_in(NULL) != 2 || nvtx.pop() != 1 || nvtx.pop() != 0;
    return wrong;
}

/* Ranges by number, which overlap; a launch between. */
static int overlapping(void)
{
    uint64_t first = nvtx.start("first"), second = nvtx.start("second");
    int wrong = !first || first == second || launch(nothing);
    nvtx.end(first);
    nvtx.end(first);
    wrong |= launch(nothing);
    nvtx.end(second);
    return wrong;
}

int main(int count, char **arguments)
{
    CUdevice device;
    CUmodule module;
    if (count > 1 && strcmp(arguments[1], "nothing") == 0)
        return 0;
    int wrong = !open_nvtx();
    if (!wrong && count > 1 && strcmp(arguments[1], "idle") == 0)
        return nvtx.push("idle") || nvtx.pop();
    wrong = wrong || nvtx.push("before the first call") || nvtx.pop(); /* nobody has used CUDA yet */
    wrong = wrong || cuInit(0) || cuDeviceGet(&device, 0) || cuCtxCreate(&context, NULL, 0, device) ||
            cuModuleLoadData(&module, text) || cuModuleGetFunction(&nothing, module, "nothing") ||
            cuModuleGetFunction(&other, module, "other") || launch(nothing) || nested() || odd_names() || overlapping();
    wrong = wrong || nvtx.push("backward") || in_thread() || nvtx.pop();
    for (int i = 0; !wrong && i < DEEP; i++)
        wrong = nvtx.push("deep") != i;
    wrong = wrong || launch(nothing) || cuCtxSynchronize(); /* these ranges never end */
    puts(wrong ? "wrong" : "right");
    return wrong;
}
