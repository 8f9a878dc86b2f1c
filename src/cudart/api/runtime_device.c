/* SPDX-License-Identifier: BSD-3-Clause */
/* The device as programs of the runtime can ask about it, and settings that change nothing. */
#include "cudart/api/runtime.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/device/first_use.h"
#include "cudart/launch/limits.h"
#include "cudart/process/api_call.h"
#include "cudart/stream/profiler_ranges.h"

#include <stdio.h>
#include <string.h>

/* ===== properties ===== */

static int ask(const struct cudart_device *device, int number)
{
    int value;
    cudart_attribute(device, number, &value);
    return value;
}

/* cudaDeviceProp of CUDA 13 from what programs can ask for one by one. */
static void describe(const struct cudart_device *device, struct cuda_properties_13 *p)
{
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "Maniple %s", mnp_settings_name(device->settings));
    p->memory = device->parameters.host.memory;
    p->shared_per_block = (size_t)ask(device, 8);
    p->registers_per_block = p->registers_per_sm = ask(device, 12);
    p->warp = 32;
    p->pitch = INT32_MAX;
    p->threads_per_block = 1024;
    for (int i = 0; i < 3; i++) {
        p->block[i] = ask(device, 2 + i);
        p->grid[i] = ask(device, 5 + i);
    }
    p->constant = (size_t)ask(device, 9);
    p->major = ask(device, 75);
    p->minor = ask(device, 76);
    p->texture_alignment = p->surface_alignment = 512;
    p->texture_pitch_alignment = 32;
    p->sms = ask(device, 16);
    p->maps_host_memory = p->concurrent_kernels = p->unified_addressing = p->stream_priorities = 1;
    p->l1_global = p->l1_local = p->managed = p->host_register = 1;
    p->async_engines = ask(device, 40);
    p->bus_width = ask(device, 37);
    p->l2_bytes = ask(device, 38);
    p->threads_per_sm = ask(device, 39);
    p->shared_per_sm = (size_t)ask(device, 81);
    p->shared_per_block_optin = (size_t)ask(device, 97);
    p->blocks_per_sm = ask(device, 106);
    p->shared_reserved = (size_t)ask(device, 111);
    p->cooperative = ask(device, 95);
    p->memory_pools = ask(device, 115);
    p->pci_bus = ask(device, 33);
    if (device->rt->machine_devices > 1)
        cudart_uuid(device->place, p->uuid);
    p->cluster_launch = ask(device, 120);
}

/* The part of CUDA 12's that CUDA 13 has too, and what it has no longer. */
static void translate(const struct cudart_device *device, const struct cuda_properties_13 *from,
                      struct cuda_properties_12 *p)
{
    memset(p, 0, sizeof *p);
    memcpy(p->name, from->name, sizeof p->name);
    memcpy(p->uuid, from->uuid, sizeof p->uuid);
    p->memory = from->memory;
    p->shared_per_block = from->shared_per_block;
    p->registers_per_block = from->registers_per_block;
    p->warp = from->warp;
    p->pitch = from->pitch;
    p->threads_per_block = from->threads_per_block;
    memcpy(p->block, from->block, sizeof p->block);
    memcpy(p->grid, from->grid, sizeof p->grid);
    p->constant = from->constant;
    p->major = from->major;
    p->minor = from->minor;
    p->texture_alignment = from->texture_alignment;
    p->texture_pitch_alignment = from->texture_pitch_alignment;
    p->sms = from->sms;
    p->maps_host_memory = from->maps_host_memory;
    p->surface_alignment = from->surface_alignment;
    p->concurrent_kernels = from->concurrent_kernels;
    p->async_engines = from->async_engines;
    p->unified_addressing = from->unified_addressing;
    p->bus_width = from->bus_width;
    p->l2_bytes = from->l2_bytes;
    p->threads_per_sm = from->threads_per_sm;
    p->stream_priorities = from->stream_priorities;
    p->l1_global = from->l1_global;
    p->l1_local = from->l1_local;
    p->shared_per_sm = from->shared_per_sm;
    p->registers_per_sm = from->registers_per_sm;
    p->managed = from->managed;
    p->cooperative = from->cooperative;
    p->shared_per_block_optin = from->shared_per_block_optin;
    p->blocks_per_sm = from->blocks_per_sm;
    p->shared_reserved = from->shared_reserved;
    p->host_register = from->host_register;
    p->memory_pools = from->memory_pools;
    p->pci_bus = from->pci_bus;
    p->cluster_launch = from->cluster_launch;
    p->clock = ask(device, 13);
    p->memory_clock = ask(device, 36);
    p->overlap = 1;
}

static enum cuda_error properties(struct cudart *rt, struct cuda_properties_13 *new, struct cuda_properties_12 *old,
                                  int ordinal)
{
    struct cudart_device *device = cudart_device_at(rt, ordinal);
    struct cuda_properties_13 all;
    if (cudart_ask_device(device ? device : cudart_current_device(rt)))
        return rt->faults.failure;
    if (!new && !old)
        return CUDA_INVALID_VALUE;
    if (!device)
        return CUDA_INVALID_DEVICE;
    describe(device, &all);
    if (new)
        *new = all;
    else
        translate(device, &all, old);
    return CUDA_SUCCESS;
}

CUDART_API int maniple_13_cudaGetDeviceProperties(struct cuda_properties_13 *out, int device)
{
    CUDART_QUESTION(properties(rt, out, NULL, device));
}

/* The name that programs of CUDA 12 use. */
CUDART_API int cudaGetDeviceProperties_v2(struct cuda_properties_12 *out, int device)
{
    CUDART_QUESTION(properties(rt, NULL, out, device));
}

static enum cuda_error get_attribute(struct cudart *rt, int *value, int number, int ordinal)
{
    struct cudart_device *device = cudart_device_at(rt, ordinal);
    if (cudart_ask_device(device ? device : cudart_current_device(rt)))
        return rt->faults.failure;
    if (!device)
        return CUDA_INVALID_DEVICE;
    return value && cudart_attribute(device, number, value) ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

CUDART_API int cudaDeviceGetAttribute(int *value, int number, int device)
{
    CUDART_QUESTION(get_attribute(rt, value, number, device));
}

/* ===== which device ===== */

static enum cuda_error put(int *out, int value)
{
    if (!out)
        return CUDA_INVALID_VALUE;
    *out = value;
    return CUDA_SUCCESS;
}

CUDART_API int cudaGetDeviceCount(int *count)
{
    if (count)
        *count = 0; /* in case the program may see no device */
    CUDART_QUESTION(put(count, (int)rt->device_count));
}

CUDART_API int cudaGetDevice(int *device)
{
    CUDART_QUESTION(put(device, (int)current->number));
}

CUDART_API int cudaChooseDevice(int *device, const void *wanted)
{
    (void)wanted;
    CUDART_QUESTION(put(device, 0));
}

static enum cuda_error choose_device(struct cudart_device *device)
{
    if (!device)
        return CUDA_INVALID_DEVICE;
    cudart_choose_primary(device->rt, device->number);
    return cudart_ask_device(device);
}

CUDART_API int cudaSetDevice(int device)
{
    CUDART_CALL(choose_device(cudart_device_at(rt, device)));
}

CUDART_API int cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
    (void)device_flags, (void)flags;
    CUDART_CALL(cudart_device_at(rt, device) ? cudart_ask_device(cudart_device_at(rt, device)) : CUDA_INVALID_DEVICE);
}

CUDART_API int cudaSetDeviceFlags(unsigned flags)
{
    CUDART_CALL((cudart_set_flags(current, flags), CUDA_SUCCESS));
}

CUDART_API int cudaGetDeviceFlags(unsigned *flags)
{
    CUDART_QUESTION(put((int *)flags, (int)current->flags));
}

CUDART_API int cudaDriverGetVersion(int *version)
{
    CUDART_QUESTION(put(version, cudart_version(rt)));
}

CUDART_API int cudaRuntimeGetVersion(int *version)
{
    CUDART_QUESTION(put(version, cudart_version(rt)));
}

CUDART_API int cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least)
        *least = 0;
    CUDART_CALL(greatest ? put(greatest, -5) : CUDA_SUCCESS);
}

/* Threads that choose none keep device 0, which must be the first of the list. */
static enum cuda_error set_valid(const struct cudart *rt, const int *devices, int count)
{
    bool known = true;
    for (int i = 0; devices && i < count; i++)
        known &= cudart_device_at(rt, devices[i]) != NULL;
    if (!devices || count < 1)
        return CUDA_INVALID_VALUE;
    return known && devices[0] == 0 ? CUDA_SUCCESS : CUDA_INVALID_DEVICE;
}

CUDART_API int cudaSetValidDevices(const int *devices, int count)
{
    CUDART_CALL(set_valid(rt, devices, count));
}

/* ===== settings that change nothing ===== */

CUDART_API int cudaDeviceSetLimit(int limit, size_t value)
{
    uint64_t from = value;
    CUDART_CALL(cudart_limit(current, (unsigned)limit, NULL, &from));
}

CUDART_API int cudaDeviceGetLimit(size_t *value, int limit)
{
    CUDART_CALL(cudart_limit(current, (unsigned)limit, value, NULL));
}

/* Hints about caches: the model chooses by itself. */
CUDART_API int cudaDeviceSetCacheConfig(int configuration)
{
    CUDART_CALL(configuration >= 0 && configuration <= 3 ? CUDA_SUCCESS : CUDA_INVALID_VALUE);
}

CUDART_API int cudaDeviceGetCacheConfig(int *configuration)
{
    CUDART_CALL(put(configuration, 0));
}

CUDART_API int cudaProfilerStart(void)
{
    CUDART_CALL(cudart_profile(rt, true));
}

CUDART_API int cudaProfilerStop(void)
{
    CUDART_CALL(cudart_profile(rt, false));
}

/* Widths of banks of shared memory: fixed since Maxwell. */
CUDART_API int cudaDeviceSetSharedMemConfig(int configuration)
{
    CUDART_CALL(configuration >= 0 && configuration <= 2 ? CUDA_SUCCESS : CUDA_INVALID_VALUE);
}

CUDART_API int cudaDeviceGetSharedMemConfig(int *configuration)
{
    enum { FOUR_BYTES = 1 };
    CUDART_CALL(configuration ? (*configuration = FOUR_BYTES, CUDA_SUCCESS) : CUDA_INVALID_VALUE);
}

CUDART_API int cudaCtxResetPersistingL2Cache(void)
{
    CUDART_CALL(CUDA_SUCCESS);
}
