/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix products whose fragments are in the registers of a warp. */
#include "execute/matrix/matrix.h"
#include "frontend/sass/compile/compiler.h"

#include <string.h>

/* Shapes by the modifier that names them. A lane has 1/32 of a matrix: an operand of r x c elements with b bits takes
 * r · c · b / 1024 registers; a sparse A half as many. Registers of doubles are pairs. */
struct shape_row {
    const char *text;
    uint16_t m, n, k;
    uint8_t a, b; /* registers of a and b */
};

static const struct shape_row half_shapes[] = {
    {"1688", 16, 8, 8, 2, 1}, {"16816", 16, 8, 16, 4, 2}, {NULL, 0, 0, 0, 0, 0}};
static const struct shape_row single_shapes[] = {/* TF32 */
                                                 {"1684", 16, 8, 4, 2, 1},
                                                 {"1688", 16, 8, 8, 4, 2},
                                                 {NULL, 0, 0, 0, 0, 0}};
static const struct shape_row byte_shapes[] = {
    {"8816", 8, 8, 16, 1, 1}, {"16816", 16, 8, 16, 2, 1}, {"16832", 16, 8, 32, 4, 2}, {NULL, 0, 0, 0, 0, 0}};

static const struct shape_row four_shapes[] = {
    {"8832", 8, 8, 32, 1, 1}, {"16832", 16, 8, 32, 2, 1}, {"16864", 16, 8, 64, 4, 2}, {NULL, 0, 0, 0, 0, 0}};
static const struct shape_row bit_shapes[] = {
    {"88128", 8, 8, 128, 1, 1}, {"168128", 16, 8, 128, 2, 1}, {"168256", 16, 8, 256, 4, 2}, {NULL, 0, 0, 0, 0, 0}};
static const struct shape_row eight_shapes[] = {
    {"16816", 16, 8, 16, 2, 1}, {"16832", 16, 8, 32, 4, 2}, {NULL, 0, 0, 0, 0, 0}};

/* Shapes with a sparse A, of which half of k is stored. */
static const struct shape_row sparse_half_shapes[] = {
    {"16816", 16, 8, 16, 2, 2}, {"16832", 16, 8, 32, 4, 4}, {NULL, 0, 0, 0, 0, 0}};
static const struct shape_row sparse_single_shapes[] = {
    {"1688", 16, 8, 8, 2, 2}, {"16816", 16, 8, 16, 4, 4}, {NULL, 0, 0, 0, 0, 0}};
static const struct shape_row sparse_byte_shapes[] = {
    {"16832", 16, 8, 32, 2, 2}, {"16864", 16, 8, 64, 4, 4}, {NULL, 0, 0, 0, 0, 0}};
static const struct shape_row sparse_four_shapes[] = {
    {"16864", 16, 8, 64, 2, 2}, {"168128", 16, 8, 128, 4, 4}, {NULL, 0, 0, 0, 0, 0}};

static const struct shape_row double_shapes[] = {{"884", 8, 8, 4, 1, 1},       {"8x8x4", 8, 8, 4, 1, 1},
                                                 {"16x8x4", 16, 8, 4, 2, 1},   {"16x8x8", 16, 8, 8, 4, 2},
                                                 {"16x8x16", 16, 8, 16, 8, 4}, {NULL, 0, 0, 0, 0, 0}};

/* Adds `count` operands of `each` registers from the operand's register on. RZ stands for zeros in all of them. */
void sass_put_range(struct sass_compiler *compiler, const struct sass_operand *operand, uint32_t count, uint32_t each,
                    bool result)
{
    for (uint32_t i = 0; i < count * each; i += each)
        sass_add_list(compiler, operand->index != SASS_RZ ? sass_register_ref(compiler, (uint8_t)(operand->index + i))
                                : result                  ? sass_nowhere(compiler)
                                                          : sass_value_ref(compiler, 0, true));
}

/* Whether A or B has elements of four bits. */
static bool has_fours(const struct sass_instruction *instruction)
{
    return sass_bit(&instruction->word, 83) || sass_bit(&instruction->word, 84);
}

/* The shapes for an instruction's types: IMMA, BMMA, DMMA, QMMA (eight-bit floats), HMMA. */
static const struct shape_row *shapes_of(const struct sass_instruction *instruction)
{
    bool sparse = sass_has(instruction, "SP");
    switch (instruction->form->name[0]) {
    case 'I':
        if (sparse)
            return has_fours(instruction) ? sparse_four_shapes : sparse_byte_shapes;
        return has_fours(instruction) ? four_shapes : byte_shapes;
    case 'B':
        return bit_shapes;
    case 'D':
        return double_shapes;
    case 'Q':
        return sparse ? sparse_byte_shapes + 1 : eight_shapes;
    default:
        if (sparse)
            return sass_has(instruction, "TF32") ? sparse_single_shapes : sparse_half_shapes;
        return sass_has(instruction, "TF32") ? single_shapes : half_shapes;
    }
}

/* Integer types: A's sign is at bit 76 and its size at 83, B's at 78 and 84. */
static void put_whole_types(const struct sass_instruction *instruction, struct execute_matrix_form *form)
{
    static const uint8_t types[] = {EXECUTE_u8, EXECUTE_s8, EXECUTE_u4, EXECUTE_s4};
    const struct sass_word *word = &instruction->word;
    bool fours = has_fours(instruction);
    form->a_type = types[sass_bit(word, 76) + (fours && sass_bit(word, 83) ? 2 : 0)];
    form->b_type = types[sass_bit(word, 78) + (fours && sass_bit(word, 84) ? 2 : 0)];
    if (instruction->form->name[0] == 'B')
        form->a_type = form->b_type = EXECUTE_b1;
    form->c_type = form->d_type = EXECUTE_s32;
    form->saturate = sass_has(instruction, "SAT");
    form->and_popc = sass_has(instruction, "AND");
    form->xor_popc = sass_has(instruction, "XOR");
}

static void put_matrix_types(const struct sass_instruction *instruction, struct execute_matrix_form *form)
{
    bool bf16 = sass_has(instruction, "BF16");
    form->a_type = form->b_type = sass_has(instruction, "TF32") ? EXECUTE_tf32 : bf16 ? EXECUTE_bf16 : EXECUTE_f16;
    form->c_type = form->d_type = sass_has(instruction, "F32") ? EXECUTE_f32 : EXECUTE_f16;
    switch (instruction->form->name[0]) {
    case 'I':
    case 'B':
        put_whole_types(instruction, form);
        break;
    case 'D':
        form->a_type = form->b_type = form->c_type = form->d_type = EXECUTE_f64;
        break;
    case 'Q':
        form->a_type = sass_bit(&instruction->word, 78) ? EXECUTE_e5m2x2 : EXECUTE_e4m3x2;
        form->b_type = sass_bit(&instruction->word, 79) ? EXECUTE_e5m2x2 : EXECUTE_e4m3x2;
        break;
    default:
        break;
    }
}

/* HMMA.884: a step of Volta's products of quads of lanes, which has its own two registers of C and D. Bit 76: D is
 * single precision; 78: C is; 73, 74: A, B are stored by columns. */
static bool build_quads(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                        struct execute_op *op)
{
    static const char *const steps[] = {"STEP0", "STEP1", "STEP2", "STEP3", NULL};
    const struct sass_operand *operands = instruction->operands;
    const struct sass_word *word = &instruction->word;
    bool same = sass_bit(word, 76) == sass_bit(word, 78);
    if (sass_has(instruction, "SATFINITE") || operands[1].flags & SASS_NEGATED || operands[2].flags & SASS_NEGATED)
        return sass_refuse(compiler, "the sign or the range of its matrices");
    if (!same && operands[3].index != SASS_RZ)
        return sass_refuse(compiler, "sums of another type than its results");
    struct execute_matrix_form form = {.m = 8, .n = 8, .k = 4, .quads = true, .a_type = EXECUTE_f16};
    form.b_type = EXECUTE_f16;
    form.c_type = form.d_type = sass_bit(word, 76) ? EXECUTE_f32 : EXECUTE_f16;
    form.a_column = sass_bit(word, 73);
    form.b_column = sass_bit(word, 74);
    int step = sass_choice_of(instruction, steps), most = form.d_type == EXECUTE_f16 ? 2 : 4;
    if (step < 0 || step >= most)
        return sass_refuse(compiler, "a step that its sums do not have");
    form.quad_step = (uint8_t)(1 + step);
    form.a_count = form.b_count = form.c_count = form.d_count = 2;
    op->kind = EXECUTE_KIND_MATRIX;
    op->list = compiler->code->list.count;
    for (uint32_t i = 0; i < 4; i++)
        sass_put_range(compiler, &operands[i], 2, 1, i == 0);
    op->list_results = 2;
    op->list_sources = 6;
    op->matrix = compiler->code->matrices.count;
    *(struct execute_matrix_form *)mnp_array_add(&compiler->code->matrices, 1, sizeof form) = form;
    return true;
}

/* The register of metadata stands behind C, in text and in the list. */
static bool put_metadata(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                         struct execute_matrix_form *form, struct execute_op *op)
{
    const struct sass_operand *operands = instruction->operands;
    form->sparse = sass_has(instruction, "SP");
    if (!form->sparse)
        return true;
    form->selector = (uint8_t)operands[5].value;
    sass_put_range(compiler, &operands[4], 1, 1, false);
    op->list_sources++;
    return form->selector < execute_sparse_selectors(form) ||
           sass_refuse(compiler, "a selector that its shape does not have");
}

/* Whether types are floats of six or four bits, or the product has block scaling. */
static bool has_small_floats(const struct sass_instruction *instruction)
{
    char first = instruction->form->name[0];
    return first == 'O' || (first == 'Q' && (sass_has(instruction, "SF") || sass_bits(&instruction->word, 82, 85)));
}

/* A predicate of the uniform datapath behind C. Whether it takes C away or the whole product is not published. */
static bool has_predicate(const struct sass_instruction *instruction)
{
    for (uint32_t i = 0; i < instruction->operand_count; i++)
        if (instruction->operands[i].kind == SASS_UNIFORM_PREDICATE && !(instruction->operands[i].flags & SASS_HIDDEN))
            return true;
    return false;
}

static bool build_matrix(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                         struct execute_op *op)
{
    const struct sass_operand *operands = instruction->operands;
    bool doubles = instruction->form->name[0] == 'D';
    if (sass_has(instruction, "884") && !doubles)
        return build_quads(compiler, instruction, op);
    if (has_small_floats(instruction))
        return sass_refuse(compiler, "the types of its matrices");
    if (has_predicate(instruction))
        return sass_refuse(compiler, "the uniform predicate behind C");
    const struct shape_row *shape = shapes_of(instruction);
    uint32_t each = doubles ? 2 : 1;
    while (shape->text && !sass_has(instruction, shape->text))
        shape++;
    if (!shape->text || sass_has(instruction, "SATFINITE"))
        return sass_refuse(compiler, "the shape of its matrices");
    for (uint32_t i = 1; i < 4; i++)
        if (operands[i].flags & SASS_NEGATED)
            return sass_refuse(compiler, "the sign of its matrices");
    struct execute_matrix_form form = {.m = shape->m, .n = shape->n, .k = shape->k, .b_column = true};
    put_matrix_types(instruction, &form);
    form.a_count = shape->a;
    form.b_count = shape->b;
    form.c_count = form.d_count = (uint8_t)(shape->m * shape->n / 32 / (form.c_type == EXECUTE_f16 ? 2 : 1));
    op->kind = EXECUTE_KIND_MATRIX;
    op->list = compiler->code->list.count;
    sass_put_range(compiler, &operands[0], form.d_count, each, true);
    sass_put_range(compiler, &operands[1], form.a_count, each, false);
    sass_put_range(compiler, &operands[2], form.b_count, each, false);
    sass_put_range(compiler, &operands[3], form.c_count, each, false);
    op->list_results = form.d_count;
    op->list_sources = (uint8_t)(form.a_count + form.b_count + form.c_count);
    if (!put_metadata(compiler, instruction, &form, op))
        return false;
    op->matrix = compiler->code->matrices.count;
    *(struct execute_matrix_form *)mnp_array_add(&compiler->code->matrices, 1, sizeof form) = form;
    return true;
}

/* MOVM transposes an 8 x 8 matrix of halves; .U4TO8 instead extends elements of four bits to bytes, in two
 * registers. */
static bool build_transpose(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                            struct execute_op *op)
{
    op->kind = EXECUTE_KIND_MOVE_MATRIX;
    op->variant = sass_has(instruction, "U4TO8");
    if (sass_has(instruction, "M864") || op->variant != sass_has(instruction, "M832"))
        return sass_refuse(compiler, "how it moves");
    op->d = sass_result_ref(compiler, &instruction->operands[0]);
    op->a = sass_source_ref(compiler, &instruction->operands[1], false);
    op->size = op->variant ? 8 : 4;
    op->flags = EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A;
    if (op->variant) {
        op->list = sass_add_list(compiler, op->d + EXECUTE_SMALL_BYTES);
        op->list_results = 1;
    }
    return true;
}

const struct sass_builder_row sass_matrix_rows[] = {
    {"HMMA", build_matrix}, {"IMMA", build_matrix}, {"DMMA", build_matrix},    {"BMMA", build_matrix},
    {"QMMA", build_matrix}, {"OMMA", build_matrix}, {"MOVM", build_transpose}, {NULL, NULL},
};
