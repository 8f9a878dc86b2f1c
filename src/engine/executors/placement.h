/* SPDX-License-Identifier: BSD-3-Clause */
/* Which processors this process may use, in the order in which threads are to be placed on them. */
#ifndef MNP_ENGINE_EXECUTORS_PLACEMENT_H
#define MNP_ENGINE_EXECUTORS_PLACEMENT_H

#include <pthread.h>
#include <stdint.h>

struct mnp_placement {
    uint32_t *processors; /* [count] operating-system numbers: one of each core first, cores of one cache together */
    uint32_t count;
};

/* For so many threads. When they take all usable processors there is nothing to choose, and the topology, which takes
 * milliseconds to read, is left alone. */
struct mnp_placement mnp_placement_read(uint32_t threads);
void mnp_placement_release(struct mnp_placement *placement);

/* Binds the calling thread, or another one, to processor number `place` of the order. Failing is harmless. */
void mnp_placement_bind(const struct mnp_placement *placement, uint32_t place);
void mnp_placement_bind_thread(const struct mnp_placement *placement, uint32_t place, pthread_t thread);

/* Processors that this process may use: the default number of threads. */
uint32_t mnp_usable_processors(void);

#endif
