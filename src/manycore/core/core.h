/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The core of a tile: a predecoding interpreter of A32 with the time of a 3-stage in-order pipeline by a table
 * (Raghav et al., TPDS 2015, section on the cycle-approximate method).
 *
 * A core runs alone on what is private to its tile and stops at each access to shared memory (an s-event): its request
 * then stands in `request`, its clock at the cycle of the access. Whoever serves it calls manycore_core_answer and runs
 * the core again, which repeats the instruction with the answers at hand: an instruction changes registers only once
 * all its accesses are done, so that LDM and LDRD may make several.
 *
 * State is plain data without pointers; what is pointed to stands in struct manycore_place.
 */
#ifndef MANYCORE_CORE_H
#define MANYCORE_CORE_H

#include "manycore/core/alu.h"
#include "manycore/core/tags.h"

#include "contract/program.h"

enum manycore_map { /* map of a core's address space */
                    MANYCORE_PRIVATE = 0x00000000,
                    MANYCORE_ISPM = 0x10000000,
                    MANYCORE_DSPM = 0x20000000,
                    MANYCORE_SHARED_MEGABYTE = 0x800, /* the TDSM begins at 0x80000000 */
};
#define MANYCORE_SHARED UINT32_C(0x80000000)
enum { MANYCORE_PRIVATE_MAX = 0x10000000, MANYCORE_PAGE = 4096, MANYCORE_BEATS = 16 };

enum manycore_pause {                   /* why a core does not run */
                      MANYCORE_RUNNING, /* the core has reached the bound of its run */
                      MANYCORE_ACCESS,  /* `request` is to be served */
                      MANYCORE_SERVICE, /* a semihosting call at the clock */
                      MANYCORE_EXITED,
                      MANYCORE_FAULTED, /* `fault` says why; it acts no more */
};

enum manycore_fault {
    MANYCORE_NO_FAULT,
    MANYCORE_FAULT_UNDEFINED,
    MANYCORE_FAULT_THUMB,
    MANYCORE_FAULT_BREAKPOINT,
    MANYCORE_FAULT_FETCH, /* the pc has left the program's code */
    MANYCORE_FAULT_UNMAPPED,
    MANYCORE_FAULT_MISALIGNED,
    MANYCORE_FAULT_READ_ONLY,
    MANYCORE_FAULT_BIG_ENDIAN,
    MANYCORE_FAULT_SERVICE, /* a call that is not semihosting, or an unknown one */
    MANYCORE_FAULT_MEMORY,  /* the private memory of the host is used up */
};

enum manycore_action {
    MANYCORE_READ,
    MANYCORE_WRITE,
    MANYCORE_SWAP,
    MANYCORE_READ_EXCLUSIVE,
    MANYCORE_WRITE_EXCLUSIVE,
};

struct manycore_request {
    uint32_t address, data;
    uint32_t version; /* WRITE_EXCLUSIVE: of the doubleword when it was read */
    uint8_t action, bytes;
    uint16_t mark; /* WRITE_EXCLUSIVE: version of the word when it was read, its lower bits; its reply: 1 if it failed
                      and the word itself was not written; a poll (mesh/poll.c): cycles of its round */
};

struct manycore_core {
    uint32_t r[16]; /* r[15]: of the next instruction, between runs */
    struct a32_flags flags;
    uint32_t q, ge;
    uint64_t clock;            /* cycle in which the next instruction begins; at a pause that of the access */
    uint32_t loaded;           /* registers that the instruction before has loaded, one bit each */
    uint32_t fetch_line;       /* line number + 1 of the instruction before; 0: none */
    uint32_t watched, version; /* exclusive monitor: address watched, version of the shared doubleword */
    uint32_t thread_id;        /* the software thread register of CP15 */
    uint8_t watches;
    uint8_t repeats;     /* the instruction at r[15] has begun, but waits for answers */
    uint8_t beat, beats; /* shared accesses of this instruction: passed in this attempt, answered */
    uint8_t pause, fault;
    uint16_t mark; /* exclusive monitor: version of the shared word, its lower bits */
    uint32_t fault_address, exit_code;
    uint32_t answers[MANYCORE_BEATS];
    struct manycore_request request;

    /* Counters. */
    uint64_t mix[A32_CLASSES];
    struct manycore_cache_counters instruction_cache, data_cache;
    uint64_t load_use_cycles, branch_cycles, cache_cycles;
};

struct manycore_timing {
    uint32_t branch, load_use, multiply, long_multiply, private_access, scratchpad;
};

struct manycore_core;
struct manycore_place;

/* Functions that translated code calls (translated.h has the same declarations). Results: cycles of a fetch beyond
 * those of a hit, and of an access to data beyond the instruction's own. */
struct manycore_helpers {
    uint32_t (*fetch)(struct manycore_core *core, const struct manycore_place *place, uint32_t line);
    uint32_t (*data)(struct manycore_core *core, const struct manycore_place *place, uint32_t line, uint32_t write);
};

/* Translated code: runs a core from its pc, which must be an entry, to where the translation ends or the clock might
 * pass `until`. Result: whether the new pc may be an entry again; otherwise the interpreter goes on. */
typedef uint32_t manycore_translated(struct manycore_core *core, const struct manycore_place *place, uint64_t until,
                                     const struct manycore_helpers *helpers);

/* A stretch of code, decoded once for all cores. */
struct manycore_code {
    uint32_t address, words;
    bool scratchpad;               /* lies in the instruction scratchpad: no cache */
    struct a32_op *ops;            /* [words + 1], the last one a32_end() */
    manycore_translated **entries; /* [words] translated code that begins there, or NULL. NULL: nothing is translated */
};

struct manycore_image { /* image of a program, common to all cores */
    const struct mnp_program *program;
    struct manycore_code code[MNP_SEGMENTS];
    uint32_t code_count;
    unsigned char **pages; /* [page_count] of private memory: what the program says; NULL: zeros */
    uint8_t *read_only;    /* [page_count] */
    uint32_t page_count;
    unsigned char *zeros; /* a page */
    void *library;        /* library of the translation; NULL: the code is interpreted */
};

struct manycore_pool { /* pages of private memory of many tiles; grows by whole pages up to a bound */
    unsigned char *base;
    uint64_t used, capacity; /* bytes */
    /* Members for a GPU, where 32 tiles share a warp: */
    uint64_t *pages;              /* [pages of a tile] address of each page, for all 32; 0: never written */
    struct manycore_pool *common; /* the pool of all warps */
};

/* Places that a core of a tile points to. */
struct manycore_place {
    const struct manycore_image *image;
    const struct manycore_timing *timing;
    const struct manycore_cache_shape *instruction_shape, *data_shape; /* NULL: no caches, scratchpads alone */
    struct manycore_tags instruction_tags, data_tags;
    unsigned char **readable; /* [private_bytes / page] the tile's own page once written, before that the image's */
    unsigned char **writable; /* [the same] the tile's own page; NULL: not written yet */
    struct manycore_pool *pool;
    unsigned char *scratchpad;
    uint32_t private_bytes, scratchpad_bytes, shared_bytes;
    uint32_t lane; /* lane in the warp, on a GPU */
    /* Executor s-events, and blocks that are watched: cycles at which the core has begun to run alone, and to which it
     * may; 0: it has stopped. */
    uint64_t from, until;
};

/* Runs until the clock reaches `until` or the core pauses; returns (and stores) why. */
MNP_DEVICE enum manycore_pause manycore_core_run(struct manycore_core *core, const struct manycore_place *place,
                                                 uint64_t until);

/* Whether the load at which a core waits for an answer decides how often it is repeated, as a poll does. */
MNP_DEVICE bool manycore_core_decides(const struct manycore_core *core, const struct manycore_place *place);

/* Gives a paused core the answer to its request, which it has at `cycle`. */
MNP_DEVICE void manycore_core_answer(struct manycore_core *core, const struct manycore_request *reply, uint64_t cycle);

/* Ends a service: the core goes on behind the call at `cycle`, with r0 = `value`. */
MNP_DEVICE void manycore_core_serve(struct manycore_core *core, uint32_t value, uint64_t cycle);

/* ===== for the parts of the interpreter ===== */

enum a32_result { A32_NEXT, A32_BRANCHED, A32_PAUSED };

/* Executes an instruction that is not in the interpreter's own switch. core->r[15] is its address + 8; A32_BRANCHED:
 * r[15] is the target. */
MNP_DEVICE enum a32_result manycore_execute(struct manycore_core *core, const struct manycore_place *place,
                                            const struct a32_op *op);

/* The part of that which is arithmetic. */
MNP_DEVICE enum a32_result manycore_execute_arithmetic(struct manycore_core *core, const struct manycore_timing *timing,
                                                       const struct a32_op *op);

/* Branches to an address with the instruction set in its bit 0. */
MNP_DEVICE enum a32_result manycore_exchange(struct manycore_core *core, uint32_t target);

#endif
