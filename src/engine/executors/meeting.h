/* SPDX-License-Identifier: BSD-3-Clause */
/* Measured cost of synchronising threads at the end of a window on this host, for predictions. */
#ifndef MNP_ENGINE_EXECUTORS_MEETING_H
#define MNP_ENGINE_EXECUTORS_MEETING_H

#include <stdint.h>

struct mnp_executor;
struct mnp_transport;

/* Nanoseconds of an empty job for so many threads of a team: the minimum of short series, because other processes may
 * take the processors. */
double mnp_meeting_of_team(uint32_t threads);

/* Overhead per window of an executor that synchronises in every window: the time of a window of idle units, minus that
 * of serial. */
double mnp_meeting_of_executor(const struct mnp_executor *executor, uint32_t threads);

/* Time in nanoseconds that a thread of a loop with dynamic schedule (executor "openmp") takes to get its next core
 * while others get theirs. */
double mnp_meeting_of_taking(const struct mnp_executor *openmp, uint32_t threads);

/* Costs in nanoseconds of the exchange between processes after a window: gathering every process's outlook; a small
 * message in addition, per other process; and each byte of a message. Collective; the same in all processes. */
struct mnp_exchange_cost {
    double gather, message, byte;
};
struct mnp_exchange_cost mnp_meeting_of_processes(const struct mnp_transport *transport);

#endif
