/* SPDX-License-Identifier: BSD-3-Clause */
/* `maniple models`: the documentation of every model, from its tables. */
#include "base/array.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/kinds.h"
#include "cli/models_json.h"
#include "cli/statistics_page.h"
#include "cli/verbs.h"
#include "engine/count/kinds/kind.h"
#include "plugin/plugin.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { OWN = 4, PART = 6 }; /* columns before the rows of a model, and of a part that it may choose */

static void print_choices(const struct mnp_parameter *row, const struct mnp_joined *joined)
{
    const struct mnp_part *part;
    const char *name;
    for (uint64_t i = 0; (name = mnp_settings_choice(row, joined, i, &part)); i++)
        mnp_print_text(stdout, "%s\"%s\"", i ? " | " : "", name);
}

static void print_range(const struct mnp_parameter *row, const struct mnp_joined *joined)
{
    char low[MNP_NUMBER_TEXT], high[MNP_NUMBER_TEXT];
    if (row->type == MNP_CHOICE) {
        print_choices(row, joined);
    } else if (row->type == MNP_BOOL) {
        printf("true | false");
    } else if (row->type == MNP_SIZE && row->maximum) {
        mnp_print_text(stdout, "%s to %s", mnp_format_size(low, row->minimum), mnp_format_size(high, row->maximum));
    } else if (row->type == MNP_HERTZ && row->maximum) {
        mnp_print_text(stdout, "%s to %s", mnp_format_hertz(low, row->minimum), mnp_format_hertz(high, row->maximum));
    } else if (row->maximum) {
        printf("%" PRIu64 " to %" PRIu64, row->minimum, row->maximum);
    } else {
        printf("any");
    }
}

static void print_parameters(const struct mnp_parameter *rows, size_t count, const struct mnp_joined *joined,
                             int indent)
{
    if (count)
        mnp_print_text(stdout, "\n%*sParameters\n", indent - 2, "");
    for (size_t i = 0; i < count; i++) {
        const struct mnp_parameter *row = &rows[i];
        mnp_print_text(stdout, "%*s%-28s %s%s%s%s, ", indent, "", row->key, mnp_parameter_type_name(row->type),
                       *row->unit ? " [" : "", row->unit, *row->unit ? "]" : "");
        print_range(row, joined);
        if (row->fallback)
            mnp_print_text(stdout, ", default %s\n", row->fallback);
        else if (row->follows && row->beside)
            mnp_print_text(stdout, ", default: %s of the file that states %s, before any --set\n", row->follows,
                           row->beside);
        else if (row->follows)
            mnp_print_text(stdout, ", default: %s\n", row->follows);
        else
            printf(", must be stated\n");
        mnp_print_text(stdout, "%*s%-28s %s\n", indent, "", "", row->help);
        mnp_print_text(stdout, "%*s%-28s source: %s\n", indent, "", "", row->source ? row->source : "none stated");
    }
}

static void print_ports(const struct mnp_model *model)
{
    if (model->port_count)
        printf("\n  Ports\n");
    for (size_t i = 0; i < model->port_count; i++) {
        const struct mnp_port *row = &model->ports[i];
        bool out = row->direction == MNP_OUT;
        if (*row->peer)
            mnp_print_text(stdout, "    %-28s %s %s, %s: %s\n", row->name, out ? "to" : "from", row->peer, row->packet,
                           row->help);
        else
            mnp_print_text(stdout, "    %-28s %s, %s: %s\n", row->name, out ? "out" : "in", row->packet, row->help);
    }
}

static void print_statistics(const struct mnp_statistic *rows, size_t count, int indent)
{
    if (count)
        mnp_print_text(stdout, "\n%*sStatistics\n", indent - 2, "");
    for (size_t i = 0; i < count; i++) {
        const struct mnp_statistic *row = &rows[i];
        mnp_print_text(stdout, "%*s%-40s %s; %s", indent, "", row->name, row->unit, row->help);
        if (row->kind->formula) {
            printf(" = ");
            row->kind->formula(row, "", stdout);
        }
        if (row->kind->note)
            mnp_print_text(stdout, " (%s)", row->kind->note);
        if (row->kind->form == MNP_BINS)
            mnp_print_text(stdout, " (%s of %u bins)", row->kind->word, row->bins);
        printf("\n");
    }
}

/* Parts that keys of the model choose among, with what is theirs. */
static void print_parts(const struct mnp_model *model, const struct mnp_joined *joined)
{
    const struct mnp_part *part;
    for (size_t i = 0; i < model->parameter_count; i++) {
        const struct mnp_parameter *row = &model->parameters[i];
        for (uint64_t k = 0; (row->parts || row->joins) && mnp_settings_choice(row, joined, k, &part); k++) {
            if (!part)
                continue;
            mnp_print_text(stdout, "\n  %s = \"%s\": %s\n    source: %s\n", row->key, part->name, part->help,
                           part->source ? part->source : "none stated");
            print_parameters(part->parameters, part->parameter_count, joined, PART);
            print_statistics(part->statistics, part->statistic_count, PART);
        }
    }
}

static void print_state(const struct mnp_model *model)
{
    if (model->state_count)
        printf("\n  State\n");
    for (size_t i = 0; i < model->state_count; i++)
        mnp_print_text(stdout, "    %-28s %s; %s\n", model->state[i].name, model->state[i].unit, model->state[i].help);
}

static void print_model(const struct mnp_model *model, const struct mnp_joined *joined)
{
    mnp_print_text(stdout, "%s: %s\n", model->name, model->summary);
    print_parameters(model->parameters, model->parameter_count, joined, OWN);
    print_parts(model, joined);
    print_ports(model);
    print_statistics(model->statistics, model->statistic_count, OWN);
    print_state(model);
    printf("\n");
}

static void describe(const struct mnp_model *model, const struct mnp_joined *joined, struct mnp_json *json)
{
    if (json->out)
        cli_model_json(json, model, joined);
    else
        print_model(model, joined);
}

/* Describes the models of all kinds, or the one of that name; `names`: of all of them. Returns how many were. */
static uint32_t describe_all(const struct command_line *line, const char *wanted, struct mnp_json *json,
                             struct mnp_array *names)
{
    const struct mnp_machine_kind *const *kinds = line->plugins->kinds;
    uint32_t described = 0;
    for (uint32_t kind = 0; kinds[kind]; kind++)
        for (const struct mnp_model *const *model = kinds[kind]->models; *model; model++) {
            *(const char **)mnp_array_add(names, 1, sizeof(char *)) = (*model)->name;
            if (wanted && (described || strcmp((*model)->name, wanted) != 0))
                continue;
            if (json->out && !described)
                results_json_open(json, NULL, '[');
            describe(*model, &line->plugins->joined, json);
            described++;
        }
    return described;
}

/* The first model with a key that is the word or begins with it and a dot; NULL: none. */
static const struct mnp_model *model_of_key(const struct mnp_machine_kind *const *kinds, const char *word)
{
    size_t length = strlen(word);
    for (uint32_t kind = 0; kinds[kind]; kind++)
        for (const struct mnp_model *const *model = kinds[kind]->models; *model; model++)
            for (size_t i = 0; i < (*model)->parameter_count; i++) {
                const char *key = (*model)->parameters[i].key;
                if (strncmp(key, word, length) == 0 && (!key[length] || key[length] == '.'))
                    return *model;
            }
    return NULL;
}

/* Names the model of a key, or the model with the nearest name. */
static void refuse_name(const struct command_line *line, const char *wanted, const struct mnp_array *names,
                        struct mnp_error *error)
{
    const struct mnp_model *model = model_of_key(line->plugins->kinds, wanted);
    const char *nearest = mnp_nearest_word(wanted, names->items, names->count);
    if (model)
        mnp_fail(error, "there is no model \"%s\"; the model %s has keys of that name: `maniple models %s`", wanted,
                 model->name, model->name);
    else
        mnp_fail(error, "there is no model \"%s\"%s%s%s (`maniple models` shows all)", wanted,
                 nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

static const char models_help[] =
    "Describes every model that machines are built of, or the one named: its parameters (the keys of machine files),\n"
    "its ports, the statistics that it counts, and its state. All of it is read from the tables that the simulator\n"
    "itself works from. The word statistics writes the tables of docs/statistics.md.\n"
    "\n"
    "  --format=json              the same as a list of objects, one for each model\n";

int cli_verb_models(const struct command_line *given)
{
    int status;
    bool as_json;
    struct command_line line = *given;
    struct mnp_error error = {0};
    if (!cli_take_format(&line, &as_json, &status) ||
        !cli_only_help(&line, "[--format json] [NAME|statistics]", models_help, &status))
        return status;
    if (line.argc == 2 && !as_json && strcmp(line.argv[1], "statistics") == 0) {
        cli_print_statistics_page();
        return cli_finish_output(MNP_EXIT_DONE);
    }
    if (line.argc > 2) {
        mnp_fail(&error, "maniple models takes the name of one model, or none");
        return cli_report_error(&error);
    }
    const char *wanted = line.argc == 2 ? line.argv[1] : NULL;
    struct mnp_json json = {.out = as_json ? stdout : NULL};
    struct mnp_array names = {0};
    if (!describe_all(&line, wanted, &json, &names))
        refuse_name(&line, wanted, &names, &error);
    else if (as_json)
        results_json_close(&json, ']');
    mnp_array_release(&names);
    return error.text[0] ? cli_report_error(&error) : cli_finish_output(MNP_EXIT_DONE);
}
