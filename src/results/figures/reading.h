/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A run as reports read it from its database: the sums of the whole run and of kernels of one name, and the machine.
 * Sums are of counters and elapsed amounts alone, whose quotients are the figures of reports; ratios are not read.
 */
#ifndef MNP_RESULTS_READING_H
#define MNP_RESULTS_READING_H

#include "results/database/database.h"
#include "results/figures/named.h"

/* Kernels of one name, or the whole run. */
struct results_group {
    char *name;
    uint64_t kernels;
    char shape[64]; /* grid and block of the first: "16x16 of 256" */
    uint64_t first; /* number of the first kernel */
    double *sums;   /* [statistic_count] */
};

/* Keys of the machine that lift a limit of the coprocessor, and what a second run with them has measured. */
struct results_lift {
    char keys[48];
    double gain; /* the run's cycles by those of the second run; 0: not measured */
};
enum { RESULTS_LIFTS = 8 };

struct results_reading {
    sqlite3 *database;
    sqlite3_int64 run;
    uint32_t place; /* among the runs of a report */
    char *label, *input, *machine, *kind, *description, *ended, *hash, *host;
    char *program; /* its words behind `--` on the command line, with blanks between; empty: no program */
    double wall_seconds;
    int architecture;  /* a number as 86; 0: none */
    char **statistics; /* [statistic_count] names by number; NULL: not in this run */
    bool *elapsed;     /* [statistic_count] whether it passes with the time */
    uint32_t statistic_count;
    struct mnp_array names, keys; /* items: struct results_named; statistics by name, and keys of the machine */
    struct results_group total;
    struct results_group busy; /* the run without the time in which no kernel was there: programs copy and compute */
    double busy_share;         /* share of the run's time, 0 … 1 */
    double copy_seconds;       /* seconds of copies and fills, added up */
    double unowned_bytes, written; /* bytes of DRAM that no kernel owns; sectors that kernels have written to the L2 */
    struct results_group *groups;  /* [group_count] by time, longest first */
    uint32_t group_count;
    uint64_t kernel_count, launches_hash; /* hash of names, grids and blocks in their order */
    struct results_lift lifts[RESULTS_LIFTS];
    uint32_t lift_count; /* 0 until they are asked for */
};

/* Reads run number `run` of a database, which outlives the reading, but for what is said of the time with kernels
 * (busy.h). `label`: how reports call it. */
bool results_reading_load(struct results_reading *reading, sqlite3 *database, sqlite3_int64 run, const char *label,
                          struct mnp_error *error);
void results_reading_release(struct results_reading *reading);

/* Reads the sums of one kernel, into as many places as a group of the reading has. */
bool results_reading_kernel(const struct results_reading *reading, sqlite3_int64 kernel, struct results_group *group,
                            struct mnp_error *error);

/* The sum of a statistic over a group; 0 when the run has none of that name. */
double results_sum(const struct results_reading *reading, const struct results_group *group, const char *statistic);

/* Bytes that a group has moved to and from DRAM. Write-backs have no owner: a kernel has as large a share of them as of
 * the sectors that kernels have written to the L2. */
double results_dram_bytes(const struct results_reading *reading, const struct results_group *group);

/* The place of a statistic in the sums of groups; 0: the run has none of that name. */
uint32_t results_number(const struct results_reading *reading, const char *statistic);

/* Whether the machine of the run counts it. */
bool results_counts(const struct results_reading *reading, const char *statistic);

/* A machine key as a number; 0: the machine has none of that name. */
double results_key(const struct results_reading *reading, const char *key);

/* The kind of statistic that a column of text names; NULL: this version has none of that name. */
const struct mnp_statistic_kind *results_kind_of(sqlite3_stmt *row, int column);

/* Whether two runs launched the same kernels with the same grids and blocks, in the same order. */
bool results_same_launches(const struct results_reading *a, const struct results_reading *b);

/* Fails unless two runs did the same work: the same launches, or the same program with the same arguments, whose grids
 * may depend on the machine. */
bool results_same_work(const struct results_reading *a, const struct results_reading *b, struct mnp_error *error);

#endif
