/* SPDX-License-Identifier: BSD-3-Clause */
/* The fundamental types and state spaces of PTX (ISA 9.0, sections 5.1 and 5.2). */
#ifndef EXECUTE_TYPES_H
#define EXECUTE_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* name, bytes in memory */
#define PTX_TYPES(X)                                                                                                   \
    X(pred, 0)                                                                                                         \
    X(b8, 1)                                                                                                           \
    X(b16, 2)                                                                                                          \
    X(b32, 4)                                                                                                          \
    X(b64, 8)                                                                                                          \
    X(b128, 16)                                                                                                        \
    X(u8, 1) X(u16, 2) X(u32, 4) X(u64, 8) X(s8, 1) X(s16, 2) X(s32, 4) X(s64, 8) X(f16, 2) X(f16x2, 4) X(bf16, 2)     \
        X(bf16x2, 4) X(tf32, 4) X(f32, 4) X(f64, 8) X(f32x2, 8) X(e4m3x2, 2) X(e5m2x2, 2) X(u16x2, 4) X(s16x2, 4)      \
            X(u4, 1) X(s4, 1) X(b1, 1) X(texref, 8) X(samplerref, 8) X(surfref, 8)

enum ptx_type {
    PTX_NO_TYPE,
#define X(name, bytes) PTX_##name,
    PTX_TYPES(X)
#undef X
        PTX_TYPE_COUNT
};

enum ptx_space {
    PTX_SPACE_GENERIC,
    PTX_SPACE_REG,
    PTX_SPACE_CONST,
    PTX_SPACE_GLOBAL,
    PTX_SPACE_LOCAL,
    PTX_SPACE_PARAM,
    PTX_SPACE_SHARED,
};

/* Bytes of a value of the type in memory. */
unsigned ptx_type_bytes(enum ptx_type type);
const char *ptx_type_name(enum ptx_type type);

/* The type that a word without its dot names, or PTX_NO_TYPE. */
enum ptx_type ptx_type_of(const char *word, size_t length);

static inline int ptx_type_is_signed(enum ptx_type type)
{
    return type >= PTX_s8 && type <= PTX_s64;
}

static inline int ptx_type_is_float(enum ptx_type type)
{
    return type >= PTX_f16 && type <= PTX_f64;
}

#endif
