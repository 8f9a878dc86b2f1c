/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/cluster.h"
#include "base/range.h"

#include "gpu/sm/events.h"
#include "gpu/sm/remote_port.h"

#include <string.h>

void sm_cluster_init(struct sm *sm)
{
    sm->state->cluster.next = MNP_NEVER;
}

void sm_cluster_launch(struct sm *sm, uint16_t slot, const struct gpu_launch *launch)
{
    struct sm_cluster *cluster = &sm->ctas[slot].cluster;
    uint32_t size = mnp_cluster_size(sm->codes[slot].kernel->cluster);
    *cluster = (struct sm_cluster){.ends = MNP_NEVER, .size = size > 1 ? (uint8_t)size : 0, .rank = launch->rank};
    memcpy(cluster->place, launch->place, sizeof cluster->place);
}

uint16_t sm_cluster_slot_of(const struct sm *sm, uint16_t kernel, uint64_t cta)
{
    for (uint16_t slot = 0; slot < sm->parameters->ctas; slot++)
        if (sm->ctas[slot].used && sm->ctas[slot].kernel == kernel && sm->ctas[slot].number == cta)
            return slot;
    return SM_NONE;
}

/* ===== the barrier ===== */

/* The phase ends when all have arrived that have not left, this CTA included; nobody has if it has not. */
static bool is_complete(const struct sm_cluster *cluster)
{
    if (!cluster->come[cluster->rank])
        return false;
    for (uint32_t rank = 0; rank < cluster->size; rank++)
        if (!cluster->come[rank] && !(cluster->left >> rank & 1))
            return false;
    return true;
}

static void end_if_complete(struct sm *sm, struct sm_cluster *cluster, uint64_t cycle)
{
    struct sm_cluster_state *state = &sm->state->cluster;
    if (cluster->ends != MNP_NEVER || !is_complete(cluster))
        return;
    cluster->ends = cycle + sm->remote.barrier;
    mnp_lower(&state->next, cluster->ends);
    sm_wake_stage(sm, SM_TURN_CLUSTER, state->next);
}

static void tell_others(struct sm *sm, uint16_t slot, enum gpu_remote_kind kind, uint64_t cycle)
{
    const struct sm_cta *cta = &sm->ctas[slot];
    const struct sm_cluster *cluster = &cta->cluster;
    const struct mnp_kernel *kernel = sm->codes[slot].kernel;
    for (uint32_t rank = 0; rank < cluster->size; rank++) {
        if (rank == cluster->rank || cluster->left >> rank & 1)
            continue;
        struct gpu_remote packet = {.cta = mnp_cluster_member(kernel->grid, kernel->cluster, cta->number, rank),
                                    .kernel = cta->kernel,
                                    .kind = (uint8_t)kind,
                                    .rank = cluster->rank};
        sm_remote_port_request(sm, cluster->place[rank], &packet, cycle);
    }
}

void sm_cluster_hear(struct sm *sm, uint16_t slot, uint32_t rank, bool leaves, uint64_t cycle)
{
    if (slot == SM_NONE)
        return;
    struct sm_cluster *cluster = &sm->ctas[slot].cluster;
    if (leaves)
        cluster->left |= (uint16_t)(1u << rank);
    else
        cluster->come[rank]++;
    end_if_complete(sm, cluster, cycle);
}

void sm_cluster_arrive(struct sm *sm, uint16_t slot, uint64_t cycle)
{
    tell_others(sm, slot, GPU_REMOTE_ARRIVE, cycle);
    sm_cluster_hear(sm, slot, sm->ctas[slot].cluster.rank, false, cycle);
}

void sm_cluster_leave(struct sm *sm, uint16_t slot, uint64_t cycle)
{
    if (sm->ctas[slot].cluster.size)
        tell_others(sm, slot, GPU_REMOTE_LEAVE, cycle);
}

static void end_phase(struct sm *sm, uint16_t slot, uint64_t cycle)
{
    struct sm_cluster *cluster = &sm->ctas[slot].cluster;
    struct mnp_cta_code *code = &sm->codes[slot].cta;
    for (uint32_t rank = 0; rank < cluster->size; rank++)
        cluster->come[rank] -= cluster->come[rank] > 0;
    cluster->ends = MNP_NEVER;
    uint32_t opened = code->end_phase(code);
    sm_progress(sm);
    if (opened)
        sm_barrier_complete(sm, slot, opened, cycle);
    end_if_complete(sm, cluster, cycle);
}

void sm_cluster_cycle(struct sm *sm, uint64_t cycle)
{
    struct sm_cluster_state *state = &sm->state->cluster;
    if (state->next > cycle)
        return;
    state->next = MNP_NEVER;
    for (uint16_t slot = 0; slot < sm->parameters->ctas; slot++) {
        const struct sm_cta *cta = &sm->ctas[slot];
        if (!cta->used || !cta->cluster.size)
            continue;
        if (cta->cluster.ends <= cycle)
            end_phase(sm, slot, cycle);
        mnp_lower(&state->next, cta->cluster.ends);
    }
}

uint64_t sm_cluster_next(const struct sm *sm, uint64_t cycle)
{
    uint64_t next = sm->state->cluster.next;
    return next > cycle ? next : cycle + 1;
}

static void report(const struct sm *sm, uint16_t slot, FILE *out)
{
    const struct sm_cta *cta = &sm->ctas[slot];
    const struct sm_cluster *cluster = &cta->cluster;
    const struct mnp_kernel *kernel = sm->codes[slot].kernel;
    bool any = false;
    for (uint32_t rank = 0; rank < cluster->size; rank++)
        any |= cluster->come[rank] != 0;
    for (uint32_t rank = 0; rank < cluster->size && any; rank++)
        if (!cluster->come[rank] && !(cluster->left >> rank & 1))
            fprintf(out, "%s: CTA %lu: CTA %lu of its cluster, rank %u, has not arrived at the cluster's barrier\n",
                    sm->unit->name, (unsigned long)cta->number,
                    (unsigned long)mnp_cluster_member(kernel->grid, kernel->cluster, cta->number, rank), rank);
}

void sm_cluster_report(const struct sm *sm, FILE *out)
{
    for (uint16_t slot = 0; slot < sm->parameters->ctas; slot++)
        if (sm->ctas[slot].used)
            report(sm, slot, out);
}
