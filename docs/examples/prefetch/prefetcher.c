/* SPDX-License-Identifier: BSD-3-Clause */
#include "prefetcher.h"

#include "engine/core/port.h"
#include "engine/declare/declare.h"

/* ===== tables ===== */

#define MNP_TABLE_OF struct prefetch_parameters
static const struct mnp_parameter parameter_rows[] = {
    MNP_NUMBER_ROW("prefetch.lines", "line", lines, "0", 0, 16,
                   "lines asked for behind one that the L2 misses; 0: none", "example"),
};

enum { MISSES, ASKS };
static const struct mnp_port port_rows[] = {
    [MISSES] = MNP_IN_ROW("misses", "l2", prefetch_miss, "lines that the L2 has missed; always accepted"),
    [ASKS] = MNP_OUT_ROW("asks", "l2", prefetch_ask, "lines to fetch; always accepted"),
};

static const struct mnp_statistic statistic_rows[] = {
    [PREFETCH_ASKED] = MNP_COUNTER_ROW("prefetch_asked", "line", "lines that the prefetcher has asked the L2 for"),
};

/* ===== running: a miss is answered at the edge at which it is seen, and nothing is remembered ===== */

static mnp_time advance(struct mnp_unit *unit, mnp_time until)
{
    const struct prefetch_parameters *p = unit->self;
    uint32_t place;
    while (unit->inbox.next < until) {
        mnp_cursor_move(&unit->clock, mnp_cursor_cycle_at(&unit->clock, unit->inbox.next));
        if (unit->clock.time >= until)
            break;
        mnp_visit(unit, unit->clock.cycle);
        for (const struct prefetch_miss *miss; (miss = mnp_inbox_peek(&unit->inbox, unit->clock.time, &place));) {
            struct prefetch_ask *ask = mnp_link_send(mnp_port_link(unit, ASKS), unit->clock.time);
            *ask = (struct prefetch_ask){.first = miss->line + 1, .count = p->lines};
            mnp_counters(unit, 0)[PREFETCH_ASKED] += p->lines;
            mnp_inbox_take(&unit->inbox);
        }
    }
    return MNP_NEVER; /* without a miss, nothing happens */
}

const struct mnp_model prefetch_model = {
    .name = "prefetch",
    .summary = "Asks for the lines behind one that the L2 misses.",
    MNP_PARAMETERS(parameter_rows),
    MNP_PORTS(port_rows),
    MNP_STATISTICS(statistic_rows),
    .advance = advance,
};

struct mnp_unit *prefetch_create(struct mnp_engine *engine, const struct prefetch_parameters *parameters,
                                 uint64_t hertz)
{
    return mnp_engine_create_unit(
        engine,
        &(struct mnp_unit_plan){
            .model = &prefetch_model, .name = "prefetcher", .self = (void *)parameters, .hertz = hertz, .slots = 1});
}
