/* SPDX-License-Identifier: BSD-3-Clause */
/* Integer operations of the scalar interpreter, each as the manual describes it. */
#include "thread.h"

static unsigned bits_of(enum scalar_type type)
{
    switch (type) {
    case TYPE_PRED:
        return 1;
    case TYPE_U8:
        return 8;
    case TYPE_U16:
        return 16;
    case TYPE_U64:
    case TYPE_S64:
        return 64;
    default:
        return 32;
    }
}

static bool is_signed(enum scalar_type type)
{
    return type == TYPE_S32 || type == TYPE_S64;
}

uint64_t arithmetic_truncate(enum scalar_type type, uint64_t value)
{
    unsigned bits = bits_of(type);
    return bits == 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

/* The value as a number: sign-extended where the type is signed. */
static int64_t extend(enum scalar_type type, uint64_t value)
{
    return type == TYPE_S32 ? (int32_t)value : (int64_t)arithmetic_truncate(type, value);
}

static bool less(enum scalar_type type, uint64_t a, uint64_t b)
{
    return is_signed(type) ? extend(type, a) < extend(type, b)
                           : arithmetic_truncate(type, a) < arithmetic_truncate(type, b);
}

bool arithmetic_compare(enum scalar_word comparison, enum scalar_type type, uint64_t a, uint64_t b)
{
    switch (comparison) {
    case WORD_EQ:
        return arithmetic_truncate(type, a) == arithmetic_truncate(type, b);
    case WORD_NE:
        return arithmetic_truncate(type, a) != arithmetic_truncate(type, b);
    case WORD_LT:
        return less(type, a, b);
    case WORD_LE:
        return !less(type, b, a);
    case WORD_GT:
        return less(type, b, a);
    default:
        return !less(type, a, b);
    }
}

uint64_t arithmetic_reduce(enum scalar_word operation, enum scalar_type type, uint64_t a, uint64_t b)
{
    switch (operation) {
    case WORD_ADD:
        return arithmetic_truncate(type, a + b);
    case WORD_MIN:
        return less(type, b, a) ? b : a;
    case WORD_MAX:
        return less(type, a, b) ? b : a;
    case WORD_AND:
        return a & b;
    case WORD_OR:
        return a | b;
    case WORD_XOR:
        return a ^ b;
    case WORD_INC:
        return a >= b ? 0 : a + 1;
    case WORD_DEC:
        return a == 0 || a > b ? b : a - 1;
    default: /* exch */
        return b;
    }
}

static uint64_t product(const struct scalar_instruction *instruction, const uint64_t v[4])
{
    enum scalar_type type = instruction->type;
    __int128 whole =
        is_signed(type)
            ? (__int128)extend(type, v[0]) * extend(type, v[1])
            : (__int128)((unsigned __int128)arithmetic_truncate(type, v[0]) * arithmetic_truncate(type, v[1]));
    return (uint64_t)(instruction->words[0] == WORD_HI ? whole >> bits_of(type) : whole);
}

static uint64_t shift_left(enum scalar_type type, uint64_t value, uint32_t amount)
{
    return amount >= bits_of(type) ? 0 : value << amount;
}

static uint64_t shift_right(enum scalar_type type, uint64_t value, uint32_t amount)
{
    if (is_signed(type))
        return (uint64_t)(extend(type, value) >> (amount >= bits_of(type) ? bits_of(type) - 1 : amount));
    return amount >= bits_of(type) ? 0 : arithmetic_truncate(type, value) >> amount;
}

/* shf: a is the low half, b the high one. */
static uint64_t funnel(const struct scalar_instruction *instruction, const uint64_t v[4])
{
    uint64_t pair = v[1] << 32 | (uint32_t)v[0];
    uint32_t amount = (uint32_t)v[2];
    amount = instruction->words[1] == WORD_WRAP ? amount & 31 : amount < 32 ? amount : 32;
    return instruction->words[0] == WORD_L ? pair << amount >> 32 : pair >> amount;
}

static uint64_t permute(const uint64_t v[4])
{
    uint64_t bytes = v[1] << 32 | (uint32_t)v[0], result = 0;
    for (unsigned i = 0; i < 4; i++) {
        unsigned selector = (v[2] >> 4 * i) & 15, byte = (bytes >> 8 * (selector & 7)) & 255;
        result |= (uint64_t)(selector & 8 ? (byte & 128 ? 255 : 0) : byte) << 8 * i;
    }
    return result;
}

static uint64_t lookup(const uint64_t v[4], uint64_t table)
{
    uint64_t result = 0;
    for (unsigned bit = 0; bit < 32; bit++) {
        unsigned index = ((v[0] >> bit) & 1) << 2 | ((v[1] >> bit) & 1) << 1 | ((v[2] >> bit) & 1);
        result |= ((table >> index) & 1) << bit;
    }
    return result;
}

/* bfe: bits behind the register's end are the sign's, or zeros. */
static uint64_t extract(enum scalar_type type, const uint64_t v[4])
{
    unsigned position = v[1] & 255, length = v[2] & 255, last = position + length - 1;
    uint64_t sign = 0, result = 0;
    if (is_signed(type) && length)
        sign = (v[0] >> (last < 31 ? last : 31)) & 1;
    for (unsigned i = 0; i < 32; i++)
        result |= (i < length && position + i < 32 ? (v[0] >> (position + i)) & 1 : sign) << i;
    return result;
}

/* bfi: a goes into b. */
static uint64_t insert(const uint64_t v[4])
{
    unsigned position = v[2] & 255, length = v[3] & 255;
    uint64_t result = v[1];
    for (unsigned i = 0; i < length && position + i < 32; i++)
        result = (result & ~(UINT64_C(1) << (position + i))) | ((v[0] >> i) & 1) << (position + i);
    return result;
}

static uint64_t reverse(uint64_t value)
{
    uint64_t result = 0;
    for (unsigned i = 0; i < 32; i++)
        result |= ((value >> i) & 1) << (31 - i);
    return result;
}

/* The highest bit that is not the sign's. */
static uint64_t highest(enum scalar_type type, uint64_t value)
{
    uint32_t bits = (uint32_t)value;
    if (is_signed(type) && bits >> 31)
        bits = ~bits;
    for (unsigned i = 32; i-- > 0;)
        if (bits >> i & 1)
            return i;
    return UINT32_MAX;
}

static uint64_t unary(const struct scalar_instruction *instruction, const uint64_t v[4])
{
    switch (instruction->operation) {
    case SCALAR_ABS:
        return (uint64_t)(extend(instruction->type, v[0]) < 0 ? -(uint64_t)extend(instruction->type, v[0]) : v[0]);
    case SCALAR_NEG:
        return -v[0];
    case SCALAR_NOT:
        return ~v[0];
    case SCALAR_CNOT:
        return v[0] == 0;
    case SCALAR_BREV:
        return reverse(v[0]);
    case SCALAR_POPC:
        return (uint64_t)__builtin_popcountll(v[0]);
    case SCALAR_CLZ:
        return v[0] ? (uint64_t)__builtin_clz((uint32_t)v[0]) : 32;
    case SCALAR_BFIND:
        return highest(instruction->type, v[0]);
    case SCALAR_CVT:
        return (uint64_t)extend(instruction->from, v[0]);
    default: /* mov */
        return v[0];
    }
}

uint64_t arithmetic(const struct scalar_instruction *instruction, const uint64_t v[4])
{
    enum scalar_type type = instruction->type;
    switch (instruction->operation) {
    case SCALAR_ADD:
        return v[0] + v[1];
    case SCALAR_SUB:
        return v[0] - v[1];
    case SCALAR_MUL:
        return product(instruction, v);
    case SCALAR_MAD:
        return product(instruction, v) + v[2];
    case SCALAR_DIV:
        return arithmetic_truncate(type, v[0]) / arithmetic_truncate(type, v[1]);
    case SCALAR_REM:
        return arithmetic_truncate(type, v[0]) % arithmetic_truncate(type, v[1]);
    case SCALAR_MIN:
        return arithmetic_reduce(WORD_MIN, type, v[0], v[1]);
    case SCALAR_MAX:
        return arithmetic_reduce(WORD_MAX, type, v[0], v[1]);
    case SCALAR_AND:
        return v[0] & v[1];
    case SCALAR_OR:
        return v[0] | v[1];
    case SCALAR_XOR:
        return v[0] ^ v[1];
    case SCALAR_SHL:
        return shift_left(type, v[0], (uint32_t)v[1]);
    case SCALAR_SHR:
        return shift_right(type, v[0], (uint32_t)v[1]);
    case SCALAR_SHF:
        return funnel(instruction, v);
    case SCALAR_LOP3:
        return lookup(v, v[3]);
    case SCALAR_PRMT:
        return permute(v);
    case SCALAR_BFE:
        return extract(type, v);
    case SCALAR_BFI:
        return insert(v);
    case SCALAR_SAD:
        return v[2] + (less(type, v[0], v[1]) ? v[1] - v[0] : v[0] - v[1]);
    case SCALAR_SELP:
        return v[2] ? v[0] : v[1];
    default:
        return unary(instruction, v);
    }
}
