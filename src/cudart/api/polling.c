/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions by which a thread asks the system whether anything has come, gives up its processor or sleeps: they stand
 * in front of the C library's, do the same, and count whether the answer was no (base/polling.h). A thread that calls
 * them again and again waits, and does not hold back the devices.
 */
#include "cudart/base/polling.h"
#include "cudart/base/state.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* The names in the source are ours, those that programs see the C library's. */
CUDART_API int cudart_poll(struct pollfd *files, nfds_t count, int timeout) __asm__("poll");
CUDART_API int cudart_ppoll(struct pollfd *files, nfds_t count, const struct timespec *timeout,
                            const sigset_t *signals) __asm__("ppoll");
CUDART_API int cudart_select(int count, fd_set *in, fd_set *out, fd_set *except,
                             struct timeval *timeout) __asm__("select");
CUDART_API int cudart_pselect(int count, fd_set *in, fd_set *out, fd_set *except, const struct timespec *timeout,
                              const sigset_t *signals) __asm__("pselect");
CUDART_API int cudart_epoll_wait(int file, struct epoll_event *events, int most, int timeout) __asm__("epoll_wait");
CUDART_API int cudart_epoll_pwait(int file, struct epoll_event *events, int most, int timeout,
                                  const sigset_t *signals) __asm__("epoll_pwait");
CUDART_API ssize_t cudart_recv(int file, void *to, size_t bytes, int flags) __asm__("recv");
CUDART_API ssize_t cudart_recvfrom(int file, void *to, size_t bytes, int flags, struct sockaddr *from,
                                   socklen_t *size) __asm__("recvfrom");
CUDART_API ssize_t cudart_recvmsg(int file, struct msghdr *message, int flags) __asm__("recvmsg");
CUDART_API int cudart_accept(int file, struct sockaddr *from, socklen_t *size) __asm__("accept");
CUDART_API int cudart_accept4(int file, struct sockaddr *from, socklen_t *size, int flags) __asm__("accept4");
CUDART_API int cudart_connect(int file, const struct sockaddr *to, socklen_t size) __asm__("connect");
CUDART_API int cudart_yield(void) __asm__("sched_yield");
CUDART_API int cudart_nanosleep(const struct timespec *time, struct timespec *left) __asm__("nanosleep");
CUDART_API int cudart_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                                      struct timespec *left) __asm__("clock_nanosleep");
CUDART_API int cudart_usleep(useconds_t time) __asm__("usleep");

/* The C library's function: the next one behind this library's. It is sought once, for the search takes a lock of the
 * dynamic linker's. */
static void *find(enum cudart_asking which)
{
    static const char *const names[CUDART_ASKING] = {
        [CUDART_POLL] = "poll",
        [CUDART_PPOLL] = "ppoll",
        [CUDART_SELECT] = "select",
        [CUDART_PSELECT] = "pselect",
        [CUDART_EPOLL_WAIT] = "epoll_wait",
        [CUDART_EPOLL_PWAIT] = "epoll_pwait",
        [CUDART_RECV] = "recv",
        [CUDART_RECVFROM] = "recvfrom",
        [CUDART_RECVMSG] = "recvmsg",
        [CUDART_ACCEPT] = "accept",
        [CUDART_ACCEPT4] = "accept4",
        [CUDART_CONNECT] = "connect",
        [CUDART_YIELD] = "sched_yield",
        [CUDART_NANOSLEEP] = "nanosleep",
        [CUDART_CLOCK_NANOSLEEP] = "clock_nanosleep",
        [CUDART_USLEEP] = "usleep",
    };
    _Atomic(void *) *place = &cudart_state()->polling.next[which];
    void *next = atomic_load_explicit(place, memory_order_relaxed);
    if (!next) {
        next = dlsym(RTLD_NEXT, names[which]);
        atomic_store_explicit(place, next, memory_order_relaxed);
    }
    return next;
}

__attribute__((constructor)) static void find_all(void)
{
    for (int i = 0; i < CUDART_ASKING; i++)
        find((enum cudart_asking)i);
}

#define NEXT(name, which)                                                                                              \
    __typeof__(&name) next;                                                                                            \
    void *symbol = find(which);                                                                                        \
    memcpy(&next, &symbol, sizeof next)

/* The number of descriptors that are ready: none, if the time has passed. */
static int ready(int count)
{
    cudart_count_poll(count == 0);
    return count;
}

/* Bytes, or a socket; negative: none, for one of the reasons in errno. */
static ssize_t received(ssize_t result)
{
    cudart_count_poll(result < 0 && (errno == EAGAIN || errno == EWOULDBLOCK));
    return result;
}

static int accepted(int file)
{
    cudart_watch_socket(file);
    return (int)received(file);
}

int cudart_poll(struct pollfd *files, nfds_t count, int timeout)
{
    NEXT(poll, CUDART_POLL);
    return ready(next(files, count, timeout));
}

int cudart_ppoll(struct pollfd *files, nfds_t count, const struct timespec *timeout, const sigset_t *signals)
{
    NEXT(ppoll, CUDART_PPOLL);
    return ready(next(files, count, timeout, signals));
}

int cudart_select(int count, fd_set *in, fd_set *out, fd_set *except, struct timeval *timeout)
{
    NEXT(select, CUDART_SELECT);
    return ready(next(count, in, out, except, timeout));
}

int cudart_pselect(int count, fd_set *in, fd_set *out, fd_set *except, const struct timespec *timeout,
                   const sigset_t *signals)
{
    NEXT(pselect, CUDART_PSELECT);
    return ready(next(count, in, out, except, timeout, signals));
}

int cudart_epoll_wait(int file, struct epoll_event *events, int most, int timeout)
{
    NEXT(epoll_wait, CUDART_EPOLL_WAIT);
    return ready(next(file, events, most, timeout));
}

int cudart_epoll_pwait(int file, struct epoll_event *events, int most, int timeout, const sigset_t *signals)
{
    NEXT(epoll_pwait, CUDART_EPOLL_PWAIT);
    return ready(next(file, events, most, timeout, signals));
}

ssize_t cudart_recv(int file, void *to, size_t bytes, int flags)
{
    NEXT(recv, CUDART_RECV);
    return received(next(file, to, bytes, flags));
}

ssize_t cudart_recvfrom(int file, void *to, size_t bytes, int flags, struct sockaddr *from, socklen_t *size)
{
    NEXT(recvfrom, CUDART_RECVFROM);
    return received(next(file, to, bytes, flags, from, size));
}

ssize_t cudart_recvmsg(int file, struct msghdr *message, int flags)
{
    NEXT(recvmsg, CUDART_RECVMSG);
    return received(next(file, message, flags));
}

int cudart_accept(int file, struct sockaddr *from, socklen_t *size)
{
    NEXT(accept, CUDART_ACCEPT);
    return accepted(next(file, from, size));
}

int cudart_accept4(int file, struct sockaddr *from, socklen_t *size, int flags)
{
    NEXT(accept4, CUDART_ACCEPT4);
    return accepted(next(file, from, size, flags));
}

int cudart_connect(int file, const struct sockaddr *to, socklen_t size)
{
    NEXT(connect, CUDART_CONNECT);
    cudart_watch_socket(file);
    return next(file, to, size);
}

int cudart_yield(void)
{
    NEXT(sched_yield, CUDART_YIELD);
    cudart_count_poll(1);
    return next();
}

/* A sleep begins. An absolute time is not one for a moment. */
static void sleep_for(const struct timespec *time, int flags)
{
    cudart_poller_naps(!time || time->tv_sec || (flags & TIMER_ABSTIME) ? UINT64_MAX : 1 + (uint64_t)time->tv_nsec);
}

static int slept(int result)
{
    cudart_poller_naps(0);
    return result;
}

int cudart_nanosleep(const struct timespec *time, struct timespec *left)
{
    NEXT(nanosleep, CUDART_NANOSLEEP);
    sleep_for(time, 0);
    return slept(next(time, left));
}

int cudart_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left)
{
    NEXT(clock_nanosleep, CUDART_CLOCK_NANOSLEEP);
    sleep_for(time, flags);
    return slept(next(clock, flags, time, left));
}

int cudart_usleep(useconds_t time)
{
    NEXT(usleep, CUDART_USLEEP);
    cudart_poller_naps(1 + 1000 * (uint64_t)time);
    return slept(next(time));
}
