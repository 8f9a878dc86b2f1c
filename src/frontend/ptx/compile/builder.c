/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/ptx/compile/builder.h"

#include "base/allocate.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ptx_decode_fail(struct ptx_decoder *decoder, const char *format, ...)
{
    char text[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const struct ptx_statement *statement = decoder->statement;
    return mnp_fail(decoder->error, "%s:%u:%u: `%.80s`: %s", decoder->module->source_name,
                    statement ? statement->line : decoder->function->line, statement ? statement->column : 1,
                    ptx_name_text(decoder->module, statement ? statement->name : decoder->function->name), text);
}

/* ===== words of the opcode ===== */

bool ptx_word_is(const struct ptx_word *word, const char *text)
{
    return strlen(text) == word->length && memcmp(word->text, text, word->length) == 0;
}

bool ptx_has_word(const struct ptx_decoder *decoder, const char *text)
{
    for (uint32_t i = 1; i < decoder->word_count; i++)
        if (ptx_word_is(&decoder->words[i], text))
            return true;
    return false;
}

bool ptx_take_word(struct ptx_decoder *decoder, const char *text)
{
    for (uint32_t i = 1; i < decoder->word_count; i++) {
        if (!decoder->words[i].taken && ptx_word_is(&decoder->words[i], text)) {
            decoder->words[i].taken = true;
            return true;
        }
    }
    return false;
}

bool ptx_all_taken(struct ptx_decoder *decoder)
{
    for (uint32_t i = 1; i < decoder->word_count; i++)
        if (!decoder->words[i].taken)
            return ptx_decode_fail(decoder, "`.%.*s` is not supported here", (int)decoder->words[i].length,
                                   decoder->words[i].text);
    return true;
}

/* ===== operations ===== */

struct execute_op *ptx_emit(struct ptx_decoder *decoder, enum execute_kind kind)
{
    struct execute_op *op = mnp_array_add(&decoder->code->ops, 1, sizeof *op);
    *op = ptx_empty_op(kind, decoder->code->list.count, decoder->statement_index);
    if (decoder->statement && decoder->statement->guard != PTX_NONE) {
        uint32_t *ref = &decoder->register_refs[decoder->statement->guard];
        if (*ref == EXECUTE_NO_REF)
            *ref = ptx_new_ref(decoder, PTX_CLASS_PREDICATE);
        op->guard = *ref;
        op->guard_flip = decoder->statement->guard_negated ? ~0u : 0;
    }
    return op;
}

uint32_t ptx_list_add(struct ptx_decoder *decoder, uint32_t ref)
{
    *(uint32_t *)mnp_array_add(&decoder->code->list, 1, sizeof ref) = ref;
    return decoder->code->list.count - 1;
}

bool ptx_needs(struct ptx_decoder *decoder, uint32_t target, uint32_t version, const char *what)
{
    if (decoder->module->architecture < target)
        return ptx_decode_fail(decoder, "%sit needs `.target sm_%u` or higher", what, target);
    return decoder->module->version >= version ||
           ptx_decode_fail(decoder, "%sit needs `.version %u.%u` or later", what, version / 10, version % 10);
}

const struct ptx_operand *ptx_operand_of(struct ptx_decoder *decoder, uint32_t number)
{
    if (number >= decoder->statement->operand_count)
        return NULL;
    return ptx_operand_at(decoder->module, decoder->statement->first_operand + number);
}

enum execute_type ptx_register_type(const struct ptx_decoder *decoder, const struct ptx_operand *operand)
{
    const struct ptx_register *registers = decoder->module->registers.items;
    return operand->kind == PTX_OPERAND_REGISTER
               ? (enum execute_type)registers[decoder->function->first_register + operand->index].type
               : EXECUTE_NO_TYPE;
}

bool ptx_operand_count_is(struct ptx_decoder *decoder, uint32_t least, uint32_t most)
{
    uint32_t count = decoder->statement->operand_count;
    if (count >= least && count <= most)
        return true;
    if (least == most)
        return ptx_decode_fail(decoder, "it has %u operands, not %u", least, count);
    return ptx_decode_fail(decoder, "it has %u to %u operands, not %u", least, most, count);
}

uint32_t ptx_code_add_function(struct execute_code *code, uint32_t function)
{
    if (code->function_index[function] == PTX_NONE) {
        code->function_index[function] = code->functions.count;
        struct execute_code_function *made = mnp_array_add(&code->functions, 1, sizeof *made);
        made->function = function;
    }
    return code->function_index[function];
}

/* ===== references ===== */

uint32_t ptx_class_of(enum execute_type type)
{
    unsigned bytes = execute_type_bytes(type);
    return type == EXECUTE_pred ? PTX_CLASS_PREDICATE
           : bytes == 16        ? PTX_CLASS_QUAD
           : bytes == 8         ? PTX_CLASS_LARGE
                                : PTX_CLASS_SMALL;
}

uint32_t ptx_new_ref(struct ptx_decoder *decoder, uint32_t class)
{
    return class << PTX_CLASS_SHIFT | decoder->counts[class]++;
}

/* ===== constants ===== */

static uint32_t constant_hash(uint32_t class, uint64_t value)
{
    value = (value ^ class) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(value >> 32);
}

static bool constant_equals(const struct ptx_decoder *decoder, uint32_t slot, uint32_t class, uint64_t value)
{
    uint32_t entry = decoder->constant_slots[slot] - 1; /* offset / 64, and whether it is large */
    const unsigned char *bytes = (const unsigned char *)decoder->code->constants.items + (entry >> 1) * UINT64_C(64);
    uint64_t held = 0;
    memcpy(&held, bytes, class == PTX_CLASS_LARGE ? 8 : 4);
    return (entry & 1) == (class == PTX_CLASS_LARGE) && held == value;
}

static void grow_constants(struct ptx_decoder *decoder)
{
    uint32_t *old = decoder->constant_slots, old_mask = decoder->constant_mask;
    decoder->constant_mask = old ? old_mask * 2 + 1 : 255;
    decoder->constant_slots = mnp_allocate((size_t)decoder->constant_mask + 1, sizeof *decoder->constant_slots);
    for (uint32_t i = 0; old && i <= old_mask; i++) {
        if (!old[i])
            continue;
        uint64_t value = 0;
        uint32_t class = (old[i] - 1) & 1 ? PTX_CLASS_LARGE : PTX_CLASS_SMALL;
        memcpy(&value, (const unsigned char *)decoder->code->constants.items + ((old[i] - 1) >> 1) * UINT64_C(64),
               class == PTX_CLASS_LARGE ? 8 : 4);
        uint32_t slot = constant_hash(class, value) & decoder->constant_mask;
        while (decoder->constant_slots[slot])
            slot = (slot + 1) & decoder->constant_mask;
        decoder->constant_slots[slot] = old[i];
    }
    free(old);
}

uint32_t ptx_constant(struct ptx_decoder *decoder, uint32_t class, uint64_t value)
{
    bool large = class == PTX_CLASS_LARGE;
    value = large ? value : (uint32_t)value;
    if (decoder->constant_count * 2 >= decoder->constant_mask)
        grow_constants(decoder);
    uint32_t slot = constant_hash(large ? PTX_CLASS_LARGE : PTX_CLASS_SMALL, value) & decoder->constant_mask;
    while (decoder->constant_slots[slot] &&
           !constant_equals(decoder, slot, large ? PTX_CLASS_LARGE : PTX_CLASS_SMALL, value))
        slot = (slot + 1) & decoder->constant_mask;
    if (!decoder->constant_slots[slot]) {
        uint32_t at = decoder->code->constants.count, bytes = large ? EXECUTE_LARGE_BYTES : EXECUTE_SMALL_BYTES;
        unsigned char *lanes = mnp_array_add(&decoder->code->constants, bytes, 1);
        for (uint32_t i = 0; i < 32; i++)
            memcpy(lanes + i * (bytes / 32), &value, bytes / 32);
        decoder->constant_slots[slot] = (at / 64 << 1 | large) + 1;
        decoder->constant_count++;
    }
    return (uint32_t)EXECUTE_BASE_CONSTANT << EXECUTE_BASE_SHIFT | (decoder->constant_slots[slot] - 1) >> 1 << 6;
}
