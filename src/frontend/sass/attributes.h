/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes of kernels in .nv.info and .nv.info.KERNEL of a cubin. */
#ifndef FRONTEND_SASS_ATTRIBUTES_H
#define FRONTEND_SASS_ATTRIBUTES_H

#include "frontend/sass/cubin.h"

/* Reads the attributes of a section into `kernel` or, if that is NULL, into the kernels whose symbols they name. */
bool sass_read_attributes(struct sass_cubin *cubin, const struct sass_section *section, struct sass_kernel *kernel,
                          struct mnp_error *error);

#endif
