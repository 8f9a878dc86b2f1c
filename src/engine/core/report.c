/* SPDX-License-Identifier: BSD-3-Clause */
/* The report of a run that does not make progress: waits of all units with their start times, and chains of waits. */
#include "engine/core/engine.h"

#include <stdlib.h>

static unsigned long long femtoseconds(mnp_time time)
{
    return (unsigned long long)time;
}

/* Finds the first wait of a unit for another unit. If there is none, `wait` is its last wait for a condition of its
 * own, if any. */
static bool first_wait(const struct mnp_unit *unit, struct mnp_wait *wait)
{
    wait->what[0] = 0;
    if (!unit->model->wait)
        return false;
    for (uint32_t i = 0; unit->model->wait(unit, i, wait); i++)
        if (wait->on)
            return true;
    return false;
}

/* Marks the units that another unit waits for. Chains begin at unmarked units. */
static void mark_awaited(const struct mnp_engine *engine, bool *awaited)
{
    struct mnp_wait wait;
    for (uint32_t i = 0; i < engine->unit_count; i++)
        if (first_wait(engine->units[i], &wait))
            awaited[wait.on->id] = true;
}

/* Writes the chain that begins at a unit, following each unit's oldest wait, until it ends, closes or meets a chain
 * that has been written. `chain` holds the number of each unit's chain, 0 for none. */
static void write_chain(const struct mnp_engine *engine, uint32_t start, uint32_t *chain, uint32_t number, FILE *out)
{
    const struct mnp_unit *unit = engine->units[start];
    struct mnp_wait wait;
    fprintf(out, "chain %u:\n", number);
    while (chain[unit->id] == 0 && first_wait(unit, &wait)) {
        chain[unit->id] = number;
        fprintf(out, "  %s waits for %s since %llu fs: %s\n", unit->name, wait.on->name, femtoseconds(wait.since),
                wait.what);
        unit = wait.on;
    }
    if (chain[unit->id] == number)
        fprintf(out, "  which closes the circle at %s\n", unit->name);
    else if (chain[unit->id] != 0)
        fprintf(out, "  %s: see chain %u\n", unit->name, chain[unit->id]);
    else if (wait.what[0])
        fprintf(out, "  %s waits since %llu fs: %s\n", unit->name, femtoseconds(wait.since), wait.what);
    else
        fprintf(out, "  %s waits for nobody\n", unit->name);
}

static void write_chains(const struct mnp_engine *engine, FILE *out)
{
    uint32_t *chain = mnp_allocate(engine->unit_count, sizeof *chain);
    bool *awaited = mnp_allocate(engine->unit_count, sizeof *awaited);
    struct mnp_wait wait;
    uint32_t number = 0;
    mark_awaited(engine, awaited);
    /* first pass: units for which no other waits; second pass: the remaining units, which form circles */
    for (uint32_t circles = 0; circles < 2; circles++)
        for (uint32_t i = 0; i < engine->unit_count; i++)
            if ((circles || !awaited[i]) && chain[i] == 0 && first_wait(engine->units[i], &wait))
                write_chain(engine, i, chain, ++number, out);
    free(chain);
    free(awaited);
}

void mnp_engine_report(const struct mnp_engine *engine, FILE *out)
{
    for (uint32_t i = 0; i < engine->unit_count; i++) {
        const struct mnp_unit *unit = engine->units[i];
        if (unit->model->report)
            unit->model->report(unit, out);
    }
    write_chains(engine, out);
    for (uint32_t i = 0; i < engine->link_count; i++) {
        const struct mnp_link *link = engine->links[i];
        uint64_t packets = mnp_link_in_flight(link);
        if (packets)
            fprintf(out, "link %u from %s to %s: %llu packets in flight\n", link->id, link->from->name, link->to->name,
                    (unsigned long long)packets);
    }
}

char *mnp_engine_report_text(const struct mnp_engine *engine)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return NULL;
    mnp_engine_report(engine, out);
    fclose(out);
    return text;
}
