/* SPDX-License-Identifier: BSD-3-Clause */
/* Preparation of a launch: sizes within CUDA's limits, shared memory, placement of parameters. */
#include "execute/device/device.h"

#include <string.h>

bool execute_launch_prepare(struct execute_launch *launch, const struct execute_code *code, const uint32_t grid[3],
                            const uint32_t block[3], uint32_t dynamic_shared, const void *const *arguments,
                            unsigned char *storage, struct mnp_error *error)
{
    const char *name = code->name;
    const uint32_t *required = code->required_block;
    const struct execute_transfer *parameters = code->parameters.items;
    uint64_t threads = 1;
    for (uint32_t i = 0; i < 3; i++) {
        if (!grid[i] || !block[i])
            return mnp_fail(error, "kernel %s: a grid and its blocks have at least one thread", name);
        threads = threads > 4096 || block[i] > 4096 ? 8192 : threads * block[i];
        if (required[0] && block[i] != (required[i] ? required[i] : 1))
            return mnp_fail(error, "kernel %s: its blocks must be %u×%u×%u", name, required[0], required[1],
                            required[2]);
    }
    if (threads > 1024 || grid[0] > INT32_MAX || grid[1] > 65535 || grid[2] > 65535)
        return mnp_fail(error, "kernel %s: a block has at most 1024 threads, a grid 2147483647×65535×65535 blocks",
                        name);
    if ((uint64_t)code->dynamic_shared + dynamic_shared > EXECUTE_WINDOW_BYTES)
        return mnp_fail(error, "kernel %s: too much shared memory", name);
    *launch = (struct execute_launch){.code = code,
                                      .threads = (uint32_t)threads,
                                      .warps = (uint32_t)(threads + 31) / 32,
                                      .registers = code->registers,
                                      .dynamic_shared = dynamic_shared,
                                      .parameters = storage};
    launch->shared_bytes = dynamic_shared ? code->dynamic_shared + dynamic_shared : code->shared_bytes;
    if (code->special_offset[EXECUTE_SPECIAL_RESERVED_SMEM_0] != EXECUTE_NONE ||
        code->special_offset[EXECUTE_SPECIAL_RESERVED_SMEM_1] != EXECUTE_NONE) {
        launch->reserved_shared = (launch->shared_bytes + 127) / 128 * 128;
        launch->shared_bytes = launch->reserved_shared + EXECUTE_RESERVED_SHARED;
    }
    memcpy(launch->grid, grid, sizeof launch->grid);
    memcpy(launch->block, block, sizeof launch->block);
    if (code->cluster[0] && !execute_launch_cluster(launch, code->cluster, error))
        return false;
    for (uint32_t i = 0; i < code->parameters.count; i++)
        memcpy(storage + parameters[i].offset, arguments[i], parameters[i].bytes);
    return true;
}
