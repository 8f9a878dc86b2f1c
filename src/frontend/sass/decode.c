/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/sass/decode.h"

#include "base/allocate.h"

#include <stdlib.h>
#include <string.h>

enum { OPERATIONS = 1 << 12, MOST_ROWS = 1 << 11 };

struct sass_decoder {
    unsigned architecture;
    uint32_t first[OPERATIONS + 1]; /* rows of an operation and kind: places in `rows` */
    const struct sass_form **rows;
};

/* ===== which rows ===== */

static bool belongs(const struct sass_form *form, unsigned operation, unsigned architecture)
{
    return form->operation == (operation & 0x1ff) && form->kinds >> (operation >> 9) & 1 &&
           form->from <= architecture && architecture <= form->to;
}

static uint32_t append_rows(struct sass_decoder *decoder, unsigned operation, uint32_t count)
{
    for (const struct sass_group *const *group = sass_groups; *group; group++)
        for (size_t i = 0; i < (*group)->count; i++)
            if (belongs(&(*group)->rows[i], operation, decoder->architecture))
                decoder->rows[count++] = &(*group)->rows[i];
    return count;
}

struct sass_decoder *sass_decoder_create(unsigned architecture)
{
    struct sass_decoder *decoder = mnp_allocate(1, sizeof *decoder);
    size_t rows = 0;
    for (const struct sass_group *const *group = sass_groups; *group; group++)
        rows += (*group)->count;
    decoder->rows = mnp_allocate(8 * rows, sizeof *decoder->rows); /* a row has eight kinds at most */
    decoder->architecture = architecture;
    for (unsigned operation = 0; operation < OPERATIONS; operation++)
        decoder->first[operation + 1] = append_rows(decoder, operation, decoder->first[operation]);
    return decoder;
}

void sass_decoder_free(struct sass_decoder *decoder)
{
    if (decoder)
        free(decoder->rows);
    free(decoder);
}

/* ===== fields ===== */

/* Reads "40-53" or "73,86" or "24-26+91": a field of the word, pieces from the lowest to the highest. */
static const char *read_field(const char *at, const struct sass_word *word, uint64_t *value, unsigned *bits)
{
    *value = 0;
    *bits = 0;
    for (;; at++) {
        char *end;
        unsigned from = (unsigned)strtoul(at, &end, 10), to = from;
        if (*end == '-')
            to = (unsigned)strtoul(end + 1, &end, 10);
        *value |= sass_bits(word, from, to) << *bits;
        *bits += to - from + 1;
        at = end;
        if (*at != ',')
            return at;
    }
}

static const char *next_word(const char *at)
{
    at += strcspn(at, " ");
    return at + strspn(at, " ");
}

static bool holds(const char *when, const struct sass_word *word)
{
    for (; when && *when; when = next_word(when)) {
        uint64_t value;
        unsigned bits;
        const char *at = read_field(when, word, &value, &bits);
        bool differs = *at == '!', found = false;
        at += differs;
        do { /* one of several values: 1|3|5 */
            char *end;
            found |= value == strtoull(at + 1, &end, 0);
            at = end;
        } while (*at == '|');
        if (found == differs)
            return false;
    }
    return true;
}

/* ===== modifiers ===== */

static const char *choice_of(const char *choices, uint64_t number)
{
    for (; number; number--) {
        choices += strcspn(choices, "| ");
        if (*choices != '|')
            return NULL;
        choices++;
    }
    return choices;
}

static const char *choice_by_field(const char *at, const struct sass_word *word)
{
    uint64_t value;
    unsigned bits;
    const char *choices = read_field(at, word, &value, &bits) + 1;
    bool single = bits == 1 && choices[strcspn(choices, "| ")] != '|';
    return single ? (value ? choices : "") : choice_of(choices, value);
}

static bool decode_modifiers(struct sass_instruction *instruction)
{
    for (const char *at = instruction->form->modifiers; *at; at = next_word(at)) {
        const char *choice = *at == '=' ? at + 1 : choice_by_field(at, &instruction->word);
        if (!choice || *choice == '?')
            return false;
        size_t length = strcspn(choice, "| ");
        if (length && instruction->modifier_count < SASS_MODIFIERS)
            instruction->modifiers[instruction->modifier_count++] =
                (struct sass_modifier){.text = choice, .length = (uint8_t)length};
    }
    return true;
}

/* ===== operands ===== */

struct reader {
    const struct sass_decoder *decoder;
    struct sass_instruction *instruction;
    const struct sass_word *word;
    unsigned kind;  /* bits 11-9 */
    const char *at; /* in the row */
};

static unsigned number(struct reader *reader)
{
    char *end;
    unsigned value = (unsigned)strtoul(reader->at, &end, 10);
    reader->at = end;
    return value;
}

static uint64_t field(struct reader *reader, unsigned *bits)
{
    uint64_t value;
    reader->at = read_field(reader->at, reader->word, &value, bits);
    return value;
}

static bool third_is_flexible(unsigned kind)
{
    return kind == 2 || kind == 3 || kind == 7;
}

static int64_t signed_of(uint64_t value, unsigned bits)
{
    return bits < 64 && value >> (bits - 1) & 1 ? (int64_t)(value - (UINT64_C(1) << bits)) : (int64_t)value;
}

static uint8_t uniform_at(const struct reader *reader, unsigned bit)
{
    unsigned wide = reader->decoder->architecture >= 100;
    uint64_t index = sass_bits(reader->word, bit, bit + (wide ? 7 : 5));
    return index == (wide ? 255u : 63u) ? SASS_RZ : (uint8_t)index;
}

/* Registers in slots that the register cache knows of are marked where they stay there. */
static uint8_t reuse_at(const struct reader *reader, unsigned bit)
{
    bool swapped = third_is_flexible(reader->kind);
    unsigned slot = bit == 24 ? 0 : bit == 32 ? 1 + swapped : bit == 64 ? 2 - swapped : 4;
    return slot < 3 && reader->instruction->control.reuse >> slot & 1 ? SASS_REUSED : 0;
}

static void put_register(struct reader *reader, struct sass_operand *operand, unsigned bit)
{
    operand->kind = SASS_REGISTER;
    operand->index = (uint8_t)sass_bits(reader->word, bit, bit + 7);
    operand->flags |= reuse_at(reader, bit);
}

static void put_constant(struct reader *reader, struct sass_operand *operand)
{
    operand->kind = SASS_CONSTANT;
    operand->index = SASS_RZ;
    operand->uniform = SASS_RZ;
    operand->value = (int64_t)sass_bits(reader->word, 38, 53);
    operand->bank = (uint8_t)sass_bits(reader->word, 54, 58);
    if (sass_bit(reader->word, 91)) {
        operand->flags |= SASS_BOUND;
        operand->uniform = uniform_at(reader, 24);
    }
}

static void put_immediate(struct sass_operand *operand, uint64_t value, unsigned bits, char format)
{
    operand->kind = SASS_IMMEDIATE;
    operand->format = format;
    operand->value = format == 's' || format == 'i' ? signed_of(value, bits) : (int64_t)value;
    if (format == 'i')
        operand->format = 's';
}

/* The flexible operand where `second` says whether this is the place in front of its partner. */
static void put_flexible(struct reader *reader, struct sass_operand *operand, char format)
{
    switch (reader->kind) {
    case 2:
    case 4:
        put_immediate(operand, sass_bits(reader->word, 32, 63), 32, format);
        break;
    case 3:
    case 5:
        put_constant(reader, operand);
        break;
    case 6:
    case 7:
        operand->kind = SASS_UNIFORM;
        operand->index = uniform_at(reader, 32);
        break;
    default:
        put_register(reader, operand, 32);
        break;
    }
}

/* Of a constant: a register is added, of the uniform datapath where that reads it. */
static void put_index(struct reader *reader, struct sass_operand *operand)
{
    operand->flags = (uint8_t)((operand->flags & ~SASS_BOUND) | SASS_ADDED);
    operand->uniform = SASS_RZ;
    operand->value = signed_of(sass_bits(reader->word, 38, 53), 16);
    if (reader->instruction->form->name[0] == 'U')
        operand->uniform = uniform_at(reader, 24);
    else
        operand->index = (uint8_t)sass_bits(reader->word, 24, 31);
}

/* The flexible operand of the uniform datapath: a uniform register or an immediate. */
static void put_uniform_flexible(struct reader *reader, struct sass_operand *operand, char format)
{
    if (reader->kind == 2 || reader->kind == 4) {
        put_immediate(operand, sass_bits(reader->word, 32, 63), 32, format);
        return;
    }
    operand->kind = SASS_UNIFORM;
    operand->index = uniform_at(reader, 32);
}

/* An address in memory: register, uniform register, offset. Bit 91 says that there is a uniform register, which lies
 * where the instruction has room; in global memory bit 90 says that the register is a pair, and, from Ampere on, bit 76
 * that the uniform register is not added, and from Hopper on that it holds a descriptor instead. */
static void put_address(struct reader *reader, struct sass_operand *operand, char space)
{
    const struct sass_word *word = reader->word;
    unsigned architecture = reader->decoder->architecture, at = number(reader);
    operand->kind = SASS_ADDRESS;
    operand->index = (uint8_t)sass_bits(word, 24, 31);
    operand->value = signed_of(sass_bits(word, 40, 63), 24);
    if (reader->kind == 1 || !sass_bit(word, 91))
        return;
    operand->uniform = uniform_at(reader, at);
    operand->flags |= SASS_ADDED;
    if (space == 'S')
        return;
    operand->flags |= sass_bit(word, 90) ? SASS_WIDE : SASS_NARROW;
    if (architecture < 80 || !sass_bit(word, at == 64 && sass_bits(word, 0, 8) >= 0x18e && sass_bits(word, 0, 8) != 0x1ae ? 71 : 76))
        return;
    operand->flags &= (uint8_t)~SASS_ADDED;
    if (architecture >= 90 || sass_bit(word, 101))
        operand->flags |= SASS_DESCRIBED;
}

static void read_suffixes(struct reader *reader, struct sass_operand *operand)
{
    while (*reader->at && *reader->at != ' ') {
        char suffix = *reader->at++;
        unsigned bit = number(reader);
        if (operand->kind == SASS_IMMEDIATE) /* its own bits lie where a register has flags */
            continue;
        if (suffix == 'n' && sass_bit(reader->word, bit))
            operand->flags |= SASS_NEGATED;
        if (suffix == 'a' && sass_bit(reader->word, bit))
            operand->flags |= SASS_ABSOLUTE;
        if (suffix == '!' && sass_bit(reader->word, bit))
            operand->flags |= SASS_INVERTED;
        if (suffix == 'h' || suffix == 'w')
            operand->bank = (uint8_t)sass_bits(reader->word, bit, bit + 1);
    }
}

static void put_number(struct reader *reader, struct sass_operand *operand, bool is_signed)
{
    unsigned bits;
    uint64_t value = field(reader, &bits);
    char format = is_signed ? 's' : 'u';
    if (*reader->at == 'f' || *reader->at == 'd')
        format = *reader->at++;
    put_immediate(operand, value, bits, format);
}

static void put_target(struct reader *reader, struct sass_operand *operand)
{
    unsigned bits = 0;
    uint64_t offset = field(reader, &bits);
    operand->kind = SASS_TARGET;
    operand->value = signed_of(offset, bits) * 4;
}

static void read_plain(struct reader *reader, struct sass_operand *operand, char letter)
{
    static const char letters[] = "PVB";
    static const uint8_t kinds[] = {SASS_PREDICATE, SASS_UNIFORM_PREDICATE, SASS_BARRIER};
    unsigned bit = number(reader);
    if (letter == 'R') {
        put_register(reader, operand, bit);
    } else if (letter == 'U') {
        operand->kind = SASS_UNIFORM;
        operand->index = uniform_at(reader, bit);
    } else if (letter == 'Z') {
        operand->kind = SASS_SPECIAL;
        operand->index = (uint8_t)sass_bits(reader->word, bit, bit + 7);
    } else {
        operand->kind = kinds[strchr(letters, letter) - letters];
        operand->index = (uint8_t)sass_bits(reader->word, bit, bit + (letter == 'B' ? 3 : 2));
    }
}

static void read_operand(struct reader *reader, struct sass_operand *operand)
{
    char letter = *reader->at++;
    switch (letter) {
    case 'X':
        put_flexible(reader, operand, *reader->at++);
        break;
    case 'Y':
        put_register(reader, operand, 64);
        break;
    case 'y':
        operand->kind = SASS_UNIFORM;
        operand->index = uniform_at(reader, 64);
        break;
    case 'W':
        put_uniform_flexible(reader, operand, *reader->at++);
        break;
    case 'J':
        put_register(reader, operand, 24);
        put_target(reader, operand);
        break;
    case 'I':
    case 'i':
        put_number(reader, operand, letter == 'i');
        break;
    case 'C':
        put_constant(reader, operand);
        break;
    case 'L':
        put_constant(reader, operand);
        put_index(reader, operand);
        break;
    case 'G':
    case 'S':
        put_address(reader, operand, letter);
        break;
    case 'T':
        put_target(reader, operand);
        break;
    case '=':
        operand->kind = SASS_TEXT;
        operand->text = reader->at;
        reader->at += strcspn(reader->at, " ");
        break;
    default:
        read_plain(reader, operand, letter);
        break;
    }
    read_suffixes(reader, operand);
}

/* What a form shows only where it says something. */
static bool says_nothing(const struct sass_operand *operand)
{
    switch (operand->kind) {
    case SASS_PREDICATE:
    case SASS_UNIFORM_PREDICATE:
        return operand->index == SASS_PT && !(operand->flags & SASS_INVERTED);
    case SASS_REGISTER:
    case SASS_UNIFORM:
        return operand->index == SASS_RZ;
    default:
        return operand->value == 0;
    }
}

static void decode_operands(const struct sass_decoder *decoder, struct sass_instruction *instruction)
{
    struct reader reader = {.decoder = decoder,
                            .instruction = instruction,
                            .word = &instruction->word,
                            .kind = (unsigned)sass_bits(&instruction->word, 9, 11)};
    int flexible = -1;
    for (const char *at = instruction->form->operands; *at && instruction->operand_count < SASS_OPERANDS;
         at = next_word(at)) {
        struct sass_operand operand = {.index = SASS_RZ, .uniform = SASS_RZ};
        bool hides = *at == '?';
        reader.at = at + hides;
        if (*reader.at == 'X' || *reader.at == 'W')
            flexible = instruction->operand_count;
        bool partner = *reader.at == 'Y' || *reader.at == 'y';
        read_operand(&reader, &operand);
        operand.flags |= hides && says_nothing(&operand) ? SASS_HIDDEN : 0;
        instruction->operands[instruction->operand_count++] = operand;
        if (partner && flexible >= 0 && third_is_flexible(reader.kind)) {
            instruction->operands[instruction->operand_count - 1] = instruction->operands[flexible];
            instruction->operands[flexible] = operand;
        }
    }
}

enum sass_decoded sass_decode(const struct sass_decoder *decoder, struct sass_word word,
                              struct sass_instruction *instruction)
{
    unsigned operation = (unsigned)sass_bits(&word, 0, 11);
    *instruction = (struct sass_instruction){.word = word,
                                             .control = sass_control_of(&word),
                                             .guard = (uint8_t)sass_bits(&word, 12, 14),
                                             .guard_inverted = sass_bit(&word, 15)};
    for (uint32_t row = decoder->first[operation]; row < decoder->first[operation + 1]; row++) {
        if (!holds(decoder->rows[row]->when, &word))
            continue;
        instruction->form = decoder->rows[row];
        if (!decode_modifiers(instruction))
            return SASS_RESERVED;
        decode_operands(decoder, instruction);
        return SASS_DECODED;
    }
    return SASS_UNKNOWN;
}
