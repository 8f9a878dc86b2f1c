/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder of `-o`: files that appear together or not at all. */
#include "base/file.h"
#include "results/results.h"

#include <stdlib.h>

static void write_machine(const struct mnp_results *results, FILE *out)
{
    if (results->machine)
        mnp_settings_write(results->machine, out);
}

static bool with_samples(const struct mnp_results *results)
{
    return results->samples != NULL;
}

static bool with_mesh(const struct mnp_results *results)
{
    return results->mesh_width != 0;
}

bool mnp_results_save(const struct mnp_results *results, const char *folder, struct mnp_error *error)
{
    static const struct {
        const char *name;
        void (*write)(const struct mnp_results *results, FILE *out);
        bool (*wanted)(const struct mnp_results *results); /* NULL: always */
    } files[] = {{"results.json", mnp_results_write_json, NULL},
                 {"stats.txt", mnp_results_write_text, NULL},
                 {"machine.resolved", write_machine, NULL},
                 {"samples.csv", mnp_results_write_samples, with_samples},
                 {"mesh.links.svg", mnp_results_write_link_map, with_mesh},
                 {"mesh.stalls.svg", mnp_results_write_stall_map, with_mesh}};
    enum { FILES = sizeof files / sizeof *files };

    struct mnp_output outputs[FILES] = {0};
    bool done = true;
    for (int i = 0; done && i < FILES; i++) {
        if (files[i].wanted && !files[i].wanted(results))
            continue;
        char *path = mnp_join_path(folder, files[i].name);
        done = mnp_output_open(&outputs[i], path, error);
        free(path);
        if (done) {
            files[i].write(results, outputs[i].stream);
            done = mnp_output_finish(&outputs[i], error);
        }
    }
    for (int i = 0; done && i < FILES; i++)
        done = !outputs[i].path || mnp_output_commit(&outputs[i], error);
    for (int i = 0; i < FILES; i++)
        mnp_output_discard(&outputs[i]);
    return done;
}
