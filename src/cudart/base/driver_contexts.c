/* SPDX-License-Identifier: BSD-3-Clause */
/* Contexts of the driver API: their handles, and each thread's stack of them. */
#include "cudart/base/driver_contexts.h"

#include "cudart/base/state.h"

void cudart_serve_version(struct cudart *rt, int major)
{
    rt->contexts.versions_differ |= rt->contexts.major && rt->contexts.major != major;
    rt->contexts.major = major;
}

void cudart_use_runtime(struct cudart *rt)
{
    rt->contexts.runtime = true;
}

void cudart_initialize(struct cudart *rt)
{
    rt->contexts.initialized = true;
}

uint64_t cudart_current_context(const struct cudart *rt)
{
    const struct cudart_thread *thread = cudart_thread();
    const uint64_t *stack = thread->contexts.items;
    if (thread->contexts.count)
        return stack[thread->contexts.count - 1];
    return rt->contexts.runtime ? CUDART_FIRST_HANDLE + thread->device : 0;
}

struct cudart_handle_context *cudart_context_at(const struct cudart *rt, uint64_t handle)
{
    uint64_t place = handle - CUDART_FIRST_HANDLE;
    struct cudart_handle_context *contexts = rt->contexts.list.items;
    return handle >= CUDART_FIRST_HANDLE && place < rt->contexts.list.count && contexts[place].used ? &contexts[place]
                                                                                                    : NULL;
}

/* The devices' primary contexts are kept in front of those that the program creates. */
struct cudart_handle_context *cudart_primary_context(struct cudart *rt, uint32_t device)
{
    struct mnp_array *list = &rt->contexts.list;
    for (uint32_t i = 0; list->count < rt->device_count; i++)
        *(struct cudart_handle_context *)mnp_array_add(list, 1, sizeof(struct cudart_handle_context)) =
            (struct cudart_handle_context){.device = i};
    return (struct cudart_handle_context *)list->items + device;
}

void cudart_show_primary(struct cudart *rt)
{
    cudart_primary_context(rt, cudart_thread()->device)->used |= rt->contexts.runtime;
}

void cudart_choose_primary(struct cudart *rt, uint32_t device)
{
    struct cudart_thread *thread = cudart_thread();
    thread->device = device;
    cudart_show_primary(rt);
    if (thread->contexts.count)
        ((uint64_t *)thread->contexts.items)[thread->contexts.count - 1] = CUDART_FIRST_HANDLE + device;
}

bool cudart_any_context(const struct cudart *rt, uint32_t device)
{
    const struct cudart_handle_context *contexts = rt->contexts.list.items;
    for (uint32_t i = 0; i < rt->contexts.list.count; i++)
        if (contexts[i].used && contexts[i].device == device)
            return true;
    return false;
}

uint64_t cudart_retain_primary(struct cudart *rt, uint32_t device)
{
    struct cudart_handle_context *primary = cudart_primary_context(rt, device);
    primary->used = true;
    primary->retained++;
    return CUDART_FIRST_HANDLE + device;
}

bool cudart_release_primary(struct cudart *rt, uint32_t device)
{
    struct cudart_handle_context *primary = cudart_primary_context(rt, device);
    primary->retained--;
    if (primary->retained || rt->contexts.runtime)
        return false;
    primary->used = false;
    return true;
}

void cudart_set_primary_flags(struct cudart *rt, uint32_t device, unsigned flags)
{
    cudart_primary_context(rt, device)->flags = flags;
}

uint64_t cudart_create_context(struct cudart *rt, uint32_t device, unsigned flags)
{
    cudart_primary_context(rt, 0);
    struct cudart_handle_context *made = mnp_array_add(&rt->contexts.list, 1, sizeof *made);
    *made = (struct cudart_handle_context){.used = true, .flags = flags, .device = device};
    uint64_t handle = CUDART_FIRST_HANDLE + rt->contexts.list.count - 1;
    cudart_push_context(handle);
    return handle;
}

bool cudart_destroy_context(struct cudart *rt, uint64_t handle)
{
    struct cudart_thread *thread = cudart_thread();
    struct cudart_handle_context *one = cudart_context_at(rt, handle);
    if (!one || handle - CUDART_FIRST_HANDLE < rt->device_count)
        return false;
    const uint64_t *stack = thread->contexts.items;
    if (thread->contexts.count && stack[thread->contexts.count - 1] == handle)
        thread->contexts.count--;
    one->used = false;
    return true;
}

void cudart_push_context(uint64_t handle)
{
    *(uint64_t *)mnp_array_add(&cudart_thread()->contexts, 1, sizeof handle) = handle;
}

bool cudart_pop_context(uint64_t *handle)
{
    struct cudart_thread *thread = cudart_thread();
    if (!thread->contexts.count)
        return false;
    *handle = ((uint64_t *)thread->contexts.items)[--thread->contexts.count];
    return true;
}
