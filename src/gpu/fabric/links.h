/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lanes between devices: straight from one to another, or by switches to which each device has some of its lanes. A
 * topology says for a device which of its lanes lead to which other one; without switches, pairs of devices may have no
 * lane between them.
 */
#ifndef GPU_FABRIC_LINKS_H
#define GPU_FABRIC_LINKS_H

#include "gpu/fabric/fabric.h"

gpu_fabric_connector gpu_fabric_links_connect;

/* The lanes of a device, once the parameters have been checked. */
void gpu_fabric_links_of(const struct gpu_fabric_parameters *parameters, uint32_t device, uint32_t devices,
                         uint64_t hertz, struct gpu_hub_lanes *lanes);

#endif
