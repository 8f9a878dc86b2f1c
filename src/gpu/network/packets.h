/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The packets that GPU units exchange. All are plain data without padding, so that they can be hashed.
 *
 *   sm  → gpc → partition   gpu_request   reads, writes, atomics, instruction fetches
 *   partition → gpc → sm    gpu_reply     sectors read, acknowledgements
 *   against either          gpu_credit    places given back in the receiver's queue
 *   dispatch → sm           gpu_launch    a CTA, or the news that a kernel comes or has ended
 *   either way              gpu_values    what is written or has been read at the L2, of a machine that executes
 *   sm  → gpc → partition   gpu_touch     what instructions read and write that are passed over (gpu/sm/steady.h)
 *   sm → sm                 gpu_remote    accesses to shared memory of other CTAs of a cluster, and arrivals at its
 *                           barrier
 *   sm → dispatch           gpu_finish    a CTA has exited and its writes are acknowledged, or lets the next grid begin
 *   hub → switch → hub      gpu_transfer  an access to memory of another device, or its reply, on a lane
 *   hub, switch either way  gpu_lane_credit  flits given back in the receiver's buffers
 *   dispatch → partition    gpu_copy      a host copy, which may leave its lines in the L2, or that the L2 is emptied
 */
#ifndef MNP_GPU_PACKETS_H
#define MNP_GPU_PACKETS_H

#include "contract/async.h"

#include <stdint.h>

enum gpu_request_kind { GPU_READ, GPU_WRITE, GPU_ATOMIC, GPU_REDUCTION, GPU_FETCH };

/* In `operations` of a read: other SMs' writes are to be seen (.cg, .relaxed, volatile), so a copy in another part of
 * the L2 may not do. */
enum { GPU_STRONG = 1 << 15 };

/* One access to one line of memory at the L2. */
struct gpu_request {
    uint64_t line;     /* address of the line (a multiple of its size) */
    uint64_t bytes[2]; /* writes: one bit per byte of the line (128), bytes written; of reads, bytes[0]: the PC, if the
                          policy of the L2 asks for it; otherwise 0 */
    uint32_t tag;      /* the SM's own, returned in the reply */
    uint16_t sm;
    uint8_t kernel;      /* kernel slot that pays for it */
    uint8_t activity;    /* activity of its bytes, plus one (gpu/sm/sent.h); 0: that of random data */
    uint8_t kind;        /* enum gpu_request_kind */
    uint8_t sectors;     /* mask of 32-byte sectors of the line */
    uint16_t operations; /* lanes that take part, and GPU_STRONG */
    uint16_t slice;      /* filled in by the GPC: slice of the partition */
    uint16_t ticket;     /* values have gone ahead of it (gpu_values); 0: none */
};

struct gpu_reply {
    uint64_t line;
    uint32_t tag;
    uint16_t sm;
    uint16_t kernel;
    uint8_t kind; /* kind of the request: GPU_READ and GPU_FETCH carry data, the others are acknowledgements */
    uint8_t sectors;
    uint8_t activity; /* activity of the data, plus one (gpu/partition/activity.h); 0: that of random data */
    uint8_t reserved[5];
};

enum { GPU_RANDOM_ACTIVITY = 64 }; /* SM_ACTIVITY_RANDOM */

enum { GPU_CHANNEL_REQUESTS, GPU_CHANNEL_REPLIES, GPU_CHANNELS };

/* A request to a multicast object goes to a switch as one packet, from there as one to each member, and so do replies
 * back. In a member's partition its tag says by which lane it came, as the reply has to go to the same switch. */
enum gpu_multicast { GPU_NO_MULTICAST, GPU_MULTICAST, GPU_MULTICAST_MEMBER };

#define GPU_MULTICAST_TAG       (UINT32_C(1) << 31)
#define GPU_MULTICAST_TAG_LANE  20 /* first bit of the lane */
#define GPU_MULTICAST_LANES     256
#define GPU_MULTICAST_TAG_BELOW (UINT32_C(1) << GPU_MULTICAST_TAG_LANE)

/* A request to another device, or its reply. */
struct gpu_transfer {
    uint64_t line;
    uint64_t bytes[2];   /* same as in gpu_request */
    uint32_t tag;        /* tag of the asking hub */
    uint16_t sm;         /* the asking SM, numbered in its device */
    uint16_t operations; /* operations and ticket are as in gpu_request */
    uint16_t ticket;
    uint8_t asker, home; /* devices; of GPU_MULTICAST requests no home */
    uint8_t kind;        /* enum gpu_request_kind */
    uint8_t sectors;     /* mask */
    uint8_t channel;     /* GPU_CHANNEL_… */
    uint8_t multicast;   /* enum gpu_multicast */
};

struct gpu_lane_credit {
    uint32_t flits[GPU_CHANNELS];
};

enum { GPU_VALUES = 8 };

/* Pieces of the lanes of an access that is performed at the L2, those in one line. They take a way of their own beside
 * the packets that cost time, and arrive before the request or reply that they belong to. */
struct gpu_values {
    uint64_t line;
    uint64_t value[GPU_VALUES];
    uint64_t swap[GPU_VALUES]; /* for compare-and-swap: the values to store */
    uint8_t lane[GPU_VALUES];
    uint8_t offset[GPU_VALUES]; /* offset in the line */
    uint8_t place[GPU_VALUES];  /* place in the lane's values */
    uint16_t sm, ticket;
    uint8_t count;           /* number of pieces */
    uint8_t bytes;           /* size of a piece: 1, 2, 4, 8 */
    uint8_t kind;            /* enum mnp_live_l2 */
    uint8_t operation, type; /* codes of the front-end, for an atomic */
    bool paired;             /* pieces 2 i and 2 i + 1 are compared and exchanged as one */
    uint16_t warp;           /* in its CTA: who asks, for reports */
    uint32_t cta;            /* number in its grid, its lower bits */
};

/* Touches that a sender may have saved up, as a CTA may write all of its results at a time, and what it may send beside
 * those in a cycle: what comes to a port. */
enum { GPU_TOUCHES_AT_ONCE = 2048, GPU_TOUCHES_A_CYCLE = 1 };

/* Sectors of a line of memory that are read or written without time. */
struct gpu_touch {
    uint64_t line;
    uint8_t sectors; /* mask */
    uint8_t written;
    uint8_t reserved[6];
};

enum gpu_remote_kind {
    GPU_REMOTE_LOAD,
    GPU_REMOTE_STORE,
    GPU_REMOTE_ATOMIC,
    GPU_REMOTE_REDUCTION,
    GPU_REMOTE_PARCEL, /* parcel of a bulk copy */
    GPU_REMOTE_PAIR,   /* parcel of a command of a pair of CTAs, on a path of its own; without an answer */
    GPU_REMOTE_ARRIVE, /* the CTA of `rank` has arrived at the cluster's barrier */
    GPU_REMOTE_LEAVE,  /* the CTA of `rank` has ended: the barrier does not wait for it any more */
};

enum { GPU_REMOTE_PIECES = 8, GPU_REMOTE_SECTOR = 32 /* bytes */ };

/* Pieces of the lanes of an access that lie in one sector of a CTA's shared memory; and the answer, with what has been
 * read. */
enum gpu_remote_loss {
    GPU_REMOTE_KEPT,
    GPU_REMOTE_LOST,    /* the CTA has ended */
    GPU_REMOTE_REFUSED, /* its barrier cannot count what came: `value`, or the parcel's first word, is that object */
};

struct gpu_remote {
    uint64_t cta; /* number in its grid, of the one whose shared memory it is */
    union {
        struct {
            uint64_t value[GPU_REMOTE_PIECES];
            uint64_t swap[GPU_REMOTE_PIECES]; /* for compare-and-swap: the values to store */
        };
        struct mnp_parcel parcel;
    };
    uint32_t address; /* address of the sector in the CTA's shared memory */
    uint16_t kernel;  /* kernel slot */
    /* Numbers in the asking SM. For a parcel, load: its copy; ticket: 0, or for a commit the slot of its CTA plus
     * one. */
    uint16_t ticket, load;
    uint8_t lane[GPU_REMOTE_PIECES];
    uint8_t offset[GPU_REMOTE_PIECES]; /* offset in the sector */
    uint8_t place[GPU_REMOTE_PIECES];  /* place in the lane's values */
    uint8_t count;                     /* number of pieces */
    uint8_t bytes;                     /* size of a piece: 1, 2, 4, 8; size of a parcel's data */
    uint8_t kind;                      /* enum gpu_remote_kind */
    uint8_t operation, type;           /* codes of the front-end, for an atomic */
    uint8_t rank;                      /* rank that arrives; for a parcel: the destination */
    uint8_t lost;                      /* in an answer: enum gpu_remote_loss */
    uint8_t counted;                   /* a barrier counts the data that arrive; `swap` says which */
    uint8_t reserved[6];
};

struct gpu_credit {
    uint32_t packets; /* places given back */
    uint32_t reserved;
};

enum { GPU_CLUSTER_CTAS = 16 /* CTAs of a cluster, at most */ };

enum gpu_launch_kind { GPU_LAUNCH_CTA, GPU_KERNEL_ENDED, GPU_KERNEL_COMES /* its code may be fetched */ };

struct gpu_launch {
    uint64_t cta;                    /* number of the CTA in its grid; of a kernel that comes: bytes of code to fetch */
    uint64_t launch;                 /* number of the launch */
    uint16_t kernel;                 /* kernel slot */
    uint8_t kind;                    /* enum gpu_launch_kind */
    uint8_t rank;                    /* in its cluster */
    uint32_t before;                 /* number of the launch that has begun before it, and has not ended; 0: of none */
    uint8_t place[GPU_CLUSTER_CTAS]; /* in the GPC, of the SMs that the cluster's CTAs are on, by rank */
};

enum { GPU_KERNEL_SLOTS = 33 /* kernels known at a time, and slot 0, the machine's own */ };

enum gpu_finish_kind {
    GPU_CTA_ENDED,
    GPU_CTA_RELEASES,   /* the grid behind its own may begin */
    GPU_STORES_ANSWERED /* all that ended CTAs of the kernel have left on this SM; no CTA is named */
};

struct gpu_finish {
    uint64_t cta;
    uint16_t kernel;
    uint8_t kind;     /* enum gpu_finish_kind */
    uint8_t released; /* for an end: the CTA has released the next kernel before */
    uint8_t leaves;   /* for an end: it leaves stores unanswered, and no ended CTA before it has some left here */
    uint8_t reserved[3];
};

enum gpu_copy_kind { GPU_COPY_WARMS, GPU_COPY_FLUSHES /* without an address */ };

struct gpu_copy {
    uint64_t address, bytes; /* address of the first row, bytes of each row */
    uint64_t rows, pitch;    /* one row at least; bytes from one to the next */
    uint32_t kind;           /* enum gpu_copy_kind */
    uint32_t reserved;
};

_Static_assert(sizeof(struct gpu_request) == 40, "no padding");
_Static_assert(sizeof(struct gpu_transfer) == 40, "no padding");
_Static_assert(sizeof(struct gpu_values) == 176, "no padding");
_Static_assert(sizeof(struct gpu_touch) == 16, "no padding");
_Static_assert(sizeof(struct gpu_reply) == 24, "no padding");
_Static_assert(sizeof(struct gpu_launch) == 40, "no padding");
_Static_assert(sizeof(struct gpu_remote) == 248, "no padding");
_Static_assert(sizeof(struct gpu_finish) == 16, "no padding");
_Static_assert(sizeof(struct gpu_copy) == 40, "no padding");

#endif
