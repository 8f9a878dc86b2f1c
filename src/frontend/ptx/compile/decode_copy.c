/* SPDX-License-Identifier: BSD-3-Clause */
/* cp.async (ISA 9.0, data movement). */
#include "frontend/ptx/compile/decode.h"

/* cp.async.bulk.TO.FROM.{mbarrier::complete_tx::bytes,bulk_group} [to], [from], bytes{, [mbarrier]} */
static bool decode_bulk(struct ptx_decoder *decoder)
{
    struct execute_access_form to = {0}, barrier = {.space = EXECUTE_SPACE_SHARED};
    struct execute_access_form from = {.space = EXECUTE_SPACE_GLOBAL};
    uint32_t to_ref, from_ref, bytes, barrier_ref = EXECUTE_NO_REF;
    int64_t to_offset, from_offset, barrier_offset = 0;
    bool group = ptx_take_word(decoder, "bulk_group");
    bool out = group && ptx_take_word(decoder, "global") && ptx_take_word(decoder, "shared::cta");
    bool in = !group && (ptx_take_word(decoder, "shared::cluster") || ptx_take_word(decoder, "shared::cta")) &&
              ptx_take_word(decoder, "global") && ptx_take_word(decoder, "mbarrier::complete_tx::bytes");
    bool policy = ptx_take_word(decoder, "L2::cache_hint");
    if (!in && !out)
        return ptx_decode_fail(decoder, "of bulk copies, those of one dimension between global and shared memory are "
                                        "supported");
    to.space = in ? EXECUTE_SPACE_SHARED : EXECUTE_SPACE_GLOBAL;
    from.space = in ? EXECUTE_SPACE_GLOBAL : EXECUTE_SPACE_SHARED;
    if (!ptx_operand_count_is(decoder, 3u + in + policy, 3u + in + policy) ||
        !ptx_decode_address_of(decoder, ptx_operand_of(decoder, 0), &to, &to_ref, &to_offset) ||
        !ptx_decode_address_of(decoder, ptx_operand_of(decoder, 1), &from, &from_ref, &from_offset) ||
        !ptx_source(decoder, ptx_operand_of(decoder, 2), EXECUTE_u32, &bytes) ||
        (in && !ptx_decode_address_of(decoder, ptx_operand_of(decoder, 3), &barrier, &barrier_ref, &barrier_offset)))
        return false;
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_COPY_BULK);
    op->access = (struct execute_access_form){.space = to.space, .count = 1, .type = EXECUTE_b128, .slot = 16};
    op->access.wide_address = to.wide_address;
    op->access.bypass = from.wide_address; /* of the source address */
    op->access.framed = barrier.wide_address;
    op->variant = in;
    op->a = to_ref;
    op->b = from_ref;
    op->c = bytes;
    op->immediate = to_offset;
    op->flags = (uint8_t)(EXECUTE_OP_READS_C | (to_ref != EXECUTE_NO_REF ? EXECUTE_OP_READS_A : 0) |
                          (from_ref != EXECUTE_NO_REF ? EXECUTE_OP_READS_B : 0));
    uint64_t *wide = mnp_array_add(&decoder->code->wide, 3, 8);
    wide[0] = (uint64_t)from_offset;
    wide[1] = (uint64_t)barrier_offset;
    wide[2] = barrier_ref == EXECUTE_NO_REF;
    op->target = decoder->code->wide.count - 3;
    if (barrier_ref != EXECUTE_NO_REF) {
        op->list_sources = 1;
        ptx_list_add(decoder, barrier_ref);
    }
    return ptx_all_taken(decoder);
}

/* cp.async.{ca,cg}.shared.global [to], [from], bytes{, from bytes}; .commit_group, .wait_group N, .wait_all; and what
 * has .bulk or .mbarrier */
bool ptx_decode_copy(struct ptx_decoder *decoder)
{
    if (!ptx_take_word(decoder, "async"))
        return ptx_decode_fail(decoder, "this copy is not supported");
    bool bulk = ptx_take_word(decoder, "bulk");
    if (bulk && ptx_take_word(decoder, "prefetch"))
        return ptx_decode_hint(decoder);
    if (ptx_has_word(decoder, "mbarrier"))
        return ptx_decode_copy_arrive(decoder);
    if (bulk)
        ptx_take_word(decoder, "read"); /* .wait_group.read */
    if (ptx_take_word(decoder, "commit_group") || ptx_take_word(decoder, "wait_group") ||
        ptx_take_word(decoder, "wait_all")) {
        ptx_emit(decoder, EXECUTE_KIND_NOTHING);
        return ptx_all_taken(decoder);
    }
    if (bulk)
        return decode_bulk(decoder);
    bool all = ptx_take_word(decoder, "ca") || ptx_take_word(decoder, "cg");
    struct execute_access_form to = {.space = EXECUTE_SPACE_SHARED, .count = 1, .slot = 4},
                               from = {.space = EXECUTE_SPACE_GLOBAL};
    all = all && (ptx_take_word(decoder, "shared") || ptx_take_word(decoder, "shared::cta")) &&
          ptx_take_word(decoder, "global");
    ptx_take_hints(decoder);
    bool policy = ptx_take_word(decoder, "L2::cache_hint");
    uint32_t to_ref, from_ref, size_ref = EXECUTE_NO_REF;
    int64_t to_offset, from_offset;
    uint64_t bytes;
    if (!all)
        return ptx_decode_fail(decoder, "its form is cp.async.ca.shared.global or cp.async.cg.shared.global");
    if (!ptx_all_taken(decoder) || !ptx_operand_count_is(decoder, 3, 4 + policy) ||
        !ptx_decode_address_of(decoder, ptx_operand_of(decoder, 0), &to, &to_ref, &to_offset) ||
        !ptx_decode_address_of(decoder, ptx_operand_of(decoder, 1), &from, &from_ref, &from_offset) ||
        !ptx_immediate(decoder, ptx_operand_of(decoder, 2), &bytes))
        return false;
    if (bytes != 4 && bytes != 8 && bytes != 16)
        return ptx_decode_fail(decoder, "it copies 4, 8 or 16 bytes");
    if (decoder->statement->operand_count == 4u + policy &&
        !ptx_source(decoder, ptx_operand_of(decoder, 3), EXECUTE_u32, &size_ref))
        return false;
    struct execute_op *op = ptx_emit_access(decoder, EXECUTE_KIND_COPY_ASYNC, &to, to_ref, to_offset);
    op->access.type = (uint8_t)bytes;      /* the number of bytes, not a type */
    op->access.bypass = from.wide_address; /* of the source address */
    op->b = from_ref;
    op->c = size_ref;
    op->flags |= (uint8_t)((from_ref != EXECUTE_NO_REF ? EXECUTE_OP_READS_B : 0) |
                           (size_ref != EXECUTE_NO_REF ? EXECUTE_OP_READS_C : 0));
    *(uint64_t *)mnp_array_add(&decoder->code->wide, 1, 8) = (uint64_t)from_offset;
    op->target = decoder->code->wide.count - 1;
    return true;
}
