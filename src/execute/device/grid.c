/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Execution of a grid on a device without timing. CTAs run one after another to their ends, which is fastest and keeps
 * one CTA's state in the host's cache. CTAs that wait for one another (locks, grid-wide barriers, sums passed on by
 * predecessors) take turns, in the order of their numbers, so that results are the same on every host.
 */
#include "execute/device/device.h"

#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct execute_open_grid {
    struct execute_device *device;
    const struct execute_launch *launch;
    struct mnp_array ctas; /* struct execute_cta *: by place; CTAs of a cluster are consecutive */
    uint32_t *places;      /* [room] of clusters that have started and not ended, in the order of their start; behind
                              these, places that are free */
    uint32_t count, room;
    uint32_t size;           /* CTAs of a cluster: mostly 1 */
    uint64_t next, clusters; /* the first one that has not started, and how many there are */
};

/* A CTA that no grid has. */
static struct execute_cta *take_cta(struct execute_device *device)
{
    struct execute_cta **ctas = device->ctas.items;
    return device->ctas.count ? ctas[--device->ctas.count] : mnp_allocate(1, sizeof(struct execute_cta));
}

static void give_cta(struct execute_device *device, struct execute_cta *cta)
{
    *(struct execute_cta **)mnp_array_add(&device->ctas, 1, sizeof cta) = cta;
}

static struct execute_cta *cta_at(struct execute_open_grid *grid, uint32_t place)
{
    while (grid->ctas.count <= place)
        *(struct execute_cta **)mnp_array_add(&grid->ctas, 1, sizeof(struct execute_cta *)) = take_cta(grid->device);
    return ((struct execute_cta **)grid->ctas.items)[place];
}

static void start(struct execute_device *device, struct execute_cta *cta, const struct execute_launch *launch,
                  uint64_t number)
{
    cta->sm_count = 1;
    execute_cta_start(cta, launch, &device->port, number);
}

struct execute_cta *execute_device_start(struct execute_device *device, const struct execute_launch *launch,
                                         uint64_t number)
{
    execute_device_port(device);
    device->cta = take_cta(device);
    give_cta(device, device->cta); /* no other grid is running while it is stepped manually */
    start(device, device->cta, launch, number);
    return device->cta;
}

/* Describes the mbarrier for which a warp waits in vain (the first one that does), and the missing arrivals of its
 * phase. */
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
    error->kind = EXECUTE_ENDLESS_WAIT;
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
    if (polling)
        error->kind = EXECUTE_ENDLESS_POLL;
    describe_mbarrier(cta, phase, sizeof phase);
    execute_barriers_describe(cta, barriers, threads, sizeof threads);
    return mnp_fail(error, "%s, block (%u,%u,%u): its warps %s%s%s", place, cta->place[0], cta->place[1], cta->place[2],
                    polling ? "only poll memory, which no block changes that has a place on the machine"
                            : "wait at barriers that nobody will complete",
                    !polling && threads[0] ? ": " : "", polling ? phase : threads);
}

/* Runs one turn of a CTA. `*ended`: it has ended; `*moved`: it did more than poll. A CTA of a cluster may wait for the
 * others. */
static bool take_turn(struct execute_open_grid *grid, struct execute_cta *cta, bool *ended, bool *moved,
                      struct mnp_error *error)
{
    struct execute_device *device = grid->device;
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

/* Runs one turn of each CTA of a cluster. They are released together: an ended CTA stays allocated, so that a late
 * access to it is detected. */
static bool take_cluster_turn(struct execute_open_grid *grid, uint32_t place, bool *ended, bool *moved,
                              struct mnp_error *error)
{
    uint32_t size = grid->size;
    if (size == 1)
        return take_turn(grid, cta_at(grid, place), ended, moved, error);
    bool runs = false;
    *ended = true;
    for (uint32_t i = 0; i < size; i++) {
        bool one = true;
        struct execute_cta *cta = cta_at(grid, place * size + i);
        if (!has_ended(cta) && !take_turn(grid, cta, &one, moved, error))
            return false;
        *ended &= one;
    }
    for (uint32_t i = 0; i < size; i++) /* the last ones may have opened the barrier at which the others wait */
        runs |= execute_cta_runs(cta_at(grid, place * size + i));
    for (uint32_t i = 0; !runs && !*ended && i < size; i++) {
        grid->device->cta = cta_at(grid, place * size + i);
        if (!has_ended(grid->device->cta))
            return execute_device_report(grid->device, false, error);
    }
    return true;
}

/* Every cluster that has started takes a turn; those that end leave. */
static bool take_turns(struct execute_open_grid *grid, bool *moved, struct mnp_error *error)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < grid->count; i++) {
        uint32_t place = grid->places[i];
        bool ended;
        if (!take_cluster_turn(grid, place, &ended, moved, error))
            return false;
        if (!ended) {
            grid->places[i] = grid->places[kept];
            grid->places[kept++] = place;
        }
    }
    grid->count = kept;
    return true;
}

static void start_cluster(struct execute_open_grid *grid, uint32_t place, uint64_t number)
{
    struct execute_cta *members[EXECUTE_CLUSTER_CTAS];
    for (uint32_t i = 0; i < grid->size; i++) {
        members[i] = cta_at(grid, place * grid->size + i);
        start(grid->device, members[i], grid->launch, execute_cluster_cta(grid->launch, number, i));
    }
    execute_cluster_join(members, grid->size);
}

/* Starts clusters while there is space; the place of one that ends immediately is reused. */
static bool start_some(struct execute_open_grid *grid, bool *moved, struct mnp_error *error)
{
    for (; grid->next < grid->clusters && grid->count < grid->room; ++grid->next) {
        bool ended;
        uint32_t place = grid->places[grid->count];
        *moved = true;
        start_cluster(grid, place, grid->next);
        if (!take_cluster_turn(grid, place, &ended, moved, error))
            return false;
        grid->count += !ended;
    }
    return true;
}

struct execute_open_grid *execute_grid_open(struct execute_device *device, const struct execute_launch *launch)
{
    struct execute_open_grid *grid = mnp_allocate(1, sizeof *grid);
    uint32_t size = execute_cluster_size(launch);
    uint64_t clusters = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2] / size;
    uint64_t room = (launch->resident ? launch->resident : EXECUTE_RESIDENT) / size;
    room = room < 1 ? 1 : room < clusters ? room : clusters;
    *grid = (struct execute_open_grid){.device = device,
                                       .launch = launch,
                                       .places = mnp_allocate(room, sizeof *grid->places),
                                       .room = (uint32_t)room,
                                       .size = size,
                                       .clusters = clusters};
    for (uint32_t i = 0; i < room; i++)
        grid->places[i] = i;
    device->launches++;
    return grid;
}

void execute_grid_close(struct execute_open_grid *grid)
{
    for (uint32_t i = grid->ctas.count; i-- > 0;)
        give_cta(grid->device, ((struct execute_cta **)grid->ctas.items)[i]);
    free(grid->ctas.items);
    free(grid->places);
    free(grid);
}

enum execute_grid_state execute_grid_run(struct execute_open_grid *grid, uint32_t rounds, bool *moved,
                                         struct mnp_error *error)
{
    execute_device_port(grid->device);
    for (uint32_t idle = 0; grid->count || grid->next < grid->clusters;) {
        bool one = false;
        if (!take_turns(grid, &one, error) || !start_some(grid, &one, error))
            return EXECUTE_GRID_FAILED;
        *moved |= one;
        idle = one || !grid->count ? 0 : idle + 1;
        if (idle >= rounds)
            return EXECUTE_GRID_POLLS;
    }
    return EXECUTE_GRID_ENDED;
}

bool execute_grid_report(struct execute_open_grid *grid, struct mnp_error *error)
{
    grid->device->cta = cta_at(grid, grid->places[0] * grid->size);
    return execute_device_report(grid->device, false, error);
}

bool execute_device_run(struct execute_device *device, const struct execute_launch *launch, struct mnp_error *error)
{
    struct execute_open_grid *grid = execute_grid_open(device, launch);
    bool moved = false;
    enum execute_grid_state state = execute_grid_run(grid, EXECUTE_GRID_PATIENCE, &moved, error);
    bool good = state == EXECUTE_GRID_ENDED || (state == EXECUTE_GRID_POLLS && execute_grid_report(grid, error));
    execute_grid_close(grid);
    return good;
}
