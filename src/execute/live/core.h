/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Live warps (contract/live.h) as far as they are the same wherever instructions come from: a program that executes
 * (live.c) or a trace (frontend/sass_trace/live.c). This core keeps the order of instructions, pools of CTAs, copies
 * and products that async units have not completed, and suspends warps. Its source performs an instruction and names
 * those that follow.
 */
#ifndef EXECUTE_LIVE_CORE_H
#define EXECUTE_LIVE_CORE_H

#include "base/numbered.h"
#include "contract/live.h"
#include "execute/warp/warp.h"

enum { LIVE_PRODUCTS = 32 /* pending products of a warp, at most */ };

struct live_core {
    struct mnp_live_core *core;
    struct live_cta *free;
    struct mnp_numbered copies; /* indexed by token, `copy_bytes` each; begin with struct live_copy */
    size_t copy_bytes;
};

struct live_cta {
    struct live_cta *next_free;
    struct mnp_warp_stream streams[EXECUTE_MAX_WARPS];
};

struct live_warp {
    struct mnp_live_warp base;
    struct live_core *core;
    uint64_t executed;                /* instructions */
    uint32_t copies;                  /* pending */
    uint32_t arrivals;                /* that wait for copies of its lanes */
    uint32_t copy_group[32];          /* indexed by lane: the group of its next outgoing copies */
    uint32_t product_group;           /* group of the next products */
    uint32_t first_product, products; /* pending, a ring */
    uint32_t product_groups[LIVE_PRODUCTS];
};

struct live_copy {
    struct live_warp *warp; /* NULL: the token is free */
    uint32_t lane, group;
    bool out;              /* execute_live_wait_copies waits for it */
    bool has_read, posted; /* its source has been read; its group need not wait any longer */
};

/* A source of instructions. */
struct live_source {
    /* Performs the next instruction; returns enum mnp_live_result. JUMPED: other lanes run on, and the instructions
     * that are known ahead are not the next ones. */
    uint32_t (*perform)(struct live_warp *warp, struct mnp_live_access *access);
    /* Adds instructions (execute_live_know) while the next one is certain, i.e. up to the first possible branch. */
    void (*look_ahead)(struct live_warp *warp);
    /* Makes look_ahead begin where the warp is now. NULL: it always does. */
    void (*restart)(struct live_warp *warp);
};

/* ===== the order of instructions ===== */

#define LIVE_INLINE inline __attribute__((always_inline)) /* each source has its functions in its own loop */

static inline bool execute_live_knows_next(const struct live_warp *warp)
{
    return !warp->base.closed || warp->base.known != warp->executed;
}

static inline bool execute_live_has_room(const struct live_warp *warp)
{
    return !warp->base.closed && warp->base.known < warp->executed + MNP_LIVE_AHEAD;
}

static inline void execute_live_know(struct live_warp *warp, uint32_t index)
{
    warp->base.ahead[warp->base.known++ % MNP_LIVE_AHEAD] =
        (struct mnp_record){.index = index & ((1u << MNP_INDEX_BITS) - 1)};
}

/* Discards fetched instructions, and fetches again from the warp's position. */
static inline void execute_live_restart(struct live_warp *warp, const struct live_source *source)
{
    warp->base.known = warp->executed;
    warp->base.closed = false;
    if (source->restart)
        source->restart(warp);
    source->look_ahead(warp);
}

/* Whether the instruction behind `index` is not the next one. `moved`: other lanes run on. */
static LIVE_INLINE bool execute_live_follow(struct live_warp *warp, const struct live_source *source, uint32_t index,
                                            bool moved)
{
    if (!moved && execute_live_knows_next(warp)) {
        source->look_ahead(warp);
        if (execute_live_knows_next(warp))
            return false;
    }
    execute_live_restart(warp, source);
    return moved || warp->base.ahead[warp->executed % MNP_LIVE_AHEAD].index != index + 1;
}

/* The body of mnp_live_warp.execute. */
static LIVE_INLINE uint32_t execute_live_instruction(struct live_warp *warp, const struct live_source *source,
                                                     struct mnp_live_access *access)
{
    struct mnp_live_core *core = warp->core->core;
    core->copy_count = 0;
    core->product.n = 0;
    core->tensor.kind = MNP_TENSOR_NONE;
    core->flipped = 0;
    core->released = false;
    core->values.seen = false;
    warp->base.park = MNP_PARK_NONE;
    access->at_l2 = MNP_LIVE_NOT_AT_L2;
    access->remote = false;
    uint32_t result = source->perform(warp, access);
    if (result & (MNP_LIVE_AGAIN | MNP_LIVE_PARKED | MNP_LIVE_FAULTED))
        return result;
    warp->executed++;
    if (result & MNP_LIVE_ENDED)
        return result;
    bool jumped = execute_live_follow(warp, source, access->record.index, result & MNP_LIVE_JUMPED);
    return jumped ? result | MNP_LIVE_JUMPED : result;
}

/* ===== cores and CTAs ===== */

/* A CTA of `bytes` bytes that begins with struct live_cta, for the machine's core: a zeroed one, or one that was given
 * back, as it is. */
void *execute_live_take_cta(struct live_core *core, struct mnp_live_core *machine, const struct mnp_live_async *async,
                            size_t bytes);
void execute_live_give_cta(struct live_core *core, struct live_cta *cta);
/* Frees the core's CTAs, each after a call of `release`, and its copies. */
void execute_live_release_core(struct live_core *core, void (*release)(struct live_cta *cta));

/* ===== accesses performed elsewhere ===== */

/* States an access performed at the L2, or if `remote` by other CTAs; `operation` and `type` as for mnp_live_atomic. */
void execute_live_leave(struct mnp_live_access *access, enum mnp_live_l2 kind, bool remote, uint8_t operation,
                        uint8_t type, uint32_t bytes);

/* ===== waits: each returns MNP_LIVE_PARKED if the warp has to wait, otherwise 0 ===== */

/* Suspends the warp. Returns MNP_LIVE_PARKED. */
uint32_t execute_live_park(struct live_warp *warp, enum mnp_park why, uint64_t address);
/* Changes the warp's registers per thread to `count`, if that is more or less than it has, as asked. */
uint32_t execute_live_change_registers(struct live_warp *warp, bool more, uint32_t count);
uint32_t execute_live_wait_grid(struct live_warp *warp);
/* Waits for copies out of the lanes that at least `most` groups follow; `read`: until their sources have been read. */
uint32_t execute_live_wait_copies(struct live_warp *warp, uint32_t lanes, int64_t most, bool read);
/* Waits for products that more than `most` groups follow. */
uint32_t execute_live_wait_products(struct live_warp *warp, int64_t most);

/* ===== copies and products ===== */

/* Starts a copy of a lane, and gives it its token. The returned item is valid until the next copy starts. */
void *execute_live_start_copy(struct live_warp *warp, uint32_t lane, const struct mnp_copy *copy);
/* Takes back the last copy that the instruction has started. */
void execute_live_drop_copy(struct live_warp *warp);
/* Starts a product. Returns its place in the ring; LIVE_PRODUCTS: there is no room, and the warp is suspended. */
uint32_t execute_live_start_product(struct live_warp *warp, const struct mnp_product *product);
/* The oldest product has been performed. Returns its place in the ring. */
uint32_t execute_live_end_product(struct live_warp *warp);

static inline void *execute_live_copy_at(const struct live_core *core, uint32_t token)
{
    return mnp_numbered_at(&core->copies, token, core->copy_bytes);
}

/* Members of struct mnp_live_async that are the same for all sources. */
void execute_live_copy_has_read(struct mnp_live_core *core, uint32_t copy, bool posted);
void execute_live_copy_finish(struct mnp_live_core *core, uint32_t copy);
bool execute_live_counts(uint8_t operation, uint64_t object, uint64_t number);
void execute_live_phase(const struct mnp_cta_code *code, uint64_t address, char *text, size_t room);

#endif
