/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/sent.h"

#include "base/bits.h"
#include "base/sample.h"
#include "gpu/network/network.h"
#include "gpu/sm/state.h"

#include <string.h>

enum { SECTOR_BITS = 8 * GPU_SECTOR, ADDRESS_BITS = 64, HEADERS = 0, SECTORS = 1 };

/* The place of a block of a stream that is compared. */
static uint64_t pick(const struct sm *sm, uint32_t stream, uint64_t block)
{
    uint64_t key = UINT64_C(0x9e3779b97f4a7c15) * (stream + 2 * (uint64_t)sm->index + 1);
    return mnp_sample_of_block(block, sm->parameters->values, key);
}

void sm_sent_lay_out(struct sm *sm, struct mnp_arena *arena)
{
    sm->live->sent = sm->parameters->values ? mnp_arena_take(arena, 1, sizeof *sm->live->sent) : NULL;
}

void sm_sent_init(struct sm *sm, uint32_t tickets)
{
    struct sm_sent *sent = sm->live->sent;
    if (!sent)
        return;
    sent->tickets = tickets;
    sent->headers = (struct sm_sent_stream){.look = pick(sm, HEADERS, 0), .activity = SM_ACTIVITY_RANDOM};
    sent->sectors = (struct sm_sent_stream){.look = pick(sm, SECTORS, 0), .activity = SM_ACTIVITY_RANDOM};
}

static uint32_t differ(const uint64_t *a, const uint64_t *b, uint32_t words)
{
    uint32_t toggled = 0;
    for (uint32_t i = 0; i < words; i++)
        toggled += mnp_ones((uint32_t)(a[i] ^ b[i])) + mnp_ones((uint32_t)((a[i] ^ b[i]) >> 32));
    return toggled;
}

/* The stream's next one is compared, with so many bits that toggle of so many. */
static void take(const struct sm *sm, struct sm_sent_stream *stream, uint32_t number, uint32_t toggled, uint32_t bits,
                 uint64_t *counters)
{
    uint64_t random = bits * (uint64_t)sm->parameters->sent_random;
    uint64_t activity = (toggled * UINT64_C(1000) * SM_ACTIVITY_RANDOM + random / 2) / random;
    stream->activity = activity < SM_ACTIVITY_MOST ? activity : SM_ACTIVITY_MOST;
    stream->look = pick(sm, number, stream->passed / sm->parameters->values + 1);
    counters[number == HEADERS ? SM_SENT_ADDRESSES_TOGGLED : SM_SENT_DATA_TOGGLED] += toggled;
    counters[number == HEADERS ? SM_SENT_ADDRESSES_COMPARED : SM_SENT_DATA_COMPARED] += bits;
}

/* ===== headers ===== */

static void pass_header(struct sm *sm, uint64_t line, uint64_t *counters)
{
    struct sm_sent *sent = sm->live->sent;
    struct sm_sent_stream *headers = &sent->headers;
    if (headers->passed == headers->look) {
        if (headers->passed)
            take(sm, headers, HEADERS, differ(&sent->line, &line, 1), ADDRESS_BITS, counters);
        else
            headers->look = pick(sm, HEADERS, 1);
    }
    headers->passed++;
    sent->line = line;
}

/* ===== sectors of data ===== */

/* The access whose operands leave with a request; NULL: its data lie in memory. */
static const struct mnp_live_access *access_of(const struct sm *sm, const struct gpu_request *request)
{
    return request->ticket ? &sm->live->accesses[request->ticket - 1] : NULL;
}

/* Whether nobody can see the data here. */
static bool is_hidden(const struct sm *sm, const struct gpu_request *request)
{
    return request->ticket >= sm->live->sent->tickets || (!request->ticket && request->kind != GPU_WRITE);
}

/* Puts the operands of lanes into a sector of memory. */
static void put_operands(const struct mnp_live_access *access, uint64_t sector, unsigned char *bytes)
{
    for (uint32_t lanes = access->record.mask; lanes; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        uint64_t at = access->addresses[lane] - sector;
        if (at + access->bytes <= GPU_SECTOR)
            memcpy(bytes + at, access->data[lane], access->bytes);
    }
}

/* The bits of a sector on its wires, which hold `before` where nothing is written. */
static void read_sector(const struct sm *sm, const struct gpu_request *request, uint32_t number,
                        const uint64_t before[4], uint64_t data[4])
{
    const struct mnp_live_access *access = access_of(sm, request);
    uint64_t sector = request->line + GPU_SECTOR * (uint64_t)number, memory[4];
    memcpy(data, before, sizeof memory);
    if (access) {
        put_operands(access, sector, (unsigned char *)data);
        return;
    }
    uint32_t written = (uint32_t)(request->bytes[number / 2] >> number % 2 * GPU_SECTOR);
    mnp_overlay_read(sm->live->core.overlay, sector, sizeof memory, memory);
    for (uint32_t rest = written; rest; rest &= rest - 1) {
        uint32_t at = (uint32_t)__builtin_ctz(rest);
        ((unsigned char *)data)[at] = ((const unsigned char *)memory)[at];
    }
}

static void pass_sector(struct sm *sm, const struct gpu_request *request, uint32_t number, uint64_t *counters)
{
    struct sm_sent *sent = sm->live->sent;
    struct sm_sent_stream *sectors = &sent->sectors;
    if (sectors->passed == sectors->look || sectors->passed + 1 == sectors->look) {
        static const uint64_t nothing[4];
        bool follows = sent->kept == sectors->passed && sectors->passed;
        uint64_t data[4];
        read_sector(sm, request, number, follows ? sent->data : nothing, data);
        if (sectors->passed == sectors->look && follows)
            take(sm, sectors, SECTORS, differ(sent->data, data, 4), SECTOR_BITS, counters);
        else if (sectors->passed == sectors->look)
            sectors->look = pick(sm, SECTORS, sectors->passed / sm->parameters->values + 1);
        sent->kept = sectors->passed + 1;
        memcpy(sent->data, data, sizeof sent->data);
    }
    sectors->passed++;
}

static void pass_sectors(struct sm *sm, const struct gpu_request *request, uint64_t *counters)
{
    struct sm_sent_stream *sectors = &sm->live->sent->sectors;
    uint32_t count = gpu_count_sectors(request->sectors);
    if (sectors->passed + count < sectors->look) { /* none is looked at */
        sectors->passed += count;
        return;
    }
    for (uint32_t rest = request->sectors; rest; rest &= rest - 1)
        pass_sector(sm, request, (uint32_t)__builtin_ctz(rest), counters);
}

/* ===== requests ===== */

uint8_t sm_sent_pass(struct sm *sm, const struct gpu_request *request, uint64_t bytes)
{
    const struct sm_sent *sent = sm->live->sent;
    uint64_t *counters = mnp_counters(sm->unit, request->kernel) + sm->parameters->places.sent;
    uint64_t header = sm->network->header, data = bytes - header, of_data = SM_ACTIVITY_RANDOM;
    pass_header(sm, request->line, counters);
    if (data && !is_hidden(sm, request)) {
        pass_sectors(sm, request, counters);
        of_data = sent->sectors.activity;
    }
    uint64_t activity = bytes ? (header * sent->headers.activity + data * of_data + bytes / 2) / bytes : 0;
    counters[SM_SENT_ACTIVITY] += bytes * activity;
    return (uint8_t)(activity + 1);
}
