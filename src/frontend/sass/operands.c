/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/sass/operands.h"

#include "frontend/sass/field.h"
#include "frontend/sass/text.h"

#include <string.h>

struct reader {
    unsigned architecture;
    struct sass_instruction *instruction;
    const struct sass_word *word;
    unsigned kind;           /* bits 11-9 */
    struct sass_word *named; /* bits that have been read */
    const char *at;          /* position in the row */
    bool reserved;           /* a choice holds a value that has no name */
    unsigned bits;           /* width of the field read last */
};

enum { HOPPER = 90 };

static unsigned number(struct reader *reader)
{
    uint64_t value;
    reader->at = sass_read_number(reader->at, &value);
    return (unsigned)value;
}

/* Bits `from` to `to` of the word, which the form accounts for by reading them. */
static uint64_t take_bits(const struct reader *reader, unsigned from, unsigned to)
{
    sass_set_bits(reader->named, from, to);
    return sass_bits(reader->word, from, to);
}

static bool take_bit(const struct reader *reader, unsigned bit)
{
    return take_bits(reader, bit, bit);
}

static uint64_t field(struct reader *reader, unsigned *bits)
{
    uint64_t value;
    reader->at = sass_read_field(reader->at, reader->word, &value, bits, reader->named);
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

/* Bit 91 says that the word reads a uniform register. */
static uint8_t uniform_at(const struct reader *reader, unsigned bit)
{
    enum { RESULT = 16, READS_UNIFORM = 91 };
    unsigned wide = reader->architecture >= 100;
    if (bit != RESULT) {
        bool marked = sass_bit(reader->word, READS_UNIFORM);
        sass_set_bits(marked ? reader->named : &reader->instruction->odd, READS_UNIFORM, READS_UNIFORM);
    }
    uint64_t index = take_bits(reader, bit, bit + (wide ? 7 : 5));
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
    operand->index = (uint8_t)take_bits(reader, bit, bit + 7);
    operand->flags |= reuse_at(reader, bit);
}

/* A constant's offset and bank. */
static void put_constant(struct reader *reader, struct sass_operand *operand)
{
    operand->kind = SASS_CONSTANT;
    operand->index = SASS_RZ;
    operand->uniform = SASS_RZ;
    operand->value = (int64_t)take_bits(reader, 38, 53);
    operand->bank = (uint8_t)take_bits(reader, 54, 58);
}

/* Like put_constant, but if bit 91 is set, the uniform register at `bit` names the bank. */
static void put_bound_constant(struct reader *reader, struct sass_operand *operand, unsigned bit)
{
    enum { BOUND = 91 };
    put_constant(reader, operand);
    if (!take_bit(reader, BOUND))
        return;
    operand->flags |= SASS_BOUND;
    operand->uniform = uniform_at(reader, bit);
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
        put_immediate(operand, take_bits(reader, 32, 63), 32, format);
        break;
    case 3:
    case 5:
        put_bound_constant(reader, operand, 32);
        reader->reserved |= operand->value % 4 != 0;
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

/* Reads the register that is added to a constant's offset: a uniform one for instructions of the uniform datapath,
 * whose names begin with U. */
static void put_index(struct reader *reader, struct sass_operand *operand)
{
    operand->flags |= SASS_ADDED;
    operand->value = signed_of(take_bits(reader, 38, 53), 16);
    if (reader->instruction->form->name[0] == 'U')
        operand->uniform = uniform_at(reader, 24);
    else
        operand->index = (uint8_t)take_bits(reader, 24, 31);
}

/* The flexible operand of the uniform datapath: a uniform register or an immediate. */
static void put_uniform_flexible(struct reader *reader, struct sass_operand *operand, char format)
{
    if (reader->kind == 2 || reader->kind == 4) {
        put_immediate(operand, take_bits(reader, 32, 63), 32, format);
        return;
    }
    operand->kind = SASS_UNIFORM;
    operand->index = uniform_at(reader, 32);
}

/* Positions of an address's parts, if they differ from the usual ones: "@16:44-63". */
struct place {
    unsigned uniform, index, wide, described;
    unsigned from, to; /* bits of the offset */
    bool quiet;        /* a uniform register that reads as zero is not written */
    bool next;         /* the descriptor stands behind the uniform register that another address has */
    unsigned shift;    /* the offset counts 1 << shift bytes */
};

static void read_place(struct reader *reader, struct place *place)
{
    place->uniform = number(reader);
    for (;;) {
        char letter = *reader->at;
        if (!letter || !strchr("@:xds+z", letter))
            return;
        reader->at++;
        if (letter == '+' || letter == 'z') {
            *(letter == '+' ? &place->next : &place->quiet) = true;
            continue;
        }
        unsigned value = number(reader);
        if (letter == '@')
            place->index = value;
        if (letter == 'x')
            place->wide = value;
        if (letter == 'd')
            place->described = value;
        if (letter == 's')
            place->shift = value;
        if (letter != ':')
            continue;
        place->from = value;
        reader->at++;
        place->to = number(reader);
    }
}

/* An address in memory: register, uniform register, offset. Bit 91 says that there is a uniform register; of global
 * memory a bit says that the register is a pair, and, from Ampere on, another that the uniform register is not added,
 * and from Hopper on that it holds a descriptor instead. */
static void put_address(struct reader *reader, struct sass_operand *operand, char space)
{
    struct place place = {.index = 24, .wide = 90, .described = 76, .from = 40, .to = 63};
    read_place(reader, &place);
    operand->kind = SASS_ADDRESS;
    operand->index = (uint8_t)take_bits(reader, place.index, place.index + 7);
    operand->value = signed_of(take_bits(reader, place.from, place.to), place.to - place.from + 1);
    operand->value *= INT64_C(1) << place.shift;
    if (reader->kind == 1 || !place.uniform || !take_bit(reader, 91))
        return;
    operand->uniform = uniform_at(reader, place.uniform);
    if (place.next && operand->uniform != SASS_RZ)
        operand->uniform++;
    operand->flags |= place.next || (place.quiet && operand->uniform == SASS_RZ) ? 0 : SASS_ADDED;
    if (space == 'S')
        return;
    operand->flags |= take_bit(reader, place.wide) ? SASS_WIDE : SASS_NARROW;
    if (reader->architecture < 80 || !place.described || !take_bit(reader, place.described))
        return;
    reader->reserved |= (operand->flags & SASS_NARROW) != 0;
    operand->flags &= (uint16_t)~SASS_ADDED;
    if (reader->architecture >= 90 || take_bit(reader, 101))
        operand->flags |= SASS_DESCRIBED;
}

/* "'COL@73/ROW": the text where the bit is set, otherwise the other one; without a bit always. */
static void read_text(struct reader *reader, struct sass_operand *operand)
{
    struct sass_modifier text = {.text = reader->at, .length = (uint8_t)strcspn(reader->at, "@/' ")};
    reader->at += text.length;
    if (*reader->at == '@') {
        reader->at++;
        if (!take_bit(reader, number(reader)))
            text.length = 0;
    }
    if (*reader->at == '/') {
        struct sass_modifier other = {.text = reader->at + 1,
                                      .length = (uint8_t)sass_length_before(reader->at + 1, '\'', ' ')};
        reader->at += 1 + other.length;
        text = text.length ? text : other;
    }
    for (unsigned i = 0; text.length && i < SASS_SUFFIXES; i++) {
        if (operand->suffixes[i].length)
            continue;
        operand->suffixes[i] = text;
        break;
    }
}

/* "#81-82:A|B|": the text that the field chooses. An immediate has none. */
static void read_choice(struct reader *reader, struct sass_operand *operand)
{
    const char *choice = sass_choice(reader->at, reader->word, reader->named);
    struct sass_modifier text = {.text = choice, .length = choice ? (uint8_t)strcspn(choice, "| '") : 0};
    bool written = operand->kind != SASS_IMMEDIATE;
    reader->reserved |= written && (!choice || *choice == '?');
    for (unsigned i = 0; written && text.length && i < SASS_SUFFIXES; i++) {
        if (operand->suffixes[i].length)
            continue;
        operand->suffixes[i] = text;
        break;
    }
    reader->at += sass_length_before(reader->at, ' ', '\'');
}

static void read_suffixes(struct reader *reader, struct sass_operand *operand)
{
    while (*reader->at && *reader->at != ' ') {
        char suffix = *reader->at++;
        if (suffix == '\'' || suffix == '#') {
            if (suffix == '#')
                read_choice(reader, operand);
            else
                read_text(reader, operand);
            continue;
        }
        unsigned bit = number(reader);
        if (operand->kind == SASS_IMMEDIATE) /* an immediate occupies the bits that hold flags of registers */
            continue;
        if (suffix == 'r' && operand->kind == SASS_REGISTER) { /* the number of a slot of the register cache */
            bool reused = reader->instruction->control.reuse >> bit & 1;
            operand->flags = (uint16_t)((operand->flags & ~SASS_REUSED) | (reused ? SASS_REUSED : 0));
        }
        if (suffix == 'n' && take_bit(reader, bit))
            operand->flags |= SASS_NEGATED;
        if (suffix == 'a' && take_bit(reader, bit))
            operand->flags |= SASS_ABSOLUTE;
        if (suffix == '!' && take_bit(reader, bit))
            operand->flags |= SASS_INVERTED;
        if (suffix == 'h') {
            operand->half = (uint8_t)take_bits(reader, bit, bit + 1);
            operand->flags |= SASS_PACKED;
            reader->reserved |= operand->half == SASS_F32 && reader->architecture >= HOPPER;
        }
        if (suffix == 'w')
            operand->bank = (uint8_t)take_bits(reader, bit, bit + 1);
    }
}

static void put_number(struct reader *reader, struct sass_operand *operand, bool is_signed)
{
    unsigned bits;
    uint64_t value = field(reader, &bits);
    reader->bits = bits;
    char format = is_signed ? 's' : 'u';
    if (*reader->at == 'f' || *reader->at == 'd')
        format = *reader->at++;
    put_immediate(operand, value, bits, format);
}

static void put_target(struct reader *reader, struct sass_operand *operand, unsigned scale)
{
    unsigned bits = 0;
    uint64_t offset = field(reader, &bits);
    operand->kind = SASS_TARGET;
    operand->value = signed_of(offset, bits) * scale;
}

/* A choice by a field, as modifiers have it, where an operand stands. */
static void put_choice(struct reader *reader, struct sass_operand *operand)
{
    const char *choice = sass_choice(reader->at, reader->word, reader->named);
    operand->kind = SASS_TEXT;
    reader->reserved |= !choice || *choice == '?';
    operand->text.text = choice ? choice : "?";
    operand->text.length = (uint8_t)sass_length_before(operand->text.text, '|', ' ');
    reader->at += sass_length_before(reader->at, ' ', ' ');
}

/* Reads a uniform register in brackets, and the word in front of them. */
static void put_bracketed(struct reader *reader, struct sass_operand *operand)
{
    operand->kind = SASS_BRACKETED;
    operand->text.text = reader->at;
    operand->text.length = (uint8_t)strcspn(reader->at, "0123456789 ");
    reader->at += operand->text.length;
    operand->index = uniform_at(reader, number(reader));
    if (*reader->at == '+' && operand->index != SASS_RZ) /* the next register */
        operand->index++;
    reader->at += *reader->at == '+';
}

static void put_bits(struct reader *reader, struct sass_operand *operand, uint8_t kind)
{
    unsigned bits;
    operand->kind = kind;
    operand->value = (int64_t)field(reader, &bits);
}

static void put_special(struct reader *reader, struct sass_operand *operand, unsigned bit)
{
    operand->kind = SASS_SPECIAL;
    operand->index = (uint8_t)take_bits(reader, bit, bit + 7);
    const char *name = sass_special_name(reader->architecture, operand->index);
    if (name)
        operand->text = (struct sass_modifier){.text = name, .length = (uint8_t)strlen(name)};
}

static void read_plain(struct reader *reader, struct sass_operand *operand, char letter)
{
    static const char letters[] = "PVBpv";
    static const uint8_t kinds[] = {SASS_PREDICATE, SASS_UNIFORM_PREDICATE, SASS_BARRIER, SASS_PREDICATE,
                                    SASS_UNIFORM_PREDICATE};
    unsigned bit = number(reader);
    if (letter == 'R') {
        put_register(reader, operand, bit);
    } else if (letter == 'U') {
        operand->kind = SASS_UNIFORM;
        operand->index = uniform_at(reader, bit);
    } else if (letter == 'Z') {
        put_special(reader, operand, bit);
    } else {
        operand->kind = kinds[strchr(letters, letter) - letters];
        operand->index = (uint8_t)take_bits(reader, bit, bit + (letter == 'B' ? 3 : 2));
        operand->index ^= letter == 'p' || letter == 'v' ? SASS_PT : 0;
    }
}

/* Reads the target of a branch. J and j: a register or a uniform register is added. t: counted in bytes, all others in
 * units of 4. A: relative to the beginning of the code, all others to the next instruction. */
static void read_target(struct reader *reader, struct sass_operand *operand, char letter)
{
    if (letter == 'J')
        put_register(reader, operand, 24);
    if (letter == 'j')
        operand->index = uniform_at(reader, 24);
    put_target(reader, operand, letter == 't' ? 1 : 4);
    operand->flags |= letter == 'j' ? SASS_ADDED : letter == 'A' ? SASS_FIXED : 0;
}

/* Reads an address that consists of a register only. */
static void put_plain_address(struct reader *reader, struct sass_operand *operand)
{
    unsigned bit = number(reader);
    operand->kind = SASS_ADDRESS;
    operand->index = (uint8_t)take_bits(reader, bit, bit + 7);
}

/* A uniform register and an offset. */
static void put_uniform_address(struct reader *reader, struct sass_operand *operand)
{
    operand->kind = SASS_ADDRESS;
    operand->uniform = uniform_at(reader, number(reader));
    operand->flags = SASS_ADDED;
    operand->value = signed_of(take_bits(reader, 40, 63), 24);
}

/* Reads a uniform register whose number is split over several bit fields. */
static void put_scattered_uniform(struct reader *reader, struct sass_operand *operand)
{
    unsigned bits;
    operand->kind = SASS_UNIFORM;
    operand->index = (uint8_t)field(reader, &bits);
}

/* A constant at a uniform register and an offset. */
static void put_uniform_constant(struct reader *reader, struct sass_operand *operand)
{
    operand->kind = SASS_CONSTANT;
    operand->uniform = uniform_at(reader, number(reader));
    operand->bank = (uint8_t)take_bits(reader, 54, 58);
    operand->value = signed_of(take_bits(reader, 37, 53), 17);
    operand->flags |= SASS_ADDED | SASS_OF_UNIFORM;
}

/* Tensor memory: a uniform register, and an offset of two pieces. */
static void put_tensor_address(struct reader *reader, struct sass_operand *operand)
{
    operand->kind = SASS_BRACKETED;
    operand->text = (struct sass_modifier){.text = "tmem", .length = 4};
    operand->index = uniform_at(reader, number(reader));
    operand->value = signed_of(take_bits(reader, 40, 63) | take_bits(reader, 72, 79) << 24, 32);
}

/* Registers, numbers and choices. False: the letter is of something else. */
static bool read_value(struct reader *reader, struct sass_operand *operand, char letter)
{
    switch (letter) {
    case 'X':
        put_flexible(reader, operand, *reader->at++);
        return true;
    case 'u':
        put_scattered_uniform(reader, operand);
        return true;
    case 'Y':
        put_register(reader, operand, 64);
        return true;
    case 'y':
        operand->kind = SASS_UNIFORM;
        operand->index = uniform_at(reader, 64);
        return true;
    case 'W':
        put_uniform_flexible(reader, operand, *reader->at++);
        return true;
    case 'K':
        put_bits(reader, operand, SASS_SCOREBOARD);
        return true;
    case 'E':
        put_bits(reader, operand, SASS_SET);
        return true;
    case '#':
        put_choice(reader, operand);
        return true;
    case 'I':
    case 'i':
        put_number(reader, operand, letter == 'i');
        return true;
    default:
        return false;
    }
}

/* Places in memory and constant banks. False: the letter is of something else. */
static bool read_memory(struct reader *reader, struct sass_operand *operand, char letter)
{
    switch (letter) {
    case 'M':
        put_bracketed(reader, operand);
        return true;
    case 'm':
        put_plain_address(reader, operand);
        return true;
    case 'Q':
        put_uniform_address(reader, operand);
        return true;
    case 'C':
        put_bound_constant(reader, operand, 24);
        return true;
    case 'L':
        put_constant(reader, operand);
        put_index(reader, operand);
        return true;
    case 'N':
        put_uniform_constant(reader, operand);
        return true;
    case 'D':
        put_tensor_address(reader, operand);
        return true;
    case 'G':
    case 'S':
        put_address(reader, operand, letter);
        return true;
    default:
        return false;
    }
}

static void read_operand(struct reader *reader, struct sass_operand *operand)
{
    char letter = *reader->at++;
    if (letter == '=') {
        operand->kind = SASS_TEXT;
        operand->text =
            (struct sass_modifier){.text = reader->at, .length = (uint8_t)sass_length_before(reader->at, ' ', '#')};
        reader->at += operand->text.length;
    } else if (letter && strchr("JjTtA", letter)) {
        read_target(reader, operand, letter);
    } else if (!read_value(reader, operand, letter) && !read_memory(reader, operand, letter)) {
        read_plain(reader, operand, letter);
    }
    read_suffixes(reader, operand);
}

/* Whether an operand that is only printed if it is meaningful has its default value. */
static bool says_nothing(const struct sass_operand *operand)
{
    switch (operand->kind) {
    case SASS_PREDICATE:
    case SASS_UNIFORM_PREDICATE:
        return operand->index == SASS_PT && !(operand->flags & SASS_INVERTED);
    case SASS_REGISTER:
    case SASS_UNIFORM:
        return operand->index == SASS_RZ;
    case SASS_TEXT:
        return !operand->text.length;
    default:
        return operand->value == 0;
    }
}

/* Whether all bits of a number are ones: a mask that excludes nothing. */
static bool is_full(const struct sass_operand *operand, unsigned bits)
{
    return operand->kind == SASS_IMMEDIATE && (uint64_t)operand->value == (UINT64_C(1) << bits) - 1;
}

/* "64-71=255|63": a field that says nothing in this form, and the numbers that compilers write there; where an operand
 * has read it, it is that operand's. */
static void read_unused(const struct reader *reader, const char *at)
{
    struct sass_word bits = {0};
    uint64_t value;
    unsigned width;
    bool known = false;
    at = sass_read_field(at, reader->word, &value, &width, &bits);
    do {
        uint64_t one;
        at = sass_read_number(at + 1, &one);
        known |= value == one;
    } while (*at == '|');
    struct sass_word *odd = &reader->instruction->odd;
    if (reader->named->low & bits.low || reader->named->high & bits.high)
        return;
    reader->named->low |= bits.low;
    reader->named->high |= bits.high;
    odd->low = known ? odd->low & ~bits.low : odd->low | bits.low;
    odd->high = known ? odd->high & ~bits.high : odd->high | bits.high;
}

bool sass_decode_operands(unsigned architecture, struct sass_instruction *instruction)
{
    struct reader reader = {.architecture = architecture,
                            .instruction = instruction,
                            .word = &instruction->word,
                            .named = &instruction->named,
                            .kind = (unsigned)sass_bits(&instruction->word, 9, 11)};
    int flexible = -1;
    for (const char *at = instruction->form->operands; *at && instruction->operand_count < SASS_OPERANDS;
         at = sass_next_word(at)) {
        if (*at >= '0' && *at <= '9') {
            read_unused(&reader, at);
            continue;
        }
        struct sass_operand operand = {.index = SASS_RZ, .uniform = SASS_RZ};
        bool hides = *at == '?', hides_ones = *at == '~';
        reader.at = at + (hides || hides_ones);
        if (*reader.at == 'X' || *reader.at == 'W')
            flexible = instruction->operand_count;
        bool partner = *reader.at == 'Y' || *reader.at == 'y';
        read_operand(&reader, &operand);
        bool hidden = (hides && says_nothing(&operand)) || (hides_ones && is_full(&operand, reader.bits));
        operand.flags |= hidden ? SASS_HIDDEN : 0;
        instruction->operands[instruction->operand_count++] = operand;
        if (partner && flexible >= 0 && third_is_flexible(reader.kind)) {
            instruction->operands[instruction->operand_count - 1] = instruction->operands[flexible];
            instruction->operands[flexible] = operand;
        }
    }
    return !reader.reserved;
}
