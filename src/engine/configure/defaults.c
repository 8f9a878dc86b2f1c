/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/configure/defaults.h"

#include <string.h>

/* Reads a built-in machine, which the caller frees. It cannot fail: tests cover all built-in machines. */
static struct mnp_settings *read_built_in(const struct mnp_machine_file *built_in, const char *name)
{
    struct mnp_error error = {0};
    struct mnp_settings_source source = {.machine = name, .built_in = built_in};
    struct mnp_settings *settings = mnp_settings_load(&source, &error);
    MNP_REQUIRE(settings, "%s", error.text);
    return settings;
}

const char *mnp_default_of_kind(const struct mnp_machine_file *built_in, const char *kind)
{
    const char *found = NULL;
    for (const struct mnp_machine_file *file = built_in; file->name && !found; file++) {
        struct mnp_settings *settings = read_built_in(built_in, file->name);
        if (mnp_settings_is_default(settings) && strcmp(mnp_settings_kind(settings), kind) == 0)
            found = file->name;
        mnp_settings_free(settings);
    }
    return found;
}

/* The distance of an architecture from the requested one: all lower ones are closer than any higher one. */
static uint32_t distance(uint64_t architecture, uint32_t wanted)
{
    return architecture <= wanted ? wanted - (uint32_t)architecture : 1000 + (uint32_t)architecture;
}

/* Returns the machine with the least distant architecture and, in `*least`, its distance. */
static const char *nearest(const struct mnp_machine_file *built_in, uint32_t architecture, uint32_t *least)
{
    const char *found = NULL;
    *least = UINT32_MAX;
    for (const struct mnp_machine_file *file = built_in; file->name; file++) {
        struct mnp_settings *settings = read_built_in(built_in, file->name);
        const struct mnp_list *list = mnp_settings_default_for(settings);
        for (uint64_t i = 0; i < list->count; i++) {
            if (distance(list->value[i], architecture) >= *least)
                continue;
            *least = distance(list->value[i], architecture);
            found = file->name;
        }
        mnp_settings_free(settings);
    }
    return found;
}

const char *mnp_default_for(const struct mnp_machine_file *built_in, uint32_t architecture)
{
    uint32_t least;
    const char *found = nearest(built_in, architecture, &least);
    return least == 0 ? found : NULL;
}

const char *mnp_default_near(const struct mnp_machine_file *built_in, uint32_t architecture)
{
    uint32_t least;
    return nearest(built_in, architecture, &least);
}
