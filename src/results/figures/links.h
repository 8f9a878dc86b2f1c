/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes that a GPU of a node has sent to others, and the share of its time that they took. */
#ifndef MNP_RESULTS_LINKS_H
#define MNP_RESULTS_LINKS_H

#include "results/figures/reading.h"

enum {
    RESULTS_LINK_KINDS = 5,
    RESULTS_LINK_GPUS = 16,
    RESULTS_LINK_ROWS = 19,    /* the last one: of all other links */
    RESULTS_LINK_SWITCHES = 7, /* the last one: of all other switches */
};

/* A kind of packet: how reports call it, and the statistic of its bytes. */
struct results_link_kind {
    const char *name, *statistic;
};
extern const struct results_link_kind results_link_kinds[RESULTS_LINK_KINDS];

/* Seconds of a run with kernels: of those that used no link, of those that did, and of these without one of those
 * beside them; and the longest time between a request to another GPU and its reply. */
struct results_link_times {
    double compute, communication, exposed, most_latency;
};

/* Whether the run is of a GPU with links to others. */
bool results_has_links(const struct results_reading *reading);

bool results_link_times(const struct results_reading *reading, struct results_link_times *times,
                        struct mnp_error *error);

/* Seconds between a request to another GPU and its reply, in the mean; 0: there was none. */
double results_link_latency(const struct results_reading *reading);

/* Seconds within which a share (0 … 1) of the replies have come, up to the next bound of the histogram. */
double results_link_within(const struct results_reading *reading, double share);

/* Bytes of data that the GPU's kernels have sent to another GPU, and that engines have copied there. */
double results_link_data(const struct results_reading *reading, uint32_t to);
double results_link_copied(const struct results_reading *reading, uint32_t to);

/* Bytes that link `row` has moved, "out" or "in"; of the last row, all links that have none of their own. */
double results_link_bytes(const struct results_reading *reading, uint32_t row, const char *direction);

/* The same, as a share (0 … 1) of what one link could move. */
double results_link_use(const struct results_reading *reading, uint32_t row, const char *direction);

/* Whether links lead to switches; bytes that switch `row` has passed on to the GPU, and seconds that their packets have
 * waited there, summed; of the last row, all switches that have none of their own. */
bool results_has_switches(const struct results_reading *reading);
double results_switch_bytes(const struct results_reading *reading, uint32_t row);
double results_switch_wait(const struct results_reading *reading, uint32_t row);

#endif
