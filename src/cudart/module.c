/* SPDX-License-Identifier: BSD-3-Clause */
/* Device code, kernels and variables that a program registers before main begins. */
#include "base/arena.h"
#include "cudart/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct cudart_module *module_at(const struct cudart *rt, uint32_t index)
{
    return ((struct cudart_module **)rt->modules.items)[index];
}

static struct cudart_kernel *kernel_at(const struct cudart *rt, uint32_t index)
{
    return ((struct cudart_kernel **)rt->kernels.items)[index];
}

static struct cudart_variable *variable_at(const struct cudart *rt, uint32_t index)
{
    return (struct cudart_variable *)rt->variables.items + index;
}

static char *copy_name(const char *name)
{
    char *copy = mnp_allocate(strlen(name) + 1, 1);
    return strcpy(copy, name);
}

/* ===== registration ===== */

CUDART_API void **__cudaRegisterFatBinary(void *wrapper)
{
    struct cudart *rt = cudart_enter();
    struct cudart_module *module = mnp_allocate(1, sizeof *module);
    module->wrapper = wrapper;
    *(struct cudart_module **)ptx_array_add(&rt->modules, 1, sizeof module) = module;
    cudart_leave(rt, CUDA_SUCCESS);
    return (void **)module;
}

CUDART_API void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle; /* modules are loaded when they are first needed */
}

/* The program ends: the results are written by then or soon will be, and the process takes the memory with it. */
CUDART_API void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
}

static void add_kernel(struct cudart *rt, void **handle, const void *host, const char *name)
{
    struct cudart_kernel *kernel = mnp_allocate(1, sizeof *kernel);
    *kernel = (struct cudart_kernel){.module = (struct cudart_module *)handle, .host = host, .name = copy_name(name)};
    *(struct cudart_kernel **)ptx_array_add(&rt->kernels, 1, sizeof kernel) = kernel;
}

CUDART_API void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit,
                                       void *thread, void *block, void *block_size, void *grid_size, int *warp)
{
    (void)device, (void)limit, (void)thread, (void)block, (void)block_size, (void)grid_size, (void)warp;
    struct cudart *rt = cudart_enter();
    add_kernel(rt, handle, host, name);
    cudart_leave(rt, CUDA_SUCCESS);
}

static void add_variable(void **handle, const void *host, const char *name, void **managed)
{
    struct cudart *rt = cudart_enter();
    *(struct cudart_variable *)ptx_array_add(&rt->variables, 1, sizeof(struct cudart_variable)) =
        (struct cudart_variable){(struct cudart_module *)handle, host, copy_name(name), managed};
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
    enum cuda_error problem = cudart_prepare(rt);
    problem = problem ? problem : cudart_load(rt, (struct cudart_module *)handle);
    cudart_leave(rt, problem);
    return problem == CUDA_SUCCESS;
}

uint32_t cudart_newest_architecture(const struct cudart *rt)
{
    uint32_t newest = 0;
    for (uint32_t i = 0; i < rt->modules.count; i++) {
        const struct cuda_wrapper *wrapper = module_at(rt, i)->wrapper;
        struct cuda_fatbin fatbin;
        struct cuda_entry entry;
        struct mnp_error ignored = {{0}};
        if (!wrapper || wrapper->magic != CUDA_WRAPPER_MAGIC || !wrapper->container ||
            !cuda_fatbin_open(&fatbin, "", wrapper->container, cuda_fatbin_bytes(wrapper->container), &ignored))
            continue;
        while (cuda_fatbin_next(&fatbin, &entry, &ignored))
            newest = entry.architecture > newest ? entry.architecture : newest;
    }
    return newest;
}

/* ===== loading ===== */

static enum cuda_error problem_of(enum cuda_choice choice)
{
    return choice == CUDA_CHOSEN    ? CUDA_SUCCESS
           : choice == CUDA_NO_CODE ? CUDA_NO_KERNEL_IMAGE_FOR_DEVICE
                                    : CUDA_INVALID_KERNEL_IMAGE;
}

/* The PTX of a module; free it. Relocatable device code lies in containers of its own, one for each file. */
static enum cuda_error find_text(struct cudart *rt, const struct cuda_wrapper *wrapper, char **text, size_t *length,
                                 struct mnp_error *error)
{
    const unsigned char *container = wrapper->container;
    if (wrapper->magic != CUDA_WRAPPER_MAGIC || (wrapper->version != 1 && wrapper->version != 2)) {
        mnp_fail(error,
                 "%s: its device code is registered in an unknown way (magic 0x%x, version %u); build it with "
                 "CUDA 12 or 13",
                 rt->options.program, wrapper->magic, wrapper->version);
        return CUDA_INVALID_KERNEL_IMAGE;
    }
    if (wrapper->version == 2) {
        const unsigned char *const *parts = wrapper->more;
        if (!parts || !parts[0] || parts[1]) {
            mnp_fail(error,
                     "%s: its device code is linked from several files (nvcc -rdc=true), which is not "
                     "supported yet; build it without -rdc, or from one file",
                     rt->options.program);
            return CUDA_INVALID_KERNEL_IMAGE;
        }
        container = parts[0];
    }
    return problem_of(cuda_fatbin_choose(rt->options.program, container, cuda_fatbin_bytes(container),
                                         mnp_settings_architecture(rt->settings), text, length, error));
}

/* __managed__ variables are seen by the host at the device's address, which the program keeps. */
static enum cuda_error place_managed(struct cudart *rt, struct cudart_module *module)
{
    for (uint32_t i = 0; i < rt->variables.count; i++) {
        const struct cudart_variable *variable = variable_at(rt, i);
        uint64_t address, bytes;
        if (variable->module != module || !variable->managed)
            continue;
        if (!ptx_program_variable(&module->program, variable->name, &address, &bytes) ||
            !cudart_share_variable(rt, address, bytes)) {
            mnp_fail(&module->error, "%s: there is no place in the host's memory for the __managed__ variable %s",
                     rt->options.program, variable->name);
            return CUDA_MEMORY_ALLOCATION;
        }
        *variable->managed = (void *)address;
    }
    return cudart_agree(rt) ? CUDA_SUCCESS : CUDA_MEMORY_ALLOCATION; /* initial values */
}

/* What is wrong is kept until the program needs the module. */
static void load(struct cudart *rt, struct cudart_module *module)
{
    char *text = NULL, name[300];
    size_t length;
    if (module->tried)
        return;
    module->tried = true;
    snprintf(name, sizeof name, "PTX of %.280s", rt->options.program);
    module->problem = find_text(rt, module->wrapper, &text, &length, &module->error);
    if (!module->problem && !ptx_program_load(&module->program, &rt->device, name, text, length, &module->error))
        module->problem = CUDA_INVALID_PTX;
    free(text);
    if (!module->problem)
        module->problem = place_managed(rt, module);
}

void cudart_load_all(struct cudart *rt)
{
    for (uint32_t i = 0; i < rt->modules.count; i++)
        load(rt, module_at(rt, i));
}

enum cuda_error cudart_load(struct cudart *rt, struct cudart_module *module)
{
    load(rt, module);
    if (module->problem && !module->said)
        cudart_refuse(rt, &module->error, module->problem);
    module->said = module->problem != CUDA_SUCCESS;
    return module->problem;
}

static struct cudart_kernel *find_kernel(const struct cudart *rt, const void *function)
{
    for (uint32_t i = 0; i < rt->kernels.count; i++)
        if (kernel_at(rt, i)->host == function || (const void *)kernel_at(rt, i) == function)
            return kernel_at(rt, i);
    return NULL;
}

enum cuda_error cudart_kernel_of(struct cudart *rt, const void *function, struct cudart_kernel **found)
{
    struct cudart_kernel *kernel = function ? find_kernel(rt, function) : NULL;
    *found = kernel;
    if (!kernel)
        return CUDA_INVALID_DEVICE_FUNCTION;
    enum cuda_error problem = cudart_prepare(rt);
    problem = problem ? problem : cudart_load(rt, kernel->module);
    if (problem || kernel->code)
        return problem;
    struct mnp_error error = {{0}};
    kernel->code = ptx_program_kernel(&kernel->module->program, kernel->name, &error);
    return kernel->code ? CUDA_SUCCESS : cudart_refuse(rt, &error, CUDA_INVALID_PTX);
}

CUDART_API int __cudaGetKernel(void **handle, const void *function)
{
    struct cudart *rt = cudart_enter();
    *handle = find_kernel(rt, function);
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

/* ===== variables ===== */

enum cuda_error cudart_symbol(struct cudart *rt, const void *symbol, uint64_t *address, uint64_t *bytes)
{
    for (uint32_t i = 0; i < rt->variables.count; i++) {
        const struct cudart_variable *variable = variable_at(rt, i);
        if (variable->host != symbol)
            continue;
        enum cuda_error problem = cudart_prepare(rt);
        problem = problem ? problem : cudart_load(rt, variable->module);
        if (problem)
            return problem;
        return ptx_program_variable(&variable->module->program, variable->name, address, bytes) ? CUDA_SUCCESS
                                                                                                : CUDA_INVALID_SYMBOL;
    }
    return CUDA_INVALID_SYMBOL;
}

static enum cuda_error symbol_address(struct cudart *rt, void **out, const void *symbol)
{
    uint64_t address, bytes;
    enum cuda_error problem = out ? cudart_symbol(rt, symbol, &address, &bytes) : CUDA_INVALID_VALUE;
    if (!problem)
        *out = (void *)address;
    return problem;
}

CUDART_API int cudaGetSymbolAddress(void **out, const void *symbol)
{
    CUDART_CALL(symbol_address(rt, out, symbol));
}

static enum cuda_error symbol_size(struct cudart *rt, size_t *out, const void *symbol)
{
    uint64_t address, bytes;
    enum cuda_error problem = out ? cudart_symbol(rt, symbol, &address, &bytes) : CUDA_INVALID_VALUE;
    if (!problem)
        *out = bytes;
    return problem;
}

CUDART_API int cudaGetSymbolSize(size_t *out, const void *symbol)
{
    CUDART_CALL(symbol_size(rt, out, symbol));
}

/* ===== a new beginning ===== */

void cudart_unload_all(struct cudart *rt)
{
    for (uint32_t i = 0; i < rt->kernels.count; i++) {
        kernel_at(rt, i)->code = NULL;
        kernel_at(rt, i)->max_dynamic = 0;
    }
    for (uint32_t i = 0; i < rt->modules.count; i++) {
        struct cudart_module *module = module_at(rt, i);
        ptx_program_unload(&module->program, &rt->device);
        module->tried = module->said = false;
        module->problem = CUDA_SUCCESS;
        module->error.text[0] = 0;
    }
}
