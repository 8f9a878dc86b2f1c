/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The asynchronous engines of a core (DESIGN §3 item 6), as live warps use them (contract/live.h): copies between
 * global and shared memory, and products of matrices of a warpgroup. An instruction hands the core commands; the
 * core's engines say when something of them happens, and the front-end then moves the bytes, completes the mbarrier,
 * or multiplies.
 *
 * Everything here belongs to a core and is used by the thread that runs it.
 */
#ifndef MNP_CONTRACT_ENGINE_H
#define MNP_CONTRACT_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MNP_COPIES = 32 /* of one instruction: a lane has one */, MNP_COPY_ELEMENTS = 128 /* of a line, reduced */ };

enum mnp_copy_direction {
    MNP_COPY_IN,       /* global to shared memory, completed at an mbarrier */
    MNP_COPY_OUT,      /* shared to global memory */
    MNP_COPY_REDUCE,   /* … combined there with what it finds */
    MNP_COPY_PREFETCH, /* global memory to the L2 */
    MNP_COPY_ACROSS,   /* shared memory to that of another CTA of the cluster, the lowest of `targets` */
};

struct mnp_copy {       /* a copy that an instruction has started */
    uint32_t token;     /* the front-end's, below its own number of copies under way */
    uint32_t rows;      /* of its box, one after another in shared memory */
    uint32_t row_bytes; /* of each; of the last one at most, where it has no tensor map */
    uint8_t direction;  /* enum mnp_copy_direction */
    uint8_t rank;       /* dimensions; 0: bytes as they lie, without a tensor map */
    uint16_t targets;   /* other CTAs of the cluster that it goes to, too, by rank, one bit each */
    uint64_t map;       /* address of the tensor map */
};

/* What of a copy goes to the shared memory of another CTA: the front-end's own form, plain data. */
enum { MNP_PARCEL_WORDS = 24, MNP_PARCEL_BYTES = 128 /* of data, at most */ };

struct mnp_parcel {
    uint64_t word[MNP_PARCEL_WORDS];
};

struct mnp_copy_row { /* what of a row lies in the tensor; the rest of it is filled, or left out */
    uint64_t global;  /* where that begins; */
    uint32_t before;  /* bytes of the row in front of it, */
    uint32_t bytes;   /* and its length; 0: the whole row lies outside */
};

struct mnp_copy_elements {          /* what a reduction does to a line of memory */
    uint8_t operation, type, bytes; /* as mnp_live_atomic has them; bytes of an element */
    uint8_t count;
    uint64_t value[MNP_COPY_ELEMENTS];
};

/* A product of a warpgroup, m64nNkK with 256 bits of k (of a sparse A twice as many). */
struct mnp_product {
    uint16_t n, k;
    bool registers; /* A comes out of registers */
    bool sparse;
};

/* Tensor memory, and what one thread starts that works there. */
enum mnp_tensor_kind {
    MNP_TENSOR_NONE,
    MNP_TENSOR_ALLOCATE, /* the warp goes on later */
    MNP_TENSOR_FREE,     /* others may allocate now */
    MNP_TENSOR_LOAD,     /* tensor memory to registers, which the warp has already, or may use when it is done */
    MNP_TENSOR_STORE,    /* … and back */
    MNP_TENSOR_MULTIPLY, /* from here on commands of the tensor cores' queue, with a token */
    MNP_TENSOR_COPY,     /* shared to tensor memory */
    MNP_TENSOR_SHIFT,    /* rows of tensor memory move */
    MNP_TENSOR_COMMIT,   /* an mbarrier learns that what came before is done */
};

struct mnp_tensor_command {
    uint8_t kind;    /* enum mnp_tensor_kind */
    uint8_t quarter; /* a load or store: the warp's part of tensor memory */
    bool a_tmem;     /* a product: A comes out of tensor memory */
    bool several;    /* a copy that goes to several warps' parts */
    bool sparse;     /* a product: A has half of k */
    bool pair;       /* of two CTAs (mnp_pair_kind); an allocation: the other one is to learn of it */
    bool other;      /* … that the other one has issued */
    uint8_t parts;   /* a product: of n, which have lanes of their own */
    uint8_t reserved;
    uint16_t m, n, k; /* a product's; m: rows of this CTA */
    uint16_t targets; /* a commit: other CTAs of the cluster that learn it, too, by rank, one bit each */
    uint32_t token;   /* the front-end's */
    uint32_t cycles;  /* a load or store: that it keeps its part's port */
    uint32_t bytes;   /* a copy: of shared memory */
};

/*
 * A command of a pair of CTAs is performed in both. When it begins, the CTA that has issued it sends parcels to the
 * other one: what that has not, and the command. The other performs its part, and sends what the first one has not;
 * which then performs its own. Columns of tensor memory that one has taken for both, or given back, are a parcel of
 * their own.
 */
enum mnp_pair_kind { /* what a parcel from the other CTA has brought */
                     MNP_PAIR_DATA,
                     MNP_PAIR_COLUMNS, /* of tensor memory, or that some are free again */
                     MNP_PAIR_COMMAND, /* which is to be performed */
                     MNP_PAIR_DONE,    /* the other's part of a command is done */
};

struct mnp_pair_news {
    uint8_t kind;                      /* enum mnp_pair_kind */
    struct mnp_tensor_command command; /* DONE: its token alone */
};

/* Why a warp is put aside until an engine has done something, a phase has ended, or it has slept. */
enum mnp_park {
    MNP_PARK_NONE,
    MNP_PARK_PHASE,     /* of the mbarrier at park_address in shared memory, for a time at most */
    MNP_PARK_ROOM,      /* for commands that the engine cannot take yet */
    MNP_PARK_COPIES,    /* of the warp itself */
    MNP_PARK_PRODUCTS,  /* … */
    MNP_PARK_GRID,      /* for the end of the grid before its own (core.grid_waits) */
    MNP_PARK_REGISTERS, /* for registers that other warps of its CTA give back (core.pool) */
    MNP_PARK_COLUMNS,   /* for columns of tensor memory that others of the core give back */
    MNP_PARK_MOVES,     /* for its loads or stores of tensor memory */
    MNP_PARK_TIME,      /* park_address nanoseconds */
};

struct mnp_live_core;
struct mnp_live_warp;
struct mnp_cta_code;

/* What engines ask of the front-end. */
struct mnp_live_engines {
    /* A row of a copy; of one into shared memory, what lies outside the tensor is filled. */
    void (*row)(struct mnp_live_core *core, uint32_t copy, uint32_t row, struct mnp_copy_row *out);
    /* Moves `bytes` bytes from byte `at` of a row on, none of which lie outside. False: core->error. */
    bool (*move)(struct mnp_live_core *core, uint32_t copy, uint32_t row, uint32_t at, uint32_t bytes);
    /* The elements there, for a reduction that the L2 performs. False: core->error. */
    bool (*elements)(struct mnp_live_core *core, uint32_t copy, uint32_t row, uint32_t at, uint32_t bytes,
                     struct mnp_copy_elements *elements);
    /* Everything has been read that is to be read. */
    void (*has_read)(struct mnp_live_core *core, uint32_t copy);
    /* All bytes have been moved: the mbarrier learns it, if there is one. False: core->error. */
    bool (*arrive)(struct mnp_live_core *core, uint32_t copy);
    /* Everything is done, at other CTAs too: the token is free. */
    void (*finish)(struct mnp_live_core *core, uint32_t copy);
    /* For the CTA of a rank: `bytes` bytes of a copy across, from byte `at` of a row on; or, where `bytes` is 0, the
     * whole of a copy that has arrived here, or what its mbarrier is to learn of it. False: core->error. */
    bool (*parcel)(struct mnp_live_core *core, uint32_t copy, uint32_t rank, uint32_t row, uint32_t at, uint32_t bytes,
                   struct mnp_parcel *parcel);
    /* A parcel has come to a CTA of this core. False: core->error; or, where there is none, an mbarrier that cannot
     * count what it brings, core->refused, of which the CTA that has sent it then learns: core->error. */
    bool (*receive)(struct mnp_live_core *core, struct mnp_cta_code *code, const struct mnp_parcel *parcel);
    void (*refused)(struct mnp_live_core *core, uint32_t copy, uint32_t rank, uint64_t object);
    /* Whether an mbarrier can count a number by such an operation (mnp_source.atomic). */
    bool (*counts)(uint8_t operation, uint64_t object, uint64_t number);
    /* One of the copy's parcels came to a CTA that has ended: core->error. */
    void (*lost)(struct mnp_live_core *core, uint32_t copy);
    /* Writes what the phase of the mbarrier at an address of a CTA's shared memory lacks, for reports. */
    void (*phase)(const struct mnp_cta_code *code, uint64_t address, char *text, size_t room);
    /* Performs the warp's oldest product that has not been. False: core->error. */
    bool (*multiply)(struct mnp_live_warp *warp);
    /* The warp's oldest load of tensor memory is done, or its oldest store. */
    void (*moved)(struct mnp_live_warp *warp, bool store);
    /* Performs a command of the tensor cores' queue, whose token is then free. Of a commit that learns of another CTA
     * (`targets`) a parcel for all of them is left. False: core->error. */
    bool (*command)(struct mnp_live_core *core, uint32_t token, struct mnp_parcel *parcel);
    /* Parcels of a pair's command for the other CTA, before it is performed; or, of the other's command, after that,
     * the last of which frees the token. An allocation has one. False: core->error. */
    uint32_t (*pair_parcels)(struct mnp_live_core *core, uint32_t token);
    bool (*pair_parcel)(struct mnp_live_core *core, uint32_t token, uint32_t index, struct mnp_parcel *parcel);
    /* One has come from the other CTA of its pair. False: core->error. */
    bool (*pair_hear)(struct mnp_live_core *core, struct mnp_cta_code *code, const struct mnp_parcel *parcel,
                      struct mnp_pair_news *news);
};

#endif
