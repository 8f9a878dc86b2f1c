/* SPDX-License-Identifier: BSD-3-Clause */
/* PTX that the user's own ptxas assembles for the machine, as the driver's does on a GPU: --code ptxas. */
#ifndef CUDART_PTXAS_H
#define CUDART_PTXAS_H

#include "base/error.h"
#include "execute/code/module.h"

#include <stdbool.h>
#include <stdint.h>

/* Puts machine code into the place of a text of PTX, which is freed. What was made once is kept in the user's cache
 * folder, under a hash of the text, the architecture and the assembler. False: an error. */
bool cudart_assemble(const char *name, uint32_t architecture, struct execute_text *text, struct mnp_error *error);

#endif
