/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder of `-o`: files that appear together or not at all. */
#include "base/file.h"
#include "results/charts/heat_map.h"
#include "results/database/database.h"
#include "results/files/folder.h"
#include "results/scaling/costs.h"
#include "results/write/epochs.h"
#include "results/write/results.h"

#include <stdlib.h>

static void write_machine(const struct mnp_results *results, FILE *out)
{
    if (results->machine)
        mnp_settings_write(results->machine, results->one, out);
}

static bool with_samples(const struct mnp_results *results)
{
    return results->samples != NULL;
}

/* A file of the folder. */
struct result_file {
    const char *name;
    void (*write)(const struct mnp_results *results, FILE *out);
    bool (*wanted)(const struct mnp_results *results); /* NULL: always */
};

static const struct result_file files[] = {{"results.json", results_write_json, NULL},
                                           {"stats.txt", results_write_text, NULL},
                                           {"machine.resolved", write_machine, NULL},
                                           {"samples.csv", results_write_samples, with_samples}};
enum { FILES = sizeof files / sizeof *files, MOST_MAPS = 4, MOST_FILES = FILES + MOST_MAPS + 1, MOST_ALSO = 4 };

/* Writes file number `place`: those of the table, and behind them the maps. */
static bool write_file(const struct mnp_results *results, uint32_t place, const char *folder, struct mnp_output *output,
                       struct mnp_error *error)
{
    const struct mnp_map *map = place < FILES ? NULL : &results->form->maps[place - FILES];
    if (!map && files[place].wanted && !files[place].wanted(results))
        return true;
    char *path = mnp_join_path(folder, map ? map->file : files[place].name);
    bool open = mnp_output_open(output, path, error);
    free(path);
    if (open && map)
        results_write_map(results, map, output->stream);
    else if (open)
        files[place].write(results, output->stream);
    return open && mnp_output_finish(output, error);
}

static bool write_database(const struct mnp_results *results, const char *folder, struct mnp_output *output,
                           struct mnp_error *error)
{
    char *path = mnp_join_path(folder, RESULTS_DATABASE_FILE);
    bool open = mnp_output_open(output, path, error);
    free(path);
    return open && results_write_database(results, output->stream, error) && mnp_output_finish(output, error);
}

/* The folders of the devices. */
static bool save_devices(const struct mnp_results *results, const char *folder, struct mnp_error *error)
{
    bool done = true;
    for (uint32_t i = 0; done && i < results->device_count; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s%u", results->form->device, i);
        char *inside = mnp_join_path(folder, name);
        done = mnp_make_folder(inside, error) && results_save(results->devices[i], inside, NULL, 0, error);
        free(inside);
    }
    return done;
}

bool results_save(const struct mnp_results *results, const char *folder, struct mnp_output *const *also,
                  uint32_t also_count, struct mnp_error *error)
{
    static const char *const replaced[] = {"samples.csv", EPOCHS_FILE, MNP_COSTS_FILE, RESULTS_DATABASE_FILE, NULL};
    uint32_t maps = results->map_width ? results->form->map_count : 0, count = 0;
    struct mnp_output outputs[MOST_FILES] = {0}, *all[MOST_FILES + MOST_ALSO];
    bool done = save_devices(results, folder, error);
    MNP_REQUIRE(maps <= MOST_MAPS && also_count <= MOST_ALSO, "a kind of machine with more than %d maps", MOST_MAPS);
    for (uint32_t i = 0; done && i < FILES + maps; i++)
        done = write_file(results, i, folder, &outputs[i], error);
    if (!results->device_count)
        done = done && write_database(results, folder, &outputs[MOST_FILES - 1], error);
    while (count < MOST_FILES) {
        all[count] = &outputs[count];
        count++;
    }
    for (uint32_t i = 0; i < also_count; i++)
        all[count++] = also[i];
    done = done && results_folder_commit(folder, all, count, replaced, error);
    for (uint32_t i = 0; i < MOST_FILES; i++)
        mnp_output_discard(&outputs[i]);
    return done;
}
