/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The processors of the host: which exist, which this process may use, and how much of them. Lists of processors have
 * the syntax of Linux, taskset and hwloc: numbers and ranges separated by commas, 0-3,8,10-14:2,16-.
 */
#ifndef MNP_ENGINE_EXECUTORS_PROCESSORS_H
#define MNP_ENGINE_EXECUTORS_PROCESSORS_H

#include "base/error.h"

#include <sched.h>
#include <stddef.h>
#include <stdint.h>

struct mnp_processors {
    cpu_set_t present; /* processors of the host */
    cpu_set_t online;  /* processors that are switched on */
    cpu_set_t usable;  /* processors that this process may use, by its affinity and its control group */
};

void mnp_processors_read(struct mnp_processors *processors);

/* Parses a list. An open range ("4-") ends with the last processor of `among`. Returns NULL, or a description of the
 * error in the part `*part`. */
const char *mnp_processors_parse(const char *text, const cpu_set_t *among, cpu_set_t *set, char part[32]);

/* Writes a list. Returns `text`, truncated to `size`. */
char *mnp_processors_format(const cpu_set_t *set, char *text, size_t size);

/* Parses the list of an option and checks that each of its processors is available. Returns false with `error` set. */
bool mnp_processors_choose(const char *list, const struct mnp_processors *processors, cpu_set_t *chosen,
                           struct mnp_error *error);

/* Restricts this process and its future threads to those processors of a list that it may use. */
bool mnp_processors_restrict(const char *list, struct mnp_error *error);

/* Number of processors that this process may use: at least 1. */
uint32_t mnp_usable_processors(void);

/* Number of these processors that its control groups grant at a time: the default number of threads, and the maximum
 * number of threads in a window. At least 1. */
uint32_t mnp_granted_processors(void);

/* Whether additional `threads` threads would have to share processors with threads of any program that run now. Such
 * threads would wait for one another, and bound threads would wait for their processor while another one is free. */
bool mnp_processors_are_busy(uint32_t threads);

/* CPU limit of the control groups in thousandths of a processor; 0: none. `membership` and `root` are /proc/self/cgroup
 * and /sys/fs/cgroup, except in tests. */
uint64_t mnp_processor_quota(const char *membership, const char *root);

#endif
