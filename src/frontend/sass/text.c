/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The text of a decoded instruction, in the notation of NVIDIA's disassembler:
 *     @!P0 LDG.E.64 R2, desc[UR4][R8.64+0x10]
 * that is the guard unless it is PT; the name with its modifiers; and the operands that are not hidden, with commas.
 * Some parts are omitted if they are zero, but never all parts of an address or constant: an address without registers
 * and offset is [RZ].
 */
#include "frontend/sass/text.h"

#include "frontend/sass/decode.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct line {
    char *text;
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void put(struct line *line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int more = vsnprintf(line->text + line->length, SASS_TEXT_MOST - line->length, format, arguments);
    va_end(arguments);
    line->length += more > 0 ? (size_t)more : 0;
    if (line->length >= SASS_TEXT_MOST)
        line->length = SASS_TEXT_MOST - 1;
}

static void put_register(struct line *line, uint8_t index)
{
    if (index == SASS_RZ)
        put(line, "RZ");
    else
        put(line, "R%u", index);
}

static void put_uniform(struct line *line, uint8_t index)
{
    if (index == SASS_RZ)
        put(line, "URZ");
    else
        put(line, "UR%u", index);
}

static void put_predicate(struct line *line, const char *prefix, uint8_t index)
{
    if (index == SASS_PT)
        put(line, "%sPT", prefix);
    else
        put(line, "%sP%u", prefix, index);
}

/* Writes a number in C notation, or the disassembler's words for infinities and NaN. */
static void put_real(struct line *line, double value, bool negative)
{
    if (isnan(value))
        put(line, "%cQNAN ", negative ? '-' : '+');
    else if (isinf(value))
        put(line, "%cINF ", negative ? '-' : '+');
    else if (value == 0 && negative)
        put(line, "-0.0 ");
    else if (fabs(value) >= 1e9)
        put(line, "%.20e", value);
    else
        put(line, "%.20g", value);
}

/* The value of a half: 5 bits of exponent, 10 of fraction. */
static double half_value(uint64_t bits)
{
    int exponent = (int)(bits >> 10 & 31);
    double fraction = (double)(bits & 1023);
    double value = exponent == 31 ? (fraction != 0 ? (double)NAN : (double)INFINITY)
                   : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                  : ldexp(fraction, -24);
    return bits >> 15 & 1 ? -value : value;
}

/* The value of a .bf16: the upper half of a float. */
static double brain_value(uint64_t bits)
{
    uint32_t word = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &word, sizeof value);
    return (double)value;
}

/* Writes a pair of halves, the upper one first. */
static void put_halves(struct line *line, uint64_t bits, double (*value)(uint64_t))
{
    put_real(line, value(bits >> 16 & 0xffff), bits >> 31 & 1);
    put(line, ", ");
    put_real(line, value(bits & 0xffff), bits >> 15 & 1);
}

static void put_signed(struct line *line, int64_t value)
{
    put(line, "%s0x%" PRIx64, value < 0 ? "-" : "", value < 0 ? -(uint64_t)value : (uint64_t)value);
}

static void put_immediate(struct line *line, const struct sass_operand *operand)
{
    uint32_t low = (uint32_t)operand->value;
    uint64_t high = (uint64_t)operand->value << 32;
    float single;
    double real;
    switch (operand->format) {
    case 'f':
        memcpy(&single, &low, sizeof single);
        put_real(line, (double)single, low >> 31);
        break;
    case 'd':
        memcpy(&real, &high, sizeof real);
        put_real(line, real, high >> 63);
        break;
    case 'h':
        put_halves(line, (uint64_t)operand->value, half_value);
        break;
    case 'b':
        put_halves(line, (uint64_t)operand->value, brain_value);
        break;
    case 'u':
        put(line, "0x%" PRIx64, (uint64_t)operand->value);
        break;
    default:
        put_signed(line, operand->value);
        break;
    }
}

/* Writes c[bank][offset], or cx[UR][offset] if a register names the bank. A register is added in front of the offset.
 * If the form has such a register, an offset of zero is omitted, and RZ is written only without an offset. */
static void put_constant(struct line *line, const struct sass_operand *operand, bool packed)
{
    if (operand->flags & SASS_BOUND) {
        put(line, "cx[");
        put_uniform(line, operand->uniform);
        put(line, "][");
    } else {
        put(line, packed ? "c[0x%x] [" : "c[0x%x][", operand->bank);
    }
    bool parts = operand->index != SASS_RZ || (operand->flags & SASS_ADDED && operand->uniform != SASS_RZ);
    bool uniform = operand->flags & SASS_ADDED && operand->flags & SASS_OF_UNIFORM;
    if (uniform ? parts || operand->value == 0 : operand->uniform != SASS_RZ && operand->flags & SASS_ADDED)
        put_uniform(line, operand->uniform);
    else if (parts || (operand->flags & SASS_ADDED && operand->value == 0))
        put_register(line, operand->index);
    if (operand->value || !(operand->flags & SASS_ADDED)) {
        put(line, "%s", parts ? "+" : "");
        put_signed(line, operand->value);
    }
    put(line, "]");
}

/* Writes [register+uniform register+offset], behind desc[UR] if the access has a descriptor. The register states its
 * width (.64 for a pair, .U32 beside a uniform register) and, for shared memory, its scale. */
static void put_address(struct line *line, const struct sass_operand *operand)
{
    static const char *const scales[] = {"", ".X4", ".X8", ".X16"};
    bool parts = false;
    if (operand->flags & SASS_DESCRIBED) {
        put(line, "desc[");
        put_uniform(line, operand->uniform);
        put(line, "]");
    }
    put(line, "[");
    bool added = operand->flags & SASS_ADDED;
    if (operand->index != SASS_RZ || (operand->bank && added) || (!added && operand->value == 0) ||
        operand->flags & (SASS_DESCRIBED | SASS_NARROW)) {
        put_register(line, operand->index);
        put(line, "%s%s", operand->index == SASS_RZ && !added ? "" : scales[operand->bank & 3],
            operand->flags & SASS_WIDE     ? ".64"
            : operand->flags & SASS_NARROW ? ".U32"
                                           : "");
        parts = true;
    }
    if (added) {
        put(line, "%s", parts ? "+" : "");
        put_uniform(line, operand->uniform);
        parts = true;
    }
    if (operand->value) {
        put(line, "%s", parts ? "+" : "");
        put_signed(line, operand->value);
    }
    put(line, "]");
}

static void put_special(struct line *line, const struct sass_operand *operand)
{
    if (operand->text.length)
        put(line, "%.*s", operand->text.length, operand->text.text);
    else
        put(line, "SR%u", operand->index);
}

/* Writes the numbers of the bits that are set, the highest first: {3,1}. */
static void put_set(struct line *line, uint64_t set)
{
    const char *separator = "";
    put(line, "{");
    for (unsigned i = 64; i--;) {
        if (!(set >> i & 1))
            continue;
        put(line, "%s%u", separator, i);
        separator = ",";
    }
    put(line, "}");
}

/* Writes a branch's target as an address: the offset counts from the next instruction, or from the beginning of the
 * code (SASS_FIXED). If a register is added, register and offset are written. */
static void put_target(struct line *line, const struct sass_operand *operand, uint64_t next)
{
    if (operand->index != SASS_RZ) {
        if (operand->flags & SASS_ADDED)
            put_uniform(line, operand->index);
        else
            put_register(line, operand->index);
        put(line, " ");
        next = 0;
    }
    put_signed(line, (int64_t)(operand->flags & SASS_FIXED ? 0 : next) + operand->value);
}

/* A uniform register in brackets, of tensor memory with an offset. */
static void put_bracketed(struct line *line, const struct sass_operand *operand)
{
    put(line, "%.*s[", operand->text.length, operand->text.text);
    put_uniform(line, operand->index);
    if (operand->value) {
        put(line, "+");
        put_signed(line, operand->value);
    }
    put(line, "]");
}

static void put_suffixes(struct line *line, const struct sass_operand *operand)
{
    for (unsigned i = 0; i < SASS_SUFFIXES && operand->suffixes[i].length; i++)
        put(line, ".%.*s", operand->suffixes[i].length, operand->suffixes[i].text);
}

static void put_plain(struct line *line, const struct sass_operand *operand, uint64_t next)
{
    switch (operand->kind) {
    case SASS_REGISTER:
        put_register(line, operand->index);
        break;
    case SASS_UNIFORM:
        put_uniform(line, operand->index);
        break;
    case SASS_PREDICATE:
        put_predicate(line, "", operand->index);
        break;
    case SASS_UNIFORM_PREDICATE:
        put_predicate(line, "U", operand->index);
        break;
    case SASS_IMMEDIATE:
        put_immediate(line, operand);
        break;
    case SASS_CONSTANT:
        put_constant(line, operand, operand->flags & SASS_PACKED);
        break;
    case SASS_ADDRESS:
        put_address(line, operand);
        break;
    case SASS_BARRIER:
        put(line, "B%u", operand->index);
        break;
    case SASS_SPECIAL:
        put_special(line, operand);
        break;
    case SASS_TARGET:
        put_target(line, operand, next);
        break;
    case SASS_BRACKETED:
        put_bracketed(line, operand);
        break;
    case SASS_SCOREBOARD:
        put(line, "SB%u", (unsigned)operand->value);
        break;
    case SASS_SET:
        put_set(line, (uint64_t)operand->value);
        break;
    default:
        put(line, "%.*s", operand->text.length, operand->text.text);
        break;
    }
}

/* Writes an operand with its sign, absolute bars, .reuse and suffixes. The suffixes of a uniform register are inside
 * the bars, those of other operands behind them. */
static void put_operand(struct line *line, const struct sass_operand *operand, uint64_t next)
{
    static const char *const halves[] = {"", ".F32", ".H0_H0", ".H1_H1"};
    bool is_predicate = operand->kind == SASS_PREDICATE || operand->kind == SASS_UNIFORM_PREDICATE;
    bool absolute = operand->flags & SASS_ABSOLUTE;
    if (operand->flags & SASS_NEGATED)
        put(line, "-");
    if (operand->flags & SASS_INVERTED)
        put(line, is_predicate ? "!" : "~");
    put(line, "%s", absolute ? "|" : "");
    put_plain(line, operand, next);
    if (operand->kind == SASS_UNIFORM) {
        put(line, "%s", halves[operand->half]);
        put_suffixes(line, operand);
    }
    put(line, "%s%s", absolute ? "|" : "", operand->flags & SASS_REUSED ? ".reuse" : "");
    if (operand->kind != SASS_UNIFORM) {
        put(line, "%s", halves[operand->half]);
        put_suffixes(line, operand);
    }
}

static void put_guard(struct line *line, const struct sass_instruction *instruction)
{
    bool uniform = sass_guard_is_uniform(instruction);
    if (instruction->guard == SASS_PT && !instruction->guard_inverted)
        return;
    put(line, "@%s", instruction->guard_inverted ? "!" : "");
    put_predicate(line, uniform ? "U" : "", instruction->guard);
    put(line, " ");
}

void sass_opcode_text(const struct sass_instruction *instruction, char text[static SASS_TEXT_MOST])
{
    size_t length = strlen(instruction->form->name);
    memcpy(text, instruction->form->name, length);
    for (unsigned i = 0; i < instruction->modifier_count; i++) {
        const struct sass_modifier *modifier = &instruction->modifiers[i];
        if (length + modifier->length + 2 > SASS_TEXT_MOST)
            break;
        text[length++] = '.';
        memcpy(text + length, modifier->text, modifier->length);
        length += modifier->length;
    }
    text[length] = 0;
}

void sass_text(const struct sass_instruction *instruction, uint64_t address, char text[static SASS_TEXT_MOST])
{
    struct line line = {.text = text};
    put_guard(&line, instruction);
    put(&line, "%s", instruction->form->name);
    for (unsigned i = 0; i < instruction->modifier_count; i++)
        put(&line, ".%.*s", instruction->modifiers[i].length, instruction->modifiers[i].text);
    const char *separator = " ";
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct sass_operand *operand = &instruction->operands[i];
        if (operand->flags & SASS_HIDDEN)
            continue;
        put(&line, "%s", separator);
        put_operand(&line, operand, address + SASS_WORD_BYTES);
        separator = ", ";
    }
    if (line.length && text[line.length - 1] == ' ')
        text[line.length - 1] = 0;
}

/* Runs of bits are written as ranges, from the lowest bit on. */
void sass_unnamed_text(const struct sass_instruction *instruction, char text[static SASS_BITS_MOST])
{
    enum { BITS = 128 };
    struct sass_word rest = sass_unnamed_bits(instruction);
    size_t length = 0;
    for (unsigned from = 0, to; from < BITS; from = to + 1) {
        to = from;
        if (!sass_bit(&rest, from))
            continue;
        while (to + 1 < BITS && sass_bit(&rest, to + 1))
            to++;
        const char *before = length ? ", " : rest.low == 0 && !(rest.high & (rest.high - 1)) ? "bit " : "bits ";
        int more = to > from ? snprintf(text + length, SASS_BITS_MOST - length, "%s%u-%u", before, from, to)
                             : snprintf(text + length, SASS_BITS_MOST - length, "%s%u", before, from);
        length += (size_t)more;
        if (length + 16 > SASS_BITS_MOST) /* far more than any damage that is worth a list */
            break;
    }
}
