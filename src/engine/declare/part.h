/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A part that a model's parameter chooses by name and reaches through pointers: a replacement policy, a scheduler, an
 * address hash. Each kind has a struct of its own that begins with this one, and whose header says what its functions
 * do. Parts of the tree stand in lists beside that header; a plug-in (maniple/plugin.h)
 * brings more of them, which are chosen the same way.
 *
 * A part may have parameters of its own. They are keys of the machine file as soon as the part is chosen, and the part
 * gets their values:
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
    const char *name;   /* in machine files */
    const char *help;   /* what it does, in some words */
    const char *source; /* where it is described */
    /* Numbers, sizes, flags and choices; their fields are uint64_t, and MNP_PART_VALUES at most. */
    const struct mnp_parameter *parameters;
    size_t parameter_count;
    /* Counters, which follow the statistics of the model that has the part. Not of replacement policies and hashes. */
    const struct mnp_statistic *statistics;
    size_t statistic_count;
};

/* What a parameter has chosen, beside its number: stored where the row says (mnp_parameter.chosen). */
struct mnp_chosen {
    const struct mnp_part *part; /* NULL: a choice that is no such part */
    uint64_t values[MNP_PART_VALUES];
};

/* Parts that plug-ins have brought, in the order in which they were loaded. */
struct mnp_joined_part {
    const char *joins; /* the kind of part: mnp_parameter.joins */
    const struct mnp_part *part;
};

struct mnp_joined {
    struct mnp_joined_part *parts;
    uint32_t count;
};

#endif
