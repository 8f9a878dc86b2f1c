/* SPDX-License-Identifier: BSD-3-Clause */
/* Instructions over lanes, comparisons, predicates, moves, carries. */
#include "frontend/ptx/compile/decode.h"

#include <stdio.h>
#include <string.h>

/* Emits a conversion between registers of 4 and 8 bytes, extending a narrower value. */
static void emit_resize(struct ptx_decoder *decoder, uint32_t to, uint32_t from, bool is_signed)
{
    bool large = ptx_ref_class(to) == PTX_CLASS_LARGE;
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_LANES);
    uint32_t lane =
        large ? (is_signed ? EXECUTE_LANE_cvt_s64_s32 : EXECUTE_LANE_cvt_u64_u32) : EXECUTE_LANE_cvt_u32_u64;
    op->words = decoder->table->lanes[lane];
    op->size = large ? 8 : 4;
    op->d = to;
    op->a = from;
    op->flags = EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A;
}

/* cvt may have registers wider than its types (ISA 9.0, section 9.5.1). */
static bool converted_source(struct ptx_decoder *decoder, const struct ptx_operand *operand, enum execute_type type,
                             uint32_t *ref)
{
    bool wider = operand && operand->kind == PTX_OPERAND_REGISTER && ptx_class_of(type) == PTX_CLASS_SMALL &&
                 ptx_class_of(ptx_register_type(decoder, operand)) == PTX_CLASS_LARGE;
    if (!wider)
        return ptx_source(decoder, operand, type, ref);
    uint32_t wide;
    if (!ptx_source_any(decoder, operand, type, &wide))
        return false;
    *ref = ptx_new_ref(decoder, PTX_CLASS_SMALL);
    emit_resize(decoder, *ref, wide, false);
    return true;
}

bool ptx_decode_form(struct ptx_decoder *decoder, uint32_t lane)
{
    const struct ptx_signature *signature = &ptx_signatures[lane];
    bool lop3 = lane == EXECUTE_LANE_lop3_b32,
         convert = decoder->words[0].length == 3 && memcmp(decoder->words[0].text, "cvt", 3) == 0;
    uint32_t refs[3] = {EXECUTE_NO_REF, EXECUTE_NO_REF, EXECUTE_NO_REF}, sources = 0, d, wide = EXECUTE_NO_REF;
    while (sources < 3 && signature->source[sources] != EXECUTE_NO_TYPE)
        sources++;
    bool extreme = ptx_word_is(&decoder->words[0], "min") || ptx_word_is(&decoder->words[0], "max");
    if (extreme && decoder->statement->operand_count == 4) /* minimum or maximum of three */
        return ptx_decode_float(decoder);
    if (!ptx_operand_count_is(decoder, 1 + sources + lop3, 1 + sources + lop3))
        return false;
    const struct ptx_operand *first = ptx_operand_of(decoder, 0);
    if (first->paired)
        return ptx_decode_fail(decoder, "it has one destination");
    for (uint32_t i = 0; i < sources; i++) {
        const struct ptx_operand *operand = ptx_operand_of(decoder, 1 + i);
        if (operand->memory)
            return ptx_decode_fail(decoder, "an address in brackets cannot stand here");
        if (!(convert ? converted_source(decoder, operand, signature->source[i], &refs[i])
                      : ptx_source(decoder, operand, signature->source[i], &refs[i])))
            return false;
    }
    if (convert && ptx_class_of(signature->result) == PTX_CLASS_SMALL &&
        ptx_class_of(ptx_register_type(decoder, first)) == PTX_CLASS_LARGE) {
        if (!ptx_destination(decoder, first, EXECUTE_b64, &wide))
            return false;
        d = ptx_new_ref(decoder, PTX_CLASS_SMALL);
    } else if (!ptx_destination(decoder, first, signature->result, &d)) {
        return false;
    }
    uint64_t table = 0;
    if (lop3 && !ptx_immediate(decoder, ptx_operand_of(decoder, 4), &table))
        return false;
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_LANES);
    op->words = decoder->table->lanes[lane];
    op->variant = 0;
    op->size = ptx_class_of(signature->result) == PTX_CLASS_LARGE ? 8 : 4;
    op->d = d;
    op->a = refs[0];
    op->b = refs[1];
    op->c = refs[2];
    op->immediate = (int64_t)(table & 0xff) << EXECUTE_WORDS_LOGIC_SHIFT;
    op->flags = (uint8_t)(EXECUTE_OP_WRITES_D | (sources > 0 ? EXECUTE_OP_READS_A : 0) |
                          (sources > 1 ? EXECUTE_OP_READS_B : 0) | (sources > 2 ? EXECUTE_OP_READS_C : 0));
    if (wide != EXECUTE_NO_REF)
        emit_resize(decoder, wide, d, execute_type_is_signed(signature->result));
    return true;
}

/* ===== comparisons ===== */

static const char *const comparisons[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                          "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

static int find_test(const char *comparison, enum execute_type type, bool flush)
{
    static const char *const names[EXECUTE_TEST_COUNT] = {
#define TEST(name, function, modifiers) [EXECUTE_TEST_##name] = #name,
        EXECUTE_TESTS(TEST)
#undef TEST
    };
    char text[32];
    snprintf(text, sizeof text, "%s%s_%s", comparison, flush ? "_ftz" : "", execute_type_name(type));
    for (int i = 0; i < EXECUTE_TEST_COUNT; i++)
        if (strcmp(names[i], text) == 0)
            return i;
    return -1;
}

static int take_comparison(struct ptx_decoder *decoder)
{
    static const struct {
        const char *word;
        enum execute_comparison comparison;
    } unsigned_words[] = {{"lo", EXECUTE_LT}, {"ls", EXECUTE_LE}, {"hi", EXECUTE_GT}, {"hs", EXECUTE_GE}};
    for (int i = 0; i < (int)(sizeof comparisons / sizeof *comparisons); i++)
        if (ptx_take_word(decoder, comparisons[i]))
            return i;
    for (size_t i = 0; i < 4; i++)
        if (ptx_take_word(decoder, unsigned_words[i].word))
            return (int)unsigned_words[i].comparison;
    return -1;
}

static enum execute_combine take_combine(struct ptx_decoder *decoder)
{
    return ptx_take_word(decoder, "and")   ? EXECUTE_COMBINE_AND
           : ptx_take_word(decoder, "or")  ? EXECUTE_COMBINE_OR
           : ptx_take_word(decoder, "xor") ? EXECUTE_COMBINE_XOR
                                           : EXECUTE_COMBINE_NONE;
}

/* Equality does not depend on the sign; .b types are compared as numbers without one. */
static enum execute_type compared_as(enum execute_type type, int comparison)
{
    bool equality = comparison == EXECUTE_EQ || comparison == EXECUTE_NE;
    switch (type) {
    case EXECUTE_b16:
    case EXECUTE_s16:
        return equality || type == EXECUTE_b16 ? EXECUTE_u16 : type;
    case EXECUTE_b32:
    case EXECUTE_s32:
        return equality || type == EXECUTE_b32 ? EXECUTE_u32 : type;
    case EXECUTE_b64:
    case EXECUTE_s64:
        return equality || type == EXECUTE_b64 ? EXECUTE_u64 : type;
    default:
        return type;
    }
}

static bool is_half(enum execute_type type)
{
    return type == EXECUTE_f16 || type == EXECUTE_f16x2 || type == EXECUTE_bf16 || type == EXECUTE_bf16x2;
}

struct comparing {
    int comparison;
    enum execute_combine combine;
    bool flush, to_register;
    enum execute_type type, result;
    uint32_t d, second, a, b, c;
    bool flip_c;
};

/* The result of `set` if the comparison holds; for pairs, in each half. */
static int64_t holds_as(enum execute_type result, bool pair)
{
    switch (result) {
    case EXECUTE_f32:
        return 0x3f800000;
    case EXECUTE_f16:
    case EXECUTE_f16x2:
        return 0x3c00;
    case EXECUTE_bf16:
    case EXECUTE_bf16x2:
        return 0x3f80;
    case EXECUTE_u16:
    case EXECUTE_s16:
        return 0xffff;
    default:
        return pair ? 0xffff : 0xffffffff;
    }
}

/* Checks the result type: pairs give pairs, or 16 bits of a word each; single halves give results of 16 or 32 bits. */
static bool is_result(enum execute_type result, enum execute_type source)
{
    bool pair = source == EXECUTE_f16x2 || source == EXECUTE_bf16x2,
         wide = result == EXECUTE_u32 || result == EXECUTE_s32;
    if (pair)
        return result == source || wide;
    return wide || result == EXECUTE_f32 || result == EXECUTE_f16 || result == EXECUTE_bf16 ||
           (is_half(source) && (result == EXECUTE_u16 || result == EXECUTE_s16));
}

static void emit_comparison(struct ptx_decoder *decoder, const struct comparing *how, int test)
{
    static const uint8_t orders[] = {EXECUTE_WORDS_EQ, /* indexed by enum execute_comparison */
                                     EXECUTE_WORDS_NE,
                                     EXECUTE_WORDS_LT,
                                     EXECUTE_WORDS_LE,
                                     EXECUTE_WORDS_GT,
                                     EXECUTE_WORDS_GE,
                                     EXECUTE_WORDS_NOT(EXECUTE_WORDS_NE),
                                     EXECUTE_WORDS_NOT(EXECUTE_WORDS_EQ),
                                     EXECUTE_WORDS_NOT(EXECUTE_WORDS_GE),
                                     EXECUTE_WORDS_NOT(EXECUTE_WORDS_GT),
                                     EXECUTE_WORDS_NOT(EXECUTE_WORDS_LE),
                                     EXECUTE_WORDS_NOT(EXECUTE_WORDS_LT),
                                     EXECUTE_WORDS_NUM,
                                     EXECUTE_WORDS_NOT(EXECUTE_WORDS_NUM)};
    struct execute_op *op = ptx_emit(decoder, how->to_register ? EXECUTE_KIND_TEST_TO : EXECUTE_KIND_TEST);
    bool pair = how->type == EXECUTE_f16x2 || how->type == EXECUTE_bf16x2;
    uint32_t modifiers = 0;
    if (test >= 0) {
        op->words = decoder->table->tests[test];
    } else {
        op->kind = EXECUTE_KIND_FLOAT;
        op->words = decoder->table->functions[EXECUTE_WORDS_hsetp2];
        op->variant = !how->to_register ? EXECUTE_FLOAT_TEST
                      : pair            ? EXECUTE_FLOAT_TEST_TO_PAIR
                                        : EXECUTE_FLOAT_TEST_TO;
        modifiers = ptx_half_bits(how->type) | EXECUTE_WORDS_ORDERED(orders[how->comparison]) |
                    (how->flush ? EXECUTE_WORDS_FLUSH : 0u);
    }
    op->d = how->d;
    op->a = how->a;
    op->b = how->b;
    op->c = how->c;
    op->combine = (uint8_t)how->combine;
    op->size = how->to_register ? 4 : 0;
    op->immediate = (int64_t)((uint64_t)modifiers << 32 | (uint32_t)holds_as(how->result, pair));
    op->flags = (uint8_t)(EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A | EXECUTE_OP_READS_B |
                          (how->combine ? EXECUTE_OP_READS_C : 0) | (how->flip_c ? EXECUTE_OP_FLIP_C : 0));
    if (how->second != EXECUTE_NO_REF) {
        op->list_results = 1;
        op->list = ptx_list_add(decoder, how->second);
    }
}

/* setp and set */
bool ptx_decode_compare(struct ptx_decoder *decoder)
{
    bool set = decoder->words[0].length == 3;
    struct comparing how = {.to_register = set, .second = EXECUTE_NO_REF, .c = EXECUTE_NO_REF};
    how.comparison = take_comparison(decoder);
    how.combine = take_combine(decoder);
    how.flush = ptx_take_word(decoder, "ftz");
    if (how.comparison < 0 || decoder->type_count != (set ? 2u : 1u))
        return ptx_decode_fail(decoder, "it needs a comparison (.lt, .eq, …) and %s", set ? "two types" : "a type");
    how.result = set ? (enum execute_type)decoder->types[0] : EXECUTE_NO_TYPE;
    enum execute_type type = (enum execute_type)decoder->types[set ? 1 : 0];
    how.type = compared_as(type, how.comparison);
    int test = find_test(comparisons[how.comparison], how.type, how.flush && how.type == EXECUTE_f32);
    if (test < 0 && !is_half(type))
        return ptx_decode_fail(decoder, "there is no such comparison");
    if (set && !is_result(how.result, type))
        return ptx_decode_fail(decoder, "a result .%s is not supported here", execute_type_name(how.result));
    uint32_t number = 0, extra = how.combine ? 1 : 0;
    const struct ptx_operand *first = ptx_operand_of(decoder, 0);
    bool paired = first && first->paired;
    if (!ptx_operand_count_is(decoder, 3 + extra + paired, 3 + extra + paired))
        return false;
    if (set && paired)
        return ptx_decode_fail(decoder, "it has one result");
    if (!ptx_destination(decoder, ptx_operand_of(decoder, number++), set ? how.result : EXECUTE_pred, &how.d) ||
        (paired && !ptx_destination(decoder, ptx_operand_of(decoder, number++), EXECUTE_pred, &how.second)) ||
        !ptx_source(decoder, ptx_operand_of(decoder, number++), type, &how.a) ||
        !ptx_source(decoder, ptx_operand_of(decoder, number++), type, &how.b))
        return false;
    if (extra) {
        const struct ptx_operand *operand = ptx_operand_of(decoder, number);
        if (!ptx_predicate(decoder, operand, &how.c))
            return false;
        how.flip_c = operand->negated;
    }
    emit_comparison(decoder, &how, test);
    return ptx_all_taken(decoder);
}

bool ptx_decode_testp(struct ptx_decoder *decoder)
{
    static const char *const words[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
    uint32_t d, a, chosen = 0;
    while (chosen < 6 && !ptx_take_word(decoder, words[chosen]))
        chosen++;
    if (chosen == 6 || decoder->type_count != 1 ||
        (decoder->types[0] != EXECUTE_f32 && decoder->types[0] != EXECUTE_f64))
        return ptx_decode_fail(decoder, "it needs a test (.finite, …) and .f32 or .f64");
    if (!ptx_operand_count_is(decoder, 2, 2) ||
        !ptx_destination(decoder, ptx_operand_of(decoder, 0), EXECUTE_pred, &d) ||
        !ptx_source(decoder, ptx_operand_of(decoder, 1), decoder->types[0], &a))
        return false;
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_TESTP);
    op->d = d;
    op->a = a;
    op->variant = (uint8_t)chosen;
    op->combine = decoder->types[0] == EXECUTE_f64;
    op->flags = EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A;
    return ptx_all_taken(decoder);
}

/* ===== predicates ===== */

static bool emit_logic(struct ptx_decoder *decoder, uint32_t variant)
{
    uint32_t refs[3] = {EXECUTE_NO_REF, EXECUTE_NO_REF, EXECUTE_NO_REF}, sources = variant >= EXECUTE_LOGIC_NOT ? 1 : 2;
    if (!ptx_operand_count_is(decoder, 1 + sources, 1 + sources) ||
        !ptx_destination(decoder, ptx_operand_of(decoder, 0), EXECUTE_pred, &refs[0]))
        return false;
    uint8_t flips = 0;
    for (uint32_t i = 0; i < sources; i++) {
        const struct ptx_operand *operand = ptx_operand_of(decoder, 1 + i);
        if (operand && operand->kind == PTX_OPERAND_INTEGER) {
            refs[1 + i] = EXECUTE_TRUE;
            flips |= (uint8_t)(operand->value ? 0 : EXECUTE_OP_FLIP_A << i);
        } else if (!ptx_predicate(decoder, operand, &refs[1 + i])) {
            return false;
        }
        flips |= (uint8_t)(operand->negated ? EXECUTE_OP_FLIP_A << i : 0);
    }
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_LOGIC);
    op->variant = (uint8_t)variant;
    op->d = refs[0];
    op->a = refs[1];
    op->b = refs[2];
    op->flags = (uint8_t)(EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A | (sources > 1 ? EXECUTE_OP_READS_B : 0) | flips);
    return ptx_all_taken(decoder);
}

bool ptx_decode_predicates(struct ptx_decoder *decoder)
{
    static const char *const names[] = {"and", "or", "xor", "not"};
    uint32_t variant = 0;
    while (variant < 3 && memcmp(names[variant], decoder->words[0].text, decoder->words[0].length) != 0)
        variant++;
    if (decoder->type_count != 1 || decoder->types[0] != EXECUTE_pred)
        return ptx_decode_fail(decoder, "it needs a type: .pred, .b16, .b32 or .b64");
    return emit_logic(decoder, variant);
}

bool ptx_decode_select(struct ptx_decoder *decoder)
{
    uint32_t d, a, b, p;
    if (decoder->type_count != 1 || !ptx_operand_count_is(decoder, 4, 4))
        return ptx_decode_fail(decoder, "it needs a type");
    enum execute_type type = (enum execute_type)decoder->types[0];
    uint32_t class = ptx_class_of(type);
    if (class != PTX_CLASS_SMALL && class != PTX_CLASS_LARGE)
        return ptx_decode_fail(decoder, ".%s is not supported", execute_type_name(type));
    const struct ptx_operand *predicate = ptx_operand_of(decoder, 3);
    if (!ptx_destination(decoder, ptx_operand_of(decoder, 0), type, &d) ||
        !ptx_source(decoder, ptx_operand_of(decoder, 1), type, &a) ||
        !ptx_source(decoder, ptx_operand_of(decoder, 2), type, &b) || !ptx_predicate(decoder, predicate, &p))
        return false;
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_SELECT);
    op->d = d;
    op->a = a;
    op->b = b;
    op->c = p;
    op->size = class == PTX_CLASS_LARGE ? 8 : 4;
    op->flags = (uint8_t)(EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A | EXECUTE_OP_READS_B | EXECUTE_OP_READS_C |
                          (predicate->negated ? EXECUTE_OP_FLIP_C : 0));
    return ptx_all_taken(decoder);
}

/* ===== moves ===== */

static enum execute_type part_type(unsigned bytes)
{
    return bytes == 8   ? EXECUTE_b64
           : bytes == 4 ? EXECUTE_b32
           : bytes == 2 ? EXECUTE_b16
           : bytes == 1 ? EXECUTE_b8
                        : EXECUTE_NO_TYPE;
}

/* mov.b64 %rd, {%r1, %r2} and back. */
static bool decode_parts(struct ptx_decoder *decoder, const struct ptx_operand *whole, const struct ptx_operand *vector,
                         bool pack)
{
    enum execute_type type = (enum execute_type)decoder->types[0];
    unsigned bytes = execute_type_bytes(type);
    enum execute_type part = vector->count ? part_type(bytes / vector->count) : EXECUTE_NO_TYPE;
    if (type < EXECUTE_b16 || type > EXECUTE_b128)
        return ptx_decode_fail(decoder, "a vector is moved as .b16, .b32, .b64 or .b128");
    if ((vector->count != 2 && vector->count != 4) || part == EXECUTE_NO_TYPE)
        return ptx_decode_fail(decoder, "a vector of %u does not make .%s", vector->count, execute_type_name(type));
    uint32_t refs[4], ref;
    for (uint32_t i = 0; i < vector->count; i++) {
        const struct ptx_operand *element = ptx_operand_at(decoder->module, vector->index + i);
        if (!(pack ? ptx_source(decoder, element, part, &refs[i]) : ptx_destination(decoder, element, part, &refs[i])))
            return false;
    }
    if (!(pack ? ptx_destination(decoder, whole, type, &ref) : ptx_source(decoder, whole, type, &ref)))
        return false;
    struct execute_op *op = ptx_emit(decoder, pack ? EXECUTE_KIND_PACK : EXECUTE_KIND_UNPACK);
    op->size = (uint8_t)(bytes < 4 ? 4 : bytes);
    op->variant = (uint8_t)(bytes / vector->count);
    op->combine = (uint8_t)vector->count;
    *(pack ? &op->d : &op->a) = ref;
    op->flags = pack ? EXECUTE_OP_WRITES_D : EXECUTE_OP_READS_A;
    op->list_results = pack ? 0 : (uint8_t)vector->count;
    op->list_sources = pack ? (uint8_t)vector->count : 0;
    for (uint32_t i = 0; i < vector->count; i++)
        ptx_list_add(decoder, refs[i]);
    return true;
}

/* A selection by a predicate that always holds. */
void ptx_emit_move(struct ptx_decoder *decoder, uint32_t to, uint32_t from, uint8_t bytes)
{
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_SELECT);
    op->d = to;
    op->a = op->b = from;
    op->c = EXECUTE_TRUE;
    op->size = bytes;
    op->flags = EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A | EXECUTE_OP_READS_C;
}

bool ptx_decode_move(struct ptx_decoder *decoder)
{
    const struct ptx_operand *d = ptx_operand_of(decoder, 0), *a = ptx_operand_of(decoder, 1);
    if (decoder->type_count != 1 || !ptx_operand_count_is(decoder, 2, 2))
        return ptx_decode_fail(decoder, "it needs a type and two operands");
    if (decoder->types[0] == EXECUTE_pred)
        return emit_logic(decoder, EXECUTE_LOGIC_MOVE);
    bool known = ptx_all_taken(decoder);
    if (known && a->kind == PTX_OPERAND_VECTOR && d->kind != PTX_OPERAND_VECTOR)
        return decode_parts(decoder, d, a, true);
    if (known && d->kind == PTX_OPERAND_VECTOR && a->kind != PTX_OPERAND_VECTOR)
        return decode_parts(decoder, a, d, false);
    uint32_t to, from;
    if (!known || decoder->types[0] != EXECUTE_b128)
        return known && ptx_decode_fail(decoder, "this move is not supported");
    if (!ptx_destination(decoder, d, EXECUTE_b128, &to) || !ptx_source(decoder, a, EXECUTE_b128, &from))
        return false;
    ptx_emit_move(decoder, to, from, 16);
    return true;
}

/* ===== extended precision ===== */

enum { CARRY_ADD, CARRY_SUB, CARRY_MAD_LO, CARRY_MAD_HI };

bool ptx_decode_carry(struct ptx_decoder *decoder)
{
    const char *opcode = decoder->words[0].text;
    bool mad = opcode[0] == 'm', in = opcode[decoder->words[0].length - 1] == 'c';
    bool high = mad && ptx_take_word(decoder, "hi"), low = mad && !high && ptx_take_word(decoder, "lo");
    bool out = ptx_take_word(decoder, "cc");
    if (decoder->type_count != 1 || (mad && !high && !low) || (!in && !out))
        return decoder->type_count ? ptx_decode_float(decoder) : ptx_decode_fail(decoder, "it needs a type");
    enum execute_type type = (enum execute_type)decoder->types[0];
    unsigned bytes = execute_type_bytes(type);
    if (execute_type_is_float(type) || (bytes != 4 && bytes != 8))
        return ptx_decode_fail(decoder, ".%s is not supported", execute_type_name(type));
    uint32_t d, refs[3] = {EXECUTE_NO_REF, EXECUTE_NO_REF, EXECUTE_NO_REF}, sources = mad ? 3 : 2;
    if (!ptx_operand_count_is(decoder, 1 + sources, 1 + sources))
        return false;
    for (uint32_t i = 0; i < sources; i++)
        if (!ptx_source(decoder, ptx_operand_of(decoder, 1 + i), type, &refs[i]))
            return false;
    if (!ptx_destination(decoder, ptx_operand_of(decoder, 0), type, &d))
        return false;
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_CARRY);
    op->variant = (uint8_t)(mad ? (high ? CARRY_MAD_HI : CARRY_MAD_LO) : opcode[0] == 'a' ? CARRY_ADD : CARRY_SUB);
    op->combine = (uint8_t)(in | out << 1 | execute_type_is_signed(type) << 2);
    op->size = (uint8_t)bytes;
    op->d = d;
    op->a = refs[0];
    op->b = refs[1];
    op->c = refs[2];
    op->flags =
        (uint8_t)(EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A | EXECUTE_OP_READS_B | (mad ? EXECUTE_OP_READS_C : 0));
    return ptx_all_taken(decoder);
}

bool ptx_decode_insert(struct ptx_decoder *decoder)
{
    enum execute_type type = decoder->type_count == 1 ? (enum execute_type)decoder->types[0] : EXECUTE_NO_TYPE;
    uint32_t d, a, b, position, length;
    if ((type != EXECUTE_b32 && type != EXECUTE_b64) || !ptx_operand_count_is(decoder, 5, 5))
        return ptx_decode_fail(decoder, "it needs .b32 or .b64");
    if (!ptx_source(decoder, ptx_operand_of(decoder, 1), type, &a) ||
        !ptx_source(decoder, ptx_operand_of(decoder, 2), type, &b) ||
        !ptx_source(decoder, ptx_operand_of(decoder, 3), EXECUTE_u32, &position) ||
        !ptx_source(decoder, ptx_operand_of(decoder, 4), EXECUTE_u32, &length) ||
        !ptx_destination(decoder, ptx_operand_of(decoder, 0), type, &d))
        return false;
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_INSERT);
    op->words = decoder->table->lanes[type == EXECUTE_b32 ? EXECUTE_LANE_bfi_b32 : EXECUTE_LANE_bfi_b64];
    op->size = (uint8_t)execute_type_bytes(type);
    op->d = d;
    op->a = a;
    op->b = b;
    op->flags = EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A | EXECUTE_OP_READS_B;
    op->list_sources = 2;
    ptx_list_add(decoder, position);
    ptx_list_add(decoder, length);
    return ptx_all_taken(decoder);
}

/* lop3.BoolOp.b32 d|p, a, b, c, table, q: p = (d != 0) op q */
bool ptx_decode_lop3(struct ptx_decoder *decoder)
{
    enum execute_combine combine = take_combine(decoder);
    uint32_t d, refs[3], p, q;
    uint64_t table;
    const struct ptx_operand *first = ptx_operand_of(decoder, 0);
    if (!combine || combine == EXECUTE_COMBINE_XOR || decoder->type_count != 1 || decoder->types[0] != EXECUTE_b32 ||
        !first || !first->paired || !ptx_operand_count_is(decoder, 7, 7))
        return ptx_decode_fail(decoder,
                               "its forms are lop3.b32 d, a, b, c, table and lop3.and.b32 d|p, a, b, c, table, q");
    const struct ptx_operand *last = ptx_operand_of(decoder, 6);
    for (uint32_t i = 0; i < 3; i++)
        if (!ptx_source(decoder, ptx_operand_of(decoder, 2 + i), EXECUTE_b32, &refs[i]))
            return false;
    if (!ptx_immediate(decoder, ptx_operand_of(decoder, 5), &table) || !ptx_predicate(decoder, last, &q) ||
        !ptx_destination(decoder, first, EXECUTE_b32, &d) ||
        !ptx_destination(decoder, ptx_operand_of(decoder, 1), EXECUTE_pred, &p))
        return false;
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_LOP3P);
    op->words = decoder->table->functions[EXECUTE_WORDS_lop3_p];
    op->size = 4;
    op->d = d;
    op->a = refs[0];
    op->b = refs[1];
    op->c = refs[2];
    op->immediate = (int64_t)((table & 0xff) << EXECUTE_WORDS_LOGIC_SHIFT |
                              (combine == EXECUTE_COMBINE_AND ? EXECUTE_WORDS_AND : 0u));
    op->variant = last->negated;
    op->flags = EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A | EXECUTE_OP_READS_B | EXECUTE_OP_READS_C;
    op->list_results = op->list_sources = 1;
    ptx_list_add(decoder, p);
    ptx_list_add(decoder, q);
    return ptx_all_taken(decoder);
}

/* ===== addresses ===== */

static uint64_t window_of(const struct ptx_decoder *decoder, enum execute_space space)
{
    return space == EXECUTE_SPACE_CONST                                      ? decoder->image->const_base
           : space == EXECUTE_SPACE_SHARED || space == EXECUTE_SPACE_CLUSTER ? EXECUTE_SHARED_WINDOW
           : space == EXECUTE_SPACE_LOCAL                                    ? EXECUTE_LOCAL_WINDOW
           : space == EXECUTE_SPACE_PARAM                                    ? EXECUTE_PARAMETER_WINDOW
                                                                             : 0;
}

/* An address that isspacep asks for may stand in 32 bits: it is a number like others then. */
static bool asked_address(struct ptx_decoder *decoder, bool test, uint32_t *ref)
{
    const struct ptx_operand *operand = ptx_operand_of(decoder, 1);
    uint32_t narrow;
    if (!test || !operand || execute_type_bytes(ptx_register_type(decoder, operand)) != 4)
        return ptx_source(decoder, operand, EXECUTE_u64, ref);
    if (!ptx_source(decoder, operand, EXECUTE_u32, &narrow))
        return false;
    *ref = ptx_new_ref(decoder, PTX_CLASS_LARGE);
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_LANES);
    op->words = decoder->table->lanes[EXECUTE_LANE_cvt_u64_u32];
    op->d = *ref;
    op->a = narrow;
    op->size = 8;
    op->flags = EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A;
    return true;
}

bool ptx_decode_address(struct ptx_decoder *decoder)
{
    bool test = decoder->words[0].length > 4, to = !test && ptx_take_word(decoder, "to");
    enum execute_space space;
    uint32_t d, a;
    if (!ptx_take_space(decoder, &space))
        return ptx_decode_fail(decoder, "it needs a state space that is supported");
    enum execute_type type = decoder->type_count ? (enum execute_type)decoder->types[0] : EXECUTE_u64;
    if (type != EXECUTE_u64)
        return ptx_decode_fail(decoder, "addresses have 64 bits; compile for .address_size 64");
    if (!ptx_operand_count_is(decoder, 2, 2) || !asked_address(decoder, test, &a) ||
        !ptx_destination(decoder, ptx_operand_of(decoder, 0), test ? EXECUTE_pred : EXECUTE_u64, &d))
        return false;
    struct execute_op *op = ptx_emit(decoder, test ? EXECUTE_KIND_ISSPACEP : EXECUTE_KIND_CVTA);
    op->d = d;
    op->a = a;
    op->size = test ? 0 : 8;
    op->variant = (uint8_t)space;
    op->immediate = (int64_t)(test ? 0 : to ? 0 - window_of(decoder, space) : window_of(decoder, space));
    op->flags = EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A;
    return ptx_all_taken(decoder);
}
