/* SPDX-License-Identifier: BSD-3-Clause */
/* suld, sust and sured (ISA 9.0, surface instructions). */
#include "frontend/ptx/compile/decode.h"

static const struct geometry {
    const char *word;
    uint8_t dimensions;
    bool layered;
} geometries[] = {{"1d", 1, false}, {"2d", 2, false}, {"3d", 3, false}, {"a1d", 1, true}, {"a2d", 2, true}};

/* suld.b.GEOMETRY{.v2,.v4}.{b8,b16,b32,b64}.{trap,clamp,zero}; the words in front are hints about caches. */
static const struct geometry *read_form(struct ptx_decoder *decoder, struct execute_access_form *form, bool reduces)
{
    static const char *const hints[] = {"ca", "cg", "cs", "cv", "wb", "wt"};
    size_t chosen = 0;
    bool formatted = !ptx_take_word(decoder, "b");
    while (chosen < 5 && !ptx_take_word(decoder, geometries[chosen].word))
        chosen++;
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        ptx_take_word(decoder, hints[i]);
    form->count = ptx_take_word(decoder, "v2") ? 2 : ptx_take_word(decoder, "v4") ? 4 : 1;
    form->operation = ptx_take_word(decoder, "clamp")  ? EXECUTE_OUTSIDE_CLAMP
                      : ptx_take_word(decoder, "zero") ? EXECUTE_OUTSIDE_ZERO
                                                       : EXECUTE_OUTSIDE_TRAP;
    ptx_take_word(decoder, "trap");
    form->type = decoder->type_count == 1 ? decoder->types[0] : EXECUTE_NO_TYPE;
    bool bits =
        form->type == EXECUTE_b8 || form->type == EXECUTE_b16 || form->type == EXECUTE_b32 || form->type == EXECUTE_b64;
    if (reduces)
        bits = form->count == 1 && chosen < 3 &&
               (form->type == EXECUTE_b32 || form->type == EXECUTE_u32 || form->type == EXECUTE_s32 ||
                form->type == EXECUTE_u64 || form->type == EXECUTE_s64);
    if (formatted || chosen == 5 || !bits || form->count * execute_type_bytes((enum execute_type)form->type) > 16) {
        ptx_decode_fail(decoder, "its form is suld.b or sust.b with {1d,2d,3d,a1d,a2d}, {v2,v4}, {b8,b16,b32,b64} and "
                                 "{trap,clamp,zero}, or sured.b with {1d,2d,3d}, {add,min,max,and,or} and "
                                 "{u32,s32,b32,u64,s64}");
        return NULL;
    }
    return &geometries[chosen];
}

/* The operation of sured, from 1 on; 0: it is none. */
static uint8_t take_reduction(struct ptx_decoder *decoder)
{
    static const char *const words[] = {"add", "min", "max", "and", "or"};
    static const uint8_t operations[] = {EXECUTE_ATOMIC_ADD, EXECUTE_ATOMIC_MIN, EXECUTE_ATOMIC_MAX, EXECUTE_ATOMIC_AND,
                                         EXECUTE_ATOMIC_OR};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ptx_take_word(decoder, words[i]))
            return (uint8_t)(1 + operations[i]);
    return 0;
}

bool ptx_decode_surface(struct ptx_decoder *decoder)
{
    bool load = decoder->words[0].text[2] == 'l', reduces = decoder->words[0].text[2] == 'r';
    uint8_t reduction = reduces ? take_reduction(decoder) : 0;
    struct execute_access_form form = {.space = EXECUTE_SPACE_GLOBAL};
    const struct geometry *geometry = read_form(decoder, &form, reduces);
    if (reduces && !reduction)
        return ptx_decode_fail(decoder, "a reduction is one of add, min, max, and, or");
    if (!geometry || !ptx_all_taken(decoder) || !ptx_operand_count_is(decoder, 3, 3))
        return false;
    const struct ptx_operand *data = ptx_operand_of(decoder, load ? 0 : 2);
    const struct ptx_operand *object = ptx_operand_of(decoder, load ? 1 : 0);
    const struct ptx_operand *coordinates = ptx_operand_of(decoder, load ? 2 : 1);
    uint32_t least = geometry->dimensions + geometry->layered, places[4], refs[8], handle;
    bool vector = coordinates->kind == PTX_OPERAND_VECTOR;
    if ((vector ? coordinates->count : 1) < least || (vector && coordinates->count > 4) || !object->memory ||
        object->kind != PTX_OPERAND_REGISTER || object->value)
        return ptx_decode_fail(decoder, "it needs [object in a register, {%u coordinates}]", least);
    if (!ptx_source(decoder, object, EXECUTE_u64, &handle) || !ptx_data_refs(decoder, data, &form, load, refs))
        return false;
    for (uint32_t i = 0; i < least; i++) {
        const struct ptx_operand *each = vector ? ptx_operand_at(decoder->module, coordinates->index + i) : coordinates;
        if (!ptx_source(decoder, each, EXECUTE_b32, &places[i]))
            return false;
    }
    form.framed = false;
    form.bypass = true; /* the model caches surfaces in the L2 only */
    struct execute_op *op = ptx_emit(decoder, load ? EXECUTE_KIND_SURFACE_LOAD : EXECUTE_KIND_SURFACE_STORE);
    op->access = form;
    op->variant = (uint8_t)(geometry->dimensions + (geometry->layered ? 4 : 0));
    op->combine = reduction;
    op->size = reduces ? form.type : 0;
    op->a = handle;
    op->flags = EXECUTE_OP_READS_A;
    op->list_results = load ? form.count : 0;
    op->list_sources = (uint8_t)(least + (load ? 0 : form.count));
    for (uint32_t i = 0; i < form.count; i++)
        ptx_list_add(decoder, refs[i]);
    for (uint32_t i = 0; i < least; i++)
        ptx_list_add(decoder, places[i]);
    return true;
}
