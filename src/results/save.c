/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder of `-o`: the files that appear together or not at all. */
#include "base/file.h"
#include "results/results.h"

#include <stdlib.h>

static void write_machine(const struct mnp_results *results, FILE *out)
{
    if (results->machine)
        mnp_settings_write(results->machine, out);
}

bool mnp_results_save(const struct mnp_results *results, const char *folder, struct mnp_error *error)
{
    static const struct {
        const char *name;
        void (*write)(const struct mnp_results *results, FILE *out);
    } files[] = {{"results.json", mnp_results_write_json},
                 {"stats.txt", mnp_results_write_text},
                 {"machine.resolved", write_machine},
                 {"samples.csv", mnp_results_write_samples}};
    enum { FILES = sizeof files / sizeof *files };

    struct mnp_output outputs[FILES] = {0};
    bool done = true;
    int count = results->samples ? FILES : FILES - 1;
    for (int i = 0; done && i < count; i++) {
        char *path = mnp_join_path(folder, files[i].name);
        done = mnp_output_open(&outputs[i], path, error);
        free(path);
        if (done) {
            files[i].write(results, outputs[i].stream);
            done = mnp_output_finish(&outputs[i], error);
        }
    }
    for (int i = 0; done && i < count; i++)
        done = mnp_output_commit(&outputs[i], error);
    for (int i = 0; i < count; i++)
        mnp_output_discard(&outputs[i]);
    return done;
}
