/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzz target of the import of configurations. Any bytes are read without a crash; and what is accepted yields a
 * machine file that the reader of machine files takes, in which every key is one that a GPU has: if the machine is
 * refused, then for a value.
 */
#include "gpu/import/import.h"
#include "base/arena.h"
#include "gpu/system/kind.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The text of the machine file is read as one. */
static void check_text(const char *text)
{
    const struct mnp_machine_file files[] = {{"imported", text}, {NULL, NULL}};
    struct mnp_settings_source source = {.machine = "imported", .built_in = files};
    struct mnp_error error = {0};
    struct mnp_settings *settings = mnp_settings_load(&source, &error);
    MNP_REQUIRE(settings, "the machine file is refused: %s\n%s", error.text, text);
    bool built = gpu_kind.check(settings, &error);
    MNP_REQUIRE(built || error.text[0], "refused without an error");
    MNP_REQUIRE(built || !strstr(error.text, "unknown"), "a key that no GPU has: %s\n%s", error.text, text);
    mnp_settings_free(settings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gpu_import *import = mnp_allocate(1, sizeof *import);
    struct mnp_error error = {0};
    bool good = gpu_import_read(import, "folder/gpgpusim.config", (const char *)data, size, &error) &&
                gpu_import_map(import, &error);
    MNP_REQUIRE(good == !error.text[0], "an error is %s", good ? "left over" : "missing");
    if (good) {
        char *text = NULL;
        size_t length;
        FILE *out = open_memstream(&text, &length);
        gpu_import_write(import, out);
        fclose(out);
        check_text(text);
        free(text);
        out = open_memstream(&text, &length);
        gpu_import_summarise(import, out);
        fclose(out);
        free(text);
    }
    gpu_import_release(import);
    free(import);
    return 0;
}
