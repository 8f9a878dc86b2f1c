/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The library of guests: programs that offload work to coprocessors which `maniple serve` simulates. For Linux programs
 * (armhf, aarch64, and on the host itself): compile apps/system/guest.c and guest_linux.c with them; for programs
 * without an operating system: guest.c and guest_bare.c.
 *
 *     static struct mnp_device device;
 *     if (mnp_open(&device, NULL, 5000) < 0) …                      // finds the devices by their names
 *     int32_t *data = mnp_alloc(&device, bytes);                    // memory that the coprocessor's loader reaches too
 *     struct mnp_launch launch = {.program = elf, .program_bytes = …, .buffers = …};
 *     int ticket = mnp_launch(&device, &launch);
 *     struct mnp_result result;
 *     if (mnp_wait(&device, ticket, 60000, &result) != MNP_OFFLOAD_OK) …
 *     mnp_close(&device);
 *
 * A device belongs to one thread. Nothing here waits longer than it was told to.
 */
#ifndef MANIPLE_GUEST_H
#define MANIPLE_GUEST_H

#include "maniple/offload.h"

#include <stddef.h>

/* Results of the functions below that are negative; a status of the host's (enum mnp_offload_status) is not. */
enum mnp_problem {
    MNP_TIMEOUT = -1,   /* not yet; it may be waited for again */
    MNP_GONE = -2,      /* the host has gone; the next launch looks for a new one */
    MNP_NO_DEVICE = -3, /* there is no such port, region or file */
    MNP_NO_MEMORY = -4, /* the region or a table is full */
    MNP_WRONG = -5,     /* an argument makes no sense, such as a buffer that mnp_alloc has not given */
    MNP_STRANGE = -6,   /* the region is not the server's, or of another version */
};

enum {
    MNP_BLOCKS = 256, /* allocations of a device */
    MNP_TICKETS = 32, /* launches that are not waited for yet */
};

struct mnp_buffer {
    void *memory; /* from mnp_alloc, or inside of it */
    size_t bytes;
    uint64_t address; /* see struct mnp_offload_buffer for this and what follows */
    uint32_t piece, flags;
};

struct mnp_argument {
    uint64_t value; /* the number of a buffer, with `bytes` 0, or a value of 1, 2, 4 or 8 bytes */
    uint32_t bytes;
};

struct mnp_launch {
    uint32_t kind;       /* enum mnp_offload_kind; 0: an ELF program */
    const void *program; /* from mnp_alloc; mnp_load puts a file there */
    size_t program_bytes;
    const char *text; /* ELF: the command line, its first word the program's name; PTX: the kernel's name */
    uint32_t cores, entry, max_milliseconds;
    uint64_t max_cycles;
    uint32_t grid[3], block[3], shared_bytes;
    const struct mnp_buffer *buffers;
    uint32_t buffer_count;
    const struct mnp_argument *arguments;
    uint32_t argument_count;
};

/* Of a launch that has ended. The texts are the device's, until the next call; each ends with a 0. */
struct mnp_result {
    struct mnp_offload_result host;
    const char *output, *statistics, *message;
};

struct mnp_ticket {
    uint32_t sequence; /* 0: free */
    int done;
    uint32_t status;
    uint64_t begun; /* the clock when it was sent */
    struct mnp_offload_result result;
};

struct mnp_device;

/* How bytes reach the host; see apps/system/guest_linux.c. Times are milliseconds. */
struct mnp_channel {
    int (*open)(struct mnp_device *device, const char *where);
    void (*close)(struct mnp_device *device);
    int (*send)(struct mnp_device *device, const void *bytes, size_t count, uint32_t timeout); /* 0 or a problem */
    int (*receive)(struct mnp_device *device, void *bytes, size_t room, uint32_t timeout);     /* their number, or a
                                                                                                  problem */
    uint64_t (*now)(void);
    uint64_t (*clock)(void); /* the same in nanoseconds */
    void (*sleep)(uint64_t nanoseconds);
    void (*hello)(struct mnp_device *device, uint32_t sequence); /* a HELLO of this number follows; may be NULL */
};

struct mnp_block {
    uint64_t at, bytes;
    int used;
};

struct mnp_device {
    const struct mnp_channel *channel;
    const char *where;
    unsigned char *region; /* NULL: not mapped */
    uint64_t region_bytes;
    int files[2];
    volatile uint32_t *bell; /* of ivshmem-doorbell */
    uint32_t sent, taken;    /* of rings and FIFOs */
    uint64_t session;        /* 0: none */
    uint32_t sequence;       /* of the last message */
    uint64_t stale;          /* messages that were thrown away */
    struct mnp_offload_welcome welcome;
    struct mnp_block blocks[MNP_BLOCKS];
    uint32_t block_count;
    struct mnp_ticket tickets[MNP_TICKETS];
    unsigned char in[65536], out[65536]; /* a message of each direction */
    size_t in_used;
    unsigned char texts[65536 + 3];
};

/* Finds the devices and greets the host, trying again until the time is over. `where` NULL: the virtio-serial port
 * "maniple.ctl" and the ivshmem device; else as guest_linux.c or guest_bare.c say. `device` is zeroed at first. 0, or a
 * problem. */
int mnp_open(struct mnp_device *device, const char *where, uint32_t timeout);
void mnp_close(struct mnp_device *device);

/* Memory in the region, aligned to 64 bytes; NULL: there is no more. It stays when the host is replaced. */
void *mnp_alloc(struct mnp_device *device, size_t bytes);
void mnp_free(struct mnp_device *device, void *memory);

/* Sends a launch. Its ticket, greater than 0, or a problem. A host that has gone is looked for again first. */
int mnp_launch(struct mnp_device *device, const struct mnp_launch *launch);

/* Waits for a launch. Its status (enum mnp_offload_status), or a problem; after MNP_TIMEOUT the ticket is still
 * good. */
int mnp_wait(struct mnp_device *device, int ticket, uint32_t timeout, struct mnp_result *result);

/* Ends a launch; mnp_wait then says MNP_OFFLOAD_CANCELLED. */
int mnp_cancel(struct mnp_device *device, int ticket);

/* A message there and back. 0, or a problem. */
int mnp_ping(struct mnp_device *device, uint32_t timeout);

/* The words for a status or a problem. */
const char *mnp_words(int status);

/* Linux: a file's content in memory of the region; NULL: it cannot be read, or there is no room. */
void *mnp_load(struct mnp_device *device, const char *path, size_t *bytes);

/* What the platform has: its way to open `where`. NULL: it knows none of that name. */
const struct mnp_channel *mnp_channel_of(const char *where);

#endif
