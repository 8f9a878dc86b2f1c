/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver API, for a program in C that brings its PTX as text and is linked with libcuda.so.1 as any other is. */
#include "maniple/driver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h> /* behind what it needs */

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"

enum { COUNT = 1000 };

/* c[i] = a[i] + b[i] · bias[0], i < n */
static const char add_ptx[] =
    HEAD ".visible .global .align 4 .u32 bias[2] = {1, 7};\n"
         ".visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)\n{\n"
         ".reg .pred p; .reg .b32 r<10>; .reg .b64 d<8>;\n"
         "ld.param.u64 d1,[a]; ld.param.u64 d2,[b]; ld.param.u64 d3,[c]; ld.param.u32 r1,[n];\n"
         "mov.u32 r2,%ctaid.x; mov.u32 r3,%ntid.x; mov.u32 r4,%tid.x; mad.lo.s32 r5,r2,r3,r4;\n"
         "setp.ge.u32 p,r5,r1; @p ret; mul.wide.u32 d4,r5,4; add.s64 d1,d1,d4; add.s64 d2,d2,d4; add.s64 d3,d3,d4;\n"
         "ld.global.u32 r6,[d1]; ld.global.u32 r7,[d2]; ld.global.u32 r8,[bias]; mad.lo.u32 r9,r7,r8,r6;\n"
         "st.global.u32 [d3],r9; ret;\n}\n"
         ".visible .entry second()\n{ ret; }\n";

static int set_up(void **state)
{
    static CUcontext context; /* of one test */
    assert_int_equal(cuInit(0), CUDA_SUCCESS);
    assert_int_equal(cuCtxCreate(&context, NULL, 0, 0), CUDA_SUCCESS);
    *state = context;
    return 0;
}

static int tear_down(void **state)
{
    assert_int_equal(cuCtxDestroy(*state), CUDA_SUCCESS);
    return 0;
}

static CUfunction load(const char *ptx, const char *name)
{
    CUmodule module;
    CUfunction function;
    assert_int_equal(cuModuleLoadData(&module, ptx), CUDA_SUCCESS);
    assert_int_equal(cuModuleGetFunction(&function, module, name), CUDA_SUCCESS);
    return function;
}

static CUdeviceptr allocate(size_t bytes)
{
    CUdeviceptr address;
    assert_int_equal(cuMemAlloc(&address, bytes), CUDA_SUCCESS);
    return address;
}

static void beginning(void **state)
{
    (void)state;
    CUcontext context = NULL, other, third;
    CUmodule module;
    int count, version, value, major, minor;
    char name[40];
    assert_int_equal(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
    assert_int_equal(cuInit(1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuInit(0), CUDA_SUCCESS);
    assert_int_equal(cuDriverGetVersion(&version), CUDA_SUCCESS);
    assert_int_equal(version, 13000);
    assert_int_equal(cuDeviceGetCount(&count), CUDA_SUCCESS);
    assert_int_equal(count, 1);
    assert_int_equal(cuDeviceGet(&value, 1), CUDA_ERROR_INVALID_DEVICE);
    assert_int_equal(cuDeviceGetName(name, sizeof name, 0), CUDA_SUCCESS);
    assert_string_equal(name, "Maniple rtx3070");
    assert_int_equal(cuDeviceComputeCapability(&major, &minor, 0), CUDA_SUCCESS);
    assert_int_equal(major * 10 + minor, 86);
    assert_int_equal(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0), CUDA_SUCCESS);
    assert_int_equal(value, 46);
    /* Without a context, nothing can be made. */
    assert_int_equal(cuModuleLoadData(&module, add_ptx), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(cuCtxGetCurrent(&context), CUDA_SUCCESS);
    assert_null(context);
    assert_int_equal(cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
    assert_int_equal(cuCtxSetCurrent(context), CUDA_SUCCESS);
    CUctxCreateParams half = {.numExecAffinityParams = 1}, nothing = {0};
    assert_int_equal(cuCtxCreate(&other, &half, 0, 0), CUDA_ERROR_NOT_SUPPORTED);
    assert_int_equal(cuCtxCreate(&other, &nothing, 0, 0), CUDA_SUCCESS);
    assert_ptr_not_equal(other, context);
    assert_int_equal(cuCtxPopCurrent(&third), CUDA_SUCCESS);
    assert_ptr_equal(third, other);
    assert_int_equal(cuCtxGetCurrent(&third), CUDA_SUCCESS);
    assert_ptr_equal(third, context);
    assert_int_equal(cuCtxPushCurrent(other), CUDA_SUCCESS);
    assert_int_equal(cuCtxDestroy(other), CUDA_SUCCESS);
    assert_int_equal(cuCtxPushCurrent(other), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(cuCtxPushCurrent((CUcontext)12345), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(cuCtxSetCurrent(NULL), CUDA_SUCCESS);
    assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
}

static void *thread(void *context)
{
    CUdeviceptr address;
    assert_int_equal(cuMemAlloc(&address, 4), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(cuCtxSetCurrent(context), CUDA_SUCCESS);
    assert_int_equal(cuMemAlloc(&address, 4), CUDA_SUCCESS);
    assert_int_equal(cuMemFree(address), CUDA_SUCCESS);
    return NULL;
}

/* A context is current in the threads that have made it so, and in no other. */
static void threads(void **state)
{
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, thread, *state), 0);
    pthread_join(other, NULL);
}

/* Arguments one by one and in a buffer; the names of the module's variables and functions. */
static void launches(void **state)
{
    (void)state;
    CUmodule module;
    CUfunction function, all[3];
    CUdeviceptr a = allocate(4 * COUNT), b = allocate(4 * COUNT), c = allocate(4 * COUNT), bias;
    unsigned n = COUNT, host[COUNT], count, two = 2;
    size_t bytes, offset;
    void *arguments[] = {&a, &b, &c, &n};
    assert_int_equal(cuModuleLoadData(&module, add_ptx), CUDA_SUCCESS);
    assert_int_equal(cuModuleGetFunction(&function, module, "add"), CUDA_SUCCESS);
    assert_int_equal(cuModuleGetGlobal(&bias, &bytes, module, "bias"), CUDA_SUCCESS);
    assert_int_equal(bytes, 8);
    assert_int_equal(cuModuleGetFunctionCount(&count, module), CUDA_SUCCESS);
    assert_int_equal(count, 2);
    assert_int_equal(cuModuleEnumerateFunctions(all, 3, module), CUDA_SUCCESS);
    assert_ptr_equal(all[0], function);
    assert_int_equal(cuFuncGetParamInfo(function, 3, &offset, &bytes), CUDA_SUCCESS);
    assert_true(offset == 24 && bytes == 4);
    assert_int_equal(cuFuncGetParamInfo(function, 4, &offset, &bytes), CUDA_ERROR_INVALID_VALUE);
    for (unsigned i = 0; i < COUNT; i++)
        host[i] = i * i;
    assert_int_equal(cuMemcpyHtoD(a, host, sizeof host), CUDA_SUCCESS);
    assert_int_equal(cuMemsetD32(b, 3, COUNT), CUDA_SUCCESS);
    assert_int_equal(cuLaunchKernel(function, 8, 1, 1, 128, 1, 1, 0, NULL, arguments, NULL), CUDA_SUCCESS);
    assert_int_equal(cuMemcpyDtoH(host, c, sizeof host), CUDA_SUCCESS);
    for (unsigned i = 0; i < COUNT; i++)
        assert_int_equal(host[i], i * i + 3);
    assert_int_equal(cuMemcpyHtoD(bias, &two, 4), CUDA_SUCCESS);
    struct {
        CUdeviceptr a, b, c;
        unsigned n;
    } packed = {a, b, c, n};
    size_t size = 28;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    assert_int_equal(cuLaunchKernel(function, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, extra), CUDA_SUCCESS);
    assert_int_equal(cuMemcpyDtoH(host, c, sizeof host), CUDA_SUCCESS);
    for (unsigned i = 0; i < COUNT; i++)
        assert_int_equal(host[i], i * i + 6);
    size = 30; /* more than there is; and less: the last argument's upper half is zero */
    assert_int_equal(cuLaunchKernel(function, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, extra), CUDA_SUCCESS);
    packed.n = UINT32_C(0x7fff0000) | COUNT;
    size = 26;
    assert_int_equal(cuMemsetD32(c, 0, COUNT), CUDA_SUCCESS);
    assert_int_equal(cuLaunchKernel(function, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, extra), CUDA_SUCCESS);
    assert_int_equal(cuMemcpyDtoH(host, c, sizeof host), CUDA_SUCCESS);
    for (unsigned i = 0; i < COUNT; i++)
        assert_int_equal(host[i], i * i + 6);
    size = 24; /* the last argument is missing */
    assert_int_equal(cuLaunchKernel(function, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, extra), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuLaunchKernel(function, 8, 1, 1, 128, 1, 1, 0, NULL, arguments, extra), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuLaunchKernel(function, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuModuleUnload(module), CUDA_SUCCESS);
    assert_int_equal(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuLaunchKernel(function, 8, 1, 1, 128, 1, 1, 0, NULL, arguments, NULL), CUDA_ERROR_INVALID_HANDLE);
}

static void wrong_launches(void **state)
{
    (void)state;
    CUfunction function = load(add_ptx, "second");
    assert_int_equal(cuLaunchKernel(function, 0, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuLaunchKernel(function, 1, 1, 1, 1025, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuLaunchKernel(function, 1, 65536, 1, 32, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 48 * 1024 + 1, NULL, NULL, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuLaunchKernel((CUfunction)&function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL),
                     CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, (CUstream)9999, NULL, NULL),
                     CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 48 * 1024, NULL, NULL, NULL), CUDA_SUCCESS);
    assert_int_equal(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 99 * 1024),
                     CUDA_SUCCESS);
    assert_int_equal(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 99 * 1024, NULL, NULL, NULL), CUDA_SUCCESS);
}

/* Modules that cannot be loaded: the error of the real driver, and the reason in the log that the caller gives. */
static void wrong_modules(void **state)
{
    (void)state;
    CUmodule module;
    CUfunction function;
    CUdeviceptr address;
    size_t bytes;
    char log[200] = "";
    /* Of the length that it states, for the call says none; its first entry is nothing. */
    static const unsigned char short_fatbin[16 + 0xff] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, 0xff};
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    assert_int_equal(cuModuleLoadDataEx(&module, HEAD ".entry f()\n{ ad.u32 r; }", 2, options, values),
                     CUDA_ERROR_INVALID_PTX);
    assert_non_null(strstr(log, ":5:11: nothing here is named `r`"));
    assert_int_equal((size_t)values[1], strlen(log) + 1);
    assert_int_equal(cuModuleLoadData(&module, "this is no PTX"), CUDA_ERROR_INVALID_PTX);
    assert_int_equal(cuModuleLoadData(&module, ""), CUDA_ERROR_INVALID_IMAGE);
    assert_int_equal(cuModuleLoadData(&module, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuModuleLoadData(&module, "\x7f"
                                               "ELF\2\1\1"),
                     CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert_int_equal(cuModuleLoadData(&module, short_fatbin), CUDA_ERROR_INVALID_IMAGE);
    assert_int_equal(cuModuleLoadData(&module, ".version 8.0\n.target sm_90\n.address_size 64\n"),
                     CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert_int_equal(cuModuleLoad(&module, "/nonexistent/file.ptx"), CUDA_ERROR_FILE_NOT_FOUND);
    assert_int_equal(cuModuleLoadData(&module, add_ptx), CUDA_SUCCESS);
    assert_int_equal(cuModuleGetFunction(&function, module, "ad"), CUDA_ERROR_NOT_FOUND);
    assert_int_equal(cuModuleGetFunction(&function, module, "bias"), CUDA_ERROR_NOT_FOUND);
    assert_int_equal(cuModuleGetGlobal(&address, &bytes, module, "add"), CUDA_ERROR_NOT_FOUND);
    assert_int_equal(cuModuleGetFunction(&function, (CUmodule)&module, "add"), CUDA_ERROR_INVALID_HANDLE);
}

/* Two modules that need each other's names, and have names of their own that are alike. */
static const char first_ptx[] =
    HEAD ".extern .func (.param .b32 r) twice(.param .b32 x);\n.extern .global .align 4 .u32 table[4];\n"
         ".visible .global .align 4 .u32 bias = 5;\n.global .align 4 .u32 own = 100;\n"
         ".weak .global .align 4 .u32 soft = 1;\n"
         ".weak .func (.param .b32 r) choice() { st.param.b32 [r], 1; ret; }\n"
         ".visible .entry f(.param .u64 o)\n{\n.reg .b32 r<8>; .reg .b64 d;\n"
         "mov.u32 r1,%tid.x;\n{ .param .b32 a; .param .b32 b; st.param.b32 [a],r1; call (b),twice,(a);\n"
         "ld.param.b32 r2,[b]; }\n{ .param .b32 b; call (b),choice; ld.param.b32 r6,[b]; }\n"
         "ld.global.u32 r3,[table+4]; ld.global.u32 r4,[own]; ld.global.u32 r5,[soft];\n"
         "add.u32 r2,r2,r3; add.u32 r2,r2,r4; add.u32 r2,r2,r5; add.u32 r2,r2,r6; ld.param.u64 d,[o];\n"
         "st.global.u32 [d],r2; ret;\n}\n";
static const char second_ptx[] =
    HEAD ".visible .global .align 4 .u32 table[4] = {10, 20};\n.extern .global .align 4 .u32 bias;\n"
         ".global .align 4 .u32 own = 2;\n.visible .global .align 4 .u32 soft = 3000;\n"
         ".visible .global .align 8 .u64 where = bias;\n"
         ".visible .func (.param .b32 r) choice() { st.param.b32 [r], 40000; ret; }\n"
         ".visible .func (.param .b32 r) twice(.param .b32 x)\n{\n.reg .b32 a<4>;\n"
         "ld.param.b32 a1,[x]; ld.global.u32 a2,[own]; mul.lo.u32 a1,a1,a2; ld.global.u32 a3,[bias];\n"
         "add.u32 a1,a1,a3; st.param.b32 [r],a1; ret;\n}\n";

static CUresult link_two(const char *one, const char *two, CUmodule *module)
{
    CUlinkState link;
    void *image;
    size_t bytes;
    assert_int_equal(cuLinkCreate(0, NULL, NULL, &link), CUDA_SUCCESS);
    assert_int_equal(
        cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)(uintptr_t)one, strlen(one) + 1, "one", 0, NULL, NULL),
        CUDA_SUCCESS);
    assert_int_equal(
        cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)(uintptr_t)two, strlen(two) + 1, "two", 0, NULL, NULL),
        CUDA_SUCCESS);
    CUresult problem = cuLinkComplete(link, &image, &bytes);
    if (!problem)
        assert_int_equal(cuModuleLoadData(module, image), CUDA_SUCCESS);
    assert_int_equal(cuLinkDestroy(link), CUDA_SUCCESS);
    assert_int_equal(cuLinkComplete(link, &image, &bytes), CUDA_ERROR_INVALID_HANDLE);
    return problem;
}

static void linking(void **state)
{
    (void)state;
    CUmodule module;
    CUfunction function;
    CUdeviceptr out = allocate(128), bias, where, pointer;
    unsigned value;
    void *arguments[] = {&out};
    for (unsigned order = 0; order < 2; order++) { /* what is common is so in either order */
        assert_int_equal(link_two(order ? second_ptx : first_ptx, order ? first_ptx : second_ptx, &module),
                         CUDA_SUCCESS);
        assert_int_equal(cuModuleGetFunction(&function, module, "f"), CUDA_SUCCESS);
        assert_int_equal(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL), CUDA_SUCCESS);
        assert_int_equal(cuMemcpyDtoH(&value, out, 4), CUDA_SUCCESS);
        /* twice(0) = 5, table[1], its own 100, the strong definitions of soft and choice */
        assert_int_equal(value, 5 + 20 + 100 + 3000 + 40000);
        assert_int_equal(cuModuleGetGlobal(&bias, NULL, module, "bias"), CUDA_SUCCESS);
        assert_int_equal(cuModuleGetGlobal(&where, NULL, module, "where"), CUDA_SUCCESS);
        assert_int_equal(cuMemcpyDtoH(&pointer, where, 8), CUDA_SUCCESS);
        assert_true(pointer == bias);
    }
    /* One alone lacks names; two definitions are one too many. */
    assert_int_equal(cuModuleLoadData(&module, first_ptx), CUDA_SUCCESS);
    assert_int_equal(cuModuleGetFunction(&function, module, "f"), CUDA_ERROR_INVALID_PTX);
    assert_int_equal(link_two(first_ptx, first_ptx, &module), CUDA_ERROR_INVALID_PTX);
    assert_int_equal(link_two(second_ptx, second_ptx, &module), CUDA_ERROR_INVALID_PTX);
}

static void memory(void **state)
{
    (void)state;
    CUdeviceptr address, base;
    size_t bytes, pitch, available, total;
    unsigned short halves[64];
    void *pinned;
    assert_int_equal(cuMemAlloc(&address, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemAlloc(&address, (size_t)1 << 50), CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(cuMemAllocPitch(&address, &pitch, 100, 4, 4), CUDA_SUCCESS);
    assert_true(pitch >= 100);
    assert_int_equal(cuMemGetAddressRange(&base, &bytes, address + pitch + 5), CUDA_SUCCESS);
    assert_true(base == address && bytes == 4 * pitch);
    assert_int_equal(cuMemsetD8(address, 0, 4 * pitch), CUDA_SUCCESS);
    assert_int_equal(cuMemsetD2D16(address, pitch, 0x1234, 32, 4), CUDA_SUCCESS);
    assert_int_equal(cuMemsetD16(address + 1, 1, 4), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemcpyDtoH(halves, address + 3 * pitch, sizeof halves), CUDA_SUCCESS);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(halves[i], i < 32 ? 0x1234 : 0);
    assert_int_equal(cuMemcpyDtoH(halves, address + 4 * pitch, 2), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemFree(address + 4), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemFree(address), CUDA_SUCCESS);
    assert_int_equal(cuMemGetInfo(&available, &total), CUDA_SUCCESS);
    assert_true(available == total && total == (size_t)8 << 30); /* the board's: an RTX 3070 without a word */
    assert_int_equal(cuMemAllocHost(&pinned, 100), CUDA_SUCCESS);
    unsigned type;
    assert_int_equal(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)pinned), CUDA_SUCCESS);
    assert_int_equal(type, CU_MEMORYTYPE_HOST);
    assert_int_equal(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(size_t)&type),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemFreeHost(pinned), CUDA_SUCCESS);
}

static size_t dynamic_of(int threads)
{
    return (size_t)threads * 32;
}

/* What a multiprocessor of compute capability 8.6 holds: 1536 threads, 16 blocks, 100 KiB with 1 KiB for each block. */
static void occupancy(void **state)
{
    (void)state;
    CUfunction function = load(add_ptx, "second");
    int blocks, grid, size;
    size_t bytes;
    assert_int_equal(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 256, 0), CUDA_SUCCESS);
    assert_int_equal(blocks, 6);
    assert_int_equal(cuOccupancyMaxPotentialBlockSize(&grid, &size, function, NULL, 0, 0), CUDA_SUCCESS);
    assert_true(size == 768 && grid == 2 * 46);
    /* 32 bytes for each thread, in blocks of at most 512: 3 of them need 51 KiB */
    assert_int_equal(cuOccupancyMaxPotentialBlockSize(&grid, &size, function, dynamic_of, 0, 512), CUDA_SUCCESS);
    assert_true(size == 512 && grid == 3 * 46);
    assert_int_equal(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, function, 4, 128), CUDA_SUCCESS);
    assert_int_equal(bytes, 24 * 1024);
    assert_int_equal(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, function, 17, 128), CUDA_ERROR_INVALID_VALUE);
}

/* Clusters on a machine that has none: 256 threads are 6 blocks on each of 46 SMs, in GPCs of 8, 8, 8, 8, 7 and 7. */
static void clusters(void **state)
{
    (void)state;
    CUfunction function = load(add_ptx, "second");
    CUlaunchAttribute cluster = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value.clusterDim = {2, 2, 1}};
    const CUlaunchConfig launch = {4, 4, 1, 256, 1, 1, 0, NULL, &cluster, 1},
                         odd = {4, 3, 1, 256, 1, 1, 0, NULL, &cluster, 1};
    CUdeviceptr nowhere = 0;
    void *arguments[] = {&nowhere, &nowhere, &nowhere, &nowhere};
    int value;
    assert_int_equal(cuOccupancyMaxActiveClusters(&value, function, &launch), CUDA_SUCCESS);
    assert_int_equal(value, 4 * (48 / 4) + 2 * (42 / 4));
    assert_int_equal(cuOccupancyMaxPotentialClusterSize(&value, function, &launch), CUDA_SUCCESS);
    assert_int_equal(value, 1);
    assert_int_equal(cuOccupancyMaxActiveClusters(&value, function, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuLaunchKernelEx(&odd, function, arguments, NULL), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    assert_int_equal(cuLaunchKernelEx(&launch, function, arguments, NULL), CUDA_ERROR_NOT_SUPPORTED);
    CUlaunchAttribute others[] = {{.id = (CUlaunchAttributeID)13}, {.id = (CUlaunchAttributeID)77}};
    const CUlaunchConfig absent = {4, 4, 1, 256, 1, 1, 0, NULL, NULL, 1},
                         updatable = {4, 4, 1, 256, 1, 1, 0, NULL, &others[0], 1},
                         unknown = {4, 4, 1, 256, 1, 1, 0, NULL, &others[1], 1};
    assert_int_equal(cuLaunchKernelEx(&absent, function, arguments, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuLaunchKernelEx(&updatable, function, arguments, NULL), CUDA_ERROR_NOT_SUPPORTED);
    assert_int_equal(cuLaunchKernelEx(&unknown, function, arguments, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuOccupancyMaxActiveClusters(&value, function, &absent), CUDA_ERROR_INVALID_VALUE);
    cluster.value.clusterDim.y = 8;
    assert_int_equal(cuOccupancyMaxActiveClusters(&value, function, &launch), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    assert_int_equal(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
                     CUDA_SUCCESS);
    assert_int_equal(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, function),
                     CUDA_SUCCESS);
    assert_int_equal(value, 1);
    assert_int_equal(cuOccupancyMaxActiveClusters(&value, function, &launch), CUDA_SUCCESS);
    assert_int_equal(value, 4 * (48 / 16) + 2 * (42 / 16));
}

static void pools(void **state)
{
    (void)state;
    CUmemoryPool pool, own;
    CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    CUdeviceptr address;
    uint64_t value = 1 << 20, back;
    static char memory[4096];
    unsigned flags;
    assert_int_equal(cuDeviceGetDefaultMemPool(&pool, 0), CUDA_SUCCESS);
    assert_int_equal(cuMemPoolCreate(&own, &properties), CUDA_SUCCESS);
    assert_int_equal(cuMemPoolSetAttribute(own, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value), CUDA_SUCCESS);
    assert_int_equal(cuMemPoolGetAttribute(own, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &back), CUDA_SUCCESS);
    assert_int_equal(back, value);
    assert_int_equal(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &back), CUDA_SUCCESS);
    assert_int_equal(back, 0);
    assert_int_equal(cuMemAllocFromPoolAsync(&address, 4096, own, NULL), CUDA_SUCCESS);
    assert_int_equal(cuMemFreeAsync(address, NULL), CUDA_SUCCESS);
    assert_int_equal(cuMemPoolDestroy(own), CUDA_SUCCESS);
    assert_int_equal(cuMemAllocFromPoolAsync(&address, 4096, own, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemPoolDestroy(pool), CUDA_ERROR_INVALID_VALUE); /* the device's own */
    assert_int_equal(cuMemHostRegister(memory, sizeof memory, 0), CUDA_SUCCESS);
    assert_int_equal(cuMemHostRegister(memory + 100, 1, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    assert_int_equal(cuMemHostGetFlags(&flags, memory + 5), CUDA_SUCCESS);
    assert_int_equal(cuMemHostGetDevicePointer(&address, memory, 0), CUDA_ERROR_NOT_SUPPORTED);
    assert_int_equal(cuMemHostUnregister(memory + 1), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    assert_int_equal(cuMemHostUnregister(memory), CUDA_SUCCESS);
    assert_int_equal(cuMemHostUnregister(memory), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

static void libraries(void **state)
{
    (void)state;
    CUlibrary library, of;
    CUkernel kernel;
    CUfunction function;
    CUdeviceptr bias;
    unsigned count;
    size_t bytes;
    assert_int_equal(cuLibraryLoadData(&library, add_ptx, NULL, NULL, 0, NULL, NULL, 0), CUDA_SUCCESS);
    assert_int_equal(cuLibraryGetKernelCount(&count, library), CUDA_SUCCESS);
    assert_int_equal(count, 2);
    assert_int_equal(cuLibraryGetKernel(&kernel, library, "second"), CUDA_SUCCESS);
    assert_int_equal(cuKernelGetLibrary(&of, kernel), CUDA_SUCCESS);
    assert_ptr_equal(of, library);
    assert_int_equal(cuKernelGetFunction(&function, kernel), CUDA_SUCCESS);
    assert_int_equal(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), CUDA_SUCCESS);
    assert_int_equal(cuLibraryGetGlobal(&bias, &bytes, library, "bias"), CUDA_SUCCESS);
    assert_int_equal(bytes, 8);
    assert_int_equal(cuLibraryUnload(library), CUDA_SUCCESS);
    assert_int_equal(cuLibraryGetKernel(&kernel, library, "second"), CUDA_ERROR_INVALID_HANDLE);
}

/* A cooperative grid may be as large as the device, and no larger. */
static void cooperation(void **state)
{
    (void)state;
    CUfunction function = load(add_ptx, "second");
    assert_int_equal(cuLaunchCooperativeKernel(function, 46 * 16, 1, 1, 32, 1, 1, 0, NULL, NULL), CUDA_SUCCESS);
    assert_int_equal(cuLaunchCooperativeKernel(function, 46 * 16 + 1, 1, 1, 32, 1, 1, 0, NULL, NULL),
                     CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
}

/* A box goes from the host into an array, from there into memory with gaps, and back. */
static void boxes(void **state)
{
    (void)state;
    enum { WIDTH = 7, HEIGHT = 5, DEPTH = 4 };
    CUarray array;
    CUDA_ARRAY3D_DESCRIPTOR shape = {.Width = WIDTH,
                                     .Height = HEIGHT,
                                     .Depth = DEPTH,
                                     .Format = CU_AD_FORMAT_SIGNED_INT32,
                                     .NumChannels = 2},
                            seen;
    int host[DEPTH][HEIGHT][WIDTH][2], back[DEPTH][HEIGHT][WIDTH][2];
    for (int i = 0; i < WIDTH * HEIGHT * DEPTH * 2; i++)
        (&host[0][0][0][0])[i] = i * 3 + 1;
    memset(back, 0, sizeof back);
    assert_int_equal(cuArray3DCreate(&array, &shape), CUDA_SUCCESS);
    assert_int_equal(cuArray3DGetDescriptor(&seen, array), CUDA_SUCCESS);
    assert_memory_equal(&seen, &shape, sizeof seen);
    CUDA_MEMCPY3D in = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                        .srcHost = host,
                        .srcPitch = sizeof host[0][0],
                        .srcHeight = HEIGHT,
                        .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                        .dstArray = array,
                        .WidthInBytes = sizeof host[0][0],
                        .Height = HEIGHT,
                        .Depth = DEPTH};
    assert_int_equal(cuMemcpy3D(&in), CUDA_SUCCESS);
    CUdeviceptr memory = allocate(8192);
    CUDA_MEMCPY3D part = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                          .srcArray = array,
                          .srcXInBytes = 8,
                          .srcY = 1,
                          .srcZ = 2,
                          .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                          .dstDevice = memory,
                          .dstPitch = 128,
                          .dstHeight = 10,
                          .WidthInBytes = 40,
                          .Height = 3,
                          .Depth = 2};
    assert_int_equal(cuMemcpy3D(&part), CUDA_SUCCESS);
    CUDA_MEMCPY3D out = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                         .srcDevice = memory,
                         .srcPitch = 128,
                         .srcHeight = 10,
                         .dstMemoryType = CU_MEMORYTYPE_HOST,
                         .dstHost = back,
                         .dstPitch = sizeof back[0][0],
                         .dstHeight = HEIGHT,
                         .dstXInBytes = 8,
                         .dstY = 1,
                         .dstZ = 2,
                         .WidthInBytes = 40,
                         .Height = 3,
                         .Depth = 2};
    assert_int_equal(cuMemcpy3D(&out), CUDA_SUCCESS);
    for (int z = 0; z < DEPTH; z++)
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++) {
                bool inside = z >= 2 && y >= 1 && y < 4 && x >= 1 && x < 6;
                assert_int_equal(back[z][y][x][1], inside ? host[z][y][x][1] : 0);
            }
    part.Depth = 3; /* beyond the array */
    assert_int_equal(cuMemcpy3D(&part), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuArrayDestroy(array), CUDA_SUCCESS);
    assert_int_equal(cuArrayDestroy(array), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuMemcpy3D(&in), CUDA_ERROR_INVALID_HANDLE);
}

/* Bytes are read as fractions between two texels, or as they are. */
static void textures(void **state)
{
    (void)state;
    static const char ptx[] = HEAD
        ".visible .entry read(.param .u64 t, .param .u64 o)\n{\n.reg .b64 d<3>; .reg .f32 f<6>;\n"
        "ld.param.u64 d1,[t]; ld.param.u64 d2,[o]; mov.f32 f1,0f40000000; mov.f32 f2,0f3f800000;\n"
        "tex.2d.v4.f32.f32 {f3,f4,f5,f5},[d1,{f1,f2}]; st.global.f32 [d2],f3;\n"
        "tex.2d.v4.s32.f32 {f3,f4,f5,f5},[d1,{f1,f2}]; st.global.f32 [d2+4],f3; ret;\n}\n"
        ".visible .entry gather(.param .u64 t, .param .u64 o)\n{\n.reg .b64 d<3>; .reg .f32 f<3>; .reg .b32 r<5>;\n"
        "ld.param.u64 d1,[t]; ld.param.u64 d2,[o]; mov.f32 f1,0f40000000; mov.f32 f2,0f3f800000;\n"
        "tld4.r.2d.v4.u32.f32 {r1,r2,r3,r4},[d1,{f1,f2}]; st.global.v4.u32 [d2],{r1,r2,r3,r4}; ret;\n}\n";
    CUfunction function = load(ptx, "read");
    CUdeviceptr texels = allocate(1024), out = allocate(16);
    unsigned char row[4] = {0, 51, 102, 255}, second[4] = {1, 52, 103, 254};
    CUtexObject texture;
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_PITCH2D,
                                   .res.pitch2D = {texels, CU_AD_FORMAT_UNSIGNED_INT8, 1, 4, 2, 512}};
    CUDA_TEXTURE_DESC how = {.addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP},
                             .filterMode = CU_TR_FILTER_MODE_LINEAR};
    float value[2];
    void *arguments[] = {&texture, &out};
    assert_int_equal(cuMemcpyHtoD(texels, row, 4), CUDA_SUCCESS);
    assert_int_equal(cuMemcpyHtoD(texels + 512, row, 4), CUDA_SUCCESS);
    assert_int_equal(cuTexObjectCreate(&texture, &resource, &how, NULL), CUDA_SUCCESS);
    assert_int_equal(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL), CUDA_SUCCESS);
    assert_int_equal(cuMemcpyDtoH(value, out, 8), CUDA_SUCCESS);
    assert_true(value[0] > 0.2999f && value[0] < 0.3001f); /* between 51/255 and 102/255 */
    assert_int_equal(cuTexObjectDestroy(texture), CUDA_SUCCESS);
    how.filterMode = CU_TR_FILTER_MODE_POINT;
    how.flags = CU_TRSF_READ_AS_INTEGER;
    assert_int_equal(cuTexObjectCreate(&texture, &resource, &how, NULL), CUDA_SUCCESS);
    assert_int_equal(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL), CUDA_SUCCESS);
    assert_int_equal(cuMemcpyDtoH(value, out, 8), CUDA_SUCCESS);
    int bits;
    memcpy(&bits, &value[1], 4);
    assert_int_equal(bits, 102);
    unsigned four[4]; /* around (2, 1): the texels 1 and 2 of rows 1 and 0 */
    CUfunction gather = load(ptx, "gather");
    assert_int_equal(cuMemcpyHtoD(texels + 512, second, 4), CUDA_SUCCESS);
    assert_int_equal(cuLaunchKernel(gather, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL), CUDA_SUCCESS);
    assert_int_equal(cuMemcpyDtoH(four, out, 16), CUDA_SUCCESS);
    assert_true(four[0] == 52 && four[1] == 103 && four[2] == 102 && four[3] == 51);
    resource.res.pitch2D.numChannels = 3;
    assert_int_equal(cuTexObjectCreate(&texture, &resource, &how, NULL), CUDA_ERROR_INVALID_VALUE);
}

/* Elements that are stored through a surface are read back by a texture of three dimensions, and by a layer's. */
static void surfaces(void **state)
{
    (void)state;
    static const char ptx[] = HEAD
        ".visible .entry write(.param .u64 s, .param .u32 layered)\n{\n.reg .pred p; .reg .b64 d; .reg .b32 r<9>;\n"
        "ld.param.u64 d,[s]; ld.param.u32 r7,[layered]; mov.u32 r1,%tid.x; mov.u32 r2,%tid.y; mov.u32 r3,%tid.z;\n"
        "mad.lo.u32 r4,r3,100,r2; mad.lo.u32 r4,r4,10,r1; add.u32 r5,r4,5000; shl.b32 r6,r1,3;\n"
        "setp.ne.u32 p,r7,0; @p bra L;\nsust.b.3d.v2.b32.trap [d,{r6,r2,r3,r3}],{r4,r5}; ret;\n"
        "L: sust.b.a2d.v2.b32.zero [d,{r3,r6,r2,r2}],{r5,r4}; ret;\n}\n"
        ".visible .entry read(.param .u64 t, .param .u64 s, .param .u64 o)\n{\n"
        ".reg .b64 d<4>; .reg .b32 r<9>; .reg .f32 f<4>;\n"
        "ld.param.u64 d1,[t]; ld.param.u64 d2,[s]; ld.param.u64 d3,[o];\n"
        "mov.f32 f1,0f40600000; mov.f32 f2,0f3fc00000; mov.f32 f3,0f40200000;\n" /* 3.5, 1.5, 2.5 */
        "tex.3d.v4.u32.f32 {r1,r2,r5,r5},[d1,{f1,f2,f3,f3}]; st.global.v2.u32 [d3],{r1,r2};\n"
        "mov.u32 r3,24; mov.u32 r4,1; mov.u32 r6,2; mov.u32 r7,3000;\n"
        "suld.b.3d.v2.b32.zero {r1,r2},[d2,{r3,r4,r6,r6}]; st.global.v2.u32 [d3+8],{r1,r2};\n"
        "suld.b.3d.v2.b32.zero {r1,r2},[d2,{r7,r4,r6,r6}]; st.global.v2.u32 [d3+16],{r1,r2};\n"
        "suld.b.3d.v2.b32.clamp {r1,r2},[d2,{r7,r4,r6,r6}]; st.global.v2.u32 [d3+24],{r1,r2}; ret;\n}\n";
    CUDA_ARRAY3D_DESCRIPTOR shape = {.Width = 7,
                                     .Height = 5,
                                     .Depth = 4,
                                     .Format = CU_AD_FORMAT_UNSIGNED_INT32,
                                     .NumChannels = 2,
                                     .Flags = CUDA_ARRAY3D_SURFACE_LDST};
    CUarray array;
    CUtexObject texture;
    CUsurfObject surface;
    CUDA_TEXTURE_DESC how = {.filterMode = CU_TR_FILTER_MODE_POINT, .flags = CU_TRSF_READ_AS_INTEGER};
    CUfunction write = load(ptx, "write"), read = load(ptx, "read");
    CUdeviceptr out = allocate(32);
    for (unsigned layered = 0; layered < 2; layered++) {
        unsigned value[8], a = (2 * 100 + 1) * 10 + 3, b = a + 5000;
        shape.Flags = CUDA_ARRAY3D_SURFACE_LDST | (layered ? CUDA_ARRAY3D_LAYERED : 0);
        assert_int_equal(cuArray3DCreate(&array, &shape), CUDA_SUCCESS);
        CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = array};
        assert_int_equal(cuTexObjectCreate(&texture, &resource, &how, NULL), CUDA_SUCCESS);
        assert_int_equal(cuSurfObjectCreate(&surface, &resource), CUDA_SUCCESS);
        void *to[] = {&surface, &layered}, *from[] = {&texture, &surface, &out};
        assert_int_equal(cuLaunchKernel(write, 1, 1, 1, 7, 5, 4, 0, NULL, to, NULL), CUDA_SUCCESS);
        assert_int_equal(cuLaunchKernel(read, 1, 1, 1, 1, 1, 1, 0, NULL, from, NULL), CUDA_SUCCESS);
        assert_int_equal(cuMemcpyDtoH(value, out, 32), CUDA_SUCCESS);
        for (unsigned i = 0; i < 4; i++) { /* outside: zero, and the last of the row */
            unsigned more = i == 3 ? 3 : 0;
            assert_int_equal(value[2 * i], i == 2 ? 0 : (layered ? b : a) + more);
            assert_int_equal(value[2 * i + 1], i == 2 ? 0 : (layered ? a : b) + more);
        }
        assert_int_equal(cuSurfObjectDestroy(surface), CUDA_SUCCESS);
        assert_int_equal(cuTexObjectDestroy(texture), CUDA_SUCCESS);
    }
}

/*
 * Phases of an mbarrier: 64 threads arrive in each, and read what the others wrote; one leaves for good; a copy's bytes
 * hold a phase back until they have come.
 */
static void phases(void **state)
{
    (void)state;
    static const char ptx[] =
        ".version 8.6\n.target sm_90\n.address_size 64\n"
        ".visible .entry phases(.param .u64 o, .param .u64 from)\n{\n.reg .pred p; .reg .pred q; .reg .b64 d<9>; "
        ".reg .b32 r<12>;\n.shared .align 8 .b64 bar; .shared .align 16 .b32 buffer[64];\n"
        "ld.param.u64 d1,[o]; ld.param.u64 d2,[from]; mov.u32 r1,%tid.x; setp.eq.u32 p,r1,0;\n"
        "@p mbarrier.init.shared.b64 [bar],64; bar.sync 0;\n"
        "mov.u32 r2,buffer; shl.b32 r3,r1,2; add.u32 r4,r2,r3; mul.lo.u32 r5,r1,r1; st.shared.u32 [r4],r5;\n"
        "mbarrier.arrive.shared.b64 d3,[bar];\n"
        "A: mbarrier.test_wait.shared.b64 q,[bar],d3; @!q bra A;\n"
        "xor.b32 r6,r3,252; add.u32 r6,r6,r2; ld.shared.u32 r7,[r6];\n" /* that of thread 63 - x */
        "mul.wide.u32 d4,r1,16; add.u64 d4,d4,d1; st.global.u32 [d4],r7;\n"
        "mbarrier.pending_count.b64 r8,d3; st.global.u32 [d4+4],r8;\n"
        "setp.eq.u32 q,r1,63; @!q bra B; mbarrier.arrive_drop.shared::cta.b64 d5,[bar]; ret;\n"
        "B: mbarrier.arrive.shared.b64 _,[bar];\n"
        "C: mbarrier.try_wait.parity.shared.b64 q,[bar],1; @!q bra C;\n" /* of 64 still, the dropped one among them */
        "@!p bra D; mbarrier.arrive.expect_tx.shared.b64 _,[bar],256;\n"
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [buffer],[d2],256,[bar]; bra E;\n"
        "D: mbarrier.arrive.shared.b64 _,[bar];\n" /* the third phase needs 63, and the bytes */
        "E: mbarrier.try_wait.parity.shared.b64 q,[bar],0; @!q bra E;\n"
        "ld.shared.u32 r7,[r4]; st.global.u32 [d4+8],r7; ret;\n}\n";
    CUfunction function = load(ptx, "phases");
    CUdeviceptr out = allocate(64 * 16), from = allocate(256);
    unsigned value[64][4], given[64], seen[65] = {0};
    for (unsigned i = 0; i < 64; i++)
        given[i] = 7000 + i;
    void *arguments[] = {&out, &from};
    assert_int_equal(cuMemcpyHtoD(from, given, sizeof given), CUDA_SUCCESS);
    assert_int_equal(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL), CUDA_SUCCESS);
    assert_int_equal(cuMemcpyDtoH(value, out, sizeof value), CUDA_SUCCESS);
    for (unsigned i = 0; i < 64; i++) {
        assert_int_equal(value[i][0], (63 - i) * (63 - i));
        assert_in_range(value[i][1], 1, 64); /* each arrival finds another number still to come */
        assert_int_equal(seen[value[i][1]]++, 0);
        if (i < 63)
            assert_int_equal(value[i][2], 7000 + i);
    }
}

/* Questions about no context, and about which one is current, are no work in it. */
static void ask_behind_fault(CUcontext context)
{
    CUcontext found, primary;
    CUdevice device;
    CUuuid uuid;
    unsigned flags;
    unsigned long long id;
    size_t bytes;
    char name[64];
    const char *text;
    int number, other;
    assert_int_equal(cuInit(0), CUDA_SUCCESS);
    assert_int_equal(cuDriverGetVersion(&number), CUDA_SUCCESS);
    assert_int_equal(cuDeviceGet(&device, 0), CUDA_SUCCESS);
    assert_int_equal(cuDeviceGetCount(&number), CUDA_SUCCESS);
    assert_int_equal(cuDeviceGetName(name, sizeof name, device), CUDA_SUCCESS);
    assert_int_equal(cuDeviceGetUuid(&uuid, device), CUDA_SUCCESS);
    assert_int_equal(cuDeviceTotalMem(&bytes, device), CUDA_SUCCESS);
    assert_int_equal(cuDeviceGetAttribute(&number, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device), CUDA_SUCCESS);
    assert_int_equal(cuDeviceGetPCIBusId(name, sizeof name, device), CUDA_SUCCESS);
    assert_int_equal(cuDeviceGetByPCIBusId(&device, name), CUDA_SUCCESS);
    assert_int_equal(cuDeviceCanAccessPeer(&number, device, device), CUDA_SUCCESS);
    assert_int_equal(cuDevicePrimaryCtxGetState(device, &flags, &other), CUDA_SUCCESS);
    assert_int_equal(cuDevicePrimaryCtxRetain(&primary, device), CUDA_SUCCESS);
    assert_int_equal(cuDevicePrimaryCtxSetFlags(device, flags), CUDA_SUCCESS);
    assert_int_equal(cuCtxGetCurrent(&found), CUDA_SUCCESS);
    assert_ptr_equal(found, context);
    assert_int_equal(cuCtxSetCurrent(context), CUDA_SUCCESS);
    assert_int_equal(cuCtxPushCurrent(context), CUDA_SUCCESS);
    assert_int_equal(cuCtxPopCurrent(&found), CUDA_SUCCESS);
    assert_int_equal(cuCtxGetDevice(&device), CUDA_SUCCESS);
    assert_int_equal(cuCtxGetFlags(&flags), CUDA_SUCCESS);
    assert_int_equal(cuCtxGetId(context, &id), CUDA_SUCCESS);
    assert_int_equal(cuGetErrorName(CUDA_ERROR_ASSERT, &text), CUDA_SUCCESS);
    assert_int_equal(cuGetErrorString(CUDA_ERROR_ASSERT, &text), CUDA_SUCCESS);
    assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

/* A fault stays until the context goes. */
static void faults(void **state)
{
    (void)state;
    CUcontext context;
    CUdeviceptr a = 4096, b = a, c = a;
    unsigned n = 32;
    void *arguments[] = {&a, &b, &c, &n};
    assert_int_equal(cuCtxGetCurrent(&context), CUDA_SUCCESS);
    CUfunction function = load(add_ptx, "add");
    assert_int_equal(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL), CUDA_SUCCESS);
    assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(cuMemAlloc(&a, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
    ask_behind_fault(context);
    assert_int_equal(cuCtxDestroy(context), CUDA_SUCCESS);
    assert_int_equal(cuCtxCreate(&context, NULL, 0, 0), CUDA_SUCCESS); /* has the first one's place in tear_down */
    assert_int_equal(cuMemAlloc(&a, 4), CUDA_SUCCESS);
}

static void streams(void **state)
{
    (void)state;
    CUstream stream;
    CUevent begin, end, untimed;
    float ms;
    CUfunction function = load(add_ptx, "second");
    assert_int_equal(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    assert_int_equal(cuEventCreate(&begin, 0), CUDA_SUCCESS);
    assert_int_equal(cuEventCreate(&end, 0), CUDA_SUCCESS);
    assert_int_equal(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
    assert_int_equal(cuEventElapsedTime(&ms, begin, end), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuEventRecord(begin, stream), CUDA_SUCCESS);
    assert_int_equal(cuLaunchKernel(function, 1000, 1, 1, 1024, 1, 1, 0, stream, NULL, NULL), CUDA_SUCCESS);
    assert_int_equal(cuEventRecord(end, stream), CUDA_SUCCESS);
    assert_int_equal(cuEventRecord(untimed, stream), CUDA_SUCCESS);
    assert_int_equal(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    assert_int_equal(cuEventSynchronize(end), CUDA_SUCCESS);
    assert_int_equal(cuStreamQuery(stream), CUDA_SUCCESS);
    assert_int_equal(cuEventElapsedTime(&ms, begin, end), CUDA_SUCCESS);
    assert_true(ms > 0);
    assert_int_equal(cuEventElapsedTime(&ms, begin, untimed), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuStreamDestroy(stream), CUDA_SUCCESS);
    assert_int_equal(cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
}

static void names(void **state)
{
    (void)state;
    const char *text;
    CUresult (*function)(CUdeviceptr *, size_t);
    void *found, *library = dlopen("libcuda.so.1", RTLD_NOW);
    CUdriverProcAddressQueryResult status;
    assert_int_equal(cuGetErrorName(CUDA_ERROR_INVALID_PTX, &text), CUDA_SUCCESS);
    assert_string_equal(text, "CUDA_ERROR_INVALID_PTX");
    assert_int_equal(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text), CUDA_SUCCESS);
    assert_string_equal(text, "out of memory");
    assert_int_equal(cuGetErrorName((CUresult)12345, &text), CUDA_ERROR_INVALID_VALUE);
    assert_null(text);
    /* The library that is opened by name is the one that the program is linked with. */
    assert_non_null(library);
    assert_ptr_equal(dlsym(library, "cuMemAlloc_v2"), (void *)cuMemAlloc);
    assert_int_equal(cuGetProcAddress("cuMemAlloc", (void **)&function, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &status),
                     CUDA_SUCCESS);
    assert_ptr_equal((void *)function, (void *)cuMemAlloc);
    assert_int_equal(cuGetProcAddress("cuCtxCreate", &found, 12000, 0, &status), CUDA_SUCCESS);
    assert_ptr_equal(found, dlsym(library, "cuCtxCreate_v3"));
    assert_int_equal(cuGetProcAddress("cuCtxCreate", &found, 13000, 0, &status), CUDA_SUCCESS);
    assert_ptr_equal(found, (void *)cuCtxCreate_v4);
    assert_int_equal(cuGetProcAddress("cuNothing", &found, 12000, 0, &status), CUDA_ERROR_NOT_FOUND);
    assert_int_equal(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    CUresult (*missing)(void) = (CUresult(*)(void))dlsym(library, "cuIpcGetMemHandle");
    assert_non_null(missing);
    assert_int_equal(missing(), CUDA_ERROR_NOT_SUPPORTED);
    dlclose(library);
}

static int start(void **state)
{
    assert_int_equal(cuInit(0), CUDA_SUCCESS);
    return set_up(state);
}

/* With an argument: on a Hopper machine, what only such a one can do. */
int main(int count, char **arguments)
{
    (void)arguments;
    const struct CMUnitTest hopper[] = {cmocka_unit_test_setup_teardown(phases, start, tear_down)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beginning),
        cmocka_unit_test_setup_teardown(threads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(launches, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_launches, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_modules, set_up, tear_down),
        cmocka_unit_test_setup_teardown(linking, set_up, tear_down),
        cmocka_unit_test_setup_teardown(memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(occupancy, set_up, tear_down),
        cmocka_unit_test_setup_teardown(clusters, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pools, set_up, tear_down),
        cmocka_unit_test_setup_teardown(libraries, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cooperation, set_up, tear_down),
        cmocka_unit_test_setup_teardown(boxes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(textures, set_up, tear_down),
        cmocka_unit_test_setup_teardown(surfaces, set_up, tear_down),
        cmocka_unit_test_setup_teardown(faults, set_up, NULL),
        cmocka_unit_test_setup_teardown(streams, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names, set_up, tear_down),
    };
    /* what is asked here has nothing to do with time */
    setenv("MANIPLE_CUDA",
           count > 1 ? "program driver_test\nfunctional\nmachine h100-sxm\n" : "program driver_test\nfunctional\n", 1);
    int failed = count > 1 ? cmocka_run_group_tests(hopper, NULL, NULL) : cmocka_run_group_tests(tests, NULL, NULL);
    fflush(NULL);
    _exit(failed != 0); /* not by exit: what the library has refused would be this program's status */
}
