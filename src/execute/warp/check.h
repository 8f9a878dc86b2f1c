/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Detection of errors of the simulated program while kernels are executed functionally, even if the results do not show
 * them: data races, i.e. two warps access the same bytes without any ordering between the accesses, one of which is a
 * store; reads of memory that was never written; and barriers that some threads of a warp reach while others do not.
 *
 * Two warps of a block are ordered by a barrier at which both have arrived. Two blocks, or warps without such a
 * barrier, are ordered by a fence in the first one's block after its access, and an atomic or a strong access in the
 * second one's block before its own access. The check does not examine which of these belong together, so it may miss
 * races. Warps are treated as a whole: threads of one warp do not race. Asynchronous copies and matrix loads of wmma
 * are not checked.
 */
#ifndef EXECUTE_CHECK_H
#define EXECUTE_CHECK_H

#include "execute/warp/warp.h"

struct execute_check;

/* Errors that are looked for. */
struct execute_checked {
    bool race, init, sync;
};

/* `say` is called for every new pair of racing instructions, and every such barrier; and behind a launch for every
 * instruction that has read memory that was never written, unless a race is why. */
struct execute_check *execute_check_open(struct execute_checked looks_for,
                                         void (*say)(void *context, const struct mnp_error *error), void *context);
void execute_check_close(struct execute_check *check); /* may be NULL */

/* Returns the observer for a launch that begins now. */
const struct execute_observer *execute_check_launch(struct execute_check *check);
/* Tells what is known only when a launch has ended. */
void execute_check_settle(struct execute_check *check);
/* Marks memory of the device as unwritten (new allocations), or as written. */
void execute_check_allocated(struct execute_check *check, uint64_t address, uint64_t bytes);
void execute_check_wrote(struct execute_check *check, uint64_t address, uint64_t bytes);
/* Bytes were copied: those that were never written are so at their new place. */
void execute_check_copied(struct execute_check *check, uint64_t to, uint64_t from, uint64_t bytes);

#endif
