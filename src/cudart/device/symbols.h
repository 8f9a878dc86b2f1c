/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels, variables and modules as programs name them: the device is built first. */
#ifndef CUDART_SYMBOLS_H
#define CUDART_SYMBOLS_H

#include "cudart/device/modules.h"

/* The kernel that a function of the host, or a handle, stands for; decoded. */
enum cuda_error cudart_kernel_of(struct cudart_device *device, const void *function, struct cudart_kernel **kernel);
/* The same, without its operations where they have not been needed yet; `*code` is its own or an outline. */
enum cuda_error cudart_outline_of(struct cudart_device *device, const void *function, struct cudart_kernel **kernel,
                                  const struct execute_code **code);
enum cuda_error cudart_symbol(struct cudart_device *device, const void *symbol, uint64_t *address, uint64_t *bytes);
/* A module from an image in memory: a text of a language (languages.h), or a fat binary that holds one. The
 * error is in `error` too, for logs. */
enum cuda_error cudart_load_image(struct cudart_device *device, const char *name, const void *image, size_t bytes,
                                  struct cudart_module **module, struct mnp_error *error);
enum cuda_error cudart_read_image(struct cudart_device *device, const char *name, const void *image, size_t bytes,
                                  struct mnp_array *texts, struct mnp_error *error);
/* The handle of one of a module's kernels, decoded. */
enum cuda_error cudart_kernel_named(struct cudart_device *device, struct cudart_module *module, const char *name,
                                    struct cudart_kernel **kernel);

#endif
