/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver API's linker. */
#ifndef CUDART_LINKER_H
#define CUDART_LINKER_H

#include "base/error.h"
#include "cudart/base/abi.h"

#include <stddef.h>

struct cudart;
struct cudart_device;
struct CUlinkState_st;

/* Log that a caller requests of a translation, from the options of a module or a linker. */
struct cudart_log {
    char *text;
    size_t bytes;
    void **used; /* destination of the number of bytes written */
};
void cudart_write_log(const struct cudart_log *log, const struct mnp_error *error);

enum cuda_error cudart_link_create(struct cudart *rt, struct cudart_log log, struct CUlinkState_st **out);
enum cuda_error cudart_link_add(struct cudart_device *device, struct CUlinkState_st *state, const void *data,
                                size_t bytes, const char *name);
enum cuda_error cudart_link_add_file(struct cudart_device *device, struct CUlinkState_st *state, const char *path);
enum cuda_error cudart_link_complete(struct cudart *rt, struct CUlinkState_st *state, void **image, size_t *bytes);
enum cuda_error cudart_link_destroy(struct cudart *rt, struct CUlinkState_st *state);

#endif
