/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A machine while it is run, of whatever kind: options in, results out. A session builds its machine through the kind's
 * functions (contract/kind.h), turns what the user asks for into options of the engine, takes samples, reports
 * progress, and brings the statistics together.
 *
 * A session may be run in pieces of simulated time, its source being given more work in between: what a program's calls
 * need. Time goes on from piece to piece, and state, statistics, samples and hashes with it. Such a piece ends at the
 * end of the epoch in which a part of the work has ended (options.open_ended), so that whoever reacts to that does so
 * at a time of the fixed grid, which depends neither on windows nor on threads (DESIGN §2.4). New work is seen from
 * the time on at which the session stands.
 *
 * A machine may have several devices, if its kind says so. Each has a source of its own. When the work of one has
 * ended, its results are completed at the end of that epoch, as if it had been alone; the others go on.
 */
#ifndef MNP_CONTRACT_SESSION_H
#define MNP_CONTRACT_SESSION_H

#include "contract/kind.h"
#include "engine/core/engine.h"
#include "engine/core/request.h"
#include "engine/count/ledger.h"
#include "engine/spread/transport.h"

enum mnp_core_way { /* how cores are computed, of a kind that has several ways; the results are the same */
                    MNP_CORE_AUTO, /* translated if that was done before or pays for so many cores */
                    MNP_CORE_INTERPRETER,
                    MNP_CORE_TRANSLATION,
};

/* Pointers to functions may be NULL. All are called between windows, on one thread. */
struct mnp_session_options {
    struct mnp_run_request request;
    enum mnp_core_way core;
    uint64_t worth;               /* schedule cost: expected work, in ticks, worth one more thread; 0: the usual */
    bool without_hash;            /* nobody asks for the final state hash */
    bool open_ended;              /* the source waits for commands, and the run stops when a part has ended */
    const _Atomic int *interrupt; /* enum mnp_wish; may be NULL */
    /* Whether a part is simulated; NULL: all are. `name` NULL: it is not known yet; whether it could be. */
    bool (*selects)(const void *selection, uint32_t part, const char *name);
    const void *selection;
    void (*on_epoch)(void *context, const struct mnp_epoch_hashes *hashes);  /* not NULL: epochs are hashed */
    void (*on_costs)(void *context, struct mnp_engine *engine);              /* after each window (engine.h) */
    void (*on_progress)(void *context, const struct mnp_progress *progress); /* now and then */
    void (*on_part_end)(void *context, uint32_t device, uint32_t part, mnp_time from,
                        mnp_time to);                                            /* exact to the cycle */
    void (*on_output)(void *context, const unsigned char *text, uint32_t bytes); /* of a program, in order of time */
    void (*on_remark)(void *context, const char *text); /* something about this run that -v tells */
    /* Not NULL: called before anything has run, for mnp_session_take. False: `error` is set. */
    bool (*on_begin)(void *context, struct mnp_session *session, struct mnp_error *error);
    /* Not NULL: called when a part has ended and none is under way, for mnp_session_keep; all parts up to this one have
     * ended. False: the run ends here. */
    bool (*on_pause)(void *context, struct mnp_session *session, uint32_t part);
    void *context;                         /* of all of these */
    const struct mnp_transport *transport; /* of executor mpi: the processes to spread the machine over; else NULL */
};

struct mnp_snapshot;
struct mnp_snapshot_reader;

/* A device of the machine: what has work, counters and results of its own. */
struct mnp_session_device {
    struct mnp_source *source;   /* of its work; NULL: it has none */
    struct mnp_results *results; /* its own; the session's where there is one device */
    struct mnp_ledger ledger;    /* of its group of units */
    struct mnp_unit *intake;     /* of several, set by the kind: takes its work from outside; NULL: the session's */
    bool over;                   /* of several: its work has ended, and its results are complete */
};

struct mnp_session {
    const struct mnp_machine_kind *kind;
    struct mnp_session_options options;
    struct mnp_results *results;
    struct mnp_source *source; /* of the first device */
    struct mnp_session_device *devices;
    uint32_t device_count; /* from 1 on; as many as the work is for */
    const struct mnp_settings *settings;

    /* Set by the kind's `open`. */
    void *machine; /* the kind's own */
    struct mnp_engine *engine;
    uint64_t hertz;          /* of the clock whose cycles users speak of */
    uint64_t livelock;       /* cycles without progress that end a run; 0: none do */
    uint64_t ends_after;     /* see mnp_engine.ends_after */
    struct mnp_unit *intake; /* the unit that takes work from outside; NULL: none does */

    /* The session's own. */
    struct mnp_run_options engine_options;
    const struct mnp_model *const *counting; /* kind->counting, or with a model that was extended */
    uint32_t counting_count;                 /* models there */
    enum mnp_stop stop;                      /* why the last run of the engine ended; before the first one, NOT_YET */
    bool reached;                            /* that was the time asked for */
};

/* Builds the machine of `settings` (filling and finishing them). What `work` and the options point to, and `results`,
 * which the caller has initialised and, for several devices, may have given theirs, must outlive the session, and
 * `settings` the reading of the results. NULL: an error of the user's. */
struct mnp_session *mnp_session_open(const struct mnp_machine_kind *kind, struct mnp_settings *settings,
                                     const struct mnp_work *work, const struct mnp_session_options *options,
                                     struct mnp_results *results, struct mnp_error *error);

/* Runs to `until`, a multiple of the epoch, or MNP_NEVER. NOT_YET: it has been reached. FINISHED: a part has ended, or
 * with work that has ended, all of it. Any other stop is the last one; of a fault, `error` is set. */
enum mnp_stop mnp_session_run(struct mnp_session *session, mnp_time until, struct mnp_error *error);

/* Lets the machine look at its sources again. */
void mnp_session_wake(struct mnp_session *session);

/* Something from outside will happen at a time, which the work may be waiting for: until then it is no livelock. */
void mnp_session_expect(struct mnp_session *session, mnp_time time);

mnp_time mnp_session_now(const struct mnp_session *session);
mnp_time mnp_session_epoch(const struct mnp_session *session); /* the distance of the grid */

/* Fills in the results, once, at the end. Parts under way are partial. */
void mnp_session_collect(struct mnp_session *session);
void mnp_session_release(struct mnp_session *session);

/* Opens a session, runs it to its end, and collects. False: an error of the user's, or a fault of the program. */
bool mnp_session_run_all(const struct mnp_machine_kind *kind, struct mnp_settings *settings,
                         const struct mnp_work *work, const struct mnp_session_options *options,
                         struct mnp_results *results, struct mnp_error *error);

/* ===== snapshots (docs/snapshots.md) ===== */

/* Appends a session whose machine stands between two parts (mnp_machine_kind.standing): what has been counted, and
 * the machine. What memory holds is the source's to bring back. */
void mnp_session_keep(const struct mnp_session *session, struct mnp_snapshot *snapshot);

/* Makes a session that has just been opened into the one that was kept: results, time and machine are those of a run
 * that went on. False: the reader's error; the session is of no use any more. */
bool mnp_session_take(struct mnp_session *session, struct mnp_snapshot_reader *reader);

/* ===== for kinds ===== */

/* For `open`: a copy of a model of kind->counting with `count` counters more behind its own rows, in whose place it
 * stands from now on; it lives as long as the results. */
const struct mnp_model *mnp_session_extend(struct mnp_session *session, const struct mnp_model *model,
                                           const struct mnp_statistic *rows, size_t count);

/* For `open`: a model more that is counted, behind the others. It lives as long as the results. */
void mnp_session_count(struct mnp_session *session, const struct mnp_model *model);

/* Zeroed memory that lives as long as the results, which may refer to it. */
void *mnp_session_allocate(struct mnp_session *session, size_t count, size_t size);

/* The session's core cycle that a time lies in, and the time that a core cycle begins at. */
uint64_t mnp_session_cycle(const struct mnp_session *session, mnp_time time);
mnp_time mnp_session_time(const struct mnp_session *session, uint64_t cycle);

/* Adds a part of a device's work, which lasted between two times, with the counters of a slot, and tells whoever asked
 * to be told. The kind describes it, and sets its id at once. */
struct mnp_part_results *mnp_session_add_part(struct mnp_session *session, uint32_t device, uint32_t id, uint32_t slot,
                                              mnp_time from, mnp_time to, bool partial);

#endif
