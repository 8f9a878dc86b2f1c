/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CTAs that execute inside the timing models (contract/live.h). Each core has a pool of them. A warp reads and writes
 * through the core's overlay; accesses that the L2 performs are left to the core.
 */
#ifndef EXECUTE_LIVE_H
#define EXECUTE_LIVE_H

#include "contract/instruction.h"
#include "execute/device/device.h"

struct execute_live;

/* `cores`: of the machine. The device must outlive it. */
struct execute_live *execute_live_open(struct execute_device *device, uint32_t cores);
void execute_live_close(struct execute_live *live);

/* Starts a CTA on code->core and fills in its streams; `instructions`: of the kernel. */
void execute_live_start(struct execute_live *live, const struct execute_launch *launch, uint64_t number,
                        const struct mnp_static_instruction *instructions, struct mnp_cta_code *code);
void execute_live_release(struct mnp_cta_code *code);

/* Called between windows: writes the cores' output, in the order of time, core, and sequence. */
void execute_live_between(struct execute_live *live);

/* For deferred output (device.keeps_output): returns the cores' output so far, which the caller frees; and writes the
 * concatenated output of several processes. */
size_t execute_live_take_output(struct execute_live *live, void **bytes);
void execute_live_print_output(struct execute_device *device, const void *bytes, size_t length);

/* Counts the cores' pending warnings. */
struct mnp_log;
void execute_live_warnings(const struct execute_live *live, struct mnp_log *log);

/* Performs an atomic for an L2 slice (mnp_source.atomic). */
uint64_t execute_live_atomic(uint8_t operation, uint8_t type, uint64_t old, uint64_t a, uint64_t b);

#endif
