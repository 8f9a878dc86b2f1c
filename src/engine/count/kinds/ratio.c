/* SPDX-License-Identifier: BSD-3-Clause */
/* A quotient of two statistics, times a scale. For several units or kernels it is the quotient of their sums. */
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
    value->numerator = source->count(source, row->name, row->numerator);
    value->denominator = source->count(source, row->name, row->denominator);
    value->scale = row->scale;
}

static void formula(const struct mnp_statistic *row, const char *quote, FILE *out)
{
    if (row->scale != 1)
        mnp_print_text(out, "%llu × ", (unsigned long long)row->scale);
    mnp_print_text(out, "%s%s%s / %s%s%s", quote, row->numerator, quote, quote, row->denominator, quote);
}

const struct mnp_statistic_kind mnp_kind_ratio = {
    .name = "ratio",
    .word = "formula",
    .form = MNP_DECIMAL,
    .quotient = true,
    .part = part,
    .compute = compute,
    .formula = formula,
};
