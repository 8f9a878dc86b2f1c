/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of the driver that code calls and that are machine code here. */
#ifndef FRONTEND_SASS_SYSTEM_H
#define FRONTEND_SASS_SYSTEM_H

#include "frontend/sass/cubin.h"

/* Adds those that the cubin names and does not define to its functions, behind those of its sections. */
void sass_add_system_functions(struct sass_cubin *cubin);

#endif
