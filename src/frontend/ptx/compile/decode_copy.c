/* SPDX-License-Identifier: BSD-3-Clause */
/* cp.async (ISA 9.0, data movement). */
#include "frontend/ptx/compile/decode.h"

/* cp.async.bulk.commit_group, .wait_group{.read} N: groups of copies. */
static bool decode_bulk_group(struct ptx_decoder *decoder)
{
    bool commit = ptx_take_word(decoder, "commit_group"), read = !commit && ptx_take_word(decoder, "read");
    uint64_t most = 0;
    if (!ptx_operand_count_is(decoder, !commit, !commit) ||
        (!commit &&
         !(ptx_take_word(decoder, "wait_group") && ptx_immediate(decoder, ptx_operand_of(decoder, 0), &most))))
        return ptx_decode_fail(decoder, "of bulk copies there are .commit_group and .wait_group{.read} N");
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_ASYNC_GROUP);
    op->variant = commit ? EXECUTE_GROUP_COPIES_COMMIT
                  : read ? EXECUTE_GROUP_COPIES_WAIT_READ
                         : EXECUTE_GROUP_COPIES_WAIT;
    op->immediate = (int64_t)most;
    return ptx_all_taken(decoder);
}

/* cp.async.commit_group, .wait_all, .wait_group N. The copies' values are available immediately; timing models wait for
 * them. wait_all also closes the open group, like ptxas. */
static bool decode_group(struct ptx_decoder *decoder)
{
    uint64_t most = 0;
    uint32_t count = ptx_take_word(decoder, "wait_group");
    bool commit = !count && ptx_take_word(decoder, "commit_group");
    bool all = !count && !commit && ptx_take_word(decoder, "wait_all");
    if (!ptx_all_taken(decoder) || !ptx_operand_count_is(decoder, count, count) ||
        (count && !ptx_immediate(decoder, ptx_operand_of(decoder, 0), &most)))
        return false;
    if (commit || all)
        ptx_emit(decoder, EXECUTE_KIND_ASYNC_GROUP)->variant = EXECUTE_GROUP_LANES_COMMIT;
    if (commit)
        return true;
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_ASYNC_GROUP);
    op->variant = EXECUTE_GROUP_LANES_WAIT;
    op->immediate = (int64_t)most;
    return true;
}

/* cp.async.{ca,cg}.shared.global [to], [from], bytes{, source bytes, or an ignore-source predicate}; .commit_group,
 * .wait_group N, .wait_all; and the forms with .bulk or .mbarrier */
bool ptx_decode_copy(struct ptx_decoder *decoder)
{
    if (ptx_has_word(decoder, "reduce"))
        return ptx_decode_tensor_copy(decoder);
    if (!ptx_take_word(decoder, "async"))
        return ptx_decode_fail(decoder, "this copy is not supported");
    bool bulk = ptx_take_word(decoder, "bulk");
    if (bulk && (ptx_has_word(decoder, "commit_group") || ptx_has_word(decoder, "wait_group")))
        return decode_bulk_group(decoder);
    if (bulk)
        return ptx_decode_tensor_copy(decoder);
    if (ptx_has_word(decoder, "mbarrier"))
        return ptx_decode_copy_arrive(decoder);
    if (ptx_has_word(decoder, "commit_group") || ptx_has_word(decoder, "wait_group") ||
        ptx_has_word(decoder, "wait_all"))
        return decode_group(decoder);
    bool all = ptx_take_word(decoder, "ca") || ptx_take_word(decoder, "cg");
    struct execute_access_form to = {.space = EXECUTE_SPACE_SHARED, .count = 1, .slot = 4},
                               from = {.space = EXECUTE_SPACE_GLOBAL};
    all = all && (ptx_take_word(decoder, "shared") || ptx_take_word(decoder, "shared::cta")) &&
          ptx_take_word(decoder, "global");
    ptx_take_hints(decoder);
    bool policy = ptx_take_word(decoder, "L2::cache_hint");
    uint32_t to_ref, from_ref, size_ref = EXECUTE_NO_REF;
    const struct ptx_operand *last = ptx_operand_of(decoder, 3);
    bool ignores = last && (last->negated || ptx_register_type(decoder, last) == EXECUTE_pred);
    int64_t to_offset, from_offset;
    uint64_t bytes;
    if (!all)
        return ptx_decode_fail(decoder, "its form is cp.async.ca.shared.global or cp.async.cg.shared.global");
    if (!ptx_all_taken(decoder) || !ptx_operand_count_is(decoder, 3, 4 + policy) ||
        !ptx_decode_address_of(decoder, ptx_operand_of(decoder, 0), &to, &to_ref, &to_offset) ||
        !ptx_decode_address_of(decoder, ptx_operand_of(decoder, 1), &from, &from_ref, &from_offset) ||
        !ptx_immediate(decoder, ptx_operand_of(decoder, 2), &bytes))
        return false;
    if (ignores && !ptx_needs(decoder, 80, 75, "with a predicate "))
        return false;
    if (bytes != 4 && bytes != 8 && bytes != 16)
        return ptx_decode_fail(decoder, "it copies 4, 8 or 16 bytes");
    if (decoder->statement->operand_count == 4u + policy &&
        !(ignores ? ptx_predicate(decoder, last, &size_ref) : ptx_source(decoder, last, EXECUTE_u32, &size_ref)))
        return false;
    struct execute_op *op = ptx_emit_access(decoder, EXECUTE_KIND_COPY_ASYNC, &to, to_ref, to_offset);
    op->access.type = (uint8_t)bytes;      /* the number of bytes, not a type */
    op->access.bypass = from.wide_address; /* width of the source address */
    op->b = from_ref;
    op->c = size_ref;
    op->variant = ignores ? EXECUTE_COPY_PREDICATE : 0; /* the source is read where it does not hold */
    op->flags |= (uint8_t)((from_ref != EXECUTE_NO_REF ? EXECUTE_OP_READS_B : 0) |
                           (size_ref != EXECUTE_NO_REF ? EXECUTE_OP_READS_C : 0) |
                           (ignores && !last->negated ? EXECUTE_OP_FLIP_C : 0));
    *(uint64_t *)mnp_array_add(&decoder->code->wide, 1, 8) = (uint64_t)from_offset;
    op->target = decoder->code->wide.count - 1;
    return true;
}
