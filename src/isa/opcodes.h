/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Properties of each SASS opcode, Volta to Hopper, and of the tensor memory opcodes: one row per mnemonic, without
 * modifiers, sorted by name. Traces, the timing of PTX, and machine code share this table.
 *
 * Mnemonics: NVIDIA CUDA binary utilities, instruction set reference, Volta to Hopper. Classes: the units given by
 * architecture whitepapers and GPGPU-Sim's trace configurations. Comparisons, selections, minima and maxima of single
 * precision use the integer pipe, according to their throughput (CUDA C++ programming guide, arithmetic instructions:
 * 64 per cycle and SM) and to nvcc's stall counts: 4 cycles to IADD3, 5 to FFMA. By its stall counts, VIADD belongs to
 * the multiply-add pipe and I2FP to the integer pipe.
 */
#ifndef ISA_OPCODES_H
#define ISA_OPCODES_H

#include "contract/instruction.h"

#include <stddef.h>

/* columns: mnemonic, MNP_CLASS_…, MNP_SPACE_…, enum mnp_memory_operation, flags MNP_FLAG_… joined, ISA_OPERANDS_…,
 * first architecture */
/* clang-format off */
#define ISA_OPCODES(X)                                                                                                 \
    X(ACQBULK, BRANCH, NONE, LOAD, BRANCH, SINGLE, 70)                                                                 \
    X(AL2P, SPECIAL, NONE, LOAD, 0, SINGLE, 70)                                                                        \
    X(ALD, SPECIAL, NONE, LOAD, 0, SINGLE, 70)                                                                         \
    X(ARRIVES, SYNC, NONE, LOAD, 0, SINGLE, 80)                                                                        \
    X(AST, SPECIAL, NONE, LOAD, 0, SINGLE, 70)                                                                         \
    X(ATOM, MEMORY, GLOBAL, ATOMIC, 0, GLOBAL, 70)                                                                     \
    X(ATOMG, MEMORY, GLOBAL, ATOMIC, 0, GLOBAL, 70)                                                                    \
    X(ATOMS, MEMORY, SHARED, ATOMIC, 0, LOCAL, 70)                                                                     \
    X(B2R, SPECIAL, NONE, LOAD, 0, SINGLE, 70)                                                                         \
    X(BAR, SYNC, NONE, LOAD, BARRIER, SINGLE, 70)                                                                      \
    X(BGMMA, TENSOR, NONE, LOAD, 0, MATRIX, 90)                                                                        \
    X(BMMA, TENSOR, NONE, LOAD, 0, MATRIX, 70)                                                                         \
    X(BMOV, BRANCH, NONE, LOAD, 0, SINGLE, 70)                                                                         \
    X(BMSK, INT, NONE, LOAD, 0, SINGLE, 70)                                                                            \
    X(BPT, BRANCH, NONE, LOAD, 0, SINGLE, 70)                                                                          \
    X(BRA, BRANCH, NONE, LOAD, BRANCH | PREDICATE, SINGLE, 70)                                                         \
    X(BREAK, BRANCH, NONE, LOAD, BRANCH | PREDICATE, SINGLE, 70)                                                       \
    X(BREV, CONVERT, NONE, LOAD, 0, SINGLE, 70)                                                                        \
    X(BRX, BRANCH, NONE, LOAD, BRANCH, SINGLE, 70)                                                                     \
    X(BRXU, BRANCH, NONE, LOAD, BRANCH, SINGLE, 70)                                                                    \
    X(BRXX, BRANCH, NONE, LOAD, BRANCH, SINGLE, 70)                                                                    \
    X(BSSY, BRANCH, NONE, LOAD, 0, SINGLE, 70)                                                                         \
    X(BSYNC, BRANCH, NONE, LOAD, BRANCH, SINGLE, 70)                                                                   \
    X(CALL, BRANCH, NONE, LOAD, BRANCH, SINGLE, 70)                                                                    \
    X(CCTL, SYNC, NONE, LOAD, 0, SINGLE, 70)                                                                           \
    X(CCTLL, SYNC, NONE, LOAD, 0, SINGLE, 70)                                                                          \
    X(CCTLT, SYNC, NONE, LOAD, 0, SINGLE, 70)                                                                          \
    X(CGAERRBAR, SYNC, NONE, LOAD, FENCE, SINGLE, 90)                                                                  \
    X(CREDUX, UNIFORM, NONE, LOAD, 0, SINGLE, 100)                                                                     \
    X(CS2R, INT, NONE, LOAD, 0, CLOCK, 70)                                                                             \
    X(CS2UR, UNIFORM, NONE, LOAD, 0, SINGLE, 100)                                                                      \
    X(CSMTEST, SPECIAL, NONE, LOAD, 0, SINGLE, 70)                                                                     \
    X(DADD, FP64, NONE, LOAD, 0, DOUBLE, 70)                                                                           \
    X(DEPBAR, SYNC, NONE, LOAD, FENCE, SINGLE, 70)                                                                     \
    X(DFMA, FP64, NONE, LOAD, 0, DOUBLE, 70)                                                                           \
    X(DMMA, TENSOR, NONE, LOAD, 0, MATRIX, 80)                                                                         \
    X(DMNMX, FP64, NONE, LOAD, 0, DOUBLE, 70)                                                                          \
    X(DMUL, FP64, NONE, LOAD, 0, DOUBLE, 70)                                                                           \
    X(DSETP, FP64, NONE, LOAD, PREDICATE, DOUBLE_SOURCES, 70)                                                          \
    X(ELECT, SYNC, NONE, LOAD, 0, SINGLE, 90)                                                                          \
    X(ENDCOLLECTIVE, SYNC, NONE, LOAD, 0, SINGLE, 90)                                                                  \
    X(ERRBAR, SYNC, NONE, LOAD, FENCE, SINGLE, 70)                                                                     \
    X(EXIT, BRANCH, NONE, LOAD, EXIT | BRANCH | PREDICATE, SINGLE, 70)                                                 \
    X(F2F, CONVERT, NONE, LOAD, 0, CONVERT, 70)                                                                        \
    X(F2FP, HALF, NONE, LOAD, 0, SINGLE, 70)                                                                           \
    X(F2I, CONVERT, NONE, LOAD, 0, CONVERT, 70)                                                                        \
    X(F2IP, CONVERT, NONE, LOAD, 0, CONVERT, 70)                                                                       \
    X(FADD, FP32, NONE, LOAD, 0, SINGLE, 70)                                                                           \
    X(FADD2, FP32, NONE, LOAD, 0, DOUBLE, 100)                                                                         \
    X(FADD32I, FP32, NONE, LOAD, 0, SINGLE, 70)                                                                        \
    X(FCHK, FP32, NONE, LOAD, 0, SINGLE, 70)                                                                           \
    X(FENCE, SYNC, NONE, LOAD, 0, SINGLE, 90)                                                                          \
    X(FFMA, FP32, NONE, LOAD, 0, SINGLE, 70)                                                                           \
    X(FFMA2, FP32, NONE, LOAD, 0, DOUBLE, 100)                                                                         \
    X(FFMA32I, FP32, NONE, LOAD, 0, SINGLE, 70)                                                                        \
    X(FHADD, FP32, NONE, LOAD, 0, SINGLE, 100)                                                                         \
    X(FHFMA, FP32, NONE, LOAD, 0, SINGLE, 100)                                                                         \
    X(FLO, CONVERT, NONE, LOAD, 0, SINGLE, 70)                                                                         \
    X(FMNMX, INT, NONE, LOAD, 0, SINGLE, 70)                                                                           \
    X(FMNMX3, INT, NONE, LOAD, 0, SINGLE, 100)                                                                         \
    X(FMUL, FP32, NONE, LOAD, 0, SINGLE, 70)                                                                           \
    X(FMUL2, FP32, NONE, LOAD, 0, DOUBLE, 100)                                                                         \
    X(FMUL32I, FP32, NONE, LOAD, 0, SINGLE, 70)                                                                        \
    X(FOOTPRINT, MEMORY, TEXTURE, LOAD, 0, SINGLE, 75)                                                                 \
    X(FRND, CONVERT, NONE, LOAD, 0, CONVERT, 70)                                                                       \
    X(FSEL, INT, NONE, LOAD, 0, SINGLE, 70)                                                                            \
    X(FSET, INT, NONE, LOAD, 0, SINGLE, 70)                                                                            \
    X(FSETP, INT, NONE, LOAD, PREDICATE, SINGLE, 70)                                                                   \
    X(FSWZADD, FP32, NONE, LOAD, 0, SINGLE, 70)                                                                        \
    X(GENMETADATA, SPECIAL, NONE, LOAD, 0, SINGLE, 80)                                                                 \
    X(GETLMEMBASE, SPECIAL, NONE, LOAD, 0, SINGLE, 70)                                                                 \
    X(HADD2, HALF, NONE, LOAD, 0, SINGLE, 70)                                                                          \
    X(HADD2_32, HALF, NONE, LOAD, 0, SINGLE, 70)                                                                       \
    X(HADD2_32I, HALF, NONE, LOAD, 0, SINGLE, 70)                                                                      \
    X(HFMA2, HALF, NONE, LOAD, 0, SINGLE, 70)                                                                          \
    X(HFMA2_32I, HALF, NONE, LOAD, 0, SINGLE, 70)                                                                      \
    X(HGMMA, TENSOR, NONE, LOAD, 0, MATRIX, 90)                                                                        \
    X(HMMA, TENSOR, NONE, LOAD, 0, MATRIX, 70)                                                                         \
    X(HMNMX2, HALF, NONE, LOAD, 0, SINGLE, 80)                                                                         \
    X(HMUL2, HALF, NONE, LOAD, 0, SINGLE, 70)                                                                          \
    X(HMUL2_32I, HALF, NONE, LOAD, 0, SINGLE, 70)                                                                      \
    X(HSET2, HALF, NONE, LOAD, 0, SINGLE, 70)                                                                          \
    X(HSETP2, HALF, NONE, LOAD, PREDICATE, SINGLE, 70)                                                                 \
    X(I2F, CONVERT, NONE, LOAD, 0, CONVERT, 70)                                                                        \
    X(I2FP, INT, NONE, LOAD, 0, CONVERT, 70)                                                                           \
    X(I2I, CONVERT, NONE, LOAD, 0, CONVERT, 70)                                                                        \
    X(I2IP, CONVERT, NONE, LOAD, 0, SINGLE, 70)                                                                        \
    X(IABS, INT, NONE, LOAD, 0, SINGLE, 70)                                                                            \
    X(IADD, INT, NONE, LOAD, 0, SINGLE, 70)                                                                            \
    X(IADD3, INT, NONE, LOAD, 0, SINGLE, 70)                                                                           \
    X(IADD32I, INT, NONE, LOAD, 0, SINGLE, 70)                                                                         \
    X(IDP, IMAD, NONE, LOAD, 0, SINGLE, 70)                                                                            \
    X(IDP4A, IMAD, NONE, LOAD, 0, SINGLE, 70)                                                                          \
    X(IGMMA, TENSOR, NONE, LOAD, 0, MATRIX, 90)                                                                        \
    X(IMAD, IMAD, NONE, LOAD, 0, WIDE, 70)                                                                             \
    X(IMAD32I, IMAD, NONE, LOAD, 0, WIDE, 70)                                                                          \
    X(IMMA, TENSOR, NONE, LOAD, 0, MATRIX, 70)                                                                         \
    X(IMNMX, INT, NONE, LOAD, 0, SINGLE, 70)                                                                           \
    X(IMUL, IMAD, NONE, LOAD, 0, SINGLE, 70)                                                                           \
    X(IMUL32I, IMAD, NONE, LOAD, 0, SINGLE, 70)                                                                        \
    X(IPA, SPECIAL, NONE, LOAD, 0, SINGLE, 70)                                                                         \
    X(ISBERD, SPECIAL, NONE, LOAD, 0, SINGLE, 70)                                                                      \
    X(ISBEWR, SPECIAL, NONE, LOAD, 0, SINGLE, 70)                                                                      \
    X(ISCADD, INT, NONE, LOAD, 0, SINGLE, 70)                                                                          \
    X(ISCADD32I, INT, NONE, LOAD, 0, SINGLE, 70)                                                                       \
    X(ISETP, INT, NONE, LOAD, PREDICATE, SINGLE, 70)                                                                   \
    X(JMP, BRANCH, NONE, LOAD, BRANCH | PREDICATE, SINGLE, 70)                                                         \
    X(JMX, BRANCH, NONE, LOAD, BRANCH, SINGLE, 70)                                                                     \
    X(JMXU, BRANCH, NONE, LOAD, BRANCH, SINGLE, 70)                                                                    \
    X(KILL, BRANCH, NONE, LOAD, 0, SINGLE, 70)                                                                         \
    X(LD, MEMORY, GLOBAL, LOAD, 0, GLOBAL, 70)                                                                         \
    X(LDC, MEMORY, CONSTANT, LOAD, 0, LOCAL, 70)                                                                       \
    X(LDCU, UNIFORM, CONSTANT, LOAD, 0, SINGLE, 90)                                                                    \
    X(LDG, MEMORY, GLOBAL, LOAD, 0, GLOBAL, 70)                                                                        \
    X(LDGDEPBAR, SYNC, NONE, LOAD, 0, SINGLE, 80)                                                                      \
    X(LDGMC, MEMORY, GLOBAL, LOAD, 0, GLOBAL, 90)                                                                      \
    X(LDGSTS, MEMORY, GLOBAL, LOAD, 0, GLOBAL, 80)                                                                     \
    X(LDL, MEMORY, LOCAL, LOAD, 0, LOCAL, 70)                                                                          \
    X(LDS, MEMORY, SHARED, LOAD, 0, LOCAL, 70)                                                                         \
    X(LDSM, MEMORY, SHARED, LOAD, 0, LDSM, 75)                                                                         \
    X(LDTM, UNIFORM, NONE, LOAD, 0, SINGLE, 100)                                                                       \
    X(LDTRAM, MEMORY, SHARED, LOAD, 0, LOCAL, 75)                                                                      \
    X(LEA, INT, NONE, LOAD, 0, SINGLE, 70)                                                                             \
    X(LEPC, SPECIAL, NONE, LOAD, 0, SINGLE, 70)                                                                        \
    X(LEPC2, SPECIAL, NONE, LOAD, 0, SINGLE, 70)                                                                       \
    X(LOP, INT, NONE, LOAD, 0, SINGLE, 70)                                                                             \
    X(LOP3, INT, NONE, LOAD, 0, SINGLE, 70)                                                                            \
    X(LOP32I, INT, NONE, LOAD, 0, SINGLE, 70)                                                                          \
    X(MATCH, SPECIAL, NONE, LOAD, 0, SINGLE, 70)                                                                       \
    X(MEMBAR, SYNC, NONE, LOAD, FENCE, SINGLE, 70)                                                                     \
    X(MOV, INT, NONE, LOAD, 0, SINGLE, 70)                                                                             \
    X(MOV32I, INT, NONE, LOAD, 0, SINGLE, 70)                                                                          \
    X(MOVM, INT, NONE, LOAD, 0, SINGLE, 70)                                                                            \
    X(MUFU, SFU, NONE, LOAD, 0, CONVERT, 70)                                                                           \
    X(NANOSLEEP, BRANCH, NONE, LOAD, 0, SINGLE, 70)                                                                    \
    X(NOP, INT, NONE, LOAD, 0, SINGLE, 70)                                                                             \
    X(OMMA, TENSOR, NONE, LOAD, 0, MATRIX, 120)                                                                        \
    X(OUT, SPECIAL, NONE, LOAD, 0, SINGLE, 70)                                                                         \
    X(P2R, INT, NONE, LOAD, 0, SINGLE, 70)                                                                             \
    X(PIXLD, MEMORY, TEXTURE, LOAD, 0, SINGLE, 70)                                                                     \
    X(PLOP3, INT, NONE, LOAD, PREDICATE, SINGLE, 70)                                                                   \
    X(PMTRIG, SPECIAL, NONE, LOAD, 0, SINGLE, 70)                                                                      \
    X(POPC, CONVERT, NONE, LOAD, 0, SINGLE, 70)                                                                        \
    X(PREEXIT, BRANCH, NONE, LOAD, BRANCH, SINGLE, 70)                                                                 \
    X(PRMT, INT, NONE, LOAD, 0, SINGLE, 70)                                                                            \
    X(PSETP, INT, NONE, LOAD, PREDICATE, SINGLE, 70)                                                                   \
    X(QGMMA, TENSOR, NONE, LOAD, 0, MATRIX, 90)                                                                        \
    X(QMMA, TENSOR, NONE, LOAD, 0, MATRIX, 90)                                                                         \
    X(QSPC, SPECIAL, NONE, LOAD, 0, SINGLE, 70)                                                                        \
    X(R2B, SPECIAL, NONE, LOAD, 0, SINGLE, 70)                                                                         \
    X(R2P, INT, NONE, LOAD, PREDICATE, SINGLE, 70)                                                                     \
    X(R2UR, UNIFORM, NONE, LOAD, 0, SINGLE, 75)                                                                        \
    X(RED, MEMORY, GLOBAL, REDUCTION, 0, GLOBAL, 70)                                                                   \
    X(REDAS, MEMORY, SHARED, REDUCTION, 0, LOCAL, 90)                                                                  \
    X(REDG, MEMORY, GLOBAL, REDUCTION, 0, GLOBAL, 70)                                                                  \
    X(REDUX, UNIFORM, NONE, LOAD, 0, SINGLE, 75)                                                                       \
    X(RET, BRANCH, NONE, LOAD, BRANCH, SINGLE, 70)                                                                     \
    X(RPCMOV, BRANCH, NONE, LOAD, 0, SINGLE, 70)                                                                       \
    X(RTT, BRANCH, NONE, LOAD, BRANCH, SINGLE, 70)                                                                     \
    X(S2R, SPECIAL, NONE, LOAD, 0, SINGLE, 70)                                                                         \
    X(S2UR, SPECIAL, NONE, LOAD, 0, SINGLE, 75)                                                                        \
    X(SEL, INT, NONE, LOAD, 0, SINGLE, 70)                                                                             \
    X(SETCTAID, SPECIAL, NONE, LOAD, 0, SINGLE, 70)                                                                    \
    X(SETLMEMBASE, SPECIAL, NONE, LOAD, 0, SINGLE, 70)                                                                 \
    X(SGXT, INT, NONE, LOAD, 0, SINGLE, 70)                                                                            \
    X(SGXT2, SPECIAL, NONE, LOAD, 0, SINGLE, 80)                                                                       \
    X(SHF, INT, NONE, LOAD, 0, SINGLE, 70)                                                                             \
    X(SHFL, SPECIAL, NONE, LOAD, 0, SINGLE, 70)                                                                        \
    X(SHL, INT, NONE, LOAD, 0, SINGLE, 70)                                                                             \
    X(SHR, INT, NONE, LOAD, 0, SINGLE, 70)                                                                             \
    X(SPMETADATA, SPECIAL, NONE, LOAD, 0, SINGLE, 80)                                                                  \
    X(ST, MEMORY, GLOBAL, STORE, 0, GLOBAL, 70)                                                                        \
    X(STAS, MEMORY, SHARED, STORE, 0, LOCAL, 90)                                                                       \
    X(STG, MEMORY, GLOBAL, STORE, 0, GLOBAL, 70)                                                                       \
    X(STL, MEMORY, LOCAL, STORE, 0, LOCAL, 70)                                                                         \
    X(STS, MEMORY, SHARED, STORE, 0, LOCAL, 70)                                                                        \
    X(STSM, MEMORY, SHARED, STORE, 0, LDSM, 90)                                                                        \
    X(STTM, UNIFORM, NONE, LOAD, 0, SINGLE, 100)                                                                       \
    X(SUATOM, MEMORY, TEXTURE, LOAD, 0, TEXTURE, 70)                                                                   \
    X(SULD, MEMORY, TEXTURE, LOAD, 0, TEXTURE, 70)                                                                     \
    X(SUQUERY, MEMORY, TEXTURE, LOAD, 0, TEXTURE, 70)                                                                  \
    X(SURED, MEMORY, TEXTURE, LOAD, 0, TEXTURE, 70)                                                                    \
    X(SUST, MEMORY, TEXTURE, STORE, 0, TEXTURE, 70)                                                                    \
    X(SYMBOL, SPECIAL, NONE, LOAD, 0, SINGLE, 70)                                                                      \
    X(SYNCS, SYNC, NONE, LOAD, 0, SINGLE, 90)                                                                          \
    X(TEX, MEMORY, TEXTURE, LOAD, 0, TEXTURE, 70)                                                                      \
    X(TLD, MEMORY, TEXTURE, LOAD, 0, TEXTURE, 70)                                                                      \
    X(TLD4, MEMORY, TEXTURE, LOAD, 0, TEXTURE, 70)                                                                     \
    X(TMML, MEMORY, TEXTURE, LOAD, 0, TEXTURE, 70)                                                                     \
    X(TXD, MEMORY, TEXTURE, LOAD, 0, TEXTURE, 70)                                                                      \
    X(TXQ, MEMORY, TEXTURE, LOAD, 0, TEXTURE, 70)                                                                      \
    X(UBLKCP, SYNC, NONE, LOAD, 0, SINGLE, 90)                                                                         \
    X(UBLKPF, SYNC, NONE, LOAD, 0, SINGLE, 90)                                                                         \
    X(UBLKRED, SYNC, NONE, LOAD, 0, SINGLE, 90)                                                                        \
    X(UBMSK, UNIFORM, NONE, LOAD, 0, SINGLE, 75)                                                                       \
    X(UBREV, UNIFORM, NONE, LOAD, 0, SINGLE, 75)                                                                       \
    X(UCGABAR_ARV, UNIFORM, NONE, LOAD, 0, SINGLE, 90)                                                                 \
    X(UCGABAR_WAIT, UNIFORM, NONE, LOAD, 0, SINGLE, 90)                                                                \
    X(UCLEA, UNIFORM, NONE, LOAD, 0, SINGLE, 90)                                                                       \
    X(UF2FP, UNIFORM, NONE, LOAD, 0, SINGLE, 90)                                                                       \
    X(UF2I, UNIFORM, NONE, LOAD, 0, SINGLE, 100)                                                                       \
    X(UFADD, UNIFORM, NONE, LOAD, 0, SINGLE, 100)                                                                      \
    X(UFFMA, UNIFORM, NONE, LOAD, 0, SINGLE, 100)                                                                      \
    X(UFHADD, UNIFORM, NONE, LOAD, 0, SINGLE, 100)                                                                     \
    X(UFHFMA, UNIFORM, NONE, LOAD, 0, SINGLE, 100)                                                                     \
    X(UFLO, UNIFORM, NONE, LOAD, 0, SINGLE, 75)                                                                        \
    X(UFMUL, UNIFORM, NONE, LOAD, 0, SINGLE, 100)                                                                      \
    X(UFRND, UNIFORM, NONE, LOAD, 0, SINGLE, 100)                                                                      \
    X(UFSEL, UNIFORM, NONE, LOAD, 0, SINGLE, 100)                                                                      \
    X(UFSETP, UNIFORM, NONE, LOAD, 0, SINGLE, 100)                                                                     \
    X(UGETNEXTWORKID, SYNC, NONE, LOAD, 0, SINGLE, 100)                                                                \
    X(UI2F, UNIFORM, NONE, LOAD, 0, SINGLE, 100)                                                                       \
    X(UI2FP, UNIFORM, NONE, LOAD, 0, SINGLE, 100)                                                                      \
    X(UIADD, UNIFORM, NONE, LOAD, 0, SINGLE, 90)                                                                       \
    X(UIADD3, UNIFORM, NONE, LOAD, 0, SINGLE, 75)                                                                      \
    X(UIMAD, UNIFORM, NONE, LOAD, 0, SINGLE, 75)                                                                       \
    X(UIMNMX, UNIFORM, NONE, LOAD, 0, SINGLE, 100)                                                                     \
    X(UISETP, UNIFORM, NONE, LOAD, 0, SINGLE, 75)                                                                      \
    X(ULDC, UNIFORM, CONSTANT, LOAD, 0, SINGLE, 75)                                                                    \
    X(ULEA, UNIFORM, NONE, LOAD, 0, SINGLE, 75)                                                                        \
    X(ULOP, UNIFORM, NONE, LOAD, 0, SINGLE, 75)                                                                        \
    X(ULOP3, UNIFORM, NONE, LOAD, 0, SINGLE, 75)                                                                       \
    X(ULOP32I, UNIFORM, NONE, LOAD, 0, SINGLE, 75)                                                                     \
    X(UMOV, UNIFORM, NONE, LOAD, 0, SINGLE, 75)                                                                        \
    X(UP2UR, UNIFORM, NONE, LOAD, 0, SINGLE, 75)                                                                       \
    X(UPLOP3, UNIFORM, NONE, LOAD, 0, SINGLE, 75)                                                                      \
    X(UPOPC, UNIFORM, NONE, LOAD, 0, SINGLE, 75)                                                                       \
    X(UPRMT, UNIFORM, NONE, LOAD, 0, SINGLE, 75)                                                                       \
    X(UPSETP, UNIFORM, NONE, LOAD, 0, SINGLE, 75)                                                                      \
    X(UR2UP, UNIFORM, NONE, LOAD, 0, SINGLE, 75)                                                                       \
    X(USEL, UNIFORM, NONE, LOAD, 0, SINGLE, 75)                                                                        \
    X(USETMAXREG, UNIFORM, NONE, LOAD, 0, SINGLE, 90)                                                                  \
    X(USGXT, UNIFORM, NONE, LOAD, 0, SINGLE, 75)                                                                       \
    X(USHF, UNIFORM, NONE, LOAD, 0, SINGLE, 75)                                                                        \
    X(USHL, UNIFORM, NONE, LOAD, 0, SINGLE, 75)                                                                        \
    X(USHR, UNIFORM, NONE, LOAD, 0, SINGLE, 75)                                                                        \
    X(UTCATOMSWS, UNIFORM, NONE, LOAD, 0, SINGLE, 100)                                                                 \
    X(UTCBAR, UNIFORM, NONE, LOAD, 0, SINGLE, 100)                                                                     \
    X(UTCCP, UNIFORM, NONE, LOAD, 0, SINGLE, 100)                                                                      \
    X(UTCHMMA, UNIFORM, NONE, LOAD, 0, SINGLE, 100)                                                                    \
    X(UTCIMMA, UNIFORM, NONE, LOAD, 0, SINGLE, 100)                                                                    \
    X(UTCOMMA, UNIFORM, NONE, LOAD, 0, SINGLE, 100)                                                                    \
    X(UTCQMMA, UNIFORM, NONE, LOAD, 0, SINGLE, 100)                                                                    \
    X(UTCSHIFT, UNIFORM, NONE, LOAD, 0, SINGLE, 100)                                                                   \
    X(UTMACCTL, SYNC, NONE, LOAD, 0, SINGLE, 90)                                                                       \
    X(UTMACMDFLUSH, SYNC, NONE, LOAD, 0, SINGLE, 90)                                                                   \
    X(UTMALDG, SYNC, NONE, LOAD, 0, SINGLE, 90)                                                                        \
    X(UTMAPF, SYNC, NONE, LOAD, 0, SINGLE, 90)                                                                         \
    X(UTMAREDG, SYNC, NONE, LOAD, 0, SINGLE, 90)                                                                       \
    X(UTMASTG, SYNC, NONE, LOAD, 0, SINGLE, 90)                                                                        \
    X(UVIMNMX, UNIFORM, NONE, LOAD, 0, SINGLE, 100)                                                                    \
    X(UVIRTCOUNT, UNIFORM, NONE, LOAD, 0, SINGLE, 100)                                                                 \
    X(VABSDIFF, INT, NONE, LOAD, 0, SINGLE, 70)                                                                        \
    X(VABSDIFF4, INT, NONE, LOAD, 0, SINGLE, 70)                                                                       \
    X(VHMNMX, INT, NONE, LOAD, 0, SINGLE, 90)                                                                          \
    X(VIADD, IMAD, NONE, LOAD, 0, SINGLE, 90)                                                                          \
    X(VIADDMNMX, INT, NONE, LOAD, 0, SINGLE, 90)                                                                       \
    X(VIMNMX, INT, NONE, LOAD, 0, SINGLE, 90)                                                                          \
    X(VIMNMX3, INT, NONE, LOAD, 0, SINGLE, 90)                                                                         \
    X(VOTE, SPECIAL, NONE, LOAD, PREDICATE, SINGLE, 70)                                                                \
    X(VOTEU, UNIFORM, NONE, LOAD, 0, SINGLE, 75)                                                                       \
    X(WARPGROUP, SYNC, NONE, LOAD, 0, SINGLE, 90)                                                                      \
    X(WARPGROUPSET, SYNC, NONE, LOAD, 0, SINGLE, 90)                                                                   \
    X(WARPSYNC, BRANCH, NONE, LOAD, 0, SINGLE, 70)                                                                     \
    X(YIELD, BRANCH, NONE, LOAD, 0, SINGLE, 70)
/* clang-format on */

enum isa_opcode {
#define X(mnemonic, class, space, operation, flags, operands, from) ISA_##mnemonic,
    ISA_OPCODES(X)
#undef X
        ISA_OPCODE_COUNT
};

enum isa_operands { /* numbers of registers of the operands, if not one each */
                    ISA_OPERANDS_SINGLE,
                    ISA_OPERANDS_WIDE,           /* .WIDE: destination and third source are pairs */
                    ISA_OPERANDS_DOUBLE,         /* all are pairs */
                    ISA_OPERANDS_DOUBLE_SOURCES, /* sources are pairs (DSETP) */
                    ISA_OPERANDS_GLOBAL,         /* memory: 64-bit address (.E or generic), data by width */
                    ISA_OPERANDS_LOCAL,          /* memory: 32-bit address, data by width */
                    ISA_OPERANDS_MATRIX,         /* HMMA and the like: by shape and type */
                    ISA_OPERANDS_LDSM,           /* shared memory: data by the number of matrices */
                    ISA_OPERANDS_CONVERT,        /* pairs where .F64, .S64, .U64 say so */
                    ISA_OPERANDS_CLOCK,          /* CS2R: a pair unless .32 */
                    ISA_OPERANDS_TEXTURE,        /* up to four destinations */
};

struct isa_opcode_row {
    const char *name;
    uint8_t class;     /* enum mnp_execution_class */
    uint8_t space;     /* enum mnp_memory_space */
    uint8_t operation; /* enum mnp_memory_operation */
    uint8_t flags;     /* enum mnp_instruction_flag */
    uint8_t operands;  /* enum isa_operands */
    uint8_t from;      /* first architecture that has it: 70, 75, 80, 90 */
};

extern const struct isa_opcode_row isa_opcodes[ISA_OPCODE_COUNT];

/* The row of a mnemonic without modifiers, or NULL. */
const struct isa_opcode_row *isa_opcode_find(const char *name, size_t length);

/* Whether a row is a copy by the tensor memory accelerator. */
bool isa_opcode_copies(uint16_t opcode);

#endif
