/* SPDX-License-Identifier: BSD-3-Clause */
/* How many threads of a kernel a multiprocessor can hold, asked from the other side: which block size is best. */
#include "cudart/device/occupancy.h"
#include "cudart/api/driver.h"
#include "cudart/device/clusters.h"

enum { WARP = 32 };

/* The block size that fills a multiprocessor best, the largest of equals; sizes are whole warps, and the limit. */
static CUresult best_block(int *min_grid_size, int *block_size, CUfunction function, CUoccupancyB2DSize dynamic_of_size,
                           size_t dynamic_bytes, int limit)
{
    int most = 0, best_threads = 0, sms, blocks;
    if (!min_grid_size || !block_size)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult problem = cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function);
    problem = problem ? problem : cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0);
    most = limit > 0 && limit < most ? limit : most;
    for (int threads = most; !problem && threads > 0; threads = (threads - 1) / WARP * WARP) {
        size_t bytes = dynamic_of_size ? dynamic_of_size(threads) : dynamic_bytes;
        problem = cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads, bytes);
        if (!problem && blocks * threads > best_threads) {
            best_threads = blocks * threads;
            *block_size = threads;
            *min_grid_size = blocks * sms;
        }
    }
    return problem || best_threads ? problem : CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
}

CUDART_API CUresult cuOccupancyMaxPotentialBlockSize(int *min_grid_size, int *block_size, CUfunction function,
                                                     CUoccupancyB2DSize dynamic_of_size, size_t dynamic_bytes,
                                                     int limit)
{
    return best_block(min_grid_size, block_size, function, dynamic_of_size, dynamic_bytes, limit);
}

CUDART_API CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *min_grid_size, int *block_size, CUfunction function,
                                                              CUoccupancyB2DSize dynamic_of_size, size_t dynamic_bytes,
                                                              int limit, unsigned flags)
{
    return flags > 1 ? CUDA_ERROR_INVALID_VALUE
                     : best_block(min_grid_size, block_size, function, dynamic_of_size, dynamic_bytes, limit);
}

CUDART_API CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction function, int blocks,
                                                            int block_size)
{
    DRIVER_WORK(cudart_dynamic_left(current, bytes, function, blocks, block_size));
}

/* The runtime's form of a configuration. */
static struct cuda_launch_config config_of(const CUlaunchConfig *c)
{
    return (struct cuda_launch_config){{c->gridDimX, c->gridDimY, c->gridDimZ},
                                       {c->blockDimX, c->blockDimY, c->blockDimZ},
                                       c->sharedMemBytes,
                                       (uint64_t)c->hStream,
                                       (const struct cuda_launch_attribute *)c->attrs,
                                       c->numAttrs};
}

CUDART_API CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction function, const CUlaunchConfig *c)
{
    if (!c || (c->numAttrs && !c->attrs))
        return CUDA_ERROR_INVALID_VALUE;
    const struct cuda_launch_config config = config_of(c);
    DRIVER_WORK(cudart_max_clusters(current, clusters, function, &config));
}

CUDART_API CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction function, const CUlaunchConfig *c)
{
    if (!c || (c->numAttrs && !c->attrs))
        return CUDA_ERROR_INVALID_VALUE;
    const struct cuda_launch_config config = config_of(c);
    DRIVER_WORK(cudart_max_cluster_size(current, size, function, &config));
}
