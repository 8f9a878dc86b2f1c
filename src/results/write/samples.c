/* SPDX-License-Identifier: BSD-3-Clause */
/* samples.csv: statistics over time. */
#include "base/print.h"
#include "base/text.h"
#include "results/write/results.h"

#include <inttypes.h>

void results_write_samples(const struct mnp_results *results, FILE *out)
{
    const struct mnp_samples *samples = results->samples;
    fputs("cycle", out);
    for (uint32_t i = 0; i < samples->column_count; i++)
        mnp_print_csv(out, ",%s", samples->columns[i].statistic->name);
    fputc('\n', out);
    for (uint32_t row = 0; row < samples->row_count; row++) {
        fprintf(out, "%" PRIu64, samples->cycles[row]);
        for (uint32_t i = 0; i < samples->column_count; i++) {
            struct mnp_statistic_value value = mnp_samples_value(samples, row, i);
            char text[MNP_NUMBER_TEXT];
            mnp_print_csv(out, ",%s", mnp_statistic_text(text, &value));
        }
        fputc('\n', out);
    }
}
