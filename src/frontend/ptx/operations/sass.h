/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Instructions of Volta to Hopper that the assembler makes where a statement of PTX alone does not say which: fused
 * ones (select.h), and parts of sequences (sequence.h). Name, execution class.
 */
#ifndef FRONTEND_PTX_OPERATIONS_SASS_H
#define FRONTEND_PTX_OPERATIONS_SASS_H

#include <stdint.h>

#define PTX_SASS_LIST(X)                                                                                               \
    X(IADD3, "IADD3", INT)                                                                                             \
    X(IADD3_X, "IADD3.X", INT)                                                                                         \
    X(IMAD, "IMAD", IMAD)                                                                                              \
    X(IMAD_WIDE, "IMAD.WIDE", IMAD)                                                                                    \
    X(IMAD_HI, "IMAD.HI.U32", IMAD)                                                                                    \
    X(LEA, "LEA", INT)                                                                                                 \
    X(LEA_HI_X, "LEA.HI.X", INT)                                                                                       \
    X(LOP3, "LOP3.LUT", INT)                                                                                           \
    X(SHF, "SHF.L.U64.HI", INT)                                                                                        \
    X(ISETP, "ISETP", INT)                                                                                             \
    X(ISETP_EX, "ISETP.EX", INT)                                                                                       \
    X(SEL, "SEL", INT)                                                                                                 \
    X(MOV, "MOV", INT)                                                                                                 \
    X(IABS, "IABS", INT)                                                                                               \
    X(FLO, "FLO.U32", CONVERT)                                                                                         \
    X(POPC, "POPC", CONVERT)                                                                                           \
    X(I2F, "I2F.RP", CONVERT)                                                                                          \
    X(F2I, "F2I.FTZ.U32.TRUNC.NTZ", CONVERT)                                                                           \
    X(F2F, "F2F.F64.F32", CONVERT)                                                                                     \
    X(MUFU_RCP, "MUFU.RCP", SFU)                                                                                       \
    X(MUFU_RSQ, "MUFU.RSQ", SFU)                                                                                       \
    X(MUFU, "MUFU", SFU)                                                                                               \
    X(FADD, "FADD", FP32)                                                                                              \
    X(FMUL, "FMUL", FP32)                                                                                              \
    X(FFMA, "FFMA", FP32)                                                                                              \
    X(FSETP, "FSETP", INT)                                                                                             \
    X(FSEL, "FSEL", INT)                                                                                               \
    X(FCHK, "FCHK", FP32)                                                                                              \
    X(DADD, "DADD", FP64)                                                                                              \
    X(DMUL, "DMUL", FP64)                                                                                              \
    X(DFMA, "DFMA", FP64)                                                                                              \
    X(DSETP, "DSETP", FP64)                                                                                            \
    X(S2R, "S2R", SPECIAL)                                                                                             \
    X(CALL, "CALL.REL.NOINC", BRANCH)                                                                                  \
    X(BRA, "BRA", BRANCH)

enum ptx_sass {
    PTX_SASS_BY_STATEMENT,
#define X(enumerator, name, class) PTX_SASS_##enumerator,
    PTX_SASS_LIST(X)
#undef X
        PTX_SASS_COUNT
};

/* Of any but PTX_SASS_BY_STATEMENT: the name, and the enum mnp_execution_class. */
const char *ptx_sass_text(uint8_t sass);
uint8_t ptx_sass_class(uint8_t sass);

#endif
