/* SPDX-License-Identifier: BSD-3-Clause */
/* A many-core machine: blocks of tiles, the image of the program that all of them run, and shared memory. */
#ifndef MANYCORE_MACHINE_H
#define MANYCORE_MACHINE_H

#include "engine/core/engine.h"
#include "manycore/mesh/block.h"

#include <stdatomic.h>

struct manycore_global { /* the global space of architecture I, a unit of its own */
    struct manycore_machine *machine;
    struct mnp_unit *unit;
    struct manycore_bank bank;       /* writers: [MANYCORE_GLOBAL_WRITERS] in the arena */
    struct manycore_packet *arrived; /* [tiles] of one cycle, by the tile whose core asks, … */
    uint64_t *asking;                /* … one bit per tile that has one, */
    uint32_t words_first, words_end; /* … in these words of it */
    struct manycore_polls *polls;    /* reads that are repeated until a word changes; NULL: each is performed */
    struct mnp_link **out;           /* [blocks] of the unit's port */
    uint32_t *block_of;              /* [tiles] */
};

enum { MANYCORE_GLOBAL_WRITERS = 4096 };

struct manycore_gpu;

/* Expected work of a core's first run in ticks (about 0.4 ns), before any has been measured: it goes on for many
 * thousand cycles as a rule, so that a window of such is worth more than one thread. Decides about threads alone. */
enum { MANYCORE_FIRST_RUN = 10000 };

/* Tiles of a block that bands of columns are joined into: places have 16 bits. */
enum { MANYCORE_LARGEST_WHOLE = 128 * 128 };

struct manycore_machine {
    struct mnp_engine engine;
    const struct manycore_parameters *parameters;
    struct manycore_image image;
    struct manycore_block *blocks;
    struct manycore_point *points; /* [tiles] where each lies */
    uint32_t block_count, blocks_across;
    struct manycore_block *whole; /* all tiles as one block, resting while its parts, the others, are computed (join.c);
                                     NULL: they are never joined */
    struct manycore_global global;
    struct manycore_gpu *gpu;                 /* that computes the machine; NULL: the host does */
    void (*settle)(struct manycore_gpu *gpu); /* brings the host's state to where the device is */
    struct mnp_arena shared;                  /* [tiles · bank_bytes] */
    struct mnp_arena versions;                /* a word for each of it (mesh/bank.c) */
    uint32_t shared_bytes;
    struct manycore_common common;
    struct manycore_free *free;       /* executor s-events; otherwise NULL */
    uint32_t phases;                  /* one has begun */
    struct manycore_watched *watched; /* [tiles] of all watches; NULL: nothing listens */
    _Atomic bool spoken;              /* a program has written something since somebody looked */
};

enum manycore_block_ports { /* rows of the table; the mesh has a link for each of the four directions */
                            MANYCORE_BLOCK_MESH_IN,
                            MANYCORE_BLOCK_MESH_OUT,
                            MANYCORE_BLOCK_ACCESSES,
                            MANYCORE_BLOCK_VALUES,
                            MANYCORE_BLOCK_PORTS
};
enum manycore_global_ports { MANYCORE_GLOBAL_ACCESSES, MANYCORE_GLOBAL_VALUES, MANYCORE_GLOBAL_PORTS };

/* Builds a machine; parameters and program must outlive it. False: the program does not fit. The machine must be
 * zeroed and keep its address; it is to be released in either case. */
bool manycore_machine_init(struct manycore_machine *machine, const struct manycore_parameters *parameters,
                           const struct mnp_program *program, struct mnp_error *error);
void manycore_machine_release(struct manycore_machine *machine);

/* The block that a tile lies in. */
static inline struct manycore_block *manycore_block_of(const struct manycore_machine *machine, uint32_t tile)
{
    const struct manycore_parameters *p = machine->parameters;
    uint32_t width = (uint32_t)p->width;
    return &machine->blocks[tile / width / p->block_rows * machine->blocks_across + tile % width / p->block_columns];
}

/* join.c: lets the whole be computed in place of its parts, or these again, between two windows. */
void manycore_join(void *machine, bool joined);

/* free.c: lets cores run freely until one of them meets an access to shared memory (executor s-events). */
void manycore_free_init(struct manycore_machine *machine);

/* polls.c: lets cores that wait for a word of the global space sleep until it changes. Nothing else is to see their
 * reads: no listener, no hash of each epoch, no other process. */
void manycore_polls_open(struct manycore_machine *machine);

/* hash.c: hashes of memory contents, and of a part of all that is state, which are the same for any cut into blocks. */
uint64_t manycore_hash_memory(void *machine);
uint64_t manycore_hash_state(void *machine, uint32_t part, uint32_t parts);

/* waiting.c: which cores have not ended, and what they wait for; free it. */
char *manycore_waiting_text(const struct manycore_machine *machine);

/* watch.c: what listens to a run (`--sample`, `--by-instruction`, `--timeline`). Opens what is asked for; adds to the
 * results, at cycle `now` at which the run has ended, what it has seen. */
struct mnp_run_request;
struct mnp_results;
void manycore_watch_open(struct manycore_machine *machine, const struct mnp_run_request *request);
void manycore_watch_collect(struct manycore_machine *machine, const struct mnp_run_request *request, uint64_t now,
                            struct mnp_results *results);
void manycore_watch_release(struct manycore_machine *machine);

/* image.c: pages and decoded code of a program. */
bool manycore_image_init(struct manycore_image *image, const struct manycore_parameters *parameters,
                         const struct mnp_program *program, struct mnp_error *error);
void manycore_image_release(struct manycore_image *image);

/* Writes what shared memory holds at first. */
void manycore_image_fill_shared(const struct manycore_image *image, unsigned char *shared, uint32_t bytes);

/* The life of the two kinds of unit; see engine/declare/model.h. */
mnp_layout manycore_block_lay_out, manycore_global_lay_out;
void manycore_block_freeze(struct mnp_unit *unit);
void manycore_global_freeze(struct mnp_unit *unit);

/* global.c */
mnp_time manycore_global_advance(struct mnp_unit *unit, mnp_time until);

/* Statistics of a block (enum and table in tables.c): computed from its tiles, at `now`. */
void manycore_block_count(const struct manycore_block *block, uint64_t now, uint64_t *counters);

enum manycore_statistic {
    MANYCORE_CYCLES,
    MANYCORE_INSTRUCTIONS,
    MANYCORE_IPC,
    MANYCORE_MIX, /* one for each class */
    MANYCORE_BRANCH_CYCLES = MANYCORE_MIX + A32_CLASSES,
    MANYCORE_LOAD_USE_CYCLES,
    MANYCORE_CACHE_CYCLES,
    MANYCORE_S_EVENTS,
    MANYCORE_WAIT_CYCLES,
    MANYCORE_MEAN_WAIT,
    MANYCORE_POLLS,
    MANYCORE_POLL_CYCLES,
    MANYCORE_POLL_WAIT_CYCLES,
    MANYCORE_EXCLUSIVES,
    MANYCORE_EXCLUSIVE_FAILURES,
    MANYCORE_EXCLUSIVE_NEIGHBOURS,
    MANYCORE_EXCLUSIVE_AGAIN,
    MANYCORE_EXCLUSIVE_AGAIN_WAIT,
    MANYCORE_L1I,
    MANYCORE_L1I_MISSES,
    MANYCORE_L1D,
    MANYCORE_L1D_MISSES,
    MANYCORE_L1D_WRITE_BACKS,
    MANYCORE_L1D_RATE,
    MANYCORE_HOPS,
    MANYCORE_DELIVERED,
    MANYCORE_MEAN_HOPS,
    MANYCORE_BLOCKED_CYCLES,
    MANYCORE_BUSIEST_LINK,
    MANYCORE_BUSIEST_ROUTER,
    MANYCORE_LATENCIES, /* a histogram, at the end of the counters */
    MANYCORE_BLOCK_COUNTERS = MANYCORE_LATENCIES + MANYCORE_LATENCY_BINS,
};

/* Statistics of one tile (tile_table.c), into zeroed counters. */
void manycore_tile_count(const struct manycore_block *block, uint32_t place, uint64_t now, uint64_t *counters);

enum manycore_tile_statistic {
    MANYCORE_TILE_CYCLES,
    MANYCORE_TILE_INSTRUCTIONS,
    MANYCORE_TILE_S_EVENTS,
    MANYCORE_TILE_WAIT,
    MANYCORE_TILE_EXCLUSIVE_FAILURES,
    MANYCORE_TILE_EXCLUSIVE_NEIGHBOURS,
    MANYCORE_TILE_EXCLUSIVE_AGAIN,
    MANYCORE_TILE_CONTENDED,
    MANYCORE_TILE_L1I_MISSES,
    MANYCORE_TILE_L1D_MISSES,
    MANYCORE_TILE_BANK,
    MANYCORE_TILE_ROUTER,
    MANYCORE_TILE_LINKS,                                             /* one for each direction */
    MANYCORE_TILE_STALLS = MANYCORE_TILE_LINKS + MANYCORE_PORTS - 1, /* one for each direction, and one for the bank */
    MANYCORE_TILE_STATISTICS = MANYCORE_TILE_STALLS + MANYCORE_PORTS,
};

#endif
