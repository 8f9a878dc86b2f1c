/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A part that a model's parameter selects by name and calls through pointers: a replacement policy, a scheduler, an
 * address hash. Each kind of part has a struct of its own that begins with this one, and whose header documents its
 * functions. Built-in parts are listed beside that header; a plug-in (maniple/plugin.h) adds more, which are selected
 * in the same way.
 *
 * A part may have parameters of its own. They are valid keys of the machine file if the part is selected, and the part
 * receives their values:
 *
 *     struct stride_values { uint64_t degree; };
 *     #define MNP_TABLE_OF struct stride_values
 *     static const struct mnp_parameter parameters[] = {
 *         MNP_NUMBER_ROW("stride.degree", "line", degree, "2", 1, 8, "lines asked for at a time", "by choice")};
 */
#ifndef MNP_ENGINE_DECLARE_PART_H
#define MNP_ENGINE_DECLARE_PART_H

#include <stddef.h>
#include <stdint.h>

struct mnp_parameter;
struct mnp_statistic;

enum { MNP_PART_VALUES = 8 };

struct mnp_part {
    const char *name;   /* name in machine files */
    const char *help;   /* a few words about its function */
    const char *source; /* reference that describes it */
    /* Numbers, sizes, flags and choices, in fields of type uint64_t; at most MNP_PART_VALUES. */
    const struct mnp_parameter *parameters;
    size_t parameter_count;
    /* Counters, placed after the statistics of the model that owns the part. Replacement policies and hashes have
     * none. */
    const struct mnp_statistic *statistics;
    size_t statistic_count;
};

/* The part that a parameter selects, and its values; stored at mnp_parameter.chosen. */
struct mnp_chosen {
    const struct mnp_part *part; /* NULL: a word that names no part */
    uint64_t values[MNP_PART_VALUES];
};

/* Parts from plug-ins, in the order in which they were loaded. */
struct mnp_joined_part {
    const char *joins; /* the kind of part: mnp_parameter.joins */
    const struct mnp_part *part;
};

struct mnp_joined {
    struct mnp_joined_part *parts;
    uint32_t count;
};

#endif
