/* SPDX-License-Identifier: BSD-3-Clause */
#include "parts/cache/replacement.h"

const char *const mnp_replacement_names[] = {
#define MNP_REPLACEMENT(NAME, name, help) #name,
#include "parts/cache/policies/list.h"
#undef MNP_REPLACEMENT
    NULL};

const char mnp_replacement_help[] = "which line of a set goes"
#define MNP_REPLACEMENT(NAME, name, help) "; " #name ": " help
#include "parts/cache/policies/list.h"
#undef MNP_REPLACEMENT
    ;
