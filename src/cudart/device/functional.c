/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/device/functional.h"

void cudart_functional_init(struct execute_device *device, const struct gpu_parameters *parameters, FILE *out)
{
    execute_device_init(device, (uint32_t)(parameters->host.memory / MNP_MEMORY_PAGE), out);
    device->plain = !parameters->machine.ptx_select;
    device->keeps_order = !parameters->machine.ptx_schedule;
    device->slack = parameters->host.slack;
}
