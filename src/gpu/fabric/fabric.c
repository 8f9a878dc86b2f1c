/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/fabric/fabric.h"

#include "engine/declare/declare.h"
#include "gpu/fabric/none.h"

#define MNP_TABLE_OF struct gpu_fabric_parameters

static const char *const names[] = {
#define GPU_FABRIC(NAME, name, home, connect) name,
#include "gpu/fabric/list.h"
#undef GPU_FABRIC
    NULL};

static const struct {
    gpu_fabric_home_of *home;
    gpu_fabric_connector *connect;
} kinds[] = {
#define GPU_FABRIC(NAME, name, home, connect) {home, connect},
#include "gpu/fabric/list.h"
#undef GPU_FABRIC
};

static const struct mnp_parameter parameters[] = {
    {.key = "fabric.kind",
     .type = MNP_CHOICE,
     .unit = "",
     .offset = MNP_FIELD(uint64_t, kind),
     .fallback = "none",
     .choices = names,
     .help = "what joins the GPUs of a system; none: they share nothing",
     .source = "",
     .of_system = true},
};

const struct mnp_model gpu_fabric_model = {
    .name = "fabric",
    .summary = "What joins the GPUs of a system",
    MNP_PARAMETERS(parameters),
};

uint32_t gpu_fabric_home(const struct gpu_fabric_parameters *p, uint32_t user, uint64_t address)
{
    return kinds[p->kind].home(user, address);
}

void gpu_fabric_connect(struct mnp_engine *engine, const struct gpu_fabric_parameters *p,
                        struct gpu_device *const *devices, uint32_t count)
{
    kinds[p->kind].connect(engine, p, devices, count);
}
