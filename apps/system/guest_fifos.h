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

/* What a channel does. */
int mnp_fifos_open(struct mnp_device *device, const char *prefix);
void mnp_fifos_close(struct mnp_device *device);
void mnp_fifos_hello(struct mnp_device *device, uint32_t sequence);
int mnp_fifos_send(struct mnp_device *device, const void *bytes, size_t count, uint32_t timeout);
int mnp_fifos_receive(struct mnp_device *device, void *bytes, size_t room, uint32_t timeout);

#endif
