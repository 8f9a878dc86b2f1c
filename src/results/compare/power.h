/* SPDX-License-Identifier: BSD-3-Clause */
/* Power and clocks of a run, read from its results.json: for the search of the clock that a power limit leaves. */
#ifndef MNP_RESULTS_POWER_H
#define MNP_RESULTS_POWER_H

#include "results/compare/compare.h"

struct results_power {
    uint64_t core, noc, l2; /* Hz */
    uint64_t limit;         /* power.limit in milliwatts; 0: none */
    uint64_t milliwatts;    /* mean of kernels: their energy by their time; of the run where there are none. Where the
                             * machine states how it is cooled, in the steady state */
    uint64_t static_mw;     /* part of it that passes with the time */
    uint64_t millidegrees;  /* temperature of the steady state; 0: none is known */
    uint64_t picoseconds;   /* time of these kernels */
    char basis[96];         /* energy.basis */
};

/* Fails unless the run was made with --energy. */
bool results_read_power(const struct mnp_read_results *results, struct results_power *power, struct mnp_error *error);

#endif
