/* SPDX-License-Identifier: BSD-3-Clause */
#include "contract/kernel_results.h"

const struct mnp_results_form mnp_kernel_form = {
    .device = "gpu",
    .part = "kernel",
    .parts = "kernels",
    .pieces = "CTAs",
    .group = "stream",
    .groups = "streams",
    .work = "gpgpu_n_tot_w_icount",
    .speed = "warp instructions/s",
    .speed_scale = UINT64_C(1000000000),
};

static void describe_size(struct mnp_part_results *part, const char *name, const uint32_t size[3])
{
    mnp_part_describe(part, name, (const uint64_t[]){size[0], size[1], size[2]}, 3);
}

void mnp_kernel_describe(struct mnp_part_results *part, uint32_t id, const char *name, const uint32_t grid[3],
                         const uint32_t block[3], uint64_t stream)
{
    part->id = id;
    mnp_part_name(part, name);
    describe_size(part, "grid", grid);
    describe_size(part, "block", block);
    mnp_part_describe(part, "stream", &stream, 1);
}
