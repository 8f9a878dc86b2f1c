/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plug-ins of a run (maniple/plugin.h): loaded before any machine is read, in the order of the command line, and
 * kept until the run's results are written. What they bring is a value that is handed on: kinds of machines to whoever
 * looks one up, parts to the settings of machines (struct mnp_settings_source).
 */
#ifndef PLUGIN_PLUGIN_H
#define PLUGIN_PLUGIN_H

#include "contract/kind.h"

struct plugin_set {
    struct mnp_run_plugin *files; /* as results state them */
    void **handles;
    uint32_t count;
    struct mnp_joined joined; /* parts of all of them */
    const struct mnp_machine_kind *
        *kinds; /* NULL-terminated: those of the tree, then theirs; NULL: no list was given */
    uint32_t kind_count;
};

/* A set without plug-ins. `kinds`: of the tree, NULL-terminated; NULL: kinds are of no interest. */
void plugin_set_init(struct plugin_set *set, const struct mnp_machine_kind *const *kinds);
void plugin_set_release(struct plugin_set *set);

/* Loads a file. False: it is missing, no plug-in, of another version, or brings a name that is taken. */
bool plugin_set_load(struct plugin_set *set, const char *path, struct mnp_error *error);

/* The variable of the environment with files to load, colons between them, for `maniple` and for what it starts. */
#define PLUGIN_VARIABLE "MANIPLE_PLUGINS"

/* Loads files of such a list; NULL or empty: none. */
bool plugin_set_load_list(struct plugin_set *set, const char *list, struct mnp_error *error);

/* The list of the set's files; free it. */
char *plugin_set_list(const struct plugin_set *set);

#endif
