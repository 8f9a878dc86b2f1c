/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Executors: strategies that run the units of a window on host threads. An executor decides which thread runs a unit,
 * never the unit's behaviour: all executors except `relaxed` give identical results.
 */
#ifndef MNP_ENGINE_EXECUTORS_EXECUTOR_H
#define MNP_ENGINE_EXECUTORS_EXECUTOR_H

#include <stdbool.h>
#include <stdint.h>

struct mnp_engine;

struct mnp_executor {
    const char *name;
    const char *summary;
    void (*run)(struct mnp_engine *engine); /* until mnp_window_begin says no */
    bool every_cycle; /* threads synchronise in every cycle: windows have one core cycle unless the user states more */
    bool processes;   /* machines must be spread over processes (engine/spread/ranks.h) */
    bool device;      /* the machine must bring a device (engine.device) */
    bool relaunch;    /* the device is given one step after another, not many cycles at once */
    bool free;        /* the machine must be able to run freely (engine.free, or on the device) */
    bool staged;      /* stages of a machine can run in turn (engine/core/stages.h) */
    bool relaxed;     /* windows of the engine must be relaxed */
    bool assigns;     /* cores can be assigned to its threads by hand */
    uint32_t aside;   /* with `assigns`: number of threads without cores, unless there are no others */
};

extern const struct mnp_executor mnp_executor_serial;
extern const struct mnp_executor mnp_executor_window;
extern const struct mnp_executor mnp_executor_lockstep;
extern const struct mnp_executor mnp_executor_domains;
extern const struct mnp_executor mnp_executor_pool;
extern const struct mnp_executor mnp_executor_openmp; /* only if built with OpenMP: use mnp_executor_find */
extern const struct mnp_executor mnp_executor_mpi;
extern const struct mnp_executor mnp_executor_relaxed;
extern const struct mnp_executor mnp_executor_cuda;
extern const struct mnp_executor mnp_executor_cuda_relaunch;
extern const struct mnp_executor mnp_executor_cuda_s_events;
extern const struct mnp_executor mnp_executor_s_events;

/* All executors, NULL-terminated. */
extern const struct mnp_executor *const mnp_executors[];

/* The executor of a name, or NULL. */
const struct mnp_executor *mnp_executor_find(const char *name);

/* The loop of the window executor, shared by executors that differ only in their windows. */
void mnp_executor_run_windows(struct mnp_engine *engine);

/* Runs the units of the current window on the calling thread, in their order. */
void mnp_executor_run_alone(struct mnp_engine *engine);

/* Ends a window on the calling thread, after all units have run: applies writes to flat memory, then calls
 * mnp_window_end. */
void mnp_executor_end_alone(struct mnp_engine *engine);

#endif
