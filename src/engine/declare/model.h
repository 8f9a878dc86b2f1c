/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a model declares itself: one `const` definition with tables, whose rows are written with the macros of
 * engine/declare/declare.h. What each table feeds:
 *
 *   parameters   the reader of machine files (keys, types, ranges, defaults), the resolved configuration in the results
 *   ports        the links: mnp_connect joins ports of two units and checks direction, peer and packet of both rows;
 *                freezing checks that nothing is left unconnected (engine/core/port.h)
 *   statistics   the counters of a unit, their sums over units and kernels, and every output format
 *   state        documentation alone: the state itself is what the model's `lay_out` takes from the arena, and all of
 *                it is hashed and saved
 *
 * `maniple models` prints all four tables.
 *
 * The life of a unit: describe (this definition) → create (mnp_engine_create_unit: counters and state are laid out) →
 * connect (mnp_connect, in an order that is part of the machine: links are numbered by it, and their numbers order
 * packets) → freeze (mnp_engine_freeze, which calls the model's `freeze`) → run.
 */
#ifndef MNP_ENGINE_DECLARE_MODEL_H
#define MNP_ENGINE_DECLARE_MODEL_H

#include "base/arena.h"
#include "engine/core/time.h"
#include "engine/declare/part.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ===== parameters ===== */

enum mnp_parameter_type {
    MNP_UINT,   /* a whole number */
    MNP_SIZE,   /* bytes; "64KiB", "4MiB" or a whole number */
    MNP_HERTZ,  /* a clock; "1365MHz", "3500.5MHz", "1.7GHz" or a whole number */
    MNP_BOOL,   /* true or false; stored as 1 or 0 */
    MNP_CHOICE, /* one of `choices`; stored as its index */
    MNP_LIST,   /* up to MNP_LIST_MAX whole numbers or sizes; stored as struct mnp_list */
    MNP_TEXT,   /* a short text; stored as struct mnp_text */
};

enum { MNP_LIST_MAX = 32, MNP_TEXT_MAX = 96 };

struct mnp_list {
    uint64_t count;
    uint64_t value[MNP_LIST_MAX];
};

struct mnp_text {
    char text[MNP_TEXT_MAX];
};

/* One row of a parameter table. MNP_UINT … MNP_CHOICE are stored as uint64_t at `offset` of the parameter struct. */
struct mnp_parameter {
    const char *key; /* whole machine key: "sm.l1d.size" */
    enum mnp_parameter_type type;
    const char *unit; /* "cycle", "byte", "entry", "Hz" …; "" for none */
    size_t offset;
    const char *fallback;       /* default, as it would stand in a machine file; NULL: the machine file must state it */
    uint64_t minimum, maximum;  /* inclusive, for numbers and the elements of lists; both 0: no limit */
    const char *const *choices; /* NULL-terminated, for MNP_CHOICE */
    const char *help;
    const char *source;  /* what the parameter models and where that is described */
    const char *follows; /* the default is the value of this key, of an earlier row, … */
    const char *beside;  /* … in the file that states this key, or in one that it extends, whatever --set says */
    bool of_system;      /* about what joins several machines that are alike: written where it is stated, and not where
                            one of them is described */

    /* MNP_CHOICE: behind `choices`, names of parts (engine/declare/part.h). */
    const struct mnp_part *const *parts; /* NULL-terminated; NULL: none are in the tree */
    const char *joins;                   /* the kind of part that plug-ins may add; NULL: none */
    size_t chosen;                       /* with either: offset of a struct mnp_chosen */
    bool quiet;                          /* results leave the key out while it has its default */
    const char *shown_with;              /* … unless the flag of this key is true; NULL: they never do for that */
};

/* ===== ports ===== */

enum mnp_direction { MNP_IN, MNP_OUT };

/* One row: a port that links of one kind end at. A unit has one link at a port, or an array of links, one for each
 * peer; how many is stated when the unit is created. The number of a port is its place in the table. */
struct mnp_port {
    const char *name;
    enum mnp_direction direction;
    const char *peer;   /* name of the model at the other end; "": any model */
    const char *packet; /* name of the struct that travels */
    uint32_t bytes;     /* its size */
    bool optional;      /* links may be missing; otherwise freezing a unit with an unconnected link is a bug */
    const char *help;
};

/* ===== statistics ===== */

/* How rows of a kind are counted, added up and written: engine/count/kinds/kind.h. Rows of plug-ins name them, in the
 * drop-in CUDA library too, which hides all else. */
struct mnp_statistic_kind;
#define MNP_STATISTIC_KIND(KIND) extern const struct mnp_statistic_kind KIND __attribute__((visibility("default")));
#include "engine/count/kinds/list.h"
#undef MNP_STATISTIC_KIND

/* A term of a weighted sum. */
struct mnp_term {
    const char *name; /* of a statistic of the same set; NULL ends the terms */
    uint64_t weight;
    const char *key; /* the parameter of the machine that `weight` is multiplied by; NULL: none */
};

/* What passes in a unit with every cycle of a clock: an issue slot per sub-core, the bytes that a port could move. */
struct mnp_pace {
    uint64_t hertz;
    uint64_t amount; /* per cycle */
};

/* One row. A unit owns, for each slot, an array of uint64_t with one element for every row of its model's table
 * (computed and elapsed ones included, whose elements stay unused), so that an enum beside the table numbers both.
 * Histograms take more than one element, and so stand at the end of a table. */
struct mnp_statistic {
    const char *name;
    const struct mnp_statistic_kind *kind;
    const char *unit;
    const char *help;
    const char *numerator, *denominator; /* of a ratio: names of statistics of the same set */
    uint64_t scale;                      /* of a ratio: 1, or 100 for percent; of a weighted sum: its divisor */
    uint32_t bins;    /* consecutive counters that a histogram or a set takes; others: 0, one counter */
    const void *with; /* whatever else the kind needs: the terms of a weighted sum */
};

/* ===== state ===== */

/* One row: a named piece of the unit's state arena, for documentation and for reports of differing states. */
struct mnp_state_field {
    const char *name;
    const char *unit;
    const char *help;
};

/* ===== waiting ===== */

struct mnp_unit;

/* One thing that a unit waits for: the report of a hang makes chains of them. */
struct mnp_wait {
    const struct mnp_unit *on; /* whom it waits for; NULL: something of its own */
    mnp_time since;
    char what[96]; /* "credit for 3 replies", "value of [0x1000]", … */
};

/* ===== the definition ===== */

/* Which side of the machine a model stands on: a hint for executors that treat the two differently. */
enum mnp_domain {
    MNP_DOMAIN_CORE,   /* cores, and what gives them work */
    MNP_DOMAIN_MEMORY, /* network, caches behind it, DRAM */
};

struct mnp_model {
    const char *name;                /* short, as it stands before its statistics: "partition" */
    const struct mnp_model *extends; /* the model that it is, with statistics of parts behind its own; NULL: none */
    const char *summary;             /* one sentence: what it models, from which source */
    const struct mnp_parameter *parameters;
    size_t parameter_count;
    const struct mnp_port *ports;
    size_t port_count;
    const struct mnp_statistic *statistics;
    size_t statistic_count;
    const struct mnp_state_field *state;
    size_t state_count;
    enum mnp_domain domain;
    bool relays;     /* its units pass packets on or hand out work, and use no memory (engine/core/stages.h) */
    bool everywhere; /* of a machine spread over processes, each runs a copy (engine/spread/ranks.h) */
    bool grouped;    /* its units are parts of the machine, grouped as the host likes: none has values of its own */

    /* Takes the unit's state from its arena; mnp_layout says how. NULL: the unit has counters alone. */
    mnp_layout *lay_out;

    /* Called when the machine is frozen, after all links have been connected: the unit looks its links up, and takes
     * the credits that they were made for. The engine's epoch is known by then. NULL: there is nothing to do. */
    void (*freeze)(struct mnp_unit *unit);

    /* Runs the unit alone over all its clock edges before `until`, taking packets as they come due, and returns its
     * horizon: the earliest time, not before `until`, at which it could act without a further packet
     * (MNP_NEVER: only a packet can wake it). NULL: a model that has no units, but parameters or statistics. */
    mnp_time (*advance)(struct mnp_unit *unit, mnp_time until);

    /* Of a model that relays: whether it may have given others work for which they send to one another directly, or may
     * within a span (engine/core/stages.h). NULL: it has no say. */
    bool (*nears)(const struct mnp_unit *unit);

    /* Writes what the unit waits for, one line per waiter, for the report of a hang. May be NULL. */
    void (*report)(const struct mnp_unit *unit, FILE *out);

    /* How fast a row of the kind `elapsed` passes in the unit. NULL where there is none. */
    void (*pace)(const struct mnp_unit *unit, size_t row, struct mnp_pace *pace);

    /* The unit's wait number `index`, oldest first; false when there is none. For chains of waiting. May be NULL. */
    bool (*wait)(const struct mnp_unit *unit, uint32_t index, struct mnp_wait *wait);
};

#endif
