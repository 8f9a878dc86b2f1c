/* SPDX-License-Identifier: BSD-3-Clause */
/* Launches that are stated piece by piece. */
#ifndef CUDART_LEGACY_LAUNCH_H
#define CUDART_LEGACY_LAUNCH_H

#include "cudart/base/abi.h"

struct cudart;
struct cudart_device;

struct cudart_prepared {
    const void *function;
    uint32_t block[3], shared; /* threads; bytes */
    unsigned char *arguments;  /* [bytes] */
    size_t bytes;
};

/* What has been stated of a function; NULL, with the problem: it is none. Valid until the next call. */
struct cudart_prepared *cudart_prepared(struct cudart_device *device, const void *function, enum cuda_error *problem);
enum cuda_error cudart_state_arguments(struct cudart_prepared *p, size_t bytes); /* of all of them */
enum cuda_error cudart_state_argument(struct cudart_prepared *p, int offset, const void *value, size_t bytes);
enum cuda_error cudart_launch_prepared(struct cudart_device *device, const struct cudart_prepared *p, const int grid[2],
                                       uint64_t stream);
void cudart_forget_prepared(struct cudart *rt);

#endif
