/* SPDX-License-Identifier: BSD-3-Clause */
/* A new beginning: the device as it was at first. What the program has registered stays, to be loaded again. */
#ifndef CUDART_DEVICE_RESET_H
#define CUDART_DEVICE_RESET_H

#include "cudart/base/abi.h"

struct cudart_device;

/* cudaDeviceReset: all but what the program has registered is as at first. */
void cudart_restart(struct cudart_device *device);
enum cuda_error cudart_reset(struct cudart_device *device); /* when all work has ended */
/* A context has gone: without the last one, or one that has failed, all that was made in them goes. */
void cudart_forget_contexts(struct cudart_device *device);

#endif
