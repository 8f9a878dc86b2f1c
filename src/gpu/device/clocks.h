/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clocks of a device that a governor changes while it runs: those of SMs and dispatcher, network, and L2 go up and down
 * together; the DRAM's stays. Latencies of links, and rates of the links between SMs and between parts of the L2, keep
 * their times. A wait that has begun for a number of cycles keeps that number.
 */
#ifndef GPU_DEVICE_CLOCKS_H
#define GPU_DEVICE_CLOCKS_H

#include "engine/core/course.h"
#include "gpu/device/device.h"

struct gpu_clocks {
    struct gpu_device *device;
    struct mnp_course core, noc, l2;
};

/* Lets the units of a device, which has no hub, follow courses that begin at the machine's clocks. */
void gpu_clocks_init(struct gpu_clocks *clocks, struct gpu_device *device);
void gpu_clocks_release(struct gpu_clocks *clocks);

/* Changes the core clock, and the others in the same ratio, at their next edges. In a sample of the engine alone
 * (mnp_engine_turn). */
void gpu_clocks_turn(struct gpu_clocks *clocks, struct mnp_engine *engine, uint64_t core_hertz);

#endif
