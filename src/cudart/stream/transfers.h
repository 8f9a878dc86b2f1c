/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies and fills that end, and their work on memory. */
#ifndef CUDART_TRANSFERS_H
#define CUDART_TRANSFERS_H

#include "cudart/stream/streams.h"

/* Performs a copy or a fill on memory. An error: there is no memory for it, or none at its addresses. */
enum cuda_error cudart_copy_now(const struct cudart_operation *operation);
/* Rows of memory that the host reads or writes itself, which is not the device's alone: whether it can. */
bool cudart_host_reaches(const struct cudart_device *device, uint64_t address, uint64_t pitch, uint64_t width,
                         uint64_t height, bool writes);

#endif
