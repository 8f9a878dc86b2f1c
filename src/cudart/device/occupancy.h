/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels and the resources of a multiprocessor. */
#ifndef CUDART_OCCUPANCY_H
#define CUDART_OCCUPANCY_H

#include "cudart/base/abi.h"
#include "execute/code/code.h"

#include <stddef.h>
#include <stdint.h>

struct cudart_device;

enum { CUDART_SHARED_DEFAULT = 48 * 1024, CUDART_MAX_THREADS = 1024 };

uint64_t cudart_shared_optin(const struct cudart_device *device);
uint64_t cudart_shared_of(const struct execute_code *code, uint64_t dynamic);
/* Registers of each thread in CTAs of `threads`: those of the kernel's code, or, where they are an estimate with which
 * not one CTA would fit, as many as let it. An assembler could need no more for a program that runs on silicon. */
uint32_t cudart_registers_of(const struct cudart_device *device, const struct execute_code *code, uint64_t threads);
/* CTAs of `threads` that an SM holds at once, as the dispatcher of the timed model counts them. */
uint64_t cudart_ctas_per_sm(const struct cudart_device *device, const struct execute_code *code, uint64_t threads,
                            uint64_t dynamic);
uint64_t cudart_bound_of(const struct execute_code *code); /* threads of a CTA */

enum cuda_error cudart_function_attributes(struct cudart_device *device, struct cuda_func_attributes *out,
                                           const void *function);
enum cuda_error cudart_set_function_attribute(struct cudart_device *device, const void *function, int attribute,
                                              int value);
enum cuda_error cudart_occupancy(struct cudart_device *device, int *blocks, const void *function, int threads,
                                 size_t dynamic);
/* The dynamic shared memory that each of so many blocks on a multiprocessor can have. */
enum cuda_error cudart_dynamic_left(struct cudart_device *device, size_t *bytes, const void *function, int blocks,
                                    int block_size);

#endif
