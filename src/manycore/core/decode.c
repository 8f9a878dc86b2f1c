/* SPDX-License-Identifier: BSD-3-Clause */
/* The A32 decoder, by the encoding tables of the ARMv6 manual (DDI 0100, chapter A3). */
#include "manycore/core/a32.h"

static uint32_t bits(uint32_t word, unsigned low, unsigned count)
{
    return word >> low & ((1u << count) - 1);
}

static struct a32_op simple(uint32_t word, enum a32_handler handler, enum a32_class mix)
{
    return (struct a32_op){.handler = (uint8_t)handler,
                           .condition = (uint8_t)(word >> 28),
                           .mix = (uint8_t)mix,
                           .d = (uint8_t)bits(word, 12, 4),
                           .n = (uint8_t)bits(word, 16, 4),
                           .m = (uint8_t)bits(word, 0, 4),
                           .s = (uint8_t)bits(word, 8, 4),
                           .value = word};
}

static struct a32_op undefined(uint32_t word)
{
    return simple(word, A32_UNDEFINED, A32_CLASS_OTHER);
}

/* With the registers that it reads. The pc is not allowed in any register field named. */
static struct a32_op with_uses(struct a32_op op, uint32_t uses, bool writes_pc)
{
    if ((uses & 1u << 15) || writes_pc)
        return undefined(op.value);
    op.uses = (uint16_t)uses;
    return op;
}

static uint32_t one(uint32_t reg)
{
    return 1u << reg;
}

/* ===== data processing ===== */

static struct a32_op decode_data(uint32_t word)
{
    struct a32_op op = simple(word, A32_UNDEFINED, A32_CLASS_ALU);
    uint32_t opcode = bits(word, 21, 4), flags = bits(word, 20, 1);
    bool tests = opcode >= A32_TST && opcode <= A32_CMN, moves = opcode == A32_MOV || opcode == A32_MVN;
    enum a32_form form = A32_IMMEDIATE;
    uint32_t uses = moves ? 0 : one(op.n);
    op.shift = (uint8_t)(bits(word, 5, 2) | bits(word, 7, 5) << 2);
    op.value = word;
    if (word >> 25 & 1) {
        op.value = a32_rotate(bits(word, 0, 8), 2 * bits(word, 8, 4));
        op.flags = bits(word, 8, 4) ? A32_CARRY_OUT_IMMEDIATE : 0;
    } else if (word >> 4 & 1) {
        form = A32_SHIFTED_BY_REGISTER;
        uses |= one(op.m) | one(op.s);
        if (((uses | (tests ? 0 : one(op.d))) & one(15)) || (word >> 7 & 1))
            return undefined(word);
    } else {
        form = bits(word, 4, 8) ? A32_SHIFTED : A32_REGISTER;
        uses |= one(op.m);
    }
    op.uses = (uint16_t)uses;
    op.handler = (uint8_t)A32_DATA(opcode, form, flags);
    if (!tests && op.d == 15) {
        if (flags) /* returns from an exception, which user mode cannot */
            return undefined(word);
        op.s = op.handler; /* the handler below reads it */
        op.handler = A32_DATA_TO_PC;
        op.mix = A32_CLASS_BRANCH;
    }
    return op;
}

/* ===== multiplies ===== */

static struct a32_op decode_multiply(uint32_t word)
{
    static const uint8_t handlers[16] = {A32_MUL,   0, A32_MLA,   0, A32_UMAAL, 0, 0,         0,
                                         A32_UMULL, 0, A32_UMLAL, 0, A32_SMULL, 0, A32_SMLAL, 0};
    uint32_t which = bits(word, 20, 4);
    struct a32_op op = simple(word, (enum a32_handler)handlers[which & 14], A32_CLASS_MULTIPLY);
    if (!handlers[which & 14] || ((which & 1) && op.handler == A32_UMAAL))
        return undefined(word);
    op.flags = which & 1 ? A32_SET_FLAGS : 0;
    uint32_t uses = one(op.m) | one(op.s);
    bool accumulates = op.handler == A32_MLA,
         both = op.handler == A32_UMLAL || op.handler == A32_SMLAL || op.handler == A32_UMAAL;
    uses |= accumulates ? one(op.d) : 0; /* bits 12–15 are Rn of MLA, RdLo of the long ones */
    uses |= both ? one(op.d) | one(op.n) : 0;
    bool is_long = op.handler != A32_MUL && op.handler != A32_MLA;
    if (is_long && op.d == op.n)
        return undefined(word);
    return with_uses(op, uses, op.n == 15 || (is_long && op.d == 15));
}

/* SMLAxy and its kin: bits 21–22 of the miscellaneous space with bits 4 and 7 as 0 and 1. */
static struct a32_op decode_half_multiply(uint32_t word)
{
    static const enum a32_handler handlers[4] = {A32_SMLA_XY, A32_SMLAW_Y, A32_SMLAL_XY, A32_SMUL_XY};
    uint32_t which = bits(word, 21, 2);
    struct a32_op op = simple(word, handlers[which], A32_CLASS_MULTIPLY);
    if (which == 1 && (word >> 5 & 1))
        op.handler = A32_SMULW_Y;
    op.flags = (uint16_t)((word >> 5 & 1 && which != 1 ? A32_TOP_A : 0) | (word >> 6 & 1 ? A32_TOP_B : 0));
    uint32_t uses = one(op.m) | one(op.s);
    if (op.handler == A32_SMLA_XY || op.handler == A32_SMLAW_Y)
        uses |= one(op.d);
    if (op.handler == A32_SMLAL_XY) {
        uses |= one(op.d) | one(op.n);
        if (op.d == op.n)
            return undefined(word);
    }
    return with_uses(op, uses, op.n == 15);
}

/* ===== the miscellaneous space: data-processing encodings of tests without flags ===== */

static struct a32_op decode_miscellaneous(uint32_t word)
{
    uint32_t which = bits(word, 4, 4), op21 = bits(word, 21, 2);
    struct a32_op op = simple(word, A32_UNDEFINED, A32_CLASS_OTHER);
    if ((which & 9) == 8)
        return decode_half_multiply(word);
    switch (which) {
    case 0: /* MRS, MSR: the flags alone, as user mode has no other status */
        op.handler = op21 == 0 ? A32_MRS : op21 == 1 ? A32_MSR_REGISTER : A32_UNDEFINED;
        return op.handler == A32_MRS ? with_uses(op, 0, op.d == 15)
                                     : with_uses(op, op.handler == A32_MSR_REGISTER ? one(op.m) : 0, false);
    case 1:
        op.mix = A32_CLASS_BRANCH;
        if (op21 == 1) {
            op.handler = A32_BRANCH_EXCHANGE;
            op.uses = (uint16_t)one(op.m);
            return op;
        }
        op.mix = A32_CLASS_ALU;
        op.handler = op21 == 3 ? A32_CLZ : A32_UNDEFINED;
        return with_uses(op, one(op.m), op.d == 15);
    case 2: /* BXJ: without Jazelle it is BX */
    case 3:
        op.mix = A32_CLASS_BRANCH;
        op.handler = op21 != 1 ? A32_UNDEFINED : which == 2 ? A32_BRANCH_EXCHANGE : A32_BRANCH_LINK_EXCHANGE;
        return with_uses(op, one(op.m), false);
    case 5:
        op.handler = A32_QADD;
        op.mix = A32_CLASS_MEDIA;
        op.flags = (uint16_t)op21; /* 1: subtracts, 2: doubles */
        return with_uses(op, one(op.m) | one(op.n), op.d == 15);
    case 7:
        op.handler = op21 == 1 ? A32_BREAKPOINT : A32_UNDEFINED;
        return op;
    default:
        return op;
    }
}

/* ===== loads and stores ===== */

/* Whether the registers of a transfer are a combination that the manual calls unpredictable. */
static bool bad_transfer(const struct a32_op *op)
{
    bool writes_back = op->flags & A32_WRITE_BACK, load = op->flags & A32_LOAD;
    bool wide = !(op->flags & (A32_BYTE | A32_HALF | A32_DOUBLE));
    if (writes_back && (op->n == 15 || op->n == op->d))
        return true;
    if ((op->flags & A32_OFFSET_REGISTER) && (op->m == 15 || (writes_back && op->m == op->n)))
        return true;
    if (op->flags & A32_DOUBLE)
        return (op->d & 1) || op->d == 14 || (writes_back && op->n == op->d + 1) ||
               (load && (op->flags & A32_OFFSET_REGISTER) && (op->m == op->d || op->m == op->d + 1));
    return op->d == 15 && !(wide && load) && !(wide && !load);
}

static struct a32_op finish_transfer(struct a32_op op, uint32_t word)
{
    if (!(word >> 24 & 1) || (word >> 21 & 1)) /* post-indexed ones always write back; with bit 21 they are LDRT … */
        op.flags |= A32_WRITE_BACK;
    op.flags |= (uint16_t)((word >> 24 & 1 ? A32_PRE : 0) | (word >> 23 & 1 ? A32_UP : 0));
    bool load = op.flags & A32_LOAD;
    op.mix = load ? A32_CLASS_LOAD : A32_CLASS_STORE;
    op.uses = (uint16_t)(one(op.n) | (op.flags & A32_OFFSET_REGISTER ? one(op.m) : 0) | (load ? 0 : one(op.d)));
    if (op.flags & A32_DOUBLE && !load)
        op.uses |= (uint16_t)one(op.d + 1u);
    return bad_transfer(&op) ? undefined(word) : op;
}

/* LDR, STR, LDRB, STRB. */
static struct a32_op decode_transfer(uint32_t word)
{
    struct a32_op op = simple(word, A32_TRANSFER, A32_CLASS_LOAD);
    bool load = word >> 20 & 1, byte = word >> 22 & 1;
    op.flags = (uint16_t)((load ? A32_LOAD : 0) | (byte ? A32_BYTE : 0));
    if (word >> 25 & 1) {
        op.flags |= A32_OFFSET_REGISTER;
        op.shift = (uint8_t)(bits(word, 5, 2) | bits(word, 7, 5) << 2);
        op.value = 0;
    } else {
        op.value = bits(word, 0, 12);
    }
    op = finish_transfer(op, word);
    bool plain = (op.flags & A32_PRE) && !(op.flags & A32_WRITE_BACK) && op.d != 15;
    bool moves = (op.flags & A32_WRITE_BACK) && op.d != 15;
    if (op.handler == A32_TRANSFER && moves && !(op.flags & (A32_OFFSET_REGISTER | A32_BYTE))) {
        op.value = op.flags & A32_UP ? op.value : -op.value;
        op.handler =
            (uint8_t)(op.flags & A32_PRE ? (load ? A32_LDR_PRE : A32_STR_PRE) : (load ? A32_LDR_POST : A32_STR_POST));
    }
    if (op.handler != A32_TRANSFER || !plain)
        return op;
    if (!(op.flags & A32_OFFSET_REGISTER)) { /* the offset gets its sign here */
        op.value = op.flags & A32_UP ? op.value : -op.value;
        op.flags |= A32_UP;
        op.handler = (uint8_t)(load ? (byte ? A32_LDRB : A32_LDR) : (byte ? A32_STRB : A32_STR));
    } else if (load && !byte && (op.flags & A32_UP) && (op.shift & 3) == 0) {
        op.handler = A32_LDR_REGISTER;
    }
    return op;
}

/* LDRH, STRH, LDRSB, LDRSH, LDRD, STRD. */
static struct a32_op decode_extra_transfer(uint32_t word)
{
    struct a32_op op = simple(word, A32_TRANSFER, A32_CLASS_LOAD);
    bool load = word >> 20 & 1;
    switch (bits(word, 5, 2)) {
    case 1:
        op.flags = (uint16_t)(A32_HALF | (load ? A32_LOAD : 0));
        break;
    case 2:
        op.flags = load ? A32_BYTE | A32_SIGNED | A32_LOAD : A32_DOUBLE | A32_LOAD;
        break;
    default:
        op.flags = load ? A32_HALF | A32_SIGNED | A32_LOAD : A32_DOUBLE;
        break;
    }
    if (!(word >> 24 & 1) && (word >> 21 & 1)) /* LDRHT and its kin are ARMv6T2's */
        return undefined(word);
    if (word >> 22 & 1) {
        op.value = bits(word, 8, 4) << 4 | bits(word, 0, 4);
    } else {
        op.flags |= A32_OFFSET_REGISTER;
        op.value = 0;
    }
    return finish_transfer(op, word);
}

static struct a32_op decode_block(uint32_t word)
{
    struct a32_op op = simple(word, A32_BLOCK, word >> 20 & 1 ? A32_CLASS_LOAD : A32_CLASS_STORE);
    uint32_t list = bits(word, 0, 16);
    if ((word >> 22 & 1) || op.n == 15 || !list) /* bit 22: banked registers or a return, which user mode lacks */
        return undefined(word);
    op.value = list;
    op.flags = (uint16_t)((word >> 20 & 1 ? A32_LOAD : 0) | (word >> 21 & 1 ? A32_WRITE_BACK : 0) |
                          (word >> 23 & 1 ? A32_UP : 0) | (word >> 24 & 1 ? A32_PRE : 0));
    bool in_list = list >> op.n & 1, lowest = (list & (one(op.n) - 1)) == 0;
    if ((op.flags & A32_WRITE_BACK) && in_list && ((op.flags & A32_LOAD) || !lowest))
        return undefined(word);
    op.uses = (uint16_t)(one(op.n) | (op.flags & A32_LOAD ? 0 : list));
    return op;
}

/* SWP, LDREX, STREX and the sizes of the latter: bits 4–7 are 1001 and bit 24 is set. */
static struct a32_op decode_synchronisation(uint32_t word)
{
    struct a32_op op = simple(word, A32_UNDEFINED, A32_CLASS_SYNCHRONISATION);
    uint32_t which = bits(word, 20, 4);
    if (which == 0 || which == 4) {
        op.handler = A32_SWAP;
        op.flags = which == 4 ? A32_BYTE : 0;
        if (op.n == op.d || op.n == op.m)
            return undefined(word);
        return with_uses(op, one(op.n) | one(op.m), op.d == 15);
    }
    if (which < 8)
        return op;
    static const uint16_t sizes[4] = {0, A32_DOUBLE, A32_BYTE, A32_HALF};
    op.flags = sizes[which >> 1 & 3];
    bool load = which & 1, both = op.flags & A32_DOUBLE;
    uint32_t first = load ? op.d : op.m; /* first transferred register */
    if (both && ((first & 1) || first == 14))
        return undefined(word);
    op.handler = load ? A32_LOAD_EXCLUSIVE : A32_STORE_EXCLUSIVE;
    if (!load && (op.d == op.n || op.d == op.m || (both && op.d == op.m + 1)))
        return undefined(word);
    return with_uses(op, one(op.n) | (load ? 0 : one(op.m)) | (!load && both ? one(op.m + 1u) : 0), op.d == 15);
}

/* ===== media ===== */

static struct a32_op decode_dual_multiply(uint32_t word)
{
    static const enum a32_handler handlers[8] = {A32_SMLAD,  A32_UNDEFINED, A32_UNDEFINED, A32_UNDEFINED,
                                                 A32_SMLALD, A32_SMMLA,     A32_UNDEFINED, A32_UNDEFINED};
    struct a32_op op = simple(word, handlers[bits(word, 20, 3)], A32_CLASS_MULTIPLY);
    uint32_t which = bits(word, 5, 3);
    op.flags = (uint16_t)((which & 1 ? A32_EXCHANGE : 0) | (which & 2 ? A32_SUBTRACT : 0));
    uint32_t uses = one(op.m) | one(op.s);
    if (op.handler == A32_SMMLA) {
        op.flags = (uint16_t)((which & 1 ? A32_ROUND : 0) | (which & 2 ? A32_SUBTRACT : 0));
        bool subtracts = (which & 6) == 6;
        if ((which & 6) != 0 && !subtracts)
            return undefined(word);
        if (op.d == 15 && subtracts)
            return undefined(word);
    } else if (which & 4) {
        return undefined(word);
    }
    if (op.handler == A32_SMLALD) {
        if (op.d == op.n)
            return undefined(word);
        uses |= one(op.d) | one(op.n);
    } else if (op.handler != A32_UNDEFINED && op.d != 15) { /* Ra 15: nothing is added */
        op.flags |= A32_ACCUMULATE;
        uses |= one(op.d);
    }
    return with_uses(op, uses, op.n == 15);
}

/* Packing, saturating, extending, reversing: bits 23–27 are 01101. */
static struct a32_op decode_packing(uint32_t word)
{
    struct a32_op op = simple(word, A32_UNDEFINED, A32_CLASS_MEDIA);
    uint32_t which = bits(word, 20, 3), low = bits(word, 5, 3);
    op.shift = (uint8_t)(bits(word, 6, 1) << 1 | bits(word, 7, 5) << 2);
    if ((low & 1) == 0 && which == 0) {
        op.handler = A32_PACK;
        return with_uses(op, one(op.n) | one(op.m), op.d == 15);
    }
    if ((low & 1) == 0 && (which & 2)) {
        op.handler = A32_SATURATE;
        return with_uses(op, one(op.m), op.d == 15);
    }
    if (low == 1 && (which == 2 || which == 6)) {
        op.handler = A32_SATURATE16;
        return with_uses(op, one(op.m), op.d == 15);
    }
    if (low == 3 && which != 1 && which != 5) {
        op.handler = A32_EXTEND;
        uint32_t uses = one(op.m) | (op.n == 15 ? 0 : one(op.n));
        return with_uses(op, uses, op.d == 15);
    }
    if (low == 5 && which == 0) {
        op.handler = A32_SELECT;
        return with_uses(op, one(op.n) | one(op.m), op.d == 15);
    }
    if ((low == 1 && which == 3) || (low == 5 && (which == 3 || which == 7))) {
        op.handler = A32_REVERSE;
        return with_uses(op, one(op.m), op.d == 15);
    }
    return op;
}

static struct a32_op decode_media(uint32_t word)
{
    struct a32_op op = simple(word, A32_UNDEFINED, A32_CLASS_MEDIA);
    uint32_t low = bits(word, 5, 3);
    switch (bits(word, 23, 2)) {
    case 0: /* parallel additions and subtractions */
        if ((bits(word, 20, 3) & 3) == 0 || low == 5 || low == 6)
            return op;
        op.handler = A32_PARALLEL;
        return with_uses(op, one(op.n) | one(op.m), op.d == 15);
    case 1:
        return decode_packing(word);
    case 2:
        return decode_dual_multiply(word);
    default:
        if (bits(word, 20, 3) != 0 || low != 0)
            return op;
        op.handler = A32_USADA8;
        op.flags = op.d == 15 ? 0 : A32_ACCUMULATE;
        return with_uses(op, one(op.m) | one(op.s) | (op.d == 15 ? 0 : one(op.d)), op.n == 15);
    }
}

/* ===== the rest ===== */

static struct a32_op decode_branch(uint32_t word, uint32_t address)
{
    struct a32_op op = simple(word, word >> 24 & 1 ? A32_BRANCH_LINK : A32_BRANCH, A32_CLASS_BRANCH);
    uint32_t offset = bits(word, 0, 24) << 2;
    if (offset & 0x02000000)
        offset |= 0xFC000000;
    op.value = address + 8 + offset;
    return op;
}

/* Decodes instructions with a condition field of 15. */
static struct a32_op decode_unconditional(uint32_t word)
{
    struct a32_op op = simple(word, A32_UNDEFINED, A32_CLASS_OTHER);
    if (bits(word, 25, 3) == 5)
        op.handler = A32_THUMB; /* BLX to a label */
    else if ((word & 0x0D70F000) == 0x0550F000 && !((word >> 25 & 1) && (word >> 4 & 1)))
        op.handler = A32_NOTHING; /* PLD */
    else if (word == 0xF57FF01F)
        op.handler = A32_CLEAR_EXCLUSIVE;
    else if ((word & 0xFFF1FE20) == 0xF1000000)
        op.handler = A32_NOTHING; /* CPS has no effect in user mode */
    op.condition = 14;
    return op;
}

static struct a32_op decode_coprocessor(uint32_t word)
{
    struct a32_op op = simple(word, A32_UNDEFINED, A32_CLASS_OTHER);
    if (bits(word, 24, 4) == 15) {
        op.handler = A32_SUPERVISOR;
        op.value = bits(word, 0, 24);
        return op;
    }
    if (bits(word, 24, 4) != 14 || !(word >> 4 & 1) || bits(word, 8, 4) != 15)
        return op;
    op.handler = word >> 20 & 1 ? A32_COPROCESSOR_READ : A32_COPROCESSOR_WRITE;
    return with_uses(op, word >> 20 & 1 ? 0 : one(op.d), op.d == 15);
}

/* Encodings whose bits 25–27 are 000. */
static struct a32_op decode_group0(uint32_t word)
{
    if ((word & 0x90) == 0x90) {
        if (bits(word, 5, 2))
            return decode_extra_transfer(word);
        return word >> 24 & 1 ? decode_synchronisation(word) : decode_multiply(word);
    }
    if ((word & 0x01900000) == 0x01000000)
        return decode_miscellaneous(word);
    return decode_data(word);
}

static struct a32_op decode_group1(uint32_t word)
{
    if ((word & 0x01900000) != 0x01000000)
        return decode_data(word);
    if (!(word >> 21 & 1)) /* MOVW and MOVT are ARMv6T2's */
        return undefined(word);
    struct a32_op op = simple(word, A32_UNDEFINED, A32_CLASS_OTHER);
    if (bits(word, 16, 7) == 0x20) {
        op.handler = A32_NOTHING; /* NOP, YIELD, WFE, WFI, SEV */
    } else if (!(word >> 22 & 1)) {
        op.handler = A32_MSR_IMMEDIATE;
    }
    return op;
}

struct a32_op manycore_decode(uint32_t word, uint32_t address)
{
    if (word >> 28 == 15)
        return decode_unconditional(word);
    switch (bits(word, 25, 3)) {
    case 0:
        return decode_group0(word);
    case 1:
        return decode_group1(word);
    case 2:
        return decode_transfer(word);
    case 3:
        return word >> 4 & 1 ? decode_media(word) : decode_transfer(word);
    case 4:
        return decode_block(word);
    case 5:
        return decode_branch(word, address);
    default:
        return decode_coprocessor(word);
    }
}
