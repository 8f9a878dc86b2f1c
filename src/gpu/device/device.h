/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The units and links of one GPU, built from its parameters. Latencies of links: gpu/device/latency.h.
 *
 * A device has its own dispatcher, source of kernels and address map. It creates its units in an engine that it is
 * given, and does not know how that runs, or what other devices are there: gpu/system/system.h.
 */
#ifndef GPU_DEVICE_H
#define GPU_DEVICE_H

#include "gpu/device/parameters.h"
#include "gpu/hub/hub.h"
#include "gpu/sm/sm.h"

struct gpu_device {
    const struct gpu_parameters *parameters;
    uint32_t number; /* number in its system */
    struct mnp_source *source;
    struct mnp_address_map map;
    struct sm_device view; /* the device as its SMs see it */
    struct dispatch *dispatch;
    struct sm **sms;                   /* [sm.count] */
    struct gpu_gpc **gpcs;             /* [gpc.count] */
    struct gpu_partition **partitions; /* [partition.count] */
    struct dispatch_group *groups;     /* groups of SMs that hold clusters */
    uint8_t *places;                   /* [sm.count] in their GPCs */
    uint32_t *order;                   /* [sm.count] SMs in the order in which CTAs are placed */
    struct mnp_unit *energy;           /* unit for energy spent over time; NULL: none */
    struct gpu_hub *hub;               /* NULL: it reaches no other device */
    uint16_t *gpc_of;                  /* [sm.count], where there is a hub */
    uint64_t hub_values, hub_results;  /* that its SMs can have under way beyond the hub */
};

/* A device among others. */
struct gpu_device_plan {
    uint32_t number;
    uint32_t devices;                  /* devices that a fabric joins, including this one; 0: no other is reachable */
    const struct gpu_hub_lanes *lanes; /* lanes of this device, if there are others */
    struct mnp_source *source;
};

/* Creates and connects the units of a device of a system in an engine that is not frozen yet; the fabric connects the
 * lanes of its hub. `parameters` must outlive it and have been checked, as must the source and the lanes. Where the
 * source has memory, the units write to overlays of it, which the engine is to apply. */
struct gpu_device *gpu_device_create(struct mnp_engine *engine, const struct gpu_parameters *parameters,
                                     const struct gpu_device_plan *plan);

/* Calls before the engine's release, and after it. */
void gpu_device_close(struct gpu_device *device);
void gpu_device_release(struct gpu_device *device);

#endif
