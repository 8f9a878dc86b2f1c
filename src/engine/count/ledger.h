/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ledger collects the counters of all units over the life of a machine. When a part of the work has ended, it moves
 * the counters that the units keep for the part in a slot into the part's statistics; it also keeps each unit's totals,
 * and computes statistics that grow with time regardless of use (kind `elapsed`). All values are cut at simulated
 * times, independently of windows.
 * A ledger belongs to one group of units (mnp_engine_begin_group); most machines have only one.
 */
#ifndef MNP_ENGINE_COUNT_LEDGER_H
#define MNP_ENGINE_COUNT_LEDGER_H

#include "engine/core/engine.h"
#include "engine/count/statistics.h"

/* Brings counters up to date that follow from others: called before a slot, or all slots (MNP_ALL_SLOTS), are read.
 * `ends`: the slot is zero afterwards. */
struct mnp_settling {
    void (*settle)(void *own, uint32_t slot, bool ends); /* NULL: no counters do */
    void *own;
};

struct mnp_ledger {
    struct mnp_engine *engine;
    uint32_t group;
    const struct mnp_model *const *models;
    uint32_t model_count;
    uint64_t **lives;        /* [units] counters summed over the parts collected so far */
    struct mnp_pace **paces; /* [models][rows] rates of all units of a model together, for rows of kind `elapsed` */
    uint32_t *model_of;      /* [units] index in `models`; model_count: the unit has no statistics here */
    struct mnp_settling settling;
};

/* Initialises the ledger of a group. The engine already has all its units. Engine and `models` outlive the ledger. */
void mnp_ledger_init(struct mnp_ledger *ledger, struct mnp_engine *engine, uint32_t group,
                     const struct mnp_model *const *models, uint32_t model_count);
void mnp_ledger_release(struct mnp_ledger *ledger);

/* Moves the counters of a slot, which belong to an activity that lasted from `from` to `to`, into a set that has a
 * block for each model in their order; the slot is then zero. */
void mnp_ledger_collect(struct mnp_ledger *ledger, uint32_t slot, mnp_time from, mnp_time to,
                        struct mnp_statistic_set *set);

/* Adds everything collected so far and the contents of slot 0, unit by unit, over the time from zero to `to`. */
void mnp_ledger_total(const struct mnp_ledger *ledger, mnp_time to, struct mnp_statistic_set *set);

/* The same in the middle of a run: with the contents of all slots. Not of a machine that is spread over processes. */
void mnp_ledger_present(const struct mnp_ledger *ledger, mnp_time now, struct mnp_statistic_set *set);

/* Brings the counters of a machine that is spread over processes together; call it before mnp_ledger_sum. */
void mnp_ledger_gather(const struct mnp_ledger *ledger);

/* The current sum of a row over all units and slots: element `bin` of a histogram, or element 0 of any other row with
 * counters of its own. `now`: the time that all units have reached. */
uint64_t mnp_ledger_sum(const struct mnp_ledger *ledger, uint32_t model, size_t row, uint32_t bin, mnp_time now);

#endif
