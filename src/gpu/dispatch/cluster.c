/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/dispatch/cluster.h"

bool dispatch_cluster_fits(const struct dispatch *dispatch, const struct dispatch_kernel *k, uint64_t per_sm)
{
    bool fits = false;
    for (uint32_t i = 0; i < dispatch->config.group_count; i++)
        fits |= dispatch->config.groups[i].count * per_sm >= k->cluster;
    return fits;
}

static uint64_t most(uint64_t available, uint64_t each, uint64_t limit)
{
    return each && available / each < limit ? available / each : limit;
}

uint32_t dispatch_room(const struct dispatch_sm *sm, const struct dispatch_kernel *k)
{
    if (sm->registers < k->unusable)
        return 0;
    uint64_t room = most(sm->warps, k->warps, sm->ctas);
    return (uint32_t)most(sm->shared, k->shared, most(sm->registers - k->unusable, k->registers, room));
}

static bool is_idle(const struct dispatch *dispatch, uint32_t sm)
{
    return dispatch->sms[sm].ctas == dispatch->config.sm->ctas;
}

struct candidate { /* a group */
    uint32_t room; /* CTAs */
    uint32_t idle; /* SMs with room that nobody uses */
};

static struct candidate look_at(const struct dispatch *dispatch, const struct dispatch_kernel *k, uint32_t group)
{
    struct candidate found = {0};
    const struct gpu_group *g = &dispatch->config.groups[group];
    for (uint32_t sm = g->first; sm < g->first + g->count; sm++) {
        uint32_t room = dispatch_room(&dispatch->sms[sm], k);
        found.room += room;
        found.idle += room && is_idle(dispatch, sm);
    }
    return found;
}

/* Gives the cluster's ranks to SMs of a group that has room for them. `skip`: idle SMs that are passed over. */
static void choose(const struct dispatch *dispatch, const struct dispatch_kernel *k, uint32_t group, uint32_t skip,
                   uint32_t sms[GPU_CLUSTER_CTAS])
{
    const struct gpu_group *g = &dispatch->config.groups[group];
    uint32_t rank = 0;
    for (uint32_t sm = g->first; sm < g->first + g->count && rank < k->cluster; sm++)
        if (is_idle(dispatch, sm) && dispatch_room(&dispatch->sms[sm], k) && !(skip && skip--))
            sms[rank++] = sm;
    for (uint32_t taken = 0; rank < k->cluster; taken++) {
        for (uint32_t sm = g->first; sm < g->first + g->count && rank < k->cluster; sm++) {
            uint32_t level = taken + is_idle(dispatch, sm); /* idle ones have one already */
            if (dispatch_room(&dispatch->sms[sm], k) > level)
                sms[rank++] = sm;
        }
    }
}

bool dispatch_cluster_find(struct dispatch *dispatch, const struct dispatch_kernel *k, uint32_t sms[GPU_CLUSTER_CTAS])
{
    uint32_t groups = dispatch->config.group_count, best = groups, best_left = GPU_CLUSTER_CTAS, turn = groups;
    for (uint32_t i = 0; i < groups; i++) {
        uint32_t group = (dispatch->state->group + i) % groups;
        struct candidate found = look_at(dispatch, k, group);
        uint32_t left = found.idle % GPU_CLUSTER_CTAS;
        if (left >= k->cluster && left < best_left) {
            best = group;
            best_left = left;
        }
        if (turn == groups && found.room >= k->cluster)
            turn = group;
    }
    if (best < groups) {
        choose(dispatch, k, best, look_at(dispatch, k, best).idle - best_left, sms);
        return true;
    }
    if (turn == groups)
        return false;
    choose(dispatch, k, turn, 0, sms);
    dispatch->state->group = (turn + 1) % groups;
    return true;
}
