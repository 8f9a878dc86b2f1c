/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments of kernels, a pointer to each or one block of bytes. */
#ifndef CUDART_KERNEL_ARGUMENTS_H
#define CUDART_KERNEL_ARGUMENTS_H

#include "cudart/base/abi.h"

struct cudart_device;

enum { CUDART_EXTRA_END, CUDART_EXTRA_BUFFER, CUDART_EXTRA_SIZE }; /* CU_LAUNCH_PARAM_…: keys in `extra` */

/* Arguments as launches take them, a pointer to each: those that are there already, or the places of the block that
 * `extra` names (CU_LAUNCH_PARAM_BUFFER_POINTER and _SIZE); it is an error to state both, or none for a kernel that has
 * parameters. `*made` is to be freed, whatever comes of it. */
enum cuda_error cudart_arguments(struct cudart_device *device, const void *function, void *const *extra,
                                 void ***arguments, void ***made);

#endif
