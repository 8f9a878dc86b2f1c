/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/stream/collectives.h"

#include "base/demangle.h"
#include "cudart/base/failure.h"
#include "cudart/base/sharing.h"
#include "cudart/base/state.h"

#include <stdlib.h>
#include <string.h>

bool cudart_is_collective(const char *kernel)
{
    char *name = mnp_demangle(kernel);
    bool is = strncmp(name, "nccl", 4) == 0;
    free(name);
    return is;
}

void cudart_blame_calls(struct cudart *rt)
{
    struct mnp_error error = {{0}};
    mnp_fail(&error,
             "the ranks of NCCL wait for one another for ever: all of them must call the same collectives, with "
             "the same counts, types and roots, in the same order");
    cudart_refuse(rt, &error, CUDA_SUCCESS);
}

/* The process that a GPU is of, where several share the run. */
static void name_owner(const struct cudart *rt, uint32_t place, char name[CUDART_SHARING_NAME + 4])
{
    uint32_t owner = rt->sharing.timed ? rt->sharing.page->course.owners[place] : 0;
    name[0] = 0;
    if (!owner)
        return;
    strcpy(name, " (");
    cudart_sharing_name(&rt->sharing.page->members[owner - 1], name + 2);
    strcat(name, ")");
}

/* Says what the rank of a GPU waits in: the first of its kernels that have not ended. */
static void tell_of_gpu(const struct cudart *rt, const struct mnp_results *results, uint32_t place)
{
    char owner[CUDART_SHARING_NAME + 4];
    struct mnp_error told = {{0}};
    const char *kernel = NULL;
    for (uint32_t i = 0; i < results->part_count && !kernel; i++)
        kernel = results->parts[i]->partial ? results->parts[i]->name : NULL;
    name_owner(rt, place, owner);
    char *name = kernel ? mnp_demangle(kernel) : NULL;
    if (name)
        mnp_fail(&told, "GPU %u%s waits in kernel %.*s", place, owner, (int)strcspn(name, "("), name);
    else
        mnp_fail(&told, "GPU %u%s runs no kernel", place, owner);
    free(name);
    cudart_say(&told);
}

static bool has_collective(const struct mnp_results *results)
{
    for (uint32_t i = 0; i < results->part_count; i++)
        if (results->parts[i]->partial && cudart_is_collective(results->parts[i]->name))
            return true;
    return false;
}

void cudart_blame_ranks(struct cudart *rt, const struct mnp_results *all)
{
    bool any = false;
    for (uint32_t i = 0; i < all->device_count; i++)
        any |= has_collective(all->devices[i]);
    for (uint32_t i = 0; any && i < all->device_count; i++)
        tell_of_gpu(rt, all->devices[i], i);
    if (any)
        cudart_blame_calls(rt);
}
