/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets that come over the SM-to-SM network: requests of others (remote.h), and answers to one's own. */
#include "gpu/sm/remote_port.h"

#include "gpu/sm/cluster.h"
#include "gpu/sm/events.h"
#include "gpu/sm/live.h"
#include "gpu/sm/tcgen05/tcgen05.h"
#include "gpu/sm/tma/tma.h"
#include "gpu/sm/warp_wait.h"

#include <string.h>

/* ===== at the target ===== */

static bool performs(const struct gpu_remote *packet)
{
    return packet->kind == GPU_REMOTE_ATOMIC || packet->kind == GPU_REMOTE_REDUCTION;
}

/* A barrier counts the bytes of a piece. False: it cannot, and is *refused. */
static bool count(struct sm *sm, uint16_t slot, const struct gpu_remote *packet, uint64_t barrier, uint64_t *refused,
                  uint64_t cycle)
{
    uint32_t address = (uint32_t)barrier;
    unsigned char *at = sm->codes[slot].cta.shared + address;
    uint64_t old;
    memcpy(&old, at, sizeof old);
    *refused = old;
    if (!sm->live->core.async->counts((uint8_t)(barrier >> 32), old, packet->bytes))
        return false;
    uint64_t now = sm->device->source->atomic((uint8_t)(barrier >> 32), 0, old, packet->bytes, 0);
    memcpy(at, &now, sizeof now);
    if (mnp_live_ends_phase(old, now))
        sm_wait_flipped(sm, slot, address + UINT64_C(1), cycle);
    return true;
}

/* Performs the pieces in the order of lanes; those of loads and atomics become what was there before. */
static void perform(struct sm *sm, uint16_t slot, struct gpu_remote *packet, uint64_t cycle)
{
    unsigned char *shared = sm->codes[slot].cta.shared;
    struct mnp_source *source = sm->device->source;
    for (uint32_t i = 0; i < packet->count; i++) {
        unsigned char *at = shared + packet->address + packet->offset[i];
        uint64_t old = 0, refused, given = packet->value[i];
        memcpy(&old, at, packet->bytes);
        if (performs(packet))
            given = source->atomic(packet->operation, packet->type, old, given, packet->swap[i]);
        if (packet->kind != GPU_REMOTE_LOAD)
            memcpy(at, &given, packet->bytes);
        if (packet->counted && !count(sm, slot, packet, packet->swap[i], &refused, cycle)) {
            packet->lost = GPU_REMOTE_REFUSED;
            packet->lane[0] = packet->lane[i];
            packet->value[0] = refused;
            return;
        }
        bool phase = performs(packet) && packet->bytes == sizeof old && mnp_live_ends_phase(old, given);
        if (phase && !packet->counted)
            sm_wait_flipped(sm, slot, packet->address + packet->offset[i] + UINT64_C(1), cycle);
        packet->value[i] = old;
    }
}

static void take_request(struct sm *sm, uint32_t peer, const struct gpu_remote *packet, uint64_t cycle)
{
    uint16_t slot = sm_cluster_slot_of(sm, packet->kernel, packet->cta);
    if (packet->kind == GPU_REMOTE_ARRIVE || packet->kind == GPU_REMOTE_LEAVE) {
        sm_cluster_hear(sm, slot, packet->rank, packet->kind == GPU_REMOTE_LEAVE, cycle);
        return;
    }
    if (packet->kind == GPU_REMOTE_PAIR) {
        sm_tcgen05_hear(sm, slot, packet, cycle);
        return;
    }
    mnp_time taken = sm_remote_port_take(sm, packet, cycle);
    struct gpu_remote answer = *packet;
    answer.lost = slot == SM_NONE ? GPU_REMOTE_LOST : GPU_REMOTE_KEPT;
    if (!answer.lost && packet->kind == GPU_REMOTE_PARCEL)
        sm_tma_receive(sm, slot, &answer, cycle);
    else if (!answer.lost)
        perform(sm, slot, &answer, cycle);
    sm_remote_port_answer(sm, peer, &answer, taken, cycle);
}

/* ===== answers ===== */

/* Lets the front-end check an access that has been performed: the values that were there before may show a fault. */
static void check_found(struct sm *sm, uint16_t warp, const struct mnp_live_access *access,
                        const struct gpu_remote *packet, uint64_t cycle)
{
    struct mnp_live_warp *live = sm->views[warp].live;
    bool good = true;
    for (uint32_t i = 0; i < packet->count && good; i++)
        good = live->found(live, access, packet->lane[i], packet->value[i]);
    if (!good)
        mnp_unit_fault(sm->unit, mnp_cursor_edge(&sm->unit->clock, cycle), &sm->live->core.error);
}

/* The CTA has ended, or its barrier cannot count what came: the error is the asking instruction's. */
static void take_loss(struct sm *sm, uint16_t warp, const struct mnp_live_access *access,
                      const struct gpu_remote *packet, uint64_t cycle)
{
    struct mnp_live_warp *live = sm->views[warp].live;
    if (packet->lost == GPU_REMOTE_LOST)
        live->lost(live, access, packet->lane[0]);
    else
        live->found(live, access, packet->lane[0], packet->value[0]);
    mnp_unit_fault(sm->unit, mnp_cursor_edge(&sm->unit->clock, cycle), &sm->live->core.error);
}

static void take_answer(struct sm *sm, const struct gpu_remote *packet, uint64_t cycle)
{
    struct mnp_live_access *access = &sm->live->accesses[packet->ticket - 1];
    uint16_t warp = sm->loads[packet->load].warp;
    sm_remote_port_give(sm);
    if (packet->lost)
        take_loss(sm, warp, access, packet, cycle);
    else if (performs(packet))
        check_found(sm, warp, access, packet, cycle);
    if (packet->kind == GPU_REMOTE_LOAD || packet->kind == GPU_REMOTE_ATOMIC)
        for (uint32_t i = 0; i < packet->count; i++)
            memcpy(access->data[packet->lane[i]] + packet->place[i], &packet->value[i], packet->bytes);
    sm_wake_pipeline(sm);
    sm_wake_stage(sm, SM_TURN_TMA, cycle); /* TMA may wait for a place, too */
    sm_load_part_done(sm, packet->load, 1, cycle + sm->parameters->fill_latency, cycle);
}

void sm_remote_hear(struct sm *sm, struct mnp_port_place at, const struct gpu_remote *packet, uint64_t cycle)
{
    if (at.port == SM_REMOTE_IN)
        take_request(sm, at.index, packet, cycle);
    else if (packet->kind == GPU_REMOTE_PARCEL && packet->ticket)
        sm_tcgen05_answered(sm, packet, cycle);
    else if (packet->kind == GPU_REMOTE_PARCEL)
        sm_tma_answered(sm, packet, cycle);
    else
        take_answer(sm, packet, cycle);
}
