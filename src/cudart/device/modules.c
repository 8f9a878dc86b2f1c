/* SPDX-License-Identifier: BSD-3-Clause */
/* Device code: modules, kernels and variables, as the program registers or loads them. */
#include "cudart/device/modules.h"

#include "base/arena.h"
#include "base/print.h"
#include "base/ticks.h"
#include "cudart/base/failure.h"
#include "cudart/base/options.h"
#include "cudart/base/state.h"
#include "cudart/device/allocator.h"
#include "cudart/device/device.h"
#include "cudart/device/image.h"
#include "cudart/device/languages.h"
#include "cudart/device/managed_memory.h"
#include "cudart/device/ptxas.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct cudart_module *module_at(const struct cudart_device *device, uint32_t index)
{
    return ((struct cudart_module **)device->code.modules.items)[index];
}

static struct cudart_kernel *kernel_at(const struct cudart_device *device, uint32_t index)
{
    return ((struct cudart_kernel **)device->code.kernels.items)[index];
}

static struct cudart_variable *variable_at(const struct cudart_device *device, uint32_t index)
{
    return (struct cudart_variable *)device->code.variables.items + index;
}

static char *copy_name(const char *name)
{
    char *copy = mnp_allocate(strlen(name) + 1, 1);
    return strcpy(copy, name);
}

/* ===== what there is ===== */

static struct cudart_module *add_module(struct cudart_device *device, const struct cuda_wrapper *wrapper)
{
    struct cudart_module *module = mnp_allocate(1, sizeof *module);
    module->device = device;
    module->wrapper = wrapper;
    *(struct cudart_module **)mnp_array_add(&device->code.modules, 1, sizeof module) = module;
    return module;
}

static struct cudart_kernel *add_kernel(struct cudart_module *module, const void *host, const char *name)
{
    struct cudart_kernel *kernel = mnp_allocate(1, sizeof *kernel);
    *kernel = (struct cudart_kernel){.module = module, .host = host, .name = copy_name(name)};
    *(struct cudart_kernel **)mnp_array_add(&module->device->code.kernels, 1, sizeof kernel) = kernel;
    return kernel;
}

struct cudart_module *cudart_register_module(struct cudart *rt, const struct cuda_wrapper *wrapper)
{
    struct cudart_module *first = NULL;
    for (uint32_t i = rt->device_count; i-- > 0;) {
        struct cudart_module *module = add_module(&rt->devices[i], wrapper);
        module->next = first;
        first = module;
    }
    return first;
}

void cudart_register_kernel(struct cudart_module *module, const void *host, const char *name)
{
    for (; module; module = module->next)
        add_kernel(module, host, name);
}

void cudart_register_variable(struct cudart_module *module, const void *host, const char *name, void **managed)
{
    for (; module; module = module->next)
        *(struct cudart_variable *)mnp_array_add(&module->device->code.variables, 1, sizeof(struct cudart_variable)) =
            (struct cudart_variable){module, host, copy_name(name), managed};
}

void cudart_unregister_module(struct cudart_module *module)
{
    for (; module; module = module->next) {
        const struct cudart_device *device = module->device;
        for (uint32_t i = 0; i < device->code.kernels.count; i++)
            if (kernel_at(device, i)->module == module)
                kernel_at(device, i)->host = NULL;
        for (uint32_t i = 0; i < device->code.variables.count; i++)
            if (variable_at(device, i)->module == module)
                variable_at(device, i)->host = NULL;
        module->closed = true;
    }
}

/* Whether what a module was registered with can be read. A library that was closed may be gone; a program that ends
 * calls the same function, and stays. */
static bool is_readable(const struct cudart_module *module)
{
    Dl_info object;
    return module->wrapper && (!module->closed || dladdr(module->wrapper, &object)) &&
           module->wrapper->magic == CUDA_WRAPPER_MAGIC && module->wrapper->container;
}

struct cudart_module *cudart_module_on(struct cudart_module *module, const struct cudart_device *device)
{
    while (module->device != device)
        module = module->next;
    return module;
}

uint32_t cudart_newest_architecture(const struct cudart_device *device)
{
    uint32_t newest = 0;
    for (uint32_t i = 0; i < device->code.modules.count; i++) {
        const struct cuda_wrapper *wrapper = module_at(device, i)->wrapper;
        struct cuda_fatbin fatbin;
        struct cuda_entry entry;
        struct mnp_error ignored = {{0}};
        if (!is_readable(module_at(device, i)) ||
            !fatbin_open(&fatbin, "", wrapper->container, fatbin_bytes(wrapper->container), &ignored))
            continue;
        while (fatbin_next(&fatbin, &entry, &ignored))
            newest = entry.architecture > newest ? entry.architecture : newest;
    }
    return newest;
}

bool cudart_module_known(const struct cudart_device *device, const void *module)
{
    for (uint32_t i = 0; module && i < device->code.modules.count; i++)
        if (module_at(device, i) == module)
            return true;
    return false;
}

static struct cudart_kernel *find_kernel(const struct cudart_device *device, const void *function)
{
    for (uint32_t i = 0; i < device->code.kernels.count; i++)
        if (kernel_at(device, i)->host == function || (const void *)kernel_at(device, i) == function)
            return kernel_at(device, i);
    return NULL;
}

/* A kernel that the program has registered is all devices', whichever of them its handle was made for. */
struct cudart_kernel *cudart_find_kernel(const struct cudart_device *device, const void *function)
{
    const struct cudart *rt = device->rt;
    struct cudart_kernel *kernel = find_kernel(device, function);
    for (uint32_t i = 0; !kernel && i < rt->device_count; i++) {
        const struct cudart_kernel *other = find_kernel(&rt->devices[i], function);
        if (other)
            return other->host ? find_kernel(device, other->host) : NULL;
    }
    return kernel;
}

struct cudart_kernel *cudart_kernel_in(struct cudart_device *device, struct cudart_module *module, const char *name)
{
    for (uint32_t i = 0; i < device->code.kernels.count; i++)
        if (kernel_at(device, i)->module == module && strcmp(kernel_at(device, i)->name, name) == 0)
            return kernel_at(device, i);
    return add_kernel(module, NULL, name);
}

void cudart_set_max_dynamic(struct cudart_kernel *kernel, uint32_t bytes)
{
    kernel->max_dynamic = bytes;
}

void cudart_forget_cluster(struct cudart_kernel *kernel)
{
    memset(kernel->cluster, 0, sizeof kernel->cluster);
    kernel->non_portable = false;
}

const struct cudart_variable *cudart_find_variable(const struct cudart_device *device, const void *symbol)
{
    for (uint32_t i = 0; i < device->code.variables.count; i++)
        if (variable_at(device, i)->host == symbol)
            return variable_at(device, i);
    return NULL;
}

/* ===== loading ===== */

/* __managed__ variables are seen by the host at the device's address, which the program keeps. */
static enum cuda_error place_managed(struct cudart_device *device, struct cudart_module *module)
{
    for (uint32_t i = 0; i < device->code.variables.count; i++) {
        const struct cudart_variable *variable = variable_at(device, i);
        uint64_t address, bytes;
        if (variable->module != module || !variable->managed)
            continue;
        if (device->rt->device_count > 1) {
            mnp_fail(&module->error,
                     "%s: __managed__ variables (%s) are not supported on several GPUs yet; allocate it by "
                     "cudaMallocManaged, or use one GPU",
                     device->rt->calls.options.program, variable->name);
            return CUDA_NOT_SUPPORTED;
        }
        if (!cudart_variable_in(module, variable->name, &address, &bytes) ||
            !cudart_share_variable(device, address, bytes)) {
            mnp_fail(&module->error, "%s: there is no place in the host's memory for the __managed__ variable %s",
                     device->rt->calls.options.program, variable->name);
            return CUDA_MEMORY_ALLOCATION;
        }
        *variable->managed = (void *)address;
    }
    return cudart_sync_managed(device, CUDART_ALL) ? CUDA_SUCCESS : CUDA_MEMORY_ALLOCATION; /* initial values */
}

/* The language of the texts, which --code ptxas makes machine code of. NULL: an error. */
static const struct execute_language *settle_language(const struct cudart_device *device, const char *name,
                                                      const struct mnp_array *texts, struct mnp_error *error)
{
    const struct execute_language *language = cudart_language_of(name, texts, error);
    if (!language || language->binary || device->rt->calls.options.code != CUDART_CODE_PTXAS)
        return language;
    if (texts->count != 1) {
        mnp_fail(error, "%s: --code ptxas does not link several texts; link them with nvcc, or use --code ptx", name);
        return NULL;
    }
    uint32_t architecture = mnp_settings_architecture(device->settings);
    return cudart_assemble(name, architecture, texts->items, error) ? cudart_language_of(name, texts, error) : NULL;
}

/* The place at which the program has registered a module: a library of its own, or itself. */
static const char *registered_by(const struct cudart_device *device, const struct cudart_module *module)
{
    Dl_info object;
    bool is_library =
        module->wrapper && dladdr(module->wrapper, &object) && object.dli_fname && strstr(object.dli_fname, ".so");
    return is_library ? object.dli_fname : device->rt->calls.options.program;
}

/* Onto the device, in the language of the texts. `name` NULL: they are what the program has registered. */
static enum cuda_error link_texts(struct cudart_device *device, struct cudart_module *module, const char *name,
                                  const struct mnp_array *texts, struct mnp_error *error)
{
    const char *owner = name ? name : registered_by(device, module);
    const struct execute_language *language = settle_language(device, owner, texts, error);
    char registered[300];
    module->text_beside = texts->count && ((const struct execute_text *)texts->items)->text_beside;
    if (language) {
        snprintf(registered, sizeof registered, "%s of %.280s", language->title, owner);
        module->loaded =
            language->load(&device->functional, name ? name : registered, texts->items, texts->count, error);
    }
    return module->loaded ? CUDA_SUCCESS : language && language->binary ? CUDA_INVALID_KERNEL_IMAGE : CUDA_INVALID_PTX;
}

static void take_off(struct cudart_device *device, struct cudart_module *module)
{
    if (module->loaded)
        module->loaded->language->unload(module->loaded, &device->functional);
    module->loaded = NULL;
}

bool cudart_variable_in(const struct cudart_module *module, const char *name, uint64_t *address, uint64_t *bytes)
{
    return module->loaded->language->variable(module->loaded, name, address, bytes);
}

/* Loads a module. An error is kept until the program needs the module. */
static void load(struct cudart_device *device, struct cudart_module *module)
{
    struct mnp_array texts = {0};
    if (module->tried || !module->wrapper || (module->closed && !is_readable(module)))
        return;
    module->tried = true;
    module->problem = cudart_wrapper_texts(device, module->wrapper, &texts, &module->error);
    if (!module->problem)
        module->problem = link_texts(device, module, NULL, &texts, &module->error);
    cudart_free_texts(&texts);
    if (!module->problem)
        module->problem = place_managed(device, module);
}

static bool has_managed(const struct cudart_device *device, const struct cudart_module *module)
{
    for (uint32_t i = 0; i < device->code.variables.count; i++)
        if (variable_at(device, i)->module == module && variable_at(device, i)->managed)
            return true;
    return false;
}

/* Machine code is loaded when the program first needs something of it, as NVIDIA's lazy loading does: libraries
 * register thousands of modules and use a few. Text is loaded at once, whose runs would have other addresses otherwise.
 */
static bool waits_until_needed(const struct cudart_device *device, const struct cudart_module *module)
{
    const struct cuda_wrapper *wrapper = module->wrapper;
    enum cudart_code_choice code = device->rt->calls.options.code;
    return is_readable(module) && code != CUDART_CODE_PTX && !has_managed(device, module) &&
           (code == CUDART_CODE_PTXAS ||
            cudart_holds_machine_code(wrapper->container, mnp_settings_architecture(device->settings)));
}

void cudart_load_all(struct cudart_device *device)
{
    for (uint32_t i = 0; i < device->code.modules.count; i++)
        if (!waits_until_needed(device, module_at(device, i)))
            load(device, module_at(device, i));
}

enum cuda_error cudart_load(struct cudart_device *device, struct cudart_module *module)
{
    load(device, module);
    if (module->problem && !module->said)
        cudart_refuse(device->rt, &module->error, module->problem);
    module->said = module->problem != CUDA_SUCCESS;
    return module->problem;
}

enum cuda_error cudart_load_for_question(struct cudart_device *device, struct cudart_module *module)
{
    load(device, module);
    if (module->problem != CUDA_NO_KERNEL_IMAGE_FOR_DEVICE)
        return cudart_load(device, module);
    if (!module->said && !device->rt->faults.silent.text[0])
        device->rt->faults.silent = module->error;
    return module->problem;
}

/* Tells of a translation that takes long, each time that it has taken twice as long. `from`: when it began. */
static void count_translation(struct cudart *rt, const struct cudart_kernel *kernel, uint64_t from)
{
    const uint64_t patience = UINT64_C(10000000000);
    struct cudart_calls *calls = &rt->calls;
    calls->translated += mnp_thread_nanoseconds() - from;
    calls->from_text++;
    if (calls->options.verbosity <= MNP_QUIET || calls->translated < patience || calls->translated < 2 * calls->told)
        return;
    calls->told = calls->translated;
    mnp_print_text(stderr, "maniple: %u kernels have been translated from PTX in %u s, the last one of %s; %s\n",
                   calls->from_text, (unsigned)(calls->told / 1000000000),
                   registered_by(kernel->module->device, kernel->module),
                   "--code sass takes machine code where the program has some, which needs less");
}

enum cuda_error cudart_decode(struct cudart_device *device, struct cudart_kernel *kernel)
{
    struct cudart *rt = device->rt;
    struct mnp_error error = {{0}};
    if (kernel->code)
        return CUDA_SUCCESS;
    struct execute_module *module = kernel->module->loaded;
    uint64_t from = mnp_thread_nanoseconds();
    kernel->code = module->language->kernel(module, kernel->name, &error);
    if (!module->language->binary)
        count_translation(rt, kernel, from);
    if (kernel->code)
        return CUDA_SUCCESS;
    if (!module->language->binary)
        return cudart_refuse(rt, &error, CUDA_INVALID_PTX);
    struct mnp_error advised = {{0}};
    mnp_fail(&advised, "%s; %s", error.text,
             kernel->module->text_beside ? "use --code ptx" : "load PTX in its place, which this module does not have");
    return cudart_refuse(rt, &advised, CUDA_NOT_SUPPORTED);
}

/* ===== unloading ===== */

static void free_kernels(struct cudart_device *device, const struct cudart_module *module)
{
    struct cudart_kernel **kernels = device->code.kernels.items;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < device->code.kernels.count; i++) {
        if (kernels[i]->module != module) {
            kernels[kept++] = kernels[i];
            continue;
        }
        free(kernels[i]->name);
        free(kernels[i]);
    }
    device->code.kernels.count = kept;
}

/* Takes a module off the list. */
static void forget(struct cudart_device *device, const struct cudart_module *module)
{
    struct cudart_module **modules = device->code.modules.items;
    uint32_t place = 0;
    while (modules[place] != module)
        place++;
    memmove(modules + place, modules + place + 1, (device->code.modules.count - 1 - place) * sizeof *modules);
    device->code.modules.count--;
}

void cudart_unload(struct cudart_device *device, struct cudart_module *module)
{
    forget(device, module);
    free_kernels(device, module);
    take_off(device, module);
    free(module);
}

void cudart_set_aside(struct cudart_device *device, const struct cudart_module *module)
{
    struct cudart_kernel **kernels = device->code.kernels.items;
    uint32_t kept = 0;
    forget(device, module);
    for (uint32_t i = 0; i < device->code.kernels.count; i++)
        if (kernels[i]->module != module)
            kernels[kept++] = kernels[i];
    device->code.kernels.count = kept;
}

void cudart_unload_all(struct cudart_device *device)
{
    for (uint32_t i = 0; i < device->code.kernels.count; i++) {
        kernel_at(device, i)->code = NULL;
        kernel_at(device, i)->max_dynamic = 0;
        cudart_forget_cluster(kernel_at(device, i));
    }
    for (uint32_t i = device->code.modules.count; i-- > 0;) {
        struct cudart_module *module = module_at(device, i);
        if (!module->wrapper) {
            cudart_unload(device, module);
            continue;
        }
        take_off(device, module);
        module->tried = module->said = false;
        module->problem = CUDA_SUCCESS;
        module->error.text[0] = 0;
    }
}

/* ===== modules of the driver's ===== */

/* Code for a newer device cannot be translated for this one. */
static enum cuda_error check_target(const struct cudart_device *device, const char *name,
                                    const struct execute_module *module, struct mnp_error *error)
{
    uint32_t machine = mnp_settings_architecture(device->settings);
    uint32_t architecture = module->language->architecture(module);
    bool binary = module->language->binary;
    if (architecture <= machine && (!binary || architecture / 10 == machine / 10))
        return CUDA_SUCCESS;
    mnp_fail(error, "%s: it is %sfor sm_%u, and machine %s is of sm_%u; choose %s", name, binary ? "machine code " : "",
             architecture, mnp_settings_name(device->settings), machine,
             binary ? "another machine, or give PTX" : "a newer machine");
    return CUDA_NO_KERNEL_IMAGE_FOR_DEVICE;
}

enum cuda_error cudart_link_module(struct cudart_device *device, const char *name, const struct mnp_array *texts,
                                   struct cudart_module **out, struct mnp_error *error)
{
    struct cudart_module *module = add_module(device, NULL);
    enum cuda_error problem = link_texts(device, module, name, texts, error);
    problem = problem ? problem : check_target(device, name, module->loaded, error);
    if (problem) {
        cudart_unload(device, module);
        return cudart_refuse(device->rt, error, problem);
    }
    *out = module;
    return CUDA_SUCCESS;
}
