/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fabric: what joins the devices of a system. A kind of fabric is a line in list.h, with
 *
 *   joins    whether devices reach one another's memory: each then has a hub (gpu/hub/hub.h), and an address leads to a
 *            device before that device's map leads to a partition
 *   connect  creates the fabric's units, and links between the devices' hubs and these, once all devices have been
 *            created and before the engine is frozen
 */
#ifndef GPU_FABRIC_H
#define GPU_FABRIC_H

#include "gpu/device/device.h"

enum gpu_fabric_kind {
#define GPU_FABRIC(NAME, name, joins, connect) GPU_FABRIC_##NAME,
#include "gpu/fabric/list.h"
#undef GPU_FABRIC
    GPU_FABRIC_KINDS
};

struct gpu_fabric_parameters {
    uint64_t kind; /* enum gpu_fabric_kind */
    struct gpu_lane_parameters lane;
    uint64_t latency, switch_latency;                  /* ns, of a lane and of a switch */
    uint64_t outstanding;                              /* requests of a device */
    uint64_t multicast;                                /* whether switches reduce and pass on to several devices */
    uint64_t copy_engines, copy_latency, copy_payload; /* copies at a time; ns; bytes of data of a packet */
    struct mnp_list pairs, switches;
};

extern const struct mnp_model gpu_fabric_model;

struct gpu_switch;

struct gpu_fabric {
    const struct gpu_fabric_parameters *parameters;
    struct gpu_hub_lanes lanes[MNP_SPACE_DEVICES]; /* lanes of each device */
    struct gpu_switch *switches[MNP_LIST_MAX];
    uint32_t switch_count;
};

/* Whether the parameters fit one another and `devices`; an error that says what to change, if not. */
bool gpu_fabric_check(const struct gpu_fabric_parameters *parameters, uint64_t devices,
                      const struct mnp_settings *settings, struct mnp_error *error);

/* Whether devices have multicast objects. */
bool gpu_fabric_has_multicast(const struct gpu_fabric_parameters *parameters, uint64_t devices);

/* Whether devices have hubs. */
bool gpu_fabric_joins(const struct gpu_fabric_parameters *parameters, uint64_t devices);

/* The device that an address leads to when device `user` of `devices` accesses it. */
uint32_t gpu_fabric_home(const struct gpu_fabric_parameters *parameters, uint32_t devices, uint32_t user,
                         uint64_t address);

/* Links between two devices, over which one may access the other's memory; 0: there are none. */
uint32_t gpu_fabric_links_between(const struct gpu_fabric_parameters *parameters, uint32_t devices, uint32_t one,
                                  uint32_t other);

/* Before the devices are created. `hertz`: of their network clock. */
void gpu_fabric_init(struct gpu_fabric *fabric, const struct gpu_fabric_parameters *parameters, uint32_t devices,
                     uint64_t hertz);

typedef void gpu_fabric_connector(struct gpu_fabric *fabric, struct mnp_engine *engine,
                                  struct gpu_device *const *devices, uint32_t count);
gpu_fabric_connector gpu_fabric_connect;

/* After the engine's release. */
void gpu_fabric_release(struct gpu_fabric *fabric);

#endif
