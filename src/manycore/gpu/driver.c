/* SPDX-License-Identifier: BSD-3-Clause */
#include "manycore/gpu/driver.h"

#include <dlfcn.h>
#include <string.h>

bool manycore_driver_fail(const struct manycore_driver *driver, const char *what, CUresult problem,
                          struct mnp_error *error)
{
    const char *name = NULL;
    if (driver->cuGetErrorName)
        driver->cuGetErrorName(problem, &name);
    const char *remedy = problem == CUDA_ERROR_NO_DEVICE ? "; this computer has no GPU that the driver can use"
                         : problem == CUDA_ERROR_UNSUPPORTED_PTX_VERSION || problem == CUDA_ERROR_INVALID_PTX ||
                                 problem == CUDA_ERROR_NO_BINARY_FOR_GPU
                             ? "; the driver is too old, or the GPU older than compute capability 7.5"
                         : problem == CUDA_ERROR_OUT_OF_MEMORY ? "; choose fewer cores"
                                                               : "; use --executor window";
    return mnp_fail(error, "--executor cuda: %s: %s (%d)%s", what, name ? name : "error", (int)problem, remedy);
}

static bool find_calls(struct manycore_driver *driver, struct mnp_error *error)
{
    const char *missing = NULL;
#define MANYCORE_DRIVER_FIND(call, parameters)                                                                         \
    *(void **)&driver->call = dlsym(driver->library, #call);                                                           \
    missing = driver->call ? missing : #call;
    MANYCORE_DRIVER_CALLS(MANYCORE_DRIVER_FIND)
#undef MANYCORE_DRIVER_FIND
    *(void **)&driver->cuGetErrorName = dlsym(driver->library, "cuGetErrorName");
    return !missing ||
           mnp_fail(error, "--executor cuda: libcuda.so.1 has no %s: the NVIDIA driver is too old", missing);
}

bool manycore_driver_open(struct manycore_driver *driver, const char *ptx, struct mnp_error *error)
{
    memset(driver, 0, sizeof *driver);
    driver->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver->library)
        return mnp_fail(error, "--executor cuda: the NVIDIA driver is missing (libcuda.so.1 cannot be opened); use "
                               "--executor window, or run it on Maniple's own GPU: maniple run --machine h200 "
                               "--functional -- maniple run --executor cuda …");
    if (!find_calls(driver, error))
        return false;
    int count = 0;
    CUcontext context;
    CUresult problem = driver->cuInit(0);
    if (!problem)
        problem = driver->cuDeviceGetCount(&count);
    if (problem || count == 0)
        return manycore_driver_fail(driver, "looking for a GPU", problem ? problem : CUDA_ERROR_NO_DEVICE, error);
    if ((problem = driver->cuDeviceGet(&driver->device, 0)) ||
        (problem = driver->cuDevicePrimaryCtxRetain(&context, driver->device)) ||
        (problem = driver->cuCtxSetCurrent(context)))
        return manycore_driver_fail(driver, "opening the GPU", problem, error);
    driver->cuDeviceGetName(driver->name, sizeof driver->name, driver->device);
    problem = driver->cuModuleLoadData(&driver->module, ptx);
    return !problem || manycore_driver_fail(driver, "loading the kernels", problem, error);
}
