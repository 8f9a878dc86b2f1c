/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A node: the devices of a machine that the processes of one run share, where kernels are executed without time. Each
 * process executes its own kernels, one process at a time, on memory that all of them have mapped; so an instruction of
 * a kernel is never cut in two by another process's, and needs no atomic of the host's.
 *
 * What they share lies in the file of the process group (process_group.h), behind its page.
 */
#ifndef CUDART_SHARING_H
#define CUDART_SHARING_H

#include "contract/space.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct cudart_options;

enum {
    CUDART_SHARING_MEMBERS = 64, /* processes that use the sharing, those that have ended included */
    CUDART_SHARING_SLOTS = 8,    /* … that use one device */
    CUDART_SHARING_KERNEL = 64,  /* longest name of a kernel in messages about other processes, with its end */
    CUDART_SHARING_DOING = 128,  /* longest text about what a process does */
};

/* A process. */
struct cudart_sharing_member {
    _Atomic int process;   /* process number; 0: not set yet */
    _Atomic bool meets;    /* the process shares memory with others */
    _Atomic bool ended;    /* the process has ended by itself, and has done its work for the others */
    _Atomic uint32_t vain; /* while it waits for kernels that only poll: the moves after which they did so, plus 1 */
    char rank[24];         /* name from its launcher, such as "rank 3"; "": none */
    char kernel[CUDART_SHARING_KERNEL]; /* the first kernel that it waits for; read by others while `vain` says so */
};

/* Owner: sharing.c, sharing_members.c. */
struct cudart_sharing_page {
    uint32_t devices;
    pthread_mutex_t turn;                      /* lock of the process that executes */
    _Atomic uint32_t moves;                    /* count of possible changes of memory; waited for with futex(2) */
    _Atomic uint32_t users[MNP_SPACE_DEVICES]; /* processes that have come to use a device, by its place */
    _Atomic uint32_t count;                    /* members */
    struct cudart_sharing_member members[CUDART_SHARING_MEMBERS];
};

/* This process's part of it. Owner: sharing.c, sharing_members.c. */
struct cudart_sharing {
    struct cudart_sharing_page *page; /* NULL: there is no sharing, or it has not joined */
    unsigned char *memory;            /* memory of all devices' ranges, from MNP_SPACE_BASE on */
    uint32_t self;                    /* number of this process among the members */
    _Atomic uint32_t seen;            /* moves when this process began to look at memory last */
    bool bereaved;                    /* another process has died, and this one ends for that */
    uint64_t since;                   /* ns: when it saw them change */
    uint32_t last;                    /* moves then */
};

/* Whether this process has memory in common with another one. */
static inline bool cudart_sharing_meets(const struct cudart_sharing *sharing)
{
    return sharing->page && sharing->page->members[sharing->self].meets;
}

/* In the file of the group, by the command. A system that has no room for it leaves it out. */
void cudart_sharing_create(int file, uint32_t devices);
/* Maps it; false: there is none. */
bool cudart_sharing_map(struct cudart_sharing *sharing, int file);

/* This process executes, and no other does, until it gives its turn back. False: the run is to end (`wish`). */
bool cudart_sharing_take(struct cudart_sharing *sharing, const _Atomic int *wish);
void cudart_sharing_give(struct cudart_sharing *sharing);

/* Memory may have changed, so that kernels of others look at it again. */
void cudart_sharing_move(struct cudart_sharing *sharing);
/* Waits until it has changed since `seen`, for so many ns at most. */
void cudart_sharing_await(const struct cudart_sharing *sharing, uint64_t nanoseconds);

/* ===== members (sharing_members.c) ===== */

/* Becomes a member. False: there are too many. */
bool cudart_sharing_join(struct cudart_sharing *sharing);
/* The number of this process among those that use a device, from 0 on; CUDART_SHARING_SLOTS: there are too many. */
uint32_t cudart_sharing_use(struct cudart_sharing *sharing, uint32_t device);
/* Notes that this process shares memory with others. Result: true for the first time. */
bool cudart_sharing_meet(struct cudart_sharing *sharing);
/* Notes that this process ends by itself. Takes no lock and no memory. */
void cudart_sharing_leave(struct cudart_sharing *sharing);

/* A member that has met others and ended otherwise; NULL: there is none. */
const struct cudart_sharing_member *cudart_sharing_dead(const struct cudart_sharing *sharing);
/* Notes the name of the first kernel that this process waits for. The kernel only polls. */
void cudart_sharing_wait_for(struct cudart_sharing *sharing, const char *kernel);
/* While this process waits for kernels that only poll: whether no other will do anything about it. */
bool cudart_sharing_is_stuck(struct cudart_sharing *sharing);
/* Ends the wait of this process. */
void cudart_sharing_go_on(struct cudart_sharing *sharing);
/* How messages call a member, and what it does. */
enum { CUDART_SHARING_NAME = 64 };
void cudart_sharing_name(const struct cudart_sharing_member *member, char name[CUDART_SHARING_NAME]);
void cudart_sharing_doing(const struct cudart_sharing *sharing, const struct cudart_sharing_member *member,
                          char doing[CUDART_SHARING_DOING]);

#endif
