/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver API: addresses that a program reserves, and memory that it maps there. */
#include "cudart/api/driver.h"
#include "cudart/base/failure.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/memory/virtual_memory.h"

#include <string.h>

struct location {
    int type, id;
};

struct properties { /* CUmemAllocationProp */
    int type, handle_types;
    struct location location;
    void *windows;
    uint8_t compression, remote, usage[2], reserved[4];
};

struct access { /* CUmemAccessDesc */
    struct location location;
    int flags;
};

_Static_assert(sizeof(struct properties) == 32 && sizeof(struct access) == 12, "as CUDA has them");

enum { PINNED = 1, ON_DEVICE = 1, READ = 1, READ_WRITE = 3, GRANULARITIES = 2, DESCRIPTOR = 1 };

/* Memory of a device; what is compressed is not told apart. */
static enum cuda_error check(const struct cudart *rt, const struct properties *p)
{
    if (!p || p->type != PINNED)
        return CUDA_INVALID_VALUE;
    return p->location.type != ON_DEVICE           ? CUDA_NOT_SUPPORTED
           : !cudart_device_at(rt, p->location.id) ? CUDA_INVALID_DEVICE
                                                   : CUDA_SUCCESS;
}

static enum cuda_error granularity(const struct cudart *rt, size_t *out, const struct properties *p, int option)
{
    enum cuda_error problem = out && option >= 0 && option < GRANULARITIES ? check(rt, p) : CUDA_INVALID_VALUE;
    if (!problem)
        *out = CUDART_GRANULE;
    return problem;
}

CUDART_API CUresult cuMemGetAllocationGranularity(size_t *out, const struct properties *p, int option)
{
    DRIVER_WORK_IN(false, granularity(rt, out, p, option));
}

CUDART_API CUresult cuMemAddressReserve(CUdeviceptr *out, size_t bytes, size_t alignment, CUdeviceptr wish,
                                        unsigned long long flags)
{
    (void)wish; /* a hint */
    DRIVER_WORK_IN(false,
                   flags ? CUDA_INVALID_VALUE : cudart_reserve_addresses(current, (uint64_t *)out, bytes, alignment));
}

CUDART_API CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes)
{
    DRIVER_WORK_IN(false, cudart_free_addresses(current, address, bytes));
}

static enum cuda_error create(struct cudart *rt, uint64_t *handle, size_t bytes, const struct properties *p,
                              unsigned long long flags)
{
    enum cuda_error problem = flags ? CUDA_INVALID_VALUE : check(rt, p);
    return problem
               ? problem
               : cudart_make_piece(cudart_device_at(rt, p->location.id), handle, bytes, p->handle_types & DESCRIPTOR);
}

CUDART_API CUresult cuMemCreate(uint64_t *handle, size_t bytes, const struct properties *p, unsigned long long flags)
{
    DRIVER_WORK_IN(false, create(rt, handle, bytes, p, flags));
}

CUDART_API CUresult cuMemRelease(uint64_t handle)
{
    DRIVER_WORK_IN(false, cudart_release_piece(rt, handle));
}

/* A multicast object can be mapped when it has all of its devices. */
static enum cuda_error map(struct cudart_device *device, uint64_t address, size_t bytes, size_t offset, uint64_t handle,
                           unsigned long long flags)
{
    uint32_t number;
    enum cuda_error problem = offset || flags ? CUDA_INVALID_VALUE : CUDA_SUCCESS;
    if (!problem && cudart_object_of(device->rt, handle, &number))
        problem = cudart_driver_await_object(device->rt, handle, &number);
    return problem ? problem : cudart_map_piece(device, address, bytes, handle);
}

CUDART_API CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, uint64_t handle,
                             unsigned long long flags)
{
    DRIVER_WORK_IN(false, map(current, address, bytes, offset, handle, flags));
}

CUDART_API CUresult cuMemUnmap(CUdeviceptr address, size_t bytes)
{
    DRIVER_WORK_IN(false, cudart_unmap(current, address, bytes));
}

/* A device may access its own memory in any case, and write where it may read. */
static enum cuda_error set_access(struct cudart_device *device, uint64_t address, size_t bytes,
                                  const struct access *access, size_t count)
{
    bool right = access && count && bytes && cudart_is_mapped(device->rt, address, bytes);
    uint32_t devices = 0, rights = 0;
    for (size_t i = 0; right && i < count; i++) {
        const struct cudart_device *other = cudart_device_at(device->rt, access[i].location.id);
        right = access[i].flags == 0 || access[i].flags == READ || access[i].flags == READ_WRITE;
        if (access[i].location.type != ON_DEVICE || !other)
            continue;
        devices |= UINT32_C(1) << other->place;
        rights |= (uint32_t)(access[i].flags != 0) << other->place;
    }
    if (right)
        cudart_piece_access(device, address, bytes, devices, rights);
    return right ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

CUDART_API CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const struct access *access, size_t count)
{
    DRIVER_WORK_IN(false, set_access(current, address, bytes, access, count));
}

static enum cuda_error get_access(struct cudart_device *device, unsigned long long *flags,
                                  const struct location *location, uint64_t address)
{
    if (!flags || !location || !cudart_is_mapped(device->rt, address, 1))
        return CUDA_INVALID_VALUE;
    const struct cudart_device *other = cudart_device_at(device->rt, location->id);
    bool may = device->rt->device_count == 1 || (other && cudart_piece_rights(device->rt, address) >> other->place & 1);
    *flags = may ? READ_WRITE : 0;
    return CUDA_SUCCESS;
}

CUDART_API CUresult cuMemGetAccess(unsigned long long *flags, const struct location *location, CUdeviceptr address)
{
    DRIVER_WORK_IN(false, get_access(current, flags, location, address));
}

CUDART_API CUresult cuMemRetainAllocationHandle(uint64_t *handle, const void *address)
{
    DRIVER_WORK_IN(false, cudart_piece_at(rt, handle, (uint64_t)address));
}

static enum cuda_error properties(const struct cudart *rt, struct properties *p, uint64_t handle)
{
    uint32_t number;
    if (!p || !cudart_piece_known(rt, handle) || cudart_object_of(rt, handle, &number))
        return CUDA_INVALID_VALUE;
    *p = (struct properties){.type = PINNED,
                             .handle_types = cudart_piece_is_shareable(rt, handle) ? DESCRIPTOR : 0,
                             .location = {ON_DEVICE, (int)cudart_piece_device(rt, handle)->number}};
    return CUDA_SUCCESS;
}

CUDART_API CUresult cuMemGetAllocationPropertiesFromHandle(struct properties *p, uint64_t handle)
{
    DRIVER_WORK_IN(false, properties(rt, p, handle));
}

/* ===== other processes ===== */

static enum cuda_error refuse(struct cudart *rt, const char *name, int type)
{
    struct mnp_error error = {{0}};
    if (type != DESCRIPTOR)
        mnp_fail(&error, "%s: handles of type %d are not supported; ask for a file descriptor (type 1)", name, type);
    else
        mnp_fail(&error,
                 "%s: processes share memory of GPUs only without time, and of a machine with several GPUs; use "
                 "--functional and --gpus, or threads of one process",
                 name);
    return cudart_refuse(rt, &error, CUDA_NOT_SUPPORTED);
}

static enum cuda_error refuse_object(struct cudart *rt, const char *name)
{
    struct mnp_error error = {{0}};
    mnp_fail(&error, "%s: multicast objects of other processes are not supported; use threads of one process", name);
    return cudart_refuse(rt, &error, CUDA_NOT_SUPPORTED);
}

static enum cuda_error export_piece(struct cudart *rt, const char *name, int *out, uint64_t handle, int type)
{
    uint32_t number;
    if (!out || !cudart_piece_known(rt, handle))
        return CUDA_INVALID_VALUE;
    if (type == DESCRIPTOR && cudart_object_of(rt, handle, &number))
        return cudart_export_object(handle, out);
    if (type != DESCRIPTOR || !rt->sharing.page || rt->sharing.timed)
        return refuse(rt, name, type);
    return cudart_piece_is_shareable(rt, handle) ? cudart_export_piece(rt, handle, out) : CUDA_INVALID_VALUE;
}

static enum cuda_error import_piece(struct cudart_device *device, const char *name, uint64_t *handle, void *from,
                                    int type)
{
    struct cudart *rt = device->rt;
    enum cuda_error object =
        type == DESCRIPTOR ? cudart_import_object(rt, handle, (int)(intptr_t)from) : CUDA_NOT_FOUND;
    if (object == CUDA_NOT_SUPPORTED)
        return refuse_object(rt, name);
    if (object != CUDA_NOT_FOUND)
        return object;
    if (type != DESCRIPTOR || !rt->sharing.page || rt->sharing.timed)
        return refuse(rt, name, type);
    return cudart_import_piece(rt, handle, (int)(intptr_t)from);
}

CUDART_API CUresult cuMemExportToShareableHandle(void *out, uint64_t handle, int type, unsigned long long flags)
{
    DRIVER_WORK_IN(false, flags ? CUDA_INVALID_VALUE : export_piece(rt, __func__, out, handle, type));
}

CUDART_API CUresult cuMemImportFromShareableHandle(uint64_t *handle, void *from, int type)
{
    DRIVER_WORK(import_piece(current, __func__, handle, from, type));
}
