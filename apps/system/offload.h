/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the example programs of a guest have in common: opening the device, loading a program, waiting, and time. They
 * run under Linux in QEMU, and on the host itself. A program for the coprocessor lies in the folder that
 * MANIPLE_PROGRAMS names, or in /programs; MANIPLE_DEVICE says where the device is (see guest_linux.c).
 */
#ifndef APPS_SYSTEM_OFFLOAD_H
#define APPS_SYSTEM_OFFLOAD_H

#include "maniple/guest.h"

#include <stdint.h>

struct offload {
    struct mnp_device device;
    uint64_t began_ns;                /* of the program */
    uint64_t waited_ns;               /* between launching and having the results */
    uint64_t simulated_ns, copied_ns; /* of these: the coprocessor's simulation, and the host's copying */
    uint64_t cycles, instructions;
};

uint64_t offload_clock(void); /* nanoseconds */

/* The number in an argument of the program, or the end of the program with status 2. */
uint32_t offload_number(const char *text, const char *what, uint32_t least);

/* Opens the device, or ends the program with status 2 and a message. */
void offload_open(struct offload *offload);

/* Memory of the region, or the end of the program. */
void *offload_memory(struct offload *offload, uint64_t bytes);

/* Loads a program by its name, "product" for product.elf. */
void offload_load(struct offload *offload, const char *name, struct mnp_launch *launch);

/* Launches, waits, and adds up times. Ends the program where that went wrong. */
void offload_run(struct offload *offload, const struct mnp_launch *launch, struct mnp_result *result);

/* Prints where the time has gone, as a line that begins with "time", and closes the device. */
void offload_close(struct offload *offload, const char *name);

/* A next pseudo-random number (xorshift). */
uint32_t offload_random(uint32_t *state);

#endif
