/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of a part that a plug-in brings: its functions, its names and its parameters. */
#ifndef PLUGIN_PART_H
#define PLUGIN_PART_H

#include "plugin/plugin.h"

/* A function of a part that must not be missing. */
struct plugin_function {
    const char *name; /* NULL ends a list */
    bool there;
};

/* Returns false if the part lacks a function of the list, a text, or space for a parameter, or if the tree has a part
 * of its name, or one of its keys: that would be chosen for it. `joins`: the kind of part. */
bool plugin_check_part(const struct plugin_set *set, const char *path, const char *joins, const struct mnp_part *part,
                       const struct plugin_function *needed, struct mnp_error *error);

#endif
