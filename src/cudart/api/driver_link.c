/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver API's linker. */
#include "cudart/api/driver.h"
#include "cudart/device/linker.h"

CUDART_API CUresult cuLinkCreate(unsigned count, CUjit_option *options, void **values, CUlinkState *state)
{
    struct cudart_log log = cudart_error_log(count, options, values);
    DRIVER_WORK(cudart_link_create(rt, log, state));
}

CUDART_API CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t bytes, const char *name,
                                  unsigned count, CUjit_option *options, void **values)
{
    (void)type, (void)count, (void)options, (void)values; /* data say themselves what they are */
    DRIVER_WORK(cudart_link_add(current, state, data, bytes, name));
}

CUDART_API CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path, unsigned count,
                                  CUjit_option *options, void **values)
{
    (void)type, (void)count, (void)options, (void)values;
    DRIVER_WORK(cudart_link_add_file(current, state, path));
}

CUDART_API CUresult cuLinkComplete(CUlinkState state, void **image, size_t *bytes)
{
    DRIVER_WORK(cudart_link_complete(rt, state, image, bytes));
}

CUDART_API CUresult cuLinkDestroy(CUlinkState state)
{
    DRIVER_WORK(cudart_link_destroy(rt, state));
}
