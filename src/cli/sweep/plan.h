/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plan of a sweep: a file in libconfig's syntax (docs/sweep.md) as a list of runs. A run's name is a hash of all
 * that decides its results: the version and the sources, the machine with every value, the contents of its input, and
 * its options. How it is run (threads, executor, host) is no part of it, as results do not depend on that.
 */
#ifndef MNP_CLI_SWEEP_PLAN_H
#define MNP_CLI_SWEEP_PLAN_H

#include "base/array.h"
#include "base/error.h"

#include <libconfig.h>

enum { SWEEP_NAME = 33, SWEEP_SOME = 10000, SWEEP_MOST = 10000000 };

/* A machine key that varies, and the texts that it takes in turn. */
struct sweep_axis {
    const char *key;
    unsigned line;
    struct mnp_array values; /* items: char * */
};

/* A trace; a program with its arguments; or one of our own workloads, whose words begin with maniple-apps and run. */
struct sweep_input {
    char **words; /* a NULL ends them */
    bool program;
    char *text; /* text in tables */
};

/* A run: the numbers of its machine and input, and of the values of each axis. */
struct sweep_run {
    char name[SWEEP_NAME];
    uint32_t machine, input;
    uint32_t *values; /* [axes]; those of its place */
    char **words;     /* words of `maniple run`; a NULL ends them */
    char *note;
};

/* A combination that the plan asks for, and the run that stands for it: combinations that are one machine by other
 * words have one run. */
struct sweep_place {
    uint32_t run, machine, input;
    uint32_t *values; /* [axes] */
    bool again;       /* its run is that of a place before */
};

enum sweep_shape { SWEEP_GRID, SWEEP_LIST, SWEEP_RANDOM, SWEEP_ONE };

struct sweep_objective {
    const char *name; /* name of a statistic or a machine key */
    unsigned line;
    bool most;     /* more is better */
    bool energies; /* only runs that count energies have it */
};

struct plugin_set;

struct sweep_plan {
    config_t config; /* texts below are its own */
    const char *file;
    char *apps;                       /* path of maniple-apps; NULL: no workload of ours is among the inputs */
    const struct plugin_set *plugins; /* NULL: none */
    struct mnp_array machines;        /* items: const char * */
    struct mnp_array shown;           /* items: char *; names of machines in tables: a file's is that which it states */
    struct mnp_array inputs;          /* struct sweep_input */
    struct mnp_array options;         /* items: const char *; options of every run */
    struct mnp_array axes;            /* struct sweep_axis */
    struct sweep_axis together;       /* keys and values of a list of several axes, as tables name them; else empty */
    struct mnp_array objectives;      /* struct sweep_objective */
    const char *compare;              /* the axis, or "machine", whose values are compared by input; NULL: not stated */
    struct mnp_array runs;            /* struct sweep_run */
    struct mnp_array places;          /* struct sweep_place; all combinations, inputs fastest, each once */
    bool limited;                     /* --max-cycles is among the options */
    enum sweep_shape shape;
};

/* Reads a plan and names its runs, `most` of them or fewer: SWEEP_SOME, or SWEEP_MOST where the user insists. False:
 * an error. */
bool cli_sweep_plan_read(struct sweep_plan *plan, const struct plugin_set *plugins, const char *file, uint64_t most,
                         struct mnp_error *error);
/* An axis as tables name it: that of the plan, or in a list all of them, whose values change together. */
const struct sweep_axis *cli_sweep_axis(const struct sweep_plan *plan, uint32_t axis);

void cli_sweep_plan_release(struct sweep_plan *plan);

#endif
