/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of all groups of forms. */
#include "frontend/sass/forms.h"

const struct sass_group *const sass_groups[] = {
    &sass_blackwell_group,
    &sass_integer_group,
    &sass_float_group,
    &sass_memory_group,
    &sass_flow_group,
    &sass_uniform_group,
    NULL,
};
