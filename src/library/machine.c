/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/allocate.h"
#include "base/version.h"
#include "engine/configure/defaults.h"
#include "library/library.h"
#include "machines.h"

#include <stdlib.h>
#include <string.h>

int maniple_interface(void)
{
    return MANIPLE_INTERFACE;
}

const char *maniple_version(void)
{
    return MANIPLE_VERSION;
}

void library_tell(struct maniple_error *to, const struct mnp_error *error)
{
    static const char option[] = "--set "; /* the command's: programs state keys */
    const char *text = error->text;
    if (strncmp(text, option, sizeof option - 1) == 0)
        text += sizeof option - 1;
    if (to)
        snprintf(to->text, sizeof to->text, "%s", text);
}

struct mnp_settings *library_settings(const struct maniple_machine *machine, const struct mnp_machine_kind **kind,
                                      struct mnp_error *error)
{
    return cli_load_machine(NULL, machine->name, (const char *const *)machine->keys, machine->key_count, kind, error);
}

static void copy_keys(struct maniple_machine *machine, const char *const *keys)
{
    while (keys && keys[machine->key_count])
        machine->key_count++;
    machine->keys = mnp_allocate(machine->key_count + 1, sizeof *machine->keys);
    for (size_t i = 0; i < machine->key_count; i++)
        machine->keys[i] = strdup(keys[i]);
}

struct maniple_machine *maniple_machine_open(const char *name, const char *const *keys, struct maniple_error *error)
{
    struct maniple_machine *machine = mnp_allocate(1, sizeof *machine);
    struct mnp_error problem = {""};
    copy_keys(machine, keys);
    machine->name = strdup(name ? name : "");
    machine->settings = library_settings(machine, &machine->kind, &problem);
    if (machine->settings && machine->kind->check(machine->settings, &problem) &&
        mnp_settings_finish(machine->settings, &problem))
        return machine;
    library_tell(error, &problem);
    maniple_machine_close(machine);
    return NULL;
}

/* Looks for a key in the tree of settings: `at` is what is left of it, inside of the groups that have been opened. */
struct search {
    const char *at;
    unsigned depth; /* groups that the key goes through, so far */
    const struct mnp_resolved *found;
};

static void open_group(void *context, const char *group, unsigned depth)
{
    struct search *search = context;
    size_t length = strlen(group);
    if (depth != search->depth || strncmp(search->at, group, length) != 0 || search->at[length] != '.')
        return;
    search->at += length + 1;
    search->depth++;
}

/* Groups that the key goes through are opened once. */
static void close_group(void *context, unsigned depth)
{
    struct search *search = context;
    if (depth < search->depth)
        search->depth = UINT32_MAX;
}

static void look_at_value(void *context, const char *name, const struct mnp_resolved *resolved, unsigned depth)
{
    struct search *search = context;
    if (depth == search->depth && strcmp(search->at, name) == 0)
        search->found = resolved;
}

int maniple_machine_number(const struct maniple_machine *machine, const char *key, uint64_t *number)
{
    struct search search = {.at = key};
    const struct mnp_settings_visitor visitor = {
        .open = open_group, .value = look_at_value, .close = close_group, .context = &search};
    mnp_settings_walk(machine->settings, &visitor);
    if (!search.found || search.found->row->type == MNP_TEXT || search.found->row->type == MNP_LIST)
        return 0;
    *number = search.found->number;
    return 1;
}

void maniple_machine_close(struct maniple_machine *machine)
{
    if (!machine)
        return;
    mnp_settings_free(machine->settings);
    for (size_t i = 0; i < machine->key_count; i++)
        free(machine->keys[i]);
    free((void *)machine->keys);
    free(machine->name);
    free(machine);
}

const char *maniple_machine_name(size_t number)
{
    for (size_t i = 0; mnp_built_in_machines[i].name; i++)
        if (i == number)
            return mnp_built_in_machines[i].name;
    return NULL;
}
