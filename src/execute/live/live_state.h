/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal state of live CTAs, shared by live.c and live_async.c. */
#ifndef EXECUTE_LIVE_STATE_H
#define EXECUTE_LIVE_STATE_H

#include "base/arena.h"
#include "execute/copy/tensor_copy.h"
#include "execute/live/core.h"
#include "execute/live/live.h"
#include "execute/matrix/tcgen05.h"
#include "execute/trace/record.h"
#include "execute/warp/warp.h"

enum {
    EXECUTE_LIVE_PENDING = 8, /* accesses of a warp that values are to come of, at most */
    EXECUTE_LIVE_LOADS = 64   /* maximum number of pending loads of tensor memory */
};

/* Pending requests of a warp to async units, other than copies. */
struct execute_live_async {
    uint32_t products[LIVE_PRODUCTS]; /* pending, as in live_warp.product_groups: places in code.ops */
    struct execute_wgmma_kept *kept;  /* [LIVE_PRODUCTS] of each of these; NULL: there was none yet */
    /* indexed by register of the frame, in units of 128 bytes: pending products that accumulate there */
    uint8_t *sums;
    uint32_t sums_size;
    bool warned;
    /* tensor memory: index of the oldest load in `loading`, a ring; pending loads and stores */
    uint32_t loads_first, loads, stores;
    uint32_t loading[EXECUTE_LIVE_LOADS]; /* places in code.ops */
};

struct execute_live_warp {
    struct live_warp common;
    struct execute_warp *warp;
    struct execute_live_cta *cta;
    uint32_t depth, pc; /* position, in the stack and the code, at which fetching continues */
    uint64_t look;      /* the next instruction that is looked at (struct mnp_live_values), by its number in the warp */
    struct execute_live_async async;
    uint32_t pending_count;
    uint32_t pending[EXECUTE_LIVE_PENDING]; /* places of the operations in code.ops */
};

struct execute_live_cta {
    struct live_cta common;
    struct execute_cta cta;
    struct execute_port port;
    struct execute_live_core *core;
    const struct mnp_static_instruction *instructions;
    struct mnp_live_access *access; /* access of the current operation */
    struct live_warp *running;      /* the warp that performs it */
    struct execute_record record;
    bool again; /* the operation touches a sector with accesses pending at the L2 */
    bool stores;
    uint32_t printed;    /* number of the core's outputs before the current operation, for undoing it */
    unsigned char *half; /* [EXECUTE_TCGEN05_HALF_BYTES] of B, which comes for a command of its pair; NULL: none yet */
    struct execute_live_warp warps[EXECUTE_MAX_WARPS];
};

struct execute_live_core {
    struct live_core common;
    struct execute_device *device;
    struct mnp_region recent; /* the region of the last access, valid for */
    uint64_t changes;
    struct mnp_array printed; /* struct execute_printed */
    uint64_t steps;
    struct mnp_array warnings;    /* char *: each text once */
    struct execute_tmem *tmem;    /* NULL: not used yet */
    struct mnp_numbered commands; /* struct execute_live_command: by token */
    struct mnp_numbered arrivals; /* struct execute_live_arrival: by token */
};

/* Arrivals at mbarriers that wait for copies of their warp's lanes. */
struct execute_live_arrival {
    struct execute_live_warp *warp;
    uint32_t op; /* place in code.ops */
    uint32_t lanes;
    uint64_t addresses[32];
};

/* A command of the tensor cores' queue that has not been performed yet. */
struct execute_live_command {
    struct execute_live_warp *warp;
    uint32_t lane;
    uint32_t op; /* place in code.ops */
    union {
        struct execute_tcgen05_kept kept;
        struct execute_tcgen05_commit commit;
        uint32_t columns[2]; /* the first unit that has been taken for a pair, and how many; 0: given back */
    };
    uint8_t role;          /* enum execute_live_role */
    uint32_t token;        /* token of the command at the issuing CTA */
    unsigned char *halves; /* [2][EXECUTE_TCGEN05_HALF_BYTES] of a pair's B, kept with the token; NULL: none yet */
};

enum execute_live_role {
    EXECUTE_LIVE_OWN,
    EXECUTE_LIVE_OTHERS, /* the other CTA of its pair has issued it */
    EXECUTE_LIVE_COLUMNS /* news of columns */
};

struct execute_live_copy {
    struct live_copy common;
    struct execute_bulk bulk;
    uint32_t op; /* place in code.ops */
};

/* Whether all lanes' accesses are allocated; `*lane`: the first that is not. */
bool execute_live_covers(struct execute_live_core *core, uint32_t mask, const uint64_t *addresses, uint32_t bytes,
                         uint32_t *lane);

/* live_state.c: a fault of a warp, in an operation that it has left behind, becomes the core's error. Returns false. */
bool execute_live_failed(struct mnp_live_core *base, struct execute_warp *warp, uint32_t op, uint32_t lane);
/* Registers that an operation writes later, one time more or less. */
void execute_live_mark(struct execute_live_warp *live, const struct execute_op *op, int change);
/* Whether the warp has pending operations for which its next instruction may have to wait. */
bool execute_live_has_pending(const struct execute_live_warp *live);

/* live.c: fetches ahead from the warp's position; records the addresses of an executed access; reports a warp's fault
 * to its core. */
void execute_live_come_to(struct execute_live_warp *live);
void execute_live_state_addresses(struct execute_live_warp *live, struct mnp_live_access *access);
void execute_live_fault(struct execute_live_warp *live);
/* values.c: a warp begins; the next operation is executed, and its values are looked at. */
void execute_live_values_start(struct execute_live_warp *live);
void execute_live_values_run(struct execute_live_warp *live);
/* … and values that come later reach the registers of lanes, in a frame. */
void execute_live_values_deliver(struct execute_live_warp *live, const struct mnp_live_access *access, uint32_t frame,
                                 uint32_t lanes);
/* expect.c: asks the host's memory for the registers of the warp's next instruction, if that is known; and as
 * mnp_live_warp.expect. */
void execute_live_expect_operands(const struct execute_live_warp *live);
void execute_live_expect(const struct mnp_live_warp *base, enum mnp_live_expect step);
/* live_row.c */
void execute_live_row(struct mnp_live_warp *base, struct mnp_live_access *access, struct mnp_live_row *row);

/* live_async.c: the port's part, and the core's. */
bool execute_live_port_copy(void *context, struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_live_port_product(void *context, struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_live_port_group(void *context, struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
bool execute_live_port_arrival(void *context, struct execute_warp *warp, const struct execute_op *op, uint32_t lanes,
                               const uint64_t *addresses);
bool execute_live_port_phase(void *context, uint64_t address);
bool execute_live_port_registers(void *context, bool more, uint32_t count);
void execute_live_port_grid(void *context, enum execute_grid what);
void execute_live_port_flipped(void *context, uint64_t address);
bool execute_live_port_sleep(void *context, uint32_t nanoseconds);
/* live_tcgen05.c: the port's part, and the core's. */
void execute_live_port_columns(void *context, uint32_t wanted);
void execute_live_port_allocated(void *context, bool given_back);
void execute_live_port_moves(void *context, struct execute_warp *warp, const struct execute_op *op);
void execute_live_port_command(void *context, struct execute_warp *warp, const struct execute_op *op, uint32_t lane);
bool execute_live_moves_wait(const struct execute_live_warp *live, bool store);
void execute_live_moved(struct mnp_live_warp *base, bool store);
bool execute_live_command(struct mnp_live_core *base, uint32_t token, struct mnp_parcel *parcel);
void execute_live_commands_release(struct execute_live_core *core);
/* live_pair.c */
void execute_live_port_columns_news(void *context, uint32_t first, uint32_t units);
uint32_t execute_live_pair_parcels(struct mnp_live_core *base, uint32_t token);
bool execute_live_pair_parcel(struct mnp_live_core *base, uint32_t token, uint32_t index, struct mnp_parcel *parcel);
bool execute_live_pair_hear(struct mnp_live_core *base, struct mnp_cta_code *code, const struct mnp_parcel *parcel,
                            struct mnp_pair_news *news);
/* live_tcgen05.c, for live_pair.c: commands by token, and the machine's view of a command. */
struct execute_live_command *execute_live_command_at(const struct execute_live_core *core, uint32_t token);
uint32_t execute_live_take_token(struct execute_live_core *core);
void execute_live_give_token(struct execute_live_core *core, uint32_t token);
struct mnp_tensor_command execute_live_described(const struct execute_op *op, const struct execute_tcgen05_kept *kept);
extern const struct mnp_live_async execute_live_async;

/* Whether an operation uses registers in which a pending product accumulates; a warning is issued the first time. */
bool execute_live_touches_sums(struct execute_live_warp *live, const struct execute_op *op);
/* Frees the async units' data of a warp. */
void execute_live_async_release(struct execute_live_warp *live);

#endif
