/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Surfaces: suld.b and sust.b, loads and stores whose address a surface object and whole coordinates make. The first
 * coordinate counts bytes. A surface is a texture that is not filtered; what lies outside is left out, held to the
 * border, or a trap, as the instruction says.
 */
#include "execute/warp.h"
#include "frontend/ptx/compile/decode.h"

#include <string.h>

enum outside { OUTSIDE_TRAP, OUTSIDE_CLAMP, OUTSIDE_ZERO };

/* ===== decoding ===== */

static const struct geometry {
    const char *word;
    uint8_t dimensions;
    bool layered;
} geometries[] = {{"1d", 1, false}, {"2d", 2, false}, {"3d", 3, false}, {"a1d", 1, true}, {"a2d", 2, true}};

/* suld.b.GEOMETRY{.v2,.v4}.{b8,b16,b32,b64}.{trap,clamp,zero}; the words in front are hints about caches. */
static const struct geometry *read_form(struct ptx_decoder *decoder, struct execute_access_form *form)
{
    static const char *const hints[] = {"ca", "cg", "cs", "cv", "wb", "wt"};
    size_t chosen = 0;
    bool formatted = !ptx_take_word(decoder, "b");
    while (chosen < 5 && !ptx_take_word(decoder, geometries[chosen].word))
        chosen++;
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        ptx_take_word(decoder, hints[i]);
    form->count = ptx_take_word(decoder, "v2") ? 2 : ptx_take_word(decoder, "v4") ? 4 : 1;
    form->operation = ptx_take_word(decoder, "clamp")  ? OUTSIDE_CLAMP
                      : ptx_take_word(decoder, "zero") ? OUTSIDE_ZERO
                                                       : OUTSIDE_TRAP;
    ptx_take_word(decoder, "trap");
    form->type = decoder->type_count == 1 ? decoder->types[0] : EXECUTE_NO_TYPE;
    bool bits =
        form->type == EXECUTE_b8 || form->type == EXECUTE_b16 || form->type == EXECUTE_b32 || form->type == EXECUTE_b64;
    if (formatted || chosen == 5 || !bits || form->count * execute_type_bytes((enum execute_type)form->type) > 16) {
        ptx_decode_fail(decoder, "its form is suld.b or sust.b with {1d,2d,3d,a1d,a2d}, {v2,v4}, {b8,b16,b32,b64} and "
                                 "{trap,clamp,zero}");
        return NULL;
    }
    return &geometries[chosen];
}

bool ptx_decode_surface(struct ptx_decoder *decoder)
{
    bool load = decoder->words[0].text[2] == 'l';
    struct execute_access_form form = {.space = EXECUTE_SPACE_GLOBAL};
    const struct geometry *geometry = read_form(decoder, &form);
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
    form.bypass = true; /* surfaces are cached in the L2 alone, as the model has it */
    struct execute_op *op = ptx_emit(decoder, load ? EXECUTE_KIND_SURFACE_LOAD : EXECUTE_KIND_SURFACE_STORE);
    op->access = form;
    op->variant = (uint8_t)(geometry->dimensions + (geometry->layered ? 4 : 0));
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

/* ===== execution ===== */

/* A coordinate inside, `clamped`; false: it is outside, and the instruction does not clamp it. */
static bool hold(int64_t *at, uint64_t size, uint64_t bytes, enum outside outside)
{
    int64_t last = (int64_t)(size - bytes);
    if (*at >= 0 && *at <= last)
        return true;
    *at = *at < 0 || last < 0 ? 0 : last;
    return outside == OUTSIDE_CLAMP && last >= 0;
}

/* Where a lane's element lies; false: outside. `at`: the coordinates, with the layer in the third. */
static bool place(const struct execute_texture *surface, uint32_t dimensions, bool layered, int64_t at[3],
                  uint32_t bytes, enum outside outside, uint64_t *address)
{
    uint64_t texel = (uint64_t)surface->channels * surface->channel_bytes;
    bool inside = hold(&at[0], surface->size[0] * texel, bytes, outside);
    if (dimensions > 1)
        inside = hold(&at[1], surface->size[1], 1, outside) && inside;
    if (dimensions > 2 || layered)
        inside = hold(&at[2], surface->size[2], 1, outside) && inside;
    uint64_t rows = (uint64_t)at[2] * (surface->size[1] ? surface->size[1] : 1) + (uint64_t)at[1];
    *address = surface->address + rows * surface->pitch + (uint64_t)at[0];
    return inside;
}

/* Lanes that have an address. What a lane outside means is the instruction's; false: a fault. */
static bool find(struct execute_warp *warp, const struct execute_op *op, uint32_t *lanes, uint64_t addresses[32])
{
    const struct execute_port *port = warp->cta->port;
    const uint32_t *list = (const uint32_t *)warp->launch->code->list.items + op->list + op->access.count;
    const uint64_t *handles = execute_at(warp, op->a);
    uint32_t dimensions = op->variant & 3,
             bytes = op->access.count * execute_type_bytes((enum execute_type)op->access.type);
    bool layered = op->variant >> 2;
    enum outside outside = (enum outside)op->access.operation;
    for (uint32_t rest = *lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        const struct execute_texture *surface = port->texture ? port->texture(port->context, handles[lane]) : NULL;
        int64_t at[3] = {0, 0, 0};
        if (!surface) {
            execute_fault(warp, EXECUTE_FAULT_TEXTURE, lane, handles[lane]);
            return false;
        }
        for (uint32_t i = 0; i < dimensions; i++)
            at[i] = ((const int32_t *)execute_at(warp, list[layered + i]))[lane];
        if (layered)
            at[2] = ((const int32_t *)execute_at(warp, list[0]))[lane];
        if (place(surface, dimensions, layered, at, bytes, outside, &addresses[lane]))
            continue;
        *lanes &= ~(1u << lane);
        if (outside == OUTSIDE_TRAP) {
            execute_fault(warp, EXECUTE_FAULT_TRAP, lane, addresses[lane]);
            return false;
        }
    }
    return true;
}

void execute_step_surface(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    _Alignas(64) unsigned char data[32 * 16] = {0};
    uint64_t addresses[32] = {0};
    uint32_t bytes = op->access.count * execute_type_bytes((enum execute_type)op->access.type), inside = lanes;
    bool store = op->kind == EXECUTE_KIND_SURFACE_STORE;
    if (!find(warp, op, &inside, addresses))
        return;
    if (store)
        execute_collect(warp, op, data, bytes);
    else if (inside != lanes)
        execute_deliver(warp, op, lanes & ~inside, data, bytes); /* zeros */
    uint32_t now = inside ? execute_defer(warp, op, inside, addresses, bytes, data, bytes) : 0;
    if (!now || warp->status == EXECUTE_FAULTED)
        return;
    if (execute_access(warp, EXECUTE_SPACE_GLOBAL, store, now, addresses, bytes, data, bytes) && !store)
        execute_deliver(warp, op, now, data, bytes);
}
