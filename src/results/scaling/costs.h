/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The record of a run's work, DIR/costs.bin of `maniple run --costs -o DIR`: how long each unit took in each window on
 * this host, from which `maniple scaling` computes what more threads would take.
 *
 * The file, in the host's byte order: a head; the units; for each window a count of units that ran, the ticks that the
 * window took beside them, the bytes of packets sent in it, and so many pairs of unit and ticks. Ticks are those of
 * base/ticks.h.
 *
 * Several records of one input on one machine have the same windows and units. Read together, the least of each counts:
 * what other programs of the host took from a unit in one of them is not the unit's.
 */
#ifndef MNP_RESULTS_COSTS_H
#define MNP_RESULTS_COSTS_H

#include "base/error.h"
#include "engine/core/engine.h"

#include <stdio.h>

#define MNP_COSTS_FILE "costs.bin"

struct mnp_costs_head {
    char magic[8];
    uint32_t unit_count;
    /* Core cycles of a window; 0: as many as the links allow; 1: a record for the executors that meet in each. */
    uint32_t window_cycles;
    uint64_t windows;
    uint64_t ticks, nanoseconds; /* that the run took, in both: what a tick is */
};

struct mnp_costs_unit {
    char name[32];
    uint32_t model;     /* units of one model have one number */
    uint16_t memory;    /* 1: network, L2, DRAM; 0: a core, or what gives cores work */
    uint16_t everywhere; /* 1: of a machine spread over processes, each runs a copy */
};

struct mnp_cost {
    uint32_t unit, ticks;
};

/* ===== writing ===== */

struct mnp_costs_writer {
    FILE *out;
    struct mnp_costs_head head;
    struct mnp_cost *window; /* [unit_count] */
    uint64_t *sent;          /* [links] packets ever sent on each, by the end of the window before */
    uint64_t start_ticks, start_ns, last_ticks, left_out; /* left_out: in ticks */
};

/* Begins a record. `window_cycles`: of the head. */
void results_costs_begin(struct mnp_costs_writer *writer, FILE *out, uint32_t window_cycles);

/* Writes the window that has ended, and forgets its costs. */
void results_costs_window(struct mnp_costs_writer *writer, struct mnp_engine *engine);

/* Leaves out the time since the last window: hashing the state (--hash) is no part of what a run takes. */
void results_costs_leave_out(struct mnp_costs_writer *writer);

/* Completes the head. The stream is the caller's, who checks it. */
void results_costs_end(struct mnp_costs_writer *writer);

/* ===== reading ===== */

enum { MNP_COSTS_MOST_OTHERS = 31 };

struct mnp_costs_reader {
    FILE *in;
    char *path;
    struct mnp_costs_head head;
    struct mnp_costs_unit *units; /* [unit_count] */
    struct mnp_cost *window;      /* [count] of the window read last */
    uint32_t count, rest;         /* rest: its ticks beside the units' */
    uint32_t bytes;               /* bytes of the packets that all units have sent in it */
    uint64_t windows;             /* read so far */
    struct mnp_costs_reader *others[MNP_COSTS_MOST_OTHERS]; /* read together with it */
    uint32_t other_count;
};

/* Opens the record in a folder. Close it in either case. */
bool results_costs_open(struct mnp_costs_reader *reader, const char *folder, struct mnp_error *error);

/* Reads the record in another folder together with it. False: `error` is set, as where it is of another run. */
bool results_costs_join(struct mnp_costs_reader *reader, const char *folder, struct mnp_error *error);

/* Reads the next window; false at the end, or with an error. */
bool results_costs_next(struct mnp_costs_reader *reader, struct mnp_error *error);
void results_costs_close(struct mnp_costs_reader *reader);

#endif
