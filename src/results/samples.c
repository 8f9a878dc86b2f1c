/* SPDX-License-Identifier: BSD-3-Clause */
/* samples.csv: statistics over time. */
#include "base/print.h"
#include "base/text.h"
#include "results/results.h"

#include <inttypes.h>

void results_write_samples(const struct mnp_results *results, FILE *out)
{
    const struct mnp_samples *samples = results->samples;
    fputs("cycle", out);
    for (uint32_t i = 0; i < samples->column_count; i++)
        mnp_print_csv(out, ",%s", samples->columns[i].statistic->name);
    fputc('\n', out);
    const uint64_t *value = samples->values;
    for (uint32_t row = 0; row < samples->row_count; row++) {
        fprintf(out, "%" PRIu64, samples->cycles[row]);
        for (uint32_t i = 0; i < samples->column_count; i++, value += 2) {
            const struct mnp_statistic *statistic = samples->columns[i].statistic;
            char text[MNP_NUMBER_TEXT];
            if (statistic->kind == MNP_RATIO)
                mnp_print_csv(out, ",%s", mnp_format_ratio(text, value[0], statistic->scale, value[1]));
            else
                fprintf(out, ",%" PRIu64, value[0]);
        }
        fputc('\n', out);
    }
}
