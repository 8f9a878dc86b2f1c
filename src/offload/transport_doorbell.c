/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Control by ivshmem-doorbell: the server also acts as the ivshmem server that QEMU connects to (QEMU's document
 * "Device Specification for Inter-VM shared memory device", section "Interrupts"), and as its peer 0. Messages are in
 * two rings in the region's head; after writing, a guest rings vector 0 of peer 0. The guest polls for messages from
 * the host. The host also rings the guest's doorbell, for guests with a driver for the interrupt.
 */
#include "maniple/offload.h"
#include "offload/transport.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HOST = 0, GUEST = 1 }; /* numbers of the peers */
enum {
    SOCKET = 0,
    RUNG_BY_GUEST = 1
}; /* files in `numbers`; `descriptor` waits for both, `other` is the guest's bell */

/* Sends a number and optionally a file descriptor, as defined by the ivshmem protocol. */
static bool tell(int socket, int64_t number, int file)
{
    char room[CMSG_SPACE(sizeof file)] = {0};
    struct iovec bytes = {&number, sizeof number};
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};
    if (file >= 0) {
        message.msg_control = room;
        message.msg_controllen = sizeof room;
        struct cmsghdr *control = CMSG_FIRSTHDR(&message);
        control->cmsg_level = SOL_SOCKET;
        control->cmsg_type = SCM_RIGHTS;
        control->cmsg_len = CMSG_LEN(sizeof file);
        memcpy(CMSG_DATA(control), &file, sizeof file);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL) == (ssize_t)sizeof number;
}

static bool introduce(const struct offload_peer *peer)
{
    int socket = peer->numbers[SOCKET];
    return tell(socket, 0, -1) && tell(socket, GUEST, -1) && tell(socket, -1, peer->region->descriptor) &&
           tell(socket, HOST, peer->numbers[RUNG_BY_GUEST]) && tell(socket, GUEST, peer->other);
}

static bool open_doorbell(struct offload_door *door, const char *path, const struct offload_region *region,
                          struct mnp_error *error)
{
    *door = (struct offload_door){.region = region, .path = path, .descriptor = offload_listen(path, error)};
    door->transport = door->descriptor >= 0 ? &offload_transport_doorbell : NULL;
    return door->transport != NULL;
}

static void close_doorbell(struct offload_door *door)
{
    close(door->descriptor);
    unlink(door->path);
}

static void leave(struct offload_peer *peer)
{
    close(peer->numbers[SOCKET]);
    close(peer->numbers[RUNG_BY_GUEST]);
    close(peer->descriptor);
    close(peer->other);
}

static void make_bells(struct offload_peer *peer, int socket)
{
    struct epoll_event readable = {.events = EPOLLIN};
    peer->numbers[SOCKET] = socket;
    peer->numbers[RUNG_BY_GUEST] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    peer->other = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    peer->descriptor = epoll_create1(EPOLL_CLOEXEC);
    epoll_ctl(peer->descriptor, EPOLL_CTL_ADD, socket, &readable);
    epoll_ctl(peer->descriptor, EPOLL_CTL_ADD, peer->numbers[RUNG_BY_GUEST], &readable);
}

/* There is one pair of rings: one guest at a time. */
static bool accept_peer(struct offload_door *door, struct offload_peer *peer)
{
    int socket = offload_accept(door->descriptor);
    if (socket < 0)
        return false;
    if (door->busy) {
        close(socket);
        return false;
    }
    struct mnp_offload_ring empty = {0};
    struct mnp_error ignored = {0};
    peer->transport = &offload_transport_doorbell;
    make_bells(peer, socket);
    if (offload_region_write(peer->region, MNP_OFFLOAD_TO_HOST, sizeof empty, &empty, &ignored) &&
        offload_region_write(peer->region, MNP_OFFLOAD_TO_GUEST, sizeof empty, &empty, &ignored) && introduce(peer)) {
        door->busy = true;
        return true;
    }
    leave(peer);
    peer->transport = NULL;
    return false;
}

/* Whether the other end of the socket is still there; QEMU never writes to it. */
static bool is_there(const struct offload_peer *peer)
{
    char byte;
    ssize_t got = recv(peer->numbers[SOCKET], &byte, 1, MSG_DONTWAIT | MSG_PEEK);
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

/* Copies from or to a ring, around its end. */
static bool copy(const struct offload_peer *peer, uint64_t ring, uint32_t at, unsigned char *bytes, size_t count,
                 bool out)
{
    struct mnp_error ignored = {0};
    for (size_t done = 0; done < count;) {
        uint32_t place = (at + (uint32_t)done) % MNP_OFFLOAD_RING_BYTES;
        size_t piece = MNP_OFFLOAD_RING_BYTES - place;
        piece = piece < count - done ? piece : count - done;
        if (!(out ? offload_region_write(peer->region, ring + place, piece, bytes + done, &ignored)
                  : offload_region_read(peer->region, ring + place, piece, bytes + done, &ignored)))
            return false;
        done += piece;
    }
    return true;
}

/* The counts of the guest's are the guest's: a difference that cannot be is none. */
static ssize_t receive(struct offload_peer *peer, unsigned char *to, size_t room)
{
    uint64_t rung;
    uint32_t written;
    struct mnp_error ignored = {0};
    if (read(peer->numbers[RUNG_BY_GUEST], &rung, sizeof rung) < 0 && !is_there(peer))
        return -1;
    if (!offload_region_read(peer->region, MNP_OFFLOAD_TO_HOST, sizeof written, &written, &ignored))
        return -1;
    size_t count = written - peer->taken;
    if (count > MNP_OFFLOAD_RING_BYTES) { /* the position is invalid: continue at the guest's position */
        peer->taken = written;
        count = 0;
    }
    count = count < room ? count : room;
    if (count && !copy(peer, MNP_OFFLOAD_TO_HOST_BYTES, peer->taken, to, count, false))
        return -1;
    peer->taken += (uint32_t)count;
    if (count && !offload_region_write(peer->region, MNP_OFFLOAD_TO_HOST + offsetof(struct mnp_offload_ring, taken),
                                       sizeof peer->taken, &peer->taken, &ignored))
        return -1;
    return (ssize_t)count;
}

static ssize_t send_bytes(struct offload_peer *peer, const unsigned char *from, size_t count)
{
    uint32_t taken;
    uint64_t ring = 1;
    struct mnp_error ignored = {0};
    if (!offload_region_read(peer->region, MNP_OFFLOAD_TO_GUEST + offsetof(struct mnp_offload_ring, taken),
                             sizeof taken, &taken, &ignored))
        return -1;
    uint32_t full = peer->sent - taken;
    size_t room = full > MNP_OFFLOAD_RING_BYTES ? 0 : MNP_OFFLOAD_RING_BYTES - full;
    count = count < room ? count : room;
    if (!count)
        return is_there(peer) ? 0 : -1;
    if (!copy(peer, MNP_OFFLOAD_TO_GUEST_BYTES, peer->sent, (unsigned char *)(uintptr_t)from, count, true))
        return -1;
    peer->sent += (uint32_t)count;
    if (!offload_region_write(peer->region, MNP_OFFLOAD_TO_GUEST, sizeof peer->sent, &peer->sent, &ignored) ||
        (write(peer->other, &ring, sizeof ring) < 0 && errno != EAGAIN))
        return -1;
    return (ssize_t)count;
}

/* A new program of the guest's, which begins where `written` stands. A count never goes back: the guest may be reading
 * what was sent to the program before it. */
static void renew(struct offload_peer *peer, uint32_t sequence)
{
    struct mnp_error ignored = {0};
    (void)sequence;
    offload_region_write(peer->region, MNP_OFFLOAD_TO_GUEST, sizeof peer->sent, &peer->sent, &ignored);
}

const struct offload_transport offload_transport_doorbell = {
    .name = "doorbell",
    .open = open_doorbell,
    .close = close_doorbell,
    .accept = accept_peer,
    .receive = receive,
    .send = send_bytes,
    .leave = leave,
    .renew = renew,
};
