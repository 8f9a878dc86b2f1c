/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/sass/program.h"

#include "base/allocate.h"
#include "execute/device/journal.h"
#include "frontend/sass/cubin_parts.h"
#include "frontend/sass/decode.h"
#include "frontend/sass/lines.h"
#include "frontend/sass/system.h"

#define XXH_STATIC_LINKING_ONLY
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { ALIGNMENT = 256, TYPE_OBJECT = 1, PAGES = 1 << 14 };

/* ===== what lies in memory ===== */

/* Whether a section is placed in memory: variables, and all constant banks except the one with the parameters. */
static bool lies_in_memory(const struct sass_section *section)
{
    if (strncmp(section->name, ".nv.global", 10) == 0)
        return true;
    return strncmp(section->name, ".nv.constant", 12) == 0 && section->name[12] != '0';
}

/* Assigns addresses from `base` on to the sections that are placed in memory; returns their total size. */
static uint64_t place_sections(struct sass_program *program, uint64_t base)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < program->cubin->section_count; i++) {
        const struct sass_section *section = &program->cubin->sections[i];
        if (!lies_in_memory(section) || section->bytes > EXECUTE_DEVICE_END - EXECUTE_DEVICE_BASE)
            continue;
        program->section_addresses[i] = base + bytes;
        bytes += (section->bytes + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    }
    return bytes;
}

/* Writes zeros, as in untouched memory: the memory may have been used and freed before. */
static bool write_zeros(struct execute_device *device, uint64_t address, uint64_t bytes)
{
    static const unsigned char zeros[4096];
    bool good = true;
    for (uint64_t done = 0, step; good && done < bytes; done += step) {
        uint64_t in_page = MNP_MEMORY_PAGE - (address + done) % MNP_MEMORY_PAGE;
        bool touched = mnp_memory_page(device->memory, address + done) != NULL;
        step = touched && in_page > sizeof zeros ? sizeof zeros : in_page;
        step = step < bytes - done ? step : bytes - done;
        good = !touched || execute_device_write(device, address + done, zeros, step);
    }
    return good;
}

static bool write_sections(struct sass_program *program, struct execute_device *device)
{
    bool good = true;
    for (uint32_t i = 0; good && i < program->cubin->section_count; i++) {
        const struct sass_section *section = &program->cubin->sections[i];
        uint64_t address = program->section_addresses[i];
        if (address)
            good = section->data ? execute_device_write(device, address, section->data, section->bytes)
                                 : write_zeros(device, address, section->bytes);
    }
    return good;
}

/* Places sections twice: first to find their size, then at the reserved address. Relocations are applied to the image
 * before it is written to the device, because they need the final addresses. */
static bool place_in_memory(struct sass_program *program, struct execute_device *device, struct mnp_error *error)
{
    uint64_t bytes = place_sections(program, 0);
    if (bytes) {
        program->base_address = execute_device_reserve(device, bytes);
        if (!program->base_address)
            return mnp_fail(error, "%s: its variables do not fit the device's memory", program->name);
        place_sections(program, program->base_address);
    }
    return sass_relocate(program, error) &&
           (write_sections(program, device) ||
            mnp_fail(error, "%s: its variables do not fit the device's memory", program->name));
}

/* ===== functions and symbols ===== */

/* Functions that are not kernels have addresses: an offset behind EXECUTE_FUNCTION_WINDOW, in the order of the
 * cubin's list, as if they were stored one behind another. */
static void place_functions(struct sass_program *program)
{
    uint64_t offset = 0;
    for (size_t i = 0; i < program->cubin->kernel_count; i++) {
        if (program->cubin->kernels[i].entry)
            continue;
        program->function_offsets[i] = offset;
        offset += program->cubin->kernels[i].words * SASS_WORD_BYTES;
    }
}

static bool variable(const struct execute_module *module, const char *name, uint64_t *address, uint64_t *bytes)
{
    const struct sass_program *program = (const struct sass_program *)module;
    const struct sass_cubin *cubin = program->cubin;
    for (uint32_t i = 0; i < cubin->symbol_count; i++) {
        const struct sass_symbol *symbol = &cubin->symbols[i];
        if (symbol->type != TYPE_OBJECT || symbol->section >= cubin->section_count ||
            !program->section_addresses[symbol->section] || strcmp(symbol->name, name) != 0)
            continue;
        *address = program->section_addresses[symbol->section] + symbol->value;
        *bytes = symbol->bytes;
        return true;
    }
    return false;
}

/* ===== modules ===== */

static void free_code(struct execute_code *code)
{
    if (!code)
        return;
    execute_code_release(code);
    free(code);
}

static void free_made(struct sass_made *made)
{
    free(made->reached);
    mnp_array_release(&made->places);
    mnp_array_release(&made->bank);
}

static void free_program(struct sass_program *program)
{
    for (size_t i = 0; program->codes && i < program->cubin->kernel_count; i++)
        free_code(program->codes[i]);
    for (size_t i = 0; program->made && i < program->cubin->kernel_count; i++)
        free_made(&program->made[i]);
    for (size_t i = 0; program->outlines && i < program->cubin->kernel_count; i++)
        free_code(program->outlines[i]);
    free(program->codes);
    free(program->made);
    free(program->outlines);
    free(program->function_offsets);
    free(program->section_addresses);
    sass_lines_free(program->lines);
    sass_decoder_free(program->decoder);
    sass_cubin_free(program->cubin);
    free(program->image);
    free(program->name);
    free(program);
}

static void digest_image(struct sass_program *program)
{
    XXH128_hash_t hash = XXH3_128bits(program->image, program->bytes);
    program->digest[0] = hash.low64;
    program->digest[1] = hash.high64;
}

static struct sass_program *open_program(struct execute_device *device, const char *name,
                                         const struct execute_text *texts, uint32_t count, struct mnp_error *error)
{
    struct sass_program *program = mnp_allocate(1, sizeof *program);
    program->base.language = &sass_language;
    program->device = device;
    program->name = strcpy(mnp_allocate(strlen(name) + 1, 1), name);
    bool good = count == 1 || mnp_fail(error, "%s: several cubins are not linked here; link them with nvlink", name);
    if (good) {
        program->bytes = texts->length;
        program->image = mnp_allocate(texts->length + 1, 1);
        memcpy(program->image, texts->text, texts->length);
        if (device->peer_count > 1)
            digest_image(program);
        program->cubin = sass_cubin_open(program->name, program->image, program->bytes, error);
    }
    if (program->cubin) {
        sass_add_system_functions(program->cubin);
        program->decoder = sass_decoder_create(program->cubin->architecture);
        program->section_addresses = mnp_allocate((size_t)program->cubin->section_count + 1, sizeof(uint64_t));
        program->function_offsets = mnp_allocate(program->cubin->kernel_count + 1, sizeof(uint64_t));
        program->codes = mnp_allocate(program->cubin->kernel_count + 1, sizeof *program->codes);
        program->made = mnp_allocate(program->cubin->kernel_count + 1, sizeof *program->made);
        program->outlines = mnp_allocate(program->cubin->kernel_count + 1, sizeof *program->outlines);
        place_functions(program);
        good = place_in_memory(program, device, error);
    }
    if (good && program->cubin)
        return program;
    if (program->base_address)
        execute_device_free(device, program->base_address);
    free_program(program);
    return NULL;
}

/* ===== the same image on several devices ===== */

/* Kernels of the program may serve those of the same image that peers of its device load. */
static void offer(struct sass_program *program, struct execute_device *device)
{
    if (device->peer_count < 2)
        return;
    program->shares = true;
    *(struct sass_program **)mnp_array_add(&device->taken_from, 1, sizeof program) = program;
}

static void withdraw(const struct sass_program *program, struct execute_device *device)
{
    struct sass_program **programs = device->taken_from.items;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < device->taken_from.count; i++)
        if (programs[i] != program)
            programs[kept++] = programs[i];
    device->taken_from.count = kept;
}

/* Makes the code of a kernel from that of the same image on another device. NULL: none has compiled it. */
static struct execute_code *take_code(struct sass_program *program, const struct sass_kernel *kernel)
{
    const struct execute_device *device = program->device;
    struct execute_code *code = NULL;
    for (uint32_t i = 0; !code && program->shares && i < device->peer_count; i++) {
        const struct mnp_array *list = &device->peers[i]->taken_from;
        for (uint32_t k = 0; !code && k < list->count; k++) {
            const struct sass_program *other = ((struct sass_program *const *)list->items)[k];
            if (other != program && memcmp(other->digest, program->digest, sizeof program->digest) == 0)
                code = sass_compile_again(program, kernel, other);
        }
    }
    return code;
}

static struct execute_module *load(struct execute_device *device, const char *name, const struct execute_text *texts,
                                   uint32_t count, struct mnp_error *error)
{
    execute_note_begin(device);
    struct sass_program *program = open_program(device, name, texts, count, error);
    if (program)
        offer(program, device);
    execute_note_link(device, &sass_language, program ? &program->base : NULL, name, texts, count);
    return program ? &program->base : NULL;
}

static void unload(struct execute_module *module, struct execute_device *device)
{
    struct sass_program *program = (struct sass_program *)module;
    execute_note_begin(device);
    if (program->base_address)
        execute_device_free(device, program->base_address);
    execute_note_unload(device, module);
    withdraw(program, device);
    free_program(program);
}

static const struct sass_kernel *find_kernel(const struct sass_program *program, const char *name)
{
    for (size_t i = 0; i < program->cubin->kernel_count; i++)
        if (program->cubin->kernels[i].entry && strcmp(program->cubin->kernels[i].name, name) == 0)
            return &program->cubin->kernels[i];
    return NULL;
}

static bool has_kernel(const struct execute_module *module, const char *name)
{
    return find_kernel((const struct sass_program *)module, name) != NULL;
}

static const struct execute_code *kernel(struct execute_module *module, const char *name, struct mnp_error *error)
{
    struct sass_program *program = (struct sass_program *)module;
    const struct sass_kernel *found = find_kernel(program, name);
    if (!found) {
        mnp_fail(error, "%s: there is no kernel `%s`", program->name, name);
        return NULL;
    }
    struct execute_code **code = &program->codes[found - program->cubin->kernels];
    if (!*code)
        *code = take_code(program, found);
    if (!*code)
        *code = sass_compile(program, found, error);
    if (!program->lines_read)
        program->lines = sass_lines_read(program->cubin);
    program->lines_read = true;
    return *code;
}

static const struct execute_code *outline(struct execute_module *module, const char *name)
{
    struct sass_program *program = (struct sass_program *)module;
    const struct sass_kernel *found = find_kernel(program, name);
    if (!found)
        return NULL;
    struct execute_code **code = &program->outlines[found - program->cubin->kernels];
    *code = *code ? *code : sass_outline(program, found);
    return *code;
}

/* Compiles all kernels on a device of its own, which is dropped afterwards. */
bool sass_program_executes(const unsigned char *image, size_t bytes)
{
    struct execute_device device;
    struct mnp_error error = {{0}};
    execute_device_init(&device, PAGES, NULL);
    struct sass_program *program =
        open_program(&device, "", &(struct execute_text){(const char *)image, bytes}, 1, &error);
    bool good = program != NULL;
    for (size_t i = 0; good && i < program->cubin->kernel_count; i++) {
        const struct sass_kernel *one = &program->cubin->kernels[i];
        struct execute_code *code = one->entry ? sass_compile(program, one, &error) : NULL;
        good = !one->entry || code;
        free_code(code);
    }
    if (program)
        free_program(program);
    execute_device_release(&device);
    return good;
}

static uint32_t architecture(const struct execute_module *module)
{
    return sass_cubin_architecture(((const struct sass_program *)module)->cubin);
}

static const char *next_kernel(const struct execute_module *module, uint32_t *place)
{
    const struct sass_cubin *cubin = ((const struct sass_program *)module)->cubin;
    while (*place < cubin->kernel_count)
        if (cubin->kernels[(*place)++].entry)
            return cubin->kernels[*place - 1].name;
    return NULL;
}

const struct execute_language sass_language = {.name = "sass",
                                               .title = "machine code",
                                               .binary = true,
                                               .architecture = architecture,
                                               .variable = variable,
                                               .next_kernel = next_kernel,
                                               .has_kernel = has_kernel,
                                               .load = load,
                                               .unload = unload,
                                               .kernel = kernel,
                                               .outline = outline,
                                               .instructions = sass_timing_instructions,
                                               .toggles = sass_word_toggles,
                                               .locate = sass_locate,
                                               .print = sass_print,
                                               .trace_name = sass_trace_name};
