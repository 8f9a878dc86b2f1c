/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Predicted time of a run on more threads or processes, computed from the record of its units' times on one
 * (results/scaling/costs.h): each window is handed out as the executor would, and what meeting and exchanging cost on
 * this host is added. What is not modelled: threads that share caches and memory bandwidth, and clocks that depend on
 * load.
 */
#ifndef MNP_RESULTS_SCALING_H
#define MNP_RESULTS_SCALING_H

#include "results/scaling/costs.h"

enum mnp_hand_out { /* how a window's units go to threads */
    MNP_HAND_OUT_COST,    /* window, by cost: the dearest first, always to the thread with the least so far */
    MNP_HAND_OUT_STATIC,  /* window, in fixed contiguous shares */
    MNP_HAND_OUT_DYNAMIC, /* window, the next one to the thread that is free first */
    /* The executors that meet in every cycle: */
    MNP_HAND_OUT_LOCKSTEP, /* cores in even chunks, then the memory side on one thread */
    MNP_HAND_OUT_DOMAINS,  /* cores in even chunks beside the memory side, which has a thread of its own */
    MNP_HAND_OUT_POOL,     /* threads as lockstep; the main thread, which has the memory side, comes on top */
    MNP_HAND_OUT_OPENMP,   /* cores in turns, then the memory side on one thread */
    MNP_HAND_OUT_OPENMP_DYNAMIC, /* each core to the thread that is free first, which takes its number from a counter */
    MNP_HAND_OUT_COUNT,
};

/* Their names; those of the executors that meet in every cycle are the executors' own, with the schedule where there
 * are two. */
extern const char *const results_hand_out_names[MNP_HAND_OUT_COUNT];

enum { MNP_SCALING_MOST = 1024 };

/* Costs of meetings, in nanoseconds. */
struct mnp_meeting {
    double pair[MNP_HAND_OUT_COUNT];    /* two threads, in each window */
    double further[MNP_HAND_OUT_COUNT]; /* each thread more */
    double take;    /* one thread that takes the next core of a loop whose others do, too; one takes at a time */
    double gather;  /* two processes that agree on a window; grows with the logarithm of their number */
    double message; /* packets for each other process */
    double byte;    /* each byte sent */
};

/* One configuration, and what becomes of it. */
struct mnp_scaling {
    uint32_t threads, processes; /* processes × threads of each */
    enum mnp_hand_out hand_out;
    double seconds;  /* the whole run */
    double work;     /* part of the units, were they divided evenly */
    double largest;  /* the most that one unit takes in each window, summed: no number of threads is faster */
    double meetings; /* barriers and exchanges */
    double exchange; /* part of exchanges */
    double serial;   /* beside the units, on one thread: between windows, and the start of the run */
    double start;    /* part up to the end of the first window, once in a run */
};

/* Computes all configurations in one pass over the record. False: the record is damaged. */
bool results_scaling_compute(struct mnp_costs_reader *reader, const struct mnp_meeting *meeting,
                             struct mnp_scaling *scalings, uint32_t count, struct mnp_error *error);

/* A run that was measured. */
struct mnp_measured {
    uint32_t threads, processes;
    enum mnp_hand_out hand_out;
    double seconds; /* wall time */
};

/* Draws the speed-up over threads as SVG: predicted, measured, and the ideal. `one`: seconds on one thread. */
void results_scaling_draw(const struct mnp_scaling *scalings, uint32_t count, const struct mnp_measured *measured,
                          uint32_t measured_count, double one, FILE *out);

#endif
