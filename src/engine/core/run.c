/* SPDX-License-Identifier: BSD-3-Clause */
/* Running of a machine to its end. The windows themselves are in window.c. */
#include "base/error.h"
#include "engine/core/stages.h"
#include "engine/executors/executor.h"
#include "engine/spread/ranks.h"

/* Ends the span if the run ends at the end of an epoch: no writes are pending then. */
static void end_span(struct mnp_engine *engine)
{
    if (engine->now % engine->epoch != 0)
        return;
    engine->span_end = engine->now;
    if (!engine->hook.apply)
        return;
    mnp_ranks_share_writes(engine);
    if (!engine->hook.dirty(engine->hook.context))
        return;
    engine->hook.apply(engine->hook.context, 0, 1);
    mnp_window_applied(engine);
    if (engine->fault_time != MNP_NEVER && engine->stop != MNP_STOP_INTERRUPTED)
        engine->stop = MNP_STOP_FAULT;
}

enum mnp_stop mnp_engine_run(struct mnp_engine *engine, const struct mnp_run_options *options)
{
    MNP_REQUIRE(engine->frozen, "the machine is not frozen");
    MNP_REQUIRE(!engine->hook.apply || engine->relaxed || engine->epoch <= engine->lookahead,
                "with flat memory, an epoch must not be longer than the lookahead");
    engine->options = *options;
    if (engine->stop == MNP_STOP_FINISHED)
        /* the caller has more work; an end that a snapshot has restored stays */
        atomic_store(&engine->finish, MNP_NEVER);
    engine->stop = MNP_STOP_NOT_YET;
    engine->next_sample = options->on_sample ? options->first_sample : MNP_NEVER;
    for (uint32_t i = 0; i < engine->unit_count; i++)
        engine->units[i]->no_skip = options->no_skip;
    if (engine->windows == 0) { /* keep threads that have been started */
        engine->placed.binding = options->executor->every_cycle ? MNP_BINDING_SYSTEM : MNP_BINDING_NO_TEAM;
        engine->placed.threads = options->executor->every_cycle ? options->threads : 1;
        engine->placed.wanted = options->threads;
    }
    options->executor->run(engine);
    end_span(engine);
    mnp_engine_settle(engine);
    if (engine->stop == MNP_STOP_FAULT)
        mnp_ranks_share_error(engine);
    return engine->stop;
}
