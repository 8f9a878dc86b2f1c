/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels, variables and modules as programs name them: the device is built first. */
#include "cudart/device/symbols.h"

#include "cudart/base/failure.h"
#include "cudart/device/device.h"
#include "cudart/device/first_use.h"
#include "cudart/device/image.h"
#include "cudart/device/modules.h"

enum cuda_error cudart_kernel_of(struct cudart_device *device, const void *function, struct cudart_kernel **found)
{
    struct cudart_kernel *kernel = function ? cudart_find_kernel(device, function) : NULL;
    *found = kernel;
    if (!kernel)
        return CUDA_INVALID_DEVICE_FUNCTION;
    enum cuda_error problem = cudart_ensure_device(device);
    problem = problem ? problem : cudart_load(device, kernel->module);
    return problem ? problem : cudart_decode(device, kernel);
}

enum cuda_error cudart_outline_of(struct cudart_device *device, const void *function, struct cudart_kernel **found,
                                  const struct execute_code **code)
{
    struct cudart_kernel *kernel = function ? cudart_find_kernel(device, function) : NULL;
    enum cuda_error problem = kernel ? cudart_ensure_device(device) : CUDA_INVALID_DEVICE_FUNCTION;
    problem = problem ? problem : cudart_load_for_question(device, kernel->module);
    if (problem)
        return problem;
    const struct execute_language *language = kernel->module->loaded->language;
    *code = kernel->code || !language->outline ? NULL : language->outline(kernel->module->loaded, kernel->name);
    if (!*code)
        problem = cudart_kernel_of(device, function, &kernel);
    if (!*code && !problem)
        *code = kernel->code;
    *found = kernel;
    return problem;
}

enum cuda_error cudart_symbol(struct cudart_device *device, const void *symbol, uint64_t *address, uint64_t *bytes)
{
    const struct cudart_variable *variable = cudart_find_variable(device, symbol);
    if (!variable)
        return CUDA_INVALID_SYMBOL;
    enum cuda_error problem = cudart_ensure_device(device);
    problem = problem ? problem : cudart_load(device, variable->module);
    if (problem)
        return problem;
    return cudart_variable_in(variable->module, variable->name, address, bytes) ? CUDA_SUCCESS : CUDA_INVALID_SYMBOL;
}

enum cuda_error cudart_read_image(struct cudart_device *device, const char *name, const void *image, size_t bytes,
                                  struct mnp_array *texts, struct mnp_error *error)
{
    enum cuda_error problem = cudart_ensure_device(device);
    problem = problem ? problem : cudart_image_texts(device, name, image, bytes, texts, error);
    return problem && error->text[0] ? cudart_refuse(device->rt, error, problem) : problem;
}

enum cuda_error cudart_load_image(struct cudart_device *device, const char *name, const void *image, size_t bytes,
                                  struct cudart_module **out, struct mnp_error *error)
{
    struct mnp_array texts = {0};
    enum cuda_error problem = cudart_read_image(device, name, image, bytes, &texts, error);
    problem = problem ? problem : cudart_link_module(device, name, &texts, out, error);
    cudart_free_texts(&texts);
    return problem;
}

enum cuda_error cudart_kernel_named(struct cudart_device *device, struct cudart_module *module, const char *name,
                                    struct cudart_kernel **found)
{
    enum cuda_error problem = cudart_load(device, module);
    if (problem)
        return problem;
    if (!module->loaded->language->has_kernel(module->loaded, name))
        return CUDA_NOT_FOUND;
    return cudart_kernel_of(device, cudart_kernel_in(device, module, name), found);
}
