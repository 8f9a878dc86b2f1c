/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/ptx/compile/image.h"

#include "base/allocate.h"
#include "execute/code/code.h"

#include <stdlib.h>
#include <string.h>

enum { BEFORE_CONST = 1 << 16 }; /* addresses that are less than a variable's by this are still above zero */

static bool lies_in_image(const struct ptx_variable *variable)
{
    return (variable->space == EXECUTE_SPACE_GLOBAL || variable->space == EXECUTE_SPACE_CONST) && variable->sized &&
           variable->linkage != PTX_LINKAGE_EXTERN;
}

/* Addresses in initialisers are of variables that are somewhere. */
static bool check_relocations(const struct ptx_module *module, const struct ptx_image *image, struct mnp_error *error)
{
    const struct ptx_relocation *relocations = module->relocations.items;
    for (uint32_t i = 0; i < module->relocations.count; i++) {
        uint32_t index = relocations[i].variable;
        const struct ptx_variable *variable = index == PTX_NONE ? NULL : ptx_variable_at(module, index);
        if (variable && variable->linkage == PTX_LINKAGE_EXTERN && !image->addresses[index])
            return mnp_fail_at(error, module->source_name, variable->line,
                               "`%s` is declared .extern and defined nowhere; link the module that has it",
                               ptx_name_text(module, variable->name));
    }
    return true;
}

bool ptx_image_place(const struct ptx_module *module, uint64_t base, struct ptx_image *image, struct mnp_error *error)
{
    uint64_t offset = 0;
    *image = (struct ptx_image){.base = base,
                                .const_base = base - BEFORE_CONST,
                                .addresses = mnp_allocate((size_t)module->variables.count + 1, sizeof(uint64_t))};
    for (uint32_t i = 0; i < module->variables.count; i++) {
        const struct ptx_variable *variable = ptx_variable_at(module, i);
        if (!lies_in_image(variable))
            continue;
        uint64_t align = variable->align < 16 ? 16 : variable->align;
        offset = (offset + align - 1) / align * align;
        image->addresses[i] = base + offset;
        offset += variable->bytes;
        if (offset > PTX_MAX_OBJECT)
            return mnp_fail_at(error, module->source_name, variable->line, "the module's variables exceed 64 GiB");
    }
    image->bytes = offset;
    return check_relocations(module, image, error);
}

static void relocate(const struct ptx_module *module, const struct ptx_image *image, unsigned char *contents,
                     const struct ptx_relocation *relocation)
{
    uint64_t address = relocation->variable != PTX_NONE ? image->addresses[relocation->variable]
                                                        : EXECUTE_FUNCTION_WINDOW + 16 * (uint64_t)relocation->function;
    if (relocation->variable != PTX_NONE && !relocation->generic &&
        ptx_variable_at(module, relocation->variable)->space == EXECUTE_SPACE_CONST)
        address -= image->const_base;
    address = (address + (uint64_t)relocation->addend) >> relocation->shift;
    memcpy(contents + relocation->offset, &address, relocation->bytes);
}

bool ptx_image_write(const struct ptx_module *module, const struct ptx_image *image, ptx_image_writer *write,
                     void *context)
{
    const struct ptx_relocation *relocations = module->relocations.items;
    bool good = true;
    for (uint32_t i = 0; good && i < module->variables.count; i++) {
        const struct ptx_variable *variable = ptx_variable_at(module, i);
        if (!lies_in_image(variable) || !variable->initial_bytes)
            continue;
        unsigned char *contents = mnp_allocate(variable->initial_bytes, 1);
        memcpy(contents, variable->initial, variable->initial_bytes);
        for (uint32_t j = 0; j < variable->relocation_count; j++)
            relocate(module, image, contents, &relocations[variable->first_relocation + j]);
        good = write(context, image->addresses[i], contents, variable->initial_bytes);
        free(contents);
    }
    return good;
}
