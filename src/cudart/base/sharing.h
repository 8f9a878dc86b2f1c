/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A node: the devices of a machine that the processes of one run share. Without time, each process executes its own
 * kernels, one process at a time, on memory that all of them have mapped; so an instruction of a kernel is never cut in
 * two by another process's, and needs no atomic of the host's. With time, one of them simulates the kernels of all
 * (sharing_time.h).
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
    CUDART_SHARING_KERNEL = 80,  /* longest text about what a process waits for, with its end */
    CUDART_SHARING_EVENTS = 512, /* events that processes have in common, at a time */
    CUDART_SHARING_RECORDS = 32, /* records of one of them that are under way, at most */
    CUDART_SHARING_DOING = 128,  /* longest text about what a process does */
    CUDART_SHARING_COPIES = 64,  /* copies over links of one process that are under way, at most */
};

/* With time: the answer of a process to the latest question whether it waits, its mail to the simulating one, and what
 * comes from there (sharing_time.h). */
struct cudart_sharing_pace {
    _Atomic uint32_t answered; /* number of the question */
    _Atomic uint32_t seen;     /* moves when it answered */
    _Atomic bool waits;        /* all of its threads wait, */
    _Atomic bool inside;       /* … one of them inside a call for what has not happened */
    _Atomic uint64_t digest;   /* differs where a thread has run since the answer before */
    _Atomic uint64_t wish;     /* fs: the time at which it has something to do; UINT64_MAX: none is known */
    _Atomic uint64_t mail;     /* bytes in its mailbox */
    _Atomic uint32_t sent;     /* kernels that it has sent to the leader; */
    _Atomic uint32_t told;     /* kernels of its own whose ends it has been told, */
    _Atomic uint32_t heard;    /* … of which it has taken note */
};

/* With time: a copy over links that a process asks the simulating one for (stream/shared_copies.h). */
struct cudart_sharing_copy {
    _Atomic enum {
        CUDART_SHARING_NO_COPY,
        CUDART_SHARING_COPY_ASKED,
        CUDART_SHARING_COPY_BEGUN,
        CUDART_SHARING_COPY_ENDED, /* the process does not know yet */
    } state;
    uint32_t device; /* place of the stream's device */
    uint64_t from, to, bytes;
    uint64_t ready, sequence; /* fs: when it could begin; number in the order of the process's calls */
    uint64_t begins, ends;    /* fs, once it has ended */
};

/* A process. */
struct cudart_sharing_member {
    _Atomic int process;   /* process number; 0: not set yet */
    _Atomic bool meets;    /* the process shares memory with others */
    _Atomic bool ended;    /* the process has ended by itself, and has done its work for the others */
    _Atomic uint32_t vain; /* while it waits for kernels that only poll: the moves after which they did so, plus 1 */
    struct cudart_sharing_pace pace;                          /* with time */
    struct cudart_sharing_copy copies[CUDART_SHARING_COPIES]; /* likewise */
    char rank[24];                                            /* name from its launcher, such as "rank 3"; "": none */
    char awaited
        [CUDART_SHARING_KERNEL]; /* object of its wait, a kernel or an event; read by others while `vain` says so */
};

/* An event that processes have in common. Records have tickets, from 1 on. */
struct cudart_sharing_event {
    _Atomic uint32_t users;                          /* events of processes that stand for it; 0: it is free */
    _Atomic uint32_t recorded;                       /* ticket of the latest record; 0: none */
    _Atomic uint32_t passed[CUDART_SHARING_RECORDS]; /* by ticket, modulo: the latest ticket there that has passed */
    _Atomic uint64_t times[CUDART_SHARING_RECORDS];  /* fs: when it has, with time */
};

/* Simulated time of all processes. Owner: sharing_time.c. */
struct cudart_sharing_course {
    _Atomic uint32_t leader;                    /* the member that simulates, plus 1; 0: none yet */
    _Atomic uint32_t question;                  /* number of the latest question whether all wait */
    _Atomic uint32_t bell;                      /* changes with every question, answer and time; for futex(2) */
    _Atomic uint32_t steps;                     /* odd while the devices go on; see cudart_course_present */
    _Atomic uint64_t now;                       /* fs: time that the devices have reached */
    _Atomic uint64_t kept;                      /* fs: time of the results that lie in the folder; 0: none */
    _Atomic bool keeping;                       /* a copy of the leader's process writes such results */
    _Atomic int failure;                        /* error by which the simulation has ended for all; 0: it has not */
    _Atomic uint32_t owners[MNP_SPACE_DEVICES]; /* the member that uses a device, by its place, plus 1; 0: none */
};

/* Owner: sharing.c, sharing_members.c; events: sharing_events.c. */
struct cudart_sharing_page {
    uint32_t devices;
    pthread_mutex_t turn;                      /* lock of the process that executes */
    _Atomic uint32_t moves;                    /* count of possible changes of memory; waited for with futex(2) */
    _Atomic uint32_t users[MNP_SPACE_DEVICES]; /* processes that have come to use a device, by its place */
    _Atomic uint32_t count;                    /* members */
    struct cudart_sharing_member members[CUDART_SHARING_MEMBERS];
    struct cudart_sharing_event events[CUDART_SHARING_EVENTS];
    struct cudart_sharing_course course; /* with time */
};

/* This process's part of it. Owner: sharing.c, sharing_members.c. */
struct cudart_sharing {
    struct cudart_sharing_page *page; /* NULL: there is no sharing, or it has not joined */
    unsigned char *memory;            /* memory of all devices' ranges, from MNP_SPACE_BASE on */
    uint32_t self;                    /* number of this process among the members */
    _Atomic uint32_t seen;            /* moves when this process began to look at memory last */
    bool timed;                       /* processes share simulated time; */
    bool leads;                       /* … this one simulates for all */
    int file;                         /* with time: a descriptor of the group's file */
    _Atomic bool bereaved;            /* another process has died, and this one ends for that */
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

/* Memory at an address of this process is from now on that at another one, of all processes; at its own (`of` = `at`):
 * what it was. `file`: the group's; multiples of the host's pages. False: the system has no room. */
bool cudart_sharing_alias(struct cudart_sharing *sharing, int file, uint64_t at, uint64_t of, uint64_t bytes);

/* This process executes, and no other does, until it gives its turn back. False: the run is to end (`wish`). */
bool cudart_sharing_take(struct cudart_sharing *sharing, const _Atomic int *wish);
void cudart_sharing_give(struct cudart_sharing *sharing);

/* Memory may have changed, so that kernels of others look at it again. */
void cudart_sharing_move(struct cudart_sharing *sharing);
/* This process looks at memory, or at events, from now on. */
void cudart_sharing_look(struct cudart_sharing *sharing);
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
/* Notes the object of this process's wait, such as "its kernel meet". */
void cudart_sharing_wait_for(struct cudart_sharing *sharing, const char *awaited);
/* While this process waits for kernels that only poll, or for events: whether no other will do anything about it. */
bool cudart_sharing_is_stuck(struct cudart_sharing *sharing);
/* Ends the wait of this process. */
void cudart_sharing_go_on(struct cudart_sharing *sharing);
/* How messages call a member, and what it does. */
enum { CUDART_SHARING_NAME = 64 };
void cudart_sharing_name(const struct cudart_sharing_member *member, char name[CUDART_SHARING_NAME]);
void cudart_sharing_doing(const struct cudart_sharing *sharing, const struct cudart_sharing_member *member,
                          char doing[CUDART_SHARING_DOING]);

/* ===== events (sharing_events.c) ===== */

/* A new event, by its place plus 1; 0: there are too many. */
uint32_t cudart_sharing_add_event(struct cudart_sharing *sharing);
/* One more event of a process stands for it. False: there is no such event. */
bool cudart_sharing_use_event(struct cudart_sharing *sharing, uint32_t event);
void cudart_sharing_drop_event(struct cudart_sharing *sharing, uint32_t event);
/* The ticket of a new record; 0: CUDART_SHARING_RECORDS of them are under way. */
uint32_t cudart_sharing_record(struct cudart_sharing *sharing, uint32_t event);
/* The ticket of the latest record; 0: there is none. */
uint32_t cudart_sharing_latest(const struct cudart_sharing *sharing, uint32_t event);
bool cudart_sharing_has_passed(const struct cudart_sharing *sharing, uint32_t event, uint32_t ticket);
/* `time`: fs, when it has; 0 without time. */
void cudart_sharing_pass(struct cudart_sharing *sharing, uint32_t event, uint32_t ticket, uint64_t time);
/* The time of a record that has passed. */
uint64_t cudart_sharing_passed_at(const struct cudart_sharing *sharing, uint32_t event, uint32_t ticket);

#endif
