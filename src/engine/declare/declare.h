/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Macros for the rows of a model's tables (engine/declare/model.h), and for referring to a table in the model's
 * definition.
 *
 *     #define MNP_TABLE_OF struct router_parameters       parameter rows name fields of this struct
 *     static const struct mnp_parameter parameters[] = {
 *         MNP_NUMBER_ROW("router.depth", "packet", depth, "8", 1, 64, "depth of a queue", "assumed"),
 *     };
 *     static const struct mnp_statistic statistics[] = {
 *         [ROUTER_MOVED] = MNP_COUNTER_ROW("moved", "packet", "packets passed on"),
 *     };
 *     const struct mnp_model router_model = {
 *         .name = "router", MNP_PARAMETERS(parameters), MNP_STATISTICS(statistics), …};
 *
 * A component that several models contain (a cache, a DRAM channel) declares its rows in a macro of its own. The
 * macro's arguments are the prefix of the keys or names, and the field or the number of the first counter. The owner's
 * table includes that macro between its own rows. See parts/dram/declare.h.
 */
#ifndef MNP_ENGINE_DECLARE_DECLARE_H
#define MNP_ENGINE_DECLARE_DECLARE_H

#include "engine/declare/model.h"

/* ===== parameters ===== */

/* Offset of a field of MNP_TABLE_OF. A field of another type than `TYPE` is a compile-time error. */
#define MNP_FIELD(TYPE, FIELD)                                                                                         \
    (offsetof(MNP_TABLE_OF, FIELD) +                                                                                   \
     0 * sizeof(char[__builtin_types_compatible_p(__typeof__(((MNP_TABLE_OF *)0)->FIELD), TYPE) ? 1 : -1]))

/* Rows of numbers. `FALLBACK` NULL: the machine file must state it. `MIN`, `MAX` both 0: no limit. */
#define MNP_ROW_OF_TYPE(TYPE, KEY, UNIT, FIELD, FALLBACK, MIN, MAX, HELP, SOURCE)                                      \
    {                                                                                                                  \
        .key = KEY, .type = TYPE, .unit = UNIT, .offset = MNP_FIELD(uint64_t, FIELD), .fallback = FALLBACK,            \
        .minimum = MIN, .maximum = MAX, .help = HELP, .source = SOURCE                                                 \
    }
#define MNP_NUMBER_ROW(...) MNP_ROW_OF_TYPE(MNP_UINT, __VA_ARGS__)
#define MNP_SIZE_ROW(...)   MNP_ROW_OF_TYPE(MNP_SIZE, __VA_ARGS__)
#define MNP_CLOCK_ROW(KEY, FIELD, FALLBACK, MIN, MAX, HELP, SOURCE)                                                    \
    MNP_ROW_OF_TYPE(MNP_HERTZ, KEY, "Hz", FIELD, FALLBACK, MIN, MAX, HELP, SOURCE)
#define MNP_FLAG_ROW(KEY, FIELD, FALLBACK, HELP, SOURCE)                                                               \
    MNP_ROW_OF_TYPE(MNP_BOOL, KEY, "", FIELD, FALLBACK, 0, 0, HELP, SOURCE)

/* The same, that results and configurations leave out while they have their defaults. */
#define MNP_QUIET_NUMBER_ROW(KEY, UNIT, FIELD, FALLBACK, MIN, MAX, HELP, SOURCE)                                       \
    {                                                                                                                  \
        .key = KEY, .type = MNP_UINT, .unit = UNIT, .offset = MNP_FIELD(uint64_t, FIELD), .fallback = FALLBACK,        \
        .minimum = MIN, .maximum = MAX, .help = HELP, .source = SOURCE, .quiet = true                                  \
    }
#define MNP_QUIET_FLAG_ROW(KEY, FIELD, FALLBACK, HELP, SOURCE)                                                         \
    {                                                                                                                  \
        .key = KEY, .type = MNP_BOOL, .unit = "", .offset = MNP_FIELD(uint64_t, FIELD), .fallback = FALLBACK,          \
        .help = HELP, .source = SOURCE, .quiet = true                                                                  \
    }

/* A word out of a NULL-terminated list; stored as its place in the list. */
#define MNP_CHOICE_ROW(KEY, FIELD, FALLBACK, CHOICES, HELP, SOURCE)                                                    \
    {                                                                                                                  \
        .key = KEY, .type = MNP_CHOICE, .unit = "", .offset = MNP_FIELD(uint64_t, FIELD), .fallback = FALLBACK,        \
        .choices = CHOICES, .help = HELP, .source = SOURCE                                                             \
    }

/* A choice from such a list, or the name of a part: one of PARTS (NULL-terminated), or a plug-in's part of kind JOINS.
 * CHOSEN is the field of type struct mnp_chosen that receives the part. */
#define MNP_PART_ROW(KEY, FIELD, CHOSEN, FALLBACK, CHOICES, PARTS, JOINS, QUIET, HELP, SOURCE)                         \
    {                                                                                                                  \
        .key = KEY, .type = MNP_CHOICE, .unit = "", .offset = MNP_FIELD(uint64_t, FIELD), .fallback = FALLBACK,        \
        .choices = CHOICES, .parts = PARTS, .joins = JOINS, .chosen = MNP_FIELD(struct mnp_chosen, CHOSEN),            \
        .quiet = QUIET, .help = HELP, .source = SOURCE                                                                 \
    }

/* A list of numbers or sizes; MIN and MAX apply to each element. */
#define MNP_LIST_ROW(KEY, UNIT, FIELD, FALLBACK, MIN, MAX, HELP, SOURCE)                                               \
    {                                                                                                                  \
        .key = KEY, .type = MNP_LIST, .unit = UNIT, .offset = MNP_FIELD(struct mnp_list, FIELD), .fallback = FALLBACK, \
        .minimum = MIN, .maximum = MAX, .help = HELP, .source = SOURCE                                                 \
    }

/* ===== ports: PACKET is the tag of the struct that travels ===== */

#define MNP_PORT_ROW(NAME, DIRECTION, PEER, PACKET, OPTIONAL, HELP)                                                    \
    {                                                                                                                  \
        .name = NAME, .direction = DIRECTION, .peer = PEER, .packet = #PACKET, .bytes = sizeof(struct PACKET),         \
        .optional = OPTIONAL, .help = HELP                                                                             \
    }
#define MNP_IN_ROW(NAME, PEER, PACKET, HELP)           MNP_PORT_ROW(NAME, MNP_IN, PEER, PACKET, false, HELP)
#define MNP_OUT_ROW(NAME, PEER, PACKET, HELP)          MNP_PORT_ROW(NAME, MNP_OUT, PEER, PACKET, false, HELP)
#define MNP_OPTIONAL_IN_ROW(NAME, PEER, PACKET, HELP)  MNP_PORT_ROW(NAME, MNP_IN, PEER, PACKET, true, HELP)
#define MNP_OPTIONAL_OUT_ROW(NAME, PEER, PACKET, HELP) MNP_PORT_ROW(NAME, MNP_OUT, PEER, PACKET, true, HELP)

/* ===== statistics ===== */

#define MNP_STATISTIC_ROW(KIND, NAME, UNIT, HELP)                                                                      \
    {                                                                                                                  \
        .name = NAME, .kind = KIND, .unit = UNIT, .help = HELP                                                         \
    }
#define MNP_COUNTER_ROW(NAME, UNIT, HELP) MNP_STATISTIC_ROW(&mnp_kind_counter, NAME, UNIT, HELP)
#define MNP_MAXIMUM_ROW(NAME, UNIT, HELP) MNP_STATISTIC_ROW(&mnp_kind_maximum, NAME, UNIT, HELP)
#define MNP_ELAPSED_ROW(NAME, UNIT, HELP) MNP_STATISTIC_ROW(&mnp_kind_elapsed, NAME, UNIT, HELP)

/* NUMERATOR and DENOMINATOR are names of statistics of the machine, from this table or another one. */
#define MNP_SCALED_ROW(NAME, UNIT, HELP, NUMERATOR, DENOMINATOR, SCALE)                                                \
    {                                                                                                                  \
        .name = NAME, .kind = &mnp_kind_ratio, .unit = UNIT, .help = HELP, .numerator = NUMERATOR,                     \
        .denominator = DENOMINATOR, .scale = SCALE                                                                     \
    }
#define MNP_RATIO_ROW(NAME, UNIT, HELP, NUMERATOR, DENOMINATOR)                                                        \
    MNP_SCALED_ROW(NAME, UNIT, HELP, NUMERATOR, DENOMINATOR, 1)
#define MNP_PERCENT_ROW(NAME, HELP, NUMERATOR, DENOMINATOR) MNP_SCALED_ROW(NAME, "%", HELP, NUMERATOR, DENOMINATOR, 100)

/* A weighted sum of other statistics, divided by SCALE. The terms are struct mnp_term, in braces. */
#define MNP_WEIGHTED_ROW(NAME, UNIT, HELP, SCALE, ...)                                                                 \
    {                                                                                                                  \
        .name = NAME, .kind = &mnp_kind_weighted, .unit = UNIT, .help = HELP, .scale = SCALE,                          \
        .with = (const struct mnp_term[])                                                                              \
        {                                                                                                              \
            __VA_ARGS__,                                                                                               \
            {                                                                                                          \
                0                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }

/* Histograms must be at the end of a table. */
#define MNP_HISTOGRAM_ROW(NAME, UNIT, HELP, BINS)                                                                      \
    {                                                                                                                  \
        .name = NAME, .kind = &mnp_kind_histogram, .unit = UNIT, .help = HELP, .bins = BINS                            \
    }

/* The first counter of the histogram in row ROW, for a table whose histograms have BINS bins each and begin with row
 * FIRST. A constant expression, equal to mnp_statistic_place. */
#define MNP_HISTOGRAM_PLACE(ROW, FIRST, BINS) ((ROW) + ((ROW) - (FIRST)) * ((BINS)-1))

/* ===== state ===== */

#define MNP_STATE_ROW(NAME, UNIT, HELP)                                                                                \
    {                                                                                                                  \
        .name = NAME, .unit = UNIT, .help = HELP                                                                       \
    }

/* ===== tables in a definition ===== */

#define MNP_ROWS(TABLE)       (sizeof(TABLE) / sizeof *(TABLE))
#define MNP_PARAMETERS(TABLE) .parameters = (TABLE), .parameter_count = MNP_ROWS(TABLE)
#define MNP_PORTS(TABLE)      .ports = (TABLE), .port_count = MNP_ROWS(TABLE)
#define MNP_STATISTICS(TABLE) .statistics = (TABLE), .statistic_count = MNP_ROWS(TABLE)
#define MNP_STATE(TABLE)      .state = (TABLE), .state_count = MNP_ROWS(TABLE)

#endif
