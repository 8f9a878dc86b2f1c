/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The simulator as a library (docs/library.md). A program opens a machine, runs a trace of kernels or a program for a
 * many-core machine on it, and reads statistics:
 *
 *     struct maniple_error error;
 *     struct maniple_machine *machine = maniple_machine_open("rtx3070", NULL, &error);
 *     struct maniple_work work = {MANIPLE_WORK, .input = "trace/kernelslist.g"};
 *     struct maniple_run *run = maniple_run(machine, &work, &error);
 *     struct maniple_value cycles;
 *     if (run && maniple_run_value(run, MANIPLE_TOTAL, "gpu_sim_cycle", &cycles))
 *         printf("%s %s\n", cycles.text, cycles.unit);
 *     maniple_run_close(run);
 *     maniple_machine_close(machine);
 *
 * Compile with `pkg-config --cflags --libs maniple`. Results are those of `maniple run`, to the last byte, for any
 * number of threads. CUDA programs are processes of their own: start them by `maniple run`.
 *
 * Versions: MANIPLE_INTERFACE grows with what is added here; structs that the caller fills in begin with their size, so
 * that a program of an older header runs with a newer library. What would break such a program changes the library's
 * soname. Several runs at a time are possible, each on a thread of the caller's own; an object belongs to one thread at
 * a time. Nothing here prints, ends the process or handles signals, a fault of Maniple's own apart.
 */
#ifndef MANIPLE_MANIPLE_H
#define MANIPLE_MANIPLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MANIPLE_INTERFACE 1

/* The interface that the library has, and its version as text, such as "0.2.0". */
int maniple_interface(void);
const char *maniple_version(void);

/* Text of an error, with file, line and remedy if known. */
struct maniple_error {
    char text[1024];
};

/* ===== machines ===== */

struct maniple_machine;

/* Opens a machine by the name of a built-in one or by a file, with keys in place of its own: "KEY=VALUE" each, up to a
 * NULL; `keys` may be NULL. All is checked here. Result: NULL after an error, which `error` names. */
struct maniple_machine *maniple_machine_open(const char *name, const char *const *keys, struct maniple_error *error);

/* The number that a key of the machine has, such as "sm.count": sizes in bytes, clocks in hertz, words by their place.
 * Result: 0 if there is no such key, or it is a text or a list. */
int maniple_machine_number(const struct maniple_machine *machine, const char *key, uint64_t *number);

void maniple_machine_close(struct maniple_machine *machine); /* NULL: nothing */

/* The names of built-in machines, up to a NULL. */
const char *maniple_machine_name(size_t number);

/* ===== runs ===== */

struct maniple_run;

struct maniple_work {
    size_t size;             /* size of this struct: set by MANIPLE_WORK */
    const char *input;       /* kernelslist.g, packed trace (.mtrace), or ELF file for a many-core machine */
    const char *arguments;   /* arguments of the many-core program, separated by blanks; NULL: none */
    uint32_t threads;        /* 0: as many as this process has processors; at most 1024 */
    uint64_t max_cycles;     /* core cycle at which the run is stopped; 0: none */
    const volatile int *end; /* set it to 1 to end the run early, with the results so far; NULL: unused */
    /* Receives the output of the many-core program, in the order of simulated time. NULL: the output is dropped. */
    void (*output)(void *context, const void *text, size_t bytes);
    void *context;
};
#define MANIPLE_WORK .size = sizeof(struct maniple_work)

/* Why a run has ended. */
enum maniple_end {
    MANIPLE_FINISHED,
    MANIPLE_LIMIT,    /* max_cycles */
    MANIPLE_HANG,     /* no event could happen any more */
    MANIPLE_LIVELOCK, /* only the same spinning instructions were repeated */
    MANIPLE_ENDED,    /* `end` */
};

/* Runs work on a machine from its beginning: a machine may be used for any number of runs. NULL: an error. */
struct maniple_run *maniple_run(const struct maniple_machine *machine, const struct maniple_work *work,
                                struct maniple_error *error);
void maniple_run_close(struct maniple_run *run); /* NULL: nothing */

enum maniple_end maniple_run_end(const struct maniple_run *run);
/* Exit status of a program for a many-core machine; otherwise 0 */
uint32_t maniple_run_status(const struct maniple_run *run);
const char *maniple_run_hash(const struct maniple_run *run); /* final state hash, hexadecimal */
/* Text about a hang or livelock: the waiting units. NULL: none. */
const char *maniple_run_report(const struct maniple_run *run);

/* Warnings about the run, counted from 0: what was assumed or left out. NULL: no more. */
const char *maniple_run_warning(const struct maniple_run *run, size_t number);

/* Writes the files of `maniple run -o`: results.json, results.sqlite, stats.txt, machine.resolved. Result: 0 after an
 * error. */
int maniple_run_save(const struct maniple_run *run, const char *folder, struct maniple_error *error);

/* ===== statistics ===== */

/* Number of kernels whose statistics there are; and the name of one, counted from 0 in the order of their numbers.
 * NULL: no such kernel. */
size_t maniple_run_kernels(const struct maniple_run *run);
const char *maniple_run_kernel(const struct maniple_run *run, size_t kernel);

/* In place of a kernel: all of the run. */
#define MANIPLE_TOTAL ((size_t)-1)

struct maniple_value {
    double number;    /* for a count above 2^53, the nearest double: `count` or `text` is exact then */
    uint64_t count;   /* value of a whole number; whole part of a ratio, whose text has six decimals */
    char text[32];    /* text as printed in results */
    const char *unit; /* lives as long as the run */
};

/* The value of a statistic (`maniple models` and docs/statistics.md have all names). Result: 0 if there is none of that
 * name, or it is a histogram. */
int maniple_run_value(const struct maniple_run *run, size_t kernel, const char *statistic, struct maniple_value *value);

/* The bins of a histogram. Result: their number, of which `room` at most are written; 0: no such histogram. Bin i
 * counts values above the bound of bin i - 1 and up to its own, 2^i - 1; the last one counts all that are greater. */
size_t maniple_run_bins(const struct maniple_run *run, size_t kernel, const char *statistic, uint64_t *bins,
                        size_t room);

/* Names of all statistics, in the order of results, counted from 0. NULL: no more. */
const char *maniple_run_statistic(const struct maniple_run *run, size_t number);

#ifdef __cplusplus
}
#endif

#endif
