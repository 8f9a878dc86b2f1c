/* SPDX-License-Identifier: BSD-3-Clause */
/* Allocations as programs ask for them: their arguments are checked, and frees may wait for streams. */
#ifndef CUDART_ALLOCATION_H
#define CUDART_ALLOCATION_H

#include "cudart/base/abi.h"

#include <stdbool.h>
#include <stddef.h>

struct cudart_device;

enum cuda_error cudart_allocate(struct cudart_device *device, void **out, uint64_t bytes);
/* In the order of a stream; the next node of its capture, if there is one. */
enum cuda_error cudart_allocate_in(struct cudart_device *device, void **out, uint64_t bytes, uint64_t pool,
                                   uint64_t stream);
/* In rows that begin 512 bytes apart or a multiple; height and depth: of rows, and of slices. */
enum cuda_error cudart_allocate_pitch(struct cudart_device *device, void **out, size_t *pitch, size_t width,
                                      size_t height, size_t depth);
enum cuda_error cudart_release(struct cudart_device *device, uint64_t address); /* waits for all work; 0 is well */
enum cuda_error cudart_release_later(struct cudart_device *device, uint64_t address,
                                     uint64_t stream); /* in a stream's order */
enum cuda_error cudart_allocate_shared(struct cudart_device *device, uint64_t bytes, bool managed, unsigned flags,
                                       void **out);
enum cuda_error cudart_release_host(struct cudart_device *device, uint64_t address); /* pinned memory */
enum cuda_error cudart_memory_left(struct cudart_device *device, size_t *available, size_t *total);

#endif
