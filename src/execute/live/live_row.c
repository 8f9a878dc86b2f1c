/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of operations of a live warp, executed without timing (struct mnp_live_row): operations that involve only the
 * warp and memory. All others (barriers, accesses at the L2, async units, a warp's end) are left to single steps, which
 * the core sees.
 */
#include "execute/live/live_state.h"

/* Whether an operation accesses memory private to the SM, or plain global memory. */
static bool is_plain_access(const struct execute_live_cta *cta, const struct execute_op *op)
{
    if (op->access.strong || op->access.space == EXECUTE_SPACE_CLUSTER || cta->core->device->views.count)
        return false; /* the last: it may lead to a multicast object */
    return op->access.space != EXECUTE_SPACE_GENERIC || cta->cta.cluster->size <= 1;
}

static bool is_plain(const struct execute_live_cta *cta, const struct execute_op *op)
{
    switch ((enum execute_kind)op->kind) {
    case EXECUTE_KIND_LOAD:
    case EXECUTE_KIND_STORE:
        return is_plain_access(cta, op);
    case EXECUTE_KIND_CARRY:
    case EXECUTE_KIND_VIDEO:
    case EXECUTE_KIND_WORDS:
    case EXECUTE_KIND_COPY_ASYNC:
    case EXECUTE_KIND_LOAD_MATRIX:
    case EXECUTE_KIND_WMMA_ACCESS:
    case EXECUTE_KIND_MATRIX:
    case EXECUTE_KIND_MOVE_MATRIX:
    case EXECUTE_KIND_BRANCH:
    case EXECUTE_KIND_PART:
    case EXECUTE_KIND_SHUFFLE:
    case EXECUTE_KIND_VOTE:
    case EXECUTE_KIND_MATCH:
    case EXECUTE_KIND_REDUX:
        return true;
    default:
        return execute_kind_is(op->kind, EXECUTE_IS_PURE);
    }
}

/* Whether single steps have nothing more to see to than the operation. */
static bool is_free(const struct execute_live_warp *live)
{
    const struct execute_warp *warp = live->warp;
    return warp->status == EXECUTE_RUNNING && !warp->parted && !warp->held_count && !live->common.base.pending &&
           !live->common.products && !live->async.loads && !live->async.stores && !live->common.copies &&
           !live->cta->core->common.core->hot && !live->cta->cta.tmem_units;
}

static bool is_told(const struct execute_op *op, const struct mnp_live_row *row)
{
    return row->tells && execute_kinds[op->kind].class == MNP_CLASS_MEMORY && op->kind != EXECUTE_KIND_LOAD_PARAMETER &&
           op->kind != EXECUTE_KIND_LOAD_MATRIX;
}

/* Executes one operation that only computes in registers, the most frequent kind. Returns false, without effect, if it
 * is another one. */
static inline bool compute(struct execute_live_warp *live, uint32_t pc, struct mnp_live_row *row)
{
    uint32_t lanes;
    if (!execute_warp_compute(live->warp, &lanes))
        return false;
    row->done[row->count++] = (struct mnp_live_passed){pc & ((1u << MNP_INDEX_BITS) - 1), lanes};
    return true;
}

/* Executes one operation. Returns false if it could not be executed, or ends the row. */
static bool step(struct execute_live_warp *live, const struct execute_op *op, struct mnp_live_row *row)
{
    struct execute_live_cta *cta = live->cta;
    struct execute_warp *warp = live->warp;
    bool told = is_told(op, row);
    warp->unseen = !told;
    execute_warp_run(warp, 1);
    if (warp->status == EXECUTE_FAULTED) {
        execute_live_fault(live);
        row->faulted = true;
        return false;
    }
    row->done[row->count++] = (struct mnp_live_passed){cta->record.op & ((1u << MNP_INDEX_BITS) - 1), cta->record.mask};
    execute_warp_settle(warp);
    row->told = told && cta->record.bytes && cta->record.space == EXECUTE_SPACE_GLOBAL;
    return !row->told && warp->status == EXECUTE_RUNNING && !warp->parted;
}

/* The core fetches on from where the warp is now. */
static void come_to(struct execute_live_warp *live, const struct mnp_live_row *row)
{
    const struct execute_warp *warp = live->warp;
    live->cta->core->steps += row->count;
    live->common.executed += row->count;
    live->common.base.polls = warp->idle >= EXECUTE_POLLS_YIELD_LIVE;
    live->common.base.idle = warp->idle >= EXECUTE_POLLS_ASIDE;
    live->common.base.opened = 0;
    execute_live_come_to(live);
}

void execute_live_row(struct mnp_live_warp *base, struct mnp_live_access *access, struct mnp_live_row *row)
{
    struct execute_live_warp *live = (struct execute_live_warp *)base;
    struct execute_live_cta *cta = live->cta;
    struct execute_warp *warp = live->warp;
    row->count = 0;
    row->told = row->faulted = row->unknown = false;
    if (!is_free(live))
        return;
    cta->access = access;
    cta->again = cta->stores = false;
    cta->running = &live->common;
    cta->cta.opened = 0;
    access->at_l2 = MNP_LIVE_NOT_AT_L2;
    access->remote = false;
    warp->record = &cta->record;
    while (row->count < row->most && row->budget > 0) {
        uint32_t pc = warp->stack[warp->depth - 1].pc;
        const struct execute_op *op = execute_op_at(warp->launch->code, pc);
        uint32_t price = row->prices[(pc & ((1u << MNP_INDEX_BITS) - 1)) % row->price_count];
        row->unknown = !price;
        if (!price)
            break;
        bool computed = compute(live, pc, row);
        if (!computed && !is_plain(cta, op))
            break;
        row->budget -= (int64_t)price << 16;
        if (!computed && !step(live, op, row))
            break;
    }
    if (row->told)
        execute_live_state_addresses(live, access);
    if (row->count && !row->faulted)
        come_to(live, row);
}
