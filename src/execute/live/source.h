/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels of a device as a source of instructions for the models of time: the launches that were queued come out in
 * their order, and are executed while they are simulated (live.h), on the device's memory.
 */
#ifndef EXECUTE_SOURCE_H
#define EXECUTE_SOURCE_H

#include "contract/instruction.h"
#include "execute/device/device.h"

/* A source over a device, which stays the caller's and must outlive it. `architecture`: of the machine, as 80. */
struct mnp_source *execute_source_open(struct execute_device *device, uint32_t architecture);

/* From now on, the source expects more launches when all have been handed out (MNP_COMMAND_NONE), and queued launches
 * belong to `stream`. Launches are numbered from 1 in the order of queuing. */
void execute_source_set_stream(struct mnp_source *source, uint64_t stream);

/* Queues a prepared launch, whose parameters are copied; its code must stay valid. */
void execute_source_queue(struct mnp_source *source, const struct execute_launch *launch);

/* Declares that `count` launches were queued and have ended before; later launches are numbered after them. */
void execute_source_skip(struct mnp_source *source, uint32_t count);

/* Declares that the next launch, behind others that have not ended, was queued and has ended before a snapshot. */
void execute_source_queue_gone(struct mnp_source *source);

/* Prepares and queues a launch; its code must stay valid. `arguments` as in execute_launch_prepare, and copied. */
bool execute_source_launch(struct mnp_source *source, const struct execute_code *code, const uint32_t grid[3],
                           const uint32_t block[3], uint32_t dynamic_shared, const void *const *arguments,
                           struct mnp_error *error);

/* Counts pending warnings about kernels that have run. */
struct mnp_log;
void execute_source_warnings(const struct mnp_source *source, struct mnp_log *log);

/* Returns the kernels' output so far, if the device keeps it (live.h); the caller frees it. */
size_t execute_source_take_output(struct mnp_source *source, void **bytes);

#endif
