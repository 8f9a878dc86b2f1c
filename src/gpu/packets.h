/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The packets that GPU units exchange. All are plain data without padding, so that they can be hashed.
 *
 *   sm  → gpc → partition   gpu_request   reads, writes, atomics, instruction fetches
 *   partition → gpc → sm    gpu_reply     sectors read, acknowledgements
 *   against either          gpu_credit    places given back in the receiver's queue
 *   dispatch → sm           gpu_launch    a CTA, or the news that a kernel has ended
 *   sm → dispatch           gpu_finish    a CTA has exited and its writes are acknowledged
 *   dispatch → partition    gpu_copy      a host copy, which may leave its lines in the L2
 */
#ifndef MNP_GPU_PACKETS_H
#define MNP_GPU_PACKETS_H

#include <stdint.h>

enum gpu_request_kind { GPU_READ, GPU_WRITE, GPU_ATOMIC, GPU_REDUCTION, GPU_FETCH };

/* One access to one line of memory at the L2. */
struct gpu_request {
    uint64_t line;     /* address of the line (a multiple of its size) */
    uint64_t bytes[2]; /* writes: one bit per byte of the line (128), bytes written; otherwise 0 */
    uint32_t tag;      /* the SM's own, returned in the reply */
    uint16_t sm;
    uint16_t kernel;     /* kernel slot that pays for it */
    uint8_t kind;        /* enum gpu_request_kind */
    uint8_t sectors;     /* mask of 32-byte sectors of the line */
    uint16_t operations; /* atomics and reductions: lanes that take part */
    uint32_t slice;      /* filled in by the GPC: slice of the partition */
};

struct gpu_reply {
    uint64_t line;
    uint32_t tag;
    uint16_t sm;
    uint16_t kernel;
    uint8_t kind; /* of the request: GPU_READ and GPU_FETCH carry data, the others are acknowledgements */
    uint8_t sectors;
    uint8_t reserved[6];
};

struct gpu_credit {
    uint32_t packets; /* places given back */
    uint32_t reserved;
};

enum gpu_launch_kind { GPU_LAUNCH_CTA, GPU_KERNEL_ENDED };

struct gpu_launch {
    uint64_t cta;    /* number of the CTA in its grid */
    uint64_t launch; /* number of the launch */
    uint16_t kernel; /* kernel slot */
    uint8_t kind;    /* enum gpu_launch_kind */
    uint8_t reserved[5];
};

struct gpu_finish {
    uint64_t cta;
    uint16_t kernel;
    uint8_t reserved[6];
};

struct gpu_copy {
    uint64_t address, bytes;
};

_Static_assert(sizeof(struct gpu_request) == 40, "no padding");
_Static_assert(sizeof(struct gpu_reply) == 24, "no padding");
_Static_assert(sizeof(struct gpu_launch) == 24, "no padding");
_Static_assert(sizeof(struct gpu_finish) == 16, "no padding");

#endif
