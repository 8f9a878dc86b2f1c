/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a run in which a function of a part breaks its contract. */
#ifndef MNP_ENGINE_CONFIGURE_PART_ERROR_H
#define MNP_ENGINE_CONFIGURE_PART_ERROR_H

#include "engine/declare/part.h"

/* Says which part of which plug-in has done what, and ends the program with the status of the user's errors: units
 * have no way to pass an error up. The text says what is wrong and what is allowed. */
_Noreturn void mnp_part_fail(const struct mnp_part *part, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
