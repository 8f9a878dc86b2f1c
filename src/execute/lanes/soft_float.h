/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Floating-point arithmetic in integers: all formats and roundings of PTX, exactly. It is used for operations that the
 * host's arithmetic lacks (other roundings, half precision, small formats), and is the reference for all others.
 */
#ifndef EXECUTE_SOFT_FLOAT_H
#define EXECUTE_SOFT_FLOAT_H

#include <stdbool.h>
#include <stdint.h>

enum execute_rounding { EXECUTE_RN, EXECUTE_RZ, EXECUTE_RM, EXECUTE_RP, EXECUTE_RNA /* ties away from zero */ };

/* A format: exponent and fraction bits. */
struct execute_format {
    uint8_t exponent_bits, fraction_bits;
    bool no_infinity; /* e4m3: the largest code is NaN, and there are no infinities */
    uint64_t nan;     /* bit pattern of a NaN result */
    bool finite;      /* every code is a number; NaN becomes the largest one */
};

extern const struct execute_format execute_format_f16, execute_format_bf16, execute_format_tf32, execute_format_f32,
    execute_format_f64, execute_format_e4m3, execute_format_e5m2, execute_format_e2m3, execute_format_e3m2,
    execute_format_e2m1;

enum execute_float_class { EXECUTE_ZERO, EXECUTE_FINITE, EXECUTE_INFINITE, EXECUTE_NAN };

/* (-1)^negative · significand · 2^exponent; `sticky`: something smaller than a unit of the significand is left. */
struct execute_number {
    enum execute_float_class class;
    bool negative, sticky;
    int32_t exponent;
    unsigned __int128 significand;
};

struct execute_number execute_soft_unpack(const struct execute_format *format, uint64_t bits, bool flush);
/* Rounds once. `flush`: a subnormal result becomes zero; `saturate`: into [0, 1], NaN to +0; `finite`: overflow gives
 * the largest finite number. */
uint64_t execute_soft_pack(const struct execute_format *format, struct execute_number number,
                           enum execute_rounding rounding, bool flush, bool saturate, bool finite);

/* Conversions to and from ue8m0, which consists of an exponent only: 2^(code - 127); 0xff is NaN. The sign is dropped;
 * values below 2^-127 become 2^-127. `up`: .rp, otherwise .rz; `finite`: infinity and overflow give 2^127. */
uint64_t execute_soft_to_e8m0(struct execute_number number, bool up, bool finite);
struct execute_number execute_soft_from_e8m0(uint64_t code);

/* Exact, or with `sticky`, for the pack that follows. */
struct execute_number execute_soft_add(struct execute_number a, struct execute_number b,
                                       enum execute_rounding rounding);
struct execute_number execute_soft_multiply(struct execute_number a, struct execute_number b);
struct execute_number execute_soft_fma(struct execute_number a, struct execute_number b, struct execute_number c,
                                       enum execute_rounding rounding);
struct execute_number execute_soft_divide(struct execute_number a, struct execute_number b);
struct execute_number execute_soft_root(struct execute_number a);
struct execute_number execute_soft_integer(uint64_t magnitude, bool negative);

/* Converts to an integer of `bits` bits, saturating; NaN gives `nan`. */
uint64_t execute_soft_to_integer(struct execute_number a, enum execute_rounding rounding, unsigned bits, bool is_signed,
                                 uint64_t nan);
/* Rounded to a whole number, as a number. */
struct execute_number execute_soft_whole(struct execute_number a, enum execute_rounding rounding);

float execute_soft_fma32(float a, float b, float c);
double execute_soft_fma64(double a, double b, double c);

#endif
