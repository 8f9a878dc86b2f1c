/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies between devices over their links, by copy engines. A device has several engines (fabric.copy_engines), each
 * of which carries one copy, first for the latency (fabric.copy_latency) and then at a rate. Copies that use the same
 * links share them fairly: no copy could have more unless one that has no more than it had less (max-min). Links of a
 * device to switches are one resource for what leaves it, and one for what comes; straight links are one for each
 * direction of a pair.
 */
#ifndef CUDART_LINK_COPIES_H
#define CUDART_LINK_COPIES_H

#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>

struct cudart;
struct cudart_operation;

/* Owner: link_copies.c. */
struct cudart_link_copies {
    struct mnp_array flows; /* struct flow: copies that have begun and not ended, in that order */
    uint64_t time;          /* fs: how far they are known */
};

/* Whether a copy is one over links. */
bool cudart_uses_links(const struct cudart_operation *copy);
/* Whether an engine is free for it. */
bool cudart_has_engine(const struct cudart *rt, const struct cudart_operation *copy);
/* Begins a copy, at a time or when the engine has become free, and sets the ends of all that share links with it. */
void cudart_begin_over_links(struct cudart *rt, struct cudart_operation *copy, uint64_t time);
/* A copy has ended: its engine is free. */
void cudart_end_over_links(struct cudart *rt, const struct cudart_operation *copy);

#endif
