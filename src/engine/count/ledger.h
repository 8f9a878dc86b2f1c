/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who has counted what, over the life of a machine: collects the counters that units keep in a slot, for a part of the
 * work, when that part has ended, keeps what each unit has counted in all, and knows what passes with the time whether
 * it is used or not (the kind `elapsed`). Everything is cut at simulated times: nothing here knows of windows.
 * A ledger belongs to one group of units (mnp_engine_begin_group); most machines have only one.
 */
#ifndef MNP_ENGINE_COUNT_LEDGER_H
#define MNP_ENGINE_COUNT_LEDGER_H

#include "engine/core/engine.h"
#include "engine/count/statistics.h"

struct mnp_ledger {
    struct mnp_engine *engine;
    uint32_t group;
    const struct mnp_model *const *models;
    uint32_t model_count;
    uint64_t **lives;        /* [units] counters of the parts collected so far */
    struct mnp_pace **paces; /* [models][rows] of all units of the model together, for rows that pass with the time */
    uint32_t *model_of;      /* [units] place in `models`; model_count: it counts nothing here */
};

/* The ledger of a group. The engine has all its units, and outlives the ledger, as `models` does. */
void mnp_ledger_init(struct mnp_ledger *ledger, struct mnp_engine *engine, uint32_t group,
                     const struct mnp_model *const *models, uint32_t model_count);
void mnp_ledger_release(struct mnp_ledger *ledger);

/* Moves the counters of a slot, which belong to something that lasted from `from` to `to`, into a set that has a block
 * for each model in their order; the slot starts again from zero. */
void mnp_ledger_collect(struct mnp_ledger *ledger, uint32_t slot, mnp_time from, mnp_time to,
                        struct mnp_statistic_set *set);

/* Adds all that has been collected and what slot 0 holds, unit by unit, over the time from zero to `to`. */
void mnp_ledger_total(const struct mnp_ledger *ledger, mnp_time to, struct mnp_statistic_set *set);

/* To be called before mnp_ledger_sum: of a machine spread over processes, brings the counters together. */
void mnp_ledger_gather(const struct mnp_ledger *ledger);

/* What a row of a model adds up to by now over all units and slots: element `bin` of a histogram, the only one (0) of
 * any other row, which has counters of its own. `now`: the time that all units have reached. */
uint64_t mnp_ledger_sum(const struct mnp_ledger *ledger, uint32_t model, size_t row, uint32_t bin, mnp_time now);

#endif
