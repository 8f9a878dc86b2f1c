/* SPDX-License-Identifier: BSD-3-Clause */
/* Modules of PTX and of machine code alike: the one place that knows which of them a module is. */
#include "cudart/core/context.h"
#include "frontend/sass/program.h"

#include <string.h>

static bool is_machine_code(const struct mnp_array *texts)
{
    const struct execute_text *list = texts->items;
    return texts->count == 1 && list[0].length > 4 && memcmp(list[0].text, "\177ELF", 4) == 0;
}

/* Machine code runs on its own compute capability, and on later ones of the same major number. */
static enum cuda_error open_machine_code(struct cudart *rt, struct cudart_module *module, const char *name,
                                         const struct mnp_array *texts, struct mnp_error *error)
{
    uint32_t machine = mnp_settings_architecture(rt->machine.settings);
    module->machine = sass_language.load(&rt->machine.device, name, texts->items, texts->count, error);
    if (!module->machine)
        return CUDA_INVALID_KERNEL_IMAGE;
    uint32_t code = sass_program_architecture(module->machine);
    if (code / 10 == machine / 10 && code <= machine)
        return CUDA_SUCCESS;
    mnp_fail(error, "%s: it is machine code of sm_%u, and machine %s is of sm_%u; choose another machine, or give PTX",
             name, code, mnp_settings_name(rt->machine.settings), machine);
    return CUDA_NO_KERNEL_IMAGE_FOR_DEVICE;
}

enum cuda_error cudart_module_open(struct cudart *rt, struct cudart_module *module, const char *name,
                                   const struct mnp_array *texts, struct mnp_error *error)
{
    if (is_machine_code(texts))
        return open_machine_code(rt, module, name, texts, error);
    if (!ptx_program_link(&module->program, &rt->machine.device, name, texts->items, texts->count, error))
        return CUDA_INVALID_PTX;
    return CUDA_SUCCESS;
}

void cudart_module_close(struct cudart *rt, struct cudart_module *module)
{
    ptx_program_unload(&module->program, &rt->machine.device);
    if (module->machine)
        sass_language.unload(module->machine, &rt->machine.device);
    module->machine = NULL;
}

bool cudart_module_variable(const struct cudart_module *module, const char *name, uint64_t *address, uint64_t *bytes)
{
    return module->machine ? sass_program_variable(module->machine, name, address, bytes)
                           : ptx_program_variable(&module->program, name, address, bytes);
}

bool cudart_module_has_kernel(const struct cudart_module *module, const char *name)
{
    if (module->machine)
        return sass_program_has(module->machine, name);
    uint32_t index = ptx_module_function(module->program.module, name);
    return index != PTX_NONE && ptx_function_at(module->program.module, index)->entry;
}

const struct execute_code *cudart_module_kernel(struct cudart_module *module, const char *name, struct mnp_error *error)
{
    return module->machine ? sass_language.kernel(module->machine, name, error)
                           : ptx_program_kernel(&module->program, name, error);
}
