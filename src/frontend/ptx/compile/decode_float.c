/* SPDX-License-Identifier: BSD-3-Clause */
/* Floating point that soft_float does: roundings other than to nearest, half precision, and conversions. */
#include "frontend/ptx/compile/decode.h"

#include <string.h>

static const struct {
    const char *word;
    enum execute_rounding rounding;
    bool integral;
} roundings[] = {{"rn", EXECUTE_RN, false}, {"rz", EXECUTE_RZ, false},   {"rm", EXECUTE_RM, false},
                 {"rp", EXECUTE_RP, false}, {"rna", EXECUTE_RNA, false}, {"rni", EXECUTE_RN, true},
                 {"rzi", EXECUTE_RZ, true}, {"rmi", EXECUTE_RM, true},   {"rpi", EXECUTE_RP, true}};

static bool take_rounding(struct ptx_decoder *decoder, struct execute_float_form *form)
{
    for (size_t i = 0; i < sizeof roundings / sizeof *roundings; i++) {
        if (ptx_take_word(decoder, roundings[i].word)) {
            form->rounding = (uint8_t)roundings[i].rounding;
            form->integral = roundings[i].integral;
            return true;
        }
    }
    return false;
}

static const struct {
    const char *opcode;
    enum execute_float_operation operation;
    uint8_t sources;
    bool rounded;   /* takes .rn, .rz, … */
    bool wide_only; /* .f32 and .f64 only */
} operations[] = {
    {"add", EXECUTE_FLOAT_ADD, 2, true, false},  {"sub", EXECUTE_FLOAT_SUB, 2, true, false},
    {"mul", EXECUTE_FLOAT_MUL, 2, true, false},  {"fma", EXECUTE_FLOAT_FMA, 3, true, false},
    {"mad", EXECUTE_FLOAT_FMA, 3, true, true},   {"div", EXECUTE_FLOAT_DIV, 2, true, true},
    {"rcp", EXECUTE_FLOAT_RCP, 1, true, true},   {"sqrt", EXECUTE_FLOAT_SQRT, 1, true, true},
    {"min", EXECUTE_FLOAT_MIN, 2, false, false}, {"max", EXECUTE_FLOAT_MAX, 2, false, false},
    {"abs", EXECUTE_FLOAT_ABS, 1, false, false}, {"neg", EXECUTE_FLOAT_NEG, 1, false, false},
    {"ex2", EXECUTE_FLOAT_EX2, 1, false, false}, {"tanh", EXECUTE_FLOAT_TANH, 1, false, false},
};

static bool check_float_type(struct ptx_decoder *decoder, const struct execute_float_form *form, bool wide_only)
{
    switch (form->type) {
    case EXECUTE_f32:
        break;
    case EXECUTE_f64:
        if (form->flush || form->saturate)
            return ptx_decode_fail(decoder, ".f64 has no .ftz and no .sat");
        break;
    case EXECUTE_f16:
    case EXECUTE_f16x2:
    case EXECUTE_bf16:
    case EXECUTE_bf16x2:
        if (!wide_only)
            break;
        /* fall through */
    default:
        return ptx_decode_fail(decoder, ".%s is not supported", execute_type_name((enum execute_type)form->type));
    }
    bool approximate = form->operation == EXECUTE_FLOAT_EX2 || form->operation == EXECUTE_FLOAT_TANH;
    return !approximate || (form->type != EXECUTE_f32 && form->type != EXECUTE_f64) ||
           ptx_decode_fail(decoder, ".%s is not supported", execute_type_name((enum execute_type)form->type));
}

bool ptx_decode_float(struct ptx_decoder *decoder)
{
    size_t row = 0;
    while (row < sizeof operations / sizeof *operations &&
           (strlen(operations[row].opcode) != decoder->words[0].length ||
            memcmp(operations[row].opcode, decoder->words[0].text, decoder->words[0].length) != 0))
        row++;
    if (row == sizeof operations / sizeof *operations || decoder->type_count == 0 || decoder->type_count > 2)
        return ptx_decode_fail(decoder, "this form is not supported");
    struct execute_float_form form = {.operation = (uint8_t)operations[row].operation, .type = decoder->types[0]};
    if (operations[row].rounded)
        take_rounding(decoder, &form);
    form.flush = ptx_take_word(decoder, "ftz");
    form.nan = ptx_take_word(decoder, "NaN");
    form.xorsign = ptx_take_word(decoder, "xorsign") && ptx_take_word(decoder, "abs");
    form.saturate = ptx_take_word(decoder, "sat");
    form.relu = ptx_take_word(decoder, "relu");
    if (form.operation == EXECUTE_FLOAT_EX2 || form.operation == EXECUTE_FLOAT_TANH)
        ptx_take_word(decoder, "approx");
    if (form.integral || form.rounding == EXECUTE_RNA || !check_float_type(decoder, &form, operations[row].wide_only))
        return ptx_decode_fail(decoder, "this rounding is not supported here");
    uint32_t sources = operations[row].sources, d, refs[3] = {EXECUTE_NO_REF, EXECUTE_NO_REF, EXECUTE_NO_REF};
    bool three = form.operation <= EXECUTE_FLOAT_MAX && form.operation >= EXECUTE_FLOAT_MIN &&
                 decoder->statement->operand_count == 4 && form.type == EXECUTE_f32;
    sources += three;
    if (!ptx_operand_count_is(decoder, 1 + sources, 1 + sources))
        return false;
    /* add.f32.f16 and its like: the last sources have the second type's format */
    form.from = decoder->type_count == 2 ? decoder->types[1] : 0;
    if (form.from && (form.type != EXECUTE_f32 || (form.from != EXECUTE_f16 && form.from != EXECUTE_bf16) ||
                      (form.operation > EXECUTE_FLOAT_FMA || form.operation == EXECUTE_FLOAT_MUL)))
        return ptx_decode_fail(decoder, "these types together are not supported");
    for (uint32_t i = 0; i < sources; i++) {
        bool narrow = form.from && (form.operation == EXECUTE_FLOAT_FMA ? i < 2 : i == 0);
        if (!ptx_source(decoder, ptx_operand_of(decoder, 1 + i), narrow ? form.from : form.type, &refs[i]))
            return false;
    }
    if (!ptx_destination(decoder, ptx_operand_of(decoder, 0), form.type, &d))
        return false;
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_FLOAT);
    op->size = form.type == EXECUTE_f64 ? 8 : 4;
    op->d = d;
    op->a = refs[0];
    op->b = refs[1];
    op->c = refs[2];
    op->flt = form;
    op->flags = (uint8_t)(EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A | (sources > 1 ? EXECUTE_OP_READS_B : 0) |
                          (sources > 2 ? EXECUTE_OP_READS_C : 0));
    return ptx_all_taken(decoder);
}

/* ===== conversions ===== */

static bool is_integer(enum execute_type type)
{
    return type >= EXECUTE_u8 && type <= EXECUTE_s64;
}

static bool is_pair(enum execute_type type)
{
    return type == EXECUTE_f16x2 || type == EXECUTE_bf16x2 || type == EXECUTE_e4m3x2 || type == EXECUTE_e5m2x2;
}

static bool convertible(enum execute_type type)
{
    return is_integer(type) || is_pair(type) || type == EXECUTE_f16 || type == EXECUTE_bf16 || type == EXECUTE_tf32 ||
           type == EXECUTE_f32 || type == EXECUTE_f64;
}

/* Rounding must be stated where the result may be inexact (ISA 9.0, cvt). */
static bool check_rounding(struct ptx_decoder *decoder, const struct execute_float_form *form, bool stated)
{
    enum execute_type to = (enum execute_type)form->type, from = (enum execute_type)form->from;
    bool to_integer = is_integer(to), from_integer = is_integer(from);
    if (to_integer && !from_integer && (!stated || !form->integral))
        return ptx_decode_fail(decoder, "a conversion to an integer needs .rni, .rzi, .rmi or .rpi");
    if (!to_integer && from_integer && (!stated || form->integral))
        return ptx_decode_fail(decoder, "a conversion from an integer needs .rn, .rz, .rm or .rp");
    if (to_integer && from_integer && stated)
        return ptx_decode_fail(decoder, "a conversion between integers has no rounding");
    if (!to_integer && !from_integer && to != from && form->integral)
        return ptx_decode_fail(decoder, ".rni and its like need one type");
    return true;
}

static bool convert_source(struct ptx_decoder *decoder, const struct ptx_operand *operand, enum execute_type type,
                           uint32_t *ref)
{
    uint32_t class = ptx_class_of(ptx_register_type(decoder, operand));
    if (operand->kind == PTX_OPERAND_REGISTER && class == PTX_CLASS_LARGE && ptx_class_of(type) == PTX_CLASS_SMALL) {
        uint32_t wide;
        if (!ptx_source_any(decoder, operand, EXECUTE_b64, &wide))
            return false;
        *ref = ptx_new_ref(decoder, PTX_CLASS_SMALL);
        struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_LANES);
        op->lane = decoder->table->lanes[EXECUTE_LANE_cvt_u32_u64];
        op->size = 4;
        op->d = *ref;
        op->a = wide;
        op->flags = EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A;
        return true;
    }
    return ptx_source(decoder, operand, type, ref);
}

static bool decode_convert_operands(struct ptx_decoder *decoder, struct execute_float_form *form)
{
    enum execute_type to = (enum execute_type)form->type, from = (enum execute_type)form->from;
    bool two = is_pair(to) && !is_pair(from);
    uint32_t a, b = EXECUTE_NO_REF, d;
    if (!ptx_operand_count_is(decoder, two ? 3 : 2, two ? 3 : 2))
        return false;
    if (!convert_source(decoder, ptx_operand_of(decoder, 1), from, &a) ||
        (two && !convert_source(decoder, ptx_operand_of(decoder, 2), from, &b)))
        return false;
    const struct ptx_operand *first = ptx_operand_of(decoder, 0);
    bool widen = is_integer(to) && ptx_class_of(to) == PTX_CLASS_SMALL &&
                 ptx_class_of(ptx_register_type(decoder, first)) == PTX_CLASS_LARGE;
    if (!ptx_destination(decoder, first, widen ? EXECUTE_b64 : to, &d))
        return false;
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_CONVERT);
    op->size = widen || execute_type_bytes(to) == 8 ? 8 : 4;
    op->d = d;
    op->a = a;
    op->b = b;
    op->flt = *form;
    op->flags = (uint8_t)(EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A | (two ? EXECUTE_OP_READS_B : 0));
    return true;
}

bool ptx_decode_convert(struct ptx_decoder *decoder)
{
    struct execute_float_form form = {0};
    if (decoder->type_count != 2 || !convertible((enum execute_type)decoder->types[0]) ||
        !convertible((enum execute_type)decoder->types[1]))
        return ptx_decode_fail(decoder, "a conversion between these types is not supported");
    form.type = decoder->types[0];
    form.from = decoder->types[1];
    bool stated = take_rounding(decoder, &form);
    form.finite = ptx_take_word(decoder, "satfinite");
    form.relu = ptx_take_word(decoder, "relu");
    form.flush = ptx_take_word(decoder, "ftz");
    form.saturate = ptx_take_word(decoder, "sat");
    form.finite |= ptx_take_word(decoder, "satfinite");
    form.relu |= ptx_take_word(decoder, "relu");
    enum execute_type to = (enum execute_type)form.type, from = (enum execute_type)form.from;
    bool tiny = to == EXECUTE_e4m3x2 || to == EXECUTE_e5m2x2,
         tiny_from = from == EXECUTE_e4m3x2 || from == EXECUTE_e5m2x2;
    if ((is_pair(to) && from != EXECUTE_f32 && !(to == EXECUTE_f16x2 && tiny_from) &&
         !(tiny && from == EXECUTE_f16x2)) ||
        (is_pair(from) && !is_pair(to)))
        return ptx_decode_fail(decoder, "a conversion between these types is not supported");
    return check_rounding(decoder, &form, stated) && decode_convert_operands(decoder, &form) && ptx_all_taken(decoder);
}
