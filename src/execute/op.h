/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Micro-operations: what a kernel's statements become before it runs. Registers are numbered places in the warp's
 * frame, immediates are places in a pool of constants, types are chosen, so that execution looks nothing up.
 *
 * A reference (uint32_t) names 32 lanes of a value: two bits say where (frame of the running function, constants of the
 * kernel, special registers of the warp), the others are the offset in bytes. A predicate is one word, a bit per lane.
 */
#ifndef EXECUTE_OP_H
#define EXECUTE_OP_H

#include "execute/lanes.h"
#include "execute/soft_float.h"
#include "execute/special.h"
#include "frontend/ptx/text/module.h"

enum { EXECUTE_BASE_FRAME, EXECUTE_BASE_CONSTANT, EXECUTE_BASE_SPECIAL, EXECUTE_BASE_COUNT };
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

enum execute_kind {
    EXECUTE_KIND_LANES,          /* d = lane(a, b, c) */
    EXECUTE_KIND_INSERT,         /* bfi: d, a, b, list: position, length */
    EXECUTE_KIND_TEST,           /* setp: predicate d (and list[0]) = test(a, b), combined with predicate c */
    EXECUTE_KIND_TEST_TO,        /* set: d = test(a, b) combined with c ? immediate : 0 */
    EXECUTE_KIND_TESTP,          /* testp: predicate d of the float a */
    EXECUTE_KIND_SELECT,         /* d = predicate c ? a : b */
    EXECUTE_KIND_LOGIC,          /* predicate d = a `variant` b */
    EXECUTE_KIND_LOP3P,          /* lop3.BoolOp: list[0] = predicate out, list[1] = predicate in */
    EXECUTE_KIND_CARRY,          /* add.cc, addc, sub.cc, subc, mad.cc, madc */
    EXECUTE_KIND_FLOAT,          /* any format and rounding, by soft_float */
    EXECUTE_KIND_CONVERT,        /* any conversion */
    EXECUTE_KIND_PACK,           /* mov.b64 d, {…}: list: parts */
    EXECUTE_KIND_UNPACK,         /* mov.b64 {…}, a: list: parts */
    EXECUTE_KIND_CLOCK,          /* d = a special register that changes */
    EXECUTE_KIND_FRAME_ADDRESS,  /* d = address of the frame in local memory + immediate */
    EXECUTE_KIND_ISSPACEP,       /* predicate d = a lies in the space */
    EXECUTE_KIND_CVTA,           /* d = a + immediate: between a window and the generic addresses */
    EXECUTE_KIND_LOAD_PARAMETER, /* of the kernel, at a constant offset */
    EXECUTE_KIND_LOAD,
    EXECUTE_KIND_STORE,
    EXECUTE_KIND_ATOMIC,     /* atom and red */
    EXECUTE_KIND_PREFETCH,   /* and other hints: nothing to do */
    EXECUTE_KIND_COPY_ASYNC, /* cp.async */
    EXECUTE_KIND_COPY_BULK,  /* cp.async.bulk */
    EXECUTE_KIND_MBARRIER,   /* what works on an mbarrier */
    EXECUTE_KIND_LOAD_MATRIX,
    EXECUTE_KIND_MATRIX,      /* mma, wmma.mma */
    EXECUTE_KIND_WMMA_ACCESS, /* wmma.load, wmma.store */
    EXECUTE_KIND_MOVE_MATRIX,
    EXECUTE_KIND_TEXTURE,
    EXECUTE_KIND_SURFACE_LOAD,
    EXECUTE_KIND_SURFACE_STORE,
    EXECUTE_KIND_VIDEO, /* SIMD in 32 bits */
    EXECUTE_KIND_BRANCH,
    EXECUTE_KIND_BRANCH_INDEXED,
    EXECUTE_KIND_CALL,
    EXECUTE_KIND_SYSTEM, /* call of vprintf, malloc, free, __assertfail */
    EXECUTE_KIND_RETURN, /* the end of a function; also of a kernel */
    EXECUTE_KIND_EXIT,
    EXECUTE_KIND_TRAP,
    EXECUTE_KIND_BARRIER,
    EXECUTE_KIND_FENCE,
    EXECUTE_KIND_PART,    /* of the sequence that the next other operation is on silicon: takes time and does nothing */
    EXECUTE_KIND_NOTHING, /* pragma-like instructions, bar.warp.sync */
    EXECUTE_KIND_SHUFFLE,
    EXECUTE_KIND_VOTE,
    EXECUTE_KIND_MATCH,
    EXECUTE_KIND_REDUX,
    EXECUTE_KIND_ACTIVE_MASK,
    EXECUTE_KIND_ELECT,
    EXECUTE_KIND_COUNT,
};

enum execute_float_operation {
    EXECUTE_FLOAT_ADD,
    EXECUTE_FLOAT_SUB,
    EXECUTE_FLOAT_MUL,
    EXECUTE_FLOAT_FMA,
    EXECUTE_FLOAT_DIV,
    EXECUTE_FLOAT_RCP,
    EXECUTE_FLOAT_SQRT,
    EXECUTE_FLOAT_MIN,
    EXECUTE_FLOAT_MAX,
    EXECUTE_FLOAT_ABS,
    EXECUTE_FLOAT_NEG,
    EXECUTE_FLOAT_EX2,
    EXECUTE_FLOAT_TANH,
    EXECUTE_FLOAT_COMPARE,
};

/* Details of EXECUTE_KIND_FLOAT and EXECUTE_KIND_CONVERT. */
struct execute_float_form {
    uint8_t operation;  /* enum execute_float_operation */
    uint8_t type, from; /* enum execute_type; `from`: of the sources where it differs */
    uint8_t rounding;   /* enum execute_rounding */
    bool flush, saturate, nan, relu, finite, integral, xorsign;
    uint8_t comparison; /* enum execute_comparison */
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

/* Details of accesses to memory. */
struct execute_access_form {
    uint8_t space;     /* enum execute_space */
    uint8_t type;      /* enum execute_type */
    uint8_t count;     /* elements per lane */
    uint8_t operation; /* EXECUTE_KIND_ATOMIC: enum execute_atomic_operation */
    bool wide_address; /* the address register has 64 bits */
    bool framed;       /* the immediate is an offset in the function's frame of local memory */
    bool strong;       /* volatile, relaxed, acquire, release: performed at L2 */
    bool acquire, release;
    bool bypass;    /* .cg, .cv: not through the L1 */
    bool read_only; /* .nc */
    bool reduction; /* returns nothing */
    uint8_t slot;   /* bytes per lane of the registers, 4 or 8 (16: .b128) */
};

enum execute_shuffle { EXECUTE_SHUFFLE_UP, EXECUTE_SHUFFLE_DOWN, EXECUTE_SHUFFLE_BUTTERFLY, EXECUTE_SHUFFLE_INDEX };
enum execute_vote { EXECUTE_VOTE_ALL, EXECUTE_VOTE_ANY, EXECUTE_VOTE_UNIFORM, EXECUTE_VOTE_BALLOT };
enum execute_barrier {
    EXECUTE_BARRIER_SYNC,
    EXECUTE_BARRIER_ARRIVE,
    EXECUTE_BARRIER_POPC,
    EXECUTE_BARRIER_AND,
    EXECUTE_BARRIER_OR
};
enum execute_logic { EXECUTE_LOGIC_AND, EXECUTE_LOGIC_OR, EXECUTE_LOGIC_XOR, EXECUTE_LOGIC_NOT, EXECUTE_LOGIC_MOVE };
enum execute_nothing { EXECUTE_NOTHING_WARP = 1 /* bar.warp.sync */ };
enum execute_system { EXECUTE_SYSTEM_PRINTF, EXECUTE_SYSTEM_ASSERT, EXECUTE_SYSTEM_MALLOC, EXECUTE_SYSTEM_FREE };

/* mma and wmma: shape, types, layouts. */
struct execute_matrix_form {
    uint16_t m, n, k;
    uint8_t a_type, b_type, c_type, d_type;
    bool a_column, b_column; /* layouts in memory (wmma.load); of mma always row.col */
    bool wmma, saturate, and_popc, xor_popc;
    uint8_t fragment;                           /* wmma.load and store: 'a' … 'd' */
    bool column;                                /* … layout */
    uint8_t a_count, b_count, c_count, d_count; /* registers; of a fragment's load or store: a_count */
    uint8_t space;                              /* of a load or store: enum execute_space */
    bool wide_address;
};

struct execute_op {
    uint8_t kind;                       /* enum execute_kind */
    uint8_t sass;                       /* enum ptx_sass: what it is in time; 0: what its statement says */
    uint8_t size;                       /* of the result, bytes per lane: 4, 8, 16; 0: a predicate or none */
    uint8_t variant;                    /* of the kind */
    uint8_t flags;                      /* enum execute_op_flag */
    uint8_t list_results, list_sources; /* references in code.list: results first */
    uint8_t combine;                    /* enum execute_combine */
    uint32_t guard, guard_flip;         /* predicate, and what it is XORed with */
    uint32_t d, a, b, c;
    uint32_t list;
    uint32_t target, reconverge; /* places in code.ops */
    uint32_t statement;
    int64_t immediate;
    union {
        execute_lane_function lane;
        execute_lane_test test;
        struct execute_float_form flt;
        struct execute_access_form access;
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
};

/* A parameter, argument or result: bytes of a frame of local memory. */
struct execute_transfer {
    uint32_t offset, bytes;
};

struct execute_code_function {
    uint32_t function; /* in the module */
    uint32_t first_op, op_count;
    uint32_t frame_bytes;                                   /* of registers */
    uint32_t local_bytes;                                   /* of local memory, parameters included */
    uint32_t predicate_bytes;                               /* at the frame's start */
    uint32_t large_start;                                   /* where places of 64 bits begin */
    uint32_t registers;                                     /* of 32 bits, in use at once */
    uint32_t first_transfer, result_count, parameter_count; /* in code.transfers: results, then parameters */
};

struct execute_call {
    uint32_t callee;                                       /* in code.functions, or EXECUTE_NONE: indirect */
    uint32_t first_transfer, result_count, argument_count; /* in code.transfers: results, then arguments */
};

/* A kernel, ready to run. */
struct execute_code {
    const struct ptx_module *module;
    uint32_t entry;                                 /* function in the module */
    struct mnp_array ops;                           /* struct execute_op */
    struct mnp_array functions;                     /* struct execute_code_function; 0: the kernel itself */
    struct mnp_array list;                          /* uint32_t references */
    struct mnp_array targets;                       /* uint32_t places, of indexed branches */
    struct mnp_array calls;                         /* struct execute_call */
    struct mnp_array transfers;                     /* struct execute_transfer */
    struct mnp_array matrices;                      /* struct execute_matrix_form */
    struct mnp_array constants;                     /* bytes: 32 lanes each */
    struct mnp_array wide;                          /* uint64_t: second immediates */
    uint32_t *function_index;                       /* [module functions] place in `functions`, or EXECUTE_NONE */
    uint32_t *shared_offset;                        /* [module variables] */
    uint32_t special_offset[EXECUTE_SPECIAL_COUNT]; /* EXECUTE_NONE: not used */
    uint32_t special_bytes;
    uint32_t shared_bytes;   /* static */
    uint32_t dynamic_shared; /* where it begins */
    uint32_t parameter_bytes;
    uint32_t *parameter_offset; /* [module variables] of the kernel's parameters, or EXECUTE_NONE */
    uint32_t registers;         /* an estimate, 32 bits each */
    bool any_function;          /* has indirect calls: every function is part of it */
};

/* Windows of the generic address space. Functions have addresses of their own, so that pointers to them can be told. */
#define EXECUTE_SHARED_WINDOW    UINT64_C(0x00007f0000000000)
#define EXECUTE_LOCAL_WINDOW     UINT64_C(0x00007f0001000000)
#define EXECUTE_PARAMETER_WINDOW UINT64_C(0x00007f0002000000)
#define EXECUTE_WINDOW_BYTES     UINT64_C(0x0000000001000000)
#define EXECUTE_FUNCTION_WINDOW  UINT64_C(0x00007f0010000000)

/* Local memory of a thread is at most this (CUDA C++ Programming Guide, technical specifications). */
#define EXECUTE_LOCAL_BYTES (512 * 1024)

/* Where a module's .global and .const variables lie. */
struct ptx_image {
    uint64_t base;
    uint64_t bytes;
    uint64_t *addresses; /* [module variables]; 0: none */
};

/* Gives the variables places from `base` on; free image->addresses. */
bool ptx_image_place(const struct ptx_module *module, uint64_t base, struct ptx_image *image, struct mnp_error *error);
/* Writes the initial contents of all variables that are not zero. False: `write` said so. */
typedef bool ptx_image_writer(void *context, uint64_t address, const void *data, uint64_t bytes);
bool ptx_image_write(const struct ptx_module *module, const struct ptx_image *image, ptx_image_writer *write,
                     void *context);

/* Decodes a kernel and all functions that it can reach. NULL: an error located in the source. */
struct execute_code *ptx_decode(const struct ptx_module *module, const struct ptx_image *image, uint32_t entry,
                                struct mnp_error *error);
void execute_code_free(struct execute_code *code);

static inline struct execute_op *execute_op_at(const struct execute_code *code, uint32_t index)
{
    return (struct execute_op *)code->ops.items + index;
}

static inline struct execute_code_function *execute_code_function_at(const struct execute_code *code, uint32_t index)
{
    return (struct execute_code_function *)code->functions.items + index;
}

#endif
