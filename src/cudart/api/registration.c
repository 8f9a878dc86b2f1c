/* SPDX-License-Identifier: BSD-3-Clause */
/* Registrations of a program before main begins, and its questions about them: device code, kernels and variables. */
#include "cudart/api/serve.h"
#include "cudart/base/failure.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/device/first_use.h"
#include "cudart/device/modules.h"
#include "cudart/device/symbols.h"
#include "cudart/process/api_call.h"
#include "cudart/stream/clock.h"
#include "cudart/stream/simulation.h"

CUDART_API void maniple_refuse(const char *name, const char *what)
{
    struct cudart *rt = cudart_enter();
    cudart_leave_quietly(rt, cudart_refuse_mathematics(rt, name, what));
}

CUDART_API void maniple_warn(const char *name, const char *what)
{
    struct cudart *rt = cudart_enter();
    cudart_warn_once(rt, name, what);
    cudart_leave_quietly(rt, CUDA_SUCCESS);
}

CUDART_API void maniple_note(const char *what)
{
    struct cudart *rt = cudart_enter();
    mnp_warn(&rt->simulation->results.log, "%s", what);
    cudart_leave_quietly(rt, CUDA_SUCCESS);
}

CUDART_API void maniple_hold_host(int held)
{
    struct cudart *rt = cudart_enter();
    rt->clock->held = held != 0;
    cudart_leave_quietly(rt, CUDA_SUCCESS);
}

/* ===== registration ===== */

CUDART_API void **__cudaRegisterFatBinary(void *wrapper)
{
    struct cudart *rt = cudart_enter();
    struct cudart_module *module = cudart_register_module(rt, wrapper);
    cudart_leave(rt, CUDA_SUCCESS);
    return (void **)module;
}

CUDART_API void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle; /* modules are loaded when they are first needed */
}

/* The program ends, or closes a library. */
CUDART_API void __cudaUnregisterFatBinary(void **handle)
{
    struct cudart *rt = cudart_enter();
    cudart_unregister_module((struct cudart_module *)handle);
    cudart_leave(rt, CUDA_SUCCESS);
}

CUDART_API void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit,
                                       void *thread, void *block, void *block_size, void *grid_size, int *warp)
{
    (void)device, (void)limit, (void)thread, (void)block, (void)block_size, (void)grid_size, (void)warp;
    struct cudart *rt = cudart_enter();
    cudart_register_kernel((struct cudart_module *)handle, host, name);
    cudart_leave(rt, CUDA_SUCCESS);
}

static void add_variable(void **handle, const void *host, const char *name, void **managed)
{
    struct cudart *rt = cudart_enter();
    cudart_register_variable((struct cudart_module *)handle, host, name, managed);
    cudart_leave(rt, CUDA_SUCCESS);
}

CUDART_API void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t bytes,
                                  int constant, int global)
{
    (void)device, (void)external, (void)bytes, (void)constant, (void)global;
    add_variable(handle, host, name, NULL);
}

CUDART_API void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int external,
                                         size_t bytes, int constant, int global)
{
    (void)device, (void)external, (void)bytes, (void)constant, (void)global;
    add_variable(handle, host, name, host);
}

/* Called before the first use of a __managed__ variable by the host. */
CUDART_API char __cudaInitModule(void **handle)
{
    struct cudart *rt = cudart_enter();
    struct cudart_device *device = cudart_current_device(rt);
    enum cuda_error problem = cudart_ensure_device(device);
    problem = problem ? problem : cudart_load(device, cudart_module_on((struct cudart_module *)handle, device));
    cudart_leave(rt, problem);
    return problem == CUDA_SUCCESS;
}

/* ===== questions ===== */

CUDART_API int __cudaGetKernel(void **handle, const void *function)
{
    struct cudart *rt = cudart_look();
    *handle = cudart_find_kernel(cudart_current_device(rt), function);
    return cudart_leave(rt, *handle ? CUDA_SUCCESS : CUDA_INVALID_DEVICE_FUNCTION);
}

CUDART_API int cudaGetKernel(void **handle, const void *function)
{
    return __cudaGetKernel(handle, function);
}

CUDART_API int cudaGetFuncBySymbol(void **handle, const void *function)
{
    return __cudaGetKernel(handle, function);
}

static enum cuda_error symbol_address(struct cudart_device *device, void **out, const void *symbol)
{
    uint64_t address, bytes;
    enum cuda_error problem = out ? cudart_symbol(device, symbol, &address, &bytes) : CUDA_INVALID_VALUE;
    if (!problem)
        *out = (void *)address;
    return problem;
}

CUDART_API int cudaGetSymbolAddress(void **out, const void *symbol)
{
    CUDART_CALL(symbol_address(current, out, symbol));
}

static enum cuda_error symbol_size(struct cudart_device *device, size_t *out, const void *symbol)
{
    uint64_t address, bytes;
    enum cuda_error problem = out ? cudart_symbol(device, symbol, &address, &bytes) : CUDA_INVALID_VALUE;
    if (!problem)
        *out = bytes;
    return problem;
}

CUDART_API int cudaGetSymbolSize(size_t *out, const void *symbol)
{
    CUDART_CALL(symbol_size(current, out, symbol));
}
