/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What each instruction of a program has cost: counts by the name of the code and PC, over all of its launches. Tallied
 * beside the simulation, which they do not change; they depend on the machine and its input alone.
 */
#ifndef MNP_ENGINE_COUNT_TALLY_H
#define MNP_ENGINE_COUNT_TALLY_H

#include "base/array.h"

/* Counts of an instruction. What issues instructions in order is a thread here, however many lanes it has. ISSUES and
 * the waits, summed over all instructions, are the cycles of resident threads. */
enum mnp_tally_count {
    MNP_TALLY_ISSUES,    /* times that a thread has issued it */
    MNP_TALLY_LANES,     /* active lanes of these */
    MNP_TALLY_READY,     /* cycles in which it could have issued: another thread did, or its pipe was not free */
    MNP_TALLY_RESULT,    /* … in which it waited for a result of fixed latency */
    MNP_TALLY_MEMORY,    /* … for memory */
    MNP_TALLY_BARRIER,   /* … at a barrier, or for an engine */
    MNP_TALLY_FENCE,     /* … for the thread's own accesses to be done */
    MNP_TALLY_FETCH,     /* … for the instruction itself */
    MNP_TALLY_ENDED,     /* … of a thread whose last one it was, until its group ended */
    MNP_TALLY_SECTORS,   /* sectors of global and local memory that it touched */
    MNP_TALLY_CONFLICTS, /* cycles by which bank conflicts of shared memory lengthened it */
    MNP_TALLY_COUNTS,
};

/* "issues", "lanes", "ready", … */
extern const char *const mnp_tally_names[MNP_TALLY_COUNTS];

struct mnp_tally_row { /* an instruction */
    uint32_t kernel;   /* place of its name in `names` */
    uint32_t pc;
    uint32_t opcode; /* one PC may have several in a trace */
    char *text;      /* as the program has it; NULL: it has none */
    char *source;    /* "file.cu:12"; NULL: not known */
    uint64_t count[MNP_TALLY_COUNTS];
};

struct mnp_tally {
    struct mnp_array names;        /* char *: of kernels */
    struct mnp_array rows;         /* struct mnp_tally_row, in the order in which they were found */
    uint32_t *places, place_count; /* hash table: of a row, plus one; 0: none */
};

/* The number of a kernel's name, which is added if it is new. */
uint32_t mnp_tally_name(struct mnp_tally *tally, const char *name);

/* The row of an instruction, zeroed if it is new; valid until the next call. `kernel`: by mnp_tally_name. */
struct mnp_tally_row *mnp_tally_row(struct mnp_tally *tally, uint32_t kernel, uint32_t pc, uint32_t opcode);

/* Adds the counts of `from`, whose texts are taken out of it where they are new. */
void mnp_tally_join(struct mnp_tally *tally, struct mnp_tally *from);

/* Sorts the rows by name of kernel and PC. No row is found any more after this. */
void mnp_tally_sort(struct mnp_tally *tally);

void mnp_tally_release(struct mnp_tally *tally);

#endif
