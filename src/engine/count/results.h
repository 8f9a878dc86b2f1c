/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Results of a run as plain data: filled in by a machine, written by src/results. This header is below the machines, so
 * that they do not depend on the output formats.
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

/* A plug-in that provides parts of the machine. */
struct mnp_run_plugin {
    const char *name, *file;
    char sha256[65]; /* SHA-256 of the file, hexadecimal */
};

/* Facts about the execution that may differ between executors and hosts. */
struct mnp_run_info {
    const char *input;
    const char *executor, *schedule;
    uint32_t threads; /* threads of each process */
    uint32_t processes;
    /* exchanges between processes, as counted by the first process; their bytes, sent by that process */
    uint64_t exchanges, exchange_bytes, exchange_ns;
    /* bytes sent by all processes: in total, the maximum of all in one window, and the maximum of one process in one
     * window */
    uint64_t exchange_bytes_of_all;
    uint64_t exchange_most_of_all, exchange_most_of_one;
    uint64_t window_cycles; /* longest window, in core cycles; 0: as long as safe */
    bool no_skip;
    /* time of the whole run; CPU time is user and system time of all threads */
    uint64_t wall_ns, cpu_ns;
    uint64_t translation_ns; /* part of wall_ns in which a compiler translated the program of many cores */
    uint64_t peak_bytes; /* peak resident memory */
    /* struct mnp_device_hook; 0: the machine was not computed by a device */
    uint64_t device_clocks, device_mesh_clocks;
    uint64_t windows, unit_runs;
    char shortest_link[96]; /* the link that determines the lookahead */
    char host[64];
    uint32_t host_processors;
    struct mnp_placed placed;
    const struct mnp_run_plugin *plugins; /* [plugin_count] */
    uint32_t plugin_count;
};

enum mnp_end {
    MNP_END_FINISHED,
    MNP_END_LIMIT,       /* --max-cycles */
    MNP_END_HANG,        /* no event can happen any more */
    MNP_END_LIVELOCK,    /* only the same spinning instructions repeat */
    MNP_END_INTERRUPTED, /* by the user */
    MNP_END_TIME,        /* --max-time */
    MNP_END_SNAPSHOT,    /* --snapshot-at */
};

/* An attribute of a part, besides its name: up to three numbers, or a text. */
struct mnp_attribute {
    const char *name;
    uint64_t value[3];
    uint32_t count;
    const char *text; /* replaces the numbers; NULL: there are numbers */
};

enum { MNP_ATTRIBUTES = 8 };

/* A range that the host program has named (NVTX), and that had begun and not ended when it launched a part. */
struct mnp_range {
    const struct mnp_range *outer; /* NULL: none */
    const char *name;              /* valid UTF-8; may be empty */
    uint32_t number;               /* number of this entry, from 1, in the order of the first launches inside */
    uint32_t depth;                /* number of ranges around it */
};
enum { MNP_RANGE_DEPTH = 32 }; /* the most ranges around a launch that are told apart; those further inside are not */

/* A part of the run that has statistics of its own. */
struct mnp_part_results {
    uint32_t id;
    char *name; /* owned; mnp_part_name */
    struct mnp_attribute attributes[MNP_ATTRIBUTES]; /* in output order */
    uint32_t attribute_count;
    bool partial;      /* the run ended before the part */
    mnp_time from, to; /* time of its request, and of its end; both 0: unknown */
    /* Estimated, not simulated, cycles: half width of the 95 % interval, and an upper bound of the overestimate. */
    uint64_t chance, late;
    const struct mnp_range *range; /* innermost range around its launch; NULL: none; outlives the results */
    struct mnp_statistic_set statistics;
};

/* A map of a machine whose units form a plane: a square for each unit, coloured by one statistic of the unit, and bars
 * to its four neighbours, by four statistics whose names end in _north, _east, _south and _west. */
struct mnp_map {
    const char *file; /* file name in a folder of results */
    const char *title;
    const char *square, *square_help; /* the statistic of the squares, and its description */
    const char *bars, *bars_help;     /* prefix of the statistics of the bars, and their description */
};

/* Vocabulary of results for a kind of machine. Constant; every member may be omitted. */
struct mnp_results_form {
    /* word for a device, if a machine may have several with results of their own; NULL: it may not */
    const char *device;
    const char *part, *parts; /* word for a part of a run, singular and plural; NULL: runs have no parts */
    const char *pieces;       /* word for the pieces of a part, for the progress line */
    /* attribute by whose first number parts are also summed up, singular and plural; NULL: none */
    const char *group, *groups;
    const char *cycles;   /* statistic that holds the length of the run */
    const char *work;     /* statistic whose rate is the speed of the simulation */
    const char *speed;    /* name of that rate */
    uint64_t speed_scale; /* unit of that rate, in counts per 10^9 seconds: 10^9 for counts per second */
    int speed_decimals;
    const struct mnp_map *maps; /* [map_count] */
    uint32_t map_count;
    const char *squares; /* word for the units of maps */
};

/* Progress of a run. */
struct mnp_progress {
    const struct mnp_results_form *form; /* defines the meaning of parts, pieces and work */
    uint32_t parts_ended, part_count;    /* count 0: unknown */
    uint64_t pieces_done, pieces_known;  /* pieces of the parts in progress */
    uint64_t cycles;                     /* core cycles so far */
    uint64_t work;
};

struct mnp_results {
    struct mnp_run_info run;
    const struct mnp_settings *machine;  /* resolved settings, owned by the caller */
    const struct mnp_results_form *form; /* never NULL; after mnp_results_init, an empty form */
    struct mnp_part_results **parts;     /* sorted by number */
    uint32_t part_count;
    struct mnp_statistic_set total;
    uint32_t map_width, map_height; /* numbers of units per row and column of the form's maps; 0: no maps */
    struct mnp_estimate *estimate;  /* estimated totals, if some parts stood for all; NULL: none */
    struct mnp_samples *samples;    /* statistics over time; NULL: not requested */
    struct mnp_timeline timeline;   /* recorded spans, if requested */
    struct mnp_tally tally;         /* costs of each instruction, sorted; empty: not requested */
    const char *values;             /* describes which of a program's values were computed; NULL: all */
    char hash[33];                  /* final state hash, hexadecimal */
    enum mnp_end end;
    uint32_t program_status; /* exit status of the simulated program, if it has one; otherwise 0 */
    /* char *: texts referenced by parts that were restored from a snapshot; freed with the results */
    struct mnp_array texts;
    char *report;       /* report of a hang or livelock; may be NULL; freed with the results */
    struct mnp_log log; /* warnings */
    /* Machine of several devices: the results of each device, complete as if it were alone. `total` is then their sum;
     * parts, samples, timeline and tally exist only per device. */
    struct mnp_results **devices;
    uint32_t device_count; /* 0: one device, with these results */
    bool one;              /* the results are those of one of several devices */
};

void mnp_results_init(struct mnp_results *results, enum mnp_verbosity verbosity);
void mnp_results_release(struct mnp_results *results);

/* Adds the results of `count` devices, with the same form. They are released with these results. */
void mnp_results_add_devices(struct mnp_results *results, uint32_t count);

/* Adds a part, zeroed except for its name, which is empty, and its statistics, which get a block for each model. Its
 * address stays valid. */
struct mnp_part_results *mnp_results_add_part(struct mnp_results *results, const struct mnp_model *const *models,
                                              uint32_t model_count);

/* Sorts the parts by their numbers. */
void mnp_results_sort_parts(struct mnp_results *results);

/* Removes the part at a place of the list, and frees it. */
void mnp_results_drop_part(struct mnp_results *results, uint32_t place);

/* Sets the name of a part to a copy of `name`. */
void mnp_part_name(struct mnp_part_results *part, const char *name);

/* Sets an attribute of a part to `count` numbers, at most 3. The name outlives the results. */
void mnp_part_describe(struct mnp_part_results *part, const char *name, const uint64_t *values, uint32_t count);

/* Sets an attribute of a part to a text. Name and text outlive the results. */
void mnp_part_describe_text(struct mnp_part_results *part, const char *name, const char *text);

/* Returns the attribute of a name, or NULL. */
const struct mnp_attribute *mnp_part_attribute(const struct mnp_part_results *part, const char *name);

/* Records how a run ended, unless by a fault: the reason, the state hash (which requires reading all state), and the
 * report of a hang or livelock. */
void mnp_results_end(struct mnp_results *results, struct mnp_engine *engine, enum mnp_stop stop, bool hash);

/* Records facts about the execution that the engine knows. `hertz`: the clock in which cycles are counted. */
void mnp_results_describe(struct mnp_results *results, const struct mnp_engine *engine, uint64_t hertz);

/* The name of an end in results: "finished", "limit", "hang", "livelock", "interrupted", "time limit", "snapshot". */
const char *mnp_end_name(enum mnp_end end);

/* The exit status for an end. */
int mnp_end_status(enum mnp_end end);

#endif
