/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A kind of statistic: how rows of that kind (engine/declare/model.h) are counted, added up over units, kernels and
 * processes, sampled over time, and written. A kind is one file of this folder and one row of list.h. Nothing outside
 * the folder asks which kind a row is of: callers use the properties and functions of its kind.
 *
 * A row either has counters of its own in each unit, or is computed from other statistics of the same set by name.
 * Computed rows need no adding: their parts are added, and the value is computed when it is read.
 */
#ifndef MNP_ENGINE_COUNT_KINDS_KIND_H
#define MNP_ENGINE_COUNT_KINDS_KIND_H

#include "engine/configure/configuration.h"
#include "engine/declare/model.h"

/* How a value is written. */
enum mnp_statistic_form {
    MNP_WHOLE,   /* a whole number */
    MNP_DECIMAL, /* a number with decimals, by one division of integers */
    MNP_BINS,    /* a count for each bin */
};

struct mnp_statistic_block;

/* The value of a statistic: numerator × scale / denominator. Scale and denominator of a whole number are 1. */
struct mnp_statistic_value {
    const struct mnp_statistic *row;
    const struct mnp_statistic_block *block; /* that the statistic was read from; NULL: from none */
    enum mnp_statistic_form form;
    const uint64_t *values; /* its own counters, `bins` of a histogram; NULL: it is computed */
    uint64_t numerator, scale, denominator;
};

/* Supplies the parts of computed statistics. */
struct mnp_statistic_source {
    /* Returns the count of statistic `name`, from which the one named `of` is computed; 0 if the source lacks it. */
    uint64_t (*count)(struct mnp_statistic_source *source, const char *of, const char *name);
    const struct mnp_settings *machine; /* supplies weights; NULL: there is no machine */
};

struct mnp_statistic_kind {
    const char *name; /* in results.sqlite */
    const char *word; /* in docs/statistics.md */
    const char *note; /* in `maniple models`, in parentheses behind the row's help; NULL: none */
    enum mnp_statistic_form form;
    bool counted;  /* events are counted, and their numbers added up */
    bool paced;    /* passes with the time: the model's `pace` says how fast, and nothing is counted */
    bool adds_up;  /* the value of several parts of a run is the sum of theirs */
    bool level;    /* an interval has the value that was reached at its end, not what has been added */
    bool quotient; /* the value of several parts of a run, or intervals, is the quotient of two sums */

    /* Adds one counter to another: units to a model, kernels to a run. NULL: counters are summed. */
    void (*add)(uint64_t *into, uint64_t counter);

    /* Adds the `count` counters of a row to others, all at once. NULL: `add` is called for each. */
    void (*join)(uint64_t *into, const uint64_t *from, uint32_t count);

    /* Name of the statistic that is part `index` of the row's formula; NULL: there are no more. The function is NULL
     * for rows with counters of their own. */
    const char *(*part)(const struct mnp_statistic *row, size_t index);

    /* Computes numerator, scale and denominator from the parts. Scale and denominator are the same every time unless
     * the kind is a quotient. What is computed from this statistic takes the numerator for its count. NULL with
     * `part`. */
    void (*compute)(const struct mnp_statistic *row, struct mnp_statistic_source *source,
                    struct mnp_statistic_value *value);

    /* Writes the formula, names of statistics between `quote`s. NULL with `part`. */
    void (*formula)(const struct mnp_statistic *row, const char *quote, FILE *out);
};

/* All kinds, NULL-terminated. */
extern const struct mnp_statistic_kind *const mnp_statistic_kinds[];

/* The kind that results.sqlite calls by a name; NULL: there is none. */
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
