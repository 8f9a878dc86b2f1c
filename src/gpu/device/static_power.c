/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/device/static_power.h"

/* A level that is the last one again is left out. */
static void add_level(struct mnp_array *levels, mnp_time from, uint64_t amount)
{
    const struct mnp_pace_level *known = levels->items;
    if (levels->count && known[levels->count - 1].amount == amount)
        return;
    struct mnp_pace_level *level = mnp_array_add(levels, 1, sizeof *level);
    *level = (struct mnp_pace_level){from, amount};
}

static void begin(struct gpu_static_power *power, mnp_time now)
{
    const struct gpu_parameters *p = power->p;
    struct gpu_energy_pace pace = gpu_energy_pace_at(&p->energy, power->core_hertz, p->sm.count, power->millidegrees);
    add_level(&power->sm, now, pace.sm);
    add_level(&power->l2, now, pace.l2);
    add_level(&power->temperature, now, power->millidegrees);
    power->milliwatts = pace.sm + pace.l2 + pace.dram + pace.board;
}

void gpu_static_power_init(struct gpu_static_power *power, const struct gpu_parameters *p)
{
    *power = (struct gpu_static_power){
        .p = p, .core_hertz = p->machine.clock_core, .millidegrees = 1000 * p->energy.temperature};
    begin(power, 0);
}

void gpu_static_power_release(struct gpu_static_power *power)
{
    mnp_array_release(&power->sm);
    mnp_array_release(&power->l2);
    mnp_array_release(&power->temperature);
}

void gpu_static_power_turn(struct gpu_static_power *power, mnp_time now, uint64_t core_hertz)
{
    power->core_hertz = core_hertz;
    begin(power, now);
}

void gpu_static_power_warm(struct gpu_static_power *power, mnp_time now, uint64_t millidegrees)
{
    power->millidegrees = millidegrees;
    begin(power, now);
}
