/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The protocol between a general-purpose processor (the guest: a program under QEMU, or on this host) and `maniple
 * serve` (the host), which simulates its coprocessors. docs/system.md describes it; this header defines all of it.
 *
 * Data is stored in the region, which is memory shared by both sides: ivshmem in QEMU, a file on the host. Control is a
 * stream of messages in each direction: virtio-serial on a Unix socket, rings in the region with a doorbell, or FIFOs
 * by semihosting. A message is a header of 32 bytes and `length` bytes of payload. All numbers are little-endian, and
 * all structs have the declared layout without padding. Positions in the region are offsets from its beginning, never
 * addresses.
 *
 * A guest sends HELLO and receives a session; then it sends LAUNCH, CANCEL and PING, each answered by one REPLY with
 * the same sequence number (a cancelled LAUNCH and the CANCEL get one each). Sequence numbers of LAUNCH increase within
 * a session. A reader that finds an invalid stream skips bytes until a header with a correct check.
 */
#ifndef MANIPLE_OFFLOAD_H
#define MANIPLE_OFFLOAD_H

#include <stdint.h>

#define MNP_OFFLOAD_MAGIC        0x314f4e4du   /* "MNO1" */
#define MNP_OFFLOAD_REGION_MAGIC 0x52504e4du   /* "MNPR" */
#define MNP_OFFLOAD_PORT         "maniple.ctl" /* the name of the virtio-serial port */

enum {
    MNP_OFFLOAD_VERSION = 1,
    MNP_OFFLOAD_PAYLOAD = 65536 - 32, /* maximum size of a payload */
    /* size of the protocol's area at the beginning of the region; the rest belongs to the guest */
    MNP_OFFLOAD_HEAD = 65536,
    MNP_OFFLOAD_BUFFERS = 64, /* maximum number in a LAUNCH */
    MNP_OFFLOAD_ARGUMENTS = 64,
    MNP_OFFLOAD_TEXT = 4095, /* maximum length of a command line or a kernel's name */
};

enum mnp_offload_type {
    MNP_OFFLOAD_HELLO = 1, /* session 0, no payload; the REPLY's payload is a struct mnp_offload_welcome */
    MNP_OFFLOAD_LAUNCH =
        2, /* struct mnp_offload_launch, buffers, arguments, text; REPLY: struct mnp_offload_result and texts */
    MNP_OFFLOAD_REPLY = 3,
    MNP_OFFLOAD_CANCEL = 4, /* payload: the sequence number of a LAUNCH, 4 bytes */
    MNP_OFFLOAD_PING = 5,   /* any payload of at most 64 bytes, which the REPLY repeats */
};

/* Status of a REPLY; 0 in other messages. Unless it is OK, the message text gives details. */
enum mnp_offload_status {
    MNP_OFFLOAD_OK = 0,
    MNP_OFFLOAD_BAD_MESSAGE = 1, /* invalid type, length or sequence number */
    MNP_OFFLOAD_BAD_SESSION = 2, /* no session, or an ended one: send HELLO again */
    MNP_OFFLOAD_BAD_REQUEST = 3, /* invalid field of the LAUNCH */
    MNP_OFFLOAD_BAD_REGION = 4,  /* an offset outside the region, or a region that has been replaced */
    MNP_OFFLOAD_BUSY = 5,        /* too many pending launches */
    MNP_OFFLOAD_PROGRAM = 6,     /* the program cannot be loaded or placed */
    MNP_OFFLOAD_FAULT = 7,       /* the program has performed an invalid operation */
    MNP_OFFLOAD_LIMIT = 8,       /* the program did not end within its limit of cycles or time */
    MNP_OFFLOAD_STUCK = 9,       /* the program is deadlocked */
    MNP_OFFLOAD_CANCELLED = 10,
    MNP_OFFLOAD_LOST = 11, /* the simulation ended unexpectedly */
};

struct mnp_offload_header {
    uint32_t magic;
    uint16_t version, type;
    uint32_t sequence, status;
    uint64_t session;
    uint32_t length; /* size of the payload */
    uint32_t check;  /* mnp_offload_check of the preceding members */
};

/* Header at the beginning of the region: written by the host, which never reads it back. */
struct mnp_offload_region {
    uint32_t magic, version;
    uint64_t bytes; /* size of the region */
    uint64_t tag;   /* identifies this server: a guest compares it with that of the welcome */
};

/* Message streams in the region, for guests without another channel: two rings of bytes. `written` and `taken` count
 * bytes and wrap around at 2^32; each is written by one side only. FIFOs use `ready` instead: the number of bytes that
 * the host has put into the guest's FIFO so far, so that a guest never reads more than is available. */
enum {
    MNP_OFFLOAD_TO_HOST = 4096, /* a struct mnp_offload_ring in the protocol's area */
    MNP_OFFLOAD_TO_GUEST = 4160,
    MNP_OFFLOAD_READY = 4224, /* two words: number of the HELLO, bytes since then */
    MNP_OFFLOAD_TO_HOST_BYTES = 16384,
    MNP_OFFLOAD_TO_GUEST_BYTES = 32768,
    MNP_OFFLOAD_RING_BYTES = 16384, /* capacity of each ring */
};

struct mnp_offload_ring {
    uint32_t written, taken;
};

enum mnp_offload_welcome_flags {
    /* the guest is stopped while a launch runs, and afterwards sleeps for the launch's simulated time */
    MNP_OFFLOAD_SIMULATED_TIME = 1,
};

/* Payload of the REPLY to a HELLO; the session is in the header. */
struct mnp_offload_welcome {
    uint64_t tag, region_bytes;
    uint64_t clock;        /* frequency of the coprocessor's cycles, in Hz */
    uint32_t kinds;        /* set of supported enum mnp_offload_kind, one bit each */
    uint32_t coprocessors; /* number of launches that run at the same time */
    uint32_t waiting;      /* maximum number of launches of one session that wait or run */
    uint32_t cores;        /* cores of a coprocessor, unless a LAUNCH overrides it */
    uint32_t flags;        /* enum mnp_offload_welcome_flags */
    uint32_t zero;
    char machine[32]; /* zero-terminated name of the machine */
};

enum mnp_offload_kind {
    MNP_OFFLOAD_ELF = 1, /* an A32 program for a many-core coprocessor */
    MNP_OFFLOAD_PTX = 2, /* a kernel of a PTX module, for a GPU */
};

/* LAUNCH: this, then `buffer_count` buffers, then `argument_count` arguments, then `text_bytes` of text. */
struct mnp_offload_launch {
    uint32_t kind;
    uint32_t cores;                                    /* ELF: 0 selects the machine's number */
    uint32_t entry;                                    /* ELF: 0 selects the program's entry point */
    uint32_t max_milliseconds;                         /* limit of host time; 0: the server's limit */
    uint64_t program_at, program_bytes;                /* the ELF file or the module's text, in the region */
    uint64_t max_cycles;                               /* ELF: 0 means no limit */
    uint32_t grid[3], block[3];                        /* PTX */
    uint32_t shared_bytes;                             /* PTX: dynamic shared memory of a block */
    uint32_t buffer_count, argument_count, text_bytes; /* text: ELF: the command line; PTX: the kernel's name */
};

enum mnp_offload_buffer_flags {
    MNP_OFFLOAD_IN = 1,      /* copied into the coprocessor's memory before the start */
    MNP_OFFLOAD_OUT = 2,     /* copied back when the program has ended without an error */
    MNP_OFFLOAD_SPREAD = 4,  /* ELF: pieces of `piece` bytes, the i-th at `address` in the i-th core's bank */
    MNP_OFFLOAD_PRIVATE = 8, /* ELF: IN only, at `address` (a multiple of 4096) in every core's private memory */
};

struct mnp_offload_buffer {
    uint64_t at, bytes; /* place in the region; OUT buffers must not overlap */
    uint64_t address;   /* ELF: in the coprocessor's shared memory, from 0x80000000 on, or as the flags say. PTX: 0 */
    uint32_t piece;
    uint32_t flags;
};

/* Argument of a kernel, in the order of its parameters. */
struct mnp_offload_argument {
    uint64_t value; /* the number of a buffer, or the value itself, low bytes first */
    uint32_t bytes; /* 1, 2, 4 or 8; 0: the address of the buffer `value` in the GPU's memory */
    uint32_t zero;
};

/* Payload of the REPLY to a LAUNCH, followed by the texts: the program's output, statistics as lines of "NAME VALUE
 * UNIT", and a message, which is empty if the status is OK. */
struct mnp_offload_result {
    uint64_t cycles, instructions;      /* counted by the coprocessor */
    uint64_t femtoseconds;              /* simulated time of these cycles */
    uint64_t queue_ns, copy_ns, run_ns; /* host time: waiting for a coprocessor, copying, simulating */
    uint32_t program_status;            /* exit status of the program */
    uint32_t output_bytes, statistics_bytes, message_bytes;
};

_Static_assert(sizeof(struct mnp_offload_header) == 32 && sizeof(struct mnp_offload_welcome) == 80 &&
                   sizeof(struct mnp_offload_launch) == 80 && sizeof(struct mnp_offload_buffer) == 32 &&
                   sizeof(struct mnp_offload_argument) == 16 && sizeof(struct mnp_offload_result) == 64 &&
                   sizeof(struct mnp_offload_region) == 24,
               "the structs of the protocol have no gaps");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are copied as they lie");

/* The check of a header: FNV-1a of its first 28 bytes. */
static inline uint32_t mnp_offload_check(const struct mnp_offload_header *header)
{
    const unsigned char *bytes = (const unsigned char *)header;
    uint32_t hash = 2166136261u;
    for (unsigned i = 0; i < 28; i++)
        hash = (hash ^ bytes[i]) * 16777619u;
    return hash;
}

#endif
