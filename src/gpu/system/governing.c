/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/system/governing.h"

#include "base/range.h"
#include "gpu/energy/rows.h"
#include "gpu/system/changing.h"

enum { FS_PER_NS = 1000000 };

/* The option of a session that is not supported beside a governor; NULL: none. */
static const char *hindrance(const struct mnp_session *session, bool curve)
{
    const char *what = gpu_changing_hindrance(session);
    return what                                               ? what
           : session->options.request.by_instruction && curve ? "--by-instruction, on a machine with a voltage curve"
                                                              : NULL;
}

bool gpu_governing_check(const struct mnp_session *session, const struct gpu_parameters *p, struct mnp_error *error)
{
    const char *what = hindrance(session, gpu_energy_changes(&p->energy));
    if (what)
        return mnp_settings_fail(session->settings, "power.governor", error,
                                 "%s: is not supported where clocks change; leave one of them out", what);
    return gpu_governor_check(&p->energy, &p->energy_pace, session->settings, error);
}

static void settle(void *own, uint32_t slot, bool ends)
{
    gpu_voltages_settle(own, slot, ends);
}

void gpu_governing_init(struct gpu_governing *governing, struct mnp_session *session, struct gpu_device *device,
                        struct gpu_static_power *power)
{
    const struct gpu_parameters *p = device->parameters;
    governing->interval = p->energy.interval * FS_PER_NS;
    governing->delay = p->energy.delay * FS_PER_NS;
    gpu_governor_init(&governing->governor, &p->energy, p->machine.clock_core, &p->energy_pace);
    gpu_clocks_init(&governing->clocks, device);
    if (gpu_energy_changes(&p->energy)) {
        gpu_voltages_init(&governing->voltages, session->settings, device, power);
        session->settling = (struct mnp_settling){settle, &governing->voltages};
    }
    governing->power = power;
    governing->warms = p->energy.thermal.model;
    governing->due = governing->interval;
}

void gpu_governing_release(struct gpu_governing *governing)
{
    gpu_clocks_release(&governing->clocks);
    gpu_voltages_release(&governing->voltages);
}

/* Intervals until the next reading, at least one: those that an idle device passes without an event are read at once.
 * Its power is so far below the limit that no reading among them could lower the clock. */
static uint64_t intervals_ahead(const struct gpu_governing *governing, const struct mnp_session *session,
                                uint64_t milliwatts, mnp_time now)
{
    const struct mnp_engine *engine = session->engine;
    const struct gpu_governor *governor = &governing->governor;
    mnp_time known = engine->outlook.earliest;
    if (engine->options.limit)
        mnp_lower(&known, engine->options.limit);
    bool rests = !governing->level && session->kind->is_idle(session) && !governing->warms &&
                 milliwatts <= governor->rest + (governor->limit - governor->rest) / 2;
    return rests && known != MNP_NEVER && known > now ? mnp_max((known - now) / governing->interval, 1) : 1;
}

static mnp_time begin_interval(struct gpu_governing *governing, uint64_t energy, mnp_time now, uint64_t intervals)
{
    governing->since = now;
    governing->energy = energy;
    return now + intervals * governing->interval;
}

static void change_clocks(struct gpu_governing *governing, struct mnp_session *session)
{
    struct mnp_unit *unit = governing->clocks.device->energy;
    governing->level = governing->next;
    uint64_t hertz = gpu_governor_hertz(&governing->governor, governing->level);
    if (governing->voltages.device)
        gpu_voltages_turn(&governing->voltages, session->engine->now, hertz);
    gpu_clocks_turn(&governing->clocks, session->engine, hertz);
    mnp_counters(unit, 0)[mnp_statistic_place(unit->model, GPU_ENERGY_CLOCK_CHANGES - GPU_ENERGY_TIME)]++;
}

/* Reads the energy, or changes the clocks. Returns the time of the next call. */
static mnp_time govern(struct gpu_governing *governing, struct mnp_session *session, mnp_time now)
{
    uint64_t energy = gpu_changing_energy(session);
    governing->governor.rest = governing->power->milliwatts;
    if (governing->next != governing->level) {
        change_clocks(governing, session);
        return begin_interval(governing, energy, now, 1);
    }
    /* a femtojoule in a femtosecond is a watt */
    unsigned __int128 milliwatts = (unsigned __int128)(energy - governing->energy) * 1000 / (now - governing->since);
    governing->next = gpu_governor_next(&governing->governor, governing->level, (uint64_t)milliwatts);
    if (governing->next != governing->level)
        return now + governing->delay;
    return begin_interval(governing, energy, now, intervals_ahead(governing, session, (uint64_t)milliwatts, now));
}

void gpu_governing_tick(struct gpu_governing *governing, struct mnp_session *session, mnp_time now)
{
    governing->due = govern(governing, session, now);
}
