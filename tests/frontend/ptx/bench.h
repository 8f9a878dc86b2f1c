/* SPDX-License-Identifier: BSD-3-Clause */
/* A device with one module, for tests: buffers, launches, and what the program printed. */
#ifndef TESTS_PTX_BENCH_H
#define TESTS_PTX_BENCH_H

#include "frontend/ptx/program.h"

struct bench {
    struct execute_device device;
    struct ptx_program program;
    struct mnp_error error;
    char *printed;
    size_t printed_size;
};

/* Loads a module from a file, or from text when `path` is NULL. Ends the test when that fails. */
void bench_open(struct bench *bench, const char *path, const char *text);
/* The same on device `number` of several that share a memory; NULL: one that has its own. */
void bench_open_in(struct bench *bench, struct mnp_memory *memory, uint32_t number, const char *path, const char *text);
void bench_close(struct bench *bench);

/* Device memory with a copy of `bytes` bytes; NULL: zeros. */
uint64_t bench_buffer(struct bench *bench, const void *data, size_t bytes);
void bench_read(struct bench *bench, uint64_t address, void *data, size_t bytes);

/* Whether launches run with time: where the environment has BENCH_TIMED. */
bool bench_timed(void);
/* Runs a launch. False: bench->error says why. */
bool bench_launch(struct bench *bench, const struct execute_launch *launch);

/* Runs a kernel; `arguments` are pointers to the values. False: bench->error says why. */
bool bench_run(struct bench *bench, const char *kernel, uint32_t blocks, uint32_t threads, uint32_t shared,
               const void *const *arguments);
bool bench_run3(struct bench *bench, const char *kernel, const uint32_t grid[3], const uint32_t block[3],
                uint32_t shared, const void *const *arguments);

#define BENCH_RUN(bench, kernel, blocks, threads, shared, ...)                                                         \
    bench_run(bench, kernel, blocks, threads, shared, (const void *const[]){__VA_ARGS__})

/* The same numbers every time. */
uint64_t bench_random(uint64_t *state);

/* Adds to a text that has room for `room` bytes; what does not fit is cut off. */
void bench_add(char *text, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
