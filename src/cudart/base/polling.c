/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/base/polling.h"

#include "cudart/base/state.h"

#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* Whether a thread of this process has ended. */
static bool has_ended(int thread)
{
    return tgkill(getpid(), thread, 0) != 0 && errno == ESRCH;
}

/* An entry for the calling thread: its own of before, a free one, or that of a thread that has ended. NULL: there is
 * none. */
static struct cudart_poller *claim(struct cudart_polling *polling)
{
    int self = gettid();
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t i = 0; i < CUDART_POLLERS; i++) {
            struct cudart_poller *each = &polling->pollers[i];
            int owner = atomic_load(&each->thread);
            if (owner == self)
                return each;
            if ((!owner || (round && has_ended(owner))) && atomic_compare_exchange_strong(&each->thread, &owner, self))
                return each;
        }
    return NULL;
}

/* The calling thread's entry; NULL: all entries are others'. */
static struct cudart_poller *own_entry(void)
{
    struct cudart_thread *thread = cudart_thread();
    if (!thread->polled) {
        int error = errno;
        thread->polled = true;
        thread->poller = claim(&cudart_state()->polling);
        if (thread->poller) {
            atomic_store(&thread->poller->waits, false);
            atomic_store(&thread->poller->naps, false);
            atomic_fetch_add(&thread->poller->events, 1);
        }
        errno = error;
    }
    return thread->poller;
}

void cudart_count_poll(uint32_t vain)
{
    struct cudart_poller *own = vain || cudart_thread()->polled ? own_entry() : NULL;
    if (own && vain)
        atomic_fetch_add(&own->vain, vain);
    else if (own)
        atomic_fetch_add(&own->events, 1);
}

void cudart_poller_naps(uint64_t time)
{
    struct cudart_poller *own = own_entry();
    if (own)
        atomic_store(&own->naps, time > 0 && time < CUDART_NAP);
    if (own && !time)
        atomic_fetch_add(&own->vain, CUDART_SLEEP);
}

void cudart_poller_waits(bool waits)
{
    struct cudart_poller *own = own_entry();
    if (own)
        atomic_store(&own->waits, waits);
}

uint32_t cudart_poller_place(const struct cudart_polling *polling, int thread)
{
    uint32_t place = 0;
    while (place < CUDART_POLLERS && atomic_load(&polling->pollers[place].thread) != thread)
        place++;
    return place;
}

/* ===== sockets ===== */

void cudart_watch_socket(int file)
{
    if (file >= 0 && file < CUDART_SOCKETS)
        atomic_fetch_or(&cudart_state()->polling.sockets[file / 64], UINT64_C(1) << file % 64);
}

/* The address in an end of a connection by IP, and its size; 0: it is of another kind. */
static size_t address_of(const struct sockaddr_storage *end, unsigned char address[16])
{
    if (end->ss_family == AF_INET6) {
        memcpy(address, (const char *)end + offsetof(struct sockaddr_in6, sin6_addr), 16);
        return 16;
    }
    if (end->ss_family != AF_INET)
        return 0;
    memcpy(address, (const char *)end + offsetof(struct sockaddr_in, sin_addr), 4);
    return 4;
}

/* Whether both ends of a connection have the same address, so that its bytes do not leave this host. */
static bool is_local(int file)
{
    struct sockaddr_storage own = {0}, other = {0};
    socklen_t own_size = sizeof own, other_size = sizeof other;
    unsigned char from[16], to[16];
    if (getsockname(file, (struct sockaddr *)&own, &own_size) != 0 ||
        getpeername(file, (struct sockaddr *)&other, &other_size) != 0)
        return false;
    size_t size = address_of(&own, from);
    return size && address_of(&other, to) == size && memcmp(from, to, size) == 0;
}

/* Whether a descriptor is a TCP socket, and the bytes that it has sent and whose arrival the receiver's system has not
 * confirmed. Bytes for which the receiver has no room have not been sent. */
static bool count_sent(int file, int *bytes)
{
    int all = 0, kept = 0;
    bool known = ioctl(file, SIOCOUTQ, &all) == 0 && ioctl(file, SIOCOUTQNSD, &kept) == 0;
    *bytes = all - kept;
    return known;
}

/* Calls `visit` for each watched socket until it returns true. Returns whether it has. */
static bool any_socket(struct cudart_polling *polling, bool (*visit)(int file, int bytes))
{
    for (int file = 0, bytes; file < CUDART_SOCKETS; file++) {
        _Atomic uint64_t *bits = &polling->sockets[file / 64];
        const uint64_t bit = UINT64_C(1) << file % 64;
        if (!(atomic_load(bits) >> file % 64)) {
            file |= 63; /* the next word */
            continue;
        }
        if (!(atomic_load(bits) & bit))
            continue;
        atomic_fetch_and(bits, ~bit); /* first: a new socket of this number sets it behind this */
        if (!count_sent(file, &bytes))
            continue;
        atomic_fetch_or(bits, bit);
        if (visit(file, bytes))
            return true;
    }
    return false;
}

static bool has_sent(int file, int bytes)
{
    return bytes > 0 && is_local(file);
}

/* Lets the system confirm what has arrived, which it else does up to 40 ms later. */
static bool confirm(int file, int bytes)
{
    (void)bytes;
    setsockopt(file, IPPROTO_TCP, TCP_QUICKACK, &(int){1}, sizeof(int));
    return false;
}

bool cudart_bytes_are_under_way(struct cudart_polling *polling)
{
    if (!any_socket(polling, has_sent))
        return false;
    any_socket(polling, confirm);
    return any_socket(polling, has_sent);
}
