/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bits that toggle in what an SM sends to the L2 (energy.values), of a machine that executes. Requests leave by its
 * port one after another: headers on the same wires, and sectors of data on the same wires. The bits in which one
 * differs from the one before it have toggled. Of energy.values consecutive requests one is compared with the one
 * before it, and so is one of as many sectors of data; their places depend on the number of the SM, and on how many
 * have passed. Until the next one is compared, all have its activity, in 64ths of what random data have. A packet
 * states the activity of all of its bytes, which holds on both hops to the L2.
 *
 * Of a header the address of its line is compared. Of a sector the bytes that are written are compared: the wires of
 * the others stay as they were. Data of stores are what memory holds when they leave; those of atomics, reductions and
 * stores at the L2 are the first operand of each lane, the last lane's where several have the same word. Operands that
 * leave with another request of their line, and those of bulk reductions, are not looked at, and count as random.
 */
#ifndef GPU_SM_SENT_H
#define GPU_SM_SENT_H

#include <stdint.h>

struct gpu_request;
struct mnp_arena;
struct sm;

/* Counters of a kernel slot, from sm_parameters.places.sent on. */
enum sm_sent_counter {
    SM_SENT_ADDRESSES_TOGGLED,
    SM_SENT_ADDRESSES_COMPARED,
    SM_SENT_DATA_TOGGLED,
    SM_SENT_DATA_COMPARED,
    SM_SENT_ACTIVITY, /* bytes of requests, times their activity */
    SM_SENT_COUNTERS
};

/* Headers, or sectors of data. */
struct sm_sent_stream {
    uint64_t passed, look; /* number of those that have passed; of the next one that is compared */
    uint64_t activity;     /* activity of the last one that was compared; before that, that of random data */
};

struct sm_sent { /* in the arena */
    struct sm_sent_stream headers, sectors;
    uint64_t line;    /* address of the last request */
    uint64_t kept;    /* number of the sector whose data are kept, plus one; 0: none */
    uint64_t data[4]; /* its bits */
    uint64_t tickets; /* tickets from here on are not of lanes' accesses */
};

/* Takes it from the arena if values are looked at; `tickets`: one more than those of lanes' accesses. */
void sm_sent_lay_out(struct sm *sm, struct mnp_arena *arena);
void sm_sent_init(struct sm *sm, uint32_t tickets);

/* A request of so many bytes leaves; only called if values are looked at. Returns what the packet states of it
 * (gpu_request.activity). */
uint8_t sm_sent_pass(struct sm *sm, const struct gpu_request *request, uint64_t bytes);

#endif
