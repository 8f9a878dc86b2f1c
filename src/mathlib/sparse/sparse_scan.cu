// SPDX-License-Identifier: BSD-3-Clause
// Numbers of things to where each begins.
#include "maniple/device.h"
#include "mathlib/sparse/scan.h"

// One CTA takes 256 at a time; the sum stands behind the last.
extern "C" __global__ void __launch_bounds__(256) maniple_sp_scan(const __grid_constant__ sparse_scan_list p)
{
    __shared__ long long sums[256];
    long long before = 0;
    int me = (int)threadIdx.x;
    for (long long first = 0; first < p.count; first += 256) {
        long long own = first + me < p.count ? p.list[first + me] : 0;
        sums[me] = own;
        for (int distance = 1; distance < 256; distance *= 2) {
            __syncthreads();
            long long more = me >= distance ? sums[me - distance] : 0;
            __syncthreads();
            sums[me] += more;
        }
        __syncthreads();
        if (first + me < p.count)
            p.list[first + me] = before + sums[me] - own;
        before += sums[255];
        __syncthreads();
    }
    if (me == 0)
        p.list[p.count] = before;
}
