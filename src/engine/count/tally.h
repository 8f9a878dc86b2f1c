/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Costs of each instruction of a program: counts by code name and PC, over all launches. Counting does not affect the
 * simulation, and the counts depend only on the machine and its input.
 */
#ifndef MNP_ENGINE_COUNT_TALLY_H
#define MNP_ENGINE_COUNT_TALLY_H

#include "base/array.h"

/* Counts of an instruction. A thread here is whatever issues instructions in order, however many lanes it has. ISSUES
 * and the waits, summed over all instructions, are the cycles of resident threads. */
enum mnp_tally_count {
    MNP_TALLY_ISSUES,    /* number of times that a thread issued it */
    MNP_TALLY_LANES,     /* active lanes of these issues */
    MNP_TALLY_READY,     /* cycles in which it could have issued, but another thread did, or its pipe was busy */
    MNP_TALLY_RESULT,    /* cycles in which it waited for a result of fixed latency */
    MNP_TALLY_MEMORY,    /* cycles in which it waited for memory */
    MNP_TALLY_BARRIER,   /* cycles in which it waited at a barrier, or for an async unit */
    MNP_TALLY_FENCE,     /* cycles in which it waited for the thread's own accesses to complete */
    MNP_TALLY_FETCH,     /* cycles in which it waited for the instruction fetch */
    MNP_TALLY_ENDED,     /* cycles of a thread after its last instruction, until its group ended */
    MNP_TALLY_SECTORS,   /* number of sectors of global and local memory accessed */
    MNP_TALLY_CONFLICTS, /* additional cycles by bank conflicts of shared memory */
    MNP_TALLY_AWAITED,   /* cycles in which later instructions of the thread waited for what it loads */
    MNP_TALLY_ENERGY,    /* femtojoules of what it did, where the machine counts energies; 0 otherwise */
    MNP_TALLY_COUNTS,
};

/* "issues", "lanes", "ready", … */
extern const char *const mnp_tally_names[MNP_TALLY_COUNTS];

struct mnp_tally_row { /* an instruction */
    uint32_t kernel;   /* index of its name in `names` */
    uint32_t pc;
    uint32_t opcode; /* in a trace, one PC may have several opcodes */
    char *text;      /* source form in the program; NULL: none */
    char *source;    /* "file.cu:12"; NULL: unknown */
    uint64_t count[MNP_TALLY_COUNTS];
};

struct mnp_tally {
    struct mnp_array names;        /* char *: names of kernels */
    struct mnp_array rows;         /* struct mnp_tally_row, in the order in which they were found */
    uint32_t *places, place_count; /* hash table: index of a row plus one; 0: free */
};

/* Returns the number of a kernel's name, adding it if it is new. */
uint32_t mnp_tally_name(struct mnp_tally *tally, const char *name);

/* Returns the row of an instruction, zeroed if it is new; valid until the next call. `kernel`: number from
 * mnp_tally_name. */
struct mnp_tally_row *mnp_tally_row(struct mnp_tally *tally, uint32_t kernel, uint32_t pc, uint32_t opcode);

/* Adds the counts of `from`; texts of new rows are moved out of it. */
void mnp_tally_join(struct mnp_tally *tally, struct mnp_tally *from);

/* Sorts the rows by kernel name and PC. Rows cannot be looked up after this. */
void mnp_tally_sort(struct mnp_tally *tally);

void mnp_tally_release(struct mnp_tally *tally);

#endif
