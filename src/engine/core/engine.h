/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The engine: conservative windows over units and links (DESIGN §2).
 *
 * It repeats: take the earliest time at which any unit has something to do; let every unit with something to do run
 * alone to the window's end; hand packets over. A window ends at the least of (horizon of a unit + its shortest
 * outgoing latency), at the end of the epoch in which it began, and at the limit; so a packet never arrives in a window
 * that it was sent in, and nothing in a window depends on the order in which units ran.
 *
 * Epochs are a fixed grid of times from zero, one lookahead (or the machine's choice) apart. State hashes and the end
 * of a run fall on that grid, so that nothing observable refers to a window: a run ends at the end of the epoch in
 * which it finishes, and at its limit exactly. A machine without memory may choose epochs longer than its lookahead, so
 * that its windows are bounded by what its units may do, not by the grid: their horizons alone keep a window safe.
 *
 * A span is as many epochs as flat memory may be constant for (DESIGN §3.1): writes are applied at its end, or where a
 * run ends inside it. Spans are a grid, too, but each is one epoch while relays let others near (stages.h). A run that
 * faults or hangs ends with the span.
 *
 * Executors that can run stages (engine/core/stages.h) have longer windows, of a part of the units each.
 *
 * An engine may be relaxed, which is outside all of this: see mnp_engine_relax.
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

enum mnp_stop { /* why a run ended */
                MNP_STOP_NOT_YET,
                MNP_STOP_FINISHED,    /* mnp_engine_finish was called by a unit */
                MNP_STOP_LIMIT,       /* simulated time reached the limit */
                MNP_STOP_FAULT,       /* a unit recorded a fault: engine.error, which goes before every other reason */
                MNP_STOP_HANG,        /* nothing can happen any more, but nobody has finished */
                MNP_STOP_LIVELOCK,    /* units act, but nothing has made progress for `livelock` */
                MNP_STOP_INTERRUPTED, /* *options.interrupt became MNP_WISH_END */
                MNP_STOP_TIME,        /* *options.interrupt became MNP_WISH_TIME */
};

/* Why somebody outside wants a run to end; as bits. */
enum mnp_wish {
    MNP_WISH_NONE,
    MNP_WISH_END = 1,  /* the user has said so */
    MNP_WISH_TIME = 2, /* the host's time that the user gave is over */
};

enum mnp_schedule { MNP_SCHEDULE_COST, MNP_SCHEDULE_STATIC, MNP_SCHEDULE_DYNAMIC };

/* The hash of the whole state at the end of an epoch, and those of its parts. */
struct mnp_epoch_hashes {
    const struct mnp_engine *engine;
    mnp_time end;
    uint64_t hash;
    uint64_t memory;
    const uint64_t *units; /* [unit_count] of a unit's state together with what it has sent and is still in flight */
};

/* Work besides the simulation, in small pieces, for threads that have nothing to do. It decides nothing. */
struct mnp_side_work {
    bool (*work)(void *context);    /* does a piece, on any thread; false: there is none now. NULL: none ever */
    const _Atomic uint32_t *wanted; /* not 0: there may be some */
    void *context;
};

struct mnp_run_options {
    const struct mnp_executor *executor;
    uint32_t threads; /* 1 … MNP_MAX_THREADS */
    enum mnp_schedule schedule;
    mnp_time window;   /* longest window; 0: as long as is safe. More than an epoch is the caller's error */
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
    /* Whether the machine has no work, and may be given some from outside: that nothing happens is then no hang, and
     * the run goes on to its limit. Asked between windows. NULL: it never is. */
    bool (*is_idle)(void *context);
    void (*on_epoch)(void *context, const struct mnp_epoch_hashes *hashes); /* may be NULL */
    void (*on_window)(void *context, mnp_time end); /* between windows, on the leader; may be NULL */
    /* After each window, for a record of what the units took: mnp_unit.spent, to be reset. May be NULL. */
    void (*on_costs)(void *context, struct mnp_engine *engine);
    void (*on_news)(void *context); /* after on_window, in all processes, where one has set engine.news; may be NULL */
    /* Called at `first_sample` and then at every time that it has returned last, which must be later, with all units
     * settled at that very time; no window but a relaxed one crosses such a time. NULL: never. */
    mnp_time (*on_sample)(void *context, mnp_time now);
    mnp_time first_sample;
    void *context;
};

/* Memory that changes only at the end of a span (engine/memory/memory.h implements it). */
struct mnp_epoch_hook {
    bool (*dirty)(void *context);                                  /* is there anything to apply? */
    void (*apply)(void *context, uint32_t shard, uint32_t shards); /* on every thread */
    bool (*applied)(void *context, struct mnp_error *error); /* once, after all of them; false: a fault. May be NULL */
    uint64_t (*hash)(void *context); /* of what this process holds: those of all processes are added */
    /* Of a machine that is cut into units as the host likes it: a hash of all its state, memory and packets on their
     * way included, which is the same for any cut, and stands for those of units and links in the hash of the whole. A
     * part of it, whose values are added like those of processes; on any thread. NULL: every unit and link counts. */
    uint64_t (*state)(void *context, uint32_t part, uint32_t parts);
    /* Of a machine whose units may be joined into one, which one thread computes for less: does so, or divides them
     * again, between two windows. NULL: it cannot. */
    void (*join)(void *context, bool joined);
    /* Of memory that every process has the whole of (DESIGN §2.11); otherwise NULL. `pack` makes this process's units'
     * writes of the span into bytes, to be freed, and returns how many; `unpack` takes another process's. */
    size_t (*pack)(void *context, const bool *foreign, void **bytes);
    void (*unpack)(void *context, const void *bytes, size_t length);
    void *context;
};

/* A machine whose units may run freely while nothing that concerns others is under way (executor s-events). */
struct mnp_free_hook {
    bool (*next)(void *context); /* on the leader, between windows: a phase begins; false: none. NULL: there are none */
    void (*run)(void *context, uint32_t worker, uint32_t workers); /* the phase, on every thread */
    void *context;
};

/* A device that computes all units of the machine (executor cuda). */
struct mnp_device_hook {
    /* Brings the machine from engine.now to `until`, and sets the units' wake-up times, progress and ends. False: the
     * device has failed. NULL: there is none. */
    bool (*advance)(void *context, mnp_time until, struct mnp_error *error);
    void *context;
    uint64_t moved;               /* changes when a packet is sent or taken on the device; with hash_epochs alone */
    uint64_t clocks, mesh_clocks; /* the device's, of all its threads: in kernels, and of these in the network */
};

/* What decides the next window: all that is known ahead, of all units. */
struct mnp_outlook {
    mnp_time earliest;      /* least time at which a unit acts */
    mnp_time bound;         /* that the units' horizons put on a window */
    mnp_time finish;        /* least time passed to mnp_engine_finish */
    mnp_time fault_time;    /* of the first fault; MNP_NEVER: none */
    uint64_t fault_order;   /* its place among those of the same time */
    uint64_t fault_unit;    /* its unit's id */
    mnp_time progress, due; /* greatest of the units' */
    uint64_t moved;         /* packets ever sent and taken; with hash_epochs alone */
    uint64_t interrupted;   /* enum mnp_wish: somebody wants the run to end */
    uint64_t idle;          /* nobody's work is outstanding: options.is_idle */
    uint64_t dirty;         /* flat memory has writes to be applied */
    uint64_t ended;         /* sum of the units' */
    mnp_time last_end;      /* greatest of the units' */
    uint64_t news;          /* engine.news of any process */
};

/* Parts of a machine that may run one after another (engine/core/stages.h). */
enum mnp_stage { MNP_STAGE_RELAYS, MNP_STAGE_OTHERS, MNP_STAGES, MNP_ALL_STAGES = (1 << MNP_STAGES) - 1 /* as bits */ };

struct mnp_engine {
    struct mnp_unit **units;
    uint32_t unit_count;
    struct mnp_link **links;
    uint32_t link_count;
    struct mnp_arena rings;    /* of the links */
    mnp_time lookahead;        /* least latency of a link */
    struct mnp_link *shortest; /* the link that sets it */
    mnp_time epoch;    /* distance of the grid; at most the lookahead where there is flat memory, unless relaxed */
    mnp_time span;     /* a multiple of it */
    mnp_time span_end; /* of the span that began last */
    bool relaxed;      /* windows are epochs, and late packets arrive at the end of the window they were sent in */
    struct mnp_epoch_hook hook;
    struct mnp_device_hook device;
    struct mnp_free_hook free;
    bool frozen;
    bool joined;             /* by hook.join */
    uint32_t group;          /* of units that are created next */
    char prefix[16];         /* of their names */
    struct mnp_ranks *ranks; /* the processes that the machine is spread over; NULL: this one alone */
    bool *foreign;           /* [unit_count] units of other processes; NULL: none */

    /* Between windows: the earliest time at which each unit has something to do. */
    _Atomic mnp_time *wake;
    mnp_time *horizon_latency;   /* least outgoing latency of each unit */
    uint32_t relays;             /* units of that stage; 0 also where there are no others: no windows of stages */
    bool has_near;               /* there are links between units that do not relay */
    bool near;                   /* and they may be used in the present span */
    uint8_t *stage;              /* [unit_count] enum mnp_stage */
    mnp_time *reach[MNP_STAGES]; /* [unit_count] the shortest walk from each unit to one of the stage, not over such */

    struct mnp_run_options options;
    uint64_t ends_after; /* the run has finished when the units' `ended` add up to this; 0: one of them says so */
    bool news;           /* set by on_window: on_news is to be called */
    mnp_time window_start, window_end;
    uint32_t window_stages;       /* that run in it; bits */
    mnp_time round_end;           /* of the round of stages that has begun; 0: none has */
    mnp_time ran[MNP_STAGES];     /* up to when stages have run in that round, … */
    mnp_time reached[MNP_STAGES]; /* … and up to when nobody would have acted in them, either */
    struct mnp_outlook outlook;   /* when the window was chosen */
    _Atomic mnp_time finish;      /* least time passed to mnp_engine_finish */
    enum mnp_stop stop;
    mnp_time next_sample;              /* MNP_NEVER: none */
    mnp_time now;                      /* all units have run up to here */
    mnp_time fault_time;               /* of the first fault that is known; MNP_NEVER: none */
    uint64_t fault_order;              /* its place among those of the same time */
    const struct mnp_unit *fault_unit; /* that recorded it; NULL: memory */
    struct mnp_error error;            /* the first fault */
    uint64_t hashed_packets;           /* packets sent and taken by the end of the last epoch, with hash_epochs */

    /* How the run went; observable only under "run" in the results. */
    uint64_t windows, unit_runs;
    struct mnp_placed placed; /* of its last mnp_engine_run */

    /* What the executor of the last run keeps for the next one (threads, what it has measured), and what gives it back.
     * NULL: nothing. */
    void *kept;
    void (*release_kept)(void *kept);
};

void mnp_engine_init(struct mnp_engine *engine);
void mnp_engine_release(struct mnp_engine *engine);

struct mnp_unit_plan {
    const struct mnp_model *model;
    const char *name;        /* copied; up to 31 bytes */
    void *self;              /* the model's own struct, which stays the caller's */
    uint64_t hertz;          /* of the model's clock */
    uint32_t slots;          /* parts that it counts apart */
    const uint32_t *lengths; /* [model->port_count] links at each port; NULL: one each */
    uint32_t
        bundle; /* units in a row that have the same number run on one thread where cores are divided evenly; 0: none */
};

/* Units created from now on belong to a group, 0 at first, and `prefix` (at most 15 bytes) stands before their names.
 * The work, the counters and the results of a group are apart from those of others. */
void mnp_engine_begin_group(struct mnp_engine *engine, uint32_t group, const char *prefix);

/* Creates the next unit of the machine: its arena has just the room for the counters and for what the model's `lay_out`
 * takes, and is zeroed. The unit's address stays valid. */
struct mnp_unit *mnp_engine_create_unit(struct mnp_engine *engine, const struct mnp_unit_plan *plan);

/* For mnp_connect (engine/core/port.h): adds a link; its number is its place. Its address stays valid. */
struct mnp_link *mnp_engine_add_link(struct mnp_engine *engine, struct mnp_unit *from, struct mnp_unit *to,
                                     mnp_time latency, uint32_t payload, uint32_t in_flight);

/* Ends the building: lookahead, epochs and inboxes are fixed. `epoch` 0: as long as the lookahead, which a machine of
 * one unit does not have. */
void mnp_engine_freeze(struct mnp_engine *engine, mnp_time epoch);

/* Leaves the contract (executor relaxed): after freezing and before the run, makes windows and epochs of `window`, and
 * lets a packet that would arrive inside the window it is sent in arrive at its end. */
void mnp_engine_relax(struct mnp_engine *engine, mnp_time window);

/* Wakes a unit at a time, before the run or between windows: units that act of themselves need one. */
void mnp_engine_wake(struct mnp_engine *engine, struct mnp_unit *unit, mnp_time time);

/* Between windows: calls hook.join, if that changes anything. */
void mnp_engine_join(struct mnp_engine *engine, bool joined);

/* Says, from inside an advance, that the machine's work is done at `time`. The run ends at the end of that epoch. */
void mnp_engine_finish(struct mnp_engine *engine, mnp_time time);

/* Runs until finished, limit, fault, hang, livelock or interrupt. After a finish or a limit it may be called again, and
 * goes on at engine->now; the caller passes the next sample that is due as the first. Threads wait meanwhile, asleep,
 * and the calling one is bound to nothing. */
enum mnp_stop mnp_engine_run(struct mnp_engine *engine, const struct mnp_run_options *options);

/* Brings every unit to engine->now, so that idle time is accounted for. Nothing is sent. */
void mnp_engine_settle(struct mnp_engine *engine);

/* Hash of the logical state at engine->now: all state arenas, all packets in flight, flat memory. */
uint64_t mnp_engine_hash(const struct mnp_engine *engine);

/* The same with its parts, for `on_epoch` of the run's options. */
void mnp_engine_hash_epoch(const struct mnp_engine *engine);

/* Hash of one unit's state arena; of its counters alone while it has never acted and nobody has sent it anything. */
uint64_t mnp_unit_hash(const struct mnp_unit *unit);

/* Writes who waits for what: every unit's report, the chains of waiting, and the links with packets in flight. */
void mnp_engine_report(const struct mnp_engine *engine, FILE *out);

/* The same as a text, to be freed by the caller; NULL when there is no memory for it. */
char *mnp_engine_report_text(const struct mnp_engine *engine);

/* ===== for executors ===== */

/* Decides the next window: sets window_start and window_end and returns true, or sets `stop` and returns false. */
bool mnp_window_begin(struct mnp_engine *engine);

/* Whether a unit has something to do in the present window. */
static inline bool mnp_window_concerns(const struct mnp_engine *engine, uint32_t unit)
{
    if (!(engine->window_stages >> engine->stage[unit] & 1))
        return false;
    return atomic_load_explicit(&engine->wake[unit], memory_order_acquire) < engine->window_end ||
           (engine->options.no_skip && !(engine->foreign && engine->foreign[unit]));
}

/* Runs one unit over the present window. Any thread; each unit once per window. */
void mnp_window_run_unit(struct mnp_engine *engine, uint32_t unit);

/* Whether writes to flat memory are to be applied now, on every thread, by hook.apply; afterwards, once, by
 * mnp_window_applied. */
bool mnp_window_applies(const struct mnp_engine *engine);
void mnp_window_applied(struct mnp_engine *engine);

/* Ends the window: faults, epoch hashes. */
void mnp_window_end(struct mnp_engine *engine);

#endif
