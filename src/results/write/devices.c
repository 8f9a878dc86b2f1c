/* SPDX-License-Identifier: BSD-3-Clause */
/* Results of a machine of several devices as text: those of each, one after another. */
#include "base/print.h"
#include "base/text.h"
#include "results/write/results.h"

bool results_each_device(const struct mnp_results *results, void (*write)(const struct mnp_results *results, FILE *out),
                         FILE *out)
{
    char input[1024];
    for (uint32_t i = 0; i < results->device_count; i++) {
        const struct mnp_results *device = results->devices[i];
        mnp_print_text(out, "===== %s %u: %s\n", results->form->device, i,
                       mnp_escape(input, sizeof input, device->run.input ? device->run.input : ""));
        write(device, out);
        fputc('\n', out);
    }
    if (results->device_count)
        mnp_print_text(out, "===== all %u: state hash %s\n", results->device_count,
                       results->hash[0] ? results->hash : "none");
    return results->device_count;
}
