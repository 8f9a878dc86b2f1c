/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How control reaches a server: a way in (a door) gives connections, and a connection is a stream of bytes in each
 * direction. Nothing here blocks. A new way is a file of its own with one constant of this type.
 */
#ifndef OFFLOAD_TRANSPORT_H
#define OFFLOAD_TRANSPORT_H

#include "offload/region.h"

#include <sys/types.h>

enum { OFFLOAD_PEERS = 16 }; /* connections of one server at a time */

struct offload_door;

/* One peer. What a transport needs of its own stands in `numbers`. */
struct offload_peer {
    const struct offload_transport *transport; /* NULL: nobody is connected */
    const struct offload_region *region;
    int descriptor; /* to be polled: something can be read, or the peer has gone */
    int other;      /* a second file, -1: none */
    int numbers[2];
    uint32_t sent, taken, generation; /* of rings and FIFOs */
};

struct offload_transport {
    const char *name;

    /* Makes the way in, at a path. */
    bool (*open)(struct offload_door *door, const char *path, const struct offload_region *region,
                 struct mnp_error *error);
    void (*close)(struct offload_door *door);

    /* Somebody waits at the door: fills in the peer, which is zeroed. False: nobody came in. */
    bool (*accept)(struct offload_door *door, struct offload_peer *peer);

    /* As read and write without blocking; -1: the peer has gone, 0: nothing for now. */
    ssize_t (*receive)(struct offload_peer *peer, unsigned char *to, size_t room);
    ssize_t (*send)(struct offload_peer *peer, const unsigned char *from, size_t count);
    void (*leave)(struct offload_peer *peer);

    /* A guest has begun anew with a HELLO of this sequence number: what was sent before is for nobody. May be NULL. */
    void (*renew)(struct offload_peer *peer, uint32_t sequence);
};

struct offload_door {
    const struct offload_transport *transport; /* NULL: there is none */
    const struct offload_region *region;
    const char *path;
    int descriptor;
    int other; /* a second file, of a transport that has one */
    bool busy; /* a transport for one peer has one */
};

extern const struct offload_transport offload_transport_socket;   /* virtio-serial, and programs on this host */
extern const struct offload_transport offload_transport_doorbell; /* ivshmem-doorbell, rings in the region */
extern const struct offload_transport offload_transport_fifos;    /* semihosting */

/* A listening Unix socket; one that nobody listens on any more is replaced. -1: an error. */
int offload_listen(const char *path, struct mnp_error *error);

/* Accepts without waiting; -1: nobody. */
int offload_accept(int descriptor);

/* As read and write of a file that does not block, in the terms of a transport. */
ssize_t offload_receive_from(int descriptor, unsigned char *to, size_t room);
ssize_t offload_send_to(int descriptor, const unsigned char *from, size_t count);

#endif
