/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts that a governor and a changing temperature share: both follow the power of a device while it runs. */
#ifndef GPU_CHANGING_H
#define GPU_CHANGING_H

#include "contract/session.h"

/* The option of a session that is not supported beside it; NULL: none. */
const char *gpu_changing_hindrance(const struct mnp_session *session);

/* Energy of the device since the run began, in femtojoules. */
uint64_t gpu_changing_energy(const struct mnp_session *session);

#endif
