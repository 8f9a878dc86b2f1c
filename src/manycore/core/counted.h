/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads that stand in loops whose number of turns does not depend on what they bring. */
#ifndef MANYCORE_COUNTED_H
#define MANYCORE_COUNTED_H

#include "manycore/core/core.h"

/* Marks those of a stretch of code (A32_COUNTED): they are no polls. */
void manycore_mark_counted(struct manycore_code *code);

#endif
