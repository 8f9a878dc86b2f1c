/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/ptx/program.h"

#include "base/allocate.h"
#include "execute/device/journal.h"
#include "frontend/ptx/compile/decode.h"
#include "frontend/ptx/operations/origin.h"
#include "frontend/ptx/time/sass_name.h"
#include "frontend/ptx/time/timing.h"

#include <stdlib.h>

/* Writes zeros, as in untouched memory: the memory of a module's image may have been used and freed before. */
static bool clear_image(struct execute_device *device, uint64_t address, uint64_t bytes)
{
    static const unsigned char zeros[4096];
    for (uint64_t done = 0, step; done < bytes; done += step) {
        uint64_t left = bytes - done, in_page = MNP_MEMORY_PAGE - (address + done) % MNP_MEMORY_PAGE;
        bool touched = mnp_memory_page(device->memory, address + done) != NULL;
        step = touched ? sizeof zeros : in_page;
        step = step < in_page ? step : in_page;
        step = step < left ? step : left;
        if (touched && !execute_device_write(device, address + done, zeros, step))
            return false;
    }
    return true;
}

static bool write_initial(void *context, uint64_t address, const void *data, uint64_t bytes)
{
    return execute_device_write(context, address, data, bytes);
}

static bool link_program(struct ptx_program *program, struct execute_device *device, const char *name,
                         const struct execute_text *texts, uint32_t count, struct mnp_error *error)
{
    *program = (struct ptx_program){.base = {&ptx_language}, .module = ptx_module_link(name, texts, count, error)};
    if (!program->module)
        return false;
    program->module->plain = device->plain;
    program->module->keeps_order = device->keeps_order;
    program->module->unrolls = device->unrolls;
    program->kernels = mnp_allocate((size_t)program->module->functions.count + 1, sizeof *program->kernels);
    struct ptx_image trial;
    bool good = ptx_image_place(program->module, EXECUTE_DEVICE_BASE, &trial, error);
    free(trial.addresses);
    uint64_t base = good ? execute_device_reserve(device, trial.bytes) : 0;
    good = good && ptx_image_place(program->module, base, &program->image, error);
    bool written = good && clear_image(device, base, program->image.bytes) &&
                   ptx_image_write(program->module, &program->image, write_initial, device);
    if (good && !written)
        good = mnp_fail(error, "%s: its variables do not fit the device's memory", name);
    if (!good)
        ptx_program_unload(program, device);
    return good;
}

bool ptx_program_link(struct ptx_program *program, struct execute_device *device, const char *name,
                      const struct execute_text *texts, uint32_t count, struct mnp_error *error)
{
    execute_note_begin(device);
    bool good = link_program(program, device, name, texts, count, error);
    execute_note_link(device, &ptx_language, good ? &program->base : NULL, name, texts, count);
    return good;
}

bool ptx_program_load(struct ptx_program *program, struct execute_device *device, const char *name, const char *text,
                      size_t length, struct mnp_error *error)
{
    return ptx_program_link(program, device, name, &(struct execute_text){text, length}, 1, error);
}

void ptx_program_unload(struct ptx_program *program, struct execute_device *device)
{
    if (!program->module)
        return;
    execute_note_begin(device);
    for (uint32_t i = 0; i < program->module->functions.count; i++)
        ptx_code_free(program->kernels[i]);
    if (program->image.base)
        execute_device_free(device, program->image.base);
    execute_note_unload(device, &program->base);
    free(program->kernels);
    ptx_opcodes_release(&program->opcodes);
    free(program->image.addresses);
    ptx_module_free(program->module);
    *program = (struct ptx_program){0};
}

static const struct execute_code *kernel_at(struct ptx_program *program, uint32_t index, struct mnp_error *error)
{
    if (!program->kernels[index])
        program->kernels[index] = ptx_decode(program, index, error);
    return program->kernels[index];
}

const struct execute_code *ptx_program_kernel(struct ptx_program *program, const char *name, struct mnp_error *error)
{
    uint32_t index = ptx_module_function(program->module, name);
    if (index != PTX_NONE && ptx_function_at(program->module, index)->entry)
        return kernel_at(program, index, error);
    mnp_fail(error, "%s: there is no kernel `%s`", program->module->source_name, name);
    return NULL;
}

bool ptx_program_check(struct ptx_program *program, struct mnp_error *error)
{
    for (uint32_t i = 0; i < program->module->functions.count; i++)
        if (ptx_function_at(program->module, i)->entry && ptx_function_at(program->module, i)->defined &&
            !kernel_at(program, i, error))
            return false;
    return true;
}

bool ptx_program_variable(const struct ptx_program *program, const char *name, uint64_t *address, uint64_t *bytes)
{
    uint32_t index = ptx_module_variable(program->module, name);
    if (index == PTX_NONE || !program->image.addresses[index])
        return false;
    *address = program->image.addresses[index];
    *bytes = ptx_variable_at(program->module, index)->bytes;
    return true;
}

/* ===== the language ===== */

static struct execute_module *load(struct execute_device *device, const char *name, const struct execute_text *texts,
                                   uint32_t count, struct mnp_error *error)
{
    struct ptx_program *program = mnp_allocate(1, sizeof *program);
    if (ptx_program_link(program, device, name, texts, count, error))
        return &program->base;
    free(program);
    return NULL;
}

static void unload(struct execute_module *module, struct execute_device *device)
{
    struct ptx_program *program = (struct ptx_program *)module;
    ptx_program_unload(program, device);
    free(program);
}

static bool check(const char *name, const struct execute_text *texts, uint32_t count, struct mnp_error *error)
{
    struct ptx_module *module = ptx_module_link(name, texts, count, error);
    if (module)
        ptx_module_free(module);
    return module != NULL;
}

static uint32_t architecture(const struct execute_module *module)
{
    return ((const struct ptx_program *)module)->module->architecture;
}

static bool variable(const struct execute_module *module, const char *name, uint64_t *address, uint64_t *bytes)
{
    return ptx_program_variable((const struct ptx_program *)module, name, address, bytes);
}

static const char *next_kernel(const struct execute_module *base, uint32_t *place)
{
    const struct ptx_module *module = ((const struct ptx_program *)base)->module;
    while (*place < module->functions.count) {
        const struct ptx_function *function = ptx_function_at(module, (*place)++);
        if (function->entry)
            return ptx_name_text(module, function->name);
    }
    return NULL;
}

static bool has_kernel(const struct execute_module *base, const char *name)
{
    const struct ptx_module *module = ((const struct ptx_program *)base)->module;
    uint32_t index = ptx_module_function(module, name);
    return index != PTX_NONE && ptx_function_at(module, index)->entry;
}

static const struct execute_code *kernel(struct execute_module *module, const char *name, struct mnp_error *error)
{
    return ptx_program_kernel((struct ptx_program *)module, name, error);
}

const struct execute_language ptx_language = {.name = "ptx",
                                              .title = "PTX",
                                              .check = check,
                                              .load = load,
                                              .unload = unload,
                                              .architecture = architecture,
                                              .variable = variable,
                                              .next_kernel = next_kernel,
                                              .has_kernel = has_kernel,
                                              .kernel = kernel,
                                              .instructions = ptx_timing_instructions,
                                              .locate = ptx_locate,
                                              .print = ptx_print,
                                              .trace_name = ptx_sass_name};
