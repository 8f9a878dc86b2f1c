/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mail between processes that share the devices of a run with time (base/sharing_time.h): kernels and what else a
 * process does to its devices go to the leader, which simulates them; ends of kernels come back.
 */
#ifndef CUDART_KERNEL_MAIL_H
#define CUDART_KERNEL_MAIL_H

#include "cudart/base/abi.h"
#include "cudart/base/sharing_time.h"
#include "cudart/base/thread_state.h"

struct cudart;
struct cudart_device;
struct cudart_operation;
struct execute_replay;

/* Owner: kernel_mail.c, shared_copies.c for its two rows, and shared_machine.c but for `boxes` and `sent`. */
struct cudart_shared_machine {
    struct cudart_mailbox *boxes[CUDART_SHARING_MEMBERS]; /* NULL: not mapped yet; a follower has its own alone */
    struct execute_replay *replays[CUDART_SHARING_MEMBERS][MNP_SPACE_DEVICES]; /* the leader's; NULL: no mail yet */
    uint32_t sent[MNP_SPACE_DEVICES];                                          /* a follower's: launches, by place */
    struct cudart_operation *copies[CUDART_SHARING_COPIES];      /* this process's, by place; NULL: none */
    struct cudart_operation *all_copies[CUDART_SHARING_MEMBERS]; /* the leader's: those of each process; may be NULL */
    struct cudart_asleep asleep;                                 /* the other threads of this process */
    uint64_t digest;  /* digest of all processes at the question before; 0: not all waited */
    uint64_t since;   /* ns: when time went on last */
    uint64_t keep_at; /* ns: from when on results are kept next */
    uint32_t vain;    /* questions since then */
    bool asks;        /* the next step begins with a question */
    bool hurries;     /* a process has computed for so long that others went on */
};

/* This process's part; it is made at the first call. */
struct cudart_shared_machine *cudart_shared_machine(struct cudart *rt);
/* Whether the machine's time is that of several processes, so that no call moves it. */
bool cudart_is_paced(const struct cudart *rt);
/* Whether another process has the machine. */
bool cudart_follows(const struct cudart *rt);

/* The mailbox of a member; NULL, with a failure of the context: the system has no room for it. */
struct cudart_mailbox *cudart_mailbox(struct cudart *rt, uint32_t member);
/* A follower sends what it has done to its devices since it did so last. */
void cudart_send_notes(struct cudart *rt);
/* Takes note of kernels of this process that have ended. `told`: how many since the beginning (cudart_present). */
void cudart_take_ends(struct cudart *rt, uint32_t told);
/* The leader: a kernel of another process's device has ended. */
void cudart_send_end(struct cudart *rt, const struct cudart_device *device, uint32_t kernel, uint64_t time);
/* The leader: the machine has stopped, so that no process goes on. */
void cudart_stop_others(struct cudart *rt, enum cuda_error why);

#endif
