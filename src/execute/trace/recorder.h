/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traces of kernels that run on a device without time, in the format of Accel-Sim's tracer, as text (version 5) or by
 * warps (.tracez, version 6): a folder with kernelslist.g, which lists copies to the device and launches in their
 * order, and a file for each launch.
 *
 * What follows from the values alone is recorded: which warp executed what, with which lanes and addresses. CTAs are
 * written when they have ended, each from its own buffers, so that those that wait for one another may take turns.
 */
#ifndef EXECUTE_RECORDER_H
#define EXECUTE_RECORDER_H

#include "execute/device/device.h"

struct execute_recorder;

enum execute_trace_form { EXECUTE_TRACE_TEXT, EXECUTE_TRACE_WARPS /* .tracez */ };

/* Begins a trace in a folder that is there. `architecture`: of the machine, as 86. NULL: an error. */
struct execute_recorder *execute_recorder_open(const char *folder, uint32_t architecture, enum execute_trace_form form,
                                               struct mnp_error *error);

/* A copy to the device. */
void execute_recorder_copy(struct execute_recorder *recorder, uint64_t address, uint64_t bytes);

/* Runs a launch as execute_device_run does, and records it. False: a fault, or the trace cannot be written. */
bool execute_recorder_run(struct execute_recorder *recorder, struct execute_device *device,
                          const struct execute_launch *launch, uint64_t stream, struct mnp_error *error);

/* Ends it. False: it could not be written as a whole. */
bool execute_recorder_close(struct execute_recorder *recorder, struct mnp_error *error);

#endif
