/* SPDX-License-Identifier: BSD-3-Clause */
/* The processes of a node: who they are, which of them have died, and whether they all wait for one another. */
#include "base/ticks.h"
#include "cudart/base/sharing.h"
#include "cudart/base/thread_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)

enum {
    PATIENCE = 3, /* s without a move, all members waiting for their kernels */
    LONGER = 30,  /* s, some members asleep outside of calls */
};

static struct cudart_sharing_member *self_of(const struct cudart_sharing *sharing)
{
    return &sharing->page->members[sharing->self];
}

static uint32_t count_of(const struct cudart_sharing *sharing)
{
    uint32_t count = sharing->page->count;
    return count < CUDART_SHARING_MEMBERS ? count : CUDART_SHARING_MEMBERS;
}

/* The number that a launcher of processes has given this one. */
static const char *launcher_rank(void)
{
    static const char *const names[] = {"RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]))
            return getenv(names[i]);
    return NULL;
}

bool cudart_sharing_join(struct cudart_sharing *sharing)
{
    uint32_t number = sharing->page->count++;
    const char *rank = launcher_rank();
    if (number >= CUDART_SHARING_MEMBERS)
        return false;
    sharing->self = number;
    sharing->since = mnp_nanoseconds();
    if (rank)
        snprintf(self_of(sharing)->rank, sizeof self_of(sharing)->rank, "rank %.12s", rank);
    self_of(sharing)->process = getpid();
    return true;
}

uint32_t cudart_sharing_use(struct cudart_sharing *sharing, uint32_t device)
{
    uint32_t slot = sharing->page->users[device]++;
    return slot < CUDART_SHARING_SLOTS ? slot : CUDART_SHARING_SLOTS;
}

bool cudart_sharing_meet(struct cudart_sharing *sharing)
{
    bool before = self_of(sharing)->meets;
    self_of(sharing)->meets = true;
    return !before;
}

void cudart_sharing_leave(struct cudart_sharing *sharing)
{
    if (!sharing->page || self_of(sharing)->process != getpid())
        return;
    self_of(sharing)->ended = true;
    cudart_sharing_move(sharing);
}

/* ===== the others ===== */

const struct cudart_sharing_member *cudart_sharing_dead(const struct cudart_sharing *sharing)
{
    for (uint32_t i = 0; i < count_of(sharing); i++) {
        const struct cudart_sharing_member *each = &sharing->page->members[i];
        if (each->meets && !each->ended && !cudart_process_lives(each->process) && !each->ended)
            return each;
    }
    return NULL;
}

static bool waits(const struct cudart_sharing *sharing, const struct cudart_sharing_member *member)
{
    return member->vain == sharing->page->moves + 1;
}

void cudart_sharing_wait_for(struct cudart_sharing *sharing, const char *awaited)
{
    snprintf(self_of(sharing)->awaited, CUDART_SHARING_KERNEL, "%s", awaited);
}

bool cudart_sharing_is_stuck(struct cudart_sharing *sharing)
{
    uint64_t now = mnp_nanoseconds();
    uint32_t moves = sharing->page->moves;
    bool asleep = false;
    if (moves != sharing->last)
        sharing->since = now;
    sharing->last = moves;
    self_of(sharing)->vain = moves + 1;
    if (now - sharing->since < PATIENCE * SECOND)
        return false;
    for (uint32_t i = 0; i < count_of(sharing); i++) {
        const struct cudart_sharing_member *each = &sharing->page->members[i];
        if (each->ended || !each->meets || waits(sharing, each))
            continue;
        if (!cudart_process_sleeps(each->process)) {
            sharing->since = now; /* a process at work */
            return false;
        }
        asleep = true;
    }
    return !asleep || now - sharing->since >= LONGER * SECOND;
}

void cudart_sharing_go_on(struct cudart_sharing *sharing)
{
    if (sharing->page)
        self_of(sharing)->vain = 0;
}

void cudart_sharing_name(const struct cudart_sharing_member *member, char name[CUDART_SHARING_NAME])
{
    snprintf(name, CUDART_SHARING_NAME, "%s%sprocess %d", member->rank, member->rank[0] ? ", " : "", member->process);
}

void cudart_sharing_doing(const struct cudart_sharing *sharing, const struct cudart_sharing_member *member,
                          char doing[CUDART_SHARING_DOING])
{
    if (!member->ended && waits(sharing, member))
        snprintf(doing, CUDART_SHARING_DOING, "waits for %.*s", CUDART_SHARING_KERNEL - 1, member->awaited);
    else
        snprintf(doing, CUDART_SHARING_DOING, "%s", member->ended ? "has ended" : "sleeps outside of CUDA");
}
