/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of the built-in machines a run gets that names none: machine files say so themselves, by machine.default (one
 * for each kind) and machine.default_for (architectures). */
#ifndef MNP_ENGINE_CONFIGURE_DEFAULTS_H
#define MNP_ENGINE_CONFIGURE_DEFAULTS_H

#include "engine/configure/configuration.h"

/* The name of the default machine of a kind; NULL: there is none. */
const char *mnp_default_of_kind(const struct mnp_machine_file *built_in, const char *kind);

/* The name of the default machine for an architecture; NULL: there is none. */
const char *mnp_default_for(const struct mnp_machine_file *built_in, uint32_t architecture);

/* The same, or else that for the nearest lower architecture, or else that for the lowest one there is. */
const char *mnp_default_near(const struct mnp_machine_file *built_in, uint32_t architecture);

#endif
