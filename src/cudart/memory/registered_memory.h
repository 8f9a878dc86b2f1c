/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of the program's own that it registers as pinned. */
#ifndef CUDART_REGISTERED_MEMORY_H
#define CUDART_REGISTERED_MEMORY_H

#include "cudart/base/abi.h"

struct cudart;
struct cudart_device;

enum cuda_error cudart_register(struct cudart_device *device, uint64_t address, uint64_t bytes, unsigned flags);
enum cuda_error cudart_unregister(struct cudart *rt, uint64_t address);
enum cuda_error cudart_host_flags(const struct cudart_device *device, unsigned *flags, uint64_t address);
enum cuda_error cudart_device_pointer(struct cudart_device *device, void **out, void *host, unsigned flags);
void cudart_forget_registered(struct cudart *rt);

#endif
