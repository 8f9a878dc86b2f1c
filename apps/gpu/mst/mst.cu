// SPDX-License-Identifier: BSD-3-Clause
// Boruvka's algorithm. Edges have keys that are all different (weight, then number), so that there is one answer: each
// component takes its lightest edge to another one, and components that are joined so become one.
#include "common/device.h"

enum { NUMBER = 0xffffff };

extern "C" __global__ void mst_lightest(const u32 *from, const u32 *to, const u32 *keys, const u32 *component, u32 *best,
                                        u32 edges)
{
    u32 edge = GLOBAL_X;
    if (edge >= edges)
        return;
    u32 a = component[from[edge]], b = component[to[edge]];
    if (a == b)
        return;
    atomicMin(&best[a], keys[edge]);
    atomicMin(&best[b], keys[edge]);
}

// Of two components that chose the same edge, the one of lower number stays.
extern "C" __global__ void mst_hook(const u32 *from, const u32 *to, const u32 *component, const u32 *best, u32 *parent,
                                    u32 *chosen, u32 *changed, u32 nodes)
{
    u32 node = GLOBAL_X;
    if (node >= nodes || component[node] != node)
        return;
    u32 key = best[node];
    parent[node] = node;
    if (key == 0xffffffff)
        return;
    u32 edge = key & NUMBER, a = component[from[edge]], other = a == node ? component[to[edge]] : a;
    chosen[edge] = 1;
    *changed = 1;
    if (best[other] != key || node > other)
        parent[node] = other;
}

extern "C" __global__ void mst_jump(const u32 *parent, u32 *component, u32 *best, u32 nodes)
{
    u32 node = GLOBAL_X;
    if (node >= nodes)
        return;
    u32 root = component[node];
    while (parent[root] != root)
        root = parent[root];
    component[node] = root;
    best[node] = 0xffffffff;
}
