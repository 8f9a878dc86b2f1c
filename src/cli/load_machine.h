/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading machines, built-in ones or files, of all kinds that there are. */
#ifndef MNP_CLI_LOAD_MACHINE_H
#define MNP_CLI_LOAD_MACHINE_H

#include "cli/kinds.h"
#include "plugin/plugin.h"

/* Reads a machine with overrides, KEY=VALUE, which may be NULL. `*kind`, unless `kind` is NULL, becomes its kind.
 * `plugins` may be NULL. NULL: an error. */
struct mnp_settings *cli_load_machine(const struct plugin_set *plugins, const char *name, const char *const *overrides,
                                      size_t count, const struct mnp_machine_kind **kind, struct mnp_error *error);

/* The name of the default machine for an input of which no more is known; NULL: no kind takes it. */
const char *cli_default_machine(enum mnp_input input);

#endif
