/* SPDX-License-Identifier: BSD-3-Clause */
/* Resources that CTAs take of an SM, and the carve-out: how L1 and shared memory divide their common storage. */
#ifndef GPU_SM_OCCUPANCY_H
#define GPU_SM_OCCUPANCY_H

#include "gpu/sm/parameters.h"

struct sm_demand { /* resources of an SM that a CTA occupies */
    uint64_t warps, registers, shared;
    uint64_t unusable; /* registers of an SM that warps of this kernel cannot get */
};

struct sm_demand sm_demand_of(const struct sm_parameters *parameters, const struct mnp_kernel *kernel);

/* CTAs of this demand that an SM can hold; 0: none. */
uint64_t sm_occupancy(const struct sm_parameters *parameters, const struct sm_demand *demand);

/* Bytes of the pool that are shared memory while the kernel has the SM; the rest is L1. */
uint64_t sm_carveout(const struct sm_parameters *parameters, const struct mnp_kernel *kernel);

bool sm_carveout_check(const struct sm_parameters *parameters, struct mnp_error *error);

#endif
