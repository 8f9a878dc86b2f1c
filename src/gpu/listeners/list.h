/* SPDX-License-Identifier: BSD-3-Clause */
/* The listeners of a GPU (listener.h) and their rows (rows.h says which rows there are). */
/* clang-format off */
GPU_LISTENER(dispatch_timeline_listener)
GPU_LISTENER(sm_timeline_listener)
GPU_LISTENER(sm_profile_listener)
GPU_LISTENER(sm_steady_listener)
GPU_LISTENER(sm_parts_listener)
GPU_LISTENER(gpu_energy_listener)
/* clang-format on */
