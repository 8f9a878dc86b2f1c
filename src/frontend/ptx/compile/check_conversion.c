/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks of targets and PTX versions that depend on the pair of types: conversions, comparisons of halves, reductions
 * of a warp's floats (ISA 9.0, cvt, set and redux.sync; and the behaviour of ptxas of CUDA 13.0).
 */
#include "frontend/ptx/compile/check.h"

static bool is_half(enum execute_type type)
{
    return type == EXECUTE_f16 || type == EXECUTE_f16x2;
}

static bool is_brain(enum execute_type type)
{
    return type == EXECUTE_bf16 || type == EXECUTE_bf16x2;
}

/* Requires a target with the features of its family, sm_100f, or of itself, sm_100a. */
static bool needs_specific(struct ptx_decoder *decoder, uint32_t below)
{
    const struct ptx_module *module = decoder->module;
    return (module->specific && module->architecture >= 100 && module->architecture < below) ||
           ptx_decode_fail(decoder, "it needs a target for one architecture or its family, as `.target sm_100a`");
}

/* Numbers of eight bits and less. */
static bool check_narrow(struct ptx_decoder *decoder, enum execute_type to, enum execute_type from)
{
    enum execute_type narrow = execute_type_is_narrow(to) ? to : from;
    if (narrow != EXECUTE_e4m3x2 && narrow != EXECUTE_e5m2x2)
        return needs_specific(decoder, UINT32_MAX);
    return ptx_needs(decoder, 89, decoder->module->architecture < 90 ? 81 : 78, "");
}

static bool check_brain(struct ptx_decoder *decoder, enum execute_type to, enum execute_type from)
{
    if (from == EXECUTE_bf16 && to == EXECUTE_f32 && !ptx_has_word(decoder, "ftz"))
        return ptx_needs(decoder, 80, 71, "");
    return is_brain(to) && from == EXECUTE_f32 ? ptx_needs(decoder, 80, 70, "") : ptx_needs(decoder, 90, 78, "");
}

static bool check_convert(struct ptx_decoder *decoder)
{
    enum execute_type to = (enum execute_type)decoder->types[0], from = (enum execute_type)decoder->types[1];
    bool finite = ptx_has_word(decoder, "satfinite");
    if (execute_type_is_narrow(to) || execute_type_is_narrow(from))
        return check_narrow(decoder, to, from);
    if (to == EXECUTE_tf32 && !ptx_has_word(decoder, "rna"))
        return ptx_needs(decoder, finite ? 100 : 90, finite ? 86 : 78, "");
    if (finite && !ptx_needs(decoder, 0, 81, ""))
        return false;
    return (!is_brain(to) && !is_brain(from)) || check_brain(decoder, to, from);
}

bool ptx_check_conversion(struct ptx_decoder *decoder)
{
    const struct ptx_word *opcode = &decoder->words[0];
    if (ptx_word_is(opcode, "cvt") && decoder->type_count == 2 && !ptx_has_word(decoder, "pack"))
        return check_convert(decoder);
    if (ptx_word_is(opcode, "set") && decoder->type_count == 2 && is_half((enum execute_type)decoder->types[1]) &&
        !is_half((enum execute_type)decoder->types[0]))
        return ptx_needs(decoder, 53, 65, "");
    if (ptx_word_is(opcode, "redux") && ptx_has_word(decoder, "f32"))
        return needs_specific(decoder, 110);
    return true;
}
