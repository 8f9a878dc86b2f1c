/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/dispatch/cluster.h"

bool dispatch_cluster_fits(const struct dispatch *dispatch, const struct dispatch_kernel *k, uint64_t per_sm,
                           bool pairs)
{
    bool fits = false;
    for (uint32_t i = 0; i < dispatch->config.group_count; i++) {
        uint32_t count = dispatch->config.groups[i].count;
        fits |= (pairs ? count & ~1u : count) * per_sm >= k->cluster;
    }
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

struct search { /* for SMs of a group */
    const struct dispatch *dispatch;
    const struct dispatch_kernel *k;
    bool pairs; /* … by TPCs: an SM has as much room, and is as idle, as the other of its TPC */
    const struct dispatch_group *group;
};

/* The other SM of its TPC, or itself, where that does not matter. */
static uint32_t other_of(const struct search *s, uint32_t sm)
{
    return s->pairs ? s->group->first + ((sm - s->group->first) ^ 1) : sm;
}

static uint32_t room_of(const struct search *s, uint32_t sm)
{
    uint32_t other = other_of(s, sm);
    if (other >= s->group->first + s->group->count)
        return 0;
    uint32_t room = dispatch_room(&s->dispatch->sms[sm], s->k);
    uint32_t others = other == sm ? room : dispatch_room(&s->dispatch->sms[other], s->k);
    return room < others ? room : others;
}

static bool is_idle(const struct search *s, uint32_t sm)
{
    uint64_t ctas = s->dispatch->config.sm->ctas;
    uint32_t other = other_of(s, sm);
    return s->dispatch->sms[sm].ctas == ctas &&
           (other >= s->group->first + s->group->count || s->dispatch->sms[other].ctas == ctas);
}

struct candidate { /* a group */
    uint32_t room; /* CTAs */
    uint32_t idle; /* SMs with room that nobody uses */
};

static struct candidate look_at(const struct search *s)
{
    struct candidate found = {0};
    for (uint32_t sm = s->group->first; sm < s->group->first + s->group->count; sm++) {
        uint32_t room = room_of(s, sm);
        found.room += room;
        found.idle += room && is_idle(s, sm);
    }
    return found;
}

/* Gives the cluster's ranks to SMs of a group that has room for them. `skip`: idle SMs that are passed over. */
static void choose(const struct search *s, uint32_t skip, uint32_t sms[GPU_CLUSTER_CTAS])
{
    const struct dispatch_group *g = s->group;
    uint32_t rank = 0;
    for (uint32_t sm = g->first; sm < g->first + g->count && rank < s->k->cluster; sm++)
        if (is_idle(s, sm) && room_of(s, sm) && !(skip && skip--))
            sms[rank++] = sm;
    for (uint32_t taken = 0; rank < s->k->cluster; taken++) {
        for (uint32_t sm = g->first; sm < g->first + g->count && rank < s->k->cluster; sm++) {
            uint32_t level = taken + is_idle(s, sm); /* idle ones have one already */
            if (room_of(s, sm) > level)
                sms[rank++] = sm;
        }
    }
}

bool dispatch_cluster_find(struct dispatch *dispatch, const struct dispatch_kernel *k, bool pairs,
                           uint32_t sms[GPU_CLUSTER_CTAS])
{
    uint32_t groups = dispatch->config.group_count, best = groups, best_left = GPU_CLUSTER_CTAS, turn = groups;
    struct search s = {.dispatch = dispatch, .k = k, .pairs = pairs};
    for (uint32_t i = 0; i < groups; i++) {
        uint32_t group = (dispatch->state->group + i) % groups;
        s.group = &dispatch->config.groups[group];
        struct candidate found = look_at(&s);
        uint32_t left = found.idle % GPU_CLUSTER_CTAS;
        if (left >= k->cluster && left < best_left) {
            best = group;
            best_left = left;
        }
        if (turn == groups && found.room >= k->cluster)
            turn = group;
    }
    if (best == groups && turn == groups)
        return false;
    s.group = &dispatch->config.groups[best < groups ? best : turn];
    if (best < groups) {
        choose(&s, look_at(&s).idle - best_left, sms);
        return true;
    }
    choose(&s, 0, sms);
    dispatch->state->group = (turn + 1) % groups;
    return true;
}
