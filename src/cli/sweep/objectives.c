/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that a plan may optimise: times, energy by time, statistics of all models, keys of machines. */
#include "cli/sweep/objectives.h"

#include "base/array.h"
#include "base/text.h"
#include "contract/kind.h"
#include "plugin/plugin.h"

#include <string.h>

static void add(struct mnp_array *names, const char *name)
{
    *(const char **)mnp_array_add(names, 1, sizeof(char *)) = name;
}

static void add_rows(struct mnp_array *names, const struct mnp_parameter *keys, size_t key_count,
                     const struct mnp_statistic *statistics, size_t statistic_count)
{
    for (size_t i = 0; i < key_count; i++)
        add(names, keys[i].key);
    for (size_t i = 0; i < statistic_count; i++)
        add(names, statistics[i].name);
}

static void add_model(struct mnp_array *names, const struct mnp_model *model, const struct mnp_joined *joined)
{
    const struct mnp_part *part;
    add_rows(names, model->parameters, model->parameter_count, model->statistics, model->statistic_count);
    for (size_t i = 0; i < model->parameter_count; i++) {
        const struct mnp_parameter *row = &model->parameters[i];
        for (uint64_t k = 0; (row->parts || row->joins) && mnp_settings_choice(row, joined, k, &part); k++)
            if (part)
                add_rows(names, part->parameters, part->parameter_count, part->statistics, part->statistic_count);
    }
}

static bool has(const struct mnp_array *names, const char *name)
{
    for (uint32_t i = 0; i < names->count; i++)
        if (strcmp(((const char *const *)names->items)[i], name) == 0)
            return true;
    return false;
}

/* Whether a model is that of energies, which a run counts on demand. */
static bool of_energies(const struct mnp_model *model)
{
    return strcmp(model->name, "energy") == 0;
}

bool cli_sweep_objective_known(const struct plugin_set *plugins, const char *name, bool *energies, const char **nearest)
{
    struct mnp_array names = {0};
    add(&names, "time");
    add(&names, "kernel-time");
    for (uint32_t kind = 0; plugins->kinds[kind]; kind++)
        for (const struct mnp_model *const *model = plugins->kinds[kind]->models; *model; model++)
            if (!of_energies(*model))
                add_model(&names, *model, &plugins->joined);
    bool plain = has(&names, name);
    add(&names, "energy-delay");
    for (uint32_t kind = 0; plugins->kinds[kind]; kind++)
        for (const struct mnp_model *const *model = plugins->kinds[kind]->models; *model; model++)
            if (of_energies(*model))
                add_model(&names, *model, &plugins->joined);
    bool known = has(&names, name);
    *energies = known && !plain;
    *nearest = known ? NULL : mnp_nearest_word(name, names.items, names.count);
    mnp_array_release(&names);
    return known;
}

bool cli_sweep_objective_there(const struct plugin_set *plugins, const struct mnp_machine_kind *kind, const char *name)
{
    struct mnp_array names = {0};
    add(&names, "time");
    add(&names, "energy-delay");
    if (kind->inputs & MNP_INPUT_KERNELS)
        add(&names, "kernel-time");
    for (uint32_t i = 0; plugins->kinds[i]; i++)
        if ((plugins->kinds[i]->inputs & MNP_INPUT_KERNELS) == (kind->inputs & MNP_INPUT_KERNELS))
            for (const struct mnp_model *const *model = plugins->kinds[i]->models; *model; model++)
                add_model(&names, *model, &plugins->joined);
    bool there = has(&names, name);
    mnp_array_release(&names);
    return there;
}
