/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values that members of multicast objects have sent for an SM of this device, until those of all members are there.
 * Their time is that of the packets: it is the switch that waits for replies.
 */
#ifndef GPU_GATHER_H
#define GPU_GATHER_H

#include "contract/live.h"
#include "gpu/network/packets.h"

struct gpu_gather;

struct gpu_gather *gpu_gather_create(void);
void gpu_gather_release(struct gpu_gather *gather);

/* Adds the values of a member, `packet->swap[0]` being all members as bits. True: they are complete, and `*combined` is
 * what the SM gets. `*digest`: a sum over all that is kept. */
bool gpu_gather_add(struct gpu_gather *gather, mnp_live_combine *combine, uint32_t device,
                    const struct gpu_values *packet, struct gpu_values *combined, uint64_t *digest);

#endif
