/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts in a snapshot (engine/core/snapshot.h): what has been counted of parts that have ended, so that a run from a
 * snapshot has the results of the whole run. Counters of parts that have not ended lie in the units' own state.
 */
#ifndef MNP_ENGINE_COUNT_KEEP_H
#define MNP_ENGINE_COUNT_KEEP_H

#include "engine/core/snapshot.h"
#include "engine/count/ledger.h"
#include "engine/count/results.h"

/* What a ledger has collected. False: the snapshot is cut short, or of another machine. */
void mnp_keep_ledger(struct mnp_snapshot *snapshot, const struct mnp_ledger *ledger);
bool mnp_take_ledger(struct mnp_snapshot_reader *reader, struct mnp_ledger *ledger);

/* The parts of results, whose statistics have blocks of these models. Taken parts are added. */
void mnp_keep_parts(struct mnp_snapshot *snapshot, const struct mnp_results *results);
bool mnp_take_parts(struct mnp_snapshot_reader *reader, struct mnp_results *results,
                    const struct mnp_model *const *models, uint32_t model_count);

#endif
