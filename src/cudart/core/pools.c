/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory pools: all of them take from the device's memory, and keep what programs set. */
#include "cudart/core/context.h"

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

bool cudart_pool_known(struct cudart *rt, uint64_t pool)
{
    return pool_of(rt, pool) != NULL;
}

uint64_t cudart_current_pool(const struct cudart *rt)
{
    return rt->pool ? rt->pool : CUDART_FIRST_HANDLE;
}

enum cuda_error cudart_set_pool(struct cudart *rt, uint64_t pool)
{
    if (!pool_of(rt, pool))
        return CUDA_INVALID_VALUE;
    rt->pool = pool;
    return CUDA_SUCCESS;
}

uint64_t cudart_create_pool(struct cudart *rt)
{
    pool_of(rt, 0);
    return CUDART_FIRST_HANDLE + add_pool(rt);
}

enum cuda_error cudart_destroy_pool(struct cudart *rt, uint64_t handle)
{
    struct pool *pool = handle == CUDART_FIRST_HANDLE ? NULL : pool_of(rt, handle);
    if (!pool)
        return CUDA_INVALID_VALUE;
    pool->used = false;
    rt->pool = rt->pool == handle ? 0 : rt->pool;
    return CUDA_SUCCESS;
}

/* The first three are of 4 bytes, the others of 8. */
enum cuda_error cudart_pool_attribute(struct cudart *rt, uint64_t handle, int number, void *value, bool set)
{
    struct pool *pool = pool_of(rt, handle);
    if (!pool || !value || number < 1 || number > ATTRIBUTES)
        return CUDA_INVALID_VALUE;
    if (set && (number == RESERVED_NOW || number == USED_NOW))
        return CUDA_INVALID_VALUE;
    size_t bytes = number < THRESHOLD ? 4 : 8;
    uint64_t now = number >= RESERVED_NOW ? rt->memory.allocated : pool->values[number];
    if (!set)
        memcpy(value, &now, bytes);
    else if (number <= THRESHOLD)
        memcpy(&pool->values[number], value, bytes);
    return CUDA_SUCCESS;
}

void cudart_forget_pools(struct cudart *rt)
{
    rt->pools.count = 0;
    rt->pool = 0;
}
