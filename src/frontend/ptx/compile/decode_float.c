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

static bool take_rounding(struct ptx_decoder *decoder, uint8_t *rounding, bool *integral)
{
    for (size_t i = 0; i < sizeof roundings / sizeof *roundings; i++) {
        if (ptx_take_word(decoder, roundings[i].word)) {
            *rounding = (uint8_t)roundings[i].rounding;
            *integral = roundings[i].integral;
            return true;
        }
    }
    return false;
}

enum operation { ADD, SUB, MUL, FMA, DIV, RCP, SQRT, MIN, MAX, ABS, NEG, EX2, TANH };

/* Details of a form. */
struct float_form {
    enum operation operation;
    uint8_t type, from; /* enum execute_type; `from`: of the sources where it differs */
    uint8_t rounding;   /* enum execute_rounding */
    bool integral, flush, saturate, nan, relu, xorsign;
};

static const struct {
    const char *opcode;
    enum operation operation;
    uint8_t sources;
    bool rounded;   /* accepts .rn, .rz, … */
    bool wide_only; /* .f32 and .f64 only */
} operations[] = {
    {"add", ADD, 2, true, false},  {"sub", SUB, 2, true, false},    {"mul", MUL, 2, true, false},
    {"fma", FMA, 3, true, false},  {"mad", FMA, 3, true, true},     {"div", DIV, 2, true, true},
    {"rcp", RCP, 1, true, true},   {"sqrt", SQRT, 1, true, true},   {"min", MIN, 2, false, false},
    {"max", MAX, 2, false, false}, {"abs", ABS, 1, false, false},   {"neg", NEG, 1, false, false},
    {"ex2", EX2, 1, false, false}, {"tanh", TANH, 1, false, false},
};

static bool check_float_type(struct ptx_decoder *decoder, const struct float_form *form, bool wide_only)
{
    switch (form->type) {
    case EXECUTE_f32:
        break;
    case EXECUTE_f32x2:
        if (form->operation > FMA || form->saturate)
            return ptx_decode_fail(decoder, "of .f32x2 there are add, sub, mul and fma, without .sat");
        break;
    case EXECUTE_f64: /* ptxas takes rcp.rn.ftz.f64, in which .ftz means nothing */
        if ((form->flush && form->operation != RCP) || form->saturate)
            return ptx_decode_fail(decoder, ".f64 has no .ftz and no .sat");
        break;
    case EXECUTE_f16:
    case EXECUTE_f16x2:
    case EXECUTE_bf16:
    case EXECUTE_bf16x2:
        if (form->rounding != EXECUTE_RN)
            return ptx_decode_fail(decoder, "halves are rounded to nearest alone: .rn");
        if (!wide_only)
            break;
        /* fall through */
    default:
        return ptx_decode_fail(decoder, ".%s is not supported", execute_type_name((enum execute_type)form->type));
    }
    bool approximate = form->operation == EX2 || form->operation == TANH;
    return !approximate || (form->type != EXECUTE_f32 && form->type != EXECUTE_f64) ||
           ptx_decode_fail(decoder, ".%s is not supported", execute_type_name((enum execute_type)form->type));
}

/* min and max of three numbers, or of their sizes. */
enum { SIZES = EXECUTE_WORDS_ABSOLUTE_A | EXECUTE_WORDS_ABSOLUTE_B | EXECUTE_WORDS_ABSOLUTE_C };

static bool decode_three(struct ptx_decoder *decoder, bool most)
{
    uint32_t d, refs[3], how = most ? EXECUTE_WORDS_MOST : EXECUTE_WORDS_LEAST;
    how |= ptx_take_word(decoder, "ftz") ? EXECUTE_WORDS_FLUSH : 0;
    how |= ptx_take_word(decoder, "NaN") ? EXECUTE_WORDS_NAN : 0;
    how |= ptx_take_word(decoder, "abs") ? SIZES : 0;
    if (decoder->type_count != 1 || decoder->types[0] != EXECUTE_f32)
        return ptx_decode_fail(decoder, "it has two sources, not three; .f32 alone has a form with three");
    if (ptx_has_word(decoder, "xorsign"))
        return ptx_decode_fail(decoder, "`.xorsign` goes with two sources, not three");
    if (!ptx_needs(decoder, 100, 88, "with three sources "))
        return false;
    for (uint32_t i = 0; i < 3; i++)
        if (!ptx_source(decoder, ptx_operand_of(decoder, 1 + i), EXECUTE_f32, &refs[i]))
            return false;
    if (!ptx_destination(decoder, ptx_operand_of(decoder, 0), EXECUTE_f32, &d))
        return false;
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_LANES);
    op->words = decoder->table->lanes[EXECUTE_LANE_extreme3_f32];
    op->size = 4;
    op->immediate = how;
    op->d = d;
    op->a = refs[0];
    op->b = refs[1];
    op->c = refs[2];
    op->flags = EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A | EXECUTE_OP_READS_B | EXECUTE_OP_READS_C;
    return ptx_all_taken(decoder);
}

static bool is_half(enum execute_type type)
{
    return type == EXECUTE_f16 || type == EXECUTE_bf16 || type == EXECUTE_f16x2 || type == EXECUTE_bf16x2;
}

/* Function and modifiers of an operation on halves. */
static enum execute_words_name of_halves(const struct float_form *form, uint32_t *bits)
{
    static const enum execute_words_name names[] = {
        [ADD] = EXECUTE_WORDS_hadd2,  [SUB] = EXECUTE_WORDS_hadd2,  [MUL] = EXECUTE_WORDS_hmul2,
        [FMA] = EXECUTE_WORDS_hfma2,  [MIN] = EXECUTE_WORDS_hmnmx2, [MAX] = EXECUTE_WORDS_hmnmx2,
        [ABS] = EXECUTE_WORDS_hmov2,  [NEG] = EXECUTE_WORDS_hmov2,  [EX2] = EXECUTE_WORDS_hex2,
        [TANH] = EXECUTE_WORDS_htanh2};
    *bits |= ptx_half_bits((enum execute_type)form->type);
    *bits |= form->operation == ABS ? EXECUTE_WORDS_ABSOLUTE_A : form->operation == NEG ? EXECUTE_WORDS_NEGATE_A : 0u;
    *bits |= form->xorsign ? EXECUTE_WORDS_XORSIGN : 0;
    return names[form->operation];
}

/* The function for single and double precision; EXECUTE_WORDS_COUNT: none. */
static enum execute_words_name of_wholes(const struct float_form *form, uint32_t *bits)
{
    static const enum execute_words_name names[][3] = {
        {EXECUTE_WORDS_fadd_r, EXECUTE_WORDS_fadd2, EXECUTE_WORDS_dadd_r},
        {EXECUTE_WORDS_fadd_r, EXECUTE_WORDS_fadd2, EXECUTE_WORDS_dadd_r},
        {EXECUTE_WORDS_fmul_r, EXECUTE_WORDS_fmul2, EXECUTE_WORDS_dmul_r},
        {EXECUTE_WORDS_ffma_r, EXECUTE_WORDS_ffma2, EXECUTE_WORDS_dfma_r}};
    enum { SIGNS = EXECUTE_WORDS_ABSOLUTE_A | EXECUTE_WORDS_ABSOLUTE_B };
    bool single = form->type == EXECUTE_f32;
    *bits |= single ? 0 : EXECUTE_WORDS_WHOLE;
    if (form->operation <= FMA)
        return names[form->operation][single ? 0 : form->type == EXECUTE_f32x2 ? 1 : 2];
    if (!single || (form->operation != MIN && form->operation != MAX))
        return EXECUTE_WORDS_COUNT;
    *bits |= form->xorsign ? SIGNS : 0;
    return form->xorsign ? EXECUTE_WORDS_fmnmx_xorsign : EXECUTE_WORDS_fmnmx;
}

/* NULL: there is no such operation. */
static execute_words_function function_of(const struct ptx_decoder *decoder, const struct float_form *form,
                                          uint32_t *bits)
{
    static const uint8_t roundings_of_words[] = {[EXECUTE_RN] = EXECUTE_WORDS_RN,
                                                 [EXECUTE_RM] = EXECUTE_WORDS_RM,
                                                 [EXECUTE_RP] = EXECUTE_WORDS_RP,
                                                 [EXECUTE_RZ] = EXECUTE_WORDS_RZ};
    *bits = (form->flush ? EXECUTE_WORDS_FLUSH : 0u) | (form->saturate ? EXECUTE_WORDS_SATURATE : 0u) |
            (form->nan ? EXECUTE_WORDS_NAN : 0u) | (form->relu ? EXECUTE_WORDS_RELU : 0u) |
            (form->operation == SUB ? EXECUTE_WORDS_NEGATE_B : 0u) |
            (form->operation == MIN ? EXECUTE_WORDS_LEAST : 0u) | (form->operation == MAX ? EXECUTE_WORDS_MOST : 0u) |
            (uint32_t)roundings_of_words[form->rounding] << EXECUTE_WORDS_ROUND_SHIFT;
    if (form->operation >= DIV && form->operation <= SQRT) {
        *bits |= form->type == EXECUTE_f64 ? EXECUTE_WORDS_WHOLE : 0u;
        *bits |= (uint32_t)(form->operation - DIV + EXECUTE_WORDS_DIVIDED) << EXECUTE_WORDS_AMOUNT_SHIFT;
        return execute_words_quotients;
    }
    if (form->from) {
        *bits |= form->from == EXECUTE_bf16 ? EXECUTE_WORDS_BF16 : 0;
        return execute_words_mixed;
    }
    enum execute_words_name name =
        is_half((enum execute_type)form->type) ? of_halves(form, bits) : of_wholes(form, bits);
    return name == EXECUTE_WORDS_COUNT ? NULL : decoder->table->functions[name];
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
    struct float_form form = {.operation = operations[row].operation, .type = decoder->types[0]};
    bool extreme = form.operation == MIN || form.operation == MAX;
    if (extreme && decoder->statement->operand_count == 4)
        return decode_three(decoder, form.operation == MAX);
    if (operations[row].rounded)
        take_rounding(decoder, &form.rounding, &form.integral);
    form.flush = ptx_take_word(decoder, "ftz");
    form.nan = ptx_take_word(decoder, "NaN");
    form.xorsign = ptx_take_word(decoder, "xorsign") && ptx_take_word(decoder, "abs");
    form.saturate = ptx_take_word(decoder, "sat");
    form.relu = ptx_take_word(decoder, "relu");
    if (form.operation == EX2 || form.operation == TANH)
        ptx_take_word(decoder, "approx");
    if (form.integral || form.rounding == EXECUTE_RNA || !check_float_type(decoder, &form, operations[row].wide_only))
        return ptx_decode_fail(decoder, "this rounding is not supported here");
    uint32_t sources = operations[row].sources, d, refs[3] = {EXECUTE_NO_REF, EXECUTE_NO_REF, EXECUTE_NO_REF};
    if (!ptx_operand_count_is(decoder, 1 + sources, 1 + sources))
        return false;
    /* add.f32.f16 and its like: the last sources have the second type's format */
    form.from = decoder->type_count == 2 ? decoder->types[1] : 0;
    if (form.from && (form.type != EXECUTE_f32 || (form.from != EXECUTE_f16 && form.from != EXECUTE_bf16) ||
                      (form.operation > FMA || form.operation == MUL)))
        return ptx_decode_fail(decoder, "these types together are not supported");
    for (uint32_t i = 0; i < sources; i++) {
        bool narrow = form.from && (form.operation == FMA ? i < 2 : i == 0);
        if (!ptx_source(decoder, ptx_operand_of(decoder, 1 + i), narrow ? form.from : form.type, &refs[i]))
            return false;
    }
    if (!ptx_destination(decoder, ptx_operand_of(decoder, 0), form.type, &d))
        return false;
    uint32_t bits;
    form.flush &= form.type != EXECUTE_f64;
    execute_words_function function = function_of(decoder, &form, &bits);
    if (!function)
        return ptx_decode_fail(decoder, "this form is not supported");
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_FLOAT);
    op->size = form.type == EXECUTE_f64 || form.type == EXECUTE_f32x2 ? 8 : 4;
    op->d = d;
    op->a = refs[0];
    op->b = refs[1];
    op->c = refs[2];
    op->words = function;
    op->immediate = bits;
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
    return type == EXECUTE_f16x2 || type == EXECUTE_bf16x2 || execute_type_is_narrow(type);
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
        op->words = decoder->table->lanes[EXECUTE_LANE_cvt_u32_u64];
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

/* cvt.pack.sat.to.s32 d, a, b; of eight bits and less cvt.pack.sat.to.s32.b32 d, a, b, c. */
static bool decode_pack(struct ptx_decoder *decoder)
{
    static const char *const few[] = {"s4", "u4", "s2", "u2"};
    uint32_t bits = 0, is_signed = 0, refs[3], d;
    for (uint32_t i = 0; i < 4; i++)
        if (ptx_has_word(decoder, few[i])) {
            ptx_take_word(decoder, few[i]);
            bits = (uint32_t)(few[i][1] - '0');
            is_signed = few[i][0] == 's';
        }
    uint32_t source = bits && decoder->types[0] != EXECUTE_s4 && decoder->types[0] != EXECUTE_u4 ? 0 : 1;
    enum execute_type to = (enum execute_type)decoder->types[0];
    if (!bits && (to == EXECUTE_s16 || to == EXECUTE_u16 || to == EXECUTE_s8 || to == EXECUTE_u8)) {
        bits = 8 * execute_type_bytes(to);
        is_signed = (uint32_t)execute_type_is_signed(to);
    }
    bool joined = bits != 16;
    if (!ptx_take_word(decoder, "sat") || !bits || decoder->type_count != source + 1 + joined ||
        decoder->types[source] != EXECUTE_s32 || (joined && decoder->types[source + 1] != EXECUTE_b32))
        return ptx_decode_fail(decoder, "its forms are cvt.pack.sat.{s16,u16}.s32 d, a, b and "
                                        "cvt.pack.sat.{s8,u8,s4,u4,s2,u2}.s32.b32 d, a, b, c");
    if (!ptx_operand_count_is(decoder, 3 + joined, 3 + joined))
        return false;
    for (uint32_t i = 0; i < 2u + joined; i++)
        if (!ptx_source(decoder, ptx_operand_of(decoder, 1 + i), i < 2 ? EXECUTE_s32 : EXECUTE_b32, &refs[i]))
            return false;
    if (!ptx_destination(decoder, ptx_operand_of(decoder, 0), EXECUTE_b32, &d))
        return false;
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_LANES);
    op->words = decoder->table->functions[bits < 8 ? EXECUTE_WORDS_i2ip_few : EXECUTE_WORDS_i2ip];
    op->size = 4;
    op->immediate = (bits == 16 || bits == 2 ? EXECUTE_WORDS_HIGH : 0) | (is_signed ? EXECUTE_WORDS_SIGNED : 0);
    op->d = d;
    op->a = refs[0];
    op->b = refs[1];
    op->c = joined ? refs[2] : refs[1];
    op->flags = EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A | EXECUTE_OP_READS_B | EXECUTE_OP_READS_C;
    return ptx_all_taken(decoder);
}

/* Checks the conversions of pairs against the supported ones (ISA 9.0, cvt). */
static bool check_pairs(struct ptx_decoder *decoder, const struct execute_float_form *form)
{
    enum execute_type to = (enum execute_type)form->type, from = (enum execute_type)form->from;
    bool narrow = execute_type_is_narrow(to), narrow_from = execute_type_is_narrow(from);
    if (!narrow && !narrow_from)
        return (!is_pair(to) || from == EXECUTE_f32) && !is_pair(from)
                   ? true
                   : ptx_decode_fail(decoder, "a conversion between these types is not supported");
    bool exponents = to == EXECUTE_ue8m0x2 || from == EXECUTE_ue8m0x2;
    enum execute_type half = exponents ? EXECUTE_bf16x2 : EXECUTE_f16x2;
    if (narrow ? from != EXECUTE_f32 && from != half : to != half)
        return ptx_decode_fail(decoder, "a conversion between these types is not supported");
    if (exponents && narrow ? form->rounding != EXECUTE_RZ && form->rounding != EXECUTE_RP
                            : form->rounding != EXECUTE_RN)
        return ptx_decode_fail(decoder, exponents && narrow ? "it needs .rz or .rp" : "it needs .rn");
    if (narrow && !exponents && !form->finite)
        return ptx_decode_fail(decoder, "it needs .satfinite");
    if ((!narrow && form->finite) || (exponents && form->relu))
        return ptx_decode_fail(decoder, "`.%s` does not go with these types",
                               exponents && form->relu ? "relu" : "satfinite");
    return true;
}

bool ptx_decode_convert(struct ptx_decoder *decoder)
{
    struct execute_float_form form = {0};
    if (ptx_take_word(decoder, "pack"))
        return decode_pack(decoder);
    if (ptx_take_word(decoder, "rs"))
        return ptx_decode_fail(decoder, "stochastic rounding (.rs) is not supported: which random bits it takes is not "
                                        "published as text; use .rn");
    if (decoder->type_count != 2 || !convertible((enum execute_type)decoder->types[0]) ||
        !convertible((enum execute_type)decoder->types[1]))
        return ptx_decode_fail(decoder, "a conversion between these types is not supported");
    form.type = decoder->types[0];
    form.from = decoder->types[1];
    bool stated = take_rounding(decoder, &form.rounding, &form.integral);
    form.finite = ptx_take_word(decoder, "satfinite");
    form.relu = ptx_take_word(decoder, "relu");
    form.flush = ptx_take_word(decoder, "ftz");
    form.saturate = ptx_take_word(decoder, "sat");
    form.finite |= ptx_take_word(decoder, "satfinite");
    form.relu |= ptx_take_word(decoder, "relu");
    return check_pairs(decoder, &form) && check_rounding(decoder, &form, stated) &&
           decode_convert_operands(decoder, &form) && ptx_all_taken(decoder);
}
