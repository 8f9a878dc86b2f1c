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
#include "frontend/ptx/text/module.h"
#include "execute/soft_float.h"
#include "execute/special.h"

enum { PTX_BASE_FRAME, PTX_BASE_CONSTANT, PTX_BASE_SPECIAL, PTX_BASE_COUNT };
enum {
    PTX_BASE_SHIFT = 30,
    PTX_TRUE = 0 /* the predicate that always holds */,
    PTX_CARRY = 4,
    PTX_SMALL_BYTES = 128,
    PTX_LARGE_BYTES = 256
};
#define PTX_OFFSET_MASK ((1u << PTX_BASE_SHIFT) - 1)
#define PTX_NO_REF      UINT32_MAX

enum ptx_kind {
    PTX_KIND_LANES,          /* d = lane(a, b, c) */
    PTX_KIND_INSERT,         /* bfi: d, a, b, list: position, length */
    PTX_KIND_TEST,           /* setp: predicate d (and list[0]) = test(a, b), combined with predicate c */
    PTX_KIND_TEST_TO,        /* set: d = test(a, b) combined with c ? immediate : 0 */
    PTX_KIND_TESTP,          /* testp: predicate d of the float a */
    PTX_KIND_SELECT,         /* d = predicate c ? a : b */
    PTX_KIND_LOGIC,          /* predicate d = a `variant` b */
    PTX_KIND_LOP3P,          /* lop3.BoolOp: list[0] = predicate out, list[1] = predicate in */
    PTX_KIND_CARRY,          /* add.cc, addc, sub.cc, subc, mad.cc, madc */
    PTX_KIND_FLOAT,          /* any format and rounding, by soft_float */
    PTX_KIND_CONVERT,        /* any conversion */
    PTX_KIND_PACK,           /* mov.b64 d, {…}: list: parts */
    PTX_KIND_UNPACK,         /* mov.b64 {…}, a: list: parts */
    PTX_KIND_CLOCK,          /* d = a special register that changes */
    PTX_KIND_FRAME_ADDRESS,  /* d = address of the frame in local memory + immediate */
    PTX_KIND_ISSPACEP,       /* predicate d = a lies in the space */
    PTX_KIND_CVTA,           /* d = a + immediate: between a window and the generic addresses */
    PTX_KIND_LOAD_PARAMETER, /* of the kernel, at a constant offset */
    PTX_KIND_LOAD,
    PTX_KIND_STORE,
    PTX_KIND_ATOMIC,     /* atom and red */
    PTX_KIND_PREFETCH,   /* and other hints: nothing to do */
    PTX_KIND_COPY_ASYNC, /* cp.async */
    PTX_KIND_COPY_BULK,  /* cp.async.bulk */
    PTX_KIND_MBARRIER,   /* what works on an mbarrier */
    PTX_KIND_LOAD_MATRIX,
    PTX_KIND_MATRIX,      /* mma, wmma.mma */
    PTX_KIND_WMMA_ACCESS, /* wmma.load, wmma.store */
    PTX_KIND_MOVE_MATRIX,
    PTX_KIND_TEXTURE,
    PTX_KIND_SURFACE_LOAD,
    PTX_KIND_SURFACE_STORE,
    PTX_KIND_VIDEO, /* SIMD in 32 bits */
    PTX_KIND_BRANCH,
    PTX_KIND_BRANCH_INDEXED,
    PTX_KIND_CALL,
    PTX_KIND_SYSTEM, /* call of vprintf, malloc, free, __assertfail */
    PTX_KIND_RETURN, /* the end of a function; also of a kernel */
    PTX_KIND_EXIT,
    PTX_KIND_TRAP,
    PTX_KIND_BARRIER,
    PTX_KIND_FENCE,
    PTX_KIND_PART,    /* of the sequence that the next other operation is on silicon: takes time and does nothing */
    PTX_KIND_NOTHING, /* pragma-like instructions, bar.warp.sync */
    PTX_KIND_SHUFFLE,
    PTX_KIND_VOTE,
    PTX_KIND_MATCH,
    PTX_KIND_REDUX,
    PTX_KIND_ACTIVE_MASK,
    PTX_KIND_ELECT,
    PTX_KIND_COUNT,
};

enum ptx_float_operation {
    PTX_FLOAT_ADD,
    PTX_FLOAT_SUB,
    PTX_FLOAT_MUL,
    PTX_FLOAT_FMA,
    PTX_FLOAT_DIV,
    PTX_FLOAT_RCP,
    PTX_FLOAT_SQRT,
    PTX_FLOAT_MIN,
    PTX_FLOAT_MAX,
    PTX_FLOAT_ABS,
    PTX_FLOAT_NEG,
    PTX_FLOAT_EX2,
    PTX_FLOAT_TANH,
    PTX_FLOAT_COMPARE,
};

/* Details of PTX_KIND_FLOAT and PTX_KIND_CONVERT. */
struct ptx_float_form {
    uint8_t operation;  /* enum ptx_float_operation */
    uint8_t type, from; /* enum ptx_type; `from`: of the sources where it differs */
    uint8_t rounding;   /* enum ptx_rounding */
    bool flush, saturate, nan, relu, finite, integral, xorsign;
    uint8_t comparison; /* enum ptx_comparison */
};

enum ptx_comparison {
    PTX_EQ,
    PTX_NE,
    PTX_LT,
    PTX_LE,
    PTX_GT,
    PTX_GE,
    PTX_EQU,
    PTX_NEU,
    PTX_LTU,
    PTX_LEU,
    PTX_GTU,
    PTX_GEU,
    PTX_NUM,
    PTX_ISNAN,
};

enum ptx_combine { PTX_COMBINE_NONE, PTX_COMBINE_AND, PTX_COMBINE_OR, PTX_COMBINE_XOR };

enum ptx_atomic_operation {
    PTX_ATOMIC_ADD,
    PTX_ATOMIC_MIN,
    PTX_ATOMIC_MAX,
    PTX_ATOMIC_AND,
    PTX_ATOMIC_OR,
    PTX_ATOMIC_XOR,
    PTX_ATOMIC_EXCH,
    PTX_ATOMIC_CAS,
    PTX_ATOMIC_INC,
    PTX_ATOMIC_DEC,
};

/* Details of accesses to memory. */
struct ptx_access_form {
    uint8_t space;     /* enum ptx_space */
    uint8_t type;      /* enum ptx_type */
    uint8_t count;     /* elements per lane */
    uint8_t operation; /* PTX_KIND_ATOMIC: enum ptx_atomic_operation */
    bool wide_address; /* the address register has 64 bits */
    bool framed;       /* the immediate is an offset in the function's frame of local memory */
    bool strong;       /* volatile, relaxed, acquire, release: performed at L2 */
    bool acquire, release;
    bool bypass;    /* .cg, .cv: not through the L1 */
    bool read_only; /* .nc */
    bool reduction; /* returns nothing */
    uint8_t slot;   /* bytes per lane of the registers, 4 or 8 (16: .b128) */
};

enum ptx_shuffle { PTX_SHUFFLE_UP, PTX_SHUFFLE_DOWN, PTX_SHUFFLE_BUTTERFLY, PTX_SHUFFLE_INDEX };
enum ptx_vote { PTX_VOTE_ALL, PTX_VOTE_ANY, PTX_VOTE_UNIFORM, PTX_VOTE_BALLOT };
enum ptx_barrier { PTX_BARRIER_SYNC, PTX_BARRIER_ARRIVE, PTX_BARRIER_POPC, PTX_BARRIER_AND, PTX_BARRIER_OR };
enum ptx_logic { PTX_LOGIC_AND, PTX_LOGIC_OR, PTX_LOGIC_XOR, PTX_LOGIC_NOT, PTX_LOGIC_MOVE };
enum ptx_nothing { PTX_NOTHING_WARP = 1 /* bar.warp.sync */ };
enum ptx_system { PTX_SYSTEM_PRINTF, PTX_SYSTEM_ASSERT, PTX_SYSTEM_MALLOC, PTX_SYSTEM_FREE };

/* mma and wmma: shape, types, layouts. */
struct ptx_matrix_form {
    uint16_t m, n, k;
    uint8_t a_type, b_type, c_type, d_type;
    bool a_column, b_column; /* layouts in memory (wmma.load); of mma always row.col */
    bool wmma, saturate, and_popc, xor_popc;
    uint8_t fragment;                           /* wmma.load and store: 'a' … 'd' */
    bool column;                                /* … layout */
    uint8_t a_count, b_count, c_count, d_count; /* registers; of a fragment's load or store: a_count */
    uint8_t space;                              /* of a load or store: enum ptx_space */
    bool wide_address;
};

struct ptx_op {
    uint8_t kind;                       /* enum ptx_kind */
    uint8_t sass;                       /* enum ptx_sass: what it is in time; 0: what its statement says */
    uint8_t size;                       /* of the result, bytes per lane: 4, 8, 16; 0: a predicate or none */
    uint8_t variant;                    /* of the kind */
    uint8_t flags;                      /* enum ptx_op_flag */
    uint8_t list_results, list_sources; /* references in code.list: results first */
    uint8_t combine;                    /* enum ptx_combine */
    uint32_t guard, guard_flip;         /* predicate, and what it is XORed with */
    uint32_t d, a, b, c;
    uint32_t list;
    uint32_t target, reconverge; /* places in code.ops */
    uint32_t statement;
    int64_t immediate;
    union {
        ptx_lane_function lane;
        ptx_lane_test test;
        struct ptx_float_form flt;
        struct ptx_access_form access;
        uint32_t matrix; /* place in code.matrices */
        uint64_t raw[2];
    };
};

enum ptx_op_flag {
    PTX_OP_WRITES_D = 1, /* d is a register or predicate that changes */
    PTX_OP_READS_A = 2,
    PTX_OP_READS_B = 4,
    PTX_OP_READS_C = 8,
    PTX_OP_FLIP_C = 16, /* predicate c is negated */
    PTX_OP_FLIP_A = 32,
    PTX_OP_FLIP_B = 64,
};

/* A parameter, argument or result: bytes of a frame of local memory. */
struct ptx_transfer {
    uint32_t offset, bytes;
};

struct ptx_code_function {
    uint32_t function; /* in the module */
    uint32_t first_op, op_count;
    uint32_t frame_bytes;                                   /* of registers */
    uint32_t local_bytes;                                   /* of local memory, parameters included */
    uint32_t predicate_bytes;                               /* at the frame's start */
    uint32_t large_start;                                   /* where places of 64 bits begin */
    uint32_t registers;                                     /* of 32 bits, in use at once */
    uint32_t first_transfer, result_count, parameter_count; /* in code.transfers: results, then parameters */
};

struct ptx_call {
    uint32_t callee;                                       /* in code.functions, or PTX_NONE: indirect */
    uint32_t first_transfer, result_count, argument_count; /* in code.transfers: results, then arguments */
};

/* A kernel, ready to run. */
struct ptx_code {
    const struct ptx_module *module;
    uint32_t entry;                             /* function in the module */
    struct ptx_array ops;                       /* struct ptx_op */
    struct ptx_array functions;                 /* struct ptx_code_function; 0: the kernel itself */
    struct ptx_array list;                      /* uint32_t references */
    struct ptx_array targets;                   /* uint32_t places, of indexed branches */
    struct ptx_array calls;                     /* struct ptx_call */
    struct ptx_array transfers;                 /* struct ptx_transfer */
    struct ptx_array matrices;                  /* struct ptx_matrix_form */
    struct ptx_array constants;                 /* bytes: 32 lanes each */
    struct ptx_array wide;                      /* uint64_t: second immediates */
    uint32_t *function_index;                   /* [module functions] place in `functions`, or PTX_NONE */
    uint32_t *shared_offset;                    /* [module variables] */
    uint32_t special_offset[PTX_SPECIAL_COUNT]; /* PTX_NONE: not used */
    uint32_t special_bytes;
    uint32_t shared_bytes;   /* static */
    uint32_t dynamic_shared; /* where it begins */
    uint32_t parameter_bytes;
    uint32_t *parameter_offset; /* [module variables] of the kernel's parameters, or PTX_NONE */
    uint32_t registers;         /* an estimate, 32 bits each */
    bool any_function;          /* has indirect calls: every function is part of it */
};

/* Windows of the generic address space. Functions have addresses of their own, so that pointers to them can be told. */
#define PTX_SHARED_WINDOW    UINT64_C(0x00007f0000000000)
#define PTX_LOCAL_WINDOW     UINT64_C(0x00007f0001000000)
#define PTX_PARAMETER_WINDOW UINT64_C(0x00007f0002000000)
#define PTX_WINDOW_BYTES     UINT64_C(0x0000000001000000)
#define PTX_FUNCTION_WINDOW  UINT64_C(0x00007f0010000000)

/* Local memory of a thread is at most this (CUDA C++ Programming Guide, technical specifications). */
#define PTX_LOCAL_BYTES (512 * 1024)

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
struct ptx_code *ptx_decode(const struct ptx_module *module, const struct ptx_image *image, uint32_t entry,
                            struct mnp_error *error);
void ptx_code_free(struct ptx_code *code);

static inline struct ptx_op *ptx_op_at(const struct ptx_code *code, uint32_t index)
{
    return (struct ptx_op *)code->ops.items + index;
}

static inline struct ptx_code_function *ptx_code_function_at(const struct ptx_code *code, uint32_t index)
{
    return (struct ptx_code_function *)code->functions.items + index;
}

#endif
