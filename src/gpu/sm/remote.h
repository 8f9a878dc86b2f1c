/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accesses of an SM to the shared memory of other CTAs of a cluster, over its ports to the SM-to-SM network
 * (remote_port.h).
 *
 * An access is split by target and by sector of 32 bytes, and each part is a packet. The memory pipeline waits when the
 * backlog of the port is sm2sm.queue packets, or sm2sm.requests have not been answered. At the target an access is
 * performed in the cycle in which it has come, when nobody else acts on that shared memory, and its answer leaves when
 * the packet has passed that SM's port.
 */
#ifndef GPU_SM_REMOTE_H
#define GPU_SM_REMOTE_H

#include "gpu/network/packets.h"
#include "gpu/sm/lsu.h"

struct sm;

/* The first cycle, from `ready` on, in which the pipeline may take an access with this ticket; SM_NOT_YET: an answer
 * has to come first, which wakes the pipeline. */
uint64_t sm_remote_ready_at(const struct sm *sm, uint16_t ticket, uint64_t ready);

/* The pipeline takes it: its packets leave. Returns its entry of the pending request table. */
uint16_t sm_remote_start(struct sm *sm, const struct sm_memory_op *op, uint64_t cycle);

#endif
