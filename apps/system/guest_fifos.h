/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Semihosting (ARM IHI 0100) as a way to the host, for programs under QEMU with and without an operating system:
 * messages go through the host's FIFOs PREFIX.to-host and PREFIX.to-guest. The platform brings the region and the
 * clock.
 */
#ifndef GUEST_FIFOS_H
#define GUEST_FIFOS_H

#include "maniple/guest.h"

enum { GUEST_SYS_OPEN = 1, GUEST_SYS_CLOSE = 2, GUEST_SYS_WRITE = 5, GUEST_SYS_READ = 6 };
enum { GUEST_OPEN_READ = 1 /* "rb" */, GUEST_OPEN_WRITE = 11 /* "a+b" */ };

/* A call of the host; its numbers and words are those of semihosting. */
int mnp_call_host(uint32_t number, const uint32_t *words);

/* A file of the host's, by a path in two parts. Negative: there is none. */
int mnp_host_open(const char *path, const char *end, uint32_t mode);

/* The channel "fifos:PREFIX". */
extern const struct mnp_channel mnp_fifos;

/* What the platform brings: the region is mapped (0, or a problem), a clock in nanoseconds, rest. */
int mnp_map_region(struct mnp_device *device);
uint64_t mnp_clock_now(void);
void mnp_sleep_for(uint64_t nanoseconds);

#endif
