/* SPDX-License-Identifier: BSD-3-Clause */
#include "contract/kind.h"

#include <string.h>

enum { NAMES = 200 };

/* Writes the quoted names of the kinds that accept an input (0: all kinds), with "or" before the last one. */
static void write_names(char names[NAMES], const struct mnp_machine_kind *const *kinds, unsigned input)
{
    size_t used = 0;
    uint32_t count = 0, at = 0;
    for (uint32_t i = 0; kinds[i]; i++)
        count += !input || (kinds[i]->inputs & input);
    names[0] = 0;
    for (uint32_t i = 0; kinds[i] && used < NAMES; i++) {
        if (input && !(kinds[i]->inputs & input))
            continue;
        const char *before = at == 0 ? "" : at + 1 == count ? " or " : ", ";
        used += (size_t)snprintf(names + used, NAMES - used, "%s\"%s\"", before, kinds[i]->name);
        at++;
    }
}

const struct mnp_machine_kind *mnp_kind_find(const struct mnp_machine_kind *const *kinds, const char *name)
{
    for (uint32_t i = 0; kinds[i]; i++)
        if (strcmp(kinds[i]->name, name) == 0)
            return kinds[i];
    return NULL;
}

const struct mnp_machine_kind *mnp_kind_of(const struct mnp_machine_kind *const *kinds,
                                           const struct mnp_settings *settings, struct mnp_error *error)
{
    char names[NAMES];
    const struct mnp_machine_kind *kind = mnp_kind_find(kinds, mnp_settings_kind(settings));
    write_names(names, kinds, 0);
    if (!kind)
        mnp_fail(error, "machine %s: machine.kind is \"%s\"; this version builds %s", mnp_settings_name(settings),
                 mnp_settings_kind(settings), names);
    return kind;
}

const struct mnp_machine_kind *mnp_kind_taking(const struct mnp_machine_kind *const *kinds, enum mnp_input input)
{
    for (uint32_t i = 0; kinds[i]; i++)
        if (kinds[i]->inputs & input)
            return kinds[i];
    return NULL;
}

bool mnp_kind_refuse(const struct mnp_machine_kind *const *kinds, const struct mnp_settings *settings,
                     enum mnp_input input, const char *what, struct mnp_error *error)
{
    char names[NAMES];
    write_names(names, kinds, input);
    return mnp_fail(error,
                    "machine %s is of kind \"%s\", which takes no %s; choose one of kind %s (`maniple machines`)",
                    mnp_settings_name(settings), mnp_settings_kind(settings), what, names);
}
