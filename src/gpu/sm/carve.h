/* SPDX-License-Identifier: BSD-3-Clause */
/* What CTAs occupy of an SM, and how its pool of L1 and shared memory is divided. */
#ifndef GPU_SM_CARVE_H
#define GPU_SM_CARVE_H

#include "gpu/sm/parameters.h"

struct sm_demand { /* what a CTA occupies of an SM */
    uint64_t warps, registers, shared;
    uint64_t unusable; /* registers of an SM that warps of this kernel cannot get */
};

struct sm_demand sm_demand_of(const struct sm_parameters *parameters, const struct mnp_kernel *kernel);

/* CTAs of this demand that an SM can hold; 0: none. */
uint64_t sm_occupancy(const struct sm_parameters *parameters, const struct sm_demand *demand);

/* Bytes of the pool that are shared memory while the kernel has the SM; the rest is L1. */
uint64_t sm_carve(const struct sm_parameters *parameters, const struct mnp_kernel *kernel);

bool sm_carve_check(const struct sm_parameters *parameters, struct mnp_error *error);

#endif
