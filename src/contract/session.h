/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A running machine, of whatever kind: options in, results out. A session builds its machine through the kind's
 * functions (contract/kind.h), turns the user's request into options of the engine, takes samples, reports progress,
 * and collects the statistics.
 *
 * A session may be run in pieces of simulated time, with new work given to its source in between, as the calls of a
 * program require. Time, state, statistics, samples and hashes continue from piece to piece. If the run stops because a
 * part has ended (options.open_ended), it stops at the end of that epoch, so that the caller reacts at a time on the
 * fixed grid, which depends neither on windows nor on threads (DESIGN §2.4). New work is visible from the session's
 * current time on.
 *
 * A machine may have several devices, if its kind allows it. Each has a source of its own. When the work of one device
 * has ended, its results are completed at the end of that epoch, as if it had been alone; the other devices continue.
 */
#ifndef MNP_CONTRACT_SESSION_H
#define MNP_CONTRACT_SESSION_H

#include "contract/kind.h"
#include "engine/core/engine.h"
#include "engine/core/request.h"
#include "engine/count/ledger.h"
#include "engine/spread/transport.h"

enum mnp_core_way { /* how cores are computed, for kinds that have several ways; the results are the same */
                    MNP_CORE_AUTO, /* translation if a cached one exists or if so many cores make it worthwhile */
                    MNP_CORE_INTERPRETER,
                    MNP_CORE_TRANSLATION,
};

/* Pointers to functions may be NULL. All are called between windows, on one thread. */
struct mnp_session_options {
    struct mnp_run_request request;
    enum mnp_core_way core;
    /* schedule cost: expected work, in ticks, that justifies one more thread; 0: the default */
    uint64_t worth;
    bool without_hash;            /* the final state hash is not needed */
    bool open_ended;              /* the source waits for commands, and the run stops when a part has ended */
    const _Atomic int *interrupt; /* enum mnp_wish; may be NULL */
    /* Whether a part is simulated; NULL: all are. If `name` is NULL (not known yet): whether it may be. */
    bool (*selects)(const void *selection, uint32_t part, const char *name);
    const void *selection;
    void (*on_epoch)(void *context, const struct mnp_epoch_hashes *hashes);  /* if not NULL, epochs are hashed */
    void (*on_costs)(void *context, struct mnp_engine *engine);              /* after each window (engine.h) */
    void (*on_progress)(void *context, const struct mnp_progress *progress); /* called from time to time */
    void (*on_part_end)(void *context, uint32_t device, uint32_t part, mnp_time from,
                        mnp_time to); /* exact to the cycle */
    /* output of a program, ordered by time */
    void (*on_output)(void *context, const unsigned char *text, uint32_t bytes);
    void (*on_remark)(void *context, const char *text); /* a remark about this run, which -v prints */
    void (*on_notice)(void *context, const char *text); /* work of seconds before the run begins, unless -q */
    /* Called before the run starts, so that mnp_session_take can restore a snapshot. Returns false on an error. */
    bool (*on_begin)(void *context, struct mnp_session *session, struct mnp_error *error);
    /* Called when a part has ended and none is in progress, so that mnp_session_keep can take a snapshot; all parts up
     * to `part` have ended. If it returns false, the run ends here. */
    bool (*on_pause)(void *context, struct mnp_session *session, uint32_t part);
    void *context;                         /* argument of all these functions */
    const struct mnp_transport *transport; /* executor mpi: the processes that share the machine; otherwise NULL */
};

struct mnp_snapshot;
struct mnp_snapshot_reader;

/* A device of the machine, with its own work, counters and results. */
struct mnp_session_device {
    struct mnp_source *source;   /* source of its work; NULL: none */
    struct mnp_results *results; /* its own results; with one device, those of the session */
    struct mnp_ledger ledger;    /* ledger of its group of units */
    /* several devices, set by the kind: the unit that takes its work from outside; NULL: the session's */
    struct mnp_unit *intake;
    bool over; /* several devices: its work has ended and its results are complete */
};

struct mnp_session {
    const struct mnp_machine_kind *kind;
    struct mnp_session_options options;
    struct mnp_results *results;
    struct mnp_source *source; /* source of the first device */
    struct mnp_session_device *devices;
    uint32_t device_count; /* at least 1; the number of devices that have work */
    const struct mnp_settings *settings;

    /* Set by the kind's `open`. */
    void *machine; /* private to the kind */
    struct mnp_engine *engine;
    uint64_t hertz;          /* frequency of the core clock, in whose cycles users count */
    uint64_t livelock;       /* cycles without progress after which the run ends as a livelock; 0: never */
    uint64_t ends_after;     /* see mnp_engine.ends_after */
    struct mnp_unit *intake; /* the unit that takes work from outside; NULL: none */
    struct mnp_settling settling; /* counters of device 0 that follow from others: set by the kind when it opens */
    mnp_time next_tick;      /* when the kind's `tick` is called first, later than 0; 0: never */

    /* The session's own. */
    mnp_time next_row; /* end of the sampling interval; MNP_NEVER: there are no samples */
    struct mnp_run_options engine_options;
    const struct mnp_model *const *counting; /* kind->counting, or a copy with added or extended models */
    uint32_t counting_count;                 /* number of models there */
    enum mnp_stop stop;                      /* why the last run of the engine ended; NOT_YET before the first run */
    bool reached;                            /* the last run ended because it reached the requested time */
};

/* Builds the machine of `settings`, filling and finishing them. The caller has initialised `results` and, for several
 * devices, may have provided results for each of them. `results`, and everything that `work` and the options point to,
 * must outlive the session; `settings` must outlive all uses of the results. Returns NULL on an error of the user. */
struct mnp_session *mnp_session_open(const struct mnp_machine_kind *kind, struct mnp_settings *settings,
                                     const struct mnp_work *work, const struct mnp_session_options *options,
                                     struct mnp_results *results, struct mnp_error *error);

/* Runs to `until`, which is a multiple of the epoch or MNP_NEVER. Returns NOT_YET if that time has been reached, and
 * FINISHED if a part has ended (open_ended) or all work has ended. Any other stop is final; for a fault, `error` is
 * set. */
enum mnp_stop mnp_session_run(struct mnp_session *session, mnp_time until, struct mnp_error *error);

/* Makes the machine look at its sources again. */
void mnp_session_wake(struct mnp_session *session);

/* Announces an external event at a time. The work may be waiting for that event, so livelock detection pauses until
 * then. */
void mnp_session_expect(struct mnp_session *session, mnp_time time);

mnp_time mnp_session_now(const struct mnp_session *session);
mnp_time mnp_session_epoch(const struct mnp_session *session); /* distance between points of the grid */

/* The value of a statistic of a device at the session's current time, in the middle of a run. Returns false if no model
 * has it, or if the machine is spread over processes. */
bool mnp_session_present(const struct mnp_session *session, uint32_t device, const char *name,
                         struct mnp_statistic_value *value);

/* Fills in the results, once, at the end. Parts in progress are marked as partial. */
void mnp_session_collect(struct mnp_session *session);
void mnp_session_release(struct mnp_session *session);

/* Opens a session, runs it to its end, and collects its results. Returns false on an error of the user, or a fault of
 * the program. */
bool mnp_session_run_all(const struct mnp_machine_kind *kind, struct mnp_settings *settings,
                         const struct mnp_work *work, const struct mnp_session_options *options,
                         struct mnp_results *results, struct mnp_error *error);

/* ===== snapshots (docs/snapshots.md) ===== */

/* Appends the session to a snapshot: counters and machine. The machine stands between two parts
 * (mnp_machine_kind.standing). Contents of memory are saved and restored by the source. */
void mnp_session_keep(const struct mnp_session *session, struct mnp_snapshot *snapshot);

/* Restores a snapshot into a session that has just been opened: results, time and machine then equal those of an
 * uninterrupted run. Returns false with the reader's error; the session is then unusable. */
bool mnp_session_take(struct mnp_session *session, struct mnp_snapshot_reader *reader);

/* ===== for kinds ===== */

/* For `open`: replaces a model of kind->counting by a copy with `count` more counters behind its own rows. The copy
 * lives as long as the results. */
const struct mnp_model *mnp_session_extend(struct mnp_session *session, const struct mnp_model *model,
                                           const struct mnp_statistic *rows, size_t count);

/* For `open`: adds a model with statistics, behind the others. The model lives as long as the results. */
void mnp_session_count(struct mnp_session *session, const struct mnp_model *model);

/* Allocates zeroed memory that lives as long as the results, which may refer to it. */
void *mnp_session_allocate(struct mnp_session *session, size_t count, size_t size);

/* Conversions between time and the session's core cycles: the cycle that contains a time, and the time at which a cycle
 * begins. */
uint64_t mnp_session_cycle(const struct mnp_session *session, mnp_time time);
mnp_time mnp_session_time(const struct mnp_session *session, uint64_t cycle);

/* Adds a part of a device's work, which lasted from `from` to `to`, with the counters of a slot, and calls on_part_end.
 * The caller describes the part and sets its id at once. */
struct mnp_part_results *mnp_session_add_part(struct mnp_session *session, uint32_t device, uint32_t id, uint32_t slot,
                                              mnp_time from, mnp_time to, bool partial);

#endif
