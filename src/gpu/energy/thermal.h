/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Temperature of a chip whose power changes: two stages in a row from the chip to the air, each with a resistance and a
 * time constant (a Foster network, the form in which thermal impedances are published). Power P warms a stage towards
 * P times its resistance, and its distance from there falls by e in each time constant. Whole numbers.
 */
#ifndef GPU_ENERGY_THERMAL_H
#define GPU_ENERGY_THERMAL_H

#include "gpu/energy/energy.h"

enum { GPU_THERMAL_STAGES = 2 };

struct gpu_thermal {
    uint64_t ambient;                        /* thousandths of a degree Celsius */
    uint64_t resistance[GPU_THERMAL_STAGES]; /* mK/W */
    uint64_t constant[GPU_THERMAL_STAGES];   /* ns */
    uint64_t above[GPU_THERMAL_STAGES];      /* nK: by how much each stage is warmer than the one behind it */
};

/* Checks that the temperature can change: the machine states resistances and time constants, begins above the air's
 * temperature, and is looked at ten times in a time constant at least. */
bool gpu_thermal_check(const struct gpu_energy_parameters *p, const struct mnp_settings *settings,
                       struct mnp_error *error);

/* Begins as a board that has had energy.temperature for long. Parameters have been checked. */
void gpu_thermal_init(struct gpu_thermal *thermal, const struct gpu_energy_parameters *p);

/* Warms the chip by the energy of an interval, at a constant power. */
void gpu_thermal_step(struct gpu_thermal *thermal, uint64_t nanoseconds, uint64_t femtojoules);

/* Thousandths of a degree Celsius. */
uint64_t gpu_thermal_now(const struct gpu_thermal *thermal);

#endif
