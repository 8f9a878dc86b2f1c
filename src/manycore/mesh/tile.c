/* SPDX-License-Identifier: BSD-3-Clause */
/* Activity of a tile: its core runs alone to its next access to shared memory, which is sent and answered. */
#include "manycore/mesh/free.h"
#include "manycore/mesh/place.h"
#include "manycore/mesh/watch.h"

/* Lets a core run alone, and schedules what it stops at. Long work of its own is no livelock. */
MNP_DEVICE static void run_core(struct manycore_block *block, uint32_t place)
{
    const struct manycore_common *common = block->common;
    struct manycore_core *core = &block->tile[place].core;
    uint64_t from = core->clock, until = from + block->run_ahead;
    until = until < common->limit ? until : common->limit;
    if (block->free) {
        manycore_free_start(block, place, until);
        return;
    }
    if (manycore_is_watched(block)) {
        manycore_watch_start(block, place, until);
        return;
    }
    manycore_core_run(core, &block->place[place], until);
    if (core->clock - from > MANYCORE_LONG && core->clock > block->due)
        block->due = core->clock;
    block->calling += core->pause == MANYCORE_SERVICE;
    manycore_event_add(block, place, core->clock);
}

/* Notes what is not the repetition of a read with the same result. Writes are progress when they change memory, which
 * the bank sees. */
MNP_DEVICE static void note_progress(struct manycore_block *block, struct manycore_tile *tile,
                                     const struct manycore_packet *reply)
{
    if (reply->request.action == MANYCORE_WRITE)
        return;
    const struct manycore_read read = {tile->core.r[15], reply->request.address, reply->request.data};
    tile->latest = (uint16_t)(read.pc / 4 % MANYCORE_RECENT);
    struct manycore_read *last = &tile->recent[tile->latest];
    tile->spins = last->pc == read.pc && last->address == read.address && last->value == read.value;
    if (tile->spins)
        return;
    *last = read;
    tile->spins_since = block->state->cycle;
    block->progress = block->state->cycle;
}

/* Whether an answer is that of a poll: the same as before, the core has done nothing else since, and the loop may end
 * by another one. */
MNP_DEVICE static bool is_poll(const struct manycore_block *block, uint32_t place, uint8_t action)
{
    const struct manycore_tile *tile = &block->tile[place];
    const struct manycore_node *node = &block->node[place];
    return tile->spins && action != MANYCORE_WRITE && action != MANYCORE_WRITE_EXCLUSIVE && !node->exclusives.latest &&
           tile->core.mix[A32_CLASS_STORE] == node->polls.stores &&
           tile->waiting_since - node->polls.answered <= MANYCORE_LONGEST_ROUND &&
           manycore_core_decides(&tile->core, &block->place[place]);
}

/* Counts an exclusive store, and votes for its word if it failed. */
MNP_DEVICE static void note_exclusive(struct manycore_exclusives *exclusives, const struct manycore_request *request)
{
    exclusives->latest = request->action == MANYCORE_WRITE_EXCLUSIVE;
    if (!exclusives->latest)
        return;
    exclusives->count++;
    exclusives->again = request->data ? request->address : 0;
    if (!request->data)
        return;
    exclusives->failures++;
    exclusives->neighbours += request->mark;
    if (!exclusives->votes)
        exclusives->word = request->address;
    exclusives->votes += exclusives->word == request->address ? 1 : -1;
}

/* Time of a core up to an answer: whether it has polled, or tried an exclusive store again. */
MNP_DEVICE static void note_answer(struct manycore_block *block, const struct manycore_answer *answer)
{
    const struct manycore_tile *tile = &block->tile[answer->place];
    const struct manycore_request *request = &answer->reply.request;
    struct manycore_node *node = &block->node[answer->place];
    struct manycore_polling *polls = &node->polls;
    struct manycore_exclusives *exclusives = &node->exclusives;
    uint64_t cycles = answer->cycle - polls->answered, waits = answer->cycle - tile->waiting_since;
    if (exclusives->again != request->address || request->action == MANYCORE_WRITE)
        exclusives->again = 0;
    if (is_poll(block, answer->place, request->action)) {
        polls->count++;
        polls->cycles += cycles;
        polls->wait_cycles += waits;
    } else if (exclusives->again) {
        exclusives->again_cycles += cycles;
        exclusives->again_wait_cycles += waits;
    }
    note_exclusive(exclusives, request);
    polls->answered = answer->cycle;
    polls->stores = tile->core.mix[A32_CLASS_STORE];
}

MNP_APART void manycore_tile_answer(struct manycore_block *block, const struct manycore_answer *answer)
{
    struct manycore_tile *tile = &block->tile[answer->place];
    note_progress(block, tile, &answer->reply);
    if (manycore_is_watched(block))
        manycore_watch_answer(block, answer->place, answer->cycle);
    note_answer(block, answer);
    tile->wait_cycles += answer->cycle - tile->waiting_since;
    block->node[answer->place].latencies[manycore_latency_bin(answer->cycle - tile->waiting_since)]++;
    tile->waiting_since = UINT64_MAX;
    if (block->free)
        block->pending--;
    manycore_core_answer(&tile->core, &answer->reply.request, answer->cycle);
    run_core(block, answer->place);
}

/* An access to shared memory sets out. */
MNP_DEVICE static void send_access(struct manycore_block *block, uint32_t place, uint64_t cycle)
{
    const struct manycore_parameters *p = block->common->parameters;
    struct manycore_tile *tile = &block->tile[place];
    uint32_t from = manycore_tile_of(block, place, block->shape.width);
    uint32_t home = (tile->core.request.address - MANYCORE_SHARED) / p->bank_bytes;
    if (p->network == MANYCORE_MESH && home == from) {
        manycore_local_begin(block, place, cycle);
        return;
    }
    struct manycore_packet packet = {
        .request = tile->core.request, .from = (uint16_t)from, .to = (uint16_t)home, .born = (uint32_t)cycle};
    tile->s_events++;
    tile->waiting_since = cycle;
    if (p->network == MANYCORE_GLOBAL)
        manycore_border_ask(block, &packet, cycle);
    else
        manycore_router_push(block, place, MANYCORE_LOCAL * 2 + MANYCORE_REQUEST, &packet, cycle);
}

MNP_APART bool manycore_tile_act(struct manycore_block *block, uint32_t place, uint64_t cycle)
{
    struct manycore_core *core = &block->tile[place].core;
    switch ((enum manycore_pause)core->pause) {
    case MANYCORE_RUNNING:
        if (block->free && manycore_free_is_unfinished(block, place)) {
            manycore_free_step(block, place);
            break;
        }
        if (manycore_is_watched(block) && manycore_free_is_unfinished(block, place)) {
            manycore_watch_step(block, place);
            break;
        }
        block->progress = cycle;
        run_core(block, place);
        break;
    case MANYCORE_ACCESS:
        send_access(block, place, cycle);
        break;
    case MANYCORE_SERVICE:
        block->calling--;
        block->progress = cycle;
        manycore_service(block, place, cycle);
        if (core->pause == MANYCORE_RUNNING)
            run_core(block, place);
        else if (core->pause == MANYCORE_FAULTED)
            manycore_event_add(block, place, cycle);
        break;
    case MANYCORE_FAULTED: /* this core acts no more; the block goes on to the epoch's end, where the run ends */
        return false;
    case MANYCORE_EXITED:
        break;
    }
    return true;
}
