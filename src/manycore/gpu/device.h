/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A machine on a GPU, as kernel.cu and the host both see it: every tile is a block of its own, computed by one thread,
 * and what blocks send one another in a cycle lies in slots that the others read in the next one. All pointers are
 * those of the device.
 */
#ifndef MANYCORE_DEVICE_H
#define MANYCORE_DEVICE_H

#include "manycore/mesh/free.h"

enum { MANYCORE_LISTS = 2048, MANYCORE_NOBODY = -1 };

/* Packets that a tile has sent over one of its four links in a cycle. */
struct manycore_slot {
    struct manycore_packet packet;
    uint32_t cycle;        /* its lower bits; the slot counts in the next cycle alone */
    uint8_t full, channel; /* there is a packet, for this channel */
    /* Record of the packets and credits that the slot has sent, three bits each, the latest lowest: 1 + the channel of
     * a place given back, or MANYCORE_SLOT_PACKET. */
    uint16_t order;
};

enum { MANYCORE_SLOT_PACKET = 1 + MANYCORE_CHANNELS };

/* Architecture I: an access on its way to the global space and back. */
struct manycore_access {
    struct manycore_packet packet;
    uint32_t tile;          /* tile of the core that asks */
    uint32_t next;          /* number of a block + 1: the next access of its list; 0: none */
    uint64_t due, answered; /* cycles in which it is performed, and in which its core has the value; UINT64_MAX: none */
};

/* News of the device after a run. */
struct manycore_news {
    uint64_t next;            /* cycle of the next event; UINT64_MAX: none */
    uint64_t progress, due;   /* greatest of the tiles' */
    uint64_t served, changed; /* cycles + 1 of the last access to the global space, and of the last that changed it */
    uint64_t exited;          /* tiles */
    uint64_t last_exit;
    uint64_t fault;               /* cycle of the first fault · 2^16 + number of its block; UINT64_MAX: none */
    uint64_t text_bytes;          /* heads and texts of what programs have written */
    uint64_t texts_lost;          /* bytes that had no room */
    uint64_t cycles;              /* that were visited */
    uint64_t clocks, mesh_clocks; /* clocks of multiprocessors: of all threads in kernels, of these in routers */
};

struct manycore_text { /* before what a program has written, which is padded to 8 bytes */
    uint64_t cycle;
    uint32_t tile, bytes;
};

struct manycore_device {
    uint32_t tiles, threads;
    struct manycore_block *blocks;  /* [tiles] of one tile each, in the order of the host's blocks */
    int32_t *neighbours;            /* [tiles][4] numbers of blocks, or MANYCORE_NOBODY */
    struct manycore_slot *slots;    /* [2][tiles][4] of even and odd cycles */
    struct manycore_access *access; /* [tiles] */
    uint32_t *lists;                /* [MANYCORE_LISTS] number of a block + 1: the latest access that is due; 0: none */
    struct manycore_bank global;
    uint64_t there, back; /* cycles of an access before and after it is performed */
    unsigned char *texts;
    uint64_t text_room;
    uint64_t until; /* the cycle at which a run ends */
    /* Variables of meetings of all threads. */
    uint32_t arrived, meetings;
    uint64_t vote[3], serve[3]; /* the next cycle that anything happens in, or an access is performed; by meeting */
    struct manycore_free free;  /* cuda:s-events */
    uint64_t pending;           /* with that: cores that have found an access, up to its answer */
    struct manycore_news news;
};

#endif
