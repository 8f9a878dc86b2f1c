/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/model_list.h"

#include "gpu/gpu.h"
#include "gpu/parameters.h"
#include "manycore/manycore.h"
#include "manycore/parameters.h"

#include <string.h>

const struct machine_kind machine_kinds[] = {
    {"gpu", gpu_models, gpu_check},
    {"manycore", manycore_models, manycore_check},
    {NULL, NULL, NULL},
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
        return mnp_fail(error, "machine %s: machine.kind is \"%s\"; this version builds \"gpu\" and \"manycore\"",
                        mnp_settings_name(settings), name);
    return kind->check(settings, error);
}
