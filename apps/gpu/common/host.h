/* SPDX-License-Identifier: BSD-3-Clause */
/* Computations of the host that several workloads compare with. */
#ifndef APP_HOST_H
#define APP_HOST_H

#include "common/app.h"

/* c = alpha · a · b + beta · c, row by row, summed up in double precision: a is m × k, b is k × n. */
void host_gemm(struct app_run *run, const float *a, const float *b, float *c, uint32_t m, uint32_t n, uint32_t k,
               float alpha, float beta);

/* A directed graph in compressed rows: the edges of node i are first[i] to first[i + 1]. */
struct host_graph {
    uint32_t nodes, edges;
    uint32_t *first, *to, *weight; /* weights from 1 to 100 */
};

/* Random, with about `degree` edges from each node; node 0 reaches all others by way of a random tree. */
struct host_graph host_graph(struct app_run *run, uint32_t nodes, uint32_t degree);

#endif
