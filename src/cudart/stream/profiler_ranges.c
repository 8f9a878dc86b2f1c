/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/stream/profiler_ranges.h"

#include "cudart/base/state.h"
#include "cudart/stream/simulation.h"

static bool names(const struct cudart *rt, const char *name)
{
    const struct mnp_selection *selection = rt->simulation->sampling.selection;
    return selection && name && mnp_selection_has_range(selection, name);
}

enum cuda_error cudart_profile(struct cudart *rt, bool on)
{
    const struct mnp_selection *selection = rt->simulation->sampling.selection;
    rt->ranges->profiling = on && selection && mnp_selection_has_range(selection, NULL);
    return CUDA_SUCCESS;
}

int cudart_push_range(struct cudart *rt, const char *name)
{
    struct mnp_array *stack = &cudart_thread()->ranges;
    bool wanted = names(rt, name);
    *(bool *)mnp_array_add(stack, 1, sizeof wanted) = wanted;
    rt->ranges->open += wanted;
    return (int)stack->count - 1;
}

int cudart_pop_range(struct cudart *rt)
{
    struct mnp_array *stack = &cudart_thread()->ranges;
    if (!stack->count)
        return -1;
    rt->ranges->open -= ((const bool *)stack->items)[--stack->count];
    return (int)stack->count;
}

/* The lowest bit of the number says whether the range is wanted. */
uint64_t cudart_start_range(struct cudart *rt, const char *name)
{
    bool wanted = names(rt, name);
    rt->ranges->open += wanted;
    return ++rt->ranges->ranges * 2 + wanted;
}

void cudart_end_range(struct cudart *rt, uint64_t range)
{
    if (range & 1 && rt->ranges->open)
        rt->ranges->open--;
}

bool cudart_is_in_region(const struct cudart *rt)
{
    return rt->ranges->profiling || rt->ranges->open;
}
