/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A block: a rectangle of tiles with their routers, one unit of the simulation (DESIGN §7).
 *
 * Each tile runs alone until its next s-event, an access to shared memory; nothing else of it concerns others, so it
 * may do so at once, however far in the future that event lies, and the event waits in a heap for its cycle. Cycles in
 * which no event is due and no router holds a packet are not visited. Routers inside a block are no units and have no
 * links; what leaves the block goes over a link of one hop's latency.
 *
 * A cycle of the mesh is synchronous: routers decide by what stood in their queues when the cycle began, then
 * everything moves. So results do not depend on the order of the tiles, nor on how the mesh is cut into blocks.
 *
 * Time of an access: a request leaves the core's router in the cycle of the access when nothing is in the way, takes
 * one cycle per router on its way, the bank takes `shared.latency`, the reply the same way back. Over h hops this is
 * 2·(h + 1) + shared.latency; inside a tile it is shared.latency.
 */
#ifndef MANYCORE_BLOCK_H
#define MANYCORE_BLOCK_H

#include "base/arena.h"
#include "engine/core/engine.h"
#include "manycore/parameters.h"

enum manycore_direction {
    MANYCORE_NORTH,
    MANYCORE_EAST,
    MANYCORE_SOUTH,
    MANYCORE_WEST,
    MANYCORE_LOCAL,
    MANYCORE_PORTS
};
enum manycore_class { MANYCORE_REQUEST, MANYCORE_REPLY, MANYCORE_KINDS };

/*
 * Queues of a router: those of virtual channel 0 first, queue = port · 2 + class, then those of virtual channel 1 in
 * the same order, which a torus alone has and which no core feeds. A channel is class + 2 · virtual channel.
 */
enum {
    MANYCORE_CHANNELS = 2 * MANYCORE_KINDS,
    MANYCORE_MESH_QUEUES = MANYCORE_PORTS * MANYCORE_KINDS,
    MANYCORE_QUEUES = MANYCORE_MESH_QUEUES + MANYCORE_LOCAL * MANYCORE_KINDS,
    MANYCORE_VERSIONS = 64
};

static inline uint32_t manycore_queue(uint32_t port, uint32_t channel)
{
    return channel / 2 * MANYCORE_MESH_QUEUES + port * 2 + channel % 2;
}

/* Queues that a router of this machine has. */
static inline uint32_t manycore_queues(const struct manycore_parameters *parameters)
{
    return parameters->mesh_torus ? MANYCORE_QUEUES : MANYCORE_MESH_QUEUES;
}

/* What travels: a request with its value, or a reply. Also in the queues of routers. */
struct manycore_packet {
    struct manycore_request request; /* a reply: data is the value, version that of the place */
    uint16_t from, to;               /* tiles */
    uint32_t born;                   /* cycle of the access, its lower bits; replies keep it */
};

/* What travels on a link: a packet for a queue of a router, or a place given back to it. */
struct manycore_flit {
    struct manycore_packet packet;
    uint16_t router; /* tile */
    uint8_t port, channel;
    uint8_t is_credit;
    uint8_t reserved[3];
};
_Static_assert(sizeof(struct manycore_flit) == 32, "a flit has no padding");

struct manycore_entry { /* of a queue */
    struct manycore_packet packet;
    uint32_t ready; /* cycle from which it may be moved, its lower bits: nothing waits for half of their range */
};

struct manycore_router {
    uint32_t occupied; /* queues that hold packets, one bit each */
    uint8_t head[MANYCORE_QUEUES], count[MANYCORE_QUEUES];
    uint8_t credits[MANYCORE_PORTS][MANYCORE_CHANNELS]; /* places in the neighbour's queue */
    uint8_t turn[MANYCORE_PORTS];                       /* the queue with the first claim on this output */
    uint8_t local_turn;                                 /* the bank serves its own core first */
};

struct manycore_read {
    uint32_t pc, address, value;
};

/* Who changed a word last, of those that share a place in a table. */
struct manycore_last_writer {
    uint16_t core; /* + 1; 0: nobody */
    uint16_t tag;  /* number of the word / places of the table, its lower bits */
};

enum { MANYCORE_RECENT = 4, MANYCORE_WRITERS = 32 };

struct manycore_bank { /* tables of a bank of shared memory, or of the global space */
    uint32_t *versions;
    struct manycore_last_writer *writers;
    uint32_t version_count, writer_count;
};

struct manycore_tile {
    struct manycore_core core;
    uint64_t waiting_since; /* cycle of the access under way; UINT64_MAX: none */
    uint64_t s_events, wait_cycles;
    /* To tell spinning from progress: a read for each of the pcs that differ in the lowest bits. */
    struct manycore_read recent[MANYCORE_RECENT];
    uint64_t spins_since;                             /* cycle of the last access that was no repetition of a read */
    uint16_t latest, spins;                           /* of the recent reads; it was a repetition */
    uint32_t versions[MANYCORE_VERSIONS];             /* of the bank: counts writes to every 64th doubleword */
    struct manycore_last_writer writers[MANYCORE_WRITERS]; /* of the bank */
};

struct manycore_block_state { /* in the arena, followed by the arrays */
    uint64_t cycle;           /* the next to be visited */
    uint64_t heap_count;
    uint64_t exited, last_exit, status; /* tiles that have ended, cycle of the last one, greatest exit code */
};

struct manycore_output { /* what programs have written in this window */
    uint64_t cycle;
    uint32_t tile, bytes;
    unsigned char *text;
};

/* Counts of a router. Not state: they follow from it, and a router that is passed over brings them up to date late. */
struct manycore_use {
    uint64_t out[MANYCORE_PORTS];     /* packets through each output */
    uint64_t served;                  /* accesses by the bank */
    uint64_t stalled[MANYCORE_PORTS]; /* cycles in which packets asked for the output and none could go */
    uint64_t blocked;                 /* cycles in which it held packets that could not move */
    uint64_t blocked_since;           /* UINT64_MAX: it is not passed over */
    uint32_t blocked_outs;            /* the outputs asked for since then, one bit each */
};

struct manycore_move {
    uint16_t router;
    uint8_t queue, out;
};

struct manycore_point {
    uint8_t x, y;
};

/* Where a tile lies and what is around it, so that no division is needed on a packet's way. Not state. */
struct manycore_around {
    uint16_t next[4]; /* places in the block beyond each side; MANYCORE_OUTSIDE: in another block, or nowhere */
    uint8_t x, y;
};

enum { MANYCORE_OUTSIDE = UINT16_MAX };

struct manycore_machine;

struct manycore_block {
    struct manycore_machine *machine;
    struct mnp_unit *unit;
    uint32_t left, top, columns, rows, tiles; /* the rectangle */
    /* In the arena. */
    struct manycore_block_state *state;
    struct manycore_tile *tile;     /* [tiles] */
    struct manycore_router *router; /* [tiles] */
    struct manycore_entry *entries; /* [tiles][queues][depth] */
    uint64_t *heap;                 /* [tiles] cycle · 2^16 + place in the block */
    struct manycore_tags instruction_tags, data_tags; /* of the first tile, those of the others behind them */
    /* Beside it. */
    struct manycore_place *place;        /* [tiles] */
    struct manycore_use *use;            /* [tiles] */
    struct manycore_around *around;      /* [tiles] */
    const struct manycore_point *points; /* [tiles of the machine] */
    uint64_t *active, *local;            /* one bit per tile: router to be visited; access to its own bank */
    uint32_t active_count, local_count;
    struct manycore_move *moves;          /* [tiles · ports] */
    struct mnp_link *out[MANYCORE_PORTS]; /* to the neighbours; LOCAL: to the global space */
    struct manycore_pool pool;
    struct manycore_output *outputs;
    uint32_t output_count, output_capacity;
    unsigned char **lists;   /* page tables of all tiles */
    uint8_t *guesses;        /* of the caches of all tiles: instructions, data */
    struct mnp_arena memory; /* pool, scratchpads */
    unsigned char *scratchpads;
};

/* Global number of a tile of the block, and back. */
static inline uint32_t manycore_tile_of(const struct manycore_block *block, uint32_t place, uint32_t width)
{
    return (block->top + place / block->columns) * width + block->left + place % block->columns;
}

static inline uint32_t manycore_place_of(const struct manycore_block *block, uint32_t tile, uint32_t width)
{
    return (tile / width - block->top) * block->columns + tile % width - block->left;
}

/* ===== of one another ===== */

/* block.c */
void manycore_block_schedule(struct manycore_block *block, uint32_t place, uint64_t cycle);
/* Hands a tile's core the answer to its access at a cycle and runs it on. */
void manycore_block_answer(struct manycore_block *block, uint32_t place, const struct manycore_packet *reply,
                           uint64_t cycle);
mnp_time manycore_block_advance(struct mnp_unit *unit, mnp_time until);

/* router.c */
void manycore_router_look_around(struct manycore_block *block);
void manycore_router_push(struct manycore_block *block, uint32_t place, uint32_t queue,
                          const struct manycore_packet *packet, uint64_t ready);
void manycore_router_credit(struct manycore_block *block, uint32_t place, uint32_t port, uint32_t channel);
void manycore_router_wake(struct manycore_block *block, uint32_t place);
void manycore_mesh_cycle(struct manycore_block *block, uint64_t cycle);

/* bank.c: performs a request on shared memory, which begins at `bytes`, and makes a reply of it. */
void manycore_bank_serve(struct mnp_unit *unit, const struct manycore_bank *bank, unsigned char *bytes,
                         struct manycore_packet *packet, mnp_time time);

/* The core that last changed a word; UINT32_MAX: not known. */
uint32_t manycore_bank_writer(const struct manycore_bank *bank, uint32_t address);

static inline struct manycore_bank manycore_bank_of(struct manycore_tile *tile)
{
    return (struct manycore_bank){tile->versions, tile->writers, MANYCORE_VERSIONS, MANYCORE_WRITERS};
}

/* service.c: a semihosting call of a tile. */
void manycore_service(struct manycore_block *block, uint32_t place, uint64_t cycle);

/* report.c */
struct mnp_error manycore_fault_error(const struct manycore_block *block, uint32_t place);

#endif
