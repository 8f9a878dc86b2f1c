/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of summaries: a label, a value, and what it is. */
#include "base/print.h"
#include "base/text.h"
#include "results/write/text_parts.h"

#include <string.h>

enum { LABEL_WIDTH = 16, VALUE_WIDTH = 16 };

void results_text_line(const char *label, const char *value, const char *rest, FILE *out)
{
    mnp_print_text(out, "%-*s %*s%s%s\n", LABEL_WIDTH, label, VALUE_WIDTH, value, *rest ? "  " : "", rest);
}

void results_text_count(const struct mnp_statistic_set *set, const char *label, const char *name, const char *rest,
                        FILE *out)
{
    struct mnp_statistic_value value;
    char text[MNP_NUMBER_TEXT];
    if (mnp_statistics_find(set, name, &value))
        results_text_line(label, mnp_format_grouped(text, value.values[0]), rest, out);
}

/* A ratio; with `inverse`, what lacks to its greatest value: hits for misses. */
void results_text_ratio(const struct mnp_statistic_set *set, const char *label, const char *name, bool inverse,
                        const char *rest, FILE *out)
{
    struct mnp_statistic_value value;
    char text[MNP_NUMBER_TEXT + 2], of[MNP_NUMBER_TEXT], behind[160];
    if (!mnp_statistics_find(set, name, &value) || !value.row->kind->quotient || value.denominator == 0)
        return;
    uint64_t part = inverse ? value.denominator - value.numerator : value.numerator;
    mnp_format_ratio_decimals(text, part, value.scale, value.denominator, value.scale == 100 ? 2 : 3);
    if (value.scale == 100)
        strcat(text, " %");
    snprintf(behind, sizeof behind, rest, mnp_format_grouped(of, value.denominator));
    results_text_line(label, text, behind, out);
}

/* Cycles, and what they are at the clock of the machine. */
void results_text_time(const struct mnp_results *results, const char *label, uint64_t cycles, const char *rest,
                       FILE *out)
{
    uint64_t hertz = results->machine ? mnp_settings_number(results->machine, "clock.core") : 0;
    char text[MNP_NUMBER_TEXT], time[MNP_NUMBER_TEXT], clock[MNP_NUMBER_TEXT], behind[240] = "";
    if (hertz)
        snprintf(behind, sizeof behind, "%s us at %s%s", mnp_format_ratio_decimals(time, cycles, 1000000, hertz, 3),
                 mnp_format_hertz(clock, hertz), rest);
    results_text_line(label, mnp_format_grouped(text, cycles), behind, out);
}
