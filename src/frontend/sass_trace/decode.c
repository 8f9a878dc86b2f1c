/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The text of an instruction to what the models need of it. A trace names the first register of a pair or quad only;
 * how many there are follows from the opcode and its modifiers. R255 is the zero register: no dependence.
 */
#include "frontend/sass_trace/decode.h"

#include "frontend/sass_trace/opcodes.h"

#include <string.h>

enum { MOST_OPERANDS = 8 };

struct operands {
    uint8_t destination[MOST_OPERANDS], source[MOST_OPERANDS];
    uint32_t destinations, sources;
};

/* ===== tokens ===== */

static const char *skip_spaces(const char *at, const char *end)
{
    while (at < end && *at == ' ')
        at++;
    return at;
}

static const char *token_end(const char *at, const char *end)
{
    while (at < end && *at != ' ')
        at++;
    return at;
}

/* A count of operands and as many registers "Rn". */
static const char *read_registers(const char *at, const char *end, uint8_t registers[static MOST_OPERANDS],
                                  uint32_t *count)
{
    at = skip_spaces(at, end);
    if (at >= end || *at < '0' || *at > '0' + MOST_OPERANDS || token_end(at, end) != at + 1)
        return NULL;
    *count = (uint32_t)(*at - '0');
    at++;
    for (uint32_t i = 0; i < *count; i++) {
        at = skip_spaces(at, end);
        uint32_t number = 0;
        const char *digits = at + 1;
        if (at >= end || *at != 'R')
            return NULL;
        for (at++; at < end && *at >= '0' && *at <= '9' && number < 1000; at++)
            number = number * 10 + (uint32_t)(*at - '0');
        if (at == digits || number > 255 || (at < end && *at != ' '))
            return NULL;
        registers[i] = (uint8_t)number;
    }
    return at;
}

/* ===== modifiers ===== */

/* Whether ".modifier" stands in the opcode as a whole word. */
static bool has(const char *opcode, const char *modifier)
{
    size_t length = strlen(modifier);
    for (const char *dot = strchr(opcode, '.'); dot; dot = strchr(dot + 1, '.'))
        if (strncmp(dot + 1, modifier, length) == 0 && (dot[1 + length] == 0 || dot[1 + length] == '.'))
            return true;
    return false;
}

static uint8_t memory_width(const char *opcode)
{
    if (has(opcode, "U8") || has(opcode, "S8"))
        return 1;
    if (has(opcode, "U16") || has(opcode, "S16"))
        return 2;
    if (has(opcode, "64") || has(opcode, "U64") || has(opcode, "S64") || has(opcode, "F64"))
        return 8;
    return has(opcode, "128") ? 16 : 4;
}

static uint8_t registers_of(uint32_t width)
{
    return width > 4 ? (uint8_t)(width / 4) : 1;
}

/* ===== widths of operands ===== */

struct widths {
    uint8_t destination, source[MOST_OPERANDS];
};

static void all_sources(struct widths *widths, uint8_t count)
{
    memset(widths->source, count, sizeof widths->source);
}

/* Operands of a matrix instruction in registers: A, B and the accumulator, by shape and type (PTX ISA, mma). */
static void matrix_widths(const char *opcode, struct widths *widths, struct mnp_static_instruction *instruction)
{
    bool single = has(opcode, "F32") || has(opcode, "S8") || has(opcode, "U8") || has(opcode, "S4") || has(opcode, "U4");
    uint8_t accumulator = single ? 4 : 2, a = 2, b = 1;
    instruction->tensor_cycles = 2;
    if (has(opcode, "16816") || has(opcode, "16832") || has(opcode, "16864")) {
        a = 4;
        b = 2;
        instruction->tensor_cycles = 4;
    } else if (has(opcode, "884")) {
        accumulator = has(opcode, "F32") ? 4 : 2;
        a = b = 2;
        instruction->tensor_cycles = 1;
        if (opcode[0] == 'D')
            accumulator = 4;
    }
    widths->destination = accumulator;
    widths->source[0] = a;
    widths->source[1] = b;
    widths->source[2] = accumulator;
}

static void memory_widths(const char *opcode, const struct opcode_row *row, const struct operands *operands,
                          uint8_t width, struct widths *widths)
{
    uint8_t data = registers_of(width);
    bool wide_address = row->operands == OPERANDS_GLOBAL && (has(opcode, "E") || opcode[2] == 0 || opcode[2] == '.');
    widths->destination = data;
    all_sources(widths, data);
    widths->source[0] = wide_address || row->operands == OPERANDS_GLOBAL ? 2 : 1;
    if (row->operands == OPERANDS_LDSM) {
        widths->destination = has(opcode, "4") ? 4 : has(opcode, "2") ? 2 : 1;
        all_sources(widths, widths->destination);
        widths->source[0] = 1;
    }
    if (strncmp(opcode, "LDGSTS", 6) == 0) { /* destination address in shared memory, source address in global */
        widths->source[0] = 1;
        widths->source[1] = 2;
    }
    (void)operands;
}

static void convert_widths(const char *opcode, struct widths *widths)
{
    static const char *const wide[] = {"F64", "S64", "U64"};
    const char *first = strchr(opcode, '.');
    const char *second = first ? strchr(first + 1, '.') : NULL;
    for (uint32_t i = 0; i < 3; i++) {
        if (first && strncmp(first + 1, wide[i], 3) == 0)
            widths->destination = 2;
        if (second && strncmp(second + 1, wide[i], 3) == 0)
            all_sources(widths, 2);
    }
}

static void find_widths(const char *opcode, const struct opcode_row *row, const struct operands *operands,
                        struct mnp_static_instruction *instruction, struct widths *widths)
{
    widths->destination = 1;
    all_sources(widths, 1);
    switch ((enum opcode_operands)row->operands) {
    case OPERANDS_WIDE:
        if (has(opcode, "WIDE"))
            widths->destination = widths->source[2] = 2;
        break;
    case OPERANDS_DOUBLE:
        widths->destination = 2;
        all_sources(widths, 2);
        break;
    case OPERANDS_DOUBLE_SOURCES:
        all_sources(widths, 2);
        break;
    case OPERANDS_GLOBAL:
    case OPERANDS_LOCAL:
    case OPERANDS_LDSM:
        memory_widths(opcode, row, operands, instruction->width, widths);
        break;
    case OPERANDS_MATRIX:
        matrix_widths(opcode, widths, instruction);
        break;
    case OPERANDS_CONVERT:
        convert_widths(opcode, widths);
        break;
    case OPERANDS_CLOCK:
        widths->destination = has(opcode, "32") ? 1 : 2;
        break;
    case OPERANDS_TEXTURE:
        widths->destination = 4;
        break;
    case OPERANDS_SINGLE:
        break;
    }
}

/* A range of registers that does not reach the zero register. */
static struct mnp_registers range(uint8_t first, uint8_t count)
{
    if (first == MNP_ZERO_REGISTER)
        return (struct mnp_registers){0};
    uint32_t room = MNP_ZERO_REGISTER - first;
    return (struct mnp_registers){.first = first, .count = count < room ? count : (uint8_t)room};
}

static void set_registers(const struct operands *operands, const struct widths *widths,
                          struct mnp_static_instruction *instruction)
{
    if (operands->destinations)
        instruction->destination = range(operands->destination[0], widths->destination);
    for (uint32_t i = 0; i < operands->sources && instruction->source_count < MNP_MAX_SOURCES; i++) {
        struct mnp_registers source = range(operands->source[i], widths->source[i]);
        if (source.count)
            instruction->source[instruction->source_count++] = source;
    }
}

/* ===== the instruction ===== */

static void set_flags(const char *opcode, struct mnp_static_instruction *instruction)
{
    if (instruction->class == MNP_CLASS_MEMORY &&
        (has(opcode, "CG") || (has(opcode, "STRONG") && (has(opcode, "GPU") || has(opcode, "SYS")))))
        instruction->flags |= MNP_FLAG_BYPASS_L1;
    if ((instruction->flags & MNP_FLAG_BARRIER) && has(opcode, "ARV")) {
        instruction->flags &= (uint8_t)~MNP_FLAG_BARRIER;
        instruction->flags |= MNP_FLAG_ARRIVE;
    }
}

enum decode_result decode_instruction(const char *text, const char *end, struct mnp_static_instruction *instruction,
                                      const char **rest, char opcode[static 64])
{
    struct operands operands = {0};
    opcode[0] = 0;
    const char *at = read_registers(text, end, operands.destination, &operands.destinations);
    if (!at)
        return DECODE_MALFORMED;
    const char *name = skip_spaces(at, end);
    at = token_end(name, end);
    size_t length = (size_t)(at - name);
    if (length == 0 || length > 63)
        return DECODE_MALFORMED;
    memcpy(opcode, name, length);
    opcode[length] = 0;
    at = read_registers(at, end, operands.source, &operands.sources);
    if (!at)
        return DECODE_MALFORMED;
    *rest = skip_spaces(at, end);
    const struct opcode_row *row = opcode_find(opcode, strcspn(opcode, "."));
    if (!row) {
        *instruction = (struct mnp_static_instruction){.class = MNP_CLASS_INT, .flags = MNP_FLAG_UNKNOWN};
        struct widths widths = {.destination = 1, .source = {1, 1, 1, 1, 1, 1, 1, 1}};
        set_registers(&operands, &widths, instruction);
        return DECODE_UNKNOWN_OPCODE;
    }
    *instruction = (struct mnp_static_instruction){.opcode = (uint16_t)(row - opcode_table),
                                                   .class = row->class,
                                                   .flags = row->flags,
                                                   .space = row->space,
                                                   .operation = row->operation,
                                                   .width = row->class == MNP_CLASS_MEMORY ? memory_width(opcode) : 0};
    set_flags(opcode, instruction);
    struct widths widths;
    find_widths(opcode, row, &operands, instruction, &widths);
    set_registers(&operands, &widths, instruction);
    return DECODE_DONE;
}
