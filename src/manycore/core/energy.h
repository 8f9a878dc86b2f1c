/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Energy of a many-core machine: weighted sums of statistics that the machine counts anyway, by whole femtojoules that
 * it states (energy.*). Nothing is counted for it, so that cores run as fast with it as without it. Clocks and static
 * power pass until the last core has ended.
 */
#ifndef MANYCORE_ENERGY_H
#define MANYCORE_ENERGY_H

#include "engine/configure/configuration.h"

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

/* Rows and terms of them all, the latter with their ends. */
size_t manycore_energy_terms(void);

/* Copies the rows of manycore_energy_model, with weights that are a machine's numbers. `rows` has room for as many, and
 * `terms` for manycore_energy_terms() of them. */
void manycore_energy_settle(const struct mnp_settings *machine, uint64_t clock, uint64_t tiles,
                            struct mnp_statistic *rows, struct mnp_term *terms);

#endif
