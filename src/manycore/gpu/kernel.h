/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of a machine on a GPU. */
#ifndef MANYCORE_KERNEL_H
#define MANYCORE_KERNEL_H

/* As PTX: kernel.ptx, which kernel.sh makes from kernel.cu. */
extern const char manycore_kernel_text[];

#endif
