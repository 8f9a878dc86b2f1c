/* SPDX-License-Identifier: BSD-3-Clause */
/* The objects behind include/maniple/maniple.h. */
#ifndef LIBRARY_LIBRARY_H
#define LIBRARY_LIBRARY_H

#include "base/error.h"
#include "cli/load_machine.h"
#include "contract/session.h"
#include "maniple/maniple.h"

struct maniple_machine {
    char *name;
    char **keys; /* [key_count] */
    size_t key_count;
    struct mnp_settings *settings; /* with all keys resolved */
    const struct mnp_machine_kind *kind;
};

struct maniple_run {
    struct mnp_settings *settings;
    struct mnp_results results;
    char *input;
};

/* Reads the machine anew: a run resolves the settings that it gets. */
struct mnp_settings *library_settings(const struct maniple_machine *machine, const struct mnp_machine_kind **kind,
                                      struct mnp_error *error);

/* Hands an error on, as far as there is room. */
void library_tell(struct maniple_error *to, const struct mnp_error *error);

#endif
