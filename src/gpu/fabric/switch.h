/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A switch between devices (an NVSwitch, a PCIe switch, a root complex). It has `lanes` ports for each device, and
 * each port is the end of a lane in either direction. A packet leaves by the receiving device's lane with the number of
 * the lane by which it came, so a line has the same lane at both ends, and accesses to it stay in order.
 *
 * A port has a buffer for each channel, with a queue for each device that packets go to, so that packets for different
 * devices do not wait for one another. A port that is free to send takes the inputs in turn (round-robin), requests and
 * replies apart. Its own time is part of the latency of the lanes that leave it (fabric.switch).
 *
 * A request to a multicast object leaves by each member's lane, when that is free, and stays in its buffer until it has
 * left by all; such requests of a port are in one queue. Replies of members are kept until the last one has come, which
 * then goes to the asker as the one reply: buffers for sums have room for all requests under way.
 */
#ifndef GPU_SWITCH_H
#define GPU_SWITCH_H

#include "gpu/hub/hub.h"

extern const struct mnp_model gpu_switch_model;

enum { GPU_SWITCHES = 6 /* switches with statistics of their own: those of a DGX A100 */ };

/* Counters in slot n are of packets for device n. */
enum gpu_switch_statistic {
    GPU_SWITCH_PACKETS,
    GPU_SWITCH_BYTES,
    GPU_SWITCH_PEAK,
    GPU_SWITCH_UTILISATION,
    GPU_SWITCH_WAIT,
    GPU_SWITCH_OWN_BYTES, /* first of the rows for each switch, the last one for all others */
    GPU_SWITCH_OWN_BYTES_LAST = GPU_SWITCH_OWN_BYTES + GPU_SWITCHES,
    GPU_SWITCH_OWN_WAIT, /* likewise */
    GPU_SWITCH_OWN_WAIT_LAST = GPU_SWITCH_OWN_WAIT + GPU_SWITCHES,
    GPU_SWITCH_TO_WAIT, /* first of the rows for the ports of each device */
    GPU_SWITCH_TO_WAIT_LAST = GPU_SWITCH_TO_WAIT + MNP_SPACE_DEVICES - 1,
    GPU_SWITCH_STATISTICS
};

struct gpu_switch_config {
    const struct gpu_lane_parameters *parameters; /* lane parameters; stay valid */
    uint32_t index;
    uint32_t devices, lanes; /* lanes of each device */
    uint32_t buffer;         /* flits of a channel at a receiver */
    uint32_t outstanding;    /* requests of a device under way, where the switch multicasts; 0: it does not */
    const struct mnp_multicasts *multicasts; /* stay valid; NULL: there are none */
    uint64_t hertz;
};

struct gpu_switch;

/* Port number device · lanes + lane is that of a device's lane, in either direction. */
struct gpu_switch *gpu_switch_create(struct mnp_engine *engine, const struct gpu_switch_config *config);
void gpu_switch_release(struct gpu_switch *chip);

struct mnp_unit *gpu_switch_unit(const struct gpu_switch *chip);

/* The sender of a port. */
struct gpu_lane *gpu_switch_sender(const struct gpu_switch *chip, uint32_t port);

#endif
