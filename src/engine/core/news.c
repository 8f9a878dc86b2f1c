/* SPDX-License-Identifier: BSD-3-Clause */
/* Notifications from units, and from other processes, to the engine: wake-up times, the end of the work, faults. */
#include "engine/core/engine.h"

void mnp_engine_wake(struct mnp_engine *engine, struct mnp_unit *unit, mnp_time time)
{
    if (time < atomic_load(&engine->wake[unit->id]))
        atomic_store(&engine->wake[unit->id], time);
}

void mnp_engine_join(struct mnp_engine *engine, bool joined)
{
    if (joined == engine->joined || !engine->hook.join)
        return;
    engine->joined = joined;
    engine->hook.join(engine->hook.context, joined);
}

void mnp_engine_finish(struct mnp_engine *engine, mnp_time time)
{
    mnp_time known = atomic_load(&engine->finish);
    while (time < known && !atomic_compare_exchange_weak(&engine->finish, &known, time))
        ;
}

void mnp_unit_fault_of(struct mnp_unit *unit, uint64_t part, mnp_time time, const struct mnp_error *error)
{
    if (!unit->fault.set)
        unit->fault = (struct mnp_fault){.set = true, .time = time, .order = part, .error = *error};
}

void mnp_unit_fault(struct mnp_unit *unit, mnp_time time, const struct mnp_error *error)
{
    mnp_unit_fault_of(unit, unit->id, time, error);
}
