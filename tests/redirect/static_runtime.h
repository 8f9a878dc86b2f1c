/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A static runtime as NVIDIA's looks from outside, for tests without nvcc: API functions that keep their names between
 * functions whose names begin with the archive's, and a version that one of them stores. Each says that it is not ours.
 * Include it once. MAJOR: 11, 12 or 13; VERSION: as cudaRuntimeGetVersion has it.
 */
#ifndef STATIC_RUNTIME_H
#define STATIC_RUNTIME_H

#include <stdio.h>
#include <stdlib.h>

enum { NOT_OURS = 99 };

/* Text that the runtime's constants have. */
const char *const static_runtime_texts[] = {"cudaMemcpyToSymbolAsync", "cudaGraphicsResourceGetMappedPointer",
                                            "cuDevicePrimaryCtxGetState"};

#define HIDDEN __attribute__((visibility("hidden"), noipa, used))

HIDDEN int libcudart_static_first(const char *name)
{
    fprintf(stderr, "%s of the static runtime has been called\n", name);
    return NOT_OURS;
}

#define STATIC_FUNCTION(name, parameters)                                                                              \
    HIDDEN int name parameters                                                                                         \
    {                                                                                                                  \
        return libcudart_static_first(#name);                                                                          \
    }

STATIC_FUNCTION(__cudaRegisterFatBinary, (void))
STATIC_FUNCTION(cudaDeviceSynchronize, (void))
STATIC_FUNCTION(cudaFree, (void *address))
STATIC_FUNCTION(cudaFunctionOfTomorrow, (int number))
STATIC_FUNCTION(cudaGetDeviceCount, (int *count))
STATIC_FUNCTION(cudaGetDeviceProperties, (void *out, int device))
STATIC_FUNCTION(cudaGetDriverEntryPoint, (const char *name, void **out, unsigned long long flags, int *result))
STATIC_FUNCTION(cudaGraphAddEmptyNode, (void **node, void *graph, void *const *before, size_t count))
STATIC_FUNCTION(cudaGraphCreate, (void **graph, unsigned flags))
STATIC_FUNCTION(cudaMalloc, (void **out, size_t bytes))
STATIC_FUNCTION(cudaMemcpy, (void *to, const void *from, size_t bytes, int kind))
STATIC_FUNCTION(cudaPointerGetAttributes, (void *out, const void *address))
STATIC_FUNCTION(cudaRuntimeGetVersion, (int *out))
#if MAJOR == 13
STATIC_FUNCTION(cudaGraphGetEdges, (void *graph, void **from, void **to, void *data, size_t *count))
#else
STATIC_FUNCTION(cudaGraphGetEdges, (void *graph, void **from, void **to, size_t *count))
#endif
#if MAJOR == 12
STATIC_FUNCTION(cudaGetDeviceProperties_v2, (void *out, int device))
#endif
#if MAJOR == 11
STATIC_FUNCTION(cudaBindTexture, (void))
#endif

/* Code without relocations, by which a map finds the runtime. */
HIDDEN void libcudart_static_long(void)
{
    __asm__(".skip 400, 0x90");
}

HIDDEN int libcudart_static_last(int *version)
{
    *version = VERSION;
    return 0;
}

#endif
