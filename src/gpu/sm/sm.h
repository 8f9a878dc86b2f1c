/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The streaming multiprocessor. One file per stage, all of them working on `struct sm`:
 *
 *   cta.c      CTAs arrive, their warps start; barriers; warps and CTAs end
 *   fetch.c    per sub-core: fetch into instruction buffers, the L0 instruction cache, its stream buffer
 *   l1i.c      the L1 instruction cache
 *   issue.c    per sub-core and cycle: choose a warp, issue
 *   constant.c the constant cache
 *   operands.c register reads: banks, ports, reuse cache, collectors
 *   depend.c   when can a warp's next instruction issue: scoreboard
 *   control.c  … or the compiler's control bits
 *   lsu.c      memory instructions: coalescing, shared-memory conflicts, look-ups of the L1
 *   wavefronts.c  … how many lines of one are looked up in a cycle, and how long its data takes
 *   l1d.c      the sectored L1 data cache, its misses, fills, and the port to the GPC
 *   live.c     warps that execute while they are simulated
 *   carve.c    what CTAs occupy, and how the pool of L1 and shared memory is divided
 *   sm.c       the definition of the model, and its cycle loop
 *
 * State that is hashed lives in `struct sm_state` and the arrays beside it in the unit's arena. What `struct sm` holds
 * directly is fixed by the machine, or derivable.
 */
#ifndef GPU_SM_SM_H
#define GPU_SM_SM_H

#include "parts/cache/cache.h"
#include "contract/instruction.h"
#include "contract/live.h"
#include "parts/mshr.h"
#include "parts/queue.h"
#include "engine/core/engine.h"
#include "gpu/network.h"
#include "gpu/packets.h"
#include "gpu/sm/carve.h"

enum { SM_MAX_SUBCORES = 8, SM_TIMER_SLOTS = 64, SM_REGISTERS = 256, SM_MAX_PARTS = 128, SM_NONE = 0xffff };
enum {
    SM_MAX_WARPS = 128,
    SM_MAX_BANKS = 64,
    SM_MAX_UNITS = 16,
    SM_REUSE_SLOTS = 3,
    SM_RELEASES = 65,
    SM_CONSTANT_MISSES = 8
};

/* Where a kernel's constants lie, behind its code. */
#define SM_CONSTANTS (UINT64_C(1) << 23)

/* Local memory of a thread, in words of 4 bytes, that has places of its own; beyond, it wraps round. */
enum { SM_LOCAL_WORDS = 1 << 17 };

/* Cycles of data by which what the memory pipeline takes from a sub-core may be ahead of the way back to it. */
enum { SM_RETURN_AHEAD = 8 };

/* Stores of a sub-core whose registers are being read: the pipeline takes at most one every other cycle, and reading
 * lasts nine cycles at most. */
enum { SM_READINGS = 8 };

/* Time at which an instruction in the memory queue is ready that has to let others go first. */
#define SM_NOT_YET (UINT64_MAX - 2 * SM_RETURN_AHEAD)

/* A register's ready time is a word: the cycle in which an instruction of the same pipe may read it, and below that
 * the pipe that the result comes from. An instruction of another pipe may read it later; struct sm_reader. */
enum { SM_PIPE_BITS = 2 };
enum sm_result_pipe { SM_FROM_ELSEWHERE = 0, SM_FROM_INT = 1, SM_FROM_MULTIPLY = 3 };

/* Ready cycle of a register that a memory instruction has yet to write. As a word, nothing that a reader adds reaches
 * the cycle. */
#define SM_PENDING ((UINT64_MAX - 7) >> SM_PIPE_BITS)

/* Why a sub-core's issue slot stayed empty; each counted under issue_slots_… */
enum sm_slot {
    SM_SLOT_ISSUED,
    SM_SLOT_IDLE,       /* no warp resident */
    SM_SLOT_PIPE,       /* a warp was ready, its execution pipe or memory queue was not */
    SM_SLOT_DEPENDENCE, /* all waited for results of fixed latency */
    SM_SLOT_MEMORY,     /* … some for memory */
    SM_SLOT_BARRIER,    /* … all for barriers or fences */
    SM_SLOT_FETCH,      /* … for instructions */
    SM_SLOT_OPERANDS,   /* a warp was ready, but register reads held the sub-core back */
    SM_SLOT_DRAINED,    /* warps have issued their last instruction and wait for memory */
    SM_SLOT_COUNT,
};

/* What holds back a warp's next instruction. Exactly one of these masks of its sub-core has the warp's bit. */
enum sm_hold {
    SM_HOLD_NONE,    /* ready */
    SM_HOLD_TIMER,   /* until a known cycle */
    SM_HOLD_MEMORY,  /* until a register arrives from memory */
    SM_HOLD_BARRIER, /* until the CTA's barrier opens */
    SM_HOLD_FENCE,   /* until the warp's accesses are done */
    SM_HOLD_FETCH,   /* the instruction buffer is empty */
    SM_HOLD_ENDED,   /* the last instruction has issued */
    SM_HOLD_COUNT,
};

struct sm_memory_op {    /* a memory instruction between issue and its last look-up */
    uint64_t ready;      /* cycle in which its addresses are there */
    uint32_t record;     /* place in the warp's stream */
    uint32_t address_at; /* place in the warp's address stream */
    uint16_t warp;
    uint16_t ticket; /* of a live warp: its access, plus one */
    uint16_t reserved[2];
};

struct sm_reading { /* a store between its look-up and the end of its register reads */
    uint64_t until; /* cycle */
    uint32_t record;
    uint16_t warp, reserved;
};

struct sm_subcore {
    /* What most cycles look at comes first. */
    uint64_t resident;                    /* warps, one bit each, numbered inside the sub-core */
    uint64_t hold[SM_HOLD_COUNT];         /* see enum sm_hold */
    uint64_t room;                        /* warps whose instruction buffer has room and that have more to fetch */
    uint64_t class_mask[MNP_CLASS_COUNT]; /* class of the next instruction, for warps of SM_HOLD_NONE */
    uint64_t timer_slots;                 /* slots that are not empty */
    uint64_t pipe_free[MNP_CLASS_COUNT];  /* first cycle in which the pipe takes the next instruction */
    uint64_t operands_free;               /* first cycle in which register reads let another instruction issue */
    uint64_t operands_until;              /* from this cycle on, no earlier instruction's reads are left */
    uint64_t accounted;                   /* issue slots before this cycle have been counted */
    uint64_t address_free;                /* first cycle in which address generation takes an instruction */
    uint64_t return_debt;                 /* cycle by which the way back will have carried what the pipeline took */
    uint64_t returns_from;                /* cycle that bit 0 of `returns` stands for */
    uint64_t returns;                     /* cycles in which data comes back from the memory pipeline */
    uint64_t missing;                     /* warps that wait for a line of code */
    uint64_t unsent;                      /* those of them whose line has still to be asked for */
    uint64_t stream, stream_end;          /* numbers of the lines that the stream buffer looks after: first, end */
    uint32_t ready_classes;               /* classes whose mask is not empty */
    uint32_t lines_asked;                 /* lines of code on their way to the sub-core */
    uint32_t stream_asked;                /* lines of them, from the first on, that have been asked for */
    uint32_t stream_present;              /* one bit each: those that have come */
    struct sm_reading reading[SM_READINGS];
    uint32_t reading_head, reading_count;
    uint32_t queue_head, queue_count; /* of the memory queue */
    uint16_t last_issued, last_fetched;
    uint16_t slot_class; /* enum sm_slot of the cycles from `accounted` on */
    uint16_t reserved;
    uint64_t timer[SM_TIMER_SLOTS];    /* warps to look at again in cycle c, at c % SM_TIMER_SLOTS */
    uint64_t bank_free[SM_MAX_BANKS];  /* register banks: reads granted so far, as time × ports */
    uint64_t unit_free[SM_MAX_UNITS];  /* collector units */
    uint64_t younger[64];              /* younger[w]: warps that started behind w */
    uint64_t older[64];                /* older[w]: warps that started before w */
    uint32_t reuse[2][SM_REUSE_SLOTS]; /* register cache: warp and register, plus one; 0: nothing */
};

struct sm_warp {
    uint64_t fetched_at[4]; /* cycle from which a buffered instruction may issue, by stream place % 4 */
    uint64_t redirect;      /* instructions fetched before this cycle arrive as if fetched in it */
    uint64_t not_before;    /* nothing issues before this cycle: start of the warp, end of a barrier */
    uint64_t next;          /* place in its stream of the next instruction to issue */
    uint64_t address_at;    /* place in its address stream */
    uint64_t predicates;    /* cycle from which branches and guards may use the predicates written so far */
    uint64_t last_predicate; /* word of the last of them, as an operand */
    uint32_t fetched;       /* instructions in the buffer */
    uint32_t line;          /* of code, counted from the kernel's first, that it fetches from, plus one; 0: none yet */
    uint32_t outstanding;   /* memory instructions not done, stores included */
    uint32_t active;        /* lanes that its last instruction executed in; 0: they say nothing of the next one */
    uint16_t cta;           /* CTA slot, SM_NONE: the warp slot is free */
    uint16_t number;        /* in its CTA */
    uint8_t hold;           /* enum sm_hold */
    uint8_t class;          /* of the next instruction while hold is SM_HOLD_NONE */
    uint8_t stopped;        /* the last instruction in the buffer is a branch that is taken */
    uint8_t barrier;        /* at which it waits while hold is SM_HOLD_BARRIER */
    uint8_t readers;        /* instructions that have still to read their sources */
    uint8_t wants_constant; /* it waits for a line of constants */
    uint8_t reserved[6];
};

struct sm_control {                /* of a warp: see control.c */
    uint64_t issued_at;            /* cycle of its last issue */
    uint64_t release[SM_RELEASES]; /* cycle << 3 | counter, in order of time: when counters fall */
    uint32_t releases;
    uint8_t count[MNP_COUNTERS];
    uint8_t rising[MNP_COUNTERS]; /* what the last issue added */
};

struct sm_cta {
    uint64_t number;      /* in its grid */
    uint32_t live_warps;  /* that have not ended */
    uint32_t outstanding; /* warps that have accesses outstanding or have not ended */
    uint16_t kernel;      /* slot */
    uint16_t used;
    uint16_t opening; /* barriers that are complete, one bit each */
    uint16_t reserved;
    uint8_t arrived[MNP_CTA_BARRIERS];
    uint8_t expected[MNP_CTA_BARRIERS]; /* warps; 0: all that live */
};

/* A memory instruction whose accesses are under way: an entry of the pending request table. */
struct sm_load {
    uint64_t since;        /* cycle in which its last part went past the L1 */
    uint64_t first, ready; /* cycles from which a dependent instruction may issue, by the first part and by all */
    uint32_t record;
    uint32_t parts; /* look-ups and replies still to come */
    uint16_t warp;
    uint16_t next_free;
    uint8_t kind;     /* enum gpu_request_kind */
    uint8_t transfer; /* cycles that its data takes to the sub-core, and … */
    uint8_t least;    /* … those that latencies include, for 4 bytes a lane */
    uint8_t reserved;
};

/* A line access of the instruction at the head of the memory pipeline. */
struct sm_part {
    uint64_t line;
    uint64_t bytes[2];
    uint32_t set; /* of the L1 */
    uint8_t sectors;
    uint8_t lanes;
    uint8_t group; /* lanes that are served together: 0 is the first half or quarter of the warp */
    uint8_t wave;  /* parts of one wave are looked up in one cycle */
};

/* A part of a read that waits for sectors of a line with misses outstanding. */
struct sm_waiter {
    uint32_t sectors; /* still missing */
    uint32_t load;
    uint64_t since; /* cycle of the look-up that missed */
};

struct sm_line_request { /* for a line of code, or the line that comes back */
    uint64_t line;       /* number: address / line size */
    uint64_t at;         /* cycle in which it arrives */
    uint16_t subcore;
    uint16_t reserved[3];
};

struct sm_line_miss { /* of the L1 instruction cache */
    uint64_t line;
    uint32_t sectors;  /* of the L2's line, still to come; 0: the entry is free */
    uint32_t subcores; /* that wait, one bit each */
};

struct sm_state {
    uint64_t owner_since; /* cycle up to which occupancy is counted */
    uint32_t resident_warps;
    uint32_t resident_ctas;
    uint16_t owner; /* kernel slot that issue slots and occupancy are counted for; 0: none resident */
    uint16_t free_load;
    uint16_t turn;         /* sub-core that the memory pipeline looks at first */
    uint16_t current_load; /* in the memory pipeline */
    uint32_t credits;      /* places in the GPC's queue */
    struct mnp_queue egress;
    struct mnp_queue line_requests, line_replies;
    uint32_t line_blocked; /* the first request for a line waits for a miss entry or the port */
    uint32_t constants_asked;
    uint64_t constant_asked[SM_CONSTANT_MISSES]; /* lines of constants on their way */
    uint64_t news_at;                            /* cycle in which the CTAs below are seen to, or MNP_NEVER */
    uint64_t opening;                            /* CTA slots whose barrier is complete */
    uint64_t ending;                             /* CTA slots that have nothing left to do */
    uint64_t fp64_free;        /* first cycle in which the FP64 unit that the sub-cores share takes an instruction */
    uint64_t lsu_next;         /* first cycle in which the memory pipeline may take an instruction or line */
    uint64_t egress_free;      /* first cycle in which the port to the GPC is free */
    uint32_t part, part_count; /* of the instruction in the memory pipeline; part == part_count: none */
    uint64_t lsu_started;      /* cycle in which it entered */
    uint32_t data_cycles;      /* for which it keeps the data of the L1 */
    uint32_t blocked;          /* the pipeline waits for a line, a miss entry, the egress queue or a load entry */
    uint32_t failed;           /* the present part has been counted as a reservation fail */
    uint32_t readings;         /* stores whose registers are being read */
    uint32_t written_lines;    /* of the L1, with sm.l1d.written_share */
    uint32_t reserved;
    struct sm_subcore subcore[SM_MAX_SUBCORES];
    struct sm_part parts[SM_MAX_PARTS];
    uint8_t order[SM_MAX_PARTS]; /* in which the parts are looked up: by wave */
};

struct sm_code { /* of a resident CTA; not state: reloaded from the front-end by number */
    struct mnp_cta_code cta;
    const struct mnp_static_instruction *instructions;
    struct mnp_kernel *kernel;
    uint64_t code_base; /* address of the kernel's first instruction */
};

struct sm_warp_view {                 /* the stream of a resident warp */
    const struct mnp_record *records; /* NULL: `paged` has them */
    const uint64_t *addresses;
    struct mnp_paged_warp *paged;
    const struct mnp_static_instruction *instructions;
    uint64_t count;
    uint64_t code_base;
    uint64_t *counters;            /* its kernel's */
    bool has_control, use_control; /* its instructions have control bits; they decide */
    bool asks_operands;            /* all of its instructions may wait for their operands */
    bool slow;                     /* more than the scoreboard decides: control bits, or values to come from the L2 */
    uint8_t sure;                  /* memo: class of the next instruction, plus one, when the warp waits for its timer
                                      and for nothing else; 0: it may */
    struct mnp_live_warp *live;    /* it executes while it is simulated: live.c */
};

/* What an SM asks of the device it is part of: the kernel of a slot, and the source of its code. */
struct sm_device {
    struct mnp_source *source;
    struct mnp_kernel **kernels; /* by kernel slot */
};

/* How an instruction reads ready times: the pipe's bits are flipped, and what is added goes over into the cycle where
 * the result has to cross from the one pipe to the other. */
struct sm_reader {
    uint64_t flip, add;
};

struct sm {
    struct mnp_unit *unit;
    const struct sm_parameters *parameters;
    const struct sm_device *device;
    uint16_t index;
    struct mnp_link *request, *finish;  /* outgoing */
    struct mnp_link *values;            /* outgoing, of a machine that executes */
    uint32_t from_gpc, credit_from_gpc; /* incoming, by place; another is the dispatcher's */
    uint32_t results_from_gpc;          /* SM_NONE: there is none */
    const struct gpu_network_parameters *network;
    struct sm_live *live; /* NULL: the machine does not execute */

    uint32_t code_shift;                                      /* log2 of a line of code */
    uint32_t l0i_sets;                                        /* of each sub-core; 0: no L0 */
    uint64_t l0i_recent[SM_MAX_SUBCORES]; /* memo: line found last in an L0, plus one; it is the newest of its set */
    uint8_t subcore_of[SM_MAX_WARPS], place_of[SM_MAX_WARPS]; /* of a warp: its sub-core, its place there */
    uint32_t pipe[2][MNP_CLASS_COUNT];         /* class whose pipe an instruction takes, and takes when that is busy */
    uint64_t interval[MNP_CLASS_COUNT];        /* cycles that an instruction keeps its pipe, */
    uint64_t second_interval[MNP_CLASS_COUNT]; /* … or the second one */
    uint64_t result[MNP_CLASS_COUNT]; /* word of a result: cycles from issue to a dependent issue, and the pipe */
    struct sm_reader reader[MNP_CLASS_COUNT];
    uint64_t operand_latency; /* what a memory instruction waits longer for a result of these pipes, as a word */
    uint32_t odd_classes;                      /* classes whose pipe is not taken as those of most: one bit each */
    int32_t operand_reads; /* instructions with more reads of a bank than this may wait for their operands */
    uint64_t address_cycles, shared_address_cycles; /* … and the address generation of its sub-core */
    uint64_t look_up_cycles;                        /* … and the look-up of the L1, at least */

    struct sm_state *state; /* in the arena, as all below */
    struct sm_warp *warps;
    struct sm_cta *ctas;
    uint64_t *register_ready;   /* [warps][SM_REGISTERS] word of the cycle from which it may be read, or SM_PENDING */
    uint8_t *readers;           /* [warps][SM_REGISTERS] instructions yet to read it; with war_consumers only */
    struct sm_control *control; /* [warps], or NULL: the machine does not use control bits */
    struct sm_memory_op *queue; /* [subcores][memory_queue] */
    struct sm_load *loads;
    struct gpu_request *egress;                           /* [parameters->egress] */
    struct sm_line_request *line_requests, *line_replies; /* [subcores · l0i_misses] */
    struct sm_line_miss *line_misses;                     /* [l1i_misses] */
    struct mnp_cache l0i; /* of all sub-cores: the sets of the first, then those of the second, … */
    struct mnp_cache l1i, constants;
    struct mnp_cache l1d;
    struct mnp_mshr mshr;      /* by line; owner: sectors on their way; line << 32 */
    struct sm_waiter *waiters; /* by waiter of `mshr` */

    struct sm_warp_view *views;             /* [warps] */
    struct sm_code *codes;                  /* [ctas] */
    uint64_t lsu_at;                        /* memo: before this cycle, the memory pipeline has nothing to do */
    bool progressed;                        /* in the present cycle something other than spinning happened */
    uint64_t subcore_next[SM_MAX_SUBCORES]; /* memo: the next cycle in which a sub-core has something to do */
};

/* What an access to the L1 data cache can fail to find. */
enum sm_l1d_want { SM_L1D_WANT_LINE, SM_L1D_WANT_MSHR, SM_L1D_WANT_MERGE, SM_L1D_WANT_PORT, SM_L1D_WANTS };

enum sm_statistic {
    SM_WARP_INSTRUCTIONS,
    SM_THREAD_INSTRUCTIONS,
    SM_GPU_IPC,
    SM_GPU_WARP_IPC,
    SM_RESIDENT_WARP_CYCLES,
    SM_POSSIBLE_WARP_CYCLES,
    SM_GPU_OCCUPANCY,
    SM_ISSUE_SLOTS,
    SM_ISSUE_SLOT_FIRST,
    SM_ISSUE_SLOT_LAST = SM_ISSUE_SLOT_FIRST + SM_SLOT_COUNT - 1,
    SM_CLASS_FIRST,
    SM_CLASS_LAST = SM_CLASS_FIRST + MNP_CLASS_COUNT - 1,
    SM_ZERO_MASK,
    SM_OPERAND_STALLS,
    SM_L0I_ACCESSES,
    SM_L0I_MISSES,
    SM_L1I_ACCESSES,
    SM_L1I_MISSES,
    SM_L1I_PENDING_HITS,
    SM_L1I_PREFETCHES,
    SM_CONSTANT_ACCESSES,
    SM_CONSTANT_MISSES_COUNTED,
    SM_L1D_ACCESSES,
    SM_L1D_MISSES,
    SM_L1D_PENDING_HITS,
    SM_L1D_RESERVATION_FAILS,
    SM_L1D_READS,
    SM_L1D_WRITES,
    SM_L1D_MISS_RATE,
    SM_SHARED_ACCESSES,
    SM_SHARED_CONFLICT_CYCLES,
    SM_ATOMICS,
    SM_BARRIERS,
    SM_CTAS,
    SM_ACTIVE_CYCLES,
    SM_CYCLES,
    SM_ACTIVITY,
    SM_SHARED_CONFLICTS,
    SM_SHARED_CONFLICT_RATE,
    SM_L1D_READ_HITS,
    SM_L1D_WRITE_HITS,
    SM_L1D_BYPASSES,
    SM_L1D_TAG_WAVEFRONTS,
    SM_L1D_DATA_WAVEFRONTS,
    SM_L1D_FAIL_FIRST, /* by enum sm_l1d_want */
    SM_L1D_FAIL_LAST = SM_L1D_FAIL_FIRST + SM_L1D_WANTS - 1,
    SM_TO_GPC_BYTES,
    SM_TO_GPC_PEAK,
    SM_TO_GPC_UTILISATION,
    SM_L1D_MISS_LATENCY, /* a histogram: it stands last */
    SM_STATISTIC_COUNT,
};

enum sm_ports { SM_LAUNCH, SM_FINISH, SM_REQUEST, SM_REPLY, SM_CREDIT, SM_VALUES, SM_RESULTS }; /* rows of the table */

extern const struct mnp_model sm_model;

/* Adds an SM, whose memory is zeroed, to the engine. Links are attached later, with sm_attach. `slots`: kernel
 * slots. */
void sm_init(struct sm *sm, struct mnp_engine *engine, const struct sm_parameters *parameters,
             const struct sm_device *device, uint16_t index, uint64_t hertz, uint32_t slots);

struct sm_attachment {                            /* the links of an SM */
    struct mnp_link *request, *finish;            /* outgoing */
    struct mnp_link *reply, *credit, *launch;     /* incoming */
    struct mnp_link *values, *results;            /* outgoing and incoming, of a machine that executes; else NULL */
    uint32_t credits;                             /* places in the GPC's queue */
    const struct gpu_network_parameters *network; /* stays valid */
};
void sm_attach(struct sm *sm, const struct sm_attachment *attachment);
void sm_release(struct sm *sm);

/* Cycles between an L1 miss of an unloaded SM and its departure, beyond the look-up; part of latency.l2. */
enum { SM_MISS_CYCLES = 1 };

/* ===== between the stages ===== */

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

/* The same for a warp whose records do not lie in one piece. Of those of a live warp that are still to be executed, the
 * index alone is known. */
static inline const struct mnp_record *sm_record_elsewhere(const struct sm_warp_view *view, uint64_t place)
{
    return view->live ? &view->live->ahead[place % MNP_LIVE_AHEAD] : mnp_paged_record(view->paged, place);
}

/* A record of a warp's stream, by its place. */
static inline const struct mnp_record *sm_record(const struct sm_warp_view *view, uint64_t place)
{
    return __builtin_expect(view->records != NULL, 1) ? &view->records[place] : sm_record_elsewhere(view, place);
}

/* The addresses of a record, which begin at place `at` of the warp's address stream. */
static inline const uint64_t *sm_addresses(const struct sm_warp_view *view, uint64_t place, uint64_t at)
{
    return __builtin_expect(view->records != NULL, 1) ? view->addresses + at : mnp_paged_words(view->paged, place, at);
}

static inline const struct mnp_record *sm_next_record(const struct sm *sm, uint32_t warp)
{
    return sm_record(&sm->views[warp], sm->warps[warp].next);
}

/* Counters of the kernel that a warp belongs to. */
static inline uint64_t *sm_counters_of(const struct sm *sm, uint32_t warp)
{
    return mnp_counters(sm->unit, sm->ctas[sm->warps[warp].cta].kernel);
}

/* depend.c: looks at the warp's next instruction and puts the warp where it belongs. */
void sm_depend_update(struct sm *sm, uint32_t warp, uint64_t cycle);
void sm_depend_set_timer(struct sm *sm, uint32_t warp, uint64_t at, uint64_t cycle); /* looks at it again then */
void sm_depend_hold(struct sm *sm, uint32_t warp, enum sm_hold hold);

/* An instruction has issued to the memory pipeline, which has still to read its sources. */
void sm_depend_sent(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction, uint64_t cycle);
/* The memory pipeline has read its sources. */
void sm_depend_read(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction, uint64_t cycle);
/* Its result can be used from `ready` on. */
void sm_depend_written(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction, uint64_t ready,
                       uint64_t cycle);

/* control.c: the cycle from which the instruction may issue, `at` at the earliest; SM_PENDING: it is not known. */
uint64_t sm_control_ready(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction, uint64_t at,
                          uint64_t cycle);
void sm_control_issued(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction, uint64_t ready,
                       uint64_t cycle);
void sm_control_release(struct sm *sm, uint32_t warp, uint8_t counter, uint64_t at, uint64_t cycle);

/* operands.c: reads the sources of an instruction that issues; returns the cycles by which it is late. */
uint64_t sm_operands_read(struct sm *sm, uint32_t subcore, uint32_t warp,
                          const struct mnp_static_instruction *instruction, uint64_t cycle);

/* Whether that has to be asked: not when no bank has more to read than in a cycle, and nothing is left over. */
static inline bool sm_operands_may_wait(const struct sm *sm, const struct sm_subcore *s,
                                        const struct sm_warp_view *view,
                                        const struct mnp_static_instruction *instruction, uint64_t cycle)
{
    return view->asks_operands || instruction->reads[0] > sm->operand_reads ||
           instruction->reads[1] > sm->operand_reads || s->operands_until > cycle;
}

/* fetch.c */
void sm_fetch_start(struct sm *sm, uint32_t warp);                  /* a new warp may fetch from now on */
void sm_fetch_ask(struct sm *sm, uint32_t subcore, uint64_t cycle); /* for a line; sm_fetch_may_ask */
void sm_fetch_arrived(struct sm *sm, uint32_t subcore, uint64_t number, uint64_t cycle);
void sm_fetch_served(struct sm *sm, uint32_t subcore, uint64_t cycle); /* one line less is on its way */
uint16_t sm_fetch_payer(const struct sm *sm, uint32_t subcore, uint64_t number);
void sm_fetch_forget(struct sm *sm, uint64_t number); /* a line has left the cache that warps fetch from */
void sm_fetch_invalidate(struct sm *sm);

/* Whether there is a line to ask for, and room for it to be on its way. */
static inline bool sm_fetch_may_ask(const struct sm *sm, const struct sm_subcore *s)
{
    return (s->unsent || s->stream + s->stream_asked < s->stream_end) && s->lines_asked < sm->parameters->l0i_misses;
}

/* l1i.c */
void sm_l1i_ask(struct sm *sm, const struct sm_line_request *request, uint64_t cycle);
void sm_l1i_reply(struct sm *sm, const struct gpu_reply *reply, uint64_t cycle);
void sm_l1i_cycle(struct sm *sm, uint64_t cycle);
uint64_t sm_l1i_next(const struct sm *sm, uint64_t cycle);
void sm_l1i_invalidate(struct sm *sm);
void sm_l1i_init(struct sm *sm);
size_t sm_l1i_bytes(const struct sm_parameters *parameters); /* of the arena */
bool sm_l1i_check(const struct sm_parameters *parameters, struct mnp_error *error);

/* constant.c: whether the line of the warp's next instruction is there; if not, the warp is looked at when it comes. */
bool sm_constant_ready(struct sm *sm, uint32_t warp, uint64_t cycle);
void sm_constant_arrived(struct sm *sm, uint64_t number, uint64_t cycle);
void sm_constant_preload(struct sm *sm, uint64_t code_base); /* a CTA of the kernel has come */
void sm_constant_invalidate(struct sm *sm);
void sm_constant_init(struct sm *sm);
size_t sm_constant_bytes(const struct sm_parameters *parameters); /* of the arena */
bool sm_constant_check(const struct sm_parameters *parameters, struct mnp_error *error);

/* issue.c: the cycle of all sub-cores that have something to do in it. Returns the next one in which any has. */
uint64_t sm_issue_cycle(struct sm *sm, uint64_t cycle);

/* Counts a sub-core's issue slots up to `cycle`, under the class that they have had since the last visit. */
static inline void sm_issue_account(struct sm_subcore *s, uint64_t *counters, uint64_t cycle)
{
    uint64_t slots = cycle - s->accounted;
    counters[SM_ISSUE_SLOT_FIRST + s->slot_class] += slots;
    counters[SM_ISSUE_SLOTS] += slots;
    s->accounted = cycle;
}

void sm_issue_wake(struct sm *sm, uint32_t warp, uint64_t cycle); /* something changed for the warp's sub-core */

/* cta.c */
bool sm_cta_launch(struct sm *sm, const struct gpu_launch *launch, uint64_t cycle);
void sm_cta_barrier(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction, uint64_t cycle);
void sm_cta_warp_ended(struct sm *sm, uint32_t warp, uint64_t cycle);
void sm_cta_access_done(struct sm *sm, uint32_t warp, uint64_t cycle); /* one memory instruction less outstanding */
void sm_cta_cycle(struct sm *sm, uint64_t cycle); /* barriers that open and CTAs that end in this cycle */
void sm_cta_account(struct sm *sm, uint64_t cycle);

/* lsu.c */
void sm_lsu_accept(struct sm *sm, struct sm_subcore *s, uint32_t subcore, uint32_t warp, bool shared, uint64_t cycle);
void sm_lsu_cycle(struct sm *sm, uint64_t cycle);
/* Whether a sub-core's memory queue takes an instruction. */
static inline bool sm_lsu_has_room(const struct sm *sm, const struct sm_subcore *s)
{
    return s->queue_count < sm->parameters->memory_queue;
}

uint64_t sm_lsu_ask(const struct sm *sm, uint64_t cycle); /* the next cycle in which it has something to do */

/* The same, out of the memo while that lies ahead. */
static inline uint64_t sm_lsu_next(struct sm *sm, uint64_t cycle)
{
    if (sm->lsu_at <= cycle)
        sm->lsu_at = sm_lsu_ask(sm, cycle);
    return sm->lsu_at;
}

/* What the memory pipeline waited for may be there. */
static inline void sm_lsu_unblock(struct sm *sm)
{
    sm->state->blocked = 0;
    sm->lsu_at = 0;
}
void sm_load_part_done(struct sm *sm, uint16_t load, uint64_t ready, uint64_t cycle);

/* coalesce.c: splits an access into parts of one line each, in order of lanes; returns their number. */
uint32_t sm_coalesce(const struct mnp_record *record, const uint64_t *words, uint32_t width, uint32_t line_size,
                     struct sm_part parts[static SM_MAX_PARTS]);
/* Cycles that a shared-memory access keeps the pipeline: the greatest number of different words in one bank, summed
 * over the groups of lanes that are served together. `atomic`: equal words count too. */
uint32_t sm_shared_cycles(const struct mnp_record *record, const uint64_t *words, uint32_t width, uint32_t banks,
                          bool atomic);

/* The same for local memory, whose 4-byte words lie side by side for the lanes of a warp: a word of all lanes is one
 * line. `base`: where the warp's local memory lies. */
uint32_t sm_coalesce_local(const struct mnp_record *record, const uint64_t *words, uint32_t width, uint32_t line_size,
                           uint64_t base, struct sm_part parts[static SM_MAX_PARTS]);

/* wavefronts.c: sets, waves and order of the parts of the instruction in the memory pipeline, and the cycles that its
 * data takes; counted in the kernel's counters. */
void sm_wavefronts(struct sm *sm, uint64_t *counters);

/* l1d.c */
void sm_l1d_carve(struct sm *sm, const struct mnp_kernel *kernel); /* the first CTA of a kernel comes to an empty SM */
enum sm_l1d_outcome { SM_L1D_HIT, SM_L1D_WAITS, SM_L1D_BLOCKED };
enum sm_l1d_outcome sm_l1d_read(struct sm *sm, const struct sm_part *part, uint16_t load, bool bypass, uint64_t cycle);
enum sm_l1d_outcome sm_l1d_send(struct sm *sm, const struct sm_part *part, uint16_t load, uint64_t cycle);
void sm_l1d_expect(const struct sm *sm); /* replies are going to come: asks the host's memory for what they need */
void sm_l1d_reply(struct sm *sm, const struct gpu_reply *reply, uint64_t cycle);
bool sm_l1d_is_progress(const struct sm *sm, const struct gpu_reply *reply); /* of a machine that executes */
void sm_l1d_egress(struct sm *sm, uint64_t cycle);
uint64_t sm_l1d_egress_next(const struct sm *sm, uint64_t cycle);
void sm_l1d_invalidate(struct sm *sm);
void sm_l1d_init(struct sm *sm);
size_t sm_l1d_bytes(const struct sm_parameters *parameters); /* of the arena */
bool sm_l1d_check(const struct sm_parameters *parameters, struct mnp_error *error);

#endif
