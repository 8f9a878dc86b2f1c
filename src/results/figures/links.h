/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes that a GPU of a node has sent to others, and the share of its time that they took. */
#ifndef MNP_RESULTS_LINKS_H
#define MNP_RESULTS_LINKS_H

#include "results/figures/reading.h"

enum { RESULTS_LINK_KINDS = 5, RESULTS_LINK_GPUS = 16, RESULTS_LINK_ROWS = 19 /* the last one: of all other links */ };

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

/* Bytes of data that the GPU has sent to another one. */
double results_link_data(const struct results_reading *reading, uint32_t to);

/* Bytes that link `row` has moved, "out" or "in"; of the last row, all links that have none of their own. */
double results_link_bytes(const struct results_reading *reading, uint32_t row, const char *direction);

#endif
