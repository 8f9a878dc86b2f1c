/* SPDX-License-Identifier: BSD-3-Clause */
/* The reference executor: one thread, units in their order. */
#include "engine/core/engine.h"
#include "engine/executors/executor.h"

void mnp_executor_run_alone(struct mnp_engine *engine)
{
    for (uint32_t unit = 0; unit < engine->unit_count; unit++)
        if (mnp_window_concerns(engine, unit))
            mnp_window_run_unit(engine, unit);
}

void mnp_executor_end_alone(struct mnp_engine *engine)
{
    if (mnp_window_applies(engine)) {
        engine->hook.apply(engine->hook.context, 0, 1);
        mnp_window_applied(engine);
    }
    mnp_window_end(engine);
}

static void run(struct mnp_engine *engine)
{
    while (mnp_window_begin(engine)) {
        mnp_executor_run_alone(engine);
        mnp_executor_end_alone(engine);
    }
}

const struct mnp_executor mnp_executor_serial = {
    .name = "serial",
    .summary = "one thread, units in order",
    .run = run,
    .staged = true,
};
