/* SPDX-License-Identifier: BSD-3-Clause */
/* Instructions outside the interpreter's own switch: all forms of loads and stores, exclusives, branches, status. */
#include "manycore/core/access.h"

MNP_APART enum a32_result manycore_exchange(struct manycore_core *core, uint32_t target)
{
    if (target & 1)
        return manycore_fault(core, MANYCORE_FAULT_THUMB, target & ~1u);
    core->r[15] = target & ~3u;
    return A32_BRANCHED;
}

MNP_DEVICE static uint32_t extend(uint32_t value, uint32_t flags)
{
    if (!(flags & A32_SIGNED))
        return value;
    return flags & A32_BYTE ? (uint32_t)(int8_t)value : (uint32_t)(int16_t)value;
}

MNP_DEVICE static uint32_t size_of(uint32_t flags)
{
    return flags & A32_BYTE ? 1 : flags & A32_HALF ? 2 : 4;
}

/* A load or store of any form; registers change once all accesses are done. */
MNP_DEVICE static enum a32_result transfer(struct manycore_core *core, const struct manycore_place *place,
                                           const struct a32_op *op)
{
    uint32_t *r = core->r, carry = core->flags.c, value[2] = {0, 0};
    uint32_t offset =
        op->flags & A32_OFFSET_REGISTER
            ? (op->flags & (A32_HALF | A32_DOUBLE | A32_SIGNED) ? r[op->m] : a32_shift(r[op->m], op->shift, &carry))
            : op->value;
    uint32_t moved = op->flags & A32_UP ? r[op->n] + offset : r[op->n] - offset;
    uint32_t address = op->flags & A32_PRE ? moved : r[op->n], count = op->flags & A32_DOUBLE ? 2 : 1;
    if (count == 2 && (address & 3)) /* the manual (ARMv6, U = 1) asks for no more than words */
        return manycore_fault(core, MANYCORE_FAULT_MISALIGNED, address);
    for (uint32_t i = 0; i < count; i++) {
        enum a32_result result = op->flags & A32_LOAD
                                     ? manycore_load(core, place, address + 4 * i, size_of(op->flags), &value[i])
                                     : manycore_store(core, place, address + 4 * i, size_of(op->flags), r[op->d + i]);
        if (result != A32_NEXT)
            return result;
    }
    core->clock += count - 1;
    if (op->flags & A32_WRITE_BACK)
        r[op->n] = moved;
    if (!(op->flags & A32_LOAD))
        return A32_NEXT;
    if (op->d == 15)
        return manycore_exchange(core, value[0]);
    core->loaded = (count == 2 ? 3u : 1u) << op->d;
    r[op->d] = extend(value[0], op->flags);
    if (count == 2)
        r[op->d + 1] = value[1];
    return A32_NEXT;
}

/* LDM and STM: the lowest register at the lowest address. */
MNP_DEVICE static enum a32_result transfer_block(struct manycore_core *core, const struct manycore_place *place,
                                                 const struct a32_op *op)
{
    uint32_t *r = core->r, value[16], count = (uint32_t)__builtin_popcount(op->value), base = r[op->n];
    uint32_t moved = op->flags & A32_UP ? base + 4 * count : base - 4 * count;
    uint32_t address = op->flags & A32_UP ? base : moved;
    address += (op->flags & A32_PRE ? 4 : 0) * (op->flags & A32_UP ? 1 : 0);
    address += !(op->flags & A32_PRE) && !(op->flags & A32_UP) ? 4 : 0;
    for (uint32_t list = op->value; list; list &= list - 1, address += 4) {
        uint32_t reg = (uint32_t)__builtin_ctz(list);
        enum a32_result result = op->flags & A32_LOAD ? manycore_load(core, place, address, 4, &value[reg])
                                                      : manycore_store(core, place, address, 4, r[reg]);
        if (result != A32_NEXT)
            return result;
    }
    core->clock += count - 1;
    if (op->flags & A32_WRITE_BACK)
        r[op->n] = moved;
    if (!(op->flags & A32_LOAD))
        return A32_NEXT;
    for (uint32_t list = op->value & 0x7FFF; list; list &= list - 1)
        r[__builtin_ctz(list)] = value[__builtin_ctz(list)];
    core->loaded = op->value & 0x7FFF;
    return op->value >> 15 ? manycore_exchange(core, value[15]) : A32_NEXT;
}

MNP_DEVICE static enum a32_result swap(struct manycore_core *core, const struct manycore_place *place,
                                       const struct a32_op *op)
{
    uint32_t address = core->r[op->n], bytes = size_of(op->flags), old, ignored = core->r[op->m];
    enum a32_result result;
    if (manycore_is_shared(place, address)) {
        struct manycore_request request = {
            .address = address, .data = ignored, .action = MANYCORE_SWAP, .bytes = (uint8_t)bytes};
        result = address & (bytes - 1) ? manycore_fault(core, MANYCORE_FAULT_MISALIGNED, address)
                                       : manycore_ask(core, place, &request, &old);
    } else {
        result = manycore_load(core, place, address, bytes, &old);
        if (result == A32_NEXT)
            result = manycore_store(core, place, address, bytes, ignored);
    }
    if (result == A32_NEXT)
        core->r[op->d] = old;
    return result;
}

/* LDREX and its sizes. Shared doublewords would be two accesses, which are not exclusive together. */
MNP_DEVICE static enum a32_result load_exclusive(struct manycore_core *core, const struct manycore_place *place,
                                                 const struct a32_op *op)
{
    uint32_t address = core->r[op->n], bytes = size_of(op->flags), value[2] = {0, 0};
    bool both = op->flags & A32_DOUBLE;
    enum a32_result result;
    if (address & (both ? 7 : bytes - 1))
        return manycore_fault(core, MANYCORE_FAULT_MISALIGNED, address);
    if (manycore_is_shared(place, address)) {
        struct manycore_request request = {
            .address = address, .action = MANYCORE_READ_EXCLUSIVE, .bytes = (uint8_t)bytes};
        result = both ? manycore_fault(core, MANYCORE_FAULT_UNDEFINED, address)
                      : manycore_ask(core, place, &request, &value[0]);
    } else {
        result = manycore_load(core, place, address, bytes, &value[0]);
        if (result == A32_NEXT && both)
            result = manycore_load(core, place, address + 4, 4, &value[1]);
    }
    if (result != A32_NEXT)
        return result;
    core->r[op->d] = value[0];
    if (both)
        core->r[op->d + 1] = value[1];
    core->watched = address;
    core->watches = 1;
    return A32_NEXT;
}

MNP_DEVICE static enum a32_result store_exclusive(struct manycore_core *core, const struct manycore_place *place,
                                                  const struct a32_op *op)
{
    uint32_t address = core->r[op->n], bytes = size_of(op->flags), failed = 0;
    bool both = op->flags & A32_DOUBLE;
    enum a32_result result = A32_NEXT;
    if (address & (both ? 7 : bytes - 1))
        return manycore_fault(core, MANYCORE_FAULT_MISALIGNED, address);
    if (!core->watches || core->watched != address) {
        failed = 1;
    } else if (manycore_is_shared(place, address)) {
        struct manycore_request request = {.address = address,
                                           .data = core->r[op->m],
                                           .version = core->version,
                                           .action = MANYCORE_WRITE_EXCLUSIVE,
                                           .bytes = (uint8_t)bytes,
                                           .mark = core->mark};
        result = both ? manycore_fault(core, MANYCORE_FAULT_UNDEFINED, address)
                      : manycore_ask(core, place, &request, &failed);
    } else {
        result = manycore_store(core, place, address, bytes, core->r[op->m]);
        if (result == A32_NEXT && both)
            result = manycore_store(core, place, address + 4, 4, core->r[op->m + 1]);
    }
    if (result != A32_NEXT)
        return result;
    core->watches = 0;
    core->r[op->d] = failed;
    return A32_NEXT;
}

/* ===== status and coprocessor 15 ===== */

MNP_DEVICE static uint32_t read_status(const struct manycore_core *core)
{
    return (core->flags.n & 0x80000000) | (core->flags.z == 0) << 30 | core->flags.c << 29 | core->flags.v << 28 |
           core->q << 27 | core->ge << 16 | 0x10;
}

MNP_DEVICE static enum a32_result write_status(struct manycore_core *core, uint32_t fields, uint32_t value)
{
    if (fields & 8) {
        core->flags.n = value & 0x80000000;
        core->flags.z = !(value >> 30 & 1);
        core->flags.c = value >> 29 & 1;
        core->flags.v = value >> 28 & 1;
        core->q = value >> 27 & 1;
    }
    if (fields & 4)
        core->ge = value >> 16 & 15;
    if ((fields & 2) && (value >> 9 & 1))
        return manycore_fault(core, MANYCORE_FAULT_BIG_ENDIAN, 0);
    return A32_NEXT;
}

/* The part of CP15 that user mode can access: the cycle counter, the thread registers, and barriers without effect. */
MNP_DEVICE static enum a32_result coprocessor(struct manycore_core *core, const struct a32_op *op)
{
    uint32_t word = op->value,
             place = (word >> 16 & 15) << 12 | (word & 15) << 8 | (word >> 5 & 7) << 4 | (word >> 21 & 7);
    bool read = op->handler == A32_COPROCESSOR_READ;
    switch (place) {
    case 0xFC10: /* c15, c12, 1: the cycle counter of the ARM1136 */
        if (!read)
            break;
        core->r[op->d] = (uint32_t)core->clock;
        return A32_NEXT;
    case 0xD020: /* c13, c0, 2: thread register */
    case 0xD030: /* c13, c0, 3: the same, read-only in user mode */
        if (read)
            core->r[op->d] = core->thread_id;
        else if (place == 0xD020)
            core->thread_id = core->r[op->d];
        else
            break;
        return A32_NEXT;
    case 0x7540: /* c7, c5, 4: prefetch flush */
    case 0x7A40: /* c7, c10, 4: data synchronisation */
    case 0x7A50: /* c7, c10, 5: data memory barrier; accesses are in order anyway */
        if (read)
            break;
        return A32_NEXT;
    default:
        break;
    }
    return manycore_fault(core, MANYCORE_FAULT_UNDEFINED, 0);
}

MNP_DEVICE static enum a32_result branch_exchange(struct manycore_core *core, const struct a32_op *op)
{
    uint32_t target = core->r[op->m];
    if (op->handler == A32_BRANCH_LINK_EXCHANGE)
        core->r[14] = core->r[15] - 4;
    return manycore_exchange(core, target);
}

MNP_DEVICE static enum a32_result supervisor(struct manycore_core *core, const struct a32_op *op)
{
    if (op->value != 0x123456)
        return manycore_fault(core, MANYCORE_FAULT_SERVICE, op->value);
    core->pause = MANYCORE_SERVICE;
    return A32_PAUSED;
}

MNP_APART enum a32_result manycore_execute(struct manycore_core *core, const struct manycore_place *place,
                                           const struct a32_op *op)
{
    switch (op->handler) {
    case A32_TRANSFER:
        return transfer(core, place, op);
    case A32_BLOCK:
        return transfer_block(core, place, op);
    case A32_SWAP:
        return swap(core, place, op);
    case A32_LOAD_EXCLUSIVE:
        return load_exclusive(core, place, op);
    case A32_STORE_EXCLUSIVE:
        return store_exclusive(core, place, op);
    case A32_CLEAR_EXCLUSIVE:
        core->watches = 0;
        return A32_NEXT;
    case A32_BRANCH_EXCHANGE:
    case A32_BRANCH_LINK_EXCHANGE:
        return branch_exchange(core, op);
    case A32_MRS:
        core->r[op->d] = read_status(core);
        return A32_NEXT;
    case A32_MSR_REGISTER:
        return write_status(core, op->value >> 16 & 15, core->r[op->m]);
    case A32_MSR_IMMEDIATE:
        return write_status(core, op->value >> 16 & 15, a32_rotate(op->value & 255, (op->value >> 8 & 15) * 2));
    case A32_COPROCESSOR_READ:
    case A32_COPROCESSOR_WRITE:
        return coprocessor(core, op);
    case A32_NOTHING:
        return A32_NEXT;
    case A32_SUPERVISOR:
        return supervisor(core, op);
    case A32_BREAKPOINT:
        return manycore_fault(core, MANYCORE_FAULT_BREAKPOINT, 0);
    case A32_END:
        return manycore_fault(core, MANYCORE_FAULT_FETCH, 0);
    case A32_THUMB:
        return manycore_fault(core, MANYCORE_FAULT_THUMB, 0);
    default:
        return manycore_execute_arithmetic(core, place->timing, op);
    }
}
