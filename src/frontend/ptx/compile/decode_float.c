/* SPDX-License-Identifier: BSD-3-Clause */
/* Floating point that soft_float does: roundings other than to nearest, half precision, and conversions. */
#include "frontend/ptx/compile/decode.h"

#include <string.h>

static const struct {
    const char *word;
    enum ptx_rounding rounding;
    bool integral;
} roundings[] = {{"rn", PTX_RN, false}, {"rz", PTX_RZ, false},   {"rm", PTX_RM, false},
                 {"rp", PTX_RP, false}, {"rna", PTX_RNA, false}, {"rni", PTX_RN, true},
                 {"rzi", PTX_RZ, true}, {"rmi", PTX_RM, true},   {"rpi", PTX_RP, true}};

static bool take_rounding(struct ptx_decoder *decoder, struct ptx_float_form *form)
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
    enum ptx_float_operation operation;
    uint8_t sources;
    bool rounded;   /* takes .rn, .rz, … */
    bool wide_only; /* .f32 and .f64 only */
} operations[] = {
    {"add", PTX_FLOAT_ADD, 2, true, false},  {"sub", PTX_FLOAT_SUB, 2, true, false},
    {"mul", PTX_FLOAT_MUL, 2, true, false},  {"fma", PTX_FLOAT_FMA, 3, true, false},
    {"mad", PTX_FLOAT_FMA, 3, true, true},   {"div", PTX_FLOAT_DIV, 2, true, true},
    {"rcp", PTX_FLOAT_RCP, 1, true, true},   {"sqrt", PTX_FLOAT_SQRT, 1, true, true},
    {"min", PTX_FLOAT_MIN, 2, false, false}, {"max", PTX_FLOAT_MAX, 2, false, false},
    {"abs", PTX_FLOAT_ABS, 1, false, false}, {"neg", PTX_FLOAT_NEG, 1, false, false},
    {"ex2", PTX_FLOAT_EX2, 1, false, false}, {"tanh", PTX_FLOAT_TANH, 1, false, false},
};

static bool check_float_type(struct ptx_decoder *decoder, const struct ptx_float_form *form, bool wide_only)
{
    switch (form->type) {
    case PTX_f32:
        break;
    case PTX_f64:
        if (form->flush || form->saturate)
            return ptx_decode_fail(decoder, ".f64 has no .ftz and no .sat");
        break;
    case PTX_f16:
    case PTX_f16x2:
    case PTX_bf16:
    case PTX_bf16x2:
        if (!wide_only)
            break;
        /* fall through */
    default:
        return ptx_decode_fail(decoder, ".%s is not supported", ptx_type_name((enum ptx_type)form->type));
    }
    bool approximate = form->operation == PTX_FLOAT_EX2 || form->operation == PTX_FLOAT_TANH;
    return !approximate || (form->type != PTX_f32 && form->type != PTX_f64) ||
           ptx_decode_fail(decoder, ".%s is not supported", ptx_type_name((enum ptx_type)form->type));
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
    struct ptx_float_form form = {.operation = (uint8_t)operations[row].operation, .type = decoder->types[0]};
    if (operations[row].rounded)
        take_rounding(decoder, &form);
    form.flush = ptx_take_word(decoder, "ftz");
    form.nan = ptx_take_word(decoder, "NaN");
    form.xorsign = ptx_take_word(decoder, "xorsign") && ptx_take_word(decoder, "abs");
    form.saturate = ptx_take_word(decoder, "sat");
    form.relu = ptx_take_word(decoder, "relu");
    if (form.operation == PTX_FLOAT_EX2 || form.operation == PTX_FLOAT_TANH)
        ptx_take_word(decoder, "approx");
    if (form.integral || form.rounding == PTX_RNA || !check_float_type(decoder, &form, operations[row].wide_only))
        return ptx_decode_fail(decoder, "this rounding is not supported here");
    uint32_t sources = operations[row].sources, d, refs[3] = {PTX_NO_REF, PTX_NO_REF, PTX_NO_REF};
    bool three = form.operation <= PTX_FLOAT_MAX && form.operation >= PTX_FLOAT_MIN &&
                 decoder->statement->operand_count == 4 && form.type == PTX_f32;
    sources += three;
    if (!ptx_operand_count_is(decoder, 1 + sources, 1 + sources))
        return false;
    /* add.f32.f16 and its like: the last sources have the second type's format */
    form.from = decoder->type_count == 2 ? decoder->types[1] : 0;
    if (form.from && (form.type != PTX_f32 || (form.from != PTX_f16 && form.from != PTX_bf16) ||
                      (form.operation > PTX_FLOAT_FMA || form.operation == PTX_FLOAT_MUL)))
        return ptx_decode_fail(decoder, "these types together are not supported");
    for (uint32_t i = 0; i < sources; i++) {
        bool narrow = form.from && (form.operation == PTX_FLOAT_FMA ? i < 2 : i == 0);
        if (!ptx_source(decoder, ptx_operand_of(decoder, 1 + i), narrow ? form.from : form.type, &refs[i]))
            return false;
    }
    if (!ptx_destination(decoder, ptx_operand_of(decoder, 0), form.type, &d))
        return false;
    struct ptx_op *op = ptx_emit(decoder, PTX_KIND_FLOAT);
    op->size = form.type == PTX_f64 ? 8 : 4;
    op->d = d;
    op->a = refs[0];
    op->b = refs[1];
    op->c = refs[2];
    op->flt = form;
    op->flags = (uint8_t)(PTX_OP_WRITES_D | PTX_OP_READS_A | (sources > 1 ? PTX_OP_READS_B : 0) |
                          (sources > 2 ? PTX_OP_READS_C : 0));
    return ptx_all_taken(decoder);
}

/* ===== conversions ===== */

static bool is_integer(enum ptx_type type)
{
    return type >= PTX_u8 && type <= PTX_s64;
}

static bool is_pair(enum ptx_type type)
{
    return type == PTX_f16x2 || type == PTX_bf16x2 || type == PTX_e4m3x2 || type == PTX_e5m2x2;
}

static bool convertible(enum ptx_type type)
{
    return is_integer(type) || is_pair(type) || type == PTX_f16 || type == PTX_bf16 || type == PTX_tf32 ||
           type == PTX_f32 || type == PTX_f64;
}

/* Rounding must be stated where the result may be inexact (ISA 9.0, cvt). */
static bool check_rounding(struct ptx_decoder *decoder, const struct ptx_float_form *form, bool stated)
{
    enum ptx_type to = (enum ptx_type)form->type, from = (enum ptx_type)form->from;
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

static bool convert_source(struct ptx_decoder *decoder, const struct ptx_operand *operand, enum ptx_type type,
                           uint32_t *ref)
{
    uint32_t class = ptx_class_of(ptx_register_type(decoder, operand));
    if (operand->kind == PTX_OPERAND_REGISTER && class == PTX_CLASS_LARGE && ptx_class_of(type) == PTX_CLASS_SMALL) {
        uint32_t wide;
        if (!ptx_source_any(decoder, operand, PTX_b64, &wide))
            return false;
        *ref = ptx_new_ref(decoder, PTX_CLASS_SMALL);
        struct ptx_op *op = ptx_emit(decoder, PTX_KIND_LANES);
        op->lane = decoder->table->lanes[PTX_LANE_cvt_u32_u64];
        op->size = 4;
        op->d = *ref;
        op->a = wide;
        op->flags = PTX_OP_WRITES_D | PTX_OP_READS_A;
        return true;
    }
    return ptx_source(decoder, operand, type, ref);
}

static bool decode_convert_operands(struct ptx_decoder *decoder, struct ptx_float_form *form)
{
    enum ptx_type to = (enum ptx_type)form->type, from = (enum ptx_type)form->from;
    bool two = is_pair(to) && !is_pair(from);
    uint32_t a, b = PTX_NO_REF, d;
    if (!ptx_operand_count_is(decoder, two ? 3 : 2, two ? 3 : 2))
        return false;
    if (!convert_source(decoder, ptx_operand_of(decoder, 1), from, &a) ||
        (two && !convert_source(decoder, ptx_operand_of(decoder, 2), from, &b)))
        return false;
    const struct ptx_operand *first = ptx_operand_of(decoder, 0);
    bool widen = is_integer(to) && ptx_class_of(to) == PTX_CLASS_SMALL &&
                 ptx_class_of(ptx_register_type(decoder, first)) == PTX_CLASS_LARGE;
    if (!ptx_destination(decoder, first, widen ? PTX_b64 : to, &d))
        return false;
    struct ptx_op *op = ptx_emit(decoder, PTX_KIND_CONVERT);
    op->size = widen || ptx_type_bytes(to) == 8 ? 8 : 4;
    op->d = d;
    op->a = a;
    op->b = b;
    op->flt = *form;
    op->flags = (uint8_t)(PTX_OP_WRITES_D | PTX_OP_READS_A | (two ? PTX_OP_READS_B : 0));
    return true;
}

bool ptx_decode_convert(struct ptx_decoder *decoder)
{
    struct ptx_float_form form = {0};
    if (decoder->type_count != 2 || !convertible((enum ptx_type)decoder->types[0]) ||
        !convertible((enum ptx_type)decoder->types[1]))
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
    enum ptx_type to = (enum ptx_type)form.type, from = (enum ptx_type)form.from;
    bool tiny = to == PTX_e4m3x2 || to == PTX_e5m2x2, tiny_from = from == PTX_e4m3x2 || from == PTX_e5m2x2;
    if ((is_pair(to) && from != PTX_f32 && !(to == PTX_f16x2 && tiny_from) && !(tiny && from == PTX_f16x2)) ||
        (is_pair(from) && !is_pair(to)))
        return ptx_decode_fail(decoder, "a conversion between these types is not supported");
    return check_rounding(decoder, &form, stated) && decode_convert_operands(decoder, &form) && ptx_all_taken(decoder);
}
