/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Machine instructions of Volta to Hopper that do not follow from the PTX statement alone: fused ones (select.h), and
 * parts of sequences (sequences.h).
 */
#ifndef FRONTEND_PTX_OPERATIONS_SASS_H
#define FRONTEND_PTX_OPERATIONS_SASS_H

#include "isa/opcodes.h"

/* enumerator, opcode (isa/opcodes.h), name with modifiers */
#define PTX_SASS_LIST(X)                                                                                               \
    X(IADD3, IADD3, "IADD3")                                                                                           \
    X(IADD3_X, IADD3, "IADD3.X")                                                                                       \
    X(IMAD, IMAD, "IMAD")                                                                                              \
    X(IMAD_WIDE, IMAD, "IMAD.WIDE")                                                                                    \
    X(IMAD_HI, IMAD, "IMAD.HI.U32")                                                                                    \
    X(LEA, LEA, "LEA")                                                                                                 \
    X(LEA_HI_X, LEA, "LEA.HI.X")                                                                                       \
    X(LOP3, LOP3, "LOP3.LUT")                                                                                          \
    X(SHF, SHF, "SHF.L.U64.HI")                                                                                        \
    X(ISETP, ISETP, "ISETP")                                                                                           \
    X(ISETP_EX, ISETP, "ISETP.EX")                                                                                     \
    X(SEL, SEL, "SEL")                                                                                                 \
    X(MOV, MOV, "MOV")                                                                                                 \
    X(IABS, IABS, "IABS")                                                                                              \
    X(FLO, FLO, "FLO.U32")                                                                                             \
    X(POPC, POPC, "POPC")                                                                                              \
    X(I2F, I2F, "I2F.U16")                                                                                             \
    X(I2F_U32_RP, I2F, "I2F.U32.RP")                                                                                   \
    X(I2F_RP, I2F, "I2F.RP")                                                                                           \
    X(I2F_U64_RP, I2F, "I2F.U64.RP")                                                                                   \
    X(F2I, F2I, "F2I.FTZ.U32.TRUNC.NTZ")                                                                               \
    X(F2F, F2F, "F2F.F64.F32")                                                                                         \
    X(MUFU_RCP, MUFU, "MUFU.RCP")                                                                                      \
    X(MUFU_RSQ, MUFU, "MUFU.RSQ")                                                                                      \
    X(MUFU, MUFU, "MUFU")                                                                                              \
    X(FADD, FADD, "FADD")                                                                                              \
    X(FMUL, FMUL, "FMUL")                                                                                              \
    X(FFMA, FFMA, "FFMA")                                                                                              \
    X(FSETP, FSETP, "FSETP")                                                                                           \
    X(FSEL, FSEL, "FSEL")                                                                                              \
    X(FCHK, FCHK, "FCHK")                                                                                              \
    X(HADD2, HADD2, "HADD2")                                                                                           \
    X(HFMA2, HFMA2, "HFMA2")                                                                                           \
    X(FFMA2, FFMA2, "FFMA2")                                                                                           \
    X(DADD, DADD, "DADD")                                                                                              \
    X(DMUL, DMUL, "DMUL")                                                                                              \
    X(DFMA, DFMA, "DFMA")                                                                                              \
    X(DSETP, DSETP, "DSETP")                                                                                           \
    X(S2R, S2R, "S2R")                                                                                                 \
    X(CALL, CALL, "CALL.REL.NOINC")                                                                                    \
    X(BRA, BRA, "BRA")

enum ptx_sass {
    PTX_SASS_BY_STATEMENT,
#define X(enumerator, opcode, name) PTX_SASS_##enumerator,
    PTX_SASS_LIST(X)
#undef X
        PTX_SASS_COUNT
};

/* Name, and opcode facts, of any instruction but PTX_SASS_BY_STATEMENT. */
const char *ptx_sass_text(uint8_t sass);
const struct isa_opcode_row *ptx_sass_opcode(uint8_t sass);

#endif
