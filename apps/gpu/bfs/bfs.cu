// SPDX-License-Identifier: BSD-3-Clause
// One level of a breadth-first search: nodes of the level reach their neighbours. Several may reach the same one; all of
// them write the same value there.
#include "common/device.h"

extern "C" __global__ void bfs(const u32 *first, const u32 *to, u32 *levels, u32 *changed, u32 level, u32 nodes)
{
    u32 node = GLOBAL_X;
    if (node >= nodes || levels[node] != level)
        return;
    for (u32 edge = first[node]; edge < first[node + 1]; edge++) {
        u32 neighbour = to[edge];
        if (levels[neighbour] == 0xffffffff) {
            levels[neighbour] = level + 1;
            *changed = 1;
        }
    }
}
