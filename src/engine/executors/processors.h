/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which processors there are, which of them this process may use, and how much of them. Lists of processors are written
 * as Linux, taskset and hwloc write them: numbers and ranges with commas between them, 0-3,8,10-14:2,16-.
 */
#ifndef MNP_ENGINE_EXECUTORS_PROCESSORS_H
#define MNP_ENGINE_EXECUTORS_PROCESSORS_H

#include "base/error.h"

#include <sched.h>
#include <stddef.h>
#include <stdint.h>

struct mnp_processors {
    cpu_set_t present; /* of the host */
    cpu_set_t online;  /* not switched off */
    cpu_set_t usable;  /* by this process: its affinity, and its control group */
};

void mnp_processors_read(struct mnp_processors *processors);

/* Reads a list. An open range ("4-") ends with the last of `among`. NULL, or what is wrong with the part `*part`. */
const char *mnp_processors_parse(const char *text, const cpu_set_t *among, cpu_set_t *set, char part[32]);

/* Writes a list. Returns `text`, which is cut short where it would be longer. */
char *mnp_processors_format(const cpu_set_t *set, char *text, size_t size);

/* Reads the list of an option and checks each of its processors against what there is. False: `error` is set. */
bool mnp_processors_choose(const char *list, const struct mnp_processors *processors, cpu_set_t *chosen,
                           struct mnp_error *error);

/* Restricts this process, and threads to come, to the processors of a list that it may use. */
bool mnp_processors_restrict(const char *list, struct mnp_error *error);

/* Processors that this process may use: at least 1. */
uint32_t mnp_usable_processors(void);

/* Of these, how many its control groups let it have at a time: the default number of threads, and the most that take
 * part in a window. At least 1. */
uint32_t mnp_granted_processors(void);

/* Whether some of so many more threads would have to share processors with those of all programs that run just now:
 * they would wait for one another, and bound ones would wait for their processor while another one is free. */
bool mnp_processors_are_busy(uint32_t threads);

/* Thousandths of a processor that control groups grant; 0: no limit. `membership` and `root` are /proc/self/cgroup and
 * /sys/fs/cgroup, but in tests. */
uint64_t mnp_processor_quota(const char *membership, const char *root);

#endif
