/* SPDX-License-Identifier: BSD-3-Clause */
/* The shape of a model, as `maniple profile` takes it: a name that it knows, or a config.json of Hugging Face. */
#ifndef MNP_CLI_PROFILE_MODEL_H
#define MNP_CLI_PROFILE_MODEL_H

#include "base/error.h"

#include <stdint.h>

enum { PROFILE_MODEL_NAME = 128 };

struct profile_model {
    char name[PROFILE_MODEL_NAME]; /* name that tools use: "meta-llama/Llama-2-7b-hf" */
    uint32_t layers, hidden, heads, kv_heads, dimension, intermediate, vocabulary;
    uint32_t vidur_vocabulary; /* the number that Vidur looks for */
};

/* Reads a model, and checks that there are kernels for it. False: an error. */
bool cli_profile_model_read(struct profile_model *model, const char *text, struct mnp_error *error);

/* Whether the model can be cut for so many GPUs. */
bool cli_profile_model_cut(const struct profile_model *model, uint32_t gpus, struct mnp_error *error);

#endif
