/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/parameters.h"

const char *const sm_class_names[MNP_CLASS_COUNT] = {"int",     "fp32",    "half",    "fp64",   "sfu",
                                                     "convert", "tensor",  "uniform", "branch", "sync",
                                                     "memory",  "special", "imad"};
