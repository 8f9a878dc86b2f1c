/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that wait for streams, events and the device, or ask whether they have ended. */
#ifndef CUDART_SYNCHRONIZE_H
#define CUDART_SYNCHRONIZE_H

#include "cudart/base/abi.h"

struct cudart;
struct cudart_device;

enum cuda_error cudart_wait_stream(struct cudart *rt, uint64_t stream);
/* For all work of a device, or of all devices (NULL). */
void cudart_wait_all(struct cudart *rt, const struct cudart_device *device);
enum cuda_error cudart_synchronize_stream(struct cudart *rt, uint64_t stream); /* cudaStreamSynchronize */
enum cuda_error cudart_synchronize(struct cudart_device *device);              /* cudaDeviceSynchronize */
enum cuda_error cudart_synchronize_event(struct cudart *rt, uint64_t event);
/* CUDA_NOT_READY: the device has not come so far at the host's time, to which a query lets it go on. */
enum cuda_error cudart_query_stream(struct cudart *rt, uint64_t stream);
enum cuda_error cudart_query_event(struct cudart *rt, uint64_t event);
/* Between two events; both must have been recorded with time, and have happened. */
enum cuda_error cudart_elapsed(struct cudart *rt, float *milliseconds, uint64_t begin, uint64_t end);

#endif
