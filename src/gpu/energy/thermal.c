/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/energy/thermal.h"

enum { NK_PER_MK = 1000000, NS_PER_US = 1000, FINENESS = 10 };

static const struct gpu_energy_stage *stage_of(const struct gpu_energy_parameters *p, int stage)
{
    return stage ? &p->thermal.cooler : &p->thermal.chip;
}

/* Whether a stage can be followed at the interval. */
static bool check_stage(const struct gpu_energy_parameters *p, const struct gpu_energy_stage *stage, const char *key,
                        const struct mnp_settings *settings, struct mnp_error *error)
{
    if (!stage->resistance || stage->constant * NS_PER_US >= FINENESS * p->thermal.interval)
        return true;
    return mnp_settings_fail(settings, key, error,
                             "%lu us are less than ten times thermal.interval (%lu ns); state a shorter interval, or "
                             "the time constant",
                             (unsigned long)stage->constant, (unsigned long)p->thermal.interval);
}

bool gpu_thermal_check(const struct gpu_energy_parameters *p, const struct mnp_settings *settings,
                       struct mnp_error *error)
{
    static const char key[] = "thermal.model";
    if (!p->model)
        return mnp_settings_fail(settings, key, error,
                                 "a temperature that follows the power needs energies; add --energy, or leave it out");
    if (!p->thermal.chip.resistance && !p->thermal.cooler.resistance)
        return mnp_settings_fail(settings, key, error,
                                 "the machine states no thermal.chip.resistance and no thermal.cooler.resistance; "
                                 "state yours, or leave energy.temperature constant");
    if (p->temperature < p->thermal.ambient)
        return mnp_settings_fail(settings, "energy.temperature", error,
                                 "%lu degrees are below thermal.ambient (%lu); a run begins at energy.temperature, so "
                                 "state a higher one",
                                 (unsigned long)p->temperature, (unsigned long)p->thermal.ambient);
    return check_stage(p, &p->thermal.chip, "thermal.chip.constant", settings, error) &&
           check_stage(p, &p->thermal.cooler, "thermal.cooler.constant", settings, error);
}

void gpu_thermal_init(struct gpu_thermal *thermal, const struct gpu_energy_parameters *p)
{
    uint64_t all = p->thermal.chip.resistance + p->thermal.cooler.resistance;
    uint64_t above = (p->temperature - p->thermal.ambient) * 1000 * NK_PER_MK;
    *thermal = (struct gpu_thermal){.ambient = 1000 * p->thermal.ambient};
    for (int i = 0; i < GPU_THERMAL_STAGES; i++) {
        thermal->resistance[i] = stage_of(p, i)->resistance;
        thermal->constant[i] = stage_of(p, i)->constant * NS_PER_US;
        thermal->above[i] = (uint64_t)((unsigned __int128)above * thermal->resistance[i] / all);
    }
    thermal->above[GPU_THERMAL_STAGES - 1] = above - thermal->above[0]; /* together, exactly what is stated */
}

/* The mean of the rates at begin and end, which is the exponential up to the third power of the interval by the time
 * constant. Femtojoules times mK/W by nanoseconds are nK. */
static uint64_t warm(uint64_t above, uint64_t resistance, uint64_t constant, uint64_t nanoseconds, uint64_t femtojoules)
{
    unsigned __int128 divisor = 2 * (unsigned __int128)constant + nanoseconds;
    unsigned __int128 kept = above * (2 * (unsigned __int128)constant - nanoseconds);
    unsigned __int128 gained = 2 * (unsigned __int128)femtojoules * resistance;
    return (uint64_t)((kept + gained + divisor / 2) / divisor);
}

void gpu_thermal_step(struct gpu_thermal *thermal, uint64_t nanoseconds, uint64_t femtojoules)
{
    for (int i = 0; i < GPU_THERMAL_STAGES; i++)
        if (thermal->resistance[i])
            thermal->above[i] =
                warm(thermal->above[i], thermal->resistance[i], thermal->constant[i], nanoseconds, femtojoules);
}

uint64_t gpu_thermal_now(const struct gpu_thermal *thermal)
{
    return thermal->ambient + (thermal->above[0] + thermal->above[1] + NK_PER_MK / 2) / NK_PER_MK;
}
