/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Micro-operations: the form into which a kernel's statements are compiled before it runs. Registers are numbered
 * places in the warp's frame, immediates are places in a pool of constants, and types are resolved, so that execution
 * needs no look-ups.
 *
 * A reference (uint32_t) names 32 lanes of a value: two bits select the storage (frame of the running function,
 * constants of the kernel, special registers of the warp, banks of constants), the other bits are the offset in bytes.
 * A predicate is one word, a bit per lane.
 */
#ifndef EXECUTE_OP_H
#define EXECUTE_OP_H

#include "execute/code/kinds.h"
#include "execute/code/types.h"
#include "execute/lanes/products.h"
#include "execute/lanes/soft_float.h"
#include "execute/lanes/words.h"

#include <stdbool.h>
#include <stdint.h>

/* Encoding of references: bits 30 and 31 select the storage, bits 0 to 29 are the offset in bytes. */
enum { EXECUTE_BASE_FRAME, EXECUTE_BASE_CONSTANT, EXECUTE_BASE_SPECIAL, EXECUTE_BASE_BANK, EXECUTE_BASE_COUNT };
enum {
    EXECUTE_BASE_SHIFT = 30,
    EXECUTE_TRUE = 0 /* the predicate that always holds */,
    EXECUTE_CARRY = 4,
    EXECUTE_SMALL_BYTES = 128,
    EXECUTE_LARGE_BYTES = 256
};
#define EXECUTE_OFFSET_MASK ((1u << EXECUTE_BASE_SHIFT) - 1)
#define EXECUTE_NO_REF      UINT32_MAX
#define EXECUTE_NONE        UINT32_MAX /* no place, number or function */

/* op.variant of EXECUTE_KIND_FLOAT; all forms are functions of words.h. Comparisons are encoded like those of
 * EXECUTE_KIND_TEST and TEST_TO: the upper half of `immediate` has their modifiers, the lower one the values for the
 * result register. */
enum execute_float { EXECUTE_FLOAT_NUMBER, EXECUTE_FLOAT_TEST, EXECUTE_FLOAT_TEST_TO, EXECUTE_FLOAT_TEST_TO_PAIR };

/* Details of EXECUTE_KIND_CONVERT. */
struct execute_float_form {
    uint8_t type, from; /* enum execute_type */
    uint8_t rounding;   /* enum execute_rounding */
    bool flush, saturate, relu, finite, integral;
};

enum execute_comparison {
    EXECUTE_EQ,
    EXECUTE_NE,
    EXECUTE_LT,
    EXECUTE_LE,
    EXECUTE_GT,
    EXECUTE_GE,
    EXECUTE_EQU,
    EXECUTE_NEU,
    EXECUTE_LTU,
    EXECUTE_LEU,
    EXECUTE_GTU,
    EXECUTE_GEU,
    EXECUTE_NUM,
    EXECUTE_ISNAN,
};

enum execute_combine { EXECUTE_COMBINE_NONE, EXECUTE_COMBINE_AND, EXECUTE_COMBINE_OR, EXECUTE_COMBINE_XOR };

/* EXECUTE_KIND_BRANCH: which of the lanes that are together branch. */
enum execute_branch {
    EXECUTE_BRANCH_EACH, /* each lane whose guard holds */
    EXECUTE_BRANCH_ALL,  /* all lanes if all guards hold; otherwise none */
    EXECUTE_BRANCH_ANY,  /* all lanes if any guard holds */
};

enum execute_atomic_operation {
    EXECUTE_ATOMIC_ADD,
    EXECUTE_ATOMIC_MIN,
    EXECUTE_ATOMIC_MAX,
    EXECUTE_ATOMIC_AND,
    EXECUTE_ATOMIC_OR,
    EXECUTE_ATOMIC_XOR,
    EXECUTE_ATOMIC_EXCH,
    EXECUTE_ATOMIC_CAS,
    EXECUTE_ATOMIC_INC,
    EXECUTE_ATOMIC_DEC,
};

/* Registers of addresses: 4 bytes per lane, 8, or two registers of 4, the lower word first; ONE: of 4, where NARROW is
 * none. */
enum execute_address { EXECUTE_ADDRESS_NARROW, EXECUTE_ADDRESS_WIDE, EXECUTE_ADDRESS_PAIR, EXECUTE_ADDRESS_ONE };

/* Details of accesses to memory. */
struct execute_access_form {
    uint8_t space;        /* enum execute_space */
    uint8_t type;         /* enum execute_type */
    uint8_t count;        /* elements per lane */
    uint8_t operation;    /* EXECUTE_KIND_ATOMIC: enum execute_atomic_operation */
    uint8_t wide_address; /* enum execute_address: of the address register */
    bool framed;          /* the immediate is an offset in the function's frame of local memory */
    bool strong;          /* volatile, relaxed, acquire, release: performed at L2 */
    bool acquire, release;
    bool far;         /* scope: the cluster, the GPU or the system */
    uint8_t bypass;   /* .cg, .cv: not through the L1; of an asynchronous copy: enum execute_address of its source */
    bool read_only;   /* .nc */
    bool reduction;   /* returns nothing */
    uint8_t slot;     /* bytes per lane of the registers, 4 or 8 (16: .b128) */
    uint8_t added;    /* enum execute_address: of a register that is added, op.reconverge; NARROW: none */
    uint8_t scale;    /* left shift of the address register */
    bool pairs : 1;   /* registers of 8 bytes are two of 4, side by side */
    bool uniform : 1; /* a load for all lanes, active or not */
    bool landed : 1;  /* an mbarrier's: takes effect when the copies that its lanes made (cp.async) have landed */
    bool single : 1;  /* with `reduced`: halves are added as floats of 32 bits */
    /* EXECUTE_KIND_LOAD of a multicast object (multimem.ld_reduce): type of the elements that `operation` combines,
     * enum execute_type plus one; 0: a plain load */
    uint8_t reduced;
};

enum execute_shuffle { EXECUTE_SHUFFLE_UP, EXECUTE_SHUFFLE_DOWN, EXECUTE_SHUFFLE_BUTTERFLY, EXECUTE_SHUFFLE_INDEX };
enum execute_barrier {
    EXECUTE_BARRIER_SYNC,
    EXECUTE_BARRIER_ARRIVE,
    EXECUTE_BARRIER_POPC,
    EXECUTE_BARRIER_AND,
    EXECUTE_BARRIER_OR,
    EXECUTE_BARRIER_GROUP, /* barrier of a warpgroup's four warps (wgmma.fence, wgmma.wait_group) */
    EXECUTE_BARRIER_CLUSTER_ARRIVE,
    EXECUTE_BARRIER_CLUSTER_WAIT
};
enum execute_logic { EXECUTE_LOGIC_AND, EXECUTE_LOGIC_OR, EXECUTE_LOGIC_XOR, EXECUTE_LOGIC_NOT, EXECUTE_LOGIC_MOVE };
enum execute_grid {
    EXECUTE_GRID_RELEASE /* allow the dependent grid to launch */,
    EXECUTE_GRID_WAIT /* wait for the preceding grid */
};
enum execute_nothing { EXECUTE_NOTHING_WARP = 1 /* bar.warp.sync */ };
enum execute_system { EXECUTE_SYSTEM_PRINTF, EXECUTE_SYSTEM_ASSERT, EXECUTE_SYSTEM_MALLOC, EXECUTE_SYSTEM_FREE };

/* EXECUTE_KIND_ASYNC_GROUP; for a wait, `immediate` is the number of groups that may stay pending. */
enum execute_async_group {
    EXECUTE_GROUP_COPIES_COMMIT,
    EXECUTE_GROUP_COPIES_WAIT,
    EXECUTE_GROUP_COPIES_WAIT_READ, /* wait until the copies have read their sources */
    EXECUTE_GROUP_PRODUCTS_COMMIT,
    EXECUTE_GROUP_TMEM_LOADS_WAIT, /* tcgen05.wait: for all loads */
    EXECUTE_GROUP_TMEM_STORES_WAIT,
    /* copies of lanes (cp.async): values are moved immediately, only timing is asynchronous */
    EXECUTE_GROUP_LANES_COMMIT,
    EXECUTE_GROUP_LANES_WAIT,
};

enum execute_cluster_address { EXECUTE_CLUSTER_MAP, EXECUTE_CLUSTER_RANK };

/* op.variant of EXECUTE_KIND_COPY_ASYNC in machine code: bits. */
enum execute_copy {
    EXECUTE_COPY_MACHINE = 1,
    EXECUTE_COPY_PREDICATE = 2, /* `c` is a predicate; where it does not hold, zeros are written */
    EXECUTE_COPY_ZEROS = 4, /* the lowest bits of the source's address are a number of bytes at the end that are zero */
};

/* op.variant of EXECUTE_KIND_ATOMIC. Machine code: only lanes with addresses in global memory are active, and predicate
 * `target` receives them. TRIES: conditional on memory being equal to `c`; `d` is 1 for lanes that succeeded, 0 for
 * others. */
enum { EXECUTE_ATOMIC_GLOBAL_ALONE = 1, EXECUTE_ATOMIC_TRIES, EXECUTE_ATOMIC_SWAPS /* `target`: whether it did */ };

enum execute_mbarrier {
    EXECUTE_MBARRIER_INIT,
    EXECUTE_MBARRIER_ARRIVE,
    EXECUTE_MBARRIER_ARRIVE_DROP,
    EXECUTE_MBARRIER_EXPECT,
    EXECUTE_MBARRIER_COMPLETE,
    EXECUTE_MBARRIER_WAIT_STATE,
    EXECUTE_MBARRIER_WAIT_PARITY,
    EXECUTE_MBARRIER_PENDING,
    EXECUTE_MBARRIER_WAIT_UPPER,   /* machine code: the upper word of a state */
    EXECUTE_MBARRIER_ARRIVE_WORDS, /* machine code of Ampere, with another mbarrier format */
    EXECUTE_MBARRIER_STORE,        /* machine code: a store or reduction that signals its bytes (store_async.c) */
};

/* Behaviour of a surface access outside its bounds; in access.operation. */
enum execute_outside { EXECUTE_OUTSIDE_TRAP, EXECUTE_OUTSIDE_CLAMP, EXECUTE_OUTSIDE_ZERO };

enum execute_video {
    EXECUTE_VIDEO_ADD,
    EXECUTE_VIDEO_SUB,
    EXECUTE_VIDEO_AVRG,
    EXECUTE_VIDEO_ABSDIFF,
    EXECUTE_VIDEO_MIN,
    EXECUTE_VIDEO_MAX,
    EXECUTE_VIDEO_SET, /* compares; 1 where it holds */
    EXECUTE_VIDEO_SHL, /* the following ones apply to whole words only */
    EXECUTE_VIDEO_SHR,
    EXECUTE_VIDEO_MAD,
    EXECUTE_VIDEO_COUNT
};

/* The combination of a video instruction's result with c, unless the result replaces a part of c. */
enum execute_video_second { EXECUTE_SECOND_NONE, EXECUTE_SECOND_ADD, EXECUTE_SECOND_MIN, EXECUTE_SECOND_MAX };

enum execute_video_flag {
    EXECUTE_VIDEO_SIGNED_A = 1,
    EXECUTE_VIDEO_SIGNED_B = 2,
    EXECUTE_VIDEO_SIGNED_D = 4,
    EXECUTE_VIDEO_SATURATE = 8,
    EXECUTE_VIDEO_WRAP = 16,     /* shift: the amount is taken modulo 32; otherwise limited to 32 */
    EXECUTE_VIDEO_NEGATE = 32,   /* vmad: the product is negated */
    EXECUTE_VIDEO_NEGATE_C = 64, /* vmad: c is negated */
    EXECUTE_VIDEO_PLUS_ONE = 128 /* .po */
};

/* Details of EXECUTE_KIND_VIDEO. A selector names a part of a word: 0: all of it, 1 to 4: its bytes, 5 and 6: its
 * halves. For two or four parts at once, selectors number the parts of a and b, from 0 on. */
struct execute_video_form {
    uint8_t operation; /* enum execute_video */
    uint8_t parts;     /* 1, 2, 4 */
    uint8_t second;    /* enum execute_video_second */
    uint8_t flags;     /* enum execute_video_flag */
    uint8_t scale;     /* vmad: bits that the sum is shifted right by */
    uint8_t comparison;
    uint8_t d; /* one part: its selector in c; several: mask of the computed parts */
    uint8_t a[4], b[4];
};

/* mma and wmma: shape, types, layouts. */
struct execute_matrix_form {
    uint16_t m, n, k;
    uint8_t a_type, b_type, c_type, d_type;
    bool a_column, b_column; /* layouts in memory (wmma.load); of mma always row.col */
    bool wmma, saturate, and_popc, xor_popc;
    bool quads;        /* m8n8k4 of halves: four products of eight lanes each, of any layouts */
    uint8_t quad_step; /* quad step of machine code, from 1 on; 0: the whole product */
    bool sparse;       /* half of A's elements are stored: which, a register behind C says in some lanes of each quad */
    uint8_t selector;  /* sparse: which lanes of each quad have the metadata */
    uint8_t fragment;  /* wmma.load and store: 'a' … 'd' */
    bool column;       /* wmma: column-major layout */
    uint8_t a_count, b_count, c_count, d_count; /* registers; of a fragment's load or store: a_count */
    uint8_t space;                              /* load or store: enum execute_space */
    bool wide_address;
};

enum execute_tensor_direction {
    EXECUTE_TENSOR_LOAD,
    EXECUTE_TENSOR_STORE,
    EXECUTE_TENSOR_REDUCE,
    EXECUTE_TENSOR_PREFETCH,      /* global memory to the L2: nothing that values depend on */
    EXECUTE_TENSOR_ACROSS,        /* shared memory to that of another block of the cluster */
    EXECUTE_TENSOR_ACROSS_REDUCE, /* like ACROSS, combined with the existing values */
    EXECUTE_TENSOR_ARRIVE,        /* parcels only: an arrival at an mbarrier */
    EXECUTE_TENSOR_COMPLETE       /* parcels only: bytes to signal to an mbarrier */
};

enum execute_tensor_flag {
    EXECUTE_TENSOR_WIDE_SHARED = 1, /* addresses in registers of 64 bits: in shared memory */
    EXECUTE_TENSOR_WIDE_GLOBAL = 2, /* … in global memory, or of the tensor map */
    EXECUTE_TENSOR_WIDE_BARRIER = 4,
    EXECUTE_TENSOR_BARRIER = 8, /* the mbarrier's address is a register, the last of the list */
    EXECUTE_TENSOR_MULTICAST = 16,
    EXECUTE_TENSOR_IM2COL = 32,
    /* Machine code: once for a warp; addresses in global memory are two registers; `c` counts 16 bytes in its lower
     * half; the mask of blocks is the upper half of its register; addresses in shared memory have ranks above them. */
    EXECUTE_TENSOR_MACHINE = 64,
    EXECUTE_TENSOR_PAIR = 128, /* .cta_group::2: the mbarrier may be in the other block of a pair */
};

/* Details of copies by the tensor memory accelerator; the list has coordinates, offsets of im2col, the mask of blocks
 * and the mbarrier's address. */
struct execute_tensor_form {
    uint8_t direction; /* enum execute_tensor_direction */
    uint8_t rank;      /* 0: no tensor map, bytes as they lie */
    uint8_t offsets;   /* im2col offsets */
    uint8_t operation; /* reduction: enum execute_atomic_operation */
    uint8_t type;      /* reduction without a tensor map: enum execute_type */
    uint8_t flags;     /* enum execute_tensor_flag */
};

/* Details of wgmma.mma_async. */
struct execute_wgmma_form {
    uint16_t n;                     /* columns; rows are 64, and k is 256 bits of elements */
    uint8_t a_type, b_type, d_type; /* enum execute_wgmma_type, enum execute_type */
    uint8_t flags;                  /* enum execute_wgmma_flag */
};

enum execute_wgmma_flag {
    EXECUTE_WGMMA_A_REGISTERS = 1,
    EXECUTE_WGMMA_NEGATE_A = 2,
    EXECUTE_WGMMA_NEGATE_B = 4,
    EXECUTE_WGMMA_TRANSPOSE_A = 8,  /* the descriptor's matrix lies along m, not k */
    EXECUTE_WGMMA_TRANSPOSE_B = 16, /* … along n */
    EXECUTE_WGMMA_SATURATE = 32,
    EXECUTE_WGMMA_FRESH = 64,   /* d is overwritten unconditionally */
    EXECUTE_WGMMA_SPARSE = 128, /* two of four elements of A along k, or one of two of 32 bits; list: metadata last */
};

/* Details of tcgen05.ld and tcgen05.st (tmem.h). */
struct execute_tmem_form {
    uint8_t shape;  /* enum execute_tmem_shape */
    uint8_t halves; /* .pack::16b, .unpack::16b: a register has the lower halves of two columns */
    uint16_t count; /* registers */
    int32_t offset; /* added to the address */
    int32_t split;  /* .16x32bx2: distance in columns from the first half of the lanes to the second */
    /* tcgen05.ld.red: enum execute_tmem_reduction; enum execute_type. The reduction's register is the last one of the
     * list */
    uint8_t reduces, type;
};

enum execute_tmem_reduction { /* 0: none */
                              EXECUTE_TMEM_REDUCE_MIN = 1,
                              EXECUTE_TMEM_REDUCE_MAX = 2,
                              EXECUTE_TMEM_REDUCE_ABS = 4, /* absolute values of .f32 */
                              EXECUTE_TMEM_REDUCE_NAN = 8  /* NaN if an .f32 operand is NaN */
};

enum execute_tmem_shape {
    EXECUTE_TMEM_32X32B,
    EXECUTE_TMEM_16X64B,
    EXECUTE_TMEM_16X128B,
    EXECUTE_TMEM_16X256B,
    EXECUTE_TMEM_16X32BX2
};

enum execute_tmem_allocation {
    EXECUTE_TMEM_ALLOCATE,
    EXECUTE_TMEM_GIVE_BACK,
    EXECUTE_TMEM_NO_MORE,
    EXECUTE_TMEM_ALLOCATE_PAIR, /* .cta_group::2 */
    EXECUTE_TMEM_GIVE_BACK_PAIR
};

/* Details of tcgen05.mma, cp and shift (tcgen05.h). The operand list has the address in tensor memory and, for a
 * product, the instruction descriptor; then, depending on flags, the disabled lanes, the address of A's metadata, those
 * of the scale factors of A and of B, and the zero-column mask. `immediate` has two offsets of 21 bits each: for the
 * metadata's address and for those of the factors. */
struct execute_tcgen05_form {
    uint8_t command;  /* enum execute_tcgen05 */
    uint8_t kind;     /* enum execute_tcgen05_kind; of a copy: enum execute_tcgen05_copy */
    uint8_t scale;    /* product: D is first multiplied by 2^-scale; copy: bits of its packed elements, or 0 */
    uint8_t flags;    /* enum execute_tcgen05_flag */
    uint8_t factors;  /* product with block scaling: number of factors per row and column; 0: none */
    int32_t a_offset; /* added to the address of A in tensor memory */
    int32_t offset;   /* offset added to the address of D, or of a copy's destination */
};

enum { EXECUTE_TCGEN05_OFFSET_BITS = 21 /* bits of an offset in `immediate` */ };

enum execute_tcgen05_flag {
    EXECUTE_TCGEN05_A_TMEM = 1,   /* A is in tensor memory */
    EXECUTE_TCGEN05_MASKED = 2,   /* lanes of D are left out */
    EXECUTE_TCGEN05_PAIR = 4,     /* .cta_group::2 */
    EXECUTE_TCGEN05_SPARSE = 8,   /* two of four elements of A along k are stored, or one of two of 32 bits */
    EXECUTE_TCGEN05_WEIGHTS = 16, /* .ws: D of fewer rows takes fewer columns */
    EXECUTE_TCGEN05_ZEROES = 32,  /* has a mask of columns of B that are zero */
    EXECUTE_TCGEN05_A_DOWN = 64,  /* .ashift: rows of A are shifted down by one */
};

enum execute_tcgen05 { EXECUTE_TCGEN05_MULTIPLY, EXECUTE_TCGEN05_COPY, EXECUTE_TCGEN05_SHIFT };
enum execute_tcgen05_kind {
    EXECUTE_TCGEN05_F16,
    EXECUTE_TCGEN05_TF32,
    EXECUTE_TCGEN05_F8F6F4,
    EXECUTE_TCGEN05_I8,
    EXECUTE_TCGEN05_MXF8F6F4, /* the following ones have block scaling */
    EXECUTE_TCGEN05_MXF4,
    EXECUTE_TCGEN05_MXF4NVF4
};
enum execute_tcgen05_copy { /* lanes x bits */
                            EXECUTE_TCGEN05_128X256B,
                            EXECUTE_TCGEN05_4X256B,
                            EXECUTE_TCGEN05_128X128B,
                            EXECUTE_TCGEN05_64X128B_02_13,
                            EXECUTE_TCGEN05_64X128B_01_23,
                            EXECUTE_TCGEN05_32X128B
};

/* One micro-operation. It executes for those active lanes of its path whose guard holds. */
struct execute_op {
    uint8_t kind; /* enum execute_kind */
    /* private to the language: number of the instruction that determines its timing; 0: that of its statement */
    uint8_t sass;
    uint8_t size;                       /* size of the result in bytes per lane: 4, 8, 16; 0: a predicate or none */
    uint8_t variant;                    /* variant of the kind */
    uint8_t flags;                      /* enum execute_op_flag */
    uint8_t list_results, list_sources; /* references in code.list: results first */
    /* enum execute_combine; EXECUTE_KIND_WORDS: predicates that it writes are per lane, whatever the result is */
    uint8_t combine;
    uint32_t guard, guard_flip; /* guard predicate, and the mask it is XORed with */
    uint32_t d, a, b, c;
    uint32_t list;
    uint32_t target, reconverge; /* places in code.ops; of EXECUTE_KIND_WORDS, `target`: reference of P0 or UP0 where
                                    predicates are moved together */
    uint32_t statement;          /* the language's: where in the program it comes from */
    int64_t immediate;
    union {
        execute_words_function words; /* function for arithmetic on words; `immediate` has the modifiers */
        struct execute_float_form flt;
        struct execute_access_form access;
        struct execute_tensor_form tensor;
        struct execute_wgmma_form wgmma;
        struct execute_tmem_form tmem;
        struct execute_tcgen05_form tcgen05;
        struct execute_video_form video;
        uint32_t matrix; /* place in code.matrices */
        uint64_t raw[2];
    };
};

enum execute_op_flag {
    EXECUTE_OP_WRITES_D = 1, /* d is a register or predicate that changes */
    EXECUTE_OP_READS_A = 2,
    EXECUTE_OP_READS_B = 4,
    EXECUTE_OP_READS_C = 8,
    EXECUTE_OP_FLIP_C = 16, /* predicate c is negated */
    EXECUTE_OP_FLIP_A = 32,
    EXECUTE_OP_FLIP_B = 64,
    EXECUTE_OP_VALUE = 128, /* no address, branch or guard depends on its result */
};

/* Whether an operation may transfer control to another operation than the next one. */
static inline bool execute_op_is_flow(const struct execute_op *op)
{
    return execute_kind_is(op->kind, EXECUTE_IS_FLOW);
}

/* Whether an atomic's operand and result are adjacent registers: vectors, and 128 bits (atomic_wide.c). The list has
 * `count` registers of `size` bytes each; `type` has at most 8 bytes, and elements of that type are processed one by
 * one, except for 128-bit comparisons. */
static inline bool execute_is_wide_atomic(const struct execute_op *op)
{
    return op->kind == EXECUTE_KIND_ATOMIC && (op->access.count > 1 || op->access.slot == 16);
}

#endif
