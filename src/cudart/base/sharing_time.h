/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Simulated time of processes that share the devices of a run. One process, the leader, simulates the kernels of all;
 * the others send it what they do to their devices (execute/device/journal.h), and memory is common (sharing.h).
 *
 * Devices go on when all processes wait. The leader asks a question, and a thread of each process answers it once that
 * process has done everything that happens at the present time: whether all its threads wait, a digest of these, and
 * the next time at which it has something to do. Each process reads its own threads' states, one after the other; so
 * two questions in turn must have the same answers. Then there was a moment between the two at which all threads of
 * all processes waited, and none has run since.
 */
#ifndef CUDART_SHARING_TIME_H
#define CUDART_SHARING_TIME_H

#include "cudart/base/sharing.h"

enum { CUDART_MAIL_ENDS = 8192 /* kernels' ends under way to a process, at most; a power of two */ };

#define CUDART_MAILBOX_BYTES (UINT64_C(1) << 33)

/* A kernel that has ended. */
struct cudart_kernel_end {
    uint32_t place, kernel; /* device, and number in its order of launches, from 1 on */
    uint64_t time;          /* fs */
};

/* A part of the file for each process: to it, and from it. */
struct cudart_mailbox {
    struct cudart_kernel_end ends[CUDART_MAIL_ENDS]; /* a ring */
    unsigned char mail[];
};

/* The heading of a piece of mail; the numbers of launches (uint32_t) and the notes of a journal follow. */
struct cudart_mail {
    uint64_t place; /* device that the journal belongs to */
    uint64_t numbers;
    uint64_t notes; /* bytes */
};

/* Whether a mailbox has room for one piece of mail more. `used`: bytes of mail in it; `more`: bytes of the piece. */
bool cudart_mail_fits(uint64_t used, uint64_t more);
/* Maps the mailbox of a member; NULL: the system has no room. */
void *cudart_sharing_mailbox(const struct cudart_sharing *sharing, uint32_t member);

/* This process, which has joined, shares simulated time with the others from now on. One of them leads. Returns whether
 * this process does, and is the first of the run. */
bool cudart_course_join(struct cudart_sharing *sharing);
/* Whether a member leads others with it. */
bool cudart_course_lost(const struct cudart_sharing *sharing, const struct cudart_sharing_member *member);
/* Whether the leader's process has ended, and this one is not the leader. */
bool cudart_course_is_orphaned(const struct cudart_sharing *sharing);
/* The device, by its place, is this process's. False: another process uses it, and it is named. */
bool cudart_course_claim(struct cudart_sharing *sharing, uint32_t place, char other[CUDART_SHARING_NAME]);
/* Devices, by their places, that a member uses. */
uint32_t cudart_course_devices(const struct cudart_sharing *sharing, uint32_t member);

/* Wakes all processes. */
void cudart_course_ring(struct cudart_sharing *sharing);
/* Waits until the bell has been rung since it was read as `bell`, for so many ns at most. */
void cudart_course_await(const struct cudart_sharing *sharing, uint32_t bell, uint64_t nanoseconds);

/* The present, as the leader has made it: what belongs to one time. */
struct cudart_present {
    uint64_t now;      /* fs */
    uint32_t told;     /* ends of this process's kernels, all of them up to that time and none behind it */
    uint32_t question; /* the latest one */
};
/* False: the devices go on just now. */
bool cudart_course_present(const struct cudart_sharing *sharing, struct cudart_present *present);
/* The leader's: devices are about to go on; they have reached a time (fs), and everything up to it has been told. */
void cudart_course_depart(struct cudart_sharing *sharing);
void cudart_course_arrive(struct cudart_sharing *sharing, uint64_t time);

/* The answer of this process to a question that it has not answered. */
struct cudart_answer {
    bool waits, inside;
    uint64_t digest, wish;
    uint32_t seen;     /* moves before it was made */
    uint32_t question; /* number */
};
bool cudart_course_is_asked(const struct cudart_sharing *sharing, uint32_t question);
void cudart_course_answer(struct cudart_sharing *sharing, const struct cudart_answer *answer);

/* The leader's. The answers to the latest question as one: `waits` if all processes do. False: some have not come. */
bool cudart_course_gather(const struct cudart_sharing *sharing, struct cudart_answer *all);
void cudart_course_ask(struct cudart_sharing *sharing);
/* Whether other processes still share time. */
bool cudart_course_has_others(const struct cudart_sharing *sharing);

#endif
