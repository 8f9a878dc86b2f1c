/* SPDX-License-Identifier: BSD-3-Clause */
/* The groups of forms, one file each. */
#ifndef FRONTEND_SASS_FORMS_H
#define FRONTEND_SASS_FORMS_H

#include "frontend/sass/form.h"

/* Kinds of a word that a form has: where the flexible operand of arithmetic lies, see form.h. */
enum sass_kinds {
    SASS_KIND_1 = 1 << 1,
    SASS_KIND_2 = 1 << 2,
    SASS_KIND_3 = 1 << 3,
    SASS_KIND_4 = 1 << 4,
    SASS_KIND_5 = 1 << 5,
    SASS_KIND_6 = 1 << 6,
    SASS_KIND_7 = 1 << 7,
    SASS_SECOND = SASS_KIND_1 | SASS_KIND_4 | SASS_KIND_5 | SASS_KIND_6,
    SASS_THIRD = SASS_KIND_1 | SASS_KIND_2 | SASS_KIND_3 | SASS_KIND_7,
    SASS_BEHIND = SASS_KIND_2 | SASS_KIND_3 | SASS_KIND_7, /* the flexible operand is behind the register at bit 64 */
    SASS_EITHER = 0xfe,
};

/* A row for all architectures, and one for some. */
#define SASS_FORM(operation, kinds, when, name, modifiers, operands)                                                   \
    {                                                                                                                  \
        operation, kinds, 70, 120, when, name, modifiers, operands                                                     \
    }
#define SASS_FORM_OF(from, to, operation, kinds, when, name, modifiers, operands)                                      \
    {                                                                                                                  \
        operation, kinds, from, to, when, name, modifiers, operands                                                    \
    }

extern const struct sass_group sass_integer_group, sass_float_group, sass_memory_group, sass_flow_group,
    sass_uniform_group, sass_blackwell_group;

#endif
