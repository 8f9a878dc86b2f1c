/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The guest library, for programs that offload work to coprocessors simulated by `maniple serve`. For Linux programs
 * (armhf, aarch64, or the host itself), compile apps/system/guest.c and guest_linux.c into them; for programs without
 * an operating system, guest.c and guest_bare.c.
 *
 *     static struct mnp_device device;
 *     if (mnp_open(&device, NULL, 5000) < 0) …                      // finds the devices by their names
 *     int32_t *data = mnp_alloc(&device, bytes);                    // memory that the loader can reach, too
 *     struct mnp_launch launch = {.program = elf, .program_bytes = …, .buffers = …};
 *     int ticket = mnp_launch(&device, &launch);
 *     struct mnp_result result;
 *     if (mnp_wait(&device, ticket, 60000, &result) != MNP_OFFLOAD_OK) …
 *     mnp_close(&device);
 *
 * A device belongs to one thread. No function waits longer than its timeout.
 */
#ifndef MANIPLE_GUEST_H
#define MANIPLE_GUEST_H

#include "maniple/offload.h"

#include <stddef.h>

/* Negative results of the functions below; a status of the host (enum mnp_offload_status) is never negative. */
enum mnp_problem {
    MNP_TIMEOUT = -1,   /* timeout: the caller may wait again */
    MNP_GONE = -2,      /* connection to the host lost; the next launch looks for a new one */
    MNP_NO_DEVICE = -3, /* there is no such port, region or file */
    MNP_NO_MEMORY = -4, /* the region or a table is full */
    MNP_WRONG = -5,     /* an invalid argument, such as a buffer that was not allocated by mnp_alloc */
    MNP_STRANGE = -6,   /* the region belongs to no server, or to one of another version */
};

enum {
    MNP_BLOCKS = 256, /* maximum number of allocations of a device */
    MNP_TICKETS = 32, /* maximum number of launches whose completion has not been received */
};

struct mnp_buffer {
    void *memory; /* allocated by mnp_alloc, or a part of such an allocation */
    size_t bytes;
    uint64_t address; /* for this and the following members, see struct mnp_offload_buffer */
    uint32_t piece, flags;
};

struct mnp_argument {
    uint64_t value; /* if `bytes` is 0, the number of a buffer; otherwise a value of 1, 2, 4 or 8 bytes */
    uint32_t bytes;
};

struct mnp_launch {
    uint32_t kind;       /* enum mnp_offload_kind; 0: an ELF program */
    const void *program; /* in memory from mnp_alloc; mnp_load reads a file into it */
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

/* Result of a completed launch. The texts belong to the device, are valid until the next call, and are
 * zero-terminated. */
struct mnp_result {
    struct mnp_offload_result host;
    const char *output, *statistics, *message;
};

struct mnp_ticket {
    uint32_t sequence; /* 0: this entry is free */
    int done;
    uint32_t status;
    uint64_t begun; /* time at which it was sent */
    struct mnp_offload_result result;
};

struct mnp_device;

/* Transport of bytes to the host; see apps/system/guest_linux.c. Times are in milliseconds. */
struct mnp_channel {
    int (*open)(struct mnp_device *device, const char *where);
    void (*close)(struct mnp_device *device);
    int (*send)(struct mnp_device *device, const void *bytes, size_t count, uint32_t timeout); /* 0 or a problem */
    int (*receive)(struct mnp_device *device, void *bytes, size_t room, uint32_t timeout);     /* their number, or a
                                                                                                  problem */
    uint64_t (*now)(void);
    uint64_t (*clock)(void); /* time in nanoseconds */
    void (*sleep)(uint64_t nanoseconds);
    void (*hello)(struct mnp_device *device, uint32_t sequence); /* announces a HELLO with this number; may be NULL */
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
    volatile uint32_t *bell; /* doorbell register of ivshmem-doorbell */
    uint32_t sent, taken;    /* positions in rings and FIFOs */
    uint64_t session;        /* 0: none */
    uint32_t sequence;       /* number of the last message */
    uint64_t stale;          /* number of discarded messages */
    struct mnp_offload_welcome welcome;
    struct mnp_block blocks[MNP_BLOCKS];
    uint32_t block_count;
    struct mnp_ticket tickets[MNP_TICKETS];
    unsigned char in[65536], out[65536]; /* one message in each direction */
    size_t in_used;
    unsigned char texts[65536 + 3];
};

/* Finds the devices and greets the host, retrying until the timeout. If `where` is NULL, it uses the virtio-serial port
 * "maniple.ctl" and the ivshmem device; for other values see guest_linux.c or guest_bare.c. `device` must be zeroed.
 * Returns 0 or a problem. */
int mnp_open(struct mnp_device *device, const char *where, uint32_t timeout);
void mnp_close(struct mnp_device *device);

/* Allocates memory in the region, aligned to 64 bytes. Returns NULL if the region is full. It stays valid when the host
 * is replaced. */
void *mnp_alloc(struct mnp_device *device, size_t bytes);
void mnp_free(struct mnp_device *device, void *memory);

/* Sends a launch. Returns its ticket (greater than 0) or a problem. If the connection is lost, looks for a host
 * first. */
int mnp_launch(struct mnp_device *device, const struct mnp_launch *launch);

/* Waits for a launch. Returns its status (enum mnp_offload_status) or a problem; after MNP_TIMEOUT the ticket is still
 * valid. */
int mnp_wait(struct mnp_device *device, int ticket, uint32_t timeout, struct mnp_result *result);

/* Cancels a launch; mnp_wait then returns MNP_OFFLOAD_CANCELLED. */
int mnp_cancel(struct mnp_device *device, int ticket);

/* Sends a message and waits for its answer. Returns 0 or a problem. */
int mnp_ping(struct mnp_device *device, uint32_t timeout);

/* Returns a text for a status or a problem. */
const char *mnp_words(int status);

/* Linux: reads a file into memory of the region. Returns NULL if it cannot be read, or if the region is full. */
void *mnp_load(struct mnp_device *device, const char *path, size_t *bytes);

/* Returns the platform's transport for `where`, or NULL if it has none of that name. */
const struct mnp_channel *mnp_channel_of(const char *where);

#endif
