/* SPDX-License-Identifier: BSD-3-Clause */
/* The simulated device: chosen, read from its machine file, and as programs can ask about it. */
#include "cudart/context.h"
#include "execute/journal.h"
#include "gpu/gpu.h"
#include "machines.h"

#include <stdio.h>
#include <string.h>

static const struct {
    uint32_t architecture;
    const char *name;
} machines[] = {{90, "h100-sxm"}, {86, "rtx3070"}, {80, "a100"}, {75, "rtx2060"}, {0, "v100"}};

/* Without a word of the user's, the machine that the program's newest code is for. */
static const char *choose(const struct cudart *rt)
{
    uint32_t newest = cudart_newest_architecture(rt), i = 0;
    if (!newest) /* a program of the driver's has said nothing yet */
        newest = 86;
    while (machines[i].architecture > newest)
        i++;
    return rt->options.machine ? rt->options.machine : machines[i].name;
}

static bool build(struct cudart *rt, struct mnp_error *error)
{
    struct mnp_settings_source from = {.machine = choose(rt),
                                       .built_in = mnp_built_in_machines,
                                       .overrides = rt->options.overrides,
                                       .override_count = rt->options.override_count};
    rt->machine = from.machine;
    rt->settings = mnp_settings_load(&from, error);
    return rt->settings && cudart_spread_join(rt, error) && gpu_parameters_read(&rt->parameters, rt->settings, error);
}

enum cuda_error cudart_prepare(struct cudart *rt)
{
    struct mnp_error error = {{0}};
    if (rt->settings || rt->failure)
        return rt->failure;
    if (!build(rt, &error))
        return rt->failure = cudart_refuse(rt, &error, CUDA_INITIALIZATION_ERROR);
    if (rt->options.trace && !rt->recorder &&
        !(rt->recorder = execute_recorder_open(rt->options.trace, mnp_settings_architecture(rt->settings), &error)))
        return rt->failure = cudart_refuse(rt, &error, CUDA_INITIALIZATION_ERROR);
    cudart_device_init(&rt->device, &rt->parameters, stdout);
    cudart_spread_order(rt, SPREAD_DEVICE, 0);
    if (processes_joined(&rt->processes))
        execute_journal_start(&rt->device);
    cudart_load_all(rt);
    return CUDA_SUCCESS;
}

static uint64_t bus_bits(const struct gpu_partition_parameters *p)
{
    return p->count * p->dram.bus_width * 8; /* a partition has one channel */
}

/* Attributes by their numbers; false: there is no such attribute. What is not here is a feature that is not there. */
static bool attribute(const struct cudart *rt, int number, int *value)
{
    const struct gpu_parameters *p = &rt->parameters;
    uint32_t architecture = mnp_settings_architecture(rt->settings);
    uint64_t shared = p->sm.shared_max, optin = shared - p->sm.shared_reserved;
    const struct {
        int number;
        uint64_t value;
    } rows[] = {
        {1, 1024},
        {2, 1024},
        {3, 1024},
        {4, 64},
        {5, INT32_MAX},
        {6, 65535},
        {7, 65535}, /* threads and blocks */
        {8, 48 * 1024},
        {9, 64 * 1024},
        {10, 32},
        {11, INT32_MAX},
        {12, p->sm.registers},
        {13, p->machine.clock_core / 1000},
        {14, 512},
        {15, 1},
        {16, p->sm.count},
        {19, 1},
        {30, 512},
        {31, 1},
        {36, p->machine.clock_dram / 1000},
        {37, bus_bits(&p->partition)},
        {38, p->partition.count * p->partition.slices * p->partition.slice_bytes},
        {39, p->sm.warps * 32},
        {40, 2},
        {41, 1},
        {51, 32},
        {75, architecture / 10},
        {76, architecture % 10},
        {78, 1},
        {79, 1},
        {80, 1},
        {81, shared},
        {82, p->sm.registers},
        {83, 1},
        {95, 1}, /* cooperative launches */
        {97, optin},
        {99, 1},
        {106, p->sm.ctas},
        {111, p->sm.shared_reserved},
        {115, 1}, /* memory pools */
    };
    *value = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].number == number)
            *value = rows[i].value > INT32_MAX ? INT32_MAX : (int)rows[i].value;
    return number >= 1 && number <= 147;
}

static int ask(const struct cudart *rt, int number)
{
    int value;
    attribute(rt, number, &value);
    return value;
}

int cudart_version(const struct cudart *rt)
{
    return (rt->major ? rt->major : CUDART_NEWEST) * 1000;
}

/* cudaDeviceProp of CUDA 13 from what programs can ask for one by one. */
static void describe(const struct cudart *rt, struct cuda_properties_13 *p)
{
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "Maniple %s", mnp_settings_name(rt->settings));
    p->memory = CUDART_MEMORY;
    p->shared_per_block = (size_t)ask(rt, 8);
    p->registers_per_block = p->registers_per_sm = ask(rt, 12);
    p->warp = 32;
    p->pitch = INT32_MAX;
    p->threads_per_block = 1024;
    for (int i = 0; i < 3; i++) {
        p->block[i] = ask(rt, 2 + i);
        p->grid[i] = ask(rt, 5 + i);
    }
    p->constant = (size_t)ask(rt, 9);
    p->major = ask(rt, 75);
    p->minor = ask(rt, 76);
    p->texture_alignment = p->surface_alignment = 512;
    p->texture_pitch_alignment = 32;
    p->sms = ask(rt, 16);
    p->maps_host_memory = p->concurrent_kernels = p->unified_addressing = p->stream_priorities = 1;
    p->l1_global = p->l1_local = p->managed = p->host_register = 1;
    p->async_engines = ask(rt, 40);
    p->bus_width = ask(rt, 37);
    p->l2_bytes = ask(rt, 38);
    p->threads_per_sm = ask(rt, 39);
    p->shared_per_sm = (size_t)ask(rt, 81);
    p->shared_per_block_optin = (size_t)ask(rt, 97);
    p->blocks_per_sm = ask(rt, 106);
    p->shared_reserved = (size_t)ask(rt, 111);
    p->cooperative = ask(rt, 95);
    p->memory_pools = ask(rt, 115);
}

/* The part of CUDA 12's that CUDA 13 has too, and what it has no longer. */
static void translate(const struct cudart *rt, const struct cuda_properties_13 *from, struct cuda_properties_12 *p)
{
    memset(p, 0, sizeof *p);
    memcpy(p->name, from->name, sizeof p->name);
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
    p->cluster_launch = from->cluster_launch;
    p->clock = ask(rt, 13);
    p->memory_clock = ask(rt, 36);
    p->overlap = 1;
}

static enum cuda_error properties(struct cudart *rt, struct cuda_properties_13 *new, struct cuda_properties_12 *old,
                                  int device)
{
    struct cuda_properties_13 all;
    if (cudart_prepare(rt))
        return rt->failure;
    if (!new && !old)
        return CUDA_INVALID_VALUE;
    if (device != 0)
        return CUDA_INVALID_DEVICE;
    describe(rt, &all);
    if (new)
        *new = all;
    else
        translate(rt, &all, old);
    return CUDA_SUCCESS;
}

/* The name that programs of CUDA 13 use. */
CUDART_API int cudaGetDeviceProperties(struct cuda_properties_13 *out, int device)
{
    CUDART_CALL(properties(rt, out, NULL, device));
}

/* The name that programs of CUDA 12 use. */
CUDART_API int cudaGetDeviceProperties_v2(struct cuda_properties_12 *out, int device)
{
    CUDART_CALL(properties(rt, NULL, out, device));
}

static enum cuda_error get_attribute(struct cudart *rt, int *value, int number, int device)
{
    if (cudart_prepare(rt))
        return rt->failure;
    if (device != 0)
        return CUDA_INVALID_DEVICE;
    return value && attribute(rt, number, value) ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

CUDART_API int cudaDeviceGetAttribute(int *value, int number, int device)
{
    CUDART_CALL(get_attribute(rt, value, number, device));
}

static enum cuda_error put(int *out, int value)
{
    if (!out)
        return CUDA_INVALID_VALUE;
    *out = value;
    return CUDA_SUCCESS;
}

CUDART_API int cudaGetDeviceCount(int *count)
{
    CUDART_CALL(put(count, 1));
}

CUDART_API int cudaGetDevice(int *device)
{
    CUDART_CALL(put(device, 0));
}

CUDART_API int cudaChooseDevice(int *device, const void *wanted)
{
    (void)wanted;
    CUDART_CALL(put(device, 0));
}

CUDART_API int cudaSetDevice(int device)
{
    CUDART_CALL(device == 0 ? cudart_prepare(rt) : CUDA_INVALID_DEVICE);
}

CUDART_API int cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
    (void)device_flags, (void)flags;
    CUDART_CALL(device == 0 ? cudart_prepare(rt) : CUDA_INVALID_DEVICE);
}

CUDART_API int cudaSetDeviceFlags(unsigned flags)
{
    CUDART_CALL((rt->device_flags = flags, CUDA_SUCCESS));
}

CUDART_API int cudaGetDeviceFlags(unsigned *flags)
{
    CUDART_CALL(put((int *)flags, (int)rt->device_flags));
}

CUDART_API int cudaDriverGetVersion(int *version)
{
    CUDART_CALL(put(version, cudart_version(rt)));
}

CUDART_API int cudaRuntimeGetVersion(int *version)
{
    CUDART_CALL(put(version, cudart_version(rt)));
}

CUDART_API int cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    CUDART_CALL(device || peer ? CUDA_INVALID_DEVICE : put(can, 0));
}

CUDART_API int cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least)
        *least = 0;
    CUDART_CALL(greatest ? put(greatest, -5) : CUDA_SUCCESS);
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
    CUDART_CALL(CUDA_SUCCESS);
}

CUDART_API int cudaProfilerStop(void)
{
    CUDART_CALL(CUDA_SUCCESS);
}

void cudart_restart(struct cudart *rt)
{
    rt->failure = rt->pending = CUDA_SUCCESS;
    rt->allocated = 0;
    rt->streams.count = rt->events.count = rt->arrays.count = rt->workspaces.count = rt->marks.count = 0;
    rt->registered.count = rt->pools.count = 0;
    rt->pool = 0;
    cudart_release_shared(rt);
    cudart_unload_all(rt);
    if (!rt->settings)
        return;
    execute_device_reset(&rt->device);
    cudart_load_all(rt);
}
