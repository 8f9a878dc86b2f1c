/* SPDX-License-Identifier: BSD-3-Clause */
#include "isa/widths.h"

#include <stdio.h>
#include <string.h>

bool isa_opcode_has(const char *opcode, const char *modifier)
{
    size_t length = strlen(modifier);
    for (const char *dot = strchr(opcode, '.'); dot; dot = strchr(dot + 1, '.'))
        if (strncmp(dot + 1, modifier, length) == 0 && (dot[1 + length] == 0 || dot[1 + length] == '.'))
            return true;
    return false;
}

static bool has_any(const char *opcode, const char *const *modifiers)
{
    for (; *modifiers; modifiers++)
        if (isa_opcode_has(opcode, *modifiers))
            return true;
    return false;
}

static const char *const wide_integers[] = {"S64", "U64", NULL};

/* ===== memory ===== */

/* The number of 8 × 8 matrices of halves that LDSM moves: one register each. */
static uint8_t matrices(const char *opcode)
{
    return isa_opcode_has(opcode, "4") ? 4 : isa_opcode_has(opcode, "2") ? 2 : 1;
}

uint8_t isa_memory_width(const char *opcode, const struct isa_opcode_row *row)
{
    static const char *const one[] = {"U8", "S8", NULL}, *const two[] = {"U16", "S16", NULL};
    static const char *const eight[] = {"64", "U64", "S64", "F64", NULL};
    if (row->operands == ISA_OPERANDS_LDSM)
        return 4 * matrices(opcode);
    if (has_any(opcode, one))
        return 1;
    if (has_any(opcode, two))
        return 2;
    if (has_any(opcode, eight))
        return 8;
    return isa_opcode_has(opcode, "256") ? 32 : isa_opcode_has(opcode, "128") ? 16 : 4;
}

static void all_sources(struct isa_widths *widths, uint8_t count)
{
    memset(widths->source, count, sizeof widths->source);
}

static void memory_widths(const char *opcode, const struct isa_opcode_row *row, uint8_t width,
                          struct isa_widths *widths)
{
    uint8_t data = width > 4 ? width / 4 : 1;
    widths->destination = data;
    all_sources(widths, data);
    widths->source[0] = row->operands == ISA_OPERANDS_GLOBAL ? 2 : 1;
    /* operands: destination address in shared memory, source address in global memory */
    if (strncmp(opcode, "LDGSTS", 6) == 0) {
        widths->source[0] = 1;
        widths->source[1] = 2;
    }
}

/* ===== matrices ===== */

struct shape {
    uint32_t m, n, k;
};

/* Parses the shape of a matrix instruction from its modifier: 16816, 8x8x4 of doubles on Hopper, or 64x128x16 for a
 * warpgroup. */
static struct shape matrix_shape(const char *opcode)
{
    static const struct {
        const char *modifier;
        struct shape shape;
    } known[] = {{"884", {8, 8, 4}},     {"1684", {16, 8, 4}},   {"1688", {16, 8, 8}},     {"16816", {16, 8, 16}},
                 {"16832", {16, 8, 32}}, {"16864", {16, 8, 64}}, {"168128", {16, 8, 128}}, {"168256", {16, 8, 256}},
                 {"8816", {8, 8, 16}},   {"8832", {8, 8, 32}},   {"8864", {8, 8, 64}},     {"88128", {8, 8, 128}}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (isa_opcode_has(opcode, known[i].modifier))
            return known[i].shape;
    for (const char *dot = strchr(opcode, '.'); dot; dot = strchr(dot + 1, '.')) {
        struct shape group;
        if (sscanf(dot, ".%3ux%3ux%3u", &group.m, &group.n, &group.k) == 3 && group.m <= 64 && group.n <= 256 &&
            group.k <= 256)
            return (struct shape){group.m == 64 ? 16 : group.m, group.n, group.k}; /* a warp's share of a warpgroup's */
    }
    return (struct shape){16, 8, 16};
}

static uint32_t element_bits(const char *opcode)
{
    static const char *const four[] = {"S4", "U4", NULL};
    switch (opcode[0]) {
    case 'D':
        return 64;
    case 'B':
        return 1;
    case 'Q':
        return 8;
    case 'O':
        return 4;
    case 'I':
        return has_any(opcode, four) ? 4 : 8;
    default:
        return isa_opcode_has(opcode, "TF32") ? 32 : 16;
    }
}

static uint8_t registers_of_matrix(uint32_t elements, uint32_t bits)
{
    uint32_t count = elements * bits / (32 * MNP_WARP_SIZE);
    return count == 0 ? 1 : count < 255 ? (uint8_t)count : 254;
}

uint8_t isa_product_cost(uint32_t products, uint32_t bits)
{
    uint32_t cost = products * bits / 8192 * (bits == 64 ? 4 : 1);
    return cost == 0 ? 1 : cost < 255 ? (uint8_t)cost : 255;
}

/* Register operands A, B and the accumulator. They are distributed evenly over the lanes (PTX ISA, mma), except for
 * Volta's shape, whose steps take pairs. */
static void matrix_widths(const char *opcode, struct mnp_static_instruction *instruction, struct isa_widths *widths)
{
    struct shape shape = matrix_shape(opcode);
    uint32_t bits = element_bits(opcode);
    uint32_t accumulator = bits == 64 ? 64 : opcode[0] == 'H' && !isa_opcode_has(opcode, "F32") ? 16 : 32;
    bool volta = opcode[0] == 'H' && isa_opcode_has(opcode, "884");
    widths->source[1] = volta ? 2 : registers_of_matrix(shape.k * shape.n, bits);
    /* half of A is stored, and half is multiplied; does not apply to warpgroups */
    if (opcode[1] == 'M' && isa_opcode_has(opcode, "SP"))
        shape.k /= 2;
    widths->source[0] = volta ? 2 : registers_of_matrix(shape.m * shape.k, bits);
    widths->source[2] = widths->destination = volta ? 2 : registers_of_matrix(shape.m * shape.n, accumulator);
    uint32_t products = shape.m * shape.n * shape.k;
    instruction->tensor_cycles = isa_product_cost(products, bits);
    /* log2 of 2 · m · n · k operations */
    instruction->products = products ? (32 - __builtin_clz(products)) & 31 : 0;
    instruction->operand = mnp_operand_of(bits) & 7;
}

/* ===== conversions ===== */

/* F2F.F64.F32 names destination, then source; F2I.F64 and I2F.F64 name the floating-point side, whichever it is. */
static void convert_widths(const char *opcode, struct isa_widths *widths)
{
    bool wide_float = isa_opcode_has(opcode, "F64"), wide_integer = has_any(opcode, wide_integers);
    bool to = false, from = false;
    if (strncmp(opcode, "F2I", 3) == 0) {
        to = wide_integer;
        from = wide_float;
    } else if (strncmp(opcode, "I2F", 3) == 0) {
        to = wide_float;
        from = wide_integer;
    } else if (strncmp(opcode, "F2F", 3) == 0) {
        const char *second = strchr(strchr(opcode, '.') ? strchr(opcode, '.') + 1 : opcode, '.');
        to = strncmp(opcode, "F2F.F64", 7) == 0;
        from = second && isa_opcode_has(second, "F64");
    } else {
        to = from = wide_float || wide_integer;
    }
    if (to)
        widths->destination = 2;
    if (from)
        all_sources(widths, 2);
}

/* ===== arithmetic ===== */

uint8_t isa_operation_group(const char *opcode)
{
    static const struct {
        const char *begins;
        uint8_t group;
    } known[] = {{"FADD", MNP_GROUP_FADD}, {"FMUL", MNP_GROUP_FMUL}, {"FFMA", MNP_GROUP_FFMA},
                 {"HADD", MNP_GROUP_HADD}, {"HMUL", MNP_GROUP_HMUL}, {"HFMA", MNP_GROUP_HFMA},
                 {"DADD", MNP_GROUP_DADD}, {"DMUL", MNP_GROUP_DMUL}, {"DFMA", MNP_GROUP_DFMA}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(opcode, known[i].begins, 4) == 0)
            return known[i].group;
    if (strncmp(opcode, "I2F.", 4) == 0 && isa_opcode_has(opcode, "RP"))
        return isa_opcode_has(opcode, "U64")   ? MNP_GROUP_DIVISION_64
               : isa_opcode_has(opcode, "U32") ? MNP_GROUP_DIVISION_U32
                                               : MNP_GROUP_DIVISION_S32;
    return strncmp(opcode, "IMAD.HI.U32", 11) == 0 ? MNP_GROUP_HIGH : MNP_GROUP_OTHER;
}

bool isa_has_operation_group(uint8_t class)
{
    return class == MNP_CLASS_FP32 || class == MNP_CLASS_HALF || class == MNP_CLASS_FP64 ||
           class == MNP_CLASS_CONVERT || class == MNP_CLASS_IMAD;
}

void isa_regroup(struct mnp_static_instruction *instruction)
{
    uint32_t registers = 0;
    for (uint32_t i = 0; i < instruction->source_count; i++)
        registers += instruction->source[i].count > 0;
    if (instruction->class == MNP_CLASS_IMAD && instruction->group == MNP_GROUP_HIGH && registers < 2)
        instruction->group = MNP_GROUP_OTHER;
}

/* ===== all ===== */

void isa_find_widths(const char *opcode, const struct isa_opcode_row *row, struct mnp_static_instruction *instruction,
                     struct isa_widths *widths)
{
    widths->destination = 1;
    all_sources(widths, 1);
    if (isa_has_operation_group(instruction->class))
        instruction->group = isa_operation_group(opcode);
    if (instruction->class == MNP_CLASS_HALF)
        instruction->matrix = isa_opcode_has(opcode, "MMA");
    switch ((enum isa_operands)row->operands) {
    case ISA_OPERANDS_WIDE:
        if (isa_opcode_has(opcode, "WIDE"))
            widths->destination = widths->source[2] = 2;
        break;
    case ISA_OPERANDS_DOUBLE:
        widths->destination = 2;
        all_sources(widths, 2);
        break;
    case ISA_OPERANDS_DOUBLE_SOURCES:
        all_sources(widths, 2);
        break;
    case ISA_OPERANDS_GLOBAL:
    case ISA_OPERANDS_LOCAL:
    case ISA_OPERANDS_LDSM:
        memory_widths(opcode, row, instruction->width, widths);
        break;
    case ISA_OPERANDS_MATRIX:
        matrix_widths(opcode, instruction, widths);
        break;
    case ISA_OPERANDS_CONVERT:
        convert_widths(opcode, widths);
        break;
    case ISA_OPERANDS_CLOCK:
        widths->destination = isa_opcode_has(opcode, "32") ? 1 : 2;
        break;
    case ISA_OPERANDS_TEXTURE:
        widths->destination = 4;
        break;
    /* Blackwell's IADD.64, ISETP.S64 and the like; not SHF, whose halves are separate operands */
    case ISA_OPERANDS_SINGLE:
        if (instruction->class == MNP_CLASS_INT && strncmp(opcode, "SHF", 3) != 0 &&
            (isa_opcode_has(opcode, "64") || has_any(opcode, wide_integers))) {
            widths->destination = 2;
            all_sources(widths, 2);
        }
        break;
    }
}
