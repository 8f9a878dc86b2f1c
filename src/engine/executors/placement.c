/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/executors/placement.h"

#include "base/allocate.h"
#include "engine/executors/processors.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef MANIPLE_HAVE_HWLOC
#include <hwloc.h>
#endif

/* ===== the order ===== */

static void add(struct mnp_placement *placement, uint32_t processor, uint32_t node)
{
    placement->processors[placement->count] = processor;
    placement->nodes[placement->count++] = node;
}

/* Orders the usable processors by number. */
static void order_by_number(struct mnp_placement *placement, const cpu_set_t *usable)
{
    placement->count = 0;
    for (uint32_t i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, usable))
            add(placement, i, 0);
}

#ifdef MANIPLE_HAVE_HWLOC
static bool load_topology(hwloc_topology_t *topology)
{
    if (hwloc_topology_init(topology) != 0)
        return false;
    if (hwloc_topology_load(*topology) == 0)
        return true;
    hwloc_topology_destroy(*topology);
    return false;
}

/* Returns the usable processor number `place` of a core, or -1. */
static int usable_of_core(hwloc_obj_t core, const cpu_set_t *usable, unsigned place)
{
    int processor = hwloc_bitmap_first(core->cpuset);
    for (; processor >= 0 && processor < CPU_SETSIZE; processor = hwloc_bitmap_next(core->cpuset, processor))
        if (CPU_ISSET(processor, usable) && place-- == 0)
            return processor;
    return -1;
}

static uint32_t node_of(hwloc_obj_t object)
{
    int node = hwloc_bitmap_first(object->nodeset);
    return node < 0 ? 0 : (uint32_t)node;
}

/* Orders the first usable hardware thread of every core before the second ones. hwloc's logical order keeps cores that
 * share a cache or a node together. Returns false if the topology does not contain all usable processors. */
static bool order_by_topology(struct mnp_placement *placement, const cpu_set_t *usable)
{
    hwloc_topology_t topology;
    if (!load_topology(&topology))
        return false;
    int cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
    uint32_t wanted = (uint32_t)CPU_COUNT(usable);
    bool found = true;
    for (unsigned round = 0; placement->count < wanted && found; round++) {
        found = false;
        for (int i = 0; i < cores && placement->count < wanted; i++) {
            hwloc_obj_t core = hwloc_get_obj_by_type(topology, HWLOC_OBJ_CORE, (unsigned)i);
            int processor = usable_of_core(core, usable, round);
            found |= processor >= 0;
            if (processor >= 0)
                add(placement, (uint32_t)processor, node_of(core));
        }
    }
    hwloc_topology_destroy(topology);
    return placement->count == wanted;
}
#else
static bool order_by_topology(struct mnp_placement *placement, const cpu_set_t *usable)
{
    (void)placement;
    (void)usable;
    return false;
}
#endif

static struct mnp_placement empty(void)
{
    return (struct mnp_placement){.processors = mnp_allocate(CPU_SETSIZE, sizeof(uint32_t)),
                                  .nodes = mnp_allocate(CPU_SETSIZE, sizeof(uint32_t))};
}

struct mnp_placement mnp_placement_of(const cpu_set_t *usable)
{
    struct mnp_placement placement = empty();
    if (!order_by_topology(&placement, usable))
        order_by_number(&placement, usable);
    return placement;
}

/* Linux lists the NUMA nodes in one line: "0", or "0-1". */
static bool has_several_nodes(void)
{
    char line[64] = "";
    FILE *file = fopen("/sys/devices/system/node/online", "r");
    bool several = file && fgets(line, sizeof line, file) && (strchr(line, '-') || strchr(line, ','));
    if (file)
        fclose(file);
    return several;
}

struct mnp_placement mnp_placement_read(uint32_t threads)
{
    cpu_set_t usable;
    if (sched_getaffinity(0, sizeof usable, &usable) != 0)
        return empty();
    if (threads < (uint32_t)CPU_COUNT(&usable) || has_several_nodes())
        return mnp_placement_of(&usable);
    struct mnp_placement placement = empty();
    order_by_number(&placement, &usable);
    return placement;
}

void mnp_placement_release(struct mnp_placement *placement)
{
    free(placement->processors);
    free(placement->nodes);
    *placement = (struct mnp_placement){0};
}

uint32_t mnp_placement_count_nodes(const struct mnp_placement *placement, uint32_t threads)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < threads && i < placement->count; i++) {
        bool seen = false;
        for (uint32_t j = 0; j < i; j++)
            seen |= placement->nodes[j] == placement->nodes[i];
        count += !seen;
    }
    return count;
}

/* ===== binding ===== */

void mnp_placement_bind_thread(const struct mnp_placement *placement, uint32_t place, pthread_t thread)
{
    if (place >= placement->count)
        return;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(placement->processors[place], &set);
    pthread_setaffinity_np(thread, sizeof set, &set);
}

bool mnp_placement_move(void *memory, size_t bytes, uint32_t node)
{
    enum { PREFERRED = 1, MOVE = 2, WORD = 8 * sizeof(unsigned long), MOST_NODES = 1024 };
    unsigned long nodes[MOST_NODES / WORD] = {0};
    if (node >= MOST_NODES)
        return false;
    nodes[node / WORD] = 1UL << node % WORD;
    return syscall(SYS_mbind, memory, bytes, PREFERRED, nodes, (unsigned long)MOST_NODES, MOVE) == 0;
}

/* ===== telling ===== */

#ifdef MANIPLE_HAVE_HWLOC
/* Writes "core 3 of package 0, NUMA node 0", as far as the topology contains it. */
static void name_place(hwloc_topology_t topology, uint32_t processor, FILE *out)
{
    hwloc_obj_t unit = hwloc_get_pu_obj_by_os_index(topology, processor);
    hwloc_obj_t core = unit ? hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, unit) : NULL;
    if (core)
        fprintf(out, " (core %u, NUMA node %u)", core->logical_index, node_of(core));
}

static void list_threads(const struct mnp_placed *placed, const char *prefix, FILE *out)
{
    hwloc_topology_t topology;
    bool loaded = load_topology(&topology);
    for (uint32_t i = 0; i < placed->threads; i++) {
        fprintf(out, "%sthread %u on processor %u", prefix, i, placed->processors[i]);
        if (loaded)
            name_place(topology, placed->processors[i], out);
        fputc('\n', out);
    }
    if (loaded)
        hwloc_topology_destroy(topology);
}
#else
static void list_threads(const struct mnp_placed *placed, const char *prefix, FILE *out)
{
    for (uint32_t i = 0; i < placed->threads; i++)
        fprintf(out, "%sthread %u on processor %u\n", prefix, i, placed->processors[i]);
}
#endif

static void describe_memory(const struct mnp_placed *placed, const char *prefix, FILE *out)
{
    if (placed->nodes > 1)
        fprintf(out, "%s%u NUMA nodes; %llu KiB of units' state moved to the node of the threads that run them\n",
                prefix, placed->nodes, (unsigned long long)placed->moved_bytes / 1024);
    else
        fprintf(out, "%sone NUMA node: memory is where it was first touched\n", prefix);
}

void mnp_placement_describe(const struct mnp_placed *placed, const char *prefix, FILE *out)
{
    struct mnp_processors processors;
    char list[256];
    mnp_processors_read(&processors);
    mnp_processors_format(&processors.usable, list, sizeof list);
    fprintf(out, "%sprocessors %s may be used", prefix, list);
    const char *why =
        placed->neighbours > 1 ? "other processes of this run use them too" : "its control group grants no more";
    if (placed->granted && placed->granted < (uint32_t)CPU_COUNT(&processors.usable))
        fprintf(out, ", %u at a time: %s", placed->granted, why);
    fputc('\n', out);
    if (placed->binding != MNP_BINDING_NO_TEAM && placed->threads < placed->wanted)
        fprintf(out, "%s%u threads wanted, %u started: more would wait for one another's processors\n", prefix,
                placed->wanted, placed->threads);
    switch (placed->binding) {
    case MNP_BINDING_NO_TEAM:
        fprintf(out, "%sone thread, not bound%s\n", prefix,
                placed->wanted > 1 && placed->granted != 1 ? ": no window was worth another" : "");
        break;
    case MNP_BINDING_BOUND:
        list_threads(placed, prefix, out);
        describe_memory(placed, prefix, out);
        break;
    case MNP_BINDING_CROWDED:
        fprintf(out, "%s%u threads, not bound: there are more of them than processors; who waits sleeps\n", prefix,
                placed->threads);
        break;
    case MNP_BINDING_BUSY:
        fprintf(out, "%s%u threads, not bound: other programs want the processors too\n", prefix, placed->threads);
        break;
    case MNP_BINDING_UNASKED:
        fprintf(out, "%s%u threads, not bound\n", prefix, placed->threads);
        break;
    case MNP_BINDING_SYSTEM:
        fprintf(out, "%s%u threads, not bound: this executor leaves them to the system\n", prefix, placed->threads);
        break;
    }
}
