/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrival of an access at the global space: from a link (global.c), or of a read that was not sent anew (polls.c). */
#ifndef MANYCORE_ARRIVE_H
#define MANYCORE_ARRIVE_H

#include "manycore/machine/machine.h"

/* The access is performed in the present cycle. */
static inline void manycore_global_arrive(struct manycore_global *global, const struct manycore_packet *packet)
{
    uint32_t tile = packet->from, word = tile / 64;
    global->arrived[tile] = *packet;
    global->asking[word] |= UINT64_C(1) << tile % 64;
    global->words_first = word < global->words_first ? word : global->words_first;
    global->words_end = word + 1 > global->words_end ? word + 1 : global->words_end;
}

#endif
