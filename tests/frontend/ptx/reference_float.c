/* SPDX-License-Identifier: BSD-3-Clause */
#include "reference.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wfloat-equal"

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, 8);
    return value;
}

static uint64_t to_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, 8);
    return bits;
}

struct shape {
    int exponent_bits, fraction_bits;
    uint64_t nan;
};

static struct shape shape_of(enum execute_type type)
{
    switch (type) {
    case EXECUTE_f16:
        return (struct shape){5, 10, 0x7fff};
    case EXECUTE_bf16:
        return (struct shape){8, 7, 0x7fff};
    case EXECUTE_f64:
        return (struct shape){11, 52, UINT64_C(0xfff8) << 48};
    default:
        return (struct shape){8, 23, 0x7fffffff};
    }
}

double reference_widen(enum execute_type type, uint64_t bits, bool flush)
{
    if (type == EXECUTE_f64)
        return from_bits(bits);
    struct shape s = shape_of(type);
    int bias = (1 << (s.exponent_bits - 1)) - 1;
    uint64_t fraction = bits & ((UINT64_C(1) << s.fraction_bits) - 1);
    int exponent = (int)(bits >> s.fraction_bits) & ((1 << s.exponent_bits) - 1);
    double sign = bits >> (s.fraction_bits + s.exponent_bits) & 1 ? -1 : 1;
    if (exponent == (1 << s.exponent_bits) - 1)
        return fraction ? (double)NAN : sign * (double)INFINITY;
    if (exponent == 0)
        return flush ? sign * 0.0 : sign * ldexp((double)fraction, 1 - bias - s.fraction_bits);
    return sign * ldexp(1 + ldexp((double)fraction, -s.fraction_bits), exponent - bias);
}

/* The number in units of the target's last place, rounded by the host. */
uint64_t reference_narrow(enum execute_type type, double odd, int rounding, bool flush, bool saturate)
{
    struct shape s = shape_of(type);
    uint64_t sign = (uint64_t)(signbit(odd) != 0) << (s.fraction_bits + s.exponent_bits);
    uint64_t infinite = ((UINT64_C(1) << s.exponent_bits) - 1) << s.fraction_bits;
    int bias = (1 << (s.exponent_bits - 1)) - 1, exponent;
    if (saturate)
        odd = odd != odd || odd < 0 ? 0 : odd > 1 ? 1 : odd, sign = 0;
    if (odd != odd)
        return s.nan;
    if (odd == 0)
        return sign;
    if (odd == (double)INFINITY || odd == -(double)INFINITY)
        return sign | infinite;
    frexp(odd, &exponent);
    int unit = exponent - 1 < 1 - bias ? 1 - bias - s.fraction_bits : exponent - 1 - s.fraction_bits;
    fesetround(rounding);
    volatile double scaled = ldexp(odd, -unit);
    volatile double whole = rint(scaled);
    fesetround(FE_TONEAREST);
    double magnitude = ldexp(fabs(whole), unit), limit = ldexp(2 - ldexp(1, -s.fraction_bits), bias);
    if (magnitude > limit) {
        bool away = rounding == FE_TONEAREST || (rounding == FE_UPWARD && !sign) || (rounding == FE_DOWNWARD && sign);
        return sign | (away ? infinite : infinite - 1);
    }
    uint64_t units = (uint64_t)fabs(whole);
    if (flush && magnitude < ldexp(1, 1 - bias))
        return sign;
    if (magnitude < ldexp(1, 1 - bias))
        return sign | units;
    frexp(magnitude, &exponent);
    uint64_t significand = (uint64_t)ldexp(magnitude, s.fraction_bits - exponent + 1);
    return sign | (uint64_t)(exponent - 1 + bias) << s.fraction_bits |
           (significand & ((UINT64_C(1) << s.fraction_bits) - 1));
}

static double operate(const char *op, volatile double a, volatile double b, volatile double c)
{
    volatile double r;
    switch (op[0]) {
    case 'a':
        r = a + b;
        break;
    case 'd':
        r = a / b;
        break;
    case 'r':
        r = 1 / a;
        break;
    case 's':
        r = op[1] == 'u' ? a - b : sqrt(a);
        break;
    case 'f':
        r = fma(a, b, c);
        break;
    default:
        r = op[1] == 'a' ? fma(a, b, c) : a * b; /* mad, mul */
        break;
    }
    return r;
}

static bool is_arithmetic(const char *op)
{
    static const char *const names[] = {"add", "sub", "mul", "fma", "mad", "div", "rcp", "sqrt"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(op, names[i]))
            return true;
    return false;
}

/* One operation in double precision, rounded to odd: all that a narrower format needs to round once, correctly. */
static double to_odd(const char *op, double a, double b, double c)
{
    fesetround(FE_TOWARDZERO);
    feclearexcept(FE_ALL_EXCEPT);
    volatile double r = operate(op, a, b, c);
    bool inexact = fetestexcept(FE_INEXACT);
    fesetround(FE_TONEAREST);
    return inexact && isfinite((double)r) ? from_bits(to_bits(r) | 1) : r;
}

static uint64_t arithmetic_bits(const struct form *f, enum execute_type type, const uint64_t in[3])
{
    double v[3];
    int count = f->opcode[0] == 'f' || !strcmp(f->opcode, "mad") ? 3
                : f->opcode[0] == 'r' || f->opcode[1] == 'q'     ? 1
                                                                 : 2;
    for (int i = 0; i < 3; i++)
        v[i] = i < count ? reference_widen(type, in[i], f->ftz) : 0;
    if (type == EXECUTE_f64) {
        fesetround(f->rounding);
        volatile double r = operate(f->opcode, v[0], v[1], v[2]);
        fesetround(FE_TONEAREST);
        if (r == r)
            return to_bits(r);
        for (int i = 0; i < count; i++)
            if (v[i] != v[i])
                return (in[i] | UINT64_C(1) << 51) ^ (uint64_t)(!strcmp(f->opcode, "sub") && i == 1) << 63;
        return UINT64_C(0xfff8) << 48;
    }
    double odd = to_odd(f->opcode, v[0], v[1], v[2]);
    /* the sign of an exact zero depends on the rounding */
    if (odd == 0 && f->rounding == FE_DOWNWARD) {
        fesetround(FE_DOWNWARD);
        odd = operate(f->opcode, v[0], v[1], v[2]);
        fesetround(FE_TONEAREST);
    }
    return reference_narrow(type, odd, f->rounding, f->ftz, f->sat);
}

static uint64_t extreme_bits(const struct form *f, enum execute_type type, const uint64_t in[3])
{
    struct shape s = shape_of(type);
    double a = reference_widen(type, in[0], f->ftz), b = reference_widen(type, in[1], f->ftz);
    bool least = f->opcode[1] == 'i';
    uint64_t sign = UINT64_C(1) << (s.fraction_bits + s.exponent_bits);
    uint64_t x = f->ftz && a == 0 ? in[0] & sign : in[0], y = f->ftz && b == 0 ? in[1] & sign : in[1];
    if ((a != a && b != b) || (form_has(f, "NaN") && (a != a || b != b)))
        return type == EXECUTE_f64 ? in[1] | UINT64_C(1) << 51 : s.nan;
    if (a != a || b != b)
        return a != a ? y : x;
    if (a == b)
        return (least ? (signbit(a) != 0) : (signbit(a) == 0)) ? x : y;
    return least == (a < b) ? x : y;
}

static struct expected approximation(const struct form *f, const uint64_t in[3])
{
    struct expected e = {.verdict = REFERENCE_NEAR, .relative = 0x1p-22, .absolute = 0};
    double a = reference_widen(f->types[0], in[0], f->ftz), b = reference_widen(f->types[0], in[1], f->ftz);
    const char *op = f->opcode;
    if (f->types[0] == EXECUTE_f64 && f->ftz && fabs(a) < 0x1p-1022)
        a = copysign(0.0, a);
    if (!strcmp(op, "sin") || !strcmp(op, "cos")) {
        e.value = op[0] == 's' ? sin(a) : cos(a);
        e.relative = 0;
        e.absolute = 0x1p-21 + fabs(a) * 0x1p-22; /* the angle becomes turns in single precision */
        if (fabs(a) > 1e6 && isfinite(a))         /* not specified, but bounded */
            e.value = 0, e.absolute = 1;
    } else if (!strcmp(op, "ex2")) {
        e.value = exp2(a);
        e.absolute = 0x1p-149;
    } else if (!strcmp(op, "lg2")) {
        e.value = log2(a);
    } else if (!strcmp(op, "tanh")) {
        e.value = tanh(a);
    } else if (!strcmp(op, "rsqrt")) {
        e.value = 1 / sqrt(a);
    } else if (!strcmp(op, "rcp")) {
        e.value = 1 / a;
    } else if (!strcmp(op, "sqrt")) {
        e.value = sqrt(a);
    } else if (!strcmp(op, "div")) {
        e.value = a / b;
        if (form_has(f, "approx") && fabs(b) >= 0x1p126) /* the reciprocal is subnormal, and flushed */
            e.value = isinf(b) ? a / b : isinf(a) ? (double)NAN : a * copysign(0.0, b);
        if (form_has(f, "approx") && fabs(b) == 0x1p126) /* it is not */
            e.value = a / b;
    } else {
        e.verdict = REFERENCE_NONE;
    }
    if (f->types[0] == EXECUTE_f64) /* rsqrt.approx.f64 is what CUDA's rsqrt becomes: within a unit in the last place */
        e.relative = f->ftz || op[1] == 'c' ? 0x1p-19 : 0x1p-52;
    if (f->ftz)
        e.absolute += f->types[0] == EXECUTE_f64 ? 0x1p-1022 : 0x1p-126;
    else if (f->types[0] == EXECUTE_f32)
        e.absolute += 0x1p-149;
    return e;
}

struct expected reference_float(const struct form *f, const uint64_t in[3])
{
    struct expected e = {.verdict = REFERENCE_EXACT};
    enum execute_type type = f->types[0];
    struct shape s = shape_of(type);
    uint64_t sign = UINT64_C(1) << (s.fraction_bits + s.exponent_bits);
    bool pair = type == EXECUTE_f16x2 || type == EXECUTE_bf16x2 || type == EXECUTE_f32x2;
    if (pair) {
        struct form half = *f;
        int step = type == EXECUTE_f32x2 ? 32 : 16;
        uint64_t mask = (UINT64_C(1) << step) - 1;
        half.types[0] = type == EXECUTE_f32x2 ? EXECUTE_f32 : type == EXECUTE_f16x2 ? EXECUTE_f16 : EXECUTE_bf16;
        for (int i = 0; i < 2; i++) {
            uint64_t part[3] = {in[0] >> step * i & mask, in[1] >> step * i & mask, in[2] >> step * i & mask};
            e.bits |= reference_float(&half, part).bits << step * i;
        }
        return e;
    }
    if (form_has(f, "approx") || form_has(f, "full"))
        return approximation(f, in);
    if (is_arithmetic(f->opcode)) {
        e.bits = arithmetic_bits(f, type, in);
        if (form_has(f, "relu"))
            e.bits = e.bits == s.nan ? e.bits : e.bits & sign ? 0 : e.bits;
    } else if (!strcmp(f->opcode, "min") || !strcmp(f->opcode, "max")) {
        e.bits = extreme_bits(f, type, in);
    } else if (!strcmp(f->opcode, "abs") || !strcmp(f->opcode, "neg")) {
        double a = reference_widen(type, in[0], f->ftz);
        uint64_t bits = f->ftz && a == 0 ? in[0] & sign : in[0];
        e.bits = f->opcode[0] == 'a' ? bits & ~sign : bits ^ sign;
        if (a != a) /* an addition to -0, on silicon */
            e.bits = type == EXECUTE_f64 ? e.bits | UINT64_C(1) << 51 : s.nan;
    } else if (!strcmp(f->opcode, "copysign")) {
        e.bits = (in[1] & ~sign) | (in[0] & sign);
    } else {
        e.verdict = REFERENCE_NONE;
    }
    return e;
}

/* ===== conversions ===== */

static bool is_whole(enum execute_type type)
{
    return type >= EXECUTE_u8 && type <= EXECUTE_s64;
}

static uint64_t cut(enum execute_type type, __int128 value)
{
    unsigned bits = 8 * execute_type_bytes(type);
    return bits == 64 ? (uint64_t)value : (uint64_t)value & ((UINT64_C(1) << bits) - 1);
}

static __int128 whole_of(enum execute_type type, uint64_t bits)
{
    unsigned width = 8 * execute_type_bytes(type);
    __int128 value = (__int128)cut(type, (__int128)bits);
    return execute_type_is_signed(type) && value >> (width - 1) ? value - ((__int128)1 << width) : value;
}

static __int128 bounded(enum execute_type type, __int128 value)
{
    unsigned width = 8 * execute_type_bytes(type);
    __int128 most = ((__int128)1 << (width - execute_type_is_signed(type))) - 1,
             least = execute_type_is_signed(type) ? -most - 1 : 0;
    return value < least ? least : value > most ? most : value;
}

static uint64_t float_to_whole(const struct form *f, uint64_t bits)
{
    enum execute_type to = f->types[0], from = f->types[1];
    double value = reference_widen(from, bits, f->ftz);
    unsigned width = 8 * execute_type_bytes(to);
    if (value != value)
        return from == EXECUTE_f64 || width == 64 ? UINT64_C(1) << (width - 1) : 0;
    fesetround(f->rounding);
    volatile double whole = rint(value);
    fesetround(FE_TONEAREST);
    if (whole > 0x1p70 || whole < -0x1p70)
        return cut(to, bounded(to, whole > 0 ? (__int128)1 << 100 : -((__int128)1 << 100)));
    return cut(to, bounded(to, (__int128)whole));
}

/* Whole numbers of 64 bits do not fit a double: two halves are added with rounding to odd. */
static double odd_of_whole(__int128 value)
{
    bool negative = value < 0;
    uint64_t size = (uint64_t)(negative ? -value : value);
    double high = ldexp((double)(size >> 32), 32), low = (double)(size & 0xffffffff);
    double sum = to_odd("add", high, low, 0);
    return negative ? -sum : sum;
}

struct expected reference_convert(const struct form *f, const uint64_t in[3])
{
    struct expected e = {.verdict = REFERENCE_EXACT};
    enum execute_type to = f->types[0], from = f->types[1];
    if (is_whole(to) && is_whole(from)) {
        __int128 value = whole_of(from, in[0]);
        e.bits = cut(to, f->sat ? bounded(to, value) : value);
    } else if (is_whole(to)) {
        e.bits = float_to_whole(f, in[0]);
    } else if (is_whole(from)) {
        __int128 value = whole_of(from, in[0]);
        if (to == EXECUTE_f64) {
            fesetround(f->rounding);
            volatile uint64_t size = (uint64_t)(value < 0 ? -value : value);
            volatile int64_t whole = (int64_t)value;
            volatile double made = execute_type_is_signed(from) ? (double)whole : (double)size;
            fesetround(FE_TONEAREST);
            e.bits = to_bits(made);
        } else {
            e.bits = reference_narrow(to, odd_of_whole(value), f->rounding, false, f->sat);
        }
    } else {
        double value = reference_widen(from, in[0], f->ftz && from == EXECUTE_f32);
        bool integral = false;
        for (int i = 0; i < f->word_count; i++)
            integral |= f->words[i][0] == 'r' && strlen(f->words[i]) == 3 && f->words[i][2] == 'i';
        if (integral && value == value) {
            fesetround(f->rounding);
            volatile double whole = rint(value);
            fesetround(FE_TONEAREST);
            value = copysign(whole, value);
        }
        bool copied = !integral && !f->ftz && !f->sat; /* no instruction, or a shift: a NaN keeps its bits */
        if (to == EXECUTE_f32 && copied && value != value && (from == EXECUTE_bf16 || from == EXECUTE_f32))
            e.bits = from == EXECUTE_bf16 ? (in[0] & 0xffff) << 16 : in[0];
        else if (to == EXECUTE_f64 && from == EXECUTE_f64 && copied && value != value)
            e.bits = in[0];
        else if (to == EXECUTE_f64 && value != value)
            e.bits = from == EXECUTE_f64 ? in[0] | UINT64_C(1) << 51 : UINT64_C(0x7fffffffe0000000);
        else
            e.bits = to == EXECUTE_f64 ? to_bits(value)
                                       : reference_narrow(to, value, f->rounding, f->ftz && to == EXECUTE_f32, f->sat);
    }
    return e;
}
