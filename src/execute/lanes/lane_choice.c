/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/lanes/lanes.h"
#include "execute/lanes/products.h"

uint32_t execute_lanes_all(const struct execute_lane_table *tables[static 4])
{
    uint32_t count = 0;
    tables[count++] = &execute_lanes_base;
#ifdef EXECUTE_LANE_LEVELS
    __builtin_cpu_init();
    int v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    if (v3)
        tables[count++] = &execute_lanes_v3;
    if (v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
        tables[count++] = &execute_lanes_v4;
#endif
    return count;
}

const struct execute_lane_table *execute_lanes_best(void)
{
    const struct execute_lane_table *tables[4];
    return tables[execute_lanes_all(tables) - 1];
}

const struct execute_product_table *execute_products_best(void)
{
#ifdef EXECUTE_LANE_LEVELS
    const struct execute_lane_table *best = execute_lanes_best();
    return best == &execute_lanes_v4   ? &execute_products_v4
           : best == &execute_lanes_v3 ? &execute_products_v3
                                       : &execute_products_base;
#else
    return &execute_products_base;
#endif
}
