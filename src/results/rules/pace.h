/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The time that a kernel would take if its work were shared evenly among its CTAs, from a run that was sampled: up to
 * some point what it took, and behind that all instructions at the pace of the time in which the SMs had their CTAs. It
 * holds where the long CTAs do the same kind of work as the others, and is a bound, as CTAs of equal work do not end
 * at the same time either.
 */
#ifndef MNP_RESULTS_PACE_H
#define MNP_RESULTS_PACE_H

#include "results/figures/figures.h"

/* Statistics that the run samples. */
#define RESULTS_PACE_STATISTICS "gpgpu_n_tot_w_icount,resident_warp_cycles"

/* Core cycles between samples for the longest launch of a kernel; 0: launches are too short beside the run. */
uint64_t results_pace_interval(const struct results_reading *reading, const char *kernel);

/* The share of the time of the kernel's longest launch that is saved, in a run that was sampled at that interval.
 * RESULTS_UNMEASURED: it cannot be told, as another kernel ran beside it or SMs had their CTAs for too short a time. */
double results_pace_saved(const struct results_reading *reading, const char *kernel);

#endif
