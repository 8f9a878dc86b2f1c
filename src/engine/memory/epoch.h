/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of a span: overlays are applied to flat memory, cores first, then slices, each in the order of the units.
 * Inside an overlay, a later write to a byte has already replaced an earlier one. Only bytes that were written are
 * applied.
 *
 * Work is divided by page: every page table belongs to one shard, so that no two threads access the same table and no
 * locks are needed. If a run has several processes, each sends its units' writes to the others before they are applied.
 */
#ifndef MNP_ENGINE_MEMORY_EPOCH_H
#define MNP_ENGINE_MEMORY_EPOCH_H

#include "engine/core/engine.h"

struct mnp_memory;

/* Functions that the engine calls at the end of spans. Assign them to engine.hook after all overlays have been
 * added. */
struct mnp_epoch_hook mnp_memory_hook(struct mnp_memory *memory);

#endif
