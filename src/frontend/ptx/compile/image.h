/* SPDX-License-Identifier: BSD-3-Clause */
/* Global and constant variables of a module: their addresses and initial contents. */
#ifndef FRONTEND_PTX_COMPILE_IMAGE_H
#define FRONTEND_PTX_COMPILE_IMAGE_H

#include "frontend/ptx/text/module.h"

/* Location of a module's .global and .const variables. */
struct ptx_image {
    uint64_t base;
    uint64_t bytes;
    uint64_t const_base; /* addresses of the .const space are offsets from here, as they are on silicon; none is 0 */
    uint64_t *addresses; /* [module variables]; 0: none */
};

/* Gives the variables places from `base` on; free image->addresses. */
bool ptx_image_place(const struct ptx_module *module, uint64_t base, struct ptx_image *image, struct mnp_error *error);
/* Writes the initial contents of all variables that are not zero. False: `write` said so. */
typedef bool ptx_image_writer(void *context, uint64_t address, const void *data, uint64_t bytes);
bool ptx_image_write(const struct ptx_module *module, const struct ptx_image *image, ptx_image_writer *write,
                     void *context);

#endif
