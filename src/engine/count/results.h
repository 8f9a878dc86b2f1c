/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a run yields, as plain data: filled in by a machine, written by src/results. It stands below the machines, so
 * that they need not know how results are written.
 */
#ifndef MNP_ENGINE_COUNT_RESULTS_H
#define MNP_ENGINE_COUNT_RESULTS_H

#include "base/log.h"
#include "engine/configure/configuration.h"
#include "engine/core/placed.h"
#include "engine/count/estimate.h"
#include "engine/count/samples.h"
#include "engine/count/tally.h"
#include "engine/count/timeline.h"

/* A plug-in that brings parts of the machine. */
struct mnp_run_plugin {
    const char *name, *file;
    char sha256[65]; /* of the file, hexadecimal */
};

/* How the run went: everything that may differ between executors and hosts. */
struct mnp_run_info {
    const char *input;
    const char *executor, *schedule;
    uint32_t threads; /* of each process */
    uint32_t processes;
    uint64_t exchanges, exchange_bytes, exchange_ns; /* between processes: as the first of them counts them; bytes of */
    uint64_t exchange_bytes_of_all;                  /* all, the most of all in one window, and of one process in one */
    uint64_t exchange_most_of_all, exchange_most_of_one;
    uint64_t window_cycles; /* longest window, in core cycles; 0: as long as is safe */
    bool no_skip;
    uint64_t wall_ns, cpu_ns;                   /* of the whole run; CPU time is user and system time of all threads */
    uint64_t peak_bytes;                        /* greatest resident memory */
    uint64_t device_clocks, device_mesh_clocks; /* struct mnp_device_hook; 0: no device has computed the machine */
    uint64_t windows, unit_runs;
    char shortest_link[96]; /* the link that sets the lookahead */
    char host[64];
    uint32_t host_processors;
    struct mnp_placed placed;
    const struct mnp_run_plugin *plugins; /* [plugin_count] */
    uint32_t plugin_count;
};

enum mnp_end {
    MNP_END_FINISHED,
    MNP_END_LIMIT,       /* --max-cycles */
    MNP_END_HANG,        /* nothing can happen any more */
    MNP_END_LIVELOCK,    /* only the same spinning instructions repeat */
    MNP_END_INTERRUPTED, /* by the user */
    MNP_END_TIME,        /* --max-time */
    MNP_END_SNAPSHOT,    /* --snapshot-at */
};

/* What a part is described by besides its name: up to three numbers. */
struct mnp_attribute {
    const char *name;
    uint64_t value[3];
    uint32_t count;
    const char *text; /* in place of numbers; NULL: there are some */
};

enum { MNP_ATTRIBUTES = 8 };

/* A part of the run that has statistics of its own. */
struct mnp_part_results {
    uint32_t id;
    char name[256];
    struct mnp_attribute attributes[MNP_ATTRIBUTES]; /* results state them in this order */
    uint32_t attribute_count;
    bool partial;      /* the run ended before the part */
    mnp_time from, to; /* when it was asked for, and when it ended; both 0: not known */
    /* Cycles that were not simulated but estimated: half the interval of 95 %, and by how much they may be too many. */
    uint64_t chance, late;
    struct mnp_statistic_set statistics;
};

/* A drawing of a machine whose units lie in a plane: a square for each, coloured by one statistic of the unit, and bars
 * to its four neighbours, by four statistics whose names end in _north, _east, _south and _west. */
struct mnp_map {
    const char *file; /* its name in a folder of results */
    const char *title;
    const char *square, *square_help; /* the statistic, and what it counts */
    const char *bars, *bars_help;     /* the statistics' names before the direction, and what they count */
};

/* How results speak of a kind of machine. Constant; every member may be left out. */
struct mnp_results_form {
    const char *device;         /* what a machine may have several of, each with results of its own; NULL: it may not */
    const char *part, *parts;   /* what a run is cut into, and several of it; NULL: it is not cut */
    const char *pieces;         /* what a part consists of, for the line of progress */
    const char *group, *groups; /* the attribute by whose first number parts are summed up too; NULL: they are not */
    const char *cycles;         /* the statistic that says how long the run took */
    const char *work;           /* the statistic whose rate is the speed of the simulation */
    const char *speed;          /* the name of that rate */
    uint64_t speed_scale;       /* its unit, in counts per 10^9 seconds: 10^9 for counts per second */
    int speed_decimals;
    const struct mnp_map *maps; /* [map_count] */
    uint32_t map_count;
    const char *squares; /* what the units of maps are */
};

/* How far a run has come. */
struct mnp_progress {
    const struct mnp_results_form *form; /* whose parts, pieces and work these are */
    uint32_t parts_ended, part_count;    /* count 0: unknown */
    uint64_t pieces_done, pieces_known;  /* of the parts under way */
    uint64_t cycles;                     /* core cycles so far */
    uint64_t work;
};

struct mnp_results {
    struct mnp_run_info run;
    const struct mnp_settings *machine;  /* resolved; the caller's */
    const struct mnp_results_form *form; /* never NULL; after mnp_results_init, one without any word */
    struct mnp_part_results **parts;     /* in order of their numbers */
    uint32_t part_count;
    struct mnp_statistic_set total;
    uint32_t map_width, map_height; /* units beside and above one another on the form's maps; 0: none are drawn */
    struct mnp_estimate *estimate;  /* of totals, where some parts stood for all; NULL: nothing is estimated */
    struct mnp_samples *samples;    /* statistics over time; NULL: none were asked for */
    struct mnp_timeline timeline;   /* what was asked to be written down */
    struct mnp_tally tally;         /* what each instruction has cost, sorted; empty: that was not asked for */
    const char *values;             /* which of a program's values have been computed; NULL: all */
    char hash[33];                  /* final state hash, hexadecimal */
    enum mnp_end end;
    uint32_t program_status; /* what the simulated program has returned, where it has a status; otherwise 0 */
    struct mnp_array texts;  /* char *: that parts taken from a snapshot refer to; freed with the results */
    char *report;            /* of a hang or livelock: who waits for what; may be NULL; freed with the results */
    struct mnp_log log;      /* warnings */
    /* Of a machine of several devices: those of each, complete as if it had been alone; `total` is then their sum, and
     * parts, samples, timeline and tally are theirs alone. */
    struct mnp_results **devices;
    uint32_t device_count; /* 0: there is one, whose results these are */
    bool one;              /* these are those of one device of several */
};

void mnp_results_init(struct mnp_results *results, enum mnp_verbosity verbosity);
void mnp_results_release(struct mnp_results *results);

/* Adds the results of so many devices, of the same form. They are released with these. */
void mnp_results_add_devices(struct mnp_results *results, uint32_t count);

/* Adds a part, zeroed but for its statistics, which get a block for each model. Its address stays valid. */
struct mnp_part_results *mnp_results_add_part(struct mnp_results *results, const struct mnp_model *const *models,
                                              uint32_t model_count);

/* Describes a part by `count` numbers, at most 3, under a name that outlives the results. */
void mnp_part_describe(struct mnp_part_results *part, const char *name, const uint64_t *values, uint32_t count);

/* The same by a word. Both outlive the results. */
void mnp_part_describe_text(struct mnp_part_results *part, const char *name, const char *text);

/* The attribute of a name; NULL: the part has none. */
const struct mnp_attribute *mnp_part_attribute(const struct mnp_part_results *part, const char *name);

/* How a run has ended, that of a fault apart: the reason, the state hash (which takes as long as reading all state),
 * and what a hang or livelock waits for. */
void mnp_results_end(struct mnp_results *results, struct mnp_engine *engine, enum mnp_stop stop, bool hash);

/* How it was run, as far as the engine knows. `hertz`: the clock whose cycles count. */
void mnp_results_describe(struct mnp_results *results, const struct mnp_engine *engine, uint64_t hertz);

/* The word for an end, as results state it: "finished", "limit", "hang", "livelock", "interrupted", "time limit",
 * "snapshot". */
const char *mnp_end_name(enum mnp_end end);

/* The exit status that an end calls for. */
int mnp_end_status(enum mnp_end end);

#endif
