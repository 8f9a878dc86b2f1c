/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Multicast objects over all GPUs of the machine: values of stores, reductions and reducing loads beside those that a
 * scalar program computes, calls that must fail, and threads that wait for one another. Usage: multicast [PART]
 */
#include "maniple/driver.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8, GRANULE = 2 << 20, THREADS = 64, MULTICAST_SUPPORTED = 132 };

struct properties { /* CUmemAllocationProp */
    int type, handle_types, place, device;
    void *windows;
    unsigned char flags[8];
};

struct access { /* CUmemAccessDesc */
    int place, device, flags;
};

struct object { /* CUmulticastObjectProp */
    unsigned devices;
    size_t bytes;
    unsigned long long handle_types, flags;
};

CUresult cuMemAddressReserve(CUdeviceptr *out, size_t bytes, size_t alignment, CUdeviceptr wish,
                             unsigned long long flags);
CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes);
CUresult cuMemCreate(uint64_t *handle, size_t bytes, const struct properties *p, unsigned long long flags);
CUresult cuMemRelease(uint64_t handle);
CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, uint64_t handle, unsigned long long flags);
CUresult cuMemUnmap(CUdeviceptr address, size_t bytes);
CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const struct access *access, size_t count);
CUresult cuMemExportToShareableHandle(void *out, uint64_t handle, int type, unsigned long long flags);
CUresult cuMemImportFromShareableHandle(uint64_t *handle, void *from, int type);
CUresult cuMulticastGetGranularity(size_t *out, const struct object *p, int option);
CUresult cuMulticastCreate(uint64_t *handle, const struct object *p);
CUresult cuMulticastAddDevice(uint64_t handle, int device);
CUresult cuMulticastBindMem(uint64_t handle, size_t offset, uint64_t memory, size_t from, size_t bytes,
                            unsigned long long flags);
CUresult cuMulticastBindAddr(uint64_t handle, size_t offset, CUdeviceptr address, size_t bytes,
                             unsigned long long flags);
CUresult cuMulticastUnbind(uint64_t handle, int device, size_t offset, size_t bytes);

/* A kernel of one instruction: `what` with operands at %a (of `many`) and %f (of `one`), 16 bytes a thread each. */
static const char pattern[] = ".version 8.2\n.target sm_90\n.address_size 64\n"
                              ".visible .entry kernel(.param .u64 many, .param .u64 one) {\n"
                              ".reg .b64 %%a, %%f, %%o; .reg .b32 %%t, %%r<4>; .reg .b64 %%l; .reg .pred %%p;\n"
                              "ld.param.u64 %%a, [many]; ld.param.u64 %%f, [one];\n"
                              "mov.u32 %%t, %%tid.x; mul.wide.u32 %%o, %%t, 16; add.u64 %%a, %%a, %%o;\n"
                              "add.u64 %%f, %%f, %%o;\n%s\nret; }\n";

/* The same behind a printf, which leaves addresses of the host on the stack of the thread that simulates. */
static const char printing[] = ".version 8.2\n.target sm_90\n.address_size 64\n"
                               ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
                               ".global .align 8 .b8 said[8] = {115, 97, 105, 100, 10};\n"
                               ".visible .entry kernel(.param .u64 many, .param .u64 one) {\n"
                               ".reg .b64 %%a, %%f, %%s; .reg .b32 %%r<4>; .reg .pred %%p;\n"
                               "ld.param.u64 %%a, [many]; ld.param.u64 %%f, [one]; mov.u32 %%r0, %%tid.x;\n"
                               "setp.ne.u32 %%p, %%r0, 3; @%%p ret; mov.u64 %%s, said; cvta.global.u64 %%s, %%s;\n"
                               "{ .param .b64 x; .param .b64 y; .param .b32 z; st.param.b64 [x], %%s;\n"
                               "st.param.b64 [y], 0; call.uni (z), vprintf, (x, y); }\n%s\nret; }\n";

#define LOADS   "ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%f]; mov.b64 %l, {%r0, %r1}; "
#define STORES  "; st.global.v4.b32 [%f], {%r0, %r1, %r2, %r3};"
#define STORES2 "; mov.b64 {%r0, %r1}, %l; st.global.v4.b32 [%f], {%r0, %r1, %r2, %r3};"

struct gpu {
    CUcontext context;
    CUstream stream;
    CUdeviceptr own, many, out; /* memory that is bound, the object, results */
    uint64_t memory;
};

static struct gpu gpus[MOST];
static int count;
static uint64_t handle;

static void expect(CUresult got, CUresult wanted, const char *what)
{
    if (got == wanted)
        return;
    printf("%s: %d, not %d\n", what, (int)got, (int)wanted);
    exit(1);
}

#define OK(call)          expect(call, CUDA_SUCCESS, #call)
#define FAILS(call, code) expect(call, (CUresult)(code), #call)

static void use(int g)
{
    OK(cuCtxSetCurrent(gpus[g].context));
}

static void begin(void)
{
    OK(cuInit(0));
    OK(cuDeviceGetCount(&count));
    for (int g = 0; g < count; g++) {
        OK(cuDevicePrimaryCtxRetain(&gpus[g].context, g));
        use(g);
        OK(cuStreamCreate(&gpus[g].stream, 1));
        OK(cuMemAlloc(&gpus[g].out, 16 * THREADS));
    }
}

static void add_memory(int g)
{
    const struct properties pinned = {.type = 1, .place = 1, .device = g};
    const struct access access = {1, g, 3};
    use(g);
    OK(cuMemAddressReserve(&gpus[g].own, GRANULE, 0, 0, 0));
    OK(cuMemCreate(&gpus[g].memory, GRANULE, &pinned, 0));
    OK(cuMemMap(gpus[g].own, GRANULE, 0, gpus[g].memory, 0));
    OK(cuMemSetAccess(gpus[g].own, GRANULE, &access, 1));
}

static void see(int g)
{
    const struct access access = {1, g, 3};
    use(g);
    OK(cuMemAddressReserve(&gpus[g].many, GRANULE, 0, 0, 0));
    OK(cuMemMap(gpus[g].many, GRANULE, 0, handle, 0));
    OK(cuMemSetAccess(gpus[g].many, GRANULE, &access, 1));
}

static void make_object(void)
{
    const struct object object = {.devices = (unsigned)count, .bytes = GRANULE};
    size_t granule;
    OK(cuMulticastGetGranularity(&granule, &object, 1));
    if (granule != GRANULE)
        printf("a granule of %zu bytes\n", granule);
    OK(cuMulticastCreate(&handle, &object));
}

static void set_up(void)
{
    make_object();
    for (int g = 0; g < count; g++)
        OK(cuMulticastAddDevice(handle, g));
    for (int g = 0; g < count; g++) {
        add_memory(g);
        if (g % 2)
            OK(cuMulticastBindMem(handle, 0, gpus[g].memory, 0, GRANULE, 0));
        else
            OK(cuMulticastBindAddr(handle, 0, gpus[g].own, GRANULE, 0));
        see(g);
    }
}

/* Takes everything down, memory before the object that it is bound to. */
static void tear_down(void)
{
    for (int g = 0; g < count; g++) {
        use(g);
        OK(cuMulticastUnbind(handle, g, 0, GRANULE));
        OK(cuMemUnmap(gpus[g].own, GRANULE));
        OK(cuMemAddressFree(gpus[g].own, GRANULE));
        OK(cuMemRelease(gpus[g].memory));
        OK(cuMemUnmap(gpus[g].many, GRANULE));
        OK(cuMemAddressFree(gpus[g].many, GRANULE));
    }
    OK(cuMemRelease(handle));
}

/* ===== kernels ===== */

static void begin_launch_of(int g, const char *whole, const char *what)
{
    static char text[4096];
    CUmodule module;
    CUfunction function;
    use(g);
    snprintf(text, sizeof text, whole, what);
    OK(cuModuleLoadData(&module, text));
    OK(cuModuleGetFunction(&function, module, "kernel"));
    void *arguments[] = {&gpus[g].many, &gpus[g].out};
    OK(cuLaunchKernel(function, 1, 1, 1, THREADS, 1, 1, 0, gpus[g].stream, arguments, NULL));
}

static void begin_launch(int g, const char *what)
{
    begin_launch_of(g, pattern, what);
}

static CUresult launch(int g, const char *what)
{
    begin_launch(g, what);
    return cuStreamSynchronize(gpus[g].stream);
}

/* ===== values ===== */

enum form { U32, S32, U64, S64, F32, F64, F16, BF16 };

static const unsigned width[] = {4, 4, 8, 8, 4, 8, 2, 2};

static float of_half(uint16_t h)
{
    float magnitude = h >> 10 & 31 ? ldexpf((float)(1024 + (h & 1023)), (h >> 10 & 31) - 25) : ldexpf(h & 1023, -24);
    return h >> 15 ? -magnitude : magnitude;
}

/* Rounds to the nearest, ties to even; numbers here are neither subnormal nor too large. */
static uint16_t to_half(double value)
{
    int exponent;
    double fraction = frexp(fabs(value), &exponent);
    long bits = lrint(ldexp(fraction, 11));
    if (value == 0)
        return 0;
    return (uint16_t)((value < 0) << 15 | ((exponent + 13) * 1024 + (int)bits));
}

static double of_bytes(enum form form, const unsigned char *at)
{
    float f = 0;
    double d;
    uint16_t h;
    memcpy(&h, at, 2);
    uint32_t brain = (uint32_t)h << 16;
    if (form == F64)
        return memcpy(&d, at, 8), d;
    if (form == F16)
        return of_half(h);
    memcpy(&f, form == BF16 ? (const unsigned char *)&brain : at, 4);
    return f;
}

static void to_bytes(enum form form, double value, unsigned char *at)
{
    float f = (float)value;
    uint16_t h = to_half(value);
    if (form == BF16) { /* a float is nearest first, which keeps what the second rounding needs of these numbers */
        uint32_t bits;
        memcpy(&bits, &f, 4);
        bits += 0x7fff + (bits >> 16 & 1);
        h = (uint16_t)(bits >> 16);
    }
    if (form == F64)
        memcpy(at, &value, 8);
    else if (form == F32)
        memcpy(at, &f, 4);
    else
        memcpy(at, &h, 2);
}

static uint64_t combine_whole(enum form form, char operation, uint64_t a, uint64_t b)
{
    bool is_signed = form == S32 || form == S64;
    if (form == S32) {
        a = (uint64_t)(int32_t)a;
        b = (uint64_t)(int32_t)b;
    }
    bool less = is_signed ? (int64_t)a < (int64_t)b : a < b;
    switch (operation) {
    case '+':
        return a + b;
    case '<':
        return less ? a : b;
    case '>':
        return less ? b : a;
    case '&':
        return a & b;
    case '|':
        return a | b;
    default:
        return a ^ b;
    }
}

/* a := a combined with b; sums of halves are rounded to `sum`. */
static void combine(enum form form, enum form sum, char operation, unsigned char *a, const unsigned char *b)
{
    uint64_t x = 0, y = 0;
    if (form >= F32) {
        double p = of_bytes(sum, a), q = of_bytes(form, b);
        to_bytes(sum, operation == '+' ? p + q : (p < q) == (operation == '<') ? p : q, a);
        return;
    }
    memcpy(&x, a, width[form]);
    memcpy(&y, b, width[form]);
    x = combine_whole(form, operation, x, y);
    memcpy(a, &x, width[form]);
}

/* The element of all GPUs combined in the order of their numbers. */
static void expected(enum form form, bool single, char operation, const unsigned char *parts, size_t stride,
                     unsigned at, unsigned char *to)
{
    unsigned char sum[8] = {0};
    enum form as = single ? F32 : form;
    if (form >= F32)
        to_bytes(as, of_bytes(form, parts + at), sum);
    else
        memcpy(sum, parts + at, width[form]);
    for (int g = 1; g < count; g++)
        combine(form, as, operation, sum, parts + (size_t)g * stride + at);
    if (single)
        to_bytes(form, of_bytes(F32, sum), to);
    else
        memcpy(to, sum, width[form]);
}

static void fill(enum form form, unsigned seed, unsigned char bytes[16 * THREADS])
{
    for (unsigned i = 0; i < 16 * THREADS / width[form]; i++) {
        seed = seed * 1664525 + 1013904223;
        uint64_t word = (uint64_t)seed << 32 | (seed ^ 0x5bd1e995);
        if (form >= F32)
            to_bytes(form, ((int)(seed >> 12 & 0xffff) - 0x8000) / 511.0, bytes + i * width[form]);
        else
            memcpy(bytes + i * width[form], &word, width[form]);
    }
}

static void compare(const char *what, int g, const unsigned char *got, const unsigned char *wanted, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        if (got[i] != wanted[i]) {
            printf("%s on GPU %d: byte %u is %02x, not %02x\n", what, g, i, got[i], wanted[i]);
            exit(1);
        }
}

struct row {
    const char *text; /* of a load; the reduction is made from it */
    enum form form;
    char operation;
    unsigned bytes; /* of a thread */
    bool single;
};

/* multimem.ld_reduce: every GPU stores its own numbers where its memory is, one loads. */
static void test_load(const struct row *row, int g)
{
    static unsigned char parts[MOST][16 * THREADS], got[16 * THREADS];
    char text[512];
    unsigned char wanted[8];
    for (int i = 0; i < count; i++) {
        fill(row->form, (unsigned)(i * 77 + (int)row->bytes + row->operation), parts[i]);
        OK(cuMemcpyHtoD(gpus[i].own, parts[i], sizeof parts[i]));
    }
    snprintf(text, sizeof text, "multimem.ld_reduce.%s %s, [%%a]%s", row->text,
             row->bytes == 16  ? "{%r0, %r1, %r2, %r3}"
             : row->bytes == 8 ? "%l"
                               : "%r0",
             row->bytes == 8 ? STORES2 : STORES);
    OK(launch(g, text));
    OK(cuMemcpyDtoH(got, gpus[g].out, sizeof got));
    for (unsigned at = 0; at < sizeof got; at += width[row->form]) {
        if (at % 16 >= row->bytes)
            continue;
        expected(row->form, row->single, row->operation, parts[0], sizeof parts[0], at, wanted);
        compare(row->text, g, got + at, wanted, width[row->form]);
    }
}

/* multimem.red: one GPU combines its numbers with what each memory holds. */
static void test_reduction(const struct row *row, int g)
{
    static unsigned char parts[MOST][16 * THREADS], operand[16 * THREADS], got[16 * THREADS];
    char text[512];
    fill(row->form, 991, operand);
    OK(cuMemcpyHtoD(gpus[g].out, operand, sizeof operand));
    for (int i = 0; i < count; i++) {
        fill(row->form, (unsigned)(i * 31 + row->operation), parts[i]);
        OK(cuMemcpyHtoD(gpus[i].own, parts[i], sizeof parts[i]));
    }
    snprintf(text, sizeof text, "%smultimem.red.%s [%%a], %s;", LOADS, row->text,
             row->bytes == 16  ? "{%r0, %r1, %r2, %r3}"
             : row->bytes == 8 ? "%l"
                               : "%r0");
    OK(launch(g, text));
    for (int i = 0; i < count; i++) {
        OK(cuMemcpyDtoH(got, gpus[i].own, sizeof got));
        for (unsigned at = 0; at < sizeof got; at += width[row->form])
            if (at % 16 < row->bytes)
                combine(row->form, row->form, row->operation, parts[i] + at, operand + at);
        compare(row->text, i, got, parts[i], sizeof got);
    }
}

static void test_store(const char *name, unsigned bytes, int g)
{
    static unsigned char before[16 * THREADS], operand[16 * THREADS], got[16 * THREADS], wanted[16 * THREADS];
    char text[512];
    fill(U32, 5 + bytes, operand);
    fill(U32, 6, before);
    OK(cuMemcpyHtoD(gpus[g].out, operand, sizeof operand));
    for (int i = 0; i < count; i++)
        OK(cuMemcpyHtoD(gpus[i].own, before, sizeof before));
    snprintf(text, sizeof text, "%s%s [%%a], %s;", LOADS, name,
             bytes == 16  ? "{%r0, %r1, %r2, %r3}"
             : bytes == 8 ? "%l"
                          : "%r0");
    OK(launch(g, text));
    memcpy(wanted, before, sizeof wanted);
    for (unsigned at = 0; at < sizeof wanted; at++)
        if (at % 16 < bytes)
            wanted[at] = operand[at];
    for (int i = 0; i < count; i++) {
        OK(cuMemcpyDtoH(got, gpus[i].own, sizeof got));
        compare(name, i, got, wanted, sizeof got);
    }
}

static const struct row loads[] = {
    {"relaxed.sys.global.add.u32", U32, '+', 4, false},
    {"relaxed.sys.global.min.s32", S32, '<', 4, false},
    {"weak.global.max.u32", U32, '>', 4, false},
    {"relaxed.sys.global.and.b32", U32, '&', 4, false},
    {"relaxed.gpu.global.or.b32", U32, '|', 4, false},
    {"relaxed.sys.global.xor.b64", U64, '^', 8, false},
    {"acquire.sys.global.add.u64", U64, '+', 8, false},
    {"relaxed.sys.global.min.u64", U64, '<', 8, false},
    {"relaxed.sys.global.max.s64", S64, '>', 8, false},
    {"relaxed.sys.global.add.f32", F32, '+', 4, false},
    {"relaxed.sys.global.add.v4.f32", F32, '+', 16, false},
    {"relaxed.sys.global.add.f64", F64, '+', 8, false},
    {"relaxed.sys.global.add.f16x2", F16, '+', 4, false},
    {"relaxed.sys.global.add.v4.f16x2", F16, '+', 16, false},
    {"relaxed.sys.global.add.acc::f32.v4.f16x2", F16, '+', 16, true},
    {"relaxed.sys.global.add.v4.bf16x2", BF16, '+', 16, false},
    {"weak.global.add.acc::f32.v4.bf16x2", BF16, '+', 16, true},
    {"relaxed.sys.global.min.v4.f16x2", F16, '<', 16, false},
    {"relaxed.sys.global.max.v4.bf16x2", BF16, '>', 16, false},
};

static const struct row reductions[] = {
    {"relaxed.sys.global.add.u32", U32, '+', 4, false},
    {"release.sys.global.add.u64", U64, '+', 8, false},
    {"relaxed.sys.global.min.s32", S32, '<', 4, false},
    {"relaxed.gpu.global.xor.b32", U32, '^', 4, false},
    {"relaxed.sys.global.add.f32", F32, '+', 4, false},
    {"relaxed.sys.global.add.v4.f32", F32, '+', 16, false},
    {"relaxed.sys.global.add.v4.f16x2", F16, '+', 16, false},
    {"relaxed.sys.global.max.v4.bf16x2", BF16, '>', 16, false},
    {"relaxed.sys.global.add.f64", F64, '+', 8, false},
};

static void test_values(void)
{
    set_up();
    for (unsigned i = 0; i < sizeof loads / sizeof *loads; i++)
        test_load(&loads[i], (int)i % count);
    for (unsigned i = 0; i < sizeof reductions / sizeof *reductions; i++)
        test_reduction(&reductions[i], (int)i % count);
    test_store("multimem.st.relaxed.sys.global.u32", 4, 0);
    test_store("multimem.st.release.sys.global.b64", 8, count - 1);
    test_store("multimem.st.weak.global.v4.f32", 16, 0);
    test_store("st.global.v4.f32", 16, count - 1); /* machine code has no other store */
}

/* A load by one thread: state must not hold what lay on the host's stack for the others. */
static void test_one_thread(void)
{
    set_up();
    begin_launch_of(0, printing,
                    "multimem.ld_reduce.relaxed.sys.global.add.v4.f32 {%r0, %r1, %r2, %r3}, [%a];"
                    "st.global.v4.b32 [%f], {%r0, %r1, %r2, %r3};");
    OK(cuStreamSynchronize(gpus[0].stream));
}

/* ===== calls that fail ===== */

static void test_calls(void)
{
    struct object object = {.devices = (unsigned)count, .bytes = GRANULE};
    size_t granule;
    CUdeviceptr address;
    unsigned word = 0;
    int supported;
    OK(cuDeviceGetAttribute(&supported, (CUdevice_attribute)MULTICAST_SUPPORTED, 0));
    if (!supported) {
        FAILS(cuMulticastCreate(&handle, &object), 801);
        FAILS(cuMulticastGetGranularity(&granule, &object, 0), 801);
        return;
    }
    FAILS(cuMulticastGetGranularity(&granule, &object, 2), 1);
    FAILS(cuMulticastCreate(&handle, NULL), 1);
    object.bytes = GRANULE + 1;
    FAILS(cuMulticastCreate(&handle, &object), 1);
    object.bytes = 2 * GRANULE;
    object.devices = (unsigned)count + 1;
    FAILS(cuMulticastCreate(&handle, &object), 1);
    object.devices = (unsigned)count;
    object.handle_types = 8;
    FAILS(cuMulticastCreate(&handle, &object), 801);
    object.handle_types = 1;
    OK(cuMulticastCreate(&handle, &object));
    FAILS(cuMulticastAddDevice(handle, count), 101);
    FAILS(cuMulticastAddDevice(handle + 1, 0), 1);
    OK(cuMulticastAddDevice(handle, 0));
    FAILS(cuMulticastAddDevice(handle, 0), 1);
    add_memory(0);
    add_memory(1);
    FAILS(cuMulticastBindMem(handle, 0, gpus[0].memory, 0, GRANULE, 0), 801); /* no other thread adds a device */
    FAILS(cuMemMap(gpus[0].own + GRANULE, GRANULE, 0, handle, 0), 801);
    for (int g = 1; g < count; g++)
        OK(cuMulticastAddDevice(handle, g));
    FAILS(cuMulticastAddDevice(handle, 1), 1);
    FAILS(cuMulticastBindMem(handle, 0, handle, 0, GRANULE, 0), 1);
    FAILS(cuMulticastBindMem(handle, 1, gpus[0].memory, 0, GRANULE, 0), 1);
    FAILS(cuMulticastBindMem(handle, 0, gpus[0].memory, 0, 2 * GRANULE, 0), 1);
    FAILS(cuMulticastBindMem(handle, 2 * GRANULE, gpus[0].memory, 0, GRANULE, 0), 1);
    FAILS(cuMulticastBindMem(handle, 0, gpus[0].memory, 0, GRANULE, 1), 1);
    OK(cuMulticastBindMem(handle, GRANULE, gpus[0].memory, 0, GRANULE, 0));
    FAILS(cuMulticastBindMem(handle, GRANULE, gpus[0].memory, 0, GRANULE, 0), 1);
    OK(cuMulticastBindAddr(handle, GRANULE, gpus[1].own, GRANULE, 0));
    FAILS(cuMulticastBindAddr(handle, 0, gpus[1].out, GRANULE, 0), 1);
    FAILS(cuMulticastUnbind(handle, 0, 0, GRANULE), 1);
    OK(cuMulticastUnbind(handle, 0, GRANULE, GRANULE));
    FAILS(cuMulticastUnbind(handle, 0, GRANULE, GRANULE), 1);
    use(0);
    OK(cuMemAddressReserve(&address, 2 * GRANULE, 0, 0, 0));
    FAILS(cuMemMap(address, GRANULE, 0, handle, 0), 1);
    OK(cuMemMap(address, 2 * GRANULE, 0, handle, 0));
    FAILS(cuMemcpyDtoH(&word, address, 4), 1);
    int file;
    uint64_t again;
    OK(cuMemExportToShareableHandle(&file, handle, 1, 0));
    OK(cuMemImportFromShareableHandle(&again, (void *)(intptr_t)file, 1)); /* NOLINT: as CUDA passes descriptors */
    OK(cuMemRelease(again));
    OK(cuMemRelease(handle));
    OK(cuMemUnmap(address, 2 * GRANULE));
    FAILS(cuMulticastAddDevice(handle, 0), 1);
}

#define BULK                                                                                                           \
    "setp.ne.u32 %p, %t, 0; @%p ret; .shared .align 128 .b8 data[128]; mov.u32 %r0, data; "                            \
    "st.shared.u32 [%r0], 1; fence.proxy.async; "
#define BULK_END "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
#define BULK_LOAD                                                                                                      \
    BULK "mbarrier.init.shared.b64 [%r0+64], 1; mbarrier.arrive.expect_tx.shared.b64 %l, [%r0+64], 32; "               \
         "add.u32 %r1, %r0, 64; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%a], 32, "   \
         "[%r1];"

/* A kernel that does to an object what it does not take. */
static void test_fault(const char *what)
{
    set_up();
    if (strcmp(what, "load") == 0)
        FAILS(launch(0, "ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%a]" STORES), 700);
    else if (strcmp(what, "bulk") == 0)
        FAILS(launch(0, BULK "cp.async.bulk.global.shared::cta.bulk_group [%a], [%r0], 64; " BULK_END), 700);
    else if (strcmp(what, "bulkload") == 0)
        FAILS(launch(0, BULK_LOAD), 700);
    else if (strcmp(what, "bulkreduce") == 0)
        FAILS(launch(0, BULK "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%a], [%r0], 64; " BULK_END),
              700);
    else if (strcmp(what, "atomic") == 0)
        FAILS(launch(0, "atom.global.add.u32 %r0, [%a], 1" STORES), 700);
    else if (strcmp(what, "unbound") == 0) {
        OK(cuMulticastUnbind(handle, 1, 0, GRANULE));
        FAILS(launch(0, "multimem.ld_reduce.relaxed.sys.global.add.u32 %r0, [%a]" STORES), 700);
    } else if (strcmp(what, "unmapped") == 0) {
        OK(cuMemUnmap(gpus[1].own, GRANULE));
        FAILS(launch(0, "multimem.ld_reduce.relaxed.sys.global.add.u32 %r0, [%a]" STORES), 700);
    } else {
        FAILS(launch(0, "multimem.ld_reduce.relaxed.sys.global.add.u32 %r0, [%a+4194304]" STORES), 700);
    }
}

/* ===== time ===== */

/* SM cycles of an instruction at an address whose lines are in L2s, on GPU 0: `%s` is the address' register. */
static unsigned time_of(const char *what, CUdeviceptr address)
{
    char text[1024], again[256];
    unsigned got[4];
    snprintf(again, sizeof again, what, "%l");
    snprintf(text, sizeof text,
             "setp.ne.u32 %%p, %%t, 0; @%%p ret; mov.u64 %%l, 0x%llx; mov.u32 %%r1, 0; %s mov.u32 %%r2, %%clock;\n%s\n"
             "mov.u32 %%r3, %%clock; sub.u32 %%r0, %%r3, %%r2; st.global.v4.b32 [%%f], {%%r0, %%r1, %%r2, %%r3};",
             (unsigned long long)address, again, again);
    OK(launch(0, text));
    OK(cuMemcpyDtoH(got, gpus[0].out, sizeof got));
    return got[0];
}

/* Packets cross the same links whether a switch copies them or not, and nothing else is under way: a reducing load
 * takes as long as the slowest load from another GPU, and a store as one store with its acknowledgement. */
static void test_time(void)
{
    static const char load[] =
        "ld.relaxed.sys.global.u32 %%r1, [%s]; add.u32 %%r1, %%r1, 1; @%%p st.global.u32 [%%f], %%r1;",
                      load_reduce[] = "multimem.ld_reduce.relaxed.sys.global.add.u32 %%r1, [%s]; add.u32 %%r1, %%r1, 1;"
                                      "@%%p st.global.u32 [%%f], %%r1;",
                      store[] = "st.relaxed.sys.global.u32 [%s], %%r1; fence.acq_rel.sys;",
                      store_many[] = "multimem.st.relaxed.sys.global.u32 [%s], %%r1; fence.acq_rel.sys;",
                      reduce_many[] = "multimem.red.relaxed.sys.global.add.u32 [%s], %%r1; fence.acq_rel.sys;",
                      reduce[] = "red.relaxed.sys.global.add.u32 [%s], %%r1; fence.acq_rel.sys;";
    static const char *const pairs[][2] = {{load, load_reduce}, {store, store_many}, {reduce, reduce_many}};
    const struct access access = {1, 0, 3};
    set_up();
    for (int g = 1; g < count; g++)
        OK(cuMemSetAccess(gpus[g].own, GRANULE, &access, 1));
    for (unsigned i = 0; i < 3; i++) {
        unsigned slowest = 0, many = time_of(pairs[i][1], gpus[0].many);
        for (int g = 1; g < count; g++) {
            unsigned one = time_of(pairs[i][0], gpus[g].own);
            slowest = one > slowest ? one : slowest;
        }
        printf("%u cycles, one GPU's %u\n", many, slowest);
        if (many > slowest + 4 || many + 4 < slowest)
            exit(1);
    }
}

/* ===== a sum over all GPUs ===== */

enum { ROUNDS = 16, PART = ROUNDS * 16 * THREADS }; /* bytes that each GPU sums, and stores to all */

/* Each GPU sums its part of the memory of all, and stores it to all: in each of 16 rounds 1 KiB, 8 lines. */
static void test_sum(void)
{
    static unsigned char parts[MOST][MOST * PART], got[MOST * PART];
    char text[1024];
    set_up();
    for (int g = 0; g < count; g++) {
        for (unsigned at = 0; at < MOST * PART; at += 16 * THREADS)
            fill(F32, (unsigned)g * 7 + at, parts[g] + at);
        OK(cuMemcpyHtoD(gpus[g].own, parts[g], (size_t)count * PART));
    }
    for (int g = 0; g < count; g++) {
        snprintf(text, sizeof text,
                 "add.u64 %%a, %%a, %d; mov.u32 %%t, 0;\n"
                 "next: multimem.ld_reduce.relaxed.sys.global.add.v4.f32 {%%r0, %%r1, %%r2, %%r3}, [%%a];\n"
                 "multimem.st.relaxed.sys.global.v4.f32 [%%a], {%%r0, %%r1, %%r2, %%r3}; add.u64 %%a, %%a, %d;\n"
                 "add.u32 %%t, %%t, 1; setp.lt.u32 %%p, %%t, %d; @%%p bra next;",
                 g * PART, 16 * THREADS, ROUNDS);
        begin_launch(g, text);
    }
    for (int g = 0; g < count; g++)
        OK(cuStreamSynchronize(gpus[g].stream));
    for (int g = 0; g < count; g++) {
        OK(cuMemcpyDtoH(got, gpus[g].own, (size_t)count * PART));
        for (unsigned at = 0; at < (unsigned)count * PART; at += 4) {
            unsigned char wanted[8];
            expected(F32, false, '+', parts[0], sizeof parts[0], at, wanted);
            compare("a sum", g, got + at, wanted, 4);
        }
    }
    tear_down();
}

/* ===== bandwidth ===== */

enum { CTAS = 128, ROUND = CTAS * 16 * THREADS, FEW = 1, MANY = 4 }; /* bytes of a round; rounds */

static void begin_rounds(int g, const char *what, int rounds, CUfunction *function)
{
    char text[4096], loop[1024];
    CUmodule module;
    snprintf(loop, sizeof loop,
             "mov.u32 %%r0, %%ctaid.x; mul.wide.u32 %%l, %%r0, %d; add.u64 %%a, %%a, %%l; add.u64 %%a, %%a, %d;\n"
             "mov.u32 %%t, 0;\nnext: %s add.u64 %%a, %%a, %d;\n"
             "add.u32 %%t, %%t, 1; setp.lt.u32 %%p, %%t, %d; @%%p bra next;",
             16 * THREADS, g * MANY * ROUND, what, ROUND, rounds);
    snprintf(text, sizeof text, pattern, loop);
    OK(cuModuleLoadData(&module, text));
    OK(cuModuleGetFunction(function, module, "kernel"));
}

/* Nanoseconds from the first beginning to the last end of kernels on the first GPUs. */
static double span(int users, const char *what, int rounds)
{
    CUevent begin, end, others[MOST];
    CUfunction functions[MOST];
    float ms;
    for (int g = 0; g < users; g++) {
        use(g);
        begin_rounds(g, what, rounds, &functions[g]);
        OK(cuEventCreate(&others[g], 2));
    }
    use(0);
    OK(cuEventCreate(&begin, 0));
    OK(cuEventCreate(&end, 0));
    OK(cuEventRecord(begin, gpus[0].stream));
    for (int g = 0; g < users; g++) {
        void *arguments[] = {&gpus[g].many, &gpus[g].out};
        use(g);
        OK(cuLaunchKernel(functions[g], CTAS, 1, 1, THREADS, 1, 1, 0, gpus[g].stream, arguments, NULL));
        OK(cuEventRecord(others[g], gpus[g].stream));
    }
    use(0);
    for (int g = 1; g < users; g++)
        OK(cuStreamWaitEvent(gpus[0].stream, others[g], 0));
    OK(cuEventRecord(end, gpus[0].stream));
    OK(cuStreamSynchronize(gpus[0].stream));
    OK(cuEventElapsedTime(&ms, begin, end));
    return 1e6 * ms;
}

/* Bytes of a line on the busiest direction of a GPU's links, for each line that each user accesses: packets of 16 bytes
 * and of 16 + 128. A user is a member, too: what it stores comes back to it beside the one acknowledgement, and of what
 * it loads, it sends its part beside the request. Where all use the object, each receives what all store, or sends its
 * part of what all load. `rate`: bytes of a GPU's links in a nanosecond. */
static void test_bandwidth(double rate)
{
    static const char store[] = "multimem.st.relaxed.sys.global.v4.f32 [%a], {%r0, %r1, %r2, %r3};",
                      load[] = "multimem.ld_reduce.relaxed.sys.global.add.v4.f32 {%r0, %r1, %r2, %r3}, [%a];",
                      reduce[] = "multimem.red.relaxed.sys.global.add.v4.f32 [%a], {%r0, %r1, %r2, %r3};";
    static const char *const ways[] = {store, load, reduce};
    bool good = true;
    set_up();
    for (unsigned i = 0; i < 6; i++) {
        int users = i % 2 ? count : 1;
        double lines = (MANY - FEW) * ROUND / 128.0, expected = lines * (users * 144 + 16) / rate;
        double time = span(users, ways[i / 2], MANY) - span(users, ways[i / 2], FEW);
        printf("%.30s, %d at once: %.0f ns, by the packets %.0f\n", ways[i / 2], users, time, expected);
        good &= time > 0.98 * expected && time < (users > 1 ? 1.03 : 1.07) * expected;
    }
    if (!good)
        exit(1);
}

/* ===== a thread for each GPU ===== */

static void *one_gpu(void *argument)
{
    int g = *(int *)argument;
    add_memory(g);
    OK(cuMulticastAddDevice(handle, g));
    OK(cuMulticastBindMem(handle, 0, gpus[g].memory, 0, GRANULE, 0)); /* waits for the others */
    see(g);
    return NULL;
}

static void test_threads(void)
{
    pthread_t threads[MOST];
    int numbers[MOST];
    make_object();
    for (int g = 0; g < count; g++) {
        numbers[g] = g;
        pthread_create(&threads[g], NULL, one_gpu, &numbers[g]);
    }
    for (int g = 0; g < count; g++)
        pthread_join(threads[g], NULL);
    test_load(&loads[0], 1);
}

int main(int argc, char **argv)
{
    const char *part = argc > 1 ? argv[1] : "values";
    int offered;
    begin();
    if (strcmp(part, "offered") == 0) {
        OK(cuDeviceGetAttribute(&offered, (CUdevice_attribute)132, 0));
        printf("offered: %d\n", offered);
        return 0;
    }
    if (strcmp(part, "values") == 0)
        test_values();
    else if (strcmp(part, "calls") == 0)
        test_calls();
    else if (strcmp(part, "one") == 0)
        test_one_thread();
    else if (strcmp(part, "threads") == 0)
        test_threads();
    else if (strcmp(part, "sum") == 0)
        test_sum();
    else if (strcmp(part, "time") == 0)
        test_time();
    else if (strcmp(part, "bandwidth") == 0)
        test_bandwidth(argc > 2 ? atof(argv[2]) : 450);
    else
        test_fault(part);
    puts("right");
    return 0;
}
