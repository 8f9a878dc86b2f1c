/* SPDX-License-Identifier: BSD-3-Clause */
/* cudaDeviceReset, and the end of the last context: the device as it was at first, but for registered code. */
#ifndef CUDART_DEVICE_RESET_H
#define CUDART_DEVICE_RESET_H

#include "cudart/base/abi.h"

struct cudart_device;

/* cudaDeviceReset: waits for all work, then drops everything but the code that the program has registered. */
enum cuda_error cudart_reset_device(struct cudart_device *device);
/* After a context of the device has been destroyed: resets the device if that was the last one or if it had failed. */
void cudart_forget_contexts(struct cudart_device *device);

#endif
