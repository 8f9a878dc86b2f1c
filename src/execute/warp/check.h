/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Errors of the simulated program that its results need not show, found while kernels are executed by value: races,
 * that is accesses of two warps to the same bytes without anything between them that orders them, one of them a store;
 * and reads of memory that nobody has written.
 *
 * What orders two warps of a block is a barrier that both have come to. What orders two blocks, or warps without such a
 * barrier, is a fence in the block of the first after its access, and an atomic or a strong access in the block of the
 * second before its own: which of them belong together is not looked at, so that a race may go unseen there. Warps are
 * taken as a whole: threads of one warp do not race. Asynchronous copies and matrix loads of wmma are not looked at.
 */
#ifndef EXECUTE_CHECK_H
#define EXECUTE_CHECK_H

#include "execute/warp/warp.h"

struct execute_check;

/* `say` is called for every new pair of instructions that race, and for every one that reads what nobody has
 * written. */
struct execute_check *execute_check_open(bool race, bool init,
                                         void (*say)(void *context, const struct mnp_error *error), void *context);
void execute_check_close(struct execute_check *check); /* may be NULL */

/* Of a launch that begins now. */
const struct execute_observer *execute_check_launch(struct execute_check *check);
/* Memory of the device that nobody has written yet, and memory that has been. */
void execute_check_allocated(struct execute_check *check, uint64_t address, uint64_t bytes);
void execute_check_wrote(struct execute_check *check, uint64_t address, uint64_t bytes);

#endif
