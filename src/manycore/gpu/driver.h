/* SPDX-License-Identifier: BSD-3-Clause */
/* The CUDA driver, opened by name at run time, as far as a machine on a GPU needs it. */
#ifndef MANYCORE_DRIVER_H
#define MANYCORE_DRIVER_H

#include "base/error.h"
#include "maniple/driver.h"

#define MANYCORE_DRIVER_CALLS(CALL)                                                                                    \
    CALL(cuInit, (unsigned flags))                                                                                     \
    CALL(cuDeviceGetCount, (int *count))                                                                               \
    CALL(cuDeviceGet, (CUdevice * device, int ordinal))                                                                \
    CALL(cuDeviceGetName, (char *name, int length, CUdevice device))                                                   \
    CALL(cuDeviceGetAttribute, (int *value, CUdevice_attribute attribute, CUdevice device))                            \
    CALL(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))                                             \
    CALL(cuCtxSetCurrent, (CUcontext context))                                                                         \
    CALL(cuCtxSynchronize, (void))                                                                                     \
    CALL(cuModuleLoadData, (CUmodule * module, const void *image))                                                     \
    CALL(cuModuleGetFunction, (CUfunction * function, CUmodule module, const char *name))                              \
    CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *blocks, CUfunction function, int threads, size_t shared))  \
    CALL(cuMemGetInfo_v2, (size_t * available, size_t * total))                                                        \
    CALL(cuMemAlloc_v2, (CUdeviceptr * address, size_t bytes))                                                         \
    CALL(cuMemFree_v2, (CUdeviceptr address))                                                                          \
    CALL(cuMemcpyHtoD_v2, (CUdeviceptr to, const void *from, size_t bytes))                                            \
    CALL(cuMemcpyDtoH_v2, (void *to, CUdeviceptr from, size_t bytes))                                                  \
    CALL(cuLaunchCooperativeKernel,                                                                                    \
         (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,  \
          unsigned block_z, unsigned shared, CUstream stream, void **parameters))

struct manycore_driver {
#define MANYCORE_DRIVER_POINTER(name, parameters) CUresult(*name) parameters;
    MANYCORE_DRIVER_CALLS(MANYCORE_DRIVER_POINTER)
#undef MANYCORE_DRIVER_POINTER
    CUresult (*cuGetErrorName)(CUresult problem, const char **name);
    void *library;
    CUdevice device;
    CUmodule module;
    char name[64]; /* name of the device */
};

/* Opens the driver and its first device, and loads a module of PTX. False: something of that is missing. */
bool manycore_driver_open(struct manycore_driver *driver, const char *ptx, struct mnp_error *error);

/* An error that names what was done and the driver's answer. */
bool manycore_driver_fail(const struct manycore_driver *driver, const char *what, CUresult problem,
                          struct mnp_error *error);

#endif
