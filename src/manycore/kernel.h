/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MANYCORE_KERNEL_H
#define MANYCORE_KERNEL_H

/* The kernels of a machine on a GPU as PTX: kernel.ptx, which kernel.sh makes from kernel.cu. */
extern const char manycore_kernel_text[];

#endif
