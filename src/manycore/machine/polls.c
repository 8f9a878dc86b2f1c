/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads that cores repeat until a word of the global space changes (mesh/poll.c), at the end where they arrive. The
 * first read of such a row says how many cycles a round takes and which value the core knows. While the word has that
 * value, nothing is done. When another core changes the word, each reader's next arrival is found by arithmetic and
 * waits in a wheel for its cycle; it is then answered if the value is another one, and the core goes on waiting if not.
 * Arrivals of one cycle are performed in the order of their tiles, as all accesses are.
 */
#include "manycore/machine/polls.h"
#include "manycore/machine/arrive.h"

#include <stdlib.h>
#include <string.h>

enum {
    WHEEL = 1024, /* cycles that the wheel holds: more than a round has */
    LISTS = 4096  /* lists of readers, by their word */
};

struct poll {
    struct manycore_packet request; /* the read as it arrives */
    uint64_t arrival;               /* cycle of one of its arrivals: none before it is to come */
    uint32_t next, previous;        /* tiles + 1 that read a word of the same list; 0: none */
    uint32_t later;                 /* the next of the tiles + 1 that arrive in the same cycle */
    bool open, due;                 /* the core waits; its arrival at `arrival` is to be performed */
};

struct manycore_polls {
    struct poll *polls;          /* [tiles] */
    uint32_t first[LISTS];       /* tiles + 1 */
    uint32_t wheel[WHEEL];       /* tiles + 1 that arrive in a cycle */
    uint64_t filled[WHEEL / 64]; /* one bit per cycle of the wheel */
    uint32_t waiting;            /* tiles in the wheel */
};

void manycore_polls_open(struct manycore_machine *machine)
{
    const struct manycore_parameters *p = machine->parameters;
    bool even = MNP_SECOND % p->clock == 0; /* times of cycles add up */
    if (p->network != MANYCORE_GLOBAL || !even)
        return;
    struct manycore_polls *all = machine->global.polls = mnp_allocate(1, sizeof *all);
    all->polls = mnp_allocate(p->tiles, sizeof *all->polls);
    for (uint32_t i = 0; i < machine->block_count; i++)
        machine->blocks[i].spins = machine->blocks[i].all_spins;
}

void manycore_polls_release(struct manycore_polls *all)
{
    if (all)
        free(all->polls);
    free(all);
}

/* ===== lists ===== */

static uint32_t *list_of(struct manycore_polls *all, uint32_t address)
{
    return &all->first[(address / 4 * UINT32_C(2654435761)) >> 20];
}

static void open_poll(struct manycore_polls *all, uint32_t tile, const struct manycore_packet *request, uint64_t cycle)
{
    uint32_t *list = list_of(all, request->request.address);
    all->polls[tile] = (struct poll){.request = *request, .arrival = cycle, .next = *list, .open = true};
    if (*list)
        all->polls[*list - 1].previous = tile + 1;
    *list = tile + 1;
}

static void close_poll(struct manycore_polls *all, uint32_t tile)
{
    struct poll *poll = &all->polls[tile];
    if (poll->next)
        all->polls[poll->next - 1].previous = poll->previous;
    if (poll->previous)
        all->polls[poll->previous - 1].next = poll->next;
    else
        *list_of(all, poll->request.request.address) = poll->next;
    poll->open = false;
}

/* ===== the wheel ===== */

static void put_into_wheel(struct manycore_polls *all, uint32_t tile)
{
    uint32_t at = all->polls[tile].arrival % WHEEL;
    all->polls[tile].later = all->wheel[at];
    all->wheel[at] = tile + 1;
    all->filled[at / 64] |= UINT64_C(1) << at % 64;
    all->waiting++;
}

uint64_t manycore_polls_next(const struct manycore_polls *all, uint64_t cycle)
{
    if (!all || !all->waiting)
        return UINT64_MAX;
    for (uint64_t at = cycle;;) {
        uint64_t bits = all->filled[at % WHEEL / 64] >> at % 64;
        if (bits)
            return at + (uint64_t)__builtin_ctzll(bits);
        at += 64 - at % 64;
    }
}

/* ===== accesses ===== */

void manycore_polls_arrive(struct manycore_global *global, uint64_t cycle)
{
    struct manycore_polls *all = global->polls;
    uint32_t at = cycle % WHEEL;
    if (!all || !all->wheel[at])
        return;
    for (uint32_t tile = all->wheel[at]; tile; tile = all->polls[tile - 1].later) {
        manycore_global_arrive(global, &all->polls[tile - 1].request);
        all->waiting--;
    }
    all->wheel[at] = 0;
    all->filled[at / 64] &= ~(UINT64_C(1) << at % 64);
}

bool manycore_polls_keep(struct manycore_global *global, uint32_t tile, uint64_t cycle)
{
    struct manycore_polls *all = global->polls;
    struct manycore_packet *packet = &global->arrived[tile];
    struct manycore_request *request = &packet->request;
    uint32_t value = 0;
    if (!all || request->action != MANYCORE_READ || (!request->mark && !all->polls[tile].open))
        return false;
    all->polls[tile].due = false;
    memcpy(&value, global->machine->shared.base + (request->address - MANYCORE_SHARED), request->bytes);
    if (request->mark && value == request->data) {
        if (!all->polls[tile].open)
            open_poll(all, tile, packet, cycle);
        return true;
    }
    if (all->polls[tile].open)
        close_poll(all, tile);
    request->data = request->mark = 0;
    return false;
}

/* The first arrival of a poll behind the access of a tile in a cycle. */
static void find_arrival(struct poll *poll, uint32_t tile, uint32_t writer, uint64_t cycle)
{
    uint64_t period = poll->request.request.mark, rounds = 0;
    if (poll->arrival < cycle)
        rounds = (cycle - poll->arrival + period - 1) / period;
    if (poll->arrival + rounds * period == cycle && tile < writer)
        rounds++;
    poll->arrival += rounds * period;
    poll->request.born += (uint32_t)(rounds * period);
}

void manycore_polls_change(struct manycore_global *global, uint32_t address, uint32_t writer, uint64_t cycle)
{
    struct manycore_polls *all = global->polls;
    if (!all)
        return;
    for (uint32_t next = *list_of(all, address); next; next = all->polls[next - 1].next) {
        struct poll *poll = &all->polls[next - 1];
        if (poll->request.request.address / 4 != address / 4 || poll->due)
            continue;
        find_arrival(poll, next - 1, writer, cycle);
        poll->due = true;
        if (poll->arrival == cycle)
            manycore_global_arrive(global, &poll->request);
        else
            put_into_wheel(all, next - 1);
    }
}

bool manycore_polls_under_way(const struct manycore_polls *all, uint32_t tile, struct manycore_packet *request)
{
    if (!all || !all->polls[tile].open)
        return false;
    *request = all->polls[tile].request;
    return true;
}
