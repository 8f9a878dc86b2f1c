/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A kernel, ready to run: its operations (op.h), the functions that it can reach, and their tables. A language creates
 * it; execution only reads it.
 */
#ifndef EXECUTE_CODE_H
#define EXECUTE_CODE_H

#include "base/array.h"
#include "execute/code/op.h"
#include "execute/code/special.h"

struct execute_module;
struct execute_share;
struct execute_timing;

/* A parameter, argument or result: bytes of a frame of local memory. */
struct execute_transfer {
    uint32_t offset, bytes;
};

struct execute_code_function {
    uint32_t function; /* function number in the module */
    uint32_t first_op, op_count;
    uint32_t frame_bytes;                                   /* size of the registers */
    uint32_t local_bytes;                                   /* size of local memory, including parameters */
    uint32_t predicate_bytes;                               /* size of the predicates at the frame's start */
    uint32_t large_start, quad_start;                       /* offsets of the first 64-bit and 128-bit registers */
    uint32_t registers;                                     /* maximum number of 32-bit registers in use at a time */
    uint32_t first_transfer, result_count, parameter_count; /* index in code.transfers: results, then parameters */
};

struct execute_call {
    uint32_t callee;                                       /* index in code.functions; EXECUTE_NONE: indirect call */
    uint32_t first_transfer, result_count, argument_count; /* index in code.transfers: results, then arguments */
};

/* Source of a word of a constant bank at the start of a CTA. */
enum execute_bank_source {
    EXECUTE_BANK_VALUE,     /* `value` */
    EXECUTE_BANK_PARAMETER, /* bytes of the parameters from `value` on; zero behind the last */
    EXECUTE_BANK_SPECIAL,   /* a special register that is constant during a launch */
    EXECUTE_BANK_MEMORY,    /* global memory at `value` */
};

struct execute_bank_word {
    uint8_t source; /* enum execute_bank_source */
    uint64_t value;
};

/* A kernel, ready to run. */
struct execute_code {
    const struct execute_module *module;     /* module of the kernel, which determines its language (language.h) */
    const struct execute_words_table *table; /* arithmetic functions, the fastest for this host */
    const char *name;                        /* name of the kernel, owned by the module */
    uint32_t architecture;                   /* target architecture, for example 80 */
    uint32_t source;            /* architecture of the PTX from which it was compiled; without PTX, `architecture` */
    struct mnp_array ops;       /* struct execute_op */
    struct mnp_array functions; /* struct execute_code_function; 0: the kernel itself */
    struct mnp_array list;      /* uint32_t references */
    struct mnp_array targets;   /* uint32_t: targets of indexed branches, as positions */
    struct mnp_array calls;     /* struct execute_call */
    struct mnp_array transfers; /* struct execute_transfer */
    struct mnp_array matrices;  /* struct execute_matrix_form */
    struct mnp_array constants; /* bytes: 32 lanes each */
    struct mnp_array wide;      /* uint64_t: second immediates */
    uint32_t *function_index;   /* [function_count] by a function's number in pointers: its place in `functions`, or
                                 EXECUTE_NONE */
    uint32_t function_count;
    uint32_t special_offset[EXECUTE_SPECIAL_COUNT]; /* EXECUTE_NONE: not used */
    uint32_t special_bytes;
    uint32_t shared_bytes;   /* static */
    uint32_t dynamic_shared; /* offset of dynamic shared memory */
    /* Bytes reserved for the system at the beginning (machine code since sm_90): not available to the program, and
     * allocated by the machine. */
    uint32_t shared_system;
    uint32_t parameter_bytes;
    struct mnp_array parameters; /* struct execute_transfer: the kernel's own, in their order */
    uint32_t most_block[3];      /* threads of a CTA along each axis at most; 0: not stated */
    uint32_t required_block[3];  /* exactly; 0: not stated */
    uint32_t cluster[3];         /* CTAs of a cluster along each axis, exactly; 0: not stated */
    uint32_t most_cluster;       /* CTAs of a cluster at most; 0: not stated */
    bool pairs;                  /* CTAs multiply by pairs (tcgen05 with cta_group::2) */
    bool has_control;            /* its instructions have control bits */
    bool deep_stack;          /* calls functions: needs additional local memory for a stack, which is never cleared */
    bool names_members;       /* an operation names the lanes that take part in it (turns.h) */
    bool paths;               /* lanes that part make progress on their own (paths.h) */
    struct mnp_array bank;    /* struct execute_bank_word: words of constant banks, EXECUTE_BASE_BANK */
    bool needs_cluster;       /* every launch states a cluster, or the kernel itself does */
    bool counts_clusters;     /* a launch without cluster dimensions counts clusters, not CTAs */
    uint32_t registers;       /* 32-bit registers per thread */
    bool registers_estimated; /* an assembler, which may need fewer, has not allocated them */
    bool has_values;          /* some operations only compute values (EXECUTE_OP_VALUE) */
    bool follows_memory;      /* addresses or branches depend on contents of global memory */
    struct execute_share *share;   /* parts that codes on other devices have, too (share.h); NULL: none */
    struct execute_timing *timing; /* instructions for the models of time (timing.h); NULL: nobody has asked for them */
};

/* Windows of the generic address space. Functions have addresses of their own, so that pointers to them can be told. */
#define EXECUTE_SHARED_WINDOW    UINT64_C(0x00007f0000000000)
#define EXECUTE_LOCAL_WINDOW     UINT64_C(0x00007f0001000000)
#define EXECUTE_PARAMETER_WINDOW UINT64_C(0x00007f0002000000)
#define EXECUTE_WINDOW_BYTES     UINT64_C(0x0000000001000000)
/* Generic addresses of shared memory in machine code of Hopper: the rank of a CTA of the cluster is above the 24 bits
 * of its window. */
#define EXECUTE_RANKED_WINDOW   UINT64_C(0x00007f0200000000)
#define EXECUTE_FUNCTION_WINDOW UINT64_C(0x00007f0010000000)

/* Addresses of shared::cluster. A CTA's own shared memory has the same addresses as in shared::cta, from 0 on; the
 * memory of the CTA of rank r, including the CTA itself, begins at EXECUTE_CLUSTER_BASE + r · EXECUTE_WINDOW_BYTES.
 * Generic addresses are these plus EXECUTE_SHARED_WINDOW. */
#define EXECUTE_CLUSTER_BASE   UINT32_C(0x20000000)
#define EXECUTE_CLUSTER_WINDOW (EXECUTE_SHARED_WINDOW + EXECUTE_CLUSTER_BASE)
enum { EXECUTE_CLUSTER_CTAS = 16, EXECUTE_CLUSTER_PORTABLE = 8, EXECUTE_WINDOW_SHIFT = 24 };

/* Local memory of a thread is at most this (CUDA C++ Programming Guide, technical specifications). */
#define EXECUTE_LOCAL_BYTES (512 * 1024)

/* Whether a function belongs to the device runtime for launches from kernels: of CUDA 5 to 11, or since 12. */
bool execute_launches_kernels(const char *function);

/* Creates code without operations. Its lists begin with an unused entry, so that every list has an address. */
struct execute_code *execute_code_create(const struct execute_module *module);

/* Frees all members of the code, which its language has allocated. */
void execute_code_release(struct execute_code *code);

static inline struct execute_op *execute_op_at(const struct execute_code *code, uint32_t index)
{
    return (struct execute_op *)code->ops.items + index;
}

static inline uint32_t execute_op_place(const struct execute_code *code, const struct execute_op *op)
{
    return (uint32_t)(op - (const struct execute_op *)code->ops.items);
}

static inline struct execute_code_function *execute_code_function_at(const struct execute_code *code, uint32_t index)
{
    return (struct execute_code_function *)code->functions.items + index;
}

#endif
