/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Libraries and kernels, in both APIs: with one device, a library is a module, and a kernel is a function of it. The
 * runtime's functions are the driver's under other names.
 */
#include "cudart/api/driver.h"
#include "cudart/base/driver_contexts.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/device/modules.h"
#include "cudart/process/api_call.h"

/* ===== the driver's ===== */

CUDART_API CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jit_options,
                                      void **jit_values, unsigned jit_count, CUlibraryOption *options, void **values,
                                      unsigned count)
{
    (void)options, (void)values, (void)count; /* hints about memory and unified tables */
    return cuModuleLoadDataEx((CUmodule *)library, code, jit_count, jit_options, jit_values);
}

CUDART_API CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *jit_options,
                                          void **jit_values, unsigned jit_count, CUlibraryOption *options,
                                          void **values, unsigned count)
{
    (void)jit_options, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
    return cuModuleLoad((CUmodule *)library, path);
}

CUDART_API CUresult cuLibraryUnload(CUlibrary library)
{
    return cuModuleUnload((CUmodule)library);
}

CUDART_API CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name)
{
    return cuModuleGetFunction((CUfunction *)kernel, (CUmodule)library, name);
}

CUDART_API CUresult cuLibraryGetKernelCount(unsigned *count, CUlibrary library)
{
    return cuModuleGetFunctionCount(count, (CUmodule)library);
}

CUDART_API CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned count, CUlibrary library)
{
    return cuModuleEnumerateFunctions((CUfunction *)kernels, count, (CUmodule)library);
}

CUDART_API CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library)
{
    DRIVER_WORK(!module                                  ? CUDA_INVALID_VALUE
                : !cudart_module_known(current, library) ? CUDA_INVALID_RESOURCE_HANDLE
                                                         : (*module = (CUmodule)library, CUDA_SUCCESS));
}

CUDART_API CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name)
{
    return cuModuleGetGlobal(address, bytes, (CUmodule)library, name);
}

CUDART_API CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel)
{
    CUmodule module;
    CUresult problem = cuFuncGetModule(&module, (CUfunction)kernel);
    if (!problem && !function)
        problem = CUDA_ERROR_INVALID_VALUE;
    if (!problem)
        *function = (CUfunction)kernel;
    return problem;
}

CUDART_API CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel)
{
    return cuFuncGetModule((CUmodule *)library, (CUfunction)kernel);
}

CUDART_API CUresult cuKernelGetName(const char **name, CUkernel kernel)
{
    return cuFuncGetName(name, (CUfunction)kernel);
}

CUDART_API CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *bytes)
{
    return cuFuncGetParamInfo((CUfunction)kernel, index, offset, bytes);
}

CUDART_API CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device)
{
    return cudart_is_ordinal(device) ? cuFuncGetAttribute(value, attribute, (CUfunction)kernel)
                                     : CUDA_ERROR_INVALID_DEVICE;
}

CUDART_API CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device)
{
    return cudart_is_ordinal(device) ? cuFuncSetAttribute((CUfunction)kernel, attribute, value)
                                     : CUDA_ERROR_INVALID_DEVICE;
}

CUDART_API CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache configuration, CUdevice device)
{
    return cudart_is_ordinal(device) ? cuFuncSetCacheConfig((CUfunction)kernel, configuration)
                                     : CUDA_ERROR_INVALID_DEVICE;
}

/* ===== the runtime's ===== */

/* A call of the runtime's uses the primary context, which the driver then finds. */
static void use_runtime(void)
{
    struct cudart *rt = cudart_look();
    cudart_use_runtime(rt);
    cudart_leave_quietly(rt, CUDA_SUCCESS);
}

static int remember(CUresult error)
{
    if (error)
        cudart_thread()->last_error = (enum cuda_error)error;
    return (int)error;
}

#define RUNTIME(call) return use_runtime(), remember(call)

CUDART_API int cudaLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jit_options, void **jit_values,
                                   unsigned jit_count, CUlibraryOption *options, void **values, unsigned count)
{
    RUNTIME(cuLibraryLoadData(library, code, jit_options, jit_values, jit_count, options, values, count));
}

CUDART_API int cudaLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *jit_options,
                                       void **jit_values, unsigned jit_count, CUlibraryOption *options, void **values,
                                       unsigned count)
{
    RUNTIME(cuLibraryLoadFromFile(library, path, jit_options, jit_values, jit_count, options, values, count));
}

CUDART_API int cudaLibraryUnload(CUlibrary library)
{
    RUNTIME(cuLibraryUnload(library));
}

CUDART_API int cudaLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name)
{
    RUNTIME(cuLibraryGetKernel(kernel, library, name));
}

CUDART_API int cudaLibraryGetKernelCount(unsigned *count, CUlibrary library)
{
    RUNTIME(cuLibraryGetKernelCount(count, library));
}

CUDART_API int cudaLibraryEnumerateKernels(CUkernel *kernels, unsigned count, CUlibrary library)
{
    RUNTIME(cuLibraryEnumerateKernels(kernels, count, library));
}

CUDART_API int cudaLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name)
{
    RUNTIME(cuLibraryGetGlobal(address, bytes, library, name));
}

CUDART_API int cudaKernelSetAttributeForDevice(CUkernel kernel, int attribute, int value, int device)
{
    RUNTIME(cuKernelSetAttribute((CUfunction_attribute)attribute, value, kernel, device));
}

CUDART_API int cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *bytes)
{
    RUNTIME(cuFuncGetParamInfo((CUfunction)(uintptr_t)function, index, offset, bytes));
}

/* Functions of the driver for programs of the runtime. `flags`: 2, those with a default stream for each thread. */
static int entry_point(const char *name, void **function, unsigned version, unsigned long long flags, int *result)
{
    if (!name || !function || flags > CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)
        return remember(CUDA_ERROR_INVALID_VALUE);
    *function = cudart_driver_symbol(name, (int)version, flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
    if (result)
        *result = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return CUDA_SUCCESS;
}

CUDART_API int cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                                unsigned long long flags, int *result)
{
    use_runtime();
    return entry_point(name, function, version, flags, result);
}

CUDART_API int cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags, int *result)
{
    struct cudart *rt = cudart_look();
    unsigned version = (unsigned)cudart_version(rt);
    cudart_leave_quietly(rt, CUDA_SUCCESS);
    return cudaGetDriverEntryPointByVersion(name, function, version, flags, result);
}
