/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"
#include "common/host.h"

#include <stdlib.h>
#include <string.h>

enum { NODES, DEGREE };

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static uint32_t root_of(uint32_t *parent, uint32_t node)
{
    while (parent[node] != node)
        node = parent[node] = parent[parent[node]];
    return node;
}

/* Kruskal's algorithm. */
static void choose(struct app_run *run, const struct host_graph *graph, const uint32_t *from, const uint32_t *keys,
                   uint32_t *chosen)
{
    uint32_t *sorted = app_host(run, graph->edges, 4), *parent = app_host(run, graph->nodes, 4);
    memcpy(sorted, keys, 4 * (size_t)graph->edges);
    qsort(sorted, graph->edges, 4, by_value);
    for (uint32_t node = 0; node < graph->nodes; node++)
        parent[node] = node;
    for (uint32_t i = 0; i < graph->edges; i++) {
        uint32_t edge = sorted[i] & 0xffffff, a = root_of(parent, from[edge]), b = root_of(parent, graph->to[edge]);
        if (a != b) {
            parent[a] = b;
            chosen[edge] = 1;
        }
    }
}

static void mst_run(struct app_run *run)
{
    struct host_graph graph = host_graph(run, run->sizes[NODES], run->sizes[DEGREE]);
    uint32_t n = graph.nodes, m = graph.edges, changed = 1;
    size_t node_bytes = 4 * (size_t)n, edge_bytes = 4 * (size_t)m;
    uint32_t *source = app_host(run, m, 4), *keys = app_host(run, m, 4), *expected = app_host(run, m, 4);
    uint32_t *own = app_host(run, n, 4), *none = app_host(run, n, 4);
    memset(none, 0xff, node_bytes);
    for (uint32_t node = 0; node < n; node++) {
        own[node] = node;
        for (uint32_t edge = graph.first[node]; edge < graph.first[node + 1]; edge++) {
            source[edge] = node;
            keys[edge] = graph.weight[edge] << 24 | edge;
        }
    }
    choose(run, &graph, source, keys, expected);
    CUdeviceptr from = app_copy(run, source, edge_bytes), to = app_copy(run, graph.to, edge_bytes);
    CUdeviceptr key = app_copy(run, keys, edge_bytes), component = app_copy(run, own, node_bytes);
    CUdeviceptr parent = app_copy(run, own, node_bytes), best = app_copy(run, none, node_bytes);
    CUdeviceptr chosen = app_device(run, edge_bytes), flag = app_device(run, 4);
    while (changed) {
        changed = 0;
        app_write(run, flag, &changed, 4);
        app_launch(run, "mst_lightest", app_shape(m, 128), &from, &to, &key, &component, &best, &m);
        app_launch(run, "mst_hook", app_shape(n, 128), &from, &to, &component, &best, &parent, &chosen, &flag, &n);
        app_launch(run, "mst_jump", app_shape(n, 128), &parent, &component, &best, &n);
        changed = *(uint32_t *)app_read(run, flag, 4);
    }
    app_check_words(run, "edges of the tree", app_read(run, chosen, edge_bytes), expected, m);
}

const struct app app_mst = {
    .name = "mst",
    .suite = "Lonestar",
    .summary = "the minimum spanning tree of a random graph, by Boruvka's algorithm",
    .stresses = "Atomic minima that crowd at ever fewer addresses as components grow, chains of dependent loads of "
                "unknown length, and three kernels for each of a logarithmic number of rounds.",
    .tolerance = "exact",
    .sizes = {{"nodes", 2048, 2, 1 << 18, 0, "nodes", NULL},
              {"degree", 4, 1, 60, 0, "edges of a node, on average", NULL}},
    .run = mst_run};
