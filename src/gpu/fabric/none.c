/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/fabric/none.h"

/* A device reaches its own memory alone, whatever range an address lies in: traces have addresses of any. */
uint32_t gpu_fabric_none_home(uint32_t user, uint64_t address)
{
    (void)address;
    return user;
}

void gpu_fabric_none_connect(struct mnp_engine *engine, const struct gpu_fabric_parameters *parameters,
                             struct gpu_device *const *devices, uint32_t count)
{
    (void)engine, (void)parameters, (void)devices, (void)count;
}
