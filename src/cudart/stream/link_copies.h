/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies between devices over their links, by copy engines. A device has several engines (fabric.copy_engines), each
 * of which carries one copy, first for the latency (fabric.copy_latency) and then at a rate. Copies that use the same
 * links share them fairly: no copy could have more unless one that has no more than it had less (max-min). Links of a
 * device to switches are one resource for what leaves it, and one for what comes; straight links are one for each
 * direction of a pair.
 *
 * Kernels use the same links (gpu/system/ways.h). While a copy and packets both want a link, each has half of it:
 * before the machine goes on, copies are lent what they need of each link, at most half of its rate, and behind it
 * the bytes of packets are subtracted from what the copies could carry. Packets of one run of the machine count as
 * spread evenly over its time.
 */
#ifndef CUDART_LINK_COPIES_H
#define CUDART_LINK_COPIES_H

#include "base/array.h"
#include "contract/space.h"

#include <stdbool.h>
#include <stdint.h>

struct cudart;
struct cudart_operation;

/* Owner: link_copies.c. */
struct cudart_link_copies {
    struct mnp_array flows; /* struct flow: copies that have begun and not ended, in that order */
    uint64_t time;          /* fs: how far they are known */
    struct mnp_array lent;  /* struct lent: links that copies have shared with packets since then */
    uint64_t counted;       /* fs: how far these packets are known */
    uint64_t copied[MNP_SPACE_DEVICES][MNP_SPACE_DEVICES]; /* bytes of copies that no machine has counted */
};

/* Whether a copy is one over links. */
bool cudart_uses_links(const struct cudart_operation *copy);
/* Whether an engine is free for it. */
bool cudart_has_engine(const struct cudart *rt, const struct cudart_operation *copy);
/* Begins a copy, at a time or when the engine has become free, and sets the ends of all that share links with it. */
void cudart_begin_over_links(struct cudart *rt, struct cudart_operation *copy, uint64_t time);
/* A copy has ended: its engine is free. */
void cudart_end_over_links(struct cudart *rt, const struct cudart_operation *copy);
/* The time ahead at which the first byte of a copy leaves beside kernels; MNP_NEVER: of none. */
uint64_t cudart_next_over_links(const struct cudart *rt);
/* The machine is about to go on from the device's time: copies under way are lent links. Behind it, with the time that
 * it has reached, what packets have taken of these sets the ends of the copies anew. */
void cudart_lend_links(struct cudart *rt);
void cudart_regain_links(struct cudart *rt);
/* Counts copies that have ended in the results of the machine, once there is one. */
void cudart_count_over_links(struct cudart *rt);

#endif
