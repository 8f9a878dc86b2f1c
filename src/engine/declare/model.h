/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Declaration of a model: one `const` definition with tables, whose rows are written with the macros of
 * engine/declare/declare.h. Each table serves a purpose:
 *
 *   parameters   the reader of machine files (keys, types, ranges, defaults), the resolved configuration in the results
 *   ports        the links: mnp_connect joins ports of two units and checks direction, peer and packet of both rows;
 *                freezing checks that nothing is left unconnected (engine/core/port.h)
 *   statistics   the counters of a unit, their sums over units and kernels, and every output format
 *   state        documentation only: the state itself consists of all pieces that `lay_out` takes from the arena, and
 *                all of it is hashed and saved
 *
 * `maniple models` prints all four tables.
 *
 * Life of a unit: describe (this definition) → create (mnp_engine_create_unit: counters and state are laid out) →
 * connect (mnp_connect; links are numbered in the order of these calls, and their numbers determine the order of
 * packets, so the order is a property of the machine) → freeze (mnp_engine_freeze, which calls the model's `freeze`) →
 * run.
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

/* One row of a parameter table. MNP_UINT … MNP_CHOICE are stored as uint64_t at `offset` in the parameter struct. */
struct mnp_parameter {
    const char *key; /* complete machine key: "sm.l1d.size" */
    enum mnp_parameter_type type;
    const char *unit; /* "cycle", "byte", "entry", "Hz" …; "" for none */
    size_t offset;
    const char *fallback;       /* default, in machine-file syntax; NULL: the machine file must state the parameter */
    uint64_t minimum, maximum;  /* inclusive, for numbers and the elements of lists; both 0: no limit */
    const char *const *choices; /* NULL-terminated, for MNP_CHOICE */
    const char *help;
    const char *source;  /* meaning of the parameter and reference for it */
    const char *follows; /* the default is the value of this key, which belongs to an earlier row */
    /* with `follows`: the value is taken from the file that states this key, or one that it extends, ignoring --set */
    const char *beside;
    /* belongs to a system of several identical machines: printed if stated, but omitted from the description of a
     * single machine */
    bool of_system;

    /* MNP_CHOICE: names of parts (engine/declare/part.h), valid in addition to `choices`. */
    const struct mnp_part *const *parts; /* NULL-terminated; NULL: no built-in parts */
    const char *joins;                   /* kind of part that plug-ins may add; NULL: none */
    size_t chosen;                       /* if there may be parts: offset of a struct mnp_chosen */
    bool quiet;                          /* results omit the key while it has its default */
    /* with `quiet`: results include the key if the flag of this key is true; NULL: no such exception */
    const char *shown_with;
};

/* ===== ports ===== */

enum mnp_direction { MNP_IN, MNP_OUT };

/* One row: a port, at which links of one kind end. A unit has one link at a port, or an array of links, one for each
 * peer; the number is stated when the unit is created. Ports are numbered by their rows. */
struct mnp_port {
    const char *name;
    enum mnp_direction direction;
    const char *peer;   /* model at the other end; "": any model */
    const char *packet; /* name of the packet's struct */
    uint32_t bytes;     /* size of a packet */
    bool optional;      /* links may be missing; otherwise freezing a unit with an unconnected link is a bug */
    const char *help;
};

/* ===== statistics ===== */

/* The kind determines how rows are counted, added up and written: engine/count/kinds/kind.h. Rows of plug-ins refer to
 * kinds, also in the drop-in CUDA library, which hides all other symbols. */
struct mnp_statistic_kind;
#define MNP_STATISTIC_KIND(KIND) extern const struct mnp_statistic_kind KIND __attribute__((visibility("default")));
#include "engine/count/kinds/list.h"
#undef MNP_STATISTIC_KIND

/* A term of a weighted sum. */
struct mnp_term {
    const char *name; /* statistic of the same set; NULL ends the terms */
    uint64_t weight;
    const char *key; /* parameter of the machine by which `weight` is multiplied; NULL: none */
};

/* An amount that changes while a machine runs. */
struct mnp_pace_level {
    uint64_t from; /* fs of simulated time */
    uint64_t amount;
};

/* A quantity that grows with every cycle of a clock: an issue slot per sub-core, or the bytes that a port could
 * move. */
struct mnp_pace {
    uint64_t hertz;
    uint64_t amount;                 /* per cycle */
    const struct mnp_course *course; /* course of the clock, if its frequency changes; NULL: it does not */
    const struct mnp_array *levels;  /* struct mnp_pace_level, the first from 0 on, if the amount changes; or NULL */
};

/* One row of a statistics table. For each slot, a unit owns an array of uint64_t with one element for every row of its
 * model's table. Computed and elapsed rows have an unused element, so that an enum beside the table numbers both.
 * Histograms occupy several elements and are therefore at the end of a table. */
struct mnp_statistic {
    const char *name;
    const struct mnp_statistic_kind *kind;
    const char *unit;
    const char *help;
    const char *numerator, *denominator; /* for a ratio: names of statistics of the same set */
    uint64_t scale;                      /* for a ratio: 1, or 100 for percent; for a weighted sum: its divisor */
    uint32_t bins;    /* consecutive counters that a histogram or a set takes; others: 0, one counter */
    const void *with; /* further data that the kind needs, such as the terms of a weighted sum */
};

/* ===== state ===== */

/* One row: a named piece of the unit's state arena, for documentation and for reports of differences between states. */
struct mnp_state_field {
    const char *name;
    const char *unit;
    const char *help;
};

/* ===== waiting ===== */

struct mnp_unit;

/* An event that a unit waits for. Hang reports combine these into chains. */
struct mnp_wait {
    const struct mnp_unit *on; /* the unit waited for; NULL: the waiting unit itself */
    mnp_time since;
    char what[96]; /* "credit for 3 replies", "value of [0x1000]", … */
};

/* ===== the definition ===== */

/* The side of the machine to which a model belongs: a hint for executors that treat the two differently. */
enum mnp_domain {
    MNP_DOMAIN_CORE,   /* cores and the dispatcher */
    MNP_DOMAIN_MEMORY, /* network, caches behind it, and DRAM */
};

struct mnp_model {
    const char *name; /* short name, used as a prefix of its statistics: "partition" */
    /* the original of a model that was extended by statistics of its parts; NULL: none */
    const struct mnp_model *extends;
    const char *summary; /* one sentence: the hardware that it models, and the reference */
    const struct mnp_parameter *parameters;
    size_t parameter_count;
    const struct mnp_port *ports;
    size_t port_count;
    const struct mnp_statistic *statistics;
    size_t statistic_count;
    const struct mnp_state_field *state;
    size_t state_count;
    enum mnp_domain domain;
    /* its units forward packets or distribute work, and do not access memory (engine/core/stages.h) */
    bool relays;
    /* when a machine is spread over processes, each process runs a copy of its units (engine/spread/ranks.h) */
    bool everywhere;
    /* its units are parts of the machine, grouped in a host-dependent way: statistics of a single unit are
     * meaningless */
    bool grouped;

    /* Takes the unit's state from its arena (see mnp_layout). NULL: the unit has counters only. */
    mnp_layout *lay_out;

    /* Called when the machine is frozen, after all links have been connected: the unit looks up its links and reads
     * their initial credits. The engine's epoch is known by then. May be NULL. */
    void (*freeze)(struct mnp_unit *unit);

    /* Runs the unit on its own over all its clock edges before `until`, taking packets when they arrive, and returns
     * its horizon: the earliest time, not before `until`, at which it could act without receiving another packet
     * (MNP_NEVER: only a packet can wake it). NULL: the model has no units, only parameters or statistics. */
    mnp_time (*advance)(struct mnp_unit *unit, mnp_time until);

    /* For a model that relays: whether it may have distributed work, or may do so within a span, that makes other units
     * send to one another directly (engine/core/stages.h). NULL: never. */
    bool (*nears)(const struct mnp_unit *unit);

    /* Writes the events that the unit waits for, one line per waiter, for a hang report. May be NULL. */
    void (*report)(const struct mnp_unit *unit, FILE *out);

    /* Returns the rate of a row of kind `elapsed`. NULL if the model has no such row. */
    void (*pace)(const struct mnp_unit *unit, size_t row, struct mnp_pace *pace);

    /* Returns the unit's wait number `index`, oldest first, or false if there is none. Used for chains of waits. May be
     * NULL. */
    bool (*wait)(const struct mnp_unit *unit, uint32_t index, struct mnp_wait *wait);
};

#endif
