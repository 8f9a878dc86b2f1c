/* SPDX-License-Identifier: BSD-3-Clause */
/* Access of a device to the memory of another, of both APIs. */
#include "cudart/api/driver.h"
#include "cudart/api/runtime.h"
#include "cudart/base/driver_contexts.h"
#include "cudart/base/failure.h"
#include "cudart/base/state.h"
#include "cudart/device/allocator.h"
#include "cudart/device/device.h"
#include "cudart/device/first_use.h"
#include "cudart/memory/copies.h"
#include "cudart/process/api_call.h"

static enum cuda_error put(int *out, int value)
{
    if (!out)
        return CUDA_INVALID_VALUE;
    *out = value;
    return CUDA_SUCCESS;
}

/* ===== whether it is possible ===== */

static enum cuda_error can_access(struct cudart *rt, int *can, int ordinal, int other)
{
    struct cudart_device *device = cudart_device_at(rt, ordinal), *peer = cudart_device_at(rt, other);
    if (!device || !peer)
        return CUDA_INVALID_DEVICE;
    if (cudart_ask_device(device))
        return rt->faults.failure;
    return put(can, cudart_can_reach(device, peer));
}

CUDART_API int cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    CUDART_QUESTION(can_access(rt, can, device, peer));
}

CUDART_API CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
    DRIVER_CALL_IN(false, cudaDeviceCanAccessPeer(can, device, peer));
}

/* Properties of two devices. Arrays of the other device (4) cannot be accessed. */
static enum cuda_error between(struct cudart *rt, int *value, int number, int ordinal, int other)
{
    enum { RANK = 1, ACCESS, ATOMICS, ARRAYS };
    int can = 0;
    if (ordinal == other)
        return CUDA_INVALID_DEVICE;
    if (!value || number < RANK || number > ARRAYS)
        return CUDA_INVALID_VALUE;
    enum cuda_error problem = can_access(rt, &can, ordinal, other);
    return problem ? problem : put(value, number == ACCESS || number == ATOMICS ? can : 0);
}

CUDART_API int cudaDeviceGetP2PAttribute(int *value, int number, int device, int peer)
{
    CUDART_QUESTION(between(rt, value, number, device, peer));
}

CUDART_API CUresult cuDeviceGetP2PAttribute(int *value, int number, CUdevice device, CUdevice peer)
{
    DRIVER_QUESTION(between(rt, value, number, device, peer));
}

/* For the stand-in of NVML: where a link of a device leads, as cudart_link_to has it. Returns 0, or 1: there is no such
 * link. */
CUDART_API int cudart_nvlink(int ordinal, unsigned link, unsigned *end, unsigned *devices)
{
    struct cudart *rt = cudart_look();
    struct cudart_device *device = cudart_device_at(rt, ordinal);
    uint32_t found = 0;
    bool there = device && !cudart_ask_device(device) && cudart_link_to(device, link, &found);
    *end = found;
    *devices = rt->machine_devices;
    cudart_leave_quietly(rt, CUDA_SUCCESS);
    return !there;
}

/* ===== access ===== */

static enum cuda_error enable(struct cudart_device *device, struct cudart_device *peer)
{
    if (!peer || peer == device)
        return CUDA_INVALID_DEVICE;
    enum cuda_error problem = cudart_ensure_device(device);
    problem = problem ? problem : cudart_ask_device(peer);
    if (problem)
        return problem;
    if (!cudart_can_reach(device, peer))
        return CUDA_PEER_ACCESS_UNSUPPORTED;
    if (device->peers >> peer->place & 1)
        return CUDA_PEER_ACCESS_ALREADY_ENABLED;
    cudart_open_peer(device, peer, true);
    return CUDA_SUCCESS;
}

static enum cuda_error disable(struct cudart_device *device, struct cudart_device *peer)
{
    if (!peer)
        return CUDA_INVALID_DEVICE;
    if (!(device->peers >> peer->place & 1))
        return CUDA_PEER_ACCESS_NOT_ENABLED;
    cudart_open_peer(device, peer, false);
    return CUDA_SUCCESS;
}

CUDART_API int cudaDeviceEnablePeerAccess(int device, unsigned flags)
{
    CUDART_CALL(flags ? CUDA_INVALID_VALUE : enable(current, cudart_device_at(rt, device)));
}

CUDART_API int cudaDeviceDisablePeerAccess(int device)
{
    CUDART_CALL(disable(current, cudart_device_at(rt, device)));
}

/* The device of a context; NULL: there is no such context. */
static struct cudart_device *device_of(const struct cudart *rt, CUcontext context)
{
    const struct cudart_handle_context *found = cudart_context_at(rt, (uint64_t)context);
    return found ? cudart_device_at(rt, (int)found->device) : NULL;
}

/* Contexts of one device share its memory, and are no peers. */
static enum cuda_error enable_context(struct cudart_device *device, CUcontext peer, unsigned flags)
{
    struct cudart_device *other = device_of(device->rt, peer);
    return flags             ? CUDA_INVALID_VALUE
           : !other          ? CUDA_INVALID_CONTEXT
           : other == device ? CUDA_PEER_ACCESS_UNSUPPORTED
                             : enable(device, other);
}

static enum cuda_error disable_context(struct cudart_device *device, CUcontext peer)
{
    struct cudart_device *other = device_of(device->rt, peer);
    return other ? disable(device, other) : CUDA_INVALID_CONTEXT;
}

CUDART_API CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
    DRIVER_WORK(enable_context(current, peer, flags));
}

CUDART_API CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
    DRIVER_WORK(disable_context(current, peer));
}

/* ===== copies ===== */

/* Addresses say which device they are of; what the call says must agree. Access need not have been enabled. */
static enum cuda_error copy(struct cudart_device *current, void *to, const struct cudart_device *to_device,
                            const void *from, const struct cudart_device *from_device, size_t bytes, uint64_t stream,
                            bool wait)
{
    if (!to_device || !from_device)
        return CUDA_INVALID_DEVICE;
    if (bytes &&
        (cudart_home(to_device, (uint64_t)to) != to_device || cudart_home(from_device, (uint64_t)from) != from_device))
        return CUDA_INVALID_VALUE;
    return cudart_copy(current, to, from, bytes, CUDA_COPY_DEFAULT, stream, wait);
}

CUDART_API int cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    CUDART_CALL(
        copy(current, to, cudart_device_at(rt, to_device), from, cudart_device_at(rt, from_device), bytes, 0, true));
}

CUDART_API int cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                   uint64_t stream)
{
    CUDART_CALL(copy(current, to, cudart_device_at(rt, to_device), from, cudart_device_at(rt, from_device), bytes,
                     stream, false));
}

CUDART_API CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                                 size_t bytes)
{
    DRIVER_WORK(copy(current, (void *)to, device_of(rt, to_context), (void *)from, device_of(rt, from_context), bytes,
                     0, true));
}

CUDART_API CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                                      size_t bytes, CUstream stream)
{
    DRIVER_WORK(copy(current, (void *)to, device_of(rt, to_context), (void *)from, device_of(rt, from_context), bytes,
                     (uint64_t)stream, false));
}
