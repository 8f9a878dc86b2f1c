/* SPDX-License-Identifier: BSD-3-Clause */
/* Instructions of the rows of words: the row for an instruction, its operands to references, its modifiers to bits. */
#include "execute/warp/warp.h"
#include "frontend/sass/compile/compiler.h"
#include "frontend/sass/compile/words_rows.h"

#include <ctype.h>
#include <string.h>

enum { MOST_PREDICATES = 3, OUTS_SHIFT = 0, INS_SHIFT = 2, FLIP_SHIFT = 4, UNIFORM = 0x80, SOURCE_BITS = 0x3f };

struct building {
    struct sass_compiler *compiler;
    const struct sass_instruction *instruction;
    const struct sass_words_row *row;
    struct execute_op *op;
    uint32_t bits;
    uint32_t outs[MOST_PREDICATES], out_count, ins[MOST_PREDICATES], in_count, flips;
    bool live_out;                /* a predicate is written that is not PT */
    bool crossed;                 /* the halves of b are taken as .H0_NH1 says */
    uint32_t more[4], more_count; /* upper words of pairs, for code that searches for registers in use */
};

/* ===== rows ===== */

static bool has_all(const struct sass_instruction *instruction, const char *words)
{
    while (*words) {
        char word[16] = {0};
        size_t length = strcspn(words, " ");
        memcpy(word, words, length < sizeof word ? length : sizeof word - 1);
        if (!sass_has(instruction, word))
            return false;
        words += length + (words[length] == ' ');
    }
    return true;
}

/* Checks that each modifier is one of the row's, and combines their bits. */
static bool modifier_bits(const struct sass_instruction *instruction, const struct sass_words_row *row, uint32_t *bits)
{
    *bits = row->bits;
    for (uint32_t i = 0; row->modifiers && i < instruction->modifier_count; i++) {
        const struct sass_modifier *modifier = &instruction->modifiers[i];
        const struct sass_modifier_bits *known = row->modifiers;
        while (known->text &&
               (strncmp(known->text, modifier->text, modifier->length) != 0 || known->text[modifier->length]))
            known++;
        if (known->text)
            *bits ^= known->bits;
        else if (!strstr(row->when, "64") || strncmp(modifier->text, "64", 2) != 0)
            return false;
    }
    return true;
}

/* Whether an instruction has as many operands as a row, and predicates where that reads predicates. */
static bool fits_operands(const struct sass_instruction *instruction, const struct sass_words_row *row)
{
    bool fits = strlen(row->operands) == instruction->operand_count;
    for (uint32_t i = 0; fits && row->operands[i]; i++) {
        uint8_t kind = instruction->operands[i].kind;
        fits = row->operands[i] != 'p' || kind == SASS_PREDICATE || kind == SASS_UNIFORM_PREDICATE;
    }
    return fits;
}

static const struct sass_words_row *row_of(const struct sass_instruction *instruction,
                                           const struct sass_name_entry *entry, uint32_t *bits)
{
    for (const struct sass_words_row *row = entry->first; row && row <= entry->last; row++) {
        if (strcmp(row->name, entry->name) != 0)
            continue;
        if (fits_operands(instruction, row) && has_all(instruction, row->when) && modifier_bits(instruction, row, bits))
            return row;
    }
    return NULL;
}

/* ===== operands ===== */

/* Handles an operand's suffix: the crossed halves of HFMA2, the byte of R2P, the upper half as MUFU's source, or the
 * upper half of F2FP's C, which becomes the upper half of the result. Returns false if the row has no suffix. */
static bool put_part(struct building *b, const struct sass_operand *operand)
{
    uint32_t name = b->row->plain;
    b->crossed = name == EXECUTE_WORDS_hfma2;
    if (name == EXECUTE_WORDS_r2p) /* B1 to B3 */
        b->bits |= (uint32_t)(operand->suffixes[0].text[1] - '0') << EXECUTE_WORDS_AMOUNT_SHIFT;
    b->bits |= name == EXECUTE_WORDS_mufu_half    ? EXECUTE_WORDS_UPPER
               : name == EXECUTE_WORDS_f2fp_merge ? EXECUTE_WORDS_XORSIGN
                                                  : 0u;
    return b->crossed || b->bits & (EXECUTE_WORDS_UPPER | EXECUTE_WORDS_XORSIGN) || name == EXECUTE_WORDS_plop3_signs ||
           name == EXECUTE_WORDS_r2p || name == EXECUTE_WORDS_i2ip_few || operand->kind == SASS_TEXT; /* Rpc.LO */
}

/* Handles the numbers of a pair of floats that a source selects; returns false if it has another suffix, too. */
static bool put_pair(struct building *b, const struct sass_operand *operand, uint32_t place, bool *pair)
{
    static const char *const texts[] = {"F32x2.HI_LO", "F32x2.LO_HI", "F32", NULL};
    const struct sass_modifier *suffix = operand->suffixes;
    uint32_t taken = operand->kind == SASS_IMMEDIATE ? EXECUTE_WORDS_ONE : EXECUTE_WORDS_BOTH;
    for (uint32_t i = 0; operand->kind != SASS_IMMEDIATE && texts[i]; i++)
        if (strlen(texts[i]) == suffix->length && strncmp(texts[i], suffix->text, suffix->length) == 0)
            taken = i;
    b->bits |= taken << (EXECUTE_WORDS_PAIR_SHIFT + 2 * place);
    *pair = taken != EXECUTE_WORDS_ONE;
    return !suffix[1].length || sass_refuse(b->compiler, "a part of one of its operands");
}

static bool takes_pairs(const struct building *b)
{
    uint32_t name = b->row->plain;
    return name == EXECUTE_WORDS_fadd2 || name == EXECUTE_WORDS_fmul2 || name == EXECUTE_WORDS_ffma2;
}

static bool put_source(struct building *b, const struct sass_operand *operand, char role)
{
    uint32_t place = (uint32_t)(tolower((unsigned char)role) - 'a');
    bool pair = isupper((unsigned char)role);
    if (takes_pairs(b) && !put_pair(b, operand, place, &pair))
        return false;
    uint32_t *refs[] = {&b->op->a, &b->op->b, &b->op->c};
    uint32_t ref = sass_source_ref(b->compiler, operand, pair);
    if (operand->suffixes[0].length && !takes_pairs(b) && !put_part(b, operand))
        return sass_refuse(b->compiler, "a part of one of its operands");
    *refs[place] = ref;
    b->op->flags |= (uint8_t)(EXECUTE_OP_READS_A << place);
    if (operand->flags & (SASS_NEGATED | SASS_INVERTED))
        b->bits |= EXECUTE_WORDS_NEGATE_A << 2 * place;
    if (operand->flags & SASS_ABSOLUTE)
        b->bits |= EXECUTE_WORDS_ABSOLUTE_A << 2 * place;
    if (operand->flags & SASS_PACKED && operand->kind != SASS_IMMEDIATE)
        b->bits |= (uint32_t)operand->half << (EXECUTE_WORDS_HALF_SHIFT + 2 * place);
    if (pair && ref != EXECUTE_NO_REF && ref >> EXECUTE_BASE_SHIFT == EXECUTE_BASE_FRAME)
        b->more[b->more_count++] = ref + EXECUTE_SMALL_BYTES;
    return ref != EXECUTE_NO_REF;
}

static bool put_predicate(struct building *b, const struct sass_operand *operand, bool written)
{
    bool inverted = false;
    if (written) {
        b->outs[b->out_count++] = sass_predicate_result(operand);
        b->live_out |= operand->index != SASS_PT;
        if (operand->kind == SASS_UNIFORM_PREDICATE)
            b->op->variant |= UNIFORM;
        else
            b->op->combine = true;
        return true;
    }
    b->ins[b->in_count] = sass_predicate_ref(operand, &inverted);
    b->flips |= (uint32_t)inverted << b->in_count++;
    return true;
}

static bool put_operand(struct building *b, const struct sass_operand *operand, char role)
{
    switch (role) {
    case 'd':
    case 'D':
        b->op->d = sass_result_ref(b->compiler, operand);
        b->op->size = role == 'D' ? 8 : 4;
        b->op->flags |= EXECUTE_OP_WRITES_D;
        if (operand->kind == SASS_UNIFORM)
            b->op->variant |= UNIFORM;
        if (role == 'D')
            b->more[b->more_count++] = b->op->d + EXECUTE_SMALL_BYTES;
        return true;
    case 'o':
        return put_predicate(b, operand, true);
    case 'O': /* read, too */
        return put_predicate(b, operand, true) && put_predicate(b, operand, false);
    case 'p':
        return put_predicate(b, operand, false);
    case 'l':
        b->bits |= (uint32_t)(operand->value & 0xff) << EXECUTE_WORDS_LOGIC_SHIFT;
        return true;
    case 'L':
        b->bits |= (uint32_t)(operand->value & 0xff) << (EXECUTE_WORDS_LOGIC_SHIFT + 8);
        return true;
    case 's':
        b->bits |= (uint32_t)(operand->value & 31) << EXECUTE_WORDS_AMOUNT_SHIFT;
        return true;
    case '-':
        return true;
    default:
        return put_source(b, operand, role);
    }
}

/* ===== functions ===== */

/* Selects the special function for a right shift of one word. */
static enum execute_words_name shorter(const struct building *b, enum execute_words_name name)
{
    bool right = (b->bits & ~(uint32_t)EXECUTE_WORDS_SIGNED) == (EXECUTE_WORDS_RIGHT | EXECUTE_WORDS_HIGH);
    return name == EXECUTE_WORDS_shf && right ? EXECUTE_WORDS_shr : name;
}

static enum execute_words_name name_of(const struct building *b)
{
    const struct sass_words_row *row = b->row;
    if (row->rounded && b->bits >> EXECUTE_WORDS_ROUND_SHIFT & 3)
        return (enum execute_words_name)row->rounded;
    if (row->modified && b->bits)
        return (enum execute_words_name)row->modified;
    if (row->outs && b->live_out)
        return (enum execute_words_name)row->outs;
    return shorter(b, (enum execute_words_name)row->plain);
}

/* The function for these modifiers: one of PTX that does the same, one of sources that are negated and no more. */
static execute_words_function function_of(const struct building *b, enum execute_words_name name)
{
    const struct execute_words_table *table = b->compiler->words;
    execute_words_function function = execute_words_fixed(table, name, b->bits);
    uint32_t table_of_logic = b->bits >> EXECUTE_WORDS_LOGIC_SHIFT & 0xff;
    bool negated = !(b->bits & ~(uint32_t)(EXECUTE_WORDS_NEGATE_A | EXECUTE_WORDS_NEGATE_B | EXECUTE_WORDS_NEGATE_C));
    if (name == EXECUTE_WORDS_lop3 && table_of_logic == 0xc0)
        return table->lanes[EXECUTE_LANE_and_b32];
    if (name == EXECUTE_WORDS_lop3 && table_of_logic == 0xfc)
        return table->lanes[EXECUTE_LANE_or_b32];
    if (name == EXECUTE_WORDS_lop3 && table_of_logic == 0x3c)
        return table->lanes[EXECUTE_LANE_xor_b32];
    if (name == EXECUTE_WORDS_shf && !b->bits)
        return table->lanes[EXECUTE_LANE_shl_b32];
    if (!negated || function != table->functions[name])
        return function;
    return name == EXECUTE_WORDS_fadd   ? table->functions[EXECUTE_WORDS_fadd_n]
           : name == EXECUTE_WORDS_fmul ? table->functions[EXECUTE_WORDS_fmul_n]
           : name == EXECUTE_WORDS_ffma ? table->functions[EXECUTE_WORDS_ffma_n]
                                        : function;
}

/* For extrema with a constant predicate, encodes the choice in the modifiers. */
static void fold_predicate(struct building *b, enum execute_words_name name)
{
    bool extreme = name == EXECUTE_WORDS_imnmx || name == EXECUTE_WORDS_imnmx_pair || name == EXECUTE_WORDS_fmnmx;
    if (!extreme || b->live_out || b->in_count != 1 || b->ins[0] != EXECUTE_TRUE)
        return;
    b->bits |= b->flips ? EXECUTE_WORDS_MOST : EXECUTE_WORDS_LEAST;
    b->in_count = b->flips = 0;
}

static const uint32_t *constant_at(const struct building *b, uint32_t ref)
{
    const unsigned char *constants = b->compiler->code->constants.items;
    bool constant = ref != EXECUTE_NO_REF && ref >> EXECUTE_BASE_SHIFT == EXECUTE_BASE_CONSTANT;
    return constant ? (const uint32_t *)(const void *)(constants + (ref & EXECUTE_OFFSET_MASK)) : NULL;
}

/* HFMA2 of constants is how compilers write a number into a register where the integer pipe is busy: it is computed
 * once, and moved. */
static enum execute_words_name fold(struct building *b, enum execute_words_name name)
{
    struct execute_op *op = b->op;
    uint32_t result[64] = {0};
    struct execute_words w = {.d = result,
                              .a = constant_at(b, op->a),
                              .b = constant_at(b, op->b),
                              .c = constant_at(b, op->c),
                              .modifiers = b->bits,
                              .lanes = EXECUTE_ALL_LANES,
                              .predicates = result + 32};
    if (name != EXECUTE_WORDS_hfma2 || !w.a || !w.b || !w.c || b->out_count || b->in_count)
        return name;
    b->compiler->words->functions[name](&w);
    op->a = sass_value_ref(b->compiler, result[0], false);
    op->b = op->c = EXECUTE_NO_REF;
    op->flags &= (uint8_t) ~(EXECUTE_OP_READS_B | EXECUTE_OP_READS_C);
    b->bits = 0;
    return EXECUTE_WORDS_mov;
}

static void put_list(struct building *b)
{
    struct mnp_array *list = &b->compiler->code->list;
    b->op->list = list->count;
    for (uint32_t i = 0; i < b->out_count; i++)
        sass_add_list(b->compiler, b->outs[i]);
    for (uint32_t i = 0; i < b->in_count; i++)
        sass_add_list(b->compiler, b->ins[i]);
    for (uint32_t i = 0; i < b->more_count; i++)
        sass_add_list(b->compiler, b->more[i]);
    b->op->list_sources = (uint8_t)(b->out_count + b->in_count + b->more_count);
    b->op->variant |= (uint8_t)(b->out_count << OUTS_SHIFT | b->in_count << INS_SHIFT | b->flips << FLIP_SHIFT);
}

/* Signs of the products of parts stand at the same names, of a and of b. */
static uint32_t signs_of_parts(const struct sass_instruction *instruction)
{
    return (sass_bit(&instruction->word, 73) ? EXECUTE_WORDS_SIGNED : 0u) |
           (sass_bit(&instruction->word, 74) ? EXECUTE_WORDS_HIGH : 0u);
}

bool sass_build_words(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                      const struct sass_name_entry *entry, struct execute_op *op, bool *found)
{
    struct building b = {.compiler = compiler, .instruction = instruction, .op = op};
    b.row = row_of(instruction, entry, &b.bits);
    *found = b.row != NULL;
    if (!b.row)
        return false;
    op->kind = EXECUTE_KIND_WORDS;
    if (strcmp(b.row->name, "IDP") == 0)
        b.bits |= signs_of_parts(instruction);
    for (uint32_t i = 0; i < instruction->operand_count; i++)
        if (!put_operand(&b, &instruction->operands[i], b.row->operands[i]))
            return false;
    enum execute_words_name name = name_of(&b);
    if (name == EXECUTE_WORDS_imnmx_64 && (b.live_out || b.ins[1] != EXECUTE_TRUE || b.flips >> 1 != 1))
        return sass_refuse(compiler, "its predicates");
    if (name == EXECUTE_WORDS_imnmx && b.out_count > 1 && b.outs[1] != SASS_NO_PREDICATE)
        return sass_refuse(compiler, "its second predicate");
    if (name == EXECUTE_WORDS_iaddmnmx_pair && b.bits & SOURCE_BITS)
        return sass_refuse(compiler, "the sign of one of its operands");
    if ((name == EXECUTE_WORDS_hfma2 || name == EXECUTE_WORDS_elect) && b.in_count &&
        (b.ins[0] != EXECUTE_TRUE || b.flips))
        return sass_refuse(compiler, "its predicate");
    if (name == EXECUTE_WORDS_mov && b.bits & SOURCE_BITS)
        return sass_refuse(compiler, "the sign of what it moves");
    if (name == EXECUTE_WORDS_p2r || name == EXECUTE_WORDS_r2p)
        op->target = b.row->name[0] == 'U' ? SASS_UP0 : SASS_P0;
    if (name == EXECUTE_WORDS_r2p && b.row->name[0] == 'U')
        op->variant |= UNIFORM;
    fold_predicate(&b, name);
    name = b.crossed ? EXECUTE_WORDS_hfma2_crossed : fold(&b, name);
    op->immediate = b.bits;
    op->words = function_of(&b, name);
    put_list(&b);
    return true;
}
