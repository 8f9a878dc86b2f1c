/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/sweep/effects.h"

#include "base/allocate.h"
#include "base/print.h"
#include "cli/sweep/contexts.h"

#include <math.h>
#include <stdlib.h>

/* A value of an axis, over the contexts where the first value is there, too: sums of logarithms. */
struct value {
    double mean, ratio; /* sums of the objective, and of it over the first value's */
    uint32_t planned, pairs;
};

/* A cause whose effect is looked at: an axis, or behind the last axis the machines. */
struct effect {
    uint32_t axis, count;
    double ratio; /* ratio of the greatest mean to the least; 0: there is no pair */
    struct value *values;
};

static const struct sweep_axis *axis_at(const struct sweep_plan *plan, uint32_t place)
{
    return (const struct sweep_axis *)plan->axes.items + place;
}

static const char *name_of(const struct sweep_plan *plan, const struct effect *effect)
{
    return effect->axis < plan->axes.count ? cli_sweep_axis(plan, effect->axis)->key : "machine";
}

static const char *value_name(const struct sweep_plan *plan, const struct effect *effect, uint32_t value)
{
    const struct mnp_array *names =
        effect->axis < plan->axes.count ? &cli_sweep_axis(plan, effect->axis)->values : &plan->shown;
    return ((const char *const *)names->items)[value];
}

static void take(void *to, const struct sweep_cell *cells, uint32_t count)
{
    struct effect *effect = to;
    for (uint32_t i = 0; i < count; i++) {
        struct value *value = &effect->values[cells[i].value];
        double ratio = cells[i].mean - cells[0].mean;
        value->planned++;
        if (isnan(ratio))
            continue;
        value->pairs++;
        value->mean += cells[i].mean;
        value->ratio += ratio;
    }
}

static double ratio_of(const struct value *value)
{
    return value->pairs ? exp(value->ratio / value->pairs) : NAN;
}

static void find_effect(const struct sweep_plan *plan, const double *objective, struct effect *effect)
{
    effect->count = effect->axis < plan->axes.count ? axis_at(plan, effect->axis)->values.count : plan->machines.count;
    effect->values = mnp_allocate(effect->count, sizeof *effect->values);
    cli_sweep_contexts(plan, effect->axis, objective, take, effect);
    double least = INFINITY, greatest = 0;
    uint32_t compared = 0;
    for (uint32_t i = 0; i < effect->count; i++) {
        compared += effect->values[i].pairs > 0;
        double ratio = ratio_of(&effect->values[i]);
        least = ratio < least ? ratio : least;
        greatest = ratio > greatest ? ratio : greatest;
    }
    effect->ratio = compared > 1 ? greatest / least : 0;
}

static int by_ratio(const void *a, const void *b)
{
    const struct effect *left = a, *right = b;
    if (left->ratio != right->ratio)
        return left->ratio < right->ratio ? 1 : -1;
    return (left->axis > right->axis) - (left->axis < right->axis);
}

static void write_effect(const struct sweep_plan *plan, const struct effect *effect, FILE *out)
{
    if (effect->ratio == 0) {
        mnp_print_text(out, "%s: no run is there whose counterpart with %s is\n", name_of(plan, effect),
                       value_name(plan, effect, 0));
        return;
    }
    mnp_print_text(out, "%s: up to x%.3f\n", name_of(plan, effect), effect->ratio);
    for (uint32_t i = 0; i < effect->count; i++) {
        const struct value *value = &effect->values[i];
        if (!value->planned) /* a value that a random plan has not drawn */
            continue;
        mnp_print_text(out, "  %-24s", value_name(plan, effect, i));
        if (value->pairs)
            fprintf(out, " %16.*f  %+8.2f %%", cli_sweep_decimals(exp(value->mean / value->pairs)),
                    exp(value->mean / value->pairs), 100 * (ratio_of(value) - 1));
        else
            mnp_print_text(out, " %16s  %8s  ", "-", "-");
        if (value->pairs < value->planned)
            fprintf(out, "  %u of %u", value->pairs, value->planned);
        putc('\n', out);
    }
}

int cli_sweep_decimals(double value)
{
    return value < 1e6 ? 3 : 0;
}

void cli_sweep_effects_write(const struct sweep_plan *plan, const double *objective, const char *name, FILE *out)
{
    uint32_t count = plan->axes.count + (plan->machines.count > 1);
    struct effect *effects = mnp_allocate(count + 1, sizeof *effects);
    bool incomplete = false;
    for (uint32_t i = 0; i < count; i++) {
        effects[i].axis = i;
        find_effect(plan, objective, &effects[i]);
        for (uint32_t k = 0; k < effects[i].count; k++)
            incomplete |= effects[i].values[k].pairs < effects[i].values[k].planned;
    }
    qsort(effects, count, sizeof *effects, by_ratio);
    mnp_print_text(out, "\nEffects on %s, the greatest first: geometric means over the other settings and inputs\n",
                   name);
    if (incomplete)
        fputs("Incomplete: means are over those (N of M) that are there for the value and for the first one.\n", out);
    for (uint32_t i = 0; i < count; i++) {
        bool again = plan->together.key && effects[i].axis && effects[i].axis < plan->axes.count;
        if (effects[i].count > 1 && !again)
            write_effect(plan, &effects[i], out);
        free(effects[i].values);
    }
    free(effects);
}
