/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The engine: conservative windows over units and links (DESIGN §2).
 *
 * The main loop determines the earliest time at which any unit has something to do, lets every unit with something to
 * do run on its own to the window's end, and hands packets over. A window ends at the minimum of (horizon of a unit +
 * its shortest outgoing latency), at the end of the epoch in which it began, and at the limit. Therefore a packet never
 * arrives in the window in which it was sent, and no result depends on the order in which units ran.
 *
 * Epochs are a fixed grid of times from zero, one lookahead (or the machine's choice) apart. State hashes and the end
 * of a run fall on that grid, so that nothing observable refers to a window: a run ends at the end of the epoch in
 * which it finishes, or exactly at its limit. A machine without memory may choose epochs longer than its lookahead, so
 * that its windows are limited by its units' horizons, not by the grid; the horizons alone keep a window safe.
 *
 * A span is the number of epochs during which flat memory stays constant (DESIGN §3.1): writes are applied at its end,
 * or where a run ends inside it. Spans form a grid, too, but a span is one epoch while relays allow direct messages
 * (stages.h). A run that faults or hangs ends with the span.
 *
 * Executors that support stages (engine/core/stages.h) have longer windows, each for a part of the units.
 *
 * Relaxed execution is outside this contract: see mnp_engine_relax.
 *
 * Order of calls: init; create units; connect them (engine/core/port.h); freeze; run; then read counters, hash and
 * reports; release.
 */
#ifndef MNP_ENGINE_CORE_ENGINE_H
#define MNP_ENGINE_CORE_ENGINE_H

#include "engine/core/placed.h"
#include "engine/core/unit.h"

#include <stdatomic.h>

struct mnp_executor;
struct mnp_ranks;

enum mnp_stop { /* reason why a run ended */
                MNP_STOP_NOT_YET,
                MNP_STOP_FINISHED, /* mnp_engine_finish was called by a unit */
                MNP_STOP_LIMIT,    /* simulated time reached the limit */
                /* a unit recorded a fault, engine.error; takes precedence over all other reasons */
                MNP_STOP_FAULT,
                MNP_STOP_HANG,        /* no event can happen any more, but no unit has finished the run */
                MNP_STOP_LIVELOCK,    /* units act, but have made no progress for `livelock` */
                MNP_STOP_INTERRUPTED, /* *options.interrupt became MNP_WISH_END */
                MNP_STOP_TIME,        /* *options.interrupt became MNP_WISH_TIME */
};

/* Reasons for an external request to end a run, as bits. */
enum mnp_wish {
    MNP_WISH_NONE,
    MNP_WISH_END = 1,  /* requested by the user */
    MNP_WISH_TIME = 2, /* the user's limit of host time has expired */
};

enum mnp_schedule { MNP_SCHEDULE_COST, MNP_SCHEDULE_STATIC, MNP_SCHEDULE_DYNAMIC };

/* The hash of the whole state at the end of an epoch, and the hashes of its components. */
struct mnp_epoch_hashes {
    const struct mnp_engine *engine;
    mnp_time end;
    uint64_t hash;
    uint64_t memory;
    /* [unit_count] hashes of a unit's state together with the packets that it has sent and that are in flight */
    const uint64_t *units;
};

/* Work in small pieces, unrelated to the simulation, for idle threads. It has no effect on results. */
struct mnp_side_work {
    /* does a piece of work, on any thread; returns false if there is none at present. NULL: never any */
    bool (*work)(void *context);
    const _Atomic uint32_t *wanted; /* nonzero: there may be work */
    void *context;
};

struct mnp_run_options {
    const struct mnp_executor *executor;
    uint32_t threads; /* 1 … MNP_MAX_THREADS */
    enum mnp_schedule schedule;
    mnp_time window;   /* longest window; 0: as long as safe. A value above the epoch is an error of the caller */
    mnp_time limit;    /* simulated time at which to stop; 0: none */
    mnp_time livelock; /* simulated time without progress that counts as a livelock; 0: never */
    bool no_skip;      /* every unit visits every cycle of its clock */
    uint32_t chunk;    /* executor openmp: units handed out at a time; 0: one */
    const char
        *assign;      /* cores of each thread (executors/split.h), for executors that assign them; NULL: even chunks */
    uint64_t worth;   /* schedule cost: expected work, in ticks, that is worth one more thread; 0: the usual */
    bool hash_epochs; /* hash the state at the end of every epoch in which a packet was sent or taken or a unit made
                            progress, and call `on_epoch` */
    bool pin;         /* bind threads to processors */
    struct mnp_side_work side;
    const _Atomic int *interrupt; /* enum mnp_wish; may be NULL */
    /* Whether the machine has no work, but may receive some from outside. Inactivity is then not a hang, and the run
     * continues to its limit. Called between windows. NULL: never. */
    bool (*is_idle)(void *context);
    void (*on_epoch)(void *context, const struct mnp_epoch_hashes *hashes); /* may be NULL */
    void (*on_window)(void *context, mnp_time end); /* between windows, on the leader; may be NULL */
    /* Called after each window, to record the units' host time: mnp_unit.spent, which the callee resets. May be
     * NULL. */
    void (*on_costs)(void *context, struct mnp_engine *engine);
    /* called after on_window, in all processes, if one of them has set engine.news; may be NULL */
    void (*on_news)(void *context);
    /* Called at `first_sample` and then at the time that it returned last, which must be later. It may change clocks
     * (mnp_engine_turn). All units are settled at exactly that time; no window crosses it, except relaxed ones. NULL:
     * never. */
    mnp_time (*on_sample)(void *context, mnp_time now);
    mnp_time first_sample;
    void *context;
};

/* Memory that changes only at the end of a span (engine/memory/memory.h implements it). */
struct mnp_epoch_hook {
    bool (*dirty)(void *context);                                  /* whether there are writes to apply */
    void (*apply)(void *context, uint32_t shard, uint32_t shards); /* on every thread */
    /* called once, after all `apply` calls; false: a fault. May be NULL */
    bool (*applied)(void *context, struct mnp_error *error);
    uint64_t (*hash)(void *context); /* hash of this process's part; the parts of all processes are added */
    /* For a machine whose division into units depends on the host: a hash of its whole state, including memory and
     * packets in flight, which is the same for any division. It replaces the hashes of units and links. The call
     * returns the hash of one of `parts` parts, on any thread; the parts are added, as are those of processes. NULL:
     * units and links are hashed. */
    uint64_t (*state)(void *context, uint32_t part, uint32_t parts);
    /* For a machine whose units can be joined into one, which is cheaper on one thread: joins or divides them, between
     * two windows. NULL: not supported. */
    void (*join)(void *context, bool joined);
    /* For memory that is replicated in every process (DESIGN §2.11); otherwise NULL. `pack` converts the writes of this
     * process's units in the span to bytes, which the caller frees, and returns their number; `unpack` applies another
     * process's. */
    size_t (*pack)(void *context, const bool *foreign, void **bytes);
    void (*unpack)(void *context, const void *bytes, size_t length);
    void *context;
};

/* A machine whose units may run freely while no interaction with other units is pending (executor s-events). */
struct mnp_free_hook {
    /* called on the leader, between windows: begins a phase; false: none. NULL: not supported */
    bool (*next)(void *context);
    void (*run)(void *context, uint32_t worker, uint32_t workers); /* runs the phase, on every thread */
    void *context;
};

/* A device that computes all units of the machine (executor cuda). */
struct mnp_device_hook {
    /* Advances the machine from engine.now to `until`, and sets the units' wake-up times, progress and ends. Returns
     * false if the device has failed. NULL: there is no device. */
    bool (*advance)(void *context, mnp_time until, struct mnp_error *error);
    void *context;
    uint64_t moved;               /* changes when a packet is sent or taken on the device; only with hash_epochs */
    uint64_t clocks, mesh_clocks; /* device clocks summed over its threads: in kernels, and of these in the network */
};

/* The data that determines the next window: a summary over all units. */
struct mnp_outlook {
    mnp_time earliest;      /* earliest time at which a unit acts */
    mnp_time bound;         /* limit of the window by the units' horizons */
    mnp_time finish;        /* earliest time passed to mnp_engine_finish */
    mnp_time fault_time;    /* time of the first fault; MNP_NEVER: none */
    uint64_t fault_order;   /* order among faults of the same time */
    uint64_t fault_unit;    /* id of the faulting unit */
    mnp_time progress, due; /* maximum over the units */
    uint64_t moved;         /* number of packets sent and taken so far; only with hash_epochs */
    uint64_t interrupted;   /* enum mnp_wish: an external request to end the run */
    uint64_t idle;          /* no work is outstanding: options.is_idle */
    uint64_t dirty;         /* flat memory has writes to be applied */
    uint64_t ended;         /* sum over the units */
    mnp_time last_end;      /* maximum over the units */
    uint64_t news;          /* engine.news of any process */
};

/* Groups of units that may run one after another (engine/core/stages.h). */
enum mnp_stage {
    MNP_STAGE_RELAYS,
    MNP_STAGE_OTHERS,
    MNP_STAGES,
    MNP_ALL_STAGES = (1 << MNP_STAGES) - 1 /* set of bits */
};

struct mnp_engine {
    struct mnp_unit **units;
    uint32_t unit_count;
    struct mnp_link **links;
    uint32_t link_count;
    struct mnp_arena rings;    /* rings of the links */
    mnp_time lookahead;        /* least latency of a link */
    struct mnp_link *shortest; /* the link that sets it */
    mnp_time epoch;    /* distance of the grid; at most the lookahead where there is flat memory, unless relaxed */
    mnp_time span;     /* a multiple of it */
    mnp_time span_end; /* end of the span that began last */
    bool relaxed;      /* windows are epochs, and late packets arrive at the end of the window they were sent in */
    struct mnp_epoch_hook hook;
    struct mnp_device_hook device;
    struct mnp_free_hook free;
    bool frozen;
    bool joined;             /* units are joined (hook.join) */
    uint32_t group;          /* group of units that are created next */
    char prefix[16];         /* prefix of these units' names */
    struct mnp_ranks *ranks; /* the processes over which the machine is spread; NULL: only this one */
    bool *foreign;           /* [unit_count] units that belong to other processes; NULL: none */

    /* Between windows: the earliest time at which each unit has something to do. */
    _Atomic mnp_time *wake;
    _Atomic uint64_t *link_news; /* words of all inboxes (engine/core/link.h), in a row */
    mnp_time *horizon_latency;   /* smallest outgoing latency of each unit */
    /* number of units in that stage; 0 also if there are no others: windows of stages are not used */
    uint32_t relays;
    bool has_near;  /* there are links between units that do not relay */
    bool near;      /* these links may be used in the current span */
    uint8_t *stage; /* [unit_count] enum mnp_stage */
    /* [unit_count] shortest path from each unit to a unit of the stage, without passing through another one */
    mnp_time *reach[MNP_STAGES];

    struct mnp_run_options options;
    /* the run has finished when the units' `ended` add up to this; 0: a unit calls mnp_engine_finish */
    uint64_t ends_after;
    bool news; /* set by on_window to request on_news */
    mnp_time window_start, window_end;
    uint32_t window_stages;       /* stages that run in the window, as bits */
    mnp_time round_end;           /* end of the current round of stages; 0: none */
    mnp_time ran[MNP_STAGES];     /* time up to which each stage has run in the round */
    mnp_time reached[MNP_STAGES]; /* time up to which each stage has run or would have had nothing to do */
    struct mnp_outlook outlook;   /* the outlook from which the window was chosen */
    _Atomic mnp_time finish;      /* earliest time passed to mnp_engine_finish */
    enum mnp_stop stop;
    mnp_time next_sample;              /* MNP_NEVER: none */
    bool turned;                       /* the sample that has just been taken has changed clocks */
    mnp_time now;                      /* all units have run up to this time */
    mnp_time fault_time;               /* time of the first known fault; MNP_NEVER: none */
    uint64_t fault_order;              /* order among faults of the same time */
    const struct mnp_unit *fault_unit; /* unit that recorded it; NULL: memory */
    struct mnp_error error;            /* the first fault */
    /* number of packets sent and taken by the end of the last epoch, with hash_epochs */
    uint64_t hashed_packets;

    /* Host-side facts about the run; visible only under "run" in the results. */
    uint64_t windows, unit_runs;
    struct mnp_placed placed; /* placement in the last mnp_engine_run */

    /* Data that the executor of the last run keeps for the next run (threads, measurements), and the function that
     * frees it. NULL: none. */
    void *kept;
    void (*release_kept)(void *kept);
};

void mnp_engine_init(struct mnp_engine *engine);
void mnp_engine_release(struct mnp_engine *engine);

struct mnp_unit_plan {
    const struct mnp_model *model;
    const char *name;        /* copied; up to 31 bytes */
    void *self;              /* the model's own struct, owned by the caller */
    uint64_t hertz;          /* frequency of the model's clock */
    uint32_t slots;          /* number of parts that are counted separately */
    const uint32_t *lengths; /* [model->port_count] links at each port; NULL: one each */
    uint32_t
        bundle; /* units in a row that have the same number run on one thread where cores are divided evenly; 0: none */
};

/* Assigns units created from now on to a group (initially 0) and prefixes their names by `prefix` (at most 15 bytes).
 * Each group has work, counters and results of its own. */
void mnp_engine_begin_group(struct mnp_engine *engine, uint32_t group, const char *prefix);

/* Creates the next unit of the machine. Its arena is zeroed and exactly as large as the counters and the pieces that
 * the model's `lay_out` takes. The unit's address stays valid. */
struct mnp_unit *mnp_engine_create_unit(struct mnp_engine *engine, const struct mnp_unit_plan *plan);

/* For mnp_connect (engine/core/port.h): adds a link, which is numbered by its index. Its address stays valid. */
struct mnp_link *mnp_engine_add_link(struct mnp_engine *engine, struct mnp_unit *from, struct mnp_unit *to,
                                     mnp_time latency, uint32_t payload, uint32_t in_flight);

/* Completes the construction: fixes lookahead, epochs and inboxes. `epoch` 0: equal to the lookahead, which a machine
 * of one unit does not have. */
void mnp_engine_freeze(struct mnp_engine *engine, mnp_time epoch);

/* Gives up determinism (executor relaxed). Call it after freezing and before the run. Windows and epochs have the
 * length `window`, and a packet that would arrive inside the window in which it is sent arrives at its end. */
void mnp_engine_relax(struct mnp_engine *engine, mnp_time window);

/* Wakes a unit at a time, before the run or between windows. Units that act without receiving a packet need it. */
void mnp_engine_wake(struct mnp_engine *engine, struct mnp_unit *unit, mnp_time time);

/* Lets a unit's clock follow the last stretch of its course, which begins at the first edge at engine->now or later.
 * Valid in options.on_sample alone, when all units are settled. The unit looks at itself again. */
void mnp_engine_turn(struct mnp_engine *engine, struct mnp_unit *unit);

/* Calls hook.join between windows, if that changes anything. */
void mnp_engine_join(struct mnp_engine *engine, bool joined);

/* Declares, from inside an advance, that the machine's work is done at `time`. The run ends at the end of that
 * epoch. */
void mnp_engine_finish(struct mnp_engine *engine, mnp_time time);

/* Runs until finished, limit, fault, hang, livelock or interrupt. After a finish or a limit it may be called again, and
 * continues at engine->now; the caller passes the next due sample time as first_sample. Between calls, threads sleep,
 * and the calling thread is not bound to a processor. */
enum mnp_stop mnp_engine_run(struct mnp_engine *engine, const struct mnp_run_options *options);

/* Advances every unit to engine->now, so that idle time is counted. Nothing is sent. */
void mnp_engine_settle(struct mnp_engine *engine);

/* Hash of the logical state at engine->now: all state arenas, all packets in flight, flat memory. A unit that has never
 * acted and received nothing counts by its counters alone. */
uint64_t mnp_engine_hash(const struct mnp_engine *engine);

/* Like mnp_engine_hash, with its components, for `on_epoch` of the run's options. */
void mnp_engine_hash_epoch(const struct mnp_engine *engine);

/* Writes the report of a hang: every unit's report, the chains of waits, and the links with packets in flight. */
void mnp_engine_report(const struct mnp_engine *engine, FILE *out);

/* Returns that report as a text, which the caller frees; NULL if memory is insufficient. */
char *mnp_engine_report_text(const struct mnp_engine *engine);

/* ===== for executors ===== */

/* Decides the next window: sets window_start and window_end and returns true, or sets `stop` and returns false. */
bool mnp_window_begin(struct mnp_engine *engine);

/* Whether a unit has something to do in the current window. */
static inline bool mnp_window_concerns(const struct mnp_engine *engine, uint32_t unit)
{
    if (!(engine->window_stages >> engine->stage[unit] & 1))
        return false;
    return atomic_load_explicit(&engine->wake[unit], memory_order_acquire) < engine->window_end ||
           (engine->options.no_skip && !(engine->foreign && engine->foreign[unit]));
}

/* Runs one unit over the current window. May be called from any thread; each unit once per window. */
void mnp_window_run_unit(struct mnp_engine *engine, uint32_t unit);

/* Whether writes to flat memory must be applied now. Every thread then calls hook.apply, and afterwards one thread
 * calls mnp_window_applied. */
bool mnp_window_applies(const struct mnp_engine *engine);
void mnp_window_applied(struct mnp_engine *engine);

/* Ends the window: handles faults and epoch hashes. */
void mnp_window_end(struct mnp_engine *engine);

#endif
