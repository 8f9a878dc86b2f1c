/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/load_machine.h"

#include "engine/configure/defaults.h"
#include "machines.h"

struct mnp_settings *cli_load_machine(const struct plugin_set *plugins, const char *name, const char *const *overrides,
                                      size_t count, const struct mnp_machine_kind **kind, struct mnp_error *error)
{
    struct mnp_settings_source source = {.machine = name,
                                         .built_in = mnp_built_in_machines,
                                         .kind = cli_kinds[0]->name,
                                         .overrides = overrides,
                                         .override_count = count,
                                         .joined = plugins ? &plugins->joined : NULL};
    const struct mnp_machine_kind *const *kinds = plugins ? plugins->kinds : cli_kinds;
    struct mnp_settings *settings = mnp_settings_load(&source, error);
    if (!settings || !kind || (*kind = mnp_kind_of(kinds, settings, error)))
        return settings;
    mnp_settings_free(settings);
    return NULL;
}

const char *cli_default_machine(enum mnp_input input)
{
    const struct mnp_machine_kind *kind = mnp_kind_taking(cli_kinds, input);
    return kind ? mnp_default_of_kind(mnp_built_in_machines, kind->name) : NULL;
}
