/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The toy machine: the smallest machine on which the engine and the memory of DESIGN §3 can be proven.
 *
 * Cores and memory slices sit on a one-way ring of routers. A core runs a few threads, one instruction a cycle in all;
 * a slice performs atomics and strong accesses and acknowledges everything else. Requests and replies travel in classes
 * of their own, every queue has credits, and credits are packets too. A controller starts the cores and ends the run.
 * Cores, routers and slices have clocks of their own.
 *
 * Deadlock: replies always find room in a core; the ring is kept from filling up by the bubble rule (a packet enters
 * the ring only if two places are free downstream). The latter can be switched off, to test what the engine says then.
 */
#ifndef TESTS_TOY_TOY_H
#define TESTS_TOY_TOY_H

#include "engine/core/port.h"
#include "engine/declare/declare.h"
#include "engine/executors/executor.h"
#include "engine/memory/memory.h"

enum {
    TOY_CORES = 16,    /* at most */
    TOY_SLICES = 8,    /* at most */
    TOY_THREADS = 4,   /* of a core, at most */
    TOY_ENTRIES = 32,  /* unacknowledged accesses of a core, at most */
    TOY_DEPTH = 16,    /* of a queue, at most */
    TOY_REGISTERS = 16, /* of a thread; register 0 is always 0 */
    TOY_SPINS = 8,     /* loads whose last value a thread remembers, to tell spinning from progress */
    TOY_SECTOR = 32,
};

/* ===== parameters ===== */

struct toy_parameters {
    uint64_t cores, slices, threads;
    uint64_t core_hertz, ring_hertz, slice_hertz;
    uint64_t port_latency, ring_latency, control_latency; /* fs */
    uint64_t depth, reply_depth, entries;
    uint64_t slice_latency, slice_interval; /* cycles */
    uint64_t stagger, drain;                /* cycles of the controller */
    uint64_t overlay_lines, pages;
    uint64_t epoch; /* fs; 0: the lookahead */
    uint64_t placement; /* seed of the order of cores and slices on the ring */
    uint64_t bubble;      /* 0: no bubble rule, so that the ring can deadlock */
    uint64_t stuck_after; /* requests after which a slice serves no more; 0: never */
};

/* Every parameter at its default, and every one drawn from its range. */
struct toy_parameters toy_defaults(void);
struct toy_parameters toy_random_parameters(uint64_t seed);

/* The random numbers of the tests: number `counter` of the sequence `seed`; and one below `bound`. */
uint64_t toy_random(uint64_t seed, uint64_t counter);
uint64_t toy_below(uint64_t seed, uint64_t counter, uint64_t bound);

/* ===== programs ===== */

enum toy_op {
    TOY_END, TOY_SET, TOY_ADD, TOY_BRANCH_EQ, TOY_BRANCH_NE, TOY_DELAY, TOY_BARRIER, TOY_FENCE, TOY_TRAP,
    TOY_LOAD, TOY_STORE, TOY_ATOM_ADD, TOY_ATOM_EXCHANGE, TOY_ATOM_CAS, TOY_RED_ADD, /* access memory */
};

enum toy_order { TOY_PLAIN, TOY_RELAXED /* and volatile */, TOY_ACQUIRE, TOY_RELEASE };

/* One instruction. Memory is accessed at r[a] + immediate. */
struct toy_instruction {
    uint8_t op, order;
    uint8_t bytes;   /* 1, 2, 4, 8 */
    uint8_t d, a, b; /* registers: destination (CAS: also the value compared with); address; value to store or add */
    uint16_t target; /* of a branch, taken if r[a] == immediate, or != */
    uint64_t immediate;
};

enum { TOY_PROGRAM = 256 };

struct toy_program {
    uint32_t length;
    struct toy_instruction code[TOY_PROGRAM];
};

/* Appends an instruction and returns its place. Without a TOY_END a program ends behind its last instruction. */
uint32_t toy_emit(struct toy_program *program, struct toy_instruction instruction);

/* ===== packets: plain data without padding ===== */

enum toy_class { TOY_REQUEST, TOY_REPLY, TOY_CLASSES };

enum toy_action {
    TOY_TIMING /* no effect on contents */,
    TOY_READ,
    TOY_WRITE,
    TOY_FETCH_ADD,
    TOY_EXCHANGE,
    TOY_COMPARE
};

struct toy_packet {
    uint64_t address, value, compare;
    uint64_t hop;      /* number of packets sent on this link before: checked by the receiver */
    uint32_t sequence; /* number of requests from this core to this slice before: checked by the slice */
    uint16_t from, to; /* nodes of the ring */
    uint16_t core;
    uint8_t class, action, bytes, entry;
    uint16_t reserved;
};

struct toy_credit {
    uint32_t count[TOY_CLASSES];
};

struct toy_note { /* controller → core: start; core → controller: all done */
    uint64_t core;
};

_Static_assert(sizeof(struct toy_packet) == 48, "no padding");

/* ===== ports ===== */

struct toy_queue {
    uint32_t head, count;
    struct toy_packet packet[TOY_DEPTH];
};

/* The state of a two-class channel: what the sender may still send, and how many packets have passed. */
struct toy_port {
    uint32_t credits[TOY_CLASSES];
    uint64_t sent, received;
};

static inline struct toy_packet *toy_head(struct toy_queue *queue)
{
    return &queue->packet[queue->head];
}

void toy_push(struct toy_queue *queue, const struct toy_packet *packet);
void toy_pop(struct toy_queue *queue);

/* Sends a packet, taking a credit; gives back one credit of a class; checks that a packet is the next of its link. */
void toy_send(struct toy_port *port, struct mnp_link *link, const struct toy_packet *packet, mnp_time time);
void toy_give_back(struct mnp_link *link, uint32_t class, mnp_time time);
void toy_receive(struct toy_port *port, struct mnp_unit *unit, const struct toy_packet *packet);

/* Runs a unit up to `until`: visits the cycles in which `step` may act, or all of them with no_skip, and accounts for
 * the others by `idle`. `step` returns the next cycle in which it may act without a packet, UINT64_MAX for none. */
struct toy_progress {
    uint64_t cycle; /* the next to be visited */
    uint64_t next;  /* what `step` has returned */
};

mnp_time toy_run(struct mnp_unit *unit, mnp_time until, struct toy_progress *progress,
                 uint64_t (*step)(struct mnp_unit *, uint64_t cycle, mnp_time time),
                 void (*idle)(struct mnp_unit *, uint64_t cycles));

/* ===== models ===== */

struct toy_machine;

struct toy_thread {
    uint64_t r[TOY_REGISTERS];
    uint64_t ready; /* cycle before which it does nothing */
    uint64_t since; /* time of its last instruction */
    uint64_t spin_address[TOY_SPINS], spin_value[TOY_SPINS], spin_since[TOY_SPINS]; /* by pc modulo TOY_SPINS */
    uint64_t fence; /* a fence or release that has begun: it waits for all accesses numbered less; 0: none */
    uint32_t pc, top; /* top: highest pc reached */
    uint32_t pending; /* registers whose value is on its way */
    uint8_t held;     /* an acquire is on its way */
    uint8_t at_barrier, done, reserved;
};

struct toy_entry { /* an access that has not been acknowledged */
    uint64_t sequence; /* place in the core's program order; 0: free */
    uint64_t sector, since;
    uint32_t pc;
    uint16_t node;
    uint8_t performed; /* at the slice */
    uint8_t thread, reg, acquire, bytes, load;
    uint32_t reserved;
};

struct toy_core_state {
    struct toy_progress progress;
    struct toy_port port;
    struct toy_thread thread[TOY_THREADS];
    struct toy_entry entry[TOY_ENTRIES];
    uint64_t sequence; /* of the next access; from 1 */
    uint32_t requests[TOY_SLICES]; /* sent to each slice */
    uint32_t turn, threads, started, reported;
    uint32_t faulted, reserved;
};

struct toy_core {
    struct toy_machine *machine;
    struct toy_core_state *state;
    struct mnp_overlay *overlay;
    struct mnp_link *request, *credit, *done;
    const struct toy_program *programs; /* [threads] */
    uint32_t number, node;
};

enum { TOY_FROM_RING, TOY_FROM_PORT };
enum { TOY_TO_RING, TOY_TO_PORT };

struct toy_router_state {
    struct toy_progress progress;
    struct toy_port port[2];
    struct toy_queue in[2][TOY_CLASSES];
    uint64_t since[2][TOY_CLASSES]; /* time at which the head came to stand there */
    uint32_t turn[2];
};

struct toy_router {
    struct toy_machine *machine;
    struct toy_router_state *state;
    struct mnp_link *out[2], *credit[2]; /* credit: towards the sender of the same number of `in` */
    uint32_t node;
};

struct toy_slice_state {
    struct toy_progress progress;
    struct toy_port port;
    struct toy_queue in, out;
    uint64_t ready[TOY_DEPTH]; /* cycles at which the replies of `out` may leave, by place */
    uint64_t free_at;          /* cycle in which the next request may be served */
    uint64_t served, first_served, last_served; /* cycles of the latter */
    uint64_t idle_since;
    uint32_t expected[TOY_CORES];
};

struct toy_slice {
    struct toy_machine *machine;
    struct toy_slice_state *state;
    struct mnp_overlay *overlay;
    struct mnp_link *reply, *credit;
    uint32_t number, node;
};

struct toy_controller_state {
    struct toy_progress progress;
    uint64_t started, done;
    mnp_time last_done;
};

struct toy_controller {
    struct toy_machine *machine;
    struct toy_controller_state *state;
    struct mnp_link **start; /* [cores] of the unit's port */
};

extern const struct mnp_model toy_core_model, toy_router_model, toy_slice_model, toy_controller_model;

enum toy_core_statistic {
    TOY_CORE_ISSUED, TOY_CORE_MEMORY, TOY_CORE_DELAY, TOY_CORE_OVER, TOY_CORE_LOADS, TOY_CORE_STORES,
    TOY_CORE_PERFORMED, TOY_CORE_LATENCY, TOY_CORE_ENERGY, TOY_CORE_ENERGY_EACH, TOY_CORE_STATISTICS,
};
enum toy_router_statistic { TOY_ROUTER_MOVED, TOY_ROUTER_BLOCKED, TOY_ROUTER_IDLE, TOY_ROUTER_STATISTICS };
enum toy_slice_statistic {
    TOY_SLICE_BUSY, TOY_SLICE_IDLE, TOY_SLICE_SERVED, TOY_SLICE_PERFORMED, TOY_SLICE_CHANGES, TOY_SLICE_STATISTICS,
};

/* ===== the machine ===== */

struct toy_machine {
    struct toy_parameters parameters;
    struct mnp_engine engine;
    struct mnp_memory memory;
    struct toy_core core[TOY_CORES];
    struct toy_router router[TOY_CORES + TOY_SLICES];
    struct toy_slice slice[TOY_SLICES];
    struct toy_controller controller;
    uint32_t slice_node[TOY_SLICES];
    struct mnp_unit *router_unit[TOY_CORES + TOY_SLICES], *slice_unit[TOY_SLICES], *core_unit[TOY_CORES];
    uint32_t nodes;
    struct toy_program (*programs)[TOY_THREADS]; /* [cores], the machine's own copy */
};

/* Builds a machine that runs programs[core][thread]. The machine's address must not change afterwards. */
void toy_build(struct toy_machine *machine, const struct toy_parameters *parameters,
               const struct toy_program programs[][TOY_THREADS]);
void toy_release(struct toy_machine *machine);

/* Slice that holds an address: lines of 128 bytes in turn. */
static inline uint32_t toy_slice_of(const struct toy_machine *machine, uint64_t address)
{
    return (uint32_t)(address / MNP_MEMORY_LINE % machine->parameters.slices);
}

/* Options of the reference run: serial, windows of one cycle of the fastest clock, every cycle visited. */
struct mnp_run_options toy_reference_options(const struct toy_machine *machine);

/* What a run has shown: end, counters, hashes of every epoch, contents of memory. */
struct toy_result {
    unsigned char *bytes;
    size_t length, capacity;
    enum mnp_stop stop;
    mnp_time now;
    mnp_time epoch, progress; /* distance of epochs; last time at which anybody made progress */
};

/* Runs a machine, collecting everything observable into `result` (release with free(result->bytes)). */
void toy_observe(struct toy_machine *machine, const struct mnp_run_options *options, struct toy_result *result);

/* Whether two runs have shown the same bytes; otherwise prints where they part. */
bool toy_same(const struct toy_result *a, const struct toy_result *b);

/* Runs a machine as the reference and at `points` other points of the matrix drawn by `seed`, with the limit, livelock
 * and epoch hashes of `options`. Returns whether all were the same; `*reference` is the first result, and `report`, if
 * not NULL, what the engine said about that run (release with free). */
bool toy_same_everywhere(const struct toy_parameters *parameters, const struct toy_program programs[][TOY_THREADS],
                         const struct mnp_run_options *options, uint64_t seed, uint64_t points,
                         struct toy_result *reference, char **report);

/* Repetitions of a test: `usual`, a sixth of it under a sanitizer, or MNP_TEST_EFFORT percent of either. */
uint64_t toy_effort(uint64_t usual);

/* Fills in random programs: loads, stores, atomics, fences, barriers and delays on few addresses, in blocks that
 * loop. */
void toy_random_programs(const struct toy_parameters *parameters, uint64_t seed, uint32_t most_blocks,
                         struct toy_program programs[][TOY_THREADS]);

#endif
