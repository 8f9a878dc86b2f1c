/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/lanes.h"

uint32_t ptx_lanes_all(const struct ptx_lane_table *tables[static 4])
{
    uint32_t count = 0;
    tables[count++] = &ptx_lanes_base;
#ifdef PTX_LANE_LEVELS
    __builtin_cpu_init();
    int v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    if (v3)
        tables[count++] = &ptx_lanes_v3;
    if (v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
        tables[count++] = &ptx_lanes_v4;
#endif
    return count;
}

const struct ptx_lane_table *ptx_lanes_best(void)
{
    const struct ptx_lane_table *tables[4];
    return tables[ptx_lanes_all(tables) - 1];
}
