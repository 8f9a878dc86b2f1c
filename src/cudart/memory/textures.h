/* SPDX-License-Identifier: BSD-3-Clause */
/* Texture and surface objects. */
#ifndef CUDART_TEXTURES_H
#define CUDART_TEXTURES_H

#include "cudart/base/abi.h"

struct cudart_device;

/* `view` is to be NULL. */
enum cuda_error cudart_make_texture(struct cudart_device *device, uint64_t *out, const struct cuda_resource *resource,
                                    const struct cuda_texture *how, const void *view);
enum cuda_error cudart_make_surface(struct cudart_device *device, uint64_t *out, const struct cuda_resource *resource);
enum cuda_error cudart_remove_texture(struct cudart_device *device, uint64_t handle); /* 0 is well */

#endif
