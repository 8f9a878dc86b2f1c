/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/energy/governor.h"

#include "base/range.h"

static uint64_t static_power(const struct gpu_energy_pace *pace)
{
    return pace->sm + pace->l2 + pace->dram + pace->board;
}

void gpu_governor_init(struct gpu_governor *governor, const struct gpu_energy_parameters *p, uint64_t core_hertz,
                       const struct gpu_energy_pace *pace)
{
    *governor = (struct gpu_governor){.top = core_hertz,
                                      .lowest = mnp_min(p->lowest, core_hertz),
                                      .step = p->step,
                                      .limit = 1000 * p->limit,
                                      .rest = static_power(pace)};
}

bool gpu_governor_check(const struct gpu_energy_parameters *p, const struct gpu_energy_pace *pace,
                        const struct mnp_settings *settings, struct mnp_error *error)
{
    static const char key[] = "power.governor";
    if (!p->model)
        return mnp_settings_fail(settings, key, error, "a governor needs energies; add --energy, or leave it out");
    if (!p->limit)
        return mnp_settings_fail(settings, key, error,
                                 "the machine states no power.limit; add --set power.limit=WATTS");
    for (uint64_t i = 1; i < p->voltages.count; i++)
        if (p->voltages.value[i] < p->voltages.value[i - 1])
            return mnp_settings_fail(settings, "energy.curve.voltages", error,
                                     "%lu mV lies below %lu mV at a lower clock, which is not modelled where clocks "
                                     "change (power.governor); state voltages that do not fall, or use maniple power",
                                     (unsigned long)p->voltages.value[i], (unsigned long)p->voltages.value[i - 1]);
    if (static_power(pace) >= 1000 * p->limit)
        return mnp_settings_fail(settings, key, error,
                                 "static power alone is %lu mW, above power.limit; state a greater limit",
                                 (unsigned long)static_power(pace));
    return true;
}

/* Levels down to the lowest clock. */
static uint64_t last_level(const struct gpu_governor *governor)
{
    return mnp_divide_up(governor->top - governor->lowest, governor->step);
}

uint64_t gpu_governor_hertz(const struct gpu_governor *governor, uint64_t level)
{
    return level < last_level(governor) ? governor->top - level * governor->step : governor->lowest;
}

uint64_t gpu_governor_next(const struct gpu_governor *governor, uint64_t level, uint64_t milliwatts)
{
    uint64_t allowed = governor->limit > governor->rest ? governor->limit - governor->rest : 0, wanted = governor->top;
    uint64_t drawn = milliwatts > governor->rest ? milliwatts - governor->rest : 0;
    if (drawn) {
        unsigned __int128 keeps = (unsigned __int128)gpu_governor_hertz(governor, level) * allowed / drawn;
        wanted = keeps < governor->top ? (uint64_t)keeps : governor->top;
    }
    uint64_t target = mnp_min(mnp_divide_up(governor->top - wanted, governor->step), last_level(governor));
    return target < level ? level - 1 : target;
}
