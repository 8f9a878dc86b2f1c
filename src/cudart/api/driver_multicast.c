/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver API: multicast objects, to which devices bind memory (NVLS). */
#include "cudart/api/driver.h"
#include "cudart/base/failure.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/memory/multicast.h"
#include "cudart/memory/virtual_memory.h"
#include "cudart/stream/other_threads.h"

struct object_properties { /* CUmulticastObjectProp */
    unsigned devices;
    size_t bytes;
    unsigned long long handle_types, flags;
};

_Static_assert(sizeof(struct object_properties) == 32, "as CUDA has it");

enum { GRANULARITIES = 2, DESCRIPTOR = 1 };

static enum cuda_error refuse(struct cudart *rt, const char *text)
{
    struct mnp_error error = {{0}};
    mnp_fail(&error, "%s", text);
    return cudart_refuse(rt, &error, CUDA_NOT_SUPPORTED);
}

/* Whether the machine has objects, and of this kind. */
static enum cuda_error check(const struct cudart_device *device, const struct object_properties *p)
{
    struct cudart *rt = device->rt;
    if (!cudart_has_multicast(device))
        return refuse(rt,
                      "cuMulticastCreate: no switch of this machine multicasts; use one that does (--machine dgx-h100, "
                      "hgx-h200, dgx-b200 with --gpus), or set fabric.multicast and fabric.switches");
    if (rt->shared)
        return refuse(rt,
                      "cuMulticastCreate: multicast objects of several processes are not supported; use threads of one "
                      "process");
    if (!p || p->flags || !p->devices)
        return CUDA_INVALID_VALUE;
    if (p->handle_types & ~(unsigned long long)DESCRIPTOR)
        return refuse(rt, "cuMulticastCreate: objects have no handles but descriptors of files (type 1)");
    return CUDA_SUCCESS;
}

static enum cuda_error create(struct cudart_device *device, uint64_t *handle, const struct object_properties *p)
{
    enum cuda_error problem = check(device, p);
    return problem ? problem : cudart_make_object(device, handle, p->bytes, p->devices);
}

CUDART_API CUresult cuMulticastCreate(uint64_t *handle, const struct object_properties *p)
{
    DRIVER_WORK_IN(false, create(current, handle, p));
}

static enum cuda_error granularity(const struct cudart_device *device, size_t *out, const struct object_properties *p,
                                   int option)
{
    enum cuda_error problem = out && option >= 0 && option < GRANULARITIES ? check(device, p) : CUDA_INVALID_VALUE;
    if (!problem)
        *out = CUDART_GRANULE;
    return problem;
}

CUDART_API CUresult cuMulticastGetGranularity(size_t *out, const struct object_properties *p, int option)
{
    DRIVER_WORK_IN(false, granularity(current, out, p, option));
}

static enum cuda_error add_device(struct cudart *rt, uint64_t handle, int ordinal)
{
    struct cudart_device *device = cudart_device_at(rt, ordinal);
    uint32_t number;
    if (!device)
        return CUDA_INVALID_DEVICE;
    if (!cudart_object_of(rt, handle, &number))
        return CUDA_INVALID_VALUE;
    return cudart_multicast_add(rt, number, device->place) ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

CUDART_API CUresult cuMulticastAddDevice(uint64_t handle, int device)
{
    DRIVER_WORK_IN(false, add_device(rt, handle, device));
}

enum cuda_error cudart_driver_await_object(struct cudart *rt, uint64_t handle, uint32_t *number)
{
    while (cudart_object_of(rt, handle, number)) {
        if (cudart_multicast_is_ready(rt, *number))
            return CUDA_SUCCESS;
        if (!cudart_await_call(rt))
            return refuse(rt,
                          "cuMulticastBindMem, cuMulticastBindAddr, cuMemMap: the multicast object lacks devices, and "
                          "no other thread adds them; call cuMulticastAddDevice for each device first");
        if (rt->faults.failure)
            return rt->faults.failure;
    }
    return CUDA_INVALID_VALUE;
}

static enum cuda_error bind(struct cudart *rt, uint64_t handle, size_t offset, uint64_t memory, size_t from,
                            size_t bytes, unsigned long long flags)
{
    uint32_t number;
    enum cuda_error problem = flags ? CUDA_INVALID_VALUE : cudart_driver_await_object(rt, handle, &number);
    return problem ? problem : cudart_bind_piece(rt, number, offset, memory, from, bytes);
}

CUDART_API CUresult cuMulticastBindMem(uint64_t handle, size_t offset, uint64_t memory, size_t from, size_t bytes,
                                       unsigned long long flags)
{
    DRIVER_WORK_IN(false, bind(rt, handle, offset, memory, from, bytes, flags));
}

/* Memory of one mapping, which a program has mapped itself. */
static enum cuda_error bind_address(struct cudart *rt, uint64_t handle, size_t offset, uint64_t address, size_t bytes,
                                    unsigned long long flags)
{
    struct mnp_region range;
    uint64_t memory;
    if (!cudart_mapping_at(rt, address, &range) || bytes > range.bytes - (address - range.address))
        return CUDA_INVALID_VALUE;
    enum cuda_error problem = cudart_piece_at(rt, &memory, address);
    if (problem)
        return problem;
    problem = bind(rt, handle, offset, memory, address - range.address, bytes, flags);
    cudart_release_piece(rt, memory);
    return problem;
}

CUDART_API CUresult cuMulticastBindAddr(uint64_t handle, size_t offset, CUdeviceptr address, size_t bytes,
                                        unsigned long long flags)
{
    DRIVER_WORK_IN(false, bind_address(rt, handle, offset, address, bytes, flags));
}

static enum cuda_error unbind(struct cudart *rt, uint64_t handle, int ordinal, size_t offset, size_t bytes)
{
    struct cudart_device *device = cudart_device_at(rt, ordinal);
    uint32_t number;
    if (!device)
        return CUDA_INVALID_DEVICE;
    return cudart_object_of(rt, handle, &number) ? cudart_unbind_piece(device, number, offset, bytes)
                                                 : CUDA_INVALID_VALUE;
}

CUDART_API CUresult cuMulticastUnbind(uint64_t handle, int device, size_t offset, size_t bytes)
{
    DRIVER_WORK_IN(false, unbind(rt, handle, device, offset, bytes));
}
