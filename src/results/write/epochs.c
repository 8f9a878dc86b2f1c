/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/write/epochs.h"

#include "base/print.h"

#include <inttypes.h>
#include <stdlib.h>

bool results_epochs_open(struct epochs *epochs, FILE *lines, const char *folder, struct mnp_error *error)
{
    *epochs = (struct epochs){.lines = lines};
    if (!folder)
        return true;
    char *path = mnp_join_path(folder, EPOCHS_FILE);
    bool open = mnp_output_open(&epochs->table, path, error);
    free(path);
    return open;
}

static void write_head(FILE *out, const struct mnp_engine *engine)
{
    fputs("femtoseconds,memory", out);
    for (uint32_t i = 0; i < engine->unit_count; i++)
        mnp_print_text(out, ",%s", engine->units[i]->name);
    fputc('\n', out);
}

void results_epochs_write(struct epochs *epochs, const struct mnp_epoch_hashes *hashes)
{
    if (epochs->lines)
        fprintf(epochs->lines, "epoch %" PRIu64 " fs %016" PRIx64 "\n", hashes->end, hashes->hash);
    FILE *out = epochs->table.stream;
    if (!out)
        return;
    if (!epochs->headed)
        write_head(out, hashes->engine);
    epochs->headed = true;
    mnp_print_text(out, "%" PRIu64 ",%016" PRIx64, hashes->end, hashes->memory);
    for (uint32_t i = 0; i < hashes->engine->unit_count; i++)
        mnp_print_text(out, ",%016" PRIx64, hashes->units[i]);
    fputc('\n', out);
}

bool results_epochs_finish(struct epochs *epochs, struct mnp_error *error)
{
    return !epochs->table.stream || mnp_output_finish(&epochs->table, error);
}
