/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A device for functional execution without timing: memory with an allocator, loaded modules, and kernels that run one
 * CTA after another, or in turn if CTAs wait for one another. Timed runs are compared with it.
 *
 * Allocations come from a fixed range of virtual addresses, first fit, so that addresses depend only on the calls.
 * Several devices may share a memory, each with a range of its own: contract/space.h.
 */
#ifndef EXECUTE_DEVICE_H
#define EXECUTE_DEVICE_H

#include "base/regions.h"
#include "contract/space.h"
#include "engine/memory/memory.h"
#include "execute/device/freed.h"
#include "execute/memory/texture.h"
#include "execute/warp/warp.h"

#include <stdio.h>

#define EXECUTE_DEVICE_BASE MNP_SPACE_BASE
#define EXECUTE_DEVICE_END  MNP_SPACE_END
enum { EXECUTE_HOST_PAGE = 4096 };

/* Device malloc with time: a part of the addresses for each SM, so that none waits for another, and in it one for each
 * size of blocks, a power of two from 16 bytes on. */
#define EXECUTE_HEAP_SM_BYTES   (UINT64_C(1) << 32)
#define EXECUTE_HEAP_SIZE_BYTES (UINT64_C(1) << 27)
enum { EXECUTE_HEAP_SIZES = 24, EXECUTE_HEAP_SMS = 256 };

struct execute_heap {
    uint64_t used[EXECUTE_HEAP_SIZES];          /* bytes of the size's part that have ever been given out */
    struct mnp_array freed[EXECUTE_HEAP_SIZES]; /* uint64_t: addresses that may be given out again */
};

enum {
    EXECUTE_RESIDENT = 256,  /* number of CTAs at a time, if a launch does not state it */
    EXECUTE_CLOCK_READ = 32, /* cycles between two readings of the clock: about the time of a loop with one reading */
};

struct execute_journal;

struct execute_copied { /* rows that a copy or a fill has written */
    uint64_t address, bytes, rows, pitch;
};

/* A range of a device's memory that other devices may access. */
struct execute_grant {
    uint64_t address, bytes;
    uint32_t devices; /* bits, by number */
};

/* Addresses at which a device sees a multicast object, or a part of one. */
struct execute_view {
    uint64_t address, bytes;
    uint64_t object; /* address in the object (engine/memory/multicast.h) */
};

struct execute_device {
    struct mnp_memory *memory;           /* its own memory, or one shared by several devices */
    struct mnp_memory own;               /* set up where it is its own */
    uint32_t number;                     /* among devices that share a memory */
    struct execute_device *const *peers; /* [peer_count] these, itself among them (reach.c); NULL: there are none */
    uint32_t peer_count;
    /* struct execute_module *: loaded, from whose kernels those of modules of the same image on peers may be made */
    struct mnp_array taken_from;
    const char *closed;         /* why they reach none of its memory; NULL: they can, if they are let */
    uint32_t open_to;           /* devices that may access all of its allocations: bits, by number */
    struct mnp_array grants;    /* struct execute_grant, by address: ranges that others may access beyond that */
    struct mnp_array views;     /* struct execute_view, by address */
    struct mnp_regions regions; /* allocations */
    struct execute_freed freed; /* allocations of before, for messages */
    struct mnp_array reserved;  /* uint64_t: addresses of those that are not the program's own: variables, workspaces */
    struct mnp_array textures;  /* struct execute_texture, by handle - 1; channels 0: free */
    struct mnp_region recent;   /* region of the last access */
    FILE *out;                  /* destination of device printf */
    uint64_t printed;           /* calls of vprintf */
    uint64_t steps;             /* operations executed */
    uint64_t clock;             /* in addition, cycles added by clock readings */
    uint64_t launches;
    struct mnp_array copied; /* struct execute_copied: copies that a source is to tell of, where that is wanted; */
    uint32_t told;           /* number of copies reported so far */
    uint64_t copies;         /* total number of copies */
    uint64_t changes;        /* number of changes of ranges, so that cached ranges can be invalidated */
    uint64_t slack;          /* bytes on either side of an allocation that kernels, not the host, may access as well */
    struct execute_heap *heaps; /* heaps of device malloc in timed runs: one for each SM that has called it */
    uint32_t heap_count;
    struct execute_cta *cta;                 /* the last CTA that ran */
    struct mnp_array ctas;                   /* struct execute_cta *, in no grid now: kept for the next launch */
    struct execute_port port;                /* port of all CTAs */
    const struct execute_observer *observer; /* observer of execute_device_run; NULL: none */
    const _Atomic int *interrupt;            /* if nonzero, execute_device_run stops without an error; NULL: never */
    /* records operations on the device from outside (journal.h); NULL: no recording */
    struct execute_journal *journal;
    /* how languages are to compile the modules loaded from now on: operations stay the instructions of the text; they
     * keep its order; counted loops are unrolled */
    bool plain, keeps_order, unrolls;
    bool mirrors;      /* writes are left out: another process, whose operations are replayed, makes them */
    bool keeps_output; /* output of its SMs is kept for execute_source_take_output */
};

/* `page_limit`: pages of 64 KiB. */
void execute_device_init(struct execute_device *device, uint32_t page_limit, FILE *out);
/* The same for device `number`, from 0, of several that share a memory; it stays the caller's. */
void execute_device_init_in(struct execute_device *device, struct mnp_memory *memory, uint32_t number, FILE *out);
/* Its allocations come from a part of its range from now on: from an offset on, so many bytes. It has none yet. */
void execute_device_narrow(struct execute_device *device, uint64_t offset, uint64_t bytes);
void execute_device_release(struct execute_device *device);
/* Resets the device to its state after execute_device_init, for a machine that continues: no allocations, no textures,
 * zeroed memory. */
void execute_device_reset(struct execute_device *device);

/* reach.c: Devices that share a memory, by number; the list stays the caller's. */
void execute_device_join(struct execute_device *const *devices, uint32_t count);
/* Whether another device may access all of a device's allocations from now on. */
void execute_device_open(struct execute_device *device, uint32_t other, bool open);
/* Sets the devices (bits) that may access a range, and ranges that begin inside it; 0: only the owner. */
void execute_device_grant(struct execute_device *device, uint64_t address, uint64_t bytes, uint32_t devices);
/* The same by a process that has devices `users` (bits): those of others keep their rights to the range. */
void execute_device_regrant(struct execute_device *device, const struct execute_grant *grant, uint32_t users);
/* The device that owns an address of the shared memory; NULL: none, or the memory is not shared. */
const struct execute_device *execute_device_home(const struct execute_device *device, uint64_t address);
/* Whether bytes lie in an allocation of another device's that this one may access, or in a range that was granted to
 * it; `*recent`: the range. */
bool execute_device_reaches(const struct execute_device *device, struct mnp_region *recent, uint64_t address,
                            uint64_t bytes);
/* views.c: Shows a multicast object to a device at addresses of a mapping, or no longer. */
void execute_device_show(struct execute_device *device, const struct execute_view *view);
void execute_device_hide(struct execute_device *device, uint64_t address);
/* The address in the object; 0: the device sees no object there. */
uint64_t execute_device_seen(const struct execute_device *device, uint64_t address);
/* The lanes with such addresses. */
uint32_t execute_device_seen_lanes(const struct execute_device *device, uint32_t lanes, const uint64_t *addresses);
/* The bytes behind an address (struct execute_port). */
uint32_t execute_device_members(struct execute_device *device, uint64_t address,
                                unsigned char *places[EXECUTE_MEMBERS]);
/* Invalidates the ranges that devices have cached. */
void execute_device_changed(struct execute_device *device);

/* 256-byte aligned; 0: the range is full. */
uint64_t execute_device_allocate(struct execute_device *device, uint64_t bytes);
/* The same from a page of the host's on. */
uint64_t execute_device_allocate_pages(struct execute_device *device, uint64_t bytes);
/* The same for memory that is not the program's own, which no message names. */
uint64_t execute_device_reserve(struct execute_device *device, uint64_t bytes);
bool execute_device_free(struct execute_device *device, uint64_t address);
/* Device malloc and free for an SM; NULL addresses as in C. A freed block is reused by the SM that frees it, even if
 * another SM allocated it. */
uint64_t execute_heap_allocate(struct execute_device *device, uint32_t sm, uint64_t bytes);
void execute_heap_free(struct execute_device *device, uint32_t sm, uint64_t address);
/* The lowest and highest addresses of a warp's active lanes, of which there is at least one. The mask is not tested by
 * branches, so that the loop is vectorised. */
struct execute_span {
    uint64_t low, high;
};

static inline struct execute_span execute_span_of(uint32_t mask, const uint64_t *addresses)
{
    uint64_t first = addresses[__builtin_ctz(mask)];
    struct execute_span span = {first, first};
    for (uint32_t i = 0; i < 32; i++) {
        uint64_t address = mask >> i & 1 ? addresses[i] : first;
        span.low = address < span.low ? address : span.low;
        span.high = address > span.high ? address : span.high;
    }
    return span;
}

/* Whether a kernel may access these bytes: they lie in one allocation, or no further than `slack` from one. `*recent`
 * remembers the last allocation for its owner. */
bool execute_device_covers(const struct execute_device *device, struct mnp_region *recent, uint64_t address,
                           uint64_t bytes);
/* Describes a warp's fault: execute_fault_describe, plus what memory its address is: freed, the host's, or close to an
 * allocation; for a failed assertion, CUDA's message. */
void execute_device_describe(const struct execute_device *device, struct execute_warp *warp, struct mnp_error *error);
/* The texture that a handle names, or NULL. */
const struct execute_texture *execute_device_texture(const struct execute_device *device, uint64_t handle);
/* A texture object; its handle is never 0. Free handles are used again. */
uint64_t execute_device_add_texture(struct execute_device *device, const struct execute_texture *texture);
bool execute_device_remove_texture(struct execute_device *device, uint64_t handle);
/* False: outside the allocations. */
bool execute_device_write(struct execute_device *device, uint64_t address, const void *data, uint64_t bytes);
/* Writes zeros, by as little memory as possible: pages that nobody has written to hold them. */
bool execute_device_clear(struct execute_device *device, uint64_t address, uint64_t bytes);
bool execute_device_read(struct execute_device *device, uint64_t address, void *data, uint64_t bytes);
/* Records a completed copy or fill, which a source over this device must report to its machine. */
void execute_device_copied(struct execute_device *device, const struct execute_copied *copied);
/* The allocation nearest to an address, for messages. Returns false if there is none. */
bool execute_device_nearest(const struct execute_device *device, uint64_t address, struct mnp_region *range);

/* Fills in a launch. `arguments`: one pointer per parameter, to a value of its size; `storage`:
 * [code->parameter_bytes] for them, which stays the caller's. False: an impossible size. */
bool execute_launch_prepare(struct execute_launch *launch, const struct execute_code *code, const uint32_t grid[3],
                            const uint32_t block[3], uint32_t dynamic_shared, const void *const *arguments,
                            unsigned char *storage, struct mnp_error *error);

/* The port through which CTAs reach the device. */
const struct execute_port *execute_device_port(struct execute_device *device);

/* grid.c: One CTA by hand: starts it in device->cta, where execute_warp_run takes its warps on. */
struct execute_cta *execute_device_start(struct execute_device *device, const struct execute_launch *launch,
                                         uint64_t number);
/* Kinds of errors (struct mnp_error) besides faults of warps: a kernel that will not end. */
enum { EXECUTE_ENDLESS_WAIT = 0x100 /* at barriers */, EXECUTE_ENDLESS_POLL };

/* False, with the error, when one of its warps has faulted, or when it has not finished. */
bool execute_device_report(struct execute_device *device, bool finished, struct mnp_error *error);

/*
 * Execution of a grid: CTAs run in order, each to its end. If a CTA only polls, it is suspended and the next one is
 * started, as long as the machine would hold all of them (launch->resident); afterwards they take turns. Several grids,
 * of one device or of devices that share a memory, may be in progress, and take turns.
 */
struct execute_open_grid;

enum execute_grid_state {
    EXECUTE_GRID_ENDED,
    EXECUTE_GRID_FAILED, /* a fault of the program, a barrier that is never completed, or the device's `interrupt` */
    EXECUTE_GRID_POLLS,  /* its CTAs poll for an event that none of them will cause */
};

/* number of fruitless rounds after which waiting is considered endless */
enum { EXECUTE_GRID_PATIENCE = EXECUTE_POLLS_STUCK / EXECUTE_POLLS_ASIDE };

/* `launch` must outlive it. */
struct execute_open_grid *execute_grid_open(struct execute_device *device, const struct execute_launch *launch);
void execute_grid_close(struct execute_open_grid *grid);
/* Runs until CTAs have only polled for `rounds` consecutive rounds. `*moved`: other progress was made. */
enum execute_grid_state execute_grid_run(struct execute_open_grid *grid, uint32_t rounds, bool *moved,
                                         struct mnp_error *error);
/* Describes the event for which a grid polls in vain. Returns false. */
bool execute_grid_report(struct execute_open_grid *grid, struct mnp_error *error);

/* Runs a single grid to its end. Returns false if it failed, or polls for an event that never occurs. */
bool execute_device_run(struct execute_device *device, const struct execute_launch *launch, struct mnp_error *error);

#endif
