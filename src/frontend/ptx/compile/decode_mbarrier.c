/* SPDX-License-Identifier: BSD-3-Clause */
/* mbarrier, and cp.async.mbarrier.arrive (ISA 9.0, parallel synchronization). */
#include "frontend/ptx/compile/decode.h"

static void take_qualifiers(struct ptx_decoder *decoder, struct execute_access_form *form)
{
    static const char *const words[] = {"release", "acquire", "relaxed", "cta", "cluster"};
    enum execute_space space = EXECUTE_SPACE_GENERIC;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        ptx_take_word(decoder, words[i]);
    ptx_take_space(decoder, &space);
    form->space = (uint8_t)space;
    form->count = 1;
    form->slot = 8;
    form->type = EXECUTE_b64;
}

static struct execute_op *emit(struct ptx_decoder *decoder, enum execute_mbarrier operation,
                               const struct execute_access_form *form, uint32_t address, int64_t offset)
{
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_MBARRIER);
    op->access = *form;
    op->variant = (uint8_t)operation;
    op->a = address;
    op->immediate = offset;
    op->flags = address != EXECUTE_NO_REF ? EXECUTE_OP_READS_A : 0;
    return op;
}

/* [address], number */
static bool decode_number(struct ptx_decoder *decoder, enum execute_mbarrier operation,
                          struct execute_access_form *form)
{
    uint32_t address, number;
    int64_t offset;
    if (!ptx_operand_count_is(decoder, 2, 2) ||
        !ptx_decode_address_of(decoder, ptx_operand_of(decoder, 0), form, &address, &offset) ||
        !ptx_source(decoder, ptx_operand_of(decoder, 1), EXECUTE_u32, &number))
        return false;
    struct execute_op *op = emit(decoder, operation, form, address, offset);
    op->b = number;
    op->flags |= EXECUTE_OP_READS_B;
    return ptx_all_taken(decoder);
}

/* {state,} [address]{, count or bytes} */
static bool decode_arrive(struct ptx_decoder *decoder, enum execute_mbarrier operation,
                          struct execute_access_form *form)
{
    bool expect = ptx_take_word(decoder, "expect_tx");
    ptx_take_word(decoder, "noComplete");
    const struct ptx_operand *first = ptx_operand_of(decoder, 0);
    uint32_t next = first && !first->memory ? 1 : 0, address, number, state = EXECUTE_NO_REF;
    int64_t offset;
    bool stated = decoder->statement->operand_count > next + 1;
    if (!next && !ptx_word_is(&decoder->words[0], "cp"))
        return ptx_decode_fail(decoder, "a register for the state stands in front of the address, or _");
    if (!ptx_operand_count_is(decoder, next + 1 + expect, next + 2))
        return false;
    if (next && first->kind != PTX_OPERAND_SINK && !ptx_destination(decoder, first, EXECUTE_b64, &state))
        return false;
    if (!ptx_decode_address_of(decoder, ptx_operand_of(decoder, next), form, &address, &offset))
        return false;
    if (!stated)
        number = ptx_constant(decoder, PTX_CLASS_SMALL, 1);
    else if (!ptx_source(decoder, ptx_operand_of(decoder, next + 1), EXECUTE_u32, &number))
        return false;
    struct execute_op *op = emit(decoder, operation, form, address, offset);
    op->combine = expect;
    op->b = number;
    op->flags |= EXECUTE_OP_READS_B;
    if (state != EXECUTE_NO_REF) {
        op->d = state;
        op->size = 8;
        op->flags |= EXECUTE_OP_WRITES_D;
    }
    return ptx_all_taken(decoder);
}

/* predicate, [address], state or parity{, time to wait} */
static bool decode_wait(struct ptx_decoder *decoder, struct execute_access_form *form, bool may_wait)
{
    bool parity = ptx_take_word(decoder, "parity");
    uint32_t address, phase, p;
    int64_t offset;
    if (!ptx_operand_count_is(decoder, 3, 4) ||
        !ptx_destination(decoder, ptx_operand_of(decoder, 0), EXECUTE_pred, &p) ||
        !ptx_decode_address_of(decoder, ptx_operand_of(decoder, 1), form, &address, &offset) ||
        !ptx_source(decoder, ptx_operand_of(decoder, 2), parity ? EXECUTE_u32 : EXECUTE_b64, &phase))
        return false;
    struct execute_op *op =
        emit(decoder, parity ? EXECUTE_MBARRIER_WAIT_PARITY : EXECUTE_MBARRIER_WAIT_STATE, form, address, offset);
    op->combine = may_wait;
    op->b = phase;
    op->d = p;
    op->flags |= EXECUTE_OP_READS_B | EXECUTE_OP_WRITES_D;
    return ptx_all_taken(decoder);
}

static bool decode_pending(struct ptx_decoder *decoder, struct execute_access_form *form)
{
    uint32_t d, state;
    if (!ptx_operand_count_is(decoder, 2, 2) ||
        !ptx_destination(decoder, ptx_operand_of(decoder, 0), EXECUTE_u32, &d) ||
        !ptx_source(decoder, ptx_operand_of(decoder, 1), EXECUTE_b64, &state))
        return false;
    struct execute_op *op = emit(decoder, EXECUTE_MBARRIER_PENDING, form, EXECUTE_NO_REF, 0);
    op->b = state;
    op->d = d;
    op->size = 4;
    op->flags = EXECUTE_OP_READS_B | EXECUTE_OP_WRITES_D;
    return ptx_all_taken(decoder);
}

/* [address], for which nothing is done. */
static bool decode_nothing(struct ptx_decoder *decoder, struct execute_access_form *form)
{
    uint32_t address;
    int64_t offset;
    if (!ptx_operand_count_is(decoder, 1, 1) ||
        !ptx_decode_address_of(decoder, ptx_operand_of(decoder, 0), form, &address, &offset))
        return false;
    ptx_emit(decoder, EXECUTE_KIND_NOTHING);
    return ptx_all_taken(decoder);
}

bool ptx_decode_mbarrier(struct ptx_decoder *decoder)
{
    struct execute_access_form form = {0};
    take_qualifiers(decoder, &form);
    if (decoder->type_count != 1 || decoder->types[0] != EXECUTE_b64)
        return ptx_decode_fail(decoder, "its type is .b64");
    if (ptx_take_word(decoder, "init"))
        return decode_number(decoder, EXECUTE_MBARRIER_INIT, &form);
    if (ptx_take_word(decoder, "arrive"))
        return decode_arrive(decoder, EXECUTE_MBARRIER_ARRIVE, &form);
    if (ptx_take_word(decoder, "arrive_drop"))
        return decode_arrive(decoder, EXECUTE_MBARRIER_ARRIVE_DROP, &form);
    if (ptx_take_word(decoder, "test_wait"))
        return decode_wait(decoder, &form, false);
    if (ptx_take_word(decoder, "try_wait"))
        return decode_wait(decoder, &form, true);
    if (ptx_take_word(decoder, "expect_tx"))
        return decode_number(decoder, EXECUTE_MBARRIER_EXPECT, &form);
    if (ptx_take_word(decoder, "complete_tx"))
        return decode_number(decoder, EXECUTE_MBARRIER_COMPLETE, &form);
    if (ptx_take_word(decoder, "pending_count"))
        return decode_pending(decoder, &form);
    if (!ptx_take_word(decoder, "inval"))
        return ptx_decode_fail(decoder, "there is no such operation on an mbarrier");
    return decode_nothing(decoder, &form);
}

/* Without .noinc, the phase expects one byte more until the copies have landed, as in code of ptxas for sm_90. */
bool ptx_decode_copy_arrive(struct ptx_decoder *decoder)
{
    struct execute_access_form form = {0};
    bool plain = !ptx_take_word(decoder, "noinc");
    ptx_take_word(decoder, "mbarrier");
    ptx_take_word(decoder, "arrive");
    take_qualifiers(decoder, &form);
    struct execute_access_form landed = form;
    landed.landed = true;
    if (!ptx_operand_count_is(decoder, 1, 1))
        return false;
    if (!plain)
        return decode_arrive(decoder, EXECUTE_MBARRIER_ARRIVE, &landed);
    return decode_arrive(decoder, EXECUTE_MBARRIER_EXPECT, &form) &&
           decode_arrive(decoder, EXECUTE_MBARRIER_COMPLETE, &landed);
}
