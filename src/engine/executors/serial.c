/* SPDX-License-Identifier: BSD-3-Clause */
/* The reference: one thread, units in their order. */
#include "engine/engine.h"
#include "engine/executors/executor.h"

static void run(struct mnp_engine *engine)
{
    while (mnp_window_begin(engine)) {
        for (uint32_t unit = 0; unit < engine->unit_count; unit++)
            if (mnp_window_concerns(engine, unit))
                mnp_window_run_unit(engine, unit);
        if (mnp_window_applies(engine)) {
            engine->hook.apply(engine->hook.context, 0, 1);
            mnp_window_applied(engine);
        }
        mnp_window_end(engine);
    }
}

const struct mnp_executor mnp_executor_serial = {.name = "serial", .summary = "one thread, units in order", .run = run};
