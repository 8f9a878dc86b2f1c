/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The asynchronous units of a core (TMA, tensor cores, tensor memory; DESIGN §3 item 6), as live warps use them
 * (contract/live.h): copies between global and shared memory, and matrix products of a warpgroup. An instruction gives
 * commands to the core. The core's units schedule them and call the front-end at each step; the front-end then moves
 * the bytes, completes the mbarrier, or multiplies.
 *
 * All state here belongs to one core and is used by the host thread that runs it.
 */
#ifndef MNP_CONTRACT_ASYNC_H
#define MNP_CONTRACT_ASYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MNP_COPIES = 32,         /* copies of one instruction, at most: one per lane */
    MNP_COPY_ELEMENTS = 128, /* elements of one line of a reduction, at most */
    MNP_ARRIVALS = 63,       /* arrivals of a warp that wait for its lanes' copies, at most */
};

enum mnp_copy_direction {
    MNP_COPY_IN,       /* global to shared memory; completes at an mbarrier */
    MNP_COPY_OUT,      /* shared to global memory */
    MNP_COPY_REDUCE,   /* shared to global memory, combined with the bytes there */
    MNP_COPY_PREFETCH, /* global memory to the L2 */
    MNP_COPY_ACROSS,   /* shared memory to that of another CTA of the cluster, the lowest one of `targets` */
};

struct mnp_copy {       /* a copy that an instruction has started */
    uint32_t token;     /* the front-end's number for it, below its own limit of pending copies */
    uint32_t rows;      /* rows of its box, consecutive in shared memory */
    uint32_t row_bytes; /* bytes of a row; without a tensor map, the last row may have fewer */
    uint8_t direction;  /* enum mnp_copy_direction */
    uint8_t rank;       /* dimensions of the tensor; 0: contiguous bytes without a tensor map */
    uint16_t targets;   /* multicast: other CTAs of the cluster that receive it, one bit per rank */
    uint64_t map;       /* address of the tensor map */
};

/* A message to another CTA of the cluster: bytes of a copy, or a notification. Its layout is private to the
 * front-end. */
enum { MNP_PARCEL_WORDS = 24, MNP_PARCEL_BYTES = 128 /* maximum size of its data */ };

struct mnp_parcel {
    uint64_t word[MNP_PARCEL_WORDS];
};

struct mnp_copy_row { /* the part of a row that lies inside the tensor; the rest is filled, or not written */
    uint64_t global;  /* global address of this part */
    uint32_t before;  /* bytes of the row in front of it */
    uint32_t bytes;   /* its length; 0: the whole row lies outside */
};

struct mnp_copy_elements {          /* a reduction on one line of memory */
    uint8_t operation, type, bytes; /* operation and type as in mnp_live_atomic; bytes per element */
    uint8_t count;
    uint64_t value[MNP_COPY_ELEMENTS];
};

/* A product of a warpgroup, m64nNkK: k covers 256 bits of a row, 512 if A is sparse. */
struct mnp_product {
    uint16_t n, k;
    bool registers : 1; /* A comes from registers */
    bool sparse : 1;
    bool halves : 1; /* its sums are halves, two in a register */
    bool fresh : 1;  /* its sums begin at zero: registers that hold them are not read */
    uint8_t reserved;
};

/* Commands of one thread on tensor memory. */
enum mnp_tensor_kind {
    MNP_TENSOR_NONE,
    MNP_TENSOR_ALLOCATE, /* allocates columns; the warp continues later */
    MNP_TENSOR_FREE,     /* frees columns, which others may then allocate */
    MNP_TENSOR_LOAD,     /* tensor memory to registers; the warp may use them once the load has completed */
    MNP_TENSOR_STORE,    /* registers to tensor memory */
    MNP_TENSOR_MULTIPLY, /* this and the following ones go to the queue of the tensor cores and have a token */
    MNP_TENSOR_COPY,     /* shared to tensor memory */
    MNP_TENSOR_SHIFT,    /* moves rows of tensor memory */
    MNP_TENSOR_COMMIT,   /* notifies an mbarrier once all earlier commands have completed */
};

struct mnp_tensor_command {
    uint8_t kind;     /* enum mnp_tensor_kind */
    uint8_t quarter;  /* load or store: the quarter of tensor memory that the warp can access */
    bool a_tmem;      /* product: A comes from tensor memory */
    bool sparse;      /* product: A holds half of k */
    bool pair;        /* a command of a CTA pair (mnp_pair_kind); allocation: notifies the peer */
    bool other;       /* a command of a CTA pair that the peer has issued */
    uint8_t parts;    /* product: slices of n with lanes of their own */
    uint8_t quarters; /* copy: quarters of tensor memory that receive each byte: 1, 2 or 4 */
    uint8_t reserved[2];
    uint16_t m, n, k; /* product: its shape; m: rows of this CTA */
    uint16_t targets; /* commit: other CTAs of the cluster to notify, one bit per rank */
    uint32_t token;   /* the front-end's number for the command */
    uint32_t cycles;  /* load or store: cycles that it occupies the port of its quarter */
    uint32_t bytes;   /* copy: bytes of shared memory */
};

/*
 * A CTA-pair command runs in two steps. The issuing CTA sends the command and its operands to the peer. The peer
 * executes its half and returns its operands; the issuing CTA then executes its half. If one CTA allocates or frees
 * columns of tensor memory for both, it sends a parcel of its own for that.
 *
 * Result of handling a parcel from the peer CTA:
 */
enum mnp_pair_kind {
    MNP_PAIR_DATA,    /* operands have been stored */
    MNP_PAIR_COLUMNS, /* the peer has allocated or freed columns of tensor memory */
    MNP_PAIR_COMMAND, /* a command of the peer is to be executed here */
    MNP_PAIR_DONE,    /* the peer has executed its half of a command */
};

struct mnp_pair_news {
    uint8_t kind;                      /* enum mnp_pair_kind */
    struct mnp_tensor_command command; /* COMMAND: the command; DONE: only its token */
};

/* The event for which a warp is suspended. */
enum mnp_park {
    MNP_PARK_NONE,
    MNP_PARK_PHASE,     /* the phase of the mbarrier at park_address in shared memory ends, or a time limit passes */
    MNP_PARK_ROOM,      /* the unit's queue has room for more commands, or arrivals of the warp are performed */
    MNP_PARK_COPIES,    /* copies of the warp complete */
    MNP_PARK_PRODUCTS,  /* products of the warp complete */
    MNP_PARK_GRID,      /* the preceding grid ends (core.grid_waits) */
    MNP_PARK_REGISTERS, /* other warps of the CTA release registers (core.pool) */
    MNP_PARK_COLUMNS,   /* other CTAs of the core free columns of tensor memory */
    MNP_PARK_MOVES,     /* loads or stores of tensor memory by the warp complete */
    MNP_PARK_TIME,      /* park_address nanoseconds pass */
};

struct mnp_live_core;
struct mnp_live_warp;
struct mnp_cta_code;

/* Functions of the front-end that asynchronous units call. Those of type bool return false after an error, which then
 * stands in core->error. */
struct mnp_live_async {
    /* Finds a row of a copy. For a copy to shared memory, also fills the bytes outside the tensor. */
    void (*row)(struct mnp_live_core *core, uint32_t copy, uint32_t row, struct mnp_copy_row *out);
    /* Moves `bytes` bytes from offset `at` of a row on, all of which lie inside the tensor. */
    bool (*move)(struct mnp_live_core *core, uint32_t copy, uint32_t row, uint32_t at, uint32_t bytes);
    /* Reads the elements at such an offset, for a reduction performed at L2. */
    bool (*elements)(struct mnp_live_core *core, uint32_t copy, uint32_t row, uint32_t at, uint32_t bytes,
                     struct mnp_copy_elements *elements);
    /* The copy has read all of its source. `posted`: it then counts as complete for its group as well. */
    void (*has_read)(struct mnp_live_core *core, uint32_t copy, bool posted);
    /* Completes the copy and notifies its mbarrier, if any. */
    bool (*arrive)(struct mnp_live_core *core, uint32_t copy);
    /* The copy has completed on all target CTAs; releases its token. */
    void (*finish)(struct mnp_live_core *core, uint32_t copy);
    /* Makes a parcel for the CTA of a rank: `bytes` bytes of a copy across, from offset `at` of a row on. If `bytes` is
     * 0: the whole copy that has arrived here, or the notification of its mbarrier. */
    bool (*parcel)(struct mnp_live_core *core, uint32_t copy, uint32_t rank, uint32_t row, uint32_t at, uint32_t bytes,
                   struct mnp_parcel *parcel);
    /* Receives a parcel for a CTA of this core. If it returns false without an error, core->refused names an mbarrier
     * that cannot count the parcel's bytes, and the sender's `refused` is called. */
    bool (*receive)(struct mnp_live_core *core, struct mnp_cta_code *code, const struct mnp_parcel *parcel);
    /* Performs the arrivals at mbarriers that an instruction has put off (mnp_live_core.arrival): the copies that its
     * warp's lanes made before it have landed. Releases the token. */
    bool (*landed)(struct mnp_live_core *core, uint32_t arrival);
    /* The CTA of `rank` has refused a parcel because of the mbarrier `object`: sets core->error. */
    void (*refused)(struct mnp_live_core *core, uint32_t copy, uint32_t rank, uint64_t object);
    /* Whether an mbarrier can count a number by such an operation (mnp_source.atomic). */
    bool (*counts)(uint8_t operation, uint64_t object, uint64_t number);
    /* A parcel of the copy reached a CTA that has ended: sets core->error. */
    void (*lost)(struct mnp_live_core *core, uint32_t copy);
    /* For reports: writes the arrivals and bytes that the current phase of an mbarrier still needs. `address` is in the
     * CTA's shared memory. */
    void (*phase)(const struct mnp_cta_code *code, uint64_t address, char *text, size_t room);
    /* Performs the warp's oldest pending product. */
    bool (*multiply)(struct mnp_live_warp *warp);
    /* The warp's oldest load of tensor memory has completed, or its oldest store. */
    void (*moved)(struct mnp_live_warp *warp, bool store);
    /* Performs a command of the tensor cores' queue and releases its token. If a commit notifies other CTAs
     * (`targets`), makes the parcel for them. */
    bool (*command)(struct mnp_live_core *core, uint32_t token, struct mnp_parcel *parcel);
    /* The number of parcels that a CTA-pair command sends to the peer: for a command of this CTA, before it is
     * executed; for a command of the peer, afterwards, and the last one releases the token. An allocation sends one. */
    uint32_t (*pair_parcels)(struct mnp_live_core *core, uint32_t token);
    /* Makes one of these parcels. */
    bool (*pair_parcel)(struct mnp_live_core *core, uint32_t token, uint32_t index, struct mnp_parcel *parcel);
    /* Receives a parcel from the peer CTA. */
    bool (*pair_hear)(struct mnp_live_core *core, struct mnp_cta_code *code, const struct mnp_parcel *parcel,
                      struct mnp_pair_news *news);
};

#endif
