/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/ptx/text/module.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

static uint32_t hash_of(const char *text, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash ^ hash >> 15;
}

/* The slot that holds the name or is free for it. */
static uint32_t slot_of(const struct ptx_module *module, const char *text, size_t length, uint32_t hash)
{
    const struct ptx_name *names = module->names.items;
    uint32_t slot = hash & module->name_mask;
    for (; module->name_slots[slot]; slot = (slot + 1) & module->name_mask) {
        const struct ptx_name *name = &names[module->name_slots[slot] - 1];
        if (name->hash == hash && name->length == length &&
            memcmp((const char *)module->text.items + name->text, text, length) == 0)
            break;
    }
    return slot;
}

static void grow_names(struct ptx_module *module)
{
    const struct ptx_name *names = module->names.items;
    free(module->name_slots);
    module->name_mask = module->name_mask ? module->name_mask * 2 + 1 : 1023;
    module->name_slots = mnp_allocate((size_t)module->name_mask + 1, sizeof *module->name_slots);
    for (uint32_t i = 0; i < module->names.count; i++) {
        uint32_t slot = names[i].hash & module->name_mask;
        while (module->name_slots[slot])
            slot = (slot + 1) & module->name_mask;
        module->name_slots[slot] = i + 1;
    }
}

uint32_t ptx_name_of(struct ptx_module *module, const char *text, size_t length)
{
    if (module->names.count * 2 >= module->name_mask)
        grow_names(module);
    uint32_t hash = hash_of(text, length), slot = slot_of(module, text, length, hash);
    if (module->name_slots[slot])
        return module->name_slots[slot] - 1;
    uint32_t at = module->text.count;
    char *copy = mnp_array_add(&module->text, (uint32_t)length + 1, 1);
    memcpy(copy, text, length);
    struct ptx_name *name = mnp_array_add(&module->names, 1, sizeof *name);
    *name = (struct ptx_name){.text = at, .length = (uint32_t)length, .hash = hash, .binding = PTX_NONE};
    module->name_slots[slot] = module->names.count;
    return module->names.count - 1;
}

static uint32_t find_name(const struct ptx_module *module, const char *text)
{
    size_t length = strlen(text);
    if (!module->name_mask)
        return PTX_NONE;
    uint32_t slot = slot_of(module, text, length, hash_of(text, length));
    return module->name_slots[slot] ? module->name_slots[slot] - 1 : PTX_NONE;
}

uint32_t ptx_module_function(const struct ptx_module *module, const char *text)
{
    uint32_t name = find_name(module, text);
    for (uint32_t i = 0; name != PTX_NONE && i < module->functions.count; i++)
        if (ptx_function_at(module, i)->name == name)
            return i;
    return PTX_NONE;
}

uint32_t ptx_module_variable(const struct ptx_module *module, const char *text)
{
    uint32_t name = find_name(module, text);
    for (uint32_t i = 0; name != PTX_NONE && i < module->variables.count; i++)
        if (ptx_variable_at(module, i)->name == name && ptx_variable_at(module, i)->function == PTX_NONE)
            return i;
    return PTX_NONE;
}

void ptx_module_free(struct ptx_module *module)
{
    if (!module)
        return;
    for (uint32_t i = 0; i < module->variables.count; i++)
        free(ptx_variable_at(module, i)->initial);
    struct mnp_array *arrays[] = {&module->text,      &module->names,      &module->variables,    &module->functions,
                                  &module->registers, &module->statements, &module->operands,     &module->relocations,
                                  &module->lists,     &module->list_items, &module->source_lines, &module->bodies};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]->items);
    free(module->name_slots);
    free(module->source_name);
    free(module);
}
