/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels, copies and samples of a run as Perfetto's packets for GPUs, beside its tracks. */
#ifndef MNP_RESULTS_GPU_PACKETS_H
#define MNP_RESULTS_GPU_PACKETS_H

#include "base/error.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Writes the packets of GPU number `gpu`: a render stage for each kernel, copy and fill, on its stream's queue, and
 * a counter for each statistic that was sampled. `cycles`: a core cycle is written as a nanosecond. */
bool results_write_gpu_packets(sqlite3 *database, uint32_t gpu, bool cycles, FILE *out, struct mnp_error *error);

#endif
