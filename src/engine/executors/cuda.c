/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Execution of the whole machine on a device, where its units synchronise, so that a window is as long as an epoch. The
 * machine provides the device (struct mnp_device_hook); work between windows is the same as in every executor.
 */
#include "engine/core/engine.h"
#include "engine/executors/executor.h"

static void run(struct mnp_engine *engine)
{
    MNP_REQUIRE(engine->device.advance, "executor cuda without a device");
    for (uint32_t i = 0; i < engine->unit_count; i++)
        engine->horizon_latency[i] = MNP_NEVER;
    while (mnp_window_begin(engine)) {
        struct mnp_error error = {""};
        if (!engine->device.advance(engine->device.context, engine->window_end, &error)) {
            engine->fault_time = engine->window_end - 1;
            engine->error = error;
        }
        mnp_executor_end_alone(engine);
    }
}

const struct mnp_executor mnp_executor_cuda = {
    .name = "cuda",
    .summary = "a machine on an NVIDIA GPU of the host's, one thread for each of its units",
    .run = run,
    .device = true,
};

const struct mnp_executor mnp_executor_cuda_s_events = {
    .name = "cuda:s-events",
    .summary = "cuda:relaunch, and cores run freely between accesses to shared memory (Raghav et al., figure 4)",
    .run = run,
    .device = true,
    .relaunch = true,
    .free = true,
};

const struct mnp_executor mnp_executor_cuda_relaunch = {
    .name = "cuda:relaunch",
    .summary = "the same with a launch for every step of a cycle, as in Raghav et al. (TPDS 2015)",
    .run = run,
    .device = true,
    .relaunch = true,
};
