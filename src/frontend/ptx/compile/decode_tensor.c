/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies by the tensor memory accelerator, bulk reductions, changes of tensor maps (PTX ISA 9.0, cp.async.bulk.tensor,
 * cp.reduce.async.bulk, tensormap.replace, tensormap.cp_fenceproxy).
 */
#include "frontend/ptx/compile/decode.h"

#include "execute/copy/tensor_map.h"

struct reading { /* decoding state of one statement */
    struct execute_tensor_form form;
    struct execute_access_form shared, global, barrier;
    uint32_t shared_ref, global_ref, barrier_ref, bytes;
    int64_t shared_offset, global_offset, barrier_offset;
    uint32_t list[EXECUTE_TENSOR_RANK + 3 + 2], count;
};

static bool refuse(struct ptx_decoder *decoder, const char *what)
{
    return ptx_decode_fail(decoder, "%s are not supported", what);
}

/* Words that are refused by their names. */
static bool check_words(struct ptx_decoder *decoder)
{
    static const struct {
        const char *word, *what;
    } refused[] = {{"tile::gather4", "gathering copies, of Blackwell,"},
                   {"tile::scatter4", "scattering copies, of Blackwell,"},
                   {"im2col::w", "copies in mode im2col::w, of Blackwell,"},
                   {"im2col::w::128", "copies in mode im2col::w::128, of Blackwell,"}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (ptx_has_word(decoder, refused[i].word))
            return refuse(decoder, refused[i].what);
    return true;
}

/* The operation of a reduction. */
static bool take_operation(struct ptx_decoder *decoder, struct execute_tensor_form *form)
{
    static const struct {
        const char *word;
        uint8_t operation;
    } operations[] = {{"add", EXECUTE_ATOMIC_ADD}, {"min", EXECUTE_ATOMIC_MIN}, {"max", EXECUTE_ATOMIC_MAX},
                      {"inc", EXECUTE_ATOMIC_INC}, {"dec", EXECUTE_ATOMIC_DEC}, {"and", EXECUTE_ATOMIC_AND},
                      {"or", EXECUTE_ATOMIC_OR},   {"xor", EXECUTE_ATOMIC_XOR}};
    ptx_take_word(decoder, "noftz");
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (ptx_take_word(decoder, operations[i].word)) {
            form->operation = operations[i].operation;
            return true;
        }
    return ptx_decode_fail(decoder, "a bulk reduction is one of add, min, max, inc, dec, and, or, xor");
}

/* Takes the source and destination spaces. */
static bool take_direction(struct ptx_decoder *decoder, bool reduces, bool tensor, struct execute_tensor_form *form)
{
    bool group = ptx_take_word(decoder, "bulk_group"), done = ptx_take_word(decoder, "mbarrier::complete_tx::bytes");
    bool global = ptx_take_word(decoder, "global"), cta = ptx_take_word(decoder, "shared::cta");
    bool cluster = ptx_take_word(decoder, "shared::cluster");
    if (ptx_take_word(decoder, "prefetch") && ptx_take_word(decoder, "L2") && global) {
        form->direction = EXECUTE_TENSOR_PREFETCH;
        return !(group || done || cta || cluster) || ptx_decode_fail(decoder, "it prefetches from .global");
    }
    if (!global && cta && cluster && done && !group && !tensor) {
        form->direction = reduces ? EXECUTE_TENSOR_ACROSS_REDUCE : EXECUTE_TENSOR_ACROSS;
        return true;
    }
    if (!global || cta == cluster || group == done || (group && cluster) || (reduces && done))
        return ptx_decode_fail(decoder, "it copies from .global to .shared::cluster or .shared::cta, or without a "
                                        "tensor from .shared::cta to .shared::cluster, with "
                                        ".mbarrier::complete_tx::bytes, or from .shared::cta to .global with "
                                        ".bulk_group");
    form->direction = reduces ? EXECUTE_TENSOR_REDUCE : group ? EXECUTE_TENSOR_STORE : EXECUTE_TENSOR_LOAD;
    return true;
}

/* Takes the direction, the mode, and the number of dimensions. */
static bool take_form(struct ptx_decoder *decoder, struct reading *r)
{
    static const char *const ranks[] = {"1d", "2d", "3d", "4d", "5d"};
    bool reduces = ptx_take_word(decoder, "reduce"), tensor = ptx_take_word(decoder, "tensor");
    ptx_take_word(decoder, "async");
    ptx_take_word(decoder, "bulk");
    if (!take_direction(decoder, reduces, tensor, &r->form))
        return false;
    bool group = r->form.direction != EXECUTE_TENSOR_LOAD && r->form.direction != EXECUTE_TENSOR_PREFETCH;
    for (uint8_t i = 0; i < EXECUTE_TENSOR_RANK && tensor && !r->form.rank; i++)
        r->form.rank = ptx_take_word(decoder, ranks[i]) ? i + 1 : 0;
    if (tensor && !r->form.rank)
        return ptx_decode_fail(decoder, "a tensor copy has .1d to .5d");
    ptx_take_word(decoder, "tile");
    bool offsets = ptx_take_word(decoder, "im2col"), none = ptx_take_word(decoder, "im2col_no_offs");
    if ((offsets || none) && (r->form.rank < 3 || offsets == group))
        return ptx_decode_fail(decoder, ".im2col loads and .im2col_no_offs stores tensors of 3 to 5 dimensions");
    r->form.flags |= offsets || none ? EXECUTE_TENSOR_IM2COL : 0;
    r->form.offsets = offsets ? r->form.rank - 2 : 0;
    if (reduces && !tensor) {
        if (decoder->type_count != 1)
            return ptx_decode_fail(decoder, "a bulk reduction has one type");
        bool bits = decoder->types[0] == EXECUTE_b32 || decoder->types[0] == EXECUTE_b64;
        r->form.type = !bits ? decoder->types[0] : decoder->types[0] == EXECUTE_b32 ? EXECUTE_u32 : EXECUTE_u64;
    }
    return !reduces || take_operation(decoder, &r->form);
}

/* `count` elements of a vector of coordinates or offsets. */
static bool take_vector(struct ptx_decoder *decoder, const struct ptx_operand *vector, uint32_t count,
                        enum execute_type type, struct reading *r)
{
    if (!vector || vector->kind != PTX_OPERAND_VECTOR || vector->count != count)
        return ptx_decode_fail(decoder, "a list of %u is needed here", count);
    for (uint32_t i = 0; i < count; i++)
        if (!ptx_source(decoder, ptx_operand_at(decoder->module, vector->index + i), type, &r->list[r->count++]))
            return false;
    return true;
}

/* [shared], [map, {coordinates}] or [global], and the other way round for stores; then bytes, where there is no map. */
static bool take_places(struct ptx_decoder *decoder, struct reading *r, uint32_t *next)
{
    bool load = r->form.direction == EXECUTE_TENSOR_LOAD, tensor = r->form.rank != 0;
    bool prefetch = r->form.direction == EXECUTE_TENSOR_PREFETCH, across = r->form.direction >= EXECUTE_TENSOR_ACROSS;
    uint32_t global = load ? 1 : 0, shared = load ? 0 : 1u + tensor;
    r->shared.space = EXECUTE_SPACE_SHARED;
    r->global.space = across ? EXECUTE_SPACE_SHARED : tensor ? EXECUTE_SPACE_GENERIC : EXECUTE_SPACE_GLOBAL;
    r->shared_ref = EXECUTE_NO_REF;
    if ((!prefetch && !ptx_decode_address_of(decoder, ptx_operand_of(decoder, shared), &r->shared, &r->shared_ref,
                                             &r->shared_offset)) ||
        !ptx_decode_address_of(decoder, ptx_operand_of(decoder, global), &r->global, &r->global_ref, &r->global_offset))
        return false;
    *next = 2u + tensor - prefetch;
    if (tensor)
        return take_vector(decoder, ptx_operand_of(decoder, global + 1), r->form.rank, EXECUTE_b32, r);
    return ptx_source(decoder, ptx_operand_of(decoder, (*next)++), EXECUTE_u32, &r->bytes);
}

static bool take_offsets(struct ptx_decoder *decoder, struct reading *r, uint32_t *next)
{
    return !r->form.offsets ||
           take_vector(decoder, ptx_operand_of(decoder, (*next)++), r->form.offsets, EXECUTE_b16, r);
}

/* Takes the remaining operands of a load or a copy across: mbarrier, offsets, mask. */
static bool take_completion(struct ptx_decoder *decoder, struct reading *r, uint32_t *next)
{
    const struct ptx_operand *barrier = ptx_operand_of(decoder, (*next)++);
    r->barrier.space = EXECUTE_SPACE_SHARED;
    if (!ptx_decode_address_of(decoder, barrier, &r->barrier, &r->barrier_ref, &r->barrier_offset))
        return false;
    if (!take_offsets(decoder, r, next))
        return false;
    bool pair = ptx_take_word(decoder, "cta_group::2"), alone = ptx_take_word(decoder, "cta_group::1");
    if ((pair || alone) && (!r->form.rank || r->form.direction != EXECUTE_TENSOR_LOAD))
        return ptx_decode_fail(decoder, ".cta_group is of tensor copies to .shared::cluster");
    decoder->code->pairs |= pair;
    r->form.flags |= pair ? EXECUTE_TENSOR_PAIR : 0;
    if (!ptx_take_word(decoder, "multicast::cluster"))
        return true;
    if (r->form.direction != EXECUTE_TENSOR_LOAD)
        return ptx_decode_fail(decoder, "a multicast is a copy from .global");
    r->form.flags |= EXECUTE_TENSOR_MULTICAST;
    return ptx_source(decoder, ptx_operand_of(decoder, (*next)++), EXECUTE_b16, &r->list[r->count++]);
}

static uint8_t flags_of(const struct reading *r)
{
    return (uint8_t)((r->shared.wide_address ? EXECUTE_TENSOR_WIDE_SHARED : 0) |
                     (r->global.wide_address ? EXECUTE_TENSOR_WIDE_GLOBAL : 0) |
                     (r->barrier.wide_address ? EXECUTE_TENSOR_WIDE_BARRIER : 0) |
                     (r->barrier_ref != EXECUTE_NO_REF ? EXECUTE_TENSOR_BARRIER : 0));
}

static void emit(struct ptx_decoder *decoder, struct reading *r)
{
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_TENSOR_COPY);
    if (r->barrier_ref != EXECUTE_NO_REF)
        r->list[r->count++] = r->barrier_ref;
    op->tensor = r->form;
    op->tensor.flags |= flags_of(r);
    op->a = r->shared_ref;
    op->b = r->global_ref;
    op->c = r->bytes;
    op->immediate = r->shared_offset;
    op->flags = (uint8_t)((op->a != EXECUTE_NO_REF ? EXECUTE_OP_READS_A : 0) |
                          (op->b != EXECUTE_NO_REF ? EXECUTE_OP_READS_B : 0) |
                          (op->c != EXECUTE_NO_REF ? EXECUTE_OP_READS_C : 0));
    uint64_t *wide = mnp_array_add(&decoder->code->wide, 2, sizeof *wide);
    wide[0] = (uint64_t)r->global_offset;
    wide[1] = (uint64_t)r->barrier_offset;
    op->target = decoder->code->wide.count - 2;
    op->list_sources = (uint8_t)r->count;
    for (uint32_t i = 0; i < r->count; i++)
        ptx_list_add(decoder, r->list[i]);
}

bool ptx_decode_tensor_copy(struct ptx_decoder *decoder)
{
    struct reading r = {.barrier_ref = EXECUTE_NO_REF, .bytes = EXECUTE_NO_REF};
    uint32_t next;
    if (!check_words(decoder) || !take_form(decoder, &r) || !take_places(decoder, &r, &next))
        return false;
    bool completes = r.form.direction == EXECUTE_TENSOR_LOAD || r.form.direction >= EXECUTE_TENSOR_ACROSS;
    if (completes && !take_completion(decoder, &r, &next))
        return false;
    if (r.form.direction == EXECUTE_TENSOR_PREFETCH && !take_offsets(decoder, &r, &next))
        return false;
    next += ptx_take_word(decoder, "L2::cache_hint");
    if (!ptx_operand_count_is(decoder, next, next) || !ptx_all_taken(decoder))
        return false;
    emit(decoder, &r);
    return true;
}

/* ===== tensormap ===== */

/* The fields, whether they have an ordinal, and their type. */
static const struct field_row {
    const char *word;
    uint8_t field;
    bool ordinal;
} fields[] = {{"global_address", EXECUTE_TENSOR_FIELD_ADDRESS, false},
              {"rank", EXECUTE_TENSOR_FIELD_RANK, false},
              {"box_dim", EXECUTE_TENSOR_FIELD_BOX, true},
              {"global_dim", EXECUTE_TENSOR_FIELD_DIMENSION, true},
              {"global_stride", EXECUTE_TENSOR_FIELD_STRIDE, true},
              {"element_stride", EXECUTE_TENSOR_FIELD_ELEMENT_STRIDE, true},
              {"elemtype", EXECUTE_TENSOR_FIELD_TYPE, false},
              {"interleave_layout", EXECUTE_TENSOR_FIELD_INTERLEAVE, false},
              {"swizzle_mode", EXECUTE_TENSOR_FIELD_SWIZZLE, false},
              {"fill_mode", EXECUTE_TENSOR_FIELD_FILL, false}};

static struct execute_op *emit_map(struct ptx_decoder *decoder, const struct execute_access_form *form, uint32_t a,
                                   int64_t offset, uint32_t b)
{
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_TENSOR_MAP);
    op->access = *form;
    op->a = a;
    op->b = b;
    op->immediate = offset;
    op->flags =
        (uint8_t)((a != EXECUTE_NO_REF ? EXECUTE_OP_READS_A : 0) | (b != EXECUTE_NO_REF ? EXECUTE_OP_READS_B : 0));
    return op;
}

static bool decode_replace(struct ptx_decoder *decoder)
{
    const struct field_row *row = fields;
    const struct field_row *end = fields + sizeof fields / sizeof *fields;
    struct execute_access_form form = {.count = 1};
    enum execute_space space = EXECUTE_SPACE_GENERIC;
    uint32_t address, value;
    int64_t offset;
    uint64_t ordinal = 0;
    while (row < end && !ptx_take_word(decoder, row->word))
        row++;
    bool good = row < end && ptx_take_word(decoder, "tile") && ptx_take_word(decoder, "b1024");
    ptx_take_space(decoder, &space);
    form.space = (uint8_t)space;
    if (!good || !decoder->type_count)
        return ptx_decode_fail(decoder, "its form is tensormap.replace.tile.FIELD{.global,.shared::cta}.b1024 with "
                                        ".b32 or .b64");
    bool wide = decoder->types[decoder->type_count - 1] == EXECUTE_b64;
    form.slot = wide ? 8 : 4;
    if (!ptx_operand_count_is(decoder, 2u + row->ordinal, 2u + row->ordinal) ||
        !ptx_decode_address_of(decoder, ptx_operand_of(decoder, 0), &form, &address, &offset) ||
        (row->ordinal && !ptx_immediate(decoder, ptx_operand_of(decoder, 1), &ordinal)) ||
        !ptx_source(decoder, ptx_operand_of(decoder, 1u + row->ordinal), wide ? EXECUTE_b64 : EXECUTE_b32, &value))
        return false;
    struct execute_op *op = emit_map(decoder, &form, address, offset, value);
    op->variant = row->field;
    op->combine = (uint8_t)(ordinal < 255 ? ordinal : 255);
    op->target = 0;
    return ptx_all_taken(decoder);
}

/* tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.SCOPE.sync.aligned [to], [from], 128 */
static bool decode_fence_copy(struct ptx_decoder *decoder)
{
    static const char *const words[] = {"global", "shared::cta", "tensormap::generic", "release", "sync", "aligned"};
    static const char *const scopes[] = {"cta", "cluster", "gpu", "sys"};
    struct execute_access_form to = {.space = EXECUTE_SPACE_GLOBAL}, from = {.space = EXECUTE_SPACE_SHARED};
    uint32_t to_ref, from_ref;
    int64_t to_offset, from_offset;
    uint64_t bytes = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!ptx_take_word(decoder, words[i]))
            return ptx_decode_fail(decoder, "its form is tensormap.cp_fenceproxy.global.shared::cta."
                                            "tensormap::generic.release.SCOPE.sync.aligned");
    for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++)
        ptx_take_word(decoder, scopes[i]);
    if (!ptx_operand_count_is(decoder, 3, 3) ||
        !ptx_decode_address_of(decoder, ptx_operand_of(decoder, 0), &to, &to_ref, &to_offset) ||
        !ptx_decode_address_of(decoder, ptx_operand_of(decoder, 1), &from, &from_ref, &from_offset) ||
        !ptx_immediate(decoder, ptx_operand_of(decoder, 2), &bytes))
        return false;
    if (bytes != EXECUTE_TENSOR_MAP_BYTES)
        return ptx_decode_fail(decoder, "it copies 128 bytes");
    to.bypass = from.wide_address; /* width of the source address */
    struct execute_op *op = emit_map(decoder, &to, to_ref, to_offset, from_ref);
    op->variant = EXECUTE_TENSOR_FIELD_COUNT;
    *(uint64_t *)mnp_array_add(&decoder->code->wide, 1, 8) = (uint64_t)from_offset;
    op->target = decoder->code->wide.count - 1;
    return ptx_all_taken(decoder);
}

bool ptx_decode_tensor_map(struct ptx_decoder *decoder)
{
    if (ptx_take_word(decoder, "replace"))
        return decode_replace(decoder);
    if (ptx_take_word(decoder, "cp_fenceproxy"))
        return decode_fence_copy(decoder);
    return ptx_decode_fail(decoder, "there is tensormap.replace and tensormap.cp_fenceproxy");
}
