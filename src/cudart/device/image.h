/* SPDX-License-Identifier: BSD-3-Clause */
/* The code in what a program registers or loads: plain text, fat binaries, and what the linker makes. */
#ifndef CUDART_IMAGE_H
#define CUDART_IMAGE_H

#include "base/array.h"
#include "base/error.h"
#include "cudart/base/abi.h"
#include "frontend/cuda/fatbin.h"

struct cudart_device;

/* The code in an image, added to texts (struct execute_text) that cudart_free_texts frees. Several modules may stand in
 * one image of plain text, with a mark between them: what cuLinkComplete makes. `bytes`: of the image; 0: not known,
 * and the image itself tells. */
#define CUDART_LINK_MARK "\n//@ maniple: the next module to be linked\n"
enum cuda_error cudart_image_texts(struct cudart_device *device, const char *name, const unsigned char *image,
                                   size_t bytes, struct mnp_array *texts, struct mnp_error *error);
/* The same of what a program registers. */
enum cuda_error cudart_wrapper_texts(struct cudart_device *device, const struct cuda_wrapper *wrapper,
                                     struct mnp_array *texts, struct mnp_error *error);
void cudart_free_texts(struct mnp_array *texts);

#endif
