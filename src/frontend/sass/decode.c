/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/sass/decode.h"

#include "base/allocate.h"
#include "base/range.h"
#include "frontend/sass/field.h"
#include "frontend/sass/operands.h"

#include <stdlib.h>
#include <string.h>

enum { OPERATIONS = 1 << 12, KINDS = 8 };

/* Index of the forms of one architecture. The lowest twelve bits of a word (operation and kind) select a range of
 * candidate rows, from `first[n]` up to `first[n + 1]`, exclusive. They are tried in the order of the tables; the first
 * row whose conditions hold applies. */
struct sass_decoder {
    unsigned architecture;
    uint32_t first[OPERATIONS + 1]; /* rows of an operation and kind: places in `rows` */
    const struct sass_form **rows;
};

/* ===== which rows ===== */

/* Counts the rows of each operation and kind or, if `put` is set, stores them at the positions in `first`. */
static void sort_rows(struct sass_decoder *decoder, bool put)
{
    for (const struct sass_group *const *group = sass_groups; *group; group++)
        for (size_t i = 0; i < (*group)->count; i++) {
            const struct sass_form *form = &(*group)->rows[i];
            if (decoder->architecture < form->from || decoder->architecture > form->to)
                continue;
            for (unsigned kind = 0; kind < KINDS; kind++) {
                uint32_t *count = &decoder->first[form->operation | kind << 9];
                if (!(form->kinds >> kind & 1))
                    continue;
                if (put)
                    decoder->rows[*count] = form;
                ++*count;
            }
        }
}

/* Sorts the rows by counting sort: the first pass counts the rows of each operation and kind, the second one places
 * them. The order of the tables is kept within an operation, because it decides between several matching rows. */
struct sass_decoder *sass_decoder_create(unsigned architecture)
{
    struct sass_decoder *decoder = mnp_allocate(1, sizeof *decoder);
    uint32_t rows = 0;
    decoder->architecture = architecture;
    sort_rows(decoder, false);
    for (unsigned operation = 0; operation < OPERATIONS; operation++) {
        uint32_t own = decoder->first[operation];
        decoder->first[operation] = rows;
        rows += own;
    }
    decoder->rows = mnp_allocate((size_t)rows + 1, sizeof *decoder->rows);
    sort_rows(decoder, true); /* advances `first` to the end of each group */
    memmove(decoder->first + 1, decoder->first, OPERATIONS * sizeof *decoder->first);
    decoder->first[0] = 0;
    return decoder;
}

void sass_decoder_free(struct sass_decoder *decoder)
{
    if (decoder)
        free(decoder->rows);
    free(decoder);
}

/* ===== forms ===== */

/* Whether all conditions of a form hold for a word (syntax: form.h). Adds the bits that they test to `named`, unless it
 * is NULL. */
static bool holds(const char *when, const struct sass_word *word, struct sass_word *named)
{
    for (; when && *when; when = sass_next_word(when)) {
        uint64_t value;
        unsigned bits;
        const char *at = sass_read_field(when, word, &value, &bits, named);
        bool differs = *at == '!', found = false;
        if (*at == '^') {
            if (!(value > 1 && mnp_is_power_of_two(value)))
                return false;
            continue;
        }
        at += differs;
        do { /* one of several values: 1|3|5 */
            uint64_t one;
            at = sass_read_number(at + 1, &one);
            found |= value == one;
        } while (*at == '|');
        if (found == differs)
            return false;
    }
    return true;
}

static bool decode_modifiers(struct sass_instruction *instruction)
{
    for (const char *at = instruction->form->modifiers; *at; at = sass_next_word(at)) {
        const char *choice = *at == '=' ? at + 1 : sass_choice(at, &instruction->word, &instruction->named);
        if (!choice || *choice == '?')
            return false;
        size_t length = sass_length_before(choice, '|', ' ');
        if (length && instruction->modifier_count < SASS_MODIFIERS)
            instruction->modifiers[instruction->modifier_count++] =
                (struct sass_modifier){.text = choice, .length = (uint8_t)length};
    }
    return true;
}

/* ===== bits that a form accounts for ===== */

/* The operation, the guard and the control bits, which all instructions have. */
static void name_common_bits(struct sass_instruction *instruction)
{
    enum { LAST_OF_GUARD = 15, FIRST_OF_CONTROL = 105, LAST_OF_CONTROL = 125 };
    sass_set_bits(&instruction->named, 0, LAST_OF_GUARD);
    sass_set_bits(&instruction->named, FIRST_OF_CONTROL, LAST_OF_CONTROL);
    holds(instruction->form->when, &instruction->word, &instruction->named);
}

struct sass_word sass_unnamed_bits(const struct sass_instruction *instruction)
{
    const struct sass_word *word = &instruction->word, *named = &instruction->named, *odd = &instruction->odd;
    return (struct sass_word){.low = (word->low & ~named->low) | odd->low,
                              .high = (word->high & ~named->high) | odd->high};
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
        if (!holds(decoder->rows[row]->when, &word, NULL))
            continue;
        instruction->form = decoder->rows[row];
        bool known = decode_modifiers(instruction) && sass_decode_operands(decoder->architecture, instruction);
        if (!known)
            return SASS_RESERVED;
        name_common_bits(instruction);
        struct sass_word rest = sass_unnamed_bits(instruction);
        return rest.low || rest.high ? SASS_UNNAMED : SASS_DECODED;
    }
    return SASS_UNKNOWN;
}

/* The name of a form whose operation and kind differ from those of an unknown word in as few bits as possible, for
 * messages. */
const char *sass_nearest_form(const struct sass_decoder *decoder, struct sass_word word)
{
    enum { OPERATION_BITS = 0x1ff };
    unsigned wanted = (unsigned)sass_bits(&word, 0, 11), least = UINT32_MAX;
    const char *name = NULL;
    for (unsigned operation = 0; operation < OPERATIONS; operation++) {
        unsigned differing = operation ^ wanted; /* another operation is further away than another kind */
        unsigned distance =
            (unsigned)__builtin_popcount(differing) + 16 * (unsigned)((differing & OPERATION_BITS) != 0);
        if (decoder->first[operation] == decoder->first[operation + 1] || distance >= least)
            continue;
        least = distance;
        name = decoder->rows[decoder->first[operation]]->name;
    }
    return name;
}

bool sass_guard_is_uniform(const struct sass_instruction *instruction)
{
    enum { SYNCS_EXCH = 0x1b2, S2UR = 0x1c3 };
    static const char *const others[] = {"LDCU", "CS2UR", "LDTM", "STTM", NULL};
    uint16_t operation = instruction->form->operation;
    bool uniform = instruction->form->name[0] == 'U' || operation == SYNCS_EXCH || operation == S2UR;
    for (const char *const *name = others; *name && !uniform; name++)
        uniform = strcmp(instruction->form->name, *name) == 0;
    return uniform;
}
