/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/system/warming.h"

#include "base/error.h"
#include "gpu/system/changing.h"

enum { FS_PER_NS = 1000000 };

bool gpu_warming_check(const struct mnp_session *session, const struct gpu_parameters *p, struct mnp_error *error)
{
    const char *what = gpu_changing_hindrance(session);
    if (what)
        return mnp_settings_fail(session->settings, "thermal.model", error,
                                 "%s: is not supported where the temperature changes; leave one of them out", what);
    return gpu_thermal_check(&p->energy, session->settings, error);
}

void gpu_warming_init(struct gpu_warming *warming, const struct gpu_parameters *p, struct gpu_static_power *power)
{
    *warming = (struct gpu_warming){.power = power, .interval = p->energy.thermal.interval};
    warming->due = warming->interval * FS_PER_NS;
    gpu_thermal_init(&warming->thermal, &p->energy);
}

void gpu_warming_tick(struct gpu_warming *warming, const struct mnp_session *session, mnp_time now)
{
    uint64_t energy = gpu_changing_energy(session);
    gpu_thermal_step(&warming->thermal, warming->interval, energy - warming->energy);
    gpu_static_power_warm(warming->power, now, gpu_thermal_now(&warming->thermal));
    warming->energy = energy;
    warming->due = now + warming->interval * FS_PER_NS;
}
