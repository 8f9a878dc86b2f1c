/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/remote.h"

#include "gpu/sm/live.h"
#include "gpu/sm/remote_port.h"
#include "gpu/sm/state.h"

#include <string.h>

/* ===== requests ===== */

struct packets { /* packets of an access */
    uint32_t count;
    uint8_t rank[GPU_SM2SM_MOST];
    struct gpu_remote packet[GPU_SM2SM_MOST];
};

/* The packet for a sector of the CTA of a rank, in which there is room for a piece. */
static struct gpu_remote *packet_for(struct packets *packets, uint32_t rank, uint32_t sector)
{
    for (uint32_t i = packets->count; i-- > 0;)
        if (packets->rank[i] == rank && packets->packet[i].address == sector &&
            packets->packet[i].count < GPU_REMOTE_PIECES)
            return &packets->packet[i];
    MNP_REQUIRE(packets->count < GPU_SM2SM_MOST, "an access has more than %d packets", GPU_SM2SM_MOST);
    packets->rank[packets->count] = (uint8_t)rank;
    struct gpu_remote *packet = &packets->packet[packets->count++];
    memset(packet, 0, sizeof *packet);
    packet->address = sector;
    return packet;
}

static void add_piece(struct packets *packets, const struct mnp_live_access *access, uint32_t lane, uint32_t place,
                      uint32_t bytes)
{
    uint32_t rank = (uint32_t)(access->addresses[lane] >> MNP_LIVE_RANK_SHIFT);
    uint32_t address = (uint32_t)(access->addresses[lane] & ((1u << MNP_LIVE_RANK_SHIFT) - 1)) + place;
    struct gpu_remote *packet = packet_for(packets, rank, address & ~(uint32_t)(GPU_REMOTE_SECTOR - 1));
    uint32_t i = packet->count++;
    packet->lane[i] = (uint8_t)lane;
    packet->place[i] = (uint8_t)place;
    packet->offset[i] = (uint8_t)(address % GPU_REMOTE_SECTOR);
    packet->bytes = (uint8_t)bytes;
    memcpy(&packet->value[i], access->data[lane] + place, bytes);
    if (access->at_l2 == MNP_LIVE_ATOMIC || access->at_l2 == MNP_LIVE_REDUCTION)
        memcpy(&packet->swap[i], access->data[lane] + 8, bytes);
    if (access->counted)
        memcpy(&packet->swap[i], access->data[lane] + 16, sizeof packet->swap[i]);
}

/* The lanes of an access, which are at most 32 of 16 bytes. */
static void split(const struct mnp_live_access *access, struct packets *packets)
{
    uint32_t bytes = access->bytes < 8 ? access->bytes : 8;
    packets->count = 0;
    for (uint32_t lanes = access->record.mask; lanes; lanes &= lanes - 1)
        for (uint32_t place = 0; place < access->bytes; place += bytes)
            add_piece(packets, access, (uint32_t)__builtin_ctz(lanes), place, bytes);
}

uint64_t sm_remote_ready_at(const struct sm *sm, uint16_t ticket, uint64_t ready)
{
    if (sm_remote_port_credits(sm) < GPU_SM2SM_MOST && ready < SM_NOT_YET) {
        struct packets packets;
        split(sm_live_access(sm, ticket), &packets);
        if (packets.count > sm_remote_port_credits(sm))
            return SM_NOT_YET;
    }
    return sm_remote_port_ready_at(sm, ready);
}

static uint16_t take_load(struct sm *sm, const struct sm_memory_op *op, uint32_t parts, uint64_t cycle)
{
    static const uint8_t kinds[] = {[MNP_LIVE_LOAD] = GPU_READ,
                                    [MNP_LIVE_STORE] = GPU_WRITE,
                                    [MNP_LIVE_ATOMIC] = GPU_ATOMIC,
                                    [MNP_LIVE_REDUCTION] = GPU_REDUCTION};
    const struct mnp_live_access *access = sm_live_access(sm, op->ticket);
    return sm_load_take(sm,
                        &(struct sm_load_request){.record = op->record,
                                                  .parts = parts,
                                                  .mask = access->record.mask,
                                                  .width = access->bytes,
                                                  .rate = 2 * sm->parameters->memory_return,
                                                  .warp = op->warp,
                                                  .kind = kinds[access->at_l2]},
                        cycle);
}

uint16_t sm_remote_start(struct sm *sm, const struct sm_memory_op *op, uint64_t cycle)
{
    const struct mnp_live_access *access = sm_live_access(sm, op->ticket);
    uint16_t slot = sm->warps[op->warp].cta.slot;
    const struct sm_cta *cta = &sm->ctas[slot];
    const struct mnp_kernel *kernel = sm->codes[slot].kernel;
    struct packets packets;
    split(access, &packets);
    uint16_t load = take_load(sm, op, packets.count, cycle);
    mnp_counters(sm->unit, cta->kernel)[SM_REMOTE_ACCESSES]++;
    sm_remote_port_use(sm, packets.count);
    for (uint32_t i = 0; i < packets.count; i++) {
        struct gpu_remote *packet = &packets.packet[i];
        packet->cta = mnp_cluster_member(kernel->grid, kernel->cluster, cta->number, packets.rank[i]);
        packet->kernel = cta->kernel;
        packet->kind = (uint8_t)(access->at_l2 - MNP_LIVE_LOAD + GPU_REMOTE_LOAD);
        packet->operation = access->operation;
        packet->type = access->type;
        packet->counted = access->counted;
        packet->ticket = op->ticket;
        packet->load = load;
        sm_remote_port_request(sm, cta->cluster.place[packets.rank[i]], packet, cycle);
    }
    return load;
}
