/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An SM from inside: the parts that its stages own, each declared in the header of its owner, which alone writes them;
 * others call a function of that header, or raise an event (events.h). Beside them stands what is fixed by the machine.
 *
 * State that is hashed lies in `struct sm_state` and the arrays in the unit's arena. What `struct sm` holds directly
 * is fixed by the machine, derivable, or empty between cycles.
 */
#ifndef GPU_SM_STATE_H
#define GPU_SM_STATE_H

#include "contract/live.h"
#include "engine/core/engine.h"
#include "gpu/listeners/listener.h"
#include "gpu/sm/buffer.h"
#include "gpu/sm/conflicts.h"
#include "gpu/sm/operands.h"
#include "gpu/sm/scheduler.h"
#include "gpu/sm/slots.h"
#include "gpu/sm/sm.h"
#include "gpu/sm/stages/headers.h"
#include "gpu/sm/stall.h"
#include "parts/cache/cache.h"
#include "parts/mshr.h"

struct sm_subcore {
    /* Members that most cycles read come first. */
    uint64_t resident; /* mask of warps, numbered inside the sub-core, by cta.c */
    struct sm_buffers buffers;
    struct sm_slots slots;
    struct sm_issue_subcore issue;
    struct sm_l1i_subcore l1i;
    struct sm_fetch_subcore fetch;
    struct sm_return way_back; /* used by loads.c */
    struct sm_stalls stalls;
    struct sm_lsu_subcore lsu;
    struct sm_operands operands;
    union sm_scheduler scheduler;
};

struct sm_warp {
    struct sm_buffer_warp buffer;
    struct sm_issue_warp issue;
#define SM_DEPENDENCE_STATE(MEMBER, TYPE, WARP) WARP MEMBER;
    union { /* state of the schemes for a warp, beside the scoreboard's words */
#include "gpu/sm/dependence/list.h"
    } dependence;
    struct sm_stall_warp stall;
    struct sm_cta_warp cta;
    struct sm_barrier_warp barrier;
    struct sm_constant_warp constant;
};

struct sm_state {
    struct sm_subcore subcore[SM_MAX_SUBCORES];
#define SM_STAGE_STATE(MEMBER, TYPE) TYPE MEMBER;
#include "gpu/sm/stages/rows.h"
};

enum sm_turn { /* stages that have a turn in the cycle */
/* clang-format off */
#define SM_STAGE_TURN(TURN, CYCLE, NEXT) TURN,
#include "gpu/sm/stages/rows.h"
    SM_OFTEN, /* stages in front have a turn in many cycles, those from here on in few */
    SM_SELDOM = SM_OFTEN - 1,
#define SM_STAGE_SELDOM(TURN, CYCLE, NEXT) TURN,
#include "gpu/sm/stages/rows.h"
    SM_TURNS
               /* clang-format on */
};

enum { SM_VIEW_HOT = 64 }; /* first bytes of a view, which every issue reads: one line of the host's caches */

struct sm_warp_view { /* the stream of a resident warp, and how it is served; two lines of the host's caches */
    _Alignas(SM_VIEW_HOT) const struct mnp_record *records; /* NULL: `paged` has them */
    const struct mnp_static_instruction *instructions;
    uint64_t count;
    uint64_t *counters;   /* its kernel's */
    struct sm_warp *warp; /* the warp's state; this, `ready` and `number` stay when the place is free */
    uint64_t *ready;      /* words of its registers in the scoreboard */
    uint32_t number;      /* the warp's, in the SM */
    bool has_control;     /* its instructions have control bits */
    bool asks_operands;   /* all of its instructions may wait for their operands */
    bool slow;            /* another scheme than the scoreboard decides */
    bool silent;          /* its lanes do not tell of guards: slow, or live */
    struct sm_depend_view depend;
    const uint64_t *addresses;
    struct mnp_paged_warp *paged;
    uint64_t code_base;
    struct mnp_live_warp *live; /* the warp executes while it is simulated: live.c */
};

struct sm {
    struct mnp_unit *unit;
    const struct sm_parameters *parameters;
    const struct sm_device *device;
    uint16_t index;
    struct mnp_link *request, *finish; /* outgoing */
    struct mnp_link *values;           /* outgoing, of a machine that executes */
    uint32_t from_gpc;                 /* the incoming link of replies, by place */
    const struct gpu_network_parameters *network;
    struct sm_peers peers;
    struct sm_live *live; /* NULL: the machine does not execute */

    uint32_t code_shift;                  /* log2 of a line of code */
    uint32_t l0i_sets;                    /* sets of each sub-core's L0; 0: no L0 */
    uint64_t l0i_recent[SM_MAX_SUBCORES]; /* memo: line found last in an L0, plus one; it is the newest of its set */
    uint8_t subcore_of[SM_MAX_WARPS], place_of[SM_MAX_WARPS]; /* sub-core of a warp, and place there */
    struct sm_pipes pipes;
    int32_t operand_reads; /* instructions with more reads of a bank than this may wait for their operands */
    uint64_t address_cycles, shared_address_cycles; /* cycles that an instruction occupies address generation */
    uint64_t look_up_cycles;                        /* … and, at least, the look-up of the L1 */
    struct sm_dependence dependence;

    struct sm_state *state; /* in the arena, as all below */
    struct sm_warp *warps;
    struct sm_cta *ctas;
    struct sm_memory_op *queue; /* [subcores][memory_queue] */
    struct sm_load *loads;
    struct gpu_request *egress;                           /* [parameters->egress] */
    struct sm_store_join *store_joined;                   /* [parameters->store_joins] */
    struct sm_line_request *line_requests, *line_replies; /* [subcores · l0i_misses] */
    struct sm_line_miss *line_misses;                     /* [l1i_misses] */
    struct mnp_mshr mshr;                                 /* by line; owner: sectors on their way; line << 32 */
    struct sm_waiter *waiters;                            /* by waiter of `mshr` */
    struct sm_conflicts *conflicts;                       /* memo */
    uint32_t queued;                                      /* memo: sub-cores whose memory queue holds something */
    uint32_t reading;                                     /* memo: … whose stores are reading registers */
    uint32_t deaf;    /* memo of a blocked memory pipeline: what may be freed (enum sm_freed) without helping it */
    uint64_t awaited; /* … the line that it looks up */
    struct sm_l1d_found found; /* … what the look-up has found */
    uint64_t stay_end;         /* the cycle that the present advance comes to */
    uint64_t come_to; /* the cycle that the last advance has come to: another one means that the state was replaced */

#define SM_STAGE_OWN(MEMBER, TYPE) TYPE MEMBER;
#include "gpu/sm/stages/rows.h"

    struct sm_warp_view *views;          /* [warps]: place by place, and in a place by sub-core */
    struct sm_code *codes;               /* [ctas] */
    uint64_t due[SM_TURNS];              /* memo: before this cycle, the stage has nothing to do */
    uint64_t often_due, seldom_due;      /* … none of those that often, or seldom, have a turn */
    bool progressed;                     /* in the present cycle something other than spinning happened */
    uint64_t progress;                   /* … the last cycle of the present advance in which it did, or MNP_NEVER */
    uint64_t recheck[SM_MAX_WARPS / 64]; /* events of the present cycle: warps to look at again */
    uint64_t subcore_next[SM_MAX_SUBCORES]; /* memo: the next cycle in which a sub-core has something to do */
    uint64_t subcores_due;                  /* … before which none has */

    struct gpu_listeners listeners;

    /* Set up where the machine has them, not zeroed before. */
    struct mnp_cache l0i; /* sets of all sub-cores: those of the first, then those of the second, … */
    struct mnp_cache l1i, constants;
    struct mnp_cache l1d;
};

/* The model's functions (engine/declare/model.h). */
mnp_layout sm_lay_out;
void sm_freeze(struct mnp_unit *unit);
mnp_time sm_advance(struct mnp_unit *unit, mnp_time until);
void sm_report(const struct mnp_unit *unit, FILE *out);
void sm_pace(const struct mnp_unit *unit, size_t row, struct mnp_pace *pace);

static inline struct sm_subcore *sm_subcore_of(struct sm *sm, uint32_t warp)
{
    return &sm->state->subcore[sm->subcore_of[warp]];
}

static inline uint64_t sm_bit_of(const struct sm *sm, uint32_t warp)
{
    return UINT64_C(1) << sm->place_of[warp];
}

static inline uint32_t sm_warp_of(const struct sm *sm, uint32_t subcore, uint32_t place)
{
    return place * (uint32_t)sm->parameters->subcores + subcore;
}

/* The view of the warp at a place of a sub-core, whose first view is `views`. */
static inline struct sm_warp_view *sm_view_at(const struct sm *sm, struct sm_warp_view *views, uint32_t place)
{
    return views + (size_t)place * sm->parameters->subcores;
}

/* A record, by its place, of a warp whose records do not lie in one piece. Of those of a live warp that are still to be
 * executed, the index alone is known. */
static inline const struct mnp_record *sm_record_elsewhere(const struct sm_warp_view *view, uint64_t place)
{
    return view->live ? &view->live->ahead[place % MNP_LIVE_AHEAD] : mnp_paged_record(view->paged, place);
}

/* A record of a warp's stream, by its place. */
static inline const struct mnp_record *sm_record(const struct sm_warp_view *view, uint64_t place)
{
    return __builtin_expect(view->records != NULL, 1) ? &view->records[place] : sm_record_elsewhere(view, place);
}

/* The instruction that `record` names: a place in the warp's stream, or, as a live warp forgets its records once they
 * are executed, the instruction itself. */
static inline const struct mnp_static_instruction *sm_instruction_executed(const struct sm_warp_view *view,
                                                                           uint32_t record)
{
    return &view->instructions[view->live ? record : sm_record(view, record)->index];
}

/* The addresses of a record, which begin at place `at` of the warp's address stream. */
static inline const uint64_t *sm_addresses(const struct sm_warp_view *view, uint64_t place, uint64_t at)
{
    return __builtin_expect(view->records != NULL, 1) ? view->addresses + at : mnp_paged_words(view->paged, place, at);
}

/* The stream of a warp turns out to have `count` instructions. */
static inline void sm_view_end(struct sm_warp_view *view, uint64_t count)
{
    view->count = count;
}

/* Counters of the kernel that a warp belongs to. */
static inline uint64_t *sm_counters_of(const struct sm *sm, uint32_t warp)
{
    return mnp_counters(sm->unit, sm->ctas[sm->warps[warp].cta.slot].kernel);
}

/* Whether a warp's instruction has to wait for its operands: not when no bank has more to read than in a cycle, and
 * nothing is left over. */
static inline bool sm_operands_may_wait(const struct sm *sm, const struct sm_subcore *s,
                                        const struct sm_warp_view *view,
                                        const struct mnp_static_instruction *instruction, uint64_t cycle)
{
    return view->asks_operands || instruction->reads[0] > sm->operand_reads ||
           instruction->reads[1] > sm->operand_reads || s->operands.times.until > cycle;
}

/* Whether the sub-cores stand still, as the SM's warps are passed over (steady.h). */
static inline bool sm_is_passing(const struct sm *sm)
{
    return __builtin_expect(sm->steady.state != NULL, 0) && sm->steady.state->passing;
}

/* Whether the queue before the port to the GPC takes no more requests. */
static inline bool sm_port_full(const struct sm *sm)
{
    return sm->state->port.queue.count == sm->parameters->egress;
}

/* Whether a sub-core's memory queue takes an instruction. */
static inline bool sm_lsu_has_room(const struct sm *sm, const struct sm_subcore *s)
{
    return s->lsu.count < sm->parameters->memory_queue;
}

#endif
