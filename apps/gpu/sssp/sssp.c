/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"
#include "common/host.h"

#include <string.h>

enum { NODES, DEGREE };

/* Dijkstra's algorithm with buckets for distances, which are at most 100 apart. */
static void search(struct app_run *run, const struct host_graph *graph, uint32_t *distances)
{
    enum { RING = 101 };
    uint32_t ring[RING], *next = app_host(run, graph->edges + 1, 4), *settled = app_host(run, graph->nodes, 4);
    uint32_t used = 1, idle = 0; /* entries are chained by `next`; 0 ends a chain */
    memset(distances, 0xff, 4 * (size_t)graph->nodes);
    memset(ring, 0, sizeof ring);
    struct {
        uint32_t node, distance;
    } *entries = app_host(run, graph->edges + 2, sizeof *entries);
    distances[0] = 0;
    entries[1].distance = entries[1].node = 0;
    ring[0] = used++;
    for (uint32_t now = 0; idle <= RING; now++) {
        idle++;
        for (uint32_t entry; (entry = ring[now % RING]); idle = 0) {
            ring[now % RING] = next[entry - 1];
            uint32_t node = entries[entry].node;
            if (entries[entry].distance != distances[node] || settled[node])
                continue;
            settled[node] = 1;
            for (uint32_t edge = graph->first[node]; edge < graph->first[node + 1]; edge++) {
                uint32_t distance = now + graph->weight[edge], end = graph->to[edge];
                if (distance >= distances[end])
                    continue;
                distances[end] = entries[used].distance = distance;
                entries[used].node = end;
                next[used - 1] = ring[distance % RING];
                ring[distance % RING] = used++;
            }
        }
    }
}

static void sssp_run(struct app_run *run)
{
    struct host_graph graph = host_graph(run, run->sizes[NODES], run->sizes[DEGREE]);
    size_t bytes = 4 * (size_t)graph.nodes, edge_bytes = 4 * (size_t)graph.edges;
    uint32_t *start = app_host(run, graph.nodes, 4), *expected = app_host(run, graph.nodes, 4), changed = 1;
    search(run, &graph, expected);
    CUdeviceptr first = app_copy(run, graph.first, bytes + 4), to = app_copy(run, graph.to, edge_bytes);
    CUdeviceptr weight = app_copy(run, graph.weight, edge_bytes), flag = app_device(run, 4);
    memset(start, 0xff, bytes);
    start[0] = 0;
    CUdeviceptr distances = app_copy(run, start, bytes);
    memset(start, 0, bytes);
    start[0] = 1;
    CUdeviceptr active = app_copy(run, start, bytes), next = app_device(run, bytes), swap;
    while (changed) {
        changed = 0;
        app_write(run, flag, &changed, 4);
        app_launch(run, "sssp", app_shape(graph.nodes, 128), &first, &to, &weight, &distances, &active, &next, &flag,
                   &graph.nodes);
        changed = *(uint32_t *)app_read(run, flag, 4);
        swap = active, active = next, next = swap;
    }
    app_check_words(run, "distances", app_read(run, distances, bytes), expected, graph.nodes);
}

const struct app app_sssp = {
    .name = "sssp",
    .suite = "Lonestar",
    .summary = "shortest ways from one node of a random graph to all others",
    .stresses =
        "As bfs, and each edge is an atomic minimum at L2 whose returned value decides what comes next: latency "
        "and rate of atomics on addresses in no order. How many rounds there are depends on how fast values "
        "spread within one.",
    .tolerance = "exact",
    .sizes = {{"nodes", 2048, 2, 1 << 22, 0, "nodes", NULL},
              {"degree", 4, 1, 64, 0, "edges of a node, on average", NULL}},
    .run = sssp_run};
