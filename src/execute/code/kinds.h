/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kinds of operations, one row each: all that depends on the kind alone. A new kind is a row here and its executor.
 *
 * enumerator   EXECUTE_KIND_…
 * name         in reports
 * class        of the models of time, MNP_CLASS_…; OPCODE: the language's instruction says
 * memory       what it does to memory, EXECUTE_MEMORY_…
 * flags        EXECUTE_IS_…, joined; 0: none
 * instruction  of machine code that does its work; NULL: details of the operation say
 * executor     execute_step_…, in warp.c or declared in warp.h
 */
#ifndef EXECUTE_KINDS_H
#define EXECUTE_KINDS_H

#include <stdbool.h>
#include <stdint.h>

/* clang-format off */
#define EXECUTE_KINDS(X)                                                                                               \
    /* arithmetic */                                                                                                   \
    X(LANES, "ALU", OPCODE, NONE, PURE | CONSTANTS, NULL, execute_step_lanes)   /* d = lane(a, b, c) */                \
    X(INSERT, "BFI", OPCODE, NONE, PURE, "LOP3.LUT", execute_step_insert)       /* list: position, length */           \
    X(TEST, "SETP", OPCODE, NONE, PURE | CONSTANTS, NULL, execute_step_test)    /* predicates d (and list[0]) */       \
    X(TEST_TO, "SET", OPCODE, NONE, PURE | CONSTANTS, NULL, execute_step_test_to) /* d = test ? immediate : 0 */       \
    X(TESTP, "TESTP", OPCODE, NONE, PURE, NULL, execute_step_testp)             /* predicate d of the float a */       \
    X(SELECT, "SELP", OPCODE, NONE, PURE | CONSTANTS, NULL, execute_step_select) /* d = predicate c ? a : b */         \
    X(LOGIC, "PLOP", OPCODE, NONE, PURE, "PLOP3.LUT", execute_step_logic)       /* predicate d = a `variant` b */      \
    X(LOP3P, "LOP3", OPCODE, NONE, PURE, NULL, execute_step_lop3_predicate)     /* list: predicates */                 \
    X(CARRY, "ADDC", OPCODE, NONE, 0, "IADD3.X", execute_step_carry)            /* reads or writes the carry */        \
    X(FLOAT, "FLOAT", OPCODE, NONE, PURE | CONSTANTS, NULL, execute_step_float) /* any format and rounding */          \
    X(CONVERT, "CVT", OPCODE, NONE, PURE, NULL, execute_step_convert)                                                  \
    X(PACK, "PACK", OPCODE, NONE, PURE, "MOV", execute_step_pack)               /* d = list: parts */                  \
    X(UNPACK, "UNPACK", OPCODE, NONE, PURE, "MOV", execute_step_unpack)         /* list: parts = a */                  \
    X(VIDEO, "VIDEO", OPCODE, NONE, 0, "VABSDIFF4", execute_step_video)         /* SIMD in 32 bits */                  \
    X(WORDS, "WORDS", OPCODE, NONE, 0, NULL, execute_step_words)                /* machine code: words.h, paths.h */   \
    X(CLOCK, "CLOCK", SPECIAL, NONE, DIVIDER, "S2R", execute_step_clock)        /* d = a register that changes */      \
    /* addresses */                                                                                                    \
    X(FRAME_ADDRESS, "FRAME", OPCODE, NONE, PURE, "IADD3", execute_step_address) /* d = of local memory's frame */     \
    X(ISSPACEP, "ISSPACEP", OPCODE, NONE, PURE, "ISETP.EQ.U32.AND", execute_step_in_space) /* predicate d */           \
    X(CVTA, "CVTA", OPCODE, NONE, PURE, "IADD3", execute_step_address)          /* d = a + immediate */                \
    X(CLUSTER_ADDRESS, "MAPA", OPCODE, NONE, PURE, "PRMT", execute_step_cluster_address) /* mapa, getctarank */        \
    /* memory */                                                                                                       \
    X(LOAD_PARAMETER, "LDPARAM", MEMORY, NONE, PURE, NULL, execute_step_parameter) /* at a constant offset */          \
    X(LOAD, "LD", MEMORY, READ, CONSTANTS | ACCESS, NULL, execute_step_load)                                           \
    X(STORE, "ST", MEMORY, WRITE, CONSTANTS | ACCESS, NULL, execute_step_store)                                        \
    X(ATOMIC, "ATOM", MEMORY, FENCE, CONSTANTS | ACCESS, NULL, execute_step_atomic) /* also reductions */              \
    X(PREFETCH, "HINT", OPCODE, NONE, DIVIDER, "CCTL.E.PF2", execute_step_nothing) /* also other hints */              \
    X(COPY_ASYNC, "CPASYNC", MEMORY, FENCE, 0, NULL, execute_step_copy_async)                                          \
    X(TENSOR_COPY, "TMA", MEMORY, NONE, DIVIDER, NULL, execute_step_tensor_copy) /* also bulk reductions */            \
    /* tensormap.replace, and its copy */                                                                              \
    X(TENSOR_MAP, "TENSORMAP", OPCODE, NONE, DIVIDER, "UTMACCTL", execute_step_tensor_map)                             \
    X(MBARRIER, "MBARRIER", MEMORY, NONE, DIVIDER, NULL, execute_step_mbarrier)                                        \
    X(TEXTURE, "TEX", MEMORY, NONE, 0, NULL, execute_step_texture)                                                     \
    X(SURFACE_LOAD, "SULD", MEMORY, FENCE, 0, NULL, execute_step_surface)                                              \
    X(SURFACE_STORE, "SUST", MEMORY, FENCE, 0, NULL, execute_step_surface_store)                                       \
    /* matrices */                                                                                                     \
    X(LOAD_MATRIX, "LDMATRIX", MEMORY, READ, ACCESS, NULL, execute_step_matrix_rows) /* op.combine: stores it */       \
    X(MATRIX, "MMA", TENSOR, NONE, FOR_ALL, NULL, execute_step_matrix)                                                 \
    X(WMMA_ACCESS, "WMMA", MEMORY, WRITE, 0, NULL, execute_step_wmma_access)    /* op.variant: a load */               \
    X(WGMMA, "WGMMA", TENSOR, NONE, DIVIDER, NULL, execute_step_wgmma)          /* a warp's part of it */              \
    X(TMEM_ALLOCATE, "TMEM", UNIFORM, NONE, DIVIDER | FOR_ALL, "UTCATOMSWS", execute_step_tmem_allocate) /* tmem.h */  \
    X(TMEM_LOAD, "LDTM", UNIFORM, NONE, DIVIDER | FOR_ALL, "LDTM", execute_step_tmem_load)                             \
    X(TMEM_STORE, "STTM", UNIFORM, NONE, DIVIDER | FOR_ALL, "STTM", execute_step_tmem_store)                           \
    /* products and copies: tcgen05.h */                                                                               \
    X(TCGEN05, "TCGEN05", UNIFORM, NONE, DIVIDER, "UTCHMMA", execute_step_tcgen05)                                     \
    X(TCGEN05_COMMIT, "COMMIT", UNIFORM, NONE, DIVIDER, "UTCBAR", execute_step_tcgen05_commit)                         \
    X(MOVE_MATRIX, "MOVMATRIX", SPECIAL, NONE, 0, "MOVM.16.MT88", execute_step_transpose)                              \
    /* flow */                                                                                                         \
    X(BRANCH, "BRA", BRANCH, NONE, FLOW, "BRA", execute_step_branch)                                                   \
    X(BRANCH_INDEXED, "BRX", BRANCH, NONE, FLOW, "BRX", execute_step_branch_indexed)                                   \
    X(BRANCH_PARTED, "BRA.DIV", BRANCH, NONE, FLOW, "BRA", execute_step_branch_parted) /* unless all are here */       \
    X(CONVERGE, "BSYNC", BRANCH, NONE, FLOW, "BSYNC", execute_step_converge)                                           \
    X(CONVERGE_SET, "BSSY", BRANCH, NONE, 0, "BSSY", execute_step_converge_set)                                        \
    X(JUMP, "JUMP", BRANCH, NONE, FLOW, "BRX", execute_step_jump)               /* BRX, RET, CALL */                   \
    X(CALL, "CALL", BRANCH, NONE, FLOW, "CALL.REL.NOINC", execute_step_call)                                           \
    /* printf, malloc, free, assert */                                                                                 \
    X(SYSTEM, "SYSCALL", BRANCH, NONE, DIVIDER, "CALL.REL.NOINC", execute_step_system)                                 \
    X(RETURN, "RET", BRANCH, NONE, FLOW, "RET.REL.NODEC", execute_step_return)  /* also the end of a kernel */         \
    X(EXIT, "EXIT", BRANCH, NONE, FLOW, "EXIT", execute_step_exit)                                                     \
    X(TRAP, "TRAP", BRANCH, NONE, DIVIDER, "BPT.TRAP", execute_step_trap)                                              \
    X(BARRIER, "BAR", SYNC, FENCE, FOR_ALL, NULL, execute_step_nothing)         /* executed by the loop itself */      \
    X(FENCE, "MEMBAR", SYNC, NONE, DIVIDER, "MEMBAR.SC.GPU", execute_step_nothing)                                     \
    X(ASYNC_GROUP, "GROUP", SYNC, NONE, DIVIDER, "DEPBAR.LE", execute_step_async_group) /* for bulk copies, wgmma */   \
    X(GRID, "GRID", SYNC, NONE, DIVIDER, NULL, execute_step_grid)               /* griddepcontrol */                   \
    X(REGISTERS, "REGISTERS", SYNC, NONE, DIVIDER, "USETMAXREG", execute_step_registers) /* setmaxnreg */              \
    X(SLEEP, "SLEEP", BRANCH, NONE, DIVIDER, "NANOSLEEP", execute_step_sleep)   /* nanosleep of a: nanoseconds */      \
    X(PART, "PART", OPCODE, NONE, 0, NULL, execute_step_nothing)                /* before another one */               \
    X(NOTHING, "NOP", OPCODE, NONE, DIVIDER, NULL, execute_step_nothing)        /* bar.warp.sync among them */         \
    /* by the lanes of a warp together */                                                                              \
    X(SHUFFLE, "SHFL", SPECIAL, TOGETHER, FOR_ALL, "SHFL.IDX", execute_step_shuffle)                                   \
    X(VOTE, "VOTE", SPECIAL, TOGETHER, FOR_ALL, "VOTE.ANY", execute_step_together)                                     \
    X(MATCH, "MATCH", SPECIAL, TOGETHER, FOR_ALL, "MATCH.ANY", execute_step_together)                                  \
    X(REDUX, "REDUX", SPECIAL, TOGETHER, FOR_ALL, "REDUX", execute_step_together)                                      \
    X(ACTIVE_MASK, "ACTIVEMASK", SPECIAL, NONE, DIVIDER, "VOTE.ANY", execute_step_active_mask)                         \
    X(ELECT, "ELECT", SPECIAL, TOGETHER, FOR_ALL, "VOTE.ANY", execute_step_together)
/* clang-format on */

#define EXECUTE_CLASS_OPCODE 0xff /* the instruction's own class, from the language */

enum execute_memory {
    EXECUTE_MEMORY_NONE,
    EXECUTE_MEMORY_READ,
    EXECUTE_MEMORY_WRITE,
    /* lanes exchange values (shuffles, votes, …): such operations keep their order, and no store moves across one */
    EXECUTE_MEMORY_TOGETHER,
    EXECUTE_MEMORY_FENCE, /* no memory access may be moved across it */
};

enum execute_kind_flag {
    EXECUTE_IS_FLOW = 1,       /* may transfer control */
    EXECUTE_IS_FOR_ALL = 2,    /* done by a warp's lanes together, those that a poll keeps back included */
    EXECUTE_IS_PURE = 4,       /* has no effect except its results */
    EXECUTE_IS_DIVIDER = 8,    /* no operation may be moved across it */
    EXECUTE_IS_CONSTANTS = 16, /* takes constants in place of registers */
    EXECUTE_IS_ACCESS = 32,    /* has a struct execute_access_form with the state space named by the program */
};

enum execute_kind {
#define X(enumerator, name, class, memory, flags, instruction, executor) EXECUTE_KIND_##enumerator,
    EXECUTE_KINDS(X)
#undef X
        EXECUTE_KIND_COUNT,
};

struct execute_kind_row {
    const char *name;
    uint8_t class;  /* enum mnp_execution_class, or EXECUTE_CLASS_OPCODE */
    uint8_t memory; /* enum execute_memory */
    uint8_t flags;  /* enum execute_kind_flag */
    const char *instruction;
};

extern const struct execute_kind_row execute_kinds[EXECUTE_KIND_COUNT];

static inline bool execute_kind_is(uint8_t kind, enum execute_kind_flag flag)
{
    return execute_kinds[kind].flags & flag;
}

/* The name of a kind, or of a number that is none. */
const char *execute_kind_name(uint16_t kind);

#endif
