/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Translation: the A32 code of a program written out as C, block by block, with its cycle counts and cache checks, for
 * the host's compiler. It computes what the interpreter computes, to the last bit of a core's state; what it leaves to
 * the interpreter, it leaves at the boundary of an instruction.
 */
#ifndef MANYCORE_TRANSLATE_H
#define MANYCORE_TRANSLATE_H

#include "base/error.h"
#include "manycore/core/parameters.h"

#include <stdio.h>

enum manycore_mark { /* marks of a word of code */
                     MANYCORE_REACHED = 1,
                     MANYCORE_LEADER = 2,  /* a block begins */
                     MANYCORE_ENTRY = 4,   /* can be entered from outside: function, return point, head of a loop */
                     MANYCORE_CHECKED = 8, /* is also reached from a load, whose use costs time */
};

enum manycore_field { /* fields of the counts a (0–3) and b (4–7) of a translated program */
                      MANYCORE_FIELD_ALU,
                      MANYCORE_FIELD_LOAD,
                      MANYCORE_FIELD_BRANCH,
                      MANYCORE_FIELD_TAKEN,
                      MANYCORE_FIELD_STORE,
                      MANYCORE_FIELD_MULTIPLY,
                      MANYCORE_FIELD_LOAD_USE,
                      MANYCORE_FIELD_MEDIA,
                      MANYCORE_FIELDS,
};

/* Time and counts that are known, but not yet added where the program runs. */
struct manycore_owed {
    uint32_t clock, counts[MANYCORE_FIELDS];
};

struct manycore_site { /* place where the translation hands over to the interpreter: the state before an instruction */
    uint32_t pc, loaded;
    bool loaded_known;
    struct manycore_owed owed;
};

struct manycore_writer {
    FILE *out;
    const struct manycore_parameters *parameters;
    bool device; /* for a GPU */
    const struct manycore_code *code;
    const struct mnp_segment *segment;
    uint8_t *marks;       /* [words] enum manycore_mark */
    uint32_t *stretch_of; /* [words] which C function a word belongs to */
    uint32_t first, last; /* words of the stretch being written: first ≤ i < last */
    struct manycore_site *sites;
    uint32_t site_count, site_capacity;
    /* State for the instruction being written, in its block. */
    uint32_t pc;
    char name[16][16];                /* registers as C; that of r15 is its value */
    int kind;                         /* source of the flags (translated.h); UNKNOWN: it depends on the path to here */
    uint32_t line;                    /* the line of the instruction before + 1; 0: unknown */
    uint32_t loaded;                  /* registers that the instruction before may have loaded */
    bool loaded_known;                /* those registers were loaded; otherwise the variable `loaded` says which were */
    struct manycore_owed owed, after; /* before this instruction, and with it */
    char bail[48], condition[160];    /* results of functions of this module */
};

enum { MANYCORE_KIND_UNKNOWN = -1, MANYCORE_KIND_PLAIN, MANYCORE_KIND_SUB, MANYCORE_KIND_ADD, MANYCORE_KIND_LOGIC };

/* translate.c: the C of a program's code, in one block of memory; free it. `device`: C++ for a GPU, with a kernel
 * manycore_enter that notes where each of the program's words is entered, in the order of the image's code. */
char *manycore_translate(const struct manycore_image *image, const struct manycore_parameters *parameters, bool device);

/* ===== exit.c: ways out of a block ===== */

/* Adds what is owed, here; the debt stays on the books for other ways out of the block. */
void manycore_translate_owed(struct manycore_writer *writer, const struct manycore_owed *owed);

/* Goes on at an address, with no load before it. */
void manycore_translate_jump(struct manycore_writer *writer, uint32_t target);

/* Adds what `owed` says and the time of a branch taken, `extra` cycles more. */
void manycore_translate_taken(struct manycore_writer *writer, const struct manycore_owed *owed, uint32_t extra);

/* Hands over to the interpreter before this instruction: a statement of C. */
const char *manycore_translate_hand_over(struct manycore_writer *writer);

/* instruction.c: one instruction. False: it ends the block, as nothing is executed behind it. */
bool manycore_translate_instruction(struct manycore_writer *writer, const struct a32_op *op);

/* Whether it is translated, rather than left to the interpreter. */
bool manycore_translates(const struct a32_op *op);

/* Whether it may write the pc. */
bool manycore_branches(const struct a32_op *op);

/* data.c: data processing and multiplies. */
void manycore_translate_data(struct manycore_writer *writer, const struct a32_op *op);
void manycore_translate_multiply(struct manycore_writer *writer, const struct a32_op *op);
void manycore_translate_media(struct manycore_writer *writer, const struct a32_op *op);
/* C that is true when a condition holds. May settle the flags first. */
const char *manycore_translate_condition(struct manycore_writer *writer, uint32_t condition);
/* memory.c: loads and stores. */
void manycore_translate_transfer(struct manycore_writer *writer, const struct a32_op *op);
void manycore_translate_block(struct manycore_writer *writer, const struct a32_op *op);

/* How a translation is compiled, if the cache has none. */
struct manycore_compiling {
    bool allowed;
    const _Atomic int *stop;       /* becomes true: the compiler is ended; NULL: never */
    void (*begins)(void *context); /* called before it starts, which takes seconds; NULL: nobody asks */
    void *context;
    uint64_t took_ns; /* result: how long it has worked */
};

/* library.c: the translation as the host's compiler made it, from the cache of translations or new. Leaves the image
 * without translation when there is no compiler, or it is ended; `why` then says so. */
bool manycore_library_open(struct manycore_image *image, const struct manycore_parameters *parameters,
                           struct manycore_compiling *compiling, struct mnp_error *why);
void manycore_library_close(struct manycore_image *image);

/* Path of a cached translation, by its text, the programs that make it (NULL-terminated) and the ending; free it. NULL:
 * none. */
char *manycore_translation_path(const char *text, const char *const *made_by, const char *ending,
                                struct mnp_error *why);

#endif
