/* SPDX-License-Identifier: BSD-3-Clause */
/* The listeners of a GPU (listener.h) and their rows (rows.h says which rows there are). */
/* clang-format off */
GPU_LISTENER(dispatch_timeline_listener)
GPU_LISTENER(sm_timeline_listener)
GPU_LISTENER(sm_profile_listener)
GPU_LISTENER(sm_steady_listener)
GPU_LISTENER(sm_parts_listener)
GPU_LISTENER(gpu_energy_listener)
GPU_LISTENER(sm_distinct_listener)
SM_STAGE_PARAMETER(
    distinct, MNP_QUIET_NUMBER_ROW("sm.distinct", "entry", distinct, "0", 0, 16384,
                                   "counts different lines and sectors of global and local memory that instructions "
                                   "access, per SM and kernel: sets that are exact up to so many entries, and samples "
                                   "of that size beyond; asynchronous copies do not count; 0: no sets",
                                   "Huerta & González, arXiv 2502.14691, section 3"))
/* clang-format on */
