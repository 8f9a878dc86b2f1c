/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Energy of a many-core machine: weighted sums of statistics that the machine counts anyway, by whole femtojoules that
 * it states (energy.*). Nothing is counted for it, so that cores run as fast with it as without it. Clocks and static
 * power pass until the last core has ended.
 */
#ifndef MANYCORE_ENERGY_H
#define MANYCORE_ENERGY_H

#include "engine/configure/configuration.h"

struct mnp_session;
struct mnp_statistic;

struct manycore_energy_parameters {
    uint64_t model; /* whether there is one */
    struct mnp_text basis;
    uint64_t scale;                                                    /* per mille, of all */
    uint64_t instruction, fetch, multiply, media, load, store, branch; /* fJ */
    uint64_t line, shared, bank, hop, cycle;                           /* fJ */
    uint64_t static_tile, static_chip;                                 /* mW */
};

/* Parameters of all energies; its statistics are rows for the blocks of a machine. */
extern const struct mnp_model manycore_energy_model;

/* The rows of manycore_energy_model with weights that are the machine's numbers, for its clock in Hz and its number of
 * tiles. They live as long as the session's results. */
struct mnp_statistic *manycore_energy_settle(struct mnp_session *session, uint64_t clock, uint64_t tiles,
                                             size_t *count);

/* Femtojoules of an instruction of a kind (enum a32_class): itself, its fetch, and its access to the data cache or
 * scratchpad; 0 on a machine without energies. Over all instructions they add up to energy_core, energy_fetch and
 * energy_data. */
uint64_t manycore_energy_of(const struct manycore_energy_parameters *p, uint32_t kind);

#endif
