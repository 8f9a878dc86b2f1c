/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The simulation of one launch: its values, one CTA after the other, as `--functional` asks for. Its duration is what
 * one warp instruction per cycle on every SM in use would take, which keeps the program's clocks going; it predicts
 * nothing.
 */
#include "cudart/context.h"
#include "gpu/dispatch.h"

#include <stdio.h>
#include <string.h>

enum { FUNCTIONAL_WARP_INSTRUCTIONS, FUNCTIONAL_STATISTICS };

static const struct mnp_statistic statistics[FUNCTIONAL_STATISTICS] = {
    [FUNCTIONAL_WARP_INSTRUCTIONS] = {"gpgpu_n_tot_w_icount", MNP_COUNTER, "instruction",
                                      "PTX instructions that warps have executed", NULL, NULL, 0, 0},
};

static const struct mnp_model functional_model = {
    .name = "functional",
    .summary = "Execution without timing.",
    .statistics = statistics,
    .statistic_count = FUNCTIONAL_STATISTICS,
};

static enum cuda_error error_of(const struct ptx_device *device)
{
    static const enum cuda_error errors[] = {
        [PTX_FAULT_NONE] = CUDA_LAUNCH_TIMEOUT, /* no warp has faulted: they wait at barriers for ever */
        [PTX_FAULT_ADDRESS] = CUDA_ILLEGAL_ADDRESS,
        [PTX_FAULT_MISALIGNED] = CUDA_MISALIGNED_ADDRESS,
        [PTX_FAULT_SHARED] = CUDA_LAUNCH_FAILURE,
        [PTX_FAULT_LOCAL] = CUDA_LAUNCH_FAILURE,
        [PTX_FAULT_PARAMETER] = CUDA_LAUNCH_FAILURE,
        [PTX_FAULT_TRAP] = CUDA_LAUNCH_FAILURE,
        [PTX_FAULT_ASSERT] = CUDA_ASSERT,
        [PTX_FAULT_STACK] = CUDA_HARDWARE_STACK_ERROR,
        [PTX_FAULT_TARGET] = CUDA_INVALID_PC,
        [PTX_FAULT_BARRIER] = CUDA_ILLEGAL_INSTRUCTION,
        [PTX_FAULT_TEXTURE] = CUDA_LAUNCH_FAILURE,
        [PTX_FAULT_MEMORY] = CUDA_LAUNCH_FAILURE,
    };
    for (uint32_t i = 0; i < device->cta->warp_count; i++)
        if (device->cta->warps[i].status == PTX_FAULTED && device->cta->warps[i].fault < sizeof errors / sizeof *errors)
            return errors[device->cta->warps[i].fault];
    return CUDA_LAUNCH_TIMEOUT;
}

static void count(struct cudart *rt, const struct cudart_kernel *kernel, const struct ptx_launch *launch,
                  uint64_t stream, uint64_t steps)
{
    static const struct mnp_model *const models[] = {&functional_model};
    if (!rt->results.total.block_count)
        mnp_statistics_init(&rt->results.total, models, 1, false);
    struct mnp_kernel_results *result = mnp_results_add_kernel(&rt->results, models, 1);
    result->id = rt->results.kernel_count;
    snprintf(result->name, sizeof result->name, "%s", kernel->name);
    memcpy(result->grid, launch->grid, sizeof result->grid);
    memcpy(result->block, launch->block, sizeof result->block);
    result->stream = stream;
    result->partial = rt->pending != CUDA_SUCCESS;
    mnp_statistics_add(&result->statistics, &functional_model, &steps);
    mnp_statistics_add(&rt->results.total, &functional_model, &steps);
}

enum cuda_error cudart_execute(struct cudart *rt, const struct cudart_kernel *kernel, struct ptx_launch *launch,
                               uint64_t stream, uint64_t *duration)
{
    struct mnp_error error = {{0}};
    uint64_t ctas = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    uint64_t sms = ctas < rt->parameters.sm.count ? ctas : rt->parameters.sm.count, before = rt->device.steps;
    launch->number = rt->device.launches + 1;
    if (!cudart_to_device(rt))
        return CUDA_MEMORY_ALLOCATION;
    if (!ptx_device_run(&rt->device, launch, &error)) {
        cudart_say(&error);
        rt->pending = error_of(&rt->device);
    }
    fflush(stdout);
    cudart_to_host(rt);
    uint64_t steps = rt->device.steps - before;
    uint64_t cycles = rt->parameters.dispatch.kernel_latency + (steps + sms - 1) / sms;
    *duration = cycles * (UINT64_C(1000000000000000) / rt->parameters.machine.clock_core);
    count(rt, kernel, launch, stream, steps);
    return CUDA_SUCCESS; /* a fault shows when the program waits for the kernel */
}
