/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/model_list.h"

#include <string.h>

static const struct mnp_model *const gpu_models[] = {NULL};

const struct machine_kind machine_kinds[] = {
    {"gpu", gpu_models},
    {NULL, NULL},
};

const struct machine_kind *machine_kind_find(const char *name)
{
    for (const struct machine_kind *kind = machine_kinds; kind->name; kind++)
        if (strcmp(kind->name, name) == 0)
            return kind;
    return NULL;
}

bool machine_check(struct mnp_settings *settings, struct mnp_error *error)
{
    const char *name = mnp_settings_kind(settings);
    const struct machine_kind *kind = machine_kind_find(name);
    if (!kind)
        return mnp_fail(error, "machine %s: machine.kind is \"%s\"; this version builds only \"gpu\"",
                        mnp_settings_name(settings), name);
    for (const struct mnp_model *const *model = kind->models; *model; model++)
        if (!mnp_settings_fill(settings, (*model)->parameters, (*model)->parameter_count, NULL, error))
            return false;
    return mnp_settings_finish(settings, error);
}
