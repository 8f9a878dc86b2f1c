/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Weighted sums of a machine: rows of statistics whose terms have keys (struct mnp_term), copied with the weights that
 * the machine gives them. A kind says what a term weighs, for energies of GPUs and of many-core machines alike.
 */
#ifndef MNP_CONTRACT_WEIGHTS_H
#define MNP_CONTRACT_WEIGHTS_H

#include "contract/session.h"

struct mnp_weighing {
    const void *context;
    /* Whether a row is on this machine; NULL: all rows are. */
    bool (*counts)(const void *context, const struct mnp_statistic *row);
    /* Whether a term of a row is on this machine; NULL: all terms are. */
    bool (*has)(const void *context, const struct mnp_term *term);
    /* The weight of a term that has a key; one that has none keeps its own. `terms`: those of its row, up to a term
     * without a name. */
    uint64_t (*weigh)(const void *context, const struct mnp_term *terms, const struct mnp_term *term);
};

/* Copies those of `count` rows that are on the machine to memory that lives as long as the session's results, which may
 * be extended by them (mnp_session_extend). Returns the copies, and their number in `settled`. */
struct mnp_statistic *mnp_session_weigh(struct mnp_session *session, const struct mnp_statistic *rows, size_t count,
                                        const struct mnp_weighing *weighing, size_t *settled);

#endif
