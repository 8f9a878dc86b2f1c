/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Warps that execute while they are simulated (DESIGN §3): what a core asks of the front-end that executes them.
 *
 * A live warp has no records ahead. Its core fetches along the static instructions that are sure to come, has the next
 * one executed when it issues it, and learns then what it did: lanes, addresses, whether the flow has gone elsewhere.
 * Plain loads and stores go to the core's overlay there and then. Accesses that are to be performed at the L2 do
 * nothing but state their operands; the core sends those to the L2 and gives back the values that come with the reply.
 * The same is done with accesses to shared memory of other CTAs of the cluster, which their cores perform when the
 * request has come: no core touches what is another's.
 *
 * Everything here belongs to the core and is used by the thread that runs it.
 */
#ifndef MNP_CONTRACT_LIVE_H
#define MNP_CONTRACT_LIVE_H

#include "base/error.h"
#include "contract/async.h"
#include "contract/instruction.h"
#include "engine/core/time.h"
#include "engine/memory/memory.h"

enum {
    MNP_LIVE_AHEAD = 4,       /* instructions that are known ahead, at most */
    MNP_LIVE_STRIDE = 32,     /* bytes of a lane's values in an access */
    MNP_LIVE_SECTOR = 32,     /* bytes */
    MNP_LIVE_RANK_SHIFT = 24, /* of remote addresses: place in the CTA's shared memory, and above that its rank */
    MNP_LIVE_HEAT = 1 << 12   /* counters of sectors with accesses under way to the L2 */
};

enum mnp_live_l2 { MNP_LIVE_NOT_AT_L2, MNP_LIVE_LOAD, MNP_LIVE_STORE, MNP_LIVE_ATOMIC, MNP_LIVE_REDUCTION };

/* Performs an atomic on `old`. `a`, `b`: operands, b of compare-and-swap alone. */
typedef uint64_t mnp_live_atomic(uint8_t operation, uint8_t type, uint64_t old, uint64_t a, uint64_t b);

/* What an instruction has done, and the operands and values of an access performed at the L2. Plain data. */
struct mnp_live_access {
    struct mnp_record record;
    uint64_t words[MNP_WARP_SIZE]; /* its addresses, as in a warp's address stream */
    /* of one performed at the L2 */
    uint8_t at_l2;     /* enum mnp_live_l2 */
    uint8_t bytes;     /* of a lane: 1 … 32 */
    uint8_t operation; /* the front-end's, as mnp_live_atomic has them */
    uint8_t type;
    bool acquire; /* the warp goes on when it has been performed, */
    bool forgets; /* and the core's own cache holds nothing any more: it is for more than the CTA */
    bool stores;  /* it writes to global memory, at the L2 or not */
    bool remote;  /* not at the L2, but in shared memory of other CTAs of the cluster (MNP_LIVE_RANK_SHIFT) */
    /* remote: a barrier of the same CTA counts what arrives, as the lane's word at 16 says: its place in the lower
     * half, the front-end's operation in the upper one */
    bool counted;
    bool paired;           /* an atomic that compares and exchanges its 16 bytes as one: operands at 0 and 16 */
    uint32_t token, frame; /* the front-end's */
    uint64_t addresses[MNP_WARP_SIZE]; /* of the record's lanes, by lane */
    /* By lane: bytes to be stored, or an atomic's operands at 0 and 8; later the bytes that have been loaded. */
    _Alignas(8) unsigned char data[MNP_WARP_SIZE][MNP_LIVE_STRIDE];
};

struct mnp_live_core {           /* a core, as its warps see it */
    struct mnp_overlay *overlay; /* of its plain stores */
    uint32_t *heat;              /* [MNP_LIVE_HEAT] accesses under way to the L2, by a hash of their sector */
    uint32_t hot;                /* sum of `heat` */
    uint32_t index, count;       /* its number, and that of all cores */
    uint64_t cycle;              /* in which an instruction executes, of: */
    const struct mnp_cursor *clock;
    struct mnp_error error; /* of a warp that has faulted */
    /* Asynchronous units: their functions of the front-end, commands of the last instruction, and how many more copies
     * the queue can take. */
    const struct mnp_live_async *async;
    void *owner;
    struct mnp_copy copies[MNP_COPIES];
    uint32_t copy_count, copy_room;
    /* Token of the arrivals that the last instruction has put off until the copies of its warp's lanes (cp.async) have
     * landed, plus one; 0: none. The core resets it. */
    uint32_t arrival;
    struct mnp_product product;
    uint32_t product_room;            /* products that the warp may start */
    struct mnp_tensor_command tensor; /* of the last instruction */
    uint32_t tensor_room;             /* commands that the warp may put into the tensor cores' queue */
    uint32_t moves_room;              /* … and loads and stores of tensor memory */
    bool grid_waits;                  /* the grid that the warp's own was launched to follow has not ended */
    bool released; /* the last instruction has let the grid behind its own begin, as far as its CTA is concerned */
    /* Of each of the warp's threads; and those that other warps of its CTA have given back, as registers of each thread
     * of a warp. The instruction changes the first, and the core then the second. */
    uint32_t registers, pool;
    bool passes; /* the next instruction is executed and not simulated: where it accesses memory is not asked */
    bool waited; /* the warp has waited as long as it may for a phase, and is told that it has not ended; or slept */
    uint64_t refused; /* an mbarrier that could not count what a parcel has brought */
    uint64_t flipped; /* address of the mbarrier in the shared memory of its CTA whose phase the last instruction or
                         finish has ended, plus one; 0: none, UINT64_MAX: several */
};

enum mnp_live_result {
    MNP_LIVE_JUMPED = 1 << 0,  /* the next instruction is not the one behind it */
    MNP_LIVE_ENDED = 1 << 1,   /* it was the warp's last */
    MNP_LIVE_AGAIN = 1 << 2,   /* nothing was done: it touches a sector with accesses under way to the L2 */
    MNP_LIVE_WAITS = 1 << 3,   /* it has come to a barrier, live.barrier; with AGAIN: it waits there still */
    MNP_LIVE_FAULTED = 1 << 4, /* the program's error: core.error */
    MNP_LIVE_PARKED = 1 << 5,  /* nothing was done, and is not to be tried before: live.park */
    MNP_LIVE_PRODUCT = 1 << 6, /* it has started core.product or core.tensor, or core.arrival */
    MNP_LIVE_ARRIVED = 1 << 7, /* the CTA has now arrived at its cluster's barrier */
};

enum { MNP_LIVE_ROW = 64 /* instructions of a row, at most */ };

struct mnp_live_passed { /* an instruction that was executed and not simulated */
    uint32_t index;      /* its place among the static ones */
    uint32_t mask;       /* its lanes */
};

/* Consecutive instructions of a warp that are executed without being simulated. They end before an instruction that the
 * core must see (a barrier, an access performed at L2, the warp's end, commands for async units), and after one that is
 * reported to the core. */
struct mnp_live_row {
    const uint32_t *prices; /* [price_count] what each costs, by its index modulo their number; 0: it is not to go */
    uint32_t price_count;
    uint32_t most;  /* instructions, no more than MNP_LIVE_ROW */
    int64_t budget; /* more go while this is above 0; prices count in 2^16 of it */
    bool tells;     /* the core hears of accesses to global memory */
    /* what has come of it */
    bool told;    /* the last one made such an access, which is stated as if the warp had been simulated */
    bool unknown; /* the next one has no price */
    bool faulted; /* the next one was the program's error: core.error */
    uint32_t count;
    struct mnp_live_passed done[MNP_LIVE_ROW];
};

struct mnp_live_warp {
    struct mnp_record ahead[MNP_LIVE_AHEAD]; /* by place % MNP_LIVE_AHEAD; the index alone is known */
    uint64_t known;   /* places below this one are known; at least one more than have been executed */
    bool closed;      /* the last known one may change the flow, so that nothing is known beyond */
    bool pending;     /* values are to come from the L2 */
    bool idle;        /* for a while it has only gone round loops that ask memory, or change it at the L2 alone */
    bool polls;       /* the same, for a short while: what it does depends on how long others take */
    uint64_t asked;   /* first address of the last load or atomic that is performed at the L2 */
    uint32_t barrier; /* number of the barrier that it has come to */
    uint32_t opened;  /* barriers of the CTA that the last execution has opened, one bit each */
    uint8_t park;     /* enum mnp_park, when it is parked */
    uint64_t park_address;
    /* Executes the next instruction; returns enum mnp_live_result. */
    uint32_t (*execute)(struct mnp_live_warp *warp, struct mnp_live_access *access);
    /* Executes instructions in a row; none, where the next one is to be executed alone. */
    void (*row)(struct mnp_live_warp *warp, struct mnp_live_access *access, struct mnp_live_row *row);
    /* The address of constants that the next instruction loads, of its first lane; 0: of parameters, or none. NULL: it
     * is 0. */
    uint64_t (*constant)(const struct mnp_live_warp *warp);
    /* Whether the next instruction has to wait for values from the L2; asked while `pending`. NULL: it never is. */
    bool (*waits)(const struct mnp_live_warp *warp);
    /* An access has been performed at the L2 and acknowledged; values loaded are in its data. NULL: the warp uses
     * none. */
    void (*deliver)(struct mnp_live_warp *warp, const struct mnp_live_access *access);
    /* An access of a lane was to a CTA that has ended: the error, of that instruction, goes to core.error. */
    void (*lost)(struct mnp_live_warp *warp, const struct mnp_live_access *access, uint32_t lane);
    /* What an access of a lane, performed by another CTA, has found there. False: it was wrong; core.error. */
    bool (*found)(struct mnp_live_warp *warp, const struct mnp_live_access *access, uint32_t lane, uint64_t old);
    /* Writes where the next instruction is in the program's source, for reports: "kernel K at file.cu:12". */
    void (*where)(const struct mnp_live_warp *warp, char *text, size_t room);
};

enum { MNP_LIVE_PLACE = 512 }; /* bytes that are enough for most places */

/* Whether a change of an mbarrier object, or of what may be one, has ended a phase: its parity is the highest bit. */
static inline bool mnp_live_ends_phase(uint64_t before, uint64_t after)
{
    return (before ^ after) >> 63;
}

/* Two sectors may share a counter: then an access goes to the L2 that need not, which changes no value. */
static inline uint32_t mnp_live_heat_place(uint64_t address)
{
    return (uint32_t)((address / MNP_LIVE_SECTOR * UINT64_C(0x9e3779b97f4a7c15)) >> 52);
}

/* Whether an access to one of the addresses must be performed at the L2, because others of the core are under way. */
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
