/* SPDX-License-Identifier: BSD-3-Clause */
/* Choice of a built-in machine for a run that names none. Machine files declare it by machine.default (one machine for
 * each kind) and machine.default_for (architectures). */
#ifndef MNP_ENGINE_CONFIGURE_DEFAULTS_H
#define MNP_ENGINE_CONFIGURE_DEFAULTS_H

#include "engine/configure/configuration.h"

/* The name of the default machine of a kind, or NULL. */
const char *mnp_default_of_kind(const struct mnp_machine_file *built_in, const char *kind);

/* The name of the default machine for an architecture, or NULL. */
const char *mnp_default_for(const struct mnp_machine_file *built_in, uint32_t architecture);

/* The default machine for an architecture; if there is none, that for the nearest lower architecture, or else that for
 * the lowest one. */
const char *mnp_default_near(const struct mnp_machine_file *built_in, uint32_t architecture);

#endif
