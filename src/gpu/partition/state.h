/* SPDX-License-Identifier: BSD-3-Clause */
/* The inside of a memory partition, shared by the files that implement it: partition.c, slice.c, channel.c. */
#ifndef MNP_GPU_PARTITION_STATE_H
#define MNP_GPU_PARTITION_STATE_H

#include "contract/live.h"
#include "gpu/listeners/listener.h"
#include "gpu/network/packets.h"
#include "gpu/partition/activity.h"
#include "gpu/partition/lines.h"
#include "gpu/partition/partition.h"
#include "parts/mshr.h"
#include "parts/queue.h"

/* ===== state: plain data in the unit's arena ===== */

/* A request from its arrival to the departure of its reply. It stands in one chain at a time: the requests that cross
 * the link between parts, a slice's input, an MSHR, or one of a slice's feeds. */
struct gpu_transaction {
    uint64_t line;
    uint64_t bytes[2];
    uint64_t taken; /* L2 cycle from which it could be looked up */
    uint64_t ready; /* L2 cycle from which its reply may leave; before, in which it has crossed the link */
    uint32_t tag;
    uint16_t sm, kernel;
    uint8_t kind, sectors;
    uint8_t missing;     /* sectors that it still waits for */
    uint8_t far : 1;     /* with l2.copies: it waits until `ready` for sectors that cross between parts, … */
    uint8_t crosses : 1; /* … and they cross for it, not for an earlier one */
    uint8_t delayed : 1; /* the answer comes after a fill */
    uint8_t joined : 1;  /* with l2.coalesce…: looked up, and answered, with another request for its line */
    uint8_t strong : 1;  /* a read that has to see other SMs' writes */
    uint8_t reserved : 3;
    uint16_t gpc;
    uint16_t ticket; /* its values are in `live`; 0: it has none */
    uint16_t slice;
    uint16_t padding[3];
};

/* Sources of replies, in the port's order of preference among replies that have waited equally long. */
enum gpu_feed { GPU_FEED_FILL, GPU_FEED_ATOMIC, GPU_FEED_HIT, GPU_FEED_FAR, GPU_FEED_FAR_ATOMIC, GPU_FEEDS };

enum gpu_stall { GPU_STALL_NONE, GPU_STALL_RESERVED, GPU_STALL_MSHR, GPU_STALL_MISS_QUEUE, GPU_STALL_REPLY };

struct gpu_slice {
    struct mnp_chain input;            /* transactions to be looked up, in order of arrival */
    struct mnp_chain feeds[GPU_FEEDS]; /* transactions that are answered, each chain in order of `ready` */
    struct mnp_queue misses;           /* fetches and write-backs for the channel */
    uint64_t busy_until;               /* the next lookup is possible from this L2 cycle on */
    uint64_t atomics_until;            /* the same for the atomic unit */
    uint64_t port_until;               /* the same for the reply port */
    uint64_t stalled_since;            /* L2 cycle up to which the present stall has been counted */
    uint32_t stall;                    /* enum gpu_stall of the first transaction of the input */
    uint32_t immediate;                /* transactions in the hit and atomic feeds */
    uint32_t delayed;                  /* transactions in MSHRs and the fill feed */
    uint32_t reserved;
    uint64_t far_ready; /* ready time of the last transaction that went into the far feed */
};

struct gpu_line_copies { /* that parts of the L2 have of a line (copies.h) */
    uint64_t until;      /* L2 cycle from which the last of them is there */
    uint32_t sectors;    /* that the part has read: four bits for each part */
    uint8_t away;        /* sectors that the part which the line belongs to has given up, and others have */
    uint8_t last;        /* with l2.one_room: the part that has used the line last */
    uint8_t reserved[2];
};

struct gpu_miss {     /* a fetch, or a write-back, of sectors of one line */
    uint64_t address; /* address of the line inside the slice */
    uint32_t mshr;    /* fetch: its entry */
    uint16_t kernel;
    uint8_t sectors;
    uint8_t asked; /* fetch: sectors with waiting requests, which go first */
    uint8_t write : 1;
    uint8_t code : 1; /* code, not data */
};

struct gpu_release { /* a sector that has come from DRAM */
    uint64_t cycle;  /* L2 cycle of its release into the slice */
    uint32_t mshr;
    uint16_t kernel;
    uint8_t slice;
    uint8_t sector;
};

struct gpu_partition_totals { /* numbers of the whole partition */
    struct mnp_pool pool;
    struct mnp_queue releases;
    uint64_t l2_counted, dram_counted; /* cycles counted as passed */
    uint32_t unfinished;               /* transactions taken and not answered */
    uint32_t reserved;
    struct gpu_part_link_state link;   /* its share of the link to other parts */
    struct gpu_part_link_state way_in; /* its share of the link from other parts */
    struct mnp_chain crossing;         /* requests from other parts that wait for that, in the order of `ready` */
};

/* ===== the unit ===== */

#define GPU_NO_GPC UINT32_MAX

enum gpu_partition_ports { /* rows of the table of ports */
                           GPU_PARTITION_REQUESTS,
                           GPU_PARTITION_REPLIES,
                           GPU_PARTITION_REPLY_CREDITS,
                           GPU_PARTITION_REQUEST_CREDITS,
                           GPU_PARTITION_COPIES,
                           GPU_PARTITION_VALUES,
                           GPU_PARTITION_RESULTS,
                           GPU_PARTITION_TOUCHES,
                           GPU_PARTITION_PORTS
};

enum { GPU_VALUE_CHAINS = 256, GPU_WORDS = 256 };

/* Accesses performed here, of a machine that executes: values.c. How many values wait for their requests is bounded
 * only far above what is usual, so they lie outside the arena, which has a digest of them. */
/* A word that has been accessed at the L2, for reports: who has made it what it is, and how often it was left so. */
struct gpu_word {
    uint64_t address, value;
    mnp_time since;       /* when it was changed; 0: not yet */
    uint64_t polls;       /* accesses since then that have not changed it */
    uint32_t cta, poller; /* the one that changed it, and the last one that did not: numbers of CTAs */
    uint16_t sm, warp, poller_sm, poller_warp;
};

struct gpu_partition_live {
    struct mnp_overlay *overlay;
    mnp_live_atomic *atomic;
    struct mnp_link **results; /* links of the unit's port, by GPC */
    struct gpu_values *values;
    uint32_t *next; /* chains of values, and of free places */
    uint32_t capacity, free;
    struct mnp_chain chains[GPU_VALUE_CHAINS]; /* by SM and ticket: those that wait for their requests */
    uint64_t *digest;                          /* in the arena: sum of the digests of all that wait */
    struct gpu_word words[GPU_WORDS]; /* by a hash of the address; of two that share a place the one changed last */
};

/* Result of a look-up that waits for room in the queue of misses. It stays valid until its set changes. */
struct gpu_found {
    uint64_t address; /* address of the line inside the slice */
    uint32_t set;     /* GPU_NO_SET: nothing is kept */
    uint32_t line;    /* present or future place of the line */
    bool present;
};

#define GPU_NO_SET UINT32_MAX

/* Place of a piece of the slice in the channel: that of the last sector that went there. */
struct gpu_located {
    uint64_t from, bytes; /* the piece's addresses inside the slice; no bytes: nothing is kept */
    uint64_t row;
    uint32_t bank;
};

struct gpu_slice_memo {  /* derivable: when a slice can do something, so that it is not asked in vain */
    uint64_t wake;       /* L2 cycle of its next step */
    uint64_t ready;      /* time of the first reply to leave; GPU_NEVER: there is none */
    uint32_t feed;       /* feed of that reply */
    uint32_t wanted_gpc; /* the port waits for a credit of this GPC */
    bool blocked;        /* the last lookup had to wait, and what it waits for has not come since */
    struct gpu_found found;
    struct gpu_located located;
};

struct gpu_partition {
    struct gpu_partition_config config;
    struct mnp_unit *unit;
    struct mnp_cursor dram_clock;
    uint32_t slice_count, capacity; /* transactions in the pool */
    uint32_t release_capacity;
    uint32_t miss_capacity, immediate_limit, delayed_limit;
    uint32_t feed_count;       /* number of feeds that can be used */
    uint32_t part;             /* part of the L2 that contains it */
    uint64_t piece;            /* bytes of a slice that lie side by side in one bank, a power of two */
    uint32_t copy_lines;       /* lines of a slice whose copies are noted; 0: none are */
    uint32_t port_cycles[5];   /* reply port, by sectors of data */
    uint32_t accept_cycles[5]; /* request port, by sectors of data */
    uint32_t lookup_cycles[5]; /* by sectors looked up */
    uint32_t write_cycles[5];  /* the same of writes */
    uint32_t copy_cycles[5];   /* the same of sectors taken in from another part */
    uint32_t atomic_cycles[5]; /* cycles of the atomic unit, by sectors of a request */

    struct mnp_link **replies, **credits_out; /* links of the unit's ports, by GPC */
    struct gpu_partition_live *live;          /* NULL: the machine does not execute */
    struct gpu_listeners listeners;

    struct mnp_cache *caches;
    struct mnp_mshr *mshrs;
    struct mnp_dram dram;

    /* Memoised, derivable: when there is something to do. Cycles of the L2 clock, of the DRAM clock. */
    struct gpu_slice_memo *memos; /* by slice */
    uint64_t l2_next;
    uint64_t dram_visited; /* the first cycle of the channel that has neither been visited nor passed */
    mnp_time l2_time;      /* edge of the L2 cycle in progress */
    mnp_time arrival;      /* a time, and the L2 cycle from which a packet that arrives then counts */
    uint64_t arrival_cycle;
    uint64_t known_to;  /* totals->l2_counted of the state that all this was made from */
    uint64_t eager;     /* memo: slices with misses, one bit each */
    uint64_t crowded;   /* … whose first found no room in the channel's queues, and nothing has left them since */
    uint64_t pass_next; /* memo: L2 cycle in which misses may go on to the channel that have waited for room */

    /* In the arena. */
    struct gpu_partition_totals *totals;
    struct gpu_slice *slices;
    struct gpu_stream *streams; /* [slice_count + 2], of the channel at the end; NULL: values are not looked at */
    struct gpu_transaction *transactions;
    uint32_t *next;    /* chains of transactions */
    uint32_t *waiting; /* transaction of each waiter, all slices' MSHRs one after another */
    struct gpu_miss *misses;
    struct gpu_line_copies *copies; /* by slice and line; NULL: parts keep no copies */
    uint16_t *held;                 /* by slice, set and part: lines of which the part has sectors */
    struct gpu_lines *lines;        /* by kernel slot: the lines that it has touched */
    struct gpu_release *releases;
    uint32_t *credits; /* towards each GPC */
    uint32_t *owed;    /* to each GPC */
};

#define GPU_NEVER UINT64_MAX

static inline uint64_t *gpu_partition_counters(const struct gpu_partition *partition, uint32_t kernel)
{
    return mnp_counters(partition->unit, kernel);
}

static inline void gpu_partition_wake(struct gpu_partition *partition, uint32_t slice, uint64_t cycle)
{
    if (cycle < partition->memos[slice].wake)
        partition->memos[slice].wake = cycle;
    if (cycle < partition->l2_next)
        partition->l2_next = cycle;
}

/* Misses that have waited may go on to the channel in L2 cycle `cycle`. */
static inline void gpu_partition_pass(struct gpu_partition *partition, uint64_t cycle)
{
    if (cycle < partition->pass_next)
        partition->pass_next = cycle;
    if (cycle < partition->l2_next)
        partition->l2_next = cycle;
}

/* ===== slice.c ===== */

/* Takes a request: into a slice's input, or, if it has a link between parts to cross, to those that do. */
void gpu_slice_take(struct gpu_partition *partition, uint32_t gpc, const struct gpu_request *request, uint64_t cycle);

/* Requests that have crossed the link go to their slices' inputs. */
void gpu_slice_take_crossed(struct gpu_partition *partition, uint64_t cycle);

/* A sector is going to come from DRAM: asks the host's memory for what that needs. */
void gpu_slice_expect(const struct gpu_partition *partition, const struct gpu_release *release);

/* A sector has come from DRAM. */
void gpu_slice_fill(struct gpu_partition *partition, const struct gpu_release *release, uint64_t cycle);

/* Makes the slice's memo anew; it will be asked at `cycle`. */
void gpu_slice_ask(struct gpu_partition *partition, uint32_t slice, uint64_t cycle);

/* Does what the slice can do in one L2 cycle, short of passing misses on, and notes when it can do more. */
void gpu_slice_step(struct gpu_partition *partition, uint32_t slice, uint64_t cycle);

/* Counts the slice's present stall up to `cycle`. */
void gpu_slice_count_stall(struct gpu_partition *partition, uint32_t slice, uint64_t cycle);

/* ===== values.c ===== */

void gpu_values_init(struct gpu_partition *partition);
void gpu_values_lay_out(struct gpu_partition *partition, struct mnp_arena *arena);
void gpu_values_release(struct gpu_partition *partition);

/* Values come, ahead of their request. */
void gpu_values_take(struct gpu_partition *partition, const struct gpu_values *values);

/* A request with values is looked up: what it asks for is performed, and what it reads is sent. Whether it has changed
 * memory. */
bool gpu_values_perform(struct gpu_partition *partition, const struct gpu_transaction *transaction);
/* The words that are polled, and who has made them what they are. */
void gpu_values_report(const struct gpu_partition *partition, FILE *out);

/* ===== channel.c ===== */

/* Passes misses of a slice on to the channel, as far as there is room. */
void gpu_channel_accept(struct gpu_partition *partition, uint32_t slice, uint64_t cycle);

/* Visits one DRAM cycle. */
void gpu_channel_step(struct gpu_partition *partition, uint64_t cycle);

/* Does the refreshes due before a DRAM cycle. */
void gpu_channel_settle(struct gpu_partition *partition, uint64_t cycle);

/* L2 cycles after which a read is released whose data moved `dram_cycles` after it reached the channel. */
uint64_t gpu_channel_crossing(uint64_t l2_hertz, uint64_t dram_hertz, uint64_t dram_cycles);

/* ===== warm.c ===== */

/* Place for a line of code that no access has brought into a slice. Code is in the L2 after it has been loaded, until
 * other lines fill its set: the line gets a free place. MNP_NO_LINE: none is free. */
uint32_t gpu_partition_warm_code(struct gpu_partition *partition, uint32_t slice, uint32_t set, uint64_t tag);

/* A host copy leaves its lines in the slices, or a flush takes them all out. */
void gpu_partition_copy(struct gpu_partition *partition, const struct gpu_copy *packet, uint64_t cycle);

/* Applies a line that an SM reports from a passed-over stretch: it is in the L2 as the newest of its set, and dirty if
 * written, without time or traffic. */
void gpu_partition_touch(struct gpu_partition *partition, const struct gpu_touch *packet, uint64_t cycle);

/* ===== the model's ===== */

mnp_layout gpu_partition_lay_out;
void gpu_partition_freeze(struct mnp_unit *unit);
mnp_time gpu_partition_advance(struct mnp_unit *unit, mnp_time until);
void gpu_partition_pace(const struct mnp_unit *unit, size_t row, struct mnp_pace *pace);
bool gpu_partition_wait(const struct mnp_unit *unit, uint32_t index, struct mnp_wait *wait);
void gpu_partition_report(const struct mnp_unit *unit, FILE *out);

#endif
