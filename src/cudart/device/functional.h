/* SPDX-License-Identifier: BSD-3-Clause */
/* The device that CUDA programs are executed on, as the machine has it; also that of a process that follows one. */
#ifndef CUDART_FUNCTIONAL_H
#define CUDART_FUNCTIONAL_H

#include "execute/device/device.h"
#include "gpu/device/parameters.h"

/* `out`: what kernels print goes there; NULL: nowhere. */
void cudart_functional_init(struct execute_device *device, const struct gpu_parameters *parameters, FILE *out);

/* The memory of `count` devices, and one of them, in it. */
void cudart_functional_memory(struct mnp_memory *memory, const struct gpu_parameters *parameters, uint32_t count);
void cudart_functional_init_in(struct execute_device *device, const struct gpu_parameters *parameters,
                               struct mnp_memory *memory, uint32_t number, FILE *out);

#endif
