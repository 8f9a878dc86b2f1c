/* SPDX-License-Identifier: BSD-3-Clause */
#include "mathlib/sparse/scan.h"
#include "mathlib/common/kernels.h"

#include <stdint.h>

long long sparse_scan(struct mathlib_kernels *kernels, long long *list, long long count)
{
    struct sparse_scan_list arguments = {list, count};
    struct mathlib_grid grid = {.x = 1, .threads = 256};
    long long sum = -1;
    bool good = mathlib_launch(kernels, "sparse_scan", "maniple_sp_scan", grid, &arguments) &&
                mathlib_result(kernels, &sum, (CUdeviceptr)(uintptr_t)(list + count), sizeof sum);
    return good ? sum : -1;
}
