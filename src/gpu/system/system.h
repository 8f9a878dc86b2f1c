/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A system: an engine, the devices that are built in it, and the fabric between them. With one device units have their
 * names, "sm 3"; with more the device stands before them, "gpu 0 sm 3". The units of device n are group n of the engine
 * (mnp_engine_begin_group): its work, counters and results are its own. Those of the fabric are a group behind these.
 *
 * All devices have the same parameters. Those that execute programs share one flat memory, in which each has a range of
 * addresses (contract/space.h): an address leads to a device, gpu_system_home, and then, by that device's map, to a
 * partition.
 */
#ifndef GPU_SYSTEM_H
#define GPU_SYSTEM_H

#include "gpu/system/parameters.h"

struct gpu_system {
    struct mnp_engine engine;
    const struct gpu_system_parameters *parameters;
    struct gpu_fabric fabric;
    struct mnp_memory *memory; /* memory of programs that execute; NULL: none do */
    struct gpu_device **devices;
    uint32_t device_count;
};

/* Builds the system and freezes its engine; `parameters` must outlive it and have been checked. `sources`: one for each
 * device; those with memory have the same. */
void gpu_system_init(struct gpu_system *system, const struct gpu_system_parameters *parameters,
                     struct mnp_source *const *sources);
void gpu_system_release(struct gpu_system *system);

/* The device whose memory an address leads to when device `user` accesses it. */
struct gpu_device *gpu_system_home(const struct gpu_system *system, uint32_t user, uint64_t address);

#endif
