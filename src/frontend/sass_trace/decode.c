/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decoder from the text of an instruction to the form used by models. A trace names only the first register of a pair
 * or quad; the opcode and its modifiers determine the number. R255 is the zero register: no dependence.
 */
#include "frontend/sass_trace/decode.h"

#include "isa/widths.h"

#include <string.h>

struct operands {
    uint8_t destination[ISA_MOST_OPERANDS], source[ISA_MOST_OPERANDS];
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

/* Skips the prefix of a register's name: R; or UR, P and UP of version 6, which are not tracked as dependences here (RZ
 * replaces them). NULL: not a register's name. */
static const char *read_kind(const char *at, const char *end, bool *general)
{
    size_t rest = (size_t)(end - at);
    *general = rest && *at == 'R';
    if (*general || (rest && *at == 'P'))
        return at + 1;
    return rest > 1 && *at == 'U' && (at[1] == 'R' || at[1] == 'P') ? at + 2 : NULL;
}

/* A count of operands and as many registers "Rn". */
static const char *read_registers(const char *at, const char *end, uint8_t registers[static ISA_MOST_OPERANDS],
                                  uint32_t *count)
{
    at = skip_spaces(at, end);
    if (at >= end || *at < '0' || *at > '0' + ISA_MOST_OPERANDS || token_end(at, end) != at + 1)
        return NULL;
    *count = (uint32_t)(*at - '0');
    at++;
    for (uint32_t i = 0; i < *count; i++) {
        at = skip_spaces(at, end);
        uint32_t number = 0;
        bool general;
        const char *digits = read_kind(at, end, &general);
        if (!digits)
            return NULL;
        for (at = digits; at < end && *at >= '0' && *at <= '9' && number < 1000; at++)
            number = number * 10 + (uint32_t)(*at - '0');
        if (at == digits || number > 255 || (at < end && *at != ' '))
            return NULL;
        registers[i] = general ? (uint8_t)number : MNP_ZERO_REGISTER;
    }
    return at;
}

/* ===== operands ===== */

/* A range of registers that does not reach the zero register. */
static struct mnp_registers range(uint8_t first, uint8_t count)
{
    if (first == MNP_ZERO_REGISTER)
        return (struct mnp_registers){0};
    uint32_t room = MNP_ZERO_REGISTER - first;
    return (struct mnp_registers){.first = first, .count = count < room ? count : (uint8_t)room};
}

static void set_registers(const struct operands *operands, const struct isa_widths *widths,
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

static bool bypasses_l1(const char *opcode)
{
    if (isa_opcode_has(opcode, "STRONG") && (isa_opcode_has(opcode, "GPU") || isa_opcode_has(opcode, "SYS")))
        return true;
    return isa_opcode_has(opcode, "CG") || isa_opcode_has(opcode, "BYPASS");
}

/* Predicates and carries, which a trace does not name: LOP3 without a register to write writes a predicate, and the
 * upper half of a sum (.X) takes the carry of the lower one. */
static void set_predicates(const char *opcode, const struct isa_opcode_row *row,
                           struct mnp_static_instruction *instruction)
{
    static const char *const selecting[] = {"SEL", "FSEL", "PLOP3"};
    for (size_t i = 0; i < sizeof selecting / sizeof *selecting; i++)
        instruction->selects |= strcmp(row->name, selecting[i]) == 0;
    instruction->selects |= strcmp(row->name, "ISETP") == 0 && isa_opcode_has(opcode, "EX");
    bool integer = instruction->class == MNP_CLASS_INT || instruction->class == MNP_CLASS_IMAD;
    instruction->carries = integer && isa_opcode_has(opcode, "X") && instruction->destination.first & 1;
    if (strcmp(row->name, "LOP3") == 0 && !instruction->destination.count)
        instruction->flags |= MNP_FLAG_PREDICATE;
}

static void set_flags(const char *opcode, struct mnp_static_instruction *instruction)
{
    if (instruction->class == MNP_CLASS_MEMORY && bypasses_l1(opcode))
        instruction->flags |= MNP_FLAG_BYPASS_L1;
    if ((instruction->flags & MNP_FLAG_BARRIER) && isa_opcode_has(opcode, "ARV")) {
        instruction->flags &= (uint8_t)~MNP_FLAG_BARRIER;
        instruction->flags |= MNP_FLAG_ARRIVE;
    }
}

int trace_counted_groups(const char *opcode)
{
    static const char wait[] = "DEPBAR.LE.";
    if (strncmp(opcode, wait, sizeof wait - 1) != 0)
        return -1;
    int groups = 0, digits = 0;
    for (const char *at = opcode + sizeof wait - 1; *at >= '0' && *at <= '9' && digits < 3; at++, digits++)
        groups = 10 * groups + *at - '0';
    return digits ? groups : -1;
}

/* Copies to shared memory, ends of their groups, and waits for these. */
static void set_copies(const char *opcode, const struct isa_opcode_row *row, struct mnp_static_instruction *instruction)
{
    int groups = trace_counted_groups(opcode);
    if (strcmp(row->name, "LDGSTS") == 0) {
        instruction->copies = 1;
    } else if (strcmp(row->name, "LDGDEPBAR") == 0) {
        mnp_set_group_end(instruction);
    } else if (groups >= 0) {
        mnp_set_group_wait(instruction, (uint64_t)groups);
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
    const struct isa_opcode_row *row = isa_opcode_find(opcode, strcspn(opcode, "."));
    if (!row) {
        *instruction = (struct mnp_static_instruction){
            .opcode = (uint16_t)ISA_OPCODE_COUNT, .class = MNP_CLASS_INT, .flags = MNP_FLAG_UNKNOWN};
        struct isa_widths widths = {.destination = 1, .source = {1, 1, 1, 1, 1, 1, 1, 1}};
        set_registers(&operands, &widths, instruction);
        mnp_complete_registers(instruction);
        return DECODE_UNKNOWN_OPCODE;
    }
    *instruction =
        (struct mnp_static_instruction){.opcode = (uint16_t)(row - isa_opcodes),
                                        .class = row->class,
                                        .flags = row->flags,
                                        .space = row->space,
                                        .operation = row->operation,
                                        .width = row->class == MNP_CLASS_MEMORY ? isa_memory_width(opcode, row) : 0};
    set_flags(opcode, instruction);
    struct isa_widths widths;
    isa_find_widths(opcode, row, instruction, &widths);
    set_registers(&operands, &widths, instruction);
    isa_regroup(instruction);
    set_predicates(opcode, row, instruction);
    set_copies(opcode, row, instruction);
    mnp_complete_registers(instruction);
    return DECODE_DONE;
}
