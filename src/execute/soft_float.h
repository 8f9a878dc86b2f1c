/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Floating-point arithmetic by integers: all formats and roundings of PTX, exactly. It serves what the host's own
 * arithmetic does not (other roundings, half precision, odd formats), and is the reference for what it does.
 */
#ifndef EXECUTE_SOFT_FLOAT_H
#define EXECUTE_SOFT_FLOAT_H

#include <stdbool.h>
#include <stdint.h>

enum ptx_rounding { PTX_RN, PTX_RZ, PTX_RM, PTX_RP, PTX_RNA /* ties away from zero */ };

/* A format: exponent and fraction bits. */
struct ptx_format {
    uint8_t exponent_bits, fraction_bits;
    bool no_infinity; /* e4m3: the largest code is NaN, and there are no infinities */
    uint64_t nan;     /* what a NaN result is */
};

extern const struct ptx_format ptx_format_f16, ptx_format_bf16, ptx_format_tf32, ptx_format_f32, ptx_format_f64,
    ptx_format_e4m3, ptx_format_e5m2;

enum ptx_float_class { PTX_ZERO, PTX_FINITE, PTX_INFINITE, PTX_NAN };

/* (-1)^negative · significand · 2^exponent; `sticky`: something smaller than a unit of the significand is left. */
struct ptx_number {
    enum ptx_float_class class;
    bool negative, sticky;
    int32_t exponent;
    unsigned __int128 significand;
};

struct ptx_number ptx_soft_unpack(const struct ptx_format *format, uint64_t bits, bool flush);
/* Rounds once. `flush`: a subnormal result becomes zero; `saturate`: into [0, 1], NaN to +0; `finite`: overflow gives
 * the largest finite number. */
uint64_t ptx_soft_pack(const struct ptx_format *format, struct ptx_number number, enum ptx_rounding rounding,
                       bool flush, bool saturate, bool finite);

/* Exact, or with `sticky`, for the pack that follows. */
struct ptx_number ptx_soft_add(struct ptx_number a, struct ptx_number b, enum ptx_rounding rounding);
struct ptx_number ptx_soft_multiply(struct ptx_number a, struct ptx_number b);
struct ptx_number ptx_soft_fma(struct ptx_number a, struct ptx_number b, struct ptx_number c,
                               enum ptx_rounding rounding);
struct ptx_number ptx_soft_divide(struct ptx_number a, struct ptx_number b);
struct ptx_number ptx_soft_root(struct ptx_number a);
struct ptx_number ptx_soft_integer(uint64_t magnitude, bool negative);

/* To an integer of `bits` bits, saturating; NaN gives `nan`. */
uint64_t ptx_soft_to_integer(struct ptx_number a, enum ptx_rounding rounding, unsigned bits, bool is_signed,
                             uint64_t nan);
/* Rounded to a whole number, as a number. */
struct ptx_number ptx_soft_whole(struct ptx_number a, enum ptx_rounding rounding);

float ptx_soft_fma32(float a, float b, float c);
double ptx_soft_fma64(double a, double b, double c);

#endif
