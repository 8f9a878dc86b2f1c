/* SPDX-License-Identifier: BSD-3-Clause */
/* The one list of all models, by the kind of machine that is built of them. */
#ifndef MNP_CLI_MODEL_LIST_H
#define MNP_CLI_MODEL_LIST_H

#include "engine/configure/configuration.h"
#include "engine/declare/model.h"

struct machine_kind {
    const char *name;                      /* what a machine file says in machine.kind */
    const struct mnp_model *const *models; /* NULL-terminated */
    bool (*check)(struct mnp_settings *settings, struct mnp_error *error);
};

extern const struct machine_kind machine_kinds[]; /* the last one's name is NULL */

/* The kind of a name, or NULL. */
const struct machine_kind *machine_kind_find(const char *name);

/* Resolves all parameters of a machine's models without building it: every mistake in its file shows. */
bool machine_check(struct mnp_settings *settings, struct mnp_error *error);

#endif
