/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A device under a power limit (power.governor): its energy is read at stated times, and its clocks follow the
 * governor (gpu/energy/governor.h) after power.delay. All units obey a new clock from their first edge at or behind one
 * time.
 */
#ifndef GPU_GOVERNING_H
#define GPU_GOVERNING_H

#include "contract/session.h"
#include "gpu/device/clocks.h"
#include "gpu/device/voltages.h"
#include "gpu/energy/governor.h"

struct gpu_governing {
    struct gpu_governor governor;
    struct gpu_clocks clocks;
    struct gpu_voltages voltages; /* with a voltage curve */
    const struct gpu_static_power *power;
    bool warms; /* whether static power changes without the governor, too */
    mnp_time interval, delay, due;
    uint64_t level, next; /* present level, and the one that has been chosen */
    mnp_time since;       /* begin of the interval */
    uint64_t energy;      /* fJ up to then */
};

/* Whether a session can be governed. Fails with the option, or the key of the machine, that rules it out. */
bool gpu_governing_check(const struct mnp_session *session, const struct gpu_parameters *p, struct mnp_error *error);

/* Begins to govern a device that has been built. `power` stays valid. Free with gpu_governing_release. */
void gpu_governing_init(struct gpu_governing *governing, struct mnp_session *session, struct gpu_device *device,
                        struct gpu_static_power *power);
void gpu_governing_release(struct gpu_governing *governing);

/* Reads the energy, or changes the clocks, at the time that is due. */
void gpu_governing_tick(struct gpu_governing *governing, struct mnp_session *session, mnp_time now);

#endif
