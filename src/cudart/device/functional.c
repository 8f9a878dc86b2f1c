/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/device/functional.h"

static uint32_t pages_of(const struct gpu_parameters *parameters)
{
    return (uint32_t)(parameters->host.memory / MNP_MEMORY_PAGE);
}

static void choose(struct execute_device *device, const struct gpu_parameters *parameters)
{
    device->plain = !parameters->machine.ptx_select;
    device->keeps_order = !parameters->machine.ptx_schedule;
    device->unrolls = parameters->machine.ptx_unroll;
    device->slack = parameters->host.slack;
}

void cudart_functional_init(struct execute_device *device, const struct gpu_parameters *parameters, FILE *out)
{
    execute_device_init(device, pages_of(parameters), out);
    choose(device, parameters);
}

void cudart_functional_memory(struct mnp_memory *memory, const struct gpu_parameters *parameters, uint32_t count)
{
    mnp_memory_init(memory, count * pages_of(parameters));
}

void cudart_functional_init_in(struct execute_device *device, const struct gpu_parameters *parameters,
                               struct mnp_memory *memory, uint32_t number, FILE *out)
{
    execute_device_init_in(device, memory, number, out);
    choose(device, parameters);
}
