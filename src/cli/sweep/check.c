/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/sweep/check.h"

#include "cli/load_machine.h"
#include "cli/run/program.h"
#include "cli/sweep/objectives.h"

#include <stdio.h>
#include <string.h>

/* Inputs of one name, with the same contents and arguments, are one, wherever they lie. */
static bool check_inputs(const struct sweep_plan *plan, const struct sweep_names *names, struct mnp_error *error)
{
    const struct sweep_input *inputs = plan->inputs.items;
    for (uint32_t i = 1; i < plan->inputs.count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (inputs[k].program == inputs[i].program && strcmp(names->inputs[k], names->inputs[i]) == 0 &&
                cli_sweep_same_words(inputs[k].words, inputs[i].words))
                return mnp_fail_at(error, plan->file, 0,
                                   "the inputs %.200s and %.200s are one: their names, contents and arguments are the "
                                   "same, wherever they lie; state one of them",
                                   inputs[k].text, inputs[i].text);
    return true;
}

/* Check of an input: the machine must take its kind. */
static bool check_input(const struct sweep_plan *plan, const struct sweep_input *input,
                        const struct mnp_settings *machine, const struct mnp_machine_kind *kind,
                        struct mnp_error *error)
{
    static const char *const what[] = {
        [MNP_INPUT_KERNELS] = "traces of kernels such as %.200s",
        [MNP_INPUT_PROGRAM] = "program for its own cores such as %.200s",
        [MNP_INPUT_CALLS] = "CUDA program such as %.200s",
    };
    char text[300];
    struct mnp_error problem = {0};
    enum mnp_input needed = !input->program                      ? MNP_INPUT_KERNELS
                            : cli_run_cuda_runs(input->words[0]) ? MNP_INPUT_CALLS
                                                                 : MNP_INPUT_PROGRAM;
    if (kind->inputs & needed)
        return true;
    snprintf(text, sizeof text, what[needed], input->words[0]);
    mnp_kind_refuse(plan->plugins ? plan->plugins->kinds : cli_kinds, machine, needed, text, &problem);
    const config_setting_t *machines = config_lookup(&plan->config, "machines");
    return mnp_fail_at(error, plan->file, machines ? config_setting_source_line(machines) : 0, "%.900s", problem.text);
}

/* Whether runs of the machine count energies: by an option, by an axis, or by the machine's file. */
static bool counts_energies(const struct sweep_plan *plan, const struct mnp_settings *machine)
{
    bool counts = mnp_settings_number(machine, "energy.model") != 0;
    for (uint32_t i = 0; i < plan->options.count; i++)
        counts |= strncmp(((const char *const *)plan->options.items)[i], "--energy", 8) == 0;
    for (uint32_t i = 0; i < plan->axes.count; i++)
        counts |= strcmp(((const struct sweep_axis *)plan->axes.items)[i].key, "energy.model") == 0;
    return counts;
}

static bool check_objectives(const struct sweep_plan *plan, const struct mnp_settings *machine,
                             const struct mnp_machine_kind *kind, struct mnp_error *error)
{
    const struct sweep_objective *objectives = plan->objectives.items;
    for (uint32_t i = 0; plan->plugins && i < plan->objectives.count; i++)
        if (!cli_sweep_objective_there(plan->plugins, kind, objectives[i].name))
            return mnp_fail_at(error, plan->file, objectives[i].line,
                               "objectives: runs of machine %.100s, of kind \"%s\", have no %.100s; choose time, or "
                               "what `maniple models` lists of that kind",
                               mnp_settings_name(machine), kind->name, objectives[i].name);
    for (uint32_t i = 0; i < plan->objectives.count; i++)
        if (objectives[i].energies && !counts_energies(plan, machine))
            return mnp_fail_at(error, plan->file, objectives[i].line,
                               "objectives: runs have %.100s if they count energies; write options = [\"--energy\"];",
                               objectives[i].name);
    return true;
}

/* A machine's name in tables: that which its file states, unless another one has it, too. */
static void show_machine(struct sweep_plan *plan, const char *text, const struct mnp_settings *machine)
{
    const char *name = machine ? mnp_settings_name(machine) : text;
    for (uint32_t i = 0; i < plan->shown.count; i++)
        if (strcmp(((char *const *)plan->shown.items)[i], name) == 0)
            name = text;
    *(char **)mnp_array_add(&plan->shown, 1, sizeof(char *)) = strdup(name);
}

/* Machines must take all inputs, and have all objectives. One that is none is told of with its keys, later. */
static bool check_machines(struct sweep_plan *plan, struct mnp_error *error)
{
    const struct sweep_input *inputs = plan->inputs.items;
    bool done = true;
    for (uint32_t i = 0; done && i < plan->machines.count; i++) {
        const char *name = ((const char *const *)plan->machines.items)[i];
        const struct mnp_machine_kind *kind = NULL;
        struct mnp_error ignored = {0};
        struct mnp_settings *machine = cli_load_machine(plan->plugins, name, NULL, 0, &kind, &ignored);
        show_machine(plan, name, machine);
        bool known = machine && kind->check(machine, &ignored);
        for (uint32_t k = 0; done && known && k < plan->inputs.count; k++)
            done = check_input(plan, &inputs[k], machine, kind, error);
        done = done && (!known || check_objectives(plan, machine, kind, error));
        mnp_settings_free(machine);
    }
    return done;
}

/* An option that states a key which varies. */
static bool check_cores(const struct sweep_plan *plan, struct mnp_error *error)
{
    const struct sweep_axis *axes = plan->axes.items;
    for (uint32_t i = 0; i < plan->options.count; i++)
        for (uint32_t k = 0; k < plan->axes.count; k++)
            if (strncmp(((const char *const *)plan->options.items)[i], "--cores", 7) == 0 &&
                strcmp(axes[k].key, "tile.count") == 0)
                return mnp_fail_at(error, plan->file, axes[k].line,
                                   "vary: tile.count is what --cores among the options states; leave one of them out");
    return true;
}

bool cli_sweep_check(struct sweep_plan *plan, const struct sweep_names *names, struct mnp_error *error)
{
    return check_inputs(plan, names, error) && check_cores(plan, error) && check_machines(plan, error);
}
