/* SPDX-License-Identifier: BSD-3-Clause */
/* GPUs as a kind of machine: one is built from its settings, and runs the kernels of a source. */
#ifndef GPU_KIND_H
#define GPU_KIND_H

#include "contract/session.h"

extern const struct mnp_machine_kind gpu_kind;

struct gpu_system;

/* The system of a session of this kind. */
struct gpu_system *gpu_system_of(const struct mnp_session *session);

/* Temperature of a session's first device at the present, in thousandths of a degree Celsius: energy.temperature,
 * unless it follows the power (thermal.model). */
uint64_t gpu_temperature_of(const struct mnp_session *session);

#endif
