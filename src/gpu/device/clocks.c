/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/device/clocks.h"

#include "base/range.h"

typedef void act_on(void *context, struct mnp_unit *unit, struct mnp_course *course);

/* Visits the units whose clocks change, with the course that each follows. */
static void visit(struct gpu_clocks *clocks, act_on *act, void *context)
{
    const struct gpu_device *d = clocks->device;
    act(context, dispatch_unit(d->dispatch), &clocks->core);
    for (uint64_t i = 0; i < d->parameters->sm.count; i++)
        act(context, sm_unit(d->sms[i]), &clocks->core);
    for (uint64_t i = 0; i < d->parameters->gpc.count; i++)
        act(context, gpu_gpc_unit(d->gpcs[i]), &clocks->noc);
    for (uint64_t i = 0; i < d->parameters->partition.count; i++)
        act(context, gpu_partition_unit(d->partitions[i]), &clocks->l2);
}

static void begin(void *context, struct mnp_unit *unit, struct mnp_course *course)
{
    (void)context;
    mnp_cursor_follow(&unit->clock, course);
}

static void turn(void *context, struct mnp_unit *unit, struct mnp_course *course)
{
    (void)course;
    mnp_engine_turn(context, unit);
}

void gpu_clocks_init(struct gpu_clocks *clocks, struct gpu_device *device)
{
    const struct gpu_machine_parameters *p = &device->parameters->machine;
    clocks->device = device;
    mnp_course_init(&clocks->core, p->clock_core);
    mnp_course_init(&clocks->noc, p->clock_noc);
    mnp_course_init(&clocks->l2, p->clock_l2);
    visit(clocks, begin, NULL);
}

void gpu_clocks_release(struct gpu_clocks *clocks)
{
    mnp_course_release(&clocks->core);
    mnp_course_release(&clocks->noc);
    mnp_course_release(&clocks->l2);
}

/* A clock that goes with the core's: in its ratio, in whole kilohertz rounded down, at least one. */
static uint64_t beside(uint64_t hertz, uint64_t core_hertz, uint64_t core_top)
{
    return mnp_max((uint64_t)((unsigned __int128)hertz * core_hertz / core_top) / 1000, 1) * 1000;
}

void gpu_clocks_turn(struct gpu_clocks *clocks, struct mnp_engine *engine, uint64_t core_hertz)
{
    const struct gpu_machine_parameters *p = &clocks->device->parameters->machine;
    bool top = core_hertz == p->clock_core;
    mnp_course_turn(&clocks->core, engine->now, core_hertz);
    mnp_course_turn(&clocks->noc, engine->now, top ? p->clock_noc : beside(p->clock_noc, core_hertz, p->clock_core));
    mnp_course_turn(&clocks->l2, engine->now, top ? p->clock_l2 : beside(p->clock_l2, core_hertz, p->clock_core));
    visit(clocks, turn, engine);
}
