/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/system/system.h"

#include "engine/memory/memory.h"

#include <stdlib.h>

static void create_devices(struct gpu_system *s, struct mnp_source *const *sources)
{
    char prefix[16] = "";
    uint32_t joined = gpu_fabric_joins(&s->parameters->fabric, s->device_count) ? s->device_count : 0;
    for (uint32_t i = 0; i < s->device_count; i++) {
        struct mnp_memory *memory = sources[i]->memory;
        MNP_REQUIRE(!memory || !s->memory || memory == s->memory, "programs of one system have one memory");
        s->memory = memory ? memory : s->memory;
        if (s->device_count > 1)
            snprintf(prefix, sizeof prefix, "gpu %u ", i);
        mnp_engine_begin_group(&s->engine, i, prefix);
        s->devices[i] =
            gpu_device_create(&s->engine, &s->parameters->device,
                              &(struct gpu_device_plan){
                                  .number = i, .devices = joined, .lanes = &s->fabric.lanes[i], .source = sources[i]});
    }
}

void gpu_system_init(struct gpu_system *s, const struct gpu_system_parameters *parameters,
                     struct mnp_source *const *sources)
{
    *s = (struct gpu_system){.parameters = parameters, .device_count = (uint32_t)parameters->devices};
    s->devices = mnp_allocate(s->device_count, sizeof(struct gpu_device *));
    mnp_engine_init(&s->engine);
    gpu_fabric_init(&s->fabric, &parameters->fabric, s->device_count, parameters->device.machine.clock_noc);
    create_devices(s, sources);
    mnp_engine_begin_group(&s->engine, s->device_count, ""); /* no device's */
    gpu_fabric_connect(&s->fabric, &s->engine, s->devices, s->device_count);
    if (s->memory)
        s->engine.hook = mnp_memory_hook(s->memory);
    mnp_engine_freeze(&s->engine, 0);
    for (uint32_t i = 0; i < s->device_count; i++)
        mnp_engine_wake(&s->engine, dispatch_unit(s->devices[i]->dispatch), 0);
}

void gpu_system_release(struct gpu_system *s)
{
    for (uint32_t i = 0; i < s->device_count; i++)
        gpu_device_close(s->devices[i]);
    if (s->memory)
        mnp_memory_drop_overlays(s->memory);
    mnp_engine_release(&s->engine);
    for (uint32_t i = 0; i < s->device_count; i++)
        gpu_device_release(s->devices[i]);
    gpu_fabric_release(&s->fabric);
    free((void *)s->devices);
}

struct gpu_device *gpu_system_home(const struct gpu_system *s, uint32_t user, uint64_t address)
{
    return s->devices[gpu_fabric_home(&s->parameters->fabric, s->device_count, user, address)];
}
