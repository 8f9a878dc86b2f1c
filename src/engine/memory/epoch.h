/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of a span: overlays are applied to flat memory, cores first, then slices, each in the order of the units;
 * inside an overlay a later write to a byte has already replaced an earlier one. Only bytes that were written are
 * applied.
 *
 * Work is divided by page: every table of pages belongs to one shard, so that no two threads touch one table and
 * nothing is locked. Where a run has several processes, each sends the others its units' writes before they are
 * applied.
 */
#ifndef MNP_ENGINE_MEMORY_EPOCH_H
#define MNP_ENGINE_MEMORY_EPOCH_H

#include "engine/core/engine.h"

struct mnp_memory;

/* What the engine calls at the end of spans: to be assigned to engine.hook, once all overlays are added. */
struct mnp_epoch_hook mnp_memory_hook(struct mnp_memory *memory);

#endif
