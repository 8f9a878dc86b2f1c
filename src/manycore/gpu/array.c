/* SPDX-License-Identifier: BSD-3-Clause */
/* Device memory of a machine on a GPU, one array after another. Before any is taken they are all counted, so that what
 * does not fit is told with all of its bytes. */
#include "manycore/gpu/gpu.h"

#include <stdlib.h>

bool manycore_array_take(struct manycore_gpu *gpu, enum manycore_gpu_array which, size_t count, size_t size,
                         struct mnp_error *error)
{
    struct manycore_array *array = &gpu->arrays[which];
    array->bytes = count * size;
    if (gpu->counting)
        return true;
    CUresult problem = gpu->driver.cuMemAlloc_v2(&array->at, array->bytes ? array->bytes : 8);
    return !problem || manycore_driver_fail(&gpu->driver, "taking device memory", problem, error);
}

bool manycore_array_put_some(struct manycore_gpu *gpu, enum manycore_gpu_array which, const void *from, size_t bytes,
                             struct mnp_error *error)
{
    CUresult problem =
        bytes && !gpu->counting ? gpu->driver.cuMemcpyHtoD_v2(gpu->arrays[which].at, from, bytes) : CUDA_SUCCESS;
    return !problem || manycore_driver_fail(&gpu->driver, "writing device memory", problem, error);
}

bool manycore_array_put(struct manycore_gpu *gpu, enum manycore_gpu_array which, const void *from,
                        struct mnp_error *error)
{
    return manycore_array_put_some(gpu, which, from, gpu->arrays[which].bytes, error);
}

bool manycore_array_copy(struct manycore_gpu *gpu, enum manycore_gpu_array which, const void *from, size_t count,
                         size_t size, struct mnp_error *error)
{
    return manycore_array_take(gpu, which, count, size, error) && manycore_array_put(gpu, which, from, error);
}

bool manycore_array_give(struct manycore_gpu *gpu, enum manycore_gpu_array which, void *from, size_t count, size_t size,
                         struct mnp_error *error)
{
    bool good = manycore_array_copy(gpu, which, from, count, size, error);
    free(from);
    return good;
}

bool manycore_array_clear(struct manycore_gpu *gpu, enum manycore_gpu_array which, size_t count, size_t size,
                          struct mnp_error *error)
{
    return manycore_array_give(gpu, which, gpu->counting ? NULL : mnp_allocate(count, size), count, size, error);
}

void *manycore_array_get(const struct manycore_gpu *gpu, enum manycore_gpu_array which, struct mnp_error *error)
{
    const struct manycore_array *array = &gpu->arrays[which];
    void *to = mnp_allocate(array->bytes + 1, 1);
    CUresult problem = array->bytes ? gpu->driver.cuMemcpyDtoH_v2(to, array->at, array->bytes) : CUDA_SUCCESS;
    if (!problem)
        return to;
    free(to);
    manycore_driver_fail(&gpu->driver, "reading device memory", problem, error);
    return NULL;
}

void *manycore_array_at(const struct manycore_gpu *gpu, enum manycore_gpu_array which, size_t bytes)
{
    return (void *)(uintptr_t)(gpu->arrays[which].at + bytes); // NOLINT
}
