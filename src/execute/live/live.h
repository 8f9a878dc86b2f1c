/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CTAs that execute inside the models of time (contract/live.h). Each core has a pool of them; what a warp reads and
 * writes goes through the core's overlay, and what the L2 has to perform is left to the core.
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

/* Between windows: writes what the cores have printed, in the order of time, core, and sequence. */
void execute_live_between(struct execute_live *live);

/* Where that is to wait (device.keeps_output): the cores' output so far, to be freed; and that of several processes,
 * one behind the other, to be written by one of them. */
size_t execute_live_take_output(struct execute_live *live, void **bytes);
void execute_live_print_output(struct execute_device *device, const void *bytes, size_t length);

/* Counts what the cores have to warn of. */
struct mnp_log;
void execute_live_warnings(const struct execute_live *live, struct mnp_log *log);

/* What an L2 slice does for an atomic (mnp_source.atomic). */
uint64_t execute_live_atomic(uint8_t operation, uint8_t type, uint64_t old, uint64_t a, uint64_t b);

#endif
