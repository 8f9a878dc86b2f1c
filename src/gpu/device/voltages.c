/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/device/voltages.h"

#include "base/zeros.h"
#include "engine/spread/ranks.h"

#include <stdlib.h>
#include <string.h>

static uint64_t units_of(const struct gpu_device *device, uint32_t place)
{
    const struct gpu_parameters *p = device->parameters;
    return place == GPU_ENERGY_OF_SM ? p->sm.count : place == GPU_ENERGY_OF_GPC ? p->gpc.count : p->partition.count;
}

static struct mnp_unit *unit_of(const struct gpu_device *device, uint32_t place, uint64_t index)
{
    return place == GPU_ENERGY_OF_SM    ? sm_unit(device->sms[index])
           : place == GPU_ENERGY_OF_GPC ? gpu_gpc_unit(device->gpcs[index])
                                        : gpu_partition_unit(device->partitions[index]);
}

void gpu_voltages_init(struct gpu_voltages *voltages, const struct mnp_settings *settings,
                       const struct gpu_device *device, struct gpu_static_power *power)
{
    *voltages = (struct gpu_voltages){.device = device, .power = power};
    for (uint32_t place = 0; place < GPU_VOLTAGE_PLACES; place++) {
        uint64_t count = voltages->units[place] = units_of(device, place);
        gpu_voltage_init(&voltages->of[place], settings, &device->parameters->energy, unit_of(device, place, 0)->model,
                         place);
        voltages->seen[place] = mnp_allocate(count, sizeof *voltages->seen[place]);
        for (uint64_t i = 0; i < count; i++)
            voltages->seen[place][i] =
                mnp_allocate((size_t)unit_of(device, place, i)->slots * gpu_voltage_width(&voltages->of[place]),
                             sizeof **voltages->seen[place]);
    }
}

void gpu_voltages_release(struct gpu_voltages *voltages)
{
    for (uint32_t place = 0; voltages->device && place < GPU_VOLTAGE_PLACES; place++) {
        for (uint64_t i = 0; i < voltages->units[place]; i++)
            free(voltages->seen[place][i]);
        free((void *)voltages->seen[place]);
        gpu_voltage_release(&voltages->of[place]);
    }
}

static void settle_unit(const struct gpu_voltage *of, const struct mnp_unit *unit, uint64_t *seen, uint32_t slot,
                        bool ends)
{
    uint32_t width = gpu_voltage_width(of);
    uint32_t from = slot == MNP_ALL_SLOTS ? 0 : slot, to = slot == MNP_ALL_SLOTS ? unit->slots : slot + 1;
    for (uint32_t i = from; i < to && i < unit->slots; i++) {
        uint64_t *counters = mnp_counters(unit, i), *known = seen + (size_t)i * width;
        if (!mnp_only_zeros(counters, unit->counter_width * sizeof *counters))
            gpu_voltage_add(of, counters, known);
        if (ends)
            memset(known, 0, width * sizeof *known);
    }
}

void gpu_voltages_settle(struct gpu_voltages *voltages, uint32_t slot, bool ends)
{
    for (uint32_t place = 0; place < GPU_VOLTAGE_PLACES; place++)
        for (uint64_t i = 0; i < voltages->units[place]; i++)
            settle_unit(&voltages->of[place], unit_of(voltages->device, place, i), voltages->seen[place][i], slot,
                        ends);
}

void gpu_voltages_turn(struct gpu_voltages *voltages, mnp_time now, uint64_t core_hertz)
{
    gpu_voltages_settle(voltages, MNP_ALL_SLOTS, false);
    for (uint32_t place = 0; place < GPU_VOLTAGE_PLACES; place++)
        gpu_voltage_turn(&voltages->of[place], core_hertz);
    gpu_static_power_turn(voltages->power, now, core_hertz);
}
