/* SPDX-License-Identifier: BSD-3-Clause */
/* Types of values and spaces of memory, as PTX ISA 9.0, sections 5.1 and 5.2, has and names them. */
#ifndef EXECUTE_TYPES_H
#define EXECUTE_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* name, bytes in memory */
/* clang-format off */
#define EXECUTE_TYPES(X)                                                 \
    X(pred, 0) X(b8, 1) X(b16, 2) X(b32, 4) X(b64, 8) X(b128, 16)        \
    X(u8, 1) X(u16, 2) X(u32, 4) X(u64, 8) X(s8, 1) X(s16, 2)            \
    X(s32, 4) X(s64, 8) X(f16, 2) X(f16x2, 4) X(bf16, 2) X(bf16x2, 4)    \
    X(tf32, 4) X(f32, 4) X(f64, 8) X(f32x2, 8) X(e4m3x2, 2) X(e5m2x2, 2) \
    X(e2m3x2, 2) X(e3m2x2, 2) X(e2m1x2, 1) X(ue8m0x2, 2)                 \
    X(u16x2, 4) X(s16x2, 4) X(u4, 1) X(s4, 1) X(b1, 1) X(texref, 8)      \
    X(samplerref, 8) X(surfref, 8) X(f16x4, 8) X(bf16x4, 8)
/* clang-format on */

enum execute_type {
    EXECUTE_NO_TYPE,
    EXECUTE_none = EXECUTE_NO_TYPE, /* in lists of forms: an operand that does not exist */
#define X(name, bytes) EXECUTE_##name,
    EXECUTE_TYPES(X)
#undef X
        EXECUTE_TYPE_COUNT
};

enum execute_space {
    EXECUTE_SPACE_GENERIC,
    EXECUTE_SPACE_REG,
    EXECUTE_SPACE_CONST,
    EXECUTE_SPACE_GLOBAL,
    EXECUTE_SPACE_LOCAL,
    EXECUTE_SPACE_PARAM,
    EXECUTE_SPACE_SHARED,
    EXECUTE_SPACE_CLUSTER, /* shared memory of all CTAs of a cluster */
};

/* Pairs of numbers of eight bits and less. */
static inline int execute_type_is_narrow(enum execute_type type)
{
    return (type >= EXECUTE_e4m3x2 && type <= EXECUTE_e5m2x2) || (type >= EXECUTE_e2m3x2 && type <= EXECUTE_ue8m0x2);
}

/* Bytes of a value of the type in memory. */
unsigned execute_type_bytes(enum execute_type type);
const char *execute_type_name(enum execute_type type);

/* Bits of an element of a matrix, or 0 for a type that matrices do not have. */
unsigned execute_matrix_bits(enum execute_type type);

static inline int execute_type_is_signed(enum execute_type type)
{
    return type >= EXECUTE_s8 && type <= EXECUTE_s64;
}

static inline int execute_type_is_float(enum execute_type type)
{
    return type >= EXECUTE_f16 && type <= EXECUTE_f64;
}

#endif
