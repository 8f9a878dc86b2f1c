/* SPDX-License-Identifier: BSD-3-Clause */
/* Contexts of the driver API. Those of a device share its memory; the runtime's is its primary one. */
#ifndef CUDART_DRIVER_CONTEXTS_H
#define CUDART_DRIVER_CONTEXTS_H

#include "base/array.h"
#include "cudart/base/abi.h"

#include <stdbool.h>

struct cudart;

/* Owner: driver_contexts.c. */
struct cudart_contexts {
    int major;             /* major version of the runtime that the program was linked with; 0: none */
    bool versions_differ;  /* the program uses shared runtimes of two versions */
    bool initialized;      /* cuInit */
    bool runtime;          /* the program uses the runtime, whose contexts are the primary ones */
    struct mnp_array list; /* struct cudart_handle_context; those of devices, their primary ones, are the first */
};

struct cudart_handle_context {
    bool used;
    unsigned flags;
    uint32_t device;   /* its number */
    unsigned retained; /* a primary one, by cuDevicePrimaryCtxRetain */
};

void cudart_serve_version(struct cudart *rt, int major);
void cudart_use_runtime(struct cudart *rt);
void cudart_initialize(struct cudart *rt);

uint64_t cudart_current_context(const struct cudart *rt);                                  /* its handle; 0: none */
struct cudart_handle_context *cudart_context_at(const struct cudart *rt, uint64_t handle); /* NULL: there is none */
struct cudart_handle_context *cudart_primary_context(struct cudart *rt, uint32_t device);
/* The primary context of this thread's device is in use as soon as the runtime is. */
void cudart_show_primary(struct cudart *rt);
/* This thread uses a device's primary context from now on, in place of its current one. */
void cudart_choose_primary(struct cudart *rt, uint32_t device);
bool cudart_any_context(const struct cudart *rt, uint32_t device);

uint64_t cudart_retain_primary(struct cudart *rt, uint32_t device);
/* False: others have retained it still, or the runtime uses it. */
bool cudart_release_primary(struct cudart *rt, uint32_t device);
void cudart_set_primary_flags(struct cudart *rt, uint32_t device, unsigned flags);
/* Creates a context, which becomes the current one of this thread. */
uint64_t cudart_create_context(struct cudart *rt, uint32_t device, unsigned flags);
/* False: there is none, or it is a primary one. */
bool cudart_destroy_context(struct cudart *rt, uint64_t handle);

/* This thread's stack of contexts. */
void cudart_push_context(uint64_t handle);
bool cudart_pop_context(uint64_t *handle); /* false: the stack is empty */

#endif
