/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of a machine on a GPU. */
#ifndef MANYCORE_KERNEL_H
#define MANYCORE_KERNEL_H

#include "base/error.h"
#include "base/packed.h"

/* Text of kernel.cu as PTX, built by `make kernels`. Free it with mnp_unpacked_free. NULL with an error: it cannot be
 * unpacked. */
char *manycore_kernel_text(struct mnp_error *error);

#endif
