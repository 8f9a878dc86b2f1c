/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of a machine on a GPU. */
#ifndef MANYCORE_KERNEL_H
#define MANYCORE_KERNEL_H

#include "base/error.h"
#include "base/packed.h"

/* As PTX, which `make kernels` makes of kernel.cu; free it with mnp_unpacked_free. NULL with an error: it cannot be
 * unpacked. */
char *manycore_kernel_text(struct mnp_error *error);

#endif
