/* SPDX-License-Identifier: BSD-3-Clause */
/* Deliveries of the mesh to the core or the bank of a tile, and the bank's replies. */
#ifndef MANYCORE_DELIVERY_H
#define MANYCORE_DELIVERY_H

#include "manycore/mesh/block.h"

/* Takes a packet out of the mesh: a reply goes to the core, a request to the bank. */
MNP_DEVICE void manycore_deliver(struct manycore_block *block, uint32_t place, const struct manycore_packet *packet,
                                 uint32_t kind, uint64_t cycle);

/* Replies that are ready fly, or ask for their outputs. */
MNP_DEVICE void manycore_send_replies(struct manycore_block *block, uint64_t cycle);

/* Accesses of cores to the banks of their own tiles, which compete with the mesh for the bank alone. */
MNP_DEVICE void manycore_serve_local(struct manycore_block *block, uint64_t cycle);

#endif
