/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plug-ins of a run (maniple/plugin.h). They are loaded before any machine is read, in the order of the command
 * line, and stay loaded until the run's results are written. The objects that they define are passed on as values:
 * kinds of machines to the code that looks up a kind, parts to the settings of machines (struct mnp_settings_source).
 */
#ifndef PLUGIN_PLUGIN_H
#define PLUGIN_PLUGIN_H

#include "contract/kind.h"

struct plugin_set {
    struct mnp_run_plugin *files; /* files in the form in which results list them */
    void **handles;
    uint32_t count;
    struct mnp_joined joined; /* parts of all plug-ins */
    const struct mnp_machine_kind *
        *kinds; /* NULL-terminated: the built-in kinds, then those of plug-ins; NULL: no list was given */
    uint32_t kind_count;
};

/* Initialises a set without plug-ins. `kinds`: NULL-terminated list of built-in kinds; NULL: plug-ins with kinds are
 * ignored. */
void plugin_set_init(struct plugin_set *set, const struct mnp_machine_kind *const *kinds);
void plugin_set_release(struct plugin_set *set);

/* Loads a file. Returns false if it is missing, not a plug-in, of another version, or defines a name that is taken. */
bool plugin_set_load(struct plugin_set *set, const char *path, struct mnp_error *error);

/* Environment variable with a colon-separated list of files to load, for `maniple` and for programs that it starts. */
#define PLUGIN_VARIABLE "MANIPLE_PLUGINS"

/* Loads the files of such a list; NULL or empty: none. */
bool plugin_set_load_list(struct plugin_set *set, const char *list, struct mnp_error *error);

/* Returns the list of the set's files; the caller frees it. */
char *plugin_set_list(const struct plugin_set *set);

#endif
