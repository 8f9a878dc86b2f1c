/* SPDX-License-Identifier: BSD-3-Clause */
/* Energies and static power at other clocks and temperatures than those that they are stated for. Whole numbers. */
#include "gpu/energy/energy.h"

static const uint64_t mega = 1000000;

uint64_t gpu_energy_voltage(const struct gpu_energy_parameters *p, uint64_t hertz)
{
    const uint64_t *clock = p->clocks.value, *voltage = p->voltages.value;
    uint64_t last = p->clocks.count;
    if (!last--)
        return 0;
    if (hertz <= clock[0] * mega)
        return voltage[0];
    for (uint64_t i = 0; i < last; i++) {
        uint64_t from = clock[i] * mega, to = clock[i + 1] * mega;
        if (hertz <= to) /* on the line; voltages may fall, so the two products are added */
            return (voltage[i] * (to - hertz) + voltage[i + 1] * (hertz - from) + (to - from) / 2) / (to - from);
    }
    return voltage[last];
}

bool gpu_energy_changes(const struct gpu_energy_parameters *p)
{
    return p->governor && p->clocks.count;
}

uint64_t gpu_energy_at_clock(const struct gpu_energy_parameters *p, uint64_t hertz, uint64_t stated)
{
    uint64_t at = gpu_energy_voltage(p, hertz), of = gpu_energy_voltage(p, p->clock);
    if (at == of)
        at = of = 1;
    unsigned __int128 number = (unsigned __int128)stated * p->scale * at * at,
                      divisor = (unsigned __int128)1000 * of * of;
    return (uint64_t)((number + divisor / 2) / divisor);
}

/* Static power of the chip: it follows the voltage as energies do, and the temperature. */
static uint64_t leaks(const struct gpu_energy_parameters *p, uint64_t hertz, uint64_t millidegrees, uint64_t stated)
{
    enum { STATED_AT = 50000, ALL = 1000000 };
    int64_t share = ALL + ((int64_t)millidegrees - STATED_AT) * (int64_t)p->leakage_per_k;
    return gpu_energy_at_clock(p, hertz, stated * (uint64_t)(share > 0 ? share : 0) / ALL);
}

struct gpu_energy_pace gpu_energy_pace_of(const struct gpu_energy_parameters *p, uint64_t hertz, uint64_t sms)
{
    return gpu_energy_pace_at(p, hertz, sms, 1000 * p->temperature);
}

struct gpu_energy_pace gpu_energy_pace_at(const struct gpu_energy_parameters *p, uint64_t hertz, uint64_t sms,
                                          uint64_t millidegrees)
{
    return (struct gpu_energy_pace){.sm = leaks(p, hertz, millidegrees, p->static_sm * sms),
                                    .l2 = leaks(p, hertz, millidegrees, p->static_l2),
                                    .dram = p->static_dram,
                                    .board = p->static_board};
}
