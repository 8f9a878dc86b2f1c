/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/models_json.h"

#include "engine/configure/configuration.h"
#include "engine/count/kinds/kind.h"

#include <stdlib.h>

static void put_text(struct mnp_json *json, const char *name, const char *text)
{
    if (text && *text)
        results_json_text(json, name, text);
}

static void put_choices(struct mnp_json *json, const struct mnp_parameter *row, const struct mnp_joined *joined)
{
    const struct mnp_part *part;
    const char *name;
    results_json_open_inline(json, "choices", '[');
    for (uint64_t i = 0; (name = mnp_settings_choice(row, joined, i, &part)); i++)
        results_json_text(json, NULL, name);
    results_json_close_inline(json, ']');
}

static void put_parameters(struct mnp_json *json, const struct mnp_parameter *rows, size_t count,
                           const struct mnp_joined *joined)
{
    results_json_open(json, "parameters", '[');
    for (size_t i = 0; i < count; i++) {
        const struct mnp_parameter *row = &rows[i];
        results_json_open(json, NULL, '{');
        results_json_text(json, "key", row->key);
        results_json_text(json, "type", mnp_parameter_type_name(row->type));
        put_text(json, "unit", row->unit);
        if (row->type == MNP_CHOICE) {
            put_choices(json, row, joined);
        } else if (row->maximum) {
            results_json_number(json, "minimum", row->minimum);
            results_json_number(json, "maximum", row->maximum);
        }
        put_text(json, "default", row->fallback);
        put_text(json, "follows", row->follows);
        results_json_text(json, "help", row->help);
        put_text(json, "source", row->source);
        results_json_close(json, '}');
    }
    results_json_close(json, ']');
}

static void put_statistics(struct mnp_json *json, const struct mnp_statistic *rows, size_t count)
{
    results_json_open(json, "statistics", '[');
    for (size_t i = 0; i < count; i++) {
        const struct mnp_statistic *row = &rows[i];
        char *formula = NULL;
        size_t length;
        FILE *out = row->kind->formula ? open_memstream(&formula, &length) : NULL;
        if (out) {
            row->kind->formula(row, "", out);
            fclose(out);
        }
        results_json_open(json, NULL, '{');
        results_json_text(json, "name", row->name);
        results_json_text(json, "kind", row->kind->name);
        results_json_text(json, "unit", row->unit);
        results_json_text(json, "help", row->help);
        put_text(json, "formula", formula);
        if (row->bins)
            results_json_number(json, "bins", row->bins);
        results_json_close(json, '}');
        free(formula);
    }
    results_json_close(json, ']');
}

/* Parts that keys of the model choose among, with what is theirs. */
static void put_parts(struct mnp_json *json, const struct mnp_model *model, const struct mnp_joined *joined)
{
    const struct mnp_part *part;
    results_json_open(json, "parts", '[');
    for (size_t i = 0; i < model->parameter_count; i++) {
        const struct mnp_parameter *row = &model->parameters[i];
        for (uint64_t k = 0; (row->parts || row->joins) && mnp_settings_choice(row, joined, k, &part); k++) {
            if (!part)
                continue;
            results_json_open(json, NULL, '{');
            results_json_text(json, "key", row->key);
            results_json_text(json, "name", part->name);
            results_json_text(json, "help", part->help);
            put_text(json, "source", part->source);
            put_parameters(json, part->parameters, part->parameter_count, joined);
            put_statistics(json, part->statistics, part->statistic_count);
            results_json_close(json, '}');
        }
    }
    results_json_close(json, ']');
}

static void put_ports(struct mnp_json *json, const struct mnp_model *model)
{
    results_json_open(json, "ports", '[');
    for (size_t i = 0; i < model->port_count; i++) {
        const struct mnp_port *row = &model->ports[i];
        results_json_open(json, NULL, '{');
        results_json_text(json, "name", row->name);
        results_json_text(json, "direction", row->direction == MNP_OUT ? "out" : "in");
        put_text(json, "peer", row->peer);
        results_json_text(json, "packet", row->packet);
        results_json_text(json, "help", row->help);
        results_json_close(json, '}');
    }
    results_json_close(json, ']');
}

static void put_state(struct mnp_json *json, const struct mnp_model *model)
{
    results_json_open(json, "state", '[');
    for (size_t i = 0; i < model->state_count; i++) {
        results_json_open(json, NULL, '{');
        results_json_text(json, "name", model->state[i].name);
        put_text(json, "unit", model->state[i].unit);
        results_json_text(json, "help", model->state[i].help);
        results_json_close(json, '}');
    }
    results_json_close(json, ']');
}

void cli_model_json(struct mnp_json *json, const struct mnp_model *model, const struct mnp_joined *joined)
{
    results_json_open(json, NULL, '{');
    results_json_text(json, "name", model->name);
    results_json_text(json, "summary", model->summary);
    put_parameters(json, model->parameters, model->parameter_count, joined);
    put_parts(json, model, joined);
    put_ports(json, model);
    put_statistics(json, model->statistics, model->statistic_count);
    put_state(json, model);
    results_json_close(json, '}');
}
