/* SPDX-License-Identifier: BSD-3-Clause */
#include "reference.h"

#include <string.h>

typedef __int128 wide;
typedef unsigned __int128 modular;

static wide value_of(enum execute_type type, uint64_t bits)
{
    switch (type) {
    case EXECUTE_s8:
        return (int8_t)bits;
    case EXECUTE_s16:
        return (int16_t)bits;
    case EXECUTE_s32:
        return (int32_t)bits;
    case EXECUTE_s64:
        return (int64_t)bits;
    case EXECUTE_u8:
    case EXECUTE_b8:
        return (uint8_t)bits;
    case EXECUTE_u16:
    case EXECUTE_b16:
        return (uint16_t)bits;
    case EXECUTE_u32:
    case EXECUTE_b32:
        return (uint32_t)bits;
    default:
        return (wide)bits;
    }
}

static wide bounded(wide value, wide least, wide most)
{
    return value < least ? least : value > most ? most : value;
}

static bool is_signed(enum execute_type type)
{
    return type == EXECUTE_s8 || type == EXECUTE_s16 || type == EXECUTE_s32 || type == EXECUTE_s64;
}

/* Products: add, sub, mul, mad, mul24, mad24, sad, div, rem, min, max, abs, neg. */
static bool arithmetic(const struct form *f, wide a, wide b, wide c, unsigned width, wide *out)
{
    const char *op = f->opcode;
    if (!strcmp(op, "add") || !strcmp(op, "sub")) {
        *out = op[0] == 'a' ? a + b : a - b;
        if (f->sat)
            *out = bounded(*out, INT32_MIN, INT32_MAX);
    } else if (!strcmp(op, "mul24") || !strcmp(op, "mad24")) {
        if (is_signed(f->types[0])) {
            a = (wide)((a & 0xffffff) ^ 0x800000) - 0x800000;
            b = (wide)((b & 0xffffff) ^ 0x800000) - 0x800000;
        } else {
            a &= 0xffffff;
            b &= 0xffffff;
        }
        *out = (form_has(f, "hi") ? a * b >> 16 : a * b) + (op[1] == 'a' ? c : 0);
        if (f->sat)
            *out = bounded((wide)(int32_t)(a * b >> 16) + c, INT32_MIN, INT32_MAX);
    } else if (!strcmp(op, "mul") || !strcmp(op, "mad")) {
        wide product = (wide)((modular)a * (modular)b);
        if (form_has(f, "hi"))
            product = is_signed(f->types[0]) ? product >> width : (wide)((unsigned __int128)product >> width);
        if (form_has(f, "hi") && f->sat)
            product = (int32_t)product;
        *out = (wide)((modular)product + (modular)(op[1] == 'a' ? c : 0));
        if (f->sat)
            *out = bounded(*out, INT32_MIN, INT32_MAX);
    } else if (!strcmp(op, "sad")) {
        *out = c + (a < b ? b - a : a - b);
    } else if (!strcmp(op, "div")) {
        *out = b ? a / b : -1;
    } else if (!strcmp(op, "rem")) {
        *out = b ? a % b : -1;
    } else if (!strcmp(op, "min") || !strcmp(op, "max")) {
        *out = (op[1] == 'i') == (a < b) ? a : b;
        if (form_has(f, "relu") && *out < 0)
            *out = 0;
    } else if (!strcmp(op, "abs")) {
        *out = a < 0 ? -a : a;
    } else if (!strcmp(op, "neg")) {
        *out = -a;
    } else {
        return false;
    }
    return true;
}

static unsigned bit(uint64_t value, unsigned place)
{
    return place < 64 ? value >> place & 1 : 0;
}

static uint64_t field(const struct form *f, uint64_t a, unsigned position, unsigned length, unsigned width)
{
    uint64_t result = 0;
    unsigned last = position + length ? position + length - 1 : 0;
    unsigned sign = is_signed(f->types[0]) && length ? bit(a, last < width ? last : width - 1) : 0;
    for (unsigned i = 0; i < width; i++) {
        unsigned source = i < length && position + i < width ? bit(a, position + i) : sign;
        result |= (uint64_t)source << i;
    }
    return result;
}

/* Bits: popc, clz, brev, bfind, fns, bfe, bmsk, szext. */
static bool bits(const struct form *f, const uint64_t in[3], unsigned width, uint64_t *out)
{
    const char *op = f->opcode;
    uint64_t a = in[0];
    *out = 0;
    if (!strcmp(op, "popc")) {
        for (unsigned i = 0; i < width; i++)
            *out += bit(a, i);
    } else if (!strcmp(op, "clz")) {
        while (*out < width && !bit(a, width - 1 - (unsigned)*out))
            ++*out;
    } else if (!strcmp(op, "brev")) {
        for (unsigned i = 0; i < width; i++)
            *out |= (uint64_t)bit(a, i) << (width - 1 - i);
    } else if (!strcmp(op, "bfind")) {
        unsigned skip = is_signed(f->types[0]) ? bit(a, width - 1) : 0;
        *out = 0xffffffff;
        for (unsigned i = 0; i < width; i++)
            if (bit(a, i) != skip)
                *out = form_has(f, "shiftamt") ? width - 1 - i : i;
    } else if (!strcmp(op, "bfe")) {
        uint64_t most = width == 64 ? 1000 : 255; /* amounts of 64 bits are not cut */
        *out = field(f, a,
                     (unsigned)(width == 32    ? in[1] & 255
                                : in[1] > most ? most
                                               : in[1]),
                     (unsigned)(width == 32    ? in[2] & 255
                                : in[2] > most ? most
                                               : in[2]),
                     width);
    } else if (!strcmp(op, "szext")) {
        unsigned length = form_has(f, "wrap") ? in[1] & 31 : in[1] > 32 ? 32 : (unsigned)in[1];
        *out = field(f, a, 0, length, 32);
    } else if (!strcmp(op, "bmsk")) {
        uint64_t position = form_has(f, "wrap") ? a & 31 : a, length = form_has(f, "wrap") ? in[1] & 31 : in[1];
        for (uint64_t i = 0; i < 32; i++)
            *out |= (uint64_t)(i >= position && i - position < length) << i;
    } else if (!strcmp(op, "fns")) {
        int32_t n = (int32_t)in[2], place = (int32_t)(in[1] & 31), left = n;
        *out = 0xffffffff;
        if (n == 0 && bit(a, (unsigned)place))
            *out = (uint64_t)place;
        for (; n && place >= 0 && place<32; place += n> 0 ? 1 : -1) {
            left -= bit(a, (unsigned)place) ? (n > 0 ? 1 : -1) : 0;
            if (left == 0) {
                *out = (uint64_t)place;
                break;
            }
        }
    } else {
        return false;
    }
    return true;
}

static unsigned nth_byte(uint64_t both, unsigned place)
{
    return both >> 8 * (place & 7) & 0xff;
}

static uint64_t permuted(const struct form *f, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t both = b << 32 | a, result = 0;
    unsigned mode = c & 3;
    for (unsigned i = 0; i < 4; i++) {
        unsigned nibble = c >> 4 * i & 15, byte = nth_byte(both, nibble & 7);
        if (nibble & 8)
            byte = byte & 0x80 ? 0xff : 0;
        if (form_has(f, "f4e"))
            byte = nth_byte(both, mode + i);
        else if (form_has(f, "b4e"))
            byte = nth_byte(both, mode + 8 - i);
        else if (form_has(f, "rc8"))
            byte = nth_byte(both, mode);
        else if (form_has(f, "ecl"))
            byte = nth_byte(both, mode > i ? mode : i);
        else if (form_has(f, "ecr"))
            byte = nth_byte(both, mode < i ? mode : i);
        else if (form_has(f, "rc16"))
            byte = nth_byte(both, 2 * (mode & 1) + (i & 1));
        result |= (uint64_t)byte << 8 * i;
    }
    return result;
}

static uint64_t dotted(const struct form *f, uint64_t a, uint64_t b, uint64_t c)
{
    int64_t sum = (int64_t)c;
    bool four = f->opcode[2] == '4';
    for (unsigned i = 0; i < (four ? 4u : 2u); i++) {
        int64_t x = four ? nth_byte(a, i) : (a >> 16 * i & 0xffff);
        int64_t y = nth_byte(b, four ? i : i + (form_has(f, "hi") ? 2 : 0));
        x = is_signed(f->types[0]) ? (four ? (int8_t)x : (int16_t)x) : x;
        y = is_signed(f->types[1]) ? (int8_t)y : y;
        sum += x * y;
    }
    return (uint64_t)sum;
}

/* Logic, shifts, selections. */
static bool logic(const struct form *f, const uint64_t in[3], unsigned width, uint64_t *out)
{
    const char *op = f->opcode;
    uint64_t a = in[0], b = in[1], c = in[2];
    if (!strcmp(op, "mov")) {
        *out = a;
    } else if (!strcmp(op, "and") || !strcmp(op, "or") || !strcmp(op, "xor")) {
        *out = op[0] == 'a' ? a & b : op[0] == 'o' ? a | b : a ^ b;
    } else if (!strcmp(op, "not")) {
        *out = ~a;
    } else if (!strcmp(op, "cnot")) {
        *out = value_of(f->types[0], a) == 0;
    } else if (!strcmp(op, "shl") || !strcmp(op, "shr")) {
        wide value = value_of(f->types[0], a);
        unsigned amount = b > width ? width : (unsigned)b;
        *out = (uint64_t)(op[2] == 'l' ? (wide)((modular)value << amount) : value >> amount);
    } else if (!strcmp(op, "shf")) {
        unsigned amount = form_has(f, "wrap") ? c & 31 : c > 32 ? 32 : (unsigned)c;
        *out = 0;
        for (unsigned i = 0; i < 32; i++) { /* of the 64 bits b:a */
            int source = form_has(f, "l") ? (int)(32 + i) - (int)amount : (int)(i + amount);
            *out |= (uint64_t)bit(b << 32 | (a & 0xffffffff), (unsigned)source) << i;
        }
    } else if (!strcmp(op, "lop3")) { /* the test's table is 0x6a */
        *out = 0;
        for (unsigned i = 0; i < 32; i++)
            *out |= (uint64_t)(0x6a >> (bit(a, i) * 4 + bit(b, i) * 2 + bit(c, i)) & 1) << i;
    } else if (!strcmp(op, "prmt")) {
        *out = permuted(f, a, b, c);
    } else if (!strncmp(op, "dp", 2)) {
        *out = dotted(f, a, b, c);
    } else {
        return false;
    }
    return true;
}

static uint64_t halves(const struct form *f, const uint64_t in[3])
{
    uint64_t result = 0;
    for (unsigned i = 0; i < 2; i++) {
        int32_t a = (int32_t)(in[0] >> 16 * i & 0xffff), b = (int32_t)(in[1] >> 16 * i & 0xffff);
        if (f->types[0] == EXECUTE_s16x2) {
            a = (int16_t)a;
            b = (int16_t)b;
        }
        int32_t value = f->opcode[0] == 'a' ? a + b : (f->opcode[1] == 'i') == (a < b) ? a : b;
        value = form_has(f, "relu") && value < 0 ? 0 : value;
        result |= (uint64_t)(value & 0xffff) << 16 * i;
    }
    return result;
}

struct expected reference_integer(const struct form *f, const uint64_t in[3])
{
    enum execute_type type = f->types[0];
    unsigned width = 8 * execute_type_bytes(type);
    bool wide_result = form_has(f, "wide");
    enum execute_type third = wide_result ? (is_signed(type) ? (width == 16 ? EXECUTE_s32 : EXECUTE_s64)
                                                             : (width == 16 ? EXECUTE_u32 : EXECUTE_u64))
                                          : type;
    struct expected e = {.verdict = REFERENCE_EXACT};
    wide value;
    if (type == EXECUTE_u16x2 || type == EXECUTE_s16x2)
        e.bits = halves(f, in);
    else if (arithmetic(f, value_of(type, in[0]), value_of(type, in[1]), value_of(third, in[2]), width, &value))
        e.bits = (uint64_t)value;
    else if (!bits(f, in, width, &e.bits) && !logic(f, in, width, &e.bits))
        e.verdict = REFERENCE_NONE;
    return e;
}

bool reference_compare(const struct form *f, uint64_t a, uint64_t b)
{
    enum execute_type type = f->types[f->type_count - 1];
    const char *how = f->words[0];
    if (execute_type_is_float(type)) {
        double x = reference_widen(type, a, f->ftz), y = reference_widen(type, b, f->ftz);
        bool nan = x != x || y != y, u = how[0] != 'n' && strlen(how) == 3 && how[2] == 'u';
        u |= !strcmp(how, "neu");
        if (!strcmp(how, "num") || !strcmp(how, "nan"))
            return nan == (how[1] == 'a');
        if (nan)
            return u;
        return !strncmp(how, "eq", 2)   ? x == y
               : !strncmp(how, "ne", 2) ? x != y
               : !strncmp(how, "lt", 2) ? x < y
               : !strncmp(how, "le", 2) ? x <= y
               : !strncmp(how, "gt", 2) ? x > y
                                        : x >= y;
    }
    wide x = value_of(type, a), y = value_of(type, b);
    return !strcmp(how, "eq")                         ? x == y
           : !strcmp(how, "ne")                       ? x != y
           : !strcmp(how, "lt") || !strcmp(how, "lo") ? x < y
           : !strcmp(how, "le") || !strcmp(how, "ls") ? x <= y
           : !strcmp(how, "gt") || !strcmp(how, "hi") ? x > y
                                                      : x >= y;
}
