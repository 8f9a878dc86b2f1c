/* SPDX-License-Identifier: BSD-3-Clause */
/* Places in the frame for a function's virtual references. */
#include "frontend/ptx/decode.h"

struct layout {
    uint32_t start[PTX_CLASS_COUNT], bytes[PTX_CLASS_COUNT];
};

static uint32_t placed(const struct layout *layout, uint32_t ref)
{
    if (ref == PTX_NO_REF || ref >> PTX_BASE_SHIFT != PTX_BASE_FRAME)
        return ref;
    uint32_t class = ptx_ref_class(ref), number = ref & ((1u << PTX_CLASS_SHIFT) - 1);
    return layout->start[class] + number * layout->bytes[class];
}

static void place_op(struct ptx_decoder *decoder, const struct layout *layout, struct ptx_op *op)
{
    op->guard = op->guard == PTX_TRUE ? PTX_TRUE : placed(layout, op->guard);
    op->d = placed(layout, op->d);
    op->a = placed(layout, op->a);
    op->b = placed(layout, op->b);
    op->c = placed(layout, op->c);
    uint32_t *list = (uint32_t *)decoder->code->list.items + op->list;
    for (uint32_t i = 0; i < (uint32_t)op->list_results + op->list_sources; i++)
        list[i] = placed(layout, list[i]);
}

void ptx_place_references(struct ptx_decoder *decoder)
{
    struct ptx_code_function *place = ptx_code_function_at(decoder->code, decoder->place);
    struct layout layout = {.bytes = {4, PTX_SMALL_BYTES, PTX_LARGE_BYTES, 512}};
    uint32_t offset = 0;
    for (uint32_t class = 0; class < PTX_CLASS_COUNT; class ++) {
        layout.start[class] = offset;
        offset = (offset + decoder->counts[class] * layout.bytes[class] + 127) / 128 * 128;
    }
    place->predicate_bytes = layout.start[PTX_CLASS_SMALL];
    place->frame_bytes = offset;
    for (uint32_t i = 0; i < place->op_count; i++)
        place_op(decoder, &layout, ptx_op_at(decoder->code, place->first_op + i));
    decoder->code->registers += decoder->counts[PTX_CLASS_SMALL] + 2 * decoder->counts[PTX_CLASS_LARGE];
}
