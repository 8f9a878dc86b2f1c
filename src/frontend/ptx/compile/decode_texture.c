/* SPDX-License-Identifier: BSD-3-Clause */
/* tex.{1d,2d,3d,a1d,a2d}.v4.{u32,s32,f32}.{s32,f32} {d}, [object, {coordinates}]; tld4.{r,g,b,a}.{2d,a2d}.v4, too */
#include "frontend/ptx/compile/decode.h"

bool ptx_decode_texture(struct ptx_decoder *decoder)
{
    static const struct {
        const char *word;
        uint8_t dimensions;
        bool layered;
    } geometries[] = {{"1d", 1, false}, {"2d", 2, false}, {"3d", 3, false}, {"a1d", 1, true}, {"a2d", 2, true}};
    static const char *const channels[] = {"r", "g", "b", "a"};
    size_t chosen = 0, channel = 0;
    bool gather = decoder->words[0].text[1] == 'l';
    while (gather && channel < 4 && !ptx_take_word(decoder, channels[channel]))
        channel++;
    while (chosen < 5 && !ptx_take_word(decoder, geometries[chosen].word))
        chosen++;
    if (chosen == 5 || !ptx_take_word(decoder, "v4") || decoder->type_count != 2 ||
        execute_type_bytes(decoder->types[0]) != 4 ||
        (decoder->types[1] != EXECUTE_s32 && decoder->types[1] != EXECUTE_f32))
        return ptx_decode_fail(decoder, "its form is tex.{1d,2d,3d,a1d,a2d}.v4.{u32,s32,f32}.{s32,f32}");
    if (gather && (channel == 4 || geometries[chosen].dimensions != 2 || decoder->types[1] != EXECUTE_f32))
        return ptx_decode_fail(decoder, "its form is tld4.{r,g,b,a}.{2d,a2d}.v4.{u32,s32,f32}.f32");
    const struct ptx_operand *results = ptx_operand_of(decoder, 0), *object = ptx_operand_of(decoder, 1);
    const struct ptx_operand *coordinates = ptx_operand_of(decoder, 2);
    uint32_t least = geometries[chosen].dimensions + geometries[chosen].layered, refs[8], handle;
    if (!ptx_operand_count_is(decoder, 3, 3))
        return false;
    if (results->kind != PTX_OPERAND_VECTOR || results->count != 4 || coordinates->kind != PTX_OPERAND_VECTOR ||
        coordinates->count < least || coordinates->count > 4 || !object->memory)
        return ptx_decode_fail(decoder, "it needs {four results}, [object, {%u coordinates}]", least);
    if (object->kind != PTX_OPERAND_REGISTER || object->value)
        return ptx_decode_fail(decoder,
                               "texture references are gone since CUDA 12; use a texture object in a register");
    if (!ptx_source(decoder, object, EXECUTE_u64, &handle))
        return false;
    for (uint32_t i = 0; i < 4; i++)
        if (!ptx_destination(decoder, ptx_operand_at(decoder->module, results->index + i), EXECUTE_b32, &refs[i]))
            return false;
    for (uint32_t i = 0; i < least; i++)
        if (!ptx_source(decoder, ptx_operand_at(decoder->module, coordinates->index + i), EXECUTE_b32, &refs[4 + i]))
            return false;
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_TEXTURE);
    op->access = (struct execute_access_form){.type = decoder->types[0],
                                              .operation = decoder->types[1],
                                              .count = geometries[chosen].dimensions,
                                              .framed = geometries[chosen].layered,
                                              .read_only = true};
    op->variant = gather ? (uint8_t)(1 + channel) : 0;
    op->a = handle;
    op->flags = EXECUTE_OP_READS_A;
    op->list_results = 4;
    op->list_sources = (uint8_t)least;
    for (uint32_t i = 0; i < 4 + least; i++)
        ptx_list_add(decoder, refs[i]);
    return ptx_all_taken(decoder);
}
