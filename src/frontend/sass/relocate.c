/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses that relocations put into instructions and data. */
#include "frontend/sass/program.h"

#include "frontend/sass/cubin_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct relocation_row {
    uint8_t type;      /* R_CUDA_… */
    uint8_t shift;     /* right shift of the value */
    uint8_t bit, bits; /* field, from the relocation's place on */
    uint8_t scale;     /* the field counts units of 2^scale bytes */
};

/* A field of two pieces has two rows. G… are generic addresses; FUNC_DESC… and UNIFIED… are addresses of functions. */
static const struct relocation_row rows[] = {
    {1, 0, 0, 32, 0},                          /* 32 */
    {2, 0, 0, 64, 0},                          /* 64 */
    {3, 0, 0, 32, 0},                          /* G32 */
    {4, 0, 0, 64, 0},                          /* G64 */
    {34, 0, 0, 32, 0},                         /* FUNC_DESC_32 */
    {35, 0, 0, 64, 0},                         /* FUNC_DESC_64 */
    {55, 0, 32, 32, 0},                        /* ABS32_32 */
    {56, 0, 32, 32, 0},                        /* ABS32_LO_32 */
    {57, 32, 32, 32, 0},                       /* ABS32_HI_32 */
    {58, 0, 34, 47, 2},                        /* ABS47_34 */
    {59, 0, 32, 16, 0},                        /* ABS16_32 */
    {60, 0, 32, 24, 0},                        /* ABS24_32 */
    {61, 0, 32, 32, 0},                        /* FUNC_DESC32_32 */
    {62, 0, 32, 32, 0},                        /* FUNC_DESC32_LO_32 */
    {63, 32, 32, 32, 0},                       /* FUNC_DESC32_HI_32 */
    {64, 0, 40, 14, 2},                        /* CONST_FIELD19_40 */
    {66, 0, 38, 16, 0},                        /* CONST_FIELD21_38 */
    {70, 0, 0, 32, 0},                         /* 32_LO */
    {71, 32, 0, 32, 0},                        /* 32_HI */
    {74, 0, 40, 24, 0},                        /* ABS24_40 */
    {75, 0, 16, 8, 2},                         /* ABS55_16_34: the lower byte, and the rest */
    {75, 8, 34, 47, 2},   {100, 0, 44, 20, 0}, /* ABS20_44 */
    {102, 0, 0, 64, 0},                        /* UNIFIED */
    {103, 0, 0, 32, 0},                        /* UNIFIED_32 */
    {112, 0, 32, 32, 0},                       /* UNIFIED32_LO_32 */
    {113, 32, 32, 32, 0},                      /* UNIFIED32_HI_32 */
    {114, 0, 16, 8, 2},                        /* ABS56_16_34 */
    {114, 8, 34, 48, 2},  {115, 0, 37, 17, 0}, /* CONST_FIELD22_37 */
};

/* First types of groups of eight: each type selects one byte of the address, from the lowest on (8_0 … 8_56, and
 * likewise for G, FUNC_DESC and UNIFIED). */
static const uint8_t first_of_bytes[] = {76, 84, 92, 104};

/* Types that are known by name and have no meaning here. */
static const struct {
    uint8_t first, last;
    const char *what;
} refused[] = {
    {5, 54, "a field of code before Volta, or of a texture reference"},
    {65, 65, "a texture or sampler reference; use texture objects"},
    {67, 67, "an instruction that the linker replaces; link the module with nvlink"},
    {72, 73, "what the linker clears; link the module with nvlink"},
    {101, 101, "a sampler reference; use texture objects"},
};

enum { YIELD_OPCODE = 68, YIELD_PREDICATE = 69 }; /* for linkers that remove a YIELD */

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
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (relocation->type >= refused[i].first && relocation->type <= refused[i].last)
            return mnp_fail(relocating->error,
                            "%s: cubin, %s, byte %" PRIu64 ": the relocation for `%s` (type %u) is %s", program->name,
                            relocating->section->name, relocation->offset, name, relocation->type, refused[i].what);
    if (launches_kernels(program->cubin))
        return mnp_fail(relocating->error,
                        "%s: cubin, %s, byte %" PRIu64 ": launches from kernels (dynamic parallelism) are not "
                        "supported; launch `%s` from the host",
                        program->name, relocating->section->name, relocation->offset, name);
    return mnp_fail(relocating->error,
                    "%s: cubin, %s, byte %" PRIu64
                    ": a relocation of type %u for `%s` is not known; load PTX in its place",
                    program->name, relocating->section->name, relocation->offset, relocation->type, name);
}

static bool is_generic(uint32_t type)
{
    return type == 3 || type == 4 || (type >= 84 && type <= 91);
}

/* The part of the name of the symbol's section behind .nv.constant; NULL: it is another section. */
static const char *bank_of(const struct sass_cubin *cubin, const struct sass_symbol *symbol)
{
    static const char prefix[] = ".nv.constant";
    bool defined = symbol->section && symbol->section < cubin->section_count;
    const char *name = defined ? cubin->sections[symbol->section].name : "";
    return strncmp(name, prefix, sizeof prefix - 1) == 0 ? name + sizeof prefix - 1 : NULL;
}

/* The value of a relocation: for a variable in a constant bank, its offset in the bank, unless a generic address is
 * required. */
static bool value_of(const struct sass_program *program, const struct sass_relocation *relocation, uint64_t *value)
{
    const struct sass_symbol *symbol = &program->cubin->symbols[relocation->symbol];
    if (!sass_symbol_address(program, relocation->symbol, value))
        return false;
    if (bank_of(program->cubin, symbol) && !is_generic(relocation->type))
        *value = symbol->value;
    return true;
}

/* Writes the bank number into the upper five bits of a CONST_FIELD…. */
static void write_bank(struct relocating *relocating, const struct sass_relocation *relocation)
{
    enum { PLACE = 54, BITS = 5 };
    const struct sass_cubin *cubin = relocating->program->cubin;
    const char *bank = bank_of(cubin, &cubin->symbols[relocation->symbol]);
    bool field = relocation->type == 64 || relocation->type == 66 || relocation->type == 115;
    field &= relocating->section->bytes - relocation->offset >= sizeof(uint64_t);
    if (bank && field)
        write_bits(relocating->program->image + relocating->section->offset + relocation->offset, PLACE, BITS,
                   strtoul(bank, NULL, 10));
}

/* Writes the field that a row describes; false: its section ends before. */
static bool write_field(struct relocating *relocating, const struct relocation_row *row,
                        const struct sass_relocation *relocation, uint64_t value)
{
    unsigned char *at = relocating->program->image + relocating->section->offset + relocation->offset;
    uint64_t room = (relocating->section->bytes - relocation->offset) * 8;
    if (row->bit + row->bits > room)
        return false;
    uint64_t own = relocating->adds && row->shift == 0 ? read_bits(at, row->bit, row->bits) << row->scale : 0;
    value += own + (uint64_t)relocation->addend;
    write_bits(at, row->bit, row->bits, value >> row->scale >> row->shift);
    return true;
}

static bool relocate_one(void *context, const struct sass_relocation *relocation)
{
    struct relocating *relocating = context;
    struct sass_program *program = relocating->program;
    const struct sass_cubin *cubin = program->cubin;
    const char *name = cubin->symbols[relocation->symbol].name;
    uint64_t value;
    bool found = false;
    if (relocation->type == YIELD_OPCODE || relocation->type == YIELD_PREDICATE || !relocating->section->data)
        return true;
    if (!value_of(program, relocation, &value))
        return mnp_fail(relocating->error,
                        "%s: cubin, %s, byte %" PRIu64 ": nothing defines `%s`; link the module that has it",
                        program->name, relocating->section->name, relocation->offset, name);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].type == relocation->type)
            found = write_field(relocating, &rows[i], relocation, value);
    for (size_t i = 0; i < sizeof first_of_bytes; i++) {
        uint32_t place = relocation->type - first_of_bytes[i];
        if (place < 8)
            found = write_field(relocating, &(struct relocation_row){.shift = (uint8_t)(8 * place), .bits = 8},
                                relocation, value);
    }
    if (found)
        write_bank(relocating, relocation);
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
