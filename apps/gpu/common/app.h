/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the workloads in apps/gpu have in common: how one describes itself, its sizes, memory, launches, and the checks
 * of its results. A workload is a `const struct app` in a file of its own; list.h names them all. Errors of the driver
 * end the program with a message, so that a workload reads as a straight line.
 */
#ifndef APP_H
#define APP_H

#include "maniple/driver.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { APP_SIZES = 9 };

struct app_run;

/* A number that the user may choose with --NAME. */
struct app_size {
    const char *name; /* NULL behind the last one */
    uint32_t usual, least, most;
    uint32_t multiple; /* the value is a multiple of it; 0: any */
    const char *help;
    const char *words; /* words separated by spaces; the value is the number of one of them. NULL: a number is given */
};

struct app {
    const char *name;
    const char *suite;     /* the public suite that has a program of this kind */
    const char *summary;   /* one line */
    const char *stresses;  /* one paragraph: what the machine is made to do */
    const char *tolerance; /* how results are compared */
    struct app_size sizes[APP_SIZES + 1];
    void (*run)(struct app_run *run);
};

struct app_run {
    const struct app *app;
    uint32_t sizes[APP_SIZES]; /* in the order of the app's table */
    uint64_t random;
    uint32_t checks, failed;
    bool sabotage;      /* every result is spoilt before it is checked: all checks have to fail */
    const char *loaded; /* the PTX whose kernels are launched */
    CUcontext context;
    CUmodule module;
    struct app_memory *memories;
};

struct app_shape {
    uint32_t grid[3], block[3], shared_bytes;
    uint32_t cluster[3]; /* blocks of a cluster; 0: none is stated */
};

/* Enough blocks for `count` threads; for width × height threads. */
struct app_shape app_shape(uint32_t count, uint32_t block);
struct app_shape app_shape2(uint32_t width, uint32_t height, uint32_t block_x, uint32_t block_y);

/* Memory of the host, zeroed. It is freed when the program ends, as is that of the device. */
void *app_host(struct app_run *run, size_t count, size_t size);

/* Memory of the device, zeroed; with the contents of an array of the host. */
CUdeviceptr app_device(struct app_run *run, size_t bytes);
CUdeviceptr app_copy(struct app_run *run, const void *from, size_t bytes);
void app_write(struct app_run *run, CUdeviceptr to, const void *from, size_t bytes);

/* New memory of the host with the contents of the device's. */
void *app_read(struct app_run *run, CUdeviceptr from, size_t bytes);

/* Takes the kernels from another file of PTX than the one with the app's name. */
void app_use(struct app_run *run, const char *ptx);

/* A variable of the module. */
CUdeviceptr app_variable(struct app_run *run, const char *name);

/* Arguments are pointers to values, as in cuLaunchKernel. */
#define app_launch(run, kernel, shape, ...) app_launch_all(run, kernel, shape, (void *[]){__VA_ARGS__})
void app_launch_all(struct app_run *run, const char *kernel, struct app_shape shape, void **arguments);

/* Clusters of a launch in this shape that the device runs at a time. */
uint32_t app_clusters(struct app_run *run, const char *kernel, const struct app_shape *shape);

/* Numbers that are the same on every host: xorshift*. */
uint32_t app_random(struct app_run *run);
uint32_t app_below(struct app_run *run, uint32_t limit);
float app_uniform(struct app_run *run, float least, float most);
float *app_floats(struct app_run *run, size_t count, float least, float most);

/* Whether kernels compute all values; where the user has wished otherwise (maniple run --values needed, --between
 * skip), checks say that nothing is checked. */
bool app_has_values(const struct app_run *run);

/* Checks, each with a line of output. Floats: |got - expected| <= tolerance · (|expected| + mean of all |expected|). */
void app_check_words(struct app_run *run, const char *what, uint32_t *got, const uint32_t *expected, size_t count);
void app_check_floats(struct app_run *run, const char *what, float *got, const float *expected, size_t count,
                      double tolerance);

/* The context that all this happens in; app_close waits for the device and frees everything. */
void app_open(struct app_run *run);
void app_close(struct app_run *run);

/* Ends the program with a message; status 2 where the user can do something about it. */
void app_stop(const struct app_run *run, int status, const char *format, ...)
    __attribute__((noreturn, format(printf, 3, 4)));

#endif
