/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts in a snapshot (engine/core/snapshot.h): counts of completed parts, so that a run from a snapshot reports the
 * results of the whole run. Counters of unfinished parts are in the units' state.
 */
#ifndef MNP_ENGINE_COUNT_KEEP_H
#define MNP_ENGINE_COUNT_KEEP_H

#include "engine/core/snapshot.h"
#include "engine/count/ledger.h"
#include "engine/count/results.h"

/* Save and restore the counts that a ledger has collected. Restoring returns false if the snapshot is truncated, or of
 * another machine. */
void mnp_keep_ledger(struct mnp_snapshot *snapshot, const struct mnp_ledger *ledger);
bool mnp_take_ledger(struct mnp_snapshot_reader *reader, struct mnp_ledger *ledger);

/* Save and restore parts of the results, whose statistics have blocks of these models. Restored parts are appended. */
void mnp_keep_parts(struct mnp_snapshot *snapshot, const struct mnp_results *results);
bool mnp_take_parts(struct mnp_snapshot_reader *reader, struct mnp_results *results,
                    const struct mnp_model *const *models, uint32_t model_count);

#endif
