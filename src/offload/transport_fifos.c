/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Control by two FIFOs, PATH.to-host and PATH.to-guest, which a guest opens by semihosting, as in the paper.
 *
 * A read from an empty FIFO would stop all of QEMU. Therefore a word in the region's head counts the bytes that the
 * host has put into the guest's FIFO since a HELLO, whose number is stored beside it, and a guest never reads more than
 * that.
 */
#include "maniple/offload.h"
#include "offload/transport.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 };
static const char *const ends[] = {"to-host", "to-guest"};

static void name(char path[PATH_ROOM], const struct offload_door *door, int end)
{
    snprintf(path, PATH_ROOM, "%s.%s", door->path, ends[end]);
}

/* Whether an existing FIFO can be used: no other user may have access. */
static bool is_our_fifo(const char *file)
{
    struct stat state;
    bool ours =
        lstat(file, &state) == 0 && S_ISFIFO(state.st_mode) && state.st_uid == geteuid() && !(state.st_mode & 077);
    errno = EEXIST;
    return ours;
}

static bool open_fifos(struct offload_door *door, const char *path, const struct offload_region *region,
                       struct mnp_error *error)
{
    char file[PATH_ROOM];
    *door = (struct offload_door){.region = region, .path = path, .descriptor = -1};
    for (int end = 0; end < 2; end++) {
        name(file, door, end);
        if (mkfifo(file, 0600) != 0 && (errno != EEXIST || !is_our_fifo(file)))
            return mnp_fail_at(error, file, 0, "cannot be made a FIFO of yours alone: %s", strerror(errno));
    }
    /* Open in both directions: it does not end when a guest closes it, and guests never wait to open it. */
    name(file, door, 0);
    door->descriptor = open(file, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
    name(file, door, 1);
    door->other = open(file, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
    door->transport = door->descriptor >= 0 && door->other >= 0 ? &offload_transport_fifos : NULL;
    return door->transport || mnp_fail_at(error, file, 0, "cannot be opened: %s", strerror(errno));
}

static void close_fifos(struct offload_door *door)
{
    char file[PATH_ROOM];
    if (door->descriptor >= 0) {
        close(door->descriptor);
        close(door->other);
    }
    for (int end = 0; end < 2; end++) {
        name(file, door, end);
        unlink(file);
    }
}

/* Bytes in the FIFO are a guest's that comes in; afterwards the door is of no more use. */
static bool accept_peer(struct offload_door *door, struct offload_peer *peer)
{
    peer->descriptor = door->descriptor;
    peer->other = door->other;
    peer->transport = &offload_transport_fifos;
    door->descriptor = door->other = -1;
    return true;
}

static ssize_t receive(struct offload_peer *peer, unsigned char *to, size_t room)
{
    return offload_receive_from(peer->descriptor, to, room);
}

static bool count(struct offload_peer *peer)
{
    struct mnp_error ignored = {0};
    uint32_t words[2] = {peer->generation, peer->sent};
    return offload_region_write(peer->region, MNP_OFFLOAD_READY, sizeof words, words, &ignored);
}

static ssize_t send_bytes(struct offload_peer *peer, const unsigned char *from, size_t bytes)
{
    ssize_t sent = offload_send_to(peer->other, from, bytes);
    peer->sent += sent > 0 ? (uint32_t)sent : 0;
    return sent > 0 && !count(peer) ? -1 : sent;
}

static void renew(struct offload_peer *peer, uint32_t sequence)
{
    unsigned char stale[4096];
    while (read(peer->other, stale, sizeof stale) > 0)
        continue;
    peer->generation = sequence;
    peer->sent = 0;
    count(peer);
}

static void leave(struct offload_peer *peer)
{
    close(peer->descriptor);
    close(peer->other);
}

const struct offload_transport offload_transport_fifos = {
    .name = "fifos",
    .open = open_fifos,
    .close = close_fifos,
    .accept = accept_peer,
    .receive = receive,
    .send = send_bytes,
    .leave = leave,
    .renew = renew,
};
