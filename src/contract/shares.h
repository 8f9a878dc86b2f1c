/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Launches side by side (--shares): the launches of a run are divided into shares of consecutive ones, and a process of
 * its own simulates each share. All processes but the last write their parts to a pipe, from which the last one reads
 * them, and it writes the results of all.
 *
 * Launches in front of a share are simulated too, so that the share finds warm caches, and their counters are ignored
 * (detailed warming: Wunderlich et al., SMARTS, ISCA 2003). The share before has simulated the last of them in its
 * place: what both differ by says what a boundary may cost.
 */
#ifndef MNP_CONTRACT_SHARES_H
#define MNP_CONTRACT_SHARES_H

#include "base/error.h"
#include "engine/count/results.h"

#include <stdbool.h>
#include <stdint.h>

enum { MNP_MOST_SHARES = 64 };

/* The share of a process. An all-zero structure means that the run is not divided. */
struct mnp_share {
    uint32_t number, count; /* number of the share, from 1, and of all shares */
    uint32_t first, last;   /* launches of the share */
    uint32_t launches;      /* launches of the whole run */
    int pipe; /* file descriptor: the end to write to; in the last share the first of count - 1 ends to read from */
};

/* Whether the process hands its parts over. */
static inline bool mnp_share_gives(const struct mnp_share *share)
{
    return share->number < share->count;
}

/* Whether the process receives the parts of all others. */
static inline bool mnp_share_gathers(const struct mnp_share *share)
{
    return share->count > 1 && share->number == share->count;
}

/* Writes the parts of a share that is not the last one. Returns false if the last one does not read them. */
bool mnp_share_give(const struct mnp_share *share, const struct mnp_results *results, struct mnp_error *error);

/* Adds the parts of the other shares to the results of the last one, waiting for them, and what they took of the host
 * to its description of the run, which is complete. The total becomes that of all parts, without the launches that were
 * simulated twice. A warning says how these differ. Returns false if a share has ended without its results, or with
 * damaged ones; the results then hold those of the others. */
bool mnp_share_gather(const struct mnp_share *share, struct mnp_results *results, struct mnp_error *error);

#endif
