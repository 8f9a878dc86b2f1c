/* SPDX-License-Identifier: BSD-3-Clause */
/* Launches that are stated piece by piece, as before CUDA 4 (cuFuncSetBlockShape, cuParamSetv, cuLaunchGrid). */
#ifndef CUDART_LEGACY_LAUNCH_H
#define CUDART_LEGACY_LAUNCH_H

#include "cudart/base/abi.h"

struct cudart;
struct cudart_device;

struct cudart_legacy_launch {
    const void *function;
    uint32_t block[3], shared; /* threads; bytes */
    unsigned char *arguments;  /* [bytes] */
    size_t bytes;
};

/* The launch state of a function; NULL, with the problem: the address is not a function. Valid until the next call. */
struct cudart_legacy_launch *cudart_legacy_launch_of(struct cudart_device *device, const void *function,
                                                     enum cuda_error *problem);
enum cuda_error cudart_state_arguments(struct cudart_legacy_launch *p, size_t bytes); /* size of all arguments */
enum cuda_error cudart_state_argument(struct cudart_legacy_launch *p, int offset, const void *value, size_t bytes);
enum cuda_error cudart_launch_legacy(struct cudart_device *device, const struct cudart_legacy_launch *p,
                                     const int grid[2], uint64_t stream);
void cudart_forget_legacy_launches(struct cudart *rt);

#endif
