/* SPDX-License-Identifier: BSD-3-Clause */
/* tex.{1d,2d,3d,a1d,a2d,cube,acube}.v4.{u32,s32,f32}.{s32,f32} {d}, [object, {coordinates}]; tex.level has a level
 * behind them, which is left out, as textures have one; tld4.{r,g,b,a}.{2d,a2d}.v4, too. */
#include "frontend/ptx/compile/decode.h"

#include "execute/memory/texture.h"

struct geometry {
    const char *word;
    uint8_t dimensions, coordinates;
    bool layered, cube;
};

/* The geometry that a word names, which is taken; NULL: none of these. */
static const struct geometry *take_geometry(struct ptx_decoder *decoder)
{
    static const struct geometry rows[] = {
        {"1d", 1, 1, false, false},  {"2d", 2, 2, false, false}, {"3d", 3, 3, false, false},
        {"a1d", 1, 2, true, false},  {"a2d", 2, 3, true, false}, {"cube", 2, 3, false, true},
        {"acube", 2, 4, true, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (ptx_take_word(decoder, rows[i].word))
            return &rows[i];
    return NULL;
}

/* The channel that tld4 names, which is taken; 4: none. */
static uint32_t take_channel(struct ptx_decoder *decoder)
{
    static const char *const channels[] = {"r", "g", "b", "a"};
    uint32_t channel = 0;
    while (channel < 4 && !ptx_take_word(decoder, channels[channel]))
        channel++;
    return channel;
}

/* Whether operands are {four results}, [object, {coordinates}]. */
static bool check_operands(struct ptx_decoder *decoder, uint32_t least)
{
    const struct ptx_operand *results = ptx_operand_of(decoder, 0), *object = ptx_operand_of(decoder, 1);
    const struct ptx_operand *coordinates = ptx_operand_of(decoder, 2);
    if (results->kind != PTX_OPERAND_VECTOR || results->count != 4 || coordinates->kind != PTX_OPERAND_VECTOR ||
        coordinates->count < least || coordinates->count > 4 || !object->memory)
        return ptx_decode_fail(decoder, "it needs {four results}, [object, {%u coordinates}]", least);
    if (object->kind != PTX_OPERAND_REGISTER || object->value)
        return ptx_decode_fail(decoder,
                               "texture references are gone since CUDA 12; use a texture object in a register");
    return true;
}

bool ptx_decode_texture(struct ptx_decoder *decoder)
{
    bool gather = decoder->words[0].text[1] == 'l', level = !gather && ptx_take_word(decoder, "level");
    uint32_t channel = gather ? take_channel(decoder) : 0, refs[8], handle;
    const struct geometry *geometry = take_geometry(decoder);
    if (!geometry || !ptx_take_word(decoder, "v4") || decoder->type_count != 2 ||
        execute_type_bytes(decoder->types[0]) != 4 ||
        (decoder->types[1] != EXECUTE_s32 && decoder->types[1] != EXECUTE_f32))
        return ptx_decode_fail(decoder,
                               "its form is tex{.level}.{1d,2d,3d,a1d,a2d,cube,acube}.v4.{u32,s32,f32}.{s32,f32}");
    if (geometry->cube && decoder->types[1] != EXECUTE_f32)
        return ptx_decode_fail(decoder, "directions of a cube map are .f32");
    if (gather && (channel == 4 || geometry->dimensions != 2 || geometry->cube || decoder->types[1] != EXECUTE_f32))
        return ptx_decode_fail(decoder, "its form is tld4.{r,g,b,a}.{2d,a2d}.v4.{u32,s32,f32}.f32");
    uint32_t least = geometry->coordinates;
    if (!ptx_operand_count_is(decoder, level ? 4 : 3, level ? 4 : 3) || !check_operands(decoder, least) ||
        !ptx_source(decoder, ptx_operand_of(decoder, 1), EXECUTE_u64, &handle))
        return false;
    uint32_t results = ptx_operand_of(decoder, 0)->index, coordinates = ptx_operand_of(decoder, 2)->index;
    for (uint32_t i = 0; i < 4; i++)
        if (!ptx_destination(decoder, ptx_operand_at(decoder->module, results + i), EXECUTE_b32, &refs[i]))
            return false;
    for (uint32_t i = 0; i < least; i++)
        if (!ptx_source(decoder, ptx_operand_at(decoder->module, coordinates + i), EXECUTE_b32, &refs[4 + i]))
            return false;
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_TEXTURE);
    op->access = (struct execute_access_form){.type = decoder->types[0],
                                              .operation = decoder->types[1],
                                              .count = geometry->dimensions,
                                              .framed = geometry->layered,
                                              .read_only = true};
    op->variant = gather           ? (uint8_t)(EXECUTE_GATHER + channel)
                  : geometry->cube ? EXECUTE_SAMPLE_DIRECTION
                                   : EXECUTE_SAMPLE;
    op->a = handle;
    op->flags = EXECUTE_OP_READS_A;
    op->list_results = 4;
    op->list_sources = (uint8_t)least;
    for (uint32_t i = 0; i < 4 + least; i++)
        ptx_list_add(decoder, refs[i]);
    return ptx_all_taken(decoder);
}
