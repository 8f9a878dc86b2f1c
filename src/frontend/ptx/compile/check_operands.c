/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks of operands that an assembler rejects: registers of other types than the opcode (PTX ISA 9.0, 9.4.1, and the
 * behaviour of ptxas of CUDA 13.0), special registers and addresses outside of moves, constants of another kind.
 */
#include "frontend/ptx/compile/check.h"

#include <string.h>

static bool opcode_is_one(const struct ptx_decoder *decoder, const char *const *names)
{
    while (*names && !ptx_word_is(&decoder->words[0], *names))
        names++;
    return *names != NULL;
}

static bool is_whole(enum execute_type type)
{
    return type >= EXECUTE_u8 && type <= EXECUTE_s64;
}

static bool is_untyped(enum execute_type type)
{
    return type >= EXECUTE_b8 && type <= EXECUTE_b128;
}

static bool is_named(const struct ptx_decoder *decoder, enum execute_type type)
{
    return memchr(decoder->types, (int)type, decoder->type_count) != NULL;
}

/* The opcode's type that corresponds to `type`. Operations on several types may be executed identically, for example
 * add.s32 and add.u32 or, by their bits, mov.f32 and mov.u32. NO_TYPE: the opcode names no type of that size, and
 * `type` is internal. */
static enum execute_type named_type(const struct ptx_decoder *decoder, enum execute_type type)
{
    static const char *const counting[] = {"wmma", "cp", NULL}; /* these also have strides and byte counts */
    if (is_named(decoder, type))
        return type;
    bool counts = opcode_is_one(decoder, counting);
    for (uint32_t i = 0; is_whole(type) && i < decoder->type_count; i++) {
        enum execute_type named = (enum execute_type)decoder->types[i];
        if ((is_whole(named) || is_untyped(named) || !counts) && execute_type_bytes(named) == execute_type_bytes(type))
            return named;
    }
    return EXECUTE_NO_TYPE;
}

/* Types that go together: untyped ones with all, whole numbers with whole numbers, fractions with the same. */
static bool is_same_kind(enum execute_type has, enum execute_type needed)
{
    if (is_untyped(has) || is_untyped(needed) || has == needed)
        return true;
    bool floats = execute_type_is_float(needed) || execute_type_is_float(has);
    return !floats && is_whole(has) == is_whole(needed);
}

/* Loads, stores and conversions take registers that are wider than their types. */
static bool takes_wider(const struct ptx_decoder *decoder)
{
    static const char *const wider[] = {"ld", "ldu", "st", "cvt", "cvta", "tex", "tld4", "suld", "sust", NULL};
    return opcode_is_one(decoder, wider);
}

enum execute_type ptx_needed_type(const struct ptx_decoder *decoder, enum execute_type type)
{
    enum execute_type named = named_type(decoder, type);
    return named == EXECUTE_NO_TYPE ? type : named;
}

bool ptx_register_fits(const struct ptx_decoder *decoder, const struct ptx_operand *operand, enum execute_type type)
{
    enum execute_type has = ptx_register_type(decoder, operand), needed = named_type(decoder, type);
    unsigned bytes = execute_type_bytes(type), has_bytes = execute_type_bytes(has);
    bool video = decoder->words[0].text[0] == 'v' && !ptx_word_is(&decoder->words[0], "vote");
    if (has == EXECUTE_NO_TYPE)
        return true;
    if ((bytes == 2 || bytes == 4) && !video && (takes_wider(decoder) ? has_bytes < bytes : has_bytes != bytes))
        return false;
    return is_same_kind(has, needed == EXECUTE_NO_TYPE && is_whole(type) ? type : needed) ||
           (needed == EXECUTE_NO_TYPE && !is_whole(type));
}

/* Special registers are read by moves and conversions; the address of a variable is taken by moves, and by instructions
 * that convert or map addresses. */
static bool check_place(struct ptx_decoder *decoder, const struct ptx_operand *operand)
{
    static const char *const bracketed[] = {"tex",  "tld4",  "suld",
                                            "sust", "sured", NULL}; /* with the object in front */
    static const char *const reads[] = {"mov", "cvt", NULL}, *const addresses[] = {
                                                                 "mov",  "cvta", "mapa", "getctarank", "call",  "tex",
                                                                 "tld4", "suld", "sust", "sured",      "wgmma", NULL};
    bool special = operand->kind == PTX_OPERAND_SPECIAL && !opcode_is_one(decoder, reads);
    bool address = (operand->kind == PTX_OPERAND_VARIABLE || operand->kind == PTX_OPERAND_FUNCTION) &&
                   !opcode_is_one(decoder, addresses);
    if (operand->memory && !opcode_is_one(decoder, bracketed))
        return ptx_decode_fail(decoder, "an address in brackets cannot stand here");
    if (special || address)
        return ptx_decode_fail(decoder, "%s cannot be an operand here; move it into a register first (mov)",
                               address ? "an address" : "a special register");
    return true;
}

static bool check_constant(struct ptx_decoder *decoder, const struct ptx_operand *operand, enum execute_type type)
{
    enum execute_type needed = named_type(decoder, type);
    bool fraction = operand->kind == PTX_OPERAND_SINGLE || operand->kind == PTX_OPERAND_DOUBLE;
    if (needed == EXECUTE_NO_TYPE)
        needed = is_whole(type) ? type : EXECUTE_NO_TYPE;
    if ((fraction || operand->kind == PTX_OPERAND_INTEGER) && needed >= EXECUTE_f16 && needed <= EXECUTE_bf16x2)
        return ptx_decode_fail(decoder, "a constant stands where a .%s is needed; move it into a register first (mov)",
                               execute_type_name(needed));
    if (operand->kind == PTX_OPERAND_INTEGER && (needed == EXECUTE_f32 || needed == EXECUTE_f64))
        return ptx_decode_fail(decoder, "a whole number stands where a .%s is needed; write 0f… or 0d…",
                               execute_type_name(needed));
    if (fraction && is_whole(needed))
        return ptx_decode_fail(decoder, "a fraction stands where a .%s is needed; write a whole number",
                               execute_type_name(needed));
    unsigned bytes = operand->kind == PTX_OPERAND_SINGLE ? 4 : 8;
    if (fraction && is_untyped(needed) && execute_type_bytes(needed) != bytes)
        return ptx_decode_fail(decoder, "a constant of %u bytes stands where a .%s is needed; write 0%c…", bytes,
                               execute_type_name(needed), execute_type_bytes(needed) == 4 ? 'f' : 'd');
    return true;
}

bool ptx_check_source(struct ptx_decoder *decoder, const struct ptx_operand *operand, enum execute_type type)
{
    return check_place(decoder, operand) && check_constant(decoder, operand, type);
}

bool ptx_check_sink(struct ptx_decoder *decoder)
{
    static const char *const leave[] = {"atom", "setp", "lop3", "match", "elect", "mbarrier", NULL};
    return opcode_is_one(decoder, leave) ||
           ptx_decode_fail(decoder, "its result cannot be left out; give it a register");
}
