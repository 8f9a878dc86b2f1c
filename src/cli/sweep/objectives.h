/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that a plan may optimise, known before a run is made. */
#ifndef MNP_CLI_SWEEP_OBJECTIVES_H
#define MNP_CLI_SWEEP_OBJECTIVES_H

#include <stdbool.h>

struct mnp_machine_kind;
struct plugin_set;

/* Whether a name is a time, energy by time, a statistic of some model or a key of machines. If it is none, `nearest` is
 * the one that it most likely stands for, or NULL. `energies`: whether only runs that count energies have it. */
bool cli_sweep_objective_known(const struct plugin_set *plugins, const char *name, bool *energies,
                               const char **nearest);

/* Whether runs of machines of a kind may have a name that is known: machines with kernels, or those without, share
 * their names. */
bool cli_sweep_objective_there(const struct plugin_set *plugins, const struct mnp_machine_kind *kind, const char *name);

#endif
