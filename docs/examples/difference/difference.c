/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The difference of two statistics, such as hits: accesses without misses. The worked example of a kind of statistic in
 * docs/extending.md: in the project, this file would lie in src/engine/count/kinds.
 */
#include "base/print.h"
#include "engine/count/kinds/kind.h"

static const char *part(const struct mnp_statistic *row, size_t index)
{
    const char *const parts[] = {row->numerator, row->denominator};
    return index < 2 ? parts[index] : NULL;
}

static void compute(const struct mnp_statistic *row, struct mnp_statistic_source *source,
                    struct mnp_statistic_value *value)
{
    value->numerator =
        source->count(source, row->name, row->numerator) - source->count(source, row->name, row->denominator);
}

static void formula(const struct mnp_statistic *row, const char *quote, FILE *out)
{
    mnp_print_text(out, "%s%s%s - %s%s%s", quote, row->numerator, quote, quote, row->denominator, quote);
}

const struct mnp_statistic_kind mnp_kind_difference = {
    .name = "difference",
    .word = "difference",
    .form = MNP_WHOLE,
    .adds_up = true,
    .part = part,
    .compute = compute,
    .formula = formula,
};
