/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Live warps execute while they are simulated (DESIGN §3). This header is the interface between a core and the
 * front-end that executes its warps.
 *
 * A live warp has no precomputed records. Its core fetches static instructions as long as the next one is certain. When
 * the core issues an instruction, it has it executed and learns the outcome: active lanes, addresses, and whether the
 * control flow was redirected. Plain loads and stores access the core's overlay immediately. An access that is
 * performed at the L2 only states its operands; the core sends them to the L2 and hands back the values when the reply
 * arrives. Accesses to shared memory of other CTAs of the cluster work in the same way: their cores perform them when
 * the request arrives, because no core touches another core's state.
 *
 * All state here belongs to one core and is used by the host thread that runs it.
 */
#ifndef MNP_CONTRACT_LIVE_H
#define MNP_CONTRACT_LIVE_H

#include "base/error.h"
#include "contract/async.h"
#include "contract/instruction.h"
#include "engine/core/time.h"
#include "engine/memory/memory.h"

enum {
    MNP_LIVE_AHEAD = 4,   /* maximum number of instructions fetched ahead */
    MNP_LIVE_STRIDE = 32, /* bytes reserved for a lane's values in an access */
    MNP_LIVE_SECTOR = 32, /* bytes */
    /* remote addresses: bits below hold the offset in the CTA's shared memory, bits above its rank */
    MNP_LIVE_RANK_SHIFT = 24,
    MNP_LIVE_HEAT = 1 << 12 /* counters of sectors with pending accesses to the L2 */
};

enum mnp_live_l2 {
    MNP_LIVE_NOT_AT_L2,
    MNP_LIVE_LOAD,
    MNP_LIVE_STORE,
    MNP_LIVE_ATOMIC,
    MNP_LIVE_REDUCTION,
    MNP_LIVE_COMBINED /* a load of a multicast object: the values of its memories are combined (mnp_live_combine) */
};

/* Whether values come back. */
static inline bool mnp_live_answers(unsigned kind)
{
    return kind == MNP_LIVE_LOAD || kind == MNP_LIVE_ATOMIC || kind == MNP_LIVE_COMBINED;
}

/* Performs an atomic on `old` and returns the new value. Operands are `a` and, for compare-and-swap only, `b`. */
typedef uint64_t mnp_live_atomic(uint8_t operation, uint8_t type, uint64_t old, uint64_t a, uint64_t b);

/* Combines `bytes` bytes, at most 8, of each of `count` memories in their order. */
typedef uint64_t mnp_live_combine(uint8_t operation, uint8_t type, uint32_t bytes, const uint64_t *values,
                                  uint32_t count);

/* The outcome of an instruction, and the operands and values of an access performed at the L2. Plain data. */
struct mnp_live_access {
    struct mnp_record record;
    uint64_t words[MNP_WARP_SIZE]; /* the record's addresses, in the format of a warp's address stream */
    /* The rest describes an access performed at the L2 or at a remote CTA. */
    uint8_t at_l2;     /* enum mnp_live_l2 */
    uint8_t bytes;     /* bytes per lane: 1 … 32 */
    uint8_t operation; /* the front-end's encoding, as passed to mnp_live_atomic */
    uint8_t type;
    bool acquire; /* the warp continues only after the access has been performed */
    bool forgets; /* acquire of a scope wider than the CTA: the core then also invalidates its L1 */
    bool stores;  /* the access writes global memory, at the L2 or elsewhere */
    /* the access goes to shared memory of other CTAs of the cluster (MNP_LIVE_RANK_SHIFT), not to the L2 */
    bool remote;
    /* Remote access that also updates a barrier of the target CTA. The lane's word at offset 16 has the barrier's
     * offset in its lower half and the front-end's operation in its upper half. */
    bool counted;
    bool seen;             /* the instruction was looked at (core.values), and so are the values that come */
    bool paired;           /* atomic that compares and exchanges 16 bytes as a unit: operands at offsets 0 and 16 */
    uint32_t token, frame; /* private to the front-end */
    uint64_t addresses[MNP_WARP_SIZE]; /* indexed by lane; valid for the record's lanes */
    /* Indexed by lane: bytes to store, or an atomic's operands at offsets 0 and 8; after the reply, the bytes
     * loaded. */
    _Alignas(8) unsigned char data[MNP_WARP_SIZE][MNP_LIVE_STRIDE];
};

/* Places whose bits are compared: operands and results of the instruction's unit, registers read, registers written
 * (with what they held before), data of accesses to memory, operands of a command to the tensor cores, and the word of
 * the instruction itself, with the one in front of it in the code. */
enum mnp_live_toggle {
    MNP_TOGGLE_UNIT,
    MNP_TOGGLE_READ,
    MNP_TOGGLE_WRITE,
    MNP_TOGGLE_DATA,
    MNP_TOGGLE_TENSOR,
    MNP_TOGGLE_CODE,
    MNP_TOGGLES
};

struct mnp_live_toggles {
    uint32_t toggled, bits; /* bits that differ from those before them at the same place, of so many compared */
};

/* Values of instructions, of which some are looked at: of `every` consecutive ones of a warp, one, whose place depends
 * on the numbers of kernel, CTA and warp, and on how many have gone before. */
struct mnp_live_values {
    uint32_t every; /* 0: no instruction is looked at */
    bool seen;      /* the last instruction was: */
    struct mnp_live_toggles of[MNP_TOGGLES];
};

struct mnp_live_core {           /* a core, as its warps see it */
    struct mnp_overlay *overlay; /* holds its plain stores */
    uint32_t *heat;              /* [MNP_LIVE_HEAT] pending accesses to the L2, by a hash of their sector */
    uint32_t hot;                /* sum of `heat` */
    uint32_t index, count;       /* its number, and the number of cores */
    uint64_t cycle;              /* cycle in which the current instruction executes, counted by `clock` */
    const struct mnp_cursor *clock;
    struct mnp_live_values values;
    struct mnp_error error; /* set when a warp faults */
    /* Asynchronous units: the front-end's functions, the copy commands of the last instruction, and how many more
     * copies the queue can hold. */
    const struct mnp_live_async *async;
    void *owner;
    struct mnp_copy copies[MNP_COPIES];
    uint32_t copy_count, copy_room;
    /* Arrivals that the last instruction deferred until the copies of its warp's lanes (cp.async) land: their token
     * plus one; 0: none. The core resets it. */
    uint32_t arrival;
    struct mnp_product product;
    uint32_t product_room;            /* number of products that the warp may still start */
    struct mnp_tensor_command tensor; /* command of the last instruction */
    uint32_t tensor_room;             /* number of commands that the warp may still add to the tensor cores' queue */
    uint32_t moves_room;              /* number of loads and stores of tensor memory that the warp may still start */
    /* the preceding grid, after which this warp's grid was launched as a dependent, has not ended */
    bool grid_waits;
    bool released; /* the last instruction allowed the dependent grid to launch, as far as its CTA is concerned */
    /* setmaxnreg: registers of each thread of the warp, and registers in the CTA's pool, counted per thread of a warp.
     * The instruction changes `registers`; the core then updates `pool`. */
    uint32_t registers, pool;
    bool passes; /* the next instruction is executed without timing: `access` need not report its addresses */
    bool waited; /* the warp's wait for a phase has reached its time limit and returns false; or its sleep has ended */
    uint64_t refused; /* mbarrier that could not count the bytes of a parcel */
    /* Address, in its CTA's shared memory, of the mbarrier whose phase the last instruction or finish completed, plus
     * one; 0: none, UINT64_MAX: several. */
    uint64_t flipped;
};

enum mnp_live_result {
    MNP_LIVE_JUMPED = 1 << 0, /* the next instruction is not the following one */
    MNP_LIVE_ENDED = 1 << 1,  /* the warp has executed its last instruction */
    /* retry: nothing was done, because the instruction touches a sector with pending accesses to the L2 */
    MNP_LIVE_AGAIN = 1 << 2,
    MNP_LIVE_WAITS = 1 << 3,   /* the warp has arrived at a barrier, live.barrier; with AGAIN: it still waits there */
    MNP_LIVE_FAULTED = 1 << 4, /* error of the program: core.error */
    MNP_LIVE_PARKED = 1 << 5,  /* no effect; retry when the event live.park occurs */
    MNP_LIVE_PRODUCT = 1 << 6, /* the instruction has started core.product, core.tensor or core.arrival */
    MNP_LIVE_ARRIVED = 1 << 7, /* the CTA has now arrived at the cluster's barrier */
};

enum { MNP_LIVE_ROW = 64 /* maximum number of instructions in a row */ };

struct mnp_live_passed { /* an instruction that was executed without timing */
    uint32_t index;      /* its index among the static instructions */
    uint32_t mask;       /* its active lanes */
};

/* Consecutive instructions of a warp that are executed without timing. A row ends before an instruction that the core
 * must handle (a barrier, an access performed at the L2, the warp's end, commands for async units), and after an
 * instruction that is reported to the core. */
struct mnp_live_row {
    /* [price_count] cost of each instruction, by its index modulo `price_count`; 0: cost unknown, end the row */
    const uint32_t *prices;
    uint32_t price_count;
    uint32_t most;  /* maximum number of instructions, at most MNP_LIVE_ROW */
    int64_t budget; /* continues while this is above 0; a unit of price is 2^16 units of budget */
    bool tells;     /* accesses to global memory are reported to the core */
    /* results */
    bool told;    /* the last instruction made such an access, which is described as in a timed execution */
    bool unknown; /* the row ended because the next instruction has no price */
    bool faulted; /* the row ended because the next instruction faulted: core.error */
    uint32_t count;
    struct mnp_live_passed done[MNP_LIVE_ROW];
};

/* Steps of mnp_live_warp.expect. The core itself asks for struct mnp_live_warp. */
enum mnp_live_expect {
    MNP_LIVE_EXPECT_SOURCE,   /* state of the warp that the front-end keeps */
    MNP_LIVE_EXPECT_STATE,    /* the warp's architectural state, without registers */
    MNP_LIVE_EXPECT_OPERANDS, /* registers of the next instruction */
    MNP_LIVE_EXPECT_STEPS
};

struct mnp_live_warp {
    struct mnp_record ahead[MNP_LIVE_AHEAD]; /* indexed by place % MNP_LIVE_AHEAD; only `index` is known */
    uint64_t known; /* places below this one have been fetched; at least one more than executed */
    bool closed;    /* the last fetched instruction may redirect the flow, so fetching stops */
    bool pending;   /* values from the L2 are pending */
    /* for a while, the warp has only executed loops that read memory, or that change it at the L2 only */
    bool idle;
    bool polls;       /* like `idle`, after a shorter time: the warp's progress depends on how long others take */
    uint64_t asked;   /* first address of the last load or atomic performed at the L2 */
    uint32_t barrier; /* number of the barrier at which it has arrived */
    uint32_t opened;  /* barriers of the CTA that the last execution completed, one bit each */
    uint8_t park;     /* enum mnp_park: why it is suspended */
    uint64_t park_address;
    /* Executes the next instruction; returns a set of enum mnp_live_result. */
    uint32_t (*execute)(struct mnp_live_warp *warp, struct mnp_live_access *access);
    /* Executes the next instruction, as `execute`, if it changes no more than values of registers. `*jumped`: control
     * flow was redirected. Returns false, without effect, if it is another one. NULL: always false. */
    bool (*compute)(struct mnp_live_warp *warp, struct mnp_live_access *access, bool *jumped);
    /* Executes consecutive instructions; none if the next one must be executed on its own. */
    void (*row)(struct mnp_live_warp *warp, struct mnp_live_access *access, struct mnp_live_row *row);
    /* Writes the addresses of the constants that the active lanes of the next instruction load, in the lanes' order.
     * Returns their number; 0: it loads none, or kernel parameters. NULL: always 0. */
    uint32_t (*constants)(const struct mnp_live_warp *warp, uint64_t addresses[MNP_WARP_SIZE]);
    /* Whether the next instruction must wait for values from the L2; called while `pending`. NULL: never. */
    bool (*waits)(const struct mnp_live_warp *warp);
    /* Delivers an access that was performed and acknowledged at the L2; loaded values are in its data. Sets
     * core.values if they are looked at. NULL: the warp uses none. */
    void (*deliver)(struct mnp_live_warp *warp, const struct mnp_live_access *access);
    /* A lane's access went to a CTA that has ended: sets core->error, naming that instruction. */
    void (*lost)(struct mnp_live_warp *warp, const struct mnp_live_access *access, uint32_t lane);
    /* Reports the value that another CTA found when it performed a lane's access. Returns false if it is invalid, with
     * core->error set. */
    bool (*found)(struct mnp_live_warp *warp, const struct mnp_live_access *access, uint32_t lane, uint64_t old);
    /* Writes the location of the next instruction in the program's source, for reports: "kernel K at file.cu:12". */
    void (*where)(const struct mnp_live_warp *warp, char *text, size_t room);
    /* Asks the host's memory for what the next instruction uses. A core calls it in a row of steps, each of which reads
     * what the one before has asked for. No effect on results. NULL: nothing is asked for. */
    void (*expect)(const struct mnp_live_warp *warp, enum mnp_live_expect step);
};

enum { MNP_LIVE_PLACE = 512 }; /* buffer size that is enough for most locations */

/* Whether an update of a mbarrier object completed a phase. The phase parity is bit 63. The check may be applied to any
 * word that could be an mbarrier. */
static inline bool mnp_live_ends_phase(uint64_t before, uint64_t after)
{
    return (before ^ after) >> 63;
}

/* Two sectors may share a counter. An access then goes to the L2 unnecessarily, which changes no value. */
static inline uint32_t mnp_live_heat_place(uint64_t address)
{
    return (uint32_t)((address / MNP_LIVE_SECTOR * UINT64_C(0x9e3779b97f4a7c15)) >> 52);
}

/* Whether an access to any of these addresses must be performed at the L2, because other accesses of this core to the
 * same sectors are pending there. */
static inline bool mnp_live_is_hot(const struct mnp_live_core *core, uint32_t lanes, const uint64_t *addresses)
{
    if (!core->hot)
        return false;
    for (; lanes; lanes &= lanes - 1)
        if (core->heat[mnp_live_heat_place(addresses[__builtin_ctz(lanes)])])
            return true;
    return false;
}

#endif
