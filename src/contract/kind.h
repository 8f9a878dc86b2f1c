/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A kind of machine, as everything outside of it sees it: a name, tables of models, and functions that build a machine
 * of that kind and say what its work is. All else that a run needs (options, epochs, costs, samples, progress, limits,
 * processes, results) is the session's (contract/session.h), which is written once for all kinds.
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

/* Where a machine stands that has been stopped. */
enum mnp_standing {
    MNP_STANDS_INSIDE,  /* parts of its work are under way */
    MNP_STANDS_BETWEEN, /* none are: it can be kept in a snapshot */
    MNP_STANDS_OVER,    /* nor will there be any more */
};

/* What a machine can be given to do. */
enum mnp_input {
    MNP_INPUT_NONE = 1,    /* nothing: its parameters say what it does */
    MNP_INPUT_KERNELS = 2, /* kernels: a trace */
    MNP_INPUT_PROGRAM = 4, /* a program that its cores run */
    MNP_INPUT_CALLS = 8,   /* what a host program asks the CUDA runtime for, as it goes */
};

/* For mnp_machine_kind.memory: no single bank, but all memory that is shared. */
#define MNP_WHOLE_MEMORY UINT32_MAX

/* Bytes of global memory. */
struct mnp_extent {
    uint64_t address, bytes;
};

struct mnp_work {
    enum mnp_input input;
    struct mnp_source *source;        /* KERNELS, CALLS */
    struct mnp_source *const *others; /* [other_count] KERNELS: of the machine's devices behind the first, in order */
    uint32_t other_count;
    const struct mnp_program *program; /* PROGRAM */
    const char *words;                 /* PROGRAM: its command line, as it may ask for it; NULL: none */
};

/* Functions but `check`, `open` and `close` may be NULL. They are called between windows, on one thread. */
struct mnp_machine_kind {
    const char *name;                        /* what a machine file says in machine.kind */
    const char *summary;                     /* one sentence */
    const struct mnp_model *const *models;   /* NULL-terminated: all, for `maniple models` */
    const struct mnp_model *const *counting; /* NULL-terminated: those with statistics, in the order of results */
    const struct mnp_results_form *form;     /* how results speak of it */
    unsigned inputs;                         /* enum mnp_input: what its machines take */
    const char *cores;                       /* the key of its number of cores (`--cores`); NULL: there is none */
    const char
        *samples; /* statistics usually wanted over time, as engine/count/samples.h has them; NULL: none can be */

    bool several;  /* its machines may have several devices, each with work and results of its own */
    bool tally;    /* what each instruction costs can be tallied (mnp_run_request.by_instruction) */
    bool energy;   /* energies can be counted, with the key energy.model */
    bool timeline; /* CTAs, warps and packets can be written down (mnp_run_request.timeline_work, timeline_to) */

    /* Resolves all parameters of a machine without building it: every mistake in its file shows. */
    bool (*check)(struct mnp_settings *settings, struct mnp_error *error);

    /* Builds a machine and freezes its engine: sets the session's part that is the kind's. `work` is of an input that
     * the kind takes; what it points to outlives the session. False: an error of the user's; `close` is called in that
     * case too. */
    bool (*open)(struct mnp_session *session, struct mnp_settings *settings, const struct mnp_work *work,
                 struct mnp_error *error);
    void (*close)(struct mnp_session *session);

    /* Windows become longer than is safe: so many core cycles. NULL: a machine that is never relaxed. */
    void (*relax)(struct mnp_session *session, uint64_t cycles);

    void (*between)(struct mnp_session *session, mnp_time end);                   /* a window has ended */
    void (*news)(struct mnp_session *session);                                    /* mnp_run_options.on_news */
    void (*progress)(struct mnp_session *session, struct mnp_progress *progress); /* fills in parts, pieces, work */
    bool (*is_idle)(const struct mnp_session *session); /* nothing that it was given is left to do */

    /* At the end of a device's work, in this order: adds parts that are under way to its results; brings the units' own
     * counters (slot 0) up to date; completes its total, to which the units have been added. `finished`: it ran to its
     * end. Then, of several devices, completes the total of the whole, to which theirs have been added. */
    void (*collect)(struct mnp_session *session, uint32_t device);
    void (*count)(struct mnp_session *session);
    void (*total)(struct mnp_session *session, uint32_t device, bool finished);
    void (*whole)(struct mnp_session *session);

    /* Of several devices: whether all work of one has ended. */
    bool (*is_over)(const struct mnp_session *session, uint32_t device);

    /* Something that was executed without time has touched these extents, of whole sectors, while the machine had
     * nothing to do: they lie in its caches from now on. NULL: it has none that would show it. */
    void (*warm)(struct mnp_session *session, const struct mnp_extent *extents, uint32_t count);
    /* The same of a kernel's code, so many bytes, and of its first constants. NULL: there are no caches of code. */
    void (*warm_code)(struct mnp_session *session, const char *kernel, uint64_t bytes);

    /* Where it stands; `*part`: the number of the last part before which all have ended; 0: none. Together with
     * the next two, which append to a snapshot what lies outside of the units' state, and take it back into a machine
     * that has not run, whose units' state has been restored, and whose source is as it was opened. NULL, all three:
     * the kind has no snapshots. */
    enum mnp_standing (*standing)(const struct mnp_session *session, uint32_t *part);
    void (*keep)(const struct mnp_session *session, struct mnp_snapshot *snapshot);
    bool (*take)(struct mnp_session *session, struct mnp_snapshot_reader *reader);

    /* What a machine that was stopped waits for, where its cores say more than its units; to be freed. */
    char *(*waiting)(const struct mnp_session *session);

    /* Memory that all cores share, for whoever fills it before the run and reads it behind: `bytes` at an address, or,
     * of a bank (counted like cores), at a distance from its beginning. NULL: not all of it is such memory. */
    unsigned char *(*memory)(const struct mnp_session *session, uint32_t bank, uint64_t address, uint64_t bytes);
};

/* The kind of a name in a NULL-terminated list; NULL: there is none. */
const struct mnp_machine_kind *mnp_kind_find(const struct mnp_machine_kind *const *kinds, const char *name);

/* The kind of a machine; NULL: an error that names the kinds there are. */
const struct mnp_machine_kind *mnp_kind_of(const struct mnp_machine_kind *const *kinds,
                                           const struct mnp_settings *settings, struct mnp_error *error);

/* The first kind that takes an input; NULL: none does. */
const struct mnp_machine_kind *mnp_kind_taking(const struct mnp_machine_kind *const *kinds, enum mnp_input input);

/* Fails: a machine of that kind does not take `what`, which is of an input. Names the kinds that do. */
bool mnp_kind_refuse(const struct mnp_machine_kind *const *kinds, const struct mnp_settings *settings,
                     enum mnp_input input, const char *what, struct mnp_error *error);

#endif
