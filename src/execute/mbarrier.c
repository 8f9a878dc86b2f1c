/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mbarrier objects in shared memory (PTX ISA, mbarrier), and the copies that end with one. A phase is complete when the
 * arrivals that it expects have come and no bytes are outstanding; the next one then begins by itself. Copies are
 * performed at once, so that what completes them does so at once too.
 *
 * The object is opaque to programs. Here: bits 0 … 19 arrivals still to come, 20 … 39 arrivals of each phase, 40 … 62
 * bytes outstanding (two's complement: they may be completed before they are expected), 63 the phase's parity.
 */
#include "execute/warp.h"
#include "frontend/ptx/compile/decode.h"

#include <string.h>

enum operation { INIT, ARRIVE, ARRIVE_DROP, EXPECT, COMPLETE, WAIT_STATE, WAIT_PARITY, PENDING };

enum { COUNT_BITS = 20, BYTES_BITS = 23, CHUNK = 16 };

#define COUNT_MASK ((UINT64_C(1) << COUNT_BITS) - 1)
#define BYTES_MASK ((UINT64_C(1) << BYTES_BITS) - 1)

/* ===== decoding ===== */

static void take_qualifiers(struct ptx_decoder *decoder, struct execute_access_form *form)
{
    static const char *const words[] = {"release", "acquire", "relaxed", "cta", "cluster"};
    enum execute_space space = EXECUTE_SPACE_GENERIC;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        ptx_take_word(decoder, words[i]);
    if (ptx_take_word(decoder, "shared::cluster")) /* a cluster is of one CTA */
        space = EXECUTE_SPACE_SHARED;
    else
        ptx_take_space(decoder, &space);
    form->space = (uint8_t)space;
    form->count = 1;
    form->slot = 8;
    form->type = EXECUTE_b64;
}

static struct execute_op *emit(struct ptx_decoder *decoder, enum operation operation,
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
static bool decode_number(struct ptx_decoder *decoder, enum operation operation, struct execute_access_form *form)
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
static bool decode_arrive(struct ptx_decoder *decoder, enum operation operation, struct execute_access_form *form)
{
    bool expect = ptx_take_word(decoder, "expect_tx");
    ptx_take_word(decoder, "noComplete");
    const struct ptx_operand *first = ptx_operand_of(decoder, 0);
    uint32_t next = first && !first->memory ? 1 : 0, address, number, state = EXECUTE_NO_REF;
    int64_t offset;
    bool stated = decoder->statement->operand_count > next + 1;
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
static bool decode_wait(struct ptx_decoder *decoder, struct execute_access_form *form)
{
    bool parity = ptx_take_word(decoder, "parity");
    uint32_t address, phase, p;
    int64_t offset;
    if (!ptx_operand_count_is(decoder, 3, 4) ||
        !ptx_destination(decoder, ptx_operand_of(decoder, 0), EXECUTE_pred, &p) ||
        !ptx_decode_address_of(decoder, ptx_operand_of(decoder, 1), form, &address, &offset) ||
        !ptx_source(decoder, ptx_operand_of(decoder, 2), parity ? EXECUTE_u32 : EXECUTE_b64, &phase))
        return false;
    struct execute_op *op = emit(decoder, parity ? WAIT_PARITY : WAIT_STATE, form, address, offset);
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
    struct execute_op *op = emit(decoder, PENDING, form, EXECUTE_NO_REF, 0);
    op->b = state;
    op->d = d;
    op->size = 4;
    op->flags = EXECUTE_OP_READS_B | EXECUTE_OP_WRITES_D;
    return ptx_all_taken(decoder);
}

bool ptx_decode_mbarrier(struct ptx_decoder *decoder)
{
    struct execute_access_form form = {0};
    take_qualifiers(decoder, &form);
    if (decoder->type_count != 1 || decoder->types[0] != EXECUTE_b64)
        return ptx_decode_fail(decoder, "its type is .b64");
    if (ptx_take_word(decoder, "init"))
        return decode_number(decoder, INIT, &form);
    if (ptx_take_word(decoder, "arrive"))
        return decode_arrive(decoder, ARRIVE, &form);
    if (ptx_take_word(decoder, "arrive_drop"))
        return decode_arrive(decoder, ARRIVE_DROP, &form);
    if (ptx_take_word(decoder, "test_wait") || ptx_take_word(decoder, "try_wait"))
        return decode_wait(decoder, &form);
    if (ptx_take_word(decoder, "expect_tx"))
        return decode_number(decoder, EXPECT, &form);
    if (ptx_take_word(decoder, "complete_tx"))
        return decode_number(decoder, COMPLETE, &form);
    if (ptx_take_word(decoder, "pending_count"))
        return decode_pending(decoder, &form);
    if (!ptx_take_word(decoder, "inval"))
        return ptx_decode_fail(decoder, "there is no such operation on an mbarrier");
    ptx_emit(decoder, EXECUTE_KIND_NOTHING);
    return ptx_all_taken(decoder);
}

bool ptx_decode_copy_arrive(struct ptx_decoder *decoder)
{
    struct execute_access_form form = {0};
    bool plain = !ptx_take_word(decoder, "noinc");
    ptx_take_word(decoder, "mbarrier");
    ptx_take_word(decoder, "arrive");
    take_qualifiers(decoder, &form);
    if (!plain)
        return decode_arrive(decoder, ARRIVE, &form);
    ptx_emit(decoder,
             EXECUTE_KIND_NOTHING); /* one more arrival is expected, and comes: the copies have been performed */
    return ptx_all_taken(decoder);
}

/* cp.async.bulk.TO.FROM.{mbarrier::complete_tx::bytes,bulk_group} [to], [from], bytes{, [mbarrier]} */
bool ptx_decode_copy_bulk(struct ptx_decoder *decoder)
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

/* ===== execution ===== */

static uint64_t make(bool parity, int64_t bytes, uint64_t each, uint64_t pending)
{
    return (uint64_t)parity << 63 | ((uint64_t)bytes & BYTES_MASK) << 2 * COUNT_BITS |
           (each & COUNT_MASK) << COUNT_BITS | (pending & COUNT_MASK);
}

/* An object after `arrivals`, of which `drop` leave every later phase too, and a change of the bytes outstanding. */
static uint64_t change(uint64_t object, uint64_t arrivals, bool drop, int64_t more)
{
    uint64_t pending = object & COUNT_MASK, each = object >> COUNT_BITS & COUNT_MASK;
    int64_t bytes = (int64_t)(object << 1) >> (64 - BYTES_BITS);
    bool parity = object >> 63;
    bytes += more;
    pending -= arrivals;
    each -= drop ? arrivals : 0;
    if ((pending & COUNT_MASK) == 0 && bytes == 0) {
        pending = each;
        parity = !parity;
    }
    return make(parity, bytes, each, pending);
}

static uint64_t next_of(const struct execute_op *op, uint64_t object, uint32_t number)
{
    switch (op->variant) {
    case INIT:
        return make(false, 0, number, number);
    case EXPECT: /* alone, it ends no phase */
        return make(object >> 63, ((int64_t)(object << 1) >> (64 - BYTES_BITS)) + number, object >> COUNT_BITS, object);
    case COMPLETE:
        return change(object, 0, false, -(int64_t)number);
    case ARRIVE:
    case ARRIVE_DROP:
        return op->combine ? change(object, 1, op->variant == ARRIVE_DROP, number)
                           : change(object, number, op->variant == ARRIVE_DROP, 0);
    default:
        return object;
    }
}

static bool access_one(struct execute_warp *warp, enum execute_space space, bool write, uint32_t lane,
                       const uint64_t *addresses, uint64_t *object)
{
    return execute_access(warp, space, write, 1u << lane, addresses, sizeof *object, object, 0);
}

void execute_step_mbarrier(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    uint64_t addresses[32], states[32] = {0};
    uint32_t done = 0, counts[32] = {0};
    enum execute_space space = (enum execute_space)op->access.space;
    bool by_state = op->variant == WAIT_STATE || op->variant == PENDING;
    bool wait = op->variant == WAIT_STATE || op->variant == WAIT_PARITY;
    const void *given = execute_at(warp, op->b);
    if (op->variant != PENDING)
        execute_addresses(warp, op->a, op->access.wide_address, op->immediate, addresses);
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t value = by_state ? ((const uint64_t *)given)[lane] : ((const uint32_t *)given)[lane], object = 0;
        counts[lane] = (uint32_t)(value & COUNT_MASK);
        if (op->variant == PENDING)
            continue;
        if (op->variant != INIT && !access_one(warp, space, false, lane, addresses, &object))
            return;
        states[lane] = object;
        if (wait) {
            bool phase = op->variant == WAIT_PARITY ? value & 1 : value >> 63;
            done |= (uint32_t)((object >> 63) != phase) << lane;
            continue;
        }
        object = next_of(op, object, (uint32_t)value);
        if (!access_one(warp, space, true, lane, addresses, &object))
            return;
    }
    warp->polled |= wait;
    warp->changed |= !wait;
    if (wait)
        execute_set_mask(warp, op->d, lanes, done);
    else if (op->flags & EXECUTE_OP_WRITES_D)
        execute_blend(execute_to(warp, op->d), op->variant == PENDING ? (const void *)counts : states, op->size, lanes);
}

/* One lane's copy: sixteen bytes at a time, 32 of these together, for which lanes stand. False: a fault. */
static bool copy_lane(struct execute_warp *warp, bool in, uint64_t to, uint64_t from, uint32_t bytes)
{
    enum execute_space source = in ? EXECUTE_SPACE_GLOBAL : EXECUTE_SPACE_SHARED,
                       target = in ? EXECUTE_SPACE_SHARED : EXECUTE_SPACE_GLOBAL;
    for (uint32_t done = 0; done < bytes; done += 32 * CHUNK) {
        _Alignas(64) unsigned char data[32 * CHUNK];
        uint64_t sources[32], targets[32];
        uint32_t count = (bytes - done) / CHUNK < 32 ? (bytes - done) / CHUNK : 32;
        uint32_t mask = count == 32 ? EXECUTE_ALL_LANES : (1u << count) - 1;
        for (uint32_t i = 0; i < 32; i++) {
            sources[i] = from + done + (i < count ? i * CHUNK : 0);
            targets[i] = to + done + (i < count ? i * CHUNK : 0);
        }
        if (!execute_access(warp, source, false, mask, sources, CHUNK, data, CHUNK) ||
            !execute_access(warp, target, true, mask, targets, CHUNK, data, CHUNK))
            return false;
    }
    return true;
}

void execute_step_copy_bulk(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    const uint64_t *wide = (const uint64_t *)warp->launch->code->wide.items + op->target;
    const uint32_t *list = (const uint32_t *)warp->launch->code->list.items + op->list;
    uint64_t to[32], from[32], barriers[32];
    const uint32_t *bytes = execute_at(warp, op->c);
    execute_addresses(warp, op->a, op->access.wide_address, op->immediate, to);
    execute_addresses(warp, op->b, op->access.bypass, (int64_t)wide[0], from);
    execute_addresses(warp, wide[2] ? EXECUTE_NO_REF : list[0], op->access.framed, (int64_t)wide[1], barriers);
    struct execute_record *record = warp->record;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t object;
        if (bytes[lane] % CHUNK) {
            execute_fault(warp, EXECUTE_FAULT_MISALIGNED, lane, bytes[lane]);
            return;
        }
        warp->record = NULL;
        bool good = copy_lane(warp, op->variant, to[lane], from[lane], bytes[lane]);
        if (good && op->variant && (good = access_one(warp, EXECUTE_SPACE_SHARED, false, lane, barriers, &object))) {
            object = change(object, 0, false, -(int64_t)bytes[lane]);
            good = access_one(warp, EXECUTE_SPACE_SHARED, true, lane, barriers, &object);
        }
        warp->record = record;
        if (!good)
            return;
    }
    warp->changed = true;
    if (!record)
        return;
    record->space = EXECUTE_SPACE_GLOBAL; /* the first line of each copy stands for it in the models of time */
    record->bytes = CHUNK;
    memcpy(record->addresses, op->variant ? from : to, sizeof record->addresses);
}
