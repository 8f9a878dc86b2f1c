/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fabric: what joins the devices of a system. A kind of fabric is a file with two functions, and a line in list.h:
 *
 *   home     the device whose memory an address leads to, before that device's map leads to a partition
 *   connect  creates the fabric's units, and links between the devices' ports and these
 */
#ifndef GPU_FABRIC_H
#define GPU_FABRIC_H

#include "gpu/device/device.h"

enum gpu_fabric_kind {
#define GPU_FABRIC(NAME, name, home, connect) GPU_FABRIC_##NAME,
#include "gpu/fabric/list.h"
#undef GPU_FABRIC
    GPU_FABRIC_KINDS
};

struct gpu_fabric_parameters {
    uint64_t kind; /* enum gpu_fabric_kind */
};

extern const struct mnp_model gpu_fabric_model;

/* The device that an address leads to when device `user` accesses it. */
typedef uint32_t gpu_fabric_home_of(uint32_t user, uint64_t address);

/* Called once all devices have been created, before the engine is frozen. */
typedef void gpu_fabric_connector(struct mnp_engine *engine, const struct gpu_fabric_parameters *parameters,
                                  struct gpu_device *const *devices, uint32_t count);

/* The functions of the kind that the parameters name. */
uint32_t gpu_fabric_home(const struct gpu_fabric_parameters *parameters, uint32_t user, uint64_t address);
gpu_fabric_connector gpu_fabric_connect;

#endif
