/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/ptx/compile/check.h"

#include "base/arena.h"
#include "execute/lanes/lane_math.h"

#include <stdlib.h>
#include <string.h>

/* ===== names of places ===== */

bool ptx_variable_address(struct ptx_decoder *decoder, uint32_t index, uint64_t *address)
{
    const struct ptx_variable *variable = ptx_variable_at(decoder->module, index);
    switch (variable->space) {
    case EXECUTE_SPACE_SHARED:
        *address = decoder->shared_offset[index];
        return true;
    case EXECUTE_SPACE_GLOBAL:
    case EXECUTE_SPACE_CONST:
        *address = decoder->image->addresses[index];
        if (*address)
            return true;
        return ptx_decode_fail(decoder, "`%s` is declared .extern and defined nowhere; link the module that has it",
                               ptx_name_text(decoder->module, variable->name));
    case EXECUTE_SPACE_PARAM:
        if (decoder->parameter_offset[index] != PTX_NONE) {
            *address = decoder->parameter_offset[index];
            return true;
        }
        /* fall through */
    default:
        return ptx_decode_fail(decoder, "the address of `%s` cannot be used here",
                               ptx_name_text(decoder->module, variable->name));
    }
}

static uint32_t special_ref(struct ptx_decoder *decoder, enum execute_special special)
{
    static const uint8_t bytes[] = {
#define X(enumerator, name, size) size,
        EXECUTE_SPECIALS(X)
#undef X
    };
    struct execute_code *code = decoder->code;
    if (special >= EXECUTE_SPECIAL_FIXED) {
        uint32_t ref = ptx_new_ref(decoder, bytes[special] == 8 ? PTX_CLASS_LARGE : PTX_CLASS_SMALL);
        struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_CLOCK);
        op->variant = (uint8_t)special;
        op->size = bytes[special];
        op->d = ref;
        op->flags = EXECUTE_OP_WRITES_D;
        return ref;
    }
    if (code->special_offset[special] == PTX_NONE) {
        code->special_offset[special] = code->special_bytes;
        code->special_bytes += bytes[special] * 32u;
    }
    return (uint32_t)EXECUTE_BASE_SPECIAL << EXECUTE_BASE_SHIFT | code->special_offset[special];
}

/* ===== sources and destinations ===== */

static uint32_t register_ref(struct ptx_decoder *decoder, const struct ptx_operand *operand)
{
    uint32_t *ref = &decoder->register_refs[operand->index];
    if (*ref == EXECUTE_NO_REF)
        *ref = ptx_new_ref(decoder, ptx_class_of(ptx_register_type(decoder, operand)));
    return *ref;
}

static bool immediate_bits(struct ptx_decoder *decoder, const struct ptx_operand *operand, enum execute_type type,
                           uint64_t *bits)
{
    unsigned bytes = execute_type_bytes(type);
    *bits = operand->value;
    if (operand->kind == PTX_OPERAND_DOUBLE && bytes == 4)
        *bits = bits_of((float)double_of(operand->value));
    else if (operand->kind == PTX_OPERAND_DOUBLE && bytes == 2)
        *bits = execute_soft_pack(type == EXECUTE_bf16 ? &execute_format_bf16 : &execute_format_f16,
                                  execute_soft_unpack(&execute_format_f64, operand->value, false), EXECUTE_RN, false,
                                  false, false);
    else if (operand->kind == PTX_OPERAND_SINGLE && bytes == 8)
        *bits = bits_of_double((double)float_of((uint32_t)operand->value));
    else if (operand->kind == PTX_OPERAND_INTEGER && (type == EXECUTE_f32 || type == EXECUTE_f64))
        return ptx_decode_fail(decoder, "a whole number stands where a .%s is needed; write 0f… or 0d…",
                               execute_type_name(type));
    if (bytes < 4 && operand->kind == PTX_OPERAND_INTEGER)
        *bits = execute_type_is_signed(type) ? (bytes == 2 ? (uint64_t)(int16_t)*bits : (uint64_t)(int8_t)*bits)
                                             : *bits & ((1u << 8 * bytes) - 1);
    return true;
}

static bool frame_address(struct ptx_decoder *decoder, const struct ptx_operand *operand, uint32_t class, uint32_t *ref)
{
    *ref = ptx_new_ref(decoder, class);
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_FRAME_ADDRESS);
    op->d = *ref;
    op->size = class == PTX_CLASS_LARGE ? 8 : 4;
    op->flags = EXECUTE_OP_WRITES_D;
    op->immediate = (int64_t)(decoder->frame_offset[operand->index] + operand->value);
    return true;
}

/* Addresses of variables and functions are constants, except those in the function's frame. 32-bit registers can hold
 * addresses of all spaces except global memory, as with LLVM's short pointers. */
static bool address_source(struct ptx_decoder *decoder, const struct ptx_operand *operand, enum execute_type type,
                           uint32_t *ref)
{
    uint64_t address = 0;
    uint32_t class = ptx_class_of(type);
    bool variable = operand->kind == PTX_OPERAND_VARIABLE;
    if (execute_type_bytes(type) < 4)
        return ptx_decode_fail(decoder, "an address needs a register of 32 or 64 bits");
    if (operand->kind == PTX_OPERAND_FUNCTION)
        address = EXECUTE_FUNCTION_WINDOW + 16 * (uint64_t)operand->index;
    else if (ptx_is_frame_variable(decoder, operand->index))
        return frame_address(decoder, operand, class, ref);
    else if (!ptx_variable_address(decoder, operand->index, &address))
        return false;
    if (variable && ptx_variable_at(decoder->module, operand->index)->space == EXECUTE_SPACE_CONST)
        address -= decoder->image->const_base;
    if (class == PTX_CLASS_SMALL && address > UINT32_MAX)
        return ptx_decode_fail(decoder, "this address needs a 64-bit register");
    *ref = ptx_constant(decoder, class, address + operand->value);
    return true;
}

static bool mismatch(struct ptx_decoder *decoder, const struct ptx_operand *operand, enum execute_type type)
{
    return ptx_decode_fail(decoder, "a register declared .%s stands where .%s is needed",
                           execute_type_name(ptx_register_type(decoder, operand)),
                           execute_type_name(ptx_needed_type(decoder, type)));
}

/* Video instructions begin with a v, and nothing else but vote does. */
static bool takes_parts(const struct ptx_decoder *decoder)
{
    return decoder->words[0].text[0] == 'v' && !ptx_word_is(&decoder->words[0], "vote");
}

bool ptx_source_any(struct ptx_decoder *decoder, const struct ptx_operand *operand, enum execute_type type,
                    uint32_t *ref)
{
    uint32_t class = ptx_class_of(type);
    uint64_t bits;
    if (operand->negated && operand->kind != PTX_OPERAND_REGISTER)
        return ptx_decode_fail(decoder, "`!` belongs before a predicate");
    if (operand->parts && !takes_parts(decoder))
        return ptx_decode_fail(decoder, operand->parts & PTX_PARTS_MINUS
                                            ? "`-` stands before a register in vmad alone; negate it first (neg)"
                                            : "a part of a register (.b0, .h1) stands in video instructions alone");
    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
        *ref = register_ref(decoder, operand);
        return true;
    case PTX_OPERAND_INTEGER:
    case PTX_OPERAND_SINGLE:
    case PTX_OPERAND_DOUBLE:
        if (class != PTX_CLASS_SMALL && class != PTX_CLASS_LARGE)
            return ptx_decode_fail(decoder, "a constant cannot stand here");
        if (!immediate_bits(decoder, operand, type, &bits))
            return false;
        *ref = ptx_constant(decoder, class, bits);
        return true;
    case PTX_OPERAND_SPECIAL:
        *ref = special_ref(decoder, (enum execute_special)operand->index);
        return true;
    case PTX_OPERAND_VARIABLE:
    case PTX_OPERAND_FUNCTION:
        if (class != PTX_CLASS_SMALL && class != PTX_CLASS_LARGE)
            return ptx_decode_fail(decoder, "an address cannot stand here");
        return address_source(decoder, operand, type, ref);
    default:
        return ptx_decode_fail(decoder, "this operand cannot be a source here");
    }
}

/* 64-bit special registers read as 32 bits, and the other way round (mov.u32 %r, %clock64 is not PTX, but %gridid was
 * 32 bits wide once). */
static bool fit_special(struct ptx_decoder *decoder, const struct ptx_operand *operand, uint32_t class, uint32_t *ref)
{
    static const uint8_t bytes[] = {
#define X(enumerator, name, size) size,
        EXECUTE_SPECIALS(X)
#undef X
    };
    uint32_t has = bytes[operand->index] == 8 ? PTX_CLASS_LARGE : PTX_CLASS_SMALL;
    if (has == class)
        return true;
    if (ptx_word_is(&decoder->words[0], "mov") && operand->index != EXECUTE_SPECIAL_GRIDID)
        return ptx_decode_fail(decoder, "this special register has %u bits", has == PTX_CLASS_LARGE ? 64 : 32);
    uint32_t wide = ptx_new_ref(decoder, class);
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_LANES);
    op->words = decoder->table->lanes[class == PTX_CLASS_LARGE ? EXECUTE_LANE_cvt_u64_u32 : EXECUTE_LANE_cvt_u32_u64];
    op->d = wide;
    op->a = *ref;
    op->size = class == PTX_CLASS_LARGE ? 8 : 4;
    op->flags = EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A;
    *ref = wide;
    return true;
}

bool ptx_source(struct ptx_decoder *decoder, const struct ptx_operand *operand, enum execute_type type, uint32_t *ref)
{
    if (!operand)
        return ptx_decode_fail(decoder, "an operand is missing");
    if (!ptx_check_source(decoder, operand, type) || !ptx_source_any(decoder, operand, type, ref))
        return false;
    uint32_t class = ptx_class_of(type);
    if (operand->kind == PTX_OPERAND_SPECIAL)
        return fit_special(decoder, operand, class, ref);
    if (operand->kind == PTX_OPERAND_REGISTER &&
        (ptx_ref_class(*ref) != class || !ptx_register_fits(decoder, operand, type)))
        return mismatch(decoder, operand, type);
    return operand->negated ? ptx_decode_fail(decoder, "`!` belongs before a predicate") : true;
}

bool ptx_destination(struct ptx_decoder *decoder, const struct ptx_operand *operand, enum execute_type type,
                     uint32_t *ref)
{
    if (!operand)
        return ptx_decode_fail(decoder, "the destination is missing");
    if (operand->kind == PTX_OPERAND_SINK && operand == ptx_operand_of(decoder, 0) && !ptx_check_sink(decoder))
        return false;
    if (operand->kind == PTX_OPERAND_SINK) {
        *ref = ptx_new_ref(decoder, ptx_class_of(type));
        return true;
    }
    if (operand->kind != PTX_OPERAND_REGISTER || operand->memory || operand->negated ||
        operand->parts & PTX_PARTS_MINUS)
        return ptx_decode_fail(decoder, "the destination is a register");
    if (operand->parts && !takes_parts(decoder))
        return ptx_decode_fail(decoder, "a part of a register (.b0, .h1) stands in video instructions alone");
    *ref = register_ref(decoder, operand);
    return (ptx_ref_class(*ref) == ptx_class_of(type) && ptx_register_fits(decoder, operand, type)) ||
           mismatch(decoder, operand, type);
}

bool ptx_predicate(struct ptx_decoder *decoder, const struct ptx_operand *operand, uint32_t *ref)
{
    if (!operand)
        return ptx_decode_fail(decoder, "a predicate is missing");
    if (operand->kind == PTX_OPERAND_INTEGER) { /* a constant: 0 is false */
        *ref = EXECUTE_TRUE;
        return operand->value != 0 || ptx_decode_fail(decoder, "a constant false is not supported as predicate");
    }
    if (operand->kind == PTX_OPERAND_SPECIAL && operand->index == EXECUTE_SPECIAL_EXPLICIT_CLUSTER) {
        *ref = ptx_new_ref(decoder, PTX_CLASS_PREDICATE);
        struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_TEST);
        op->words = decoder->table->tests[EXECUTE_TEST_ne_u32];
        op->d = *ref;
        op->a = special_ref(decoder, EXECUTE_SPECIAL_EXPLICIT_CLUSTER);
        op->b = ptx_constant(decoder, PTX_CLASS_SMALL, 0);
        op->flags = EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A | EXECUTE_OP_READS_B;
        return true;
    }
    if (operand->kind != PTX_OPERAND_REGISTER || ptx_register_type(decoder, operand) != EXECUTE_pred)
        return ptx_decode_fail(decoder, "a predicate register is needed here");
    *ref = register_ref(decoder, operand);
    return true;
}

bool ptx_immediate(struct ptx_decoder *decoder, const struct ptx_operand *operand, uint64_t *value)
{
    if (!operand || operand->kind != PTX_OPERAND_INTEGER)
        return ptx_decode_fail(decoder, "a constant whole number is needed here");
    *value = operand->value;
    return true;
}
