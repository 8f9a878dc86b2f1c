/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses that relocations put into instructions and data. */
#include "frontend/sass/program.h"

#include "frontend/sass/cubin_parts.h"

#include <inttypes.h>
#include <stdio.h>

struct relocation_row {
    uint8_t type;      /* R_CUDA_… */
    uint8_t shift;     /* of the value */
    uint8_t bit, bits; /* field, from the relocation's place on */
    uint8_t scale;     /* the field counts units of 2^scale bytes */
};

/* A field of two pieces has two rows. */
static const struct relocation_row rows[] = {
    {1, 0, 0, 32, 0},                         /* 32 */
    {2, 0, 0, 64, 0},                         /* 64 */
    {55, 0, 32, 32, 0},                       /* ABS32_32 */
    {56, 0, 32, 32, 0},                       /* ABS32_LO_32 */
    {57, 32, 32, 32, 0},                      /* ABS32_HI_32 */
    {58, 0, 34, 47, 2},                       /* ABS47_34 */
    {59, 0, 32, 16, 0},                       /* ABS16_32 */
    {64, 0, 40, 14, 2},                       /* CONST_FIELD19_40 */
    {66, 0, 38, 16, 0},                       /* CONST_FIELD21_38 */
    {74, 0, 40, 24, 0},                       /* ABS24_40 */
    {75, 0, 16, 8, 2},                        /* ABS55_16_34: the lower byte, and the rest */
    {75, 8, 34, 47, 2},   {102, 0, 0, 64, 0}, /* UNIFIED */
    {112, 0, 32, 32, 0},                      /* UNIFIED32_LO_32 */
    {113, 32, 32, 32, 0},                     /* UNIFIED32_HI_32 */
    {114, 0, 16, 8, 2},                       /* ABS56_16_34 */
    {114, 8, 34, 48, 2},
};

enum { YIELD_OPCODE = 68, YIELD_PREDICATE = 69 }; /* for linkers that take a YIELD away */

struct relocating {
    struct sass_program *program;
    struct sass_section *section;
    struct mnp_error *error;
    bool adds; /* addends stand in the fields */
};

static uint64_t read_bits(const unsigned char *at, unsigned from, unsigned count)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < count; i++)
        value |= (uint64_t)(at[(from + i) / 8] >> (from + i) % 8 & 1) << i;
    return value;
}

static void write_bits(unsigned char *at, unsigned from, unsigned count, uint64_t value)
{
    for (unsigned i = 0; i < count; i++) {
        unsigned place = from + i;
        at[place / 8] = (unsigned char)((at[place / 8] & ~(1u << place % 8)) | (value >> i & 1) << place % 8);
    }
}

/* Whether kernels of the module launch others: functions of the device's runtime, which nvlink has put in. */
static bool launches_kernels(const struct sass_cubin *cubin)
{
    for (uint32_t i = 0; i < cubin->symbol_count; i++)
        if (execute_launches_kernels(cubin->symbols[i].name))
            return true;
    return false;
}

static bool fail_unknown(const struct relocating *relocating, const struct sass_relocation *relocation)
{
    const struct sass_program *program = relocating->program;
    const char *name = program->cubin->symbols[relocation->symbol].name;
    if (launches_kernels(program->cubin))
        return mnp_fail(relocating->error,
                        "%s: cubin, %s, byte %" PRIu64 ": launches from kernels (dynamic parallelism) are not "
                        "supported; launch `%s` from the host",
                        program->name, relocating->section->name, relocation->offset, name);
    return mnp_fail(relocating->error, "%s: cubin, %s, byte %" PRIu64 ": a relocation of type %u for `%s` is not known",
                    program->name, relocating->section->name, relocation->offset, relocation->type, name);
}

static bool relocate_one(void *context, const struct sass_relocation *relocation)
{
    struct relocating *relocating = context;
    struct sass_program *program = relocating->program;
    const struct sass_cubin *cubin = program->cubin;
    const char *name = cubin->symbols[relocation->symbol].name;
    uint64_t address;
    bool found = false;
    if (relocation->type == YIELD_OPCODE || relocation->type == YIELD_PREDICATE || !relocating->section->data)
        return true;
    if (!sass_symbol_address(program, relocation->symbol, &address))
        return mnp_fail(relocating->error,
                        "%s: cubin, %s, byte %" PRIu64 ": nothing defines `%s`; link the module that has it",
                        program->name, relocating->section->name, relocation->offset, name);
    unsigned char *at = program->image + relocating->section->offset + relocation->offset;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct relocation_row *row = &rows[i];
        if (row->type != relocation->type)
            continue;
        uint64_t room = (relocating->section->bytes - relocation->offset) * 8;
        if (row->bit + row->bits > room)
            break;
        uint64_t own = relocating->adds && row->shift == 0 ? read_bits(at, row->bit, row->bits) << row->scale : 0;
        uint64_t value = address + own + (uint64_t)relocation->addend;
        write_bits(at, row->bit, row->bits, value >> row->scale >> row->shift);
        found = true;
    }
    return found || fail_unknown(relocating, relocation);
}

bool sass_relocate(struct sass_program *program, struct mnp_error *error)
{
    struct sass_cubin *cubin = program->cubin;
    for (uint32_t i = 0; i < cubin->section_count; i++) {
        struct relocating relocating = {program, &cubin->sections[i], error, cubin->architecture < 90};
        bool holds = program->section_addresses[i] || strncmp(cubin->sections[i].name, ".text.", 6) == 0;
        if (holds && !sass_cubin_relocations(cubin, i, relocate_one, &relocating, error))
            return false;
    }
    return true;
}
