/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a run would take on more threads or processes, computed from the record of what its units took on one
 * (results/costs.h): each window is handed out as the executor would, and what meeting and exchanging cost on this host
 * is added. What is not modelled: threads that share caches and memory bandwidth, and clocks that depend on load.
 */
#ifndef MNP_RESULTS_SCALING_H
#define MNP_RESULTS_SCALING_H

#include "results/costs.h"

enum mnp_hand_out { /* how a window's units go to threads */
    MNP_HAND_OUT_COST,    /* window, by cost: the dearest first, always to the thread with the least so far */
    MNP_HAND_OUT_STATIC,  /* window, in fixed contiguous shares */
    MNP_HAND_OUT_DYNAMIC, /* window, the next one to the thread that is free first */
    MNP_HAND_OUT_CHUNKS,  /* lockstep, pool, openmp: cores in even chunks, then the memory side on one thread */
    MNP_HAND_OUT_DOMAINS, /* domains: cores in even chunks beside the memory side, which has a thread of its own */
    MNP_HAND_OUT_COUNT,
};

extern const char *const mnp_hand_out_names[MNP_HAND_OUT_COUNT];

enum { MNP_SCALING_MOST = 1024 };

/* What meeting costs, in nanoseconds. */
struct mnp_meeting {
    double pair;     /* two threads at a window's barrier */
    double further;  /* each thread more */
    double exchange; /* two processes in an exchange; grows with the logarithm of their number */
};

/* One configuration, and what becomes of it. */
struct mnp_scaling {
    uint32_t threads, processes; /* processes × threads of each */
    enum mnp_hand_out hand_out;
    double seconds;  /* the whole run */
    double work;     /* of which: the units, were they divided evenly */
    double largest;  /* the most that one unit takes in each window, summed: no number of threads is faster */
    double meetings; /* barriers and exchanges */
    double serial;   /* between windows */
};

/* Computes all configurations in one pass over the record. False: the record is damaged. */
bool mnp_scaling_compute(struct mnp_costs_reader *reader, const struct mnp_meeting *meeting,
                         struct mnp_scaling *scalings, uint32_t count, struct mnp_error *error);

/* A point that was measured: threads and wall seconds. */
struct mnp_measured {
    uint32_t threads;
    double seconds;
};

/* Draws the speed-up over threads as SVG: predicted, measured, and the ideal. `one`: seconds on one thread. */
void mnp_scaling_draw(const struct mnp_scaling *scalings, uint32_t count, const struct mnp_measured *measured,
                      uint32_t measured_count, double one, FILE *out);

#endif
