// SPDX-License-Identifier: BSD-3-Clause
// Numbers of things to where each begins.
#include "maniple/device.h"
#include "mathlib/sparse/lists.cuh"
#include "mathlib/sparse/scan.h"

extern "C" __global__ void __launch_bounds__(256) maniple_sp_scan(const __grid_constant__ sparse_scan_list p)
{
    offsets_of_sizes(p.list, p.count, 0LL);
}
