/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tracks the global memory that functionally executed launches have touched last, i.e. the likely contents of a cache
 * of a given size after them. An observer of the execution (device.h) keeps the sectors of lines of 128 bytes; if there
 * are more lines than the cache holds, only the most recently touched ones, in the order of execution. Atomics, and
 * copies without a thread of their own, count as their instructions do.
 */
#ifndef EXECUTE_WARMING_H
#define EXECUTE_WARMING_H

#include "contract/kind.h"
#include "engine/core/snapshot.h"
#include "execute/device/device.h"

struct execute_warming;

/* `bytes`: of the cache. */
struct execute_warming *execute_warming_open(uint64_t bytes);
void execute_warming_free(struct execute_warming *warming); /* may be NULL */
const struct execute_observer *execute_warming_observer(struct execute_warming *warming);

/* Returns and removes the touched lines that the cache would hold, as extents of whole sectors in the order of
 * addresses. They stay valid until the next call. */
const struct mnp_extent *execute_warming_take(struct execute_warming *warming, uint32_t *count);

/* The touched lines, in a snapshot; and what a snapshot has of them, in place of those that were touched. */
void execute_warming_keep(const struct execute_warming *warming, struct mnp_snapshot *snapshot);
bool execute_warming_restore(struct execute_warming *warming, struct mnp_snapshot_reader *reader);

#endif
