/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Multicast objects of a program (cuMulticastCreate): their devices, and what memory is bound to them. The bytes lie
 * where the memory is mapped; what devices see of an object is in engine/memory/multicast.h and execute/device/views.c.
 * Objects are numbered from 0; virtual_memory.c has their handles and mappings.
 */
#ifndef CUDART_MULTICAST_H
#define CUDART_MULTICAST_H

#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>

struct cudart;

struct cudart_binding {     /* memory of a device in an object */
    uint64_t offset, bytes; /* in the object */
    uint64_t from;          /* offset in the memory */
    uint32_t device, piece; /* the device's place; number of the memory (virtual_memory.c) */
};

struct cudart_multicast {
    uint64_t address, bytes; /* in the simulated machine; 0 bytes: it is no more */
    uint64_t reserved;       /* bytes of addresses, which stay its own */
    uint32_t wanted;         /* devices that it is to have */
    uint32_t devices;        /* bits, by place: those that it has */
    struct mnp_array bindings;
};

/* Returns the number of a new object. */
uint32_t cudart_multicast_make(struct cudart *rt, uint64_t bytes, uint32_t devices);
/* The object, until another is made. */
struct cudart_multicast *cudart_multicast_at(const struct cudart *rt, uint32_t number);
/* Its bindings must have been taken away. */
void cudart_multicast_drop(struct cudart *rt, uint32_t number);
/* Adds a device; the last one makes the object ready. False: it is there, or the object has all of its devices. */
bool cudart_multicast_add(struct cudart *rt, uint32_t number, uint32_t place);
bool cudart_multicast_is_ready(const struct cudart *rt, uint32_t number);

/* Adds a binding of memory that lies at `address`; 0: it is not mapped now. False: something is bound there. */
bool cudart_multicast_bind(struct cudart *rt, uint32_t number, const struct cudart_binding *binding, uint64_t address);
/* Takes away the binding of a device that has this range. Returns the number of its memory, UINT32_MAX for none. */
uint32_t cudart_multicast_unbind(struct cudart *rt, uint32_t number, uint32_t place, uint64_t offset, uint64_t bytes);
/* Memory has come to lie at an address; 0: it is not mapped any more. */
void cudart_multicast_move(struct cudart *rt, uint32_t piece, uint64_t address);

/* Memory is no more, and with it its bindings. */
void cudart_multicast_forget(struct cudart *rt, uint32_t piece);

/* Shows an object at addresses to those devices (bits, by place) that may access it there; the others fault. */
void cudart_multicast_show(struct cudart *rt, uint32_t number, uint64_t address, uint32_t rights);
void cudart_multicast_hide(struct cudart *rt, uint64_t address);

#endif
