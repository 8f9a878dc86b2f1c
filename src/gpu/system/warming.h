/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A device whose temperature follows its power (thermal.model): its energy is read at the end of each interval, and the
 * temperature that follows (gpu/energy/thermal.h) holds for its static power from then on.
 */
#ifndef GPU_WARMING_H
#define GPU_WARMING_H

#include "contract/session.h"
#include "gpu/device/static_power.h"
#include "gpu/energy/thermal.h"

struct gpu_warming {
    struct gpu_thermal thermal;
    struct gpu_static_power *power;
    uint64_t interval; /* ns; 0: the temperature does not change */
    uint64_t energy;   /* fJ up to the last reading */
    mnp_time due;      /* time of the next reading */
};

/* Whether a session's temperature can change. Fails with the option, or the key of the machine, that rules it out. */
bool gpu_warming_check(const struct mnp_session *session, const struct gpu_parameters *p, struct mnp_error *error);

/* Begins at energy.temperature. `power` stays valid. */
void gpu_warming_init(struct gpu_warming *warming, const struct gpu_parameters *p, struct gpu_static_power *power);

/* Reads the energy and takes the new temperature, at the time that is due. */
void gpu_warming_tick(struct gpu_warming *warming, const struct mnp_session *session, mnp_time now);

#endif
