/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A kind of machine, as the rest of the program sees it: a name, tables of models, and functions that build a machine
 * of that kind and define its work. Everything else that a run needs (options, epochs, costs, samples, progress,
 * limits, processes, results) belongs to the session (contract/session.h), which is shared by all kinds.
 *
 * A new kind is a folder of its own with one constant of this type, and one line in the list of kinds (cli/kinds.c).
 * docs/extending.md has an example.
 */
#ifndef MNP_CONTRACT_KIND_H
#define MNP_CONTRACT_KIND_H

#include "contract/instruction.h"
#include "contract/program.h"
#include "engine/configure/configuration.h"
#include "engine/count/results.h"

struct mnp_session;
struct mnp_snapshot;
struct mnp_snapshot_reader;

/* State of a machine that has been stopped. */
enum mnp_standing {
    MNP_STANDS_INSIDE,  /* parts of its work are in progress */
    MNP_STANDS_BETWEEN, /* no part is in progress: a snapshot can be taken */
    MNP_STANDS_OVER,    /* all work is done, and no more will come */
};

/* Kinds of input that a machine accepts. */
enum mnp_input {
    MNP_INPUT_NONE = 1,    /* no input: parameters define the work */
    MNP_INPUT_KERNELS = 2, /* kernels: a trace */
    MNP_INPUT_PROGRAM = 4, /* a program for its cores */
    MNP_INPUT_CALLS = 8,   /* a host program's calls to the CUDA runtime, as they are made */
};

/* Bank number that selects the whole shared memory, for mnp_machine_kind.memory. */
#define MNP_WHOLE_MEMORY UINT32_MAX

/* Bytes of global memory. */
struct mnp_extent {
    uint64_t address, bytes;
};

struct mnp_work {
    enum mnp_input input;
    struct mnp_source *source;        /* KERNELS, CALLS */
    struct mnp_source *const *others; /* [other_count] KERNELS: sources of the second and further devices, in order */
    uint32_t other_count;
    const struct mnp_program *program; /* PROGRAM */
    const char *words;                 /* PROGRAM: its command line, which the program may query; NULL: none */
};

/* All functions may be NULL except `check`, `open` and `close`. They are called between windows, on one thread. */
struct mnp_machine_kind {
    const char *name;                        /* value of machine.kind in a machine file */
    const char *summary;                     /* one sentence */
    const struct mnp_model *const *models;   /* NULL-terminated: all models, for `maniple models` */
    const struct mnp_model *const *counting; /* NULL-terminated: models with statistics, in the order of the results */
    const struct mnp_results_form *form;     /* names and columns that results use for this kind */
    unsigned inputs;                         /* set of enum mnp_input that its machines accept */
    const char *cores;                       /* key of the number of cores (`--cores`); NULL: none */
    /* Default statistics to sample over time, in the syntax of engine/count/samples.h; NULL: none can be sampled. */
    const char *samples;

    bool several;  /* a machine may have several devices, each with its own work and results */
    bool tally;    /* costs can be counted by instruction (mnp_run_request.by_instruction) */
    bool energy;   /* energies can be counted, with the key energy.model */
    /* Words of --timeline: for pieces of work, and for what happens inside units (mnp_run_request.timeline_work,
     * timeline_to). NULL: nothing can be recorded. */
    const char *timeline[2];

    /* Resolves all parameters of a machine without building it, so that all errors in its file are reported. */
    bool (*check)(struct mnp_settings *settings, struct mnp_error *error);

    /* Builds a machine, freezes its engine, and sets the kind's members of the session. `work` has an input that the
     * kind accepts; what it points to outlives the session. Returns false on an error of the user; `close` is called in
     * that case, too. */
    bool (*open)(struct mnp_session *session, struct mnp_settings *settings, const struct mnp_work *work,
                 struct mnp_error *error);
    void (*close)(struct mnp_session *session);

    /* Lengthens windows by so many core cycles beyond the safe length. NULL: windows of this kind are never relaxed. */
    void (*relax)(struct mnp_session *session, uint64_t cycles);

    void (*between)(struct mnp_session *session, mnp_time end);                   /* called at the end of a window */
    void (*news)(struct mnp_session *session);                                    /* mnp_run_options.on_news */
    void (*progress)(struct mnp_session *session, struct mnp_progress *progress); /* fills in parts, pieces and work */
    bool (*is_idle)(const struct mnp_session *session);                           /* all work it was given is done */

    /* Called at the end of a device's work, in this order. `collect` adds parts in progress to the results; `count`
     * brings the units' own counters (slot 0) up to date, also before each sample; `total` completes the device's
     * total, to which the units have been added (`finished`: the work ran to its end). With several devices, `whole`
     * then completes the total of the machine, to which the devices' totals have been added. */
    void (*collect)(struct mnp_session *session, uint32_t device);
    void (*count)(struct mnp_session *session);
    void (*total)(struct mnp_session *session, uint32_t device, bool finished);
    void (*whole)(struct mnp_session *session);

    /* Called at session.next_tick, when all units are settled, and then at the time that it returned last. It may
     * change clocks (mnp_engine_turn). */
    mnp_time (*tick)(struct mnp_session *session, mnp_time now);

    /* With several devices: whether all work of a device has ended. */
    bool (*is_over)(const struct mnp_session *session, uint32_t device);

    /* Work that was executed without timing has touched these extents of whole sectors while the machine was idle:
     * inserts them into its caches. NULL: the machine has no caches that it would affect. */
    void (*warm)(struct mnp_session *session, const struct mnp_extent *extents, uint32_t count);
    /* Like `warm`, for `bytes` bytes of a kernel's code and its first `constants` bytes of constants, parameters among
     * them; the kernel's next launch is not its first. NULL: there are no instruction caches. */
    void (*warm_code)(struct mnp_session *session, const char *kernel, uint64_t bytes, uint64_t constants);

    /* Snapshots. `standing` returns the machine's state and, in `*part`, the last part such that it and all earlier
     * parts have ended; 0: none. `keep` appends the state that lies outside the units to a snapshot. `take` restores
     * that state; the machine must not have run, the units' state has been restored, and its source is as when opened.
     * All three are NULL if the kind does not support snapshots. */
    enum mnp_standing (*standing)(const struct mnp_session *session, uint32_t *part);
    void (*keep)(const struct mnp_session *session, struct mnp_snapshot *snapshot);
    bool (*take)(struct mnp_session *session, struct mnp_snapshot_reader *reader);

    /* Describes what a stopped machine waits for, where its cores know more than its units; the caller frees the
     * text. */
    char *(*waiting)(const struct mnp_session *session);

    /* Memory that all cores share, which a caller may fill before the run and read after it: `bytes` bytes at an
     * address or, in a bank (numbered like cores), at an offset. NULL: this range is not entirely shared memory. */
    unsigned char *(*memory)(const struct mnp_session *session, uint32_t bank, uint64_t address, uint64_t bytes);
};

/* Returns the kind of a name in a NULL-terminated list, or NULL. */
const struct mnp_machine_kind *mnp_kind_find(const struct mnp_machine_kind *const *kinds, const char *name);

/* Returns the kind of a machine. Returns NULL on an error, which lists the known kinds. */
const struct mnp_machine_kind *mnp_kind_of(const struct mnp_machine_kind *const *kinds,
                                           const struct mnp_settings *settings, struct mnp_error *error);

/* Returns the first kind that accepts an input, or NULL. */
const struct mnp_machine_kind *mnp_kind_taking(const struct mnp_machine_kind *const *kinds, enum mnp_input input);

/* Fails with an error: machines of this kind do not accept `what`, which is an input of type `input`. The message names
 * the kinds that do. */
bool mnp_kind_refuse(const struct mnp_machine_kind *const *kinds, const struct mnp_settings *settings,
                     enum mnp_input input, const char *what, struct mnp_error *error);

#endif
