/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads of the program that wait in a loop: they ask the system again and again whether bytes have come, give up
 * their processor, or sleep for a moment, until another thread has done something. The functions that they call stand
 * in front of the C library's (api/polling.c) and count here. Also sockets between threads: bytes that one thread has
 * sent and that the system has not yet handed to the other will wake a thread that seems to wait for nothing.
 */
#ifndef CUDART_POLLING_H
#define CUDART_POLLING_H

#include <stdbool.h>
#include <stdint.h>

enum {
    CUDART_POLLERS = 128,  /* threads that are told apart; further ones count as computing */
    CUDART_SOCKETS = 1024, /* descriptors that are watched, from 0 on */
    CUDART_VAIN = 64,      /* questions in vain by which a thread is known to wait, if all others wait */
    CUDART_SLEEP = 16,     /* questions for which a sleep counts */
    CUDART_NAP = 10000000, /* ns: a thread that sleeps for less asks, one that sleeps for longer sleeps */
};

/* One thread that has asked. */
struct cudart_poller {
    _Atomic int thread;      /* number of the thread in the system; 0: the entry is free */
    _Atomic bool waits;      /* the thread lets others make calls, inside one of its own */
    _Atomic bool naps;       /* the thread sleeps for a moment */
    _Atomic uint64_t events; /* questions with an answer so far */
    _Atomic uint64_t vain;   /* questions without one */
};

/* The C library's functions by which threads ask, or get sockets. */
enum cudart_asking {
    CUDART_POLL,
    CUDART_PPOLL,
    CUDART_SELECT,
    CUDART_PSELECT,
    CUDART_EPOLL_WAIT,
    CUDART_EPOLL_PWAIT,
    CUDART_RECV,
    CUDART_RECVFROM,
    CUDART_RECVMSG,
    CUDART_ACCEPT,
    CUDART_ACCEPT4,
    CUDART_CONNECT,
    CUDART_YIELD,
    CUDART_NANOSLEEP,
    CUDART_CLOCK_NANOSLEEP,
    CUDART_USLEEP,
    CUDART_ASKING
};

/* Written by all threads, without the lock. Owner: polling.c; `next`: api/polling.c. */
struct cudart_polling {
    _Atomic(void *) next[CUDART_ASKING]; /* the C library's functions; NULL: not found yet */
    struct cudart_poller pollers[CUDART_POLLERS];
    _Atomic uint64_t sockets[CUDART_SOCKETS / 64]; /* a bit for each descriptor that was connected or accepted */
};

/* Counts questions of the calling thread without an answer; 0: a question with one. Keeps errno. */
void cudart_count_poll(uint32_t vain);

/* The calling thread begins to sleep for a time in nanoseconds, or has slept (0). Keeps errno. */
void cudart_poller_naps(uint64_t time);

/* The calling thread begins or ends to let others make calls. */
void cudart_poller_waits(bool waits);

/* The place of a thread among the pollers, from its number in the system; CUDART_POLLERS: it has none. */
uint32_t cudart_poller_place(const struct cudart_polling *polling, int thread);

/* Watches a socket. Keeps errno. */
void cudart_watch_socket(int file);

/* Whether bytes are under way between two sockets of this host by TCP, which the receiver's thread has not been woken
 * for. Sockets that are none any more are forgotten. */
bool cudart_bytes_are_under_way(struct cudart_polling *polling);

#endif
