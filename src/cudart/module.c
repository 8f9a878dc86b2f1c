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
    *(struct cudart_module **)mnp_array_add(&rt->modules, 1, sizeof module) = module;
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
    *(struct cudart_kernel **)mnp_array_add(&rt->kernels, 1, sizeof kernel) = kernel;
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
    *(struct cudart_variable *)mnp_array_add(&rt->variables, 1, sizeof(struct cudart_variable)) =
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

void cudart_free_texts(struct mnp_array *texts)
{
    const struct execute_text *list = texts->items;
    for (uint32_t i = 0; i < texts->count; i++)
        free((char *)list[i].text);
    free(texts->items);
    *texts = (struct mnp_array){0};
}

static void add_text(struct mnp_array *texts, char *text, size_t length)
{
    *(struct execute_text *)mnp_array_add(texts, 1, sizeof(struct execute_text)) = (struct execute_text){text, length};
}

/* The PTX of a container that this machine can run. */
static enum cuda_error add_container(struct cudart *rt, const char *name, const unsigned char *container, size_t bytes,
                                     struct mnp_array *texts, struct mnp_error *error)
{
    char *text;
    size_t length;
    enum cuda_error problem =
        problem_of(cuda_fatbin_choose(name, container, bytes ? bytes : cuda_fatbin_bytes(container),
                                      mnp_settings_architecture(rt->settings), &text, &length, error));
    if (!problem)
        add_text(texts, text, length);
    return problem;
}

/* What a program registers. Relocatable device code lies in containers of its own, one for each file. */
static enum cuda_error add_wrapper(struct cudart *rt, const struct cuda_wrapper *wrapper, struct mnp_array *texts,
                                   struct mnp_error *error)
{
    const char *name = rt->options.program;
    if (wrapper->magic != CUDA_WRAPPER_MAGIC || (wrapper->version != 1 && wrapper->version != 2)) {
        mnp_fail(error,
                 "%s: its device code is registered in an unknown way (magic 0x%x, version %u); build it with "
                 "CUDA 12 or 13",
                 name, wrapper->magic, wrapper->version);
        return CUDA_INVALID_KERNEL_IMAGE;
    }
    const unsigned char *const *parts = wrapper->more;
    if (wrapper->version == 1 || !parts)
        return add_container(rt, name, wrapper->container, 0, texts, error);
    enum cuda_error problem = CUDA_SUCCESS;
    for (uint32_t i = 0; !problem && parts[i]; i++)
        problem = add_container(rt, name, parts[i], 0, texts, error);
    return problem;
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
    return cudart_agree(rt, CUDART_ALL) ? CUDA_SUCCESS : CUDA_MEMORY_ALLOCATION; /* initial values */
}

/* What is wrong is kept until the program needs the module. */
static void load(struct cudart *rt, struct cudart_module *module)
{
    struct mnp_array texts = {0};
    char name[300];
    if (module->tried || !module->wrapper)
        return;
    module->tried = true;
    snprintf(name, sizeof name, "PTX of %.280s", rt->options.program);
    module->problem = add_wrapper(rt, module->wrapper, &texts, &module->error);
    if (!module->problem &&
        !ptx_program_link(&module->program, &rt->device, name, texts.items, texts.count, &module->error))
        module->problem = CUDA_INVALID_PTX;
    cudart_free_texts(&texts);
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
    struct cudart *rt = cudart_look();
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

/* ===== modules from images ===== */

/* Text as it is; or several, as cuLinkComplete puts them together. */
static void add_plain(struct mnp_array *texts, const char *image, size_t length)
{
    const size_t mark = strlen(CUDART_LINK_MARK);
    for (const char *next; image; image = next) {
        const char *end = memmem(image, length, CUDART_LINK_MARK, mark);
        size_t bytes = end ? (size_t)(end - image) : length;
        char *text = mnp_allocate(bytes + 1, 1);
        memcpy(text, image, bytes);
        add_text(texts, text, bytes);
        next = end ? end + mark : NULL;
        length -= end ? bytes + mark : 0;
    }
}

static enum cuda_error add_image(struct cudart *rt, const char *name, const unsigned char *image, size_t bytes,
                                 struct mnp_array *texts, struct mnp_error *error)
{
    uint32_t magic = 0;
    memcpy(&magic, image, strnlen((const char *)image, 4)); /* the magic numbers have no zero byte */
    if (magic == CUDA_WRAPPER_MAGIC && (!bytes || bytes >= sizeof(struct cuda_wrapper)))
        return add_wrapper(rt, (const struct cuda_wrapper *)image, texts, error);
    if (magic == CUDA_CONTAINER_MAGIC && (!bytes || bytes >= CUDA_CONTAINER_HEADER))
        return add_container(rt, name, image, bytes, texts, error);
    if (magic == UINT32_C(0x464c457f)) {
        mnp_fail(error,
                 "%s: this is machine code (a cubin), which is not executed; load PTX, or a fat binary that holds PTX",
                 name);
        return CUDA_NO_KERNEL_IMAGE_FOR_DEVICE;
    }
    if (image[0] < '\t' || image[0] > '~') {
        mnp_fail(error, "%s: this is neither PTX nor a fat binary", name);
        return CUDA_INVALID_KERNEL_IMAGE;
    }
    add_plain(texts, (const char *)image, bytes ? strnlen((const char *)image, bytes) : strlen((const char *)image));
    return CUDA_SUCCESS;
}

enum cuda_error cudart_read_image(struct cudart *rt, const char *name, const void *image, size_t bytes,
                                  struct mnp_array *texts, struct mnp_error *error)
{
    enum cuda_error problem = cudart_prepare(rt);
    problem = problem ? problem : add_image(rt, name, image, bytes, texts, error);
    return problem && error->text[0] ? cudart_refuse(rt, error, problem) : problem;
}

/* Code for a newer device cannot be translated for this one. */
static enum cuda_error check_target(const struct cudart *rt, const struct ptx_module *module, struct mnp_error *error)
{
    uint32_t machine = mnp_settings_architecture(rt->settings);
    if (module->architecture <= machine)
        return CUDA_SUCCESS;
    mnp_fail(error, "%s: it is for sm_%u, and machine %s is of sm_%u; choose a newer machine", module->source_name,
             module->architecture, mnp_settings_name(rt->settings), machine);
    return CUDA_NO_KERNEL_IMAGE_FOR_DEVICE;
}

enum cuda_error cudart_load_image(struct cudart *rt, const char *name, const void *image, size_t bytes,
                                  struct cudart_module **out, struct mnp_error *error)
{
    struct mnp_array texts = {0};
    enum cuda_error problem = cudart_read_image(rt, name, image, bytes, &texts, error);
    if (problem) {
        cudart_free_texts(&texts);
        return problem;
    }
    struct cudart_module *module = mnp_allocate(1, sizeof *module);
    if (!ptx_program_link(&module->program, &rt->device, name, texts.items, texts.count, error))
        problem = CUDA_INVALID_PTX;
    cudart_free_texts(&texts);
    problem = problem ? problem : check_target(rt, module->program.module, error);
    if (problem) {
        ptx_program_unload(&module->program, &rt->device);
        free(module);
        return cudart_refuse(rt, error, problem);
    }
    *(struct cudart_module **)mnp_array_add(&rt->modules, 1, sizeof module) = module;
    *out = module;
    return CUDA_SUCCESS;
}

bool cudart_module_known(const struct cudart *rt, const void *module)
{
    for (uint32_t i = 0; module && i < rt->modules.count; i++)
        if (module_at(rt, i) == module)
            return true;
    return false;
}

static void free_kernels(struct cudart *rt, const struct cudart_module *module)
{
    struct cudart_kernel **kernels = rt->kernels.items;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < rt->kernels.count; i++) {
        if (kernels[i]->module != module) {
            kernels[kept++] = kernels[i];
            continue;
        }
        free(kernels[i]->name);
        free(kernels[i]);
    }
    rt->kernels.count = kept;
}

void cudart_unload(struct cudart *rt, struct cudart_module *module)
{
    struct cudart_module **modules = rt->modules.items;
    uint32_t place = 0;
    while (modules[place] != module)
        place++;
    free_kernels(rt, module);
    ptx_program_unload(&module->program, &rt->device);
    free(module);
    memmove(modules + place, modules + place + 1, (rt->modules.count - 1 - place) * sizeof *modules);
    rt->modules.count--;
}

enum cuda_error cudart_kernel_named(struct cudart *rt, struct cudart_module *module, const char *name,
                                    struct cudart_kernel **found)
{
    enum cuda_error problem = cudart_load(rt, module);
    if (problem)
        return problem;
    uint32_t index = ptx_module_function(module->program.module, name);
    if (index == PTX_NONE || !ptx_function_at(module->program.module, index)->entry)
        return CUDA_NOT_FOUND;
    for (uint32_t i = 0; i < rt->kernels.count; i++)
        if (kernel_at(rt, i)->module == module && strcmp(kernel_at(rt, i)->name, name) == 0)
            return cudart_kernel_of(rt, kernel_at(rt, i), found);
    add_kernel(rt, (void **)module, NULL, name);
    return cudart_kernel_of(rt, kernel_at(rt, rt->kernels.count - 1), found);
}

/* ===== a new beginning ===== */

void cudart_unload_all(struct cudart *rt)
{
    for (uint32_t i = 0; i < rt->kernels.count; i++) {
        kernel_at(rt, i)->code = NULL;
        kernel_at(rt, i)->max_dynamic = 0;
    }
    for (uint32_t i = rt->modules.count; i-- > 0;) {
        struct cudart_module *module = module_at(rt, i);
        if (!module->wrapper) {
            cudart_unload(rt, module);
            continue;
        }
        ptx_program_unload(&module->program, &rt->device);
        module->tried = module->said = false;
        module->problem = CUDA_SUCCESS;
        module->error.text[0] = 0;
    }
}
