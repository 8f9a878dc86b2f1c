/* SPDX-License-Identifier: BSD-3-Clause */
/* Special registers, shuffles, conversions of any types. */
#include "frontend/sass/compile/compiler.h"

#include "execute/matrix/matrix.h"
#include "execute/warp/warp.h"

#include <string.h>

/* ===== special registers ===== */

enum {
    FIXED_VALUE = 0x100, /* beside enum execute_special */
    CHANGES = 0x200,
    SHARED_WINDOW_UPPER = 47,
    CGA_SIZE = 138,
    HOPPER = 90
};

struct special_row {
    uint16_t number; /* number in S2R */
    uint16_t special;
    uint32_t value; /* FIXED_VALUE */
};

static const struct special_row specials[] = {
    {0, EXECUTE_SPECIAL_LANEID, 0},
    {3, EXECUTE_SPECIAL_VIRTID, 0},
    {33, EXECUTE_SPECIAL_TID_X, 0},
    {34, EXECUTE_SPECIAL_TID_Y, 0},
    {35, EXECUTE_SPECIAL_TID_Z, 0},
    {37, EXECUTE_SPECIAL_CTAID_X, 0},
    {38, EXECUTE_SPECIAL_CTAID_Y, 0},
    {39, EXECUTE_SPECIAL_CTAID_Z, 0},
    {46, FIXED_VALUE, (uint32_t)(EXECUTE_LOCAL_WINDOW >> 32)},
    {SHARED_WINDOW_UPPER, FIXED_VALUE, (uint32_t)(EXECUTE_SHARED_WINDOW >> 32)},
    {48, FIXED_VALUE, (uint32_t)EXECUTE_SHARED_WINDOW},
    {49, FIXED_VALUE, (uint32_t)EXECUTE_WINDOW_BYTES},
    {50, EXECUTE_SPECIAL_TOTAL_SMEM_SIZE, 0},
    {52, FIXED_VALUE, (uint32_t)EXECUTE_LOCAL_WINDOW},
    {53, FIXED_VALUE, (uint32_t)EXECUTE_WINDOW_BYTES},
    {54, FIXED_VALUE, 0}, /* the stack of local memory ends at 0 */
    {55, FIXED_VALUE, 0}, /* code of -G compares the pointer to it with this value */
    {56, EXECUTE_SPECIAL_LANEMASK_EQ, 0},
    {57, EXECUTE_SPECIAL_LANEMASK_LT, 0},
    {58, EXECUTE_SPECIAL_LANEMASK_LE, 0},
    {59, EXECUTE_SPECIAL_LANEMASK_GT, 0},
    {60, EXECUTE_SPECIAL_LANEMASK_GE, 0},
    {67, EXECUTE_SPECIAL_SMID, 0},
    {80, CHANGES | EXECUTE_SPECIAL_CLOCK, 0},
    {81, CHANGES | EXECUTE_SPECIAL_CLOCK_HI, 0},
    {82, CHANGES | EXECUTE_SPECIAL_GLOBALTIMER_LO, 0},
    {83, CHANGES | EXECUTE_SPECIAL_GLOBALTIMER_HI, 0},
    {136, EXECUTE_SPECIAL_CLUSTER_CTARANK, 0},
    {CGA_SIZE, FIXED_VALUE, 0}, /* see bank.c */
    {255, FIXED_VALUE, 0},
};

static const struct special_row *special_of(uint32_t number)
{
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (specials[i].number == number)
            return &specials[i];
    return NULL;
}

/* S2R, S2UR and CS2R, which reads a pair unless .32 says otherwise. */
static bool build_special(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                          struct execute_op *op)
{
    const struct sass_operand *to = &instruction->operands[0];
    const struct special_row *row = special_of(instruction->operands[1].index);
    bool pair = strncmp(instruction->form->name, "CS2", 3) == 0 && !sass_has(instruction, "32");
    if (!row)
        return sass_refuse(compiler, "the special register that it reads");
    op->d = sass_result_ref(compiler, to);
    op->size = pair ? 8 : 4;
    op->flags = EXECUTE_OP_WRITES_D;
    if (pair) {
        op->list = sass_add_list(compiler, op->d + EXECUTE_SMALL_BYTES);
        op->list_sources = 1;
    }
    if (row->special & CHANGES) {
        op->kind = EXECUTE_KIND_CLOCK;
        op->variant = (uint8_t)(row->special & 0xff);
        op->combine = pair;
        return true;
    }
    op->kind = EXECUTE_KIND_WORDS;
    uint32_t value = row->value;
    compiler->reads_cga_size |= row->number == CGA_SIZE;
    if (row->number == SHARED_WINDOW_UPPER && compiler->code->architecture >= HOPPER)
        value = (uint32_t)(EXECUTE_RANKED_WINDOW >> 32);
    op->a =
        row->special & FIXED_VALUE ? sass_value_ref(compiler, value, true) : sass_special_ref(compiler, row->special);
    op->variant = to->kind == SASS_UNIFORM ? 0x80 : 0;
    op->words = compiler->words->functions[pair ? EXECUTE_WORDS_mov2 : EXECUTE_WORDS_mov];
    return !pair || row->special & FIXED_VALUE || sass_refuse(compiler, "the pair of special registers that it reads");
}

/* ===== shuffles ===== */

static bool build_shuffle(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                          struct execute_op *op)
{
    static const char *const kinds[] = {"UP", "DOWN", "BFLY", "IDX", NULL};
    const struct sass_operand *operands = instruction->operands;
    op->kind = EXECUTE_KIND_SHUFFLE;
    op->variant = (uint8_t)sass_choice_of(instruction, kinds);
    op->list = sass_add_list(compiler, sass_predicate_result(&operands[0]));
    op->list_results = 1;
    op->d = sass_result_ref(compiler, &operands[1]);
    op->size = 4;
    op->a = sass_source_ref(compiler, &operands[2], false);
    op->b = sass_source_ref(compiler, &operands[3], false);
    op->c = sass_source_ref(compiler, &operands[4], false);
    op->flags = EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A | EXECUTE_OP_READS_B | EXECUTE_OP_READS_C;
    return true;
}

/* ===== conversions ===== */

struct type_row {
    const char *text;
    uint8_t type;
};

static const struct type_row integers[] = {{"U8", EXECUTE_u8},   {"U16", EXECUTE_u16}, {"U32", EXECUTE_u32},
                                           {"U64", EXECUTE_u64}, {"S8", EXECUTE_s8},   {"S16", EXECUTE_s16},
                                           {"S32", EXECUTE_s32}, {"S64", EXECUTE_s64}, {NULL, 0}};
static const struct type_row floats[] = {
    {"F16", EXECUTE_f16}, {"F32", EXECUTE_f32}, {"F64", EXECUTE_f64}, {"BF16", EXECUTE_bf16}, {NULL, 0}};

static uint8_t type_in(const struct sass_instruction *instruction, const struct type_row *rows, uint8_t otherwise,
                       uint32_t skip)
{
    for (uint32_t i = 0; i < instruction->modifier_count; i++)
        for (const struct type_row *row = rows; row->text; row++)
            if (strlen(row->text) == instruction->modifiers[i].length &&
                strncmp(row->text, instruction->modifiers[i].text, instruction->modifiers[i].length) == 0 && !skip--)
                return row->type;
    return otherwise;
}

static uint32_t rounding_bits(const struct sass_instruction *instruction)
{
    static const char *const roundings[] = {"RM", "RP", "RZ", NULL}, *const whole[] = {"FLOOR", "CEIL", "TRUNC", NULL};
    int rounding = sass_choice_of(instruction, roundings);
    rounding = rounding < 0 ? sass_choice_of(instruction, whole) : rounding;
    return (uint32_t)(rounding + 1) << EXECUTE_WORDS_ROUND_SHIFT;
}

static void types_of(const struct sass_instruction *instruction, uint8_t *to, uint8_t *from)
{
    const char *name = instruction->form->name + (instruction->form->name[0] == 'U');
    if (strncmp(name, "I2F", 3) == 0) {
        *to = type_in(instruction, floats, EXECUTE_f32, 0);
        *from = type_in(instruction, integers, EXECUTE_s32, 0);
    } else if (strcmp(name, "F2I") == 0) {
        *to = type_in(instruction, integers, EXECUTE_s32, 0);
        *from = type_in(instruction, floats, EXECUTE_f32, 0);
    } else if (strcmp(name, "FRND") == 0) {
        *to = *from = type_in(instruction, floats, EXECUTE_f32, 0);
    } else {
        *to = type_in(instruction, floats, EXECUTE_f32, 0);
        *from = type_in(instruction, floats, EXECUTE_f32, 1);
    }
}

/* Those between these types and with nothing else to them have functions of their own. */
static execute_words_function short_conversion(const struct sass_compiler *compiler, uint8_t to, uint8_t from,
                                               uint32_t bits)
{
    static const struct {
        uint8_t to, from, name;
        uint32_t rounding;
    } rows[] = {{EXECUTE_f32, EXECUTE_s32, EXECUTE_WORDS_i2f_s32, 0},
                {EXECUTE_f32, EXECUTE_u32, EXECUTE_WORDS_i2f_u32, 0},
                {EXECUTE_f64, EXECUTE_f32, EXECUTE_WORDS_f2d, 0},
                {EXECUTE_f32, EXECUTE_f64, EXECUTE_WORDS_d2f, 0},
                {EXECUTE_f64, EXECUTE_s32, EXECUTE_WORDS_i2d_s32, 0},
                {EXECUTE_f64, EXECUTE_u32, EXECUTE_WORDS_i2d_u32, 0},
                {EXECUTE_s32, EXECUTE_f64, EXECUTE_WORDS_d2i_s32, 3u << EXECUTE_WORDS_ROUND_SHIFT}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].to == to && rows[i].from == from && rows[i].rounding == bits)
            return compiler->words->functions[rows[i].name];
    return NULL;
}

static bool build_conversion(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                             struct execute_op *op)
{
    const struct sass_operand *to = &instruction->operands[0], *from = &instruction->operands[1];
    uint8_t to_type, from_type;
    types_of(instruction, &to_type, &from_type);
    uint32_t bits = rounding_bits(instruction);
    uint32_t byte = from->suffixes[0].length ? (uint32_t)(from->suffixes[0].text[1] - '0') : 0; /* B1 to B3, H1 */
    byte = byte && from->suffixes[0].text[0] == 'H' ? 2 : byte;
    bits |= byte << EXECUTE_WORDS_BYTE_SHIFT;
    bool wide_to = execute_type_bytes((enum execute_type)to_type) == 8;
    bool wide_from = execute_type_bytes((enum execute_type)from_type) == 8;
    bits |= sass_has(instruction, "FTZ") ? EXECUTE_WORDS_FLUSH : 0;
    bits |= strstr(instruction->form->name, "FRND") ? EXECUTE_WORDS_ZERO : 0;
    op->kind = EXECUTE_KIND_WORDS;
    op->d = sass_result_ref(compiler, to);
    op->a = sass_source_ref(compiler, from, wide_from);
    op->size = wide_to ? 8 : 4;
    op->variant = to->kind == SASS_UNIFORM ? 0x80 : 0;
    op->flags = EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A;
    op->list = compiler->code->list.count;
    if (wide_to)
        sass_add_list(compiler, op->d + EXECUTE_SMALL_BYTES);
    if (wide_from && from->kind == SASS_REGISTER && from->index != SASS_RZ)
        sass_add_list(compiler, op->a + EXECUTE_SMALL_BYTES);
    op->list_sources = (uint8_t)(compiler->code->list.count - op->list);
    op->words = short_conversion(compiler, to_type, from_type, bits);
    uint32_t signs = (from->flags & (SASS_NEGATED | SASS_INVERTED) ? EXECUTE_WORDS_NEGATE_A : 0u) |
                     (from->flags & SASS_ABSOLUTE ? EXECUTE_WORDS_ABSOLUTE_A : 0u);
    if (op->words && (!signs || from_type >= EXECUTE_f16)) {
        op->immediate = bits | signs;
    } else {
        op->words = execute_words_convert;
        op->immediate = (int64_t)(bits | signs | (uint32_t)to_type << EXECUTE_WORDS_TO_SHIFT |
                                  (uint32_t)from_type << EXECUTE_WORDS_FROM_SHIFT);
    }
    return op->a != EXECUTE_NO_REF;
}

/* F2FP of eight, six and four bits: UNPACK_B converts such a pair to a pair of halves, PACK_AB_MERGE_C two floats to
 * such a pair, UNPACK_B_MERGE_C a pair of halves to such a pair. A sixteen-bit pair is merged with C's lower half above
 * it. E8 values are powers of two, converted from and to pairs of BF16. */
static const struct type_row small_floats[] = {{"E4M3", EXECUTE_e4m3x2},
                                               {"E5M2", EXECUTE_e5m2x2},
                                               {"E2M3", EXECUTE_e2m3x2},
                                               {"E3M2", EXECUTE_e3m2x2},
                                               {"E2M1", EXECUTE_e2m1x2},
                                               {"E8", EXECUTE_ue8m0x2},
                                               {NULL, 0}};

/* Whether the rounding and types of a packing instruction are supported. */
static bool knows_packing(const struct sass_instruction *instruction, uint8_t small, bool merges)
{
    const struct sass_operand *operands = instruction->operands, *c = &operands[instruction->operand_count - 1];
    static const char *const roundings[] = {"RP", "RZ", NULL};
    bool rounds = sass_choice_of(instruction, roundings) >= 0, power = small == EXECUTE_ue8m0x2;
    bool parts = operands[1].suffixes[0].length || (merges && c->suffixes[0].length);
    if (small == EXECUTE_NO_TYPE || rounds != (power && merges))
        return false;
    if (small == EXECUTE_e2m1x2 && (parts || (merges && c->index != SASS_RZ))) /* unknown which bytes are used */
        return false;
    return !(merges && parts);
}

static bool build_packing(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                          struct execute_op *op)
{
    const struct sass_operand *operands = instruction->operands;
    bool two = sass_has(instruction, "PACK_AB_MERGE_C"), merges = two || sass_has(instruction, "UNPACK_B_MERGE_C");
    uint8_t small = type_in(instruction, small_floats, EXECUTE_NO_TYPE, 0);
    uint32_t halves = small == EXECUTE_ue8m0x2 ? EXECUTE_bf16x2 : EXECUTE_f16x2, other = two ? EXECUTE_f32 : halves;
    uint32_t to = merges ? small : other, from = merges ? other : small, bits = 0;
    if (!knows_packing(instruction, small, merges))
        return sass_refuse(compiler, "the types that it packs");
    op->kind = EXECUTE_KIND_WORDS;
    op->words = execute_words_convert_pair;
    op->d = sass_result_ref(compiler, &operands[0]);
    op->a = sass_source_ref(compiler, &operands[1], false);
    op->b = two ? sass_source_ref(compiler, &operands[2], false) : EXECUTE_NO_REF;
    op->c = merges ? sass_source_ref(compiler, &operands[instruction->operand_count - 1], false) : EXECUTE_NO_REF;
    op->size = 4;
    op->flags = (uint8_t)(EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A | (two ? EXECUTE_OP_READS_B : 0) |
                          (merges ? EXECUTE_OP_READS_C : 0));
    op->list = compiler->code->list.count;
    bits |= operands[1].suffixes[0].length ? EXECUTE_WORDS_UPPER : 0; /* .H1 */
    bits |= sass_has(instruction, "SATFINITE") ? EXECUTE_WORDS_SATURATE : 0;
    bits |= sass_has(instruction, "RELU") ? EXECUTE_WORDS_RELU : 0;
    bits |= rounding_bits(instruction);
    op->immediate = (int64_t)(bits | to << EXECUTE_WORDS_TO_SHIFT | from << EXECUTE_WORDS_FROM_SHIFT);
    return op->a != EXECUTE_NO_REF && (!two || op->b != EXECUTE_NO_REF) && (!merges || op->c != EXECUTE_NO_REF);
}

/* QSPC: whether a generic address lies in a space. */
static bool build_space_query(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                              struct execute_op *op)
{
    static const char *const names[] = {"G", "L", "S", "D", NULL};
    static const uint8_t spaces[] = {EXECUTE_SPACE_GLOBAL, EXECUTE_SPACE_LOCAL, EXECUTE_SPACE_SHARED,
                                     EXECUTE_SPACE_CLUSTER};
    const struct sass_operand *operands = instruction->operands, *address = &operands[2];
    int space = sass_choice_of(instruction, names);
    bool uniform = address->index == SASS_RZ && address->flags & SASS_ADDED && address->uniform != SASS_RZ;
    if (space < 0 || operands[1].index != SASS_RZ ||
        (!uniform && (address->index == SASS_RZ || address->flags & SASS_ADDED)))
        return sass_refuse(compiler, "how it asks for a space");
    op->kind = EXECUTE_KIND_ISSPACEP;
    op->immediate = address->value;
    op->variant = spaces[space];
    op->d = sass_predicate_result(&operands[0]);
    op->a = uniform ? sass_uniform_ref(compiler, address->uniform) : sass_register_ref(compiler, address->index);
    op->list = sass_add_list(compiler, op->a + EXECUTE_SMALL_BYTES);
    op->list_sources = 1;
    op->flags = EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A;
    return true;
}

const struct sass_builder_row sass_special_rows[] = {
    {"S2R", build_special},
    {"S2UR", build_special},
    {"CS2R", build_special},
    {"SHFL", build_shuffle},
    {"I2F", build_conversion},
    {"F2I", build_conversion},
    {"F2F", build_conversion},
    {"FRND", build_conversion},
    {"I2FP", build_conversion},
    {"F2FP", build_packing},
    {"QSPC", build_space_query},
    {"CS2UR", build_special},
    {"UI2F", build_conversion},
    {"UF2I", build_conversion},
    {"UFRND", build_conversion},
    {"UI2FP", build_conversion},
    {NULL, NULL},
};
