// SPDX-License-Identifier: BSD-3-Clause
// The nearest of a few centres for each point. Coordinates are small whole numbers, so that distances are exact. Those of
// one dimension lie together, so that neighbouring threads read neighbouring words.
#include "common/device.h"

extern "C" __global__ void kmeans(const float *points, const float *centres, u32 *nearest, u32 count, u32 dimensions,
                                  u32 clusters)
{
    u32 point = GLOBAL_X;
    if (point >= count)
        return;
    float best = 3e38f;
    u32 which = 0;
    for (u32 cluster = 0; cluster < clusters; cluster++) {
        float distance = 0;
        for (u32 d = 0; d < dimensions; d++) {
            float difference = points[d * count + point] - centres[cluster * dimensions + d];
            distance += difference * difference;
        }
        if (distance < best) {
            best = distance;
            which = cluster;
        }
    }
    nearest[point] = which;
}
