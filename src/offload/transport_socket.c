/* SPDX-License-Identifier: BSD-3-Clause */
/* Control by a Unix socket on which the server listens: QEMU connects a virtio-serial port to it (-chardev
 * socket,path=…,server=off,reconnect=1), and programs on this host connect directly. */
#include "offload/transport.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* Whether a server listens there. */
static bool answers(const struct sockaddr_un *address)
{
    int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool listens = connect(probe, (const struct sockaddr *)address, sizeof *address) == 0 || errno == EAGAIN;
    close(probe);
    return listens;
}

/* Whether a server that was killed has left the file there. */
static bool is_left(const struct sockaddr_un *address)
{
    struct stat state;
    bool ours = lstat(address->sun_path, &state) == 0 && S_ISSOCK(state.st_mode) && state.st_uid == geteuid();
    bool left = ours && !answers(address);
    errno = EADDRINUSE;
    return left;
}

int offload_listen(const char *path, struct mnp_error *error)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        mnp_fail_at(error, path, 0, "is too long for a socket; at most %zu bytes", sizeof address.sun_path - 1);
        return -1;
    }
    strcpy(address.sun_path, path);
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0) {
        mnp_fail_at(error, path, 0, "cannot be listened on: %s", strerror(errno));
        return -1;
    }
    fchmod(descriptor, 0600); /* the file of a socket gets the permissions of the socket: no other user may connect */
    int bound = bind(descriptor, (struct sockaddr *)&address, sizeof address);
    if (bound != 0 && errno == EADDRINUSE && is_left(&address)) {
        unlink(path);
        bound = bind(descriptor, (struct sockaddr *)&address, sizeof address);
    }
    if (bound == 0 && listen(descriptor, 8) == 0)
        return descriptor;
    mnp_fail_at(error, path, 0, "cannot be listened on: %s", strerror(errno));
    close(descriptor);
    return -1;
}

int offload_accept(int descriptor)
{
    return accept4(descriptor, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

static bool nothing_now(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

ssize_t offload_receive_from(int descriptor, unsigned char *to, size_t room)
{
    ssize_t got = read(descriptor, to, room);
    return got > 0 ? got : got < 0 && nothing_now() ? 0 : -1;
}

ssize_t offload_send_to(int descriptor, const unsigned char *from, size_t count)
{
    ssize_t put = write(descriptor, from, count); /* SIGPIPE is ignored */
    return put >= 0 ? put : nothing_now() ? 0 : -1;
}

static bool open_socket(struct offload_door *door, const char *path, const struct offload_region *region,
                        struct mnp_error *error)
{
    *door = (struct offload_door){.region = region, .path = path, .descriptor = offload_listen(path, error)};
    door->transport = door->descriptor >= 0 ? &offload_transport_socket : NULL;
    return door->transport != NULL;
}

static void close_socket(struct offload_door *door)
{
    close(door->descriptor);
    unlink(door->path);
}

static bool accept_peer(struct offload_door *door, struct offload_peer *peer)
{
    peer->descriptor = offload_accept(door->descriptor);
    peer->other = -1;
    peer->transport = peer->descriptor >= 0 ? &offload_transport_socket : NULL;
    return peer->transport != NULL;
}

static ssize_t receive(struct offload_peer *peer, unsigned char *to, size_t room)
{
    return offload_receive_from(peer->descriptor, to, room);
}

static ssize_t send_bytes(struct offload_peer *peer, const unsigned char *from, size_t count)
{
    return offload_send_to(peer->descriptor, from, count);
}

static void leave(struct offload_peer *peer)
{
    close(peer->descriptor);
}

const struct offload_transport offload_transport_socket = {
    .name = "socket",
    .open = open_socket,
    .close = close_socket,
    .accept = accept_peer,
    .receive = receive,
    .send = send_bytes,
    .leave = leave,
};
