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
#include "base/error.h"
#include "engine/core/time.h"
#include "manycore/core/parameters.h"

enum manycore_direction {
    MANYCORE_NORTH,
    MANYCORE_EAST,
    MANYCORE_SOUTH,
    MANYCORE_WEST,
    MANYCORE_LOCAL,
    MANYCORE_PORTS
};
enum manycore_kind { MANYCORE_REQUEST, MANYCORE_REPLY, MANYCORE_KINDS };

/*
 * Queues of a router: those of virtual channel 0 first, queue = port · 2 + kind, then those of virtual channel 1 in
 * the same order, which a torus alone has and which no core feeds. A channel is kind + 2 · virtual channel.
 */
enum {
    MANYCORE_CHANNELS = 2 * MANYCORE_KINDS,
    MANYCORE_MESH_QUEUES = MANYCORE_PORTS * MANYCORE_KINDS,
    MANYCORE_QUEUES = MANYCORE_MESH_QUEUES + MANYCORE_LOCAL * MANYCORE_KINDS
};

/* A packet on its way: a request with its value, or a reply. Also in the queues of routers. */
struct manycore_packet {
    struct manycore_request request; /* a reply: data is the value */
    uint16_t from, to;               /* tiles */
    uint32_t born;                   /* cycle of the access, its lower bits; replies keep it */
};

/* Item on a link: a packet for a queue of a router, or a place given back to it. */
struct manycore_flit {
    struct manycore_packet packet;
    uint16_t router; /* tile */
    uint8_t port, channel;
    uint8_t is_credit;
    uint8_t reserved[3];
};
_Static_assert(sizeof(struct manycore_flit) == 32, "a flit has no padding");

struct manycore_entry { /* entry of a queue */
    struct manycore_packet packet;
    uint32_t ready; /* cycle from which it may be moved, its lower bits: nothing waits for half of their range */
};

struct manycore_router {
    uint8_t head[MANYCORE_QUEUES], count[MANYCORE_QUEUES];
    uint8_t credits[MANYCORE_PORTS][MANYCORE_CHANNELS]; /* places in the neighbour's queue */
    uint8_t turn[MANYCORE_PORTS];                       /* the queue with the first claim on this output */
    uint8_t local_turn;                                 /* the bank serves its own core first */
    uint8_t reserved[2];
};
_Static_assert(sizeof(struct manycore_router) == 64, "a router fills a line of the host's cache");

struct manycore_read {
    uint32_t pc, address, value;
};

/* The core that changed a word last, among words that share a place in a table. */
struct manycore_last_writer {
    uint16_t core; /* + 1; 0: nobody, or the last of 65536 tiles */
    uint16_t tag;  /* number of the word / places of the table, its lower bits */
};

enum { MANYCORE_RECENT = 4, MANYCORE_WRITERS = 32, MANYCORE_ARGUMENTS = 4096 };

struct manycore_bank {  /* tables of a bank of shared memory, or of the global space */
    uint32_t *versions; /* counts of writes, of all words of shared memory */
    struct manycore_last_writer *writers;
    uint32_t writer_count;
};

struct manycore_tile {
    struct manycore_core core;
    uint64_t waiting_since; /* cycle of the access under way; UINT64_MAX: none */
    uint64_t s_events, wait_cycles;
    /* To tell spinning from progress: a read for each of the pcs that differ in the lowest bits. */
    struct manycore_read recent[MANYCORE_RECENT];
    uint64_t spins_since;   /* cycle of the last access that was no repetition of a read */
    uint16_t latest, spins; /* index of the latest read; whether it was a repetition */
    uint32_t reserved;
    struct manycore_last_writer writers[MANYCORE_WRITERS]; /* last writers of words of the bank */
};

struct manycore_block_state {           /* in the arena, followed by the arrays */
    uint64_t cycle;                     /* the next to be visited */
    uint64_t exited, last_exit, status; /* tiles that have ended, cycle of the last one, greatest exit code */
};

struct manycore_output { /* output of programs in this window */
    uint64_t cycle;
    uint32_t tile, bytes;
    unsigned char *text;
};

/* Counts of a router. Not state: they follow from it. An output's stalls are counted when the next packet leaves
 * through it, a router's blocked cycles when it moves again; manycore_stalled and manycore_blocked add what is still
 * open. */
struct manycore_use {
    uint64_t stalled[MANYCORE_PORTS]; /* cycles in which packets asked for the output and none could go */
    uint32_t since[MANYCORE_PORTS];   /* cycle from which packets have asked for the output and none has gone, its
                                         lower bits; 0: nobody asks */
    uint32_t reserved;
    /* A packet in flight touches what follows, a line of the host's cache that ends with the flight of the claims. */
    uint64_t out[MANYCORE_PORTS]; /* packets through each output */
    uint64_t blocked;             /* cycles in which it held packets that could not move */
    uint64_t blocked_since;       /* … and from which none has moved at all; UINT64_MAX: nothing asks */
};

/* Outputs that the first packets of a router's queues request. Not state: derived from the queues. */
struct manycore_claims {
    uint32_t coming;                /* queues whose first packet may not be moved yet */
    uint8_t asked;                  /* outputs that some want, one bit each */
    uint8_t outside;                /* sides beyond which another block lies, or nothing, one bit each */
    uint16_t flight;                /* 1 + the packet in flight that is here; 0: none */
    uint32_t wants[MANYCORE_PORTS]; /* queues whose first packet may be moved, by its output, one bit each */
    uint32_t born[MANYCORE_QUEUES]; /* birth cycles of first packets */
};

/* Shape that all routers of a machine have in common. */
struct manycore_mesh_shape {
    uint32_t width, height;
    uint32_t depth, places; /* places in a queue of a router, and in all its queues */
    uint32_t latency;       /* latency of a bank */
    uint8_t arbitration;    /* enum mnp_arbitration */
    bool torus;
    bool single; /* a router moves one packet of all its queues a cycle, not one per output */
};

struct manycore_move {
    const struct manycore_packet *packet; /* the packet's place before the move */
    uint16_t router;
    uint8_t queue, out;
};

struct manycore_point {
    uint8_t x, y;
};

/* A packet that is in no queue, as it meets nobody (flight.h). Not state: at the end of an epoch there is none. */
struct manycore_flight {
    struct manycore_packet packet;
    uint16_t place;     /* place of the present router, … */
    uint8_t queue, out; /* the queue in which it would be first, and where it goes; MANYCORE_PORTS: it has landed */
    struct manycore_point to; /* the tile */
    uint8_t straight;         /* hops in this direction */
    uint8_t crosses;          /* the packet comes from another block, or goes to one */
};

/* Position of a tile and its neighbours, so that packets need no division on their way. Not state. */
struct manycore_around {
    uint16_t next[4]; /* places in the block beyond each side; MANYCORE_OUTSIDE: in another block, or nowhere */
    uint8_t x, y;
};

enum { MANYCORE_OUTSIDE = UINT16_MAX };

enum { MANYCORE_LATENCY_BINS = 18 /* bins of the latency histogram; the last one counts 2^16 cycles or more */ };

/* A core's rounds without an access for longer than this would count as work of its own (tile.c). */
enum { MANYCORE_LONGEST_ROUND = 512 };

/* Reads of a core that brought what the same instruction had read there before, with no store since the answer before,
 * exclusive or not, and no more than MANYCORE_LONGEST_ROUND cycles of work, unless their loop is counted
 * (core/counted.h): the core waits for another one. Not state. */
struct manycore_polling {
    uint64_t count;
    uint64_t cycles;      /* from the answer before to that of each */
    uint64_t wait_cycles; /* … those of them in which the core waited for the answer */
    uint64_t answered;    /* cycle of the core's last answer, */
    uint64_t stores;      /* … and its stores by then */
};

/* Exclusive stores of a core to shared memory. Not state. */
struct manycore_exclusives {
    uint64_t count, failures;
    uint64_t neighbours; /* failures for which the other word of the doubleword alone was written */
    /* From a failed one to the answer of the next at the same word, with no access elsewhere in between, polls not
     * counted; … those of these cycles in which the core waited for an answer. */
    uint64_t again_cycles, again_wait_cycles;
    uint32_t again;       /* word of the one that failed last, until that ends; 0: none */
    bool latest;          /* the latest access was one */
    uint32_t word, votes; /* the word at which most failed, if one had more than half (a vote: Boyer and Moore) */
};

/* Data of a router besides its state, in whole lines of the host's cache. */
struct manycore_node {
    struct manycore_use use;
    struct manycore_claims claims;
    struct manycore_around around;
    uint64_t served;                           /* accesses by the bank */
    uint64_t latencies[MANYCORE_LATENCY_BINS]; /* accesses of the core to shared memory, by the time of each */
    struct manycore_polling polls;
    struct manycore_exclusives exclusives;
    uint64_t reserved[4];
};
_Static_assert(sizeof(struct manycore_node) == 512, "a node fills eight lines");
_Static_assert(offsetof(struct manycore_node, use.out) == 64, "what packets in flight touch is a line");
_Static_assert(offsetof(struct manycore_node, claims.wants) == 128, "what packets in flight touch is a line");

/* Reply to a core's access. The core receives it at `cycle`. */
struct manycore_answer {
    struct manycore_packet reply;
    uint32_t place;
    uint64_t cycle;
};

/*
 * A core that reads one word of its own bank again and again (local.c), or of the global space (poll.c): the core as it
 * was at such an access, and, when nothing but another core's access can end that, what each round adds to its counts.
 * Not state.
 */
struct manycore_spin {
    struct manycore_core core; /* at the access before, or at the one from which the rounds are counted */
    uint64_t wait_cycles;      /* wait cycles of the tile at that point */
    uint64_t period;           /* cycles of a round; 0: the core is not known to spin */
    uint64_t last;             /* the last access that may be counted without executing what is behind it */
    uint64_t mix[A32_CLASSES]; /* counts of a round */
    uint64_t fetches, reads, load_use_cycles, branch_cycles;
    bool between; /* state of a reader of the global space: between two reads, the next of which is not counted yet */
};

/* Data that all blocks of a machine have in common. */
struct manycore_common {
    const struct manycore_parameters *parameters;
    const struct manycore_image *image;
    uint64_t limit;                     /* cycle at which the run ends at the latest; cores do not run beyond it */
    char arguments[MANYCORE_ARGUMENTS]; /* the program's command line */
};

struct manycore_machine;
struct manycore_device;
struct manycore_free;
struct manycore_watch;

/* Cycles of work of its own after which a core that has done nothing else is in no livelock. */
enum { MANYCORE_LONG = 1024 };

struct manycore_block {
    const struct manycore_common *common;
    struct manycore_machine *machine;
    struct manycore_device *device; /* on a GPU alone: all its blocks, */
    uint32_t number;                /* the place among them, */
    uint64_t sent;                  /* … and the last cycle in which it has sent */
    uint64_t run_ahead;             /* cycles that a core runs alone at most */
    struct manycore_free *free;     /* cores stop at a flag (free.h); NULL: each runs to where it stops by itself */
    uint64_t unfinished,
        pending;      /* with that: cores that run freely; those that have found an access, up to its answer */
    uint64_t calling; /* cores whose event is a semihosting call, behind which they run on */
    struct mnp_unit *unit;
    uint32_t left, top, columns, rows, tiles; /* the rectangle */
    uint32_t across, down; /* from a tile's place to that of the one to the right of it, and below it */
    bool resting;          /* others have its tiles: it is joined with them, or the whole is divided (join.c) */
    struct manycore_mesh_shape shape;
    /* In the arena. */
    struct manycore_block_state *state;
    struct manycore_tile *tile;                       /* [tiles] */
    struct manycore_router *router;                   /* [tiles] */
    struct manycore_entry *entries;                   /* [tiles][queues][depth] */
    struct manycore_tags instruction_tags, data_tags; /* tags of the first tile, followed by those of the others */
    /* Beside it. */
    uint64_t *heap; /* [tiles] cycle · 2^16 + place in the block: when each core acts next, as its clock says */
    uint32_t heap_count;
    struct manycore_place *place;        /* [tiles] */
    struct manycore_node *node;          /* [tiles] */
    const struct manycore_point *points; /* [tiles of the machine] */
    uint64_t *active, *local;            /* one bit per tile: router to be visited; access to its own bank */
    bool is_active;                      /* some router is to be visited */
    uint32_t local_count;
    struct manycore_move *moves; /* [tiles · ports] */
    uint32_t *credits;           /* [tiles · ports] places to be given back: router · 16 + port · 2 + kind */
    uint32_t credit_count;
    struct manycore_flight *flights; /* [flight_room] flight.h; NULL: every packet goes through queues */
    struct manycore_flight *all_flights;
    uint32_t flight_room;
    uint32_t flight_count, ending_count; /* counts with those that have landed since the last cycle */
    uint64_t flight_cycle;               /* cycle in which all of them go on */
    uint64_t
        *replies; /* a ring of [tiles] cycle · 2^16 + place: bank's replies that are first, and when they are ready */
    uint32_t reply_first, reply_count;
    struct manycore_answer *answers; /* [2 · tiles] of the cycle */
    uint32_t answer_count;
    struct manycore_spin *spins; /* [tiles]; NULL: spinning cores are computed like others */
    struct manycore_spin *all_spins;
    uint64_t *spinning; /* one bit per tile: it spins, and has no event */
    uint32_t spinning_count;
    uint64_t spins_until;                 /* no core spins on, uncomputed, behind this cycle */
    uint64_t progress, due;               /* cycles: mnp_unit's, before they are handed on, */
    uint64_t told_progress, told_due;     /* … and as they were handed on last */
    unsigned char *shared;                /* the machine's shared memory, */
    uint32_t *versions;                   /* … and the versions of its words */
    struct mnp_link *out[MANYCORE_PORTS]; /* to the neighbours; LOCAL: to the global space */
    struct manycore_pool pool;
    struct manycore_output *outputs;
    uint32_t output_count, output_capacity;
    unsigned char **lists;   /* page tables of all tiles */
    uint8_t *guesses;        /* guesses of the caches of all tiles: instructions, data */
    struct mnp_arena memory; /* pool, scratchpads */
    unsigned char *scratchpads;
    struct manycore_watch *watch; /* listeners of the block (watch.h); NULL: there are none */
};

/* ===== the parts of a block; each calls those above it alone ===== */

/* events.c: the heap; least (cycle, place) first, each tile in it at most once. */
MNP_DEVICE void manycore_event_add(struct manycore_block *block, uint32_t place, uint64_t cycle);
MNP_DEVICE uint32_t manycore_event_take(struct manycore_block *block);
MNP_DEVICE static inline uint64_t manycore_event_first(const struct manycore_block *block)
{
    return block->heap_count ? block->heap[0] >> 16 : UINT64_MAX;
}

/* bank.c: performs a request on shared memory, which begins at `bytes`, and makes a reply of it. Result: whether memory
 * has changed. */
MNP_DEVICE bool manycore_bank_serve(const struct manycore_bank *bank, unsigned char *bytes,
                                    struct manycore_packet *packet);

/* The core that last changed a word; UINT32_MAX: not known. */
MNP_DEVICE uint32_t manycore_bank_writer(const struct manycore_bank *bank, uint32_t address);

/* local.c: an access of a core to the bank of its own tile. */
MNP_DEVICE void manycore_local_begin(struct manycore_block *block, uint32_t place, uint64_t cycle);

/* Ends the spinning of a core before a cycle is decided. */
MNP_DEVICE void manycore_local_wake(struct manycore_block *block, uint32_t place, uint64_t cycle);

/* The same for all that must be computed from this cycle on. */
MNP_DEVICE void manycore_local_wake_due(struct manycore_block *block, uint64_t cycle);

/* Brings the counts and clocks of spinning cores to where they are at a cycle, which has not been visited. */
MNP_DEVICE void manycore_local_settle(struct manycore_block *block, uint64_t cycle);

/* poll.c: reads of the global space that are repeated until the word changes. Looks whether a request that sets out is
 * the first of such a row, and marks it if so. */
void manycore_poll_begin(struct manycore_block *block, struct manycore_packet *request);

/* Counts the rounds before the read that is answered at a cycle, with which the core goes on. */
void manycore_poll_end(struct manycore_block *block, uint32_t place, uint64_t cycle);

/* Lets cores go on whose next read must be computed from this cycle on. */
void manycore_poll_wake_due(struct manycore_block *block, uint64_t cycle);

/* Brings cores that wait for such an answer to where they are at a cycle, which has not been visited. */
void manycore_poll_settle(struct manycore_block *block, uint64_t cycle);

/* border.c: what leaves a block: a packet for a channel beyond an output, a place of a channel given back to whoever
 * fills it beyond a port, a request to the global space. */
MNP_DEVICE void manycore_border_pass(struct manycore_block *block, uint32_t place, uint32_t out, uint32_t channel,
                                     const struct manycore_packet *packet, uint64_t cycle);
MNP_DEVICE void manycore_border_give(struct manycore_block *block, uint32_t place, uint32_t port, uint32_t channel,
                                     uint64_t cycle);
MNP_DEVICE void manycore_border_ask(struct manycore_block *block, const struct manycore_packet *packet, uint64_t cycle);

/* router_state.c. Prepares what follows from parameters and rectangle. */
MNP_DEVICE void manycore_router_prepare(struct manycore_block *block);

/* Fills in the neighbours of each router within the block. */
MNP_DEVICE void manycore_router_look_around(struct manycore_block *block);

/* No packet is in flight any more, and replies of banks are looked at like others. */
void manycore_router_land(struct manycore_block *block);

/* Brings the state of the routers to the one form of what it means: no packet is in flight, the first one of a queue
 * lies in its first place, free places are zeros. */
void manycore_router_settle(struct manycore_block *block);

/* router.c. Puts a packet that may be moved from `ready` on into a queue; this very cycle or the next to be visited. */
MNP_DEVICE void manycore_router_push(struct manycore_block *block, uint32_t place, uint32_t queue,
                                     const struct manycore_packet *packet, uint64_t ready);
MNP_DEVICE void manycore_router_credit(struct manycore_block *block, uint32_t place, uint32_t port, uint32_t channel);
MNP_DEVICE void manycore_router_wake(struct manycore_block *block, uint32_t place);

/* A cycle of all routers; leaves what has come to cores in `answers`. */
MNP_DEVICE void manycore_mesh_cycle(struct manycore_block *block, uint64_t cycle);

/* output.c: keeps what a program has written, whose text becomes the block's. */
void manycore_output_keep(struct manycore_block *block, const struct manycore_output *output);

/* Keeps `bytes` of a program's memory as what it writes at a cycle. False: it has no such memory. */
MNP_DEVICE bool manycore_output_put(struct manycore_block *block, uint32_t place, uint64_t cycle, uint32_t address,
                                    uint32_t bytes);

/* service.c: a semihosting call of a tile. */
MNP_DEVICE void manycore_service(struct manycore_block *block, uint32_t place, uint64_t cycle);

/* tile.c: hands a tile's core the answer to its access and runs it on. */
MNP_DEVICE void manycore_tile_answer(struct manycore_block *block, const struct manycore_answer *answer);

/* Performs the due event of a core. False: the core has faulted. */
MNP_DEVICE bool manycore_tile_act(struct manycore_block *block, uint32_t place, uint64_t cycle);

/* block.c */
mnp_time manycore_block_advance(struct mnp_unit *unit, mnp_time until);

/* Takes what a link brings in a cycle. */
void manycore_block_receive(struct manycore_block *block, const void *payload, uint64_t cycle);

/* report.c */
struct mnp_error manycore_fault_error(const struct manycore_block *block, uint32_t place);

#endif
