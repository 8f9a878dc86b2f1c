/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzz target of the machine-file reader. Any bytes are read without a crash; and whatever is accepted, written as the
 * resolved machine, is accepted again and gives the same parameters.
 */
#include "base/arena.h"
#include "base/error.h"
#include "engine/configure/configuration.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct parameters {
    uint64_t count, size, clock, flag, choice;
    struct mnp_list list;
    struct mnp_text text;
};

static const char *const choices[] = {"gto", "lrr", NULL};

#define ROW(KEY, TYPE, FIELD, FALLBACK)                                                                                \
    {                                                                                                                  \
        .key = KEY, .type = TYPE, .unit = "", .help = "", .fallback = FALLBACK, .choices = choices,                    \
        .offset = offsetof(struct parameters, FIELD)                                                                   \
    }
static const struct mnp_parameter table[] = {
    ROW("sm.count", MNP_UINT, count, "4"),
    ROW("sm.l1d.size", MNP_SIZE, size, "128KiB"),
    ROW("clock.core", MNP_HERTZ, clock, "1Hz"),
    ROW("flag", MNP_BOOL, flag, "true"),
    ROW("sm.scheduler", MNP_CHOICE, choice, "gto"),
    ROW("list", MNP_LIST, list, "[]"),
    ROW("text", MNP_TEXT, text, ""),
};
enum { ROWS = sizeof table / sizeof *table };

static struct mnp_settings *load(const char *text, struct parameters *parameters)
{
    const struct mnp_machine_file files[] = {{"input", text}, {NULL, NULL}};
    struct mnp_settings_source source = {.machine = "input", .built_in = files};
    struct mnp_error error = {0};
    memset(parameters, 0, sizeof *parameters);
    struct mnp_settings *settings = mnp_settings_load(&source, &error);
    if (settings && mnp_settings_fill(settings, table, ROWS, parameters, &error) &&
        mnp_settings_finish(settings, &error))
        return settings;
    MNP_REQUIRE(error.text[0], "refused without an error");
    mnp_settings_free(settings);
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = mnp_allocate(size + 1, 1);
    memcpy(text, data, size);
    struct parameters first, second;
    /* No file of the host's is to be read. */
    struct mnp_settings *settings = strstr(text, "extends") ? NULL : load(text, &first);
    if (settings) {
        char *written;
        size_t length;
        FILE *out = open_memstream(&written, &length);
        mnp_settings_write(settings, false, out);
        fclose(out);
        struct mnp_settings *again = load(written, &second);
        MNP_REQUIRE(again, "the resolved machine is refused:\n%s", written);
        MNP_REQUIRE(memcmp(&first, &second, sizeof first) == 0, "the resolved machine is another one:\n%s", written);
        mnp_settings_free(again);
        free(written);
    }
    mnp_settings_free(settings);
    free(text);
    return 0;
}
