/* SPDX-License-Identifier: BSD-3-Clause */
/* How near a run, or kernels of one name, came to each peak of the machine, and what limits them. */
#ifndef MNP_RESULTS_PEAKS_H
#define MNP_RESULTS_PEAKS_H

#include "results/figures/reading.h"

enum { RESULTS_PEAKS = 14, RESULTS_CLASSES = 9 };

/* A part of the machine that can do so much and no more. */
struct results_peak {
    const char *name, *short_name;
    const char *unit; /* unit of both numbers */
    const char *what; /* the figure's formula, by names of statistics and machine keys */
    const char *remedy;
    double done, possible; /* in the time of the group */
    double scale;          /* multiplied with both and divided by the time gives the rate in `rate` */
    const char *rate;      /* "GB/s" or "per cycle" */
    bool seldom;           /* shown where it was used */
};

/* 0 … 1; 0 when nothing is possible. */
double results_peak_share(const struct results_peak *peak);

/* Fills in those that the machine has and counts, at most RESULTS_PEAKS, and returns how many. */
uint32_t results_peaks(const struct results_reading *reading, const struct results_group *group,
                       struct results_peak peaks[RESULTS_PEAKS]);

/* The peak of that short name, NULL: it is not among them. */
const struct results_peak *results_peak_find(const struct results_peak *peaks, uint32_t count, const char *short_name);

/* Units for double precision of an SM: of each sub-core, or one that they share. */
double results_fp64_units(const struct results_reading *reading);

/* Instructions that the SM's memory pipeline has taken: those with an active lane, constants excepted. */
double results_lsu_instructions(const struct results_reading *reading, const struct results_group *group);

/* A class of issue slots: they add up to all. */
struct results_class {
    const char *name, *statistic;
    const char *brief; /* for a legend */
    const char *what, *remedy;
};
extern const struct results_class results_classes[RESULTS_CLASSES];

/* The limit of a group. */
struct results_verdict {
    const char *kind; /* "host", "bandwidth", "issue", "latency", "parallelism", "launch" or "unknown" */
    char limit[48];   /* a limit's name, in a few words */
    char evidence[240];
    const char *remedy; /* a change to try */
};

/* The share of the times of kernels, which may overlap, that passed between their requests and first CTAs: 0 … 1. */
double results_launch_share(const struct results_reading *reading, const struct results_group *group);

/* The limit of the whole run: the host, where no kernel was there for most of the time, or else the limit of the
 * time in which one was (`busy`). */
void results_judge(const struct results_reading *reading, const struct results_group *group,
                   struct results_verdict *verdict);

#endif
