/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/part.h"

#include <string.h>

/* Checks that the values of the part's parameters fit into their members. */
static bool check_parameters(const struct mnp_part *part, const char *path, struct mnp_error *error)
{
    for (size_t i = 0; i < part->parameter_count; i++) {
        const struct mnp_parameter *row = &part->parameters[i];
        if (row->type > MNP_CHOICE || row->offset % sizeof(uint64_t) ||
            row->offset / sizeof(uint64_t) >= MNP_PART_VALUES)
            return mnp_fail_at(error, path, 0,
                               "the parameter %s of \"%s\" is no number in one of its %d values; use rows of numbers, "
                               "sizes, flags or choices for fields of type uint64_t",
                               row->key, part->name, MNP_PART_VALUES);
    }
    return true;
}

/* Whether a row of a model, or of a part that it can choose, has the name. */
static bool has_key(const struct mnp_parameter *rows, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].key, name) == 0)
            return true;
    return false;
}

/* Returns the name or key of the part that a row of the tree has already, as a choice or for parameters; NULL: none. */
static const char *taken_by_row(const struct mnp_parameter *row, const char *joins, const struct mnp_part *part)
{
    const struct mnp_part *chosen;
    const char *name;
    bool same = row->joins && strcmp(row->joins, joins) == 0;
    for (uint64_t i = 0; (row->parts || row->joins) && (name = mnp_settings_choice(row, NULL, i, &chosen)); i++) {
        if (same && strcmp(name, part->name) == 0)
            return name;
        for (size_t k = 0; chosen && k < part->parameter_count; k++)
            if (has_key(chosen->parameters, chosen->parameter_count, part->parameters[k].key))
                return part->parameters[k].key;
    }
    return has_key(part->parameters, part->parameter_count, row->key) ? row->key : NULL;
}

/* Checks that nothing of the tree has a name of the part's. */
static bool check_names(const struct plugin_set *set, const char *path, const char *joins, const struct mnp_part *part,
                        struct mnp_error *error)
{
    for (uint32_t kind = 0; kind < set->kind_count; kind++)
        for (const struct mnp_model *const *model = set->kinds[kind]->models; model && *model; model++)
            for (size_t i = 0; i < (*model)->parameter_count; i++) {
                const char *name = taken_by_row(&(*model)->parameters[i], joins, part);
                if (name)
                    return mnp_fail_at(error, path, 0,
                                       "the %s \"%s\": maniple itself has a \"%s\", which it would stand for; give the "
                                       "plug-in's another name",
                                       joins, part->name, name);
            }
    return true;
}

static bool check_functions(const char *path, const char *joins, const struct mnp_part *part,
                            const struct plugin_function *needed, struct mnp_error *error)
{
    if (!part->name || !part->help || !part->source)
        return mnp_fail_at(error, path, 0, "a %s states no %s; state name, help and source of its part", joins,
                           !part->name   ? "name"
                           : !part->help ? "help"
                                         : "source");
    for (; needed->name; needed++)
        if (!needed->there)
            return mnp_fail_at(error, path, 0, "the %s \"%s\" has no function `%s`, which is called; define it", joins,
                               part->name, needed->name);
    return true;
}

bool plugin_check_part(const struct plugin_set *set, const char *path, const char *joins, const struct mnp_part *part,
                       const struct plugin_function *needed, struct mnp_error *error)
{
    return check_functions(path, joins, part, needed, error) && check_names(set, path, joins, part, error) &&
           check_parameters(part, path, error);
}
