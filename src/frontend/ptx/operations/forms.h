/* SPDX-License-Identifier: BSD-3-Clause */
/* Which instruction is done by which function over lanes: the form's text as PTX writes it, without optional words. */
#ifndef FRONTEND_PTX_OPERATIONS_FORMS_H
#define FRONTEND_PTX_OPERATIONS_FORMS_H

#include "execute/code/types.h"
#include "execute/lanes/lanes.h"

struct ptx_form {
    const char *text;
    uint16_t lane; /* enum execute_lane */
};

struct ptx_signature { /* EXECUTE_NO_TYPE: no such source */
    uint8_t result, source[3];
};

extern const struct ptx_form ptx_forms[];
extern const uint32_t ptx_form_count;
extern const struct ptx_signature ptx_signatures[EXECUTE_LANE_COUNT];

/* The form of that text, or NULL. */
const struct ptx_form *ptx_form_of(const char *text);

#endif
