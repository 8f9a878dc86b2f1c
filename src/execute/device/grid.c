/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A grid on a device without time. CTAs run one after the other, each to its end, which is the fastest way and keeps
 * one CTA's state in the host's cache. CTAs that wait for one another (locks, barriers of the whole grid, sums that
 * predecessors hand on) take turns, in the order of their numbers: the same answer on every host.
 */
#include "execute/device/device.h"

#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct turns {        /* clusters of CTAs that have started and not ended, in the order of their start */
    uint32_t *places; /* of clusters in device->ctas; behind them, those that are free */
    uint32_t count;
    uint32_t size; /* CTAs of a cluster: mostly 1 */
};

static struct execute_cta *cta_at(struct execute_device *device, uint32_t place)
{
    while (device->ctas.count <= place)
        *(struct execute_cta **)mnp_array_add(&device->ctas, 1, sizeof(struct execute_cta *)) =
            mnp_allocate(1, sizeof(struct execute_cta));
    return ((struct execute_cta **)device->ctas.items)[place];
}

static struct execute_cta *start(struct execute_device *device, const struct execute_launch *launch, uint32_t place,
                                 uint64_t number)
{
    device->cta = cta_at(device, place);
    device->cta->sm_count = 1;
    execute_cta_start(device->cta, launch, &device->port, number);
    return device->cta;
}

struct execute_cta *execute_device_start(struct execute_device *device, const struct execute_launch *launch,
                                         uint64_t number)
{
    execute_device_port(device);
    return start(device, launch, 0, number);
}

/* The mbarrier that the first warp which does so waits for in vain, and what its phase lacks. */
static void describe_mbarrier(const struct execute_cta *cta, char *text, size_t room)
{
    for (uint32_t i = 0; i < cta->warp_count; i++) {
        uint64_t object, address = cta->warps[i].mbarrier - UINT64_C(1);
        char phase[96];
        if (cta->warps[i].status != EXECUTE_RUNNING || !cta->warps[i].mbarrier ||
            address + sizeof object > cta->launch->shared_bytes)
            continue;
        memcpy(&object, cta->shared + address, sizeof object);
        execute_mbarrier_describe(object, phase, sizeof phase);
        snprintf(text, room, "; warp %u waits for the mbarrier at 0x%lx, whose %s", i, (unsigned long)address, phase);
        return;
    }
}

bool execute_device_report(struct execute_device *device, bool finished, struct mnp_error *error)
{
    struct execute_cta *cta = device->cta;
    for (uint32_t i = 0; i < cta->warp_count; i++) {
        struct execute_warp *warp = &cta->warps[i];
        if (warp->status != EXECUTE_FAULTED)
            continue;
        execute_device_describe(device, warp, error);
        return false;
    }
    if (finished)
        return true;
    if (execute_cluster_waits(cta))
        return execute_cluster_describe(cta, error);
    bool polling = false;
    uint32_t barriers = 0;
    for (uint32_t i = 0; i < cta->warp_count; i++) {
        polling |= cta->warps[i].status == EXECUTE_RUNNING;
        barriers |= execute_barriers_of(&cta->warps[i]);
    }
    char place[EXECUTE_PLACE_BYTES] = "", phase[160] = "", threads[160];
    for (uint32_t i = 0; i < cta->warp_count && !place[0]; i++)
        execute_warp_describe_place(&cta->warps[i], place, sizeof place);
    describe_mbarrier(cta, phase, sizeof phase);
    execute_barriers_describe(cta, barriers, threads, sizeof threads);
    return mnp_fail(error, "%s, block (%u,%u,%u): its warps %s%s%s", place, cta->place[0], cta->place[1], cta->place[2],
                    polling ? "only poll memory, which no block changes that has a place on the machine"
                            : "wait at barriers that nobody will complete",
                    !polling && threads[0] ? ": " : "", polling ? phase : threads);
}

/* One turn of a CTA. `*ended`: it has; `*moved`: it did more than poll. One of a cluster may wait for its others. */
static bool take_turn(struct execute_device *device, struct execute_cta *cta, bool *ended, bool *moved,
                      struct mnp_error *error)
{
    enum execute_cta_state state;
    device->cta = cta;
    device->steps += execute_cta_run(cta, &state);
    if (device->interrupt && *device->interrupt)
        return false;
    *ended = state == EXECUTE_CTA_ENDED;
    *moved |= cta->advanced != 0;
    return state == EXECUTE_CTA_ENDED || state == EXECUTE_CTA_POLLS ||
           (state == EXECUTE_CTA_STUCK && cta->cluster->size > 1 && execute_cluster_waits(cta)) ||
           execute_device_report(device, false, error);
}

static bool has_ended(const struct execute_cta *cta)
{
    return cta->ended_warps == cta->warp_count;
}

/* One turn of each CTA of the cluster at a place. They end together: what one of them has left stays in its place, so
 * that those that ask for it too late hear of it. */
static bool take_cluster_turn(struct execute_device *device, const struct turns *turns, uint32_t place, bool *ended,
                              bool *moved, struct mnp_error *error)
{
    uint32_t size = turns->size;
    if (size == 1)
        return take_turn(device, cta_at(device, place), ended, moved, error);
    bool runs = false;
    *ended = true;
    for (uint32_t i = 0; i < size; i++) {
        bool one = true;
        struct execute_cta *cta = cta_at(device, place * size + i);
        if (!has_ended(cta) && !take_turn(device, cta, &one, moved, error))
            return false;
        *ended &= one;
    }
    for (uint32_t i = 0; i < size; i++) /* the last ones may have opened the barrier at which the others wait */
        runs |= execute_cta_runs(cta_at(device, place * size + i));
    for (uint32_t i = 0; !runs && !*ended && i < size; i++) {
        device->cta = cta_at(device, place * size + i);
        if (!has_ended(device->cta))
            return execute_device_report(device, false, error);
    }
    return true;
}

/* Every cluster that has started takes a turn; those that end leave. */
static bool take_turns(struct execute_device *device, struct turns *turns, bool *moved, struct mnp_error *error)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < turns->count; i++) {
        uint32_t place = turns->places[i];
        bool ended;
        if (!take_cluster_turn(device, turns, place, &ended, moved, error))
            return false;
        if (!ended) {
            turns->places[i] = turns->places[kept];
            turns->places[kept++] = place;
        }
    }
    turns->count = kept;
    return true;
}

static void start_cluster(struct execute_device *device, const struct execute_launch *launch, const struct turns *turns,
                          uint32_t place, uint64_t number)
{
    struct execute_cta *members[EXECUTE_CLUSTER_CTAS];
    for (uint32_t i = 0; i < turns->size; i++)
        members[i] = start(device, launch, place * turns->size + i, execute_cluster_cta(launch, number, i));
    execute_cluster_join(members, turns->size);
}

/* Starts clusters while there is room; one that ends at once gives its place to the next. */
static bool start_some(struct execute_device *device, const struct execute_launch *launch, struct turns *turns,
                       uint32_t room, uint64_t *next, struct mnp_error *error)
{
    uint64_t clusters = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2] / turns->size;
    for (; *next < clusters && turns->count < room; ++*next) {
        bool ended, moved = true;
        uint32_t place = turns->places[turns->count];
        start_cluster(device, launch, turns, place, *next);
        if (!take_cluster_turn(device, turns, place, &ended, &moved, error))
            return false;
        turns->count += !ended;
    }
    return true;
}

static bool run(struct execute_device *device, const struct execute_launch *launch, struct turns *turns, uint32_t room,
                struct mnp_error *error)
{
    uint64_t next = 0;
    uint32_t idle = 0; /* rounds, one after the other, in which CTAs only polled */
    if (!start_some(device, launch, turns, room, &next, error))
        return false;
    while (turns->count) {
        uint64_t before = next;
        bool moved = false;
        if (!take_turns(device, turns, &moved, error) || !start_some(device, launch, turns, room, &next, error))
            return false;
        idle = moved || next != before ? 0 : idle + 1;
        if (idle * EXECUTE_POLLS_ASIDE >= EXECUTE_POLLS_STUCK) {
            device->cta = cta_at(device, turns->places[0] * turns->size);
            return execute_device_report(device, false, error);
        }
    }
    return true;
}

bool execute_device_run(struct execute_device *device, const struct execute_launch *launch, struct mnp_error *error)
{
    uint32_t size = execute_cluster_size(launch);
    uint64_t clusters = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2] / size;
    uint64_t room = (launch->resident ? launch->resident : EXECUTE_RESIDENT) / size;
    room = room < 1 ? 1 : room < clusters ? room : clusters;
    struct turns turns = {.places = mnp_allocate(room, sizeof *turns.places), .size = size};
    for (uint32_t i = 0; i < room; i++)
        turns.places[i] = i;
    execute_device_port(device);
    device->launches++;
    bool good = run(device, launch, &turns, (uint32_t)room, error);
    free(turns.places);
    return good;
}
