/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A weighted sum of other statistics, such as an energy: counts × picojoules. Weights are constants of the row, or
 * parameters of the machine; the row's `scale` divides the sum, so that parameters in femtojoules give picojoules.
 */
#include "base/print.h"
#include "engine/count/kinds/kind.h"

static const struct mnp_term *term_of(const struct mnp_statistic *row, size_t index)
{
    const struct mnp_term *terms = row->with;
    return &terms[index];
}

static const char *part(const struct mnp_statistic *row, size_t index)
{
    return term_of(row, index)->name;
}

static uint64_t weight_of(const struct mnp_term *term, const struct mnp_settings *machine)
{
    if (!term->key)
        return term->weight;
    return machine ? term->weight * mnp_settings_number(machine, term->key) : 0;
}

/* The sum saturates at the greatest number. */
static void compute(const struct mnp_statistic *row, struct mnp_statistic_source *source,
                    struct mnp_statistic_value *value)
{
    unsigned __int128 sum = 0;
    for (const struct mnp_term *term = term_of(row, 0); term->name; term++) {
        sum += (unsigned __int128)source->count(source, row->name, term->name) * weight_of(term, source->machine);
        sum = sum > UINT64_MAX ? UINT64_MAX : sum;
    }
    value->numerator = (uint64_t)sum;
    value->denominator = row->scale;
    value->scale = 1;
}

static void formula(const struct mnp_statistic *row, const char *quote, FILE *out)
{
    const struct mnp_term *first = term_of(row, 0);
    mnp_print_text(out, row->scale != 1 ? "(" : "");
    for (const struct mnp_term *term = first; term->name; term++) {
        mnp_print_text(out, term == first ? "" : " + ");
        if (term->weight != 1 || !term->key)
            mnp_print_text(out, "%llu × ", (unsigned long long)term->weight);
        if (term->key)
            mnp_print_text(out, "%s%s%s × ", quote, term->key, quote);
        mnp_print_text(out, "%s%s%s", quote, term->name, quote);
    }
    if (row->scale != 1)
        mnp_print_text(out, ") / %llu", (unsigned long long)row->scale);
}

const struct mnp_statistic_kind mnp_kind_weighted = {
    .name = "weighted",
    .word = "weighted sum",
    .form = MNP_DECIMAL,
    .adds_up = true,
    .part = part,
    .compute = compute,
    .formula = formula,
};
