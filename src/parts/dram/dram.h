/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One DRAM channel: banks with open-page row buffers, a command scheduler, and all timing between commands.
 *
 * Time is counted in cycles of the command clock. In each cycle the channel issues one command (activate, precharge,
 * read or write), or one column and one row command where the channel has two command buses (HBM). Each request is one
 * 32-byte sector, one column command.
 *
 * A channel may consist of pseudo channels (JESD235 and JESD238, HBM2 and HBM3), which share the command buses while
 * each has data bus, banks and timing of its own. Where a memory controller owns several channels, they count as pseudo
 * channels too, if one command per cycle suffices for all their data buses. Banks are numbered through: bank b belongs
 * to pseudo channel b mod pseudo_channels and, counted through as well, to bank group b mod
 * (pseudo_channels × bank_groups), so that neighbouring banks lie in different pseudo channels first, then in different
 * groups.
 *
 * Timing is the set that GPGPU-Sim's configurations state, which are JEDEC's parameters under their usual names:
 *   CCD   column → column                     RRD   activate → activate, other bank
 *   CCDL  column → column, same bank group    RCD   activate → column
 *   CL    read → first data                   RAS   activate → precharge
 *   WL    write → first data                  RP    precharge → activate
 *   CDLR  last write data → read              RC    activate → activate, same bank
 *   WR    last write data → precharge         RTPL  read → precharge
 *   REFI  refresh → refresh, 0: none          RFC   refresh → activate
 *   FAW   activate → fourth activate after it, 0: no limit but RRD
 *   RFCB  refresh of one bank → its activate
 * and derived from them: read → write takes CL + burst + 2 - WL (the data bus turns around), and a column command of
 * the same direction waits for the data bus (burst cycles). CCD, RRD, FAW, turning around and the data bus concern one
 * pseudo channel; CCDL a bank group; the others a bank.
 *
 * Which command is issued is a scheduler's choice (schedulers/list.h), among the requests of the direction that is
 * being served (queues.h).
 *
 * Refresh is for all banks of the channel, every REFI: from the due cycle on nothing else is issued, open rows are
 * closed as soon as they may be, and the banks are free again RFC after the refresh command. Or it is for one bank of
 * each pseudo channel in turn, every REFI / banks of a pseudo channel: the bank's row is closed as soon as it may be,
 * and the bank is free again RFCB after the refresh command, while the others work on. Refresh commands take no slot of
 * the command bus; a row that is due to be closed serves no request any more.
 *
 * Order of calls: mnp_dram_push between steps; mnp_dram_step (step.h) at any cycles in ascending order that include
 * every cycle which mnp_dram_next names. Cycles between may be skipped or visited: the outcome is the same.
 */
#ifndef MNP_PARTS_DRAM_DRAM_H
#define MNP_PARTS_DRAM_DRAM_H

#include "base/arena.h"
#include "base/error.h"
#include "parts/hash.h"

enum { MNP_DRAM_SECTOR = 32, MNP_DRAM_MAX_BANKS = 64, MNP_DRAM_MAX_PSEUDO = 8, MNP_DRAM_FAW = 4 };

#define MNP_DRAM_NEVER UINT64_MAX

enum { MNP_DRAM_VIEW_CYCLES = 1 << 30 };

enum mnp_dram_scheduler {
#define MNP_DRAM_SCHEDULER(KIND, ...) KIND,
#include "parts/dram/schedulers/list.h"
#undef MNP_DRAM_SCHEDULER
};

extern const char *const mnp_dram_schedulers[]; /* NULL-terminated */

/* Description of the schedulers, for the help of a machine key. */
extern const char mnp_dram_scheduler_help[];

enum mnp_dram_refresh { MNP_DRAM_REFRESH_ALL, MNP_DRAM_REFRESH_BANK };

extern const char *const mnp_dram_refreshes[]; /* NULL-terminated */

struct mnp_dram_timing { /* cycles of the command clock */
    uint64_t ccd, rrd, rcd, ras, rp, rc, cl, wl, cdlr, wr, ccdl, rtpl, refi, rfc, faw, rfcb;
    uint64_t burst; /* cycles for which a sector occupies the data bus */
};

struct mnp_dram_shape {
    struct mnp_dram_timing timing;
    uint64_t pseudo_channels;         /* 1 … 8 */
    uint64_t banks;                   /* total of all pseudo channels, 1 … 64 */
    uint64_t bank_groups;             /* number per pseudo channel */
    uint64_t row_bytes;               /* size of a row of one bank; a multiple of bank_interleave */
    uint64_t bank_interleave;         /* bytes that stay in one bank before the next of the interleaved ones follows */
    uint64_t banks_interleaved;       /* banks that take turns inside a row; a divisor of banks */
    uint64_t bank_hash;               /* enum mnp_hash_kind: how rows permute banks */
    uint64_t scheduler;               /* enum mnp_dram_scheduler */
    uint64_t read_queue, write_queue; /* entries */
    uint64_t write_high, write_low;   /* marks of the write queue, low < high <= write_queue */
    uint64_t refresh;                 /* enum mnp_dram_refresh */
    uint64_t dual_command;            /* nonzero: one column and one row command per cycle */
};

struct mnp_dram_request {
    uint64_t row;
    uint64_t order;   /* order of arrival in the channel */
    uint64_t arrived; /* cycle */
    uint64_t tag[2];  /* the owner's */
    uint32_t next;    /* next request in its bank's chain, or in the free list */
    uint16_t bank;
    uint8_t write;
    uint8_t outcome; /* enum mnp_dram_outcome so far */
};

enum mnp_dram_outcome {
    MNP_DRAM_ROW_HIT,
    MNP_DRAM_ROW_MISS,     /* the bank was closed */
    MNP_DRAM_ROW_CONFLICT, /* another row was open */
};

struct mnp_dram_bank {
    uint64_t row;               /* open row */
    uint64_t column_ready;      /* earliest column command, by RCD */
    uint64_t precharge_ready;   /* earliest precharge */
    uint64_t activate_ready;    /* earliest activate */
    uint32_t first[2], last[2]; /* chain of waiting reads [0] and writes [1], in order of arrival */
    uint32_t hit[2];            /* the oldest of each chain that hits the open row */
    uint16_t open;
    uint16_t pseudo; /* the pseudo channel of the bank */
    uint32_t group;  /* its bank group, numbered across all pseudo channels */
};

struct mnp_dram_pseudo {
    uint64_t column_ready[2];      /* earliest read [0] and write [1] */
    uint64_t activate_ready;       /* earliest activate, by RRD and FAW */
    uint64_t window[MNP_DRAM_FAW]; /* end of the FAW window of each of the last activates */
    uint32_t activates;            /* next place of the window */
    uint32_t reserved;
};

struct mnp_dram_channel { /* the state that no single bank owns */
    struct mnp_dram_pseudo pseudo[MNP_DRAM_MAX_PSEUDO];
    uint64_t group_ready[MNP_DRAM_MAX_BANKS]; /* earliest column command of a bank group, by CCDL */
    uint64_t waiting[2];                      /* banks with a waiting read, write */
    uint64_t hits[2];                         /* banks with a waiting read, write that hits the open row */
    uint64_t order;                           /* requests ever pushed */
    uint64_t refresh_due;                     /* cycle */
    uint32_t count[2];                        /* waiting reads, writes */
    uint32_t free;                            /* chain of free requests */
    uint32_t draining;                        /* writes are being served */
    uint32_t refresh_bank;                    /* the first of those to be refreshed next */
    uint32_t reserved;
};

/* A scheduler's view of all banks, in contiguous arrays. It is derivable from the state; entries of banks without
 * waiting requests are undefined. */
struct mnp_dram_view {
    /* earliest row command: precharge of an open bank, activate of a closed one; in cycles after `base`, 0 for earlier
     * ones and INT32_MAX for later ones than that */
    int32_t ready[MNP_DRAM_MAX_BANKS];
    uint64_t base;
    /* order of the first read [0] and of the first write [1] */
    uint64_t order[2][MNP_DRAM_MAX_BANKS];
    uint64_t hit[2][MNP_DRAM_MAX_BANKS];                           /* order of the oldest that hits the open row */
    uint64_t column[MNP_DRAM_MAX_BANKS];                           /* earliest column command, by RCD */
    uint64_t open;                                                 /* mask */
    uint8_t group[MNP_DRAM_MAX_BANKS], pseudo[MNP_DRAM_MAX_BANKS]; /* copies from struct mnp_dram_bank */
};

struct mnp_dram {
    struct mnp_dram_shape shape;
    uint64_t read_to_write, write_to_read, same_direction; /* derived */
    uint64_t early; /* derived: waiting writes from which rows are opened for them */
    uint64_t every; /* derived: the banks of the first pseudo channel */
    struct mnp_divider by_interleave, by_interleaved, by_row, by_high_banks;
    struct mnp_hash bank_hash;
    /* No column or row command of the direction being served can issue before these cycles, nor any before `next`.
     * Derivable, so not part of the state. */
    uint64_t column_from, row_from, next;
    struct mnp_dram_view view;

    struct mnp_dram_request *requests; /* [read_queue + write_queue] */
    struct mnp_dram_bank *banks;
    struct mnp_dram_channel *channel;
};

struct mnp_dram_event { /* the effects of one step */
    bool column;        /* a read or write was issued */
    bool write;
    bool activate, precharge;    /* a row command was issued */
    uint8_t outcome;             /* enum mnp_dram_outcome: of the column command */
    uint32_t refreshes;          /* refresh commands: of all banks, or of one bank in each pseudo channel */
    uint32_t refresh_precharges; /* number of rows closed for refreshes */
    uint64_t tag[2];             /* tag of the request whose column command was issued */
    uint64_t arrived;            /* cycle of arrival of that request */
    uint64_t done;               /* cycle by which its last data have moved */
    uint64_t row_tag;            /* first tag of the request for which the row command was issued */
};

/* Whether a channel of this shape can be built; says why not. */
bool mnp_dram_check(const struct mnp_dram_shape *shape, struct mnp_error *error);

size_t mnp_dram_size(const struct mnp_dram_shape *shape);
void mnp_dram_init(struct mnp_dram *dram, const struct mnp_dram_shape *shape, struct mnp_arena *arena);

/* Entries free in the read or the write queue. */
static inline uint32_t mnp_dram_room(const struct mnp_dram *dram, bool write)
{
    return (uint32_t)(write ? dram->shape.write_queue : dram->shape.read_queue) - dram->channel->count[write];
}

/* Adds a request for the sector at byte `address` of the channel. It may issue at `cycle` at the earliest; `cycle` is
 * later than every cycle visited. There must be room. */
void mnp_dram_push(struct mnp_dram *dram, uint64_t cycle, bool write, uint64_t address, const uint64_t tag[2]);

/* The same, for a sector of a bank and row that mnp_dram_locate has told. */
void mnp_dram_push_at(struct mnp_dram *dram, uint64_t cycle, bool write, uint32_t bank, uint64_t row,
                      const uint64_t tag[2]);

/* A cycle before which no command can issue; MNP_DRAM_NEVER when nothing waits. */
static inline uint64_t mnp_dram_next(const struct mnp_dram *dram)
{
    return dram->next;
}

/* Discards the cached time of the next command, after the state has been replaced, so that `cycle` will be visited. */
void mnp_dram_ask(struct mnp_dram *dram, uint64_t cycle);

/* Makes the view of all banks anew, from the state at `cycle`. It can represent the next MNP_DRAM_VIEW_CYCLES. */
void mnp_dram_look(struct mnp_dram *dram, uint64_t cycle);

/* Performs the refreshes due before `cycle`, which must be the cycle up to which the channel has been visited. */
void mnp_dram_settle(struct mnp_dram *dram, uint64_t cycle, struct mnp_dram_event *event);

/* Bank and row of a byte address of the channel. */
void mnp_dram_locate(const struct mnp_dram *dram, uint64_t address, uint32_t *bank, uint64_t *row);

/* Cycles from arrival in an idle channel to the last data of a read, with the row closed or open. */
uint64_t mnp_dram_read_cycles(const struct mnp_dram_shape *shape, bool open);

#endif
