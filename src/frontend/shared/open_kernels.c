/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/shared/open_kernels.h"

#include "base/arena.h"

#include <stdlib.h>

void shared_open_kernels_add(struct open_kernels *open, void *kernel)
{
    if (open->count == open->capacity) {
        open->capacity = open->capacity ? 2 * open->capacity : 16;
        open->kernels = mnp_reallocate(open->kernels, open->capacity, sizeof *open->kernels);
    }
    open->kernels[open->count++] = kernel;
}

void shared_open_kernels_remove(struct open_kernels *open, const void *kernel)
{
    for (uint32_t i = 0; i < open->count; i++)
        if (open->kernels[i] == kernel) {
            open->kernels[i] = open->kernels[--open->count];
            return;
        }
}

void *shared_open_kernels_take(struct open_kernels *open)
{
    if (open->count)
        return open->kernels[--open->count];
    free(open->kernels);
    *open = (struct open_kernels){0};
    return NULL;
}
