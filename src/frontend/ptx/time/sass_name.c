/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/ptx/time/sass_name.h"

#include "frontend/ptx/operations/origin.h"
#include "frontend/ptx/operations/sass.h"

#include <stdio.h>

/* ===== memory ===== */

static const char *width_of(const struct execute_op *op, uint8_t width)
{
    enum execute_type type = (enum execute_type)op->access.type;
    bool is_signed = type == EXECUTE_s8 || type == EXECUTE_s16;
    switch (width) {
    case 1:
        return is_signed ? ".S8" : ".U8";
    case 2:
        return is_signed ? ".S16" : ".U16";
    case 8:
        return ".64";
    case 16:
        return ".128";
    default:
        return "";
    }
}

static const char *space_letter(const struct execute_op *op, uint8_t space)
{
    return space == MNP_SPACE_SHARED                   ? "S"
           : space == MNP_SPACE_LOCAL                  ? "L"
           : space == MNP_SPACE_CONSTANT               ? "C"
           : op->access.space == EXECUTE_SPACE_GENERIC ? ""
                                                       : "G";
}

static const char *atomic_operation(const struct execute_op *op)
{
    static const char *const names[] = {
        [EXECUTE_ATOMIC_ADD] = "ADD",   [EXECUTE_ATOMIC_MIN] = "MIN", [EXECUTE_ATOMIC_MAX] = "MAX",
        [EXECUTE_ATOMIC_AND] = "AND",   [EXECUTE_ATOMIC_OR] = "OR",   [EXECUTE_ATOMIC_XOR] = "XOR",
        [EXECUTE_ATOMIC_EXCH] = "EXCH", [EXECUTE_ATOMIC_CAS] = "CAS", [EXECUTE_ATOMIC_INC] = "INC",
        [EXECUTE_ATOMIC_DEC] = "DEC"};
    return op->access.operation < sizeof names / sizeof *names ? names[op->access.operation] : "ADD";
}

static void access_name(const struct execute_op *op, const struct mnp_static_instruction *timing,
                        char name[EXECUTE_TRACE_NAME])
{
    const char *letter = space_letter(op, timing->space), *width = width_of(op, timing->width);
    const char *extended = timing->space == MNP_SPACE_GLOBAL ? ".E" : "";
    const char *strong = timing->flags & MNP_FLAG_BYPASS_L1 ? ".STRONG.GPU" : "";
    if (op->kind == EXECUTE_KIND_ATOMIC && timing->space == MNP_SPACE_SHARED)
        snprintf(name, EXECUTE_TRACE_NAME, "ATOMS.%s%s", atomic_operation(op), width);
    else if (op->kind == EXECUTE_KIND_ATOMIC && timing->operation == MNP_REDUCTION)
        snprintf(name, EXECUTE_TRACE_NAME, "RED.E.%s%s.STRONG.GPU", atomic_operation(op), width);
    else if (op->kind == EXECUTE_KIND_ATOMIC)
        snprintf(name, EXECUTE_TRACE_NAME, "ATOM%s.E.%s%s.STRONG.GPU", letter, atomic_operation(op), width);
    else if (op->kind == EXECUTE_KIND_COPY_ASYNC)
        snprintf(name, EXECUTE_TRACE_NAME, "LDGSTS.E%s%s", timing->flags & MNP_FLAG_BYPASS_L1 ? ".BYPASS" : "", width);
    else if (op->kind == EXECUTE_KIND_LOAD_MATRIX)
        snprintf(name, EXECUTE_TRACE_NAME, "%s.16.M88.4", timing->operation == MNP_STORE ? "STSM" : "LDSM");
    else if (op->kind == EXECUTE_KIND_TEXTURE)
        snprintf(name, EXECUTE_TRACE_NAME, "TEX.SCR.LL");
    else if (op->kind == EXECUTE_KIND_WMMA_ACCESS) /* its form only holds the space */
        snprintf(name, EXECUTE_TRACE_NAME, "%s%s%s", timing->operation == MNP_STORE ? "ST" : "LD",
                 timing->space == MNP_SPACE_SHARED ? "S" : "G", extended);
    else
        snprintf(name, EXECUTE_TRACE_NAME, "%s%s%s%s%s", timing->operation == MNP_STORE ? "ST" : "LD", letter, extended,
                 width, strong);
}

static void matrix_name(const struct execute_code *code, const struct execute_op *op, char name[EXECUTE_TRACE_NAME])
{
    const struct execute_matrix_form *form = (const struct execute_matrix_form *)code->matrices.items + op->matrix;
    enum execute_type type = (enum execute_type)form->a_type;
    const char *kind = type == EXECUTE_f64           ? "DMMA"
                       : type == EXECUTE_b1          ? "BMMA"
                       : execute_type_is_float(type) ? "HMMA"
                       : form->m * form->k > 16 * 8  ? "IMMA"
                                                     : "HMMA"; /* tf32 is not a type of registers */
    snprintf(name, EXECUTE_TRACE_NAME, "%s%s.%ux%ux%u%s", kind, form->sparse ? ".SP" : "", form->m, form->n, form->k,
             kind[0] == 'H' ? ".F32" : "");
}

/* ===== all ===== */

static const char *fixed_name(const struct execute_code *code, const struct execute_op *op)
{
    bool in_kernel =
        op - (const struct execute_op *)code->ops.items <
        (ptrdiff_t)execute_code_function_at(code, 0)->first_op + execute_code_function_at(code, 0)->op_count;
    switch (op->kind) {
    case EXECUTE_KIND_RETURN:
        return in_kernel ? "EXIT" : execute_kinds[op->kind].instruction;
    case EXECUTE_KIND_BARRIER:
        return op->variant == EXECUTE_BARRIER_CLUSTER_ARRIVE ? (op->combine ? "UCGABAR_ARV" : "UCGABAR_ARV.RELAX")
               : op->variant == EXECUTE_BARRIER_CLUSTER_WAIT ? "UCGABAR_WAIT"
               : op->variant == EXECUTE_BARRIER_ARRIVE       ? "BAR.ARV"
                                                             : "BAR.SYNC";
    case EXECUTE_KIND_FENCE:
        return op->variant ? execute_kinds[op->kind].instruction : "MEMBAR.SC.CTA";
    case EXECUTE_KIND_GRID:
        return op->variant == EXECUTE_GRID_WAIT ? "ACQBULK" : "PREEXIT";
    case EXECUTE_KIND_NOTHING:
        return op->variant == EXECUTE_NOTHING_WARP ? "WARPSYNC" : "NOP";
    default:
        return execute_kinds[op->kind].instruction;
    }
}

/* The number of groups that may stay pending is part of the name, as traces require (docs/traces.md). */
static bool copy_group_name(const struct execute_op *op, char name[EXECUTE_TRACE_NAME])
{
    bool commit = op->variant == EXECUTE_GROUP_LANES_COMMIT;
    if (op->kind != EXECUTE_KIND_ASYNC_GROUP || (!commit && op->variant != EXECUTE_GROUP_LANES_WAIT))
        return false;
    if (commit)
        snprintf(name, EXECUTE_TRACE_NAME, "LDGDEPBAR");
    else
        snprintf(name, EXECUTE_TRACE_NAME, "DEPBAR.LE.%u", (unsigned)op->immediate);
    return true;
}

const char *ptx_sass_name(const struct execute_code *code, const struct execute_op *op,
                          const struct mnp_static_instruction *timing, char name[EXECUTE_TRACE_NAME])
{
    if (copy_group_name(op, name))
        return name;
    const char *fixed = op->sass ? ptx_sass_text(op->sass) : fixed_name(code, op);
    if (fixed)
        snprintf(name, EXECUTE_TRACE_NAME, "%s", fixed);
    else if (op->kind == EXECUTE_KIND_LOAD_PARAMETER)
        snprintf(name, EXECUTE_TRACE_NAME, timing->width == 8 ? "LDC.64" : "LDC");
    else if (timing->class == MNP_CLASS_MEMORY)
        access_name(op, timing, name);
    else if (op->kind == EXECUTE_KIND_MATRIX)
        matrix_name(code, op, name);
    else
        snprintf(name, EXECUTE_TRACE_NAME, "%s", ptx_opcode_of(code, op)->instruction);
    return name;
}
