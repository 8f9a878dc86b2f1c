/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of the runtime that those of the driver call: the same work under another name. */
#ifndef CUDART_RUNTIME_H
#define CUDART_RUNTIME_H

#include "cudart/base/abi.h"

CUDART_API int cudaDeviceCanAccessPeer(int *can, int device, int peer);
CUDART_API int cudaDeviceGetAttribute(int *value, int number, int device);
CUDART_API int cudaDeviceGetCacheConfig(int *configuration);
CUDART_API int cudaDeviceGetLimit(size_t *value, int limit);
CUDART_API int cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
CUDART_API int cudaDeviceReset(void);
CUDART_API int cudaDeviceSetCacheConfig(int configuration);
CUDART_API int cudaDeviceSetLimit(int limit, size_t value);
CUDART_API int cudaDeviceSynchronize(void);
CUDART_API int cudaDriverGetVersion(int *version);
CUDART_API int cudaEventCreateWithFlags(uint64_t *out, unsigned flags);
CUDART_API int cudaEventDestroy(uint64_t event);
CUDART_API int cudaEventElapsedTime(float *milliseconds, uint64_t begin, uint64_t end);
CUDART_API int cudaEventQuery(uint64_t event);
CUDART_API int cudaEventRecordWithFlags(uint64_t event, uint64_t stream, unsigned flags);
CUDART_API int cudaEventSynchronize(uint64_t event);
CUDART_API int cudaFree(void *address);
CUDART_API int cudaFreeAsync(void *address, uint64_t stream);
CUDART_API int cudaFreeHost(void *address);
CUDART_API int cudaFuncGetAttributes(struct cuda_func_attributes *out, const void *function);
CUDART_API int cudaFuncSetAttribute(const void *function, int attribute, int value);
CUDART_API int cudaFuncSetCacheConfig(const void *function, int configuration);
CUDART_API int cudaGetDeviceCount(int *count);
CUDART_API int cudaGetDeviceProperties_v2(struct cuda_properties_12 *out, int device);
CUDART_API int cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                                unsigned long long flags, int *result);
CUDART_API const char *cudaGetErrorString(int code);
CUDART_API int cudaHostAlloc(void **out, size_t bytes, unsigned flags);
CUDART_API int cudaHostGetDevicePointer(void **out, void *host, unsigned flags);
CUDART_API int cudaLaunchHostFunc(uint64_t stream, void (*function)(void *), void *data);
CUDART_API int cudaLaunchKernelExC(const struct cuda_launch_config *config, const void *function, void **arguments);
CUDART_API int cudaMalloc(void **out, size_t bytes);
CUDART_API int cudaMallocAsync(void **out, size_t bytes, uint64_t stream);
CUDART_API int cudaMallocManaged(void **out, size_t bytes, unsigned flags);
CUDART_API int cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height);
CUDART_API int cudaMemAdvise(const void *address, size_t bytes);
CUDART_API int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
CUDART_API int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, uint64_t stream);
CUDART_API int cudaMemGetInfo(size_t *available, size_t *total);
CUDART_API int cudaMemPrefetchAsync(const void *address, size_t bytes);
CUDART_API int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int threads,
                                                                      size_t dynamic, unsigned flags);
CUDART_API int cudaStreamAddCallback(uint64_t stream, void (*function)(uint64_t, int, void *), void *data,
                                     unsigned flags);
CUDART_API int cudaStreamCreateWithPriority(uint64_t *out, unsigned flags, int priority);
CUDART_API int cudaStreamDestroy(uint64_t stream);
CUDART_API int cudaStreamGetFlags(uint64_t stream, unsigned *flags);
CUDART_API int cudaStreamGetPriority(uint64_t stream, int *priority);
CUDART_API int cudaStreamIsCapturing(uint64_t stream, int *status);
CUDART_API int cudaStreamQuery(uint64_t stream);
CUDART_API int cudaStreamSynchronize(uint64_t stream);
CUDART_API int cudaStreamWaitEvent(uint64_t stream, uint64_t event, unsigned flags);

CUDART_API int maniple_13_cudaGetDeviceProperties(struct cuda_properties_13 *out, int device);
CUDART_API int maniple_13_cudaPointerGetAttributes(struct cuda_pointer_attributes *out, const void *address);

CUDART_API int cudaDeviceGetDefaultMemPool(uint64_t *pool, int device);
CUDART_API int cudaDeviceGetMemPool(uint64_t *pool, int device);
CUDART_API int cudaDeviceSetMemPool(int device, uint64_t pool);
CUDART_API int cudaHostGetFlags(unsigned *flags, void *address);
CUDART_API int cudaHostRegister(void *address, size_t bytes, unsigned flags);
CUDART_API int cudaHostUnregister(void *address);
CUDART_API int cudaMallocFromPoolAsync(void **out, size_t bytes, uint64_t pool, uint64_t stream);
CUDART_API int cudaMemPoolCreate(uint64_t *pool, const void *properties);
CUDART_API int cudaMemPoolDestroy(uint64_t pool);
CUDART_API int cudaMemPoolGetAttribute(uint64_t pool, int number, void *value);
CUDART_API int cudaMemPoolSetAttribute(uint64_t pool, int number, void *value);
CUDART_API int cudaMemPoolTrimTo(uint64_t pool, size_t bytes);

#endif
