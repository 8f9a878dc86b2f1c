/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that marks parts of itself, in C, with device code as PTX text. Launches are numbered from 1:
 *   1, 2   outside; 2 writes what 3 and 7 read
 *   3      between cuProfilerStart and Stop
 *   4      in a range "setup" of NVTX
 *   5, 6   in a range "solve"; 6 also in a range "inner" of a domain, with a registered name
 *   7      in a range that is started and ended by its number, "solve again"
 *   8      outside
 * It reaches NVTX as NVTX's header does: by the library that NVTX_INJECTION64_PATH names, and tables of its own. Its
 * value is checked. Status 0: right.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "maniple/driver.h"

static const char text[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry raise(.param .u64 words)\n{\n"
    "  .reg .u32 %r<6>; .reg .u64 %d<4>;\n"
    "  ld.param.u64 %d1, [words]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "  mad.lo.u32 %r4, %r1, %r2, %r3; mul.wide.u32 %d2, %r4, 4; add.u64 %d3, %d1, %d2;\n"
    "  ld.global.u32 %r5, [%d3]; add.u32 %r5, %r5, 1; st.global.u32 [%d3], %r5; ret;\n}\n";

/* ===== as in NVTX's header ===== */

enum { CALLBACKS = 1, CORE = 1, CORE2 = 5, PLACES = 16 };

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
    int (*push)(const char *), (*pop)(void);
    int (*push_in)(void *, const struct attributes *), (*pop_in)(void *);
    const void *(*intern)(void *, const char *);
} nvtx;

static function *core[PLACES] = {[5] = (function *)&nvtx.start,
                                 [7] = (function *)&nvtx.end,
                                 [9] = (function *)&nvtx.push,
                                 [11] = (function *)&nvtx.pop};
static function *core2[PLACES] = {
    [4] = (function *)&nvtx.push_in, [5] = (function *)&nvtx.pop_in, [10] = (function *)&nvtx.intern};

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

static void open_nvtx(void)
{
    const char *path = getenv("NVTX_INJECTION64_PATH");
    void *library = path ? dlopen(path, RTLD_LAZY) : NULL;
    int (*initialise)(const void *(*)(uint32_t)) = NULL;
    if (library)
        *(void **)&initialise = dlsym(library, "InitializeInjectionNvtx2");
    if (!initialise || !initialise(table_of))
        puts("no NVTX");
}

/* ===== the work ===== */

enum { BLOCKS = 64, THREADS = 128, WORDS = BLOCKS * THREADS };

static CUfunction raise;
static CUdeviceptr words;

static int launch(void)
{
    void *arguments[] = {&words};
    return (int)cuLaunchKernel(raise, BLOCKS, 1, 1, THREADS, 1, 1, 0, NULL, arguments, NULL);
}

static int marked(void)
{
    struct attributes inner = {.message_kind = 3, .message = nvtx.intern ? nvtx.intern(NULL, "inner") : NULL};
    int wrong = 0;
    if (nvtx.push)
        wrong |= nvtx.push("setup") != 0;
    wrong |= launch();
    if (nvtx.push)
        wrong |= nvtx.pop() != 0 || nvtx.push("solve") != 0;
    wrong |= launch();
    if (nvtx.push)
        wrong |= nvtx.push_in(NULL, &inner) != 1;
    wrong |= launch();
    if (nvtx.push)
        wrong |= nvtx.pop_in(NULL) != 1 || nvtx.pop() != 0 || nvtx.pop() >= 0;
    uint64_t range = nvtx.start ? nvtx.start("solve again") : 0;
    wrong |= launch();
    if (nvtx.end)
        nvtx.end(range);
    return wrong;
}

int main(void)
{
    static uint32_t values[WORDS];
    CUdevice device;
    CUcontext context;
    CUmodule module;
    int wrong = cuInit(0) || cuDeviceGet(&device, 0) || cuCtxCreate(&context, NULL, 0, device) ||
                cuModuleLoadData(&module, text) || cuModuleGetFunction(&raise, module, "raise") ||
                cuMemAlloc(&words, sizeof values) || cuMemsetD32(words, 0, WORDS);
    open_nvtx();
    wrong |= launch() || launch();
    wrong |= cuProfilerStart() || launch() || cuProfilerStop();
    wrong |= marked();
    wrong |= launch() || cuMemcpyDtoH(values, words, sizeof values);
    for (int i = 0; i < WORDS; i++)
        wrong |= values[i] != 8;
    puts(wrong ? "wrong" : "right");
    return wrong;
}
