/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory pools: all of them take from the device's memory, and keep what programs set. */
#include "cudart/context.h"

#include <string.h>

enum { ATTRIBUTES = 8, THRESHOLD = 4, RESERVED_NOW = 5, RESERVED_HIGH = 6, USED_NOW = 7, USED_HIGH = 8 };

struct pool {
    bool used;
    uint64_t values[ATTRIBUTES + 1]; /* by the attributes' numbers */
};

static uint32_t add_pool(struct cudart *rt)
{
    struct pool *pool = mnp_array_add(&rt->pools, 1, sizeof *pool);
    *pool = (struct pool){.used = true, .values = {0, 1, 1, 1}}; /* reuse of memory is allowed in all ways */
    return rt->pools.count - 1;
}

/* The default pool is kept in front. */
static struct pool *pool_of(struct cudart *rt, uint64_t handle)
{
    uint64_t place = handle - CUDART_FIRST_HANDLE;
    if (!rt->pools.count)
        add_pool(rt);
    struct pool *pools = rt->pools.items;
    return handle >= CUDART_FIRST_HANDLE && place < rt->pools.count && pools[place].used ? &pools[place] : NULL;
}

static enum cuda_error default_pool(uint64_t *out, int device)
{
    if (!out)
        return CUDA_INVALID_VALUE;
    *out = CUDART_FIRST_HANDLE;
    return device ? CUDA_INVALID_DEVICE : CUDA_SUCCESS;
}

CUDART_API int cudaDeviceGetDefaultMemPool(uint64_t *pool, int device)
{
    CUDART_CALL(default_pool(pool, device));
}

static enum cuda_error current_pool(const struct cudart *rt, uint64_t *out, int device)
{
    enum cuda_error problem = default_pool(out, device);
    if (!problem && rt->pool)
        *out = rt->pool;
    return problem;
}

CUDART_API int cudaDeviceGetMemPool(uint64_t *pool, int device)
{
    CUDART_CALL(current_pool(rt, pool, device));
}

CUDART_API int cudaDeviceSetMemPool(int device, uint64_t pool)
{
    CUDART_CALL(device              ? CUDA_INVALID_DEVICE
                : pool_of(rt, pool) ? (rt->pool = pool, CUDA_SUCCESS)
                                    : CUDA_INVALID_VALUE);
}

static enum cuda_error create(struct cudart *rt, uint64_t *out, const void *properties)
{
    if (!out || !properties)
        return CUDA_INVALID_VALUE;
    pool_of(rt, 0);
    *out = CUDART_FIRST_HANDLE + add_pool(rt);
    return CUDA_SUCCESS;
}

CUDART_API int cudaMemPoolCreate(uint64_t *pool, const void *properties)
{
    CUDART_CALL(create(rt, pool, properties));
}

static enum cuda_error destroy(struct cudart *rt, uint64_t handle)
{
    struct pool *pool = handle == CUDART_FIRST_HANDLE ? NULL : pool_of(rt, handle);
    if (!pool)
        return CUDA_INVALID_VALUE;
    pool->used = false;
    rt->pool = rt->pool == handle ? 0 : rt->pool;
    return CUDA_SUCCESS;
}

CUDART_API int cudaMemPoolDestroy(uint64_t pool)
{
    CUDART_CALL(destroy(rt, pool));
}

CUDART_API int cudaMemPoolTrimTo(uint64_t pool, size_t bytes)
{
    (void)bytes; /* nothing is kept back */
    CUDART_CALL(pool_of(rt, pool) ? CUDA_SUCCESS : CUDA_INVALID_VALUE);
}

/* The first three are of 4 bytes, the others of 8. */
static enum cuda_error attribute(struct cudart *rt, uint64_t handle, int number, void *value, bool set)
{
    struct pool *pool = pool_of(rt, handle);
    if (!pool || !value || number < 1 || number > ATTRIBUTES)
        return CUDA_INVALID_VALUE;
    if (set && (number == RESERVED_NOW || number == USED_NOW))
        return CUDA_INVALID_VALUE;
    size_t bytes = number < THRESHOLD ? 4 : 8;
    uint64_t now = number >= RESERVED_NOW ? rt->allocated : pool->values[number];
    if (!set)
        memcpy(value, &now, bytes);
    else if (number <= THRESHOLD)
        memcpy(&pool->values[number], value, bytes);
    return CUDA_SUCCESS;
}

CUDART_API int cudaMemPoolSetAttribute(uint64_t pool, int number, void *value)
{
    CUDART_CALL(attribute(rt, pool, number, value, true));
}

CUDART_API int cudaMemPoolGetAttribute(uint64_t pool, int number, void *value)
{
    CUDART_CALL(attribute(rt, pool, number, value, false));
}

CUDART_API int cudaMemPoolSetAccess(uint64_t pool, const void *descriptions, size_t count)
{
    CUDART_CALL(pool_of(rt, pool) && (descriptions || !count) ? CUDA_SUCCESS : CUDA_INVALID_VALUE);
}

static enum cuda_error access_of(struct cudart *rt, int *flags, uint64_t pool)
{
    enum { READ_AND_WRITE = 3 };
    if (!flags || !pool_of(rt, pool))
        return CUDA_INVALID_VALUE;
    *flags = READ_AND_WRITE;
    return CUDA_SUCCESS;
}

CUDART_API int cudaMemPoolGetAccess(int *flags, uint64_t pool, const void *location)
{
    CUDART_CALL(location ? access_of(rt, flags, pool) : CUDA_INVALID_VALUE);
}

static enum cuda_error allocate(struct cudart *rt, void **out, size_t bytes, uint64_t pool, uint64_t stream)
{
    if (!pool_of(rt, pool))
        return CUDA_INVALID_VALUE;
    return cudart_stream_known(rt, stream) ? cudart_allocate(rt, out, bytes) : CUDA_INVALID_RESOURCE_HANDLE;
}

CUDART_API int cudaMallocFromPoolAsync(void **out, size_t bytes, uint64_t pool, uint64_t stream)
{
    CUDART_CALL(allocate(rt, out, bytes, pool, stream));
}
