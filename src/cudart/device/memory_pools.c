/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory pools. Their memory is the device's, taken and given back at once. A pool counts what it would hold: the
 * bytes of its allocations, and the blocks that back them. It keeps blocks until the program trims it, or waits while
 * the pool holds more than its release threshold.
 */
#include "cudart/device/memory_pools.h"

#include "base/range.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"

#include <string.h>

enum { ATTRIBUTES = 8, THRESHOLD = 4, RESERVED_NOW = 5, RESERVED_HIGH = 6, USED_NOW = 7, USED_HIGH = 8 };

#define BLOCK (UINT64_C(32) << 20) /* a pool reserves multiples of it, as NVIDIA's driver does */

struct pool {
    bool used;
    struct cudart_device *device;
    uint64_t values[ATTRIBUTES + 1]; /* by the attributes' numbers */
};

/* An allocation, in the order of addresses. */
struct pooled {
    uint64_t address, bytes; /* sorted by address */
    uint32_t pool;
    bool leaving; /* a stream is to free it */
};

static struct pool fresh_pool(struct cudart_device *device)
{
    return (struct pool){.used = true, .device = device, .values = {0, 1, 1, 1}}; /* reuses memory in all ways */
}

static uint32_t add_pool(struct cudart_device *device)
{
    struct mnp_array *pools = &device->rt->pools;
    struct pool *pool = mnp_array_add(pools, 1, sizeof *pool);
    *pool = fresh_pool(device);
    return pools->count - 1;
}

/* The devices' default pools are kept in front. */
static struct pool *pool_of(struct cudart *rt, uint64_t handle)
{
    uint64_t place = handle - CUDART_FIRST_HANDLE;
    for (uint32_t i = 0; rt->pools.count < rt->device_count; i++)
        add_pool(&rt->devices[i]);
    struct pool *pools = rt->pools.items;
    return handle >= CUDART_FIRST_HANDLE && place < rt->pools.count && pools[place].used ? &pools[place] : NULL;
}

bool cudart_pool_known(struct cudart *rt, uint64_t pool)
{
    return pool_of(rt, pool) != NULL;
}

uint64_t cudart_default_pool(const struct cudart_device *device)
{
    return CUDART_FIRST_HANDLE + device->number;
}

uint64_t cudart_current_pool(const struct cudart_device *device)
{
    return device->pool ? device->pool : cudart_default_pool(device);
}

enum cuda_error cudart_set_pool(struct cudart_device *device, uint64_t pool)
{
    if (!pool_of(device->rt, pool))
        return CUDA_INVALID_VALUE;
    device->pool = pool;
    return CUDA_SUCCESS;
}

uint64_t cudart_create_pool(struct cudart_device *device)
{
    pool_of(device->rt, 0);
    return CUDART_FIRST_HANDLE + add_pool(device);
}

enum cuda_error cudart_destroy_pool(struct cudart *rt, uint64_t handle)
{
    struct pool *pool = pool_of(rt, handle);
    if (!pool || handle == cudart_default_pool(pool->device))
        return CUDA_INVALID_VALUE;
    pool->used = false; /* its allocations stay until they are freed */
    pool->device->pool = pool->device->pool == handle ? 0 : pool->device->pool;
    return CUDA_SUCCESS;
}

/* ===== what a pool holds ===== */

/* Gives back blocks that hold nothing, down to so many bytes. */
static void shrink(struct pool *pool, uint64_t least)
{
    uint64_t *v = pool->values, used = mnp_round_up(v[USED_NOW], BLOCK);
    uint64_t kept = least > UINT64_MAX - BLOCK ? UINT64_MAX : mnp_round_up(least, BLOCK);
    kept = kept > used ? kept : used;
    mnp_lower(&v[RESERVED_NOW], kept);
}

enum cuda_error cudart_trim_pool(struct cudart *rt, uint64_t handle, uint64_t least)
{
    struct pool *pool = pool_of(rt, handle);
    if (!pool)
        return CUDA_INVALID_VALUE;
    shrink(pool, least);
    return CUDA_SUCCESS;
}

void cudart_rest_pools(struct cudart *rt)
{
    struct pool *pools = rt->pools.items;
    for (uint32_t i = 0; i < rt->pools.count; i++)
        if (pools[i].values[RESERVED_NOW] > pools[i].values[THRESHOLD])
            shrink(&pools[i], pools[i].values[THRESHOLD]);
}

/* The number of allocations that begin before an address. */
static uint32_t pooled_before(const struct cudart *rt, uint64_t address)
{
    return mnp_array_before(&rt->pooled, sizeof(struct pooled), address);
}

static struct pooled *pooled_at(const struct cudart *rt, uint64_t address)
{
    uint32_t place = pooled_before(rt, address);
    struct pooled *all = rt->pooled.items;
    return place < rt->pooled.count && all[place].address == address ? &all[place] : NULL;
}

static void count(struct pool *pool)
{
    uint64_t *v = pool->values, needed = mnp_round_up(v[USED_NOW], BLOCK);
    mnp_raise(&v[RESERVED_NOW], needed);
    mnp_raise(&v[RESERVED_HIGH], v[RESERVED_NOW]);
    mnp_raise(&v[USED_HIGH], v[USED_NOW]);
}

void cudart_pool_takes(struct cudart *rt, uint64_t handle, uint64_t address, uint64_t bytes)
{
    struct pool *pool = pool_of(rt, handle);
    uint32_t place = pooled_before(rt, address);
    mnp_array_add(&rt->pooled, 1, sizeof(struct pooled));
    struct pooled *at = (struct pooled *)rt->pooled.items + place;
    memmove(at + 1, at, (rt->pooled.count - 1 - place) * sizeof *at);
    *at = (struct pooled){address, bytes, (uint32_t)(handle - CUDART_FIRST_HANDLE), false};
    pool->values[USED_NOW] += bytes;
    count(pool);
}

void cudart_pool_gives(struct cudart *rt, uint64_t address)
{
    struct pooled *memory = pooled_at(rt, address), *all = rt->pooled.items;
    if (!memory)
        return;
    ((struct pool *)rt->pools.items)[memory->pool].values[USED_NOW] -= memory->bytes;
    memmove(memory, memory + 1, (size_t)(all + --rt->pooled.count - memory) * sizeof *memory);
}

bool cudart_pool_lets_go(struct cudart *rt, uint64_t address)
{
    struct pooled *memory = pooled_at(rt, address);
    if (memory && memory->leaving)
        return false;
    if (memory)
        memory->leaving = true;
    return true;
}

bool cudart_pool_takes_again(struct cudart *rt, uint64_t handle, uint64_t address, uint64_t bytes)
{
    struct pooled *memory = pooled_at(rt, address);
    if (!memory || !memory->leaving || memory->bytes != bytes || memory->pool + CUDART_FIRST_HANDLE != handle)
        return false;
    memory->leaving = false;
    return true;
}

/* ===== attributes ===== */

/* The highest values can be set to 0 alone, from which they are at once what there is. */
static enum cuda_error set_attribute(struct pool *pool, int number, const void *value)
{
    uint64_t *v = pool->values, wide;
    if (number <= THRESHOLD) {
        memcpy(&v[number], value, number < THRESHOLD ? 4 : 8);
        return CUDA_SUCCESS;
    }
    memcpy(&wide, value, 8);
    if (number == RESERVED_NOW || number == USED_NOW || wide)
        return CUDA_INVALID_VALUE;
    v[number] = v[number - 1];
    return CUDA_SUCCESS;
}

/* The first three are of 4 bytes, the others of 8. */
enum cuda_error cudart_pool_attribute(struct cudart *rt, uint64_t handle, int number, void *value, bool set)
{
    struct pool *pool = pool_of(rt, handle);
    if (!pool || !value || number < 1 || number > ATTRIBUTES)
        return CUDA_INVALID_VALUE;
    if (set)
        return set_attribute(pool, number, value);
    memcpy(value, &pool->values[number], number < THRESHOLD ? 4 : 8);
    return CUDA_SUCCESS;
}

void cudart_forget_pools(struct cudart_device *device)
{
    struct cudart *rt = device->rt;
    struct pool *pools = rt->pools.items;
    struct pooled *memory = rt->pooled.items;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < rt->pooled.count; i++)
        if (pools[memory[i].pool].device != device)
            memory[kept++] = memory[i];
    rt->pooled.count = kept;
    for (uint32_t i = 0; i < rt->pools.count; i++)
        if (pools[i].device == device)
            pools[i] = i < rt->device_count ? fresh_pool(device) : (struct pool){.device = device};
    while (rt->pools.count > rt->device_count && !pools[rt->pools.count - 1].used)
        rt->pools.count--;
    device->pool = 0;
}
