/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/host.h"

#include <string.h>

void host_gemm(struct app_run *run, const float *a, const float *b, float *c, uint32_t m, uint32_t n, uint32_t k,
               float alpha, float beta)
{
    double *row = app_host(run, n, sizeof *row);
    for (size_t i = 0; i < m; i++) {
        memset(row, 0, n * sizeof *row);
        for (size_t l = 0; l < k; l++)
            for (size_t j = 0; j < n; j++)
                row[j] += (double)a[i * k + l] * b[l * n + j];
        for (size_t j = 0; j < n; j++)
            c[i * n + j] = (float)(alpha * row[j] + (double)beta * c[i * n + j]);
    }
}

struct host_graph host_graph(struct app_run *run, uint32_t nodes, uint32_t degree)
{
    struct host_graph graph = {.nodes = nodes};
    uint32_t *from, *end, most = nodes * degree;
    if ((uint64_t)nodes * degree > UINT32_C(1) << 26)
        app_stop(run, 2, "--nodes %u --degree %u: the graph has more than 2^26 edges", nodes, degree);
    from = app_host(run, most + nodes, sizeof *from);
    end = app_host(run, most + nodes, sizeof *end);
    graph.first = app_host(run, nodes + 1, sizeof *graph.first);
    for (uint32_t node = 1; node < nodes; node++) { /* a tree whose depth grows with the logarithm */
        from[graph.edges] = app_below(run, node);
        end[graph.edges++] = node;
    }
    while (graph.edges < most) {
        from[graph.edges] = app_below(run, nodes);
        end[graph.edges++] = app_below(run, nodes);
    }
    graph.to = app_host(run, graph.edges, sizeof *graph.to);
    graph.weight = app_host(run, graph.edges, sizeof *graph.weight);
    for (uint32_t e = 0; e < graph.edges; e++)
        graph.first[from[e] + 1]++;
    for (uint32_t node = 0; node < nodes; node++)
        graph.first[node + 1] += graph.first[node];
    uint32_t *next = app_host(run, nodes, sizeof *next);
    for (uint32_t e = 0; e < graph.edges; e++) {
        uint32_t place = graph.first[from[e]] + next[from[e]]++;
        graph.to[place] = end[e];
        graph.weight[place] = 1 + app_below(run, 100);
    }
    return graph;
}
