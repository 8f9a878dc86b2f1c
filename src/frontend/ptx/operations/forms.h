/* SPDX-License-Identifier: BSD-3-Clause */
/* Mapping between PTX instructions and functions over lanes. A form is the instruction's text without optional
 * words. */
#ifndef FRONTEND_PTX_OPERATIONS_FORMS_H
#define FRONTEND_PTX_OPERATIONS_FORMS_H

#include "execute/code/types.h"
#include "execute/lanes/words.h"

enum { PTX_NO_FORM = EXECUTE_LANE_COUNT };

struct ptx_signature { /* EXECUTE_NO_TYPE: no such source */
    uint8_t result, source[3];
};

extern const struct ptx_signature ptx_signatures[EXECUTE_LANE_COUNT];

/* The form's text of a function, with `_` for each dot; NULL: the function does not correspond to a single form. */
const char *ptx_form_name(uint32_t lane);

/* The function of the form with that text, enum execute_lane, or PTX_NO_FORM. */
uint32_t ptx_form_of(const char *text);

#endif
