/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A kind of statistic defines how its rows (engine/declare/model.h) are counted, added up over units, kernels and
 * processes, sampled over time, and written. A kind is one file of this folder and one row of list.h. Code outside the
 * folder never tests for a particular kind; it uses the properties and functions of the kind.
 *
 * A row either has counters of its own in each unit, or is computed from other statistics of the same set, by name.
 * Computed rows are not added: their components are added, and the value is computed when it is read.
 */
#ifndef MNP_ENGINE_COUNT_KINDS_KIND_H
#define MNP_ENGINE_COUNT_KINDS_KIND_H

#include "engine/configure/configuration.h"
#include "engine/declare/model.h"

/* The format of a value. */
enum mnp_statistic_form {
    MNP_WHOLE,   /* a whole number */
    MNP_DECIMAL, /* a number with decimals, by one division of integers */
    MNP_BINS,    /* a count for each bin */
};

struct mnp_statistic_block;

/* The value of a statistic: numerator × scale / denominator. Scale and denominator of a whole number are 1. */
struct mnp_statistic_value {
    const struct mnp_statistic *row;
    const struct mnp_statistic_block *block; /* block from which the statistic was read; NULL: none */
    enum mnp_statistic_form form;
    const uint64_t *values; /* its own counters (`bins` of them for a histogram); NULL: the value is computed */
    uint64_t numerator, scale, denominator;
};

/* Source of the components of computed statistics. */
struct mnp_statistic_source {
    /* Returns the count of statistic `name`, from which the one named `of` is computed; 0 if the source lacks it. */
    uint64_t (*count)(struct mnp_statistic_source *source, const char *of, const char *name);
    const struct mnp_settings *machine; /* supplies weights; NULL: there is no machine */
};

struct mnp_statistic_kind {
    const char *name; /* name in results.sqlite */
    const char *word; /* name in docs/statistics.md */
    const char *note; /* note in `maniple models`, in parentheses behind the row's help; NULL: none */
    enum mnp_statistic_form form;
    bool counted;  /* events are counted, and the counts are added */
    bool paced;    /* grows with time at the rate given by the model's `pace`; nothing is counted */
    bool adds_up;  /* the value for several parts of a run is the sum of their values */
    bool level;    /* the value for an interval is the one reached at its end, not the increase */
    bool quotient; /* the value for several parts of a run, or intervals, is a quotient of two sums */

    /* Adds one counter to another: units to a model, kernels to a run. NULL: counters are summed. */
    void (*add)(uint64_t *into, uint64_t counter);

    /* Adds the `count` counters of a row to others, all at once. NULL: `add` is called for each. */
    void (*join)(uint64_t *into, const uint64_t *from, uint32_t count);

    /* Name of the statistic that is part `index` of the row's formula; NULL: there are no more. The function is NULL
     * for rows with counters of their own. */
    const char *(*part)(const struct mnp_statistic *row, size_t index);

    /* Computes numerator, scale and denominator from the components. Scale and denominator are constant unless the
     * kind is a quotient. Statistics that are computed from this one use its numerator as its count. NULL if `part`
     * is NULL. */
    void (*compute)(const struct mnp_statistic *row, struct mnp_statistic_source *source,
                    struct mnp_statistic_value *value);

    /* Writes the formula, with names of statistics between `quote`s. NULL if `part` is NULL. */
    void (*formula)(const struct mnp_statistic *row, const char *quote, FILE *out);
};

/* All kinds, NULL-terminated. */
extern const struct mnp_statistic_kind *const mnp_statistic_kinds[];

/* The kind that has a name in results.sqlite, or NULL. */
const struct mnp_statistic_kind *mnp_statistic_kind_named(const char *name);

/* Adds one counter of a row of this kind to another. */
static inline void mnp_statistic_add(const struct mnp_statistic_kind *kind, uint64_t *into, uint64_t counter)
{
    if (kind->add)
        kind->add(into, counter);
    else
        *into += counter;
}

#endif
