/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What PTX instructions compute, written a second time and in another way than the front-end does: integers by 128-bit
 * arithmetic and loops over bits, floating point by the host's unit with its rounding modes.
 */
#ifndef TESTS_PTX_REFERENCE_H
#define TESTS_PTX_REFERENCE_H

#include "execute/code/types.h"

#include <stdbool.h>
#include <stdint.h>

struct form { /* an instruction's text, taken apart */
    char opcode[24];
    char words[12][24]; /* modifiers that are no types */
    int word_count;
    enum execute_type types[4];
    int type_count;
    bool ftz, sat;
    int rounding; /* FE_TONEAREST, … */
};

void form_read(struct form *form, const char *text);
bool form_has(const struct form *form, const char *word);

enum verdict { REFERENCE_EXACT, REFERENCE_NEAR /* within `tolerance`, relative or absolute */, REFERENCE_NONE };

struct expected {
    enum verdict verdict;
    uint64_t bits;
    double value, relative, absolute;
};

/* `in`: the sources' bits, as wide as their types. */
struct expected reference_integer(const struct form *form, const uint64_t in[3]);
struct expected reference_float(const struct form *form, const uint64_t in[3]);
struct expected reference_convert(const struct form *form, const uint64_t in[3]);
/* setp: whether the comparison holds. */
bool reference_compare(const struct form *form, uint64_t a, uint64_t b);

/* A value of a floating-point type as a double, exactly, and back by one rounding of a number that was computed with
 * rounding to odd. */
double reference_widen(enum execute_type type, uint64_t bits, bool flush);
uint64_t reference_narrow(enum execute_type type, double odd, int rounding, bool flush, bool saturate);

#endif
