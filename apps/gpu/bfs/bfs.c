/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"
#include "common/host.h"

#include <string.h>

enum { NODES, DEGREE };

/* With a queue, as in textbooks. */
static void search(struct app_run *run, const struct host_graph *graph, uint32_t *levels)
{
    uint32_t *queue = app_host(run, graph->nodes, 4), tail = 0, head = 0;
    memset(levels, 0xff, 4 * (size_t)graph->nodes);
    levels[0] = 0;
    queue[tail++] = 0;
    while (head < tail) {
        uint32_t node = queue[head++];
        for (uint32_t edge = graph->first[node]; edge < graph->first[node + 1]; edge++)
            if (levels[graph->to[edge]] == UINT32_MAX) {
                levels[graph->to[edge]] = levels[node] + 1;
                queue[tail++] = graph->to[edge];
            }
    }
}

static void bfs_run(struct app_run *run)
{
    struct host_graph graph = host_graph(run, run->sizes[NODES], run->sizes[DEGREE]);
    size_t bytes = 4 * (size_t)graph.nodes;
    uint32_t *levels = app_host(run, graph.nodes, 4), *expected = app_host(run, graph.nodes, 4), changed = 1;
    search(run, &graph, expected);
    memset(levels, 0xff, bytes);
    levels[0] = 0;
    CUdeviceptr first = app_copy(run, graph.first, bytes + 4), to = app_copy(run, graph.to, 4 * (size_t)graph.edges);
    CUdeviceptr found = app_copy(run, levels, bytes), flag = app_device(run, 4);
    for (uint32_t level = 0; changed; level++) {
        changed = 0;
        app_write(run, flag, &changed, 4);
        app_launch(run, "bfs", app_shape(graph.nodes, 128), &first, &to, &found, &flag, &level, &graph.nodes);
        changed = *(uint32_t *)app_read(run, flag, 4);
    }
    app_check_words(run, "levels", app_read(run, found, bytes), expected, graph.nodes);
}

const struct app app_bfs = {
    .name = "bfs",
    .suite = "Rodinia",
    .summary = "breadth-first search of a random graph, level by level",
    .stresses =
        "Lanes with different numbers of edges, and loads from everywhere: divergence, uncoalesced accesses, and "
        "little use of what a cache line holds beside the word that was asked for. The host looks at a flag "
        "after each level.",
    .tolerance = "exact",
    .sizes = {{"nodes", 4096, 2, 1 << 24, 0, "nodes", NULL},
              {"degree", 6, 1, 64, 0, "edges of a node, on average", NULL}},
    .run = bfs_run};
