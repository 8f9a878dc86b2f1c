/* SPDX-License-Identifier: BSD-3-Clause */
/* Special registers, shuffles, conversions of any types, matrix products, textures. */
#include "frontend/sass/compile/compiler.h"

#include "execute/matrix.h"
#include "execute/warp.h"

#include <string.h>

/* ===== special registers ===== */

enum { FIXED_VALUE = 0x100, CHANGES = 0x200, SHARED_WINDOW_UPPER = 47, HOPPER = 90 }; /* beside enum execute_special */

struct special_row {
    uint16_t number; /* of S2R */
    uint16_t special;
    uint32_t value; /* FIXED_VALUE */
};

static const struct special_row specials[] = {
    {0, EXECUTE_SPECIAL_LANEID, 0},
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
    {255, FIXED_VALUE, 0},
};

static uint32_t special_ref(struct sass_compiler *compiler, uint32_t special)
{
    struct execute_code *code = compiler->code;
    if (code->special_offset[special] == EXECUTE_NONE) {
        code->special_offset[special] = code->special_bytes;
        code->special_bytes += EXECUTE_SMALL_BYTES;
    }
    return (uint32_t)EXECUTE_BASE_SPECIAL << EXECUTE_BASE_SHIFT | code->special_offset[special];
}

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
    bool pair = strcmp(instruction->form->name, "CS2R") == 0 && !sass_has(instruction, "32");
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
    if (row->number == SHARED_WINDOW_UPPER && compiler->code->architecture >= HOPPER)
        value = (uint32_t)(EXECUTE_RANKED_WINDOW >> 32);
    op->a = row->special & FIXED_VALUE ? sass_value_ref(compiler, value, true) : special_ref(compiler, row->special);
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
    const char *name = instruction->form->name;
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
    bool wide_to = execute_type_bytes((enum execute_type)to_type) == 8;
    bool wide_from = execute_type_bytes((enum execute_type)from_type) == 8;
    bits |= sass_has(instruction, "FTZ") ? EXECUTE_WORDS_FLUSH : 0;
    bits |= strcmp(instruction->form->name, "FRND") == 0 ? EXECUTE_WORDS_ZERO : 0;
    op->kind = EXECUTE_KIND_WORDS;
    op->d = sass_result_ref(compiler, to);
    op->a = sass_source_ref(compiler, from, wide_from);
    op->size = wide_to ? 8 : 4;
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

/* ===== matrix products ===== */

struct shape_row {
    const char *text;
    uint8_t m, n, k, a, b; /* registers of a and b */
};

static const struct shape_row half_shapes[] = {
    {"1688", 16, 8, 8, 2, 1}, {"16816", 16, 8, 16, 4, 2}, {NULL, 0, 0, 0, 0, 0}};
static const struct shape_row single_shapes[] = {/* TF32 */
                                                 {"1684", 16, 8, 4, 2, 1},
                                                 {"1688", 16, 8, 8, 4, 2},
                                                 {NULL, 0, 0, 0, 0, 0}};
static const struct shape_row byte_shapes[] = {
    {"8816", 8, 8, 16, 1, 1}, {"16816", 16, 8, 16, 2, 1}, {"16832", 16, 8, 32, 4, 2}, {NULL, 0, 0, 0, 0, 0}};

static const struct shape_row double_shapes[] = {{"884", 8, 8, 4, 1, 1},       {"8x8x4", 8, 8, 4, 1, 1},
                                                 {"16x8x4", 16, 8, 4, 2, 1},   {"16x8x8", 16, 8, 8, 4, 2},
                                                 {"16x8x16", 16, 8, 16, 8, 4}, {NULL, 0, 0, 0, 0, 0}};

/* `each`: registers of an element. */
static void put_range(struct sass_compiler *compiler, const struct sass_operand *operand, uint32_t count, uint32_t each,
                      bool result)
{
    for (uint32_t i = 0; i < count * each; i += each)
        sass_add_list(compiler, operand->index != SASS_RZ ? sass_register_ref(compiler, (uint8_t)(operand->index + i))
                                : result                  ? sass_nowhere(compiler)
                                                          : sass_value_ref(compiler, 0, true));
}

static bool build_matrix(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                         struct execute_op *op)
{
    const struct sass_operand *operands = instruction->operands;
    bool whole = instruction->form->name[0] == 'I', doubles = instruction->form->name[0] == 'D';
    bool tf32 = sass_has(instruction, "TF32");
    const struct shape_row *shape = whole ? byte_shapes : doubles ? double_shapes : tf32 ? single_shapes : half_shapes;
    uint32_t each = doubles ? 2 : 1;
    while (shape->text && !sass_has(instruction, shape->text))
        shape++;
    if (!shape->text || sass_has(instruction, "SP") || sass_has(instruction, "SATFINITE"))
        return sass_refuse(compiler, "the shape of its matrices");
    for (uint32_t i = 1; i < 4; i++)
        if (operands[i].flags & SASS_NEGATED)
            return sass_refuse(compiler, "the sign of its matrices");
    struct execute_matrix_form form = {.m = shape->m, .n = shape->n, .k = shape->k, .b_column = true};
    form.a_type = form.b_type = tf32 ? EXECUTE_tf32 : sass_has(instruction, "BF16") ? EXECUTE_bf16 : EXECUTE_f16;
    form.c_type = form.d_type = whole || sass_has(instruction, "F32") ? EXECUTE_f32 : EXECUTE_f16;
    if (whole) {
        form.a_type = sass_bit(&instruction->word, 76) ? EXECUTE_s8 : EXECUTE_u8;
        form.b_type = sass_bit(&instruction->word, 78) ? EXECUTE_s8 : EXECUTE_u8;
        form.c_type = form.d_type = EXECUTE_s32;
        form.saturate = sass_has(instruction, "SAT");
    }
    if (doubles)
        form.a_type = form.b_type = form.c_type = form.d_type = EXECUTE_f64;
    form.a_count = shape->a;
    form.b_count = shape->b;
    form.c_count = form.d_count = (uint8_t)(shape->m * shape->n / 32 / (form.c_type == EXECUTE_f16 ? 2 : 1));
    op->kind = EXECUTE_KIND_MATRIX;
    op->list = compiler->code->list.count;
    put_range(compiler, &operands[0], form.d_count, each, true);
    put_range(compiler, &operands[1], form.a_count, each, false);
    put_range(compiler, &operands[2], form.b_count, each, false);
    put_range(compiler, &operands[3], form.c_count, each, false);
    op->list_results = form.d_count;
    op->list_sources = (uint8_t)(form.a_count + form.b_count + form.c_count);
    op->matrix = compiler->code->matrices.count;
    *(struct execute_matrix_form *)mnp_array_add(&compiler->code->matrices, 1, sizeof form) = form;
    return true;
}

static bool build_transpose(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                            struct execute_op *op)
{
    op->kind = EXECUTE_KIND_MOVE_MATRIX;
    op->d = sass_result_ref(compiler, &instruction->operands[0]);
    op->a = sass_source_ref(compiler, &instruction->operands[1], false);
    op->size = 4;
    op->flags = EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A;
    return true;
}

/* QSPC: whether a generic address lies in a space. */
static bool build_space_query(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                              struct execute_op *op)
{
    static const char *const names[] = {"G", "L", "S", NULL};
    static const uint8_t spaces[] = {EXECUTE_SPACE_GLOBAL, EXECUTE_SPACE_LOCAL, EXECUTE_SPACE_SHARED};
    const struct sass_operand *operands = instruction->operands, *address = &operands[2];
    int space = sass_choice_of(instruction, names);
    if (space < 0 || operands[1].index != SASS_RZ || address->index == SASS_RZ || address->value ||
        address->flags & SASS_ADDED)
        return sass_refuse(compiler, "how it asks for a space");
    op->kind = EXECUTE_KIND_ISSPACEP;
    op->variant = spaces[space];
    op->d = sass_predicate_result(&operands[0]);
    op->a = sass_register_ref(compiler, address->index);
    op->list = sass_add_list(compiler, op->a + EXECUTE_SMALL_BYTES);
    op->list_sources = 1;
    op->flags = EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A;
    return true;
}

/* ===== textures ===== */

struct geometry_row {
    const char *text;
    uint8_t dimensions;
    bool layered;
};

static const struct geometry_row *geometry_of(const struct sass_operand *operand)
{
    static const struct geometry_row rows[] = {
        {"1D", 1, false}, {"2D", 2, false}, {"3D", 3, false}, {"ARRAY_1D", 1, true}, {"ARRAY_2D", 2, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strlen(rows[i].text) == operand->text.length &&
            strncmp(rows[i].text, operand->text.text, operand->text.length) == 0)
            return &rows[i];
    return NULL;
}

/* The channels that the mask names go to the first result's pair, then to the second one's; the others nowhere. */
static void put_channels(struct sass_compiler *compiler, const struct sass_operand *operands, uint32_t mask)
{
    const struct sass_operand *pairs[] = {&operands[1], &operands[0]};
    for (uint32_t channel = 0, used = 0; channel < 4; channel++) {
        const struct sass_operand *pair = pairs[used / 2 & 1];
        bool taken = mask >> channel & 1;
        sass_add_list(compiler, taken && pair->index != SASS_RZ
                                    ? sass_register_ref(compiler, (uint8_t)(pair->index + used % 2))
                                    : sass_nowhere(compiler));
        used += taken;
    }
}

/* TEX: two results, two sources of coordinates; TLD: whole coordinates in one source. The handle is a constant of bank
 * I, in words, or a pair of uniform registers. */
static bool build_texture(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                          struct execute_op *op)
{
    static const char *const refused[] = {"LB", "LC",  "LB.LC",  "AOFFI",  "DC", "MS",
                                          "CL", "NDV", "F16.RN", "F16.RZ", NULL};
    const struct sass_operand *operands = instruction->operands;
    bool fetch = strcmp(instruction->form->name, "TLD") == 0;
    const struct sass_operand *handle = &operands[fetch ? 3 : 4], *place = handle + 1;
    const struct geometry_row *geometry = geometry_of(handle + 2);
    if (!geometry || sass_choice_of(instruction, refused) >= 0)
        return sass_refuse(compiler, "how it samples");
    op->kind = EXECUTE_KIND_TEXTURE;
    op->access = (struct execute_access_form){.type = EXECUTE_b32,
                                              .operation = fetch ? EXECUTE_s32 : EXECUTE_f32,
                                              .count = geometry->dimensions,
                                              .framed = geometry->layered,
                                              .read_only = true};
    op->a = handle->kind == SASS_UNIFORM
                ? sass_uniform_ref(compiler, handle->index)
                : sass_bank_ref(compiler, (uint32_t)handle->value, 4 * (uint32_t)place->value, true);
    op->flags = EXECUTE_OP_READS_A;
    op->list = compiler->code->list.count;
    put_channels(compiler, operands, (uint32_t)handle[3].value);
    op->list_results = 4;
    op->list_sources = 4;
    for (uint32_t i = 0; i < 4; i++) {
        const struct sass_operand *source = &operands[fetch || i < 2 ? 2 : 3];
        uint32_t index = fetch ? i : i % 2;
        sass_add_list(compiler, source->index == SASS_RZ || source->index + index > 254u
                                    ? sass_value_ref(compiler, 0, true)
                                    : sass_register_ref(compiler, (uint8_t)(source->index + index)));
    }
    return op->a != EXECUTE_NO_REF;
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
    {"HMMA", build_matrix},
    {"IMMA", build_matrix},
    {"DMMA", build_matrix},
    {"QSPC", build_space_query},
    {"MOVM", build_transpose},
    {"TEX", build_texture},
    {"TLD", build_texture},
    {NULL, NULL},
};
