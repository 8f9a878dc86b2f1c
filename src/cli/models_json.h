/* SPDX-License-Identifier: BSD-3-Clause */
/* Models as JSON: the tables of each, for programs that make machine files or read results. */
#ifndef MNP_CLI_MODELS_JSON_H
#define MNP_CLI_MODELS_JSON_H

#include "engine/declare/model.h"
#include "results/encoding/json.h"

/* Writes an element of an array. `joined`: parts of plug-ins that keys may choose. */
void cli_model_json(struct mnp_json *json, const struct mnp_model *model, const struct mnp_joined *joined);

#endif
