/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of the mathematics libraries share: numbers of each type, device memory, random numbers, faults. */
#ifndef MATHLIB_REFERENCE_H
#define MATHLIB_REFERENCE_H

#include "maniple/driver.h"

#include <complex.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Types: S, D, C, Z, and halves and bfloat16 as 4 and 5. */
static struct {
    uint64_t random;
    long checks, faults;
} reference = {.random = 88172645463325252u};

static inline void fail(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (reference.faults++ < 20) {
        vprintf(format, list);
        printf("\n");
    }
    va_end(list);
}
static inline void checked(void)
{
    reference.checks++;
}
static inline void good(int status)
{
    if (status)
        fail("a call returns %d", status);
}
static inline bool wanted(const char *part, const char *name)
{
    return strcmp(part, "all") == 0 || strcmp(part, name) == 0;
}
/* From -1 to 1 (xorshift: Marsaglia, 2003). */
static inline double random_number(void)
{
    uint64_t x = reference.random;
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    reference.random = x;
    return (double)(int64_t)(x >> 11) / 4503599627370496.0 - 1;
}

static inline size_t reference_size(int type)
{
    static const size_t sizes[] = {4, 8, 8, 16, 2, 2};
    return sizes[type];
}
static inline double complex rounded(int type, double re, double im)
{
    return type == 0 ? (float)re : type == 1 ? re : type == 2 ? (float)re + (float)im * I : re + im * I;
}
/* Exact where the number is a half or a bfloat16. */
static inline uint16_t short_bits(int type, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    if (type == 5)
        return (uint16_t)(bits >> 16);
    if (value == 0)
        return (uint16_t)(bits >> 16 & 0x8000);
    return (uint16_t)((bits >> 16 & 0x8000) | (((bits >> 23 & 255) - 112) << 10) | (bits >> 13 & 1023));
}
/* The number that bits of a half or a bfloat16 stand for; no infinities. */
static inline float short_value(int type, uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    if (type == 4) {
        value = ldexpf((float)((bits & 1023) | (bits & 0x7c00 ? 1024 : 0)), (bits & 0x7c00 ? bits >> 10 & 31 : 1) - 25);
        return bits & 0x8000 ? -value : value;
    }
    memcpy(&value, &wide, sizeof value);
    return value;
}
static inline void put_number(int type, void *to, double complex value)
{
    float f[2] = {(float)creal(value), (float)cimag(value)};
    double d[2] = {creal(value), cimag(value)};
    uint16_t bits = short_bits(type, f[0]);
    const void *from = type >= 4 ? (void *)&bits : type % 2 ? (void *)d : (void *)f;
    memcpy(to, from, reference_size(type));
}

static inline void *device_memory(size_t bytes)
{
    CUdeviceptr memory = 0;
    if (cuMemAlloc(&memory, bytes ? bytes : 16) != CUDA_SUCCESS)
        fail("no device memory");
    return (void *)(uintptr_t)memory;
}
static inline void device_free(void *memory)
{
    cuMemFree((CUdeviceptr)(uintptr_t)memory);
}
static inline void copy_to_device(void *to, const void *from, size_t bytes)
{
    cuMemcpyHtoD((CUdeviceptr)(uintptr_t)to, from, bytes);
}
static inline void copy_to_host(void *to, const void *from, size_t bytes)
{
    cuMemcpyDtoH(to, (CUdeviceptr)(uintptr_t)from, bytes);
}
static inline void to_device(int type, void *to, const double complex *from, long long count)
{
    char *bytes = malloc((size_t)(count + 1) * reference_size(type));
    for (long long i = 0; i < count; i++)
        put_number(type, bytes + (size_t)i * reference_size(type), from[i]);
    if (count)
        copy_to_device(to, bytes, (size_t)count * reference_size(type));
    free(bytes);
}
static inline void from_device(int type, double complex *to, const void *from, long long count)
{
    size_t size = reference_size(type);
    char *bytes = malloc((size_t)(count + 1) * size);
    if (count)
        copy_to_host(bytes, from, (size_t)count * size);
    for (long long i = 0; i < count; i++) {
        float f[2] = {0, 0};
        double d[2] = {0, 0};
        uint16_t bits;
        if (type >= 4) {
            memcpy(&bits, bytes + (size_t)i * size, sizeof bits);
            to[i] = (double)short_value(type, bits);
            continue;
        }
        memcpy(type % 2 ? (void *)d : (void *)f, bytes + (size_t)i * size, size);
        to[i] = type % 2 ? d[0] + d[1] * I : (double)f[0] + (double)f[1] * I;
    }
    free(bytes);
}

/* A context for memory that is needed before the library makes its own use of it. */
static inline void reference_begin(void)
{
    CUdevice device;
    CUcontext context;
    if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) || cuCtxSetCurrent(context))
        fail("no device");
}
static inline int reference_end(void)
{
    if (reference.faults)
        printf("%ld checks, %ld wrong\n", reference.checks, reference.faults);
    else
        printf("right\n");
    return reference.faults != 0;
}

#endif
