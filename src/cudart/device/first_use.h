/* SPDX-License-Identifier: BSD-3-Clause */
/* The device's beginning: at the first call that needs one. */
#ifndef CUDART_FIRST_USE_H
#define CUDART_FIRST_USE_H

#include "cudart/base/abi.h"

struct cudart_device;

/* Builds the device and loads what the program has registered, if that has not been done. */
enum cuda_error cudart_ensure_device(struct cudart_device *device);
/* The same for a question about the device. Where processes share devices with time, it does not begin to use it. */
enum cuda_error cudart_ask_device(struct cudart_device *device);
/* Reason why a question about no context cannot be answered: there is no device, or the process is the copy of one that
 * has used it. A fault of a kernel is none, though calls that do something in the context return it from then on. */
enum cuda_error cudart_unanswerable(const struct cudart_device *device);

#endif
