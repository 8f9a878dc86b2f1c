/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rows of all listeners (list.h). To expand some of them, define their macros and include this file, which
 * undefines them again. A listener has
 *
 *   GPU_LISTENER(LISTENER)                 const struct gpu_listener LISTENER: the functions that hear its events
 *
 * and, where it needs them, rows of its tables:
 *
 *   SM_STAGE_PARAMETER(FIELD, ROW)         a uint64_t in struct sm_parameters, and its row
 *   SM_STAGE_STATISTIC(NUMBER, ROW)        a number in enum sm_statistic, and its row; no histogram
 *   GPU_PARTITION_STATISTIC(NUMBER, ROW)   a number in enum gpu_partition_statistic, and its row; no histogram
 */
/* clang-format off */
#ifndef GPU_LISTENER
#define GPU_LISTENER(LISTENER)
#endif
#ifndef SM_STAGE_PARAMETER
#define SM_STAGE_PARAMETER(FIELD, ROW)
#endif
#ifndef SM_STAGE_STATISTIC
#define SM_STAGE_STATISTIC(NUMBER, ROW)
#endif
#ifndef GPU_PARTITION_STATISTIC
#define GPU_PARTITION_STATISTIC(NUMBER, ROW)
#endif
#include "gpu/listeners/list.h"
#undef GPU_LISTENER
#undef SM_STAGE_PARAMETER
#undef SM_STAGE_STATISTIC
#undef GPU_PARTITION_STATISTIC
/* clang-format on */
