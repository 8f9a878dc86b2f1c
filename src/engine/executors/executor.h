/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Executors: strategies that run the units of a window on host threads. They decide who runs a unit, never what it
 * does: every executor gives the same bytes.
 */
#ifndef MNP_ENGINE_EXECUTORS_EXECUTOR_H
#define MNP_ENGINE_EXECUTORS_EXECUTOR_H

struct mnp_engine;

struct mnp_executor {
    const char *name;
    const char *summary;
    void (*run)(struct mnp_engine *engine); /* until mnp_window_begin says no */
};

extern const struct mnp_executor mnp_executor_serial;
extern const struct mnp_executor mnp_executor_window;

/* All executors, NULL-terminated. */
extern const struct mnp_executor *const mnp_executors[];

/* The executor of a name, or NULL. */
const struct mnp_executor *mnp_executor_find(const char *name);

#endif
