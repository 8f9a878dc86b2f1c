// SPDX-License-Identifier: BSD-3-Clause
// One round of Bellman and Ford's algorithm: nodes whose distance has changed offer shorter ways to their neighbours.
#include "common/device.h"

extern "C" __global__ void sssp(const u32 *first, const u32 *to, const u32 *weight, u32 *distances, u32 *active,
                                u32 *next, u32 *changed, u32 nodes)
{
    u32 node = GLOBAL_X;
    if (node >= nodes || !active[node])
        return;
    active[node] = 0;
    u32 distance = ((volatile u32 *)distances)[node];
    for (u32 edge = first[node]; edge < first[node + 1]; edge++) {
        u32 neighbour = to[edge], offer = distance + weight[edge];
        if (atomicMin(&distances[neighbour], offer) > offer) {
            next[neighbour] = 1;
            *changed = 1;
        }
    }
}
