/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/ptx/operations/conversions.h"

#include "contract/instruction.h"
#include "execute/code/types.h"
#include "frontend/ptx/text/names.h"

#include <stdbool.h>
#include <string.h>

/* The types that a conversion names last: to, from. */
static void types_of(const char *text, enum execute_type *to, enum execute_type *from)
{
    const char *last = strrchr(text, '.'), *before = last;
    *to = *from = EXECUTE_NO_TYPE;
    if (!last)
        return;
    *from = ptx_type_of(last + 1, strlen(last + 1));
    while (before > text && *--before != '.')
        ;
    if (*before == '.')
        *to = ptx_type_of(before + 1, (size_t)(last - before - 1));
}

static bool is_wide(enum execute_type type)
{
    return execute_type_bytes(type) == 8;
}

static bool is_half(enum execute_type type)
{
    return type >= EXECUTE_f16 && type <= EXECUTE_bf16x2;
}

/* Whether the number becomes a whole one of the same type: .rni, .rzi, .rmi, .rpi. */
static bool makes_whole(const char *text)
{
    return strstr(text, ".rni") || strstr(text, ".rzi") || strstr(text, ".rmi") || strstr(text, ".rpi");
}

static struct ptx_conversion between_integers(enum execute_type to, enum execute_type from)
{
    const char *name = is_wide(to) && execute_type_is_signed(from) ? "SHF.R.S32.HI"
                       : is_wide(to) || is_wide(from)              ? "MOV"
                                                                   : "PRMT";
    return (struct ptx_conversion){MNP_CLASS_INT, name};
}

static struct ptx_conversion from_integer(enum execute_type to, enum execute_type from)
{
    if (to == EXECUTE_f32 && !is_wide(from))
        return (struct ptx_conversion){MNP_CLASS_INT, execute_type_is_signed(from) ? "I2FP.F32.S32" : "I2FP.F32.U32"};
    const char *name = is_wide(to) ? (is_wide(from) ? "I2F.F64.S64" : "I2F.F64") : is_half(to) ? "I2F.F16" : "I2F.S64";
    return (struct ptx_conversion){MNP_CLASS_CONVERT, name};
}

static struct ptx_conversion to_integer(enum execute_type to, enum execute_type from)
{
    const char *name = is_wide(from) ? (is_wide(to) ? "F2I.S64.F64" : "F2I.F64") : is_wide(to) ? "F2I.S64" : "F2I";
    return (struct ptx_conversion){MNP_CLASS_CONVERT, name};
}

/* Conversions to halves and smaller numbers, in pairs or single. */
static struct ptx_conversion to_small(enum execute_type to, enum execute_type from)
{
    if (is_wide(from))
        return (struct ptx_conversion){MNP_CLASS_CONVERT, "F2F.F16.F64"};
    bool brain = to == EXECUTE_bf16 || to == EXECUTE_bf16x2;
    return (struct ptx_conversion){MNP_CLASS_HALF, brain ? "F2FP.BF16.F32.PACK_AB" : "F2FP.F16.F32.PACK_AB"};
}

static struct ptx_conversion to_single(const char *text, enum execute_type from)
{
    switch (from) {
    case EXECUTE_f32:
        return makes_whole(text) ? (struct ptx_conversion){MNP_CLASS_CONVERT, "FRND"}
                                 : (struct ptx_conversion){MNP_CLASS_FP32, "FADD"};
    case EXECUTE_bf16:
        return (struct ptx_conversion){MNP_CLASS_INT, "SHF.L.U32"};
    case EXECUTE_f64:
        return (struct ptx_conversion){MNP_CLASS_CONVERT, "F2F.F32.F64"};
    default:
        return (struct ptx_conversion){MNP_CLASS_HALF, "HADD2.F32"};
    }
}

struct ptx_conversion ptx_conversion_of(const char *text)
{
    enum execute_type to, from;
    types_of(text, &to, &from);
    bool to_float = execute_type_is_float(to), from_float = execute_type_is_float(from);
    bool to_pair = execute_type_is_narrow(to), from_pair = execute_type_is_narrow(from);
    if (strncmp(text, "cvt.pack", 8) == 0)
        return (struct ptx_conversion){MNP_CLASS_CONVERT, "I2IP"};
    if (to == EXECUTE_tf32)
        return (struct ptx_conversion){MNP_CLASS_INT, "LOP3.LUT"};
    if (to_pair || from_pair || to == EXECUTE_NO_TYPE || from == EXECUTE_NO_TYPE) /* the latter: of less than a byte */
        return to_small(to, from);
    if (!to_float && !from_float)
        return between_integers(to, from);
    if (!from_float)
        return from_integer(to, from);
    if (!to_float)
        return to_integer(to, from);
    if (to == EXECUTE_f64)
        return (struct ptx_conversion){MNP_CLASS_CONVERT, from == EXECUTE_f64 ? "FRND.F64" : "F2F.F64.F32"};
    if (is_half(to) && is_half(from))
        return makes_whole(text) ? (struct ptx_conversion){MNP_CLASS_CONVERT, "FRND.F16"}
                                 : (struct ptx_conversion){MNP_CLASS_HALF, "HADD2"};
    return is_half(to) ? to_small(to, from) : to_single(text, from);
}
