/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/system/parameters.h"

#include "engine/declare/declare.h"
#include "gpu/fabric/switch.h"

#define MNP_TABLE_OF struct gpu_system_parameters

static const struct mnp_parameter parameters[] = {
    {.key = "gpu.devices",
     .type = MNP_UINT,
     .unit = "GPU",
     .offset = MNP_FIELD(uint64_t, devices),
     .fallback = "1",
     .minimum = 1,
     .maximum = MNP_SPACE_DEVICES,
     .help = "GPUs of the system; each is one as all other keys describe it",
     .source = "",
     .of_system = true},
};

const struct mnp_model gpu_system_model = {
    .name = "system",
    .summary = "The GPUs of a system, which all are alike",
    MNP_PARAMETERS(parameters),
};

const struct mnp_model *const gpu_models[] = {&gpu_machine_model,
                                              &dispatch_model,
                                              &sm_model,
                                              &gpu_gpc_model,
                                              &gpu_network_model,
                                              &gpu_sm2sm_model,
                                              &gpu_partition_model,
                                              &gpu_host_model,
                                              &gpu_energy_model,
                                              &gpu_system_model,
                                              &gpu_fabric_model,
                                              &gpu_hub_model,
                                              &gpu_switch_model,
                                              NULL};

static bool check(const struct gpu_system_parameters *p, const struct mnp_settings *settings, struct mnp_error *error)
{
    uint64_t sms = p->device.sm.count, most = UINT16_MAX / (p->devices + 1);
    if (!gpu_fabric_joins(&p->fabric, p->devices))
        return gpu_fabric_check(&p->fabric, p->devices, settings, error);
    if (p->device.sm.steady_period)
        return mnp_settings_fail(settings, "fabric.kind", error,
                                 "--steady passes over accesses to memory of other GPUs without time; leave it out");
    if (sms > most)
        return mnp_settings_fail(settings, "sm.count", error, "at most %lu SMs each for %lu GPUs with a fabric",
                                 (unsigned long)most, (unsigned long)p->devices);
    return gpu_fabric_check(&p->fabric, p->devices, settings, error);
}

bool gpu_system_parameters_read(struct gpu_system_parameters *p, struct mnp_settings *settings, struct mnp_error *error)
{
    return mnp_settings_fill_model(settings, &gpu_system_model, p, error) &&
           mnp_settings_fill_model(settings, &gpu_fabric_model, &p->fabric, error) &&
           gpu_parameters_read(&p->device, settings, error) && check(p, settings, error);
}

bool gpu_system_check_one(const struct mnp_settings *settings, const char *what, struct mnp_error *error)
{
    return mnp_settings_number(settings, "gpu.devices") == 1 ||
           mnp_settings_fail(settings, "gpu.devices", error, "%s on one GPU in this version; give --set gpu.devices=1",
                             what);
}

bool gpu_system_parameters_read_one(struct gpu_parameters *device, struct mnp_settings *settings, const char *what,
                                    struct mnp_error *error)
{
    struct gpu_system_parameters p;
    bool good = gpu_system_parameters_read(&p, settings, error) && gpu_system_check_one(settings, what, error);
    if (good)
        *device = p.device;
    return good;
}
