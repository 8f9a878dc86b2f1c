/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/executors/placement.h"

#include "base/arena.h"

#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

#ifdef MANIPLE_HAVE_HWLOC
#include <hwloc.h>
#endif

uint32_t mnp_usable_processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    int count = CPU_COUNT(&set);
    return count > 0 ? (uint32_t)count : 1;
}

/* The usable processors in the order of their numbers. */
static void read_affinity(struct mnp_placement *placement)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return;
    for (uint32_t i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &set))
            placement->processors[placement->count++] = i;
}

#ifdef MANIPLE_HAVE_HWLOC
/* The usable processors by topology: the first hardware thread of every core, then the second ones. hwloc's logical
 * order keeps cores that share a cache together. */
static bool read_topology(struct mnp_placement *placement)
{
    hwloc_topology_t topology;
    cpu_set_t usable;
    if (sched_getaffinity(0, sizeof usable, &usable) != 0 || hwloc_topology_init(&topology) != 0)
        return false;
    if (hwloc_topology_load(topology) != 0) {
        hwloc_topology_destroy(topology);
        return false;
    }
    int cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
    for (unsigned round = 0; round < 8; round++) {
        for (int i = 0; i < cores; i++) {
            hwloc_obj_t core = hwloc_get_obj_by_type(topology, HWLOC_OBJ_CORE, (unsigned)i);
            int processor = hwloc_bitmap_first(core->cpuset);
            for (unsigned skip = 0; skip < round && processor >= 0; skip++)
                processor = hwloc_bitmap_next(core->cpuset, processor);
            if (processor >= 0 && processor < CPU_SETSIZE && CPU_ISSET(processor, &usable))
                placement->processors[placement->count++] = (uint32_t)processor;
        }
    }
    hwloc_topology_destroy(topology);
    return placement->count == (uint32_t)CPU_COUNT(&usable);
}
#endif

struct mnp_placement mnp_placement_read(uint32_t threads)
{
    struct mnp_placement placement = {.processors = mnp_allocate(CPU_SETSIZE, sizeof(uint32_t))};
#ifdef MANIPLE_HAVE_HWLOC
    if (threads < mnp_usable_processors() && read_topology(&placement))
        return placement;
    placement.count = 0;
#else
    (void)threads;
#endif
    read_affinity(&placement);
    return placement;
}

void mnp_placement_release(struct mnp_placement *placement)
{
    free(placement->processors);
    *placement = (struct mnp_placement){0};
}

void mnp_placement_bind_thread(const struct mnp_placement *placement, uint32_t place, pthread_t thread)
{
    if (place >= placement->count)
        return;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(placement->processors[place], &set);
    pthread_setaffinity_np(thread, sizeof set, &set);
}

void mnp_placement_bind(const struct mnp_placement *placement, uint32_t place)
{
    mnp_placement_bind_thread(placement, place, pthread_self());
}
