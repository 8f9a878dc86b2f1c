/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits and flags of the device that a program may set and ask for, and that change nothing. */
#ifndef CUDART_LIMITS_H
#define CUDART_LIMITS_H

#include "cudart/base/abi.h"

struct cudart_device;

enum cuda_error cudart_limit(struct cudart_device *device, unsigned limit, uint64_t *to, const uint64_t *from);
void cudart_set_flags(struct cudart_device *device, unsigned flags);

#endif
