/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Resources that a CTA takes of an SM, by the rules of the CUDA occupancy calculator; and the carve-out: L1 and shared
 * memory have a common storage. Shared memory gets the smallest of a few sizes that holds what the kernel's CTAs can
 * want, the L1 the rest (CUDA C++ programming guide, compute capability 7.x and later, shared memory).
 */
#include "gpu/sm/occupancy.h"

#include "base/range.h"

struct sm_demand sm_demand_of(const struct sm_parameters *p, const struct mnp_kernel *kernel)
{
    struct sm_demand demand = {.warps = (kernel->threads + MNP_WARP_SIZE - 1) / MNP_WARP_SIZE};
    uint64_t of_warp = mnp_round_up((uint64_t)kernel->registers * MNP_WARP_SIZE, p->register_unit);
    demand.registers = demand.warps * of_warp;
    /* Each sub-core has its part of the registers, so that warps fit in multiples of the sub-cores. */
    if (of_warp && of_warp * p->subcores <= p->registers)
        demand.unusable = p->registers - p->registers / (of_warp * p->subcores) * (of_warp * p->subcores);
    if (kernel->shared_bytes)
        demand.shared = mnp_round_up(kernel->shared_bytes + p->shared_reserved, p->shared_unit);
    return demand;
}

uint64_t sm_occupancy(const struct sm_parameters *p, const struct sm_demand *demand)
{
    uint64_t ctas = p->ctas;
    if (demand->warps && p->warps / demand->warps < ctas)
        ctas = p->warps / demand->warps;
    if (demand->registers && (p->registers - demand->unusable) / demand->registers < ctas)
        ctas = (p->registers - demand->unusable) / demand->registers;
    if (demand->shared && p->shared_max / demand->shared < ctas)
        ctas = p->shared_max / demand->shared;
    return ctas;
}

uint64_t sm_carveout(const struct sm_parameters *p, const struct mnp_kernel *kernel)
{
    struct sm_demand demand = sm_demand_of(p, kernel);
    uint64_t wanted = demand.shared * sm_occupancy(p, &demand), best = p->shared_max;
    for (uint64_t i = 0; i < p->shared_options.count; i++) {
        uint64_t option = p->shared_options.value[i];
        if (option >= wanted && option < best)
            best = option;
    }
    return best;
}

bool sm_carveout_check(const struct sm_parameters *p, struct mnp_error *error)
{
    if (p->shared_options.count == 0)
        return true;
    uint64_t way = p->l1d.size / p->l1d.ways;
    if (p->shared_max + way > p->l1d.size)
        return mnp_fail(error,
                        "sm.shared.max of %lu bytes leaves less than one way of %lu bytes of the pool of %lu bytes "
                        "(sm.l1d.size) for the L1; lower it, or give no sm.shared.options",
                        (unsigned long)p->shared_max, (unsigned long)way, (unsigned long)p->l1d.size);
    return true;
}
