/* SPDX-License-Identifier: BSD-3-Clause */
/* What maniple-layers and its kernels share. */
#ifndef LAYERS_H
#define LAYERS_H

#include "maniple/driver.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LAYERS_NUMBERS = 8 };

struct layers {
    CUdevice device;
    CUmodule module;
    CUstream stream;
    int sms, major, minor;
    uint32_t calls;
    bool checks, warm; /* warm: attention is a graph of one call, launched several times over one cache */
    bool cold;         /* each call has operands of its own where other work would have taken the L2 in between */
    bool alone;        /* the host waits behind every kernel; graphs otherwise */
    uint32_t window;   /* keys that a query sees; 0: all */
    uint64_t seed, checked, wrong;
};

struct layer_kernel {
    const char *name, *numbers;
    uint32_t count;
    void (*run)(struct layers *run, const uint32_t *numbers);
};

extern const struct layer_kernel layer_kernels[]; /* a name of NULL ends it */

struct tensor { /* of bfloat16; `host` is what it has been filled with, where results are checked */
    CUdeviceptr device;
    uint16_t *host;
    size_t count;
};

_Noreturn void layers_stop(const char *what);
void layers_need(CUresult result, const char *call);

float layers_float(uint16_t number);
uint16_t layers_bfloat(float value);

CUdeviceptr layers_memory(size_t bytes);
struct tensor layers_tensor(struct layers *run, size_t count);
CUdeviceptr layers_indices(size_t count, uint32_t limit, uint32_t *kept);

/* Loads a module of the built-in PTX, in place of the one that is there. */
void layers_load(struct layers *run, const char *name);
CUfunction layers_kernel(struct layers *run, const char *name, uint32_t shared_bytes);

/* What is launched between these two is a graph, which is launched so many times. */
void layers_begin(struct layers *run);
void layers_end(struct layers *run, uint32_t times);
void layers_launch(struct layers *run, CUfunction function, const uint32_t grid[3], uint32_t block,
                   uint32_t shared_bytes, void **arguments);

/* The same without dynamic shared memory; the kernel may begin when the one before it lets it. */
void layers_launch_early(struct layers *run, CUfunction function, const uint32_t grid[3], uint32_t block,
                         void **arguments);

/* Compares numbers from `at` on with what they should be. */
void layers_compare(struct layers *run, const struct tensor *got, size_t at, const double *expected, size_t count);

void layers_prefill(struct layers *run, const uint32_t *numbers);
void layers_decode(struct layers *run, const uint32_t *numbers);
void layers_experts(struct layers *run, const uint32_t *numbers);

#endif
