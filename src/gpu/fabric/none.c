/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/fabric/none.h"

void gpu_fabric_none_connect(struct gpu_fabric *fabric, struct mnp_engine *engine, struct gpu_device *const *devices,
                             uint32_t count)
{
    (void)fabric, (void)engine, (void)devices, (void)count;
}
