/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transports of control messages. A door accepts connections, and a connection is a stream of bytes in each direction.
 * No function blocks. A new transport is a file of its own with one constant of this type.
 */
#ifndef OFFLOAD_TRANSPORT_H
#define OFFLOAD_TRANSPORT_H

#include "offload/region.h"

#include <sys/types.h>

enum { OFFLOAD_PEERS = 16 }; /* connections of one server at a time */

struct offload_door;

/* A connected peer. `numbers` is storage for the transport's private state. */
struct offload_peer {
    const struct offload_transport *transport; /* NULL: not connected */
    const struct offload_region *region;
    int descriptor; /* descriptor to poll: readable if data is available or the peer has disconnected */
    int other;      /* a second file, -1: none */
    int numbers[2];
    uint32_t sent, taken, generation; /* positions in rings and FIFOs */
};

struct offload_transport {
    const char *name;

    /* Makes the way in, at a path. */
    bool (*open)(struct offload_door *door, const char *path, const struct offload_region *region,
                 struct mnp_error *error);
    void (*close)(struct offload_door *door);

    /* Accepts a waiting peer and fills in `peer`, which is zeroed. Returns false if none was accepted. */
    bool (*accept)(struct offload_door *door, struct offload_peer *peer);

    /* Non-blocking read and write; -1: the peer has disconnected, 0: not possible at present. */
    ssize_t (*receive)(struct offload_peer *peer, unsigned char *to, size_t room);
    ssize_t (*send)(struct offload_peer *peer, const unsigned char *from, size_t count);
    void (*leave)(struct offload_peer *peer);

    /* A guest has restarted with a HELLO of this sequence number: discards data sent before. May be NULL. */
    void (*renew)(struct offload_peer *peer, uint32_t sequence);
};

struct offload_door {
    const struct offload_transport *transport; /* NULL: closed */
    const struct offload_region *region;
    const char *path;
    int descriptor;
    int other; /* a second file, of a transport that has one */
    bool busy; /* a transport for one peer has one */
};

extern const struct offload_transport offload_transport_socket;   /* virtio-serial, and programs on this host */
extern const struct offload_transport offload_transport_doorbell; /* ivshmem-doorbell, rings in the region */
extern const struct offload_transport offload_transport_fifos;    /* semihosting */

/* Creates a listening Unix socket, replacing a stale socket on which no process listens any more. Returns -1 on an
 * error. */
int offload_listen(const char *path, struct mnp_error *error);

/* Accepts a connection without waiting; -1: none. */
int offload_accept(int descriptor);

/* Reads and writes a non-blocking file, with the return values of a transport. */
ssize_t offload_receive_from(int descriptor, unsigned char *to, size_t room);
ssize_t offload_send_to(int descriptor, const unsigned char *from, size_t count);

#endif
