/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A unit is an instance of a model with private state, and the smallest piece of parallel work.
 *
 * State comes in two kinds. Data in `state` is the unit's logical state: plain data, hashed at epochs. Data that is
 * only reached through `self` (parameters, pointers, memoised values) is not hashed and must be derivable.
 */
#ifndef MNP_ENGINE_CORE_UNIT_H
#define MNP_ENGINE_CORE_UNIT_H

#include "base/arena.h"
#include "base/error.h"
#include "engine/core/link.h"
#include "engine/declare/model.h"

struct mnp_engine;

/* The first fault of a unit: an error of the simulated program or of its input, at a simulated time. */
struct mnp_fault {
    bool set;
    mnp_time time;
    uint64_t order; /* order among faults of the same time */
    struct mnp_error error;
};

struct mnp_port_links {      /* links of a unit at one port of the model's table */
    struct mnp_link **links; /* [length] by index; NULL: not connected */
    uint32_t length;
};

struct mnp_port_place { /* port of an incoming link */
    uint32_t port;      /* row in the model's table */
    uint32_t index;     /* index among the links of the port */
};

struct mnp_unit {
    const struct mnp_model *model;
    void *self; /* the model's own struct */
    char name[32];
    uint32_t id;     /* place in the machine */
    uint32_t group;  /* engine.h, mnp_engine_begin_group */
    uint32_t bundle; /* engine.h, struct mnp_unit_plan */

    struct mnp_arena state;
    struct mnp_inbox inbox;
    struct mnp_link **out; /* [out_count] sorted by link id */
    uint32_t out_count;
    /* [model->port_count] links by port (engine/core/port.h); the arrays are parts of `links` */
    struct mnp_port_links *ports;
    struct mnp_link **links;         /* links of all ports, one port after another */
    struct mnp_port_place *incoming; /* [inbox.count] by position in the inbox */

    /* Counters: [slots][counter_width], inside the state arena. Slot 0 counts events that belong to no part of the
     * work. */
    uint64_t *counters;
    uint32_t slots;
    uint32_t counter_width; /* counters of the model's table: one per row, `bins` for a histogram */

    /* Written by the thread that runs the unit. */
    struct mnp_cursor clock; /* the model's clock; the model moves it */
    uint64_t visited;        /* the first cycle of its clock that it has neither visited nor passed */
    mnp_time until;    /* end of the current advance: nothing sent to units of the same stage may arrive earlier */
    mnp_time beyond;   /* time up to which units of the other stage have run: nothing sent to them may arrive earlier */
    mnp_time progress; /* last time, not in the future, at which something other than spinning happened */
    mnp_time due;      /* until then it waits for a time of its own (a long delay), which is no livelock */
    uint64_t ended;    /* number of ended parts of its work, as counted by engine.ends_after */
    mnp_time last_end; /* end of the last of these parts */
    bool relaxed;      /* the engine is: late packets are sent to `until` */
    bool no_skip;      /* visit every cycle */
    uint64_t cost;     /* host time of recent windows, in ticks */
    uint64_t spent;    /* host time since somebody reset it */
    uint64_t latest;   /* host time of the latest window that it ran in */
    struct mnp_link **dirty; /* links sent on in this advance */
    uint32_t dirty_count;
    struct mnp_fault fault;
};

/* Records that a unit visits a cycle of one of its clocks. `*visited` is the first cycle of that clock that it has
 * neither visited nor passed: cycles are visited at most once and in ascending order. Every model's advance calls this
 * function for each cycle that it visits, and mnp_pass with the end of its window, for each of its clocks. */
static inline void mnp_visit_of(const struct mnp_unit *unit, uint64_t *visited, uint64_t cycle)
{
    MNP_REQUIRE(cycle >= *visited, "%s visits cycle %llu, and has come to cycle %llu before", unit->name,
                (unsigned long long)cycle, (unsigned long long)*visited);
    *visited = cycle + 1;
}

static inline void mnp_pass_of(const struct mnp_unit *unit, uint64_t *visited, uint64_t end)
{
    MNP_REQUIRE(end >= *visited, "%s has come to cycle %llu, beyond cycle %llu at which its window ends", unit->name,
                (unsigned long long)*visited, (unsigned long long)end);
    *visited = end;
}

/* Variants for the clock with which the unit was created. */
static inline void mnp_visit(struct mnp_unit *unit, uint64_t cycle)
{
    mnp_visit_of(unit, &unit->visited, cycle);
}

static inline void mnp_pass(struct mnp_unit *unit, uint64_t end)
{
    mnp_pass_of(unit, &unit->visited, end);
}

/* The unit's counters for a slot; index them by mnp_statistic_place of its model's table. */
static inline uint64_t *mnp_counters(const struct mnp_unit *unit, uint32_t slot)
{
    return unit->counters + (size_t)slot * unit->counter_width;
}

/* Records a fault at `time`; only the first fault of a unit counts. The run ends with the first fault in the order
 * (time, unit). The unit must not act after it. */
void mnp_unit_fault(struct mnp_unit *unit, mnp_time time, const struct mnp_error *error);

/* Like mnp_unit_fault, for one of several parts of a unit, on machines whose parts are grouped into units in a
 * host-dependent way. `part` numbers the parts of all units and replaces the unit in the order of faults. */
void mnp_unit_fault_of(struct mnp_unit *unit, uint64_t part, mnp_time time, const struct mnp_error *error);

#endif
