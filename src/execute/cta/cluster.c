/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clusters of CTAs (PTX ISA 9.0: the cluster of CTAs, barrier.cluster): shared memory that all CTAs of a cluster can
 * access, and the barrier of all their threads.
 *
 * The barrier has phases. A thread arrives once in each phase, and waits for its end before it arrives in the next. A
 * phase ends when every thread that has not exited has arrived. Threads that are waiting then continue; others will not
 * have to wait.
 */
#include "execute/code/language.h"
#include "execute/warp/frame.h"

#include "base/demangle.h"
#include "contract/instruction.h"

#include <stdlib.h>

/* ===== CTAs and their places ===== */

uint32_t execute_cluster_size(const struct execute_launch *launch)
{
    return mnp_cluster_size(launch->cluster);
}

uint32_t execute_cluster_rank(const uint32_t place[3], const uint32_t size[3])
{
    return size[0] ? place[0] % size[0] + size[0] * (place[1] % size[1] + size[1] * (place[2] % size[2])) : 0;
}

uint64_t execute_cluster_cta(const struct execute_launch *launch, uint64_t cluster, uint32_t rank)
{
    const uint32_t *size = launch->cluster, *grid = launch->grid;
    return mnp_cluster_cta(grid, size, cluster, rank);
}

void execute_cluster_join(struct execute_cta *const *members, uint32_t size)
{
    struct execute_cluster *cluster = &members[0]->alone;
    cluster->size = size;
    cluster->phase = 0;
    cluster->used = cluster->apart = cluster->arrived = false;
    for (uint32_t i = 0; i < size; i++) {
        cluster->members[i] = members[i];
        members[i]->cluster = cluster;
    }
}

void execute_cluster_part(struct execute_cta *cta)
{
    struct execute_cluster *cluster = &cta->alone;
    uint32_t size = execute_cluster_size(cta->launch);
    *cluster = (struct execute_cluster){.size = size, .apart = size > 1};
    cluster->members[cta->rank] = cta;
}

bool execute_launch_cluster(struct execute_launch *launch, const uint32_t cluster[3], struct mnp_error *error)
{
    const struct execute_code *code = launch->code;
    uint64_t ctas = 1;
    for (uint32_t i = 0; i < 3; i++) {
        if (!cluster[i] || launch->grid[i] % cluster[i])
            return mnp_fail(error, "kernel %s: clusters of %u×%u×%u blocks do not divide its grid of %u×%u×%u",
                            code->name, cluster[0], cluster[1], cluster[2], launch->grid[0], launch->grid[1],
                            launch->grid[2]);
        if (code->cluster[0] && cluster[i] != code->cluster[i])
            return mnp_fail(error, "kernel %s: its clusters must be of %u×%u×%u blocks", code->name, code->cluster[0],
                            code->cluster[1], code->cluster[2]);
        ctas = ctas > EXECUTE_CLUSTER_CTAS || cluster[i] > EXECUTE_CLUSTER_CTAS ? UINT32_MAX : ctas * cluster[i];
    }
    uint32_t most =
        code->most_cluster && code->most_cluster < EXECUTE_CLUSTER_CTAS ? code->most_cluster : EXECUTE_CLUSTER_CTAS;
    if (ctas > most)
        return mnp_fail(error, "kernel %s: a cluster of %u×%u×%u blocks is too large; it has at most %u", code->name,
                        cluster[0], cluster[1], cluster[2], most);
    for (uint32_t i = 0; i < 3; i++)
        launch->cluster[i] = cluster[i];
    launch->explicit_cluster = true;
    return true;
}

/* ===== shared memory ===== */

unsigned char *execute_cluster_place(struct execute_warp *warp, uint32_t lane, uint64_t address, uint32_t bytes)
{
    const struct execute_cluster *cluster = warp->cta->cluster;
    uint64_t rank = warp->cta->rank, within = address;
    if (address >= EXECUTE_CLUSTER_BASE) {
        rank = (address - EXECUTE_CLUSTER_BASE) >> EXECUTE_WINDOW_SHIFT;
        within = address & (EXECUTE_WINDOW_BYTES - 1);
    }
    if (rank >= cluster->size || within + bytes > warp->launch->shared_bytes) {
        execute_fault(warp, EXECUTE_FAULT_CLUSTER, lane, address);
        return NULL;
    }
    const struct execute_cta *owner = cluster->members[rank];
    if (!owner) {
        execute_fault(warp, EXECUTE_FAULT_REMOTE, lane, address);
        return NULL;
    }
    if (owner->ended_warps == owner->warp_count) {
        execute_fault(warp, EXECUTE_FAULT_CLUSTER_ENDED, lane, address);
        return NULL;
    }
    return owner->shared + within;
}

/* ===== the barrier ===== */

/* Number of threads of the cluster that have not exited, and of those among them that have arrived. */
struct attendance {
    uint32_t threads, arrived;
    bool any;                          /* some thread has arrived, possibly one that has exited since */
    const struct execute_cta *missing; /* a CTA with threads that have not */
};

static struct attendance attendance_of(const struct execute_cluster *cluster)
{
    struct attendance sum = {0};
    for (uint32_t i = 0; i < cluster->size; i++) {
        const struct execute_cta *cta = cluster->members[i];
        for (uint32_t j = 0; cta && j < cta->warp_count; j++) {
            const struct execute_warp *warp = &cta->warps[j];
            sum.threads += (uint32_t)__builtin_popcount(warp->lanes);
            sum.arrived += (uint32_t)__builtin_popcount(warp->lanes & warp->cluster_arrived);
            sum.any |= warp->cluster_arrived != 0;
            if (!sum.missing && (warp->lanes & ~warp->cluster_arrived))
                sum.missing = cta;
        }
    }
    return sum;
}

/* The lanes that wait for the completed phase, and continue. */
static uint32_t waiting_lanes(struct execute_warp *warp)
{
    if (warp->meeting.arrived)
        return execute_barrier_opened(warp, EXECUTE_CLUSTER_BARRIER, 0);
    if (warp->status != EXECUTE_AT_BARRIER || warp->barrier != EXECUTE_CLUSTER_BARRIER)
        return 0;
    warp->status = EXECUTE_RUNNING;
    return warp->barrier_lanes;
}

static void end_phase(struct execute_cluster *cluster)
{
    cluster->phase++;
    for (uint32_t i = 0; i < cluster->size; i++) {
        struct execute_cta *cta = cluster->members[i];
        for (uint32_t j = 0; cta && j < cta->warp_count; j++) {
            struct execute_warp *warp = &cta->warps[j];
            warp->cluster_passed |= warp->cluster_arrived;
            warp->cluster_arrived = 0;
            uint32_t waited = waiting_lanes(warp);
            warp->cluster_passed &= ~waited;
            cta->opened |= waited ? 1u << EXECUTE_CLUSTER_BARRIER : 0;
        }
    }
}

static void end_if_complete(struct execute_cluster *cluster)
{
    struct attendance sum = attendance_of(cluster);
    if (!sum.any || sum.missing)
        return;
    cluster->arrived = cluster->apart;
    if (!cluster->apart)
        end_phase(cluster);
}

void execute_cluster_end_phase(struct execute_cta *cta)
{
    cta->opened = 0;
    cta->cluster->arrived = false;
    end_phase(cta->cluster);
}

bool execute_cluster_barrier(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes, bool parted)
{
    struct execute_cluster *cluster = warp->cta->cluster;
    uint32_t known = (warp->cluster_arrived | warp->cluster_passed) & lanes;
    bool arrives = op->variant == EXECUTE_BARRIER_CLUSTER_ARRIVE;
    warp->cta->advanced++;
    if (arrives ? known != 0 : known != lanes) {
        uint32_t wrong = arrives ? known : lanes & ~known;
        execute_fault(warp, arrives ? EXECUTE_FAULT_CLUSTER_ARRIVE : EXECUTE_FAULT_CLUSTER_WAIT,
                      (uint32_t)__builtin_ctz(wrong), cluster->phase);
        return true;
    }
    if (arrives) {
        warp->cluster_arrived |= lanes;
        cluster->used = true;
        end_if_complete(cluster);
        return false;
    }
    uint32_t waiting = lanes & ~warp->cluster_passed;
    warp->cluster_passed &= ~lanes;
    if (!waiting)
        return false;
    warp->status = parted ? warp->status : EXECUTE_AT_BARRIER;
    warp->barrier = EXECUTE_CLUSTER_BARRIER;
    warp->barrier_lanes = lanes;
    warp->barrier_op = execute_op_place(warp->launch->code, op);
    return true;
}

void execute_cluster_left(struct execute_warp *warp)
{
    if (warp->cta->cluster->used)
        end_if_complete(warp->cta->cluster);
}

bool execute_cluster_waits(const struct execute_cta *cta)
{
    for (uint32_t i = 0; i < cta->warp_count; i++)
        if (cta->warps[i].status == EXECUTE_AT_BARRIER && cta->warps[i].barrier == EXECUTE_CLUSTER_BARRIER)
            return true;
    return false;
}

bool execute_cluster_describe(const struct execute_cta *cta, struct mnp_error *error)
{
    struct attendance sum = attendance_of(cta->cluster);
    const struct execute_cta *missing = sum.missing ? sum.missing : cta;
    char *name = mnp_demangle(cta->launch->code->name);
    mnp_fail(error,
             "kernel %s, block (%u,%u,%u): its warps wait at the cluster's barrier, phase %u, where %u of %u threads "
             "have arrived; block (%u,%u,%u) of the cluster has threads that have not, and cannot go on",
             name, cta->place[0], cta->place[1], cta->place[2], cta->cluster->phase, sum.arrived, sum.threads,
             missing->place[0], missing->place[1], missing->place[2]);
    free(name);
    return false;
}
